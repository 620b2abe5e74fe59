/**
 * The paper's calibration: 30 Adam steps over the likelihood of a 2×2 Kalman filter take the way
 * that forward-mode differentiation in plain TypeScript takes, in f64 and, to rounding, in f32; on
 * the paper's own observations they end where its published run ended.
 */

import { afterAll, describe, expect, test } from "vitest";
import { type FitResult, fit, Machine, vec } from "../../src/index.js";
import type { Precision } from "../../src/machine/types.js";
import { describeCorpus, readCorpus } from "../corpus/corpus.js";
import { readModel, readTable } from "../examples/support.js";
import { adamTrajectory } from "./dual-kalman.js";

const STEPS = 30;
const RATE = 0.08;
const START = [0.3, 0.3] as const;
const source = readModel("kalman-fit");

const machines = {
  f32: await Machine.create({ precision: "f32" }),
  f64: await Machine.create({ precision: "f64" }),
};
afterAll(() => {
  for (const machine of Object.values(machines)) machine.dispose();
});

type Positions = readonly (readonly [number, number])[];

/** Where a fit of so many steps has its next trial: `best` would only tell of falling losses. */
function lastPoint(result: FitResult): readonly number[] {
  const { states } = result.toJSON() as unknown as {
    readonly states: readonly { readonly numbers: readonly number[] }[];
  };
  // Five counts and powers, the best point, then the trial.
  return (states[0]?.numbers ?? []).slice(7, 9);
}

async function trajectory(precision: Precision, positions: Positions) {
  const program = machines[precision].load(source);
  const data = { east: positions.map(([east]) => east), north: positions.map(([, y]) => y) };
  const [step, noise] = START;
  const points: (readonly number[])[] = [[step, noise]];
  for (let steps = 1; steps <= STEPS; steps++) {
    const result = await fit(program, {
      data,
      params: { step, noise },
      optimiser: "adam",
      adam: { rate: RATE },
      steps,
    });
    expect(result.restarts[0]?.steps).toBe(steps);
    const byName = Object.fromEntries(
      result.parameters.map((name, j) => [name, lastPoint(result)[j] as number]),
    );
    points.push([byName["step"] as number, byName["noise"] as number]);
  }
  const losses = points.map(
    ([step = 0, noise = 0]) =>
      program.evaluate({ ...vectors(data), step, noise }).values[0] as number,
  );
  program.dispose();
  return { points, losses };
}

function vectors(data: Readonly<Record<string, readonly number[]>>) {
  return Object.fromEntries(Object.entries(data).map(([name, column]) => [name, vec(column)]));
}

function expectSameWay(
  ours: { readonly points: readonly (readonly number[])[]; readonly losses: readonly number[] },
  theirs: ReturnType<typeof adamTrajectory>,
  relative: number,
) {
  expect(ours.points.length).toBe(STEPS + 1);
  ours.points.forEach((point, step) => {
    point.forEach((value, j) => {
      const expected = theirs.points[step]?.[j] as number;
      expect(Math.abs(value - expected), `step ${step}, parameter ${j}`).toBeLessThanOrEqual(
        relative * Math.max(Math.abs(expected), 0.1),
      );
    });
    const loss = theirs.losses[step] as number;
    expect(Math.abs((ours.losses[step] as number) - loss), `loss at step ${step}`).toBeLessThan(
      relative * Math.max(Math.abs(loss), 100),
    );
  });
}

const tolerances = [
  ["f64", 1e-12],
  ["f32", 1e-5],
] as const;

describe("30 Adam steps over a Kalman filter's likelihood", () => {
  const { east = [], north = [] } = readTable("kalman-fit");
  const positions = east.map((x, i) => [x, north[i] as number] as const);
  const theirs = adamTrajectory(positions, START, RATE, STEPS);

  test.each(tolerances)("go the way of dual numbers in %s", async (precision, relative) => {
    expectSameWay(await trajectory(precision, positions), theirs, relative);
  });
});

describeCorpus("the paper's Kalman calibration", () => {
  interface Case {
    readonly name: string;
    readonly matrices: Readonly<Record<string, { readonly data: readonly number[] }>>;
  }
  const programs = readCorpus<readonly Case[]>("reference/five_programs.json");
  const numbers = programs.find(({ name }) => /kalman/i.test(name))?.matrices["obs"]?.data ?? [];
  const positions = Array.from(
    { length: numbers.length / 2 },
    (_, k) => [numbers[2 * k] as number, numbers[2 * k + 1] as number] as const,
  );
  const theirs = adamTrajectory(positions, START, RATE, STEPS);

  test.each(tolerances)("goes the way of dual numbers in %s", async (precision, relative) => {
    expect(positions.length).toBe(80);
    expectSameWay(await trajectory(precision, positions), theirs, relative);
  });

  test("ends where the published run ended", async () => {
    // Its table prints the loss before the last step and the parameters after it.
    const { points, losses } = await trajectory("f32", positions);
    const [step = 0, noise = 0] = points.at(-1) ?? [];
    expect(losses.at(-2)).toBeCloseTo(164.94514, 3);
    expect(Math.max(step, 1e-4).toFixed(5)).toBe("0.00010");
    expect(noise).toBeCloseTo(1.07321, 4);
  });
});
