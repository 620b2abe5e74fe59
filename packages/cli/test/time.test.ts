/**
 * The time of work that keeps the event loop out, `explain` and the repl's `:tape`: it ends by the machine's
 * clock, and what one run has taken is not there for the next.
 */

import { Machine, NdvmError } from "@ndvm/core";
import { afterEach, expect, test, vi } from "vitest";
import { clockOf, withinTime } from "../src/limits.js";
import { Dialogue } from "../src/repl/dialogue.js";

const LONG = "(loop ((i 0) (v a)) (if (= i 100000) v (recur (+ i 1) (* v 0.5))))";

afterEach(() => {
  vi.restoreAllMocks();
});

/** The processor's time stands still; returns what sets it, in milliseconds. */
function processorAt(milliseconds: number): (later: number) => void {
  let now = milliseconds;
  vi.spyOn(process, "cpuUsage").mockImplementation(() => ({ user: now * 1000 - 7, system: 7 }));
  return (later) => {
    now = later;
  };
}

test("without --timeout five seconds of the processor are for all runs together", () => {
  const setTime = processorAt(100);
  expect(clockOf({}).clock?.()).toBeCloseTo(100);
  withinTime({}, (timeLeft) => {
    const lefts = [timeLeft()];
    for (const later of [1100, 5099]) {
      setTime(later);
      lefts.push(timeLeft());
    }
    expect(lefts.map(Math.round)).toEqual([5000, 4000, 1]);
  });
});

test("with --timeout the time is that on the wall", () => {
  processorAt(1e9);
  expect(clockOf({ timeout: 250 })).toEqual({});
  const [first = 0, second = 0] = withinTime({ timeout: 250 }, (timeLeft) => [
    timeLeft(),
    timeLeft(),
  ]);
  expect(first).toBeLessThanOrEqual(250);
  expect(second).toBeLessThanOrEqual(first);
  expect(second).toBeGreaterThanOrEqual(1);
});

test.each([undefined, 250])(
  "runs that are short had a millisecond each when all time was over, --timeout %s",
  (timeout) => {
    const limit = timeout ?? 5000;
    let now = 1000;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    vi.spyOn(process, "cpuUsage").mockImplementation(() => ({ user: now * 1000, system: 0 }));
    const options = timeout === undefined ? {} : { timeout };
    for (const over of [0, 0.5, 1e6]) {
      now = 1000;
      const work = (timeLeft: () => number) => {
        now = 1000 + limit - 0.5;
        expect(timeLeft()).toBeCloseTo(0.5);
        now = 1000 + limit + over;
        return timeLeft();
      };
      const facts = { reason: "budget", option: "timeMax", limit };
      expect(() => withinTime(options, work)).toThrow(
        expect.objectContaining({ code: "E-TIME", facts }),
      );
    }
  },
);

test.each([
  [undefined, "took more than 5 s of processor time", 5000],
  [250, "took more than 250 ms", 250],
])("what ran too long says how much it may, --timeout %s", (timeout, message, limit) => {
  const options = timeout === undefined ? {} : { timeout };
  const late = () => {
    throw new NdvmError("E-TIME", "ran longer than 3.1 ms");
  };
  const facts = { reason: "budget", option: "timeMax", limit };
  expect(() => withinTime(options, late)).toThrow(
    expect.objectContaining({ code: "E-TIME", message, facts }),
  );
  const other = new NdvmError("E-STEPS", "took more than 10 steps");
  expect(() =>
    withinTime(options, () => {
      throw other;
    }),
  ).toThrow(other);
});

test("the repl's :tape ends by the machine's clock, and the dialogue goes on", async () => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  let looks = 0;
  const machine = await Machine.create({ clock: () => 1e6 * looks++ });
  const options = { precision: "f64", domain: "ieee" } as const;
  const dialogue = new Dialogue(machine, options, { a: 1 }, async () => "");
  const { signal } = new AbortController();
  await dialogue.run(LONG, signal);
  expect(looks).toBe(0);
  await expect(dialogue.run(":tape", signal)).rejects.toMatchObject({ code: "E-TIME" });
  await dialogue.run("(* a 2)", signal);
  await dialogue.run(":tape", signal);
  machine.dispose();
});
