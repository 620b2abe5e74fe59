/**
 * Budgets: whatever a program does, it ends with a typed error inside its limits, and afterwards
 * the machine runs everything that a fresh machine runs.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { Machine, type Program } from "../../src/index.js";
import { caught, caughtLater, covered, expectUsable } from "./support.js";

const MEMORY_MAX = 32 * 2 ** 20;
const endless = "(loop ((x 1.0)) (recur (+ x 1.0)))";

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create({ memoryMax: MEMORY_MAX });
});

/** Programs that need much of the budget, each in another arena: all fit into a fresh machine. */
const demanding = [
  "(define (build n acc) (if (= n 0) acc (build (- n 1) (cons n acc)))) (length (build 250000 '()))",
  "(define (down n) (if (= n 0) 0 (+ 1 (down (- n 1))))) (down 150000)",
  "(vsum (ones 600 600))",
];

function expectAllFits(): void {
  expect(demanding.map((source) => valueOn(source))).toEqual([250000, 150000, 360000]);
  const long = machine.load(`(+ ${"1 ".repeat(100_000)})`);
  expect(long.evaluate().values[0]).toBe(100_000);
  long.dispose();
  const taped = machine.load("(loop ((i 0) (x a)) (if (= i 20000) x (recur (+ i 1) (* 1.0 x))))");
  expect(taped.gradient({ a: 3 }).gradients["a"]?.[0]).toBe(1);
  taped.dispose();
}

function valueOn(source: string): number | undefined {
  const program = machine.load(source);
  try {
    return program.evaluate().values[0];
  } finally {
    program.dispose();
  }
}

