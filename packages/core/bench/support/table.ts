/**
 * What the benchmarks print: sections, tables with aligned columns, numbers of a readable length.
 */

import type { Spread } from "./timing.js";

export function section(title: string): void {
  console.log(`\n## ${title}\n`);
}

export function note(text: string): void {
  console.log(text);
}

/** Prints rows under headings; the first column is aligned to the left, the others to the right. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [headings, ...rows];
  const widths = headings.map((_, i) => Math.max(...all.map((row) => (row[i] ?? "").length)));
  const line = (row: readonly string[]) =>
    widths
      .map((width, i) => (i === 0 ? (row[i] ?? "").padEnd(width) : (row[i] ?? "").padStart(width)))
      .join("  ")
      .trimEnd();
  console.log(line(headings));
  console.log(widths.map((width) => "-".repeat(width)).join("  "));
  for (const row of rows) console.log(line(row));
}

/** Three significant digits, without an exponent. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en-US", {
    minimumFractionDigits: Math.min(digits, 6),
    maximumFractionDigits: Math.min(digits, 6),
  });
}

/** A whole number with separators. */
export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

export const SPREAD_HEADINGS = ["min µs", "median", "quartiles"] as const;

export function spreadCells({ minimum, median, low, high }: Spread): string[] {
  return [short(minimum), short(median), `${short(low)}–${short(high)}`];
}

export function ratio(value: number, by: number): string {
  return `${short(value / by)}×`;
}
