/**
 * Archives whose file has one bit in its head that is another: none is taken for something that it is not,
 * and salvage keeps all of each.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkArchive, openArchive, salvageArchive } from "../../src/index.js";
import { line } from "../engine/data.js";
import { exported, freshFile, list, run } from "../engine/support.js";
import { rungs } from "./support.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

const HEAD_BYTES = 100;
/** Where the head says what the application calls the format, in four bytes. */
const FORMAT_AT = 60;

test(`one other bit in the head loses nothing, SEED=${seed}`, async () => {
  const file = freshFile();
  await run({
    ...{ data: line, target: "y", workers: 0, epoch: 4, slots: 1, seed: 5, recipe: { rungs } },
    ...{ archive: file, proposers: [list(["(* a x)", "(car x)", "(+ a x)", "(+ a (* b x))"])] },
  });
  const whole = readFileSync(file);
  const wanted = exported(file);
  // Every bit of the format, and one of every sixth other byte.
  const bits = Array.from({ length: HEAD_BYTES }, (_, byte) =>
    byte >= FORMAT_AT && byte < FORMAT_AT + 4
      ? [0, 1, 2, 3, 4, 5, 6, 7].map((bit) => 8 * byte + bit)
      : (seed + byte) % 6 === 0
        ? [8 * byte + ((seed + 3 * byte) & 7)]
        : [],
  ).flat();
  let damaged = 0;
  for (const bit of bits) {
    const what = `bit ${bit & 7} of byte ${bit >> 3}`;
    const bytes = Buffer.from(whole);
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
    const copy = freshFile();
    writeFileSync(copy, bytes);
    const { isIntact, canResume } = checkArchive(copy);
    expect(canResume, what).toBe(isIntact);
    if (isIntact) expect(exported(copy), what).toBe(wanted);
    else damaged += 1;
    if (bit >> 3 >= FORMAT_AT && bit >> 3 < FORMAT_AT + 4)
      expect(() => openArchive(copy), what).toThrow(/is damaged|was written by/);
    const out = freshFile();
    const kept = { visits: 4, visitsLost: 0, rowsLost: 0, optionsLost: [], canResume: true };
    expect(salvageArchive(copy, out), what).toMatchObject(kept);
    expect(checkArchive(out), what).toMatchObject({ isIntact: true, canResume: true });
    expect(exported(out), what).toBe(wanted);
  }
  expect(damaged).toBeGreaterThan(31);
});
