/**
 * What a worker is asked and what it answers: plain data that can be posted to a thread.
 */

import type { ParameterSpec } from "@ndvm/core";
import type { Failure } from "../types.js";

type Numbers = Readonly<Record<string, number>>;

/** One fit of a candidate on one rung, or the intervals of one that has been fitted. */
export interface Task {
  readonly kind: "fit" | "intervals";
  readonly visit: number;
  /** The candidate that is visited. */
  readonly id: number;
  readonly rung: number;
  readonly source: string;
  /** What the proposer says about parameters. */
  readonly params?: Readonly<Record<string, ParameterSpec>>;
  /** The best parameters so far: the first restart begins there. */
  readonly from?: Numbers;
  /** True: the same text has passed the screen before. */
  readonly isScreened: boolean;
}

/** Seconds of one task by what they were spent on. */
export interface Timing {
  /** Reading, encoding and the walk over a few rows; of it, that walk. */
  readonly screen: number;
  readonly walk: number;
  /** The whole of the fit; of it, the optimiser's rounds, which replay the program's traces. */
  readonly fit: number;
  readonly replay: number;
  readonly score: number;
}

export interface TaskResult {
  readonly visit: number;
  readonly rung: number;
  readonly worker: number;
  readonly timing: Timing;
  /** Restarts that were run. */
  readonly fits: number;
  readonly failure?: Failure;
  readonly params: Numbers;
  readonly loss: number;
  readonly trainR2: number;
  readonly r2: number;
  readonly bic: number;
  readonly intervals?: Readonly<Record<string, readonly [number, number]>>;
}

export const NO_TIME: Timing = { screen: 0, fit: 0, walk: 0, replay: 0, score: 0 };

/** A result for a task that came to nothing. */
export function failedResult(
  task: Pick<Task, "visit" | "rung">,
  failure: Failure,
  fits = 0,
  timing: Timing = NO_TIME,
): TaskResult {
  const nothing = Number.NaN;
  return {
    visit: task.visit,
    rung: task.rung,
    worker: 0,
    timing,
    fits,
    failure,
    params: {},
    loss: nothing,
    trainR2: nothing,
    r2: nothing,
    bic: nothing,
  };
}
