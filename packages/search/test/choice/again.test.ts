/**
 * What weighing and choosing come to, worked out a second time over all small cases: hidden waves of
 * every kind at every alias, simple numbers in the order in which they are tried, digits of columns of
 * any signs, and warnings of models with any number of constants.
 */

import { type FitOptions, Random, studentReach } from "@ndvm/core";
import { describe, expect, test, vi } from "vitest";
import { choiceWarnings } from "../../src/choice/choose.js";
import { simpleNear } from "../../src/choice/simple-numbers.js";
import { Scales } from "../../src/choice/weigh.js";
import { decimalStep, latticeOf, type Yardstick, yardstickOf } from "../../src/choice/yardstick.js";
import { complexityOf } from "../../src/complexity.js";
import type { SearchData, Weighing } from "../../src/index.js";
import { makeStudy } from "../../src/study.js";
import type { FrontMember } from "../../src/types.js";

const fits: FitOptions["params"][] = [];
vi.mock("@ndvm/core", async (original) => {
  const core = await original<typeof import("@ndvm/core")>();
  const fit: typeof core.fit = (program, options) => {
    fits.push(options.params);
    return core.fit(program, options);
  };
  return { ...core, fit };
});

type Params = Readonly<Record<string, number>>;

async function weigh(data: SearchData, source: string, params: Params): Promise<Weighing> {
  const study = makeStudy({ data, target: "y", operators: ["+", "*", "sin", "cos", "tan"] });
  const scales = await Scales.create(study);
  fits.length = 0;
  try {
    const complexity = complexityOf(source, study.inputs);
    const weighing = await scales.weigh({ visit: 0, source, params, complexity });
    if (weighing === undefined) throw new Error("it has no length");
    return weighing;
  } finally {
    scales.dispose();
  }
}

describe("rates that nobody reads as those of a wave are found at their lowest alias", () => {
  const turn = 2 * Math.PI;
  const x = Array.from({ length: 30 }, (_, i) => i);
  // Rounding grows where a tangent does, so noise says what is equally good.
  const draws = new Random(11);
  const noise = x.map(() => 0.01 * draws.normal());
  const waves = { sin: Math.sin, cos: Math.cos, tan: Math.tan };
  const names = Object.keys(waves) as (keyof typeof waves)[];
  // Behind a procedure, and in a loop whose state the wave is of.
  const hidden = (wave: string, rate: string): string =>
    `(let ((f (lambda (t) (* ${rate} t)))) (${wave} (f x)))`;
  const looped = (wave: string, rate: string): string =>
    `(loop ((s 0) (k 0)) (if (= k 1) s (recur (${wave} (* ${rate} (+ x s))) (+ k 1))))`;

  test.each(names)("in %s, behind a procedure and in a loop", async (name) => {
    for (const make of [hidden, looped])
      for (const low of [0.31, 0.47])
        for (const turns of [-1, 1, 2]) {
          const high = low + turns * turn;
          const y = x.map((at, i) => 10 + (noise[i] as number) + waves[name](high * at));
          const source = `(+ 10 ${make(name, "w")})`;
          const { params } = await weigh({ x, y }, source, { w: high });
          expect(params["w"], `${source} ${turns}`).toBeCloseTo(low, 1);
        }
  });

  test.each(names)("in %s, beside another one", async (first) => {
    const [u, v] = [0.31, 0.47];
    for (const second of names)
      for (const [uTurns, vTurns] of [
        [2, 1],
        [1, 0],
        [0, 1],
        [-1, 2],
      ] as const) {
        const start = { u: u + uTurns * turn, v: v + vTurns * turn };
        const y = x.map((at, i) => {
          const sum = waves[first](start.u * at) + 2 * waves[second](start.v * at);
          return 10 + (noise[i] as number) + sum;
        });
        const source = `(+ 10 (+ ${hidden(first, "u")} (* 2 ${hidden(second, "v")})))`;
        const { params } = await weigh({ x, y }, source, start);
        expect(params["u"], `${source} ${uTurns}`).toBeCloseTo(u, 1);
        expect(params["v"], `${source} ${vTurns}`).toBeCloseTo(v, 1);
      }
  });
});

