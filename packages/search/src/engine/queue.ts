/**
 * A queue of events from the engine to whoever listens, as an async iterator.
 */

/** Events that were heard and are still held, at most: letting go of them one by one is slow. */
const HEARD_MAX = 4096;

export class EventQueue<E> {
  #events: E[] = [];
  #at = 0;
  #wake: (() => void) | undefined;
  #drained: (() => void) | undefined;
  #isClosed = false;
  #isReleased = false;
  #error: unknown;

  push(event: E): void {
    this.#events.push(event);
    this.#wake?.();
  }

  /** No more events will come; listeners get what is left, then `error` if there is one. */
  close(error?: unknown): void {
    this.#isClosed = true;
    this.#error = error;
    this.#wake?.();
    this.#drained?.();
  }

  get size(): number {
    return this.#events.length - this.#at;
  }

  /** Events that take up memory: those that wait, and those that were heard and are not let go of. */
  get held(): number {
    return this.#events.length;
  }

  /** From now on nobody waits for room. */
  release(): void {
    this.#isReleased = true;
    this.#drained?.();
  }

  /** Resolves when fewer than `most` events wait to be heard. */
  async room(most: number): Promise<void> {
    while (this.size >= most && !this.#isClosed && !this.#isReleased)
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
  }

  async next(): Promise<E | undefined> {
    for (;;) {
      const event = this.take();
      if (event !== undefined) return event;
      if (this.#isClosed) {
        if (this.#error !== undefined) throw this.#error;
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The next event, if there is one already. */
  take(): E | undefined {
    if (this.#at >= this.#events.length) return undefined;
    const event = this.#events[this.#at] as E;
    this.#at += 1;
    if (this.#at === this.#events.length) {
      this.#events = [];
      this.#at = 0;
    } else if (this.#at >= HEARD_MAX) {
      this.#events = this.#events.slice(this.#at);
      this.#at = 0;
    }
    this.#drained?.();
    return event;
  }
}