describe("bombs", () => {
  test("each demanding program fits a fresh machine", async () => {
    for (const source of demanding) {
      const fresh = await Machine.create({ memoryMax: MEMORY_MAX });
      expect(fresh.load(source).evaluate().values[0]).toBeGreaterThan(0);
      fresh.dispose();
    }
  });

  test.each([
    ["runaway recursion", "(define (f n) (+ 1 (f (+ n 1)))) (f 0)", "E-RECURSION", "(f (+ n 1))"],
    [
      "runaway mutual recursion",
      "(define (f n) (* 2.0 (g n))) (define (g n) (+ 1 (f n))) (f x)",
      "E-RECURSION",
      undefined,
    ],
    ["runaway apply", "(define (f . r) (+ 1 (apply f 1 r))) (f)", "E-MEMORY", undefined],
    ["cons bomb", "(loop ((l '())) (recur (cons 1 l)))", "E-MEMORY", undefined],
    ["cons bomb of numbers", "(loop ((l '())) (recur (cons (+ x 1) l)))", "E-MEMORY", undefined],
    ["append bomb", "(loop ((l '(1))) (recur (append l l)))", "E-MEMORY", "(append l l)"],
    ["closure bomb", "(loop ((f car)) (recur (lambda () f)))", "E-MEMORY", undefined],
    ["recursive consing", "(define (f l) (cons 1 (f l))) (f 1)", "E-RECURSION", "(f l)"],
    ["matrix bomb", "(zeros 10000 10000)", "E-MEMORY", "(zeros 10000 10000)"],
    ["largest sizes", "(ones 16777216 16777216)", "E-MEMORY", "(ones 16777216 16777216)"],
    ["identity bomb", "(eye 60000)", "E-MEMORY", "(eye 60000)"],
    ["identity whose size wraps", "(eye 65536)", "E-MEMORY", "(eye 65536)"],
    [
      "outer bomb",
      "(outer (ones 9000) (ones 9000))",
      "E-MEMORY",
      "(outer (ones 9000) (ones 9000))",
    ],
    [
      "doubling rows",
      "(loop ((m (ones 1 64))) (recur (matmul (ones (* 2 (rows m)) (rows m)) m)))",
      "E-MEMORY",
      undefined,
    ],
  ])("%s", (_, source, code, covers) => {
    const program = machine.load(source);
    const inputs = program.inputs.length === 0 ? {} : { x: 1 };
    const error = caught(() => program.evaluate(inputs));
    expect(error.code).toBe(code);
    expect(error.help).toMatch(/memoryMax/);
    const text = covered(error);
    if (covers === undefined) expect(source).toContain(text ?? "no span");
    else expect(text).toBe(covers);
    program.dispose();
    expectUsable(machine);
    expectAllFits();
  });

  test("a tape bomb ends at the tape budget", () => {
    const source = "(loop ((i 0) (x a)) (if (= i 100000) x (recur (+ i 1) (sin x))))";
    const program = machine.load(source);
    const error = caught(() => program.gradient({ a: 1 }, { tapeBytesMax: 100_000 }));
    expect(error.code).toBe("E-TAPE");
    expect(error.message).toBe("the tape budget is used up");
    expect(covered(error)).toBe("(sin x)");
    expect(error.help).toBe("check that the program ends, or raise tapeBytesMax");
    expectUsable(machine);
    // Without gradients nothing is recorded, so the same program runs.
    const { values, stats } = program.evaluate({ a: 1 }, { tapeBytesMax: 100_000 });
    expect(values[0]).toBeGreaterThan(0);
    expect(stats.tapeRecords).toBe(0);
    program.dispose();
  });

  test("a tape without a budget of its own ends at the memory budget", () => {
    const program = machine.load("(loop ((x a)) (recur (sin x)))");
    const error = caught(() => program.gradient({ a: 1 }));
    expect(["E-TAPE", "E-MEMORY"]).toContain(error.code);
    program.dispose();
    expectAllFits();
  });

  test("the tape budget covers what the backward pass needs", () => {
    const program = machine.load("(loop ((i 0) (x a)) (if (= i 100) x (recur (+ i 1) (sin x))))");
    const inputs = { a: [1, 2, 3] };
    // Each lane alone needs less: narrower chunks are tried before the budget is used up.
    const { stats } = program.gradient({ a: 1 }, { replay: false });
    const needed = stats.tapeBytes + stats.primalBytes + stats.adjointBytes;
    for (const replay of [true, false]) {
      const run = (tapeBytesMax: number) => program.gradient(inputs, { tapeBytesMax, replay });
      expect(run(needed).failures).toEqual([]);
      expect(caught(() => run(needed - 100)).code).toBe("E-TAPE");
    }
    // A trace that is kept is no way around the budget.
    program.gradient(inputs);
    expect(caught(() => program.gradient(inputs, { tapeBytesMax: 1000 })).code).toBe("E-TAPE");
    program.dispose();
  });

  test("shared structure that unfolds exponentially ends at the step budget", () => {
    const doubled = "(define (twice n x) (if (= n 0) x (twice (- n 1) (cons x x))))";
    const program = machine.load(`${doubled} (equal? (twice 50 1) (twice 50 1))`);
    const error = caught(() => program.evaluate({}, { stepsMax: 1e6 }));
    expect(error.code).toBe("E-STEPS");
    expect(covered(error)).toBe("(equal? (twice 50 1) (twice 50 1))");
    program.dispose();
    const same = machine.load(`${doubled} (let ((x (twice 50 1))) (equal? x x))`);
    expect(same.evaluate({}, { stepsMax: 1e6 }).print()).toBe("#t");
    same.dispose();
    expectUsable(machine);
  });

  test.each([
    "(list? l)",
    "(length l)",
    "(list-tail l 20000)",
    "(list-copy l)",
    "(append l '())",
    "(memv -1 l)",
    "(apply + l)",
  ])("long lists cost steps: %s", (work) => {
    const build = "(define (build n acc) (if (= n 0) acc (build (- n 1) (cons n acc))))";
    const source = `${build} (let ((l (build 20000 '()))) (loop ((i 0)) (if (= i n) i (begin ${work} (recur (+ i 1))))))`;
    const program = machine.load(source);
    const steps = (n: number): number => program.evaluate({ n }).stats.steps;
    expect(steps(4) - steps(3)).toBeGreaterThan(20000 / 32);
    program.dispose();
  });
});

