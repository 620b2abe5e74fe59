/**
 * Whether a fit that says it has converged has arrived: L-BFGS took far places for optima where parameters
 * are of very different sizes, beside large constants and at saddles.
 */

import { afterAll, describe, expect, test } from "vitest";
import { type FitOptions, fit, Machine } from "../../src/index.js";
import { Random } from "../fuzz/random.js";
import { byScoring } from "./scoring.js";
import { endingAfter, fitText, machine } from "./support.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`arrival: SEED=${seed}`);

interface Drawn {
  readonly x: number[];
  readonly y: number[];
  /** The slope by x and its standard error, from standardised columns. */
  readonly slope: number;
  readonly error: number;
}

function draw(random: Random, kind: "poisson" | "binomial", rows: number): Drawn | undefined {
  const z = Array.from({ length: rows }, (_, i) => (2 * i) / (rows - 1) - 1 + 0.2 * random.unit());
  const [level, steep] = [kind === "poisson" ? 2.5 * random.unit() : 0, 3 * random.unit() - 1.5];
  const y = z.map((each) => {
    const eta = level + steep * each;
    if (kind === "binomial") return random.unit() < 1 / (1 + Math.exp(-eta)) ? 1 : 0;
    return Math.round(Math.exp(eta) * (0.5 + random.unit()));
  });
  const [, b, errorOfB] = byScoring(z, y, kind);
  // Tables that are separate have no estimate.
  if (!(Math.abs(b) < 15 && errorOfB < 10)) return undefined;
  const unit = 10 ** random.between(-12, 12);
  const offset = random.pick([0, 0, 1, 30, 200]);
  return { x: z.map((each) => unit * (each + offset)), y, slope: b / unit, error: errorOfB / unit };
}

describe.each([
  ["poisson", "(exp (+ a (* b x)))"],
  ["binomial", "(sigmoid (+ a (* b x)))"],
] as const)("%s", (loss, model) => {
  const counted = { converged: 0, all: 0 };

  test("a fit in any unit that says it has converged has the estimates of scoring", async () => {
    const random = new Random(seed, loss.length);
    for (let round = 0; round < 120; round++) {
      const drawn = draw(random, loss, 12 + random.below(20));
      if (drawn === undefined) continue;
      const { x, y, slope, error } = drawn;
      const { best, restarts, standardErrors } = await fitText(model, {
        ...{ data: { x, y }, target: "y", loss, params: { a: 0, b: 0 } },
      });
      counted.all += 1;
      if (!restarts[0]?.hasConverged) continue;
      counted.converged += 1;
      const told = `round ${round}, x from ${x[0]} to ${x.at(-1)}`;
      expect(Math.abs((best.params["b"] as number) - slope) / error, told).toBeLessThan(2e-3);
      expect((standardErrors["b"] as number) / error, told).toBeCloseTo(1, 2);
    }
  });

  afterAll(() => {
    console.info(`${loss}: ${counted.converged} of ${counted.all} fits converged`);
    expect(counted.converged).toBeGreaterThan(0.8 * counted.all);
  });
});

const years = Array.from({ length: 13 }, (_, i) => 1981 + i);
const cases = [12, 14, 33, 50, 67, 74, 123, 141, 165, 204, 253, 246, 240];
const counts: FitOptions = { data: { year: years, cases }, target: "cases", loss: "poisson" };

test.each([
  [-300, 0.15],
  [-350, 0.18],
  [0, 0],
])("a log-linear count from a = %d, b = %d ended at another deviance", async (a, b) => {
  const { best, restarts } = await fitText("(exp (+ a (* b year)))", {
    ...counts,
    params: { a, b },
  });
  expect(restarts[0]?.hasConverged).toBe(true);
  expect(best.deviance).toBeCloseTo(80.686, 3);
  expect(best.params["a"]).toBeCloseTo(-397.059, 2);
});

