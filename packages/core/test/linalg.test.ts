/** The structured kernels in both precisions: forward, adjoint, lanes, corners and shapes. */
import { describe, expect, test } from "vitest";
import { describeCorpus, readCorpus } from "./corpus/corpus.js";
import {
  type Case,
  cases,
  elementsOf,
  laneOf,
  operandOf,
  pickLanes,
  randomOf,
  takeLanes,
} from "./linalg/cases.js";
import { type Call, type Elements, Kernels, type Operand, type Real } from "./linalg/kernels.js";
import "./linalg/lanes.js";
import { reference, slopes, type Tensor } from "./linalg/reference.js";

const builds = { f32: new Kernels("f32"), f64: new Kernels("f64") };
const tolerance = { f32: 2e-4, f64: 1e-9 };
const LANES = 7;
const none: Tensor = { rows: 0, cols: 0, values: [] };

/** A call with operands rounded to the build's precision. */
function callOf(one: Case, kernels: Kernels, uniform: [boolean, boolean], lanes = LANES): Call {
  const random = randomOf(one.name.length * 31 + one.x[1] * 7 + one.x[2]);
  const make = (shape: Case["x"], isUniform: boolean): Operand => {
    const operand = operandOf(one.op, shape, lanes, random, isUniform);
    return { ...operand, elements: kernels.round(operand.elements) };
  };
  const x = make(one.x, uniform[0]);
  return one.y === undefined ? { op: one.op, x } : { op: one.op, x, y: make(one.y, uniform[1]) };
}

/** Close relative to the largest number of the whole result. */
function expectClose(actual: number[], expected: number[], relative: number): void {
  const size = Math.max(1e-3, ...expected.map(Math.abs));
  expect(actual.length).toBe(expected.length);
  for (const [i, value] of expected.entries()) {
    const error = Math.abs((actual[i] as number) - value) / size;
    expect(error, `entry ${i}: ${actual[i]} against ${value}`).toBeLessThanOrEqual(relative);
  }
}

/** Close entry by entry; a 0 relative to the largest entry, and absolutely where all are 0. */
function expectEachClose(actual: number[], expected: number[], relative: number): void {
  const size = Math.max(...expected.map(Math.abs));
  expect(actual.length).toBe(expected.length);
  for (const [i, value] of expected.entries()) {
    const error = Math.abs((actual[i] as number) - value);
    const allowed = relative * (Math.abs(value) || size || 1);
    expect(error, `entry ${i}: ${actual[i]} against ${value}`).toBeLessThanOrEqual(allowed);
  }
}

const laneValues = (elements: Elements, lane: number) =>
  elements.map((element) => element[lane] as number);
const zeros = (operand: Operand): Elements =>
  operand.elements.map((element) => element.map(() => 0));

/** Forward, then the adjoint of every active operand from zero. */
function differentiate(kernels: Kernels, call: Call, gz: Elements) {
  const z = kernels.forward(call);
  const seeds = { gz, gx: zeros(call.x), gy: call.y && zeros(call.y) };
  const { gx, gy } = kernels.adjoint(call, z, seeds);
  return { z, gx, gy };
}

