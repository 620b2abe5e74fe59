/**
 * A worker that dies of some programs: "poison" always, "flaky" the first time anybody meets it. Of
 * "endless" it never comes back.
 */
import { existsSync, writeFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { serveEpochs } from "../../dist/pool/serve.js";

const { description } = workerData.setting.study;

function meet(source) {
  if (source.includes("poison")) process.exit(3);
  while (source.includes("endless"));
  const flaky = /flaky-(\S+)/.exec(description);
  if (source.includes("flaky") && flaky !== null && !existsSync(flaky[1])) {
    writeFileSync(flaky[1], "");
    throw new Error("a bad day");
  }
}

await serveEpochs(
  workerData,
  {
    post: (message) => parentPort.postMessage(message),
    listen: (take) => parentPort.on("message", take),
  },
  meet,
);
