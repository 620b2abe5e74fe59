/**
 * Advances the restarts of a fit together: each round is one run of the batch.
 *
 * A round on kept traces is one call per chunk and cannot be ended; one that walks, or that took
 * long the last time, pauses, so that time and signals end it half-way.
 *
 * A restart that has ended gives its slot to the next one; when half of the slots are empty, the
 * batch is made narrower. A lane's bits do not depend on its neighbours, so neither do results.
 */

import { NdvmError } from "../../errors.js";
import { makeError } from "../../words.js";
import type { FitProgress } from "../types.js";
import type { Batch } from "./batch.js";
import type { Restart } from "./restart.js";
import { leaderOf } from "./rounds.js";

export interface Drive {
  readonly restarts: readonly Restart[];
  readonly slotsMax: number;
  readonly batches: { of(slots: number): Batch };
  readonly timeMax: number;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: FitProgress) => void) | undefined;
}

export interface Driven {
  readonly rounds: number;
  readonly stopped: "done" | "time" | "aborted";
  readonly milliseconds: number;
  /** Why the first round had no result in any lane. */
  readonly failure: NdvmError | undefined;
  /** Whether the first round is known to have had one in every lane. */
  readonly isComplete: boolean;
}

/** Milliseconds a fit keeps the event loop waiting. */
const BREATH = 8;
/** Milliseconds between two reports. */
const REPORT_EVERY = 50;

/** A round that took longer is made so that it can be ended half-way. */
const LONG = 20;

/** Drives all restarts to their ends: at once, unless somebody has to be waited for on the way. */
export function drive(how: Drive): Driven | Promise<Driven> {
  const driver = new Driver(how);
  const halt = driver.advance();
  return halt === "end" ? driver.end() : driveOn(driver, halt);
}

async function driveOn(driver: Driver, halt: Halt): Promise<Driven> {
  for (let met = halt; met !== "end"; met = driver.advance()) await driver.resolveHalt(met);
  return driver.end();
}

/**
 * Where rounds cannot simply follow each other: the machine is with another evaluation, a round
 * pauses, or others are to have their turn.
 */
type Halt = "end" | "blocked" | "paused" | "breath";

/** One drive: takes rounds until all restarts have ended, and halts where it cannot go on at once. */
class Driver {
  readonly #how: Drive;
  readonly #rounds: Rounds;
  readonly #clock: Clock;
  readonly #began: number;
  #report: number;
  /** When the round under way began. */
  #from: number;
  #stopped: Driven["stopped"] = "done";
  #isLong = false;

  constructor(how: Drive) {
    this.#how = how;
    this.#began = performance.now();
    this.#report = this.#began;
    this.#from = this.#began;
    this.#clock = new Clock(how, this.#began);
    this.#rounds = new Rounds(how);
  }

