/**
 * The trial of a slot: the point that its next evaluation is at, and how it becomes the best point.
 */

import { ARRAY_BEST, ARRAY_SLOPES, ARRAY_TRIAL, ARRAY_U, ARRAY_X } from "../../src/fit/layout";
import { arrayOf } from "./block";
import { placeAll } from "./bounds";
import { fitAt, stateAt } from "./layout";

/** Makes the trial the best point. */
export function acceptTrial(state: usize, params: i32, loss: f64): void {
  const bytes = (<usize>params) << 3;
  copyDoubles(arrayOf(state, params, ARRAY_U), arrayOf(state, params, ARRAY_TRIAL), bytes);
  copyDoubles(arrayOf(state, params, ARRAY_BEST), arrayOf(state, params, ARRAY_X), bytes);
  stateAt(state).loss = loss;
}

export function copyDoubles(to: usize, from: usize, bytes: usize): void {
  for (let b: usize = 0; b < bytes; b += 8) store<f64>(to + b, load<f64>(from + b));
}

/** The trial in the user's units, and the slopes of that. */
export function placeTrial(fit: usize, state: usize): void {
  const params = fitAt(fit).params;
  const trials = arrayOf(state, params, ARRAY_TRIAL);
  const users = arrayOf(state, params, ARRAY_X);
  const slopes = arrayOf(state, params, ARRAY_SLOPES);
  placeAll(fit + fitAt(fit).mapsAt, trials, users, slopes, params);
}
