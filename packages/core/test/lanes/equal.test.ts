/**
 * `equal?` on vectors, matrices and lists of them, again and again with other numbers: a trace that was kept
 * for one answer must not give it for the next call.
 */

import { expect, test } from "vitest";
import { Machine, type Precision } from "../../src/index.js";

const same = (x: readonly number[], y: readonly number[]) => x.every((a, i) => a === y[i]);

/** Programs of a, b and c, and whether they find what they compare equal. */
const programs: readonly (readonly [string, (a: number, b: number, c: number) => boolean])[] = [
  ["(equal? (vec a b) (vec b a))", (a, b) => a === b],
  ["(equal? (vec a b c) (vec 1 2 3))", (a, b, c) => same([a, b, c], [1, 2, 3])],
  ["(equal? (vec a 2) (vec b 2))", (a, b) => a === b],
  ["(equal? (vec 2 a) (vec 2 c))", (a, _, c) => a === c],
  ["(equal? (mat (vec a b) (vec c 1)) (mat (vec b a) (vec c 1)))", (a, b) => a === b],
  ["(equal? (mat (vec a b)) (vec a b))", () => false],
  ["(equal? (list (vec a b) c) (list (vec b a) c))", (a, b) => a === b],
  ["(equal? (cons (vec a) (vec b)) (cons (vec b) (vec c)))", (a, b, c) => a === b && b === c],
  ["(not (equal? (vec a b) (vec b c)))", (a, b, c) => !(a === b && b === c)],
  [
    "(if (< a b) (equal? (vec b) (vec c)) (equal? (vec a) (vec c)))",
    (a, b, c) => (a < b ? b === c : a === c),
  ],
];

/** Numbers of a call: lanes that are alike, lanes that differ, and both. */
const drawn = (lanes: number, turn: number, name: number) =>
  Float64Array.from({ length: lanes }, (_, lane) => {
    const seed = turn % 3 === 0 ? turn : turn + 7 * lane;
    return 1 + ((seed * (name + 3) + name * turn) % (2 + (turn % 2)));
  });

test.each<readonly [Precision, number]>([
  ["f64", 1],
  ["f64", 2],
  ["f64", 9],
  ["f32", 1],
  ["f32", 9],
])("answers in %s with %d lanes are those of the numbers given", async (precision, lanes) => {
  const machine = await Machine.create({ precision });
  for (const [test, isEqual] of programs) {
    const program = machine.load(`(if ${test} (* 2 a) (+ b (* 3 c)))`);
    const answers = new Set<boolean>();
    for (let turn = 0; turn < 40; turn++) {
      const [a, b, c] = [0, 1, 2].map((name) => drawn(lanes, turn, name)) as Float64Array[];
      const inputs = { a: a as Float64Array, b: b as Float64Array, c: c as Float64Array };
      const { values, gradients } = program.gradient(inputs);
      for (let lane = 0; lane < lanes; lane++) {
        const at = (list: Float64Array | undefined) => list?.[lane] as number;
        const equal = isEqual(at(a), at(b), at(c));
        answers.add(equal);
        const what = `${test} at ${at(a)}, ${at(b)}, ${at(c)}, turn ${turn}, lane ${lane}`;
        expect(values[lane], what).toBe(equal ? 2 * at(a) : at(b) + 3 * at(c));
        const slopes = [at(gradients["a"]), at(gradients["b"]), at(gradients["c"])];
        expect(slopes, what).toEqual(equal ? [2, 0, 0] : [0, 1, 3]);
      }
    }
    if (!test.includes("(mat (vec a b)) (vec")) expect(answers.size, test).toBe(2);
    program.dispose();
  }
  machine.dispose();
});
