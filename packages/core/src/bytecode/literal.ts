/**
 * Literals of a stack program: numbers, booleans, the empty list and symbols, read and written.
 */

import { NdvmError, type Span } from "../errors.js";
import { shown, type Word } from "./lines.js";
import type { Literal } from "./program.js";

const EXACT = /^[-+]?\d+$/;
const REAL = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

const named: ReadonlyMap<string, Literal> = new Map([
  ["true", { kind: "boolean", value: true }],
  ["#t", { kind: "boolean", value: true }],
  ["false", { kind: "boolean", value: false }],
  ["#f", { kind: "boolean", value: false }],
  ["nil", { kind: "nil" }],
  ["()", { kind: "nil" }],
  ["inf", { kind: "number", value: Number.POSITIVE_INFINITY, exact: false }],
  ["+inf", { kind: "number", value: Number.POSITIVE_INFINITY, exact: false }],
  ["-inf", { kind: "number", value: Number.NEGATIVE_INFINITY, exact: false }],
  ["nan", { kind: "number", value: Number.NaN, exact: false }],
]);

export function readLiteral({ text, span }: Word): Literal {
  const known = named.get(text.toLowerCase());
  if (known !== undefined) return known;
  if (REAL.test(text)) return readNumber(text, span);
  if (text.startsWith("'") && text.length > 1) return { kind: "symbol", name: text.slice(1) };
  throw new NdvmError("E-SYNTAX", `${shown(text)} is nothing that can be pushed`, {
    span,
    help: "push a number, true, false, nil or a symbol 's; LOAD pushes a variable",
  });
}

function readNumber(text: string, span: Span): Literal {
  const value = Number(text);
  if (Number.isFinite(value)) return { kind: "number", value, exact: EXACT.test(text) };
  throw new NdvmError("E-SYNTAX", `${shown(text)} is too large for a number`, {
    span,
    help: "the largest number is about 1.8e308; infinity is written inf",
  });
}

export function writeLiteral(literal: Literal): string {
  switch (literal.kind) {
    case "boolean":
      return String(literal.value);
    case "nil":
      return "nil";
    case "symbol":
      return `'${literal.name}`;
    case "number":
      return writeNumber(literal.value, literal.exact);
  }
}

function writeNumber(value: number, exact: boolean): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  // Whole digits: an exact number has no exponent, however large it is.
  if (exact) return Object.is(value, -0) ? "-0" : BigInt(value).toString();
  const text = Object.is(value, -0) ? "-0" : String(value);
  return EXACT.test(text) ? `${text}.0` : text;
}
