/**
 * A search that is left running: does its memory stay, its archive grow evenly, its pace hold?
 *
 *   NDVM_SOAK_SECONDS=3600 npm run bench -- soak
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { amount } from "../../core/bench/support/settings.js";
import { soak } from "../test/engine/soak.js";

const seconds = Number(process.env["NDVM_SOAK_SECONDS"] ?? amount(5, 1));
const folder = mkdtempSync(join(tmpdir(), "ndvm-soak-"));

console.log(`\n## Soak: ${seconds} s of evolve and replay, all cores, archive included\n`);
console.log("seconds    visits  visits/s  memory MiB  archive MiB  bytes/visit");
console.log("-------  --------  --------  ----------  -----------  -----------");
let before = { seconds: 0, visits: 0, memory: 0, archive: 0 };
try {
  await soak(join(folder, "study.db"), { seconds }, Math.min(30, seconds), {}, (sample) => {
    const pace = (sample.visits - before.visits) / (sample.seconds - before.seconds);
    const each = sample.archive / sample.visits;
    const row = [
      [sample.seconds.toFixed(0), 7],
      [String(sample.visits), 8],
      [pace.toFixed(0), 8],
      [(sample.memory / 2 ** 20).toFixed(0), 10],
      [(sample.archive / 2 ** 20).toFixed(1), 11],
      [each.toFixed(0), 11],
    ] as const;
    console.log(row.map(([text, width]) => text.padStart(width)).join("  "));
    before = sample;
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
