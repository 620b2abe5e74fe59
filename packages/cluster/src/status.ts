/**
 * Who is there and what waits: what `ndvm cluster` shows.
 */

import { own } from "@ndvm/core";
import { Queue } from "bullmq";
import { type Address, connect, connectionOptions } from "./connection.js";
import { keysOf } from "./keys.js";
import { readEntry, type StudyEntry, type WorkerEntry } from "./wire.js";

/** Milliseconds without a sign of life after which a worker is gone. */
const GONE_AFTER = 30_000;

export interface WorkerStatus extends WorkerEntry {
  readonly id: string;
  /** Seconds since its last sign of life, by this computer's clock. */
  readonly silent: number;
}

export interface StudyStatus extends StudyEntry {
  readonly digest: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
}

export interface ClusterStatus {
  readonly address: string;
  readonly namespace: string;
  readonly workers: readonly WorkerStatus[];
  readonly studies: readonly StudyStatus[];
  /** Candidates a second of all workers together. */
  readonly rate: number;
}

/** Looks once. Workers that have been gone for long are forgotten. */
export async function clusterStatus(address: Address): Promise<ClusterStatus> {
  const redis = await connect(address);
  try {
    const keys = keysOf(address.namespace);
    const workers: WorkerStatus[] = [];
    const now = Date.now();
    for (const [id, text] of Object.entries(await redis.hgetall(keys.workers))) {
      const entry = readEntry<WorkerEntry>(text);
      if (entry === undefined || now - entry.seen > GONE_AFTER) await redis.hdel(keys.workers, id);
      else workers.push({ ...entry, id, silent: Math.max(0, (now - entry.seen) / 1000) });
    }
    const studies: StudyStatus[] = [];
    for (const [digest, text] of Object.entries(await redis.hgetall(keys.studies))) {
      const entry = readEntry<StudyEntry>(text);
      if (entry !== undefined) studies.push(await studyStatus(address, digest, entry));
    }
    const rate = workers.reduce((sum, worker) => sum + worker.rate, 0);
    const { shown, namespace } = address;
    return { address: shown, namespace, workers, studies, rate };
  } finally {
    redis.disconnect();
  }
}

async function studyStatus(
  address: Address,
  digest: string,
  entry: StudyEntry,
): Promise<StudyStatus> {
  const queue = new Queue(digest, {
    prefix: keysOf(address.namespace).queues,
    connection: connectionOptions(address),
    skipVersionCheck: true,
    skipMetasUpdate: true,
  });
  queue.on("error", () => {});
  try {
    const counts = await queue.getJobCounts("waiting", "active", "delayed", "failed");
    const at = (name: string): number => own(counts, name) ?? 0;
    return {
      ...entry,
      digest,
      waiting: at("waiting"),
      active: at("active"),
      delayed: at("delayed"),
      failed: at("failed"),
    };
  } finally {
    await queue.close();
  }
}
