/**
 * How sure the parameters are: rank and condition of the Jacobian, covariance, standard errors and
 * intervals.
 *
 * Columns are brought to unit length before singular values are taken, so that rank and condition
 * do not depend on the units of the parameters. Intervals are symmetric in the parameters, or in the
 * logarithms of those on a log scale (the delta method), and cut at bounds.
 */

import { clamped } from "../maps.js";
import { exp, log } from "../math/elementary.js";
import { dot, type Factor, type Singular, singularValues } from "../math/linear.js";
import type { Free } from "../parameters/parameters.js";

export interface CovarianceEstimate {
  /** Indices of the parameters that take part: those at a bound or a kink do not. */
  readonly used: readonly number[];
  readonly rank: number;
  readonly condition: number;
  /** Directions of the used parameters that change nothing, in the user's units. */
  readonly nullDirections: readonly Float64Array[];
  /** Those, or if there are none the one that changes least. */
  readonly flattest: readonly Float64Array[];
  /** Row-major over all parameters; NaN where undetermined or at a kink, 0 for those at a bound. */
  readonly covariance: Float64Array;
  /** Undefined where all directions are determined. */
  readonly open: OpenCovariance | undefined;
}

/** Errors of what the data determine where they leave some directions of the parameters open. */
export interface OpenCovariance {
  /** The covariance with open directions left out, which has no NaN. Row-major over all parameters. */
  readonly matrix: ArrayLike<number>;
  /** The open directions over all parameters, in the user's units. */
  readonly directions: readonly ArrayLike<number>[];
}

/** Singular values below this share of the largest count as zero. */
export const RANK_TOLERANCE = { f64: 1e-10, f32: 1e-5 } as const;

/** Columns of R for the used parameters. */
function columnsOf(factor: Factor, used: readonly number[]): Float64Array[] {
  return used.map((j) =>
    Float64Array.from({ length: factor.size }, (_, i) => factor.r[i * factor.size + j] as number),
  );
}

/** Least squares: covariance is variance · (JᵀJ)⁻¹. */
export function covarianceOfFactor(
  factor: Factor,
  used: readonly number[],
  variance: number,
  tolerance: number,
): CovarianceEstimate {
  return estimateCovariance(columnsOf(factor, used), used, factor.size, variance, tolerance, false);
}

/** A negative log-likelihood: covariance is the inverse of its Hessian (row-major). */
export function covarianceOfHessian(
  hessian: Float64Array,
  used: readonly number[],
  size: number,
  tolerance: number,
): CovarianceEstimate {
  const scales = used.map((j) => 1 / Math.sqrt(Math.abs(hessian[j * size + j] as number) || 1));
  const columns = used.map((j, a) =>
    Float64Array.from(
      used,
      (i, b) => (hessian[i * size + j] as number) * (scales[a] as number) * (scales[b] as number),
    ),
  );
  return estimateCovariance(columns, used, size, 1, tolerance, true, scales);
}

function estimateCovariance(
  columns: readonly Float64Array[],
  used: readonly number[],
  size: number,
  variance: number,
  tolerance: number,
  isHessian: boolean,
  given?: readonly number[],
): CovarianceEstimate {
  const norms = columns.map((column) => {
    let sum = 0;
    for (const value of column) sum += value * value;
    return Math.sqrt(sum);
  });
  const scales = given ?? norms.map((norm) => (norm > 0 ? 1 / norm : 1));
  const scaled = isHessian
    ? columns
    : columns.map((column, a) => column.map((value) => value * (scales[a] as number)));
  const svd = singularValues(scaled);
  // Away from a minimum, or where numbers are missing, second derivatives say nothing of errors.
  const isMinimum = !isHessian || svd.vectors.every((v) => bends(scaled, v) >= -tolerance);
  const largest = svd.values[0] ?? 0;
  const rank = svd.values.filter((value) => value > tolerance * largest).length;
  // A Hessian is a Jacobian squared.
  const ratio = largest / (svd.values[svd.values.length - 1] ?? 1);
  const toUser = (vector: Float64Array) => vector.map((value, a) => value * (scales[a] as number));
  const vectors = svd.vectors.map(toUser);
  const powers = svd.values.map((value) => (isHessian ? value : value * value));
  const parts = { svd, vectors, powers, rank, used, size, variance };
  return {
    used,
    rank,
    condition: isHessian ? Math.sqrt(ratio) : ratio,
    nullDirections: vectors.slice(rank),
    flattest: vectors.slice(Math.min(rank, vectors.length - 1)),
    covariance: isMinimum
      ? fillCovariance(parts, openOf(parts))
      : new Float64Array(size * size).fill(Number.NaN),
    open: isMinimum && rank < used.length ? openCovariance(parts) : undefined,
  };
}

/** How the loss bends in a direction of length 1; the matrix has 1 or −1 on its diagonal. */
function bends(matrix: readonly Float64Array[], direction: Float64Array): number {
  let sum = 0;
  for (const [a, column] of matrix.entries())
    sum += (direction[a] as number) * dot(column, direction);
  return sum;
}

