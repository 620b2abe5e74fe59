/**
 * A dialogue after any history: lines that fail leave no trace in it. A second dialogue is told only the
 * lines that did not fail, and both answer the same questions with the same words.
 */

import { Machine, type NdvmError, Random } from "@ndvm/core";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { readInputs } from "../src/inputs.js";
import type { ProgramOptions } from "../src/options.js";
import { Dialogue } from "../src/repl/dialogue.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`dialogue-history: SEED=${seed}`);

const machine = await Machine.create();
afterAll(() => machine.dispose());
afterEach(() => void vi.restoreAllMocks());

const OPTIONS: ProgramOptions = { precision: "f64", domain: "ieee", steps: 1e5 };
const FILES: Readonly<Record<string, string>> = {
  good: "(define (g q) (+ q k))\n(g 2)",
  bad: "(define (g q) (* 100 q))\n(car 1)",
  defs: "(define (f q) (- q 1))",
};

/** A dialogue that has begun with inputs, what it wrote on both streams, and what its lines threw. */
async function begun(sets: readonly string[] = [], on: Machine = machine) {
  const said: string[] = [];
  const options = { ...OPTIONS, precision: on.precision };
  const dialogue = new Dialogue(on, options, await readInputs(sets), async (name) => {
    const text = FILES[name];
    if (text === undefined) throw new Error(`no file ${name}`);
    return text;
  });
  const tell = async (line: string): Promise<string> => {
    said.length = 0;
    for (const name of ["stdout", "stderr"] as const)
      vi.spyOn(process[name], "write").mockImplementation((text) => said.push(String(text)) > 0);
    try {
      await dialogue.run(line, new AbortController().signal);
      return said.join("");
    } catch (error) {
      return `${said.join("")}FAILED ${String(error)}`;
    } finally {
      vi.restoreAllMocks();
    }
  };
  return { dialogue, tell };
}

/** What somebody may type, half of it in vain. */
const LINES = [
  ...["(* a x)", "(f 3)", "(+ (g 1) a)", "(car 1)", "(+ a missing)", "(* 2", "x", "(list a 'w)"],
  ...["(define k 2)", "(define k (car 5))", "(define (f q) (* q a))", "(define (g q) (+ q k))"],
  ...["(define (f q) (car q))", "(define a 7) (* a a)", "(define a 8) (car a)", "(define h k)"],
  ...[":set a=3", ":set a=1,2,3", ":set x=0:4:2", ":set a", ":set b=", ":set v=[1, 2]", ":set k=9"],
  ...[
    ":unset a",
    ":unset nobody",
    ":grad",
    ":grad a",
    ":grad nobody",
    ":tape",
    ":core",
    ":nothing",
  ],
  ...[":load good", ":load bad", ":load none", ":load defs", ":reset", "(loop () (recur))"],
];

/** Questions that change nothing, and together see everything that a dialogue knows. */
const QUESTIONS = [":defs", ":inputs", ":core", ":tape", ":grad", ":grad a"];

test("a line that fails leaves the dialogue as it was, whatever came before it", async () => {
  const random = new Random(seed);
  let failures = 0;
  for (let run = 0; run < 60; run++) {
    const sets = run % 3 === 0 ? [] : ["a=2", "x=5", "k=1"].slice(0, run % 4);
    const one = await begun(sets);
    const history: string[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const line = LINES[random.below(LINES.length)] as string;
      const said = await one.tell(line);
      if (said.includes("FAILED")) failures += 1;
      else history.push(line);
    }
    const other = await begun(sets);
    for (const line of history) expect(await other.tell(line), line).not.toContain("FAILED");
    for (const question of QUESTIONS) {
      const [here, there] = [await one.tell(question), await other.tell(question)];
      expect(here, `SEED=${seed}, run ${run}, ${question} after ${history.join(" | ")}`).toBe(
        there,
      );
    }
  }
  expect(failures).toBeGreaterThan(60);
});

test("what a file is said to hold is there up to the line that failed, or not at all", async () => {
  // A file is one input: nothing of it is kept where its expression fails.
  const { tell } = await begun();
  await tell(":load defs");
  expect(await tell(":load bad")).toContain("FAILED");
  expect(await tell(":defs")).toBe("(define (f q) (- q 1))\n");
});

test("questions are of the last expression that had a value, with the inputs of now", async () => {
  const { tell } = await begun(["a=3", "x=2"]);
  expect(await tell(":grad")).toContain("FAILED UsageError: evaluate an expression first");
  expect(await tell("(* a x)")).toBe("6\n");
  for (const line of ["(car 1)", "(+ a nobody)", "(* 2", "(define (z q) (* 2 q))"])
    await tell(line);
  expect(await tell(":grad a")).toMatch(/^value {2}6\n[\s\S]*\na +3 +2\n$/);
  await tell(":set a=10");
  expect(await tell(":grad x")).toMatch(/^value {2}20\n[\s\S]*\nx +2 +10\n$/);
  expect(await tell(":grad a, x")).toMatch(/\na +10 +2\nx +2 +10\n$/);
  await tell(":reset");
  expect(await tell(":tape")).toContain("evaluate an expression first");
  expect(await tell(":inputs")).toBe("(none)\n");
});

test("after :reset a dialogue is as new, whatever it began with", async () => {
  const [used, fresh] = [await begun(["a=3"]), await begun()];
  for (const line of ["(define (f q) (* q a))", ":set x=2", "(f x)", ":reset"])
    await used.tell(line);
  for (const line of [...QUESTIONS, "(f 1)", "(+ x 1)", "(define a 1)", "a", ...QUESTIONS])
    expect(await used.tell(line), line).toBe(await fresh.tell(line));
});

