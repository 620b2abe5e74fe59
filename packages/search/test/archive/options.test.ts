/** Options of a study in its archive: which must agree when it is resumed, and which are lost. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../src/archive/driver.js";
import { LedgerWriter } from "../../src/archive/ledger.js";
import { RowWriter } from "../../src/archive/tables.js";
import { type EvolveOptions, evolve, salvageArchive } from "../../src/index.js";
import { oscillation } from "../engine/data.js";
import { expectSame, exported, freshFile, list, run } from "../engine/support.js";
import { copyOf, reading, rungs } from "./support.js";

/** Whole rounds: one program of the list and eight bred ones, then eight bred ones in each. */
const [HALF, WHOLE] = [41, 81];

const bred = (archive: string, options: EvolveOptions, candidates: number, resume = true) =>
  run({
    ...{ data: oscillation, target: "y", workers: 0, epoch: 4, slots: 2, seed: 5 },
    ...{ recipe: { rungs }, archive, budget: { candidates }, resume },
    proposers: [list(["(* a x)"]), evolve(options)],
  });

const first: EvolveOptions = { seeds: ["(* a x)"], islands: 2, draws: 20 };
async function study(): Promise<string> {
  const file = freshFile();
  await bred(file, first, HALF, false);
  return file;
}

/** The archive as earlier versions wrote it: without what evolve was told. */
function asEarlier(file: string): string {
  const copy = copyOf(file);
  const database = openDatabase(copy);
  database.exec("DELETE FROM study WHERE key LIKE 'proposers[%'");
  new RowWriter(database).replace("state", new LedgerWriter(database).row(2));
  database.close();
  return copy;
}

describe("a study that was bred", () => {
  test("went on as another one where evolve was told otherwise", async () => {
    const file = await study();
    const before = readFileSync(file);
    const others: Required<Omit<EvolveOptions, "name">> = {
      ...{ seeds: ["(* a x)", "(+ a x)"], islands: 4, islandSize: 39, draws: 21 },
      ...{ migrateEvery: 0, bestShare: 0.25 },
    };
    for (const [name, value] of Object.entries(others)) {
      const option = `proposers[1].${name}`;
      await expect(bred(file, { ...first, [name]: value }, WHOLE)).rejects.toMatchObject({
        ...{ code: "E-ARCHIVE", facts: { reason: "study", option } },
        message: expect.stringContaining(`its ${option} is `),
      });
    }
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("goes on where evolve is told its defaults in so many words", async () => {
    const file = await study();
    const whole = freshFile();
    await bred(whole, first, WHOLE, false);
    const defaults = { islandSize: 40, migrateEvery: 200, bestShare: 0.2 };
    await bred(file, { ...first, ...defaults }, WHOLE);
    expectSame(exported(file), exported(whole));
    expect(exported(file)).not.toContain("bestShare");
    expect(reading(file, (archive) => archive.study())).toMatchObject({
      "proposers[1].islands": 2,
      "proposers[1].bestShare": 0.2,
    });
  });

  test("goes on from an archive that does not say what evolve was told", async () => {
    const file = await study();
    const earlier = asEarlier(file);
    await bred(file, first, WHOLE);
    await bred(earlier, first, WHOLE);
    expectSame(exported(earlier), exported(file));
  });

  test("ended with a TypeError from such an archive where evolve had another number of islands", async () => {
    const earlier = asEarlier(await study());
    const before = readFileSync(earlier);
    await expect(bred(earlier, { ...first, islands: 4 }, WHOLE)).rejects.toMatchObject({
      ...{ code: "E-ARCHIVE", facts: { reason: "study", option: "islands" } },
    });
    expect(readFileSync(earlier).equals(before)).toBe(true);
  });
});

test("options that a front needs were lost, and salvage did not say so", async () => {
  const file = await study();
  for (const lost of ["operators", "precision", "recipe", "proposers"]) {
    const damaged = copyOf(file);
    const database = openDatabase(damaged);
    database.exec(`UPDATE study SET value = '0' WHERE key = '${lost}'`);
    database.close();
    const salvaged = salvageArchive(damaged, freshFile());
    expect(salvaged).toMatchObject({ optionsLost: [lost], canResume: false });
  }
  // An option that was never written is not lost.
  expect(salvageArchive(asEarlier(file), freshFile())).toMatchObject({
    ...{ optionsLost: [], canResume: true },
  });
});
