/**
 * The structured primitives in plain numbers, one lane at a time, written without regard to the
 * kernels: full-matrix Gauss with row interchange, Cholesky by rows. Matrices are row-major lists.
 */

export interface Tensor {
  rows: number;
  cols: number;
  values: number[];
}

const at = (m: Tensor, i: number, j: number) => m.values[i * m.cols + j] as number;

function build(rows: number, cols: number, entry: (i: number, j: number) => number): Tensor {
  const values: number[] = [];
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) values.push(entry(i, j));
  return { rows, cols, values };
}

const scalar = (value: number): Tensor => ({ rows: 1, cols: 1, values: [value] });
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

export function product(a: Tensor, b: Tensor): Tensor {
  return build(a.rows, b.cols, (i, j) =>
    sum(Array.from({ length: a.cols }, (_, k) => at(a, i, k) * at(b, k, j))),
  );
}

export function transpose(a: Tensor): Tensor {
  return build(a.cols, a.rows, (i, j) => at(a, j, i));
}

/** Reduces [a | b] to [I | x]; also gives the determinant. */
function gauss(a: Tensor, b: Tensor): { x: Tensor; det: number } {
  const n = a.rows;
  const rows = Array.from({ length: n }, (_, i) => [
    ...a.values.slice(i * n, (i + 1) * n),
    ...b.values.slice(i * b.cols, (i + 1) * b.cols),
  ]);
  let det = 1;
  for (let k = 0; k < n; k++) {
    const column = rows.map((row, i) => (i < k ? -1 : Math.abs(row[k] as number)));
    const p = column.indexOf(Math.max(...column));
    if (p !== k) {
      [rows[k], rows[p]] = [rows[p] as number[], rows[k] as number[]];
      det = -det;
    }
    const head = rows[k] as number[];
    const pivot = head[k] as number;
    det *= pivot;
    for (let j = 0; j < head.length; j++) head[j] = (head[j] as number) / pivot;
    for (const [i, row] of rows.entries()) {
      const factor = row[k] as number;
      if (i === k) continue;
      for (let j = 0; j < row.length; j++)
        row[j] = (row[j] as number) - factor * (head[j] as number);
    }
  }
  return { x: build(n, b.cols, (i, j) => rows[i]?.[n + j] as number), det };
}

const identity = (n: number) => build(n, n, (i, j) => (i === j ? 1 : 0));

function choleskyOf(a: Tensor): Tensor {
  const n = a.rows;
  const l = build(n, n, () => 0);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const done = sum(Array.from({ length: j }, (_, k) => at(l, i, k) * at(l, j, k)));
      const rest = at(a, i, j) - done;
      l.values[i * n + j] = i === j ? Math.sqrt(rest) : rest / at(l, j, j);
    }
  }
  return l;
}

const lengthOf = (x: Tensor) => Math.hypot(...x.values);

/** Every structured primitive; the second operand is missing for unary ones. */
export const reference: Record<string, (x: Tensor, y: Tensor) => Tensor> = {
  vsum: (x) => scalar(sum(x.values)),
  norm: (x) => scalar(lengthOf(x)),
  normalize: (x) => build(x.rows, x.cols, (i, j) => at(x, i, j) / lengthOf(x)),
  transpose,
  trace: (x) => scalar(sum(Array.from({ length: x.rows }, (_, i) => at(x, i, i)))),
  det: (x) => scalar(gauss(x, identity(x.rows)).det),
  logdet: (x) => scalar(Math.log(Math.abs(gauss(x, identity(x.rows)).det))),
  inv: (x) => gauss(x, identity(x.rows)).x,
  cholesky: choleskyOf,
  dot: (x, y) => product(transpose(x), y),
  cross: (x, y) =>
    build(3, 1, (i) => {
      const [j, k] = [(i + 1) % 3, (i + 2) % 3];
      return at(x, j, 0) * at(y, k, 0) - at(x, k, 0) * at(y, j, 0);
    }),
  matvec: product,
  matmul: product,
  solve: (x, y) => gauss(x, y).x,
  outer: (x, y) => product(x, transpose(y)),
};

/** Slope of sum(seed * f) along each entry of `of`, by Richardson's central differences. */
export function slopes(f: (of: Tensor) => Tensor, of: Tensor, seed: number[]): number[] {
  const total = (values: number[]) =>
    sum(f({ ...of, values }).values.map((v, i) => v * (seed[i] ?? 0)));
  return of.values.map((value, e) => {
    const central = (h: number) => {
      const up = of.values.with(e, value + h);
      const down = of.values.with(e, value - h);
      return (total(up) - total(down)) / (2 * h);
    };
    const h = 1e-3 * Math.max(1, Math.abs(value));
    return (64 * central(h / 4) - 20 * central(h / 2) + central(h)) / 45;
  });
}
