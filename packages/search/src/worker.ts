/**
 * A worker of a search: a station behind a port. It takes parcels of tasks, one after the other, and
 * answers each with all of its results.
 */

import { parentPort, workerData } from "node:worker_threads";
import { Station } from "./pipeline/station.js";
import type { TaskResult } from "./pipeline/task.js";
import { packResults, unpackTasks } from "./pool/parcel.js";
import type { FromWorker, ToWorker, WorkerStart } from "./pool/pool.js";

// What goes wrong in here is told by its code and its message; a stack takes longer than both.
Error.stackTraceLimit = 0;

const port = parentPort;
if (port === null) throw new Error("a worker is started by a pool");
const { study, progress } = workerData as WorkerStart;
const station = await Station.create(study, {
  onProgress: () => {
    Atomics.add(progress, 1, 1);
  },
});

const answer = (message: FromWorker): void => port.postMessage(message);

async function work(parcel: ToWorker): Promise<void> {
  const results: TaskResult[] = [];
  for (const task of unpackTasks(parcel)) {
    Atomics.store(progress, 0, task.visit + 1);
    results.push(await station.run(task));
  }
  Atomics.store(progress, 0, 0);
  answer(packResults(results));
}

let last: Promise<void> = Promise.resolve();
port.on("message", (parcel: ToWorker) => {
  last = last.then(() => work(parcel));
});
answer("ready");
