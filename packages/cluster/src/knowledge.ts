/**
 * What epochs have to know of a study, in Redis: a snapshot now and then, and deltas in between.
 *
 * A hash of fields `s VERSION` (a delta from the version before) and `w VERSION` (a snapshot). Workers
 * begin with the latest snapshot that is not later than what they need, and take deltas from there.
 * A new snapshot is written when the deltas since the last have become as long; what no epoch under
 * way needs is removed then, so the hash does not grow with the study.
 */

import type { Update } from "@ndvm/search/epochs";
import type { Redis } from "ioredis";
import { decode, encode } from "./codec.js";
import { refuse } from "./connection.js";

const snapshotField = (version: number): string => `w ${version}`;
const deltaField = (version: number): string => `s ${version}`;

/** Deltas are cheap; a snapshot is not written before there are this many bytes of them. */
const DELTA_BYTES_MIN = 1 << 20;

/** The coordinator's side: writes. */
export class KnowledgeWriter {
  #latest = -1;
  #snapshotAt = -1;
  #snapshotBytes = 0;
  #deltaBytes = 0;
  /** Versions that are in Redis as a snapshot, and as a delta. */
  readonly #snapshots = new Set<number>();
  readonly #deltas = new Set<number>();

  constructor(
    private readonly redis: Redis,
    private readonly key: string,
    private readonly updates: (from: number, to: number) => readonly Update[],
  ) {}

  /** Makes a version known, if it is not yet. */
  async publish(version: number): Promise<void> {
    if (version <= this.#latest) return;
    const list = this.#latest < 0 ? [] : this.updates(this.#latest, version);
    const hasDelta = list.length > 0 && list.every(({ from }) => from >= 0);
    const isLong = this.#deltaBytes > Math.max(DELTA_BYTES_MIN, this.#snapshotBytes);
    const deltas = hasDelta ? list.map((update) => [update.version, encode(update)] as const) : [];
    const snapshot = !hasDelta || isLong ? encode(this.updates(-1, version)[0]) : undefined;
    const fields = deltas.flatMap(([at, bytes]) => [deltaField(at), bytes]);
    if (snapshot !== undefined) fields.push(snapshotField(version), snapshot);
    await this.redis.hset(this.key, ...fields);
    // Noted once Redis has it: one that is full refuses it, and is asked again.
    for (const [at, bytes] of deltas) {
      this.#deltas.add(at);
      this.#deltaBytes += bytes.length;
    }
    if (snapshot !== undefined) this.#noteSnapshot(version, snapshot.length);
    this.#latest = version;
  }

  #noteSnapshot(version: number, bytes: number): void {
    this.#snapshots.add(version);
    this.#snapshotAt = version;
    this.#snapshotBytes = bytes;
    this.#deltaBytes = 0;
  }

  /** Removes what no epoch of this version or a later one needs. */
  async forgetBefore(version: number): Promise<void> {
    if (this.#snapshotAt > version) return;
    const snapshots = [...this.#snapshots].filter((each) => each < this.#snapshotAt);
    const deltas = [...this.#deltas].filter((each) => each <= this.#snapshotAt);
    const fields = [...snapshots.map(snapshotField), ...deltas.map(deltaField)];
    if (fields.length === 0) return;
    for (const each of snapshots) this.#snapshots.delete(each);
    for (const each of deltas) this.#deltas.delete(each);
    await this.redis.hdel(this.key, ...fields);
  }

  /** After Redis has lost everything: the next version is written as a snapshot. */
  reset(): void {
    this.#latest = -1;
  }
}

/** A worker's side: what brings it from what it knows (−1: nothing) to a version. */
export async function readUpdates(
  redis: Redis,
  key: string,
  from: number,
  to: number,
): Promise<readonly Update[]> {
  if (from === to) return [];
  if (from >= 0 && from < to) {
    const deltas = await readDeltas(redis, key, from, to);
    if (deltas !== undefined) return deltas;
  }
  const snapshots = (await redis.hkeys(key))
    .filter((field) => field.startsWith("w "))
    .map((field) => Number(field.slice(2)))
    .filter((version) => version <= to);
  const base = Math.max(-1, ...snapshots);
  const bytes = base < 0 ? null : await redis.hgetBuffer(key, snapshotField(base));
  const deltas = bytes === null ? undefined : await readDeltas(redis, key, base, to);
  if (bytes === null || deltas === undefined)
    throw refuse(
      "knowledge",
      `what the study knew after ${to} rounds is not in Redis any more`,
      "the coordinator sends it again",
    );
  return [decode(bytes) as Update, ...deltas];
}

async function readDeltas(
  redis: Redis,
  key: string,
  from: number,
  to: number,
): Promise<readonly Update[] | undefined> {
  if (from === to) return [];
  const fields = Array.from({ length: to - from }, (_, i) => deltaField(from + 1 + i));
  const found = await redis.hmgetBuffer(key, ...fields);
  if (found.some((bytes) => bytes === null)) return undefined;
  return found.map((bytes) => decode(bytes as Buffer) as Update);
}
