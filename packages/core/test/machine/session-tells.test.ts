/**
 * Sessions tell what a fresh gradient tells, call after call, whatever path they take and whatever was asked
 * between: values, slopes of numbers, vectors and matrices, the inputs that nothing depends on, and NaN for
 * every number of a lane that failed and for no other.
 */

import { expect, test } from "vitest";
import { type Inputs, Machine, mat, vec } from "../../src/index.js";
import { Random } from "../fuzz/random.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

/** Programs with paths that depend on different inputs, and lanes that fail on some of them. */
const SOURCES: readonly (readonly [string, readonly string[]])[] = [
  ["(if (< x 0) (* a x) (* b x))", ["a", "b", "x"]],
  ["(if (< x 0) (* a x) (if (< x 1) 2 (* a b)))", ["a", "b", "x"]],
  ["(if (< x 1) (* a (dot v v)) (car x))", ["a", "v", "x"]],
  ["(if (< x 0) (* x a) (if (< x 1) (dot v [a b 1]) (car b)))", ["a", "b", "v", "x"]],
  ["(if (< x 1) (* a (vsum m)) (dot v m))", ["a", "m", "v"]],
  ["(if (< x 1) (+ (det m) (* b x)) (matmul v m))", ["b", "m", "v", "x"]],
];

const numbersOf = (random: Random, count: number): number[] =>
  Array.from({ length: count }, () => random.between(-8, 8) / 4 + 0.1);

/** Numbers for every name a program may have; those in x decide its path. */
function inputsOf(random: Random, lanes: number, isAlike: boolean): Inputs {
  const one = random.pick([-1, 0.5, 2, 0.25]);
  const x = Array.from({ length: lanes }, () => (isAlike ? one : random.pick([-1, 0.5, 2])));
  const [a = 0, b = 0] = numbersOf(random, 2);
  return { a, b, x: lanes === 1 ? one : x };
}

/** Vectors and matrices stay what they are for a whole session. */
const tensorsOf = (random: Random): Inputs => ({
  v: vec(numbersOf(random, 3)),
  m: mat([numbersOf(random, 2), numbersOf(random, 2)]),
});

test(`sessions tell what a gradient tells, SEED=${seed}`, async () => {
  const random = new Random(seed);
  const machine = await Machine.create();
  let failures = 0;
  for (let history = 0; history < 120; history++) {
    const [source, names] = random.pick(SOURCES);
    const lanes = random.pick([1, 1, 3, 9]);
    const program = machine.load(source);
    const tensors = tensorsOf(random);
    const chosen = (all: Inputs): Inputs =>
      Object.fromEntries(
        program.inputs.map((name) => [name, tensors[name] ?? all[name]]),
      ) as Inputs;
    const wrt = names.filter((name) => name === "v" || name === "m" || random.chance(0.7));
    if (wrt.length === 0) continue;
    const session = program.session(chosen(inputsOf(random, lanes, true)), { wrt });
    for (let turn = 0; turn < 12; turn++) {
      const inputs = chosen(inputsOf(random, lanes, random.chance(0.8)));
      if (random.chance(0.15)) {
        // Clears the traces, after which the next call is walked.
        try {
          program.explain(inputs);
        } catch {
          // Every lane failed.
        }
      }
      for (const [name, value] of Object.entries(inputs).filter(([name]) => !(name in tensors)))
        session.set(name, value as Parameters<typeof session.set>[1]);
      const fresh = machine.load(source);
      let wanted: ReturnType<typeof fresh.gradient> | undefined;
      try {
        wanted = fresh.gradient(inputs, { wrt });
      } catch (error) {
        expect(() => session.run()).toThrow((error as Error).message);
        failures += 1;
      }
      if (wanted !== undefined) {
        session.run();
        const what = `${source} by ${wrt} of ${lanes} lanes, turn ${turn} of history ${history}`;
        const isFailed = new Set(wanted.failures.map(({ lane }) => lane));
        failures += isFailed.size;
        const alive = (all: ArrayLike<number>, per: number) =>
          Array.from(all, (value, i) => (isFailed.has(Math.floor(i / per)) ? Number.NaN : value));
        expect([...session.values], what).toEqual(alive(wanted.values, 1));
        for (const name of wrt) {
          const slopes = wanted.gradients[name] as Float64Array;
          const got = [...(session.gradients[name] as Float64Array)];
          expect(got, `${name}: ${what}`).toEqual(alive(slopes, slopes.length / lanes));
        }
      }
      fresh.dispose();
    }
    program.dispose();
  }
  expect(failures).toBeGreaterThan(50);
  machine.dispose();
});

test(`plain calls tell the inputs that nothing depends on, whatever path came before, SEED=${seed}`, async () => {
  const random = new Random(seed + 1);
  const machine = await Machine.create();
  for (let history = 0; history < 150; history++) {
    const [source] = random.pick(SOURCES.slice(0, 2));
    const program = machine.load(source);
    const paths = [-1, 0.5, 2];
    for (let turn = 0; turn < 14; turn++) {
      // The same path several times in a row takes quicker and quicker ways.
      const x = (turn % 4 === 0 ? random.pick(paths) : paths[history % 3]) as number;
      const inputs = { a: 1.5 + turn, b: 2.5, x };
      const deed = random.below(12);
      if (deed === 0) program.explain(inputs);
      else if (deed === 1) machine.clearMemory();
      else if (deed === 2) program.evaluate(inputs);
      const fresh = machine.load(source);
      const wanted = fresh.gradient({ a: [inputs.a], b: [2.5], x: [x] });
      const got = program.gradient(inputs);
      const what = `${source} at x = ${x}, turn ${turn} of history ${history}`;
      expect([...got.inactive].sort(), what).toEqual([...wanted.inactive].sort());
      expect(got.gradients, what).toEqual(wanted.gradients);
      expect([...got.values]).toEqual([...wanted.values]);
      fresh.dispose();
    }
    program.dispose();
  }
  machine.dispose();
});
