/**
 * Vectors and matrices of a session stay its own, whoever uses the same trace in between: other sessions,
 * calls of the program with other vectors, work inside the machine. Held against sums written down plainly.
 */

import { expect, test } from "vitest";
import { type Inputs, Machine, mat, type Session, type TensorInput, vec } from "../../src/index.js";
import { Random } from "../fuzz/random.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

const numbers = (random: Random): number[] =>
  Array.from({ length: 4 }, () => random.between(-9, 9));

const tensorOf = (kind: string, own: readonly number[]): TensorInput =>
  kind === "vector" ? vec(own) : mat([own.slice(0, 2), own.slice(2)]);

/** s times the sum of the squares of the elements, plus t. */
const source = { vector: "(+ t (* s (dot w w)))", matrix: "(+ t (* s (vsum (* w w))))" } as const;
const squares = (own: readonly number[]): number => own.reduce((sum, one) => sum + one * one, 0);

interface Held {
  readonly session: Session;
  /** The vector of each lane. */
  readonly own: readonly (readonly number[])[];
  s: readonly number[];
  t: number;
}

test(`whatever else runs on the trace of a session, SEED=${seed}`, async () => {
  const random = new Random(seed);
  for (const precision of ["f64", "f32"] as const) {
    const machine = await Machine.create({ precision });
    for (let history = 0; history < 40; history++) {
      const kind = random.pick(["vector", "matrix"] as const);
      const lanes = random.pick([1, 2, 5, 40]);
      const program = machine.load(source[kind]);
      const wrt = random.pick([[], ["s"], ["s", "w"], ["w"], ["t"]]);
      const make = (): { inputs: Inputs; own: number[][]; s: number[]; t: number } => {
        const isShared = random.chance(0.7);
        const one = numbers(random);
        const own = Array.from({ length: lanes }, () => (isShared ? one : numbers(random)));
        const s = Array.from({ length: lanes }, () => random.between(-9, 9));
        const t = random.between(-9, 9);
        const w = isShared ? tensorOf(kind, one) : own.map((each) => tensorOf(kind, each));
        return { inputs: { s: lanes === 1 ? (s[0] as number) : s, t, w }, own, s, t };
      };
      const held: Held[] = Array.from({ length: 2 }, () => {
        const { inputs, own, s, t } = make();
        return { session: program.session(inputs, { wrt }), own, s, t };
      });
      const valuesOf = ({ own, s, t }: Pick<Held, "own" | "s" | "t">): number[] =>
        own.map((each, lane) => t + (s[lane] as number) * squares(each));
      const slopesOf = ({ own, s }: Pick<Held, "own" | "s">, name: string): number[] => {
        if (name === "t") return s.map(() => 1);
        if (name === "s") return own.map(squares);
        return own.flatMap((each, lane) => each.map((one) => 2 * (s[lane] as number) * one + 0));
      };
      for (let turn = 0; turn < 25; turn++) {
        const what = `${kind} of ${lanes} lanes by ${wrt}, turn ${turn} of history ${history}`;
        const one = random.pick(held);
        const deed = random.below(10);
        if (deed < 5) {
          if (random.chance(0.3)) {
            one.s = one.s.map(() => random.between(-9, 9));
            one.session.set("s", one.s);
            one.t = random.between(-9, 9);
            one.session.set("t", one.t);
          }
          one.session.run();
          expect([...one.session.values], what).toEqual(valuesOf(one));
          for (const name of wrt)
            expect(one.session.gradients[name] && [...one.session.gradients[name]], what).toEqual(
              slopesOf(one, name),
            );
        } else if (deed < 8) {
          const given = make();
          const out = program.gradient(given.inputs, { wrt });
          expect([...out.values], what).toEqual(valuesOf(given));
          for (const name of wrt)
            expect([...(out.gradients[name] as Float64Array)], what).toEqual(slopesOf(given, name));
        } else if (deed < 9) {
          const given = make();
          expect([...program.evaluate(given.inputs).values], what).toEqual(valuesOf(given));
        } else {
          const isShared = one.own.every((each) => each === one.own[0]);
          const others = Float64Array.from(one.s, (each) => each + 1);
          const columns = { s: others, t: others };
          // Names have one number for all lanes, whether the session's lanes share theirs or not.
          const names = random.pick([["t"], ["s"], ["s", "t"], ["t", "s"], []]);
          const given = Float64Array.from(names, (name) => (name === "t" ? 3 : -5));
          const found = isShared
            ? one.session.evaluateOther(columns, names, given, lanes)
            : undefined;
          const s = names.includes("s") ? one.s.map(() => -5) : [...others];
          const t = names.includes("t") ? 3 : one.t;
          if (found !== undefined && lanes > 1)
            expect([...found], what).toEqual(valuesOf({ own: one.own, s, t }));
          else one.session.enter();
        }
      }
      program.dispose();
    }
    machine.dispose();
  }
});
