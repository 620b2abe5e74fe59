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

const SWEEPS_MOST = 60;

/** Turns every pair of columns, again and again, until none had to be turned. */
function sweep(size: number, turn: (a: number, b: number) => boolean): void {
  for (let sweeps = 0; sweeps < SWEEPS_MOST; sweeps++) {
    let isDone = true;
    for (let a = 0; a < size; a++)
      for (let b = a + 1; b < size; b++) if (turn(a, b)) isDone = false;
    if (isDone) return;
  }
}

const unitVectors = (size: number): Float64Array[] =>
  Array.from({ length: size }, (_, k) => new Float64Array(size).fill(1, k, k + 1));

function largestFirst(sizes: readonly number[], vectors: readonly Float64Array[]): Singular {
  const order = sizes.map((_, k) => k).sort((a, b) => (sizes[b] as number) - (sizes[a] as number));
  return {
    values: Float64Array.from(order, (k) => sizes[k] as number),
    vectors: order.map((k) => vectors[k] as Float64Array),
  };
}

/** Singular values and right vectors of a matrix given by columns: one-sided Jacobi rotations. */
export function singularValues(columns: readonly Float64Array[]): Singular {
  const work = columns.map((column) => Float64Array.from(column));
  const vectors = unitVectors(columns.length);
  sweep(columns.length, (a, b) => orthogonalise(work, vectors, a, b));
  const norms = work.map((column) => Math.sqrt(dot(column, column)));
  return largestFirst(norms, vectors);
}

/** Share of the largest singular value by which a vector may miss being an eigenvector. */
const MIXED = 1e-6;

/**
 * The same of a symmetric matrix, with eigenvectors for vectors. Where two eigenvalues differ by their signs alone,
 * singular vectors may be any mixture of their eigenvectors.
 */
export function symmetricValues(columns: readonly Float64Array[]): Singular {
  const singular = singularValues(columns);
  const most = MIXED * (singular.values[0] ?? 0);
  const isMixed = singular.vectors.some((vector) => {
    const image = timesVector(columns, vector);
    const along = dot(image, vector);
    return image.some((each, i) => Math.abs(each - along * (vector[i] as number)) > most);
  });
  return isMixed ? eigenvalues(columns) : singular;
}

/** A symmetric matrix times a vector. */
function timesVector(columns: readonly Float64Array[], vector: Float64Array): Float64Array {
  return Float64Array.from(columns, (column) => dot(column, vector));
}

/** Sizes of eigenvalues, largest first, and eigenvectors: Jacobi's rotations from both sides. */
function eigenvalues(columns: readonly Float64Array[]): Singular {
  const work = columns.map((column) => Float64Array.from(column));
  const vectors = unitVectors(columns.length);
  sweep(columns.length, (a, b) => diagonalise(work, vectors, a, b));
  const sizes = work.map((column, k) => Math.abs(column[k] as number));
  return largestFirst(sizes, vectors);
}

/** Rotates rows and columns a and b until their common element is 0; whether it was not. */
function diagonalise(
  work: readonly Float64Array[],
  vectors: readonly Float64Array[],
  a: number,
  b: number,
): boolean {
  const [x, y] = [work[a] as Float64Array, work[b] as Float64Array];
  const [xx, yy, xy] = [x[a] as number, y[b] as number, x[b] as number];
  const largest = work.reduce(
    (most, column, k) => Math.max(most, Math.abs(column[k] as number)),
    0,
  );
  if (Math.abs(xy) <= 1e-16 * Math.max(largest, Math.abs(xy))) return false;
  const { cosine, sine } = turnOf(xx, yy, xy);
  rotate(x, y, cosine, sine);
  for (const column of work) {
    const [left, right] = [column[a] as number, column[b] as number];
    column[a] = cosine * left - sine * right;
    column[b] = sine * left + cosine * right;
  }
  rotate(vectors[a] as Float64Array, vectors[b] as Float64Array, cosine, sine);
  return true;
}

/** The rotation that makes xy 0. */
function turnOf(
  xx: number,
  yy: number,
  xy: number,
): { readonly cosine: number; readonly sine: number } {
  const zeta = (yy - xx) / (2 * xy);
  const tangent = (zeta >= 0 ? 1 : -1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
  const cosine = 1 / Math.sqrt(1 + tangent * tangent);
  return { cosine, sine: cosine * tangent };
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
  const { cosine, sine } = turnOf(xx, yy, xy);
  rotate(x, y, cosine, sine);
  rotate(vectors[a] as Float64Array, vectors[b] as Float64Array, cosine, sine);
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

/** The solution of a symmetric system by Gauss; undefined where it does not bend upwards. */
export function solved(matrix: readonly number[][], aim: readonly number[]): number[] | undefined {
  const rows = matrix.map((row, i) => [...row, aim[i] as number]);
  const size = rows.length;
  for (let k = 0; k < size; k++) {
    const row = rows[k] as number[];
    const pivot = row[k] as number;
    if (!(pivot > 0)) return undefined;
    for (const other of rows.slice(k + 1)) {
      const factor = (other[k] as number) / pivot;
      for (let j = k; j <= size; j++) other[j] = (other[j] as number) - factor * (row[j] as number);
    }
  }
  const solution = new Array<number>(size).fill(0);
  for (let k = size - 1; k >= 0; k--) {
    const row = rows[k] as number[];
    let left = row[size] as number;
    for (let j = k + 1; j < size; j++) left -= (row[j] as number) * (solution[j] as number);
    solution[k] = left / (row[k] as number);
  }
  return solution;
}
