/**
 * Formulas as text with infix operators; a notation says how numbers, names, products, powers,
 * functions and choices look. Parentheses are written where precedence needs them, and a negative
 * term of a sum is subtracted.
 */

import { type Formula, type Test, withoutSign } from "./formula.js";

export interface Text {
  readonly text: string;
  readonly level: number;
}

export const LOOSE = 0;
export const SUM = 4;
export const PRODUCT = 5;
export const POWER = 7;
export const TIGHT = 9;

export const tight = (text: string): Text => ({ text, level: TIGHT });

export interface Notation {
  number(value: number, exact: boolean): Text;
  name(name: string): Text;
  readonly plus: string;
  readonly minus: string;
  /** The sign before a term. */
  readonly negative: string;
  product(left: Text, right: Text): Text;
  quotient(above: Text, below: Text): Text;
  power(base: Text, exponent: Text, formula: Formula): Text;
  /** A function of operands, or undefined where the notation has none. */
  apply(op: string, operands: readonly Text[]): Text | undefined;
  choice(cases: readonly { readonly test: Text; readonly value: Text }[], last: Text): Text;
  compare(op: string, left: Text, right: Text): Text;
  all(tests: readonly Text[]): Text;
  any(tests: readonly Text[]): Text;
  not(test: Text): Text;
  parenthesised(text: string): string;
  refuse(op: string): Error;
  /** The same function as this notation prefers to write it. */
  preferred?(formula: Formula): Formula;
}

export function inside(notation: Notation, { text, level }: Text, least: number): string {
  return level < least ? notation.parenthesised(text) : text;
}

export function writeFormula(given: Formula, notation: Notation): Text {
  const formula = notation.preferred?.(given) ?? given;
  const write = (of: Formula) => writeFormula(of, notation);
  const positive = withoutSign(formula);
  if (positive !== undefined) {
    const text = notation.negative + inside(notation, write(positive), PRODUCT);
    return { text, level: SUM };
  }
  switch (formula.kind) {
    case "number":
      return notation.number(formula.value, formula.exact);
    case "name":
      return notation.name(formula.name);
    case "choice":
      return writeChoice(formula, notation);
  }
  const { op, operands } = formula;
  const [x, y] = operands as readonly [Formula, Formula];
  switch (op) {
    case "+":
      return writeSum(x, y, notation.plus, notation.minus, notation);
    case "-":
      return writeSum(x, y, notation.minus, notation.plus, notation);
    case "*":
      return notation.product(write(x), write(y));
    case "/":
      return notation.quotient(write(x), write(y));
    case "pow":
      return notation.power(write(x), write(y), y);
    default: {
      const text = notation.apply(op, operands.map(write));
      if (text === undefined) throw notation.refuse(op);
      return text;
    }
  }
}

/** x op y; where y has a sign of its own, the other operator takes it. */
function writeSum(x: Formula, y: Formula, op: string, other: string, notation: Notation): Text {
  const left = writeFormula(x, notation);
  const positive = withoutSign(y);
  const right = writeFormula(positive ?? y, notation);
  const sign = positive === undefined ? op : other;
  // a + (b + c) keeps its parentheses: the order of additions is part of the value.
  const text = `${inside(notation, left, SUM)}${sign}${inside(notation, right, PRODUCT)}`;
  return { text, level: SUM };
}

function writeChoice(formula: Formula & { kind: "choice" }, notation: Notation): Text {
  const cases: { test: Text; value: Text }[] = [];
  let rest: Formula = formula;
  while (rest.kind === "choice") {
    const value = writeFormula(rest.yes, notation);
    cases.push({ test: writeTest(rest.test, notation), value });
    rest = rest.no;
  }
  return notation.choice(cases, writeFormula(rest, notation));
}

export function writeTest(test: Test, notation: Notation): Text {
  switch (test.kind) {
    case "compare":
      return notation.compare(
        test.op,
        writeFormula(test.left, notation),
        writeFormula(test.right, notation),
      );
    case "all":
      return notation.all(test.tests.map((part) => writeTest(part, notation)));
    case "any":
      return notation.any(test.tests.map((part) => writeTest(part, notation)));
    case "not":
      return notation.not(writeTest(test.test, notation));
  }
}

/** A number with so many significant digits and no zeros that say nothing. */
export function roundedText(value: number, digits: number): string {
  return String(Number(value.toPrecision(digits)));
}
