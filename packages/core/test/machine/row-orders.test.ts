/**
 * Whether a matrix is singular does not depend on the order of its rows: elimination moves rows, and what
 * it knows about them must move along.
 */
import { expect, test } from "vitest";
import { Machine } from "../../src/index.js";
import { Random } from "../fuzz/random.js";
import { precisions } from "./support.js";

/** Rows of very different sizes; the last is a combination of two others if it is to be singular. */
function matrixOf(random: Random, n: number, isSingular: boolean): number[][] {
  const rows = Array.from({ length: n }, () => {
    const unit = 10 ** random.between(-3, 3);
    // Decimals, so that sums of them round.
    return Array.from({ length: n }, () => (unit * random.between(-9, 9)) / 10);
  });
  const [one, two] = [random.below(n - 1), random.below(n - 1)];
  const [p, q] = [random.between(1, 9) / 10, random.between(1, 9) / 10];
  if (isSingular)
    rows[n - 1] = (rows[one] as number[]).map(
      (entry, col) => p * entry + q * ((rows[two] as number[])[col] as number),
    );
  return rows;
}

function shuffled(random: Random, rows: number[][]): number[][] {
  const left = [...rows];
  return rows.map(() => left.splice(random.below(left.length), 1)[0] as number[]);
}

test.each(precisions)("rows in any order are dependent or not, in %s", async (precision) => {
  const machine = await Machine.create({ precision });
  const random = new Random(5, 77);
  let singular = 0;
  for (const n of [4, 5, 6]) {
    const names = Array.from({ length: n * n }, (_, i) => `e${i}`);
    const rowsOf = Array.from({ length: n }, (_, i) => names.slice(i * n, (i + 1) * n).join(" "));
    const program = machine.load(
      `(vsum (inv (mat ${rowsOf.map((row) => `(vec ${row})`).join(" ")})))`,
      {
        inputs: names,
      },
    );
    for (let turn = 0; turn < 60; turn++) {
      const rows = matrixOf(random, n, turn % 2 === 0);
      const orders = Array.from({ length: 32 }, () => shuffled(random, rows).flat());
      const inputs = Object.fromEntries(
        names.map((name, i) => [name, orders.map((entries) => entries[i] as number)]),
      );
      const { values } = program.evaluate(inputs);
      const kinds = new Set(Array.from(values, (value) => Number.isNaN(value)));
      expect([...kinds], JSON.stringify(rows)).toHaveLength(1);
      if (kinds.has(true)) singular += 1;
    }
    program.dispose();
  }
  expect(singular).toBeGreaterThan(60);
  machine.dispose();
});
