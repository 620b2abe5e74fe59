/**
 * Adam (Kingma and Ba, algorithm 1): steps of a set size along averaged gradients, without a line
 * search. The loss may rise between steps; the best point of the way is kept.
 *
 * In residual mode the gradient is that of the mean over the points, as in the paper's recipe.
 */

import {
  ARRAY_FIRST,
  ARRAY_SECOND,
  ARRAY_TRIAL,
  REASON_DAMPING,
  REASON_NONE,
  REASON_NOT_FINITE,
  REASON_STEPS,
} from "../../src/fit/layout";
import { arrayOf } from "./block";
import { storeTwo, twoAt } from "./bounds";
import { adamAt, FitBlock, fitAt, stateAt } from "./layout";
import { gradientOf } from "./loss";
import { acceptTrial, placeTrial } from "./trial";

/** Gives a slot its evaluation; why it ended by it. */
export function takeAdam(fit: usize, state: usize, sums: usize): i32 {
  const params = fitAt(fit).params;
  const loss = gradientOf(fit, state, sums);
  // A restart that cannot go on keeps the best point of its way, if there was any.
  if (!isFinite<f64>(loss))
    return isFinite<f64>(stateAt(state).loss) ? REASON_DAMPING : REASON_NOT_FINITE;
  if (!(loss >= stateAt(state).loss)) acceptTrial(state, params, loss);
  if (stateAt(state).steps >= <f64>fitAt(fit).steps) return REASON_STEPS;
  move(fit, state, sums);
  return REASON_NONE;
}

/** One step along the gradient at `gradient`, for two parameters at once. */
function move(fit: usize, state: usize, gradient: usize): void {
  const params = fitAt(fit).params;
  const beta1 = fitAt(fit).beta1;
  const beta2 = fitAt(fit).beta2;
  const power1 = adamAt(state).power1 * beta1;
  const power2 = adamAt(state).power2 * beta2;
  adamAt(state).power1 = power1;
  adamAt(state).power2 = power2;
  stateAt(state).steps = stateAt(state).steps + 1;
  const firsts = arrayOf(state, params, ARRAY_FIRST);
  const seconds = arrayOf(state, params, ARRAY_SECOND);
  const trials = arrayOf(state, params, ARRAY_TRIAL);
  const bytes = (<usize>params) << 3;
  for (let at: usize = 0; at < bytes; at += 16) {
    const next: usize = at + 8 < bytes ? 8 : 0;
    const g = f64x2.div(twoAt(gradient + at, next), settingOf(fit, offsetof<FitBlock>("divisor")));
    const first = f64x2.add(
      f64x2.mul(f64x2.splat(beta1), twoAt(firsts + at, next)),
      f64x2.mul(f64x2.splat(1 - beta1), g),
    );
    const second = f64x2.add(
      f64x2.mul(f64x2.splat(beta2), twoAt(seconds + at, next)),
      f64x2.mul(f64x2.mul(f64x2.splat(1 - beta2), g), g),
    );
    storeTwo(firsts + at, next, first);
    storeTwo(seconds + at, next, second);
    const mean = f64x2.div(first, f64x2.splat(1 - power1));
    const size = f64x2.sqrt(f64x2.div(second, f64x2.splat(1 - power2)));
    const step = f64x2.div(
      f64x2.mul(settingOf(fit, offsetof<FitBlock>("rate")), mean),
      f64x2.add(size, settingOf(fit, offsetof<FitBlock>("epsilon"))),
    );
    storeTwo(trials + at, next, f64x2.sub(twoAt(trials + at, next), step));
  }
  placeTrial(fit, state);
}

// @ts-ignore: decorator
@inline function settingOf(fit: usize, setting: usize): v128 {
  return v128.load64_splat(fit + setting);
}
