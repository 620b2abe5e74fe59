/**
 * Levenberg and Marquardt's method for least squares.
 *
 * A step makes ‖J d + r‖² + Σ (m_j d_j)² / radius least, where m_j is the norm of column j of the
 * Jacobian (Marquardt's scaling), kept within limits in units of the first Jacobian. The radius
 * follows Nielsen: a step as good as the linear model promised lets it grow, a bad one shrinks it
 * faster and faster. A trial where the program fails or is not finite counts as a bad step.
 *
 * A good step that leaves a parameter almost without influence (an exponential that has died out)
 * is taken back a few times all the same: from there it would never return.
 *
 * Steps come from orthogonal factors, so that nearly dependent columns cost no more digits than
 * they must; a column of zeros gets no step.
 */

import {
  ARRAY_FACTOR,
  ARRAY_SCALE,
  ARRAY_STEP,
  ARRAY_TRIAL,
  ARRAY_U,
  ARRAY_X,
  REASON_DAMPING,
  REASON_GRADIENT,
  REASON_LOSS,
  REASON_NONE,
  REASON_NOT_FINITE,
  REASON_STEP,
  REASON_STEPS,
  SUMS_FACTOR,
} from "../../src/fit/layout";
import { arrayOf } from "./block";
import { columnNorm, cosine, factorBytes, predictedFall, solveDamped } from "./factor";
import { squaresLoss } from "./jacobian";
import { fitAt, levenbergAt, stateAt } from "./layout";
import { acceptTrial, placeTrial } from "./trial";

const RADIUS_MOST: f64 = 1e16;
const RADIUS_LEAST: f64 = 1e-32;
/** Limits of the squared scaled column norms. */
const SCALE_LEAST: f64 = 1e-6;
const SCALE_MOST: f64 = 1e32;
/** A step is taken if the loss falls by this share of the promise. */
const FALL_LEAST: f64 = 1e-3;
/** Where the loss can no longer tell points apart, the gradient does. */
const ROUNDING: f64 = 1e-13;
/** Relative rounding of a loss: smaller falls cannot be told from none. */
const NOISE: f64 = sizeof<real>() == 8 ? 1e-15 : 1e-6;
/** A column's norm that falls to this share has lost its influence. */
const INFLUENCE_LEAST: f64 = 1e-4;
/** How many steps in a row may be taken back for that. */
const VETOES_MOST: f64 = 12;

/** Gives a slot its evaluation; why it ended by it. */
export function takeLevenberg(fit: usize, state: usize, sums: usize): i32 {
  const loss = squaresLoss(fit, sums);
  const trialFactor = sums + SUMS_FACTOR;
  const reason =
    levenbergAt(state).hasBegun == 0
      ? begin(fit, state, loss, trialFactor)
      : acceptOrShrink(fit, state, loss, trialFactor);
  if (reason != REASON_NONE) return reason;
  if (stateAt(state).steps >= <f64>fitAt(fit).steps) return REASON_STEPS;
  return propose(fit, state);
}

/** The factor at the best point so far. */
// @ts-ignore: decorator
@inline function factorOf(state: usize, params: i32): usize {
  return arrayOf(state, params, ARRAY_FACTOR);
}

function begin(fit: usize, state: usize, loss: f64, trialFactor: usize): i32 {
  const params = fitAt(fit).params;
  levenbergAt(state).hasBegun = 1;
  if (!isFinite<f64>(loss)) return REASON_NOT_FINITE;
  accept(state, params, loss, trialFactor);
  const scale = arrayOf(state, params, ARRAY_SCALE);
  const unit = fitAt(fit).unit;
  // A restart that goes on brings its scale along.
  if (load<f64>(scale) == 0)
    for (let j = 0; j < params; j++)
      store<f64>(scale + ((<usize>j) << 3), 1 / (unit + columnNorm(trialFactor, params, j)));
  return checkGradient(fit, state);
}

/** Takes the trial as the new point, or shrinks the radius; why the restart ends, if it does. */
function acceptOrShrink(fit: usize, state: usize, loss: f64, trialFactor: usize): i32 {
  const params = fitAt(fit).params;
  stateAt(state).steps = stateAt(state).steps + 1;
  const before = stateAt(state).loss;
  const predicted = levenbergAt(state).predicted;
  const fall = (before - loss) / 2;
  const ratio = fall / predicted;
  const isGood = isFinite<f64>(loss) && ratio > FALL_LEAST;
  if (isGood && !isVetoed(state, params, trialFactor)) {
    accept(state, params, loss, trialFactor);
    return grow(fit, state, before, fall);
  }
  if (isPolish(state, params, loss, trialFactor)) {
    accept(state, params, loss, trialFactor);
    return checkGradient(fit, state);
  }
  let reason = REASON_NONE;
  if (2 * predicted <= NOISE * before) reason = REASON_LOSS;
  else if (isFinite<f64>(loss) && isStepSmall(fit, state)) reason = REASON_STEP;
  const isOver = !shrink(state);
  return reason == REASON_NONE && isOver ? REASON_DAMPING : reason;
}

