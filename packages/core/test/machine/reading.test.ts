/**
 * Reading a result takes no more than the machine's memory budget: structure that shares its parts
 * unfolds without end when it is written out. The fuzz builds structure out of random conses and
 * reads it with budgets of several sizes; the seed is printed, `SEED=…` repeats it.
 */

import { describe, expect, test } from "vitest";
import { type DatumValue, Machine, NdvmError, troublesOf } from "../../src/index.js";
import { Random } from "../fuzz/random.js";
import { caught } from "./support.js";

const { SEED, RESULTS } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);
const programs = Number(RESULTS ?? 150);
const MEBI = 2 ** 20;

const nested = (depth: number, of: string): string =>
  `(loop ((i 0) (x ${of})) (if (= i ${depth}) x (recur (+ i 1) (cons x x))))`;

describe("a result of shared structure", () => {
  test.each([
    ["sixty nested conses", nested(60, "1")],
    ["conses of a vector", nested(40, "[1 2 3]")],
    ["lists of lists", "(loop ((i 0) (x '(1))) (if (= i 50) x (recur (+ i 1) (list x x x))))"],
    [
      "a list of one large vector",
      "(let ((v (ones 10000))) (map (lambda (q) v) (vector->list-of 3000)))",
    ],
  ])("%s: reading it is E-MEMORY, and the machine goes on", async (_, source) => {
    const text = source.replace(
      "(vector->list-of 3000)",
      "(loop ((i 0) (l '())) (if (= i 3000) l (recur (+ i 1) (cons i l))))",
    );
    const machine = await Machine.create({ memoryMax: 16 * MEBI });
    const result = machine.load(text).evaluate();
    for (const read of [() => result.datum(), () => result.print()]) {
      const error = caught(read);
      expect(error.code).toBe("E-MEMORY");
      expect(error.facts).toEqual({ reason: "result", option: "memoryMax", limit: 16 * MEBI });
      expect(error.help).toContain("memoryMax");
    }
    expect(machine.load("(+ 1 2)").evaluate().print()).toBe("3");
    machine.dispose();
  });

  test("is read where the budget allows it", async () => {
    const machine = await Machine.create({ memoryMax: 64 * MEBI });
    const text = machine.load(nested(15, "1")).evaluate().print();
    expect(text.split("1")).toHaveLength(2 ** 15 + 1);
    machine.dispose();
  });

  test("of a pool: reading it is E-MEMORY, as on one machine, and the call is not", async () => {
    const machine = await Machine.create({ memoryMax: 16 * MEBI });
    const pool = await machine.pool({ workers: 1 });
    const program = machine.load(`(if (> a 0) ${nested(60, "a")} a)`);
    const result = await pool.evaluate(program, { a: [1, -2] });
    for (const read of [() => result.datum(0), () => result.print(0)])
      expect(caught(read).code).toBe("E-MEMORY");
    expect(result.print(1)).toBe("-2");
    await pool.dispose();
    machine.dispose();
  });

  test("of many lanes is read from a pool where one machine reads it: all lanes had one budget", async () => {
    const machine = await Machine.create({ memoryMax: 16 * MEBI });
    const pool = await machine.pool({ workers: 1 });
    const program = machine.load(`(if (< x 5000) '(${"a ".repeat(100)}) (list x car))`);
    const x = Float64Array.from({ length: 6000 }, (_, lane) => lane);
    const [own, theirs] = [program.evaluate({ x }), await pool.evaluate(program, { x })];
    for (const lane of [0, 4999, 5000, 5999]) {
      expect(theirs.print(lane)).toBe(own.print(lane));
      expect(theirs.datum(lane)).toEqual(own.datum(lane));
    }
    await pool.dispose();
    machine.dispose();
  });
});

