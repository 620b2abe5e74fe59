/**
 * L-BFGS: a quasi-Newton method that remembers the latest steps, with a line search that meets the
 * strong Wolfe conditions (Nocedal and Wright, algorithms 7.4, 3.5 and 3.6).
 *
 * The line search is written as a state that takes one evaluation at a time: it first widens the
 * bracket, then narrows it by cubic interpolation with safeguards. A trial that is not finite
 * counts as too far. Of the arrays in the state, the latest pairs (changes of place and of
 * gradient) form a ring, the oldest at STATE_FIRST_PAIR.
 */

import {
  ARRAY_DIRECTION,
  ARRAY_GRADIENT,
  ARRAY_PAIR_STEPS,
  ARRAY_PAIR_TURNS,
  ARRAY_PAIRS_END,
  ARRAY_TRIAL,
  ARRAY_U,
  FIT_GRADIENT_LIMIT,
  FIT_LOSS_LIMIT,
  FIT_PARAMS,
  FIT_STEP_LIMIT,
  FIT_STEPS,
  PAIR_PLACES,
  REASON_DAMPING,
  REASON_GRADIENT,
  REASON_LOSS,
  REASON_NONE,
  REASON_NOT_FINITE,
  REASON_STEP,
  REASON_STEPS,
  STATE_DISTANCE,
  STATE_FIRST_PAIR,
  STATE_HAS_BEGUN,
  STATE_HIGH,
  STATE_LINE_SLOPE,
  STATE_LOSS,
  STATE_LOW,
  STATE_NEARNESS,
  STATE_PAIRS,
  STATE_PROMISE,
  STATE_STEPS,
  STATE_TRIALS,
} from "../../src/program/layout";
import { arrayOf } from "./block";
import { gradientOf } from "./loss";
import { acceptTrial, copyDoubles, placeTrial } from "./trial";

/** One place more than pairs: the next pair is written before it is known to be of use. */
const MEMORY: i32 = PAIR_PLACES - 1;
/** Constants of the two conditions: enough fall, and a slope that has flattened enough. */
const FALL: f64 = 1e-4;
const FLAT: f64 = 0.9;
const TRIALS_MOST: f64 = 40;
/** Falls of this share of the loss can be rounding, and so can steps of this share of a parameter. */
const HIDDEN: f64 = sizeof<real>() == 4 ? 1e-4 : 1e-9;
const NEAR: f64 = sizeof<real>() == 4 ? 1e-3 : 1e-7;

// A place on the line, by STATE_LOW or STATE_HIGH: distance, value and slope there.
const VALUE: usize = 8;
const SLOPE: usize = 16;

/** Gives a slot its evaluation; why it ended by it. */
export function takeLbfgs(fit: usize, state: usize, sums: usize): i32 {
  const loss = gradientOf(fit, state, sums);
  if (load<f64>(state, STATE_HAS_BEGUN) != 0)
    return search(fit, state, isFinite<f64>(loss) ? loss : Infinity, sums);
  store<f64>(state, 1, STATE_HAS_BEGUN);
  if (!isFinite<f64>(loss)) return REASON_NOT_FINITE;
  accept(state, load<i32>(fit, FIT_PARAMS), loss, sums);
  return isFlat(fit, state) ? REASON_GRADIENT : startLine(fit, state);
}

function accept(state: usize, params: i32, loss: f64, gradient: usize): void {
  acceptTrial(state, params, loss);
  copyDoubles(arrayOf(state, params, ARRAY_GRADIENT), gradient, <usize>params << 3);
}

/** Whether changing a number by its size, or by 1, would hardly change the loss. */
function isFlat(fit: usize, state: usize): bool {
  const params = load<i32>(fit, FIT_PARAMS);
  const least = load<f64>(fit, FIT_GRADIENT_LIMIT) * max(1e-300, Math.abs(load<f64>(state, STATE_LOSS)));
  const u = arrayOf(state, params, ARRAY_U);
  const gradient = arrayOf(state, params, ARRAY_GRADIENT);
  for (let j = 0; j < params; j++) {
    const at = <usize>j << 3;
    const scale = max(1.0, Math.abs(load<f64>(u + at)));
    if (Math.abs(load<f64>(gradient + at)) * scale > least) return false;
  }
  return true;
}

// ─── Pairs ──────────────────────────────────────────────────────────────────

