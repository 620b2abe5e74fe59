/**
 * Memory: what the machine holds depends on what runs now, not on how long it has been running.
 */

import { describe, expect, test } from "vitest";
import { int, Machine, type Program } from "../../src/index.js";
import { caught, expectUsable } from "./support.js";

const memoryOf = (machine: Machine): number => {
  const probe = machine.load("1");
  const { memoryBytes } = probe.evaluate().stats;
  probe.dispose();
  return memoryBytes;
};

describe("programs", () => {
  test("loading and disposing 2·10⁵ programs leaves memory unchanged", async () => {
    const machine = await Machine.create();
    const load = (i: number): void => {
      const program = machine.load(`(* a (+ x ${i % 97}.5))`);
      if (i % 1000 === 0) program.evaluate({ a: 2, x: i });
      program.dispose();
    };
    for (let i = 0; i < 1000; i++) load(i);
    const before = memoryOf(machine);
    for (let i = 0; i < 200_000; i++) load(i);
    expect(memoryOf(machine)).toBe(before);
    expectUsable(machine);
    machine.dispose();
  });

  test("programs of changing sizes, disposed in any order, leave no holes that add up", async () => {
    const machine = await Machine.create();
    const round = (seed: number): void => {
      let state = seed;
      const next = (below: number): number => {
        state = (state * 1103 + 12347) % 65536;
        return state % below;
      };
      const live = [];
      for (let i = 0; i < 200; i++) {
        live.push(machine.load(`(+ x ${"1.5 ".repeat(1 + next(400))})`));
        if (live.length > 20) live.splice(next(live.length), 1)[0]?.dispose();
      }
      for (const program of live) {
        expect(program.evaluate({ x: 1 }).values[0]).toBeGreaterThan(1);
        program.dispose();
      }
    };
    round(1);
    round(2);
    const before = memoryOf(machine);
    for (let i = 3; i < 8; i++) round(i);
    expect(memoryOf(machine)).toBe(before);
    machine.dispose();
  });

  test("programs that are refused leave nothing behind", async () => {
    const machine = await Machine.create();
    const bad = ["(", "(sinn 1)", "(set! x 1)", "(let ([x 1]) x)"];
    const before = memoryOf(machine);
    for (let i = 0; i < 4000; i++) caught(() => machine.load(bad[i % 4] as string));
    expect(memoryOf(machine)).toBe(before);
    machine.dispose();
  });

  test("runs that fail leave nothing behind", async () => {
    const machine = await Machine.create();
    const program = machine.load(
      "(define (f n l) (if (= n 0) (car 5) (f (- n 1) (cons [1 n] l)))) (f 20 '())",
    );
    caught(() => program.evaluate());
    const before = memoryOf(machine);
    for (let i = 0; i < 5000; i++) caught(() => program.evaluate());
    expect(memoryOf(machine)).toBe(before);
    machine.dispose();
  });

  test("more programs than fit are refused, and disposing makes room", async () => {
    const machine = await Machine.create({ memoryMax: 4 * 2 ** 20 });
    const source = `(+ ${"1.5 ".repeat(2000)})`;
    const live = [machine.load(source)];
    const error = caught(() => {
      for (let i = 0; i < 100_000; i++) live.push(machine.load(source));
    });
    expect(error.code).toBe("E-MEMORY");
    expect(error.help).toBe("dispose programs that are no longer needed, or raise memoryMax");
    expect(live.length).toBeGreaterThan(10);
    live.splice(0, 10).forEach((program) => {
      program.dispose();
    });
    expect(live[0]?.evaluate().values[0]).toBe(3000);
    const more = machine.load(source);
    expect(more.evaluate().values[0]).toBe(3000);
    expectUsable(machine);
    machine.dispose();
  });

  test("programs that are moved to make room stay what they are", async () => {
    const machine = await Machine.create({ memoryMax: 4 * 2 ** 20 });
    const summands = "1.5 ".repeat(1000);
    const source = (i: number) =>
      `(define (f${i} x) (+ x ${summands})) (if (= a 0) f${i} (f${i} ${i}))`;
    const live = [machine.load(source(0))];
    // What a long list leaves behind goes first, and the program that needs the room is loaded.
    const list = "(loop ((k 0) (l '())) (if (= k 50000) 1 (recur (+ k 1) (cons k l))))";
    expect(machine.load(list).evaluate().values[0]).toBe(1);
    for (let i = 1; i < 100; i++) live.push(machine.load(source(i)));
    // With room to run in, nothing is moved once more before it is looked at.
    for (const program of live.splice(0, 50)) program.dispose();
    live.forEach((program, at) => {
      expect(program.evaluate({ a: 1 }).values[0]).toBe(1550 + at);
      expect(program.evaluate({ a: int(0) }).print()).toBe(`#<procedure f${at + 50}>`);
    });
    machine.dispose();
  });
});

