/**
 * A search that goes on and on: memory stays, the archive grows evenly.
 *
 *   NDVM_SOAK_CANDIDATES=100000 npx vitest run packages/search/test/engine/soak.test.ts
 */

import { expect, test } from "vitest";
import { openArchive } from "../../src/index.js";
import { soak } from "./soak.js";
import { freshFile } from "./support.js";

const candidates = Number(process.env["NDVM_SOAK_CANDIDATES"] ?? 3000);

test(`memory is flat and the archive linear (NDVM_SOAK_CANDIDATES=${candidates})`, async () => {
  const file = freshFile();
  const recipe = {
    rungs: [
      { restarts: 1, steps: 8, share: 1 },
      { restarts: 2, steps: 16, share: 0.2 },
    ],
  };
  const samples = await soak(file, { candidates }, 10, { recipe, workers: 2 });
  expect(samples).toHaveLength(10);
  const [, , early, , middle, , , , , late] = samples;
  // Machines, code and populations are made in the first tenths.
  const growth = (late?.memory ?? 0) - (middle?.memory ?? 0);
  expect(growth).toBeLessThan(0.25 * (middle?.memory ?? 0) + 1000 * candidates);
  const archive = openArchive(file);
  expect(archive.summary().visits).toBe(candidates);
  archive.close();
  // Bytes per visit: what the log holds on top is at most a few megabytes.
  const log = 6e6;
  const before = ((early?.archive ?? 0) - log) / (early?.visits ?? 1);
  const after = ((late?.archive ?? 0) - log) / (late?.visits ?? 1);
  expect(after).toBeLessThan(Math.max(3000, 2 * before));
});
