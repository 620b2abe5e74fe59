/**
 * The way of a candidate through a runner, decision by decision: what each fit is asked for, which rows
 * the screen walks over, which starts are tried, and what is answered.
 */

import {
  type FitOptions,
  fit,
  Machine,
  NdvmError,
  type ParameterSpec,
  Random,
  seedFor,
} from "@ndvm/core";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { CandidateRunner } from "../../src/pipeline/candidate-runner.js";
import type { Task } from "../../src/pipeline/task.js";
import { makeStudy, SEED_SCREEN } from "../../src/study.js";
import type { SearchOptions } from "../../src/types.js";

/** Every fit that a runner asks for, as it was asked. */
const asked: FitOptions[] = [];
/** Fits that fail first, and with what. */
let failing: readonly unknown[] = [];

vi.mock("@ndvm/core", async (importOriginal) => {
  const core = await importOriginal<typeof import("@ndvm/core")>();
  return {
    ...core,
    fit: vi.fn(async (program, options: FitOptions) => {
      asked.push({ ...options });
      const failure = failing[asked.length - 1];
      if (failure !== undefined) throw failure;
      return core.fit(program, options);
    }),
  };
});

beforeEach(() => {
  asked.length = 0;
  failing = [];
});

/** Rows 0 to 13 by their number; the last four are held out. */
const rows = Array.from({ length: 14 }, (_, row) => row);
const base = {
  data: { x: rows, y: rows.map((at) => 3 * at + 2 + Math.cos(at)) },
  target: "y",
  seed: 7,
  holdOut: [10, 11, 12, 13],
} as const;
const studyOf = (more: Partial<SearchOptions> = {}) =>
  makeStudy({ ...base, ...more } as SearchOptions);

const task = (source: string, more: Partial<Task> = {}): Task => ({
  ...{ visit: 3, id: 99, seed: 1234, rung: 0, source },
  ...{ params: undefined, from: undefined, isScreened: false, hasOneWay: false },
  ...more,
});

async function answer(given: Task, more: Partial<SearchOptions> = {}) {
  const runner = await CandidateRunner.create(studyOf(more));
  try {
    return await runner.run(given);
  } finally {
    runner.dispose();
  }
}

