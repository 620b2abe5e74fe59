/**
 * Advances the restarts of a fit together: each round is one run of the batch.
 *
 * A restart that has ended gives its slot to the next one; when half of the slots are empty, the
 * batch is made narrower. A lane's bits do not depend on its neighbours, so neither do results.
 */

import type { Batch } from "./batch.js";
import type { Restart } from "./restart.js";
import type { FitProgress } from "./types.js";

export interface Drive<B extends Batch> {
  readonly restarts: readonly Restart<B>[];
  readonly slotsMax: number;
  makeBatch(slots: number): B;
  readonly timeMax: number;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: FitProgress) => void) | undefined;
}

export interface Driven {
  readonly rounds: number;
  readonly stopped: "done" | "time" | "aborted";
  readonly milliseconds: number;
}

/** Milliseconds a fit keeps the event loop waiting. */
const BREATH = 8;
/** Milliseconds between two reports. */
const REPORT_EVERY = 50;

export async function drive<B extends Batch>(how: Drive<B>): Promise<Driven> {
  const began = performance.now();
  const rounds = new Rounds(how);
  let breath = began;
  let report = began;
  let stopped: Driven["stopped"] = "done";
  while (rounds.running > 0) {
    if (how.signal?.aborted) stopped = "aborted";
    else if (performance.now() - began >= how.timeMax) stopped = "time";
    if (stopped !== "done" && rounds.count > 0) break;
    stopped = "done";
    rounds.advance();
    const now = performance.now();
    if (how.onProgress !== undefined && (now - report >= REPORT_EVERY || rounds.running === 0)) {
      how.onProgress(rounds.progress(now - began));
      report = now;
    }
    if (now - breath < BREATH || rounds.running === 0) continue;
    await new Promise((resolve) => setTimeout(resolve));
    breath = performance.now();
  }
  for (const restart of how.restarts)
    if (restart.reason === undefined && stopped !== "done") restart.reason = stopped;
  return { rounds: rounds.count, stopped, milliseconds: performance.now() - began };
}

class Rounds<B extends Batch> {
  readonly #how: Drive<B>;
  #batch: B | undefined;
  #slots: (Restart<B> | undefined)[];
  #next = 0;
  count = 0;

  constructor(how: Drive<B>) {
    this.#how = how;
    this.#slots = new Array(Math.min(how.slotsMax, how.restarts.length)).fill(undefined);
    this.#refill();
  }

  /** Restarts that have a slot. */
  get running(): number {
    let count = 0;
    for (let slot = 0; slot < this.#slots.length; slot++)
      if (this.#slots[slot] !== undefined) count += 1;
    return count;
  }

  advance(): void {
    if (this.#batch?.slots !== this.#slots.length)
      this.#batch = this.#how.makeBatch(this.#slots.length);
    const batch = this.#batch;
    // An empty slot repeats a neighbour, so that it is never the one that fails.
    let filler: Restart<B> | undefined;
    for (let slot = 0; slot < this.#slots.length; slot++) filler ??= this.#slots[slot];
    for (let slot = 0; slot < this.#slots.length; slot++) {
      const { x } = this.#slots[slot] ?? (filler as Restart<B>);
      batch.x.set(x, slot * x.length);
    }
    batch.run();
    let ended = 0;
    for (let slot = 0; slot < this.#slots.length; slot++) {
      const restart = this.#slots[slot];
      if (restart === undefined) continue;
      restart.take(batch, slot);
      if (restart.reason === undefined) continue;
      this.#slots[slot] = undefined;
      ended += 1;
    }
    this.count += 1;
    if (ended > 0) this.#refill();
  }

  #refill(): void {
    const { restarts } = this.#how;
    for (let slot = 0; slot < this.#slots.length; slot++) {
      if (this.#slots[slot] !== undefined) continue;
      while (this.#next < restarts.length && restarts[this.#next]?.reason !== undefined)
        this.#next += 1;
      if (this.#next >= restarts.length) break;
      this.#slots[slot] = restarts[this.#next];
      this.#next += 1;
    }
    const alive = this.#slots.filter((restart) => restart !== undefined);
    if (alive.length > 0 && alive.length * 2 <= this.#slots.length) this.#slots = alive;
  }

  progress(milliseconds: number): FitProgress {
    const { restarts } = this.#how;
    let bestLoss = Number.NaN;
    let restartsDone = 0;
    for (const { loss, reason } of restarts) {
      if (!(loss >= bestLoss)) bestLoss = Number.isFinite(loss) ? loss : bestLoss;
      if (reason !== undefined) restartsDone += 1;
    }
    return {
      rounds: this.count,
      bestLoss,
      restartsRunning: this.running,
      restartsDone,
      restarts: restarts.length,
      milliseconds,
    };
  }
}
