/** A page draws programs that somebody else may have written: they run under limits. */

import { expect, test } from "vitest";
import { ModelCurves } from "../src/index.js";

const x = Float64Array.from({ length: 20 }, (_, i) => i);
const study = { data: { x, y: x }, inputs: ["x"] };

test("a program that runs without an end ends as an error", async () => {
  const source = "(letrec ((f (lambda (n) (f (+ n 1))))) (f x))";
  const curves = await ModelCurves.create(study, "y", "ieee");
  try {
    const error = expect.objectContaining({ code: "E-STEPS" });
    expect(() => curves.curve({ source, params: {} })).toThrow(error);
  } finally {
    curves.dispose();
  }
});

test("a study that allows more steps is drawn with more", async () => {
  const source = "(loop ((i 0) (sum 0)) (if (< i 600000) (recur (+ i 1) (+ sum x)) sum))";
  const usual = await ModelCurves.create(study, "y", "ieee");
  expect(() => usual.curve({ source, params: {} })).toThrow();
  usual.dispose();
  const limits = { fitSteps: 5_000_000, memory: 256 * 2 ** 20 };
  const curves = await ModelCurves.create(study, "y", "ieee", limits);
  expect(curves.curve({ source, params: {} }, 4).line.length).toBe(4);
  curves.dispose();
});
