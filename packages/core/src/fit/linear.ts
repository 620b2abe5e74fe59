/**
 * Small dense linear algebra of least squares: triangular factors that take rows in blocks, damped
 * steps, singular values. Orthogonal transformations throughout; normal equations are never formed.
 *
 * A factor holds R (p × p, upper triangular, row-major) and q = Qᵀr, so that J = QR and the model
 * of the residuals after a step d is ‖R d + q‖² plus what no step can change.
 */

const square = (x: number): number => x * x;

export class Factor {
  readonly size: number;
  readonly r: Float64Array;
  readonly q: Float64Array;
  /** Sum of squares of the right side outside the columns' span. */
  rest = 0;

  constructor(size: number) {
    this.size = size;
    this.r = new Float64Array(size * size);
    this.q = new Float64Array(size);
  }

  clear(): void {
    this.r.fill(0);
    this.q.fill(0);
    this.rest = 0;
  }

  copy(other: Factor): void {
    this.r.set(other.r);
    this.q.set(other.q);
    this.rest = other.rest;
  }

  /**
   * Takes `count` rows: column j of the block starts at j · stride, the right side is the column
   * after the last. Householder reflections; the block is overwritten.
   */
  addRows(block: Float64Array, stride: number, count: number): void {
    const { size, r, q } = this;
    const side = size * stride;
    for (let j = 0; j < size; j++) {
      const at = j * stride;
      let below = 0;
      for (let i = 0; i < count; i++) below += square(block[at + i] as number);
      if (below === 0) continue;
      const diagonal = r[j * size + j] as number;
      const norm = Math.sqrt(diagonal * diagonal + below);
      const image = diagonal > 0 ? -norm : norm;
      const head = diagonal - image;
      const scale = -1 / (image * head);
      r[j * size + j] = image;
      for (let k = j + 1; k <= size; k++) {
        const other = k === size ? side : k * stride;
        const top = k === size ? (q[j] as number) : (r[j * size + k] as number);
        let dot = head * top;
        for (let i = 0; i < count; i++)
          dot += (block[at + i] as number) * (block[other + i] as number);
        const factor = dot * scale;
        const moved = top - factor * head;
        if (k === size) q[j] = moved;
        else r[j * size + k] = moved;
        for (let i = 0; i < count; i++)
          block[other + i] = (block[other + i] as number) - factor * (block[at + i] as number);
      }
    }
    for (let i = 0; i < count; i++) this.rest += square(block[side + i] as number);
  }

  /** Norm of column j of J. */
  columnNorm(j: number): number {
    let sum = 0;
    for (let i = 0; i <= j; i++) sum += square(this.r[i * this.size + j] as number);
    return Math.sqrt(sum);
  }

  /** Element j of Jᵀr. */
  gradient(j: number): number {
    let sum = 0;
    for (let i = 0; i <= j; i++)
      sum += (this.r[i * this.size + j] as number) * (this.q[i] as number);
    return sum;
  }

  /** Half the fall of the sum of squares that the linear model promises for a step. */
  predictedFall(step: Float64Array): number {
    let fall = 0;
    for (let i = 0; i < this.size; i++) {
      let moved = 0;
      for (let j = i; j < this.size; j++)
        moved += (this.r[i * this.size + j] as number) * (step[j] as number);
      fall -= moved * ((this.q[i] as number) + moved / 2);
    }
    return fall;
  }
}

/** Working space of damped steps, for problems of one size. */
export class DampedSolver {
  readonly #factor: Factor;
  readonly #block: Float64Array;

  constructor(size: number) {
    this.#factor = new Factor(size);
    this.#block = new Float64Array(size * (size + 1));
  }

  /** The step d that makes ‖R d + q‖² + Σ (damping_j d_j)² least. Columns of zeros get no step. */
  solve(given: Factor, damping: Float64Array, step: Float64Array): void {
    const { size } = given;
    const factor = this.#factor;
    factor.copy(given);
    this.#block.fill(0);
    for (let j = 0; j < size; j++) this.#block[j * size + j] = damping[j] as number;
    factor.addRows(this.#block, size, size);
    for (let i = size - 1; i >= 0; i--) {
      let sum = -(factor.q[i] as number);
      for (let j = i + 1; j < size; j++)
        sum -= (factor.r[i * size + j] as number) * (step[j] as number);
      const diagonal = factor.r[i * size + i] as number;
      step[i] = diagonal === 0 ? 0 : sum / diagonal;
    }
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
  if (xy === 0 || Math.abs(xy) <= 1e-15 * Math.sqrt(xx * yy)) return false;
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
