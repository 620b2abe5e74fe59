/**
 * Inputs of every kind cut into parts are those of one machine: over axes in any order, by lane, shared, whole
 * numbers, singles and doubles, with seeds and sums, whatever the number of workers, and again with the same
 * pool. Lanes are so many that parts begin in the middle of an axis.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type Evaluation,
  type GradientOptions,
  type GradientResult,
  type Inputs,
  int,
  Machine,
  mat,
  type NdvmError,
  over,
  type Pool,
  vec,
} from "../../src/index.js";
import { Random } from "../fuzz/random.js";
import { Crowd } from "./threads.js";

let crowd = new Crowd();
vi.mock("../../src/workers/host.js", async (original) => ({
  ...(await original<typeof import("../../src/workers/host.js")>()),
  hostStarter: async () => crowd.startHost,
}));
beforeEach(() => {
  crowd = new Crowd();
});

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

const poolOf = (workers: number, sharedMemory: boolean): Promise<Pool> =>
  crowd.poolOf(machine, workers, sharedMemory);
const after = <T>(call: Promise<T>): Promise<T> => crowd.after(call);

const worded = ({ code, message, help, facts, span, source, file }: NdvmError): object => ({
  ...{ code, message, help, facts, span, source, file },
});

/** The indices of a lane along the axes. */
function placeOf({ axes }: Evaluation, lane: number): Record<string, number> {
  let rest = lane;
  const indices = [...axes].reverse().map(({ name, size }) => {
    const index = rest % size;
    rest = Math.floor(rest / size);
    return [name, index] as const;
  });
  return Object.fromEntries(indices);
}

/** All that a result tells; of many lanes what some of them print. */
function whole(out: Evaluation & Partial<GradientResult>): object {
  const { lanes, axes, shape, failures, nonFinite, gradients, reduced, inactive } = out;
  const failed = new Set(failures.map(({ lane }) => lane));
  const some = Array.from({ length: lanes }, (_, lane) => lane).filter(
    (lane) => !failed.has(lane) && (lane % 7 === 0 || lane === lanes - 1),
  );
  let values: unknown;
  try {
    values = out.values;
  } catch (error) {
    values = worded(error as NdvmError);
  }
  return {
    ...{ lanes, axes, shape, values, gradients: gradients && { ...gradients }, reduced },
    nonFinite: nonFinite.map(({ lane, value }) => [lane, value]),
    causes: nonFinite.slice(0, 8).map(({ cause, span }) => [cause, span]),
    inactive: inactive && [...inactive].sort(),
    failures: failures.map(({ lane, error }) => [lane, worded(error)]),
    printed: some.map((lane) => out.print(lane)),
    data: some.map((lane) => out.datum(lane)),
    places: some.map((lane) => out.at(placeOf(out, lane))),
  };
}

const told = async (run: () => Evaluation | Promise<Evaluation>): Promise<object> => {
  try {
    return whole(await run());
  } catch (error) {
    return worded(error as NdvmError);
  }
};

/** Programs of a number x, a vector v, a matrix m, a number k and a whole number n. */
const numeric = [
  "(+ (* x k) (dot v v) (vsum m))",
  "(loop ((i 0) (s x)) (if (= i n) (* s (vsum v)) (recur (+ i 1) (+ s (* k (vsum m))))))",
  "(if (> x 2) (car v) (* k (log x) (vsum v) (vsum m)))",
  "(if (> x 1) (* x (vsum m)) (/ k (vsum v)))",
];
const others = [
  "(vec x k (vsum v))",
  "(vec x k (vsum v))",
  "(list x 'word v m (lambda (y) y))",
  "(if (> x 0) (list v k) (* x (vsum m)))",
  "(if (> x 0) 'plus 'minus)",
  "(if (> x 0) (lambda (y) y) car)",
  "(if (> x 1) (car v) '(1 . 2))",
  "(> x k)",
];

