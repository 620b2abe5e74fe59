/** Elimination in exported JavaScript: every small matrix, whatever pivots it needs, against the machine. */

import { describe, expect, test } from "vitest";
import { exportModel, Machine } from "../../src/index.js";
import { functionOf, isSameValue } from "./support.js";

const machine = await Machine.create({ precision: "f64" });

const every = (digits: readonly number[], count: number): number[][] =>
  count === 0 ? [[]] : every(digits, count - 1).flatMap((some) => digits.map((d) => [...some, d]));

const NAMES = "abcdefghi";
const matrixOf = (size: number): string => {
  const names = [...NAMES].slice(0, size * size);
  const rows = names.flatMap((_, i) =>
    i % size === 0 ? [`[${names.slice(i, i + size).join(" ")}]`] : [],
  );
  return `(mat ${rows.join(" ")})`;
};

describe.each([
  [1, every([-2, -1, 0, 1, 2], 1)],
  [2, every([-2, -1, 0, 1, 2], 4)],
  [3, every([-1, 0, 2], 9).filter((_, i) => i % 5 === 0)],
])("of %i rows", (size, all) => {
  const matrix = matrixOf(size);
  const vector = `[${[3, -5, 7].slice(0, size).join(" ")}]`;
  const square = `(mat ${[vector, "[1 2 4]", "[-1 0 6]"]
    .slice(0, size)
    .map((row) => `[${row.slice(1, -1).split(" ").slice(0, size).join(" ")}]`)
    .join(" ")})`;

  test.each([
    `(det ${matrix})`,
    `(logdet ${matrix})`,
    `(inv ${matrix})`,
    `(solve ${matrix} ${vector})`,
    `(solve ${matrix} ${square})`,
  ])("%s is what it is in the machine", (source) => {
    const names = [...NAMES].slice(0, size * size);
    const program = machine.load(source);
    const columns = names.map((name, i) => [name, all.map((each) => each[i] as number)]);
    const run = program.evaluate(Object.fromEntries(columns), { lanes: all.length });
    const text = functionOf(exportModel({ program, numbers: names }, "javascript"));
    const wrong = all.filter((each, lane) => {
      const got = text(Object.fromEntries(names.map((name, i) => [name, each[i]])));
      return !isSameValue(got, run.datum(lane));
    });
    expect(wrong).toEqual([]);
    program.dispose();
  });
});

/** Whether two values are the same to the last bit, signs of zero too. */
function isSameBits(got: unknown, want: unknown): boolean {
  if (ArrayBuffer.isView(want)) return isSameBits(got, Array.from(want as Float64Array));
  if (!Array.isArray(want)) return Object.is(got, want);
  return (
    Array.isArray(got) &&
    got.length === want.length &&
    want.every((item, i) => isSameBits(got[i], item))
  );
}

/** Where a program's JavaScript has other bits than the machine, of these values of a, b, c and so on. */
function otherBits(source: string, places: readonly (readonly number[])[]): unknown[] {
  const program = machine.load(source);
  const names = [...NAMES].slice(0, places[0]?.length).filter((n) => program.inputs.includes(n));
  const at = (place: readonly number[], name: string) => place[NAMES.indexOf(name)] as number;
  const columns = names.map((name) => [name, places.map((place) => at(place, name))]);
  const run = program.evaluate(Object.fromEntries(columns), { lanes: places.length });
  const text = functionOf(exportModel({ program, numbers: names }, "javascript"));
  const wrong = places.flatMap((place, lane) => {
    const got = text(Object.fromEntries(names.map((name) => [name, at(place, name)])));
    const want = run.datum(lane);
    return isSameBits(got, want) ? [] : [{ source, place, got, want }];
  });
  program.dispose();
  return wrong;
}

describe("JavaScript had another sign of zero than the machine", () => {
  const four = every([0, -0, 1, -1, 2.5], 4);
  test.each([
    "(dot [a b] [c d])",
    "(dot [a] [b])",
    "(/ 1 (dot (vec -1 -1) (vec a a)))",
    "(vsum [a b])",
    "(vsum [a])",
    "(vsum (mat [a b] [c d]))",
    "(norm [a b])",
    "(normalize [a b])",
    "(trace (mat [a b] [c d]))",
    "(matvec (mat [a b] [c d]) [a c])",
    "(matmul (mat [a b] [c d]) (mat [b d] [a c]))",
    "(matmul (mat [a] [b]) (mat [c d]))",
    "(outer [a b] [c d])",
    "(cross [a b c] [d a b])",
    "(scale a [b c])",
    "(transpose (mat [a b] [c d]))",
    "(cholesky (mat [a b] [c d]))",
    "(det (mat [a]))",
    "(inv (mat [a]))",
    "(solve (mat [a]) [b])",
    "(det (mat [a b] [c d]))",
    "(inv (mat [a b] [c d]))",
    "(solve (mat [a b] [c d]) [c -0.0])",
    "(det (mat [a b 1] [c d 0] [b -0.0 a]))",
    "(inv (mat [a b 1] [c d 0] [b -0.0 a]))",
    "(solve (mat [a b 1] [c d 0] [b -0.0 a]) (mat [1 a] [-0.0 b] [c 0]))",
    "(det (mat [a b 1 0] [c d 0 2] [b -0.0 a 1] [1 2 3 4]))",
    "(inv (mat [a b 1 0] [c d 0 2] [b -0.0 a 1] [1 2 3 4]))",
    "(solve (mat [a b 1 0] [c d 0 2] [b -0.0 a 1] [1 2 3 4]) [d c b a])",
    "(+ a [b c])",
  ])("in %s", (source) => {
    expect(otherBits(source, four)).toEqual([]);
  });

  test.each([
    "(vsum (zeros 0))",
    "(norm (zeros 0))",
    "(dot (zeros 0) (zeros 0))",
    "(trace (zeros 0 0))",
    "(det (zeros 0 0))",
    "(logdet (zeros 0 0))",
    "(matmul (zeros 2 0) (zeros 0 2))",
    "(matvec (zeros 2 0) (zeros 0))",
  ])("in %s, which sums nothing", (source) => {
    expect(otherBits(source, [[]])).toEqual([]);
  });
});

describe("JavaScript took matrices that are singular but for rounding for others", () => {
  const singular = [
    "(mat [1 2 3 4] [5 6 7 8] [9 10 11 12] [13 14 15 16])",
    "(mat [0.1 0.2 0.3 0.4] [0.3 0.6 0.9 1.2] [a 1 b 2] [1 0 2 b])",
    "(mat [0.1 0.7 1] [0.2 1.4 1] [0.3 2.1 a])",
    "(mat [1e-200 1e-200] [1e-200 3e-200])",
    "(mat [1e200 a] [b 1e200])",
  ];
  test.each(singular.flatMap((matrix) => [`(det ${matrix})`, `(inv ${matrix})`]))(
    "in %s",
    (source) => {
      expect(otherBits(source, every([0, 1, -3, 0.1], 2))).toEqual([]);
    },
  );
});
