/**
 * Every primitive on every kind of operand as JavaScript: what the machine gives, the text gives, and
 * what the machine refuses, the text refuses. And what decides how a program is written: who calls whom,
 * how far recursion is unrolled, numbers that have no digits, names that are primitives' as well.
 */

import { describe, expect, test } from "vitest";
import { type ExportFormat, exportModel, Machine, NdvmError } from "../../src/index.js";
import { primitiveByName } from "../../src/primitives/index.js";
import { functionOf, isSameValue } from "./support.js";

const machine = await Machine.create({ precision: "f64" });

const NUMBERS = [-7, -2.5, -1.5, -1, -0.5, -0.25, 0, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 6.5, 9, 10, 12];
const PAIRED = [
  ...["0", "2", "2.5", "#f", "'a", "'()", "[1 2]", "[0 0 2]"],
  ...["(mat [1 2] [3 5])", "(mat [1 2 3] [4 5 6])", "(list 1 2)", "(cons 1 2)"],
  ...["'((1 2) (a 4) (2.5 5))", "+"],
];
const THINGS = [
  ...PAIRED,
  ...["1", "-1", "#t", "[3 -1]", "(mat [2 0] [0 3])", "(mat [0 0] [0 0])", "(list 'a 2.5 3)"],
  ...["(cons 1 '(2 . 3))", "(list [1 2] [3 4])", "(lambda (x) x)", "car"],
];

type Said = { readonly value: unknown } | "refused";

/** What a piece of work gives, or that it is refused. */
function said(work: () => unknown): Said {
  try {
    return { value: work() };
  } catch (error) {
    const isRefusal =
      error instanceof NdvmError || error instanceof TypeError || error instanceof RangeError;
    if (isRefusal) return "refused";
    throw error;
  }
}

const isSame = (got: Said, want: Said): boolean =>
  got === "refused" || want === "refused" ? got === want : isSameValue(got.value, want.value);

function machineSays(source: string): Said {
  return said(() => {
    const program = machine.load(source);
    const value = program.evaluate().datum(0);
    program.dispose();
    return value;
  });
}

const textSays = (source: string): Said => {
  const text = exportModel({ program: source }, "javascript");
  return said(() => functionOf(text)());
};