test("numbers have the digits that their precision has, values and gradients", async () => {
  const single = await Machine.create({ precision: "f32" });
  const { tell } = await begun(["x=3"], single);
  expect(await tell("(/ x 7)")).toBe("0.42857143\n");
  expect(await tell(":grad")).toMatch(/^value {2}0\.42857143\n[\s\S]*\nx +3 +0\.14285715\n$/);
  single.dispose();
});

test("each kind of input is told by its own words", async () => {
  const { tell } = await begun();
  for (const line of [
    ...[":set a=1.5", ":set t=0:10:5", ":set l=1,2", ":set v=[1, 2, 3]"],
    ":set m=[[1, 2, 3], [4, 5, 6]]",
  ])
    expect(await tell(line)).toBe("");
  expect(await tell(":inputs")).toBe(
    "a = 1.5\nt: 3 lanes\nl: 2 lanes\nv: vector 3×1\nm: matrix 2×3\n",
  );
  expect(await tell(":set a=7")).toBe("");
  expect(await tell(":inputs")).toMatch(/^a = 7\nt: 3 lanes\n/);
  await tell(":unset t");
  expect(await tell(":inputs")).toMatch(/^a = 7\nl: 2 lanes\n/);
  const counted = new Dialogue(machine, OPTIONS, await readInputs([], ["n=4"]), async () => "");
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  await counted.run(":inputs", new AbortController().signal);
  expect(write.mock.calls).toEqual([["n = 4 (integer)\n"]]);
});

test("a definition that is made again stays in its place, and what follows it sees it", async () => {
  const { tell } = await begun();
  for (const line of ["(define k 2)", "(define (f q) (* q k))", "(define c 1)"]) await tell(line);
  expect(await tell("(define k 5) (define d 9)")).toBe("; k\n; d\n");
  expect(await tell("(f 3)")).toBe("15\n");
  expect(await tell(":defs")).toBe(
    "(define k 5)\n(define (f q) (* q k))\n(define c 1)\n(define d 9)\n",
  );
  // Definitions between expressions are kept, and the expression's own place stays its place.
  expect(await tell("(define e 1)\n(car e)")).toContain("FAILED NdvmError: car needs a pair");
  expect(await tell(":defs")).not.toContain("define e");
});

test("a definition is refused where it fails with those before it, or with the inputs of now", async () => {
  const { tell } = await begun(["x=3"]);
  await tell("(define k 2)");
  expect(await tell("(define h (car k))")).toContain(
    "FAILED NdvmError: car needs a pair, got k = 2",
  );
  expect(await tell("(define h (car x))")).toContain("FAILED NdvmError: car needs a pair");
  // What asks for an input that nobody has set cannot be tried yet.
  expect(await tell("(define h (car later))")).toBe("; h\n");
  await tell(":set later=1");
  expect(await tell("(+ k 1)")).toContain("FAILED");
  expect(await tell("(define h 4) (define j (+ h k))")).toBe("; h\n; j\n");
  expect(await tell("j")).toBe("6\n");
  // One that is made again is tried with what stands after it.
  expect(await tell("(define k (list 1))")).toContain("FAILED");
  expect(await tell("j")).toBe("6\n");
});

test("the last expression is asked about with the definitions of now, not those it was typed with", async () => {
  const { tell } = await begun(["x=3"]);
  expect(await tell("(define c 7) (* c x)")).toBe("21\n");
  await tell("(define c 9)");
  expect(await tell(":grad x")).toMatch(/^value {2}27\n[\s\S]*\nx +3 +9\n$/);
  expect((await tell(":core")).match(/define|7/g)).not.toContain("7");
});

test("an error is placed in what was typed, or in the definition that it is from", async () => {
  const { dialogue, tell } = await begun();
  await tell("(define (f q)\n  (car q))");
  const placed = async (line: string): Promise<unknown> => {
    vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const found = dialogue.run(line, new AbortController().signal);
    const error = (await found.catch((thrown: unknown) => thrown)) as NdvmError;
    const { start = 0, end = 0 } = error.span ?? {};
    return [error.file, error.source?.slice(start, end)];
  };
  expect(await placed("(define two 2) (+ two (car two))")).toEqual([undefined, "(car two)"]);
  expect(await placed("(+ 1 (f 3))")).toEqual(["definition of f", "(car q)"]);
  await tell("(define (g q) (cdr q))");
  expect(await placed("(g 1)")).toEqual(["definition of g", "(cdr q)"]);
  expect(await placed("(f 1)")).toEqual(["definition of f", "(car q)"]);
  // One that begins where the input does, behind definitions that were made before.
  expect(await placed("(car 1)")).toEqual([undefined, "(car 1)"]);
  // Definitions in the same input leave their lines, so that the line is counted as it was typed.
  const input = "(define (h q)\n  q)\n(define z 1) (car\n 2)";
  const found = (await dialogue
    .run(input, new AbortController().signal)
    .catch((thrown: unknown) => thrown)) as NdvmError;
  expect(found.source?.replace(/ +/g, " ")).toBe(" \n \n (car\n 2)");
  expect(found.source).toHaveLength(input.length);
  // A form that is not closed ends where the input does.
  expect(await placed("(+ 1 (* 2")).toEqual([undefined, "("]);
});
