/**
 * Fits of the same columns again: copies that were made before are used only while they are true.
 */

import { describe, expect, test } from "vitest";
import { type FitOptions, fit, Machine, vec } from "../../src/index.js";
import { fitText, machine, refusal, steps } from "./support.js";

const line = "(+ a (* b x))";
const options = { target: "y", detail: "scores" } as const;
const slope = 2;
const lineOf = (x: ArrayLike<number>) => Array.from(x, (each) => 1 + slope * each);

describe("columns that were given before", () => {
  test.each([
    ["an array", (numbers: number[]) => numbers],
    ["doubles", (numbers: number[]) => Float64Array.from(numbers)],
    ["singles", (numbers: number[]) => Float32Array.from(numbers)],
  ])("changes in %s between two fits count", async (_, make) => {
    const x = make(steps(0, 4, 5));
    const y = make(lineOf(x));
    const data = { x, y };
    const first = await fitText(line, { ...options, data });
    const second = await fitText(line, { ...options, data });
    expect(second.best).toEqual(first.best);
    for (let i = 0; i < y.length; i++) y[i] = (y[i] as number) * 3;
    const third = await fitText(line, { ...options, data });
    expect(first.best.params["b"]).toBeCloseTo(slope, 10);
    expect(third.best.params["b"]).toBeCloseTo(3 * slope, 10);
  });

  test("a number that became none is refused", async () => {
    const x = steps(0, 4, 5);
    const y = lineOf(x);
    await fitText(line, { ...options, data: { x, y } });
    y[2] = Number.NaN;
    expect(await refusal(line, { ...options, data: { x, y } })).toContain(
      "y has no value in row 3",
    );
    (y as unknown[])[2] = "7";
    expect(await refusal(line, { ...options, data: { x, y } })).toContain('"7" in row 3');
  });

  test("the sign of a zero counts", async () => {
    const x = Float64Array.of(0, 1, 2);
    const data = { x, y: [2, 2, 2] };
    const text = "(+ a (if (< (/ 1 x) 0) 1 0))";
    const before = await fitText(text, { ...options, data });
    x[0] = -0;
    const after = await fitText(text, { ...options, data });
    expect(before.best.params["a"]).toBeCloseTo(2, 10);
    expect(after.best.params["a"]).toBeCloseTo(5 / 3, 10);
  });

  test("a fit that has been made does not see later changes", async () => {
    const x = Float64Array.from(steps(0, 4, 5));
    const y = Float64Array.from(lineOf(x));
    const { predict } = await fitText(line, { ...options, data: { x, y } });
    const { values } = predict({ x });
    x.fill(7);
    expect([...values]).toEqual(lineOf(steps(0, 4, 5)).map((each) => expect.closeTo(each, 9)));
    expect([...predict({ x }).values]).toEqual(Array(5).fill(expect.closeTo(15, 9)));
    expect([...values]).toEqual(lineOf(steps(0, 4, 5)).map((each) => expect.closeTo(each, 9)));
  });
});

test("predictions of any number of rows are those of a new run, wide or narrow traces", async () => {
  const x = steps(0, 4, 9);
  const program = machine.load(line);
  const { best, predict } = await fit(program, { ...options, data: { x, y: lineOf(x) } });
  for (const count of [1, 8, 9, 10, 31, 40, 200]) {
    const column = Float64Array.from({ length: count }, (_, i) => i / 7);
    const { values } = program.evaluate({ ...best.params, x: column });
    expect([...predict({ x: column }).values]).toEqual([...values]);
  }
  program.dispose();
});

describe("fits of one program in turn", () => {
  const given = [1, 4, -2].map((at) => Float64Array.of(at, 2 * at, 5));
  const objective = (v: Float64Array): FitOptions => ({ data: { v: vec(v) }, seed: 3 });

  test("each has the vectors that it was given", async () => {
    const program = machine.load("(let ((r (- v (vec a b 5)))) (dot r r))");
    for (const at of [0, 0, 1, 0, 2, 1, 1, 2]) {
      const v = given[at] as Float64Array;
      const { best } = await fit(program, objective(v));
      expect(best.params["a"]).toBeCloseTo(v[0] as number, 6);
      expect(best.params["b"]).toBeCloseTo(v[1] as number, 6);
    }
  });

  test("each at the same time, too", async () => {
    const program = machine.load("(let ((r (- v (vec a b 5)))) (dot r r))");
    const found = await Promise.all(given.map((v) => fit(program, objective(v))));
    for (const [at, { best }] of found.entries())
      expect(best.params["a"]).toBeCloseTo(given[at]?.[0] as number, 6);
  });
});

describe("an objective that was fitted before had the fixed numbers of the fit before", () => {
  test.each(["f64", "f32"] as const)("in %s", async (precision) => {
    const machine = await Machine.create({ precision });
    const digits = precision === "f64" ? 5 : 3;
    for (const optimiser of ["lbfgs", "adam"] as const)
      for (const detail of ["full", "scores", "attempt"] as const)
        for (const restarts of [1, 3]) {
          const program = machine.load("(vsum (square (- y (+ m (* r r)))))");
          for (const [r, shift] of [
            [1, 0],
            [2, 0],
            [3, 5],
          ] as const) {
            const { best } = await fit(program, {
              ...{
                data: { y: [1, 2, 3].map((each) => each + shift) },
                optimiser,
                detail,
                restarts,
              },
              params: { m: { start: 1, range: [0, 2] }, r: { fixed: r } },
              ...(optimiser === "adam" ? { adam: { rate: 0.1 }, steps: 2000 } : {}),
            });
            const told = `${optimiser}, ${detail}, ${restarts} restarts, r is ${r}`;
            expect(best.params["m"], told).toBeCloseTo(2 + shift - r * r, digits);
          }
        }
    machine.dispose();
  });
});
