/** Requests per second: each request waits for its turn, retries and all. */

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

/** Timers of JavaScript fire at once where they are asked for more than this. */
const TIMER_MAX = 2 ** 31 - 1;

export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (!(milliseconds > 0) || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(milliseconds, TIMER_MAX));
    signal.addEventListener("abort", end);
  });
}
