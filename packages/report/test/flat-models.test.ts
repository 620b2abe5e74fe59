/** Models that read few of a study's inputs, or none: a value for every row all the same. */

import { expect, test } from "vitest";
import { ModelCurves } from "../src/index.js";

const data = {
  x: Float64Array.of(1, 3, 2, 5),
  w: Float64Array.of(-4, 0.5, 7, 9),
  y: Float64Array.of(10, 30, 20, 40),
};
const rows = [...data.y.keys()];

const models: readonly [source: string, at: (row: number) => number][] = [
  ["7", () => 7],
  ["c", () => 4],
  ["(+ c (* 2 d))", () => 3],
  ["(let ((u c)) (* u u))", () => 16],
  ["x", (row) => data.x[row] as number],
  ["(+ c (* 0 x))", () => 4],
  ["(* d w)", (row) => -0.5 * (data.w[row] as number)],
  ["(+ x w)", (row) => (data.x[row] as number) + (data.w[row] as number)],
];
const params = { c: 4, d: -0.5 };

test.each([{ inputs: [] }, { inputs: ["x"] }, { inputs: ["w"] }, { inputs: ["x", "w"] }])(
  "a model predicts a value for each row, whichever of $inputs it reads",
  async ({ inputs }) => {
    const curves = await ModelCurves.create({ data, inputs }, "y", "ieee");
    const readable = models.filter(([source]) =>
      ["x", "w"].every(
        (name) => inputs.includes(name) || !new RegExp(`\\b${name}\\b`).test(source),
      ),
    );
    expect(readable.length).toBeGreaterThanOrEqual(4);
    for (const [source, at] of readable) {
      const member = { source, params };
      const expected = rows.map(at);
      expect([...curves.predictions(member, data)], source).toEqual(expected);
      // Of one row, too.
      for (const count of [1, 2]) {
        const some = Object.fromEntries(
          Object.entries(data).map(([name, column]) => [name, column.slice(0, count)]),
        );
        expect([...curves.predictions(member, some)], source).toEqual(expected.slice(0, count));
      }
      const { points, line, x } = curves.curve(member);
      const isOver = inputs.length === 1;
      expect(x).toBe(isOver ? inputs[0] : "predicted");
      const across = isOver ? data[inputs[0] as "x" | "w"] : expected;
      expect(points, source).toEqual(rows.map((row) => [across[row], data.y[row]]));
      expect(line.length).toBeGreaterThan(1);
      for (const [from, to] of line) expect([from, to].every(Number.isFinite), source).toBe(true);
    }
    curves.dispose();
  },
);
