/**
 * What kernels of 2 × 2 matrices and vectors of two ("tiles") compute, and which records they run
 * together. The formulas are those of wasm/linalg/small.ts, in the same order, so that all give the
 * same bits. generate-tiles.ts writes the kernels.
 */
import { own } from "../records.js";

/** The name of an element of a tile. */
export type Tile = (element: number) => string;

export interface Operation {
  /** Elements of the operands and of the result. */
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly forward: (x: Tile, y: Tile) => readonly string[];
  /** Lines behind the stores of forward, where the first element of x and z lie at `x` and `z`. */
  readonly after?: (
    record: string,
    x: string,
    z: string,
    names: Tile,
    access: Access,
  ) => readonly string[];
  /** What is added to the adjoints of x and y, and lines before. */
  readonly adjoint: (g: Tile, x: Tile, y: Tile, z: Tile) => Additions;
  /** The tiles that the adjoint reads. */
  readonly reads: readonly ("x" | "y" | "z")[];
  /** There is an element-wise kernel that serves the record by itself. */
  readonly isElementwise?: boolean;
}

export interface Additions {
  readonly lines?: readonly string[];
  readonly x?: readonly string[];
  readonly y?: readonly string[];
}

/**
 * Where an operand comes from: memory, a uniform tensor, or what an earlier record of the kernel
 * has: its result ("0.z") or an operand of its own ("0.x").
 */
export type Source = "memory" | "uniform" | `${number}.${"x" | "y" | "z"}`;

export interface Step {
  readonly operation: string;
  readonly x: Source;
  readonly y?: Source;
}

export interface Kernel {
  readonly name: string;
  readonly doc: string;
  readonly steps: readonly Step[];
  /**
   * The record that has no part in the pass back where the kernel runs it: an addition whose
   * operands have their adjoints in the place of the result's.
   */
  readonly passed?: number;
}

/** How the elements of a tile are reached from the address of the first; E is the step. */
export interface Access {
  readonly load: (at: string, element: number) => string;
  readonly store: (at: string, element: number, value: string) => string;
}

const stepsTo = (e: number) => (e === 1 ? "E" : `${e} * E`);

/** By constant offsets. */
export const FULL: Access = {
  load: (at, e) => `v128.load(${at}${e === 0 ? "" : `, ${stepsTo(e)}`})`,
  store: (at, e, value) => `v128.store(${at}, ${value}${e === 0 ? "" : `, ${stepsTo(e)}`});`,
};

/** By a step that the block has. */
export const ANY: Access = {
  load: (at, e) => `v128.load(${at}${e === 0 ? "" : ` + ${stepsTo(e)}`})`,
  store: (at, e, value) => `v128.store(${at}${e === 0 ? "" : ` + ${stepsTo(e)}`}, ${value});`,
};

const sum2 = (a: string, b: string, c: string, d: string) => `mulAdd2(${a}, ${b}, ${c}, ${d})`;

/** The product of two 2 × 2 tiles. */
function product(x: Tile, y: Tile): readonly string[] {
  const entry = (i: number, j: number) => sum2(x(2 * i), y(j), x(2 * i + 1), y(j + 2));
  return [entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)];
}

const turned =
  (tile: Tile): Tile =>
  (e) =>
    tile(e === 1 ? 2 : e === 2 ? 1 : e);

export const elements = (count: number) => Array.from({ length: count }, (_, e) => e);

/** Uniform numbers less those of a tensor; only the tensor is active. */
const fromUniform = (count: number): Operation => ({
  x: count,
  y: count,
  z: count,
  forward: (x, y) => elements(count).map((e) => `sub(${x(e)}, ${y(e)})`),
  adjoint: (g) => ({ y: elements(count).map((e) => `neg(${g(e)})`) }),
  reads: [],
});

/**
 * Sums have no kernel by themselves: the element-wise one serves. Their operands may have taken
 * over the place of the result's adjoint, so it is stored there.
 */