describe.each(["f32", "f64"] as Real[])("structured kernels in %s", (real) => {
  const kernels = builds[real];

  describe.each([
    ["per lane", false, false],
    ["with a uniform first operand", true, false],
    ["with a uniform second operand", false, true],
    ["uniform", true, true],
  ] as [string, boolean, boolean][])("%s", (_, xUniform, yUniform) => {
    test.each(cases)("$name agrees with plain numbers, and its adjoint with the slope", (one) => {
      const call = callOf(one, kernels, [xUniform, yUniform]);
      const shape = kernels.shape(one.op, call.x, call.y);
      const gz = kernels.round(elementsOf(shape.rows * shape.cols, LANES, randomOf(5)));
      const { z, gx, gy } = differentiate(kernels, call, gz);
      const f = reference[one.op] as (x: Tensor, y: Tensor) => Tensor;
      for (const lane of [0, LANES - 1]) {
        const x = laneOf(call.x, lane);
        const y = call.y === undefined ? none : laneOf(call.y, lane);
        expectClose(laneValues(z, lane), f(x, y).values, tolerance[real]);
        const seed = laneValues(gz, lane);
        const slopeX = slopes((at) => f(at, y), x, seed);
        expectClose(laneValues(gx, lane), slopeX, tolerance[real] * 10);
        if (call.y === undefined) continue;
        const slopeY = slopes((at) => f(x, at), y, seed);
        expectClose(laneValues(gy, lane), slopeY, tolerance[real] * 10);
      }
    });
  });

  test.each(cases)("$name gives a lane the same bits at any position and width", (one) => {
    const call = callOf(one, kernels, [false, false]);
    const shape = kernels.shape(one.op, call.x, call.y);
    const gz = elementsOf(shape.rows * shape.cols, LANES, randomOf(9));
    const all = differentiate(kernels, call, gz);
    for (const lanes of [[3], [6, 0], [5, 4, 3, 2, 1], [2, 2, 2, 2, 2, 2, 2, 2, 2]]) {
      const some: Call = { op: call.op, x: takeLanes(call.x, lanes) };
      if (call.y !== undefined) some.y = takeLanes(call.y, lanes);
      const part = differentiate(kernels, some, pickLanes(gz, lanes));
      expect(part.z).toEqual(pickLanes(all.z, lanes));
      expect(part.gx).toEqual(pickLanes(all.gx, lanes));
      expect(part.gy).toEqual(pickLanes(all.gy, lanes));
    }
  });

  test.each(cases)("$name gives the same bits whether an operand is uniform or not", (one) => {
    const uniform = callOf(one, kernels, [true, true]);
    const shape = kernels.shape(one.op, uniform.x, uniform.y);
    const gz = elementsOf(shape.rows * shape.cols, LANES, randomOf(4));
    const expected = differentiate(kernels, uniform, gz);
    for (const [x, y] of [
      [false, false],
      [true, false],
      [false, true],
    ] as const) {
      const mixed: Call = { op: one.op, x: { ...uniform.x, uniform: x } };
      if (uniform.y !== undefined) mixed.y = { ...uniform.y, uniform: y };
      expect(differentiate(kernels, mixed, gz)).toEqual(expected);
    }
  });

  test.each(cases)("$name adds to its targets and leaves inactive operands alone", (one) => {
    const call = callOf(one, kernels, [false, false]);
    const shape = kernels.shape(one.op, call.x, call.y);
    const gz = elementsOf(shape.rows * shape.cols, LANES, randomOf(3));
    const { z, gx, gy } = differentiate(kernels, call, gz);
    const old = call.x.elements.map((element, e) => element.map((_, lane) => e + lane / 8));
    const onlyX = kernels.adjoint(call, z, { gz, gx: old });
    const rounded = (values: Elements) => kernels.round(values);
    const plus = (a: Elements, b: Elements) =>
      rounded(a.map((element, e) => element.map((v, l) => v + (b[e]?.[l] as number))));
    expect(onlyX.gx).toEqual(plus(old, gx));
    if (call.y === undefined) return;
    const oldY = call.y.elements.map((element, e) => element.map((_, lane) => lane - e / 4));
    expect(kernels.adjoint(call, z, { gz, gy: oldY }).gy).toEqual(plus(oldY, gy));
    expect(kernels.adjoint(call, z, { gz })).toEqual({ gx: [], gy: [] });
  });

  test.each(cases)("$name begins the sums that it is told are not begun", (one) => {
    const call = callOf(one, kernels, [false, false]);
    const written = kernels.written(call);
    const shape = kernels.shape(one.op, call.x, call.y);
    const gz = elementsOf(shape.rows * shape.cols, LANES, randomOf(4));
    const { z, gx, gy } = differentiate(kernels, call, gz);
    const rubbish = (operand: Operand | undefined) =>
      operand?.elements.map((element) => element.map(() => Number.NaN));
    for (const isFresh of [
      { x: true, y: true },
      { x: true, y: false },
      { x: false, y: true },
    ]) {
      const wanted = (isFresh.x ? 1 : 0) | (isFresh.y && call.y !== undefined ? 2 : 0);
      if ((written & wanted) !== wanted) continue;
      const startOf = (operand: Operand | undefined, fresh: boolean) =>
        operand === undefined || fresh ? rubbish(operand) : zeros(operand);
      const seeds = { gz, gx: startOf(call.x, isFresh.x), gy: startOf(call.y, isFresh.y), isFresh };
      const found = kernels.adjoint(call, z, seeds);
      expect(found.gx).toEqual(gx);
      if (call.y !== undefined) expect(found.gy).toEqual(gy);
    }
  });

  test("all 2 × 2 products, determinants and inverses begin their sums", () => {
    const begins = cases.filter((one) => kernels.written(callOf(one, kernels, [false, false])) > 0);
    expect(begins.map(({ name }) => name)).toMatchInlineSnapshot(`
      [
        "det of 2×2",
        "inv of 2×2",
        "dot of vector[2] and vector[2]",
        "matmul of 2×1 and 1×2",
        "matmul of 2×2 and 2×1",
        "matvec of 2×2 and vector[2]",
        "matmul of 2×2 and 2×2",
      ]
    `);
  });

  const twins = cases.filter(({ op }) => op === "matmul" || op === "dot" || op === "outer");
  test.each(twins)("$name has the bits of the product that is not unrolled", (one) => {
    const call = callOf(one, kernels, [false, false]);
    const z = kernels.forward(call);
    expect(kernels.forward(call, "matmulTwinForward")).toEqual(z);
    const shape = kernels.shape(one.op, call.x, call.y);
    const gz = elementsOf(shape.rows * shape.cols, LANES, randomOf(2));
    const seeds = { gz, gx: zeros(call.x), gy: zeros(call.y as Operand) };
    expect(kernels.adjoint(call, z, seeds)).toEqual(
      kernels.adjoint(call, z, seeds, "matmulTwinAdjoint"),
    );
  });

  test.each(twins)("$name keeps the sign of a sum of negative zeros as its twin does", (one) => {
    const call = callOf(one, kernels, [false, false]);
    call.x = { ...call.x, elements: call.x.elements.map((element) => element.map(() => -0)) };
    const y = call.y as Operand;
    call.y = { ...y, elements: y.elements.map((element) => element.map(Math.abs)) };
    const z = kernels.forward(call);
    expect(z.flat().every((value) => Object.is(value, -0))).toBe(true);
    expect(kernels.forward(call, "matmulTwinForward")).toEqual(z);
  });

  const same = cases.filter(
    ({ op, x, y }) => y !== undefined && op !== "outer" && `${x}` === `${y}`,
  );
  test.each(same)("$name accumulates both contributions where gx and gy are one buffer", (one) => {
    const call = callOf(one, kernels, [false, false]);
    const shape = kernels.shape(one.op, call.x, call.y);
    const gz = elementsOf(shape.rows * shape.cols, LANES, randomOf(8));
    const { z, gx, gy } = differentiate(kernels, call, gz);
    const shared = kernels.adjoint(call, z, { gz, gx: zeros(call.x), shared: true }).gx;
    const sum = gx.map((element, e) => element.map((v, lane) => v + (gy[e]?.[lane] as number)));
    expect(shared).toEqual(kernels.round(sum));
  });
});

