/**
 * Diagnostics: the way each lane went, flips between runs, inputs that matter to tests only,
 * clamps and numbers that are not finite.
 */
import { beforeAll, describe, expect, test } from "vitest";
import {
  BranchLog,
  branchFlips,
  followBranches,
  laneNumbers,
  Machine,
  mat,
  neighbourFlips,
  over,
  vec,
} from "../src/index.js";

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});

const inRows = (numbers: readonly number[], cols: number): number[][] =>
  Array.from({ length: numbers.length / cols }, (_, i) => numbers.slice(i * cols, (i + 1) * cols));

describe("diagnose", () => {
  test("counts how many lanes took each side of a branch", () => {
    const program = machine.load("(if (> x 0) (* a x) (- x))");
    const { branches } = program.diagnose({ x: [-2, -1, 3], a: 2 });
    expect(branches).toMatchObject([{ text: "(if (> x 0) (* a x) (- x))", taken: 1, notTaken: 2 }]);
  });

  test("is plain lists as JSON, and says nothing of its budget", () => {
    const program = machine.load("(loop ((i 0)) (if (= i n) (log x) (recur (+ i 1))))");
    const inputs = { n: [0, 2, 1], x: [1, -1, 2] };
    const told = program.diagnose(inputs);
    const json = JSON.parse(JSON.stringify(told)) as Record<string, unknown>;
    expect(json["paths"]).toEqual(Array.from(told.paths, (turns) => [...turns]));
    expect((json["paths"] as number[][]).map(({ length }) => length)).toEqual([1, 3, 2]);
    expect(Object.keys(json)).not.toContain("report");
    const numbers = laneNumbers(program, inputs);
    expect(JSON.parse(JSON.stringify(numbers))).toEqual([
      { n: 0, x: 1 },
      { n: 2, x: -1 },
      { n: 1, x: 2 },
    ]);
    program.dispose();
  });

  test("gives the same ways whether lanes run together or alone", () => {
    const source = `(loop ((x x0) (k 0))
      (if (= k 6) x (if (< 0.2 x 0.5) (recur (* 1.9 x) (+ k 1)) (recur (* 1.9 (- 1 x)) (+ k 1)))))`;
    const lanes = [0.1, 0.3, 0.45, 0.6, 0.93];
    const together = machine.load(source).diagnose({ x0: lanes });
    lanes.forEach((x0, lane) => {
      const alone = machine.load(source).diagnose({ x0 });
      expect(together.paths.at(lane)).toEqual(alone.paths.at(0));
    });
  });

  test("names inputs that reach tests only", () => {
    const program = machine.load("(if (> x c) (* a x) (- x))");
    expect(program.diagnose({ x: 1, c: 0.5, a: 2 }).predicateOnly).toEqual(["c"]);
    expect(program.gradient({ x: 1, c: 0.5, a: 2 }).inactive).toEqual(["c"]);
  });

  test("says where and in which lanes a domain was clamped", () => {
    const program = machine.load("(+ (sqrt x) (log y))", { domain: "clamp" });
    const { clamped } = program.diagnose({ x: [4, -1, 0], y: [1, 1, -3] });
    expect(clamped).toMatchObject([
      { text: "(sqrt x)", lanes: [1, 2] },
      { text: "(log y)", lanes: [2] },
    ]);
  });

  test("finds the part of a vector that made a lane non-finite, and the vector's own cell", () => {
    const program = machine.load("(* 2 (ref (log v) 1))");
    const { nonFinite } = program.evaluate({ v: vec([1, -1, 4]) });
    expect(nonFinite[0]?.message).toContain("(log v)");
    const rows = machine.load("(+ (ref v 0) (ref (ref (mat v w) 1) 0))");
    const bad = [Number.NaN, 1];
    expect(rows.evaluate({ v: vec([1, 2]), w: vec(bad) }).nonFinite[0]?.message).toContain(
      "input w is not finite",
    );
  });

  test("the search for what made a number infinite grows with the trace, not with its square", () => {
    const { payloadsBlamed } = machine.exports;
    const work = (turns: number): number => {
      const before = payloadsBlamed.value as number;
      const source = `(loop ((i 0) (a (/ 0 x))) (if (= i ${turns}) a (recur (+ i 1) (+ a (ref v 1)))))`;
      const run = machine.load(source).gradient({ x: 0, v: vec([1, 2]) }, { wrt: ["x"] });
      expect(run.nonFinite[0]?.message).toContain("(/ 0 x)");
      return (payloadsBlamed.value as number) - before;
    };
    // A binary search per payload: 10 times the turns take 10 times the work and a few steps more.
    const small = work(1000);
    expect(small).toBeGreaterThan(1000);
    expect(work(10_000)).toBeLessThan(14 * small);
  });

  test("reports the first cell that made a lane non-finite", () => {
    const program = machine.load("(* 2 (log x))");
    const { nonFinite } = program.diagnose({ x: [1, -1] });
    expect(nonFinite).toMatchObject([{ lane: 1 }]);
    expect(nonFinite[0]?.message).toContain("(log x)");
  });

  test("leaves kept traces and results as they were", () => {
    const program = machine.load("(if (> x 0) (* a x) (- x))");
    const inputs = { x: [-2, 3], a: 2 };
    const before = program.gradient(inputs);
    program.diagnose(inputs);
    const after = program.gradient(inputs);
    expect(after.values).toEqual(before.values);
    expect(after.gradients).toEqual(before.gradients);
  });
});

