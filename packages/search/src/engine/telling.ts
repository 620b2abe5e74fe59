/**
 * Telling: events go to the journal first, and to whoever listens after it has them.
 */

import { performance } from "node:perf_hooks";
import type { SearchEvent } from "../types.js";
import type { Journal, JournalEntry } from "./journal.js";
import type { EventQueue } from "./queue.js";

/** Milliseconds between two entries of the journal, at least. */
const COMMIT_EVERY = 100;
/** Milliseconds between two reports of progress. */
const PROGRESS_EVERY = 250;

export interface TellingParts {
  /** What an entry has besides its events. */
  entry(): Omit<JournalEntry, "events">;
  /** An entry is written. */
  wake(): void;
  fail(error: unknown): void;
}

export class Telling {
  readonly #queue: EventQueue<SearchEvent>;
  readonly #journal: Journal | undefined;
  readonly #parts: TellingParts;
  #untold: SearchEvent[] = [];
  #commit: Promise<void> | undefined;
  #committedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #reportedAt = 0;

  constructor(queue: EventQueue<SearchEvent>, journal: Journal | undefined, parts: TellingParts) {
    this.#queue = queue;
    this.#journal = journal;
    this.#parts = parts;
  }

  /** Events that wait for the journal. */
  get unwritten(): number {
    return this.#untold.length;
  }

  tell(event: SearchEvent): void {
    if (this.#journal === undefined) this.#queue.push(event);
    else {
      this.#untold.push(event);
      this.#schedule();
    }
  }

  /** Tells how things stand, now and then. */
  report(event: () => SearchEvent): void {
    const now = performance.now();
    if (now - this.#reportedAt < PROGRESS_EVERY) return;
    this.#reportedAt = now;
    this.tell(event());
  }

  /** Tells the last event, when all others are told. */
  async finish(done: SearchEvent): Promise<void> {
    if (this.#journal === undefined) {
      this.#queue.push(done);
      return;
    }
    while (this.#commit !== undefined) await this.#commit;
    // There is a timer only while nothing is being written.
    clearTimeout(this.#timer);
    this.#untold.push(done);
    this.#start(this.#journal);
    await this.#commit;
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await this.#commit;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#commit !== undefined || this.#timer !== undefined) return;
    const wait = Math.max(0, this.#committedAt + COMMIT_EVERY - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#journal !== undefined) this.#start(this.#journal);
    }, wait);
  }

  #start(journal: Journal): void {
    const events = this.#untold;
    this.#untold = [];
    this.#committedAt = performance.now();
    this.#commit = journal.commit({ events, ...this.#parts.entry() }).then(
      () => {
        this.#commit = undefined;
        for (const event of events) this.#queue.push(event);
        if (this.#untold.length > 0) this.#schedule();
        this.#parts.wake();
      },
      (error) => {
        this.#commit = undefined;
        this.#parts.fail(error);
      },
    );
  }
}
