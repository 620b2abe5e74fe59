/**
 * A runner: whoever runs epochs, this thread or a pool of workers. They come back in any order.
 */

import type { EpochJob, Update } from "../epoch/job.js";
import type { PackedEpoch } from "../epoch/pack.js";
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
  /** What brings someone who knows one version (−1: nothing) to another. */
  updates(from: number, to: number): readonly Update[];
  done(packed: PackedEpoch, job: EpochJob, worker: number): void;
  /** A worker died and was replaced. */
  replaced(worker: number, message: string): void;
  /** Something that the user should hear; the study remembers it. */
  problem(message: string): void;
  /** Nothing more can be run. */
  broken(error: Error): void;
}

export interface Runner {
  readonly workers: number;
  /** Takes epochs; each comes back sooner or later. */
  run(jobs: readonly EpochJob[]): void;
  /** Ends work under way: it never comes back. */
  stop(): Promise<void>;
}
