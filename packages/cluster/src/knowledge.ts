/**
 * What epochs have to know of a study, in Redis: a whole version now and then, and steps in between.
 *
 * A hash of fields `s VERSION` (a step from the version before) and `w VERSION` (the whole). Workers
 * begin with the latest whole that is not later than what they need, and take steps from there.
 * A new whole is written when the steps since the last have become as long; what no epoch under
 * way needs is removed then, so the hash does not grow with the study.
 */

import type { Update } from "@ndvm/search/epochs";
import type { Redis } from "ioredis";
import { decode, encode } from "./codec.js";
import { refuse } from "./connection.js";

const whole = (version: number): string => `w ${version}`;
const step = (version: number): string => `s ${version}`;

/** Steps are cheap; a whole is not written before there are this many bytes of them. */
const STEPS_MIN = 1 << 20;

/** The coordinator's side: writes. */
export class KnowledgeWriter {
  #latest = -1;
  #wholeAt = -1;
  #wholeBytes = 0;
  #stepBytes = 0;
  /** Versions that are in Redis as a whole, and as a step. */
  readonly #wholes = new Set<number>();
  readonly #steps = new Set<number>();

  constructor(
    private readonly redis: Redis,
    private readonly key: string,
    private readonly updates: (from: number, to: number) => readonly Update[],
  ) {}

  /** Makes a version known, if it is not yet. */
  async publish(version: number): Promise<void> {
    if (version <= this.#latest) return;
    const isFirst = this.#latest < 0;
    const list = isFirst ? [] : this.updates(this.#latest, version);
    const canStep = list.length > 0 && list.every(({ from }) => from >= 0);
    const isLong = this.#stepBytes > Math.max(STEPS_MIN, this.#wholeBytes);
    const fields: [string, Buffer][] = [];
    if (canStep)
      for (const update of list) {
        const bytes = encode(update);
        fields.push([step(update.version), bytes]);
        this.#steps.add(update.version);
        this.#stepBytes += bytes.length;
      }
    if (!canStep || isLong) fields.push([whole(version), this.#wholeOf(version)]);
    await this.redis.hset(this.key, ...fields.flat());
    this.#latest = version;
  }

  #wholeOf(version: number): Buffer {
    const [update] = this.updates(-1, version);
    const bytes = encode(update);
    this.#wholes.add(version);
    this.#wholeAt = version;
    this.#wholeBytes = bytes.length;
    this.#stepBytes = 0;
    return bytes;
  }

  /** Removes what no epoch of this version or a later one needs. */
  async forgetBefore(version: number): Promise<void> {
    if (this.#wholeAt > version) return;
    const fields = [
      ...[...this.#wholes].filter((each) => each < this.#wholeAt).map(whole),
      ...[...this.#steps].filter((each) => each <= this.#wholeAt).map(step),
    ];
    if (fields.length === 0) return;
    for (const each of [...this.#wholes]) if (each < this.#wholeAt) this.#wholes.delete(each);
    for (const each of [...this.#steps]) if (each <= this.#wholeAt) this.#steps.delete(each);
    await this.redis.hdel(this.key, ...fields);
  }

  /** After Redis has lost everything: the next version is written as a whole. */
  reset(): void {
    this.#latest = -1;
    this.#wholes.clear();
    this.#steps.clear();
    this.#stepBytes = 0;
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
    const steps = await readSteps(redis, key, from, to);
    if (steps !== undefined) return steps;
  }
  const wholes = (await redis.hkeys(key))
    .filter((field) => field.startsWith("w "))
    .map((field) => Number(field.slice(2)))
    .filter((version) => version <= to);
  const base = Math.max(-1, ...wholes);
  const bytes = base < 0 ? null : await redis.hgetBuffer(key, whole(base));
  const steps = bytes === null ? undefined : await readSteps(redis, key, base, to);
  if (bytes === null || steps === undefined)
    throw refuse(
      "knowledge",
      `what the study knew after ${to} rounds is not in Redis any more`,
      "the coordinator sends it again",
    );
  return [decode(bytes) as Update, ...steps];
}

async function readSteps(
  redis: Redis,
  key: string,
  from: number,
  to: number,
): Promise<readonly Update[] | undefined> {
  if (from === to) return [];
  const fields = Array.from({ length: to - from }, (_, i) => step(from + 1 + i));
  const found = await redis.hmgetBuffer(key, ...fields);
  if (found.some((bytes) => bytes === null)) return undefined;
  return found.map((bytes) => decode(bytes as Buffer) as Update);
}
