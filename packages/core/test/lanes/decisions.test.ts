/**
 * Whatever decides, and wherever its operands come from: written numbers, inputs that all lanes share and
 * inputs by lane, on either side. A program that is run again with other numbers decides as it does for the
 * first time, a lane as it does alone, and lanes that wait for others keep what they wait with.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Evaluation, type Inputs, Machine, mat, vec } from "../../src/index.js";

let machine: Machine;
let fresh: Machine;
beforeAll(async () => {
  machine = await Machine.create();
  fresh = await Machine.create({ mechanisms: { replay: false } });
});
afterAll(() => {
  machine.dispose();
  fresh.dispose();
});

const told = (run: () => Evaluation): unknown => {
  try {
    const out = run();
    return Array.from({ length: out.lanes }, (_, lane) => out.print(lane));
  } catch (error) {
    return (error as { code: string }).code;
  }
};

/** Kinds of operand: what is written, and inputs that agree with it and differ from it. */
const KINDS = {
  number: { written: "2", same: 2, other: 3 },
  real: { written: "2.5", same: 2.5, other: -2.5 },
  vector: { written: "(vec 1 2)", same: vec([1, 2]), other: vec([1, 3]) },
  longer: { written: "(vec 1 2)", same: vec([1, 2]), other: vec([1, 2, 3]) },
  matrix: {
    written: "(mat [1 2] [3 4])",
    same: mat([
      [1, 2],
      [3, 4],
    ]),
    other: mat([
      [1, 2],
      [3, 5],
    ]),
  },
} as const;

/** Decisions about # and $. */
const DECISIONS = [
  "(equal? # $)",
  "(equal? (list 1 #) (list 1 $))",
  "(pair? (member # (list 7 $)))",
  "(pair? (assoc # (list (list 7 1) (list $ 2))))",
  "(not (equal? # $))",
  "(if (equal? # $) (= 1 1) (equal? $ #))",
];
const OF_NUMBERS = [
  ..."= < > <= >=".split(" ").map((name) => `(${name} # $)`),
  ..."zero? positive? negative? integer? even? odd? finite? nan?"
    .split(" ")
    .map((name) => `(${name} (- # $))`),
  "(pair? (memv # (list 7 $)))",
];

describe.each(Object.entries(KINDS))("a decision about a %s", (kind, { written, same, other }) => {
  const decisions = /number|real/.test(kind) ? [...DECISIONS, ...OF_NUMBERS] : DECISIONS;

  test.each(decisions)("%s", (decision) => {
    for (const [left, right] of [
      [written, "x"],
      ["x", written],
      ["y", "x"],
      ["x", "y"],
    ] as const) {
      const test = decision.replaceAll("#", left).replaceAll("$", right);
      const source = `(if ${test} (* 2 a) (* 3 a))`;
      const rest = source.includes("y") ? { y: same } : {};
      const inputs = ["a", "x", ...Object.keys(rest)];
      const program = machine.load(source, { inputs });
      const plain = fresh.load(source, { inputs });
      const runs = [same, other, same, [same, other, same], [other, other], [other, same], other];
      for (const [turn, x] of runs.entries()) {
        const given = { ...rest, a: 5, x } as Inputs;
        const what = `${source}, run ${turn}`;
        const wanted = told(() => plain.evaluate(given));
        expect(
          told(() => program.evaluate(given)),
          what,
        ).toEqual(wanted);
        expect(
          told(() => program.gradient(given, { wrt: ["a"] })),
          what,
        ).toEqual(wanted);
        // Lanes of one input have one shape.
        if (!Array.isArray(x) || kind === "longer") continue;
        const alone = x.flatMap((one) =>
          told(() => plain.evaluate({ ...given, x: one } as Inputs)),
        );
        expect(wanted, `${what}, each lane alone`).toEqual(alone);
      }
      const numbers = typeof same === "number" ? [other, same, other] : [];
      const session = program.session({ ...rest, a: 5, x: same } as Inputs);
      for (const x of numbers) {
        session.set("x", x as number);
        session.run();
        const { values } = plain.evaluate({ ...rest, a: 5, x } as Inputs);
        expect([...session.values], `${source} in a session`).toEqual([...values]);
      }
      program.dispose();
      plain.dispose();
    }
  });
});