describe("the screen", () => {
  test("walks over the first row, the last and two between them, and no other", async () => {
    const stages = await Promise.all(
      rows.map(async (row) => {
        const { failure } = await answer(task(`(if (= x ${row}) (car a) (* a x))`));
        return failure?.stage;
      }),
    );
    // Ten rows are trained on: 0, 3, 6 and 9 are walked over. Others fail where they are fitted or scored.
    expect(stages.map((stage) => stage === "screen")).toEqual(
      rows.map((row) => [0, 3, 6, 9].includes(row)),
    );
    expect(stages.slice(10)).toEqual(Array(4).fill("score"));
    expect(stages[1]).toBe("fit");
  });

  test("walks over two rows where there are no more", async () => {
    const few = { data: { x: [1, 2, 3, 4], y: [1, 3, 7, 9] }, holdOut: [2, 3] };
    const first = await answer(task("(if (= x 1) (car a) (* a x))"), few);
    expect(first.failure).toMatchObject({ stage: "screen", code: "E-TYPE" });
    const second = await answer(task("(if (= x 2) (car a) (* a x))"), few);
    expect(second.failure).toMatchObject({ stage: "screen", code: "E-TYPE" });
  });

  test("starts where the candidate's number says, the same at every visit", async () => {
    const draws = new Random(seedFor(7, SEED_SCREEN, 99));
    const [a, b] = [draws.normal(), draws.normal()];
    const finds = async (source: string, more: Partial<Task> = {}) =>
      (await answer(task(source, more))).failure?.stage;
    const at = (name: string, value: number): string =>
      `(+ (* 0 a b) (if (= ${name} ${value}) (car x) (+ a (* b x))))`;
    expect(await finds(at("a", a))).toBe("screen");
    expect(await finds(at("b", b))).toBe("screen");
    expect(await finds(at("b", b), { seed: 5, visit: 8 })).toBe("screen");
    expect(await finds(at("b", b), { id: 98 })).toBeUndefined();
    expect(await finds(at("a", 4.5), { params: { a: 4.5 } })).toBe("screen");
    expect(await finds(at("a", 4.5), { params: { a: { start: 4.5 } } })).toBe("screen");
    expect(await finds(at("a", 4.5), { params: { a: { fixed: 4.5 } } })).toBe("screen");
    expect(await finds(at("a", 4.5), { params: { a: { range: [4.5, 6] } } })).toBe("screen");
    expect(await finds(at("a", 4.5), { from: { a: 4.5 } })).toBe("screen");
    expect(await finds(at("a", 1), { params: { a: { scale: "log" } } })).toBe("screen");
    expect(await finds(at("a", 1), { params: { a: { bounds: [0, null] } } })).toBe("screen");
    // It walked where the bounds do not let the parameter go.
    expect(await finds(at("a", 5), { params: { a: { bounds: [5, 7] } } })).toBe("screen");
    const small = { scale: "log", bounds: [1e-6, 1e-3] } as const;
    expect(await finds(at("a", 1e-3), { params: { a: small } })).toBe("screen");
  });

  test("is left out where it is known to pass, and has its say after a fit that fails", async () => {
    const wrong = "(if (= x 3) (car a) (* a x))";
    const late = await answer(task(wrong, { isScreened: true }));
    expect(late.failure).toMatchObject({ stage: "screen", code: "E-TYPE" });
    expect(late.fits).toBe(0);
    const missed = await answer(task("(if (= x 4) (car a) (* a x))", { isScreened: true }));
    expect(missed.failure).toMatchObject({ stage: "fit", code: "E-TYPE" });
    expect(missed.fits).toBe(1);
    const passed = await answer(task("(* a x)", { isScreened: true }));
    expect(passed.timing.walk).toBe(0);
    expect((await answer(task("(* a x)"))).timing.walk).toBeGreaterThan(0);
  });

  test.each([
    ["(list a x)", "no number"],
    ["(vec a x)", "a vector"],
    ["(outer (vec a x) (vec x a))", "a matrix"],
  ])("%s is %s", async (source, kind) => {
    const { failure, fits } = await answer(task(source));
    expect(failure).toEqual({
      stage: "screen",
      code: "E-RESULT",
      message: `the program's value is ${kind}`,
    });
    expect(fits).toBe(0);
    expect(asked).toEqual([]);
  });

  test.each([
    ["screen", "screen", { screenSteps: 1000, fitSteps: 4000 }],
    ["fit", "fit", { screenSteps: 4000, fitSteps: 1000 }],
  ])("steps of the %s are its own", async (_, stage, limits) => {
    const loop = "(* a (loop ((s x) (i 0)) (if (> i 200) s (recur (+ s 1) (+ i 1)))))";
    expect((await answer(task(loop), { limits })).failure).toMatchObject({ stage });
    const most = { screenSteps: 4000, fitSteps: 4000 };
    expect((await answer(task(loop), { limits: most })).failure).toBeUndefined();
  });
});

