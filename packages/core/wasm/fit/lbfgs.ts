/**
 * L-BFGS: a quasi-Newton method that remembers the latest steps, with a line search that meets the
 * strong Wolfe conditions (Nocedal and Wright, algorithms 7.4, 3.5 and 3.6).
 *
 * The line search is written as a state that takes one evaluation at a time: it first widens the
 * bracket, then narrows it by cubic interpolation with safeguards. A trial that is not finite
 * counts as too far. Of the arrays in the state, the latest pairs (changes of place and of
 * gradient) form a ring, the oldest at `firstPair`.
 */

import {
  ARRAY_DIRECTION,
  ARRAY_GRADIENT,
  ARRAY_PAIR_STEPS,
  ARRAY_PAIR_TURNS,
  ARRAY_PAIRS_END,
  ARRAY_TRIAL,
  ARRAY_U,
  PAIR_PLACES,
  REASON_DAMPING,
  REASON_GRADIENT,
  REASON_LOSS,
  REASON_NONE,
  REASON_NOT_FINITE,
  REASON_STEP,
  REASON_STEPS,
} from "../../src/fit/layout";
import { arrayOf } from "./block";
import { fitAt, lbfgsAt, lineAt, stateAt } from "./layout";
import { gradientOf } from "./loss";
import { acceptTrial, copyDoubles, placeTrial } from "./trial";

/** One place more than pairs: the next pair is written before it is known to be of use. */
const MEMORY: i32 = PAIR_PLACES - 1;
/** Constants of the two conditions: enough fall, and a slope that has flattened enough. */
const FALL: f64 = 1e-4;
const FLAT: f64 = 0.9;
const TRIALS_MOST: f64 = 40;
/**
 * Falls of this share of the loss can be rounding, and so can steps of this share of a parameter.
 */
const HIDDEN: f64 = sizeof<real>() == 4 ? 1e-4 : 1e-9;
const NEAR: f64 = sizeof<real>() == 4 ? 1e-3 : 1e-7;

/**
 * Gives a slot its evaluation; why it ended by it. A start that looks flat is asked once more, by a
 * trial: beside a large loss, parameters far from where they belong look as if they did nothing.
 */
export function takeLbfgs(fit: usize, state: usize, sums: usize): i32 {
  const loss = gradientOf(fit, state, sums);
  if (lbfgsAt(state).hasBegun != 0)
    return search(fit, state, isFinite<f64>(loss) ? loss : Infinity, sums);
  lbfgsAt(state).hasBegun = 1;
  if (!isFinite<f64>(loss)) return REASON_NOT_FINITE;
  accept(state, fitAt(fit).params, loss, sums);
  const reason = startLine(fit, state);
  return reason == REASON_DAMPING && isFlat(fit, state) ? REASON_GRADIENT : reason;
}

function accept(state: usize, params: i32, loss: f64, gradient: usize): void {
  acceptTrial(state, params, loss);
  copyDoubles(arrayOf(state, params, ARRAY_GRADIENT), gradient, (<usize>params) << 3);
}

/** Changes of the loss up to this one count as none, by the limit on gradients. */
// @ts-ignore: decorator
@inline function leastFall(fit: usize, state: usize): f64 {
  return fitAt(fit).gradientLimit * max(1e-300, Math.abs(stateAt(state).loss));
}

/** Whether changing a number by its size, or by 1, would hardly change the loss. */
function isFlat(fit: usize, state: usize): bool {
  const params = fitAt(fit).params;
  const least = leastFall(fit, state);
  const u = arrayOf(state, params, ARRAY_U);
  const gradient = arrayOf(state, params, ARRAY_GRADIENT);
  for (let j = 0; j < params; j++) {
    const at = (<usize>j) << 3;
    const scale = max(1.0, Math.abs(load<f64>(u + at)));
    if (Math.abs(load<f64>(gradient + at)) * scale > least) return false;
  }
  return true;
}

// ─── Pairs ──────────────────────────────────────────────────────────────────

/** Where pair k is kept, the oldest being 0. */
// @ts-ignore: decorator
@inline function placeOf(state: usize, k: i32): i32 {
  return (<i32>lbfgsAt(state).firstPair + k) % PAIR_PLACES;
}

/** The product of step and turn of the pair in a place; the weights of the recursion follow. */
// @ts-ignore: decorator
@inline function curvatureAt(state: usize, params: i32, place: i32): usize {
  return arrayOf(state, params, ARRAY_PAIRS_END) + ((<usize>place) << 3);
}

// @ts-ignore: decorator
@inline function weightAt(state: usize, params: i32, place: i32): usize {
  return curvatureAt(state, params, place + PAIR_PLACES);
}

