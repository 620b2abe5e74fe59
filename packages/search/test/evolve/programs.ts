/**
 * Random program texts with loops, lets and branches, for tests that compare two programs by their
 * values on the machine.
 *
 * Names are few, so that inner ones hide outer ones. Numbers are short in binary and steps do not
 * grow, so that equal functions have nearly equal values however they are spelt.
 */

import type { Machine } from "@ndvm/core";
import fc from "fast-check";

/** Values of the free names a, b and c. */
export const values: Readonly<Record<string, number>> = { a: 0.75, b: -1.5, c: 2.25 };
/** Inputs, among them the thresholds that the programs compare with. */
export const inputs = [-2, -0.625, 0, 0.5, 1, 3.125];

const leaf = fc.constantFrom(
  "x",
  "x",
  "x",
  "a",
  "b",
  "c",
  "s",
  "t",
  "u",
  "k",
  "1",
  "2",
  "0.5",
  "-3",
);

/** A call of two operands that keeps values small. */
const step = fc.constantFrom("+", "-", "*", "max", "min");
const wave = fc.constantFrom("sin", "cos", "tanh", "-", "abs");
const comparison = fc.constantFrom("<", ">", "<=", ">=");
const turns = fc.constantFrom(0, 1, 1, 2, 3, 4, 6);

/** Names are bound around every text, so each is either in scope or put in scope by `closed`. */
export const { expression, loop } = fc.letrec<{ expression: string; loop: string }>((tie) => {
  const inner = tie("expression");
  return {
    expression: fc.oneof(
      { maxDepth: 5, depthSize: "small" },
      leaf,
      fc.tuple(step, inner, inner).map(([name, u, v]) => `(${name} ${u} ${v})`),
      fc.tuple(step, inner, inner, inner).map(([name, ...args]) => `(${name} ${args.join(" ")})`),
      fc.tuple(wave, inner).map(([name, u]) => `(${name} ${u})`),
      fc.tuple(inner, inner).map(([u, v]) => `(/ ${u} (+ 2 (cos ${v})))`),
      fc
        .tuple(comparison, leaf, leaf, inner, inner)
        .map(([name, u, v, then, other]) => `(if (${name} ${u} ${v}) ${then} ${other})`),
      fc
        .tuple(fc.constantFrom("u", "s", "t"), inner, inner)
        .map(([name, value, body]) => `(let ((${name} ${value})) ${body})`),
      fc.tuple(inner, inner, inner).map(([u, v, body]) => `(let ((s ${u}) (u ${v})) ${body})`),
      tie("loop"),
    ),
    loop: fc.oneof(
      fc.tuple(turns, inner, inner, inner).map(([n, start, next, result]) => {
        return `(loop ((s ${start}) (k 0)) (if (= k ${n}) ${result} (recur ${next} (+ k 1))))`;
      }),
      // One state that is only scaled, moved or replaced: a recurrence that has a closed form.
      fc
        .tuple(turns, inner, fc.constantFrom("s", "(* a s)", "(- s)", "(* 0.5 s)", "x"), inner)
        .map(([n, start, next, drift]) => {
          const moved = `(+ ${next} (tanh ${drift}))`;
          return `(loop ((s ${start}) (k 0)) (if (= k ${n}) (+ s k) (recur ${moved} (+ k 1))))`;
        }),
      fc.tuple(turns, inner, inner, inner, inner).map(([n, start, first, second, result]) => {
        const binds = `(s ${start}) (t 1) (k 0)`;
        const again = `(recur (tanh ${first}) (sin ${second}) (+ k 1))`;
        return `(loop (${binds}) (if (= k ${n}) ${result} ${again}))`;
      }),
    ),
  };
});

/** Mostly loops of a fixed number of turns, and otherwise something that looks like one. */
export const almostLoop: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("0", "0", "0", "1", "x"),
    fc.constantFrom("=", "=", "=", "<", ">="),
    fc.constantFrom("k", "k", "k", "s", "t"),
    fc.constantFrom("3", "3", "2.5", "-1", "x"),
    fc.constantFrom("+", "+", "+", "-"),
    fc.constantFrom("k", "k", "k", "s", "t"),
    fc.constantFrom("1", "1", "1", "2", "k"),
    fc.constantFrom("loop", "loop", "let again"),
  )
  .map(([start, compare, tested, turns, operator, stepped, by, head]) => {
    const recur = head === "loop" ? "recur" : "again";
    const again = `(${recur} (+ s 1) (cos t) (${operator} ${stepped} ${by}))`;
    return `(${head} ((s x) (t 1) (k ${start})) (if (${compare} ${tested} ${turns}) s ${again}))`;
  });

/** Every name that may be free is bound: an outer loop's counter and states are numbers here. */
export const closed = (text: string): string =>
  `(let ((s (* 0.5 x)) (t (+ x a)) (u 2) (k (cos x))) ${text})`;

/** The values of a program for every input; undefined where it has none or they are huge. */
export function valuesOf(
  machine: Machine,
  source: string,
  params: Readonly<Record<string, number>>,
): readonly (number | undefined)[] {
  const program = machine.load(source, { inputs: ["x"] });
  try {
    const own = program.inputs.filter((name) => name !== "x");
    const given = Object.fromEntries(own.map((name) => [name, params[name] ?? 1]));
    const all = { ...given, ...(program.inputs.includes("x") && { x: inputs }) };
    const result = program.evaluate(all, { stepsMax: 1_000_000 });
    return inputs.map((_, i) => {
      const value = result.values[result.values.length === 1 ? 0 : i] as number;
      return Math.abs(value) < 1e9 ? value : undefined;
    });
  } finally {
    program.dispose();
  }
}
