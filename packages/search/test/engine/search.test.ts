/**
 * What a search tells of candidates: scores, failures, duplicates, revisits, promotions.
 */

import { expand, read } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { paperRecipe, replay } from "../../src/index.js";
import { isStraight } from "../../src/straight.js";
import { line, oscillation } from "./data.js";
import { list, run } from "./support.js";

const base = { data: line, target: "y", workers: 0 } as const;

describe("outcomes", () => {
  test("a line is found, scored on held-out rows, with intervals around its constants", async () => {
    const { done } = await run({ ...base, proposers: [list(["(+ a (* b x))"])] });
    expect(done.stopped).toBe("exhausted");
    expect(done.best?.r2).toBeGreaterThan(0.999);
    expect(done.best?.params["b"]).toBeCloseTo(3, 1);
    const [low, high] = done.best?.intervals["b"] ?? [0, 0];
    expect(low).toBeLessThan(done.best?.params["b"] ?? 0);
    expect(high).toBeGreaterThan(done.best?.params["b"] ?? 0);
    expect(done.choice).toEqual(done.best);
    expect(done.counts).toMatchObject({ candidates: 1, scored: 1, failed: 0, duplicates: 0 });
  });

  test("held-out R² is that of the rows that no fit has seen", async () => {
    const holdOut = [0, 10, 20, 39];
    const { outcomes } = await run({ ...base, holdOut, proposers: [list(["(* a x)"])] });
    const a = outcomes[0]?.params["a"] ?? Number.NaN;
    const held = holdOut.map((row) => ({ x: line.x[row] ?? 0, y: line.y[row] ?? 0 }));
    const mean = held.reduce((sum, each) => sum + each.y, 0) / held.length;
    const rest = held.reduce((sum, each) => sum + (each.y - a * each.x) ** 2, 0);
    const around = held.reduce((sum, each) => sum + (each.y - mean) ** 2, 0);
    expect(outcomes[0]?.r2).toBeCloseTo(1 - rest / around, 12);
    const trained = line.x.map((_, row) => row).filter((row) => !holdOut.includes(row));
    const slope =
      trained.reduce((sum, row) => sum + (line.x[row] ?? 0) * (line.y[row] ?? 0), 0) /
      trained.reduce((sum, row) => sum + (line.x[row] ?? 0) ** 2, 0);
    expect(a).toBeCloseTo(slope, 9);
  });

  test("bad programs are outcomes with a code, and never a score or a stop", async () => {
    const bad: Record<string, string> = {
      "(+ 1": "E-SYNTAX",
      "(sin)": "E-ARITY",
      "(car x)": "E-TYPE",
      "(2 x)": "E-CALL",
      "(loop ((s x)) (if (> s 1e9) s (recur (+ s 1))))": "E-STEPS",
      "(define (f n) (if (> n 1e9) n (+ 1 (f n)))) (f x)": "E-STEPS",
      "(loop ((s x)) (recur (+ s 1)))": "E-ENDLESS",
      "(foo x)": "E-UNBOUND",
      "(list x a)": "E-RESULT",
      "[x a]": "E-RESULT",
      "(* a y)": "E-TARGET",
      "(log (- -1 (* a a x)))": "E-NOT-FINITE",
      "(set! x 1)": "E-REFUSED",
      "": "E-SYNTAX",
      "(let ((z 1)) )": "E-FORM",
    };
    const sources = [...Object.keys(bad), "(+ a (* b x))"];
    const { outcomes, done } = await run({ ...base, proposers: [list(sources)] });
    expect(outcomes.slice(0, -1).map(({ failure }) => failure?.code)).toEqual(Object.values(bad));
    for (const { status, r2, params } of outcomes.slice(0, -1)) {
      expect(status).toBe("failed");
      expect(r2).toBeNaN();
      expect(params).toEqual({});
    }
    expect(outcomes.at(-1)?.status).toBe("scored");
    expect(done.front).toHaveLength(1);
    expect(done.counts.failures["E-STEPS"]).toBe(2);
  });

  test("programs without loops are fitted at once, and what is wrong with them is told as ever", async () => {
    const bad = ["(+ a (< x 2))", "(if (< x 1) (* a x) #t)", "(* a (if x 1 2) (< x 0))"];
    const { outcomes, done } = await run({ ...base, proposers: [list([...bad, "(* a x)"])] });
    for (const { failure, fits } of outcomes.slice(0, -1)) {
      expect(failure?.stage).toBe("screen");
      expect(fits).toBe(0);
    }
    expect(done.counts).toMatchObject({ scored: 1, failed: 3 });
  });

  test("only what loops, calls itself or makes more than a number can take long", () => {
    const straight = (source: string) => isStraight(expand(read(source), { inputs: ["x"] }));
    for (const source of [
      "(+ a (* b x))",
      "(let ((z (exp x))) (if (and (< z 1) (> x 0)) (expt z 2) 3))",
      "(cond ((< x 1) a) ((= x 2) b) (else 1))",
    ])
      expect([source, straight(source)]).toEqual([source, true]);
    for (const source of [
      "(loop ((s x)) (recur s))",
      "(do ((i 0 (+ i 1))) ((= i 3) x))",
      "(let again ((i 0)) (again i))",
      "(define (f n) (f n)) (f x)",
      "((lambda (f) (f f)) (lambda (f) (f f)))",
      "(fold-left + 0 (list x x))",
      "(vsum (zeros 1000000))",
      "(x 1)",
    ])
      expect([source, straight(source)]).toEqual([source, false]);
  });

  test("programs without anything to fit are scored as they are", async () => {
    const fixed = {
      source: "(- (* m x) 1)",
      parents: [],
      origin: "given",
      params: { m: { fixed: 3 } },
    };
    const { outcomes } = await run({ ...base, proposers: [list(["(- (* 3 x) 1)", fixed, "7"])] });
    expect(outcomes.map(({ status }) => status)).toEqual(["scored", "scored", "scored"]);
    expect(outcomes[0]?.r2).toBeGreaterThan(0.999);
    expect(outcomes[1]?.r2).toBe(outcomes[0]?.r2);
    expect(outcomes[1]?.params).toEqual({ m: 3 });
    expect(outcomes[2]?.r2).toBeLessThan(0.1);
    expect(outcomes.map(({ fits }) => fits)).toEqual([0, 0, 0]);
  });

  test("a skeleton that was seen is a duplicate, and is not fitted", async () => {
    const sources = ["(+ a (* b x))", "(+ (* x q) p)", "(+ a (* b 2 x))", "(+ c (* x 2 d))"];
    const { outcomes, done } = await run({ ...base, proposers: [list(sources)] });
    expect(outcomes.map(({ status }) => status)).toEqual([
      "scored",
      "duplicate",
      "scored",
      "duplicate",
    ]);
    expect(outcomes.map(({ duplicateOf }) => duplicateOf)).toEqual([undefined, 0, undefined, 2]);
    expect(outcomes[1]?.fits).toBe(0);
    expect(done.counts).toMatchObject({ duplicates: 2, scored: 2 });
  });

  test("a text that cannot be read is known again, and a long one is not kept", async () => {
    const long = `(+ x ${"1 ".repeat(20_000)})`;
    const sources = ["(+ x", "(+ x", "(+ x 1", long, long];
    const { outcomes } = await run({ ...base, proposers: [list(sources)] });
    expect(outcomes.map(({ status }) => status)).toEqual(
      "failed duplicate failed failed duplicate".split(" "),
    );
    expect(outcomes[3]?.failure?.code).toBe("E-LENGTH");
    expect(outcomes[3]?.source).toMatch(/^\(\+ x 1 1 .* … \(40006 letters\)$/);
    expect(outcomes[4]?.failure).toBeUndefined();
    const programs = sources.map((source) => ({ source }));
    const again = await run({ ...base, proposers: [replay(programs, { cycles: 2 })] });
    expect(again.outcomes.map(({ id }) => id)).toEqual([0, 0, 2, 3, 3, 0, 0, 2, 3, 3]);
    expect(again.done.counts).toMatchObject({ failed: 10, revisits: 7 });
  });

  test("a revisit is a new fit of the same candidate", async () => {
    const programs = [{ source: "(sin (* a x))" }, { source: "(+ a (* b x))" }];
    const { outcomes, done } = await run({
      ...base,
      recipe: paperRecipe,
      epoch: 3,
      slots: 1,
      proposers: [replay(programs, { cycles: 3 })],
    });
    expect(outcomes.map(({ id }) => id)).toEqual([0, 1, 0, 1, 0, 1]);
    expect(outcomes.map(({ visit }) => visit)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(new Set(outcomes.map(({ loss }) => loss)).size).toBe(6);
    expect(done.counts).toMatchObject({ candidates: 6, revisits: 4, fits: 6 });
  });

  test("starts that a proposer gives are used", async () => {
    const far = { source: "(sin (* a x))", parents: [], origin: "given", params: { a: 1.7 } };
    const data = { x: line.x, y: line.x.map((t) => Math.sin(1.7 * t)) };
    const { outcomes } = await run({ ...base, data, proposers: [list([far])] });
    expect(outcomes[0]?.r2).toBeCloseTo(1, 9);
  });

  test("a program longer or more complex than allowed is refused before it is read or run", async () => {
    const { outcomes } = await run({
      ...base,
      complexityMax: 6,
      limits: { sourceLength: 100, parameters: 3 },
      proposers: [
        list([
          `(+ x ${" ".repeat(200)} 1)`,
          "(+ a (* b x) (* c x x))",
          "(+ a b c d)",
          "(+ a (* b x))",
        ]),
      ],
    });
    expect(outcomes.map(({ failure }) => failure?.code)).toEqual([
      "E-LENGTH",
      "E-COMPLEXITY",
      "E-COMPLEXITY",
      undefined,
    ]);
  });

  test("more parameters than allowed are refused", async () => {
    const { outcomes } = await run({
      ...base,
      limits: { parameters: 2 },
      proposers: [list(["(+ a (* b x) c)"])],
    });
    expect(outcomes[0]?.failure?.code).toBe("E-PARAMETERS");
  });
});

describe("the ladder", () => {
  const recipe = {
    rungs: [
      { restarts: 1, steps: 3, share: 1 },
      { restarts: 5, steps: 60, share: 0.5 },
    ],
  };
  const sources = [
    "(+ a (* b x))",
    "(* a (exp (- (* b x))) (cos (+ (* c x) d)))",
    "(* a (cos (+ (* c x) d)))",
    "a",
  ];

  test("promotes the share of an epoch that is most promising, and keeps the better fit", async () => {
    const { outcomes } = await run({
      ...base,
      data: oscillation,
      recipe,
      proposers: [list(sources)],
    });
    expect(outcomes.filter(({ rung }) => rung === 1)).toHaveLength(2);
    expect(outcomes.map(({ rung, fits }) => fits === (rung === 1 ? 6 : 1))).toEqual(
      Array(4).fill(true),
    );
    const [short] = (
      await run({
        ...base,
        data: oscillation,
        recipe: { rungs: recipe.rungs.slice(0, 1) },
        proposers: [list(sources)],
      })
    ).outcomes.filter(({ visit }) => visit === 1);
    const long = outcomes[1];
    expect(long?.loss).toBeLessThanOrEqual(short?.loss ?? 0);
  });
});

describe("events", () => {
  test("begin with what is searched, tell candidates in order, and end with the result", async () => {
    const { events, outcomes } = await run({
      ...base,
      epoch: 2,
      slots: 1,
      proposers: [list(["a", "(* a x)", "(+ a (* b x))", "(square (* a x))", "(+ 1"])],
    });
    expect(events[0]).toMatchObject({
      type: "started",
      workers: 0,
      rows: { train: 30, heldOut: 10 },
      resumedFrom: 0,
    });
    expect(events.at(-1)?.type).toBe("done");
    expect(outcomes.map(({ visit }) => visit)).toEqual([0, 1, 2, 3, 4]);
    expect(outcomes.map(({ round }) => round)).toEqual([0, 0, 1, 1, 2]);
    const fronts = events.filter(({ type }) => type === "front");
    expect(fronts.length).toBeGreaterThan(0);
  });

  test("warn where too few rows are held out to tell models apart, and only there", async () => {
    const told = async (heldOut: number) => {
      const holdOut = line.x.map((_, row) => row).slice(-heldOut);
      const { events, done } = await run({ ...base, holdOut, proposers: [list(["(* a x)"])] });
      const warnings = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
      expect(done.warnings).toEqual(warnings);
      return warnings;
    };
    expect(await told(11)).toEqual([expect.stringContaining("only 11 rows are held out")]);
    expect(await told(12)).toEqual([]);
  });

  test("leaving the loop ends the search", async () => {
    const { search } = await import("../../src/index.js");
    const proposer = replay([{ source: "(* a x)" }], { cycles: Number.POSITIVE_INFINITY });
    let count = 0;
    for await (const event of search({ ...base, proposers: [proposer] })) {
      if (event.type === "candidate") count += 1;
      if (count === 100) break;
    }
    expect(count).toBe(100);
  });
});
