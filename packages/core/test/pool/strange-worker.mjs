/**
 * A worker that is alive and not a pool's.
 */
import { parentPort } from "node:worker_threads";

parentPort.on("message", () => parentPort.postMessage("hello"));
