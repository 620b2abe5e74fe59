/**
 * Formulas for people predict as the model does: constants have the digits for it.
 */

import { describe, expect, test } from "vitest";
import { exportModel } from "../../src/index.js";
import { fitText, machine } from "./support.js";

/** What a line of mathematics gives, as JavaScript reads it. */
function readAt(math: string, x: number): number {
  const source = math
    .replaceAll("−", "-")
    .replaceAll("·", "*")
    .replaceAll("²", "**2")
    .replaceAll("exp", "Math.exp")
    .replaceAll(/-\(/g, "-1*(");
  return new Function("x", `return ${source}`)(x) as number;
}

describe("a formula of a peak far from 0 was that of another peak", () => {
  const peak = "(+ b (* h (exp (- (square (/ (- x c) w))))))";
  const counts = [3, 5, 20, 41, 18, 6, 4];

  test.each([0, 1e3, 1e6, 1e9])("at %s", async (place) => {
    for (const loss of ["squares", "huber"] as const)
      for (const unit of [1e-12, 1, 1e6]) {
        const data = { x: counts.map((_, i) => place + 1 + i), y: counts.map((y) => y * unit) };
        const result = await fitText(peak, {
          ...{ data, target: "y", loss },
          ...(loss === "huber" ? { huberWidth: unit } : {}),
          params: { b: 3 * unit, h: 30 * unit, c: place + 4, w: 1.5 },
        });
        const { values } = result.predict({ x: data.x });
        for (const [row, value] of values.entries())
          expect(readAt(result.export("math"), data.x[row] as number) / unit).toBeCloseTo(
            value / unit,
            loss === "squares" ? 1 : 0,
          );
      }
  });
});

test("a formula has six digits where more would say nothing", async () => {
  const x = [1, 2, 3, 4, 5, 6];
  const data = { x, y: [2.1, 3.9, 6.2, 7.8, 10.1, 12.4] };
  const result = await fitText("(+ a (* b x))", { data, target: "y" });
  expect(result.export("math")).toBe("2.04857·x − 0.0866667");
  expect(result.export("math", { digits: 2 })).toBe("2·x − 0.087");
});

test("whole numbers of a program keep all their digits, and large constants those behind the point", () => {
  const program = machine.load("(+ (* 1234567 x) (* k x) 1000003.966)");
  const text = exportModel({ program, params: { k: 12345678.912 } }, "math");
  expect(text).toBe("1234567·x + 12345678.91·x + 1000003.966");
});

test("parameters that differ by their sign alone have the most digits that one of them needs", () => {
  const program = machine.load("(+ (* a x) (* b (expt x 2)) c)");
  const size = 1.23456789012345;
  const needs = [3, 6, 9, 12];
  for (const a of needs)
    for (const b of needs)
      for (const c of needs)
        for (const names of ["abc", "acb", "bac", "bca", "cab", "cba"]) {
          const values = { a: size, b: -size, c: size };
          const params = Object.fromEntries(
            [...names].map((name) => [name, values[name as keyof typeof values]]),
          );
          const model = { program, params, digits: { a, b, c } };
          for (const format of ["math", "latex"] as const)
            expect(exportModel(model, format), `${names} ${a} ${b} ${c}`).toBe(
              exportModel(model, format, { digits: Math.max(a, b, c) }),
            );
        }
});