/** Where pair k is kept, the oldest being 0. */
// @ts-ignore: decorator
@inline function placeOf(state: usize, k: i32): i32 {
  return (<i32>load<f64>(state, STATE_FIRST_PAIR) + k) % PAIR_PLACES;
}

/** The product of step and turn of the pair in a place; the weights of the recursion follow. */
// @ts-ignore: decorator
@inline function curvatureAt(state: usize, params: i32, place: i32): usize {
  return arrayOf(state, params, ARRAY_PAIRS_END) + (<usize>place << 3);
}

// @ts-ignore: decorator
@inline function weightAt(state: usize, params: i32, place: i32): usize {
  return curvatureAt(state, params, place + PAIR_PLACES);
}

/** Keeps the change to the trial, if it curves upwards; whether the step is small. */
function remember(fit: usize, state: usize, trialGradient: usize): bool {
  const params = load<i32>(fit, FIT_PARAMS);
  const place = placeOf(state, <i32>load<f64>(state, STATE_PAIRS));
  const step = arrayOf(state, params, ARRAY_PAIR_STEPS + place);
  const turn = arrayOf(state, params, ARRAY_PAIR_TURNS + place);
  const limit = load<f64>(fit, FIT_STEP_LIMIT);
  let isSmall = true;
  for (let j = 0; j < params; j++) {
    const at = <usize>j << 3;
    const u = load<f64>(arrayOf(state, params, ARRAY_U) + at);
    const by = load<f64>(arrayOf(state, params, ARRAY_TRIAL) + at) - u;
    const before = load<f64>(arrayOf(state, params, ARRAY_GRADIENT) + at);
    store<f64>(step + at, by);
    store<f64>(turn + at, load<f64>(trialGradient + at) - before);
    if (!(Math.abs(by) <= limit * Math.abs(u))) isSmall = false;
  }
  const curvature = inner(step, turn, params);
  if (curvature > 1e-16 * inner(turn, turn, params)) keep(state, params, place, curvature);
  return isSmall;
}

/** Takes the pair that was written after the others; the oldest goes where there are enough. */
function keep(state: usize, params: i32, place: i32, curvature: f64): void {
  store<f64>(curvatureAt(state, params, place), curvature);
  const pairs = load<f64>(state, STATE_PAIRS);
  if (pairs < MEMORY) store<f64>(state, pairs + 1, STATE_PAIRS);
  else store<f64>(state, placeOf(state, 1), STATE_FIRST_PAIR);
}

// ─── Lines ──────────────────────────────────────────────────────────────────

/** Chooses a direction and makes the first trial along it; why there is none. */
function startLine(fit: usize, state: usize): i32 {
  const params = load<i32>(fit, FIT_PARAMS);
  const direction = arrayOf(state, params, ARRAY_DIRECTION);
  for (;;) {
    chooseDirection(state, params, direction);
    const slope = inner(direction, arrayOf(state, params, ARRAY_GRADIENT), params);
    store<f64>(state, slope, STATE_LINE_SLOPE);
    const hasPairs = load<f64>(state, STATE_PAIRS) > 0;
    if (slope < 0) {
      setPlace(state + STATE_LOW, 0, load<f64>(state, STATE_LOSS), slope);
      store<f64>(state, NaN, STATE_HIGH);
      store<f64>(state, 0, STATE_TRIALS);
      store<f64>(state, NaN, STATE_PROMISE);
      tryAt(fit, state, hasPairs ? 1 : firstDistance(state, params, direction));
      break;
    }
    if (!hasPairs) return REASON_DAMPING;
    store<f64>(state, 0, STATE_PAIRS);
  }
  return REASON_NONE;
}

/** The two-loop recursion. */
function chooseDirection(state: usize, params: i32, direction: usize): void {
  const gradient = arrayOf(state, params, ARRAY_GRADIENT);
  const pairs = <i32>load<f64>(state, STATE_PAIRS);
  for (let j = 0; j < params; j++)
    store<f64>(direction + (<usize>j << 3), -load<f64>(gradient + (<usize>j << 3)));
  for (let k = pairs - 1; k >= 0; k--) {
    const place = placeOf(state, k);
    const step = arrayOf(state, params, ARRAY_PAIR_STEPS + place);
    const weight = inner(step, direction, params) / load<f64>(curvatureAt(state, params, place));
    store<f64>(weightAt(state, params, place), weight);
    addScaled(direction, -weight, arrayOf(state, params, ARRAY_PAIR_TURNS + place), params);
  }
  if (pairs > 0) {
    const place = placeOf(state, pairs - 1);
    const turn = arrayOf(state, params, ARRAY_PAIR_TURNS + place);
    const gain = load<f64>(curvatureAt(state, params, place)) / inner(turn, turn, params);
    for (let j = 0; j < params; j++) {
      const at = direction + (<usize>j << 3);
      store<f64>(at, load<f64>(at) * gain);
    }
  }
  for (let k = 0; k < pairs; k++) {
    const place = placeOf(state, k);
    const turn = arrayOf(state, params, ARRAY_PAIR_TURNS + place);
    const weight = inner(turn, direction, params) / load<f64>(curvatureAt(state, params, place));
    const left = load<f64>(weightAt(state, params, place)) - weight;
    addScaled(direction, left, arrayOf(state, params, ARRAY_PAIR_STEPS + place), params);
  }
}

