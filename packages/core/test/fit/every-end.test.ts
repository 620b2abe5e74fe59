/**
 * Fits that a signal ends after any number of rounds: what they tell is true of where they ended, and what goes
 * on from their JSON ends as the fit in one go does.
 */

import { describe, expect, test } from "vitest";
import {
  type FitJson,
  type FitOptions,
  type FitResult,
  fit,
  fitFromJSON,
  Machine,
} from "../../src/index.js";
import { endingAfter, noise, steps } from "./support.js";

// A machine that keeps no traces looks at the signal after every round.
const machine = await Machine.create({ precision: "f64", mechanisms: { replay: false } });

const x = steps(-2, 3, 14);
const wobble = noise(14, 0.6);
const off = (i: number): number => wobble[i] as number;
const bent = x.map((at, i) => 6 / (1 + 0.5 * (at + 2)) + 0.2 * off(i));
const curve = x.map((at, i) => 2 - at + 0.75 * at * at + off(i));
const counts = x.map((at, i) => Math.max(0, Math.round(3 + at * (1 + at) + 4 * off(i))));
const g = x.map((_, i) => ["north", "south", "east"][i % 3] as string);
const fraction = "(/ a (+ 1 (* k (+ x 2))))";
const ofBent: FitOptions = { data: { x, y: bent, z: curve, g }, target: "y" };
const ranges: FitOptions["params"] = {
  a: { range: [1, 9], bounds: [0, null] },
  k: { range: [0.05, 3], bounds: [0.01, 50], scale: "log" },
};

interface Given {
  readonly name: string;
  readonly source: string;
  readonly options: FitOptions;
}

const valley = "(+ (square (- 1 a)) (* 20 (square (- b (* a a)))) (* 3 (square (- c (* a b)))))";

const given: readonly Given[] = [
  { name: "lm", source: fraction, options: { ...ofBent, params: ranges, restarts: 3, seed: 11 } },
  {
    name: "lm with starts that fail, one after the other",
    source: "(* a (sqrt (- x b)))",
    options: {
      ...{ data: { x, y: x.map((at) => 1 + 0.4 * at) }, target: "y", restarts: 5, seed: 2 },
      ...{ together: 1, params: { a: 1, b: { start: -2.5, range: [-6, 6], bounds: [-7, 9] } } },
    },
  },
  {
    name: "lm that is vetoed and shrinks",
    source: "(* a (exp (* k x)))",
    options: {
      ...{ ...ofBent, params: { a: 3, k: { start: 2, bounds: [-3, 3] } } },
      weights: x.map((_, i) => i % 3),
    },
  },
  {
    name: "lbfgs over more rounds than it remembers",
    source: valley,
    options: { params: { a: -1.2, b: 1, c: 3 } },
  },
  {
    name: "lbfgs with groups and another loss",
    source: "(+ a (* b x))",
    options: {
      ...{ ...ofBent, loss: "huber", huberWidth: 0.3, restarts: 2, seed: 4 },
      ...{ groups: { by: "g", params: ["a"] }, params: { b: { range: [-3, 3] } } },
    },
  },
  {
    name: "lbfgs of counts",
    source: "(exp (+ a (* b x)))",
    options: { data: { x, y: counts }, target: "y", loss: "poisson", restarts: 2 },
  },
  {
    name: "lbfgs of a loss of its own and two targets",
    source: "[(+ a (* b x)) (+ a (* c x x))]",
    options: { ...ofBent, target: ["y", "z"], loss: "(log (+ 1 (square (- pred target))))" },
  },
  {
    name: "adam",
    source: fraction,
    options: { ...ofBent, params: ranges, optimiser: "adam", steps: 12, restarts: 3, seed: 11 },
  },
  {
    name: "adam of an objective, two at once",
    source: valley,
    options: {
      params: { a: { range: [-2, 2] }, b: { range: [-2, 2], bounds: [-3, 3] }, c: 1 },
      ...{ optimiser: "adam", steps: 9, restarts: 5, together: 2, seed: 9 },
      adam: { rate: 0.2, beta1: 0.8, beta2: 0.95, epsilon: 1e-3 },
    },
  },
];

const ends = ({ restarts }: FitResult) =>
  restarts.map(({ index, start, params, loss, steps: taken, reason, hasConverged }) => ({
    ...{ index, start, params, loss, steps: taken, reason, hasConverged },
  }));

const json = (result: FitResult): FitJson => JSON.parse(JSON.stringify(result)) as FitJson;