describe("large tensors cost a step for each 32 elements", () => {
  /** Steps that `work` takes beyond the same call on small operands. */
  const extra = (source: string, small: string): number => {
    const programs = [source, small].map((text) => machine.load(text));
    const [large, least] = programs.map((program) => {
      const inputs = program.inputs.includes("a") ? { a: 2 } : {};
      return program.evaluate(inputs, { replay: false }).stats.steps;
    });
    for (const program of programs) program.dispose();
    return (large as number) - (least as number);
  };

  test.each([
    ["(vlen (zeros 64000))", "(vlen (zeros 64))", 2000],
    ["(rows (ones 320 200))", "(rows (ones 8 8))", 2000],
    ["(rows (eye 320))", "(rows (eye 8))", 3200],
    ["(vlen (sin (zeros 3200)))", "(vlen (sin (zeros 32)))", 200],
    ["(vlen (+ (zeros 3200) 1))", "(vlen (+ (zeros 32) 1))", 200],
    ["(vlen (scale a (zeros 3200)))", "(vlen (scale a (zeros 32)))", 200],
    ["(define v (zeros 3200)) (vlen (+ v v v v))", "(define v (zeros 8)) (vlen (+ v v v v))", 400],
    ["(vsum (ones 3200))", "(vsum (ones 32))", 200],
    ["(dot (ones 3200) (zeros 3200))", "(dot (ones 32) (zeros 32))", 300],
    ["(rows (outer (ones 64) (ones 640)))", "(rows (outer (ones 8) (ones 8)))", 20 + 1280],
    ["(rows (matmul (ones 64 2) (ones 2 64)))", "(rows (matmul (ones 4 2) (ones 2 4)))", 8 + 256],
    ["(rows (matmul (ones 64 0) (ones 0 64)))", "(rows (matmul (ones 4 0) (ones 0 4)))", 128],
    ["(rows (inv (eye 16)))", "(rows (inv (eye 2)))", 8 + 128],
    ["(vlen (solve (eye 16) (ones 16)))", "(vlen (solve (eye 2) (ones 2)))", 8 + 136],
    ["(rows (mat (ones 320) (ones 320)))", "(rows (mat (ones 2) (ones 2)))", 20 + 20],
    ["(vlen (ref (ones 2 3200) 1))", "(vlen (ref (ones 2 32) 1))", 200 + 100],
    ["(equal? (ones 3200) (ones 3200))", "(equal? (ones 32) (ones 32))", 300],
  ])("%s", (source, small, steps) => {
    expect(extra(source, small)).toBe(steps);
  });

  test("they are charged before memory is taken", () => {
    const program = machine.load("(vsum (* a (zeros 1000000)))");
    const before = machine.exports.memoryBytes();
    const error = caught(() => program.evaluate({ a: 1 }, { stepsMax: 31_000 }));
    expect(error.code).toBe("E-STEPS");
    expect(covered(error)).toBe("(zeros 1000000)");
    expect(machine.exports.memoryBytes()).toBe(before);
    program.dispose();
    expectUsable(machine);
  });

  test("the charge is the same with a tape, without one, and for any number of lanes", () => {
    const program = machine.load(
      "(define m (* a (ones 3 320))) (+ (vsum (ref m 1)) (ref (ref m 2) 7) (dot (ref m 0) (ref m i)))",
    );
    const alone = program.evaluate({ a: 2, i: 1 }, { replay: false }).stats.steps;
    expect(program.gradient({ a: 2, i: 1 }, { replay: false }).stats.steps).toBe(alone);
    const lanes = { a: [1, 2, 3], i: [0, 1, 2] };
    for (const chunk of [1, 3]) {
      for (const stepsMax of [alone, alone - 1]) {
        const run = () => program.gradient(lanes, { stepsMax, chunk, replay: false }).failures;
        if (stepsMax === alone) expect(run()).toEqual([]);
        else expect(caught(run).code).toBe("E-STEPS");
      }
    }
    program.dispose();
  });
});