/** After a good step: the radius for the next one, or why there is none. */
function grow(fit: usize, state: usize, before: f64, fall: f64): i32 {
  const predicted = levenbergAt(state).predicted;
  const swing = 2 * (fall / predicted) - 1;
  const factor = max(1.0 / 3.0, 1 - swing * swing * swing);
  levenbergAt(state).radius = min(RADIUS_MOST, levenbergAt(state).radius / factor);
  levenbergAt(state).shrink = 2;
  levenbergAt(state).vetoes = 0;
  const reason = checkGradient(fit, state);
  if (reason != REASON_NONE) return reason;
  const least = fitAt(fit).lossLimit * before;
  if (2 * fall <= least && 2 * predicted <= least) return REASON_LOSS;
  return isStepSmall(fit, state) ? REASON_STEP : REASON_NONE;
}

/** After a bad step; false where the radius can become no smaller. */
function shrink(state: usize): bool {
  const by = levenbergAt(state).shrink;
  const radius = levenbergAt(state).radius / by;
  levenbergAt(state).radius = radius;
  levenbergAt(state).shrink = by * 2;
  return !(radius < RADIUS_LEAST);
}

function accept(state: usize, params: i32, loss: f64, trialFactor: usize): void {
  acceptTrial(state, params, loss);
  memory.copy(factorOf(state, params), trialFactor, factorBytes(params));
}

/** Whether a parameter has lost its influence in one step. */
function isVetoed(state: usize, params: i32, trialFactor: usize): bool {
  const vetoes = levenbergAt(state).vetoes;
  if (vetoes >= VETOES_MOST) return false;
  const factor = factorOf(state, params);
  for (let j = 0; j < params; j++) {
    const norm = columnNorm(trialFactor, params, j);
    if (!(norm < INFLUENCE_LEAST * columnNorm(factor, params, j))) continue;
    levenbergAt(state).vetoes = vetoes + 1;
    return true;
  }
  return false;
}

/** Whether the loss is the same to rounding and the gradient smaller. */
function isPolish(state: usize, params: i32, loss: f64, trialFactor: usize): bool {
  const best = stateAt(state).loss;
  if (!(loss <= best * (1 + ROUNDING))) return false;
  if (2 * levenbergAt(state).predicted > 10 * ROUNDING * best) return false;
  const before = cosine(factorOf(state, params), params, best);
  return cosine(trialFactor, params, loss) < 0.5 * before;
}

function checkGradient(fit: usize, state: usize): i32 {
  const params = fitAt(fit).params;
  const loss = stateAt(state).loss;
  if (loss == 0) return REASON_GRADIENT;
  const isFlat = cosine(factorOf(state, params), params, loss) <= fitAt(fit).gradientLimit;
  return isFlat ? REASON_GRADIENT : REASON_NONE;
}

function isStepSmall(fit: usize, state: usize): bool {
  const params = fitAt(fit).params;
  const limit = fitAt(fit).stepLimit;
  const step = arrayOf(state, params, ARRAY_STEP);
  const u = arrayOf(state, params, ARRAY_U);
  for (let j = 0; j < params; j++) {
    const at = (<usize>j) << 3;
    if (Math.abs(load<f64>(step + at)) > limit * Math.abs(load<f64>(u + at))) return false;
  }
  return true;
}

/** Makes the next trial; why there is none. */
function propose(fit: usize, state: usize): i32 {
  const params = fitAt(fit).params;
  const factor = factorOf(state, params);
  const step = arrayOf(state, params, ARRAY_STEP);
  const u = arrayOf(state, params, ARRAY_U);
  const trial = arrayOf(state, params, ARRAY_TRIAL);
  const x = arrayOf(state, params, ARRAY_X);
  const bytes = (<usize>params) << 3;
  do {
    writeDamping(state, params, factor, step);
    solveDamped(factor, params, step, fit + fitAt(fit).workAt);
    const predicted = predictedFall(factor, params, step);
    levenbergAt(state).predicted = predicted;
    let isGood = isFinite<f64>(predicted);
    for (let at: usize = 0; at < bytes; at += 8)
      store<f64>(trial + at, load<f64>(u + at) + load<f64>(step + at));
    placeTrial(fit, state);
    for (let at: usize = 0; at < bytes; at += 8)
      if (!isFinite<f64>(load<f64>(x + at))) isGood = false;
    if (isGood) return predicted > 0 ? REASON_NONE : REASON_GRADIENT;
  } while (shrink(state));
  return REASON_DAMPING;
}

function writeDamping(state: usize, params: i32, factor: usize, into: usize): void {
  const scales = arrayOf(state, params, ARRAY_SCALE);
  const radius = levenbergAt(state).radius;
  for (let j = 0; j < params; j++) {
    const scale = load<f64>(scales + ((<usize>j) << 3));
    const norm = columnNorm(factor, params, j) * scale;
    const square = min(SCALE_MOST, max(SCALE_LEAST, norm * norm));
    store<f64>(into + ((<usize>j) << 3), Math.sqrt(square / radius) / scale);
  }
}
