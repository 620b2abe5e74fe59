/**
 * Diagnostics: the way each lane went, flips between runs, inputs that matter to tests only,
 * clamps and numbers that are not finite.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { BranchLog, branchFlips, Machine } from "../src/index.js";

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});

describe("diagnose", () => {
  test("counts how many lanes took each side of a branch", () => {
    const program = machine.load("(if (> x 0) (* a x) (- x))");
    const { branches } = program.diagnose({ x: [-2, -1, 3], a: 2 });
    expect(branches).toMatchObject([{ text: "(if (> x 0) (* a x) (- x))", taken: 1, notTaken: 2 }]);
  });

  test("gives the same ways whether lanes run together or alone", () => {
    const source = `(loop ((x x0) (k 0))
      (if (= k 6) x (if (< 0.2 x 0.5) (recur (* 1.9 x) (+ k 1)) (recur (* 1.9 (- 1 x)) (+ k 1)))))`;
    const lanes = [0.1, 0.3, 0.45, 0.6, 0.93];
    const together = machine.load(source).diagnose({ x0: lanes });
    lanes.forEach((x0, lane) => {
      const alone = machine.load(source).diagnose({ x0 });
      expect(together.paths[lane]).toEqual(alone.paths[0]);
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
