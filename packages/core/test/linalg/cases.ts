/** Operands for the kernel tests: seeded, well conditioned, but in need of pivoting. */
import type { Elements, Operand } from "./kernels.js";
import type { Tensor } from "./reference.js";

export type Random = () => number;

/** Uniform in [-1, 1), the same sequence for the same seed (xorshift). */
export function randomOf(seed: number): Random {
  let state = (seed * 2654435761 + 1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 31 - 1;
  };
}

export interface Case {
  op: string;
  name: string;
  x: [rank: number, rows: number, cols: number];
  y?: [rank: number, rows: number, cols: number];
}

const sizes = [1, 2, 3, 4, 5, 6, 7, 8, 16];
const squares = sizes.flatMap((n) =>
  ["trace", "det", "logdet", "inv", "cholesky"].map((op): Case => ({ op, name: "", x: [2, n, n] })),
);
const rectangles = [
  [1, 1],
  [2, 3],
  [3, 2],
  [1, 5],
  [4, 4],
  [5, 7],
] as const;
const small = [1, 2, 3];
const products: readonly (readonly [rows: number, inner: number, cols: number])[] = [
  ...small.flatMap((rows) =>
    small.flatMap((inner) => small.map((cols) => [rows, inner, cols] as const)),
  ),
  ...[4, 5, 6, 8].map((n) => [n, n, n] as const),
  [2, 3, 4],
  [1, 4, 1],
  [4, 2, 3],
  [5, 3, 2],
  [2, 7, 3],
  [6, 4, 5],
];

/** Every structured primitive at every size worth having. */
export const cases: Case[] = [
  ...squares,
  ...rectangles.flatMap(([rows, cols]) =>
    ["vsum", "norm", "transpose"].map((op): Case => ({ op, name: "", x: [2, rows, cols] })),
  ),
  ...[1, 2, 3, 4, 7].flatMap((n): Case[] => [
    ...["vsum", "norm", "normalize"].map((op): Case => ({ op, name: "", x: [1, n, 1] })),
    { op: "dot", name: "", x: [1, n, 1], y: [1, n, 1] },
    { op: "outer", name: "", x: [1, n, 1], y: [1, (n % 4) + 1, 1] },
  ]),
  { op: "cross", name: "", x: [1, 3, 1], y: [1, 3, 1] } satisfies Case,
  ...products.flatMap(([rows, inner, cols]): Case[] => [
    { op: "matmul", name: "", x: [2, rows, inner], y: [2, inner, cols] },
    ...(cols === 1 || rows > 3
      ? [{ op: "matvec", name: "", x: [2, rows, inner], y: [1, inner, 1] } satisfies Case]
      : []),
  ]),
  ...sizes.flatMap((n): Case[] => [
    { op: "solve", name: "", x: [2, n, n], y: [1, n, 1] },
    { op: "solve", name: "", x: [2, n, n], y: [2, n, 3] },
    // More right sides than rows.
    { op: "solve", name: "", x: [2, n, n], y: [2, n, n + 2] },
  ]),
].map((one) => ({ ...one, name: nameOf(one) }));

function nameOf({ op, x, y }: Case): string {
  const text = ([rank, rows, cols]: Case["x"]) =>
    rank === 1 ? `vector[${rows}]` : `${rows}×${cols}`;
  return `${op} of ${text(x)}${y === undefined ? "" : ` and ${text(y)}`}`;
}

/** A matrix for one lane: random, its heaviest entries off the diagonal; or positive definite. */
function matrix(op: string, rows: number, cols: number, random: Random): number[] {
  if (op === "cholesky") {
    const m = Array.from({ length: rows * rows }, random);
    return Array.from({ length: rows * rows }, (_, e) => {
      const [i, j] = [Math.floor(e / rows), e % rows];
      let sum = i === j ? 1 : 0;
      for (let k = 0; k < rows; k++)
        sum += (m[i * rows + k] as number) * (m[j * rows + k] as number);
      return sum;
    });
  }
  const shift = Math.floor((random() + 1) * 0.5 * rows);
  return Array.from({ length: rows * cols }, (_, e) => {
    const [i, j] = [Math.floor(e / cols), e % cols];
    return random() + (j === (i + shift) % rows ? 2.5 : 0);
  });
}

/** One operand with its own numbers in every lane, or the same in all. */
export function operandOf(
  op: string,
  [rank, rows, cols]: Case["x"],
  lanes: number,
  random: Random,
  uniform: boolean,
): Operand {
  const perLane = Array.from({ length: uniform ? 1 : lanes }, () =>
    rank === 2 ? matrix(op, rows, cols, random) : Array.from({ length: rows * cols }, random),
  );
  const elements = Array.from({ length: rows * cols }, (_, e) =>
    Array.from({ length: lanes }, (_, lane) => perLane[uniform ? 0 : lane]?.[e] as number),
  );
  return { rank, rows, cols, elements, uniform };
}

/** One number per element and lane. */
export function elementsOf(count: number, lanes: number, random: Random): Elements {
  return Array.from({ length: count }, () => Array.from({ length: lanes }, random));
}

/** What one lane holds of an operand. */
export function laneOf(operand: Operand, lane: number): Tensor {
  const values = operand.elements.map((element) => element[lane] as number);
  return { rows: operand.rows, cols: operand.cols, values };
}

/** The same operand with only the chosen lanes, in that order. */
export function takeLanes(operand: Operand, lanes: number[]): Operand {
  return { ...operand, elements: pickLanes(operand.elements, lanes) };
}

export function pickLanes(elements: Elements, lanes: number[]): Elements {
  return elements.map((element) => lanes.map((lane) => element[lane] as number));
}
