/**
 * What a fit tells about the program: branches, flips, tests, clamps, starts that are not finite.
 */

import { describe, expect, test } from "vitest";
import { fit, Machine } from "../../src/index.js";
import { fitText, machine, steps } from "./support.js";

const x = steps(0, 10, 21);

describe("diagnostics", () => {
  test("rows that go another way at the end than at the start", async () => {
    const r = await fitText("(let ((f (* a x))) (if (< f 6) f 6))", {
      data: { x, y: x.map((v) => Math.min(6, 1.5 * v)) },
      target: "y",
      params: { a: 1 },
    });
    expect(r.best.params["a"]).toBeCloseTo(1.5, 9);
    const { branches, flips } = r.diagnostics;
    expect(branches).toEqual([{ text: "(if (< f 6) f 6)", taken: 8, notTaken: 13 }]);
    // a·x reaches 6 at x = 6 for the start, at x = 4 for the end.
    expect(flips).toEqual([{ text: "(if (< f 6) f 6)", rows: 4 }]);
    const { flipLog, instability } = r.diagnostics;
    expect(flipLog).toMatchObject([
      { restart: 0, text: "(if (< f 6) f 6)", rows: [9, 10, 11, 12], from: { a: 1 } },
    ]);
    expect(flipLog[0]?.to["a"]).toBe(r.best.params["a"]);
    expect(instability).toBeCloseTo(4 / 21);
  });

  test("the flips of every restart are logged with its own values", async () => {
    const r = await fitText("(let ((f (* a x))) (if (< f 6) f 6))", {
      data: { x, y: x.map((v) => Math.min(6, 1.5 * v)) },
      target: "y",
      params: { a: { range: [0.7, 1.4] } },
      restarts: 4,
      seed: 3,
    });
    const { flipLog, instability } = r.diagnostics;
    const logged = new Set(flipLog.map(({ restart }) => restart));
    for (const { restart, from, to, rows } of flipLog) {
      const own = r.restarts.find(({ index }) => index === restart);
      expect(from).toEqual(own?.start);
      expect(to).toEqual(own?.params);
      // Rows between the places where a·x reaches 6 at the start and at the end.
      const between = (row: number) => {
        const at = x[row - 1] as number;
        return (from["a"] as number) * at < 6 && (to["a"] as number) * at >= 6;
      };
      expect(rows.every(between)).toBe(true);
    }
    expect(logged.size).toBe(4);
    const all = flipLog.reduce((sum, { rows }) => sum + rows.length, 0);
    expect(instability).toBeCloseTo(all / (4 * x.length));
  });

  test("a fit that was ended early logs the flips of its best restart only", async () => {
    let polls = 0;
    const signal = {
      get aborted() {
        polls += 1;
        return polls > 4;
      },
    } as AbortSignal;
    // A machine that keeps no traces looks at the signal after every round.
    const walking = await Machine.create({ precision: "f64", mechanisms: { replay: false } });
    const r = await fit(walking.load("(let ((f (* a x))) (if (< f 6) f 6))"), {
      data: { x, y: x.map((v) => Math.min(6, 1.5 * v)) },
      target: "y",
      params: { a: { range: [0.7, 1.4] } },
      restarts: 4,
      seed: 3,
      signal,
    });
    expect(r.stopped).toBe("aborted");
    const { flipLog, flips } = r.diagnostics;
    expect(new Set(flipLog.map(({ restart }) => restart)).size).toBe(1);
    expect(flips).toHaveLength(1);
  });

  test("no flips where rows keep their way", async () => {
    const r = await fitText("(if (< x 5) (* a x) (* 2 a x))", {
      data: { x, y: x.map((v) => (v < 5 ? v : 2 * v)) },
      target: "y",
      params: { a: 3 },
    });
    expect(r.diagnostics.flips).toEqual([]);
    expect(r.diagnostics.nonFinite).toEqual([]);
  });

  test("groups are diagnosed with their own values", async () => {
    const cell = x.map((_, i) => (i % 2 === 0 ? "a" : "b"));
    const y = x.map((v, i) => Math.min(6, (i % 2 === 0 ? 1 : 2) * v));
    const r = await fitText("(let ((f (* s x))) (if (< f c) f 6))", {
      data: { x, y, cell },
      target: "y",
      params: { s: 1, c: 6 },
      groups: { by: "cell", params: ["s"] },
    });
    expect(r.diagnostics.predicateOnly).toEqual(["c"]);
    const [branch] = r.diagnostics.branches;
    expect(branch).toMatchObject({ taken: 6 + 3, notTaken: 5 + 7 });
  });

  test("starts that are not finite, with the row and the form", async () => {
    const r = await fitText("(* a (sqrt (- x b)))", {
      data: { x, y: x.map((v) => 2 * Math.sqrt(v + 1)) },
      target: "y",
      params: { a: 1, b: { start: -0.5, range: [-4, 8], bounds: [-5, 9] } },
      restarts: 12,
      seed: 2,
    });
    expect(r.best.params["b"]).toBeCloseTo(-1, 6);
    const failed = r.restarts.filter(({ reason }) => reason === "not finite");
    expect(failed.length).toBeGreaterThan(2);
    expect(r.diagnostics.notes[0]).toBe(
      `${failed.length} of 12 restarts began where the loss is not finite`,
    );
    expect(r.diagnostics.nonFinite[0]).toEqual({
      restart: failed[0]?.index,
      row: 1,
      text: "(sqrt (- x b))",
      message: "it is NaN, first made so by (sqrt (- x b))",
    });
  });

  test("clamped inputs are noted with their rows", async () => {
    const program = machine.load("(* a (log (- x b)))", { domain: "clamp" });
    const r = await fit(program, {
      data: { x, y: x.map((v) => Math.log(Math.max(v - 0.25, 1e-8))) },
      target: "y",
      params: { a: 1, b: { fixed: 0.25 } },
    });
    expect(r.diagnostics.clamped).toEqual([{ text: "(log (- x b))", rows: 1 }]);
    expect(r.diagnostics.notes).toContain("(log (- x b)) was clamped on 1 row: no gradient there");
  });

  test("objective mode is diagnosed as well", async () => {
    const r = await fitText("(if (> c 3) (square (- a 2)) (square (- a 5)))", {
      params: { a: 0, c: 4 },
    });
    expect(r.diagnostics.predicateOnly).toEqual(["c"]);
    expect(r.best.params["a"]).toBeCloseTo(2, 9);
  });

  test.each([
    ["(+ a (* b x))", "ieee", true],
    ["(+ a (max b (abs x)))", "ieee", true],
    ["(+ a (vsum (vec b x)))", "ieee", true],
    ["(+ a (log (+ b (* x x))))", "ieee", true],
    ["(+ a (log (- b (* x x))))", "clamp", false],
    ["(+ a (* x (if (> b 0.5) 1 2)))", "ieee", false],
    ["(+ a (* b (if (> x 5) 1 2)))", "ieee", false],
    ["(let loop ((i 0) (s b)) (if (< i 3) (loop (+ i 1) (+ s (* a x))) s))", "ieee", false],
  ] as const)(
    "%s, domain %s: walked again for its diagnosis unless plain, %s",
    async (source, domain, isPlain) => {
      const program = machine.load(source, { domain });
      expect(program.isPlain).toBe(false);
      const data = { x, y: x.map((v) => 2 * v + 1) };
      const r = await fit(program, { data, target: "y", params: { a: 1, b: 1 }, restarts: 2 });
      expect(program.isPlain).toBe(isPlain);
      const { a = 0, b = 0 } = r.best.params;
      const { branches, predicateOnly, clamped } = program.diagnose(
        { x, a, b },
        { wrt: ["a", "b"] },
      );
      const both = branches.filter(({ taken, notTaken }) => taken > 0 && notTaken > 0);
      expect(r.diagnostics.branches.length).toBe(both.length);
      expect(r.diagnostics.predicateOnly).toEqual(predicateOnly.filter((name) => name !== "x"));
      expect(r.diagnostics.clamped.length).toBe(clamped.length);
      if (isPlain) expect([...branches, ...predicateOnly, ...clamped]).toEqual([]);
    },
  );
});
