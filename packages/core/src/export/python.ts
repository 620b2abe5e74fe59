/**
 * Closed forms as Python: a NumPy function, which takes arrays as well as numbers, and a SymPy
 * expression.
 */

import { own } from "../records.js";
import type { ClosedForm } from "./formula.js";
import {
  inside,
  type Notation,
  POWER,
  PRODUCT,
  SUM,
  type Text,
  TIGHT,
  tight,
  writeFormula,
} from "./infix.js";
import { Names } from "./names.js";
import { refusal } from "./symbolic-values.js";

/** A name of the library, or a text with the operands put in for {0} and {1}. */
type Functions = Readonly<Record<string, string>>;

const NUMPY: Functions = {
  abs: "np.abs",
  floor: "np.floor",
  ceiling: "np.ceil",
  round: "np.round",
  truncate: "np.trunc",
  sqrt: "np.sqrt",
  exp: "np.exp",
  log: "np.log",
  sin: "np.sin",
  cos: "np.cos",
  tan: "np.tan",
  asin: "np.arcsin",
  acos: "np.arccos",
  atan: "np.arctan",
  atan2: "np.arctan2",
  sinh: "np.sinh",
  cosh: "np.cosh",
  tanh: "np.tanh",
  log1p: "np.log1p",
  expm1: "np.expm1",
  sigmoid: "1 / (1 + np.exp(-({0})))",
  softplus: "np.logaddexp(0, {0})",
  erf: "np.vectorize(math.erf)({0})",
  lgamma: "np.vectorize(math.lgamma)({0})",
  min: "np.minimum",
  max: "np.maximum",
  quotient: "np.trunc(({0}) / ({1}))",
  remainder: "np.fmod",
  modulo: "np.mod",
};

const SYMPY: Functions = {
  abs: "sympy.Abs",
  floor: "sympy.floor",
  ceiling: "sympy.ceiling",
  sqrt: "sympy.sqrt",
  exp: "sympy.exp",
  log: "sympy.log",
  sin: "sympy.sin",
  cos: "sympy.cos",
  tan: "sympy.tan",
  asin: "sympy.asin",
  acos: "sympy.acos",
  atan: "sympy.atan",
  atan2: "sympy.atan2",
  sinh: "sympy.sinh",
  cosh: "sympy.cosh",
  tanh: "sympy.tanh",
  log1p: "sympy.log(1 + {0})",
  expm1: "(sympy.exp({0}) - 1)",
  sigmoid: "1 / (1 + sympy.exp(-({0})))",
  softplus: "sympy.log(1 + sympy.exp({0}))",
  erf: "sympy.erf",
  lgamma: "sympy.loggamma",
  min: "sympy.Min",
  max: "sympy.Max",
  modulo: "sympy.Mod",
};

interface Library {
  readonly functions: Functions;
  /** Whether functions of two operands take more. */
  readonly isVariadic: boolean;
  readonly infinity: string;
  readonly nan: string;
  readonly choice: Notation["choice"];
  readonly all: Notation["all"];
  readonly any: Notation["any"];
  readonly not: Notation["not"];
  equal(left: string, right: string): Text;
}

const joined = (name: string) => (texts: readonly Text[]) =>
  tight(`${name}(${texts.map(({ text }) => text).join(", ")})`);

const nested = (name: string) => (texts: readonly Text[]) =>
  texts
    .slice(1)
    .reduce((left, right) => tight(`${name}(${left.text}, ${right.text})`), texts[0] as Text);

const numpy: Library = {
  functions: NUMPY,
  isVariadic: false,
  infinity: "np.inf",
  nan: "np.nan",
  choice: (cases, last) =>
    cases.reduceRight(
      (rest, { test, value }) => tight(`np.where(${test.text}, ${value.text}, ${rest.text})`),
      last,
    ),
  all: nested("np.logical_and"),
  any: nested("np.logical_or"),
  not: (test) => tight(`np.logical_not(${test.text})`),
  equal: (left, right) => ({ text: `${left} == ${right}`, level: 3 }),
};

