/**
 * Description length: how many bits it takes to write the target down, given the inputs.
 *
 *   data       the negative log-likelihood of all rows, down to the target's last digit
 *   constants  each at the precision that the data give it: ½ log2 det(1 + S·I·S) and a few bits,
 *              I being the Fisher information of all rows over 2πe and S the constants' own sizes. The
 *              determinant does not charge twice for constants that do the same; the sizes make the
 *              price independent of units. A simple number costs what it takes to write.
 *   symbols    every operator, name and number at the logarithm of the alphabet, and the digits of
 *              numbers that are part of the program (powers, thresholds, turns of loops)
 *   gaps       turns that the model makes between neighbouring rows, where no row speaks for them
 *
 * docs/design/0020-description-length.md says why.
 */

import type { LengthParts } from "../types.js";
import { log2 } from "./bits.js";
import type { Likelihood } from "./losses.js";
import { CONSTANT_BITS, totalOf, type Yardstick } from "./yardstick.js";

export interface Weighted {
  /** Sum of squares over all rows. */
  readonly loss: number;
  /** Constants that are real numbers, and the slopes of the rows' predictions by each. */
  readonly values: readonly number[];
  readonly slopes: readonly Float64Array[];
  /** Bits of constants that are simple numbers. */
  readonly simpleBits: number;
  readonly symbols: number;
  readonly gaps: number;
}

export interface Length {
  readonly length: number;
  readonly parts: LengthParts;
  /** Standard errors of the real constants; infinite where nothing is known. */
  readonly errors: readonly number[];
}

/** The unit in which constants are written down: beside it their digits would cost twice. */
const TWO_PI_E = 2 * Math.PI * Math.E;

export function lengthOf(weighted: Weighted, yardstick: Yardstick, likelihood: Likelihood): Length {
  const { values, slopes, simpleBits, symbols, gaps } = weighted;
  const { rows, resolution, leastSquare } = yardstick;
  const loss = Math.max(weighted.loss, rows * leastSquare);
  const variance = likelihood.variance(loss, rows, values.length);
  const products = productsOf(slopes);
  const parts: LengthParts = {
    data: likelihood.dataBits(loss, rows, values.length, resolution),
    constants: simpleBits + precisionBits(products, values, TWO_PI_E * variance),
    symbols,
    gaps,
  };
  return { length: totalOf(parts), parts, errors: errorsOf(products, variance) };
}

/** Sums of products of all pairs of columns. */
function productsOf(columns: readonly Float64Array[]): Float64Array[] {
  const size = columns.length;
  const products = columns.map(() => new Float64Array(size));
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++) {
      const [a, b] = [columns[i] as Float64Array, columns[j] as Float64Array];
      let sum = 0;
      for (let row = 0; row < a.length; row++) sum += (a[row] as number) * (b[row] as number);
      (products[i] as Float64Array)[j] = sum;
      (products[j] as Float64Array)[i] = sum;
    }
  return products;
}

function precisionBits(
  products: readonly Float64Array[],
  values: readonly number[],
  variance: number,
): number {
  const scaled = products.map((line, i) =>
    line.map((sum, j) => {
      const scale = (Math.abs(values[i] as number) / variance) * Math.abs(values[j] as number);
      return sum * scale + (i === j ? 1 : 0);
    }),
  );
  const factor = cholesky(scaled);
  let bits = CONSTANT_BITS * values.length;
  // No pivot of 1 + S·I·S is below 1, but for rounding.
  for (const [i, line] of factor.entries()) bits += log2(Math.max(1, line[i] as number));
  return bits;
}

/** Columns that depend on others up to this share of their length have no error of their own. */
const DEPENDENT = 1e-12;

/** Square roots of the diagonal of variance · (JᵀJ)⁻¹. */
function errorsOf(products: readonly Float64Array[], variance: number): readonly number[] {
  const norms = products.map((line, i) => Math.sqrt(line[i] as number));
  const correlations = products.map((line, i) =>
    line.map((sum, j) => {
      const size = (norms[i] as number) * (norms[j] as number);
      return i === j ? 1 : size > 0 ? sum / size : 0;
    }),
  );
  return norms.map((norm, i) => {
    // What is left of column i once the others are taken out of it.
    const others = norms.map((_, j) => j).filter((j) => j !== i);
    const order = [...others, i];
    const picked = order.map((a) =>
      Float64Array.from(order, (b) => (correlations[a] as Float64Array)[b] as number),
    );
    const left = (cholesky(picked).at(-1) as Float64Array)[order.length - 1] as number;
    return norm > 0 && left * left > DEPENDENT
      ? Math.sqrt(variance) / (norm * left)
      : Number.POSITIVE_INFINITY;
  });
}

/** The lower factor of a symmetric matrix; columns that depend on those before them get 0. */
function cholesky(matrix: readonly Float64Array[]): readonly Float64Array[] {
  const size = matrix.length;
  const factor = matrix.map(() => new Float64Array(size));
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++) {
      let sum = (matrix[i] as Float64Array)[j] as number;
      const [a, b] = [factor[i] as Float64Array, factor[j] as Float64Array];
      for (let k = 0; k < j; k++) sum -= (a[k] as number) * (b[k] as number);
      const pivot = b[j] as number;
      a[j] = i === j ? Math.sqrt(Math.max(0, sum)) : pivot > 0 ? sum / pivot : 0;
    }
  return factor;
}
