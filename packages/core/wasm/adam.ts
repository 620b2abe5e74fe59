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
  FIT_BETA1,
  FIT_BETA2,
  FIT_DIVISOR,
  FIT_EPSILON,
  FIT_PARAMS,
  FIT_RATE,
  FIT_STEPS,
  REASON_DAMPING,
  REASON_NONE,
  REASON_NOT_FINITE,
  REASON_STEPS,
  STATE_LOSS,
  STATE_POWER1,
  STATE_POWER2,
  STATE_STEPS,
} from "../src/program/layout";
import { gradientOf } from "./loss";
import { acceptTrial, arrayOf, moveParameter } from "./optimise";

/** Gives a slot its evaluation; why it ended by it. */
export function takeAdam(fit: usize, state: usize, sums: usize): i32 {
  const params = load<i32>(fit, FIT_PARAMS);
  const loss = gradientOf(fit, state, sums);
  // A restart that cannot go on keeps the best point of its way, if there was any.
  if (!isFinite<f64>(loss))
    return isFinite<f64>(load<f64>(state, STATE_LOSS)) ? REASON_DAMPING : REASON_NOT_FINITE;
  if (!(loss >= load<f64>(state, STATE_LOSS))) acceptTrial(state, params, loss);
  if (load<f64>(state, STATE_STEPS) >= <f64>load<i32>(fit, FIT_STEPS)) return REASON_STEPS;
  move(fit, state, sums);
  return REASON_NONE;
}

/** One step along the gradient at `gradient`. */
function move(fit: usize, state: usize, gradient: usize): void {
  const params = load<i32>(fit, FIT_PARAMS);
  const rate = load<f64>(fit, FIT_RATE);
  const beta1 = load<f64>(fit, FIT_BETA1);
  const beta2 = load<f64>(fit, FIT_BETA2);
  const epsilon = load<f64>(fit, FIT_EPSILON);
  const divisor = load<f64>(fit, FIT_DIVISOR);
  const power1 = load<f64>(state, STATE_POWER1) * beta1;
  const power2 = load<f64>(state, STATE_POWER2) * beta2;
  store<f64>(state, power1, STATE_POWER1);
  store<f64>(state, power2, STATE_POWER2);
  store<f64>(state, load<f64>(state, STATE_STEPS) + 1, STATE_STEPS);
  for (let j = 0; j < params; j++) {
    const at = <usize>j << 3;
    const firstAt = arrayOf(state, params, ARRAY_FIRST) + at;
    const secondAt = arrayOf(state, params, ARRAY_SECOND) + at;
    const g = load<f64>(gradient + at) / divisor;
    const first = beta1 * load<f64>(firstAt) + (1 - beta1) * g;
    const second = beta2 * load<f64>(secondAt) + (1 - beta2) * g * g;
    store<f64>(firstAt, first);
    store<f64>(secondAt, second);
    const mean = first / (1 - power1);
    const size = Math.sqrt(second / (1 - power2));
    const trial = load<f64>(arrayOf(state, params, ARRAY_TRIAL) + at);
    moveParameter(fit, state, j, trial - (rate * mean) / (size + epsilon));
  }
}
