/**
 * Whole results of pools: for every history of calls what a pool returns is what one machine returns, with
 * every lane's text and datum, every failure with its facts, and every sum.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Evaluation,
  type GradientResult,
  type JacobianResult,
  Machine,
  NdvmError,
  type Pool,
} from "../../src/index.js";
import { type Call, histories, spread, take } from "../machine/histories.js";
import { bitsOf } from "../machine/support.js";

const errorOf = ({ code, message, help, facts, span, file, source }: NdvmError) => ({
  ...{ code, message, help, facts, span, file, source },
});

/** Everything a caller sees. */
function seen(out: Evaluation): object {
  const { gradients, inactive, reduced } = out as Partial<GradientResult>;
  const { jacobians } = out as Partial<JacobianResult>;
  const bits = (record: object | undefined) =>
    Object.entries(record ?? {}).map(([name, numbers]) => [name, bitsOf(numbers)]);
  const lanes = Array.from({ length: out.lanes }, (_, lane) => lane);
  const isFailed = new Set(out.failures.map(({ lane }) => lane));
  return {
    ...{ lanes: out.lanes, axes: out.axes, shape: out.shape },
    values: out.shape === undefined ? undefined : bitsOf(out.values),
    prints: lanes.map((lane) => (isFailed.has(lane) ? "" : out.print(lane))),
    data: lanes.map((lane) => (isFailed.has(lane) ? "" : out.datum(lane))),
    failures: out.failures.map(({ lane, error }) => [lane, errorOf(error)]),
    nonFinite: [...out.nonFinite]
      .sort((a, b) => a.lane - b.lane)
      // A run looks for the causes of its first few; every worker has a first few of its own.
      .map(({ lane, value, ...cause }) => ({ lane, value, ...(out.lanes > 20 ? {} : cause) })),
    ...{ gradients: bits(gradients), jacobians: bits(jacobians), inactive, reduced },
  };
}

async function told(act: () => unknown): Promise<object> {
  try {
    return seen((await act()) as Evaluation);
  } catch (error) {
    if (error instanceof NdvmError) return errorOf(error);
    throw error;
  }
}

const isShared = (call: Call): boolean => call.kind === "evaluate" || call.kind === "gradient";

describe.each([
  [true, 3],
  [false, 2],
])("shared memory %s, %d workers", (sharedMemory, workers) => {
  let machine: Machine;
  let pool: Pool;
  beforeAll(async () => {
    machine = await Machine.create();
    pool = await machine.pool({ workers, sharedMemory });
  });
  afterAll(async () => {
    await pool.dispose();
    machine.dispose();
  });

  test.each(histories)("$name", async ({ source, load = {}, calls }) => {
    const program = machine.load(source, load);
    for (const call of calls.filter(isShared)) {
      const kind = call.kind as "evaluate" | "gradient";
      const alone = await told(() => take(program, call));
      const together = await told(() => pool[kind](program, call.inputs, call.options));
      expect(together).toEqual(alone);
    }
    program.dispose();
  });

  test("many lanes of every kind: numbers, lists, vectors, failures", async () => {
    const source =
      "(cond ((< x 0.2) (list x 'a)) ((< x 0.4) (vec x k)) ((< x 0.6) (car x)) ((< x 0.7) (/ k 0)) (else (* k x)))";
    const program = machine.load(source);
    for (const lanes of [7, 100, 700]) {
      const inputs = { x: spread(lanes, 0, 1), k: spread(lanes, 1, 2) };
      expect(await told(() => pool.evaluate(program, inputs))).toEqual(
        await told(() => program.evaluate(inputs)),
      );
    }
    const numbers = machine.load("(if (< x 0.3) (log (- x 0.1)) (* k x))");
    const inputs = { x: spread(500, 0, 1), k: spread(500, 1, 2) };
    for (const seed of [2, spread(500, -1, 1)])
      expect(await told(() => pool.gradient(numbers, inputs, { seed }))).toEqual(
        await told(() => numbers.gradient(inputs, { seed })),
      );
    program.dispose();
  });

  test("counters of all workers add up", async () => {
    const inputs = { x: spread(1000, 0, 1) };
    const { stats } = await pool.gradient("(* x (sin x))", inputs);
    expect(stats.lanes).toBe(1000);
    expect(stats.walks + stats.replays).toBeGreaterThan(0);
    expect(stats.chunkWidth).toBeGreaterThan(0);
    expect(stats.chunkWidth).toBeLessThanOrEqual(1000);
  });
});
