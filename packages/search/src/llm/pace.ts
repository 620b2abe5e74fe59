/** Requests per second: each request waits for its turn, retries and all. */

import { startTimer } from "../timer.js";

export class Pace {
  readonly #interval: number;
  #next = Number.NEGATIVE_INFINITY;

  /** `interval` is in milliseconds, from one request to the next. */
  constructor(interval: number) {
    this.#interval = interval;
  }

  async turn(signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#interval;
    await pause(at - now, signal);
  }
}

export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (!(milliseconds > 0) || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      stopTimer();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const stopTimer = startTimer(milliseconds, end);
    signal.addEventListener("abort", end);
  });
}
