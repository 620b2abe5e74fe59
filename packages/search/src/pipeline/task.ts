/**
 * What a worker is asked and what it answers: plain data that can be posted to a thread.
 */

import type { ParameterSpec } from "@ndvm/core";
import type { Failure } from "../types.js";

type Numbers = Readonly<Record<string, number>>;

/** One fit of a candidate on one rung. */
export interface Task {
  /** Which candidate of its epoch it is: whoever gives the task knows it by this number. */
  readonly visit: number;
  /** A number that stands for the candidate's skeleton: the screen's starts follow from it. */
  readonly id: number;
  /** All chance of the candidate's fits starts here. */
  readonly seed: number;
  readonly rung: number;
  readonly source: string;
  /** What the proposer says about parameters. */
  readonly params: Readonly<Record<string, ParameterSpec>> | undefined;
  /** The best parameters so far: the first restart begins there. */
  readonly from: Numbers | undefined;
  /**
   * True: the walk over a few rows before the fit is left out, since the same text has passed it, or
   * since no walk of this program can take long.
   */
  readonly isScreened: boolean;
  /** True: the program is straight and has no test, so that no row goes another way than others. */
  readonly hasOneWay: boolean;
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
  readonly failure: Failure | undefined;
  readonly params: Numbers;
  /** These numbers are NaN where there is a failure. */
  readonly loss: number;
  readonly trainR2: number;
  readonly r2: number;
  readonly bic: number;
}

const NOTHING = Number.NaN;

/** A result with nothing in it yet: whoever runs the task fills it in. */
export const emptyResult = ({ visit, rung }: Pick<Task, "visit" | "rung">) => ({
  visit,
  rung,
  worker: 0,
  timing: { screen: 0, walk: 0, fit: 0, replay: 0, score: 0 },
  fits: 0,
  failure: undefined as Failure | undefined,
  params: NO_PARAMS,
  loss: NOTHING,
  trainR2: NOTHING,
  r2: NOTHING,
  bic: NOTHING,
});

const NO_PARAMS: Numbers = {};

/** A result for a task that came to nothing. */
export const failedResult = (task: Pick<Task, "visit" | "rung">, failure: Failure): TaskResult => ({
  ...emptyResult(task),
  failure,
});
