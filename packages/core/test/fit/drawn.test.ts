/**
 * What fits of drawn problems say of how they ended, against oracles of their own: scoring for counts, closed forms
 * for lines with a deviation of their own and for rates, and a search along the one number of a curve that is not linear.
 */

import { afterAll, describe, expect, test } from "vitest";
import { type FitOptions, type FitResult, fit, Machine } from "../../src/index.js";
import { Random } from "../fuzz/random.js";
import { byScoring } from "./scoring.js";
import { machine } from "./support.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`drawn: SEED=${seed}`);
const ROUNDS = 40;

interface Drawn {
  readonly source: string;
  readonly options: FitOptions;
  readonly lossAt: (params: Readonly<Record<string, number>>) => number;
  /** The least loss, −∞ where there is none. */
  readonly least: number;
  /** How much of the loss means nothing. */
  readonly unit: number;
  /** Parameters that have no best value. */
  readonly gone: readonly string[];
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);
const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit());

/** Intercept, slope and the squares that are left. */
function lineThrough(x: readonly number[], y: readonly number[]) {
  const [mx, my] = [sumOf(x) / x.length, sumOf(y) / y.length];
  const b =
    sumOf(x.map((each, i) => (each - mx) * ((y[i] as number) - my))) /
    sumOf(x.map((each) => (each - mx) ** 2));
  const a = my - b * mx;
  return { a, b, rest: sumOf(x.map((each, i) => ((y[i] as number) - a - b * each) ** 2)) };
}

function drawCounts(random: Random, isSingle: boolean): Drawn | undefined {
  const kind = random.pick(["poisson", "binomial"] as const);
  const unit = random.pick([1, 0.01, 100]);
  const z = Array.from({ length: random.between(8, 30) }, () => 2 * random.unit() - 1);
  const [level, slope] = [kind === "poisson" ? 2 * random.unit() : normal(random), normal(random)];
  const y = z.map((each) => {
    const eta = level + slope * each;
    if (kind === "binomial") return random.unit() < 1 / (1 + Math.exp(-eta)) ? 1 : 0;
    return Math.round(2 * random.unit() * Math.exp(eta));
  });
  const [a, b, error] = byScoring(z, y, kind);
  // Tables that are separate have no estimate.
  if (!(Math.abs(a) < 15 && Math.abs(b) < 15 && error < 10)) return undefined;
  const lossAt = (params: Readonly<Record<string, number>>): number =>
    sumOf(
      z.map((each, i) => {
        const eta = (params["a"] as number) + (params["b"] as number) * unit * each;
        const whole = kind === "poisson" ? Math.exp(eta) : Math.log1p(Math.exp(eta));
        return whole - (y[i] as number) * eta;
      }),
    );
  const bound = random.pick(isSingle ? [undefined, 1e4, 1e5] : [undefined, 1e6, 1e9]);
  const each = bound === undefined ? 0 : { start: 0, bounds: [-bound, bound] as const };
  const data = { x: z.map((at) => unit * at), y };
  const params = { a: each, b: each };
  const named: FitOptions = { data, params, target: "y", loss: kind };
  const link = kind === "poisson" ? "exp" : "softplus";
  const isObjective = random.chance(0.5);
  return {
    source: isObjective
      ? `(let ((e (+ a (* b x)))) (vsum (- (${link} e) (* y e))))`
      : `(${kind === "poisson" ? "exp" : "sigmoid"} (+ a (* b x)))`,
    options: isObjective ? { data, params, isNegativeLogLikelihood: random.chance(0.5) } : named,
    ...{ lossAt, least: lossAt({ a, b: b / unit }), unit: 1, gone: [] },
  };
}

/** Of points on a line, rounding in single precision leaves a deviation. */
function drawDeviation(random: Random, isSingle: boolean): Drawn {
  const noise = random.pick(isSingle ? [0.1, 1, 30] : [0, 0.1, 1, 30]);
  const x = Array.from({ length: random.between(5, 14) }, (_, i) => i + 1);
  const y = x.map((each) => 2 - each + noise * normal(random));
  const { rest } = lineThrough(x, y);
  const [text, s, back] = random.pick([
    ["s", { start: 1, scale: "log" }, (each: number) => each],
    ["(exp s)", 0, Math.exp],
    ["(sqrt s)", { start: 1, scale: "log" }, Math.sqrt],
  ] as const);
  return {
    source: `(vsum (+ (log ${text}) (* 0.5 (square (/ (- y (+ a (* b x))) ${text})))))`,
    options: {
      ...{ data: { x, y }, params: { a: 0, b: 0, s } },
      isNegativeLogLikelihood: random.chance(0.5),
    },
    lossAt: ({ a = 0, b = 0, s = 0 }) =>
      sumOf(x.map((at, i) => 0.5 * (((y[i] as number) - a - b * at) / back(s)) ** 2)) +
      x.length * Math.log(back(s)),
    least: noise === 0 ? -Infinity : (x.length * (Math.log(rest / x.length) + 1)) / 2,
    ...{ unit: 1, gone: noise === 0 ? ["s"] : [] },
  };
}

