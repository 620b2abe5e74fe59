/**
 * Losses of one point that are taken one by one: negative log-likelihoods, without the terms that
 * no parameter changes, and programs, whose losses the caller has found.
 *
 *   poisson    f − y log f                              f: expected count
 *   binomial   −y log f − (m − y) log(1 − f)            f: probability, m: trials
 */

import { FIT_POISSON, FIT_PROGRAM } from "../../src/fit/layout";
import { logOf } from "./elementary";
import { fitAt } from "./layout";

// @ts-ignore: decorator
@inline function targetOf(fit: usize, row: i32): f64 {
  return load<f64>(fit + fitAt(fit).targetAt + ((<usize>row) << 3));
}

/** Trials that missed. */
function missedOf(fit: usize, row: i32, hit: f64): f64 {
  const trialsAt = fitAt(fit).trialsAt;
  return (trialsAt == 0 ? 1 : load<f64>(fit + trialsAt + ((<usize>row) << 3))) - hit;
}

/** What the loss's program said of a point; `which` is 0 for its value, 1 for its slope. */
function toldOf(fit: usize, row: i32, which: i32): f64 {
  const at = which * fitAt(fit).points + row;
  return <f64>load<real>(fit + fitAt(fit).pointLossesAt + <usize>at * sizeof<real>());
}

function partOf(count: f64, chance: f64): f64 {
  return count == 0 ? 0 : count * logOf(chance);
}

export function pointLoss(fit: usize, row: i32, f: f64): f64 {
  const kind = fitAt(fit).loss;
  if (kind == FIT_PROGRAM) return toldOf(fit, row, 0);
  const y = targetOf(fit, row);
  if (kind == FIT_POISSON) return y == 0 && f >= 0 ? f : f - y * logOf(f);
  const missed = missedOf(fit, row, y);
  // What is no probability has no likelihood, not even of what was never or always seen.
  if (!(f >= 0 && f <= 1) && (y != 0 || missed != 0)) return NaN;
  return -partOf(y, f) - partOf(missed, 1 - f);
}

/** The derivative of `pointLoss` by the prediction. */
export function pointSlope(fit: usize, row: i32, f: f64): f64 {
  const kind = fitAt(fit).loss;
  if (kind == FIT_PROGRAM) return toldOf(fit, row, 1);
  const y = targetOf(fit, row);
  if (kind == FIT_POISSON) return y == 0 ? 1 : 1 - y / f;
  const missed = missedOf(fit, row, y);
  return (missed == 0 ? 0 : missed / (1 - f)) - (y == 0 ? 0 : y / f);
}