describe("long names in a result", () => {
  const name = "s".repeat(100_000);
  const list = (item: string) =>
    `(define (${name}) 1) (loop ((i 0) (l '())) (if (= i 2000) l (recur (+ i 1) (cons ${item} l))))`;

  test.each([
    ["symbols", `'${name}`],
    ["symbols between bars", `'|${"\\x1;".repeat(50_000)}|`],
    ["procedures", name],
  ])("of %s are counted: texts grew until the process died", async (_, item) => {
    const machine = await Machine.create({ memoryMax: 16 * MEBI });
    const result = machine.load(list(item)).evaluate();
    for (const read of [() => result.datum(), () => result.print()])
      expect(caught(read).facts).toMatchObject({ reason: "result", limit: 16 * MEBI });
    machine.dispose();
  });

  test("are cut in the messages of lanes that fail", async () => {
    const machine = await Machine.create();
    const { failures } = machine.load(`(if (< x 1) x (car '${name}))`).evaluate({ x: [0, 1, 2] });
    expect(failures.map(({ lane }) => lane)).toEqual([1, 2]);
    expect(failures[1]?.error.message).toBe(`car needs a pair, got the symbol ${"s".repeat(99)}…`);
    machine.dispose();
  });
});

describe("lanes that fail or are not finite", () => {
  const x = Float64Array.from({ length: 200_000 }, (_, lane) => lane);

  test("take no room until they are read, and then count: lists of them were in no budget", async () => {
    const machine = await Machine.create({ memoryMax: 8 * MEBI });
    const infinite = machine.load("(/ x 0)").evaluate({ x });
    expect([infinite.values[0], infinite.values[1]]).toEqual([Number.NaN, Infinity]);
    expect(caught(() => infinite.nonFinite).facts.reason).toBe("result");
    const { notFinite, failed } = troublesOf(infinite);
    expect([notFinite.count, failed.count]).toEqual([x.length, 0]);
    const [first, second] = notFinite;
    expect([first?.value, second?.message]).toEqual([
      Number.NaN,
      "lane 1 is Infinity: first made so by (/ x 0)",
    ]);
    const failing = machine.load("(if (< x 1) x (car x))").evaluate({ x });
    expect(caught(() => failing.failures).facts.reason).toBe("result");
    expect(troublesOf(failing).failed.count).toBe(x.length - 1);
    expect(caught(() => failing.datum(199_999)).message).toBe("car needs a pair, got x = 199999");
    machine.dispose();
  });

  test("are listed by lane, each with its own number", async () => {
    const machine = await Machine.create();
    const program = machine.load("(if (< (modulo x 3) 1) (log (- 0 x)) (if (< x 5) x (car x)))");
    const lanes = Array.from({ length: 40 }, (_, lane) => lane);
    const { failures, nonFinite } = program.evaluate({ x: lanes });
    const failed = lanes.filter((lane) => lane % 3 > 0 && lane >= 5);
    expect(failures.map(({ lane, error }) => [lane, error.message])).toEqual(
      failed.map((lane) => [lane, `car needs a pair, got x = ${lane}`]),
    );
    expect(nonFinite.map(({ lane }) => lane)).toEqual(lanes.filter((lane) => lane % 3 === 0));
    machine.dispose();
  });
});

test("lanes of structure are found at once: each was looked for in all chunks", async () => {
  const machine = await Machine.create();
  const lanes = 200_000;
  const result = machine.load("(list x)").evaluate({ x: new Float64Array(lanes).fill(2) });
  const begin = performance.now();
  for (let lane = 0; lane < lanes; lane++) result.datum(lane);
  expect(performance.now() - begin).toBeLessThan(2000);
  machine.dispose();
});

test("numbers of many lanes obey the budget where each lane has many", async () => {
  const machine = await Machine.create({ memoryMax: 8 * MEBI });
  const wide = machine.load("(scale a (ones 1000))");
  const a = Float64Array.from({ length: 2000 }, (_, i) => i);
  expect(caught(() => wide.evaluate({ a })).code).toBe("E-MEMORY");
  expect(wide.evaluate({ a: a.subarray(0, 500) }).values).toHaveLength(500_000);
  expect(machine.load("(* 2 a)").evaluate({ a: new Float64Array(2e6) }).lanes).toBe(2e6);
  machine.dispose();
});

