/** How many epochs `checkArchive` finds intact, whichever of them are damaged and however. */

import { expect, test } from "vitest";
import { openDatabase } from "../../src/archive/driver.js";
import { checkArchive } from "../../src/index.js";
import { line } from "../engine/data.js";
import { freshFile, list, run } from "../engine/support.js";
import { copyOf, rungs, sql } from "./support.js";

const programs = ["(* a x)", "(+ a x)", "(+ a (* b x))", "(sin (* a x))", "(car x)"];

test("every epoch that is damaged is counted as such, and its visits are not", async () => {
  const whole = freshFile();
  await run({
    ...{ data: line, target: "y", workers: 0, epoch: 2, slots: 1, seed: 5, recipe: { rungs } },
    ...{ archive: whole, proposers: [list(programs)] },
  });
  const epochs = sql(whole, "SELECT round, slot, visits FROM epochs ORDER BY round, slot");
  expect(epochs.map(([, , visits]) => visits)).toEqual([2, 2, 1]);
  const changes = [
    "proposer = 'x'",
    "visits = visits + 1",
    "candidates = '[7, 8]'",
    "checksum = checksum + 1",
  ];
  for (const change of changes)
    for (let chosen = 0; chosen < 2 ** epochs.length; chosen++) {
      const isDamaged = (at: number): boolean => (chosen & (2 ** at)) !== 0;
      const file = copyOf(whole);
      const database = openDatabase(file);
      for (const [at, [round, slot]] of epochs.entries())
        if (isDamaged(at))
          database.exec(`UPDATE epochs SET ${change} WHERE round = ${round} AND slot = ${slot}`);
      database.close();
      const intact = epochs.filter((_, at) => !isDamaged(at));
      const check = checkArchive(file);
      const label = `${change}, ${chosen}`;
      expect(check.epochs, label).toEqual({
        intact: intact.length,
        damaged: epochs.length - intact.length,
        visits: intact.reduce((sum, [, , visits]) => sum + Number(visits), 0),
      });
      expect(check.tables["epochs"]?.damaged, label).toBe(epochs.length - intact.length);
      expect(check.isIntact, label).toBe(chosen === 0);
    }
});