test("single precision, which hides the rest of the way, said it had converged", async () => {
  const single = await Machine.create({ precision: "f32" });
  const program = single.load("(exp (+ a (* b year)))");
  const { best, restarts, diagnostics } = await fit(program, { ...counts, params: { a: 0, b: 0 } });
  expect(best.deviance).toBeGreaterThan(200);
  expect(restarts[0]?.hasConverged).toBe(false);
  expect(diagnostics.notes.join()).toContain("the loss still falls here");
  single.dispose();
});

test.each([0, 1e6, 1e9, 1e12, -1e12])("beside a constant of %d nothing moved", async (constant) => {
  const source = `(+ ${constant} (square (- p 3)) (* 4 (square (- q 5))) (* p q))`;
  const { best, restarts } = await fitText(source, { params: { p: 1, q: 1 } });
  expect(restarts[0]?.hasConverged).toBe(true);
  // Where 2 (p − 3) + q = 0 and 8 (q − 5) + p = 0.
  expect(best.params["p"]).toBeCloseTo(8 / 15, 3);
  expect(best.params["q"]).toBeCloseTo(74 / 15, 3);
});

test("millions of counts ended at another slope", async () => {
  const x = [0, 1, 2, 3, 4];
  const y = [1001, 1002, 1003.1, 1004, 1005].map((each) => 1e6 * each);
  const { best, restarts } = await fitText("(* a (+ 1 (* b x)))", {
    ...{ data: { x, y }, target: "y", loss: "poisson", params: { a: 1e9, b: 0.002 } },
  });
  expect(restarts[0]?.hasConverged).toBe(true);
  expect(best.params["b"]).toBeCloseTo(0.000999, 6);
});

describe("probabilities", () => {
  const x = [0, 1, 2, 3, 4, 5];
  const y = [0, 0, 3, 6, 10, 10];
  const n = x.map(() => 10);
  const line: FitOptions = { data: { x, y, n }, target: "y", loss: "binomial", trials: "n" };

  test("below 0 and above 1 had a likelihood where nothing or all was seen", async () => {
    const { best } = await fitText("(+ a (* b x))", { ...line, params: { a: 0.1, b: 0.15 } });
    for (const each of x) {
      const f = (best.params["a"] as number) + (best.params["b"] as number) * each;
      expect(f).toBeGreaterThanOrEqual(0);
      expect(f).toBeLessThanOrEqual(1);
    }
    expect(best.deviance).toBeGreaterThan(0);
    expect(best.logLikelihood).toBeLessThan(0);
    expect(best.r2).toBeLessThanOrEqual(1);
  });

  test.each([-1e-9, 1 + 1e-9, 2, -3])("of %d are no start", async (f) => {
    const told = await fitText("(+ a (* 0 x))", { ...line, params: { a: f } }).then(
      () => "taken",
      (error: Error) => error.message,
    );
    expect(told).toMatch(/not finite/);
  });

  test.each([0, 1])("of exactly %d are fine where that is what was seen", async (f) => {
    const seen = x.map(() => 10 * f);
    const { best } = await fitText("(min 1 (max 0 (+ a (* 0 x))))", {
      ...{ ...line, data: { x, n, y: seen }, params: { a: f === 0 ? -0.5 : 1.5 } },
    });
    expect(best.loss).toBe(0);
  });
});