describe("ended after any number of rounds", () => {
  test.each(given)("$name", async ({ source, options }) => {
    const program = machine.load(source);
    const how = { ...options, detail: "scores" } as const;
    const whole = await fit(program, how);
    expect(whole.stopped).toBe("done");
    const { rounds } = whole.counters;
    let ended = 0;
    for (let most = 1; most < rounds; most += rounds > 12 ? 3 : 1) {
      const part = await fit(program, { ...how, signal: endingAfter(most) });
      const what = `after ${most} of ${rounds}`;
      if (part.stopped === "done") continue;
      ended += 1;
      expect(part.stopped, what).toBe("aborted");
      expect(part.counters.rounds, what).toBeLessThan(rounds);
      // Who had ended by then has ended as in the fit in one go; the others say what ended them.
      for (const [index, outcome] of ends(part).entries())
        if (outcome.reason !== "aborted") expect(outcome, what).toEqual(ends(whole)[index]);
        else expect(outcome.hasConverged, what).toBe(false);
      const running = part.restarts.filter(({ reason }) => reason === "aborted");
      expect(running.length, what).toBeGreaterThan(0);
      const losses = part.restarts.map(({ loss }) => loss).filter(Number.isFinite);
      expect(part.best.loss, what).toBe(Math.min(...losses));
      expect(part.counters.evaluations, what).toBe(
        part.restarts.reduce((sum, { evaluations }) => sum + evaluations, 0),
      );
      const resumed = await fit(program, { ...how, resume: json(part) });
      expect(resumed.stopped, what).toBe("done");
      expect(ends(resumed), what).toEqual(ends(whole));
      expect(resumed.best, what).toEqual(whole.best);
      expect(resumed.counters.rounds, what).toBeLessThan(rounds + running.length + 1);
      // What was stored and brought back can be gone on with, too, and so can what went on and was ended again.
      const back = fitFromJSON(program, json(part));
      const more = await fit(program, { ...how, resume: json(back), signal: endingAfter(2) });
      const last = await fit(program, { ...how, resume: json(more) });
      expect(ends(last), what).toEqual(ends(whole));
    }
    expect(ended).toBeGreaterThan(2);
    // A fit that has come to its end is at it again.
    const again = await fit(program, { ...how, resume: json(whole) });
    expect(ends(again)).toEqual(ends(whole));
    expect(again.best).toEqual(whole.best);
    expect(again.counters.rounds).toBe(0);
    program.dispose();
  });

  test.each(given)(
    "$name: the details are those of where it ended",
    async ({ source, options }) => {
      const program = machine.load(source);
      for (const most of [2, 4]) {
        const part = await fit(program, { ...options, signal: endingAfter(most) });
        if (part.stopped === "done") continue;
        expect(part.diagnostics.notes).toContain(
          "the fit was ended early (aborted); this is the best so far",
        );
        expect(part.diagnostics.runaways).toEqual([]);
        const { names } = part.covariance ?? {};
        if (names !== undefined) expect(names).toEqual(part.parameters);
        // Nothing is said of the others but what is known of them already.
        for (const { restart } of part.diagnostics.flipLog) expect(restart).toBe(part.best.restart);
        for (const name of part.parameters) {
          const [low, high] = part.intervals[name] as readonly [number, number];
          const at = part.best.params[name] as number;
          if (Number.isFinite(low) && Number.isFinite(high))
            expect(low <= at && at <= high, name).toBe(true);
        }
      }
      program.dispose();
    },
  );
});

describe("intervals are around the estimate", () => {
  const models: readonly Given[] = [
    ...given.filter(({ options }) => options.optimiser !== "adam"),
    {
      name: "sizes that are far apart, by Newton's steps",
      source: "(exp (+ a (* b x)))",
      options: {
        data: { x: x.map((at) => 1990 + at), y: counts },
        ...{ target: "y", loss: "poisson", params: { a: -300, b: 0.15 } },
      },
    },
    {
      name: "a start on a saddle",
      source: "(+ (* 8 (square (- (square a) 1))) (square (- b 2)))",
      options: { params: { a: 0, b: 0 }, isNegativeLogLikelihood: true },
    },
  ];

  test.each(models)("$name", async ({ source, options }) => {
    const program = machine.load(source);
    const result = await fit(program, options);
    for (const name of result.parameters) {
      const [low, high] = result.intervals[name] as readonly [number, number];
      const at = result.best.params[name] as number;
      const error = result.standardErrors[name] as number;
      if (Number.isNaN(error)) continue;
      expect(low < at && at < high, `${name}: ${low} ${at} ${high}`).toBe(true);
    }
    // What is stored is where it ended: going on from it takes no step.
    const outcome = result.restarts[result.best.restart];
    if (outcome?.hasConverged !== true) return;
    const states = (result.toJSON() as unknown as { states: { numbers: number[] }[] }).states;
    expect(states).toHaveLength(result.restarts.length);
    const again = await fit(program, { ...options, resume: json(result) });
    expect(again.best).toEqual(result.best);
    expect(again.intervals).toEqual(result.intervals);
    program.dispose();
  });
});
