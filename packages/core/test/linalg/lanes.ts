/**
 * Corners of the structured kernels: singular and NaN lanes, zero vectors, moved elements, shapes.
 * Part of linalg.test.ts, which imports it: one test file means one build of the kernels.
 */
import { describe, expect, test } from "vitest";
import * as layout from "../../src/program/layout.js";
import { elementsOf, operandOf, randomOf } from "./cases.js";
import { type Call, type Elements, Kernels, type Operand, type Real } from "./kernels.js";

const builds = { f32: new Kernels("f32"), f64: new Kernels("f64") };

/** A matrix operand from one row-major list per lane. */
function matrices(n: number, perLane: number[][]): Operand {
  const elements = Array.from({ length: n * n }, (_, e) => perLane.map((m) => m[e] as number));
  return { rank: 2, rows: n, cols: n, elements };
}

function vectors(perLane: number[][]): Operand {
  const rows = (perLane[0] as number[]).length;
  const elements = Array.from({ length: rows }, (_, e) => perLane.map((v) => v[e] as number));
  return { rank: 1, rows, cols: 1, elements };
}

const lane = (elements: Elements, index: number) => elements.map((e) => e[index] as number);
const zeros = (operand: Operand) => operand.elements.map((e) => e.map(() => 0));
const diagonal = (n: number, value: number) =>
  Array.from({ length: n * n }, (_, e) => (e % (n + 1) === 0 ? value : 0));

function differentiate(kernels: Kernels, call: Call, gz: Elements) {
  const z = kernels.forward(call);
  const seeds = { gz, gx: zeros(call.x), gy: call.y && zeros(call.y) };
  return { z, ...kernels.adjoint(call, z, seeds) };
}

/** A singular matrix of size n: its last row is the sum of the others, exact in both precisions. */
function singular(n: number): number[] {
  const m = Array.from({ length: n * n }, (_, e) => ((e * 7) % 5) + (e % (n + 1) === 0 ? 4 : 0));
  for (let j = 0; j < n; j++) {
    let sum = 0;
    for (let i = 0; i < n - 1; i++) sum += m[i * n + j] as number;
    m[(n - 1) * n + j] = sum;
  }
  return m;
}

