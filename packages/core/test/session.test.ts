/**
 * Sessions give the bits of `program.gradient`, whatever the lanes do and whoever runs between.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { Machine, mat, NdvmError, type Precision, type Session, vec } from "../src/index.js";

describe.each(["f32", "f64"] as Precision[])("a session in %s", (precision) => {
  let machine: Machine;
  beforeAll(async () => {
    machine = await Machine.create({ precision });
  });

  const expectSame = (actual: ArrayLike<number> | undefined, wanted: Float64Array | undefined) =>
    expect(Array.from(actual ?? [])).toEqual(Array.from(wanted ?? []));

  test("follows numbers that change on every run", () => {
    const source = "(* a (exp (* k t)))";
    const session = machine.load(source).session({ a: 1, k: [0, 0, 0], t: 2 }, { wrt: ["a", "k"] });
    for (let turn = 0; turn < 5; turn++) {
      const inputs = { a: 1 + turn, k: [0.1 * turn, -0.2, 0.3], t: 2 - turn };
      for (const [name, value] of Object.entries(inputs)) session.set(name, value);
      session.run();
      const direct = machine.load(source).gradient(inputs, { wrt: ["a", "k"] });
      expectSame(session.values, direct.values);
      expectSame(session.gradients["a"], direct.gradients["a"]);
      expectSame(session.gradients["k"], direct.gradients["k"]);
    }
  });

  test("lane marks of a run narrower than its trace stay inside their buffer", async () => {
    const own = await Machine.create({ precision });
    const program = own.load("(if (> x 0) (* a x) (+ a x))");
    const x = Float64Array.from({ length: 160 }, (_, lane) => lane - 80);
    program.session({ a: 2, x }, { wrt: ["a"] }).run();
    const { exports } = own;
    const count = 80;
    const at = exports.allocate(count);
    const after = () => [...new Uint8Array(exports.memory.buffer, at + count, 16)];
    const before = after();
    exports.replay(count);
    exports.writeLive(at, count);
    expect(after()).toEqual(before);
    expect(program.evaluate({ a: 2, x: x.subarray(0, count) }).values[3]).toBe(-75);
    own.dispose();
  });

  test("walks again where lanes take other ways, and streams many chunks", () => {
    const source = "(loop ((z x) (k 0)) (if (> z 10) (* z y) (recur (+ (* z 1.3) 0.5) (+ k 1))))";
    const x = Float64Array.from({ length: 700 }, (_, i) => 0.1 + ((i * 37) % 100) / 10);
    const program = machine.load(source);
    const session = program.session({ x, y: 2 }, { wrt: ["x", "y"], chunk: 64 });
    for (const scale of [1, 1.7, 0.3, 1]) {
      session.set(
        "x",
        x.map((value) => value * scale),
      );
      session.run();
      const direct = machine.load(source).gradient({ x: x.map((value) => value * scale), y: 2 });
      expectSame(session.values, direct.values);
      expectSame(session.gradients["x"], direct.gradients["x"]);
    }
  });

  test("keeps its matrices when another caller runs the same program", () => {
    const program = machine.load("(* s (vsum (matmul A A)))");
    const mine = mat([
      [1, 2],
      [3, 4],
    ]);
    const theirs = mat([
      [5, 0],
      [0, 5],
    ]);
    const session = program.session({ s: 1, A: mine }, { wrt: ["s"] });
    session.run();
    session.run();
    program.gradient({ s: 7, A: theirs }, { wrt: ["s"] });
    session.set("s", 2);
    session.run();
    expect(Array.from(session.values)).toEqual([108]);
    expect(Array.from(session.gradients["s"] ?? [])).toEqual([54]);
  });

  test("keeps its matrices beside other sessions of the same program, in any order", () => {
    const program = machine.load("(* s (vsum (matmul A A)))");
    const square = (n: number) =>
      mat([
        [n, 1],
        [0, n],
      ]);
    const sessions = [1, 2, 3].map((n) =>
      program.session({ s: [1, 1], A: square(n) }, { wrt: ["s"] }),
    );
    const enters = [0, 0, 1, 0, 2, 2, 1, 0, 1, 2];
    for (const [turn, at] of enters.entries()) {
      const [session, sum] = [sessions[at] as Session, 2 * (at + 1) ** 2 + 2 * (at + 1)];
      if (turn % 3 === 2) expect(session.enter()).toBeDefined();
      session.set("s", [turn, -turn]);
      session.run();
      expect(Array.from(session.values)).toEqual([turn * sum, -turn * sum]);
      expect(Array.from(session.gradients["s"] ?? [])).toEqual([sum, sum]);
    }
  });

  test("follows its numbers after the machine's memory has grown", () => {
    const session = machine.load("(* 2 x)").session({ x: 1 });
    for (let turn = 0; turn < 4; turn++) session.run();
    const big = machine.load("(vsum (zeros 900 900))");
    expect(big.evaluate().values[0]).toBe(0);
    session.set("x", 21);
    session.run();
    expect(Array.from(session.values)).toEqual([42]);
  });

  const trips = "(loop ((s x) (k 0)) (if (< s 0.5) (* s a) (recur (* s 0.6) (+ k 1))))";

  test("walks each path once, in whatever order a parameter crosses branches", () => {
    const session = machine.load(trips).session({ x: 1, a: 2 }, { wrt: ["x", "a"] });
    const single = machine.load(trips);
    const starts = Array.from({ length: 12 }, (_, k) => 0.4 / 0.6 ** k);
    const order = Array.from({ length: 200 }, (_, turn) => (turn < 100 ? turn : turn * turn) % 12);
    for (const [turn, path] of order.entries()) {
      const x = (starts[path] as number) * (1 + 1e-3 * (turn % 5));
      session.set("x", x);
      session.run();
      const direct = single.gradient({ x, a: 2 }, { replay: false });
      expectSame(session.values, direct.values);
      expectSame(session.gradients["x"], direct.gradients["x"]);
      expectSame(session.gradients["a"], direct.gradients["a"]);
    }
    expect(session.stats.walks).toBe(12);
    expect(session.stats.runs).toBe(200);
  });

  test("walks each path once where a shared number decides for many lanes", () => {
    const lanes = Float64Array.from({ length: 500 }, (_, i) => i / 500);
    const source = `(+ a ${trips})`;
    const session = machine.load(source).session({ x: 1, a: lanes }, { wrt: ["x", "a"] });
    for (let turn = 0; turn < 40; turn++) {
      session.set("x", 0.4 / 0.6 ** ((turn * 7) % 10));
      session.run();
    }
    // One path may be walked twice: once narrow, once at the width that suits it.
    expect(session.stats.walks).toBeLessThanOrEqual(20);
    const { walks } = session.stats;
    for (let turn = 0; turn < 40; turn++) {
      session.set("x", 0.4 / 0.6 ** ((turn * 3) % 10));
      session.run();
    }
    expect(session.stats.walks).toBe(walks);
  });

  test("evaluates without gradients, walking each path once", () => {
    const session = machine.load(trips).session({ x: 1, a: 2 });
    for (let turn = 0; turn < 30; turn++) {
      session.set("x", 0.4 / 0.6 ** (turn % 3));
      session.run();
    }
    expect(session.stats.walks).toBe(3);
  });

  test("walks only the lanes that no trace takes, and tells which of them failed", () => {
    const source = "(if (> x 1) (* y (ref [1 2 3] x)) (* x y))";
    const x = Float64Array.from({ length: 40 }, (_, i) => i / 100);
    const program = machine.load(source);
    const session = program.session({ x, y: 2 }, { wrt: ["x", "y"] });
    for (let turn = 0; turn < 6; turn++) {
      const now = x.slice();
      now[3 + turn] = 2;
      now[30 - turn] = 7.5;
      session.set("x", now);
      session.run();
      expect(session.failures.map(({ lane, error }) => [lane, error.code])).toEqual([
        [30 - turn, "E-TYPE"],
      ]);
      const direct = machine.load(source).gradient({ x: now, y: 2 }, { replay: false });
      expectSame(session.values, direct.values);
      expectSame(session.gradients["x"], direct.gradients["x"]);
      expectSame(session.gradients["y"], direct.gradients["y"]);
    }
    session.set("x", 7.5);
    expect(() => session.run()).toThrow(NdvmError);
    session.set("x", 0.5);
    session.run();
    expect(session.failures).toEqual([]);
    expect(Array.from(session.values)).toEqual(Array.from(x, () => 1));
  });

  test("without replay walks on every run", () => {
    const program = machine.load("(* 2 x)");
    program.session({ x: 1 }).run();
    const session = program.session({ x: 1 }, { replay: false });
    for (let turn = 0; turn < 3; turn++) session.run();
    expect(session.stats).toMatchObject({ runs: 3, walks: 3, replays: 0 });
  });

  test("keeps a bounded number of traces", () => {
    const program = machine.load(trips);
    const session = program.session({ x: 1, a: 2 }, { wrt: ["x"] });
    for (let path = 0; path < 60; path++) {
      session.set("x", 0.4 / 0.6 ** path);
      session.run();
    }
    expect(program.traces.count).toBeLessThanOrEqual(32);
    expect(session.stats.walks).toBe(60);
  });

  test("follows memory that grows while it runs", async () => {
    for (const extra of [0, 1, 2, 3, 5, 8, 13, 21, 34, 55]) {
      const own = await Machine.create({ precision });
      const program = own.load("(if (> x 1) (* x y) (+ (exp x) y))");
      const lanes = 60_000;
      const x = new Float64Array(lanes);
      const session = program.session({ x, y: 3 }, { wrt: ["x"], chunk: 20_000 });
      session.run();
      session.run();
      // Whatever is left of the memory's last block, it is used up by one of these.
      const block = own.exports.allocate(extra * 4096);
      for (const lane of [7, 30_000, 59_999]) x[lane] = 2;
      session.set("x", x);
      session.run();
      own.exports.free(block);
      expect(Array.from(session.values)).toEqual(Array.from(x, (value) => (value > 1 ? 6 : 4)));
      const slopes = Array.from(x, (value) => (value > 1 ? 3 : 1));
      expect(Array.from(session.gradients["x"] ?? [])).toEqual(slopes);
      own.dispose();
    }
  });

  test("refuses an input it does not have", () => {
    const session = machine.load("(* 2 x)").session({ x: 1 });
    expect(() => session.set("y", 1)).toThrow(NdvmError);
  });
});

test("a session went on with what the caller wrote into a vector, if other runs came between", async () => {
  const machine = await Machine.create();
  const program = machine.load("(* a t (vsum v) (trace m))");
  for (const isSplit of [false, true]) {
    const numbers = [Float64Array.of(1, 2), Float64Array.of(1, 0, 0, 1), Float64Array.of(1, 1)];
    const [v, m, t] = numbers as [Float64Array, Float64Array, Float64Array];
    const inputs = { a: 1, t, v: isSplit ? [vec(v), vec(v)] : vec(v), m: mat(m, 2) };
    const session = program.session(inputs, { wrt: ["a"] });
    for (let run = 0; run < 4; run++) {
      for (const own of numbers) own.fill(100 + run);
      session.run();
      expect([...session.values]).toEqual([6, 6]);
      program.gradient({ ...inputs, v: isSplit ? [vec([5, 5]), vec([5, 5])] : vec([5, 5]) });
    }
  }
  machine.dispose();
});

describe("a session that goes on with the same numbers", () => {
  /** Lanes that go ways of their own, which no trace takes together. */
  const ways = (lanes: number, count: number) =>
    Array.from({ length: lanes }, (_, i) => (i * 7) % count);
  const cases: readonly (readonly [string, string, number, number])[] = [
    ["one way", "(* a (sin t))", 40, 40],
    ["two ways", "(list-ref (list a (* 2 a)) t)", 40, 2],
    ["nine ways of many lanes", `(* a (list-ref '(1 2 3 4 5 6 7 8 9) t))`, 90, 9],
    [
      "thirty ways",
      `(* a (list-ref '(${Array.from({ length: 30 }, (_, i) => i).join(" ")}) t))`,
      90,
      30,
    ],
    ["few lanes of many", "(* a (list-ref '(1 2 3 4 5 6 7 8 9) (if (< t 80) 0 (- t 80))))", 89, 89],
    ["branches both ways", "(if (> t 3) (* a t) (exp (* a t)))", 20, 9],
  ];

  test.each(cases)("walks no more and no less in each run: %s", async (_, source, lanes, count) => {
    const machine = await Machine.create();
    for (const chunk of [undefined, 8]) {
      const session = machine
        .load(source)
        .session({ a: 0.5, t: ways(lanes, count) }, { wrt: ["a"], ...(chunk && { chunk }) });
      const values: string[] = [];
      const counts = Array.from({ length: 12 }, () => {
        const { walks, replays } = session.stats;
        session.run();
        values.push(session.values.join());
        return [session.stats.walks - walks, session.stats.replays - replays];
      });
      expect(new Set(values).size).toBe(1);
      // What is to be known of the lanes is known after three runs.
      for (const [i, each] of counts.entries())
        if (i > 3)
          expect(each, `run ${i}, chunks of ${chunk}: ${JSON.stringify(counts)}`).toEqual(
            counts[3],
          );
    }
    machine.dispose();
  });
});

test("a session took arrays of another length: too short ones left lanes as they were", async () => {
  const machine = await Machine.create();
  const session = machine.load("(* 2 x)").session({ x: [1, 2, 3, 4] });
  for (const numbers of [[], [1, 2], [1, 2, 3, 4, 5]])
    expect(() => session.set("x", numbers)).toThrowError(
      expect.objectContaining({ code: "E-INPUT", facts: expect.objectContaining({ limit: 4 }) }),
    );
  session.set("x", [5, 6, 7, 8]);
  session.run();
  expect([...session.values]).toEqual([10, 12, 14, 16]);
  machine.dispose();
});
