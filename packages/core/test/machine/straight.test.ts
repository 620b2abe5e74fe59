/**
 * Straight formulas of one lane: only trees of element-wise primitives on numbers are walked cell by
 * cell, and nothing that other runs left in the machine's memory takes part.
 */

import { describe, expect, test } from "vitest";
import { Machine, type Program } from "../../src/index.js";
import { Random } from "../fuzz/random.js";
import { bitsOf, caught, precisions } from "./support.js";

const replay = false;

/** What a call yields or refuses, without the numbers of lanes. */
function told(work: () => { values: ArrayLike<number> }): string {
  try {
    return `${work().values[0]}`;
  } catch (error) {
    return caught(() => {
      throw error;
    }).code;
  }
}

describe("what is not a formula of numbers goes on the general way", () => {
  const odd = ["#t", "#f", "'()", "'a", "[1 2]", "car", "(lambda (x) x)"];
  const calls = odd.flatMap((text) => [`(exp ${text})`, `(* a ${text})`, `(- ${text} a)`]);
  test.each([...calls, ...odd, "2.5", "7", "(begin a 7)", "(begin (sin a) (cos b))"])(
    "%s comes to what it comes to beside other lanes",
    async (source) => {
      const machine = await Machine.create();
      const load = () => machine.load(source, { inputs: ["a", "b"] });
      const others = { a: [4, 2, 3], b: [1, 5, 6] };
      const many = told(() => load().gradient(others, { replay }));
      expect(told(() => load().gradient({ a: 4, b: 1 }, { replay }))).toBe(many);
      expect(told(() => load().gradient({ a: 4, b: 1 }))).toBe(many);
      expect(told(() => load().evaluate({ a: 4, b: 1 }))).toBe(
        told(() => load().evaluate(others, { replay })),
      );
      machine.dispose();
    },
  );
});

const unary = ["exp", "sin", "cos", "tanh", "sqrt", "log", "abs", "-"];
const binary = ["+", "-", "*", "/", "max", "expt"];

/** A formula that uses its inputs again and again. */
function formula(random: Random, depth: number): string {
  if (depth === 0) return random.pick(["a", "b", "c", "a", "0.5", "2"]);
  const operand = () => formula(random, depth - 1);
  if (random.chance(0.4)) return `(${random.pick(unary)} ${operand()})`;
  return `(${random.pick(binary)} ${operand()} ${operand()})`;
}

const names = ["a", "b", "c"];
const inputsAt = (turn: number) => ({ a: 0.5 + turn / 3, b: 1.75 - turn / 5, c: 0.25 * turn });

/** Values and gradients of a few calls that walk. */
function bits(program: Program): readonly string[] {
  return [names, ["b"]].flatMap((wrt, turn) => {
    const { values, gradients, inactive } = program.gradient(inputsAt(turn), { wrt, replay });
    const numbers = [values[0] ?? 0, ...wrt.map((name) => gradients[name]?.[0] ?? 0)];
    return [...bitsOf(numbers), ...inactive];
  });
}

/** Runs that leave blocks of every kind behind: tensors, slopes, adjoints that are begun or passed on. */
const before: readonly ((machine: Machine, turn: number) => void)[] = [
  (machine, turn) => {
    const program = machine.load(
      "(+ (vsum (matmul (mat (vec a b) (vec b a)) (mat (vec a 1) (vec b c)))) (sin (* a b)))",
    );
    for (let i = 0; i < 3; i++) program.gradient({ ...inputsAt(turn), a: [1, 2, 3, 4, 5, 6, 7] });
    program.dispose();
  },
  (machine, turn) => {
    const program = machine.load(
      `(loop ((k 0) (s a)) (if (= k ${5 + turn}) (vsum (* s (vec a b c 1 2))) (recur (+ k 1) (cos (* b (tanh s))))))`,
    );
    for (let i = 0; i < 3; i++) program.gradient(inputsAt(turn));
    program.dispose();
  },
  (machine, turn) => {
    const program = machine.load("(if (< a b) (vsum (exp (vec a b c))) (* (sin a) (sin b) c))");
    const lanes = { a: [0, 1, 2, 3], b: [3, 2, 1, 0], c: turn };
    for (let i = 0; i < 3; i++) program.gradient(lanes);
    program.dispose();
  },
];

describe.each(precisions)("in %s", (precision) => {
  test("nothing of earlier runs takes part in the walk of a formula", async () => {
    const machine = await Machine.create({ precision });
    const random = new Random(41, 3);
    for (let turn = 0; turn < 24; turn++) {
      // Every other one leaves an input out that one before has used.
      const source = turn % 2 === 0 ? `(+ (* a (* b c)) ${formula(random, 4)})` : `(* a (exp c))`;
      before[turn % before.length]?.(machine, turn);
      const program = machine.load(source, { inputs: names });
      const alone = await Machine.create({ precision });
      const expected = bits(alone.load(source, { inputs: names }));
      expect(bits(program), source).toEqual(expected);
      expect(bits(program), source).toEqual(expected);
      alone.dispose();
      program.dispose();
    }
    machine.dispose();
  });
});
