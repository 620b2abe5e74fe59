/**
 * Expected values as Scheme text, and their comparison with what the machine returns.
 *
 * A small reader of its own, so that no mistake of the machine's reader can hide itself. Numbers
 * compare numerically: 3 and 3.0 are the same, as they are in the language.
 */

import type { DatumValue, Evaluation } from "../../src/machine/types.js";
import { isClose, type Tolerance } from "./support.js";

export type Expected =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "symbol"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly Expected[]; readonly tail?: Expected }
  | { readonly kind: "bracket"; readonly items: readonly Expected[] };

const tokenPattern = /\s*(#\(|[()[\]']|[^\s()[\]']+)/y;

class ExpectedReader {
  private readonly tokens: string[] = [];
  private at = 0;

  constructor(text: string) {
    const trimmed = text.trim();
    tokenPattern.lastIndex = 0;
    while (tokenPattern.lastIndex < trimmed.length) {
      const match = tokenPattern.exec(trimmed);
      if (match?.[1] === undefined) throw new Error(`cannot read the expected value ${text}`);
      this.tokens.push(match[1]);
    }
  }

  read(): Expected {
    const token = this.tokens[this.at++];
    if (token === undefined) throw new Error("an expected value ends early");
    if (token === "(") return this.readList();
    if (token === "[") return { kind: "bracket", items: this.readItems("]") };
    if (token === "'") {
      return { kind: "list", items: [{ kind: "symbol", name: "quote" }, this.read()] };
    }
    if (token === "#t" || token === "#f") return { kind: "boolean", value: token === "#t" };
    const value = readNumber(token);
    return value === undefined ? { kind: "symbol", name: token } : { kind: "number", value };
  }

  private readItems(close: string): Expected[] {
    const items: Expected[] = [];
    while (this.tokens[this.at] !== close) items.push(this.read());
    this.at++;
    return items;
  }

  private readList(): Expected {
    const items: Expected[] = [];
    while (this.tokens[this.at] !== ")") {
      if (this.tokens[this.at] === ".") {
        this.at++;
        const tail = this.read();
        this.at++;
        return { kind: "list", items, tail };
      }
      items.push(this.read());
    }
    this.at++;
    return { kind: "list", items };
  }
}

/** A Scheme number, infinities and NaN included; undefined if the token is a symbol. */
export function readNumber(token: string): number | undefined {
  if (token === "+inf.0") return Number.POSITIVE_INFINITY;
  if (token === "-inf.0") return Number.NEGATIVE_INFINITY;
  if (token === "+nan.0") return Number.NaN;
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(token)) return undefined;
  return Number(token);
}

/** Reads an expected datum; one leading quote is the expression's, not the datum's. */
export function readExpected(text: string): Expected {
  const trimmed = text.trim();
  return new ExpectedReader(trimmed.startsWith("'") ? trimmed.slice(1) : trimmed).read();
}

function isImproper(
  value: DatumValue,
): value is { readonly list: DatumValue; readonly tail: DatumValue } {
  return typeof value === "object" && value !== null && "tail" in value && "list" in value;
}

function nameOf(value: DatumValue): string | undefined {
  return typeof value === "symbol"
    ? value.description
    : typeof value === "string"
      ? value
      : undefined;
}

function matchesItems(
  actual: readonly DatumValue[] | Float64Array,
  expected: readonly Expected[],
  tolerance: Tolerance,
): boolean {
  if (actual.length !== expected.length) return false;
  return expected.every((item, i) => {
    const given = actual[i];
    return given !== undefined && matches(given, item, tolerance);
  });
}

/** Whether a datum of the machine is the expected one. */
export function matches(actual: DatumValue, expected: Expected, tolerance: Tolerance): boolean {
  switch (expected.kind) {
    case "number":
      return typeof actual === "number" && isClose(actual, expected.value, tolerance);
    case "boolean":
      return actual === expected.value;
    case "symbol":
      return nameOf(actual) === expected.name;
    case "bracket":
      if (!(actual instanceof Float64Array) && !Array.isArray(actual)) return false;
      return matchesItems(actual, expected.items, tolerance);
    case "list": {
      if (expected.tail === undefined) {
        return Array.isArray(actual) && matchesItems(actual, expected.items, tolerance);
      }
      if (!isImproper(actual) || !Array.isArray(actual.list)) return false;
      const { list, tail } = actual;
      return (
        matchesItems(list, expected.items, tolerance) && matches(tail, expected.tail, tolerance)
      );
    }
  }
}

function elementsOf(expected: Expected): readonly number[] {
  if (expected.kind === "number") return [expected.value];
  if (expected.kind === "bracket") return expected.items.flatMap(elementsOf);
  throw new Error("a vector or matrix holds numbers only");
}

function shapeOf(expected: Expected): readonly number[] {
  if (expected.kind !== "bracket") return [];
  const first = expected.items[0];
  return [expected.items.length, ...(first === undefined ? [] : shapeOf(first))];
}

/** Whether one lane of a result is the expected value: number, vector, matrix or any datum. */
export function resultMatches(
  out: Evaluation,
  lane: number,
  expected: Expected,
  tolerance: Tolerance,
): boolean {
  if (expected.kind !== "number" && expected.kind !== "bracket") {
    return matches(out.datum(lane), expected, tolerance);
  }
  const shape = shapeOf(expected);
  if (out.shape === undefined || out.shape.join() !== shape.join()) return false;
  const elements = elementsOf(expected);
  return elements.every((element, i) => {
    const given = out.values[lane * elements.length + i];
    return given !== undefined && isClose(given, element, tolerance);
  });
}

/** The numbers of an expected gradient: one, or those of a vector or matrix row by row. */
export function readNumbers(text: string): readonly number[] {
  return elementsOf(readExpected(text));
}
