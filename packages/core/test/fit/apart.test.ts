/**
 * Fits of things that have nothing to do with each other, together and apart: two targets with parameters of
 * their own, groups whose parameters are all their own, rows that are repeated and rows that are weighed. What
 * is told of each must be what its own fit tells.
 */

import { describe, expect, test } from "vitest";
import { type FitOptions, type FitResult, fit, type LossName } from "../../src/index.js";
import { machine, noise, steps } from "./support.js";

const x = steps(-2, 3, 16);
const wobble = noise(32, 0.6);
const off = (i: number): number => wobble[i] as number;
const line = x.map((at, i) => 1.5 + 0.5 * at + off(i));
const steep = x.map((at, i) => 40 - 9 * at + 12 * off(i + 16) + (i === 3 ? 20 : 0));
const few = x.map((at, i) => Math.max(0, Math.round(3 + at + 4 * off(i))));
const many = x.map((at, i) => Math.max(0, Math.round(30 - 4 * at + 9 * off(i + 16))));
const trials = x.map((_, i) => 4 + (i % 3) * 6);
const hits = x.map((at, i) =>
  Math.min(
    trials[i] as number,
    Math.max(0, Math.round((0.5 + 0.12 * at + off(i) / 3) * (trials[i] as number))),
  ),
);
const others = x.map((at, i) =>
  Math.min(
    trials[i] as number,
    Math.max(0, Math.round((0.4 - 0.1 * at + off(i + 16) / 3) * (trials[i] as number))),
  ),
);
const w = x.map((_, i) => [1, 2.5, 0, 0.5][i % 4] as number);
const v = x.map((_, i) => [0.5, 1, 3][i % 3] as number);
const s = x.map((_, i) => 0.2 + 0.05 * (i % 5));
const t = x.map((_, i) => 3 + 0.5 * (i % 4));

const straight = "(+ a (* b x))";
const growing = "(exp (+ a (* b x)))";
const chance = "(/ 1 (+ 1 (exp (- 0 (+ a (* b x))))))";
const renamed = (source: string): string => source.replaceAll("a ", "c ").replaceAll("b ", "d ");

interface Pair {
  readonly name: string;
  readonly source: string;
  readonly columns: readonly [readonly number[], readonly number[]];
  readonly options: FitOptions;
  /** What the first and the second have alone. */
  readonly alone: readonly [FitOptions, FitOptions];
  /** Whether errors are those of the fit alone: the noise is known. */
  readonly hasErrors: boolean;
}

const pairs: readonly Pair[] = [
  {
    name: "weights by target",
    source: straight,
    columns: [line, steep],
    options: { weights: { y: w, z: "v" } },
    alone: [{ weights: w }, { weights: v }],
    hasErrors: false,
  },
  {
    name: "weights of one target",
    source: straight,
    columns: [line, steep],
    options: { weights: { z: v } },
    alone: [{}, { weights: v }],
    hasErrors: false,
  },
  {
    name: "deviations by target",
    source: straight,
    columns: [line, steep],
    options: { sigma: { z: t, y: "s" } },
    alone: [{ sigma: s }, { sigma: "t" }],
    hasErrors: true,
  },
  {
    name: "deviations for both, by lbfgs",
    source: straight,
    columns: [line, steep],
    options: { sigma: s, optimiser: "lbfgs" },
    alone: [
      { sigma: s, optimiser: "lbfgs" },
      { sigma: s, optimiser: "lbfgs" },
    ],
    hasErrors: true,
  },
  {
    name: "huber",
    source: straight,
    columns: [line, steep],
    options: { loss: "huber", huberWidth: 0.5 },
    alone: [
      { loss: "huber", huberWidth: 0.5 },
      { loss: "huber", huberWidth: 0.5 },
    ],
    hasErrors: false,
  },
  {
    name: "poisson with weights",
    source: growing,
    columns: [few, many],
    options: { loss: "poisson", weights: { y: w } },
    alone: [{ loss: "poisson", weights: w }, { loss: "poisson" }],
    hasErrors: true,
  },
  {
    name: "binomial with trials",
    source: chance,
    columns: [hits, others],
    options: { loss: "binomial", trials: "n" },
    alone: [
      { loss: "binomial", trials },
      { loss: "binomial", trials },
    ],
    hasErrors: true,
  },
  {
    name: "binomial with trials, some of them none, and weights",
    source: chance,
    columns: [
      hits.map((y, i) => (i % 5 === 2 ? 0 : y)),
      others.map((y, i) => (i % 5 === 2 ? 0 : y)),
    ],
    options: {
      loss: "binomial",
      trials: trials.map((n, i) => (i % 5 === 2 ? 0 : n)),
      weights: { y: w, z: v },
    },
    alone: [
      { loss: "binomial", trials: trials.map((n, i) => (i % 5 === 2 ? 0 : n)), weights: w },
      { loss: "binomial", trials: trials.map((n, i) => (i % 5 === 2 ? 0 : n)), weights: v },
    ],
    hasErrors: true,
  },
  {
    name: "a loss of its own",
    source: straight,
    columns: [line, steep],
    options: { loss: "(* v (log (+ 9 (square (- pred target)))))" },
    alone: [
      { loss: "(* v (log (+ 9 (square (- pred target)))))" },
      { loss: "(* v (log (+ 9 (square (- pred target)))))" },
    ],
    hasErrors: false,
  },
];

