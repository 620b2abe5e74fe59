/**
 * Rounds on a trace have the bits of rounds that are walked: a machine without replay keeps no
 * trace, so it takes every round one by one.
 */

import fc from "fast-check";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { MachineRounds } from "../../src/fit/optimise/rounds.js";
import { type FitOptions, fit, Machine, mat, type Precision } from "../../src/index.js";
import { noise, steps } from "./support.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

const rows = 21;
const t = steps(0.1, 4, rows);
const y = t.map((v, row) => 2 * Math.exp(-0.7 * v) + 0.3 + (noise(rows, 0.1)[row] as number));
const weights = t.map((_, row) => (row % 5 === 0 ? 0 : 0.5 + row / 7));

interface Case {
  readonly source: string;
  readonly options: FitOptions;
}

const data = { t, y };
const params = { a: { range: [0.5, 3] as const }, k: { range: [0.1, 2] as const } };
const decay = "(* a (exp (- (* k t))))";
const base: FitOptions = { data, target: "y", params, restarts: 3, seed: 4 };
const piecewise = "(if (< t c) (* a t) (+ (* a c) (* k (- t c))))";
const bounded: FitOptions["params"] = {
  a: { range: [0.5, 3], bounds: [0.2, null] },
  k: { range: [0.1, 2], scale: "log" },
  c: { range: [-0.5, 0.5], bounds: [null, 0.9] },
  d: { range: [-0.5, 0.5], bounds: [-1, 1] },
  e: { range: [0.5, 1.5], bounds: [0.1, 5], scale: "log" },
  f: { range: [0.5, 1.5], bounds: [0, null], scale: "log" },
};

const grouped: FitOptions = {
  ...base,
  data: { ...data, cell: t.map((_, row) => "pqr"[row % 3] as string) },
  groups: { by: "cell", params: ["a"] },
};

/** More rows than a chunk has lanes, and than are reflected at once. */
const many = steps(0.1, 4, 4500);
const tall: FitOptions = {
  ...base,
  data: { t: many, y: many.map((v, row) => 2 * Math.exp(-0.7 * v) + ((row * 7) % 11) / 50) },
  restarts: 2,
  steps: 8,
};

const cases: Readonly<Record<string, Case>> = {
  "thousands of rows": { source: decay, options: tall },
  "thousands of rows that take both ways, with weights": {
    source: piecewise,
    options: {
      ...tall,
      params: { ...params, c: { range: [0.5, 3.5] } },
      weights: many.map((_, row) => (row % 5 === 0 ? 0 : 0.5 + (row % 7) / 7)),
    },
  },
  "thousands of rows in groups": {
    source: decay,
    options: {
      ...tall,
      data: { ...tall.data, cell: many.map((_, row) => "pqr"[(row * row) % 3] as string) },
      groups: { by: "cell", params: ["a"] },
    },
  },
  "least squares": { source: decay, options: base },
  "one restart": { source: decay, options: { ...base, restarts: 1 } },
  "more restarts than one chunk": {
    source: `(+ ${decay} (sin (* a t)))`,
    options: { ...base, restarts: 70 },
  },
  weights: { source: decay, options: { ...base, weights } },
  "absolute differences": { source: decay, options: { ...base, loss: "absolute", weights } },
  "Huber's loss": { source: decay, options: { ...base, loss: "huber", huberWidth: 0.2 } },
  "Poisson's loss": {
    source: decay,
    options: {
      ...base,
      data: { t, y: y.map((v) => Math.max(0, Math.round(4 * v))) },
      loss: "poisson",
    },
  },
  "the binomial loss": {
    source: "(/ 1 (+ 1 (exp (* k (- t a)))))",
    options: {
      ...base,
      data: { t, y: t.map((v, row) => Math.round(6 / (1 + Math.exp(v - 2)) + (row % 3) / 4)) },
      loss: "binomial",
      trials: t.map(() => 7),
      weights,
    },
  },
  "a loss that is a program": {
    source: decay,
    options: { ...base, loss: "(log (+ 1 (square (- pred y))))", weights },
  },
  "a loss that is a program, of a value without rows": {
    source: "(+ a (* k k))",
    options: { ...base, loss: "(abs (- pred y))" },
  },
  "chunks that cut a restart's rows": { source: decay, options: { ...base, chunk: 16 } },
  "restarts that wait for a slot": {
    source: decay,
    options: { ...base, restarts: 9, together: 2 },
  },
  "a fixed parameter": {
    source: `(+ b ${decay})`,
    options: { ...base, params: { ...params, b: { fixed: 0.25 } } },
  },
  "all kinds of bounds": {
    source: `(+ (* e ${decay}) (* c d) (/ 0.1 f))`,
    options: { ...base, params: bounded },
  },
  "a program that reads no column": { source: "(+ a (* k k))", options: base },
  "a value that one parameter does not reach": { source: `(begin (* k k) (* a t))`, options: base },
  "rows that take both ways": {
    source: piecewise,
    options: { ...base, params: { ...params, c: { range: [0.5, 3.5] } } },
  },
  "rows whose other way has no number": {
    source: "(if (> t 1) (* a (log (- t 1)) k) (* k (sqrt (+ a (- 1 t)))))",
    options: { ...base, data: { t: t.map((v, row) => (row % 4 === 0 ? 1 : v)), y } },
  },
  "a test that parameters flip": {
    source: "(if (< (* a k) 1) (* a t) (* a (+ t 1)))",
    options: base,
  },
  "a loop whose length a parameter decides": {
    source: "(loop ((s a) (i 0)) (if (> s 3) (* k s t) (recur (+ s 0.4) (+ i 1))))",
    options: { ...base, params: { a: { range: [0.1, 2] }, k: { range: [0.1, 2] } } },
  },
  "parts that only data reach": {
    source: "(+ (* a (sin t) (if (> t 1) (exp (- t)) (square t))) (* k (floor t)) (sqrt (+ t 2)))",
    options: base,
  },
  "matrices that only data reach, and numbers of them": {
    source: "(* a (+ (ref (* [t 1] [t t]) 0) (vsum (cos [t k]))) (exp (- (* k (sqrt t)))))",
    options: base,
  },
  "parts that only data reach, beside a test that parameters flip": {
    source: "(if (< (* a k) 1) (* a (sin t)) (* a (+ (sin t) (cos t))))",
    options: base,
  },
  "parts that only data reach, in chunks": {
    source: "(+ (* a (sin t)) (* k (exp (- t))))",
    options: { ...base, restarts: 2, chunk: 16 },
  },
  "restarts that leave the numbers": {
    source: "(* a (log (- k t)))",
    options: { ...base, params: { a: 1, k: { range: [4, 8] } }, restarts: 6, adam: { rate: 0.3 } },
  },
  groups: { source: decay, options: { ...grouped, restarts: 3 } },
  "groups with weights": { source: decay, options: { ...grouped, weights } },
  "groups with another loss": { source: decay, options: { ...grouped, loss: "huber" } },
  "the program's value as the loss": {
    source: "(+ (square (- a 1)) (* 3 (square (- k (* a a)))) (vsum (* m (outer v v))))",
    options: {
      data: {
        v: [0.1, 0.2],
        m: mat([
          [1, 2],
          [3, 4],
        ]),
      },
      params,
      restarts: 3,
      seed: 4,
    },
  },
};