describe.each(["f32", "f64"] as Real[])("lanes of structured kernels in %s", (real) => {
  const kernels = builds[real];

  describe.each(["det", "logdet", "inv", "solve", "cholesky"])("%s", (op) => {
    test.each([1, 2, 3, 4, 6])("keeps a bad lane of size %i away from its neighbours", (n) => {
      const random = randomOf(n);
      const good = operandOf(op, [2, n, n], 9, random, false);
      const y = operandOf(op, [1, n, 1], 9, random, false);
      const call = (x: Operand): Call => (op === "solve" ? { op, x, y } : { op, x });
      const shape = kernels.shape(op, good, op === "solve" ? y : undefined);
      const gz = elementsOf(shape.rows * shape.cols, 9, random);
      const clean = differentiate(kernels, call(good), gz);
      const bad: Record<number, number[]> = {
        1: singular(n),
        4: diagonal(n, Number.NaN),
        6: diagonal(n, Number.POSITIVE_INFINITY),
        7: diagonal(n, 0),
      };
      const spoiled = good.elements.map((e, i) => e.map((v, l) => bad[l]?.[i] ?? v));
      const mixed = differentiate(kernels, call({ ...good, elements: spoiled }), gz);
      for (const index of [0, 2, 3, 5, 8]) {
        expect(lane(mixed.z, index)).toEqual(lane(clean.z, index));
        expect(lane(mixed.gx, index)).toEqual(lane(clean.gx, index));
        expect(lane(mixed.gy, index)).toEqual(lane(clean.gy, index));
      }
      expect(lane(mixed.z, 4).some(Number.isNaN)).toBe(true);
    });
  });

  test.each([1, 2, 3])("a singular matrix of size %i has determinant 0 and its cofactors", (n) => {
    const m = n === 3 ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : n === 2 ? [1, 2, 2, 4] : [0];
    const { z, gx } = differentiate(kernels, { op: "det", x: matrices(n, [m]) }, [[2]]);
    expect(z).toEqual([[0]]);
    const cofactors = n === 3 ? [-3, 6, -3, 6, -12, 6, -3, 6, -3] : n === 2 ? [4, -2, -2, 1] : [1];
    expect(lane(gx, 0)).toEqual(cofactors.map((c) => 2 * c));
  });

  test.each([4, 5, 8])("a zero row of size %i gives determinant 0 and a NaN gradient", (n) => {
    const m = diagonal(n, 3).fill(0, n, 2 * n);
    const { z, gx } = differentiate(kernels, { op: "det", x: matrices(n, [m]) }, [[1]]);
    expect(z).toEqual([[0]]);
    expect(gx.flat().every(Number.isNaN)).toBe(true);
  });

  test.each([1, 2, 3, 4, 6])("inv and solve of a singular matrix of size %i are NaN", (n) => {
    const x = matrices(n, [singular(n), diagonal(n, 2)]);
    const y = vectors([Array(n).fill(1), Array(n).fill(1)]);
    const gz = y.elements;
    const solved = differentiate(kernels, { op: "solve", x, y }, gz);
    for (const part of [solved.z, solved.gx, solved.gy]) {
      expect(lane(part, 0).every(Number.isNaN)).toBe(true);
      expect(lane(part, 1).some(Number.isNaN)).toBe(false);
    }
    const inverse = kernels.forward({ op: "inv", x });
    expect(lane(inverse, 0).every(Number.isNaN)).toBe(true);
    expect(lane(inverse, 1)).toEqual(diagonal(n, 0.5));
  });

  test("the 3 × 3 matrix that elimination takes for regular is singular", () => {
    const x = matrices(3, [[1, 2, 3, 4, 5, 6, 7, 8, 9]]);
    expect(kernels.forward({ op: "inv", x }).flat().every(Number.isNaN)).toBe(true);
    expect(kernels.forward({ op: "logdet", x })).toEqual([[Number.NEGATIVE_INFINITY]]);
  });

  test.each([4, 5, 6, 8, 12])("rounding is no pivot: dependent rows of size %i", (n) => {
    const random = randomOf(n);
    const rows = elementsOf(n, n, random).map((row) => [...row]) as number[][];
    // The last row is a combination of the others, as exactly as the precision allows.
    const weights = elementsOf(n, 1, random).map(([weight]) => weight as number);
    const round = real === "f32" ? Math.fround : (value: number) => value;
    rows.forEach((row, i) => {
      rows[i] = row.map(round);
    });
    rows[n - 1] = Array.from({ length: n }, (_, j) => {
      const terms = rows.slice(0, -1).map((row, i) => (row[j] as number) * (weights[i] as number));
      return round(terms.reduce((a, b) => a + b, 0));
    });
    const m = rows.flat();
    // Neither the size of a row nor that of a column has anything to do with it.
    const scales = Array.from({ length: n }, (_, i) => 2 ** (5 * (i % 5) - 10));
    const scaled = m.map((v, e) => v * (scales[Math.floor(e / n)] as number));
    const turned = m.map((v, e) => v * (scales[e % n] as number));
    const x = matrices(n, [m, scaled, turned, diagonal(n, 2)]);
    const det = kernels.forward({ op: "det", x });
    expect(det).toEqual([[0, 0, 0, 2 ** n]]);
    expect((kernels.forward({ op: "logdet", x })[0] as number[]).slice(0, 3)).toEqual(
      Array(3).fill(Number.NEGATIVE_INFINITY),
    );
    const inverse = kernels.forward({ op: "inv", x });
    for (const index of [0, 1, 2]) expect(lane(inverse, index).every(Number.isNaN)).toBe(true);
    expect(lane(inverse, 3)).toEqual(diagonal(n, 0.5));
  });

  test.each([4, 6])(
    "a regular matrix of size %i with tiny rows and columns is no rounding",
    (n) => {
      const tiny = real === "f32" ? 2 ** -30 : 2 ** -100;
      const base = Array.from({ length: n * n }, (_, e) => (e % (n + 1) === 0 ? 3 : 1 / (1 + e)));
      const rowTiny = base.map((v, e) => (Math.floor(e / n) === 1 ? v * tiny : v));
      const colTiny = base.map((v, e) => (e % n === n - 1 ? v * tiny : v));
      const graded = Array.from({ length: n * n }, (_, e) =>
        e % (n + 1) === 0 ? tiny ** (e / (n + 1) / n) : 0,
      );
      const x = matrices(n, [base, rowTiny, colTiny, graded]);
      const [dets] = kernels.forward({ op: "det", x }) as [number[]];
      const size = dets[0] as number;
      expect((dets[1] as number) / tiny / size).toBeCloseTo(1, 4);
      expect((dets[2] as number) / tiny / size).toBeCloseTo(1, 4);
      expect(dets.every((det) => det !== 0 && Number.isFinite(det))).toBe(true);
      const inverse = kernels.forward({ op: "inv", x });
      for (const index of [0, 1, 2, 3]) {
        expect(lane(inverse, index).every(Number.isFinite)).toBe(true);
      }
    },
  );

  test("a small pivot is found below rounding of a larger row", () => {
    // 0.1 + 0.2 - 0.3 is rounding; the row below is small and means it.
    const third = real === "f32" ? Math.fround(0.1) + Math.fround(0.2) : 0.1 + 0.2;
    const tiny = real === "f32" ? 2 ** -40 : 2 ** -90;
    const m = [1, 0.1, 0, 0, 1, real === "f32" ? Math.fround(third - 0.2) : third - 0.2, 1, 0];
    const rest = [0, tiny, 0, 0, 0, 0, 0, 1];
    const x = matrices(4, [[...m, ...rest]]);
    const [[det]] = kernels.forward({ op: "det", x }) as [[number]];
    expect(det / -tiny).toBeCloseTo(1, 5);
  });

  test("logdet ignores the sign and takes the logarithm of no overflowing product", () => {
    const small = real === "f32" ? 1e-20 : 1e-200;
    const large = real === "f32" ? 1e20 : 1e200;
    for (const n of [2, 3, 4, 6]) {
      const x = matrices(n, [diagonal(n, small), diagonal(n, large), diagonal(n, -2)]);
      const { z, gx } = differentiate(kernels, { op: "logdet", x }, [[1, 1, 1]]);
      const expected = [small, large, 2].map((v) => n * Math.log(v));
      expected.forEach((value, i) => {
        expect((z[0] as number[])[i]).toBeCloseTo(value, real === "f32" ? 3 : 10);
      });
      expect(((gx[0] as number[])[0] as number) * small).toBeCloseTo(1, 5);
      expect((gx[0] as number[])[2]).toBe(-0.5);
    }
  });

  test("inv of a tiny or huge matrix is right though its determinant leaves the range", () => {
    const small = real === "f32" ? 2 ** -60 : 2 ** -500;
    for (const n of [2, 3]) {
      const x = matrices(n, [diagonal(n, small), diagonal(n, 1 / small)]);
      const z = kernels.forward({ op: "inv", x });
      expect(lane(z, 0)).toEqual(diagonal(n, 1 / small));
      expect(lane(z, 1)).toEqual(diagonal(n, small));
    }
  });

  test("a NaN hidden below a zero pivot shows in the determinant", () => {
    const m = diagonal(4, 1);
    m[0] = 0;
    m[3] = Number.NaN;
    expect(kernels.forward({ op: "det", x: matrices(4, [m]) })).toEqual([[Number.NaN]]);
  });

  test("cholesky of a matrix that is not positive definite is NaN in that lane only", () => {
    const x = matrices(2, [
      [1, 2, 2, 1],
      [4, 2, 2, 5],
      [0, 0, 0, 1],
    ]);
    const z = kernels.forward({ op: "cholesky", x });
    expect(lane(z, 1)).toEqual([2, 0, 1, 2]);
    for (const index of [0, 2]) {
      expect(lane(z, index)).toEqual([Number.NaN, 0, Number.NaN, Number.NaN]);
    }
  });

  test("cholesky reads and differentiates the lower triangle only", () => {
    const x = matrices(2, [[4, 99, 2, 5]]);
    const { z, gx } = differentiate(kernels, { op: "cholesky", x }, [[1], [7], [1], [1]]);
    expect(lane(z, 0)).toEqual([2, 0, 1, 2]);
    expect((gx[1] as number[])[0]).toBe(0);
  });

  test("norm and normalize of the zero vector are 0 with gradient 0, beside other lanes", () => {
    const x = vectors([
      [0, 0],
      [3, 4],
      [0, 0],
      [-0, 0],
    ]);
    const norm = differentiate(kernels, { op: "norm", x }, [[1, 5, Infinity, 1]]);
    expect(norm.z).toEqual([[0, 5, 0, 0]]);
    expect(norm.gx).toEqual([
      [0, 3, 0, 0],
      [0, 4, 0, 0],
    ]);
    const seed = [
      [1, 5, Infinity, 1],
      [1, 5, 1, 1],
    ];
    const direction = differentiate(kernels, { op: "normalize", x }, seed);
    expect(lane(direction.z, 0)).toEqual([0, 0]);
    expect(lane(direction.gx, 2)).toEqual([0, 0]);
    expect(lane(direction.z, 1)).toEqual(kernels.round([[0.6, 0.8]])[0]);
  });

  test("place writes a part of a payload and adds back the part's adjoint", () => {
    const like = operandOf("place", [2, 3, 2], 5, randomOf(1), false);
    for (const uniform of [false, true]) {
      const x = operandOf("place", [1, 2, 1], 5, randomOf(2), uniform);
      const y = { ...x, uniform: false };
      const call: Call = { op: "place", x, y, like, aux: 2, count: 2 };
      const z = kernels.forward(call);
      expect(z.slice(2, 4)).toEqual(kernels.round(x.elements));
      const gz = kernels.round(elementsOf(6, 5, randomOf(3)));
      expect(kernels.adjoint(call, z, { gz, gx: zeros(x) }).gx).toEqual(gz.slice(2, 4));
    }
  });

  test("pick reads a part of a payload and adds its adjoint there alone", () => {
    for (const uniform of [false, true]) {
      const x = operandOf("pick", [2, 3, 2], 5, randomOf(1), uniform);
      const like = operandOf("pick", [1, 2, 1], 5, randomOf(2), uniform);
      const call: Call = { op: "pick", x, like, aux: 4, count: 2 };
      const z = kernels.forward(call);
      expect(z).toEqual(kernels.round(x.elements.slice(4)));
      const gz = kernels.round(elementsOf(2, 5, randomOf(3)));
      const { gx } = kernels.adjoint(call, z, { gz, gx: zeros(x) });
      expect(gx).toEqual([...zeros(x).slice(0, 4), ...gz]);
    }
  });
});

