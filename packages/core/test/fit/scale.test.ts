/**
 * Data whose numbers are very large or very small: a fit says so before it begins, and how to
 * rescale; never a loss of 0 or one that is not finite.
 */

import { describe, expect, test } from "vitest";
import { type FitOptions, fit, Machine, type NdvmError, type Precision } from "../../src/index.js";
import { caughtLater } from "../machine/support.js";

const t = [0, 1, 2, 3, 4, 5, 6, 7];
const line = (unit: number): number[] => t.map((x) => unit * (3 + 2 * x + 0.01 * Math.sin(7 * x)));
const machines = {
  f32: await Machine.create({ precision: "f32" }),
  f64: await Machine.create({ precision: "f64" }),
};

const fitLine = (precision: Precision, y: readonly number[], options: Partial<FitOptions> = {}) =>
  fit(machines[precision].load("(+ a (* b t))"), {
    data: { t, y },
    target: "y",
    params: { a: { start: 1 }, b: { start: 1 } },
    ...options,
  });

const squares = "the squares of its residuals are too";
const divide = (unit: string): string => `divide y by ${unit} and multiply predictions by it`;

describe.each(["lm", "adam", "lbfgs"] as const)("targets for %s", (optimiser) => {
  test.each([
    ["f64", 1e300, `column y reaches 1.70e+301: ${squares} large for a number`, divide("1e301")],
    ["f64", 1e160, `column y reaches 1.70e+161: ${squares} large for a number`, divide("1e161")],
    ["f64", 1e-160, `column y reaches 1.70e-159: ${squares} small for a number`, divide("1e-159")],
    ["f64", 1e-300, `column y reaches 1.70e-299: ${squares} small for a number`, divide("1e-299")],
    ["f32", 1e300, "column y reaches 1.70e+301, more than f32 can hold", divide("1e301")],
    [
      "f32",
      1e38,
      "column y reaches 1.70e+39, more than f32 can hold",
      `${divide("1e39")}, or fit in f64`,
    ],
    [
      "f32",
      1e-42,
      "column y reaches 1.70e-41, too little for f32 to keep its digits",
      `${divide("1e-41")}, or fit in f64`,
    ],
  ] as const)("%s near %s", async (precision, unit, message, help) => {
    const error: NdvmError = await caughtLater(fitLine(precision, line(unit), { optimiser }));
    expect(error).toMatchObject({ code: "E-INPUT", message, help });
  });
});

test.each([
  ["f64", 1e140],
  ["f64", 1e-140],
  ["f32", 1e36],
  ["f32", 1e-29],
] as const)("just inside the limits the line is found: %s near %s", async (precision, unit) => {
  const { best } = await fitLine(precision, line(unit));
  expect(best.params["b"]).toBeCloseTo(2 * unit, 2 - Math.log10(unit));
  expect(best.r2).toBeGreaterThan(0.999);
});

test("a loss that does not square takes large targets", async () => {
  const params = { a: { start: 3e200 }, b: { start: 1.9e200 } };
  const { best } = await fitLine("f64", line(1e200), { loss: "absolute", params });
  expect(Number.isFinite(best.loss)).toBe(true);
});

test("one of several targets is named", async () => {
  const program = machines.f64.load("[(* a t) (* b t)]");
  const options = { data: { t, y: line(1), z: line(1e200) }, target: ["y", "z"] };
  const error = await caughtLater(fit(program, options));
  expect(error.message).toMatch(/^column z reaches 1.70e\+201: /);
});

test("a column that the program reads must fit f32", async () => {
  const program = machines.f32.load("(* a x)");
  const options = { data: { x: t.map((x) => x * 1e40), y: line(1) }, target: "y" };
  const error = await caughtLater(fit(program, options));
  expect(error).toMatchObject({
    code: "E-INPUT",
    message: "column x reaches 7.00e+40, more than f32 can hold",
    help: "divide x by 1e40, or use f64",
  });
});

test("a fit that ends worse than the mean says so, and that the target is large", async () => {
  const { diagnostics, best } = await fitLine("f64", line(1e20), { optimiser: "lbfgs" });
  expect(best.r2).toBeLessThan(0);
  expect(diagnostics.notes).toContainEqual(
    "y is predicted worse than by its mean (R² -4.77): " +
      "start nearer, take more restarts, or divide y by 1e21",
  );
});

test("a target that is predicted badly was to be divided by the unit of another one", async () => {
  const program = machines.f64.load("[(* a t) (* b t)]");
  const { diagnostics } = await fit(program, {
    data: { t, y: line(1), z: line(1e20) },
    target: ["y", "z"],
    params: { a: { start: -50 }, b: { start: 1 } },
    ...{ optimiser: "adam", steps: 1 },
  });
  const poor = diagnostics.notes.filter((note) => note.includes("worse than by its mean"));
  expect(poor.map((note) => note.replace(/ \(.*?\)/, ""))).toEqual([
    "y is predicted worse than by its mean: start nearer, take more restarts",
    "z is predicted worse than by its mean: start nearer, take more restarts, or divide z by 1e21",
  ]);
});
