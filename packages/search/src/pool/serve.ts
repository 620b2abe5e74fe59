/**
 * What a worker does: epochs that come in bundles, one after the other.
 */

import { READY, type WorkerPort } from "@ndvm/core/workers";
import { EpochRunner, type EpochSetting, type EpochWatch } from "../epoch/epoch.js";
import { type PackedEpoch, packEpoch } from "../epoch/pack.js";
import {
  type Bundle,
  type FromWorker,
  PROGRESS_BEAT,
  PROGRESS_CANDIDATE,
  PROGRESS_EPOCH,
  type ToWorker,
  type WorkerStart,
} from "./pool.js";

/** Is told of each fit before it begins, and of the study; for tests. */
export type OnCandidate = (source: string, setting: EpochSetting) => void;

type Work = (bundle: Bundle) => Promise<readonly PackedEpoch[]>;

/** Serves until the worker ends. What goes wrong in an epoch ends it, and the pool hears of it. */
export function serveEpochs(
  port: WorkerPort<ToWorker, FromWorker>,
  onCandidate: OnCandidate = () => {},
): void {
  let last: Promise<Work> | undefined;
  port.listen((message) => {
    if ("setting" in message) {
      last = begin(message, onCandidate).then((work) => {
        port.post(READY);
        return work;
      });
      return;
    }
    last = last?.then(async (work) => {
      port.post(await work(message));
      return work;
    });
  });
}

async function begin({ setting, progress }: WorkerStart, onCandidate: OnCandidate): Promise<Work> {
  const runner = await EpochRunner.create(setting, {
    onProgress: () => {
      Atomics.add(progress, PROGRESS_BEAT, 1);
    },
  });
  const watch: EpochWatch = {
    onCandidate(index, source) {
      Atomics.store(progress, PROGRESS_CANDIDATE, index + 1);
      onCandidate(source, setting);
    },
  };

  return async ({ updates, jobs }) => {
    const done: PackedEpoch[] = [];
    for (const [i, job] of jobs.entries()) {
      for (const update of updates[i] ?? []) runner.take(update);
      done.push(packEpoch(await runner.run(job, watch), job));
      Atomics.store(progress, PROGRESS_CANDIDATE, 0);
      Atomics.add(progress, PROGRESS_EPOCH, 1);
    }
    return done;
  };
}
