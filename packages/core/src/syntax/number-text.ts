/**
 * Numbers as text: `parseNumber` reads what R7RS writes in base ten, `formatNumber` writes a number
 * so that it reads back as the same number, exactness and the sign of zero included.
 *
 *   number   := sign? digits | sign? digits "/" digits | sign? decimal exponent?
 *             | "+inf.0" | "-inf.0" | "+nan.0" | "-nan.0"
 *   decimal  := digits "."? digits? | "." digits
 */

import { isDigit } from "./characters.js";

export interface ParsedNumber {
  readonly value: number;
  readonly exact: boolean;
}

const PLUS = 43;
const MINUS = 45;
const POINT = 46;
const SLASH = 47;

const namedNumbers: ReadonlyMap<string, number> = new Map([
  ["+inf.0", Infinity],
  ["-inf.0", -Infinity],
  ["+nan.0", NaN],
  ["-nan.0", NaN],
]);

/** Whether a token must be a number, because no name may start as it does. */
export function startsNumber(text: string): boolean {
  const first = text.charCodeAt(0);
  if (isDigit(first)) return true;
  if (text.length === 1 || (first !== PLUS && first !== MINUS && first !== POINT)) return false;
  const second = text.charCodeAt(1);
  if (isDigit(second)) return true;
  if (first !== POINT && second === POINT) return isDigit(text.charCodeAt(2));
  return namedNumbers.has(text);
}

/** The number a token spells, or undefined if it spells none. Overflow gives an infinite value. */
export function parseNumber(text: string): ParsedNumber | undefined {
  const first = text.charCodeAt(0);
  const start = first === PLUS || first === MINUS ? 1 : 0;
  let at = skipDigits(text, start);
  let digitCount = at - start;
  if (at === text.length) {
    return digitCount === 0 ? undefined : { value: Number(text) + 0, exact: true };
  }
  if (text.charCodeAt(at) === SLASH) return digitCount === 0 ? undefined : parseRatio(text, at);
  if (text.charCodeAt(at) === POINT) {
    const end = skipDigits(text, at + 1);
    digitCount += end - at - 1;
    at = end;
  }
  if (digitCount === 0) return parseNamed(text);
  if (at < text.length && !isExponent(text, at)) return undefined;
  return { value: Number(text), exact: false };
}

function parseNamed(text: string): ParsedNumber | undefined {
  const value = namedNumbers.get(text);
  return value === undefined ? undefined : { value, exact: false };
}

function parseRatio(text: string, slash: number): ParsedNumber | undefined {
  const end = skipDigits(text, slash + 1);
  if (end === slash + 1 || end !== text.length) return undefined;
  const value = quotient(text.slice(0, slash), text.slice(slash + 1));
  if (Number.isNaN(value)) return undefined;
  return { value: value + 0, exact: Number.isInteger(value) };
}

/** The number nearest to the quotient of two whole numbers, rounded once however long they are. */
function quotient(above: string, below: string): number {
  const x = Number(above);
  const y = Number(below);
  if ((Number.isSafeInteger(x) && Number.isSafeInteger(y)) || y === 0) return x / y;
  const isNegative = above.startsWith("-");
  const size = nearestQuotient(BigInt(above.replace(/^[+-]/, "")), BigInt(below));
  return isNegative ? -size : size;
}

/** Bits of a quotient that decide how it is rounded: more than the 53 of a number. */
const QUOTIENT_BITS = 64n;
/** Numbers are multiples of 2 to the power of −1074; quarters of that tell how to round to one. */
const FINEST = 1076n;

function nearestQuotient(x: bigint, y: bigint): number {
  const wanted = QUOTIENT_BITS - bitsOf(x) + bitsOf(y);
  const shift = wanted < FINEST ? wanted : FINEST;
  const above = shift > 0n ? x << shift : x;
  const below = shift < 0n ? y << -shift : y;
  const floor = above / below;
  // The last bit stands for all that follow.
  const bits = floor * below === above ? floor : floor | 1n;
  if (bits >= 2n ** 55n) return (Number(bits) * 2 ** Number(2n - shift)) / 4;
  const units = bits >> 2n;
  const rest = bits & 3n;
  const isUp = rest === 3n || (rest === 2n && (units & 1n) === 1n);
  return Number(isUp ? units + 1n : units) * Number.MIN_VALUE;
}

/** Bits of a number, at most 3 too many. */
const bitsOf = (x: bigint): bigint => 4n * BigInt(x.toString(16).length);

function isExponent(text: string, at: number): boolean {
  const mark = text.charCodeAt(at) | 32;
  if (mark !== 101) return false;
  const sign = text.charCodeAt(at + 1);
  const start = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
  const end = skipDigits(text, start);
  return end > start && end === text.length;
}

function skipDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

export function formatNumber(value: number, exact: boolean): string {
  if (Number.isNaN(value)) return "+nan.0";
  if (value === Infinity) return "+inf.0";
  if (value === -Infinity) return "-inf.0";
  if (exact) return Math.abs(value) < 1e21 ? String(value) : BigInt(value).toString();
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  return Number.isInteger(value) && !text.includes("e") ? `${text}.0` : text;
}