describe("the starts of a fit", () => {
  const seed = seedFor(1234, 0, 0);
  const startsOf = async (params: Task["params"], more: Partial<Task> = {}) => {
    await answer(task("(+ a (* b x))", { params, ...more }), {
      recipe: { startDeviation: 2 },
    });
    return asked[0]?.params as Record<string, ParameterSpec>;
  };
  const drawn = (): [number, number] => {
    const draws = new Random(seed);
    return [2 * draws.normal(), 2 * draws.normal()];
  };

  test("are drawn around 0 where nobody says anything, in the order of the names", async () => {
    const [a, b] = drawn();
    expect(await startsOf(undefined)).toEqual({
      a: { start: a, range: [-6, 6] },
      b: { start: b, range: [-6, 6] },
    });
    expect(asked[0]?.seed).toBe(seed);
  });

  test("are what the proposer says, and drawn for the others", async () => {
    const [, b] = drawn();
    expect(await startsOf({ a: 5 })).toEqual({ a: 5, b: { start: b, range: [-6, 6] } });
  });

  test.each<[ParameterSpec, readonly [number, number]]>([
    [5, [-6, 6]],
    [{ range: [1, 2] }, [1, 2]],
    [{ bounds: [0, null] }, [0, 6]],
    [{ bounds: [null, 0] }, [-6, 0]],
    [{ bounds: [1, 3] }, [1, 3]],
    [{ bounds: [6, 9] }, [6, 8]],
    [{ bounds: [7, 9] }, [7, 9]],
    [{ scale: "log" }, [0.2, 6]],
    [{ scale: "log", bounds: [1, 2] }, [1, 2]],
  ])("%j goes on from an earlier fit, others within %j", async (spec, range) => {
    const options = typeof spec === "number" ? {} : spec;
    const { a } = await startsOf({ a: spec }, { from: { a: 6.5, b: 1 } });
    expect(a).toEqual({ ...options, start: 6.5, range });
  });

  test.each<[ParameterSpec & object, readonly [number, number]]>([
    [{ bounds: [-20, -8] }, [-10, -8]],
    [{ bounds: [null, -6] }, [-8, -6]],
    [{ bounds: [-9, -8] }, [-9, -8]],
    [{ bounds: [10, 10.5] }, [10, 10.5]],
    [{ bounds: [10, null] }, [10, 12]],
    [{ bounds: [1e20, null] }, [1e20, 2e20]],
    [{ bounds: [null, -1e20] }, [-2e20, -1e20]],
    [{ scale: "log", bounds: [1e-6, 1e-3] }, [1e-3 / 30, 1e-3]],
    [{ scale: "log", bounds: [5e-4, 1e-3] }, [5e-4, 1e-3]],
    [{ scale: "log", bounds: [null, 0.2] }, [0.2 / 30, 0.2]],
    [{ scale: "log", bounds: [-1, 0.1] }, [0.1 / 30, 0.1]],
    [{ scale: "log", bounds: [10, 10.5] }, [10, 10.5]],
  ])("%j had a range outside its bounds, so every later rung failed", async (spec, range) => {
    const [low, high] = range;
    const start = low / 2 + high / 2;
    const { a } = await startsOf({ a: spec }, { from: { a: start, b: 1 }, rung: 1 });
    expect(a).toEqual({ ...spec, start, range: [expect.closeTo(low, 12), high] });
    asked.length = 0;
    failing = [new NdvmError("E-INPUT", "no", { facts: { reason: "prediction" } })];
    const params = { a: spec, b: 1 };
    const again = await answer(task("(+ a (* b x))", { params }), {
      recipe: { startDeviation: 2 },
    });
    expect(again.failure).toBeUndefined();
    expect(asked[1]?.params).toMatchObject({ a: { range: [expect.closeTo(low, 12), high] } });
  });

  test("a parameter that is fixed stays so, whatever earlier fits came to", async () => {
    const { a, b } = await startsOf({ a: { fixed: 4 } }, { from: { a: 1, b: 2 } });
    expect(a).toEqual({ fixed: 4 });
    expect(b).toEqual({ start: 2, range: [-6, 6] });
  });

  test("are tried again elsewhere where the first is not finite: four times in all", async () => {
    const notFinite = new NdvmError("E-INPUT", "at the start", {
      facts: { reason: "prediction" },
    });
    const recipe = { startDeviation: 2, rungs: [{ restarts: 1, steps: 9, share: 1 }] };
    const params = { a: { start: 5 }, b: { start: 1, bounds: [0, 2] as const } };
    failing = Array(9).fill(notFinite);
    const given = task("(+ a (* b x))", { params });
    const { failure, fits } = await answer(given, { recipe });
    expect(failure).toEqual({ stage: "fit", code: "E-NOT-FINITE", message: "at the start" });
    expect(fits).toBe(1);
    expect(asked.map((each) => each.seed)).toEqual([0, 1, 2, 3].map((n) => seedFor(1234, 0, n)));
    expect(new Set(asked.map((each) => each.detail))).toEqual(new Set(["scores"]));
    const second = new Random(seedFor(1234, 0, 1));
    expect(asked.map((each) => each.params)).toEqual([
      params,
      ...[1, 2, 3].map((n) => ({
        a: { start: n === 1 ? 2 * second.normal() : expect.any(Number), range: [-6, 6] },
        b: { start: 1, bounds: [0, 2], range: [0, 2] },
      })),
    ]);
  });

  test("of a parameter on a logarithmic scale stay on it when they are drawn again", async () => {
    failing = [new NdvmError("E-INPUT", "no", { facts: { reason: "prediction" } })];
    const params = { a: { start: 5, scale: "log" as const } };
    await answer(task("(* a x)", { params }));
    expect(asked.map((each) => each.params)).toEqual([
      params,
      { a: { start: 5, scale: "log", range: [0.1, 3] } },
    ]);
  });

  test("that are not finite are the reason, whatever a screen that was left out would say", async () => {
    const reasons = ["prediction", "objective", "gradient"] as const;
    for (const reason of reasons) {
      const facts = { reason };
      failing = Array(9).fill(new NdvmError("E-INPUT", "not finite", { facts }));
      asked.length = 0;
      const wrong = task("(if (= x 3) (car a) (* a x))", { isScreened: true });
      const { failure, fits } = await answer(wrong);
      expect(failure).toEqual({ stage: "fit", code: "E-NOT-FINITE", message: "not finite" });
      expect(fits).toBe(1);
    }
  });

  test("are explained only the last time where all rows go one way", async () => {
    const recipe = { startDeviation: 2, rungs: [{ restarts: 1, steps: 9, share: 1 }] };
    failing = Array(9).fill(
      new NdvmError("E-INPUT", "at the start", { facts: { reason: "prediction" } }),
    );
    await answer(task("(+ a (* b x))", { hasOneWay: true }), { recipe });
    expect(asked.map((each) => each.detail)).toEqual(["attempt", "attempt", "attempt", "scores"]);
  });

  test("are tried again until one is finite, and its result counts", async () => {
    failing = [new NdvmError("E-INPUT", "no", { facts: { reason: "objective" } })];
    const { failure, r2 } = await answer(task("(+ a (* b x))"));
    expect(failure).toBeUndefined();
    expect(r2).toBeGreaterThan(0.9);
    expect(asked).toHaveLength(2);
  });

  test.each([
    ["several restarts", { rungs: [{ restarts: 2, steps: 9, share: 1 }] }, "gradient" as const],
    ["another reason", { rungs: [{ restarts: 1, steps: 9, share: 1 }] }, "steps" as const],
  ])("are not tried again after %s", async (_, recipe, reason) => {
    failing = Array(9).fill(new NdvmError("E-STEPS", "no", { facts: { reason } } as never));
    const { failure } = await answer(task("(+ a (* b x))"), { recipe });
    expect(failure?.stage).toBe("fit");
    expect(asked).toHaveLength(1);
  });
});

