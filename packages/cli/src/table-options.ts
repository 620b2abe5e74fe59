/** The options of every command that reads a table. */

import type { ReadOptions } from "@ndvm/tables";
import { DATE_UNITS, type DateUnit } from "@ndvm/tables/text";
import { Option } from "commander";

export const DATA_HELP =
  "table: CSV, TSV, JSON, JSON lines, Parquet, Arrow or XLSX; - reads standard input";

export const datesOption = (): Option =>
  new Option("--dates <unit>", "what dates count since 1970-01-01").choices([
    ...DATE_UNITS,
    "words",
  ]);

export interface TableCommandOptions {
  readonly sheet?: string;
  readonly dates?: DateUnit | "words";
}

export function tableOptions({ sheet, dates }: TableCommandOptions): ReadOptions {
  return {
    ...(sheet === undefined ? {} : { sheet: /^\d+$/.test(sheet) ? Number(sheet) : sheet }),
    ...(dates === undefined ? {} : { dates }),
  };
}