async function fitted(source: string, options: FitOptions): Promise<FitResult> {
  const program = machine.load(source);
  return fit(program, options);
}

const close = (
  got: number | undefined,
  want: number | undefined,
  what: string,
  by = 2e-4,
): void => {
  if (Number.isNaN(want as number)) {
    expect(got, what).toBeNaN();
    return;
  }
  const size = Math.abs(want as number) + 1e-6;
  expect(
    Math.abs((got as number) - (want as number)) / size,
    `${what}: ${got}, ${want}`,
  ).toBeLessThan(by);
};

describe("two targets with parameters of their own are as two fits, with", () => {
  test.each(pairs)("$name", async ({ source, columns, options, alone, hasErrors }) => {
    const [y, z] = columns;
    const data = { x, y, z, w, v, s, t, n: trials };
    const names = { a: 0.5, b: 0.1 };
    const both = await fitted(`[${source} ${renamed(source)}]`, {
      ...{ ...options, data, target: ["y", "z"] },
      params: { ...names, c: 0.5, d: -0.1 },
    });
    const first = await fitted(source, { ...alone[0], data, target: "y", params: names });
    const second = await fitted(source, {
      ...alone[1],
      data,
      target: "z",
      params: { a: 0.5, b: -0.1 },
    });
    const rows = { x: [-1, 0.5, 4] };
    const at = both.predict(rows);
    const isNoise = options.loss === undefined;
    for (const [own, target, parameters] of [
      [first, "y", ["a", "b"]],
      [second, "z", ["c", "d"]],
    ] as const) {
      for (const [j, name] of parameters.entries()) {
        const alike = ["a", "b"][j] as string;
        close(both.best.params[name], own.best.params[alike], name);
        if (!hasErrors) continue;
        close(both.standardErrors[name], own.standardErrors[alike], `error of ${name}`, 2e-3);
        for (const end of [0, 1])
          close(both.intervals[name]?.[end], own.intervals[alike]?.[end], `end of ${name}`, 5e-3);
      }
      const told = both.targets.find(({ name }) => name === target);
      close(told?.r2, own.best.r2, `share of ${target}`);
      expect(told?.scale).toBe(1);
      const { residuals, words, ...checks } = told?.residuals ?? { residuals: [], words: [] };
      for (const [row, one] of (own.residuals?.residuals ?? []).entries())
        close((residuals[row] as number) + 10, one + 10, `residual ${row} of ${target}`);
      for (const [key, one] of Object.entries(checks))
        if (key !== "mean") close(one, own.residuals?.[key as "runs"], `${key} of ${target}`, 1e-2);
      expect(words).toEqual(own.residuals?.words);
      for (const one of words) expect(both.diagnostics.notes).toContain(`${target}: ${one}`);
      const wanted = own.predict(rows);
      for (const [row, one] of wanted.values.entries()) {
        close(at.targets[target]?.values[row], one, `prediction ${row} of ${target}`);
        if (!hasErrors) continue;
        const bands = at.targets[target];
        close(bands?.standardErrors[row], wanted.standardErrors[row], `error ${row}`, 5e-3);
        close(bands?.lower[row], wanted.lower[row], `lower ${row} of ${target}`, 5e-3);
        close(bands?.upper[row], wanted.upper[row], `upper ${row} of ${target}`, 5e-3);
      }
      if (options.sigma === undefined) continue;
      // The fit's own rows, whose deviations it knows by target.
      const [seen, alike] = [both.predict({ x }).targets[target], own.predict({ x })];
      for (const row of x.keys()) {
        close(seen?.observationLower[row], alike.observationLower[row], `low ${row}`, 5e-3);
        close(seen?.observationUpper[row], alike.observationUpper[row], `high ${row}`, 5e-3);
      }
    }
    close(both.best.loss, first.best.loss + second.best.loss, "loss");
    if (!isNoise || options.sigma !== undefined)
      close(both.best.logLikelihood, first.best.logLikelihood + second.best.logLikelihood, "L");
    close(both.best.deviance, first.best.deviance + second.best.deviance, "deviance");
    expect(both.freedom).toBe(first.freedom + second.freedom);
    if (hasErrors) close(both.best.aic, first.best.aic + second.best.aic, "AIC");
  });
});

