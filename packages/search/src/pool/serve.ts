/**
 * What a worker does: epochs that come in parcels, one after the other.
 */

import { EpochRunner, type EpochWatch } from "../epoch/epoch.js";
import { type PackedEpoch, packEpoch } from "../epoch/pack.js";
import {
  type FromWorker,
  PROGRESS_BEAT,
  PROGRESS_CANDIDATE,
  PROGRESS_EPOCH,
  type ToWorker,
  type WorkerStart,
} from "./pool.js";

export interface ServePort {
  post(message: FromWorker): void;
  listen(take: (message: ToWorker) => void): void;
}

/** Serves until the thread ends. `onCandidate` is for tests: it is told of each fit before it begins. */
export async function serveEpochs(
  { setting, progress }: WorkerStart,
  port: ServePort,
  onCandidate: (source: string) => void = () => {},
): Promise<void> {
  const runner = await EpochRunner.create(setting, {
    onProgress: () => {
      Atomics.add(progress, PROGRESS_BEAT, 1);
    },
  });
  const watch: EpochWatch = {
    onCandidate(index, source) {
      Atomics.store(progress, PROGRESS_CANDIDATE, index + 1);
      onCandidate(source);
    },
  };

  const work = async ({ updates, jobs }: ToWorker): Promise<void> => {
    const done: PackedEpoch[] = [];
    for (const [i, job] of jobs.entries()) {
      for (const update of updates[i] ?? []) runner.take(update);
      done.push(packEpoch(await runner.run(job, watch), job));
      Atomics.store(progress, PROGRESS_CANDIDATE, 0);
      Atomics.add(progress, PROGRESS_EPOCH, 1);
    }
    port.post(done);
  };

  let last: Promise<void> = Promise.resolve();
  port.listen((message) => {
    last = last.then(() => work(message));
  });
  port.post("ready");
}
