/**
 * Reads the examples: the program and the table of a folder under `examples/`.
 */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const examplesFolder = resolve(import.meta.dirname, "../../../../examples");

export function readModel(name: string): string {
  return readFileSync(join(examplesFolder, name, "model.scm"), "utf8");
}

export function readText(...path: readonly string[]): string {
  return readFileSync(join(examplesFolder, ...path), "utf8");
}

/** Columns of numbers. The examples' tables have one line of names and no quotes. */
export function readTable(name: string): Readonly<Record<string, number[]>> {
  const [names = [], ...rows] = readText(name, "data.csv")
    .trimEnd()
    .split("\n")
    .map((line) => line.split(","));
  return Object.fromEntries(names.map((column, i) => [column, rows.map((row) => Number(row[i]))]));
}