describe("a primitive that passes the step budget", () => {
  const bomb = "(loop ((l '(1 2))) (recur (append l l)))";

  test.each([1, 2, 5])("says so as a cell does, and where: %d lanes", (lanes) => {
    const list = "(map (lambda (x) x) '(1 2 3 4 5 6 7 8 9 10))";
    const grown = `(let ((l ${list})) (+ a (length (append ${"l ".repeat(40)}))))`;
    for (const source of ["(vsum (ones (* a 1000) 100))", grown]) {
      const program = machine.load(source);
      const a = Array.from({ length: lanes }, () => 200);
      const most = 200;
      for (const run of ["evaluate", "gradient"] as const)
        for (const replay of [true, false]) {
          const error = caught(() => program[run]({ a }, { stepsMax: most, replay }));
          expect(error.message).toBe(`the program took more than ${most} steps`);
          expect(error.facts).toEqual({ reason: "budget", option: "stepsMax", limit: most });
          expect(source).toContain(covered(error) ?? "no span");
        }
      program.dispose();
    }
  });

  test("fails all lanes of one path in one walk", () => {
    const program = machine.load(`(if (> x 0) ${bomb} x)`);
    const { failures, values, stats } = program.evaluate({ x: [1, -1, 2, 3] }, { stepsMax: 500 });
    expect(failures.map(({ lane }) => lane)).toEqual([0, 2, 3]);
    expect(new Set(failures.map(({ error }) => error)).size).toBe(1);
    expect(failures[0]?.error).toMatchObject({ code: "E-STEPS" });
    expect(values[1]).toBe(-1);
    expect(stats.walks).toBe(1);
    program.dispose();
  });

  test("fails each lane by its own steps", () => {
    // One side of the branch costs two hundred steps more than the other.
    const costly = "(vsum (* x (ones 6400)))";
    const source = `(let ((y (if (> x 0) ${costly} x))) (+ y (vsum (* y (ones 3200)))))`;
    const program = machine.load(source);
    const x = [1, -1, 2];
    const alone = x.map((each) => program.evaluate({ x: each }, { replay: false }).stats.steps);
    const stepsMax = (alone[1] as number) + 20;
    expect(stepsMax).toBeLessThan(alone[0] as number);
    const { failures, values } = program.evaluate({ x }, { stepsMax });
    expect(failures.map(({ lane }) => lane)).toEqual([0, 2]);
    expect(values[1]).toBe(-3201);
    program.dispose();
  });

  test("does not fail a lane that would have found a difference before", () => {
    const list = `'(${"1 ".repeat(300)})`;
    const program = machine.load(`(if (equal? (cons x ${list}) (cons 1 ${list})) 10 20)`);
    const { failures, values } = program.evaluate({ x: [1, 2, 1] }, { stepsMax: 100 });
    expect(failures.map(({ lane }) => lane)).toEqual([0, 2]);
    expect(values[1]).toBe(20);
    program.dispose();
  });
});