describe("every primitive as JavaScript", () => {
  const elementwise = new Map(
    [...primitiveByName].filter(([, { kind }]) => /^(unary|binary)/.test(kind)),
  );

  test.each([...elementwise])("%s of every pair of numbers", (name, { arity }) => {
    const wrong: string[] = [];
    for (let count = Math.max(1, arity.min); count <= Math.min(2, arity.max); count++) {
      const seconds = count === 2 ? NUMBERS : [1];
      const source = `(${name} ${["a", "b"].slice(0, count).join(" ")})`;
      const a = NUMBERS.flatMap((x) => seconds.map(() => x));
      const b = NUMBERS.flatMap(() => seconds);
      const program = machine.load(source);
      const run = program.evaluate(count === 2 ? { a, b } : { a });
      const text = functionOf(exportModel({ program, numbers: ["a", "b"] }, "javascript"));
      for (let lane = 0; lane < a.length; lane++) {
        const got = said(() => text({ a: a[lane], b: b[lane] }));
        const want = said(() => run.datum(lane));
        if (!isSame(got, want)) wrong.push(`${source} at ${a[lane]}, ${b[lane]}`);
      }
      program.dispose();
    }
    expect(wrong).toEqual([]);
  });

  test.each([...primitiveByName])("%s of every kind of operand", (name, { arity }) => {
    const wrong: string[] = [];
    const paired = elementwise.has(name) ? PAIRED.slice(2, 10) : PAIRED;
    const pairs = paired.flatMap((x) => paired.map((y) => [x, y]));
    for (let count = arity.min; count <= Math.min(2, arity.max); count++) {
      const operands = count === 0 ? [[]] : count === 1 ? THINGS.map((x) => [x]) : pairs;
      for (const list of operands) {
        // Whether two quoted lists that are written alike are one is nobody's promise.
        if (/^eqv?\?$/.test(name) && list[0] === list[1] && list[0]?.startsWith("'(")) continue;
        const source = `(${[name, ...list].join(" ")})`;
        const [want, got] = [machineSays(source), textSays(source)];
        if (!isSame(got, want))
          wrong.push(`${source}: ${JSON.stringify(got)} for ${JSON.stringify(want)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("refuses indices and sizes beyond their ends, as the machine does", () => {
    const indices = ["-1", "0", "1", "2", "3", "0.5", "#t"];
    const sources = indices.flatMap((i) => [
      ...[`(list-ref '(4 5) ${i})`, `(list-tail '(4 5) ${i})`, `(list-tail '(4 . 5) ${i})`],
      ...[`(ref [4 5] ${i})`, `(ref (mat [1 2] [3 4]) ${i})`, `(zeros ${i})`, `(eye ${i})`],
      ...indices.flatMap((j) => [
        `(ref (mat [1 2 3] [4 5 6]) ${i} ${j})`,
        `(ref [4 5] ${i} ${j})`,
        `(ones ${i} ${j})`,
      ]),
    ]);
    for (const source of sources)
      expect(isSame(textSays(source), machineSays(source)), source).toBe(true);
  });
});

/** Whether the text says what to do where JavaScript's stack ends. */
const isGuarded = (program: string): boolean =>
  exportModel({ program }, "javascript").includes("try {");

test("the stack is guarded where procedures can come back to themselves, whoever calls whom", () => {
  const names = ["f", "g", "h"];
  for (let graph = 0; graph < 512; graph++) {
    const calls = (from: number, to: number): boolean => ((graph >> (3 * from + to)) & 1) === 1;
    const lines = names.map((name, from) => {
      const called = names.filter((_, to) => calls(from, to)).map((to) => `(${to} (- n 1))`);
      return `(define (${name} n) (if (< n 1) n (+ 1 ${called.join(" ")})))`;
    });
    const reach = names.map((_, from) => names.map((_, to) => calls(from, to)));
    for (const k of [0, 1, 2])
      for (const i of [0, 1, 2])
        for (const j of [0, 1, 2])
          if (reach[i]?.[k] && reach[k]?.[j]) (reach[i] as boolean[])[j] = true;
    const isRound = [0, 1, 2].some((i) => reach[i]?.[i]);
    const program = `${lines.join(" ")} (+ (f a) (g a) (h a))`;
    expect(isGuarded(program), program).toBe(isRound);
  }
});

function told(program: string, format: ExportFormat): string {
  try {
    return exportModel({ program, numbers: ["a", "b", "c"] }, format);
  } catch (error) {
    if (error instanceof NdvmError) return error.message;
    throw error;
  }
}

describe("closed forms", () => {
  /** Inputs come in the order of the program, so only what is returned is alike. */
  const lastLine = (text: string): string | undefined => text.trimEnd().split("\n").at(-1);

  test.each([
    "(+ (if (< a 1) 1 2) R)",
    "(+ R (if (< a 1) 1 2))",
    "(* (if (< a 1) (if (< b 1) 1 2) (if (< c 1) (if (< c b) 5 6) 3)) R)",
    "(let ((u (if (< a 1) b c))) (- u R))",
    "(+ (if (< a 1) (abs b) c) (if (< c 1) a b) R (if (> b 2) a b))",
    "(exp (* R (if (and (< a 1) (< b 1)) a b)))",
  ])("of recursion with choices beside it are those of the same written out: %s", (turn) => {
    for (const depth of [1, 2, 3]) {
      let plain = "c";
      for (let i = 0; i < depth; i++) plain = turn.replace("R", () => plain);
      const body = turn.replace("R", "(f (- n 1))");
      const program = `(define (f n) (if (= n 0) c ${body})) (f ${depth})`;
      for (const format of ["math", "numpy"] as const)
        expect(lastLine(told(program, format))).toBe(lastLine(told(plain, format)));
    }
  });

  test("may take 20,000 steps, and not one more", () => {
    // A turn is ten steps, the loop and the program around it nine, a sum two and each name one.
    const turns = 1900;
    const sum = (names: number) =>
      `(+ (loop ((i 0)) (if (= i ${turns}) a (recur (+ i 1)))) ${"a ".repeat(names)})`;
    const names = 20_000 - (10 * turns + 9) - 2;
    expect(told(sum(names), "math")).toMatch(/^a( \+ a)+$/);
    expect(told(sum(names + 1), "math")).toContain("it takes too many steps to write out");
  });
});

describe("numbers that have no digits", () => {
  const texts = (value: number) =>
    (["math", "latex", "numpy", "sympy", "scheme", "javascript", "json"] as const).map((format) =>
      exportModel({ program: "(* a x)", params: { a: value }, numbers: ["x"] }, format),
    );

  test.each([
    [
      Number.POSITIVE_INFINITY,
      ["\u221e", "\\infty", "inf", "oo", "+inf.0", "= Infinity", '"Infinity"'],
    ],
    [
      Number.NEGATIVE_INFINITY,
      ["−∞", "-\\infty", "-np.inf", "-sympy.oo", "-inf.0", "= -Infinity", '"-Infinity"'],
    ],
    [Number.NaN, ["nan", "\\mathrm{NaN}", "nan", "nan", "+nan.0", "= NaN", '"NaN"']],
  ] as const)("%s has a word in every format", (value, words) => {
    const all = texts(value);
    for (const [index, word] of words.entries())
      expect(all[index]?.toLowerCase(), all[index]).toContain(word.toLowerCase());
    const run = functionOf(all[5] as string);
    for (const x of [-2, 0, 3]) expect(run({ x })).toBe(value * x);
  });
});

test("a model in JSON says which inputs have the name of a primitive", () => {
  const program = machine.load("(* scale (exp x))", { inputs: ["scale"] });
  const model = JSON.parse(exportModel({ program, params: { x: 1 } }, "json"));
  expect(model).toMatchObject({ inputs: ["scale"], declared: ["scale"], params: { x: 1 } });
  const again = machine.load(model.scheme, { inputs: model.declared });
  expect(again.evaluate({ scale: 2 }).values[0]).toBeCloseTo(2 * Math.E, 12);
  expect(JSON.parse(exportModel({ program: "(* a x)" }, "json")).declared).toEqual([]);
  again.dispose();
  program.dispose();
});
