/**
 * The limits of Levenberg and Marquardt's method, each on both sides, against the same method written
 * plainly. Most landscapes are made for their first trial: residuals and slopes are given at the start and
 * behind it, where the first step leads.
 */

import { describe, expect, test } from "vitest";
import { dampedStep, expectSameWay, type Problem } from "./plain-levenberg.js";
import { fitText, noise, steps as spaced } from "./support.js";

const none = { gradient: 0, step: 0, loss: 0 };

/** The residuals of rows and their slopes by the parameter. */
interface Place {
  readonly residuals: readonly number[];
  readonly slopes: readonly number[];
}

/** From `start` upwards the first trial comes to the second place. */
function landscape(first: Place, second: Place, start = 0): Problem {
  const columns = [first.slopes];
  const norm = Math.hypot(...first.slopes);
  const square = Math.max(1e-6, (norm / (1 + norm)) ** 2);
  const damping = Math.sqrt(square / 1e4) * (1 + norm);
  const [step] = dampedStep({ loss: 0, residuals: first.residuals, columns }, [damping]);
  const rows = first.residuals.map(() => 1);
  return {
    source: `(if (> a s) (+ r1 (* d1 (- a p))) (+ r0 (* d0 (- a s))))`,
    data: {
      y: rows.map(() => 0),
      s: rows.map(() => start),
      p: rows.map(() => start + (step as number)),
      r0: [...first.residuals],
      d0: [...first.slopes],
      r1: [...second.residuals],
      d1: [...second.slopes],
    },
    start: { a: start },
  };
}

/** Expects the same way in the first steps; what the first trial was, and whether it was the last. */
async function firstOf(
  problem: Problem,
  tolerances = none,
  further: readonly number[] = [2, 3],
): Promise<readonly string[]> {
  for (const steps of further) await expectSameWay(problem, { steps, tolerances });
  const { plain, reason } = await expectSameWay(problem, { steps: 1, tolerances });
  return [...plain.seen, reason];
}

test.each([
  [0.95e-3, "bad"],
  [1.05e-3, "good"],
])("a step with the share %d of its promise is %s", async (share, what) => {
  // The loss is 2, and the linear model promises half of it.
  const first = { residuals: [1, 1], slopes: [-1, 0] };
  const second = { residuals: [Math.sqrt(1 - share), 1], slopes: [-1, 0] };
  expect(await firstOf(landscape(first, second))).toEqual([what, "steps"]);
});

test.each([
  [0.95e-4, "vetoed"],
  [1.05e-4, "good"],
])("a good step that leaves the share %d of an influence is %s", async (share, what) => {
  const first = { residuals: [1, 1], slopes: [-2, 0] };
  const second = { residuals: [0.1, 1], slopes: [-2 * share, 0] };
  expect(await firstOf(landscape(first, second))).toEqual([what, "steps"]);
});

test.each([
  [0.9e-15, "loss"],
  [1.1e-15, "steps"],
])("after a bad step that promised the share %d of the loss: %s", async (share, why) => {
  const first = { residuals: [Math.sqrt(share), 1], slopes: [-1, 0] };
  const second = { residuals: [Math.sqrt(share), 1.1], slopes: [-1, 0] };
  expect(await firstOf(landscape(first, second))).toEqual(["bad", why]);
});

/** A trial with a loss that is `more` larger, and the share `gradient` of the gradient. */
function polishing(promise: number, more: number, gradient: number): Problem {
  const c = Math.sqrt(promise);
  const first = { residuals: [c, 1], slopes: [-1, 0] };
  // The second row takes back what it must of the first one's part.
  const second = { residuals: [c, 1 + more / 2], slopes: [-1, c * (1 - gradient)] };
  return landscape(first, second);
}

test.each([
  [0.97e-12, 0.5e-13, 0.3, "polished"],
  [1.03e-12, 0.5e-13, 0.3, "bad"],
  [0.5e-12, 0.9e-13, 0.3, "polished"],
  [0.5e-12, 1.1e-13, 0.3, "bad"],
  [0.5e-12, 0.5e-13, 0.45, "polished"],
  [0.5e-12, 0.5e-13, 0.55, "bad"],
])(
  "with a promise of %d, a loss %d larger and the share %d of the gradient it is %s",
  async (promise, more, gradient, what) => {
    expect(await firstOf(polishing(promise, more, gradient))).toEqual([what, "steps"]);
  },
);

