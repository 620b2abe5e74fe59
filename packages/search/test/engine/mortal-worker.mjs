/**
 * A worker that dies of some programs: "poison" always, "flaky" the first time anybody meets it.
 */
import { existsSync, writeFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { Station } from "../../dist/pipeline/station.js";

const { study, progress } = workerData;
const station = await Station.create(study);
let last = Promise.resolve();

async function work(parcel) {
  const results = [];
  for (const task of parcel) {
    Atomics.store(progress, 0, task.visit + 1);
    if (task.source.includes("poison")) process.exit(3);
    const flaky = /flaky-(\S+)/.exec(study.description);
    if (task.source.includes("flaky") && flaky !== null && !existsSync(flaky[1])) {
      writeFileSync(flaky[1], "");
      throw new Error("a bad day");
    }
    results.push(await station.run(task));
  }
  Atomics.store(progress, 0, 0);
  parentPort.postMessage(results);
}

parentPort.on("message", (parcel) => {
  last = last.then(() => work(parcel));
});
parentPort.postMessage("ready");
