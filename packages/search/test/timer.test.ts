/** Timers of any length. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startTimer } from "../src/timer.js";

/** The longest wait of JavaScript's own timers. */
const LONGEST = 2 ** 31 - 1;

describe("timers", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("fire after their time, and not once they are stopped", () => {
    const fired: string[] = [];
    startTimer(10, () => fired.push("ten"));
    startTimer(10, () => fired.push("stopped"))();
    vi.advanceTimersByTime(9);
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(fired).toEqual(["ten"]);
  });

  test.each([LONGEST, LONGEST + 1, 2 * LONGEST + 7, 2_592_000_000])("wait %s ms", (wait) => {
    const fire = vi.fn();
    startTimer(wait, fire);
    vi.advanceTimersByTime(wait - 1);
    expect(fire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(fire).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("without an end never fire, and are stopped like the others", () => {
    const fire = vi.fn();
    const stop = startTimer(Number.POSITIVE_INFINITY, fire);
    vi.advanceTimersByTime(10 * LONGEST);
    expect([fire.mock.calls.length, vi.getTimerCount()]).toEqual([0, 1]);
    stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