describe("small steps", () => {
  const limits = { gradient: 0, step: 1e-3, loss: 0 };
  /** A step by about `by` from 1. */
  const problem = (by: number, after: readonly number[]): Problem =>
    landscape({ residuals: [by, 1], slopes: [-1, 0] }, { residuals: after, slopes: [-1, 0] }, 1);

  test.each([
    [0.9e-3, "step"],
    [1.1e-3, "steps"],
  ])("a good step by %d ends for: %s", async (by, why) => {
    expect(await firstOf(problem(by, [by / 10, 1]), limits)).toEqual(["good", why]);
  });

  test.each([
    [0.9e-3, "step"],
    [1.1e-3, "steps"],
  ])("a bad step by %d ends for: %s", async (by, why) => {
    expect(await firstOf(problem(by, [by, 1.1]), limits)).toEqual(["bad", why]);
  });

  test("a small step to where nothing is finite ends nothing", async () => {
    const { source, ...rest } = problem(0.9e-3, [0, 1]);
    const broken = { ...rest, source: source.replace("r1", "(/ r1 (- s s))") };
    expect(await firstOf(broken, limits)).toEqual(["not finite", "steps"]);
  });

  test("all parameters must have come to rest", async () => {
    const x = spaced(0.1, 4, 24);
    const wobble = noise(24, 0.05);
    const y = x.map((t, i) => 3 * Math.exp(-0.8 * t) + 1e-3 + (wobble[i] as number));
    const source = "(+ (* a (exp (- (* k x)))) c)";
    const rests = { source, data: { x, y }, start: { a: 1, k: 1, c: 0.5 } };
    const ways = [1e-1, 1e-2, 1e-4, 1e-6].map(async (step) => {
      const told = await expectSameWay(rests, { steps: 100, tolerances: { ...limits, step } });
      return told.reason;
    });
    expect(await Promise.all(ways)).toEqual(["step", "step", "step", "step"]);
  });
});

test.each([
  [0.9, 0.9, "loss"],
  [1.1, 0.9, "steps"],
  [0.9, 1.1, "steps"],
])("a fall of %d and a promise of %d of the limit end for: %s", async (fall, promise, why) => {
  const limit = 1e-4;
  const first = { residuals: [Math.sqrt(promise * limit), 1], slopes: [-1, 0] };
  const loss = 1 + promise * limit;
  const left = loss - fall * limit;
  const second = { residuals: [1e-4, Math.sqrt(left - 1e-8)], slopes: [-1, 0] };
  const limits = { gradient: 0, step: 0, loss: limit / loss };
  expect(await firstOf(landscape(first, second), limits, [])).toEqual(["good", why]);
});

describe("vetoes", () => {
  /** Behind the edge the parameter has no influence, and the loss is less. */
  const edge = (start: number): Problem => ({
    source: "(if (< a 0) (+ -5 (* b x) a) (+ 1 (* b x)))",
    data: { x: [1, 2, 3, 4], y: [1.1, 0.9, 1.2, 1.05] },
    start: { a: start, b: 0 },
  });

  test.each([-1e-3, -1e-6, -1e-9, -1e-12, -1e-30])(
    "they are counted anew after a good step, from %d",
    async (start) => {
      for (const steps of [1, 3, 5, 10, 15, 20, 25, 30, 60])
        await expectSameWay(edge(start), { steps, tolerances: none });
    },
  );

  test("twelve in a row are the most", async () => {
    // Small steps of b widen the radius; then a stands just before an edge.
    const problem = {
      source: `(+ (* 1e-12 b) (if (< b 5e10) -10 (if (< a 0) (+ -5 a) 0)))`,
      data: { y: [0.1, -0.1, 0.2, 0.05] },
      start: { a: -1e-30, b: 0 },
    };
    for (const steps of [30, 36, 37, 38, 39, 40, 41, 42, 43, 44, 100]) {
      const { plain } = await expectSameWay(problem, { steps, tolerances: none });
      if (steps === 100) expect(plain.vetoesMost).toBe(12);
    }
  });
});

