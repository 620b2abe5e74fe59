/**
 * What a machine keeps is its own: numbers of a run that is differentiated later, programs that come and go
 * in any order, and the time that is left while lanes stream.
 */

import { expect, test } from "vitest";
import { type Inputs, Machine, mat, over, type Program, vec } from "../../src/index.js";
import { branchFlips } from "../../src/machine/reports/diagnose.js";
import { Random } from "../fuzz/random.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

/** Inputs in every form that holds an array of the caller's, made anew. */
const FORMS: Readonly<
  Record<string, readonly [string, () => [Inputs, (number[] | Float64Array)[]]]>
> = {
  "a plain array by lane": ["(* x x k)", () => forms([1, 2, 3], (x) => x)],
  "a typed array by lane": ["(* x x k)", () => forms(Float64Array.of(1, 2, 3), (x) => x)],
  "a vector of a plain array": ["(* k (dot x x))", () => forms([1, 2, 3], (x) => vec(x))],
  "a vector of a typed array": [
    "(* k (dot x x))",
    () => forms(Float64Array.of(1, 2, 3), (x) => vec(x)),
  ],
  "a matrix of plain rows": ["(* k (det x))", () => rows([1, 2], [3, 5])],
  "a matrix of typed rows": [
    "(* k (det x))",
    () => rows(Float64Array.of(1, 2), Float64Array.of(3, 5)),
  ],
  "vectors by lane": [
    "(* k (dot x x))",
    () => {
      const [one, two] = [Float64Array.of(1, 2), Float64Array.of(3, 4)];
      return [{ x: [vec(one), vec(two)], k: 2 }, [one, two]];
    },
  ],
  "matrices by lane": [
    "(* k (det x))",
    () => {
      const [one, two] = [Float64Array.of(1, 2), Float64Array.of(3, 5)];
      return [{ x: [mat([one, two]), mat([two, one])], k: 2 }, [one, two]];
    },
  ],
  "numbers over an axis": ["(* x x k)", () => forms([1, 2, 3], (x) => over("r", x as number[]))],
  "vectors over an axis": [
    "(* k (dot x x))",
    () => {
      const [one, two] = [Float64Array.of(1, 2), Float64Array.of(3, 4)];
      return [{ x: over("r", [vec(one), vec(two)]), k: 2 }, [one, two]];
    },
  ],
};

function forms(
  x: number[] | Float64Array,
  made: (x: number[] | Float64Array) => unknown,
): [Inputs, (number[] | Float64Array)[]] {
  return [{ x: made(x), k: 2 } as Inputs, [x]];
}

const rows = (
  one: number[] | Float64Array,
  two: number[] | Float64Array,
): [Inputs, (number[] | Float64Array)[]] => [{ x: mat([one, two]), k: 2 }, [one, two]];

test.each(Object.entries(FORMS))(
  "a run is differentiated where it was, though the caller has written into %s",
  async (_, [source, made]) => {
    const machine = await Machine.create();
    for (const runsBefore of [0, 1, 3]) {
      const program = machine.load(source);
      const wanted = program.gradient(made()[0]);
      for (let i = 0; i < runsBefore; i++) program.gradient(made()[0]);
      const [inputs, arrays] = made();
      const run = program.run(inputs);
      for (const array of arrays) array.fill(99);
      program.evaluate(inputs);
      expect(run.backward()).toEqual(wanted.gradients);
      expect([...run.values]).toEqual([...wanted.values]);
      expect(machine.load(source).gradient(made()[0]).gradients).toEqual(wanted.gradients);
      program.dispose();
    }
    machine.dispose();
  },
);

test(`programs come and go in any order, and those that stay are moved together, SEED=${seed}`, async () => {
  const random = new Random(seed);
  for (let history = 0; history < 30; history++) {
    const machine = await Machine.create();
    const live: { program: Program; factor: number }[] = [];
    const check = ({ program, factor }: { program: Program; factor: number }): void => {
      for (const x of [2, 3]) expect(program.gradient({ x }).values[0]).toBe(factor * x * x);
    };
    for (let step = 0; step < 40; step++) {
      const deed = random.below(10);
      if (deed < 4 || live.length === 0) {
        const factor = 100 * history + step + 1;
        live.push({ program: machine.load(`(* ${factor} x x)`), factor });
      } else if (deed < 7) {
        const [gone] = live.splice(random.below(live.length), 1);
        gone?.program.dispose();
        gone?.program.dispose();
      } else if (deed < 9) check(random.pick(live));
      else {
        machine.clearMemory();
        expect(machine.traceCount()).toBe(0);
        for (const one of live) check(one);
      }
      expect(machine.traceCount()).toBe(
        live.reduce((sum, { program }) => sum + program.traceCount, 0),
      );
    }
    machine.dispose();
  }
});

test("time is looked at while lanes stream through a trace, however many there are", async () => {
  let now = 0;
  let perLook = 0;
  const machine = await Machine.create({
    clock: () => {
      now += perLook;
      return now;
    },
  });
  const x = new Float64Array(1_500_000).fill(0.5);
  const sines = "(sin ".repeat(30);
  const program = machine.load(`${sines}x${")".repeat(30)}`);
  program.evaluate({ x });
  const { stats } = program.evaluate({ x }, { timeMax: 100 });
  expect([stats.walks, stats.replays > 10]).toEqual([0, true]);
  // Each look takes a second from here on: the first while lanes are under way ends the run.
  perLook = 60;
  expect(() => program.evaluate({ x }, { timeMax: 100 })).toThrowError(
    expect.objectContaining({ code: "E-TIME" }),
  );
  machine.dispose();
});

test("runs of any number of lanes are compared in the lanes that both have", async () => {
  const machine = await Machine.create();
  const program = machine.load("(if (< x 0) (* 2 x) (if (< x 1) x (* x x)))");
  const sets = [[-1], [0.5, 2], [2, -1, 0.5], [0.5, 0.5, 0.5, 0.5, -1]];
  const side = (x: number): number => (x < 0 ? 0 : x < 1 ? 1 : 2);
  for (const before of sets)
    for (const now of sets) {
      const diagnosed = [before, now].map((x) => program.diagnose({ x }));
      const flips = branchFlips(...(diagnosed as unknown as Parameters<typeof branchFlips>));
      const both = Math.min(before.length, now.length);
      const wanted = Array.from({ length: both }, (_, lane) => lane).filter(
        (lane) => side(before[lane] as number) !== side(now[lane] as number),
      );
      expect(flips.map(({ lane }) => lane)).toEqual(wanted);
    }
  machine.dispose();
});
