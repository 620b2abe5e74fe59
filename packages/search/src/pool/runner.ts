/**
 * A runner: whoever runs tasks, this thread or a pool of workers. Results come in any order.
 */

import type { Task, TaskResult } from "../pipeline/task.js";
import type { Failure } from "../types.js";

/** Of a candidate whose worker died twice. */
export const WORKER_FAILURE: Failure = {
  stage: "fit",
  code: "E-WORKER",
  message: "the worker died over this candidate, and so did the next",
};

/** Of a candidate over which its worker stopped giving signs of life. */
export const STUCK_FAILURE: Failure = {
  stage: "fit",
  code: "E-WORKER",
  message: "the worker gave no sign of life over this candidate for minutes, and was ended",
};

export interface RunnerEvents {
  results(results: readonly TaskResult[]): void;
  /** A worker died and was replaced. */
  replaced(worker: number, message: string): void;
  /** Nothing more can be run. */
  broken(error: Error): void;
}

export interface Runner {
  readonly workers: number;
  /** Takes tasks; each has a result sooner or later. */
  run(tasks: readonly Task[]): void;
  /** Ends work under way: its results never come. */
  stop(): Promise<void>;
}
