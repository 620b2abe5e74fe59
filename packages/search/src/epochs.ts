/**
 * `@ndvm/search/epochs`: what someone needs who runs a study's epochs elsewhere (a cluster).
 */

import type { EpochJob } from "./epoch/job.js";
import { WORKER_FAILURE } from "./pool/runner.js";

export { EpochRunner, type EpochSetting } from "./epoch/epoch.js";
export type { EpochJob, EpochResult, Update } from "./epoch/job.js";
export { type PackedEpoch, packEpoch } from "./epoch/pack.js";
export type { Runner, RunnerEvents } from "./pool/runner.js";

/** An epoch that cannot be run: its candidates are bred and read, and count as failed. */
export const lostEpoch = (job: EpochJob): EpochJob => ({
  ...job,
  lost: Array.from({ length: job.size }, (_, index) => [index, WORKER_FAILURE]),
});