/** Inputs in any of their forms, of the same number of lanes. */
function inputsOf(random: Random): { inputs: Inputs; lanes: number } {
  const number = (): number => random.between(-8, 16) / 4;
  const numbers = (count: number): number[] => Array.from({ length: count }, number);
  const vectorOf = () => vec(numbers(3));
  const matrixOf = () => mat([numbers(2), numbers(2)]);
  const typed = (all: number[]) =>
    random.pick([all, Float64Array.from(all), Float32Array.from(all)]) as number[];
  const isOverAxes = random.chance(0.6);
  const sizes: Record<string, number> = {
    r: random.between(2, 9),
    d: random.between(3, 40),
    c: random.between(1, 3),
  };
  const lanes = isOverAxes ? 0 : random.between(1, 900);
  const by = <T>(make: () => T): readonly [readonly T[], readonly string[]] => {
    const own = ["r", "d", "c"].filter(() => random.chance(0.5));
    if (own.length === 0) own.push("d");
    if (random.chance(0.5)) own.reverse();
    const count = own.reduce((product, name) => product * (sizes[name] as number), 1);
    return [Array.from({ length: count }, make), own];
  };
  const form = <T>(make: () => T, one: T, list: (all: T[]) => unknown): unknown => {
    if (random.chance(0.3)) return one;
    if (!isOverAxes) return list(Array.from({ length: lanes }, make));
    const [values, own] = by(make);
    return over([...own], list([...values]) as number[], { sizes });
  };
  const inputs = {
    x: isOverAxes
      ? over(["d", "r", "c"], typed(numbers((sizes["r"] as number) * (sizes["d"] as number) * (sizes["c"] as number))), { sizes }) // biome-ignore format: one input
      : typed(numbers(lanes)),
    k: form(number, number(), typed as (all: number[]) => unknown),
    v: form(vectorOf, vectorOf(), (all) => all),
    m: form(matrixOf, matrixOf(), (all) => all),
    n: int(random.between(0, 3)),
  } as Inputs;
  const total = isOverAxes ? Object.values(sizes).reduce((a, b) => a * b, 1) : lanes;
  return { inputs, lanes: total };
}

describe.each([true, false])("with shared memory: %s", (sharedMemory) => {
  test.each([1, 2, 5])(`%i workers give what one machine does, SEED=${seed}`, async (workers) => {
    const random = new Random(seed + workers + (sharedMemory ? 100 : 0));
    const pool = await poolOf(workers, sharedMemory);
    for (let turn = 0; turn < 14; turn++) {
      const { inputs, lanes } = inputsOf(random);
      const isNumeric = random.chance(0.6);
      const source = random.pick(isNumeric ? numeric : others);
      const program = machine.load(source, { inputs: ["x", "k", "v", "m", "n"], file: "any.scm" });
      const what = `turn ${turn}: ${source} of ${lanes} lanes`;
      for (let call = 0; call < 2; call++) {
        const wanted = await told(() => program.evaluate(inputs));
        expect(await told(() => after(pool.evaluate(program, inputs))), what).toEqual(wanted);
      }
      if (isNumeric) {
        const own: GradientOptions = {
          ...(random.chance(0.5) ? { wrt: random.pick([["x"], ["v", "k"], ["m", "x"], []]) } : {}),
          ...(random.chance(0.5)
            ? { seed: random.pick([3, Float32Array.from({ length: lanes }, (_, i) => i % 5)]) }
            : {}),
          ...(random.chance(0.5) ? { reduce: true } : {}),
        };
        const wanted = await told(() => program.gradient(inputs, own));
        const got = await told(() => after(pool.gradient(program, inputs, own)));
        expect(got, `${what}, ${JSON.stringify(own)}`).toEqual(wanted);
      }
      if (source === "(vec x k (vsum v))") {
        const all = Array.from({ length: 3 * lanes }, (_, i) => (i * 7) % 11);
        for (const own of [all, Float64Array.from(all), 2, all.slice(lanes)]) {
          const wanted = await told(() => program.gradient(inputs, { seed: own }));
          const got = await told(() => after(pool.gradient(program, inputs, { seed: own })));
          if (own === all || "lanes" in wanted) expect(got, what).toEqual(wanted);
          else expect((got as NdvmError).code, what).toBe((wanted as NdvmError).code);
        }
      }
      program.dispose();
    }
    expect(crowd.mistakes).toEqual([]);
    await pool.dispose();
  });
});