/** Keeps the change to the trial, if it curves upwards; whether the step is small. */
function remember(fit: usize, state: usize, trialGradient: usize): bool {
  const params = fitAt(fit).params;
  const place = placeOf(state, <i32>lbfgsAt(state).pairs);
  const step = arrayOf(state, params, ARRAY_PAIR_STEPS + place);
  const turn = arrayOf(state, params, ARRAY_PAIR_TURNS + place);
  const limit = fitAt(fit).stepLimit;
  let isSmall = true;
  for (let j = 0; j < params; j++) {
    const at = (<usize>j) << 3;
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
  const pairs = lbfgsAt(state).pairs;
  if (pairs < MEMORY) lbfgsAt(state).pairs = pairs + 1;
  else lbfgsAt(state).firstPair = placeOf(state, 1);
}

// ─── Lines ──────────────────────────────────────────────────────────────────

/** Chooses a direction and makes the first trial along it; why there is none. */
function startLine(fit: usize, state: usize): i32 {
  const params = fitAt(fit).params;
  const direction = arrayOf(state, params, ARRAY_DIRECTION);
  for (;;) {
    chooseDirection(state, params, direction);
    const slope = inner(direction, arrayOf(state, params, ARRAY_GRADIENT), params);
    lbfgsAt(state).lineSlope = slope;
    const hasPairs = lbfgsAt(state).pairs > 0;
    if (slope < 0) {
      setPlace(lbfgsAt(state).lowAt(), 0, stateAt(state).loss, slope);
      lineAt(lbfgsAt(state).highAt()).distance = NaN;
      lbfgsAt(state).trials = 0;
      lbfgsAt(state).promise = NaN;
      tryAt(fit, state, hasPairs ? 1 : firstDistance(fit, state, direction));
      break;
    }
    if (!hasPairs) return REASON_DAMPING;
    lbfgsAt(state).pairs = 0;
  }
  return REASON_NONE;
}

/** The two-loop recursion. */
function chooseDirection(state: usize, params: i32, direction: usize): void {
  const gradient = arrayOf(state, params, ARRAY_GRADIENT);
  const pairs = <i32>lbfgsAt(state).pairs;
  for (let j = 0; j < params; j++)
    store<f64>(direction + ((<usize>j) << 3), -load<f64>(gradient + ((<usize>j) << 3)));
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
      const at = direction + ((<usize>j) << 3);
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

/**
 * Without memory the first step changes no number by more than a tenth of its size. From a start
 * that looks flat it changes one by just that, so that the slope can show how it turns.
 */
function firstDistance(fit: usize, state: usize, direction: usize): f64 {
  const params = fitAt(fit).params;
  const u = arrayOf(state, params, ARRAY_U);
  let most: f64 = 0;
  for (let j = 0; j < params; j++) {
    const size = max(0.1, Math.abs(load<f64>(u + ((<usize>j) << 3))));
    most = max(most, Math.abs(load<f64>(direction + ((<usize>j) << 3))) / size);
  }
  return isFlat(fit, state) ? 0.1 / most : min(1.0, 0.1 / most);
}

function tryAt(fit: usize, state: usize, distance: f64): void {
  const params = fitAt(fit).params;
  const u = arrayOf(state, params, ARRAY_U);
  const direction = arrayOf(state, params, ARRAY_DIRECTION);
  const trial = arrayOf(state, params, ARRAY_TRIAL);
  lbfgsAt(state).distance = distance;
  lbfgsAt(state).trials = lbfgsAt(state).trials + 1;
  for (let j = 0; j < params; j++) {
    const at = (<usize>j) << 3;
    store<f64>(trial + at, load<f64>(u + at) + distance * load<f64>(direction + at));
  }
  placeTrial(fit, state);
}

function search(fit: usize, state: usize, value: f64, trialGradient: usize): i32 {
  const params = fitAt(fit).params;
  const direction = arrayOf(state, params, ARRAY_DIRECTION);
  const low = lbfgsAt(state).lowAt();
  const high = lbfgsAt(state).highAt();
  const at = lbfgsAt(state).distance;
  const slope = value == Infinity ? NaN : inner(direction, trialGradient, params);
  const first = lbfgsAt(state).lineSlope;
  const trials = lbfgsAt(state).trials;
  const isFalling = value <= stateAt(state).loss + FALL * at * first;
  const isBracketed = !isNaN<f64>(lineAt(high).distance);
  if (isNaN<f64>(lbfgsAt(state).promise) && !isNaN<f64>(slope)) {
    notePromise(state, params, direction, at, slope);
    if (lbfgsAt(state).promise <= leastFall(fit, state) && isFlat(fit, state))
      return REASON_GRADIENT;
  }
  if (isFalling && Math.abs(slope) <= -FLAT * first)
    return finishLine(fit, state, value, trialGradient);
  if (trials >= TRIALS_MOST || at < 1e-20) return giveUp(fit, state, value, slope, trialGradient);
  if (!isFalling || (value >= lineAt(low).value && (isBracketed || trials > 1))) {
    setPlace(high, at, value, slope);
    return narrow(fit, state);
  }
  if (!isBracketed && slope < 0) {
    setPlace(low, at, value, slope);
    tryAt(fit, state, at * 2.5);
    return REASON_NONE;
  }
  if (!isBracketed || slope * (lineAt(high).distance - lineAt(low).distance) >= 0)
    setPlace(high, lineAt(low).distance, lineAt(low).value, lineAt(low).slope);
  setPlace(low, at, value, slope);
  return narrow(fit, state);
}

/** Tries inside the bracket: where a cubic has its minimum, kept off the ends. */
function narrow(fit: usize, state: usize): i32 {
  const low = lbfgsAt(state).lowAt();
  const high = lbfgsAt(state).highAt();
  const a = lineAt(low).distance;
  const b = lineAt(high).distance;
  const valueB = lineAt(high).value;
  const slopeA = lineAt(low).slope;
  const slopeB = lineAt(high).slope;
  const width = b - a;
  let t: f64 = 0.5;
  if (isFinite<f64>(valueB) && isFinite<f64>(slopeB)) {
    const d1 = slopeA + slopeB - (3 * (lineAt(low).value - valueB)) / (a - b);
    const root = Math.sqrt(max(0.0, d1 * d1 - slopeA * slopeB)) * (width > 0 ? 1 : -1);
    t = 1 - (slopeB + root - d1) / (slopeB - slopeA + 2 * root);
  } else if (!isFinite<f64>(valueB)) t = 0.1;
  if (!(t > 0.1)) t = 0.1;
  if (t > 0.9) t = 0.9;
  if (Math.abs(width) < 1e-16 * Math.abs(a)) lbfgsAt(state).trials = TRIALS_MOST;
  tryAt(fit, state, a + t * width);
  return REASON_NONE;
}

/**
 * What a parabola through the first finite trial says: by how much the line can lower the loss, and
 * how near its lowest place is. A slope that has not turned at all promises everything, and so does
 * a line that had to be cut because the loss was not finite further on.
 */
function notePromise(state: usize, params: i32, direction: usize, at: f64, slope: f64): void {
  const first = lbfgsAt(state).lineSlope;
  const bend = (slope - first) / at;
  const isCut = lbfgsAt(state).trials > 1;
  const distance = bend > 0 && !isCut ? -first / bend : Infinity;
  const u = arrayOf(state, params, ARRAY_U);
  let most: f64 = 0;
  for (let j = 0; j < params; j++) {
    const size = max(1e-3, Math.abs(load<f64>(u + ((<usize>j) << 3))));
    most = max(most, Math.abs(load<f64>(direction + ((<usize>j) << 3))) / size);
  }
  lbfgsAt(state).promise = (-first * distance) / 2;
  lbfgsAt(state).nearness = most * distance;
}

/**
 * The line gives no more: the best of it is taken if it is better, else memory is dropped. A line
 * that fails without memory is the end. It is an optimum where rounding hides what is left, or
 * where the loss rises at once (a kink); otherwise the loss is not what its gradient says.
 */
function giveUp(fit: usize, state: usize, value: f64, slope: f64, trialGradient: usize): i32 {
  if (value < stateAt(state).loss) return finishLine(fit, state, value, trialGradient);
  if (lbfgsAt(state).pairs == 0) {
    const least = HIDDEN * Math.abs(stateAt(state).loss);
    if (lbfgsAt(state).promise <= least) return REASON_LOSS;
    if (lbfgsAt(state).nearness <= NEAR) return REASON_STEP;
    return slope > 0 ? REASON_LOSS : REASON_DAMPING;
  }
  lbfgsAt(state).pairs = 0;
  return startLine(fit, state);
}

function finishLine(fit: usize, state: usize, value: f64, trialGradient: usize): i32 {
  const steps = stateAt(state).steps + 1;
  const before = stateAt(state).loss;
  const isSmall = remember(fit, state, trialGradient);
  stateAt(state).steps = steps;
  accept(state, fitAt(fit).params, value, trialGradient);
  if (isFlat(fit, state)) return REASON_GRADIENT;
  // A step that the edge of the loss's domain cut short says nothing about an optimum.
  const isCut = lbfgsAt(state).promise == Infinity;
  if (isCut && (isSmall || before - value <= fitAt(fit).lossLimit * Math.abs(value)))
    return REASON_DAMPING;
  if (before - value <= fitAt(fit).lossLimit * Math.abs(value)) return REASON_LOSS;
  if (isSmall) return REASON_STEP;
  if (steps >= <f64>fitAt(fit).steps) return REASON_STEPS;
  return startLine(fit, state);
}

function setPlace(place: usize, at: f64, value: f64, slope: f64): void {
  lineAt(place).distance = at;
  lineAt(place).value = value;
  lineAt(place).slope = slope;
}

function inner(a: usize, b: usize, count: i32): f64 {
  let sum: f64 = 0;
  for (const end = a + ((<usize>count) << 3); a < end; a += 8) {
    sum += load<f64>(a) * load<f64>(b);
    b += 8;
  }
  return sum;
}

function addScaled(into: usize, by: f64, other: usize, count: i32): void {
  for (const end = into + ((<usize>count) << 3); into < end; into += 8) {
    store<f64>(into, load<f64>(into) + by * load<f64>(other));
    other += 8;
  }
}