  /** Takes rounds as long as they follow each other. */
  advance(): Halt {
    const rounds = this.#rounds;
    while (rounds.running > 0 && this.#stopped === "done") {
      if (rounds.count > 0) this.#stopped = this.#clock.verdict();
      if (this.#stopped !== "done") break;
      rounds.prepare();
      if (rounds.isBlocked) {
        // A fit that has nothing yet does not wait for the machine longer than it may.
        if (rounds.count === 0) this.#stopped = this.#clock.verdict();
        return this.#stopped === "done" ? "blocked" : "end";
      }
      // Where time or a signal may end a fit, its first round is one by itself.
      const most = rounds.count === 0 && this.#clock.isBounded ? 1 : Infinity;
      const taken = this.#isLong ? 0 : rounds.advanceMany(most);
      if (taken === 0) {
        if (!rounds.begin(this.#isLong)) return "paused";
        rounds.take();
      }
      if (this.#isBreathDue(taken)) return "breath";
    }
    return rounds.isBlocked ? "blocked" : "end";
  }

  /** Does what a halt needs, so that rounds can follow each other again. */
  async resolveHalt(halt: Halt): Promise<void> {
    if (halt === "paused" && !(await this.#finishRound())) return;
    if (halt === "blocked") await tick();
    else await this.#clock.breathe();
    this.#from = performance.now();
  }

  /**
   * Does the rest of a round, unless time or a signal end it; then nothing of it is taken. Only a
   * signal needs the event loop: without one the machine is not held while others run. Returns
   * whether it is time for others.
   */
  async #finishRound(): Promise<boolean> {
    const clock = this.#clock;
    for (const _pause of this.#rounds.finish()) {
      if (clock.hasSignal && clock.isDue(performance.now())) await clock.breathe();
      this.#stopped = clock.verdict();
      if (this.#stopped !== "done") {
        this.#from = performance.now();
        return false;
      }
    }
    this.#rounds.take();
    return this.#isBreathDue(0);
  }

  /** Rounds were taken: looks at the clock and reports; whether it is time for others. */
  #isBreathDue(taken: number): boolean {
    const now = performance.now();
    const { onProgress } = this.#how;
    const { running } = this.#rounds;
    this.#isLong = now - this.#from > LONG * Math.max(1, taken);
    if (onProgress !== undefined && (now - this.#report >= REPORT_EVERY || running === 0)) {
      onProgress(this.#rounds.progress(now - this.#began));
      this.#report = now;
    }
    this.#from = now;
    return running > 0 && this.#clock.isDue(now);
  }

  end(): Driven {
    const { count, failure, isComplete } = this.#rounds;
    const stopped = this.#stopped;
    if (stopped !== "done") {
      if (count === 0) throw this.#rounds.isBlocked ? endedWaiting(stopped) : endedAtFirst(stopped);
      for (const restart of this.#how.restarts) restart.reason ??= stopped;
    }
    return { rounds: count, stopped, milliseconds: this.#from - this.#began, failure, isComplete };
  }
}

const endedAtFirst = (stopped: "time" | "aborted"): NdvmError =>
  stopped === "time"
    ? makeError("E-TIME", { reason: "first", option: "timeMax" })
    : new NdvmError("E-ABORTED", "the fit was aborted in its first evaluation", {
        facts: { reason: "aborted" },
      });

const endedWaiting = (stopped: "time" | "aborted"): NdvmError =>
  stopped === "time"
    ? makeError("E-TIME", { reason: "occupied", option: "timeMax" }, { help: WAIT_HELP })
    : new NdvmError(
        "E-ABORTED",
        "the machine was busy with another evaluation until the fit was aborted",
        { facts: { reason: "aborted" }, help: WAIT_HELP },
      );

const WAIT_HELP = "await that evaluation first, or use another machine";

const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** When a fit is to end, and when others are to have their turn. */
class Clock {
  readonly #signal: AbortSignal | undefined;
  readonly #end: number;
  #breath: number;

  constructor(how: Pick<Drive, "signal" | "timeMax">, began: number) {
    this.#signal = how.signal;
    this.#end = began + how.timeMax;
    this.#breath = began;
  }

  get hasSignal(): boolean {
    return this.#signal !== undefined;
  }

  /** Whether anything can end the fit but its restarts. */
  get isBounded(): boolean {
    return this.#signal !== undefined || this.#end !== Infinity;
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

  /** Lets others have their turn. */
  async breathe(): Promise<void> {
    await tick();
    this.#breath = performance.now();
  }
}

class Rounds {
  readonly #how: Drive;
  #batch: Batch | undefined;
  #slots: (Restart | undefined)[] = [];
  #next = 0;
  count = 0;
  /** Restarts that have a slot. */
  running = 0;
  failure: NdvmError | undefined;
  /** Whether the first round was one of the machine's, which are refused where a lane fails. */
  isComplete = false;

  constructor(how: Drive) {
    this.#how = how;
    const slots = Math.min(how.slotsMax, how.restarts.length);
    for (let slot = 0; slot < slots; slot++) this.#slots.push(undefined);
    this.#refill();
  }

  /** Whether an evaluation elsewhere has the machine. */
  get isBlocked(): boolean {
    return this.#batch?.isBlocked ?? false;
  }

  /** Puts the trial points of the restarts into the batch. */
  prepare(): void {
    const slots = this.#slots;
    if (this.#batch?.slots !== slots.length) this.#batch = this.#how.batches.of(slots.length);
    const all = this.#batch.x;
    // An empty slot repeats a neighbour, so that it is never the one that fails.
    const filler = leaderOf(slots);
    for (let slot = 0; slot < slots.length; slot++) {
      const restart = slots[slot] ?? filler;
      restart.writeTrial(all, slot * restart.free.length);
    }
  }

  /** Lets the machine take up to `most` rounds by itself; how many it took. */
  advanceMany(most: number): number {
    // Where restarts wait, the first slot that comes free is to be given away.
    const { length } = this.#slots;
    const least = this.#isAwaited() ? this.running : Math.floor(length / 2) + 1;
    const taken = (this.#batch as Batch).advance(this.#slots, least, most);
    if (this.count === 0) this.isComplete = taken > 0;
    this.#settle(taken);
    return taken;
  }

  begin(isLong: boolean): boolean {
    return (this.#batch as Batch).begin(isLong);
  }

  finish(): Generator<void> {
    return (this.#batch as Batch).finish();
  }

  /** Hands the results to the restarts. */
  take(): void {
    const batch = this.#batch as Batch;
    if (this.count === 0) this.failure = batch.failure;
    batch.take(this.#slots);
    this.#settle(1);
  }

  /** Rounds were taken: restarts that ended give their slots to others. */
  #settle(rounds: number): void {
    this.count += rounds;
    let hasEnded = false;
    for (let slot = 0; slot < this.#slots.length; slot++) {
      if (this.#slots[slot]?.reason === undefined) continue;
      this.#slots[slot] = undefined;
      hasEnded = true;
    }
    if (hasEnded) this.#refill();
  }

  #refill(): void {
    const { restarts } = this.#how;
    this.running = 0;
    for (let slot = 0; slot < this.#slots.length; slot++) {
      if (this.#slots[slot] === undefined) {
        if (!this.#isAwaited()) continue;
        this.#slots[slot] = restarts[this.#next];
        this.#next += 1;
      }
      this.running += 1;
    }
    if (this.running > 0 && this.running * 2 <= this.#slots.length)
      this.#slots = this.#slots.filter((restart) => restart !== undefined);
  }

  /** Whether a restart waits for a slot; `#next` is the first of them. */
  #isAwaited(): boolean {
    const { restarts } = this.#how;
    while (this.#next < restarts.length && restarts[this.#next]?.reason !== undefined)
      this.#next += 1;
    return this.#next < restarts.length;
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