describeCorpus("structured kernels against exact rational adjoints", () => {
  interface Exact {
    id: string;
    n: number;
    A: number[][];
    det: number;
    ddet_dA: number[][];
    logabsdet: number;
    dlogdet_dA: number[][];
    inv: number[][];
    W: number[][];
    d_trace_Wt_inv_dA: number[][];
    b: number[];
    solve_x: number[];
    g: number[];
    d_gx_db: number[];
    d_gx_dA: number[][];
  }
  const { cases: exact } = readCorpus<{ cases: Exact[] }>("autodiff_refs/matrix_adjoints.json");
  const column = (values: number[]): Elements => values.map((value) => [value]);
  const matrix = (values: number[][]): Operand => ({
    rank: 2,
    rows: values.length,
    cols: values.length,
    elements: column(values.flat()),
  });

  test.each(exact)("$id in f64, to 1e-10 relative", (one) => {
    const kernels = builds.f64;
    const x = matrix(one.A);
    const check = (op: string, gz: number[], z: number[], gx: number[], y?: Operand) => {
      const call = y === undefined ? { op, x } : { op, x, y };
      const result = differentiate(kernels, call, column(gz));
      expectEachClose(result.z.flat(), z, 1e-10);
      expectEachClose(result.gx.flat(), gx, 1e-10);
      return result.gy.flat();
    };
    check("det", [1], [one.det], one.ddet_dA.flat());
    check("logdet", [1], [one.logabsdet], one.dlogdet_dA.flat());
    check("inv", one.W.flat(), one.inv.flat(), one.d_trace_Wt_inv_dA.flat());
    const b: Operand = { rank: 1, rows: one.n, cols: 1, elements: column(one.b) };
    const gb = check("solve", one.g, one.solve_x, one.d_gx_dA.flat(), b);
    expectEachClose(gb, one.d_gx_db, 1e-10);
  });
});