describe("standard errors by second derivatives", () => {
  test.each([[[4, 4, 4]], [[7, 7, 7, 7]], [[9, 9, 9, 9, 9, 9]]])(
    "of a slope that is 0 were missing: counts %j",
    async (y) => {
      const x = y.map((_, i) => i - (y.length - 1) / 2);
      const { standardErrors, diagnostics } = await fitText("(exp (+ a (* b x)))", {
        ...{ data: { x, y }, target: "y", loss: "poisson", params: { a: 1, b: 0.3 } },
      });
      const information = x.reduce((sum, each) => sum + each * each * (y[0] as number), 0);
      expect(standardErrors["b"]).toBeCloseTo(1 / Math.sqrt(information), 5);
      expect(diagnostics.notes.join()).not.toContain("b is not determined");
    },
  );

  test.each([0, 1e3, 1e5, 1e6])("are those of the same peak %d further on", async (shift) => {
    const near = [1, 2, 3, 4, 5, 6, 7];
    const y = [3, 5, 20, 41, 18, 6, 4];
    const { standardErrors, best } = await fitText("(+ b (* h (exp (- (square (/ (- x c) w))))))", {
      ...{ data: { x: near.map((each) => each + shift), y }, target: "y", loss: "poisson" },
      params: { b: 3, h: 30, c: 4 + shift, w: 1.5 },
    });
    expect((best.params["c"] as number) - shift).toBeCloseTo(3.9762, 3);
    expect(standardErrors["c"]).toBeCloseTo(0.1138, 3);
    expect(standardErrors["b"]).toBeCloseTo(1.289, 2);
    expect(standardErrors["w"]).toBeCloseTo(0.1748, 3);
  });

  test("of a mean that is 0 were wrong by a hundredth", async () => {
    const y = [-3, -1, 0, 1, 3];
    const normal = "(+ (log s) (/ (square (- y m)) (* 2 (square s))))";
    const source = `(loop ((i 0) (sum 0)) (if (= i 5) sum (recur (+ i 1) (+ sum (let ((y (ref y i))) ${normal})))))`;
    const { standardErrors } = await fitText(source, {
      ...{ data: { y }, params: { m: 1, s: 1 }, isNegativeLogLikelihood: true },
    });
    expect(standardErrors["m"]).toBeCloseTo(2 / Math.sqrt(5), 5);
  });

  test("that are missing were 0, and so was the width of intervals", async () => {
    // The loss falls without end towards the edge at 0, where it has no number.
    const { standardErrors, intervals, restarts } = await fitText(
      "(+ (log s) (* 0 (sqrt s)) (square m))",
      { params: { s: 1e-3, m: 1 }, isNegativeLogLikelihood: true },
    );
    expect(restarts[0]?.hasConverged).toBe(false);
    expect(standardErrors["s"]).not.toBe(0);
    const [from, to] = intervals["s"] as readonly [number, number];
    expect(from === to).toBe(false);
  });
});

describe("lm beside a large offset", () => {
  const days = Array.from({ length: 30 }, (_, i) => i);
  const y = days.map((i) => 10 + 0.5 * i + Math.sin(i * i));
  const parabola = "(+ a (* b t) (* c t t))";

  test("a parabola of Julian days had converged at R² −5.7", async () => {
    const fitFrom = (day: number) =>
      fitText(parabola, { data: { t: days.map((i) => day + i), y }, target: "y" });
    const near = await fitFrom(0);
    const far = await fitFrom(2459000);
    expect(far.restarts[0]?.hasConverged).toBe(true);
    expect(far.best.loss / near.best.loss).toBeCloseTo(1, 5);
  });

  test("a line through five points beside 10⁹ had converged at half its slope", async () => {
    const x = [1, 2, 3, 4, 5].map((each) => 1e9 + each);
    const { best, restarts, counters } = await fitText("(+ a (* b x))", {
      ...{ data: { x, y: [2.1, 3.2, 3.9, 5.2, 6] }, target: "y" },
    });
    expect(best.params["b"]).toBeCloseTo(0.98, 6);
    expect(best.loss).toBeCloseTo(0.064, 6);
    expect(restarts[0]?.hasConverged).toBe(true);
    expect(counters.evaluations).toBe(restarts[0]?.evaluations);
  });

  test("a parabola of seconds, where rounding hides all, had converged", async () => {
    const { restarts, diagnostics } = await fitText(parabola, {
      ...{ data: { t: days.map((i) => 1.7e9 + i), y }, target: "y" },
    });
    expect(restarts[0]?.hasConverged).toBe(false);
    expect(diagnostics.notes.join()).toContain("measure columns from a point in the data");
  });

  test("time that ends on the way ends the fit", async () => {
    const program = machine.load(parabola);
    const data = { t: days.map((i) => 2459000 + i), y };
    const { stopped, best } = await fit(program, { data, target: "y", signal: endingAfter(1) });
    expect(stopped).toBe("aborted");
    expect(Number.isFinite(best.loss)).toBe(true);
  });
});

