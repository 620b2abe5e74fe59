/**
 * A worker that dies of some programs: "poison" always, "flaky" the first time anybody meets it. Of
 * "endless" it never comes back.
 */
import { existsSync, writeFileSync } from "node:fs";
import { servePort } from "../../../core/dist/workers/index.js";
import { serveEpochs } from "../../dist/pool/serve.js";

function meet(source, { study }) {
  if (source.includes("poison")) process.exit(3);
  while (source.includes("endless"));
  const flaky = /flaky-(\S+)/.exec(study.description);
  if (source.includes("flaky") && flaky !== null && !existsSync(flaky[1])) {
    writeFileSync(flaky[1], "");
    throw new Error("a bad day");
  }
}

servePort((port) => serveEpochs(port, meet));