test("the cheapest three simple numbers within reach are tried in turn, until one is taken", async () => {
  const bit = (i: number, at: number) => 1 - 2 * ((i >> at) & 1);
  const x = Array.from({ length: 64 }, (_, i) => bit(i, 0));
  // A constant that is known too well to be simple, so that something is always left to fit.
  const z = x.map((_, i) => 1000 * bit(i, 1));
  const taken: number[] = [];
  for (const a of [0.5, 0.34, 0.26, 1.5, 2.5, 0.75, 1.26, Math.PI / 2, 0.05, 3, 7.314])
    for (const noise of [0.2, 0.8, 1.5]) {
      const y = x.map((at, i) => a * at + 7313.77 * bit(i, 1) + noise * bit(i, 3));
      const found = await weigh({ x, z, y }, "(+ (* a x) (* b z))", { a, b: 7.31377 });
      const tried: number[] = [];
      for (const params of fits) {
        const spec = params?.["a"];
        if (typeof spec === "object" && "fixed" in spec) tried.push(spec.fixed as number);
      }
      const [low, high] = found.intervals["a"] as readonly [number, number];
      const reach = (3 * (high - low)) / 2 / studentReach(0.95, x.length - 2);
      const near = simpleNear((low + high) / 2, reach).map(({ value }) => value);
      const isSimple = found.simple.includes("a");
      const count = isSimple ? 1 + near.indexOf(found.params["a"] as number) : 3;
      taken.push(isSimple ? count : 0);
      const { length } = tried;
      expect([a, noise, tried]).toEqual([a, noise, near.slice(0, Math.min(count, 3))]);
      expect(length).toBe(Math.min(count, near.length));
    }
  // Some are taken at once, some when another was refused, and some stay as they are.
  for (const count of [0, 1, 2]) expect(taken, taken.join(" ")).toContain(count);
});

test("the digits and the lattice of a column are the same whatever the signs of its numbers", () => {
  const draws = new Random(5);
  for (let i = 0; i < 60; i++) {
    const unit = 10 ** Math.floor(6 * draws.uniform() - 3);
    const numbers = Array.from({ length: 24 }, () => {
      const whole = 1 + Math.floor(500 * draws.uniform());
      return Number((whole * unit).toPrecision(12));
    });
    const step = decimalStep([numbers]);
    expect(step).toBeGreaterThan(0);
    const negative = numbers.map((value) => -value);
    const mixed = numbers.map((value, at) => (at % 3 === 0 ? -value : value));
    for (const columns of [[negative], [mixed], [negative.slice(0, 9), numbers.slice(9)]])
      expect(decimalStep(columns)).toBe(step);
    for (const scattered of [numbers.map((value) => -Math.PI * value), mixed.map(Math.cbrt)])
      expect(decimalStep([scattered])).toBe(0);
    const x = numbers.map((_, at) => at * unit);
    const of = (y: readonly number[]) => yardstickOf(makeStudy({ data: { x, y }, target: "y" }));
    const { resolution, leastSquare, resolutionBits } = of(numbers);
    expect(of(negative)).toMatchObject({ resolution, leastSquare, resolutionBits });
    expect(of(mixed)).toMatchObject({ resolution, leastSquare, resolutionBits });
    const down = latticeOf([x.map((value) => -value)]);
    expect(down?.step).toBeCloseTo(latticeOf([x])?.step as number, 12);
  }
});

test("a chosen model of any number of constants is warned of by what a training row is missed by", () => {
  const rule = { trainRows: 9, leastSquare: 1e-9 } as Yardstick;
  let told = 0;
  for (let constants = 0; constants <= 20; constants++)
    for (const loss of [0, 1e-6, 0.5, 8, 100])
      for (const r2 of [-3, 0, 0.5, 0.9, 0.999, 1])
        for (const rows of [2, 12, 40]) {
          const params = Object.fromEntries(
            Array.from({ length: constants }, (_, i) => [`p${i}`, i]),
          );
          const member = {
            loss,
            r2,
            params,
            undetermined: [],
            hidden: 0,
          } as unknown as FrontMember;
          // No fewer than one row is left to tell the noise, however many constants there are.
          const trained = Math.max(loss / (constants < 9 ? 9 - constants : 1), 1e-9);
          const ratio = Math.max(((1 - r2) * 100) / rows, 1e-9) / trained;
          const evidence = (rows / 2) * ((ratio - 1) / Math.LN2 - Math.log2(ratio));
          const warnings = choiceWarnings(member, { rows, squares: 100 }, rule);
          const isTold = ratio > 2 && evidence > 10;
          expect([constants, loss, r2, rows, warnings.length]).toEqual([
            ...[constants, loss, r2, rows, isTold ? 1 : 0],
          ]);
          if (!isTold) continue;
          told += 1;
          expect(warnings[0]).toContain(`misses by ${Math.sqrt(ratio).toPrecision(2)} times`);
        }
  expect(told).toBeGreaterThan(100);
});
