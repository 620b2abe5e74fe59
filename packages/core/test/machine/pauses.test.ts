/**
 * Where a run pauses: with a clock of the test's own that goes on by itself, every pause of an
 * asynchronous run asks the caller's signal, so they can be counted.
 */

import { afterEach, describe, expect, test, vi } from "vitest";
import { Machine, type NdvmError } from "../../src/index.js";
import { caughtLater } from "./support.js";

let now = 0;
/** Each look at the clock finds it so many milliseconds later. */
function clock(step: number): void {
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += step;
    return now;
  });
}
afterEach(() => {
  vi.restoreAllMocks();
});

/** A signal that counts how often it is asked, and has fired from some time on. */
function counting(firesAt = Number.POSITIVE_INFINITY) {
  const counted = { asked: 0 };
  const signal = {
    get aborted() {
      counted.asked += 1;
      return counted.asked > firesAt;
    },
  } as AbortSignal;
  return { counted, signal };
}

const turns = "(loop ((i 0) (s 0)) (if (= i n) (* a s) (recur (+ i 1) (+ s 1))))";

describe("an asynchronous run", () => {
  /** How often it was asked after it had begun, and its steps. */
  async function pausesOf(n: number, runs = 1): Promise<[pauses: number, steps: number]> {
    const machine = await Machine.create();
    const program = machine.load(turns.replace("n)", `${n})`));
    clock(100);
    const { counted, signal } = counting();
    let steps = 0;
    for (let i = 0; i < runs; i++) {
      counted.asked = 0;
      const out = await program.evaluateAsync({ a: 2 }, { signal });
      expect([...out.values]).toEqual([2 * n]);
      steps = out.stats.steps;
    }
    machine.dispose();
    vi.restoreAllMocks();
    return [counted.asked - 1, steps];
  }

  test("of n steps pauses every 20 000 of them, however short it is", async () => {
    for (const n of [10, 1500, 3000, 9000, 20_000]) {
      const [pauses, steps] = await pausesOf(n);
      expect(pauses, `${n} turns, ${steps} steps`).toBe(Math.ceil(steps / 20_000) - 1);
    }
  });

  test("is ended at the pause where its signal has fired, and tells where it was", async () => {
    const machine = await Machine.create();
    const program = machine.load(turns);
    clock(100);
    for (const firesAt of [0, 1, 2, 3]) {
      const { counted, signal } = counting(firesAt);
      const error: NdvmError = await caughtLater(
        program.evaluateAsync({ a: 1, n: 1e6 }, { signal }),
      );
      const { code, message, help, facts, span } = error;
      expect({ code, message, help, facts }).toEqual({
        code: "E-ABORTED",
        message: "the evaluation was aborted by the caller",
        help: "the signal passed to it fired; the machine can be used again",
        facts: { reason: "aborted" },
      });
      expect(span === undefined).toBe(firesAt === 0);
      expect(counted.asked).toBe(firesAt + 1);
    }
    expect([...program.evaluate({ a: 3, n: 5 }).values]).toEqual([15]);
    machine.dispose();
  });

  test("on a kept trace pauses between chunks", async () => {
    const machine = await Machine.create();
    const program = machine.load("(* a x)");
    const x = Float64Array.from({ length: 6400 }, (_, i) => i);
    program.evaluate({ a: 1, x });
    clock(100);
    const { counted, signal } = counting();
    const out = await program.evaluateAsync({ a: 2, x }, { signal, chunk: 64 });
    expect(out.values[6399]).toBe(2 * 6399);
    expect(out.stats.replays).toBeGreaterThan(90);
    expect(counted.asked).toBeGreaterThanOrEqual(out.stats.replays - 1);
    machine.dispose();
  });

  test("does not pause where the clock stands", async () => {
    const machine = await Machine.create();
    const program = machine.load(turns);
    clock(0);
    const { counted, signal } = counting();
    await program.gradientAsync({ a: 2, n: 20_000 }, { signal, wrt: ["a"] });
    expect(counted.asked).toBe(1);
    machine.dispose();
  });
});

describe("a time limit", () => {
  test("is not looked at in a run's first 100 000 steps", async () => {
    const machine = await Machine.create();
    const program = machine.load(turns);
    const stepsOf = (n: number): number => program.evaluate({ a: 1, n }).stats.steps;
    const [few, more] = [stepsOf(1000), stepsOf(1001)];
    const longest = Math.floor(1000 + (100_000 - few) / (more - few));
    expect([stepsOf(longest) <= 100_000, stepsOf(longest + 1) > 100_000]).toEqual([true, true]);
    clock(10);
    for (const kind of ["evaluate", "gradient"] as const) {
      const ran = (n: number) => machine.load(turns)[kind]({ a: 1, n }, { timeMax: 1 }).values[0];
      expect(ran(longest)).toBe(longest);
      expect(() => ran(longest + 2)).toThrowError(expect.objectContaining({ code: "E-TIME" }));
    }
    machine.dispose();
  });

  test("ends a run at the first look at the clock after it", async () => {
    const machine = await Machine.create();
    const program = machine.load(turns);
    clock(10);
    // Every look at the clock takes 10 ms: the steps that are taken say how often it was looked at.
    const ended = (timeMax: number): NdvmError => {
      try {
        program.evaluate({ a: 1, n: 1e9 }, { timeMax });
      } catch (error) {
        return error as NdvmError;
      }
      throw new Error("it was not ended");
    };
    for (const timeMax of [1, 10, 25, 95]) {
      const before = now;
      const error = ended(timeMax);
      expect(error).toMatchObject({
        code: "E-TIME",
        message: `the program ran longer than ${timeMax} ms`,
        facts: { reason: "budget", option: "timeMax", limit: timeMax },
      });
      // One look where the run begins, and the others until the limit has passed.
      expect((now - before) / 10).toBe(1 + Math.max(1, Math.ceil(timeMax / 10)));
    }
    machine.dispose();
  });
});
