/**
 * Shapes that do not fit and indices out of range, for every primitive that takes vectors: which
 * operand, what it wanted and what it got.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { Machine } from "../../src/index.js";
import { primitives } from "../../src/primitives/index.js";
import { caught, covered, expectUsable } from "./support.js";

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create({ precision: "f32" });
});

interface Misfit {
  readonly source: string;
  readonly needs: string;
  readonly got: string;
  readonly code?: string;
}

const equalShapes = "equal shapes, or a number and a vector or matrix";

const misfits: readonly Misfit[] = [
  { source: "(+ [1 2] [1 2 3])", needs: equalShapes, got: "vector[2] and vector[3]" },
  { source: "(- (eye 2) [1 2])", needs: equalShapes, got: "matrix[2,2] and vector[2]" },
  { source: "(* (zeros 2 3) (zeros 3 2))", needs: equalShapes, got: "matrix[2,3] and matrix[3,2]" },
  { source: "(/ [1] (eye 1))", needs: equalShapes, got: "vector[1] and matrix[1,1]" },
  { source: "(max [1 2] [1 2 3])", needs: equalShapes, got: "vector[2] and vector[3]" },
  { source: "(min (ones 1 2) [1 2])", needs: equalShapes, got: "matrix[1,2] and vector[2]" },
  { source: "(expt [1 2] [1 2 3])", needs: equalShapes, got: "vector[2] and vector[3]" },
  { source: "(atan [1 2] [1 2 3])", needs: equalShapes, got: "vector[2] and vector[3]" },
  { source: "(quotient [1 2] [1 2 3])", needs: equalShapes, got: "vector[2] and vector[3]" },
  { source: "(< [1] 2)", needs: "a number", got: "vector[1]" },
  { source: "(zero? (eye 2))", needs: "a number", got: "matrix[2,2]" },
  {
    source: "(dot [1 2] [1 2 3])",
    needs: "vectors of equal length",
    got: "vector[2] and vector[3]",
  },
  { source: "(dot 1 [1])", needs: "vectors", got: "1 and vector[1]" },
  { source: "(dot (eye 2) [1 2])", needs: "vectors", got: "matrix[2,2] and vector[2]" },
  {
    source: "(cross [1 2] [1 2 3])",
    needs: "two vectors of length 3",
    got: "vector[2] and vector[3]",
  },
  { source: "(outer (eye 2) [1 2])", needs: "vectors", got: "matrix[2,2] and vector[2]" },
  { source: "(scale [1 2] [1 2])", needs: "a number", got: "vector[2]" },
  { source: "(scale 2 3)", needs: "a vector or matrix", got: "3" },
  {
    source: "(matvec [1 2] [1 2])",
    needs: "a matrix and a vector",
    got: "vector[2] and vector[2]",
  },
  {
    source: "(matvec (eye 2) [1 2 3])",
    needs: "as many columns in the first as rows in the second",
    got: "matrix[2,2] and vector[3]",
  },
  {
    source: "(matmul (zeros 2 3) (zeros 2 3))",
    needs: "as many columns in the first as rows in the second",
    got: "matrix[2,3] and matrix[2,3]",
  },
  {
    source: "(solve (zeros 2 3) [1 2])",
    needs: "a square matrix",
    got: "matrix[2,3] and vector[2]",
  },
  {
    source: "(solve (eye 2) [1 2 3])",
    needs: "as many columns in the first as rows in the second",
    got: "matrix[2,2] and vector[3]",
  },
  { source: "(transpose [1 2])", needs: "a matrix", got: "vector[2]" },
  { source: "(trace (zeros 2 3))", needs: "a square matrix", got: "matrix[2,3]" },
  { source: "(det (zeros 2 3))", needs: "a square matrix", got: "matrix[2,3]" },
  { source: "(logdet (zeros 2 3))", needs: "a square matrix", got: "matrix[2,3]" },
  { source: "(inv (zeros 2 3))", needs: "a square matrix", got: "matrix[2,3]" },
  { source: "(cholesky (zeros 2 3))", needs: "a square matrix", got: "matrix[2,3]" },
  { source: "(inv [1 2])", needs: "a matrix", got: "vector[2]" },
  { source: "(cholesky 3)", needs: "a matrix", got: "3" },
  { source: "(norm 3)", needs: "a vector or matrix", got: "3" },
  { source: "(vsum 3)", needs: "a vector or matrix", got: "3" },
  { source: "(vec 1 [2])", needs: "a number", got: "vector[1]" },
  { source: "(mat [1 2] [3])", needs: "rows of equal length", got: "vector[2] and vector[1]" },
  { source: "(ref 5 0)", needs: "a vector or matrix", got: "5" },
  { source: "(ref '(1 2) 0)", needs: "a vector or matrix", got: "a list", code: "E-TYPE" },
  { source: "(ref [1 2] 0 0)", needs: "a matrix", got: "vector[2]" },
  { source: "(rows 5)", needs: "a vector or matrix", got: "5" },
  { source: "(cols 'a)", needs: "a vector or matrix", got: "the symbol a", code: "E-TYPE" },
  { source: "(vec 1 'a)", needs: "a number", got: "the symbol a", code: "E-TYPE" },
  { source: "(ref [1 2] 0.5)", needs: "a whole number", got: "0.5", code: "E-TYPE" },
  { source: "(ref [1 2] +nan.0)", needs: "a whole number", got: "NaN", code: "E-TYPE" },
  { source: "(list-ref '(1 2) 0.5)", needs: "a whole number", got: "0.5", code: "E-TYPE" },
  { source: "(eye 1.5)", needs: "a whole number", got: "1.5", code: "E-TYPE" },
  { source: "(eye -1)", needs: "a size from 0 to 2^24", got: "-1", code: "E-RANGE" },
  { source: "(zeros 2 1e9)", needs: "a size from 0 to 2^24", got: "1000000000", code: "E-RANGE" },
  { source: "(ones 17000000)", needs: "a size from 0 to 2^24", got: "17000000", code: "E-RANGE" },
];

describe("shapes that do not fit", () => {
  test.each(misfits)("$source", ({ source, needs, got, code = "E-SHAPE" }) => {
    const error = caught(() => machine.load(source).evaluate());
    const name = /\(([^ ]+)/.exec(source)?.[1];
    expect(error.message).toBe(`${name} needs ${needs}, got ${got}`);
    expect(error.code).toBe(code);
    expect(covered(error)).toBe(source);
    expect(error.help).toMatch(/\S+ \S+/);
    expectUsable(machine);
  });

  test("every primitive of vectors and matrices is in the list above", () => {
    const tested = new Set(misfits.map(({ source }) => /\(([^ ]+)/.exec(source)?.[1]));
    const missing = primitives
      .filter(({ kind }) => kind.startsWith("structured"))
      .map(({ name }): string => name)
      .filter((name) => !["place", "pick", "normalize"].includes(name) && !tested.has(name));
    expect(missing).toEqual([]);
  });

  test("an operation of one vector says so", () => {
    for (const source of ["(normalize (eye 2))", "(normalize 3)", "(vlen (eye 2))"]) {
      const error = caught(() => machine.load(source).evaluate());
      expect(error.message).toMatch(/^(normalize|vlen) needs a vector, got (matrix\[2,2\]|3)$/);
    }
    expect(caught(() => machine.load("(mat 1 2)").evaluate()).message).toBe(
      "mat needs vectors, got 1",
    );
  });

  test("operands are named as the program names them", () => {
    const source = "(define (step gains x) (dot gains x)) (* 2 (step [1 2 3] [1 2]))";
    const error = caught(() => machine.load(source).evaluate());
    expect(error.message).toBe(
      "dot needs vectors of equal length, got gains = vector[3] and x = vector[2]",
    );
    const three = caught(() => machine.load("(let ((c [1 2 3])) (+ [1 2] [3 4] c))").evaluate());
    expect(three.message).toBe(`+ needs ${equalShapes}, got vector[2] and c = vector[3]`);
  });

  test("unary functions take any shape", () => {
    expect(machine.load("(sin [0 0])").evaluate().shape).toEqual([2]);
    expect(machine.load("(exp (zeros 2 3))").evaluate().shape).toEqual([2, 3]);
    expect(machine.load("(+ 1 [])").evaluate().shape).toEqual([0]);
  });
});

describe("indices out of range", () => {
  test.each([
    ["(ref [1 2] 2)", "ref: index 2 is out of range for vector[2]"],
    ["(ref [1 2] -1)", "ref: index -1 is out of range for vector[2]"],
    ["(ref [] 0)", "ref: index 0 is out of range for vector[0]"],
    ["(ref (eye 2) 2 0)", "ref: index 2 is out of range for matrix[2,2]"],
    ["(ref (zeros 2 3) 1 3)", "ref: index 3 is out of range for matrix[2,3]"],
    ["(list-ref '(1 2) 2)", "list-ref: index 2 is out of range for a list"],
    ["(list-ref '(1 2) -1)", "list-ref: index -1 is out of range for a list"],
    ["(list-tail '(1 2) 3)", "list-tail: index 3 is out of range for a list"],
  ])("%s", (source, message) => {
    const error = caught(() => machine.load(source).evaluate());
    expect(error.code).toBe("E-RANGE");
    expect(error.message).toBe(message);
    expect(covered(error)).toBe(source);
    expect(error.help).toBe("indices start at 0");
    expectUsable(machine);
  });

  test("the last element and an integral real are good indices", () => {
    expect(machine.load("(ref [1 2 3] i)").evaluate({ i: 2 }).values[0]).toBe(3);
    expect(machine.load("(list-ref '(1 2 3) (/ 4 2))").evaluate().values[0]).toBe(3);
  });
});
