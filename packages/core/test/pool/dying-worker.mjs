/**
 * A pool's worker that can be told to die, by a comment in the program:
 *
 *   ; dies once FILE     the first time only: FILE is made then
 *   ; dies at NUMBER     whenever its part has this number among the values of x
 */
import { writeFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";

let source = "";

function dieIfDue(message) {
  if (message.kind !== "part") return;
  source = message.load?.source ?? source;
  const file = /; dies once (\S+)/.exec(source)?.[1];
  if (file !== undefined && isFirst(file)) process.exit(7);
  const number = /; dies at (\S+)/.exec(source)?.[1];
  if (number !== undefined && message.inputs.x.includes(Number(number))) process.exit(8);
}

function isFirst(file) {
  try {
    writeFileSync(file, "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

// Every message is looked at before the real worker gets it.
const listen = parentPort.on.bind(parentPort);
parentPort.on = (event, take) =>
  listen(event, (message) => {
    dieIfDue(message);
    take(message);
  });

await import("../../dist/machine/pool-worker.js");
