/**
 * How sure the parameters are: rank and condition of the Jacobian, covariance, standard errors and
 * intervals.
 *
 * Columns are brought to unit length before singular values are taken, so that rank and condition
 * do not depend on the units of the parameters. Intervals are symmetric in the unlimited numbers
 * that the optimiser moves (the delta method), so that they respect bounds.
 */

import { log } from "../math/elementary.js";
import { dot, type Factor, type Singular, singularValues } from "../math/linear.js";
import type { Free } from "../parameters/parameters.js";

export interface CovarianceEstimate {
  /** Indices of the parameters that take part: those at a bound do not. */
  readonly used: readonly number[];
  readonly rank: number;
  readonly condition: number;
  /** Directions of the used parameters that change nothing, in the user's units. */
  readonly nullDirections: readonly Float64Array[];
  /** Row-major over all parameters; NaN where undetermined, 0 for those at a bound. */
  readonly covariance: Float64Array;
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
  return {
    used,
    rank,
    condition: isHessian ? Math.sqrt(ratio) : ratio,
    nullDirections: vectors.slice(rank),
    covariance: isMinimum
      ? fillCovariance({ svd, vectors, powers, rank, used, size, variance })
      : new Float64Array(size * size).fill(Number.NaN),
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

function fillCovariance(parts: CovarianceParts): Float64Array {
  const { svd, vectors, powers, rank, used, size, variance } = parts;
  const covariance = new Float64Array(size * size);
  /** Whether a parameter moves in a direction that the data leave open. */
  const isOpen = used.map((_, a) =>
    svd.vectors.slice(rank).some((vector) => Math.abs(vector[a] as number) > 1e-6),
  );
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

/** Shares of the distances between bounds that count as near, for numbers and for their logarithms. */
const NEAR = 1e-6;
const NEAR_LOG = 1e-4;

/**
 * Whether a parameter is so near to one of its bounds, and moves so little there, that it may have run
 * into it. Where no other bound gives a distance, 1, the parameter's size or its start does.
 */
export function isNearBound(one: Free, x: number, u: number, start: number): boolean {
  const { lower, upper, isLog, transform } = one;
  if (x === lower || x === upper) return true;
  const slope = Math.abs(transform.slope(u));
  // On a log scale 0 is no bound that is ever near.
  if (isLog && x <= 0) return false;
  if (!isLog) return isNear(lower, upper, x, start, slope, NEAR);
  return isNear(logOf(lower), logOf(upper), log(x), log(start), slope / x, NEAR_LOG);
}

const logOf = (bound: number): number =>
  bound <= 0 ? Number.NEGATIVE_INFINITY : bound === Infinity ? bound : log(bound);

function isNear(
  lower: number,
  upper: number,
  x: number,
  start: number,
  slope: number,
  near: number,
): boolean {
  const hasTwo = Number.isFinite(upper - lower);
  const width = hasTwo ? upper - lower : Math.max(1, Math.abs(x), Math.abs(start - x));
  if (x - lower > near * width && upper - x > near * width) return false;
  return slope <= 1e-4 * Math.max(width, Math.abs(x));
}

/** A two-sided interval that stays inside the bounds. */
export function intervalOf(
  { transform }: Free,
  x: number,
  u: number,
  standardError: number,
  reach: number,
): [number, number] {
  const slope = transform.slope(u);
  const half = (reach * standardError) / slope;
  if (!Number.isFinite(half)) return standardError === 0 ? [x, x] : [Number.NaN, Number.NaN];
  return [transform.toUser(u - half), transform.toUser(u + half)];
}
