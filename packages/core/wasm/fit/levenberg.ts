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
 * they must; a column of zeros gets no step. Parameters with bounds move in the user's units
 * (pressed.ts), and a step ends before bounds. One that the loss presses against a bound is held
 * there, and the others move as if it were fixed, until the loss falls inwards.
 */

import {
  ARRAY_BEST,
  ARRAY_FACTOR,
  ARRAY_SCALE,
  ARRAY_SLOPES,
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
import { BEYOND } from "../../src/fit/maps";
import { arrayOf } from "./block";
import {
  columnNorm,
  factorBytes,
  gradientOf,
  predictedFall,
  solveDamped,
  strideOf,
} from "./factor";
import { squaresLoss } from "./jacobian";
import { fitAt, levenbergAt, stateAt } from "./layout";
import { boundedSlope, isFree, isNear, leftOf, movedBy, roomOf, sizeOf } from "./pressed";
import { acceptTrial, copyDoubles, placeTrial } from "./trial";

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
/** The damping of a parameter that gets no step, in units of its column's norm. */
const HELD: f64 = 1e30;
/** How many bounds a step is led along, one after the other. */
const PARTS_MOST: i32 = 20;

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
  if (isGood && !isVetoed(fit, state, trialFactor)) {
    accept(state, params, loss, trialFactor);
    return grow(fit, state, before, fall);
  }
  if (isPolish(fit, state, loss, trialFactor)) {
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
function isVetoed(fit: usize, state: usize, trialFactor: usize): bool {
  const params = fitAt(fit).params;
  const vetoes = levenbergAt(state).vetoes;
  if (vetoes >= VETOES_MOST) return false;
  const factor = factorOf(state, params);
  for (let j = 0; j < params; j++) {
    const norm = columnNorm(trialFactor, params, j);
    if (!(norm < INFLUENCE_LEAST * columnNorm(factor, params, j))) continue;
    if (leftAt(fit, state, j) > 0) continue;
    levenbergAt(state).vetoes = vetoes + 1;
    return true;
  }
  return false;
}

/**
 * What half the loss would fall by at the bound that parameter j is pressed against: one that is
 * near, and far beyond which its own best value lies. Else 0.
 */
function leftAt(fit: usize, state: usize, j: i32): f64 {
  if (isFree(fit, j)) return 0;
  const params = fitAt(fit).params;
  const factor = factorOf(state, params);
  const gradient = gradientOf(factor, params, j);
  const slope = Math.abs(gradient);
  const left = leftOf(fit, j, numberOf(state, params, j), gradient > 0);
  if (slope == 0 || left == Infinity || !isNear(fit, j, left)) return 0;
  const norm = columnNorm(factor, params, j);
  // Many that are pressed at once may bend the loss together.
  return slope > max(BEYOND, params) * norm * norm * left ? slope * left : 0;
}

// @ts-ignore: decorator
@inline function numberOf(state: usize, params: i32, j: i32): f64 {
  return load<f64>(arrayOf(state, params, ARRAY_U) + ((<usize>j) << 3));
}

/** How far parameter j, which is pressed, may still go; 0 where that is worth nothing. */
function pushFor(fit: usize, state: usize, j: i32, left: f64): f64 {
  if (2 * left <= fitAt(fit).lossLimit * stateAt(state).loss) return 0;
  const params = fitAt(fit).params;
  const isDown = gradientOf(factorOf(state, params), params, j) > 0;
  const u = numberOf(state, params, j);
  return roomOf(fit, j, u, leftOf(fit, j, u, isDown), isDown);
}

/** Largest cosine between the residuals and the column of a parameter that no bound stops. */
function cosine(fit: usize, state: usize, factor: usize, loss: f64): f64 {
  const params = fitAt(fit).params;
  let most: f64 = 0;
  for (let j = 0; j < params; j++) {
    const norm = columnNorm(factor, params, j);
    if (!(norm > 0) || leftAt(fit, state, j) > 0 || isAtBound(fit, state, j)) continue;
    most = max(most, Math.abs(gradientOf(factor, params, j)) / (norm * Math.sqrt(loss)));
  }
  return most;
}

/** Whether the loss is the same to rounding and the gradient smaller. */
function isPolish(fit: usize, state: usize, loss: f64, trialFactor: usize): bool {
  const params = fitAt(fit).params;
  const best = stateAt(state).loss;
  if (!(loss <= best * (1 + ROUNDING))) return false;
  if (2 * levenbergAt(state).predicted > 10 * ROUNDING * best) return false;
  const before = cosine(fit, state, factorOf(state, params), best);
  return cosine(fit, state, trialFactor, loss) < 0.5 * before;
}

function checkGradient(fit: usize, state: usize): i32 {
  const params = fitAt(fit).params;
  const loss = stateAt(state).loss;
  if (loss == 0) return REASON_GRADIENT;
  if (cosine(fit, state, factorOf(state, params), loss) > fitAt(fit).gradientLimit)
    return REASON_NONE;
  for (let j = 0; j < params; j++) {
    const left = leftAt(fit, state, j);
    if (left > 0 && pushFor(fit, state, j, left) != 0) return REASON_NONE;
  }
  return REASON_GRADIENT;
}

function isStepSmall(fit: usize, state: usize): bool {
  const params = fitAt(fit).params;
  const limit = fitAt(fit).stepLimit;
  const step = arrayOf(state, params, ARRAY_STEP);
  const best = arrayOf(state, params, ARRAY_BEST);
  for (let j = 0; j < params; j++) {
    const at = (<usize>j) << 3;
    const size = sizeOf(fit, j, load<f64>(best + at), numberOf(state, params, j));
    if (Math.abs(load<f64>(step + at)) > limit * size) return false;
  }
  return true;
}

/** Makes the next trial; why there is none. */
function propose(fit: usize, state: usize): i32 {
  const params = fitAt(fit).params;
  const step = arrayOf(state, params, ARRAY_STEP);
  const trial = arrayOf(state, params, ARRAY_TRIAL);
  const x = arrayOf(state, params, ARRAY_X);
  const bytes = (<usize>params) << 3;
  do {
    chooseStep(fit, state, step);
    const predicted = predictedFall(factorOf(state, params), params, step);
    levenbergAt(state).predicted = predicted;
    let isGood = isFinite<f64>(predicted);
    for (let j = 0; j < params; j++) {
      const at = (<usize>j) << 3;
      store<f64>(trial + at, movedBy(fit, j, numberOf(state, params, j), load<f64>(step + at)));
    }
    placeTrial(fit, state);
    placeSlopes(fit, state);
    for (let at: usize = 0; at < bytes; at += 8)
      if (!isFinite<f64>(load<f64>(x + at))) isGood = false;
    if (isGood) return predicted > 0 ? REASON_NONE : REASON_GRADIENT;
  } while (shrink(state));
  return REASON_DAMPING;
}

/** Parameters with bounds are moved in the units of these. */
function placeSlopes(fit: usize, state: usize): void {
  const params = fitAt(fit).params;
  const x = arrayOf(state, params, ARRAY_X);
  const slopes = arrayOf(state, params, ARRAY_SLOPES);
  for (let j = 0; j < params; j++) {
    const at = (<usize>j) << 3;
    if (!isFree(fit, j)) store<f64>(slopes + at, boundedSlope(fit, j, load<f64>(x + at)));
  }
}

/**
 * Writes the damped step within the bounds, by active sets: where a step would lead out of them it
 * goes to the first bound, where that parameter is held, and on from there. Each part lowers the
 * linear model, so that the step may end after any. Until the trial is placed, the way so far lies
 * where its numbers will be, and `isHeld` where their values in the user's units will be.
 */
function chooseStep(fit: usize, state: usize, step: usize): void {
  const params = fitAt(fit).params;
  const factor = factorOf(state, params);
  const work = fit + fitAt(fit).workAt;
  const way = arrayOf(state, params, ARRAY_TRIAL);
  const isHeld = arrayOf(state, params, ARRAY_X);
  const hasBounds = holdPressed(fit, state, way, isHeld);
  for (let part = 0; ; part++) {
    writeDamping(fit, state, isHeld, step);
    if (hasBounds) moveFactor(factor, params, way, isHeld, work);
    solveDamped(hasBounds ? work : factor, params, step, work);
    if (!hasBounds) return;
    keepHeld(params, way, isHeld, step);
    if (!goToBound(fit, state, way, isHeld, step)) return;
    if (part < PARTS_MOST) continue;
    copyDoubles(step, way, (<usize>params) << 3);
    return;
  }
}

/**
 * Parameters that are pressed go by themselves, and the others do not wait for them; those at their
 * bounds stay there. False where no parameter has a bound.
 */
function holdPressed(fit: usize, state: usize, way: usize, isHeld: usize): bool {
  const params = fitAt(fit).params;
  let hasBounds = false;
  for (let j = 0; j < params; j++) {
    const at = (<usize>j) << 3;
    store<f64>(way + at, 0);
    store<f64>(isHeld + at, 0);
    if (isFree(fit, j)) continue;
    hasBounds = true;
    const isDown = gradientOf(factorOf(state, params), params, j) > 0;
    const left = leftAt(fit, state, j);
    if (left == 0 && !isAtBound(fit, state, j)) continue;
    const push = left > 0 ? pushFor(fit, state, j, left) : 0;
    // Where steps are not to be trusted so far, it moves as the others do.
    const damping = dampingOf(fit, state, j);
    if (push > 0 && !(left > BEYOND * damping * damping * push * push)) continue;
    store<f64>(isHeld + at, 1);
    store<f64>(way + at, isDown ? -push : push);
  }
  return hasBounds;
}

/** Whether parameter j is at a bound, as far as numbers tell, and the loss falls beyond it. */
function isAtBound(fit: usize, state: usize, j: i32): bool {
  if (isFree(fit, j)) return false;
  const params = fitAt(fit).params;
  const gradient = gradientOf(factorOf(state, params), params, j);
  const isDown = gradient > 0;
  const u = numberOf(state, params, j);
  return gradient != 0 && roomOf(fit, j, u, leftOf(fit, j, u, isDown), isDown) == 0;
}

/** Copies a factor with the residuals that are left after the way of parameters that are held. */
function moveFactor(factor: usize, params: i32, way: usize, isHeld: usize, into: usize): void {
  const stride = strideOf(params);
  memory.copy(into, factor, factorBytes(params));
  for (let i = 0; i < params; i++) {
    const row = into + <usize>i * stride;
    let moved = load<f64>(row + ((<usize>params) << 3));
    for (let j = i; j < params; j++) {
      const at = (<usize>j) << 3;
      if (load<f64>(isHeld + at) != 0) moved += load<f64>(row + at) * load<f64>(way + at);
    }
    store<f64>(row + ((<usize>params) << 3), moved);
  }
}

function keepHeld(params: i32, way: usize, isHeld: usize, step: usize): void {
  for (let at: usize = 0; at < (<usize>params) << 3; at += 8)
    if (load<f64>(isHeld + at) != 0) store<f64>(step + at, load<f64>(way + at));
}

/** Takes the way on towards the step to the first bound and holds that parameter; false: none. */
function goToBound(fit: usize, state: usize, way: usize, isHeld: usize, step: usize): bool {
  const params = fitAt(fit).params;
  let first = -1;
  let share: f64 = 1;
  let end: f64 = 0;
  for (let j = 0; j < params; j++) {
    const at = (<usize>j) << 3;
    const from = load<f64>(way + at);
    const by = load<f64>(step + at) - from;
    if (isFree(fit, j) || load<f64>(isHeld + at) != 0 || by == 0) continue;
    const u = numberOf(state, params, j);
    const room = roomOf(fit, j, u, leftOf(fit, j, u, by < 0), by < 0);
    const limit = by < 0 ? -room : room;
    if (by < 0 ? from + by >= limit : from + by <= limit) continue;
    const own = max(0.0, (limit - from) / by);
    if (!(own < share)) continue;
    first = j;
    share = own;
    end = limit;
  }
  if (first < 0) return false;
  for (let at: usize = 0; at < (<usize>params) << 3; at += 8) {
    const from = load<f64>(way + at);
    store<f64>(way + at, from + share * (load<f64>(step + at) - from));
  }
  store<f64>(way + ((<usize>first) << 3), end);
  store<f64>(isHeld + ((<usize>first) << 3), 1);
  return true;
}

function writeDamping(fit: usize, state: usize, isHeld: usize, into: usize): void {
  const params = fitAt(fit).params;
  for (let j = 0; j < params; j++) {
    const at = (<usize>j) << 3;
    const damping =
      load<f64>(isHeld + at) != 0
        ? HELD * columnNorm(factorOf(state, params), params, j)
        : dampingOf(fit, state, j);
    store<f64>(into + at, damping);
  }
}

function dampingOf(fit: usize, state: usize, j: i32): f64 {
  const params = fitAt(fit).params;
  const scale = load<f64>(arrayOf(state, params, ARRAY_SCALE) + ((<usize>j) << 3));
  const norm = columnNorm(factorOf(state, params), params, j) * scale;
  const square = min(SCALE_MOST, max(SCALE_LEAST, norm * norm));
  return Math.sqrt(square / levenbergAt(state).radius) / scale;
}