describe("a fit", () => {
  const rungs = [
    { restarts: 2, steps: 11, share: 1 },
    { restarts: 3, steps: 22, share: 1 },
    { restarts: 1, steps: 33, share: 1 },
  ];

  test.each([0, 1, 2])("of rung %s is as the recipe says; the last is to the end", async (rung) => {
    const { fits } = await answer(task("(+ a (* b x))", { rung }), { recipe: { rungs } });
    const { restarts, steps } = rungs[rung] as (typeof rungs)[number];
    expect(asked[0]).toMatchObject({
      ...{ restarts, steps, optimiser: "lm", target: "y", stepsMax: 50_000, detail: "scores" },
      seed: seedFor(1234, rung, 0),
    });
    const coarse = { gradient: 1e-8, step: 1e-8, loss: 1e-8 };
    expect(asked[0]?.tolerances).toEqual(rung === 2 ? {} : coarse);
    expect(fits).toBe(restarts);
    expect(asked[0]?.data?.["x"]).toEqual(Float64Array.from(rows.slice(0, 10)));
  });

  test("of another optimiser than lm has its own options", async () => {
    const adam = { rate: 0.125 };
    await answer(task("(* a x)"), { recipe: { optimiser: "adam", adam, rungs } });
    expect(asked[0]).toMatchObject({ optimiser: "adam", adam });
    await answer(task("(* a x)"));
    expect(asked[1]).not.toHaveProperty("adam");
  });

  test.each(
    (["adam", "lbfgs"] as const).flatMap((one) => [0, 1, 2].map((rung) => [one, rung] as const)),
  )("by %s is to the end on rung %s, too", async (optimiser, rung) => {
    await answer(task("(+ a (* b x))", { rung }), { recipe: { optimiser, rungs } });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ optimiser, steps: rungs[rung]?.steps });
    expect(asked[0]?.tolerances).toEqual({});
  });

  test("answers with its loss, its shares and its criterion", async () => {
    const result = await answer(task("(+ a (* b x))"));
    const direct = await vi.mocked(fit).mock.results.at(-1)?.value;
    expect(result).toMatchObject({
      ...{ visit: 3, rung: 0, worker: 0, failure: undefined },
      ...{ params: direct.best.params, loss: direct.best.loss },
      ...{ trainR2: direct.best.r2, bic: direct.best.bic },
    });
    const held = base.holdOut.map((row) => base.data.y[row] as number);
    const mean = held.reduce((sum, value) => sum + value, 0) / 4;
    const { a, b } = result.params as { a: number; b: number };
    let [left, all] = [0, 0];
    for (const [at, value] of held.entries()) {
      left += (value - a - b * (base.holdOut[at] as number)) ** 2;
      all += (value - mean) ** 2;
    }
    expect(result.r2).toBeCloseTo(1 - left / all, 10);
  });

  test.each([
    ...[1e-100, 1e-30, 1e-7, 1e12, 1e30, 1e100].map((unit) => ["lm", unit] as const),
    ...[1e-30, 1e-7, 1e12].map((unit) => ["lbfgs", unit] as const),
  ])("by %s explains as much of targets in units of %s", async (optimiser, unit) => {
    const recipe = { optimiser, rungs: [{ restarts: 8, steps: 200, share: 1 }] };
    const plain = await answer(task("(+ a (* b x))"), { recipe });
    const data = { x: rows, y: base.data.y.map((value) => value * unit) };
    const { trainR2, r2, loss } = await answer(task("(+ a (* b x))"), { data, recipe });
    expect(trainR2).toBeCloseTo(plain.trainR2, 6);
    expect(r2).toBeCloseTo(plain.r2, 4);
    expect(loss / plain.loss / unit / unit).toBeCloseTo(1, 4);
    expect(asked[1]).not.toHaveProperty("weights");
  });
});

