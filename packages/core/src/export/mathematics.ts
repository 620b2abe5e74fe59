/**
 * Closed forms for people: a line of mathematics for a terminal, and LaTeX.
 */

import { own } from "../records.js";
import { inOneLine } from "../syntax/seen.js";
import { asPeopleWrite, type ClosedForm, type Formula } from "./formula.js";
import {
  LOOSE,
  type Notation,
  POWER,
  PRODUCT,
  roundedText,
  SUM,
  type Text,
  TIGHT,
  tight,
  writeFormula,
} from "./infix.js";
import { refusal } from "./symbolic-values.js";

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** How many significant digits a number has in a formula. */
export type Digits = (value: number, isExact: boolean) => number;

/** a·exp(−k·t)·cos(w·t) */
export function writeMath({ formulas, isVector }: ClosedForm, digits: Digits): string {
  const notation = mathNotation(digits);
  const texts = formulas.map((formula) => writeFormula(formula, notation).text);
  return isVector ? `[${texts.join(", ")}]` : (texts[0] as string);
}

function mathNotation(digits: Digits): Notation {
  const paren = (text: string) => `(${text})`;
  const within = (text: Text, least: number) => (text.level < least ? paren(text.text) : text.text);
  const signs: Readonly<Record<string, string>> = { "<=": "≤", ">=": "≥" };
  return {
    number: (value, exact) => mathNumber(value, digits(value, exact)),
    name: (name) => tight(inOneLine(name)),
    plus: " + ",
    minus: " − ",
    negative: "−",
    product: (x, y) => ({
      text: `${within(x, PRODUCT)}·${within(y, PRODUCT + 1)}`,
      level: PRODUCT,
    }),
    quotient: (x, y) => ({
      text: `${within(x, PRODUCT)}/${within(y, PRODUCT + 1)}`,
      level: PRODUCT,
    }),
    power: (base, exponent, formula) => ({
      text: within(base, TIGHT) + (superscript(formula) ?? `^${within(exponent, TIGHT)}`),
      level: POWER,
    }),
    apply: (op, operands) => {
      const [x] = operands as [Text];
      if (op === "abs") return tight(`|${x.text}|`);
      if (op === "sqrt") return { text: `√${within(x, TIGHT)}`, level: POWER };
      if (op === "floor") return tight(`⌊${x.text}⌋`);
      if (op === "ceiling") return tight(`⌈${x.text}⌉`);
      return tight(`${op}(${operands.map(({ text }) => text).join(", ")})`);
    },
    choice: (cases, last) => ({
      text: `${cases.map(({ test, value }) => `${within(value, 1)} if ${test.text}`).join(" else ")} else ${within(last, 1)}`,
      level: LOOSE,
    }),
    compare: (op, x, y) => ({
      text: `${within(x, SUM)} ${own(signs, op) ?? op} ${within(y, SUM)}`,
      level: 3,
    }),
    all: (tests) => ({ text: tests.map((test) => within(test, 3)).join(" and "), level: 2 }),
    any: (tests) => ({ text: tests.map((test) => within(test, 2)).join(" or "), level: 1 }),
    not: (test) => ({ text: `not ${within(test, 3)}`, level: 3 }),
    parenthesised: paren,
    refuse: (op) => refusal(`it uses ${op}`),
    preferred: asPeopleWrite,
  };
}

function mathNumber(value: number, digits: number): Text {
  if (value === Infinity) return tight("∞");
  const text = roundedText(value, digits).replace("-", "−");
  return tight(text);
}

function superscript(exponent: Formula): string | undefined {
  if (exponent.kind !== "number" || !exponent.exact) return undefined;
  const { value } = exponent;
  if (!Number.isInteger(value) || value < 0 || value > 99) return undefined;
  return Array.from(String(value), (digit) => SUPERSCRIPTS[Number(digit)]).join("");
}

export function writeLatex({ formulas, isVector }: ClosedForm, digits: Digits): string {
  const notation = latexNotation(digits);
  const texts = formulas.map((formula) => writeFormula(formula, notation).text);
  if (!isVector) return texts[0] as string;
  return `\\begin{pmatrix} ${texts.join(" \\\\ ")} \\end{pmatrix}`;
}

const LATEX_FUNCTIONS: Readonly<Record<string, string>> = {
  log: "\\ln",
  sin: "\\sin",
  cos: "\\cos",
  tan: "\\tan",
  asin: "\\arcsin",
  acos: "\\arccos",
  atan: "\\arctan",
  sinh: "\\sinh",
  cosh: "\\cosh",
  tanh: "\\tanh",
  min: "\\min",
  max: "\\max",
};

const latexParen = (text: string): string => `\\left(${text}\\right)`;

const latexWithin = ({ text, level }: Text, least: number): string =>
  level < least ? latexParen(text) : text;