describe("saddles", () => {
  const isLikelihood = { isNegativeLogLikelihood: true } as const;

  test("a maximum had standard errors", async () => {
    const { best, restarts } = await fitText("(cos x)", { params: { x: 0 }, ...isLikelihood });
    expect(Math.abs(best.params["x"] as number)).toBeCloseTo(Math.PI, 5);
    expect(restarts[0]?.hasConverged).toBe(true);
  });

  test("two equal components stayed equal", async () => {
    const v = [-2.1, -1.9, -2.3, -1.6, 2.2, 1.8, 2.05, 1.7];
    const source =
      "(loop ((i 0) (s 0)) (if (= i 8) (- s) (recur (+ i 1) (+ s (log (+ (exp (* -2 (square (- (ref v i) m1)))) (exp (* -2 (square (- (ref v i) m2))))))))))";
    const { best, restarts } = await fitText(source, {
      ...{ data: { v }, params: { m1: 1, m2: 1 }, ...isLikelihood },
    });
    const found = [best.params["m1"] as number, best.params["m2"] as number];
    expect(Math.min(...found)).toBeCloseTo(-1.97, 1);
    expect(Math.max(...found)).toBeCloseTo(1.94, 1);
    expect(restarts[0]?.hasConverged).toBe(true);
  });

  describe.each(["lm", "lbfgs"] as const)("%s", (optimiser) => {
    const data = { x: [1, 2, 3, 4], y: [2.1, 3.9, 6.2, 7.8] };

    test("a product stayed at its saddle, where its bends have opposite signs and one size", async () => {
      const { best, restarts } = await fitText("(* a b x)", {
        ...{ data, target: "y", optimiser, params: { a: 0, b: 0 } },
      });
      expect(best.loss).toBeCloseTo(0.097, 9);
      expect(restarts[0]?.hasConverged).toBe(true);
    });

    test("a wave and an exponential stayed where all their slopes are 0", async () => {
      const wave = await fitText("(* a (sin (* w x)))", {
        ...{ data, target: "y", optimiser, params: { a: 0, w: 0 } },
      });
      expect(wave.best.loss).toBeLessThan(0.0681);
      const growth = await fitText("(* a (- (exp (* k x)) 1))", {
        ...{ data, target: "y", optimiser, params: { a: 0, k: 0 } },
      });
      expect(growth.best.loss).toBeLessThan(0.2);
    });
  });

  test("a product without a minimum had converged at its saddle", async () => {
    const { best, restarts } = await fitText("(* a b)", { params: { a: 0, b: 0 } });
    expect(best.loss).toBeLessThan(-1);
    expect(restarts[0]?.hasConverged).toBe(false);
  });

  test.each(["lm", "lbfgs"] as const)("%s stayed where a slope is 0", async (optimiser) => {
    const x = [1, 2, 3, 4, 5, 6];
    const y = [2.1, 3.9, 6.2, 7.8, 10.1, 12.2];
    const { best, restarts, diagnostics } = await fitText("(+ c (* a a x))", {
      ...{ data: { x, y }, target: "y", params: { a: 0, c: 1 }, optimiser },
    });
    expect(Math.abs(best.params["a"] as number)).toBeCloseTo(1.42, 2);
    expect(best.r2).toBeGreaterThan(0.99);
    expect(restarts[0]?.hasConverged).toBe(true);
    expect(diagnostics.notes.join()).not.toContain("not determined");
  });

  test("lm stayed where some of several slopes are 0 while the others moved", async () => {
    const x = [1, 2, 3, 4, 5, 6, 7];
    const z = [1, 4, 2, 6, 1, 3, 5];
    const y = x.map((each, i) => 3 + 2 * each + 0.5 * (z[i] as number));
    for (const a of [0, 1, -2])
      for (const b of [0, 1])
        for (const c of [0, 1, 3]) {
          const { best, restarts } = await fitText("(+ c (* a a x) (* b b z))", {
            ...{ data: { x, y, z }, target: "y", params: { a, b, c }, optimiser: "lm" },
          });
          const told = `from ${a}, ${b}, ${c}`;
          expect(restarts[0]?.hasConverged, told).toBe(true);
          expect(Math.abs(best.params["a"] as number), told).toBeCloseTo(Math.SQRT2, 4);
          expect(Math.abs(best.params["b"] as number), told).toBeCloseTo(Math.SQRT1_2, 4);
          expect(best.params["c"], told).toBeCloseTo(3, 4);
        }
  });

  test("parameters that do nothing are left where they are", async () => {
    const { best, identifiability } = await fitText("(+ (* a x) (* 0 b))", {
      ...{ data: { x: [1, 2, 3], y: [2, 4, 6.1] }, target: "y", params: { a: 1, b: 0.5 } },
    });
    expect(best.params["b"]).toBe(0.5);
    expect(identifiability?.undetermined).toHaveLength(1);
  });
});