interface CovarianceParts {
  readonly svd: Singular;
  readonly vectors: readonly Float64Array[];
  readonly powers: Float64Array;
  readonly rank: number;
  readonly used: readonly number[];
  readonly size: number;
  readonly variance: number;
}

/** A parameter moves by less in a direction, by its scaled number, if it does not move at all. */
const STILL = 1e-6;

/** Whether each parameter moves in a direction that the data leave open. */
const openOf = ({ svd, rank, used }: CovarianceParts): boolean[] =>
  used.map((_, a) =>
    svd.vectors.slice(rank).some((vector) => Math.abs(vector[a] as number) > STILL),
  );

function openCovariance(parts: CovarianceParts): OpenCovariance {
  const { svd, vectors, rank, used, size } = parts;
  const directions = vectors.slice(rank).map((vector, k) => {
    const direction = new Float64Array(size);
    const scaled = svd.vectors[rank + k] as Float64Array;
    for (const [a, j] of used.entries())
      if (Math.abs(scaled[a] as number) > STILL) direction[j] = vector[a] as number;
    return direction;
  });
  return { matrix: fillCovariance(parts, []), directions };
}

function fillCovariance(parts: CovarianceParts, isOpen: readonly boolean[]): Float64Array {
  const { vectors, powers, rank, used, size, variance } = parts;
  const covariance = new Float64Array(size * size);
  for (const [a, i] of used.entries())
    for (const [b, j] of used.entries()) {
      let sum = 0;
      for (let k = 0; k < rank; k++)
        sum +=
          ((vectors[k] as Float64Array)[a] as number) *
          (((vectors[k] as Float64Array)[b] as number) / (powers[k] as number));
      covariance[i * size + j] = isOpen[a] || isOpen[b] ? Number.NaN : sum * variance;
    }
  return covariance;
}

/**
 * `rest` is what is known while some parameters stay where they are, `all` while none does. The parameters of `rest`
 * have their errors from it. The others keep the variances that predictions need, and go with none of the rest.
 */
export function besideFixed(
  all: CovarianceEstimate,
  rest: CovarianceEstimate,
  fixed: readonly number[],
): CovarianceEstimate {
  const size = Math.sqrt(all.covariance.length);
  const join = (ofAll: ArrayLike<number>, ofRest: ArrayLike<number>): Float64Array =>
    Float64Array.from(ofRest, (value, at) => {
      const [i, j] = [Math.floor(at / size), at % size];
      const kept = [i, j].filter((k) => fixed.includes(k)).length;
      if (kept === 0) return value;
      return kept === 2 ? (ofAll[at] as number) : 0;
    });
  const directions = [...(all.open?.directions ?? []), ...(rest.open?.directions ?? [])];
  const matrixOf = ({ open, covariance }: CovarianceEstimate) => open?.matrix ?? covariance;
  return {
    ...all,
    covariance: join(all.covariance, rest.covariance),
    open:
      directions.length > 0
        ? { matrix: join(matrixOf(all), matrixOf(rest)), directions }
        : undefined,
  };
}

/** Shares of the distances between bounds that count as near, for numbers and for their logarithms. */
const NEAR = 1e-6;
const NEAR_LOG = 1e-4;

/**
 * Whether a parameter is so near to one of its bounds, and moves so little there, that it may have run
 * into it. Where no other bound gives a distance, 1 does, or its start, or its size, which a logarithm has not.
 */
export function isNearBound(one: Free, x: number, u: number, start: number): boolean {
  const { lower, upper, isLog, transform } = one;
  // On a log scale 0 is no bound that is ever near.
  if (isLog && x <= 0) return false;
  if (x === lower || x === upper) return true;
  const slope = Math.abs(transform.slope(u));
  if (!isLog) return isNear([lower, upper], x, start, Math.abs(x), slope, NEAR);
  return isNear([logOf(lower), logOf(upper)], log(x), log(start), 0, slope / x, NEAR_LOG);
}

const logOf = (bound: number): number =>
  bound <= 0 ? Number.NEGATIVE_INFINITY : bound === Infinity ? bound : log(bound);

function isNear(
  [lower, upper]: readonly [number, number],
  x: number,
  start: number,
  size: number,
  slope: number,
  near: number,
): boolean {
  const hasTwo = Number.isFinite(upper - lower);
  const width = hasTwo ? upper - lower : Math.max(1, size, Math.abs(start - x));
  if (x - lower > near * width && upper - x > near * width) return false;
  return slope <= 1e-4 * Math.max(width, size);
}

/**
 * A two-sided interval: as many standard errors to each side, of the parameter, or on a log scale of its
 * logarithm, and no further than the bounds. It depends on neither the start nor bounds that it does not reach.
 */
export function intervalOf(
  { lower, upper, isLog }: Free,
  x: number,
  standardError: number,
  reach: number,
): [number, number] {
  const half = (reach * standardError) / (isLog ? x : 1);
  if (!Number.isFinite(half)) return standardError === 0 ? [x, x] : [Number.NaN, Number.NaN];
  const at = (by: number): number => (isLog ? exp(log(x) + by) : x + by);
  return [clamped(at(-half), lower, upper), clamped(at(half), lower, upper)];
}