describe("a program without a branch is plain", () => {
  const cases: readonly (readonly [string, Record<string, number | number[]>, boolean])[] = [
    ["(* a (exp x))", { a: 2, x: [1, 2] }, true],
    ["(max a x)", { a: 2, x: [1, 2] }, true],
    ["(list-ref (list a (* 2 a)) i)", { a: 1, i: 1 }, false],
    ["(list-ref (list a (* 2 a)) i)", { a: 1, i: [1, 1] }, false],
    ["(list-ref (list a (* 2 a)) i)", { a: 1, i: [0, 1] }, false],
    ["(ref (vec a (* 2 a)) i)", { a: 1, i: [0, 1] }, false],
    ["(begin (< a 1) a)", { a: 1 }, false],
    ["(begin (zero? a) (* a a))", { a: 1 }, false],
    ["(length (list a (list-tail (list a a) i)))", { a: 1, i: 1 }, false],
  ];
  test.each(cases)("%s of %j: %s", (source, inputs, isPlain) => {
    const program = machine.load(source);
    // Nothing is known before a run has left a trace.
    expect(program.isPlain).toBe(false);
    for (let turn = 0; turn < 2; turn++) program.gradient(inputs);
    expect(program.isPlain).toBe(isPlain);
  });

  test("unless its domain is clamped where it has one, in every run so far", () => {
    for (const [source, isPlain] of [
      ["(sqrt x)", false],
      ["(log x)", false],
      ["(exp x)", true],
    ] as const) {
      const program = machine.load(source, { domain: "clamp" });
      program.gradient({ x: [1, 2] });
      expect(program.isPlain, source).toBe(isPlain);
    }
    const program = machine.load("(* x (vsum [x (log x)]))", { domain: "ieee" });
    program.gradient({ x: [1, 2] });
    expect(program.isPlain).toBe(true);
    expect(machine.load("(if (< x 1) x 2)").isPlain).toBe(false);
  });

  test("inputs that reach tests only, through arithmetic, several at once, in the inputs' order", () => {
    const program = machine.load("(let ((s (+ p (* 2 q)))) (if (< (* s r) 1) (* a b) (+ a r)))");
    const at = (r: number) => program.diagnose({ p: 0.1, q: 0.2, r, a: 3, b: 4 }).predicateOnly;
    expect([at(1), at(9)]).toEqual([
      ["p", "q", "r"],
      ["p", "q"],
    ]);
  });

  test("clamped are numbers below 1e-8, each with its lane", () => {
    const program = machine.load("(sqrt (* 1 x))", { domain: "clamp" });
    const x = [2e-8, 1e-8, 0.9999999e-8, 0, -1, 5];
    expect(program.diagnose({ x }).clamped).toEqual([
      { span: { start: 0, end: 14 }, text: "(sqrt (* 1 x))", lanes: [2, 3, 4] },
    ]);
    // Of a branch, only the lanes that came there.
    const part = machine.load("(if (< x 1) (log x) x)", { domain: "clamp" });
    expect(part.diagnose({ x: [-1, 2, 0, 0.5] }).clamped).toMatchObject([{ lanes: [0, 2] }]);
  });

  test("lanes on the other side of a branch were called clamped, and elements but the first were not", () => {
    const sides = machine.load("(if (< x 0) (* 2 x) (sqrt x))", { domain: "clamp" });
    expect(sides.diagnose({ x: [-1, 4] }).clamped).toEqual([]);
    expect(sides.diagnose({ x: [-1, 4, 0] }).clamped).toMatchObject([{ lanes: [2] }]);
    const inner = machine.load(
      "(if (< x 0) (if (< x -1) (vsum (log [1 x])) x) (if (< x 1) x (sqrt (- x 2))))",
      { domain: "clamp" },
    );
    expect(inner.diagnose({ x: [-2, -0.5, 0, 1, 3] }).clamped).toMatchObject([
      { text: "(log [1 x])", lanes: [0] },
      { text: "(sqrt (- x 2))", lanes: [3] },
    ]);
    const vectors = machine.load("(vsum (sqrt v))", { domain: "clamp" });
    expect(vectors.diagnose({ v: vec([4, -1]) }).clamped).toMatchObject([{ lanes: [0] }]);
    const lanes = [vec([4, 1]), vec([1, 0]), vec([2, 3])];
    expect(vectors.diagnose({ v: lanes }).clamped).toMatchObject([{ lanes: [1] }]);
  });

  test("each element of a matrix counts, whichever it is and in whichever lane", () => {
    for (const [rows, cols] of [
      [1, 3],
      [3, 1],
      [2, 2],
      [2, 3],
      [4, 3],
    ] as const) {
      const program = machine.load("(vsum (sqrt M))", { domain: "clamp" });
      for (let place = 0; place < rows * cols; place++) {
        const numbers = Array.from({ length: rows * cols }, (_, i) => (i === place ? -1 : 4 + i));
        const matrix = mat(inRows(numbers, cols));
        const sound = mat(inRows(Array(rows * cols).fill(1), cols));
        const what = `${rows} × ${cols}, element ${place}`;
        expect(program.diagnose({ M: matrix }).clamped, what).toMatchObject([{ lanes: [0] }]);
        const lanes = program.diagnose({ M: [sound, matrix, sound] }).clamped;
        expect(lanes, what).toMatchObject([{ lanes: [1] }]);
      }
      program.dispose();
    }
  });

  test("a number that is the limit itself was called clamped in f32, whose limit is below 1e-8", async () => {
    const single = await Machine.create({ precision: "f32" });
    const program = single.load("(sqrt x)", { domain: "clamp" });
    expect(program.gradient({ x: 1e-8 }).gradients["x"]?.[0]).toBeGreaterThan(0);
    expect(program.diagnose({ x: [1e-8, 0.99e-8] }).clamped).toMatchObject([{ lanes: [1] }]);
    single.dispose();
  });
});