describe("trials that are not finite", () => {
  test("a slope that is not finite, though the values are and the loss falls", async () => {
    const problem = {
      source: "(/ 1 (+ 1 (exp (+ a x))))",
      data: { x: [0, 0.1, 0.2, 0.3], y: [0.001, 0.002, 0.001, 0.003] },
      start: { a: -10 },
    };
    for (const steps of [1, 2, 3, 5, 50]) {
      const { plain } = await expectSameWay(problem, { steps, tolerances: none });
      expect([...plain.seen]).toContain("not finite");
    }
  });

  /** One step of the logarithm, by about `by`. */
  const far = (start: number, by: number): Problem => ({
    source: "(+ (* 1e-4 (log a)) (* b x))",
    data: { x: [1, 2, 3], y: [0, 0.1, -0.1].map((one) => one + 1e-4 * (Math.log(start) + by)) },
    start: { a: start, b: 0 },
    logs: ["a"],
    unit: start > 1 ? 2 ** -500 : 1,
  });

  test.each([
    [1, 600],
    [1, 800],
    [1e300, 10],
    [1e300, 30],
    [1e-300, 1500],
  ])("a parameter that would leave the numbers, from %d by %d", async (start, by) => {
    const tolerances = { gradient: 1e-6, step: 1e-6, loss: 1e-8 };
    for (const steps of [1, 2, 3, 5, 10])
      await expectSameWay(far(start, by), { steps, tolerances });
  });

  test("a step that leaves the numbers however much it is damped", async () => {
    const problem: Problem = {
      source: "(* 1e-160 (* 1e-158 a))",
      data: { y: [1e100, 1e100] },
      start: { a: 1e308 },
      logs: ["a"],
      unit: 2 ** -500,
    };
    const told = await expectSameWay(problem, { steps: 5, tolerances: none });
    expect([told.reason, told.plain.evaluations]).toEqual(["damping", 1]);
  });
});

test.each([1e-6, 1e-9, 1e-11, 1e-12])(
  "the radius grows up to its limit with a slope of %d",
  async (slope) => {
    const problem = {
      source: `(+ (* ${slope} a) (* 0.5 x))`,
      data: { x: [1, 2, 3], y: [1.5, 2.1, 2.4] },
      start: { a: 1 },
    };
    for (const steps of [3, 20, 60]) await expectSameWay(problem, { steps, tolerances: none });
  },
);

test.each([1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 17])("a fit of %d parameters", async (count) => {
  const names = Array.from({ length: count }, (_, k) => `p${String(k).padStart(2, "0")}`);
  const x = spaced(0.1, 3, 40);
  const wobble = noise(40, 0.3);
  const y = x.map((t, i) => Math.exp(-t) + (wobble[i] as number));
  const parts = names.map((name, k) => `(* ${name} (sin (+ (* ${k + 1} x) (* 0.3 ${name}))))`);
  const start = Object.fromEntries(names.map((name, k) => [name, 0.5 - 0.07 * k]));
  const problem = { source: `(+ 0 ${parts.join(" ")})`, data: { x, y }, start };
  const tolerances = { gradient: 1e-6, step: 1e-6, loss: 1e-8 };
  for (const steps of [1, 2, 4]) await expectSameWay(problem, { steps, tolerances });
});

test("rows of weight 0 may be no numbers, and change nothing", async () => {
  const x = spaced(0.5, 3, 9);
  const y = x.map((t, i) => 2 * Math.log(t) + (noise(9, 0.1)[i] as number));
  const source = "(* a (log (+ x b)))";
  const fitted = async (extra: readonly number[]) => {
    const { best, restarts } = await fitText(source, {
      data: { x: [...extra, ...x], y: [...extra.map(() => 1), ...y] },
      ...{ target: "y", params: { a: 1, b: 0.5 }, optimiser: "lm", detail: "scores" },
      weights: [...extra.map(() => 0), ...x.map(() => 4)],
    });
    return { params: best.params, loss: best.loss, steps: restarts[0]?.steps };
  };
  const without = await fitted([]);
  // Their logarithms are NaN and −∞.
  expect(await fitted([-7])).toEqual(without);
  expect(await fitted([-0.5, -9])).toEqual(without);
});

test.each([4095, 4096, 4097, 8192, 9000])(
  "%d rows, more than are reflected at once",
  async (count) => {
    const x = spaced(0.1, 4, 9000);
    const y = x.map((t, i) => (i < 4500 ? 2 : 3) * Math.exp(-0.7 * t) + ((i * 7) % 11) / 50);
    const data = { x: x.slice(0, count), y: y.slice(0, count) };
    const decay = { source: "(* a (exp (- (* k x))))", data, start: { a: 1, k: 1 } };
    await expectSameWay(decay, { steps: 4, tolerances: none });
    // One lane for all rows.
    const level = { source: "(+ (exp a) b)", data: { y: data.y }, start: { a: 0.5, b: 0.5 } };
    const tolerances = { gradient: 1e-6, step: 1e-6, loss: 1e-8 };
    for (const steps of [1, 2, 10]) await expectSameWay(level, { steps, tolerances });
  },
);
