/**
 * A restart of Levenberg and Marquardt's method: what it begins with and keeps. Its steps are in
 * wasm/fit/levenberg.ts.
 */

import {
  ARRAY_SCALE,
  ARRAY_TRIAL,
  ARRAY_U,
  FIT_LEVENBERG,
  STATE_EVALUATIONS,
  STATE_RADIUS,
  STATE_SHRINK,
  STATE_STEPS,
  STATE_VETOES,
} from "../../program/layout.js";
import type { Free } from "../parameters/parameters.js";
import { type Limits, Restart } from "./restart.js";

const RADIUS_START = 1e4;

/** Numbers that are saved before the arrays. */
const SAVED = [STATE_STEPS, STATE_EVALUATIONS, STATE_RADIUS, STATE_SHRINK, STATE_VETOES];

export class LevenbergRestart extends Restart {
  constructor(index: number, start: Float64Array, free: readonly Free[], limits: Limits) {
    super(index, start, free, limits, FIT_LEVENBERG);
    this.state[STATE_RADIUS / 8] = RADIUS_START;
    this.state[STATE_SHRINK / 8] = 2;
  }

  save(): number[] {
    const counts = SAVED.map((at) => this.state[at / 8] as number);
    return [...counts, ...this.array(ARRAY_U), ...this.array(ARRAY_SCALE)];
  }

  /** The point is evaluated again, which is not counted twice. */
  load(numbers: readonly number[]): void {
    for (const [i, at] of SAVED.entries()) this.state[at / 8] = numbers[i] as number;
    this.state[STATE_EVALUATIONS / 8] = Math.max(0, this.evaluations - 1);
    this.setArray(ARRAY_TRIAL, numbers, SAVED.length);
    this.setArray(ARRAY_U, numbers, SAVED.length);
    this.setArray(ARRAY_SCALE, numbers, SAVED.length + this.free.length);
    this.moveTrial();
  }
}
