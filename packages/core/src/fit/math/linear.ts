/**
 * Small dense linear algebra of least squares: triangular factors and singular values.
 *
 * A factor holds R (p × p, upper triangular, row-major) of the Jacobian J = QR. The machine makes
 * it (wasm/fit/factor.ts), where q = Qᵀr follows each row of R, padded to whole groups of four.
 */

/** Numbers in a row of a factor of size p as the machine has it. */
export const factorStride = (size: number): number => (size + 4) & ~3;

export const factorNumbers = (size: number): number => size * factorStride(size);

export class Factor {
  readonly size: number;
  readonly r: Float64Array;

  constructor(size: number) {
    this.size = size;
    this.r = new Float64Array(size * size);
  }

  /** Takes R over from the machine. */
  read(numbers: Float64Array, from: number): void {
    const { size, r } = this;
    for (let i = 0; i < size; i++)
      for (let j = i; j < size; j++)
        r[i * size + j] = numbers[from + i * factorStride(size) + j] as number;
  }
}

export interface Singular {
  /** Singular values, largest first. */
  readonly values: Float64Array;
  /** Right singular vectors: vectors[k] belongs to values[k]. */
  readonly vectors: readonly Float64Array[];
}

/** Singular values and right vectors of a matrix given by columns: one-sided Jacobi rotations. */
export function singularValues(columns: readonly Float64Array[]): Singular {
  const size = columns.length;
  const work = columns.map((column) => Float64Array.from(column));
  const vectors = columns.map((_, k) => Float64Array.from(columns, (_c, i) => (i === k ? 1 : 0)));
  for (let sweep = 0; sweep < 60; sweep++) {
    let isDone = true;
    for (let a = 0; a < size; a++)
      for (let b = a + 1; b < size; b++) if (orthogonalise(work, vectors, a, b)) isDone = false;
    if (isDone) break;
  }
  const norms = work.map((column) => Math.sqrt(dot(column, column)));
  const order = norms.map((_, k) => k).sort((a, b) => (norms[b] as number) - (norms[a] as number));
  return {
    values: Float64Array.from(order, (k) => norms[k] as number),
    vectors: order.map((k) => vectors[k] as Float64Array),
  };
}

export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

/** Rotates columns a and b until they are orthogonal; whether they were not. */
function orthogonalise(
  work: readonly Float64Array[],
  vectors: readonly Float64Array[],
  a: number,
  b: number,
): boolean {
  const x = work[a] as Float64Array;
  const y = work[b] as Float64Array;
  const xx = dot(x, x);
  const yy = dot(y, y);
  const xy = dot(x, y);
  if (Math.abs(xy) <= 1e-15 * Math.sqrt(xx * yy)) return false;
  const zeta = (yy - xx) / (2 * xy);
  const tangent = (zeta >= 0 ? 1 : -1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
  const cosine = 1 / Math.sqrt(1 + tangent * tangent);
  rotate(x, y, cosine, cosine * tangent);
  rotate(vectors[a] as Float64Array, vectors[b] as Float64Array, cosine, cosine * tangent);
  return true;
}

function rotate(x: Float64Array, y: Float64Array, cosine: number, sine: number): void {
  for (let i = 0; i < x.length; i++) {
    const left = x[i] as number;
    const right = y[i] as number;
    x[i] = cosine * left - sine * right;
    y[i] = sine * left + cosine * right;
  }
}