describe("branch flips", () => {
  test("name the branch, the lane and both truths", () => {
    const program = machine.load("(if (> x c) (* 2 x) (- x))");
    const before = program.diagnose({ x: [0.1, 0.6], c: 0.5 });
    const now = program.diagnose({ x: [0.1, 0.6], c: 0.7 });
    expect(branchFlips(before, now)).toMatchObject([
      { lane: 1, after: 0, before: true, now: false, text: "(if (> x c) (* 2 x) (- x))" },
    ]);
    expect(branchFlips(now, now)).toEqual([]);
  });

  test("see a loop that ends one turn later", () => {
    const program = machine.load("(loop ((z x) (k 0)) (if (> z 10) k (recur (* z 2) (+ k 1))))");
    const flips = branchFlips(program.diagnose({ x: 3 }), program.diagnose({ x: 2.4 }));
    expect(flips).toMatchObject([{ lane: 0, after: 2, before: true, now: false }]);
  });

  test("are logged with the numbers on both sides and counted as instability", () => {
    const program = machine.load("(if (> x c) (* 2 x) (- x))");
    const log = new BranchLog();
    for (const c of [0.5, 0.55, 0.7, 0.95])
      log.observe(program.diagnose({ x: [0.1, 0.6, 0.9], c }), [{ c }, { c }, { c }]);
    expect(log.flips).toMatchObject([
      { lane: 1, from: { c: 0.55 }, to: { c: 0.7 } },
      { lane: 2, from: { c: 0.7 }, to: { c: 0.95 } },
    ]);
    expect(log.instability).toBeCloseTo(2 / 9, 12);
  });
});

describe("branches along a way", () => {
  const source = "(if (> (* k x) 1) (* x x) (if (> x 3) x (* k x)))";

  test("are followed from run to run", () => {
    const program = machine.load(source);
    const runs = [0.1, 0.4, 0.6, 0.6].map((k) => ({ k, x: [1, 2] }));
    const log = followBranches(program, runs);
    expect(log.flips).toMatchObject([
      {
        lane: 1,
        before: false,
        now: true,
        from: { k: 0.4, x: 2 },
        to: { k: 0.6, x: 2 },
        text: source,
      },
    ]);
    expect(log.instability).toBeCloseTo(1 / 6);
  });

  test("are followed from lane to lane", () => {
    const program = machine.load(source);
    const inputs = { k: 0.25, x: [1, 2, 3.5, 5, 6] };
    const { flips, instability } = neighbourFlips(
      program.diagnose(inputs),
      laneNumbers(program, inputs),
    );
    const inner = "(if (> x 3) x (* k x))";
    expect(flips).toMatchObject([
      { lane: 2, before: false, now: true, from: { x: 2 }, to: { x: 3.5 }, text: inner },
      { lane: 3, before: false, now: true, from: { x: 3.5 }, to: { x: 5 }, text: source },
    ]);
    expect(instability).toBe(0.5);
  });

  test("have no instability where there is one lane", () => {
    const program = machine.load(source);
    const inputs = { k: 1, x: 2 };
    const found = neighbourFlips(program.diagnose(inputs), laneNumbers(program, inputs));
    expect(found).toEqual({ flips: [], instability: 0 });
  });

  test("know the numbers of lanes over axes", () => {
    const program = machine.load("(* a b)");
    const inputs = { a: over("row", [1, 2]), b: over("col", [3, 4]) };
    expect([...laneNumbers(program, inputs)]).toEqual([
      { a: 1, b: 3 },
      { a: 1, b: 4 },
      { a: 2, b: 3 },
      { a: 2, b: 4 },
    ]);
  });
});
