/**
 * Newton's step from second derivatives that rounding may have spoilt: upwards bends are taken as they are, and
 * downward ones turned round. What the loss hardly bends by counts as bent by the least that rounding leaves.
 */

import { symmetricValues } from "../math/linear.js";

/** A step in the optimiser's numbers, and twice what it promises. */
export interface Step {
  readonly by: Float64Array;
  readonly gain: number;
  /** A direction in which the loss bends downwards. */
  readonly down: Float64Array | undefined;
}

/** Second derivatives by the optimiser's numbers of some parameters, all brought to 1 on the diagonal. */
export interface Bends {
  readonly columns: readonly Float64Array[];
  /** What each number was multiplied by. */
  readonly scales: readonly number[];
  readonly moving: readonly number[];
}

export function newtonStep(
  { columns, scales, moving }: Bends,
  gradient: Float64Array,
  flat: number,
): Step {
  const by = new Float64Array(gradient.length);
  const isKnown = columns.every((column) => column.every(Number.isFinite));
  if (!isKnown) return { by, gain: Number.NaN, down: undefined };
  const { values, vectors } = symmetricValues(columns);
  const scaled = Float64Array.from(
    moving,
    (j, a) => (gradient[j] as number) * (scales[a] as number),
  );
  const toAll = (vector: Float64Array, share: number): Float64Array => {
    const all = new Float64Array(gradient.length);
    for (const [a, j] of moving.entries())
      all[j] = share * (vector[a] as number) * (scales[a] as number);
    return all;
  };
  const least = flat * (values[0] ?? 0);
  let gain = 0;
  let down: Float64Array | undefined;
  for (const [k, vector] of vectors.entries()) {
    // What the loss hardly bends by may still have a slope.
    const value = Math.max(values[k] as number, least);
    if (!(value > 0)) continue;
    const along = inner(scaled, vector);
    gain += (along * along) / value;
    for (const [j, part] of toAll(vector, along / value).entries())
      by[j] = (by[j] as number) - part;
    if (bendOf(columns, vector) < -least) down = toAll(vector, 1 / Math.sqrt(value));
  }
  return { by, gain, down };
}

/** How the loss bends along a direction of length 1. */
export function bendOf(columns: readonly Float64Array[], vector: Float64Array): number {
  let sum = 0;
  for (const [j, column] of columns.entries()) sum += (vector[j] as number) * inner(column, vector);
  return sum;
}

export function inner(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += (a[j] as number) * (b[j] as number);
  return sum;
}
