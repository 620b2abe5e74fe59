/**
 * Formulas are read straight to their image: it must be the one that reader, expander and encoder
 * make, and whatever those refuse must be left to them.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { primitiveByName } from "../../src/primitives/index.js";
import { encode } from "../../src/program/encode.js";
import { encodeFormula } from "../../src/program/formula.js";
import type { EncodeOptions } from "../../src/program/parsed-program.js";
import { builtins } from "../../src/syntax/builtins.js";
import { expand } from "../../src/syntax/expand.js";
import { builtinNames, plainPrimitives } from "../../src/syntax/names.js";
import { read } from "../../src/syntax/read.js";

const { SEED, FORMULAS = "3000" } = process.env;
const seed = Number(SEED ?? Math.floor(Math.random() * 2 ** 31));

const options: EncodeOptions[] = [
  { integerMax: 2 ** 24, clamps: true, findsLoops: true },
  { integerMax: 2 ** 31 - 1, clamps: false, findsLoops: true },
];

interface Seen {
  readonly words: readonly number[];
  readonly inputs: readonly string[];
}

function slowly(
  source: string,
  declared: readonly string[] | undefined,
  how: EncodeOptions,
): Seen | undefined {
  try {
    const expansion = expand(read(source), { inputs: declared });
    const { words } = encode(expansion, how);
    return { words: [...words.slice(0, words[0])], inputs: expansion.inputs };
  } catch {
    return undefined;
  }
}

function fast(
  source: string,
  declared: readonly string[] | undefined,
  how: EncodeOptions,
): Seen | undefined {
  const formula = encodeFormula(source, declared, how);
  if (formula === undefined) return undefined;
  const { words, inputs, symbols } = formula;
  expect(symbols).toEqual([]);
  return { words: [...words.slice(0, words[0])], inputs: [...inputs] };
}

/** Whether the text is a formula; both ways agree on it where it is one. */
function agrees(source: string, declared?: readonly string[]): boolean {
  return options.every((how) => {
    const seen = fast(source, declared, how);
    if (seen === undefined) return false;
    expect(seen, source).toEqual(slowly(source, declared, how));
    return true;
  });
}

const spellings = [...primitiveByName.keys()];
const names = ["a", "x1", "alpha", "t", "λ", "scale", "constructor", "__proto__", "->", "..."];
const numbers = ["0", "1", "-2", "+3", "0.5", ".5", "-1e-3", "16777217", "2147483648", "1/3", "-0"];
const odd = [
  "+inf.0",
  "1.2.3",
  "'a",
  "#t",
  "[a 1]",
  "pi",
  "if",
  "(let ((u 1)) u)",
  ".",
  "|b c|",
  ";",
];
const blanks = ["", " ", "\n", "\t "];

const atoms = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...names) },
  { weight: 6, arbitrary: fc.constantFrom(...numbers) },
  { weight: 1, arbitrary: fc.constantFrom(...odd, ...builtins.keys()) },
);
const { formula } = fc.letrec<{ formula: string; operand: string }>((tie) => ({
  operand: fc.oneof({ maxDepth: 5, depthSize: "small" }, atoms, tie("formula")),
  formula: fc
    .tuple(
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom("+", "-", "*", "/", "exp", "sin", "min", "pow") },
        { weight: 3, arbitrary: fc.constantFrom(...spellings) },
        { weight: 1, arbitrary: fc.constantFrom("f", "apply", "let", "3") },
      ),
      fc.array(tie("operand"), { maxLength: 4 }),
      fc.constantFrom(...blanks),
      fc.constantFrom(...blanks),
    )
    .map(
      ([head, operands, before, after]) => `(${before}${[head, ...operands].join(" ")}${after})`,
    ),
}));