/** Without memory the first step changes no number by more than its size. */
function firstDistance(state: usize, params: i32, direction: usize): f64 {
  const u = arrayOf(state, params, ARRAY_U);
  let most: f64 = 0;
  for (let j = 0; j < params; j++) {
    const size = max(0.1, Math.abs(load<f64>(u + (<usize>j << 3))));
    most = max(most, Math.abs(load<f64>(direction + (<usize>j << 3))) / size);
  }
  return min(1.0, 0.1 / most);
}

function tryAt(fit: usize, state: usize, distance: f64): void {
  const params = load<i32>(fit, FIT_PARAMS);
  const u = arrayOf(state, params, ARRAY_U);
  const direction = arrayOf(state, params, ARRAY_DIRECTION);
  const trial = arrayOf(state, params, ARRAY_TRIAL);
  store<f64>(state, distance, STATE_DISTANCE);
  store<f64>(state, load<f64>(state, STATE_TRIALS) + 1, STATE_TRIALS);
  for (let j = 0; j < params; j++) {
    const at = <usize>j << 3;
    store<f64>(trial + at, load<f64>(u + at) + distance * load<f64>(direction + at));
  }
  placeTrial(fit, state);
}

function search(fit: usize, state: usize, value: f64, trialGradient: usize): i32 {
  const params = load<i32>(fit, FIT_PARAMS);
  const direction = arrayOf(state, params, ARRAY_DIRECTION);
  const low = state + STATE_LOW;
  const high = state + STATE_HIGH;
  const at = load<f64>(state, STATE_DISTANCE);
  const slope = value == Infinity ? NaN : inner(direction, trialGradient, params);
  const first = load<f64>(state, STATE_LINE_SLOPE);
  const trials = load<f64>(state, STATE_TRIALS);
  const isFalling = value <= load<f64>(state, STATE_LOSS) + FALL * at * first;
  const isBracketed = !isNaN<f64>(load<f64>(high));
  if (isNaN<f64>(load<f64>(state, STATE_PROMISE)) && !isNaN<f64>(slope))
    notePromise(state, params, direction, at, slope);
  if (isFalling && Math.abs(slope) <= -FLAT * first)
    return finishLine(fit, state, value, trialGradient);
  if (trials >= TRIALS_MOST || at < 1e-20) return giveUp(fit, state, value, slope, trialGradient);
  if (!isFalling || (value >= load<f64>(low, VALUE) && (isBracketed || trials > 1))) {
    setPlace(high, at, value, slope);
    return narrow(fit, state);
  }
  if (!isBracketed && slope < 0) {
    setPlace(low, at, value, slope);
    tryAt(fit, state, at * 2.5);
    return REASON_NONE;
  }
  if (!isBracketed || slope * (load<f64>(high) - load<f64>(low)) >= 0)
    setPlace(high, load<f64>(low), load<f64>(low, VALUE), load<f64>(low, SLOPE));
  setPlace(low, at, value, slope);
  return narrow(fit, state);
}

/** Tries inside the bracket: where a cubic has its minimum, kept off the ends. */
function narrow(fit: usize, state: usize): i32 {
  const low = state + STATE_LOW;
  const high = state + STATE_HIGH;
  const a = load<f64>(low);
  const b = load<f64>(high);
  const valueB = load<f64>(high, VALUE);
  const slopeA = load<f64>(low, SLOPE);
  const slopeB = load<f64>(high, SLOPE);
  const width = b - a;
  let t: f64 = 0.5;
  if (isFinite<f64>(valueB) && isFinite<f64>(slopeB)) {
    const d1 = slopeA + slopeB - (3 * (load<f64>(low, VALUE) - valueB)) / (a - b);
    const root = Math.sqrt(max(0.0, d1 * d1 - slopeA * slopeB)) * (width > 0 ? 1 : -1);
    t = 1 - (slopeB + root - d1) / (slopeB - slopeA + 2 * root);
  } else if (!isFinite<f64>(valueB)) t = 0.1;
  if (!(t > 0.1)) t = 0.1;
  if (t > 0.9) t = 0.9;
  if (Math.abs(width) < 1e-16 * Math.abs(a)) store<f64>(state, TRIALS_MOST, STATE_TRIALS);
  tryAt(fit, state, a + t * width);
  return REASON_NONE;
}

