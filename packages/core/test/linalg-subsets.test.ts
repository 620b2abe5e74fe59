/**
 * Gradients by some of the operands of every structured primitive: those by all of them, bit for bit,
 * whichever operands are differentiated, shared by all lanes or unrolled.
 */

import { describe, expect, test } from "vitest";
import { type Input, Machine, mat, type Precision, vec } from "../src/index.js";
import { randomOf } from "./linalg/cases.js";

type Shape = readonly number[];
const LANES = 5;

/** Operands by name; sizes on both sides of four, which kernels take together. */
const lengths = [1, 2, 3, 4, 5, 7, 8, 9];
const programs: readonly (readonly [name: string, ...operands: Shape[]])[] = [
  ...lengths.flatMap((n) => [
    ["dot", [n], [n]] as const,
    ["outer", [n], [3]] as const,
    ["outer", [2], [n]] as const,
    ["scale", [], [n]] as const,
    ["scale", [], [2, n]] as const,
    ["matvec", [n, 3], [3]] as const,
    ["matvec", [2, n], [n]] as const,
    ["matmul", [n, 2], [2, 3]] as const,
    ["matmul", [2, n], [n, 2]] as const,
    ["matmul", [3, 2], [2, n]] as const,
    ["+", [n], [n]] as const,
    ["*", [], [n]] as const,
    ["/", [n], []] as const,
  ]),
  ...[1, 2, 3, 4, 5].flatMap((n) => [
    ["solve", [n, n], [n]] as const,
    ["solve", [n, n], [n, 2]] as const,
    ["matmul", [n, n], [n, n]] as const,
  ]),
  ["cross", [3], [3]],
];

/** One number, or one for each lane; squares have large diagonals, so that they are regular. */
function operandOf(shape: Shape, isShared: boolean, random: () => number): Input {
  const [rows = 1, cols = 1] = shape;
  const entry = (i: number, j: number) => random() + (i === j ? 4 : 0);
  const one = (): Input => {
    if (shape.length === 0) return entry(0, 0);
    if (shape.length === 1) return vec(Array.from({ length: rows }, (_, i) => entry(i, 1)));
    const row = (i: number) => Array.from({ length: cols }, (_, j) => entry(i, j));
    return mat(Array.from({ length: rows }, (_, i) => row(i)));
  };
  if (isShared) return one();
  return Array.from({ length: LANES }, one) as Input;
}

const squared = (name: string, isNumber: boolean): string =>
  isNumber ? `(let ((z (${name} x y))) (* z z))` : `(let ((z (${name} x y))) (vsum (* z z)))`;

describe.each<Precision>(["f32", "f64"])("in %s", (precision) => {
  test.each([
    [true, true],
    [true, false],
    [false, true],
  ])("unrolled %s, fused %s", async (smallShapes, fusing) => {
    const machine = await Machine.create({ precision, mechanisms: { smallShapes, fusing } });
    const plain = await Machine.create({
      precision,
      mechanisms: { smallShapes: false, fusing: false, replay: false },
    });
    const random = randomOf(7);
    for (const [name, x, y] of programs) {
      const source = squared(name, name === "dot");
      for (const shared of ["", "x", "y"]) {
        const inputs = {
          x: operandOf(x as Shape, shared === "x", random),
          y: operandOf(y as Shape, shared === "y", random),
        };
        const all = plain.load(source).gradient(inputs, { wrt: ["x", "y"] });
        for (const wrt of [["x"], ["y"], ["x", "y"]] as const) {
          const program = machine.load(source);
          for (let turn = 0; turn < 3; turn++) {
            const { values, gradients } = program.gradient(inputs, { wrt });
            const what = `${name} ${x} | ${y}, shared ${shared}, by ${wrt}, turn ${turn}`;
            expect([...values], what).toEqual([...all.values]);
            for (const by of wrt)
              expect([...(gradients[by] ?? [])], what).toEqual([...(all.gradients[by] ?? [])]);
          }
          program.dispose();
        }
      }
    }
    machine.dispose();
    plain.dispose();
  });
});
