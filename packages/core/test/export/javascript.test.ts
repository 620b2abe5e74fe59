/**
 * Programs as JavaScript text: run, they give what the machine gives.
 */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { exportModel, type Input, Machine, type Program } from "../../src/index.js";
import type { Domain } from "../../src/machine/types.js";
import { machineInputs } from "../fuzz/check.js";
import { isTame, opinionOf, refInputs } from "../fuzz/oracle.js";
import { sourceOf } from "../fuzz/program.js";
import { programAt } from "../fuzz/run.js";
import { type LanguageCase, readCases } from "../language/cases.js";
import { RefError } from "../reference/values.js";
import { functionOf, isSameValue } from "./support.js";

const machine = await Machine.create({ precision: "f64" });
const seed = Number(process.env["SEED"] ?? 20_260_101);

/** An input as the exported function takes it. */
function plainInput(input: Input, lane: number): unknown {
  if (Array.isArray(input)) return input[lane];
  if (typeof input !== "object" || !("kind" in input)) return input;
  if (input.kind === "int") return input.value;
  if (input.kind !== "tensor") throw new Error("an axis");
  const { rank, rows, cols, data } = input;
  if (rank === 1) return [...data];
  return Array.from({ length: rows }, (_, r) => [...data.slice(r * cols, (r + 1) * cols)]);
}

function checkCase({ source, setting, expectation }: LanguageCase): void {
  const isError = expectation.startsWith("error");
  const domain = (setting.options.get("domain") ?? "ieee") as Domain;
  let program: Program;
  try {
    program = machine.load(source, { domain });
  } catch (error) {
    if (isError) return;
    throw error;
  }
  const known = [...setting.inputs].filter(([name]) => program.inputs.includes(name));
  const tensors = known.flatMap(([name, input]) =>
    typeof input === "object" && "kind" in input && input.kind === "tensor" ? [name] : [],
  );
  const text = exportModel({ program, tensors }, "javascript");
  const run = program.evaluate(Object.fromEntries(known));
  for (let lane = 0; lane < run.lanes; lane++) {
    const inputs = Object.fromEntries(
      known.map(([name, input]) => [name, plainInput(input, lane)]),
    );
    const got = functionOf(text)(inputs);
    expect(isSameValue(got, run.datum(lane)), `${text}\ngave ${JSON.stringify(got)}`).toBe(true);
  }
  program.dispose();
}

const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "language");
/** Recursion that is not a tail call uses JavaScript's stack, so a depth of a million is not for it. */
const left = ["forms/deep-recursion.scm"];
const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".scm") && !name.startsWith("errors") && !left.includes(name))
  .sort();

describe.each(files)("%s", (file) => {
  const cases = readCases(readFileSync(join(folder, file), "utf8")).filter(
    ({ setting, expectation }) =>
      !expectation.startsWith("error") && setting.options.get("precision") !== "f32",
  );
  test(`${cases.length} programs as JavaScript`, () => {
    for (const each of cases) checkCase(each);
  });
});

describe("depth", () => {
  const exported = (source: string): string =>
    exportModel({ program: machine.load(source) }, "javascript");
  const build = "(define (build n acc) (if (= n 0) acc (build (- n 1) (cons n acc))))";

  test.each([
    [
      "a procedure that calls itself",
      "(define (f n a) (if (= n 0) a (f (- n 1) (+ a 1)))) (f n 0)",
    ],
    [
      "two that call each other",
      "(define (f n a) (if (= n 0) a (g (- n 1) (+ a 1)))) (define (g n a) (f n a)) (f n 0)",
    ],
    [
      "a procedure that is given itself",
      "((lambda (f) (f f n 0)) (lambda (f n a) (if (= n 0) a (f f (- n 1) (+ a 1)))))",
    ],
    [
      "continuations",
      "(define (f n k) (if (= n 0) (k 0) (f (- n 1) (lambda (v) (k (+ v 1)))))) (f n (lambda (v) v))",
    ],
    ["map over a long list", `${build} (length (map (lambda (x) (* 2 x)) (build n '())))`],
  ])("tail calls take no stack: %s", (_, source) => {
    expect(functionOf(exported(source))({ n: 300_000 })).toBe(300_000);
  });

  test.each([
    ["recursion", "(define (down n) (if (= n 0) 0 (+ 1 (down (- n 1))))) (down n)"],
    [
      "mutual recursion",
      "(define (f n) (if (= n 0) 0 (+ 1 (g n)))) (define (g n) (* 1 (f (- n 1)))) (f n)",
    ],
    ["apply with a long list", `${build} (apply + (build n '()))`],
    ["lists in lists", "(loop ((i 0) (l 1)) (if (= i n) l (recur (+ i 1) (list l))))"],
  ])("where JavaScript's stack ends, the error says what to do: %s", (_, source) => {
    const run = functionOf(exported(source));
    expect(() => run({ n: 3 })).not.toThrow();
    expect(() => run({ n: 1_000_000 })).toThrow(
      new RangeError(
        "calls are nested too deep for JavaScript's stack: turn them into tail calls or a loop, run on a larger stack (node --stack-size=60000), or run the program with NDVM",
      ),
    );
  });

  test.each([
    "(* a (exp (* k t)))",
    "(define (logistic x) (* r x (- 1 x))) (loop ((i 0) (x x)) (if (= i 3) x (recur (+ i 1) (logistic x))))",
    "(define (f n a) (if (= n 0) a (f (- n 1) (+ a 1)))) (f n 0)",
    "(dot v (matvec (eye 3) v))",
  ])("a program that cannot nest has no such guard: %s", (source) => {
    expect(exported(source)).not.toContain("try {");
  });
});

