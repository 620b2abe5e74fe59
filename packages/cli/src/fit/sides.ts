/**
 * Columns beside the data: `--sigma`, `--weights` and `--trials`. Each is a column, a number for
 * all rows, or, for several targets, `y1=sd1,y2=0.5`.
 */

import type { Column, FitOptions } from "@ndvm/core";
import { recordOf } from "@ndvm/core";
import type { Table } from "@ndvm/tables";
import { UsageError } from "../inputs.js";
import type { FitCommandOptions } from "./options.js";

const KEYS = ["sigma", "weights", "trials"] as const;

/** A column's name or a number as text, by target; "" stands for all of them. */
type Side = ReadonlyMap<string, string>;

function parseSide(key: string, text: string): Side {
  if (!text.includes("=")) return new Map([["", text.trim()]]);
  const pairs = text.split(",").map((part) => part.split("=").map((side) => side.trim()));
  for (const [name = "", column = "", ...rest] of pairs) {
    if (name === "" || column === "" || rest.length > 0) {
      throw new UsageError(`--${key} needs a column, a number, or y1=sd1,y2=sd2, got "${text}"`);
    }
  }
  return new Map(pairs.map(([name = "", column = ""]) => [name, column]));
}

const isPlainNumber = (text: string, table: Table): boolean =>
  !table.has(text) && text !== "" && Number.isFinite(Number(text));

/** The columns that the options name; an error for one that is not there. */
export function sideColumns(options: FitCommandOptions, table: Table): string[] {
  return KEYS.flatMap((key) => {
    const text = options[key];
    if (text === undefined) return [];
    const names = [...parseSide(key, text).values()].filter((one) => !isPlainNumber(one, table));
    for (const name of names) table.numbers(name, `, which is to hold the ${key}`);
    return names;
  });
}

export function sideOptions(
  options: FitCommandOptions,
  table: Table,
  points: number,
): Pick<FitOptions, "sigma" | "weights" | "trials"> {
  const columnOf = (text: string): string | Column =>
    isPlainNumber(text, table) ? new Float64Array(points).fill(Number(text)) : text;
  const sides: Record<string, unknown> = {};
  for (const key of KEYS) {
    const text = options[key];
    if (text === undefined) continue;
    const side = parseSide(key, text);
    const all = side.get("");
    if (key === "trials" && all === undefined) {
      throw new UsageError(`--trials is a column or a number, got "${text}"`);
    }
    sides[key] =
      all === undefined
        ? recordOf([...side].map(([target, one]) => [target, columnOf(one)]))
        : columnOf(all);
  }
  return sides;
}
