/** What is said of noise: deviations that were given are not told as found, and bands say what they are. */

import { type FitOptions, fit, Machine } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { fitReport, summaryText } from "../src/index.js";
import { pageText } from "./figures.js";
import { richProblem } from "./made-up.js";

const machine = await Machine.create();
const x = Array.from({ length: 20 }, (_, i) => i / 5);
const off = x.map((_, i) => ((i * 0.6180339887498949) % 1) - 0.5);
const y = x.map((at, i) => 1 + 2 * at + 0.04 * (off[i] as number));
const z = x.map((at, i) => 5 - at + 0.4 * (off[19 - i] as number));
const s = x.map((_, i) => 0.01 + 0.001 * (i % 2));
const options: FitOptions = { data: { x, y, z, s }, target: "y", params: { a: 1, b: 2 } };

async function told(more: FitOptions, source = "(+ a (* b x))") {
  const asked = { ...options, ...more };
  const result = await fit(machine.load(source), asked);
  const targets = typeof asked.target === "string" ? [asked.target] : (asked.target ?? []);
  const columns = Object.entries(asked.data ?? {}).map(([name, column]) => [
    name,
    Float64Array.from(column as readonly number[]),
  ]);
  const problem = {
    ...{ ...richProblem, table: undefined, rows: undefined, columns: ["x"], heldOut: undefined },
    ...{ targets, data: Object.fromEntries(columns), options: { ...asked } as object },
  };
  const page = await fitReport({
    ...{ result, problem, scores: [], x: undefined },
    ...{ command: "ndvm fit", maker: "ndvm" },
  });
  return { summary: summaryText(result, problem, []), page: pageText(page) };
}

describe("the noise of a fit", () => {
  test("is a deviation where nothing is known", async () => {
    const { summary, page } = await told({});
    expect(summary).toContain("residual s.d. 0.0");
    expect(page).toContain("residual s.d.");
    expect(page).toContain("light band: where a new observation lies.");
    expect(page).not.toContain("new observations");
  });

  test("is that of weight 1 with weights", async () => {
    const { summary, page } = await told({ weights: "s" });
    expect(summary).toContain("residual s.d. at weight 1 0.00");
    expect(page).toContain(
      "The band for new observations is that of weight 1: the table tells the weights of its own rows only.",
    );
  });

  test("was called a deviation where it is χ² in units of known ones", async () => {
    const { summary, page } = await told({ sigma: "s" });
    expect(summary).toContain("root of χ² per degree of freedom 1.");
    expect(summary + page).not.toContain("residual s.d.");
    expect(page).toContain("root of χ² per degree of freedom");
    expect(page).toContain("Band: where the mean lies");
    expect(page).toContain(
      "No band for new observations: the table tells the deviations of its own rows only.",
    );
    // The table has it.
    expect(page).not.toContain("have no column s");
  });

  test("of several targets with known deviations is told of none of them", async () => {
    const both = "(vec (+ a (* b x)) (+ c (* d x)))";
    const params = { a: 1, b: 2, c: 5, d: -1 };
    const sides = { target: ["y", "z"], params };
    const known = await told({ ...sides, sigma: { y: "s", z: x.map(() => 3) } }, both);
    expect(known.summary).toMatch(/^y: R² [\d.]+$/m);
    expect(known.summary).toMatch(/^z: R² [\d.]+$/m);
    const found = await told(sides, both);
    expect(found.summary).toMatch(/^z: R² [\d.]+, residual s\.d\. [\d.]+$/m);
  });
});
