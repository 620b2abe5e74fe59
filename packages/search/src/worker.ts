/**
 * A worker of a search: runs epochs behind a port. It takes parcels of them, one after the other, and
 * answers each with all of its results.
 */

import { parentPort, workerData } from "node:worker_threads";
import type { WorkerStart } from "./pool/pool.js";
import { serveEpochs } from "./pool/serve.js";

// What goes wrong in here is told by its code and its message; a stack takes longer than both.
Error.stackTraceLimit = 0;

const port = parentPort;
if (port === null) throw new Error("a worker is started by a pool");
await serveEpochs(workerData as WorkerStart, {
  post: (message) => port.postMessage(message),
  listen: (take) => port.on("message", take),
});
