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
