/**
 * Steps: every evaluated cell costs one, heavy primitives cost more. The walk runs until its slice
 * is used up, or until a lane that evaluates now has taken all the steps it may, and then pauses.
 *
 * Steps count per lane along its own path: a side of a branch is charged to the lanes that run it.
 */

import {
  FAULT_STEPS,
  STEPS_OF_PRIMITIVE,
  STEPS_OF_SOME,
  STEPS_OF_WIDTH,
} from "../../src/program/layout";
import { fail, faultDetail } from "../memory/fault";
import { allocate, free } from "../memory/memory";
import { lanes, run } from "../tape/payload";
import { dropLane, isCounting } from "./lanes";

/** Steps left before the walk pauses; below zero it does. */
let fuel: i64 = 0;
/** Fuel when the steps were last charged to lanes. */
let fuelFrom: i64 = 0;
/** Fuel at which a lane that evaluates now has passed its budget. */
let fuelLeast: i64 = 0;
let sliceLeft: i64 = 0;
let stepsMax: i64 = 0;
/** Fuel when the primitive under way began. */
let primitiveFrom: i64 = 0;
let total: i64 = 0;

/** Whether somebody looks at the clock when the walk pauses. */
let isWatched: bool = false;
/** Elements, times vectors of lanes, after which a slice ends; those that have passed in it. */
let elementsPerSlice: i64 = 0;
let elementsPassed: i64 = 0;
/** As many of matrix operations may run without a look at the clock; those that must. */
let togetherMax: i64 = 0;
let elementsTogether: i64 = 0;

/** Steps of each lane, i64; they mean nothing before steps are first charged. */
let taken: usize = 0;
let takenBytes: usize = 0;
let isCharged: bool = false;

/** Starts a run; false where memory does not allow it. */
// @ts-ignore: decorator
@inline export function beginSteps(most: f64): bool {
  const bytes = (<usize>lanes) << 3;
  if (bytes > takenBytes) {
    free(taken);
    taken = allocate(bytes);
    takenBytes = taken == 0 ? 0 : bytes;
    if (taken == 0) return false;
  }
  isCharged = false;
  stepsMax = <i64>most;
  total = 0;
  sliceLeft = 0;
  fuel = 0;
  fuelFrom = 0;
  fuelLeast = 0;
  isWatched = false;
  elementsPassed = 0;
  elementsTogether = 0;
  return true;
}

/** Gives the room for the steps of lanes back. */
export function releaseSteps(): void {
  free(taken);
  taken = takenBytes = 0;
}

/** The clock is watched during the walk that has begun. */
export function watchClock(perSlice: f64, together: f64): void {
  isWatched = true;
  elementsPerSlice = <i64>perSlice;
  togetherMax = <i64>together;
}

export function beginSlice(steps: f64): void {
  elementsPassed = 0;
  flushSteps();
  sliceLeft = <i64>steps;
  refuel();
}

/** Charges a walk that has just ended for all its steps, which were found to be within budget. */
// @ts-ignore: decorator
@inline export function chargeSteps(steps: i32): void {
  total = steps;
}

/** Steps of the whole walk so far. */
export function stepsTaken(): f64 {
  return <f64>(total + fuelFrom - fuel);
}

// @ts-ignore: decorator
@inline export function step(): bool {
  return --fuel >= 0;
}

/** Gives back the step of a cell that has not run because the slice ended. */
export function unstep(): void {
  fuel += 1;
}

/**
 * Most steps that one primitive may take over structure: the clock is read between cells only, and
 * structure that is shared can unfold without end.
 */
const PRIMITIVE_STEPS_MAX: i64 = 50000000;

// @ts-ignore: decorator
@inline export function beginPrimitive(): void {
  primitiveFrom = fuel;
}

/** Charges a primitive for walking structure; false and a fault where that passes a budget. */
export function spend(work: i64): bool {
  fuel -= work;
  if (fuel < fuelLeast) {
    fail(FAULT_STEPS);
    return false;
  }
  if (primitiveFrom - fuel <= PRIMITIVE_STEPS_MAX) return true;
  fail(FAULT_STEPS, STEPS_OF_PRIMITIVE);
  return false;
}

