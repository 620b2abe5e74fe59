/**
 * Timers of any length, endless ones too. JavaScript's own fire at once where they are asked for more
 * than 2^31 − 1 milliseconds (25 days), so a longer wait is several of them, one after the other.
 */

/** Calls `fire` after some milliseconds, unless what it returns is called before. */
export type StartTimer = (milliseconds: number, fire: () => void) => () => void;

/** The longest wait of one timer of JavaScript, in milliseconds. */
const TIMER_MAX = 2 ** 31 - 1;

export const startTimer: StartTimer = (milliseconds, fire) => {
  let left = milliseconds;
  let timer: ReturnType<typeof setTimeout>;
  const wait = (): void => {
    const now = Math.min(left, TIMER_MAX);
    left -= now;
    timer = setTimeout(left > 0 ? wait : fire, now);
  };
  wait();
  return () => clearTimeout(timer);
};
