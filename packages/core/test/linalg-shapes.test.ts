/**
 * Every structured primitive on operands of every small shape: the shape of the result by plain rules, or
 * the refusal with its words.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Input, Machine, mat, NdvmError, vec } from "../src/index.js";

type Shape = readonly number[];
const shapes: readonly Shape[] = [
  ...[[], [1], [2], [3], [4]],
  ...[[1, 1], [1, 3], [3, 1], [2, 2], [2, 3], [3, 2], [3, 3]], // biome-ignore format: pairs
];

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

/** Numbers that make every square matrix regular. */
function sample(shape: Shape): Input {
  const [rows = 1, cols = 1] = shape;
  const at = (i: number, j: number) => (i === j ? 4 : 0.5 + i * 0.25 - j * 0.125);
  if (shape.length === 0) return 2.5;
  if (shape.length === 1) return vec(Array.from({ length: rows }, (_, i) => at(i, 0)));
  return mat(
    Array.from({ length: rows }, (_, i) => Array.from({ length: cols }, (_, j) => at(i, j))),
  );
}

const isVector = (shape: Shape) => shape.length === 1;
const isMatrix = (shape: Shape) => shape.length === 2;
const isSquare = (shape: Shape) => isMatrix(shape) && shape[0] === shape[1];

/** The shape of a result; undefined where the operands do not fit. */
const binary: Readonly<Record<string, (x: Shape, y: Shape) => Shape | undefined>> = {
  dot: (x, y) => (isVector(x) && isVector(y) && x[0] === y[0] ? [] : undefined),
  cross: (x, y) => (isVector(x) && isVector(y) && x[0] === 3 && y[0] === 3 ? [3] : undefined),
  outer: (x, y) => (isVector(x) && isVector(y) ? [x[0] as number, y[0] as number] : undefined),
  matvec: (x, y) => (isMatrix(x) && isVector(y) && x[1] === y[0] ? [x[0] as number] : undefined),
  matmul: (x, y) =>
    isMatrix(x) && isMatrix(y) && x[1] === y[0] ? [x[0] as number, y[1] as number] : undefined,
  solve: (x, y) => (isSquare(x) && y.length > 0 && x[0] === y[0] ? y : undefined),
  scale: (x, y) => (x.length === 0 && y.length > 0 ? y : undefined),
};
const unary: Readonly<Record<string, (x: Shape) => Shape | undefined>> = {
  vsum: (x) => (x.length > 0 ? [] : undefined),
  norm: (x) => (x.length > 0 ? [] : undefined),
  normalize: (x) => (isVector(x) ? x : undefined),
  transpose: (x) => (isMatrix(x) ? [x[1] as number, x[0] as number] : undefined),
  trace: (x) => (isSquare(x) ? [] : undefined),
  det: (x) => (isSquare(x) ? [] : undefined),
  logdet: (x) => (isSquare(x) ? [] : undefined),
  inv: (x) => (isSquare(x) ? x : undefined),
};

/** The shape of a result, or the code, words and help of the refusal. */
function outcome(source: string, inputs: Record<string, Input>): Shape | string {
  const program = machine.load(source);
  try {
    const { shape, values } = program.evaluate(inputs);
    expect(values.every(Number.isFinite), source).toBe(true);
    return shape as Shape;
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    return `${error.code} ${error.message} | ${error.help}`;
  } finally {
    program.dispose();
  }
}

/** Refusals by what they ask for, with the operands that are told so. */
function grouped(refusals: readonly (readonly [operands: string, words: string])[]): string {
  const groups = new Map<string, string[]>();
  for (const [operands, words] of refusals) {
    const asked = words.replace(/, got [^|]*\|/, " |");
    groups.set(asked, [...(groups.get(asked) ?? []), operands]);
  }
  return [...groups].map(([asked, all]) => `${asked}\n  ${all.join(", ")}`).join("\n");
}

const named = (shape: Shape): string => (shape.length === 0 ? "number" : shape.join("×"));

describe("the shape of a result", () => {
  test.each(Object.keys(binary))("(%s x y)", (name) => {
    const refusals: [string, string][] = [];
    for (const x of shapes)
      for (const y of shapes) {
        const got = outcome(`(${name} x y)`, { x: sample(x), y: sample(y) });
        const want = binary[name]?.(x, y);
        const what = `${name} ${named(x)} ${named(y)}`;
        if (want !== undefined) expect(got, what).toEqual(want);
        else {
          expect(got, what).toMatch(/^E-/);
          refusals.push([`${named(x)} ${named(y)}`, String(got)]);
        }
      }
    expect(grouped(refusals)).toMatchSnapshot();
  });

  test.each(Object.keys(unary))("(%s x)", (name) => {
    const refusals: [string, string][] = [];
    for (const x of shapes) {
      const got = outcome(`(${name} x)`, { x: sample(x) });
      const want = unary[name]?.(x);
      if (want !== undefined) expect(got, `${name} ${named(x)}`).toEqual(want);
      else refusals.push([named(x), String(got)]);
    }
    expect(refusals.every(([, words]) => words.startsWith("E-"))).toBe(true);
    expect(grouped(refusals)).toMatchSnapshot();
  });

  test("element by element, shapes must be equal or one of them a number", () => {
    for (const name of ["+", "*", "max", "atan"])
      for (const x of shapes)
        for (const y of shapes) {
          const got = outcome(`(${name} x y)`, { x: sample(x), y: sample(y) });
          const what = `${name} ${named(x)} ${named(y)}`;
          if (x.length === 0 || y.length === 0 || named(x) === named(y))
            expect(got, what).toEqual(x.length === 0 ? y : x);
          else expect(got, what).toMatch(/^E-SHAPE /);
        }
  });
});
