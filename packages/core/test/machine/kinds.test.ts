/**
 * One program for inputs of any kind, in any order: integers, shapes, what lanes share and what gradients
 * are taken by. A trace that was kept for other kinds of inputs is no trace for these.
 */
import { expect, test } from "vitest";
import { type Inputs, int, Machine, mat, type Program, vec } from "../../src/index.js";
import { bitsOf } from "./support.js";

interface Call {
  readonly inputs: Inputs;
  readonly wrt?: readonly string[];
}

const power = `(loop ((k 0) (s 1)) (if (= k n) s (recur (+ k 1) (* s (+ a (* m 0.5))))))`;
const calls: readonly Call[] = [
  { inputs: { a: 2, n: int(3), m: int(1) } },
  { inputs: { a: 2, n: int(5), m: int(1) } },
  { inputs: { a: 2, n: int(1), m: int(3) } },
  { inputs: { a: 2, n: int(3), m: 1 } },
  { inputs: { a: 2, n: 3, m: int(1) } },
  { inputs: { a: [2, 3, 4, 5, 6], n: int(3), m: int(1) } },
  { inputs: { a: [2, 3, 4, 5, 6], n: int(4), m: int(1) } },
  { inputs: { a: [2, 3, 4, 5, 6], n: [3, 4, 3, 1, 2], m: int(1) } },
  { inputs: { a: [2, 3, 4, 5, 6], n: int(3), m: [1, 2, 3, 4, 5] } },
  { inputs: { a: [2, 3, 4, 5, 6], n: int(3), m: [1, 2, 3, 4, 5] }, wrt: ["a"] },
  { inputs: { a: [2, 3, 4, 5, 6], n: int(3), m: [1, 2, 3, 4, 5] }, wrt: ["m"] },
  { inputs: { a: 2, n: int(3), m: [1, 2, 3, 4, 5] }, wrt: ["a"] },
];

/** A vector for each of five lanes. */
const five = (length: number) =>
  Array.from({ length: 5 }, (_, lane) => vec(Array.from({ length }, (_, i) => lane + 2 * i)));

const squares = "(+ (vsum (* v v)) (* b (vsum v)))";
const shapes: readonly Call[] = [
  { inputs: { v: vec([1, 2]), b: 1 } },
  { inputs: { v: vec([1, 2, 3]), b: 1 } },
  { inputs: { v: vec([1, 2, 3, 4]), b: 1 } },
  { inputs: { v: mat([[1, 2]]), b: 1 } },
  { inputs: { v: mat([[1], [2]]), b: 1 } },
  {
    inputs: {
      v: mat([
        [1, 2],
        [3, 4],
      ]),
      b: 1,
    },
  },
  { inputs: { v: five(2), b: 1 } },
  { inputs: { v: five(3), b: 1 } },
  { inputs: { v: five(2), b: [1, 2, 3, 4, 5] } },
  { inputs: { v: vec([1, 2]), b: [1, 2, 3, 4, 5] } },
  { inputs: { v: vec([1, 2]), b: [1, 2, 3, 4, 5] }, wrt: ["v"] },
  { inputs: { v: vec([1, 2]), b: [1, 2, 3, 4, 5] }, wrt: ["b"] },
  { inputs: { v: vec([1, 2]), b: int(2) } },
  { inputs: { v: vec([1, 2]), b: int(3) } },
];

function told(program: Program, { inputs, wrt }: Call): string {
  const { values, gradients } = program.gradient(inputs, wrt === undefined ? {} : { wrt });
  const slopes = Object.entries(gradients).map(([name, numbers]) => [name, bitsOf(numbers)]);
  return JSON.stringify([bitsOf(values), slopes, bitsOf(program.evaluate(inputs).values)]);
}

test.each([
  [power, calls],
  [squares, shapes],
] as const)("%s has no trace of inputs of another kind", async (source, all) => {
  const machine = await Machine.create();
  const fresh = all.map((call) => {
    const program = machine.load(source);
    const text = told(program, call);
    program.dispose();
    return text;
  });
  for (const [i, first] of all.entries())
    for (const [j, second] of all.entries()) {
      const program = machine.load(source);
      for (const [call, wanted] of [
        [first, fresh[i]],
        [first, fresh[i]],
        [second, fresh[j]],
        [first, fresh[i]],
        [second, fresh[j]],
      ] as const)
        expect(told(program, call), `${i} and ${j}`).toBe(wanted);
      program.dispose();
    }
  machine.dispose();
});

test("vectors are not columns", async () => {
  const machine = await Machine.create();
  const program = machine.load("(* 2 v)");
  for (let turn = 0; turn < 3; turn++) {
    expect(program.evaluate({ v: vec([1, 2]) }).print()).toBe("[2 4]");
    expect(program.evaluate({ v: mat([[1], [2]]) }).print()).toBe("(mat [2] [4])");
  }
  machine.dispose();
});

test("chunks of a session that go on different traces keep to their own lanes", async () => {
  const machine = await Machine.create();
  const program = machine.load("(if (< s 0) (dot v v) (* 3 (vsum v)))");
  const chunk = 4;
  const lanes = 3 * chunk;
  const vectors = Array.from({ length: lanes }, (_, i) => [i + 1, 2 * i - 3]);
  const session = program.session(
    { s: vectors.map(() => 1), v: vectors.map((v) => vec(v)) },
    { wrt: ["v", "s"], chunk },
  );
  // Every way of giving each of three chunks one of two ways, or both in one.
  for (let way = 0; way < 4 ** 3; way++) {
    const signs = vectors.map((_, i) => {
      const own = (way >> (2 * Math.floor(i / chunk))) & 3;
      return own === 0 || (own === 2 && i % 2 === 0) || (own === 3 && i % chunk === 0) ? -1 : 1;
    });
    session.set("s", signs);
    session.run();
    vectors.forEach(([x, y], i) => {
      const [p, q] = [x as number, y as number];
      const isSquare = (signs[i] as number) < 0;
      const got = [session.values[i], ...(session.gradients["v"] ?? []).slice(2 * i, 2 * i + 2)];
      const wanted = isSquare ? [p * p + q * q, 2 * p, 2 * q] : [3 * (p + q), 3, 3];
      expect(got, `way ${way}, lane ${i}`).toEqual(wanted);
    });
  }
  machine.dispose();
});