test("a uniform vector in the structure of many lanes is kept once", async () => {
  const machine = await Machine.create({ memoryMax: 8 * MEBI });
  const result = machine
    .load("(list a (ones 1000))")
    .evaluate({ a: Array.from({ length: 1000 }, (_, i) => i) });
  const [own, ones] = result.datum(999) as readonly DatumValue[];
  expect(own).toBe(999);
  expect(ones).toEqual(new Float64Array(1000).fill(1));
  machine.dispose();
});

// ─── Fuzz ────────────────────────────────────────────────────────────────────

/** What JavaScript makes of the same steps: nested arrays that share their parts, and sizes. */
interface Model {
  readonly text: string;
  /** Pairs and leaves when it is written out; beyond 2⁵³ it is only large. */
  readonly parts: number;
}

const write = (list: Model): string => (list.text === "()" ? "" : ` ${list.text.slice(1, -1)}`);

/** Random conses, lists and leaves, each over what came before. */
function makeSteps(random: Random): { source: string; model: Model } {
  const names: string[] = [];
  const models: Model[] = [];
  const bindings: string[] = [];
  const add = (expression: string, model: Model): void => {
    const name = `s${names.length}`;
    bindings.push(`(${name} ${expression})`);
    names.push(name);
    models.push(model);
  };
  const leaf = (): void => {
    const [text, parts] = random.pick([
      ["1", 1],
      ["'x", 1],
      ["[1 2.5]", 3],
      ["'()", 1],
      ["#t", 1],
    ] as const);
    add(text, { text: text.replace("'", ""), parts });
  };
  leaf();
  leaf();
  const steps = random.between(1, random.chance(0.3) ? 60 : 12);
  for (let i = 0; i < steps; i++) {
    const latest = names.length - 1;
    if (random.chance(0.1)) leaf();
    const a = random.chance(0.8) ? latest : random.below(names.length);
    const b = random.chance(0.8) ? latest : random.below(names.length);
    const [x, y] = [models[a] as Model, models[b] as Model];
    const parts = x.parts + y.parts + 1;
    const isSmall = parts < 3000;
    if (!isSmall) add(`(cons ${names[a]} ${names[b]})`, { text: "", parts });
    else if (y.text.startsWith("("))
      add(`(cons ${names[a]} ${names[b]})`, { text: `(${x.text}${write(y)})`, parts });
    else add(`(cons ${names[a]} ${names[b]})`, { text: `(${x.text} . ${y.text})`, parts });
  }
  const source = `(let* (${bindings.join(" ")}) ${names.at(-1)})`;
  return { source, model: models.at(-1) as Model };
}

test(`fuzz: a result reads as it is, or is E-MEMORY, seed ${seed}`, async () => {
  console.info(`result reading: ${programs} programs, SEED=${seed}`);
  const machines = await Promise.all(
    [4, 16, 64].map((mebi) => Machine.create({ memoryMax: mebi * MEBI })),
  );
  const seen = { read: 0, refused: 0 };
  for (let index = 0; index < programs; index++) {
    const random = new Random(seed, index);
    const { source, model } = makeSteps(random);
    const machine = random.pick(machines);
    const program = machine.load(source);
    const result = program.evaluate();
    const what = `program ${index} of SEED=${seed}: ${source}`;
    try {
      const text = result.print();
      seen.read += 1;
      if (model.parts < 3000) expect(text, what).toBe(model.text);
      // A part takes a byte of text at the least, and far more as a datum.
      expect(model.parts, what).toBeLessThan(machine.memoryMax / 100);
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
      seen.refused += 1;
      expect(error.code, what).toBe("E-MEMORY");
      expect(model.parts, what).toBeGreaterThan(machine.memoryMax / 2000);
      if (model.parts * 32 > machine.memoryMax)
        expect(caught(() => result.datum()).code, what).toBe("E-MEMORY");
    }
    program.dispose();
  }
  expect(seen.read).toBeGreaterThan(0);
  expect(seen.refused).toBeGreaterThan(0);
  for (const machine of machines) machine.dispose();
});