describe("a program without free parameters", () => {
  test("is not fitted: its numbers are those of its values", async () => {
    const fixed = { b: { fixed: 3 } };
    const result = await answer(task("(+ 2 (* b x))", { params: fixed }));
    expect(asked).toEqual([]);
    const trained = base.data.y.slice(0, 10);
    const loss = trained.reduce((sum, y, at) => sum + (y - 2 - 3 * at) ** 2, 0);
    const mean = trained.reduce((sum, y) => sum + y, 0) / 10;
    const all = trained.reduce((sum, y) => sum + (y - mean) ** 2, 0);
    expect(result).toMatchObject({ params: { b: 3 }, fits: 0, failure: undefined });
    expect(result.loss).toBeCloseTo(loss, 10);
    expect(result.trainR2).toBeCloseTo(1 - loss / all, 12);
    // One parameter, the noise, and the likelihood of normal residuals.
    const likelihood = -5 * (Math.log((2 * Math.PI * loss) / 10) + 1);
    expect(result.bic).toBeCloseTo(Math.log(10) - 2 * likelihood, 9);
    const one = await answer(task("(+ 2 (* b x) (* 0 c))", { params: fixed }));
    expect(one.fits).toBe(1);
  });

  test.each([
    ["(* x x)", {}],
    ["(+ 2 (* 3 x))", {}],
    ["(+ a (* 3 x))", { a: 2 }],
    ["(+ a (* b x))", { a: 2, b: 3 }],
    ["(+ a (* b (+ x c)))", { a: 2, b: 3, c: 0.25 }],
  ])(
    "%s with %j fixed has the deviation of the noise as its one parameter",
    async (source, values) => {
      const params = Object.fromEntries(
        Object.entries(values).map(([name, fixed]) => [name, { fixed }]),
      );
      const result = await answer(task(source, { params }));
      const { a = 2, b = 3, c = 0 } = values as Readonly<Record<string, number>>;
      const value = (x: number): number => (source === "(* x x)" ? x * x : a + b * (x + c));
      const squares = (from: number, to: number, of: (row: number) => number): number =>
        rows
          .slice(from, to)
          .reduce((sum, at) => sum + ((base.data.y[at] as number) - of(at)) ** 2, 0);
      const meanOf = (from: number, to: number): number =>
        base.data.y.slice(from, to).reduce((sum, y) => sum + y, 0) / (to - from);
      const share = (from: number, to: number): number =>
        1 - squares(from, to, value) / squares(from, to, () => meanOf(from, to));
      const loss = squares(0, 10, value);
      expect(result).toMatchObject({ params: values, fits: 0, failure: undefined });
      expect(asked).toEqual([]);
      expect(result.loss / loss).toBeCloseTo(1, 12);
      expect(result.trainR2).toBeCloseTo(share(0, 10), 10);
      expect(result.r2).toBeCloseTo(share(10, 14), 9);
      const likelihood = -5 * (Math.log((2 * Math.PI * loss) / 10) + 1);
      expect(result.bic).toBeCloseTo(Math.log(10) - 2 * likelihood, 9);
    },
  );

  test.each([1, 2, 3])(
    "costs the logarithm of the rows less for each of %s parameters that a fit would have found",
    async (count) => {
      const names = ["a", "b", "c"].slice(0, count);
      const source = `(+ ${names.map((name, power) => `(* ${name} ${["1", "x", "(* x x)"][power]})`).join(" ")})`;
      const free = await answer(task(source));
      expect(free.fits).toBe(1);
      for (let fixed = 1; fixed <= count; fixed++) {
        const params = Object.fromEntries(
          names.slice(0, fixed).map((name) => [name, { fixed: free.params[name] as number }]),
        );
        const held = await answer(task(source, { params }));
        expect(held.fits).toBe(fixed === count ? 0 : 1);
        expect(held.loss / free.loss).toBeCloseTo(1, 9);
        expect(free.bic - held.bic).toBeCloseTo(fixed * Math.log(10), 6);
      }
    },
  );

  test("has the R² of its first fit where that fit leaves the line as it is", async () => {
    const free = await answer(task("(+ 2 (* b x))"));
    const held = await answer(
      task("(+ 2 (* b x))", { params: { b: { fixed: free.params["b"] as number } } }),
    );
    expect(held.r2).toBeCloseTo(free.r2, 12);
    expect(held.loss).toBeCloseTo(free.loss, 9);
    expect(held.trainR2).toBeCloseTo(free.trainR2, 12);
  });
});