describe("groups whose parameters are all their own are as fits of their rows, with", () => {
  const g = x.map((_, i) => ["north", "south", "north", "east"][i % 4] as string);
  const kinds: readonly (readonly [
    name: string,
    source: string,
    y: readonly number[],
    loss: LossName,
    FitOptions,
  ])[] = [
    ["squares", straight, line, "squares", {}],
    ["deviations", straight, line, "squares", { sigma: s }],
    ["weights", straight, line, "squares", { weights: v, optimiser: "lbfgs" }],
    ["huber", straight, steep, "huber", { huberWidth: 15 }],
    ["counts", growing, many, "poisson", {}],
    ["hits", chance, hits, "binomial", { trials }],
  ];

  test.each(kinds)("%s", async (_, source, y, loss, options) => {
    const data = { x, y, g };
    const params = { a: 0.5, b: 0.1 };
    const all = await fitted(source, {
      ...{ ...options, data, target: "y", loss, params },
      groups: { by: "g", params: ["b", "a"] },
    });
    let [total, freedom] = [0, 0];
    for (const group of ["north", "south", "east"]) {
      const kept = <T>(column: readonly T[]): T[] => column.filter((_one, row) => g[row] === group);
      const sides = Object.fromEntries(
        Object.entries(options).map(([key, value]) => [
          key,
          Array.isArray(value) ? kept(value) : value,
        ]),
      );
      const own = await fitted(source, {
        ...{ ...sides, data: { x: kept(x), y: kept(y) }, target: "y", loss, params },
      });
      total += own.best.loss;
      freedom += own.freedom;
      for (const name of ["a", "b"]) {
        close(all.best.params[`${name}[${group}]`], own.best.params[name], `${name} of ${group}`);
        const isKnown = options.sigma !== undefined || loss === "poisson" || loss === "binomial";
        if (isKnown)
          close(
            all.standardErrors[`${name}[${group}]`],
            own.standardErrors[name],
            `error of ${name}`,
            2e-3,
          );
      }
      const at = [-1, 0.5, 4];
      const together = all.predict({ x: at, g: at.map(() => group) });
      const apart = own.predict({ x: at });
      for (const row of at.keys()) close(together.values[row], apart.values[row], `row ${row}`);
      const shown = all.residuals?.residuals ?? new Float64Array(0);
      const seen = kept([...shown]);
      for (const [row, one] of (own.residuals?.residuals ?? []).entries())
        close((seen[row] as number) + 10, one + 10, `residual ${row} of ${group}`);
      expect(all.export("scheme", { group }).length).toBeGreaterThan(10);
    }
    close(all.best.loss, total, "loss");
    expect(all.freedom).toBe(freedom);
  });
});

describe("a row of weight three is three rows, with", () => {
  const weights = x.map((_, i) => [1, 3, 0, 2][i % 4] as number);
  const kinds: readonly (readonly [
    name: string,
    source: string,
    y: readonly number[],
    loss: LossName,
    FitOptions,
  ])[] = [
    ["squares", straight, line, "squares", {}],
    ["squares by lbfgs", straight, line, "squares", { optimiser: "lbfgs" }],
    ["huber", straight, steep, "huber", { huberWidth: 15 }],
    ["absolute deviations", straight, steep, "absolute", {}],
    ["counts", growing, many, "poisson", {}],
    ["hits", chance, hits, "binomial", { trials: "n" }],
  ];

  test.each(kinds)("%s", async (_, source, y, loss, options) => {
    const repeat = (column: readonly number[]) =>
      column.flatMap((one, row) => Array<number>(weights[row] as number).fill(one));
    const params = { a: 0.5, b: 0.1 };
    const common = { ...options, target: "y", loss, params };
    const weighed = await fitted(source, { ...common, data: { x, y, n: trials }, weights });
    const repeated = await fitted(source, {
      ...common,
      data: { x: repeat(x), y: repeat(y), n: repeat(trials) },
    });
    for (const name of ["a", "b"])
      close(weighed.best.params[name], repeated.best.params[name], name, 1e-3);
    close(weighed.best.loss, repeated.best.loss, "loss", 1e-5);
    close(weighed.best.r2, repeated.best.r2, "share", 1e-4);
    close(weighed.best.deviance, repeated.best.deviance, "deviance", 1e-5);
    if (loss !== "poisson" && loss !== "binomial") return;
    // Counts that were seen more often: all that follows from the likelihood is the same, too.
    for (const key of ["logLikelihood", "aic", "bic"] as const)
      close(weighed.best[key], repeated.best[key], key, 1e-5);
    for (const name of ["a", "b"])
      close(weighed.standardErrors[name], repeated.standardErrors[name], `error of ${name}`, 1e-3);
  });
});