const isForSquares = ({ options }: Case): boolean =>
  options.target !== undefined && options.loss === undefined;

const kinds = (["f32", "f64"] as Precision[]).flatMap((precision) =>
  (["adam", "lm", "lbfgs"] as const).map((optimiser) => ({ precision, optimiser })),
);

describe.each(kinds)("rounds of $optimiser in $precision", ({ precision, optimiser }) => {
  let machine: Machine;
  let plain: Machine;
  beforeAll(async () => {
    machine = await Machine.create({ precision });
    plain = await Machine.create({ precision, mechanisms: { replay: false } });
  });

  const outcome = async (on: Machine, { source, options: { adam, ...options } }: Case) => {
    const program = on.load(source);
    try {
      const rates = optimiser === "adam" && adam !== undefined ? { adam } : {};
      const how = { optimiser, steps: 30, detail: "scores", ...rates, ...options } as const;
      const result = await fit(program, how);
      const { counters, ...rest } = result.toJSON() as unknown as typeof result;
      const { milliseconds: _milliseconds, ...counts } = counters;
      return JSON.stringify({ ...rest, counts });
    } finally {
      program.dispose();
    }
  };

  const fitting = Object.entries(cases).filter(
    ([, one]) => optimiser !== "lm" || isForSquares(one),
  );
  test.each(fitting)("%s", async (_name, one) => {
    const wanted = await outcome(plain, one);
    expect(await outcome(machine, one)).toBe(wanted);
  });

  test("chunks that hold a part of the lanes each are bound anew in every round", async () => {
    const narrow = await Machine.create({ precision });
    narrow.cache = { bytes: 2048, blockLanes: 8 };
    const advance = vi.spyOn(MachineRounds.prototype, "advance");
    const evaluated = "(+ (* a (exp (- (* k t)))) (sin (* t t)))";
    for (const one of [
      { source: evaluated, options: { ...base, weights } },
      { source: evaluated, options: { ...base, restarts: 7 } },
      cases["groups"] as Case,
      cases["rows that take both ways"] as Case,
    ]) {
      const wanted = await outcome(plain, one);
      advance.mockClear();
      expect(await outcome(narrow, one)).toBe(wanted);
      // The first round is evaluated elsewhere, since no single chunk holds all lanes.
      const leaps = advance.mock.results.map(({ value }) => value as number);
      expect(leaps[0]).toBe(0);
      if (one.source === evaluated) expect(Math.max(...leaps)).toBeGreaterThan(1);
    }
    advance.mockRestore();
    narrow.dispose();
  });

  test("a program that is fitted again meets the new data", async () => {
    const source = "(+ (* a (sin t)) (* k (exp (- t))))";
    const later = { ...base, data: { t: t.map((v) => v * v), y } };
    const program = machine.load(source);
    await fit(program, { optimiser, steps: 30, ...base });
    const again = await fit(program, { optimiser, steps: 30, ...later });
    const fresh = await fit(plain.load(source), { optimiser, steps: 30, ...later });
    program.dispose();
    expect(again.best).toEqual(fresh.best);
  });

  test("a program whose lanes change sides while it is fitted computes with other rows after that", async () => {
    const other = t.map((v) => 0.3 + v * v);
    for (const source of [
      "(let ((e (exp (sin t)))) (if (< (* k t) c) (* a e) (+ a (* k e))))",
      "(if (< t c) (* a (exp (sin t))) (+ (* a c) (* k (exp (sin t)))))",
    ]) {
      const program = machine.load(source);
      const params = { ...base.params, c: { range: [0.2, 3] as const } };
      for (const steps of [1, 2, 3, 5, 30]) {
        await fit(program, { optimiser, ...base, params, restarts: 1, steps });
        for (const inputs of [
          { a: 1.5, k: 0.7, c: 1, t: other },
          { a: 1.5, k: 0.7, c: 2.5, t: other.toReversed() },
        ]) {
          const fresh = plain.load(source);
          const wanted = fresh.gradient(inputs, { wrt: ["a", "k"] });
          const { values, gradients } = program.gradient(inputs, { wrt: ["a", "k"] });
          expect([values, gradients], `${source} after ${steps}`).toEqual([
            wanted.values,
            wanted.gradients,
          ]);
          fresh.dispose();
        }
      }
      program.dispose();
    }
  });

  /** lm's columns, and the place where Adam ended, are looked at once more when their steps are over. */
  const looks = optimiser === "lbfgs" ? 0 : 1;

  test("all steps of a fit are one call", async () => {
    const advance = vi.spyOn(MachineRounds.prototype, "advance");
    const take = vi.spyOn(MachineRounds.prototype, "take");
    const { counts } = JSON.parse(await outcome(machine, cases["one restart"] as Case));
    expect(advance.mock.results.map(({ value }) => value)).toEqual([counts.rounds]);
    expect(take).toHaveBeenCalledTimes(looks);
    advance.mockRestore();
    take.mockRestore();
  });

  test("thousands of rows are fitted inside the machine, too", async () => {
    const take = vi.spyOn(MachineRounds.prototype, "take");
    await outcome(machine, cases["thousands of rows"] as Case);
    expect(take.mock.calls.length).toBeLessThanOrEqual(looks);
    take.mockRestore();
  });

  test("restarts that end leave the call to the others until half are left", async () => {
    const advance = vi.spyOn(MachineRounds.prototype, "advance");
    const options = { ...base, restarts: 16 };
    const { counts } = JSON.parse(await outcome(machine, { source: decay, options }));
    const leaps = advance.mock.results.map(({ value }) => value as number);
    expect(leaps.length).toBeLessThanOrEqual(9);
    expect(counts.rounds).toBeGreaterThan(5);
    advance.mockRestore();
  });

  test("any data, settings and restarts", async () => {
    console.info(`rounds: SEED=${seed}`);
    const number = fc.double({ min: -2, max: 2, noNaN: true });
    const losses = ["squares", "absolute", "huber"] as const;
    const problem = fc.record({
      x: fc.array(number, { minLength: 3, maxLength: 40, size: "max" }),
      loss: fc.constantFrom(...losses.slice(0, optimiser === "lm" ? 1 : 3)),
      restarts: fc.integer({ min: 1, max: 20 }),
      seed: fc.integer(),
      rate: fc.double({ min: 0.001, max: 1, noNaN: true }),
      source: fc.constantFrom(
        "(+ a (* k x))",
        "(/ (* a x) (+ k x))",
        "(* a (sin (* k x)))",
        "(if (< x k) (* a x) (exp (* k x)))",
        "(loop ((s a) (i 0)) (if (= i 5) s (recur (+ (* k s) x) (+ i 1))))",
        "(* a (sqrt (+ k x)))",
      ),
    });
    await fc.assert(
      fc.asyncProperty(problem, async ({ x, loss, restarts, seed: start, rate, source }) => {
        const target = x.map((v, row) => v * v - row / 10);
        const options: FitOptions = {
          data: { x, y: target },
          target: "y",
          params: { a: { range: [-2, 2] }, k: { range: [-1, 2] } },
          loss,
          restarts,
          seed: start,
          steps: 12,
          adam: { rate },
        };
        const told = (on: Machine) =>
          outcome(on, { source, options }).catch((error: { message: string }) => error.message);
        expect(await told(machine)).toBe(await told(plain));
      }),
      { seed, numRuns: 40 },
    );
  });
});