const sympy: Library = {
  functions: SYMPY,
  isVariadic: true,
  infinity: "sympy.oo",
  nan: "sympy.nan",
  choice: (cases, last) => {
    const pairs = cases.map(({ test, value }) => `(${value.text}, ${test.text})`);
    return tight(`sympy.Piecewise(${[...pairs, `(${last.text}, True)`].join(", ")})`);
  },
  all: joined("sympy.And"),
  any: joined("sympy.Or"),
  not: (test) => tight(`sympy.Not(${test.text})`),
  equal: (left, right) => tight(`sympy.Eq(${left}, ${right})`),
};

function pythonNotation(library: Library, nameOf: (name: string) => string): Notation {
  const within = (text: Text, least: number): string => inside(notation, text, least);
  const binary = (sign: string, x: Text, y: Text): Text => ({
    text: `${within(x, PRODUCT)} ${sign} ${within(y, PRODUCT + 1)}`,
    level: PRODUCT,
  });
  const notation: Notation = {
    number: (value, exact) => tight(pythonNumber(value, exact, library)),
    name: (name) => tight(nameOf(name)),
    plus: " + ",
    minus: " - ",
    negative: "-",
    product: (x, y) => binary("*", x, y),
    quotient: (x, y) => binary("/", x, y),
    power: (base, exponent) => ({
      text: `${within(base, POWER + 1)}**${within(exponent, POWER + 1)}`,
      level: POWER,
    }),
    apply: (op, operands) => applyText(library, op, operands),
    choice: library.choice,
    compare: (op, x, y) => {
      const [left, right] = [within(x, SUM), within(y, SUM)];
      return op === "=" ? library.equal(left, right) : { text: `${left} ${op} ${right}`, level: 3 };
    },
    all: library.all,
    any: library.any,
    not: library.not,
    parenthesised: (text) => `(${text})`,
    refuse: (op) => refusal(`it uses ${op}`),
  };
  return notation;
}

function applyText(library: Library, op: string, operands: readonly Text[]): Text | undefined {
  const form = own(library.functions, op);
  if (form === undefined) return undefined;
  const texts = operands.map(({ text }) => text);
  if (form.includes("{0}")) {
    const text = form.replaceAll(/\{(\d)\}/g, (_, index: string) => texts[Number(index)] ?? "");
    return { text, level: text.startsWith("1 /") ? PRODUCT : TIGHT };
  }
  if (library.isVariadic || texts.length <= 2) return tight(`${form}(${texts.join(", ")})`);
  return nested(form)(operands);
}

function pythonNumber(value: number, exact: boolean, library: Library): string {
  if (value === Infinity) return library.infinity;
  if (Number.isNaN(value)) return library.nan;
  const text = String(value);
  return exact || /[.e]/.test(text) ? text : `${text}.0`;
}

export function writeNumpy({ formulas, isVector, names }: ClosedForm, name: string): string {
  const own = new Names<string>([name]);
  const notation = pythonNotation(numpy, (of) => own.of(of, of));
  const params = names.map((of) => own.of(of, of));
  const texts = formulas.map((formula) => writeFormula(formula, notation).text);
  const value = isVector
    ? `np.stack(np.broadcast_arrays(${texts.join(", ")}))`
    : (texts[0] as string);
  const imports = value.includes("math.") ? ["import math", ""] : [];
  return [
    ...imports,
    "import numpy as np",
    "",
    "",
    `def ${name}(${params.join(", ")}):`,
    `    return ${value}`,
    "",
  ].join("\n");
}

export function writeSympy({ formulas, isVector, names }: ClosedForm, name: string): string {
  const own = new Names<string>([name]);
  const notation = pythonNotation(sympy, (of) => own.of(of, of));
  const lines = names.map((of) => {
    const symbol = own.of(of, of);
    return `${symbol} = sympy.Symbol(${JSON.stringify(of)}, real=True)`;
  });
  const texts = formulas.map((formula) => writeFormula(formula, notation).text);
  const value = isVector ? `sympy.Matrix([${texts.join(", ")}])` : (texts[0] as string);
  return ["import sympy", "", ...lines, `${name} = ${value}`, ""].join("\n");
}
