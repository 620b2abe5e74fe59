/**
 * One lane at a time on more paths than are kept: traces come and go, and what is told of a lane never
 * depends on which of them are there.
 */
import { describe, expect, test } from "vitest";
import { Machine } from "../../src/index.js";
import { primitiveByName } from "../../src/primitives/index.js";
import { Random } from "../fuzz/random.js";

const DECISIONS = 6;
const names = Array.from({ length: DECISIONS }, (_, i) => `d${i}`);

/** Sides of decision i have different lengths and constants, so that no two paths lie alike in memory. */
const sides = (i: number): readonly [string, (s: number, a: number) => number][] => [
  [`(* ${i + 2} s)`, (s) => (i + 2) * s],
  [
    `(+ s ${Array.from({ length: 3 * i + 1 }, (_, k) => `(* a ${10 * i + k + 1})`).join(" ")})`,
    (s, a) => {
      let sum = s;
      for (let k = 0; k < 3 * i + 1; k++) sum += a * (10 * i + k + 1);
      return sum;
    },
  ],
];
const choice = (name: string, i: number): string =>
  `(s (if (< ${name} 0) ${sides(i)
    .map(([text]) => text)
    .join(" ")}))`;
const source = `(let* ((s a) ${names.map(choice).join(" ")}) s)`;

/** The value, and its slope by a: all of it is linear in a. */
function plain(a: number, signs: readonly number[]): readonly [number, number] {
  const value = (at: number): number =>
    signs.reduce((s, sign, i) => sides(i)[sign < 0 ? 0 : 1]?.[1](s, at) as number, at);
  return [value(a), value(1)];
}

test.each(["session", "calls"])("paths that are dropped are not gone on, by %s", async (way) => {
  const machine = await Machine.create();
  const program = machine.load(source);
  const random = new Random(7, 1);
  const begin = Object.fromEntries(names.map((name) => [name, 1]));
  const session = program.session({ a: 1, ...begin }, { wrt: ["a"] });
  for (let turn = 0; turn < 3000; turn++) {
    const a = 1 + random.below(5);
    const signs = names.map(() => (random.chance(0.5) ? -1 : 1));
    const given = Object.fromEntries(names.map((name, i) => [name, signs[i] as number]));
    if (way === "calls") {
      const { values, gradients } = program.gradient({ a, ...given }, { wrt: ["a"] });
      expect([values[0], gradients["a"]?.[0]], `${turn}`).toEqual(plain(a, signs));
      continue;
    }
    for (const [name, value] of Object.entries({ a, ...given })) session.set(name, value);
    session.run();
    expect([session.values[0], session.gradients["a"]?.[0]], `${turn}`).toEqual(plain(a, signs));
  }
  machine.dispose();
});

const unary = [...primitiveByName].filter(([, { kind }]) => kind === "unary").map(([name]) => name);

/** Every element-wise operation, once before a choice whose sides differ and once behind it. */
const chosen = unary.map(
  (name) => `(let ((u (${name} (* a x)))) (if (< x 0.45) (* u a) (+ u (${name} (* a u)))))`,
);

describe.each(["f32", "f64"] as const)("slopes that forward leaves, in %s", (precision) => {
  test.each([1, 3, 5])(
    "are those of the latest call where %i lanes change sides behind them",
    async (lanes) => {
      const machine = await Machine.create({ precision });
      const plainly = await Machine.create({ precision });
      expect(unary.length).toBeGreaterThan(20);
      for (const source of chosen) {
        const [program, walked] = [machine.load(source), plainly.load(source)];
        const session = program.session({ a: 1, x: Array(lanes).fill(0.1) }, { wrt: ["a", "x"] });
        // Lanes change sides together and apart, and come back with other numbers.
        for (let turn = 0; turn < 12; turn++) {
          const x = Array.from({ length: lanes }, (_, lane) => {
            const isHigh = turn < 8 ? turn % 2 === 1 : (turn + lane) % 2 === 1;
            return (isHigh ? 0.5 : 0.05) + 0.03 * turn + 0.001 * lane;
          });
          const inputs = { a: 0.9 + turn / 100, x };
          const wrt = ["a", "x"];
          const want = walked.gradient(inputs, { wrt, replay: false });
          const got = program.gradient(inputs, { wrt });
          session.set("a", inputs.a);
          session.set("x", x);
          session.run();
          for (const name of wrt)
            for (const own of [got.gradients[name], session.gradients[name]])
              expect([...(own as Float64Array)], `${source}, turn ${turn}, by ${name}`).toEqual([
                ...(want.gradients[name] as Float64Array),
              ]);
        }
        program.dispose();
        walked.dispose();
      }
      machine.dispose();
      plainly.dispose();
    },
  );
});

test.each(["session", "calls"])(
  "slopes before a choice are the latest ones on every path, by %s",
  async (way) => {
    const [machine, plainly] = await Promise.all(
      [1, 2].map(() => Machine.create({ precision: "f32" })),
    );
    const waves = "(let* ((w (sin (* a b))) (s (+ w (cos (* w b))))";
    const text = `${waves} ${names.map(choice).join(" ")}) s)`;
    const program = (machine as Machine).load(text);
    const walked = (plainly as Machine).load(text);
    const random = new Random(8, 1);
    const begin = Object.fromEntries(names.map((name) => [name, 1]));
    const wrt = ["a", "b"];
    const session = program.session({ a: [1], b: [2], ...begin }, { wrt });
    for (let turn = 0; turn < 600; turn++) {
      const given = Object.fromEntries(names.map((name) => [name, random.chance(0.5) ? -1 : 1]));
      const inputs = { a: [random.unit()], b: [random.unit()], ...given };
      const want = walked.gradient(inputs, { wrt, replay: false });
      for (const [name, value] of Object.entries(inputs)) session.set(name, value);
      if (way === "session") session.run();
      const { gradients } = way === "session" ? session : program.gradient(inputs, { wrt });
      for (const name of wrt)
        expect(gradients[name]?.[0], `turn ${turn}, by ${name}`).toBe(want.gradients[name]?.[0]);
    }
    machine?.dispose();
    plainly?.dispose();
  },
);
