/**
 * Closed forms as Python: a NumPy function, which takes arrays as well as numbers, and a SymPy
 * expression.
 *
 * The machine computes with 8-byte floats alone. NumPy's integers wrap around and have no negative
 * powers, so the function makes floats of its inputs, and every number in it is a float but the
 * exponents of small whole powers. SymPy's integers are exact, and stay. Python's own numbers raise
 * where a quotient or a power is infinite, and powers of negative ones are complex, so a constant
 * that is not finite, or is made of one, is written as the number that it is. SymPy raises where NaN
 * is compared, so there whatever is made of a constant that is NaN is NaN itself.
 */

import { own } from "../records.js";
import { type ClosedForm, type Formula, numberFormula, partsOf } from "./formula.js";
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
import { constantOf, refusal } from "./symbolic-values.js";

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
  erf: "np.vectorize(math.erf, otypes=[np.float64])({0})",
  min: "np.minimum",
  max: "np.maximum",
  // The machine's are never -0.
  quotient: "(np.trunc(({0}) / ({1})) + 0.0)",
  remainder: "(np.fmod({0}, {1}) + 0.0)",
  modulo: "(np.mod({0}, {1}) + 0.0)",
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
  // The logarithm of a negative value is complex; its real part is that of the absolute value.
  lgamma: "sympy.re(sympy.loggamma({0}))",
  min: "sympy.Min",
  max: "sympy.Max",
  modulo: "sympy.Mod",
};

interface Library {
  readonly functions: Functions;
  /** Whether functions of two operands take more. */
  readonly isVariadic: boolean;
  /** Whether its integers are exact, so that they can stand for the machine's numbers. */
  readonly hasIntegers: boolean;
  readonly infinity: string;
  readonly nan: string;
  /** A test that never holds, where comparing with NaN raises. */
  readonly never?: string;
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
  hasIntegers: false,
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
  hasIntegers: true,
  infinity: "sympy.oo",
  nan: "sympy.nan",
  never: "sympy.false",
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
    number: (value, exact) => pythonNumber(value, exact, library),
    name: (name) => tight(nameOf(name)),
    plus: " + ",
    minus: " - ",
    negative: "-",
    product: (x, y) => binary("*", x, y),
    quotient: (x, y) => binary("/", x, y),
    power: (base, exponent, formula) => ({
      text: `${within(base, POWER + 1)}**${within(integerExponent(formula) ?? exponent, POWER + 1)}`,
      level: POWER,
    }),
    apply: (op, operands) => applyText(library, op, operands),
    choice: library.choice,
    compare: (op, x, y) => {
      const hasNan = [x, y].some(({ text }) => text === library.nan);
      if (library.never !== undefined && hasNan) return tight(library.never);
      const [left, right] = [within(x, SUM), within(y, SUM)];
      return op === "=" ? library.equal(left, right) : { text: `${left} ${op} ${right}`, level: 3 };
    },
    all: library.all,
    any: library.any,
    not: library.not,
    parenthesised: (text) => `(${text})`,
    refuse: (op) => refusal(`it uses ${op}`),
    preferred: (formula) => withoutFaults(formula, library),
  };
  return notation;
}

/** The exponent of a power that people write with a whole number; NumPy makes a float of it. */
function integerExponent(exponent: Formula): Text | undefined {
  if (exponent.kind !== "number" || !exponent.exact || Math.abs(exponent.value) > 999)
    return undefined;
  const text = String(exponent.value);
  return exponent.value < 0 ? { text, level: SUM } : tight(text);
}

/** A number for a constant that is infinite or NaN, or has such a part, by the machine's arithmetic. */
function withoutFaults(formula: Formula, { hasIntegers }: Library): Formula {
  const value = constantOf(formula);
  if (value === undefined) return hasIntegers ? withoutFaultsOfSympy(formula) : formula;
  const isOrdinary = partsOf(formula).every((part) => Number.isFinite(constantOf(part as Formula)));
  return isOrdinary && Number.isFinite(value) ? formula : numberFormula(value);
}

function withoutFaultsOfSympy(formula: Formula): Formula {
  if (isAlwaysNan(formula)) return numberFormula(Number.NaN);
  if (formula.kind !== "apply" || formula.op !== "modulo") return formula;
  const [x, y] = formula.operands as readonly [Formula, Formula];
  const divisor = constantOf(y);
  // SymPy raises as soon as it is asked for a remainder by 0, and says NaN for one by infinity.
  if (divisor === 0) return numberFormula(Number.NaN);
  if (divisor !== Infinity && divisor !== -Infinity) return formula;
  const op = divisor > 0 ? ">=" : "<=";
  const test = { kind: "compare", op, left: x, right: numberFormula(0, true) } as const;
  return { kind: "choice", test, yes: x, no: numberFormula(divisor) };
}

/** Whether a constant that is NaN makes NaN of a formula, whatever its inputs are. */
function isAlwaysNan(formula: Formula): boolean {
  if (formula.kind === "choice") return isAlwaysNan(formula.yes) && isAlwaysNan(formula.no);
  const value = constantOf(formula);
  if (value !== undefined || formula.kind !== "apply") return Number.isNaN(value);
  return formula.operands.some(isAlwaysNan);
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

function pythonNumber(value: number, exact: boolean, library: Library): Text {
  if (value === Infinity) return tight(library.infinity);
  if (Number.isNaN(value)) return tight(library.nan);
  if (exact && library.hasIntegers) return tight(String(value));
  if (Object.is(value, -0)) return { text: "-0.0", level: SUM };
  const text = String(value);
  return tight(/[.e]/.test(text) ? text : `${text}.0`);
}

/** Of a number, math.lgamma raises at the poles and where the value overflows. */
const logGamma = (name: string): readonly string[] => [
  `def ${name}(x):`,
  "    try:",
  "        return math.lgamma(x)",
  "    except (OverflowError, ValueError):",
  "        return math.inf",
  "",
  "",
];

export function writeNumpy({ formulas, isVector, names }: ClosedForm, name: string): string {
  const own = new Names<string | typeof logGamma>([name]);
  const params = names.map((of) => own.of(of, of));
  const helper = own.of(logGamma, "log_gamma");
  const lgamma = `np.vectorize(${helper}, otypes=[np.float64])({0})`;
  const library = { ...numpy, functions: { ...NUMPY, lgamma } };
  const notation = pythonNotation(library, (of) => own.of(of, of));
  const texts = formulas.map((formula) => writeFormula(formula, notation).text);
  const [first] = formulas;
  const stacked = `np.stack(np.broadcast_arrays(${texts.join(", ")}))`;
  const value =
    first === undefined ? "np.empty(0)" : isVector ? stacked : texts[0] + numberOf(first, library);
  const hasLogGamma = value.includes(`np.vectorize(${helper},`);
  return [
    ...(hasLogGamma || value.includes("math.") ? ["import math", ""] : []),
    "import numpy as np",
    "",
    "",
    ...(hasLogGamma ? logGamma(helper) : []),
    `def ${name}(${params.join(", ")}):`,
    ...params.map((param) => `    ${param} = np.asarray(${param}, dtype=np.float64)`),
    `    return ${value}`,
    "",
  ].join("\n");
}

/** What makes a number of an array without dimensions, where NumPy gives one though inputs are numbers. */
function numberOf(formula: Formula, library: Library): string {
  const { kind, op } = { op: "", ...withoutFaults(formula, library) };
  const isArray = kind === "name" || kind === "choice" || op === "erf" || op === "lgamma";
  return isArray ? "[()]" : "";
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