test("a procedure whose second way out leads into a circle of calls goes round like the machine", () => {
  const source = `
    (letrec ((plain (lambda (n) (* n 2)))
             (even (lambda (n) (if (< n 1) 10 (odd (- n 1)))))
             (odd (lambda (n) (if (< n 1) 20 (even (- n 1)))))
             (first (lambda (n) (if (< n 3) (plain n) (even n))))
             (second (lambda (n) (if (< n 3) (even n) (plain n)))))
      (list (first x) (second x) (+ 1 (first x) (second x))))`;
  const program = machine.load(source);
  const text = exportModel({ program }, "javascript");
  for (const x of [0, 2, 3, 4, 7, 20_001]) {
    const wanted = program.evaluate({ x }).datum(0);
    expect(isSameValue(functionOf(text)({ x }), wanted), `${x}: ${text}`).toBe(true);
  }
  program.dispose();
});

test("a constant called constructor or __proto__ is not what every object inherits", () => {
  const names = [...Object.getOwnPropertyNames(Object.prototype), "_inputs", "_constants", "then"];
  for (const name of names) {
    for (const source of [`(* 2 ${name})`, `(+ x (* 2 ${name}) other)`]) {
      const params = Object.fromEntries([
        [name, 5],
        ...(source.includes("x ") ? [["other", 1]] : []),
      ]);
      const program = machine.load(source);
      const model = functionOf(exportModel({ program, params }, "javascript"));
      const rest = source.includes("x ") ? 4 : 0;
      expect(model({ x: 3 }), source).toBe(10 + rest);
      expect(model({ x: 3 }, {}), source).toBe(10 + rest);
      expect(model({ x: 3 }, Object.fromEntries([[name, 6]])), source).toBe(12 + rest);
      expect(model({ x: 3 }, { unused: 1 }), source).toBe(10 + rest);
      program.dispose();
    }
  }
});

test(`random programs as JavaScript (SEED=${seed})`, () => {
  let compared = 0;
  for (let index = 0; index < 600; index++) {
    const program = programAt(seed, index);
    let isJudged = false;
    try {
      isJudged = isTame(opinionOf(program, 0));
    } catch (error) {
      if (!(error instanceof RefError || error instanceof RangeError)) throw error;
    }
    if (!isJudged) continue;
    const loaded = machine.load(sourceOf(program), { domain: program.domain });
    const tensors = program.inputs
      .filter(({ kind }) => kind === "vector" || kind === "matrix")
      .map(({ name }) => name);
    const text = exportModel({ program: loaded, tensors }, "javascript");
    const run = loaded.evaluate(machineInputs(loaded, program, [0]), { lanes: 1 });
    const got = functionOf(text)(refInputs(program, 0));
    const what = `program ${index}: ${sourceOf(program)}\n${text}\ngave ${JSON.stringify(got)}`;
    expect(isSameValue(got, run.datum(0)), what).toBe(true);
    loaded.dispose();
    compared += 1;
  }
  expect(compared).toBeGreaterThan(300);
});