describe("what goes wrong", () => {
  test.each([
    ["(log (- 5 x))", "training rows", {}],
    ["(log (- 10 x))", "held-out rows", {}],
  ])("%s: the prediction of %s is not finite", async (source, which) => {
    const { failure, params, loss, r2, trainR2, bic } = await answer(task(source));
    expect(failure).toEqual({
      stage: "score",
      code: "E-NOT-FINITE",
      message: `the prediction of ${which} is not finite`,
    });
    expect(params).toEqual({});
    expect([loss, r2, trainR2, bic]).toEqual(Array(4).fill(Number.NaN));
  });

  test.each([
    ["training", "(if (= x 4) (car x) x)"],
    ["held-out", "(if (= x 12) (car x) x)"],
    ["held-out, after a fit", "(if (= x 12) (car x) (* a x))"],
  ])("a program that fails on a row of the %s rows fails with its own error", async (_, source) => {
    expect((await answer(task(source))).failure).toMatchObject({
      stage: expect.stringMatching(/score|fit/),
      code: "E-TYPE",
    });
  });

  test("what is left out of the screen is not told by it once it has been fitted", async () => {
    // Too long for the screen, not for a fit, and not finite on held-out rows.
    const source = "(* a (sqrt (- 9.5 x)) (loop ((i 0)) (if (= i 40) 1 (recur (+ i 1)))))";
    const limits = { screenSteps: 100, fitSteps: 50_000 };
    const early = await answer(task(source), { limits });
    expect(early.failure).toMatchObject({ stage: "screen" });
    const late = await answer(task(source, { isScreened: true }), { limits });
    expect(late.failure).toMatchObject({ stage: "score", code: "E-NOT-FINITE" });
    expect(late.fits).toBe(1);
  });

  test("a fit that is not finite on held-out rows fails there, and its fits count", async () => {
    const { failure, fits } = await answer(task("(* a (sqrt (- 9.5 x)))"));
    expect(failure).toMatchObject({ stage: "score", code: "E-NOT-FINITE" });
    expect(fits).toBe(1);
  });

  test("a text that is not a program fails where it is read", async () => {
    const { failure, visit, rung } = await answer(task("(+ a", { rung: 2, visit: 17 }));
    expect(failure).toMatchObject({ stage: "parse", code: "E-SYNTAX" });
    expect([visit, rung]).toEqual([17, 2]);
  });

  test("a mistake of ours costs the candidate, and the runner goes on", async () => {
    const made = vi.spyOn(Machine, "create");
    const study = studyOf({ precision: "f32", limits: { memory: 2 ** 25 } });
    const runner = await CandidateRunner.create(study);
    expect(made).toHaveBeenCalledTimes(1);
    failing = [new RangeError("ours")];
    const { failure } = await runner.run(task("(* a x)"));
    expect(failure).toEqual({ stage: "fit", code: "E-INTERNAL", message: "ours" });
    // The machine may be in any state, so there is another one like it.
    expect(made.mock.calls).toEqual(Array(2).fill([{ precision: "f32", memoryMax: 2 ** 25 }]));
    made.mockRestore();
    expect((await runner.run(task("(+ a (* b x))"))).r2).toBeGreaterThan(0.9);
    runner.dispose();
  });

  test("times are those of its parts, and together no more than all of it", async () => {
    const began = performance.now();
    const { timing } = await answer(task("(+ a (* b x))"));
    const seconds = (performance.now() - began) / 1000;
    const { screen, walk, fit: fitted, replay, score } = timing;
    for (const part of [screen, walk, fitted, replay, score]) expect(part).toBeGreaterThan(0);
    expect(screen + fitted + score).toBeLessThanOrEqual(seconds);
    expect(walk).toBeLessThanOrEqual(screen);
    expect(replay).toBeLessThanOrEqual(fitted);
    const failed = await answer(task("(car x)"));
    expect(failed.timing.fit).toBe(0);
    expect(failed.timing.score).toBe(0);
    expect(failed.timing.screen).toBeLessThanOrEqual((performance.now() - began) / 1000);
  });
});

