/**
 * Advances the restarts of a fit together: each round is one run of the batch.
 *
 * A round on kept traces is one call per chunk and cannot be ended; one that walks, or that took
 * long the last time, pauses, so that time and signals end it half-way.
 *
 * A restart that has ended gives its slot to the next one; when half of the slots are empty, the
 * batch is made narrower. A lane's bits do not depend on its neighbours, so neither do results.
 */

import { NdvmError } from "../errors.js";
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

/** A round that took longer is made so that it can be ended half-way. */
const LONG = 20;

export async function drive<B extends Batch>(how: Drive<B>): Promise<Driven> {
  const began = performance.now();
  const clock = new Clock(how, began);
  const rounds = new Rounds(how);
  let report = began;
  let from = began;
  let stopped: Driven["stopped"] = "done";
  let isLong = false;
  while (rounds.running > 0) {
    stopped = rounds.count === 0 ? "done" : clock.verdict();
    if (stopped !== "done") break;
    rounds.prepare();
    while (rounds.isBlocked) {
      await tick();
      from = performance.now();
    }
    const leapt: number = isLong ? 0 : rounds.leap();
    if (leapt === 0) {
      if (!rounds.begin(isLong)) stopped = await finishRound(rounds, clock);
      if (stopped !== "done") break;
      rounds.take();
    }
    const now = performance.now();
    isLong = now - from > LONG * Math.max(1, leapt);
    if (how.onProgress !== undefined && (now - report >= REPORT_EVERY || rounds.running === 0)) {
      how.onProgress(rounds.progress(now - began));
      report = now;
    }
    from = now;
    if (rounds.running > 0 && clock.isDue(now)) from = await clock.breathe();
  }
  while (rounds.isBlocked) await tick();
  if (stopped !== "done" && rounds.count === 0) throw endedAtFirst(stopped);
  for (const restart of how.restarts)
    if (restart.reason === undefined && stopped !== "done") restart.reason = stopped;
  return { rounds: rounds.count, stopped, milliseconds: performance.now() - began };
}

/**
 * Does the rest of a round, unless time or a signal end it; then nothing of it is taken. Only a
 * signal needs the event loop: without one the machine is not held while others run.
 */
async function finishRound<B extends Batch>(
  rounds: Rounds<B>,
  clock: Clock,
): Promise<Driven["stopped"]> {
  for (const _pause of rounds.finish()) {
    if (clock.hasSignal && clock.isDue(performance.now())) await clock.breathe();
    const verdict = clock.verdict();
    if (verdict !== "done") return verdict;
  }
  return "done";
}

const endedAtFirst = (stopped: "time" | "aborted"): NdvmError =>
  stopped === "time"
    ? new NdvmError("E-TIME", "the first evaluation took longer than timeMax", {
        help: "give more time, or a limit of steps (stepsMax) that ends slow programs",
      })
    : new NdvmError("E-ABORTED", "the fit was aborted in its first evaluation");

const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** When a fit is to end, and when others are to have their turn. */
class Clock {
  readonly #signal: AbortSignal | undefined;
  readonly #end: number;
  #breath: number;

  constructor(how: Pick<Drive<Batch>, "signal" | "timeMax">, began: number) {
    this.#signal = how.signal;
    this.#end = began + how.timeMax;
    this.#breath = began;
  }

  get hasSignal(): boolean {
    return this.#signal !== undefined;
  }

  verdict(): Driven["stopped"] {
    if (this.#signal?.aborted) return "aborted";
    if (this.#end === Infinity) return "done";
    return performance.now() >= this.#end ? "time" : "done";
  }

  /** Whether the event loop has waited long enough. */
  isDue(now: number): boolean {
    return now - this.#breath >= BREATH;
  }

  /** Lets others have their turn; when that ended. */
  async breathe(): Promise<number> {
    await tick();
    this.#breath = performance.now();
    return this.#breath;
  }
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

  /** Whether an evaluation elsewhere has the machine. */
  get isBlocked(): boolean {
    return this.#batch?.isBlocked ?? false;
  }

  /** Puts the trial points of the restarts into the batch. */
  prepare(): void {
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
  }

  /** Lets the machine take rounds by itself; how many it took. */
  leap(): number {
    const leader = this.#slots.find((restart) => restart !== undefined) as Restart<B>;
    const leapt = leader.leap(this.#batch as B, this.#slots);
    if (leapt > 0) this.#settle(leapt);
    return leapt;
  }

  begin(isLong: boolean): boolean {
    return (this.#batch as B).begin(isLong);
  }

  finish(): Generator<void> {
    return (this.#batch as B).finish();
  }

  /** Hands the results to the restarts. */
  take(): void {
    const batch = this.#batch as B;
    for (let slot = 0; slot < this.#slots.length; slot++) this.#slots[slot]?.take(batch, slot);
    this.#settle(1);
  }

  /** Rounds were taken: restarts that ended give their slots to others. */
  #settle(rounds: number): void {
    this.count += rounds;
    let ended = 0;
    for (let slot = 0; slot < this.#slots.length; slot++) {
      if (this.#slots[slot]?.reason === undefined) continue;
      this.#slots[slot] = undefined;
      ended += 1;
    }
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
