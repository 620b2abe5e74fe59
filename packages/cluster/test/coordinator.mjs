/** A coordinator for the suites: searches with the options given, and prints visits as they are told. */
import { search } from "@ndvm/search";
import { openCluster } from "../dist/index.js";

const { url, settings } = JSON.parse(process.env.COORDINATOR ?? "{}");
const cluster = openCluster({ url }, settings);
for await (const event of search(JSON.parse(process.argv[2] ?? "{}"), cluster.hooks()))
  if (event.type === "candidate") console.log(event.outcome.visit + 1);
