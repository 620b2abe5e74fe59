/** A worker process for the suites: joins the cluster that WORKER_URL names, until SIGTERM. */
import { openCluster } from "../dist/index.js";

const settings = JSON.parse(process.env.WORKER_SETTINGS ?? "{}");
const cluster = openCluster({ url: process.env.WORKER_URL }, settings);
const worker = await cluster.worker({ tell: (message) => console.log(message) });
process.on("SIGTERM", () => void worker.close().then(() => process.exit(0)));