describe("limits", () => {
  /** A loop of so many turns, each of which leaves records on the tape. */
  const loop = (turns: number, body = "(sin (* a s))") =>
    `(loop ((s x) (k 0)) (if (= k ${turns}) s (recur ${body} (+ k 1))))`;

  test("of steps hold for the screen, the fit and programs that have nothing to fit", async () => {
    const limits = { screenSteps: 2000, fitSteps: 40_000 };
    const stageOf = async (source: string, more: Partial<Task> = {}) =>
      (await answer(task(source, more), { limits })).failure?.stage;
    expect(await stageOf(loop(20))).toBeUndefined();
    expect(await stageOf(loop(400))).toBe("screen");
    expect(await stageOf(loop(400), { isScreened: true })).toBeUndefined();
    // On rows that the screen does not walk over.
    const rare = (turns: number) => `(if (= x 4) ${loop(turns)} (* a x))`;
    expect(await stageOf(rare(400))).toBeUndefined();
    expect(await stageOf(rare(40_000))).toBe("fit");
    const plain = (turns: number) => `(if (= x 4) ${loop(turns, "(sin s)")} x)`;
    expect(await stageOf(plain(400))).toBeUndefined();
    expect(await stageOf(plain(40_000))).toBe("fit");
    const held = (turns: number) => `(if (= x 12) ${loop(turns, "(sin s)")} x)`;
    expect(await stageOf(held(400))).toBeUndefined();
    expect(await stageOf(held(40_000))).toBe("score");
  });

  test("of memory are the machine's", async () => {
    const limits = { screenSteps: 2 ** 30, fitSteps: 2 ** 30, memory: 2 ** 25 };
    const source =
      "(+ (* a x) (length (let more ((k 0) (l '())) (if (= k 300000) l (more (+ k 1) (cons (* k x) l))))))";
    const tight = await answer(task(source), { limits });
    expect(tight.failure?.code).toBe("E-MEMORY");
    expect(
      (await answer(task("(* a x)"), { limits: { memory: 2 ** 25 } })).failure,
    ).toBeUndefined();
  });
});

test("a program's domain is the study's", async () => {
  const source = "(+ (* a x) (log (- x 1)))";
  const clamped = await answer(task(source), { domain: "clamp" });
  expect(clamped.failure).toBeUndefined();
  const plain = await answer(task(source), { domain: "ieee" });
  expect(plain.failure?.code).toBe("E-NOT-FINITE");
});

test("a runner that is disposed of lets its machine go", async () => {
  const disposed = vi.spyOn(Machine.prototype, "dispose");
  const runner = await CandidateRunner.create(studyOf());
  await runner.run(task("(* a x)"));
  expect(disposed).not.toHaveBeenCalled();
  runner.dispose();
  expect(disposed).toHaveBeenCalledTimes(1);
  disposed.mockRestore();
});

test("who watches hears of every fit, and can end one", async () => {
  const ending = new AbortController();
  const onProgress = () => {};
  const runner = await CandidateRunner.create(studyOf(), { signal: ending.signal, onProgress });
  await runner.run(task("(* a x)"));
  expect(asked.map(({ signal, onProgress: told }) => [signal, told])).toEqual([
    [ending.signal, onProgress],
  ]);
  runner.dispose();
});
