/**
 * `npm start`: looks for the law behind a bundled table, a swing that comes to rest. It is nothing
 * but `ndvm search` with its options filled in; the study and a page about it are kept in studies/.
 *
 *   node dist/start.js [options of ndvm search that replace those below]
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { timestamp } from "./commands/search.js";
import { runProcess } from "./main.js";
import { out, print } from "./terminal.js";

const FOLDER = "studies";
const DATA = "examples/oscillator/data.csv";

const given = process.argv.slice(2);
/** An option that the command line does not give itself. */
const unless = (name: string, value: string): string[] =>
  given.includes(name) ? [] : [name, value];

mkdirSync(FOLDER, { recursive: true });
const study = join(FOLDER, `oscillator-${timestamp(new Date())}`);
const args = [
  "search",
  ...unless("--data", DATA),
  ...unless("--target", "height"),
  ...(given.includes("--candidates") ? [] : unless("--budget", "30s")),
  ...unless("--out", `${study}.db`),
  ...unless("--report", `${study}.html`),
  ...given,
];
print(out.bold(`npx ndvm ${args.join(" ")}`));
await runProcess(args);
