/**
 * One lane at a time on more paths than are kept: traces come and go, and what is told of a lane never
 * depends on which of them are there.
 */
import { expect, test } from "vitest";
import { Machine } from "../../src/index.js";
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
