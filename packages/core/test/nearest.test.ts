/**
 * The nearest of some names, held against distances that are counted without any short cut.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nearest } from "../src/nearest.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

/** Edits between the first `i` letters of a name and the first `j` of another. */
function edits(a: string, b: string, i = a.length, j = b.length): number {
  if (i === 0 || j === 0) return i + j;
  const cost = a[i - 1] === b[j - 1] ? 0 : 1;
  const plain = Math.min(
    edits(a, b, i - 1, j) + 1,
    edits(a, b, i, j - 1) + 1,
    edits(a, b, i - 1, j - 1) + cost,
  );
  const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return isSwap ? Math.min(plain, edits(a, b, i - 2, j - 2) + 1) : plain;
}

function nearestByCounting(name: string, known: readonly string[]): string | undefined {
  let most = name.length <= 3 ? 2 : name.length <= 6 ? 3 : 4;
  let best: string | undefined;
  for (const each of known) {
    const distance = edits(name, each);
    if (distance >= most || distance >= Math.max(name.length, each.length)) continue;
    most = distance;
    best = each;
  }
  return best;
}

describe("nearest", () => {
  test.each([
    ["sni", ["cos", "sin", "sqrt"], "sin"],
    ["Sin", ["cos", "sin"], "sin"],
    ["vm", ["KM", "Km", "VM"], "VM"],
    ["temprature", ["PRESSURE", "TEMPERATURE"], "TEMPERATURE"],
    ["transpsoe", ["trace", "transpose"], "transpose"],
    ["x", ["y"], undefined],
    ["y".repeat(61), ["y".repeat(61)], undefined],
    ["İ".repeat(60), ["i̇".repeat(60)], undefined],
  ])("of %s among %j is %s", (name, known, found) => {
    expect(nearest(name, known)).toBe(found);
  });

  test(`is what counting all edits gives, seed ${seed}`, () => {
    console.info(`nearest: SEED=${seed}`);
    const name = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(name, fc.array(name, { maxLength: 5 }), (wanted, known) => {
        expect(nearest(wanted, known)).toBe(nearestByCounting(wanted, known));
      }),
      { seed, numRuns: 500 },
    );
  });
});
