/**
 * Vectors and matrices of duals. Every algorithm is the schoolbook's, run on duals, so derivatives
 * come out by construction and no adjoint formula appears here.
 */

import { add, constant, Dual, div, mul, sub, unary } from "./dual.js";
import { RefError, Tensor } from "./values.js";

const notANumber = (): Dual => constant(Number.NaN);

export function vector(items: readonly Dual[]): Tensor {
  return new Tensor([items.length], items);
}

export function matrix(rows: number, columns: number, at: (i: number, j: number) => Dual): Tensor {
  const items: Dual[] = [];
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) items.push(at(i, j));
  return new Tensor([rows, columns], items);
}

export const isVector = (x: Tensor): boolean => x.shape.length === 1;
export const rowsOf = (x: Tensor): number => x.shape[0] as number;
export const columnsOf = (x: Tensor): number => x.shape[1] as number;

export function at(x: Tensor, i: number, j: number): Dual {
  return x.items[i * columnsOf(x) + j] as Dual;
}

export function row(x: Tensor, i: number): Tensor {
  const columns = columnsOf(x);
  return vector(x.items.slice(i * columns, (i + 1) * columns));
}

export function sameShape(x: Tensor, y: Tensor): boolean {
  return x.shape.length === y.shape.length && x.shape.every((n, i) => n === y.shape[i]);
}

/** f element by element; a scalar goes with every element. */
export function zip(f: (x: Dual, y: Dual) => Dual, x: Dual | Tensor, y: Dual | Tensor) {
  if (x instanceof Dual && y instanceof Dual) return f(x, y);
  if (x instanceof Dual) {
    const { shape, items } = y as Tensor;
    return new Tensor(
      shape,
      items.map((item) => f(x, item)),
    );
  }
  if (y instanceof Dual)
    return new Tensor(
      x.shape,
      x.items.map((item) => f(item, y)),
    );
  if (!sameShape(x, y)) throw new RefError("E-SHAPE", `shapes ${x.shape} and ${y.shape} differ`);
  return new Tensor(
    x.shape,
    x.items.map((item, i) => f(item, y.items[i] as Dual)),
  );
}

export function sum(items: readonly Dual[]): Dual {
  return items.reduce(add, constant(0));
}

export function dot(x: Tensor, y: Tensor): Dual {
  return sum(x.items.map((item, i) => mul(item, y.items[i] as Dual)));
}

/** Root of the sum of squares; its slope at zero is zero. */
export function norm(x: Tensor): Dual {
  const square = sum(x.items.map((item) => mul(item, item)));
  return square.v === 0 ? constant(0) : unary.sqrt(square);
}

export function cross(x: Tensor, y: Tensor): Tensor {
  const [a, b, c] = x.items as [Dual, Dual, Dual];
  const [d, e, f] = y.items as [Dual, Dual, Dual];
  return vector([sub(mul(b, f), mul(c, e)), sub(mul(c, d), mul(a, f)), sub(mul(a, e), mul(b, d))]);
}

export function transpose(x: Tensor): Tensor {
  return matrix(columnsOf(x), rowsOf(x), (i, j) => at(x, j, i));
}

export function matmul(x: Tensor, y: Tensor): Tensor {
  const inner = columnsOf(x);
  return matrix(rowsOf(x), columnsOf(y), (i, j) => {
    const terms: Dual[] = [];
    for (let k = 0; k < inner; k++) terms.push(mul(at(x, i, k), at(y, k, j)));
    return sum(terms);
  });
}

export function matvec(x: Tensor, y: Tensor): Tensor {
  const column = new Tensor([rowsOf(y), 1], y.items);
  return vector(matmul(x, column).items);
}

export function identity(n: number): Tensor {
  return matrix(n, n, (i, j) => constant(i === j ? 1 : 0));
}

/** Determinant by expansion along the first row, without division; NaN where it is zero. */
export function det(x: Tensor): Dual {
  const n = rowsOf(x);
  const grid = Array.from({ length: n }, (_, i) => row(x, i).items);
  const result = minor(grid);
  return result.v === 0 ? notANumber() : result;
}

function minor(grid: readonly (readonly Dual[])[]): Dual {
  if (grid.length === 0) return constant(1);
  const [first, ...others] = grid as [readonly Dual[], ...(readonly Dual[])[]];
  return first.reduce((total, item, j) => {
    const rest = others.map((line) => line.filter((_, k) => k !== j));
    const term = mul(item, minor(rest));
    return j % 2 === 0 ? add(total, term) : sub(total, term);
  }, constant(0));
}

/** X with a·X = b, by Gauss–Jordan with row pivoting; NaN where a is singular. */
export function solve(a: Tensor, b: Tensor): Tensor {
  const n = rowsOf(a);
  const width = columnsOf(b);
  const left = Array.from({ length: n }, (_, i) => [...row(a, i).items]);
  const right = Array.from({ length: n }, (_, i) => [...row(b, i).items]);
  for (let k = 0; k < n; k++) {
    const pivotRow = largestBelow(left, k);
    swap(left, k, pivotRow);
    swap(right, k, pivotRow);
    const pivot = (left[k] as Dual[])[k] as Dual;
    if (pivot.v === 0) return matrix(n, width, notANumber);
    for (let i = 0; i < n; i++) if (i !== k) eliminate(left, right, i, k, pivot);
  }
  return matrix(n, width, (i, j) => div(right[i]?.[j] as Dual, left[i]?.[i] as Dual));
}

function largestBelow(lines: readonly Dual[][], k: number): number {
  let best = k;
  for (let i = k + 1; i < lines.length; i++) {
    if (Math.abs(lines[i]?.[k]?.v as number) > Math.abs(lines[best]?.[k]?.v as number)) best = i;
  }
  return best;
}

function swap(lines: Dual[][], i: number, j: number): void {
  const line = lines[i] as Dual[];
  lines[i] = lines[j] as Dual[];
  lines[j] = line;
}

/** Takes line k from line i so that column k of line i becomes zero. */
function eliminate(left: Dual[][], right: Dual[][], i: number, k: number, pivot: Dual): void {
  const factor = div(left[i]?.[k] as Dual, pivot);
  const less = (line: Dual[], from: Dual[]): Dual[] =>
    line.map((item, j) => sub(item, mul(factor, from[j] as Dual)));
  left[i] = less(left[i] as Dual[], left[k] as Dual[]);
  right[i] = less(right[i] as Dual[], right[k] as Dual[]);
}

/** Lower triangular l with l·lᵀ = x, from x's lower triangle; NaN if x is not positive definite. */
export function cholesky(x: Tensor): Tensor {
  const n = rowsOf(x);
  const l: Dual[][] = Array.from({ length: n }, () => Array(n).fill(constant(0)) as Dual[]);
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      let rest = at(x, i, j);
      for (let k = 0; k < j; k++) rest = sub(rest, mul(l[i]?.[k] as Dual, l[j]?.[k] as Dual));
      if (i === j && !(rest.v > 0)) return matrix(n, n, notANumber);
      const line = l[i] as Dual[];
      line[j] = i === j ? unary.sqrt(rest) : div(rest, l[j]?.[j] as Dual);
    }
  }
  return matrix(n, n, (i, j) => l[i]?.[j] as Dual);
}
