/**
 * A pool's worker that can be told to die, by a comment in the program:
 *
 *   ; dies once FILE     the first time only: FILE is made then
 *   ; dies at NUMBER     whenever its part has this number among the values of x
 */
import { writeFileSync } from "node:fs";
import { servePool } from "../../dist/machine/pool/serve.js";
import { servePort } from "../../dist/workers/index.js";

function dieIfDue(source, inputs) {
  const file = /; dies once (\S+)/.exec(source)?.[1];
  if (file !== undefined && isFirst(file)) process.exit(7);
  const number = /; dies at (\S+)/.exec(source)?.[1];
  if (number !== undefined && inputs.x.includes(Number(number))) process.exit(8);
}

function isFirst(file) {
  try {
    writeFileSync(file, "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

servePort((port) => servePool(port, dieIfDue));