describe("formulas", () => {
  test("generated texts have the same image as by reader, expander and encoder", () => {
    let taken = 0;
    let all = 0;
    const declared = fc.option(fc.subarray([...names, "exp", "min", "unused"]), { nil: undefined });
    fc.assert(
      fc.property(formula, declared, fc.constantFrom(...blanks), (text, inputs, end) => {
        all += 1;
        if (agrees(`${text}${end}`, inputs)) taken += 1;
      }),
      { seed, numRuns: Number(FORMULAS) },
    );
    console.log(`formulas: ${taken} of ${all}, SEED=${seed}`);
    expect(taken).toBeGreaterThan(all / 20);
  });

  test("several calls in a row are no formula, wherever they stand: the first was taken for the program", () => {
    const pair = fc.tuple(formula, fc.constantFrom(...blanks), formula, fc.constantFrom(...blanks));
    fc.assert(
      fc.property(pair, ([one, between, other, end]) => {
        expect(agrees(`${one}${between}${other}${end}`)).toBe(false);
      }),
      { seed, numRuns: 300 },
    );
    for (const text of ["(+ a 1) (* a 2)", "(+ a 1)(* a 2)", "(+ a 1) a", "a (+ a 1)", "(+ a 1) 2"])
      expect(agrees(text), text).toBe(false);
  });

  test("every short number, and numbers too large or too small, have that image or are left", () => {
    const signs = [..."+-.1e0/"];
    const textsOf = (length: number): string[] =>
      length === 0 ? [""] : textsOf(length - 1).flatMap((text) => signs.map((sign) => text + sign));
    const texts = [1, 2, 3, 4, 5].flatMap(textsOf);
    const far = [308, 309, 400, 999, 99999].flatMap((exponent) => [
      `1e${exponent}`,
      `1.9e${exponent}`,
      `1e-${exponent}`,
      `1${"0".repeat(exponent % 1000)}`,
      `0.${"0".repeat(exponent % 1000)}1`,
      `1${"0".repeat(exponent % 1000)}/3`,
      `1/1${"0".repeat(exponent % 1000)}`,
    ]);
    let taken = 0;
    for (const text of [
      ...texts,
      ...far,
      ...far.map((one) => `-${one}`),
      ...far.map((one) => `+${one}`),
    ])
      for (const source of [`(* x ${text})`, `(+ ${text} 1)`]) if (agrees(source)) taken += 1;
    expect(taken).toBeGreaterThan(1000);
    expect(far.filter((text) => agrees(`(* x ${text})`)).length).toBeGreaterThan(10);
    for (const large of ["1e309", "-1e309", `1${"0".repeat(309)}`, "1/0", "0/0"])
      for (const how of options)
        expect(encodeFormula(`(* x ${large})`, undefined, how), large).toBeUndefined();
  });

  test("whatever has good parts only is one, however it is spaced", () => {
    const heads = { "+": 3, "-": 2, "*": 2, "/": 2, exp: 1, atan: 2, "<": 3, pow: 2, dot: 2 };
    const atom = fc.constantFrom(
      ...[...names.filter((name) => !builtins.has(name) && name !== "λ"), ...numbers],
      ...[
        "5.",
        "+.5",
        "1E3",
        "9/3",
        "007",
        "x.y",
        "+a",
        "-",
        "-a",
        "a+1",
        "e1",
        "z",
        "A",
        "/a",
        ":",
        "@",
      ].filter((text) => !builtins.has(text)),
    );
    const { call } = fc.letrec<{ call: string; operand: string }>((tie) => ({
      operand: fc.oneof({ maxDepth: 4, depthSize: "small" }, atom, tie("call")),
      call: fc
        .tuple(
          fc.constantFrom(...(Object.entries(heads) as [string, number][])),
          fc.array(tie("operand"), { minLength: 3, maxLength: 3 }),
          fc.array(fc.constantFrom(" ", "\n", "\t\f", "\r\n ", "\u00a0"), {
            minLength: 4,
            maxLength: 4,
          }),
          fc.boolean(),
        )
        .map(([[head, count], operands, blanks, isTight]) => {
          // Next to a parenthesis there may be none.
          const text = operands
            .slice(0, count)
            .reduce(
              (before, operand, i) =>
                before + (isTight && operand.startsWith("(") ? "" : blanks[i]) + operand,
              head,
            );
          return isTight ? `(${text})` : `(${blanks[3]}${text}${blanks[0]})`;
        }),
    }));
    fc.assert(
      fc.property(call, (text) => {
        expect(agrees(`(exp ${text})`), text).toBe(true);
      }),
      { seed, numRuns: 400 },
    );
  });

  test("a text is one up to its greatest length", () => {
    const sized = (length: number) => `(+ x ${"y".repeat(length - 6)})`;
    expect(sized(1024)).toHaveLength(1024);
    expect(agrees(sized(1024))).toBe(true);
    expect(agrees(sized(1025))).toBe(false);
    // As many cells, inputs and open calls as a text can have.
    expect(agrees(`(exp ${"(exp ".repeat(140)}x${")".repeat(141)}`)).toBe(true);
    expect(agrees(`(+ ${"x ".repeat(500)})`)).toBe(true);
    const letters = [..."abcdefghijklmnopqrstuvwxyz"].join(" ");
    expect(agrees(`(+ ${letters} ${letters.toUpperCase()})`)).toBe(true);
  });

  test.each([
    "(+ (* alpha x) beta)",
    "(* A (* (exp (- 0 (* b t))) (cos (* omega t))))",
    " ( sqrt\n(log x)  ) ",
    "(dot (vec 1 2) (vec x y))",
    "(- 16777217 0.1 -0 1/3)",
    "(+ x\u2003 1)",
  ])("%s is one", (source) => {
    expect(agrees(source)).toBe(true);
  });

  test.each([
    "x",
    "3",
    "",
    "(+ x)",
    "(+ x) (+ y)",
    "(+ x",
    "(+ x))",
    "(exp)",
    "(+ 1 (exp x y))",
    "(f x)",
    "((+ x 1) 2)",
    "(apply + x)",
    "(+ pi x)",
    "(+ x +)",
    "(map sin x)",
    "(+ x ;",
    "(+ x\u0000 1)",
    "(+ x\ud800 1)",
    "(car x)",
    `(+ x ${"y ".repeat(600)})`,
  ])("%j is left to the reader", (source) => {
    for (const how of options) expect(encodeFormula(source, undefined, how)).toBeUndefined();
  });

  test("a name that the caller declares is an input, also where it is a primitive's", () => {
    expect(agrees("(+ exp 1)", ["exp"])).toBe(true);
    expect(agrees("(exp x)", ["exp"])).toBe(false);
    expect(agrees("(* a b)", ["c", "b"])).toBe(true);
  });
});

test("formulas know the names that mean something, and which of them are primitives", () => {
  expect([...builtinNames()]).toEqual([...builtins.keys()]);
  const primitives = [...builtins].filter(([, { kind }]) => kind === "primitive");
  expect([...plainPrimitives().keys()].sort()).toEqual(primitives.map(([name]) => name).sort());
});