describe("shapes of structured primitives", () => {
  const codes = layout as Record<string, number>;
  const kernels = builds.f64;
  const scalar: Operand = { rank: 0, rows: 1, cols: 1, elements: [] };
  const vector = (n: number): Operand => ({ rank: 1, rows: n, cols: 1, elements: [] });
  const matrix = (rows: number, cols: number): Operand => ({ rank: 2, rows, cols, elements: [] });

  test.each([
    ["vsum", matrix(2, 3), undefined, [0, 1, 1], [2, 3, 1]],
    ["norm", vector(4), undefined, [0, 1, 1], [4, 1, 1]],
    ["normalize", vector(4), undefined, [1, 4, 1], [4, 1, 1]],
    ["transpose", matrix(2, 3), undefined, [2, 3, 2], [2, 3, 1]],
    ["trace", matrix(3, 3), undefined, [0, 1, 1], [3, 3, 1]],
    ["inv", matrix(3, 3), undefined, [2, 3, 3], [3, 3, 1]],
    ["dot", vector(3), vector(3), [0, 1, 1], [1, 3, 1]],
    ["cross", vector(3), vector(3), [1, 3, 1], [3, 1, 1]],
    ["outer", vector(2), vector(5), [2, 2, 5], [2, 1, 5]],
    ["matvec", matrix(2, 3), vector(3), [1, 2, 1], [2, 3, 1]],
    ["matmul", matrix(2, 3), matrix(3, 4), [2, 2, 4], [2, 3, 4]],
    ["solve", matrix(3, 3), vector(3), [1, 3, 1], [3, 3, 1]],
    ["solve", matrix(3, 3), matrix(3, 2), [2, 3, 2], [3, 3, 2]],
  ] as [string, Operand, Operand | undefined, number[], number[]][])(
    "%s has a shape",
    (op, x, y, shape, dims) => {
      const { code, rank, rows, cols, dims: found } = kernels.shape(op, x, y);
      expect({ code, shape: [rank, rows, cols], dims: found }).toEqual({ code: 0, shape, dims });
    },
  );

  test.each([
    ["vsum", "NEEDS_TENSOR", scalar, undefined],
    ["norm", "NEEDS_TENSOR", scalar, undefined],
    ["normalize", "NEEDS_VECTOR", matrix(2, 2), undefined],
    ["transpose", "NEEDS_MATRIX", vector(2), undefined],
    ["det", "NEEDS_MATRIX", scalar, undefined],
    ["det", "NEEDS_SQUARE", matrix(2, 3), undefined],
    ["cholesky", "NEEDS_SQUARE", matrix(3, 2), undefined],
    ["dot", "NEEDS_VECTOR", vector(2), scalar],
    ["dot", "LENGTHS_DIFFER", vector(2), vector(3)],
    ["cross", "NEEDS_VECTOR3", vector(2), vector(2)],
    ["outer", "NEEDS_VECTOR", matrix(2, 2), vector(2)],
    ["matvec", "NEEDS_MATRIX_VECTOR", vector(2), matrix(2, 2)],
    ["matvec", "INNER_DIFFER", matrix(2, 3), vector(2)],
    ["matmul", "NEEDS_MATRIX", matrix(2, 2), vector(2)],
    ["matmul", "INNER_DIFFER", matrix(2, 3), matrix(2, 3)],
    ["solve", "NEEDS_MATRIX_FIRST", vector(2), vector(2)],
    ["solve", "NEEDS_SQUARE", matrix(2, 3), vector(2)],
    ["solve", "INNER_DIFFER", matrix(2, 2), vector(3)],
    ["scale", "NEEDS_SCALAR_FIRST", vector(2), vector(2)],
    ["vsum", "UNKNOWN_OP", vector(2), vector(2)],
  ] as [string, string, Operand, Operand | undefined][])("%s answers %s", (op, name, x, y) => {
    expect(kernels.shape(op, x, y).code).toBe(codes[`SHAPE_${name}`]);
  });
});
