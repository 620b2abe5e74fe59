/**
 * Models that were made to deceive: they say on the rows what the law says, or follow the noise, and
 * swing where no row is looking. The law is the shorter one, whatever the rows are like.
 */

import { Random } from "@ndvm/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gapsOf, swingsOf } from "../../src/choice/gaps.js";
import { weighFront } from "../../src/choice/weigh-front.js";
import { complexityOf } from "../../src/complexity.js";
import type { Outcome, SearchData, Weighing } from "../../src/index.js";
import { makeStudy } from "../../src/study.js";

const seed = Number(process.env["SEED"] ?? 1);
type Params = Readonly<Record<string, number>>;

interface Model {
  readonly source: string;
  readonly params: Params;
}

async function weighed(data: SearchData, models: readonly Model[]): Promise<readonly Weighing[]> {
  const study = makeStudy({ data, target: "y", holdOut: 0.2 });
  const members = models.map(({ source, params }, visit) => {
    const complexity = complexityOf(source, study.inputs);
    return { visit, source, params, complexity, loss: 1, status: "scored" } as unknown as Outcome;
  });
  const weighings = await weighFront(study, members);
  return models.map((_, visit) => weighings.get(visit) as Weighing);
}

/** Smooth laws of one input, with constants that are no simple numbers. */
const laws: readonly (Model & { readonly at: (x: number) => number })[] = [
  { source: "(+ a (* b x))", params: { a: 0.371, b: 1.234 }, at: (x) => 0.371 + 1.234 * x },
  {
    source: "(* a (exp (* b x)))",
    params: { a: 2.345, b: -0.2718 },
    at: (x) => 2.345 * Math.exp(-0.2718 * x),
  },
  {
    source: "(* a (sin (* b x)))",
    params: { a: 1.618, b: 0.577 },
    at: (x) => 1.618 * Math.sin(0.577 * x),
  },
];

const rowsOf = (draws: Random, isEven: boolean, count: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) =>
    isEven ? (10 * i) / (count - 1) : 10 * draws.uniform(),
  );

/** A model whose wave was weighed away is the law itself, and as long. */
function expectShorter(law: Weighing, other: Weighing | undefined, label: string): void {
  if (other === undefined) return;
  const isLaw = other.complexity === law.complexity;
  expect(other.length - law.length, label).toBeGreaterThan(isLaw ? -1e-6 : 0);
}

describe("swings that rows do not show", () => {
  test("are dearer than the law: waves that are 0 on every row", async () => {
    for (const law of laws)
      for (const count of [8, 21, 101])
        for (const turns of [0.5, 1, 4, 8, 16, 64]) {
          const x = rowsOf(new Random(1), true, count);
          const draws = new Random(count);
          const y = x.map((at) => law.at(at) + 0.02 * draws.normal());
          const rate = (2 * Math.PI * turns * (count - 1)) / 10;
          const wave = { source: `(+ ${law.source} (* c (sin (* d x))))` };
          const params = { ...law.params, c: 3, d: rate };
          const [plain, swinging] = await weighed({ x, y }, [law, { ...wave, params }]);
          const label = `${law.source}, ${count} rows, ${turns} turns a row`;
          expectShorter(plain as Weighing, swinging, label);
          expect(plain?.hidden, label).toBe(0);
        }
  });

  test("are dearer than the law: waves that follow the noise of scattered rows", async () => {
    const wave = fc.record({
      law: fc.constantFrom(...laws),
      count: fc.constantFrom(8, 12, 30, 60),
      noise: fc.constantFrom(0.02, 0.1, 0.3),
      rate: fc.double({ min: 20, max: 3000, noNaN: true }),
      draw: fc.nat(1e6),
    });
    await fc.assert(
      fc.asyncProperty(wave, async ({ law, count, noise, rate, draw }) => {
        const draws = new Random(draw);
        const x = rowsOf(draws, false, count);
        const y = x.map((at) => law.at(at) + noise * draws.normal());
        const source = `(+ ${law.source} (* c (sin (+ e (* d x)))))`;
        const params = { ...law.params, c: noise, d: rate, e: 0.3 };
        const [plain, swinging] = await weighed({ x, y }, [law, { source, params }]);
        expectShorter(plain as Weighing, swinging, JSON.stringify(swinging));
      }),
      { seed, numRuns: 60 },
    );
  });

  test("are seen whatever their rate, with one input and with several", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 64 }),
        fc.constantFrom(1, 2, 5),
        fc.constantFrom(1, 2, 3),
        (turns, size, inputs) => {
          const names = ["a", "b", "c"].slice(0, inputs);
          const rows = 6 ** inputs;
          const columns = Object.fromEntries(
            names.map((name, axis) => [
              name,
              Float64Array.from({ length: rows }, (_, row) => Math.floor(row / 6 ** axis) % 6),
            ]),
          );
          const y = Float64Array.from({ length: rows }, (_, row) =>
            names.reduce((sum, name) => sum + ((columns[name] as Float64Array)[row] as number), 0),
          );
          const gaps = gapsOf({ ...columns, y }, names, "y");
          const places = names.map((name) => gaps.places[name] as Float64Array);
          const model = (scale: number) =>
            Float64Array.from({ length: gaps.placeCount }, (_, i) =>
              places.reduce((sum, at) => {
                const x = at[i] as number;
                return sum + x + scale * Math.sin(2 * Math.PI * turns * x);
              }, 0),
            );
          expect(swingsOf(gaps, model(0))).toEqual({ bits: 0, share: 0 });
          const swings = swingsOf(gaps, model(size));
          expect(swings.share).toBeGreaterThan(0.25);
          expect(swings.bits).toBeGreaterThan(0);
        },
      ),
      { seed, numRuns: 200 },
    );
  });
});