function latexNotation(digits: Digits): Notation {
  const signs: Readonly<Record<string, string>> = { "<=": "\\le", ">=": "\\ge" };
  return {
    number: (value, exact) => latexNumber(value, digits(value, exact)),
    name: (name) => tight(latexName(name)),
    plus: " + ",
    minus: " - ",
    negative: "-",
    product: (x, y) => {
      const [left, right] = [latexWithin(x, PRODUCT), latexWithin(y, PRODUCT + 1)];
      const sign = /^[\d]/.test(right) ? " \\cdot " : " \\, ";
      return { text: left + sign + right, level: PRODUCT };
    },
    quotient: (x, y) => tight(`\\frac{${x.text}}{${y.text}}`),
    power: (base, exponent) => ({
      text: `${latexBase(base)}^{${exponent.text}}`,
      level: POWER,
    }),
    apply: latexApply,
    choice: (cases, last) => {
      const lines = cases.map(({ test, value }) => `${value.text} & \\text{if } ${test.text}`);
      lines.push(`${last.text} & \\text{otherwise}`);
      return tight(`\\begin{cases} ${lines.join(" \\\\ ")} \\end{cases}`);
    },
    compare: (op, x, y) => ({ text: `${x.text} ${own(signs, op) ?? op} ${y.text}`, level: 3 }),
    all: (tests) => ({ text: tests.map((t) => latexWithin(t, 3)).join(" \\land "), level: 2 }),
    any: (tests) => ({ text: tests.map((t) => latexWithin(t, 2)).join(" \\lor "), level: 1 }),
    not: (test) => ({ text: `\\lnot ${latexWithin(test, TIGHT)}`, level: 3 }),
    parenthesised: latexParen,
    refuse: (op) => refusal(`it uses ${op}`),
    preferred: asPeopleWrite,
  };
}

/** Fractions and cases are tight but need parentheses under an exponent. */
function latexBase({ text }: Text): string {
  const isPlain = /^\w+$|^\\\w+$|^\w_\{[^{}]*\}$/.test(text);
  return isPlain ? text : latexParen(text);
}

function latexApply(op: string, operands: readonly Text[]): Text | undefined {
  const [x, y] = operands as [Text, Text];
  const all = operands.map(({ text }) => text).join(", ");
  switch (op) {
    case "exp":
      return { text: `e^{${x.text}}`, level: POWER };
    case "sqrt":
      return tight(`\\sqrt{${x.text}}`);
    case "abs":
      return tight(`\\left|${x.text}\\right|`);
    case "floor":
      return tight(`\\left\\lfloor ${x.text} \\right\\rfloor`);
    case "ceiling":
      return tight(`\\left\\lceil ${x.text} \\right\\rceil`);
    case "log1p":
      return tight(
        `\\ln${latexParen(`1 + ${x.text.startsWith("-") ? latexParen(x.text) : latexWithin(x, SUM)}`)}`,
      );
    case "expm1":
      return { text: `e^{${x.text}} - 1`, level: SUM };
    case "sigmoid":
      return tight(`\\frac{1}{1 + e^{-${latexParen(x.text)}}}`);
    case "softplus":
      return tight(`\\ln${latexParen(`1 + e^{${x.text}}`)}`);
    case "lgamma":
      return tight(`\\ln\\left|\\Gamma${latexParen(x.text)}\\right|`);
    case "modulo":
      // How strongly mod binds beside products is not agreed on.
      return { text: `${latexWithin(x, POWER)} \\bmod ${latexWithin(y, POWER)}`, level: LOOSE };
    default:
      return tight(`${own(LATEX_FUNCTIONS, op) ?? `\\operatorname{${op}}`}${latexParen(all)}`);
  }
}

function latexNumber(value: number, digits: number): Text {
  if (value === Infinity) return tight("\\infty");
  if (Number.isNaN(value)) return tight("\\mathrm{NaN}");
  const [mantissa, exponent] = roundedText(value, digits).split("e");
  if (exponent === undefined) return tight(mantissa as string);
  const text = `${mantissa} \\cdot 10^{${Number(exponent)}}`;
  return { text, level: PRODUCT };
}

const GREEK: ReadonlySet<string> = new Set(
  `alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon
  phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega`.split(/\s+/),
);

function latexWord(word: string): string {
  if (GREEK.has(word)) return `\\${word}`;
  if (/^[A-Za-z]$|^\d+$/.test(word)) return word;
  return `\\mathrm{${word.replaceAll(/[#$%&_{}~^\\]|\s/g, latexSign)}}`;
}

/** Signs that no backslash makes ordinary ones of; braces keep them from being set as operators. */
const LATEX_SIGNS: ReadonlyMap<string, string> = new Map([
  ["~", "{\\sim}"],
  ["^", "{\\wedge}"],
  ["\\", "{\\backslash}"],
]);

/** A sign that means something to LaTeX, or a blank, as one that is seen. */
const latexSign = (sign: string): string =>
  LATEX_SIGNS.get(sign) ?? (/\s/.test(sign) ? "\\ " : `\\${sign}`);

/** k, alpha, x1, k_cat. */
function latexName(name: string): string {
  const [, word, index] = /^(.*?[^_\d])(?:_(.+)|(\d+))$/.exec(name)?.filter(Boolean) ?? [];
  if (word === undefined || index === undefined) return latexWord(name);
  return `${latexWord(word)}_{${latexWord(index)}}`;
}
