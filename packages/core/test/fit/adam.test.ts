/**
 * Adam's steps, which the machine takes for two parameters at once, against the same formulas in
 * plain numbers, parameter by parameter: the same bits for any number of parameters and any bounds.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { makeTransform } from "../../src/fit/parameters/transforms.js";
import type { ParameterOptions } from "../../src/index.js";
import { fitText } from "./support.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

/** Kinds of parameters: bounds, null where there is none, and whether the logarithm moves. */
const KINDS = [
  { bounds: [null, null], isLog: false },
  { bounds: [-1, 2], isLog: false },
  { bounds: [0, 1], isLog: false },
  { bounds: [0.1, null], isLog: false },
  { bounds: [null, 3], isLog: false },
  { bounds: [0.1, 5], isLog: true },
  { bounds: [null, null], isLog: true },
] as const;

type Kind = (typeof KINDS)[number];

interface Moving {
  readonly kind: Kind;
  readonly start: number;
  /** The derivative of the loss by the parameter, everywhere. */
  readonly slope: number;
}

/** Where a parameter is after some steps. */
function afterSteps({ kind, start, slope }: Moving, steps: number, rate: number): number {
  const [lower, upper] = kind.bounds;
  const least = lower ?? (kind.isLog ? 0 : -Infinity);
  const map = makeTransform(least, upper ?? Infinity, start, kind.isLog);
  const [beta1, beta2, epsilon] = [0.9, 0.999, 1e-8];
  let [u, first, second, power1, power2] = [map.toFree(start), 0, 0, 1, 1];
  for (let step = 0; step < steps; step++) {
    const g = slope * map.slope(u);
    power1 *= beta1;
    power2 *= beta2;
    first = beta1 * first + (1 - beta1) * g;
    second = beta2 * second + (1 - beta2) * g * g;
    const size = Math.sqrt(second / (1 - power2));
    u -= (rate * (first / (1 - power1))) / (size + epsilon);
  }
  return map.toUser(u);
}

test("the steps of any parameters are those of each alone", async () => {
  console.info(`adam: SEED=${seed}`);
  const size = fc.double({ min: 0.1, max: 3, noNaN: true });
  const moving = fc.record({
    kind: fc.constantFrom(...KINDS),
    start: fc.double({ min: 0.2, max: 0.8, noNaN: true }),
    slope: fc.tuple(size, fc.boolean()).map(([slope, isDown]) => (isDown ? -slope : slope)),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(moving, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 12 }),
      async (all, steps) => {
        const rate = 0.05;
        const params: Record<string, ParameterOptions> = {};
        for (const [j, { kind, start }] of all.entries())
          params[`p${j}`] = {
            start,
            bounds: kind.bounds,
            scale: kind.isLog ? "log" : "linear",
          };
        const terms = all.map(({ slope }, j) => `(* ${slope} p${j})`);
        const { best } = await fitText(`(+ ${terms.join(" ")} 0.0)`, {
          params,
          optimiser: "adam",
          adam: { rate },
          steps,
          detail: "scores",
        });
        // The loss falls with every step, so the last point is the best one.
        expect(Object.values(best.params)).toEqual(all.map((one) => afterSteps(one, steps, rate)));
      },
    ),
    { seed, numRuns: 150 },
  );
});

test("a way that leaves the numbers ends there, and its best point is told", async () => {
  // Beyond 1 the loss is no number: steps of 0.3 go there from 0.
  const { best, restarts } = await fitText("(+ (sqrt (- 1 p)) (square (- p 5)))", {
    params: { p: 0 },
    optimiser: "adam",
    adam: { rate: 0.3 },
    steps: 50,
  });
  expect(restarts[0]).toMatchObject({ reason: "damping", steps: 4, hasConverged: false });
  expect(best.params["p"]).toBeCloseTo(0.9, 1);
});
