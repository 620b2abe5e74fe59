/**
 * What coordinators and workers write for each other.
 */

import { createRequire } from "node:module";
import type { PackedEpoch } from "@ndvm/search/epochs";

const { version } = createRequire(import.meta.url)("../package.json") as { version: string };

/**
 * Epochs of one version come to the same everywhere; of another version they may not. The number
 * behind the version counts changes of what is written here and in parts.
 */
export const WIRE_VERSION = `${version}/2`;

/** A study as workers find it. */
export interface StudyEntry {
  readonly wire: string;
  readonly fence: number;
  readonly host: string;
  readonly process: number;
  readonly target: string;
  readonly started: string;
}

/** A job of the queue. */
export interface JobData {
  readonly wire: string;
  readonly fence: number;
  readonly version: number;
  /** An `EpochJob` as text of the codec. */
  readonly job: string;
}

export interface ResultMessage {
  readonly id: string;
  readonly packed: PackedEpoch;
  readonly worker: string;
}

/** A worker's sign of life. */
export interface WorkerEntry {
  readonly host: string;
  readonly process: number;
  readonly wire: string;
  readonly started: string;
  /** Milliseconds since 1970 of the last sign of life, by the worker's clock. */
  readonly seen: number;
  readonly epochs: number;
  readonly candidates: number;
  /** Candidates a second since the sign of life before. */
  readonly rate: number;
  readonly studies: readonly string[];
}

export function isJobData(data: unknown): data is JobData {
  if (typeof data !== "object" || data === null) return false;
  const { wire, fence, version: at, job } = data as Partial<JobData>;
  return (
    typeof wire === "string" &&
    typeof fence === "number" &&
    typeof at === "number" &&
    typeof job === "string"
  );
}

/** Undefined: the text is no entry of ours. */
export function readEntry<T extends { readonly wire: string }>(text: string): T | undefined {
  try {
    const entry: unknown = JSON.parse(text);
    const isOurs =
      typeof entry === "object" && entry !== null && typeof (entry as T).wire === "string";
    return isOurs ? (entry as T) : undefined;
  } catch {
    return undefined;
  }
}