describe("an endless loop", () => {
  let program: Program;
  beforeAll(() => {
    program = machine.load(endless);
  });

  test("ends at the step budget", () => {
    for (const stepsMax of [1, 2, 10, 12_345, 1e6]) {
      const error = caught(() => program.evaluate({}, { stepsMax }));
      expect(error.code).toBe("E-STEPS");
      expect(error.message).toBe(`the program took more than ${stepsMax} steps`);
      expect(error.help).toBe("check that every loop ends, or raise stepsMax");
      expect(endless).toContain(covered(error) ?? "no span");
      expectUsable(machine);
    }
  });

  test("ends at the step budget with a tape, in a named let, in mutual tail calls", () => {
    for (const source of [
      "(let again ((x a)) (again x))",
      "(define (f x) (g x)) (define (g x) (f x)) (f a)",
      "(do ((x a (* x 1))) (#f x))",
      "(define (f x) (apply f (list x))) (f a)",
      "((lambda (f) (f f a)) (lambda (f x) (f f x)))",
    ]) {
      const other = machine.load(source);
      expect(caught(() => other.gradient({ a: 1 }, { stepsMax: 50_000 })).code).toBe("E-STEPS");
      other.dispose();
    }
    expectUsable(machine);
  });

  test("a budget of exactly the steps taken is enough", () => {
    const sum = machine.load("(loop ((i 0)) (if (= i 100) i (recur (+ i 1))))");
    const { steps } = sum.evaluate().stats;
    expect(sum.evaluate({}, { stepsMax: steps }).values[0]).toBe(100);
    expect(caught(() => sum.evaluate({}, { stepsMax: steps - 1 })).code).toBe("E-STEPS");
    sum.dispose();
  });

  test("ends at the time limit", async () => {
    const limits = { stepsMax: 1e15, timeMax: 30 };
    const error = caught(() => program.evaluate({}, limits));
    expect(error.code).toBe("E-TIME");
    expect(error.message).toBe("the program ran longer than 30 ms");
    expect(error.help).toBe("check that every loop ends, or raise timeMax");
    expect(endless).toContain(covered(error) ?? "no span");
    expectUsable(machine);
    expect((await caughtLater(program.evaluateAsync({}, limits))).code).toBe("E-TIME");
    expectUsable(machine);
  });

  test("ends when the caller aborts while it runs", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 30);
    const running = program.evaluateAsync({}, { stepsMax: 1e15, signal: controller.signal });
    const error = await caughtLater(running);
    expect(error.code).toBe("E-ABORTED");
    expect(error.message).toBe("the evaluation was aborted by the caller");
    expect(endless).toContain(covered(error) ?? "no span");
    expectUsable(machine);
  });

  test("ends when the caller aborts a gradient while it runs", async () => {
    const source = "(begin (* a a) (loop ((i 0)) (recur (- 1 i))))";
    const recorded = machine.load(source);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const { signal } = controller;
    const error = await caughtLater(recorded.gradientAsync({ a: 1 }, { stepsMax: 1e15, signal }));
    expect(error.code).toBe("E-ABORTED");
    expect(source).toContain(covered(error) ?? "no span");
    expect(error.help).toMatch(/\S+ \S+/);
    recorded.dispose();
    expectUsable(machine);
  });

  test("one that ends in time gives the same bits either way", async () => {
    const long = machine.load(
      "(loop ((i 0) (x a)) (if (= i 300000) x (recur (+ i 1) (+ (* 0.5 x) 1.0))))",
    );
    const sync = long.evaluate({ a: [0.1, 7] });
    const later = await long.evaluateAsync({ a: [0.1, 7] }, { timeMax: 1e6 });
    expect(later.values).toEqual(sync.values);
    expect(later.stats.steps).toBe(sync.stats.steps);
    long.dispose();
    const short = machine.load("(loop ((i 0) (x a)) (if (= i 9000) x (recur (+ i 1) (sin x))))");
    const { gradients } = short.gradient({ a: [0.1, 7] });
    expect((await short.gradientAsync({ a: [0.1, 7] })).gradients).toEqual(gradients);
    expect(short.gradient({ a: [0.1, 7] }, { timeMax: 1e6 }).gradients).toEqual(gradients);
    short.dispose();
  });
});

describe("lanes that disagree about control", () => {
  test.each([
    ["(if (> x 0) (* 3 x) (- x))", [3, 1, 6], [3, -1, 3]],
    ["(loop ((y x)) (if (> y 10) y (recur (+ 3 (abs y)))))", [13, 13, 11], [1, -1, 1]],
    ["(ref [10 20 30 40] (+ x 1))", [30, 10, 40], [0, 0, 0]],
    ["(length (if (> x 0) '(1 2) '()))", [2, 0, 2], [0, 0, 0]],
    ["((if (> x 0) square -) x)", [1, 1, 4], [2, -1, 4]],
  ])("%s", (source, values, slopes) => {
    const program = machine.load(source);
    const result = program.gradient({ x: [1, -1, 2] });
    expect([...result.values]).toEqual(values);
    expect([...(result.gradients["x"] ?? [])]).toEqual(slopes);
    program.dispose();
    expectUsable(machine);
  });

  test("a lane that fails is listed, and the others have their values", () => {
    const program = machine.load("(if (> x 0) (* 2 x) (car x))");
    const result = program.gradient({ x: [1, -1, 2] });
    expect([...result.values]).toEqual([2, Number.NaN, 4]);
    expect([...(result.gradients["x"] ?? [])]).toEqual([2, Number.NaN, 2]);
    expect(result.failures.map(({ lane, error }) => [lane, error.code])).toEqual([[1, "E-TYPE"]]);
    expect(caught(() => program.evaluate({ x: [-1, -2] })).code).toBe("E-TYPE");
    program.dispose();
    expectUsable(machine);
  });

  test("a boolean that differs between lanes is a value like any other", () => {
    const program = machine.load("(> x 0)");
    const result = program.evaluate({ x: [1, -1, Number.NaN] });
    expect([0, 1, 2].map((lane) => result.datum(lane))).toEqual([true, false, false]);
    expect(result.print(1)).toBe("#f");
    program.dispose();
  });
});