test("what brings a fit home counts as evaluations", async () => {
  const { counters, restarts } = await fitText("(exp (+ a (* b year)))", {
    ...{ ...counts, params: { a: -300, b: 0.15 } },
  });
  expect(counters.evaluations).toBe(restarts[0]?.evaluations);
  expect(counters.evaluations).toBeGreaterThan(counters.rounds);
});

describe("absolute deviations", () => {
  /** The best line goes through two of the points. */
  function leastSum(x: readonly number[], y: readonly number[], w: readonly number[]): number {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < x.length; i++)
      for (let j = 0; j < i; j++) {
        const slope = ((y[i] as number) - (y[j] as number)) / ((x[i] as number) - (x[j] as number));
        const off = x.map((each, k) =>
          Math.abs((y[k] as number) - (y[i] as number) - slope * (each - (x[i] as number))),
        );
        const sum = off.reduce((all, each, k) => all + each * (w[k] as number), 0);
        if (sum < least) least = sum;
      }
    return least;
  }

  test("of a line ended at a kink far from the best, and were called converged", async () => {
    const random = new Random(seed, 7);
    for (let round = 0; round < 40; round++) {
      const offset = random.pick([0, 10, 1981]);
      const x = Array.from({ length: 13 }, (_, i) => i + offset + 0.3 * random.unit());
      const y = x.map((each) => 0.3 * each - 5 + random.unit() + (random.chance(0.15) ? 6 : 0));
      const w = x.map(() => (round % 2 === 0 ? 1 : random.between(1, 3)));
      const { best, restarts } = await fitText("(+ a (* b x))", {
        ...{ data: { x, y, w }, target: "y", loss: "absolute", params: { a: 0, b: 0 } },
        ...(round % 2 === 0 ? {} : { weights: "w" }),
      });
      const least = leastSum(x, y, w);
      expect(best.loss).toBeGreaterThan(least * (1 - 1e-9));
      if (restarts[0]?.hasConverged) expect(best.loss / least).toBeLessThan(1 + 1e-3);
    }
  });

  test("keep to bounds and fixed numbers", async () => {
    const x = [0, 1, 2, 3, 4, 5, 6];
    const y = x.map((each) => 2 * each + 1 + (each === 3 ? 9 : 0));
    const { best } = await fitText("(+ c (* b x) (* 0 d))", {
      ...{ data: { x, y }, target: "y", loss: "absolute" },
      params: { b: { start: 1, bounds: [0, 1.5] }, c: 0, d: { fixed: 3 } },
    });
    expect(best.params["b"]).toBeLessThanOrEqual(1.5);
    expect(best.params["d"]).toBe(3);
  });
});