describe("machines", () => {
  test("arenas are reset between runs: the thousandth run is as big as the second", async () => {
    const machine = await Machine.create();
    const program = machine.load(
      "(loop ((i 0) (x a) (l '())) (if (= i 200) x (recur (+ i 1) (sin x) (cons x l))))",
    );
    program.gradient({ a: [1, 2, 3] });
    const { stats: early } = program.gradient({ a: [1, 2, 3] });
    for (let i = 0; i < 1000; i++) program.gradient({ a: [1, 2, 3] });
    const { stats: late } = program.gradient({ a: [1, 2, 3] });
    expect(late).toEqual(early);
    machine.dispose();
  });

  test("memory never passes memoryMax, whatever that is", async () => {
    for (const memoryMax of [4 * 2 ** 20, 5_000_001, 20_000_000]) {
      const machine = await Machine.create({ memoryMax });
      const bomb = machine.load("(loop ((l '())) (recur (cons (* 0.5 x) l)))");
      expect(caught(() => bomb.evaluate({ x: 1 })).code).toBe("E-MEMORY");
      expect(memoryOf(machine)).toBeLessThanOrEqual(memoryMax);
      expect(memoryOf(machine)).toBeGreaterThan(memoryMax / 4);
      expectUsable(machine);
      machine.dispose();
    }
  });

  test("a small machine stays small", async () => {
    const machine = await Machine.create();
    expectUsable(machine);
    expect(memoryOf(machine)).toBeLessThanOrEqual(4 * 2 ** 20);
    machine.dispose();
  });

  test("machines share nothing", async () => {
    const one = await Machine.create({ precision: "f32" });
    const two = await Machine.create({ precision: "f32" });
    const run = one.load("(* a a)").run({ a: 3 });
    two.load("(+ 1 b)").gradient({ b: 1 });
    expect(run.backward()["a"]?.[0]).toBe(6);
    two.dispose();
    expect(run.backward(2)["a"]?.[0]).toBe(12);
    one.dispose();
  });
});

describe("primals that move", () => {
  const CHAIN = Array.from({ length: 30 }).reduce<string>((text) => `(+ (* a ${text}) x)`, "x");

  /** Where the walk's primals lie, and how long their block is. */
  const primalsOf = ({ exports, traceSlots, views }: Machine): { at: number; bytes: number } => {
    traceSlots.useWalk();
    const at = exports.primalBase.value;
    return { at, bytes: views.words[(at - 16) / 4] as number };
  };

  /** Walks, then replays other numbers on the blocks that the walk laid. */
  const replayed = (program: Program, lanes: number): number[] => {
    const x = Float64Array.from({ length: lanes }, (_, lane) => lane / lanes);
    const session = program.session({ a: 0.5, x }, { wrt: ["a", "x"] });
    session.run();
    session.set("a", 0.25);
    session.set(
      "x",
      x.map((value) => 1 - value),
    );
    session.run();
    const { values, gradients } = session;
    const all = [...values, ...(gradients["a"] ?? []), ...(gradients["x"] ?? [])];
    program.traces.clear();
    return all;
  };

  test("may come back to where they were: blocks that were laid meanwhile are laid anew", async () => {
    const machine = await Machine.create();
    const program = machine.load(CHAIN);
    const { exports } = machine;
    let state = 7;
    const next = (below: number): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return (state >>> 8) % below;
    };
    const expected = replayed(program, 16);
    let returns = 0;
    for (let round = 0; round < 200; round++) {
      machine.traceSlots.useWalk();
      exports.releaseMemory();
      // Holes of any size between the blocks of two walks, the first of which needs less.
      const held = Array.from({ length: 12 }, () => exports.allocate(256 << next(7)));
      const release = (): void => {
        for (let i = held.length - 1; i >= 0; i--)
          if (next(2) === 0) exports.free(held.splice(i, 1)[0] as number);
      };
      replayed(program, 1);
      release();
      replayed(program, 4);
      release();
      const before = primalsOf(machine);
      expect(replayed(program, 16)).toEqual(expected);
      const after = primalsOf(machine);
      if (after.at === before.at && after.bytes > before.bytes) returns += 1;
      for (const address of held) exports.free(address);
    }
    expect(returns).toBeGreaterThan(0);
    machine.dispose();
  });
});
