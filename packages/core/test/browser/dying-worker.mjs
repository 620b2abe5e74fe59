/**
 * A pool's Web Worker that dies whenever its part has the number that the program's comment tells
 * among the values of x.
 */
import { servePool } from "../../dist/machine/pool/serve.js";
import { servePort } from "../../dist/workers/index.js";

servePort((port) =>
  servePool(port, (source, inputs) => {
    const number = /; dies at (\S+)/.exec(source)?.[1];
    if (number !== undefined && inputs.x.includes(Number(number))) throw new Error("a bad day");
  }),
);