describe("questions about the kind of a thing, where lanes have different ones", () => {
  const THINGS = [
    "(> x 0)",
    "(not (> x 0))",
    "(if (> x 0) #t 5)",
    "(if (> x 0) #f '())",
    "(if (> x 0) (list x) '())",
    "(if (> x 0) 'a \n #t)",
    "(if (> x 0) x (vec x x))",
    "(if (> x 0) (lambda () x) x)",
    "(if (> x 0) car (> x -5))",
    "(and (> x 0) (< x 2))",
    "(or (> x 1) (< x -1))",
    "(if (> x 0) 3 2.5)",
    "x",
    "(list (> x 0))",
  ];
  const QUESTIONS =
    "boolean? number? real? integer? symbol? pair? null? list? procedure? not equal?-#t".split(" ");

  test.each(THINGS)("%s", (thing) => {
    const lanes = [-2, -0.5, 0, 1, 3];
    for (const question of QUESTIONS) {
      const asked = question === "equal?-#t" ? `(equal? ${thing} #t)` : `(${question} ${thing})`;
      for (const source of [asked, `(if ${asked} (* 2 x) (* 3 x))`]) {
        const program = machine.load(source, { inputs: ["x"] });
        const alone = lanes.flatMap((x) => told(() => program.evaluate({ x })));
        const together = told(() => program.evaluate({ x: lanes }));
        if (alone.includes("E-TYPE")) expect(together, source).not.toEqual([]);
        else expect(together, source).toEqual(alone);
        program.dispose();
      }
    }
  });
});

describe("lanes that leave a long loop early keep what they leave with", () => {
  const turns = [1, 20_000, 3, 60_000, 2, 45_000];
  /** Loops whose exit is either side of a test, with numbers, vectors, lists and closures as their state. */
  const LOOPS = [
    "(loop ((i 0) (s a)) (if (>= i n) s (recur (+ i 1) (+ s 0.5))))",
    "(loop ((i 0) (s a)) (if (< i n) (recur (+ i 1) (+ s 0.5)) s))",
    "(loop ((i 0) (s a)) (if (< i n) (recur (+ i 1) (+ s 0.5)) (* 3 (+ s i))))",
    "(loop ((i 0) (s (vec a 1))) (if (< i n) (recur (+ i 1) (* 1.0001 s)) (vsum s)))",
    "(loop ((i 0) (s (list a 1))) (if (< i n) (recur (+ i 1) (list (+ 0.5 (car s)) i)) (+ (car s) (cadr s))))",
    "(loop ((i 0) (f (lambda () a))) (if (< i n) (recur (+ i 1) (lambda () (+ a i))) (f)))",
    "(loop ((i 0) (s a)) (cond ((< i (- n 1)) (recur (+ i 1) (+ s 0.5))) ((< i n) (recur (+ i 1) (* 2 s))) (else s)))",
    "(+ (loop ((i 0) (s a)) (if (< i n) (recur (+ i 1) (+ s 0.5)) s)) (loop ((i 0) (s a)) (if (>= i n) s (recur (+ i 1) (- s 0.25)))))",
  ];

  test.each(LOOPS)("%s", (source) => {
    const program = machine.load(source, { inputs: ["a", "n"] });
    const a = turns.map((_, i) => 1 + i / 8);
    const together = program.evaluate({ a, n: turns }, { replay: false });
    // Lanes that part by two tests run by themselves.
    if (!source.includes("cond")) expect(together.stats.compactions).toBeGreaterThan(0);
    for (const [lane, n] of turns.entries()) {
      const [alone] = program.evaluate({ a: a[lane] as number, n }, { replay: false }).values;
      expect(together.values[lane], `lane ${lane}`).toBe(alone);
    }
    program.dispose();
  });
});
