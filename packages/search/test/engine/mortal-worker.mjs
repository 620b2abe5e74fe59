/**
 * A worker that dies of some programs: "poison" always, "flaky" the first time anybody meets it. Of
 * "endless" it never comes back.
 */
import { existsSync, writeFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { Station } from "../../dist/pipeline/station.js";
import { packResults, unpackTasks } from "../../dist/pool/parcel.js";

const { study, progress } = workerData;
const station = await Station.create(study);
let last = Promise.resolve();

async function work(parcel) {
  const results = [];
  for (const task of unpackTasks(parcel)) {
    Atomics.store(progress, 0, task.visit + 1);
    if (task.source.includes("poison")) process.exit(3);
    while (task.source.includes("endless"));
    const flaky = /flaky-(\S+)/.exec(study.description);
    if (task.source.includes("flaky") && flaky !== null && !existsSync(flaky[1])) {
      writeFileSync(flaky[1], "");
      throw new Error("a bad day");
    }
    results.push(await station.run(task));
  }
  Atomics.store(progress, 0, 0);
  parentPort.postMessage(packResults(results));
}

parentPort.on("message", (parcel) => {
  last = last.then(() => work(parcel));
});
parentPort.postMessage("ready");
