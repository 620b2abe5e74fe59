/**
 * Workers of a pool in one thread, for tests that say which of them gets on, and when one dies.
 *
 * A worker here does nothing until it is told to take its next message (`step`). Messages are cloned
 * and their buffers moved, as between threads. Every message is held against what a pool may send:
 * one request at a time, programs with their text when the worker does not have them and only then,
 * and nothing to a worker that is gone. What a pool did wrong is in `mistakes`.
 */

import type { Machine, Pool } from "../../src/index.js";
import type { FromWorker, ToWorker } from "../../src/machine/pool/parts.js";
import { servePool } from "../../src/machine/pool/serve.js";
import type { Host, HostEvents, StartHost } from "../../src/workers/host.js";
import { READY } from "../../src/workers/port.js";

type Said = FromWorker | typeof READY;

/** Programs that a worker may have at the same time. */
const PROGRAMS_MAX = 32;

class Killed extends Error {}

export class Thread implements Host<ToWorker> {
  readonly #crowd: Crowd;
  readonly #events: HostEvents<Said>;
  readonly #inbox: ToWorker[] = [];
  #hear: (message: ToWorker) => void = () => {};
  #partsLeft = Number.POSITIVE_INFINITY;
  /** Every message that was sent here, the first one apart. */
  readonly got: Exclude<ToWorker, { kind: "start" }>[] = [];
  start: Extract<ToWorker, { kind: "start" }> | undefined;
  /** The texts of the programs that it has, by number, the latest used last. */
  readonly has = new Map<number, string>();
  isGone = false;
  wasEnded = false;
  isReady = false;
  /** Node keeps the process alive for a worker until it is told otherwise. */
  isHeld = true;
  isBusy = false;

  constructor(crowd: Crowd, events: HostEvents<Said>) {
    this.#crowd = crowd;
    this.#events = events;
    servePool(
      {
        listen: (hear) => {
          this.#hear = hear;
        },
        post: (message, transfer = []) => this.#say(structuredClone(message, { transfer })),
      },
      () => {
        this.#partsLeft -= 1;
        if (this.#partsLeft < 0) throw new Killed();
      },
    );
  }

  post(message: ToWorker, transfer: ArrayBuffer[] = []): void {
    if (this.isGone) this.#crowd.mistakes.push(`${message.kind} is sent to a worker that is gone`);
    if (message.kind === "start") {
      this.start = message;
      this.#inbox.push(message);
      return;
    }
    this.#check(message);
    const sent = structuredClone(message, { transfer });
    this.got.push(sent);
    this.#inbox.push(sent);
  }

  hold(isBusy: boolean): void {
    this.isHeld = isBusy;
  }

  async end(): Promise<void> {
    this.isGone = true;
    this.wasEnded = true;
  }

  get hasMail(): boolean {
    return !this.isGone && this.#inbox.length > 0;
  }

  /** Takes the next message and answers it. */
  step(): void {
    const message = this.#inbox.shift();
    if (message === undefined || this.isGone) return;
    try {
      this.#hear(message);
    } catch (error) {
      if (!(error instanceof Killed)) this.#crowd.mistakes.push(`a worker broke: ${error}`);
      this.die();
    }
  }

  /** Dies at once, or at the part that comes after some more. */
  die(partsLeft?: number): void {
    this.#partsLeft = partsLeft ?? 0;
    if (partsLeft !== undefined || this.isGone) return;
    this.isGone = true;
    this.#events.death({ message: "it ended", facts: { reason: "crash", value: 1 } });
  }

  #say(message: Said): void {
    if (this.isGone) return;
    if (message === READY) this.isReady = true;
    else this.isBusy = false;
    this.#events.message(message);
  }

  #check(message: Exclude<ToWorker, { kind: "start" }>): void {
    const { program } = message;
    const { mistakes } = this.#crowd;
    const isKnown = this.has.has(program);
    const source = this.has.get(program);
    this.has.delete(program);
    if (message.kind === "drop") {
      if (!isKnown) mistakes.push(`program ${program} is dropped and was not there`);
      return;
    }
    if (this.isBusy) mistakes.push("a worker gets a second request");
    if (isKnown !== (message.load === undefined))
      mistakes.push(isKnown ? "a text is sent again" : "a text is missing");
    this.isBusy = true;
    this.has.set(program, message.load?.source ?? source ?? "");
    if (this.has.size > PROGRAMS_MAX + 1) mistakes.push("a worker has too many programs");
  }
}

/** All workers that a pool has started, the latest last. */
export class Crowd {
  readonly threads: Thread[] = [];
  readonly mistakes: string[] = [];

  get startHost(): StartHost {
    return (<To, From>(events: HostEvents<From>) => {
      const thread = new Thread(this, events as unknown as HostEvents<Said>);
      this.threads.push(thread);
      return thread as unknown as Host<To>;
    }) as StartHost;
  }

  get alive(): readonly Thread[] {
    return this.threads.filter((thread) => !thread.isGone);
  }

  get busy(): readonly Thread[] {
    return this.alive.filter((thread) => thread.isBusy);
  }

  /** All get on until nobody has anything to do. */
  async drain(): Promise<void> {
    await settled();
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      next.step();
      await settled();
    }
  }

  /** A pool of the machine whose workers are these. */
  async poolOf(machine: Machine, workers: number, sharedMemory: boolean): Promise<Pool> {
    const making = machine.pool({ workers, sharedMemory });
    // The pool's code is read before its workers are started.
    while (this.threads.length < workers) await settled();
    await this.drain();
    return making;
  }

  /** What a call of a pool gives once all workers have got on. */
  async after<T>(call: Promise<T>): Promise<T> {
    // Whoever refuses is heard of before it is waited for.
    call.catch(() => {});
    await this.drain();
    return call;
  }

  #next(): Thread | undefined {
    return this.threads.find((thread) => thread.hasMail);
  }
}

/** Whoever waits for a promise that is kept has heard of it. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The requests among a worker's messages. */
export const requestsOf = ({ got }: Thread) => got.filter((message) => message.kind !== "drop");
