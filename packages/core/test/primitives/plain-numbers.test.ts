/**
 * The declarations read over plain numbers, which exports and closed forms fold constants with, against the
 * machine: operands of every size from the smallest normal number to the largest, so that no digit is lost
 * where a function goes to 0.
 */

import { afterAll, describe, expect, test } from "vitest";
import { Machine } from "../../src/index.js";
import {
  type ElementwiseDeclaration,
  type Primitive,
  primitives,
} from "../../src/primitives/index.js";
import { numbers } from "../../src/primitives/numbers.js";

const machine = await Machine.create({ precision: "f64" });
afterAll(() => machine.dispose());

type Elementwise = Primitive & ElementwiseDeclaration;
const elementwise = primitives.filter(
  (p): p is Elementwise => /^(unary|binary)$/.test(p.kind) && p.scheme !== undefined,
);

const exponents = [-1020, -700, -300, -100, -60, -50, -30, -20, -10, -5, -3, -2, -1, 0, 1, 2, 3];
const sizes = [...exponents, 4, 5, 7, 9, 10, 20, 30, 52, 53, 60, 300, 700, 1020].flatMap(
  (exponent) => [1, 1.25, 1.7].map((part) => part * 2 ** exponent),
);
const all = [...sizes, ...sizes.map((size) => -size), 0, 3, -3, 0.5, 2.5, 10.5, 100, 709.5, -744.5];
const some = all.filter((_, i) => i % 5 === 0);

/** The logarithm of Γ is 0 at 1 and 2, where its digits are those of 1. */
const isLoose = (name: string, error: number): boolean => name === "lgamma" && error < 4e-15;

describe.each(elementwise)("($name) of operands of every size", (p) => {
  const name = p.scheme as string;
  test("is the machine's", () => {
    const isBinary = p.kind === "binary";
    const x = isBinary ? some.flatMap((one) => some.map(() => one)) : all;
    const y = isBinary ? some.flatMap(() => some) : all;
    const program = machine.load(isBinary ? `(${name} x y)` : `(${name} x)`);
    const { values } = program.evaluate(isBinary ? { x, y } : { x });
    const wrong: string[] = [];
    for (const [i, want] of [...values].entries()) {
      const got = p.forward(numbers, { x: x[i] as number, y: y[i] as number });
      const isSame = Object.is(got + 0, want + 0) || Math.abs(got - want) <= 1e-12 * Math.abs(want);
      if (isLoose(p.name, Math.abs(got - want))) continue;
      if (!isSame) wrong.push(`${x[i]}, ${y[i]}: ${got}, machine ${want}`);
    }
    program.dispose();
    expect(wrong).toEqual([]);
  });
});