describe("parameters that are pressed against bounds", () => {
  const x = [1, 2, 3, 4, 5];
  const rows = { data: { x, y: [-1, -2.2, -2.9, -4.1, -5] }, target: "y" };
  const a = { start: 1, bounds: [0, null] } as const;
  const slope = { ...rows, params: { a } };
  const smooth: readonly (readonly [string, string, FitOptions, readonly number[]])[] = [
    ["huber", "(* a x)", { ...slope, loss: "huber" }, [0]],
    ["squares by lbfgs", "(* a x)", { ...slope, optimiser: "lbfgs" }, [0]],
    ["a loss as text", "(* a x)", { ...slope, loss: "(log (cosh (- pred y)))" }, [0]],
    [
      "a plane",
      "(+ (* 2 a) (* 3 b))",
      { params: { a: { bounds: [0, 1] }, b: { bounds: [2, null] } } },
      [0, 2],
    ],
    ["a slope upwards", "(- 0 a)", { params: { a: { start: 1, bounds: [0, 1000] } } }, [1000]],
    [
      "three at once",
      "(+ a (* b x) (* c x x))",
      { ...rows, optimiser: "lbfgs", params: { a, b: { start: 1, bounds: [0, 5] }, c: a } },
      [0, 0, 0],
    ],
  ];

  test.each(smooth)("had the fit end at a kink that there is not: %s", async (_, text, how, at) => {
    const { best, restarts, diagnostics, identifiability, parameters } = await fitText(text, how);
    expect(restarts[0]?.hasConverged).toBe(true);
    expect(diagnostics.notes.join("; ")).not.toMatch(/kink|converge/);
    expect(identifiability?.atBounds ?? parameters).toEqual(parameters);
    for (const [j, bound] of at.entries())
      expect(best.params[parameters[j] as string]).toBeCloseTo(bound, 9);
  });

  test.each(["f64", "f32"] as const)(
    "kept the others, which are at a kink, from arriving (%s)",
    async (precision) => {
      const machine = await Machine.create({ precision });
      const program = machine.load("(+ (* 2 a) (abs (- b 3)) (* 0.5 (abs (- b a))))");
      const found = await fit(program, { params: { a, b: 1 } });
      machine.dispose();
      expect(found.restarts[0]?.hasConverged).toBe(true);
      expect(found.best.loss).toBeCloseTo(1.5, precision === "f64" ? 9 : 3);
      expect(found.diagnostics.notes).toEqual(["a is at a bound"]);
    },
  );

  test("were taken for arrived short of it, along a kink that they share with others", async () => {
    const text =
      "(+ (* 1.7 (abs (+ -0.4 (* 1.3 a) (* 1.1 b)))) (* 1.2 (square (+ -0.3 (* -0.2 a) (* 1.7 b)))) " +
      "(* 3.1 (abs (+ -0.7 a (* -1.2 b)))) (* -0.1 a))";
    const params = {
      a: { start: 2.6536, bounds: [0.8, null] },
      b: { start: -0.912, bounds: [-2, 0.4] },
    } as const;
    const { best, restarts, diagnostics } = await fitText(text, { params });
    // Where a is 0.8 and b 1/12.
    const off = -0.3 - 0.16 + 1.7 / 12;
    const least = 1.7 * (0.64 + 1.1 / 12) + 1.2 * off * off - 0.08;
    expect(best.loss).toBeGreaterThan(least * (1 - 1e-9));
    if (restarts[0]?.hasConverged) expect(best.loss / least).toBeCloseTo(1, 6);
    else expect(diagnostics.notes.join()).toContain("it may be lower nearby");
  });

  test("and past the least value by a kink beside the bound were left there", async () => {
    const text = "(+ (abs (- a 1e-7)) (* 2 b))";
    const params = { a, b: { start: 3, bounds: [1, null] as const } };
    const found = await fitText(text, { params });
    expect(found.restarts[0]?.hasConverged).toBe(true);
    expect(found.best.loss).toBeCloseTo(2, 9);
  });
});
