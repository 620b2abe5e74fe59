/**
 * Second derivatives of a negative log-likelihood: central differences of exact gradients, all
 * points in one batch.
 */

import type { Problem } from "../fit.js";

export function hessianAt(
  { batches, parameters }: Problem,
  best: Float64Array,
): { readonly hessian: Float64Array; readonly isSingle: boolean } {
  const size = parameters.free.length;
  const batch = batches.of(2 * size);
  const steps = new Float64Array(size);
  for (let slot = 0; slot < 2 * size; slot++) batch.x.set(best, slot * size);
  for (let j = 0; j < size; j++) {
    const x = best[j] as number;
    // The cube root of the unit of rounding balances truncation and rounding.
    const wanted = (batch.isSingle ? 5e-3 : 6e-6) * (Math.abs(x) || 1);
    const { lower, upper } = parameters.free[j] as (typeof parameters.free)[number];
    const step = Math.min(wanted, (x - lower) / 2, (upper - x) / 2);
    steps[j] = step;
    batch.x[2 * j * size + j] = x + step;
    batch.x[(2 * j + 1) * size + j] = x - step;
  }
  batch.run();
  const gradients = batch.gradients();
  const hessian = new Float64Array(size * size);
  for (let j = 0; j < size; j++) {
    const above = 2 * j * size;
    const below = above + size;
    for (let i = 0; i < size; i++)
      hessian[i * size + j] =
        ((gradients[above + i] as number) - (gradients[below + i] as number)) /
        (2 * (steps[j] as number));
  }
  for (let i = 0; i < size; i++)
    for (let j = 0; j < i; j++) {
      const mean = ((hessian[i * size + j] as number) + (hessian[j * size + i] as number)) / 2;
      hessian[i * size + j] = mean;
      hessian[j * size + i] = mean;
    }
  return { hessian, isSingle: batch.isSingle };
}
