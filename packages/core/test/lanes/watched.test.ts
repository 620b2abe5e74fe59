/**
 * Runs whose clock is watched. A matrix operation is never interrupted, so lanes that would keep the
 * machine from the clock for long are walked in narrower chunks. Nothing else may show of it.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { Machine, type Precision, type RunOptions } from "../../src/index.js";
import { caught, caughtLater } from "../machine/support.js";

/** A time that no run here reaches. */
const WATCHED: RunOptions = { timeMax: 1e9 };

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => 1 + i / 8);

const programs: readonly (readonly [string, string])[] = [
  ["one product", "(let ((m (scale a (eye 320)))) (vsum (matmul m m)))"],
  [
    "several that are not too much each",
    "(let ((m (scale a (eye 200)))) (loop ((i 0) (x m)) (if (= i 6) (trace x) (recur (+ i 1) (matmul x m)))))",
  ],
  ["an inverse of some lanes", "(if (< a 3) (trace (inv (scale a (eye 260)))) (* a a))"],
  ["a system", "(vsum (solve (scale a (eye 240)) (scale a (eye 240))))"],
  ["a failing lane among them", "(if (= a 2) (car a) (logdet (scale a (eye 300))))"],
];

describe.each(["f64", "f32"] as const)("in %s", (precision: Precision) => {
  // Nine vectors of lanes, too many for each of the programs.
  const lanes = precision === "f64" ? 18 : 36;
  let machine: Machine;
  beforeAll(async () => {
    machine = await Machine.create({ precision });
  });

  test.each(programs)(
    "values, gradients and failures are those of an unwatched run: %s",
    (_, source) => {
      const inputs = { a: range(lanes) };
      const program = machine.load(source);
      const plain = program.gradient(inputs, { replay: false });
      const results = [
        program.gradient(inputs, WATCHED),
        program.gradient(inputs, WATCHED),
        program.gradient(inputs, { ...WATCHED, replay: false }),
      ];
      for (const result of results) {
        expect(result.values).toEqual(plain.values);
        expect(result.gradients).toEqual(plain.gradients);
        expect(result.failures.map(({ lane }) => lane)).toEqual(
          plain.failures.map(({ lane }) => lane),
        );
      }
      expect(results[2]?.stats.walks).toBeGreaterThan(1);
      expect(program.evaluate(inputs, { ...WATCHED, replay: false }).values).toEqual(plain.values);
      program.dispose();
    },
  );

  test.each(programs)(
    "a budget of exactly a lane's steps is enough, one less is not: %s",
    (_, source) => {
      const program = machine.load(source);
      const alone = program.evaluate({ a: [1] }, { replay: false }).stats.steps;
      const inputs = { a: new Array(lanes).fill(1) as number[] };
      for (const options of [{}, { replay: false }]) {
        const enough = program.evaluate(inputs, { ...WATCHED, ...options, stepsMax: alone });
        expect(enough.failures).toEqual([]);
        const short = () =>
          program.evaluate(inputs, { ...WATCHED, ...options, stepsMax: alone - 1 });
        expect(caught(short).code).toBe("E-STEPS");
      }
      program.dispose();
    },
  );
});

describe("many lanes of a large matrix operation do not keep the machine from its clock", () => {
  const source = "(trace (inv (scale a (eye 400))))";
  const inputs = { a: range(64) };

  test("a time limit ends them", async () => {
    const machine = await Machine.create();
    const program = machine.load(source);
    expect(caught(() => program.evaluate(inputs, { timeMax: 100 })).code).toBe("E-TIME");
    expect(caught(() => program.gradient(inputs, { timeMax: 100 })).code).toBe("E-TIME");
    expect(program.evaluate({ a: 2 }).values[0]).toBeCloseTo(200, 9);
  });

  test("a signal ends them", async () => {
    const machine = await Machine.create();
    const program = machine.load(source);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const error = await caughtLater(program.evaluateAsync(inputs, { signal: stop.signal }));
    expect(error.code).toBe("E-ABORTED");
  });
});