/**
 * What a parabola through the first finite trial says: by how much the line can lower the loss, and
 * how near its lowest place is. A slope that has not turned at all promises everything, and so does a
 * line that had to be cut because the loss was not finite further on.
 */
function notePromise(state: usize, params: i32, direction: usize, at: f64, slope: f64): void {
  const first = load<f64>(state, STATE_LINE_SLOPE);
  const bend = (slope - first) / at;
  const isCut = load<f64>(state, STATE_TRIALS) > 1;
  const distance = bend > 0 && !isCut ? -first / bend : Infinity;
  const u = arrayOf(state, params, ARRAY_U);
  let most: f64 = 0;
  for (let j = 0; j < params; j++) {
    const size = max(1e-3, Math.abs(load<f64>(u + (<usize>j << 3))));
    most = max(most, Math.abs(load<f64>(direction + (<usize>j << 3))) / size);
  }
  store<f64>(state, (-first * distance) / 2, STATE_PROMISE);
  store<f64>(state, most * distance, STATE_NEARNESS);
}

/**
 * The line gives no more: the best of it is taken if it is better, else memory is dropped. A line
 * that fails without memory is the end. It is an optimum where rounding hides what is left, or where
 * the loss rises at once (a kink); otherwise the loss is not what its gradient says.
 */
function giveUp(fit: usize, state: usize, value: f64, slope: f64, trialGradient: usize): i32 {
  if (value < load<f64>(state, STATE_LOSS)) return finishLine(fit, state, value, trialGradient);
  if (load<f64>(state, STATE_PAIRS) == 0) {
    const least = HIDDEN * Math.abs(load<f64>(state, STATE_LOSS));
    if (load<f64>(state, STATE_PROMISE) <= least) return REASON_LOSS;
    if (load<f64>(state, STATE_NEARNESS) <= NEAR) return REASON_STEP;
    return slope > 0 ? REASON_LOSS : REASON_DAMPING;
  }
  store<f64>(state, 0, STATE_PAIRS);
  return startLine(fit, state);
}

function finishLine(fit: usize, state: usize, value: f64, trialGradient: usize): i32 {
  const steps = load<f64>(state, STATE_STEPS) + 1;
  const before = load<f64>(state, STATE_LOSS);
  const isSmall = remember(fit, state, trialGradient);
  store<f64>(state, steps, STATE_STEPS);
  accept(state, load<i32>(fit, FIT_PARAMS), value, trialGradient);
  if (isFlat(fit, state)) return REASON_GRADIENT;
  // A step that the edge of the loss's domain cut short says nothing about an optimum.
  const isCut = load<f64>(state, STATE_PROMISE) == Infinity;
  if (isCut && (isSmall || before - value <= load<f64>(fit, FIT_LOSS_LIMIT) * Math.abs(value)))
    return REASON_DAMPING;
  if (before - value <= load<f64>(fit, FIT_LOSS_LIMIT) * Math.abs(value)) return REASON_LOSS;
  if (isSmall) return REASON_STEP;
  if (steps >= <f64>load<i32>(fit, FIT_STEPS)) return REASON_STEPS;
  return startLine(fit, state);
}

function setPlace(place: usize, at: f64, value: f64, slope: f64): void {
  store<f64>(place, at);
  store<f64>(place, value, VALUE);
  store<f64>(place, slope, SLOPE);
}

function inner(a: usize, b: usize, count: i32): f64 {
  let sum: f64 = 0;
  for (const end = a + (<usize>count << 3); a < end; a += 8) {
    sum += load<f64>(a) * load<f64>(b);
    b += 8;
  }
  return sum;
}

function addScaled(into: usize, by: f64, other: usize, count: i32): void {
  for (const end = into + (<usize>count << 3); into < end; into += 8) {
    store<f64>(into, load<f64>(into) + by * load<f64>(other));
    other += 8;
  }
}
