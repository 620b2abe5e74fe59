/** Tables of the terminal: those of the report package in the terminal's style. */

import { formatTable as formatPlainTable, type TextColumn } from "@ndvm/report/text";
import { out } from "./terminal.js";

export function formatTable(
  columns: readonly TextColumn[],
  rowCount: number,
  noun: string,
  showsAll = false,
): string {
  return formatPlainTable(columns, rowCount, noun, showsAll, out);
}