const addition = (count: number): Operation => ({
  x: count,
  y: count,
  z: count,
  forward: (x, y) => elements(count).map((e) => `add(${x(e)}, ${y(e)})`),
  adjoint: (g) => ({ x: elements(count).map(g), y: elements(count).map(g) }),
  reads: [],
  isElementwise: true,
});

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  matmul: {
    x: 4,
    y: 4,
    z: 4,
    forward: product,
    adjoint: (g, x, y) => ({ x: product(g, turned(y)), y: product(turned(x), g) }),
    reads: ["x", "y"],
  },
  matvec: {
    x: 4,
    y: 2,
    z: 2,
    forward: (x, y) => [sum2(x(0), y(0), x(1), y(1)), sum2(x(2), y(0), x(3), y(1))],
    adjoint: (g, x, y) => ({
      x: elements(4).map((e) => `mul(${g(e >> 1)}, ${y(e & 1)})`),
      y: [sum2(x(0), g(0), x(2), g(1)), sum2(x(1), g(0), x(3), g(1))],
    }),
    reads: ["x", "y"],
  },
  dot: {
    x: 2,
    y: 2,
    z: 1,
    forward: (x, y) => [sum2(x(0), y(0), x(1), y(1))],
    adjoint: (g, x, y) => ({
      x: elements(2).map((e) => `mul(${g(0)}, ${y(e)})`),
      y: elements(2).map((e) => `mul(${g(0)}, ${x(e)})`),
    }),
    reads: ["x", "y"],
  },
  det: {
    x: 4,
    y: 0,
    z: 1,
    forward: (x) => [`sub(mul(${x(0)}, ${x(3)}), mul(${x(1)}, ${x(2)}))`],
    adjoint: (g, x) => ({
      x: [
        `mul(${g(0)}, ${x(3)})`,
        `mul(${g(0)}, neg(${x(2)}))`,
        `mul(${g(0)}, neg(${x(1)}))`,
        `mul(${g(0)}, ${x(0)})`,
      ],
    }),
    reads: ["x"],
  },
  inv: {
    x: 4,
    y: 0,
    z: 4,
    forward: (x) => [
      `mul(${x(3)}, scale)`,
      `sub(zero(), mul(${x(1)}, scale))`,
      `sub(zero(), mul(${x(2)}, scale))`,
      `mul(${x(0)}, scale)`,
    ],
    after: (record, x, z, names, { load }) => [
      "if (v128.any_true(doubtfulLanes(det, size))) {",
      `  repair2(${z}, E, ${x}, E, blockAt(${record}).scratch, det, size);`,
      ...elements(4).map((e) => `  ${names(e)} = ${load(z, e)};`),
      "}",
    ],
    adjoint: (g, _x, _y, z) => {
      const inner = product(g, turned(z));
      const outer = product(turned(z), (e) => `t${e}`);
      return {
        lines: inner.map((text, e) => `const t${e} = ${text};`),
        x: outer.map((text) => `neg(${text})`),
      };
    },
    reads: ["z"],
  },
  scale: {
    x: 1,
    y: 4,
    z: 4,
    forward: (x, y) => elements(4).map((e) => `mul(${x(0)}, ${y(e)})`),
    adjoint: (g, _x, y) => ({ x: elements(4).map((e) => `mul(${g(e)}, ${y(e)})`) }),
    reads: ["y"],
  },
  add2: addition(2),
  add4: addition(4),
  sub2: fromUniform(2),
  sub4: fromUniform(4),
};

const one = (operation: string, x: Source = "memory", y: Source = "memory"): Step =>
  operationOf({ operation, x }).y === 0 ? { operation, x } : { operation, x, y };

/** All kernels, in the order of their codes; those of more records come later. */
export const KERNELS: readonly Kernel[] = [
  { name: "matmul", doc: "z = x y", steps: [one("matmul")] },
  { name: "matvec", doc: "z = x y, y a vector", steps: [one("matvec")] },
  { name: "dot", doc: "z = x · y", steps: [one("dot")] },
  { name: "det", doc: "z = |x|", steps: [one("det")] },
  { name: "inv", doc: "z = x⁻¹", steps: [one("inv")] },
  { name: "scale", doc: "z = x Y, Y uniform", steps: [one("scale", "memory", "uniform")] },
  { name: "sub2", doc: "z = x - y, x uniform", steps: [one("sub2", "uniform")] },
  { name: "sub4", doc: "z = X - Y, X uniform", steps: [one("sub4", "uniform")] },
  {
    name: "invMatmul",
    doc: "x⁻¹, then y x⁻¹",
    steps: [one("inv"), one("matmul", "memory", "0.z")],
  },
  {
    name: "subMatmul",
    doc: "X - Y, X uniform, then (X - Y) z",
    steps: [one("sub4", "uniform"), one("matmul", "0.z")],
  },
  {
    name: "matvecAdd",
    doc: "x y, then a + x y",
    steps: [one("matvec"), one("add2", "memory", "0.z")],
    passed: 1,
  },
  {
    name: "quadratic",
    doc: "x y, then y · x y",
    steps: [one("matvec"), one("dot", "0.y", "0.z")],
  },
  {
    name: "addInvMatmul",
    doc: "x + y, its inverse, then x (x + y)⁻¹",
    steps: [one("add4"), one("inv", "0.z"), one("matmul", "0.x", "1.z")],
  },
  {
    name: "update",
    doc: "x y, then a + x y, X - x, and (X - x) z, X uniform",
    steps: [
      one("matvec"),
      one("add2", "memory", "0.z"),
      one("sub4", "uniform", "0.x"),
      one("matmul", "2.z"),
    ],
    passed: 1,
  },
];

export function operationOf({
  operation,
}: {
  readonly operation: string;
  readonly x: Source;
}): Operation {
  const found = own(OPERATIONS, operation);
  if (found === undefined) throw new Error(`no tiles for ${operation}`);
  return found;
}
