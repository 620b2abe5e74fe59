/**
 * Every run of a session begins afresh: the time, the memory and the failures of the runs before it
 * leave nothing behind.
 */

import { afterEach, describe, expect, test, vi } from "vitest";
import { Machine, type Session } from "../../src/index.js";
import { caught } from "./support.js";

afterEach(() => {
  vi.restoreAllMocks();
});

/** What a run of a session adds to its counters. */
function countsOf(session: Session): { walks: number; replays: number } {
  const before = session.stats;
  session.run();
  const { walks, replays } = session.stats;
  return { walks: walks - before.walks, replays: replays - before.replays };
}

describe.each([1, 3, 300])("a session of %d lanes", (lanes) => {
  const numbers = Array.from({ length: lanes }, (_, i) => i + 1);

  test("has its time for each run, and one that was too slow takes none from the next", async () => {
    const machine = await Machine.create();
    const program = machine.load("(loop ((i 0) (s a)) (if (= i 30000) s (recur (+ i 1) (+ s 1))))");
    let [now, step] = [0, 0];
    vi.spyOn(performance, "now").mockImplementation(() => {
      now += step;
      return now;
    });
    for (const replay of [true, false]) {
      const session = program.session({ a: numbers }, { timeMax: 1000, replay });
      for (let turn = 0; turn < 4; turn++) {
        step = 1;
        session.run();
        expect([...session.values], `turn ${turn}`).toEqual(numbers.map((a) => a + 30_000));
        now += 5000;
        if (replay) continue;
        step = 2000;
        expect(caught(() => session.run()).code, `turn ${turn}`).toBe("E-TIME");
      }
    }
    machine.dispose();
  });

  test("is as wide, and keeps as much, after a run that memory was short for", async () => {
    const machine = await Machine.create({ memoryMax: 8 * 2 ** 20 });
    const program = machine.load(`(define (f n) (if (< n 0) x (+ x (f (- n 1))))) (f k)`);
    const fresh = () => program.session({ x: numbers, k: numbers.map(() => 5) }, { wrt: ["x"] });
    const wanted = () => {
      program.traces.clear();
      const session = fresh();
      return [countsOf(session), countsOf(session), countsOf(session)];
    };
    const usual = wanted();
    for (const isOne of lanes === 1 ? [false] : [true, false]) {
      const session = fresh();
      session.run();
      session.set(
        "k",
        numbers.map((_, i) => (isOne && i !== 1 ? 5 : 1e6)),
      );
      if (isOne) {
        session.run();
        expect(session.failures.map(({ lane }) => lane)).toEqual([1]);
        expect(session.values[0]).toBe(7 * (numbers[0] as number));
      } else expect(caught(() => session.run()).code).toBe("E-RECURSION");
      session.set("k", 5);
      program.traces.clear();
      for (const [turn, counts] of usual.entries()) {
        expect(countsOf(session), `run ${turn} afterwards`).toEqual(counts);
        expect(session.failures).toEqual([]);
        expect([...session.values]).toEqual(numbers.map((x) => 7 * x));
        expect([...(session.gradients["x"] ?? [])]).toEqual(numbers.map(() => 7));
      }
    }
    machine.dispose();
  });

  test("leaves all of a long run to its end, whatever trace it usually goes on", async () => {
    const machine = await Machine.create();
    const session = machine.load("(* a a)").session({ a: numbers }, { wrt: ["a"] });
    for (let turn = 0; turn < 5; turn++) {
      expect(session.begin(true), `turn ${turn}`).toBe(false);
      for (const _pause of session.finish());
      expect([...session.values]).toEqual(numbers.map((a) => a * a));
      session.run();
      expect([...session.values]).toEqual(numbers.map((a) => a * a));
    }
    machine.dispose();
  });

  test("is entered only on a trace that took all lanes, and a lane that failed was not taken", async () => {
    const machine = await Machine.create();
    const session = machine
      .load("(if (> t 0) (* a t) (car t))")
      .session({ a: 2, t: numbers }, { wrt: ["a"] });
    session.run();
    expect(session.enter()?.trace.taken).toBe(lanes);
    session.set(
      "t",
      numbers.map((t) => (t === lanes ? -1 : t)),
    );
    for (let turn = 0; turn < 3 && lanes > 1; turn++) {
      session.run();
      expect(session.failures.map(({ lane }) => lane)).toEqual([lanes - 1]);
      expect(session.enter(), `turn ${turn}`).toBeUndefined();
    }
    machine.dispose();
  });
});

test("a run that memory is short for takes as many walks as in a new session", async () => {
  const machine = await Machine.create({ memoryMax: 8 * 2 ** 20 });
  const program = machine.load(`(define (f n) (if (< n 0) x (+ x (f (- n 1))))) (f k)`);
  const numbers = Array.from({ length: 150 }, (_, i) => i + 1);
  const options = { wrt: ["x"], replay: false, chunk: 128 };
  const fresh = () => program.session({ x: numbers, k: numbers }, options);
  const session = fresh();
  // Lanes that recurse until memory ends: several, one in the first chunk, and one in the narrower last.
  for (const short of [[3, 11, 19], [3], [129], [3, 11, 19]]) {
    const counts = [fresh(), session].map((one) => {
      one.set(
        "k",
        numbers.map((_, i) => (short.includes(i) ? 1e6 : 5)),
      );
      return countsOf(one);
    });
    expect(counts[1], short.join()).toEqual(counts[0]);
    expect(session.failures.map(({ lane }) => lane)).toEqual(short);
    expect([...session.values].filter(Number.isFinite)).toEqual(
      numbers.filter((_, i) => !short.includes(i)).map((x) => 7 * x),
    );
  }
  machine.dispose();
});

test("a tape that passes its budget is told at once, and takes nothing from other programs", async () => {
  const machine = await Machine.create();
  const other = machine.load("(* a a)");
  for (let turn = 0; turn < 3; turn++) other.gradient({ a: [1, 2] });
  expect(other.traceCount).toBe(1);
  const program = machine.load("(loop ((i 0) (x a)) (if (= i 5000) x (recur (+ i 1) (* x 1.0))))");
  for (const replay of [true, false]) {
    const session = program.session({ a: 2 }, { wrt: ["a"], tapeBytesMax: 1e5, replay });
    expect(caught(() => session.run()).code).toBe("E-TAPE");
    // Where more is recorded than the gradient needs, it is tried once more with less.
    expect(session.stats.walks).toBe(replay ? 2 : 1);
    expect(other.traceCount).toBe(1);
  }
  machine.dispose();
});

test("work inside the machine takes a lane whatever it needs, and lanes that stay in the cache together", async () => {
  const machine = await Machine.create();
  const program = machine.load(
    "(loop ((i 0) (v (* a (ones 2000)))) (if (= i 80) (vsum v) (recur (+ i 1) (* 0.5 v))))",
  );
  const isEntered = (lanes: number): boolean => {
    program.clearTraces();
    const a = Array.from({ length: lanes }, (_, i) => i + 1);
    return program.session({ a }, { wrt: ["a"] }).enter() !== undefined;
  };
  // A lane takes 2.6 MB of numbers and their adjoints, of which the cache has room for 1.5.
  expect([1, 2].map(isEntered)).toEqual([true, false]);
  machine.dispose();
});