/** Elements that a kernel gets through in the time of about one step. */
const ELEMENTS_PER_STEP_LOG2: i64 = 5;
/** So few are part of the step that the call itself costs. */
const ELEMENTS_FREE: i64 = 64;

/**
 * Charges for elements that are about to be written or gone through, in one lane; false and a
 * fault where that passes the budget. The charge depends on shapes only, so it is the same in
 * every mode, and it comes before memory is taken.
 */
export function spendOnElements(elements: i64): bool {
  if (elements <= ELEMENTS_FREE) return true;
  fuel -= elements >> ELEMENTS_PER_STEP_LOG2;
  if (fuel < fuelLeast) {
    fail(FAULT_STEPS);
    return false;
  }
  if (isWatched) passElements(elements);
  return true;
}

/** Ends the slice before the next cell if enough elements have passed in it. */
function passElements(elements: i64): void {
  elementsPassed += elements * vectorsOfLanes();
  if (elementsPassed < elementsPerSlice) return;
  flushSteps();
  sliceLeft = 0;
  refuel();
}

// @ts-ignore: decorator
@inline function vectorsOfLanes(): i64 {
  return <i64>(run >> 4);
}

/**
 * Whether the lanes can take a matrix operation together while the clock is watched; false and a
 * fault if they are too many. The clock is never read inside an operation. If it `isRecorded`, the
 * whole trace will run without a look at it, backwards or again. One vector of lanes always fits.
 */
export function fitsTogether(elements: i64, isRecorded: bool): bool {
  if (!isWatched) return true;
  const vectors = vectorsOfLanes();
  elementsTogether = elements * vectors + (isRecorded ? elementsTogether : 0);
  if (vectors == 1 || elementsTogether <= togetherMax) return true;
  fail(FAULT_STEPS, STEPS_OF_WIDTH);
  return false;
}

/** After `STEPS_OF_WIDTH`: how many times as many lanes there are as can go together. */
export function timesTooWide(): f64 {
  return <f64>elementsTogether / <f64>togetherMax;
}

/** Charges the steps taken since the last flush to the lanes that evaluate now. */
export function flushSteps(): void {
  const steps = fuelFrom - fuel;
  if (steps == 0) return;
  total += steps;
  sliceLeft -= steps;
  fuelFrom = fuel;
  for (let lane = 0; lane < lanes; lane++) {
    const before = takenBy(lane);
    store<i64>(taken + ((<usize>lane) << 3), isCounting(lane) ? before + steps : before);
  }
  isCharged = true;
}

// @ts-ignore: decorator
@inline function takenBy(lane: i32): i64 {
  return isCharged ? load<i64>(taken + ((<usize>lane) << 3)) : 0;
}

/** Sets the fuel for the lanes that evaluate from now on. */
export function refuel(): void {
  let most: i64 = 0;
  for (let lane = 0; isCharged && lane < lanes; lane++)
    if (isCounting(lane)) most = max(most, takenBy(lane));
  const allowed = stepsMax - most;
  fuel = min(sliceLeft, allowed);
  fuelFrom = fuel;
  fuelLeast = fuel - allowed;
}

/** Whether every lane that evaluates now, had it run alone, would have passed a budget here too. */
export function allPassedBudget(): bool {
  if (faultDetail == STEPS_OF_SOME) return false;
  if (faultDetail == STEPS_OF_PRIMITIVE) return true;
  flushSteps();
  for (let lane = 0; lane < lanes; lane++)
    if (isCounting(lane) && takenBy(lane) <= stepsMax) return false;
  return true;
}

/**
 * Takes the lanes that have used up their steps out of the walk and writes them to `to`, one byte
 * a lane. Returns how many.
 */
export function exhaustedLanes(to: usize): i32 {
  flushSteps();
  let count = 0;
  for (let lane = 0; lane < lanes; lane++) {
    const isOver = isCounting(lane) && takenBy(lane) >= stepsMax;
    store<u8>(to + <usize>lane, isOver ? 1 : 0);
    if (!isOver) continue;
    dropLane(lane);
    count += 1;
  }
  return count;
}