function drawRate(random: Random): Drawn {
  const t = Array.from({ length: random.between(3, 8) }, () => 0.5 + 3 * random.unit());
  const y = t
    .map(() => (random.chance(0.5) ? random.below(6) : 0))
    .map((each, _, all) => (all[0] === 0 ? 0 : each));
  const rate = sumOf(y) / sumOf(t);
  const lossAt = ({ r = 0 }: Readonly<Record<string, number>>): number =>
    sumOf(t.map((each, i) => r * each - (y[i] === 0 ? 0 : (y[i] as number) * Math.log(r * each))));
  const upper = random.pick([null, 10, 1e6]);
  return {
    source: "(* r t)",
    options: {
      ...{ data: { t, y }, target: "y", loss: "poisson" },
      params: { r: { start: 0.4, bounds: [0, upper] } },
    },
    ...{ lossAt, least: lossAt({ r: rate }), unit: 1, gone: [] },
  };
}

function drawCurve(random: Random, isSingle: boolean): Drawn | undefined {
  const x = Array.from({ length: random.between(8, 20) }, (_, i) => 0.4 * i);
  const k = 0.4 + random.unit();
  const y = x.map((each) => 2 * Math.exp(-k * each) + 0.7 + 0.05 * normal(random));
  const rest = (at: number): number =>
    lineThrough(
      x.map((each) => Math.exp(-at * each)),
      y,
    ).rest;
  let [low, high] = [0.1, 4];
  for (let turn = 0; turn < 200; turn++) {
    const [left, right] = [low + 0.4 * (high - low), low + 0.6 * (high - low)];
    if (rest(left) < rest(right)) high = right;
    else low = left;
  }
  if (low < 0.15 || high > 3.9) return undefined;
  const bound = isSingle ? 1e4 : 1e9;
  const how = random.pick(["free", "wide", "log"] as const);
  const of = (start: number) => {
    if (how === "log") return { start, scale: "log" } as const;
    return how === "free" ? start : ({ start, bounds: [-bound, bound] } as const);
  };
  return {
    source: "(+ c (* a (exp (* (- 0 k) x))))",
    options: {
      ...{ data: { x, y }, target: "y", params: { a: of(1), c: of(0.3), k: of(0.8) } },
      ...random.pick([
        { optimiser: "lm" },
        { optimiser: "lbfgs" },
        { optimiser: "adam", steps: 4000, adam: { rate: 0.02 } },
      ] as const),
    },
    lossAt: ({ a = 0, c = 0, k = 0 }) =>
      sumOf(x.map((each, i) => ((y[i] as number) - c - a * Math.exp(-k * each)) ** 2)),
    ...{ least: rest(low), unit: rest(low) / (x.length - 3), gone: [] },
  };
}

const kinds = { counts: drawCounts, deviation: drawDeviation, rate: drawRate, curve: drawCurve };

const isNamed = ({ diagnostics, identifiability }: FitResult, name: string): boolean =>
  diagnostics.runaways.some((each) => each.name === name) ||
  identifiability?.atBounds.includes(name) === true;

describe.each(["f64", "f32"] as const)("in %s", (precision) => {
  const counted = { all: 0, converged: 0, alarms: 0 };

  test.each(Object.keys(kinds) as (keyof typeof kinds)[])(
    "who says that it has converged has the least loss, and what has none is named: %s",
    async (kind) => {
      const isSingle = precision === "f32";
      const on = isSingle ? await Machine.create({ precision }) : machine;
      const random = new Random(seed, kind.length);
      for (let round = 0; round < ROUNDS; round++) {
        const drawn = kinds[kind](random, isSingle);
        if (drawn === undefined) continue;
        const { source, options, lossAt, least, unit, gone } = drawn;
        const found = await fit(on.load(source), options);
        const told = `${kind} ${round}: ${source} ${JSON.stringify(options)}`;
        const { hasConverged, reason } = found.restarts[0] as FitResult["restarts"][number];
        const above = (lossAt(found.best.params) - least) / unit;
        const isThere = above < (isSingle ? 2e-2 : 1e-4);
        counted.all += 1;
        if (hasConverged) counted.converged += 1;
        if (hasConverged) expect(isThere, `${told}: ${above}`).toBe(true);
        // Adam and others may have taken all their steps just before.
        if (!hasConverged && isThere && reason !== "steps") counted.alarms += 1;
        for (const name of gone) expect(isNamed(found, name), told).toBe(true);
        if (gone.length === 0 && isThere) expect(found.diagnostics.runaways, told).toEqual([]);
      }
      if (isSingle) on.dispose();
    },
  );

  afterAll(() => {
    const { all, converged, alarms } = counted;
    console.info(`${precision}: ${converged} of ${all} fits converged, ${alarms} false alarms`);
    expect(alarms).toBeLessThan(0.02 * all);
  });
});
