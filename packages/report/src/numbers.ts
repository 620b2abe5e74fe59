/** Numbers as text: exact for machines, rounded for eyes. */

import type { Precision } from "@ndvm/core";

/** The shortest text that reads back to the same number of this precision. */
export function exactText(value: number, precision: Precision): string {
  if (Object.is(value, -0)) return "-0";
  if (precision === "f32" && Number.isFinite(value)) {
    for (let digits = 1; digits <= 9; digits++) {
      const text = String(Number(value.toPrecision(digits)));
      if (Math.fround(Number(text)) === value) return text;
    }
  }
  return String(value);
}

/** At most `digits` significant digits, no trailing zeros. */
export function shortText(value: number, digits = 7): string {
  if (value === 0) return "0";
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  if (size >= 1e9 || size < 1e-4) {
    return rounded.toExponential().replace("e+", "e");
  }
  return String(rounded);
}

const DIGITS_MOST = 15;

/** Digits of a value, `usual` or more, that show what is `error` of it with three digits of its own. */
export function digitsBeside(value: number, error: number, usual: number): number {
  if (!(error > 0) || !Number.isFinite(error) || value === 0) return usual;
  const wanted = Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(error)) + 2;
  return Math.min(DIGITS_MOST, Math.max(usual, wanted));
}

/** A tick's number, to the digits that tell it from ticks that are `spacing` away. */
export const tickText = (value: number, spacing: number, usual: number): string =>
  shortText(value, digitsBeside(value, spacing, usual));

/** 12345678 → 12,345,678. */
export const countText = (value: number): string => value.toLocaleString("en-US");

/** A count with its word: "1 row", "2 rows", "1,000 rows". */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`;

export function bytesText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

export function timeText(milliseconds: number): string {
  if (milliseconds < 1e-3) return `${shortText(milliseconds * 1e6, 3)} ns`;
  if (milliseconds < 1) return `${shortText(milliseconds * 1e3, 3)} µs`;
  if (milliseconds < 1000) return `${shortText(milliseconds, 3)} ms`;
  return `${shortText(milliseconds / 1000, 3)} s`;
}
