/** Plain text tables: aligned columns, the middle of a long one cut out and counted. */

import { inOneLine } from "@ndvm/core/machine";

/** How titles and remarks look; plain unless told, as on a page. */
export interface TextStyle {
  bold(text: string): string;
  dim(text: string): string;
}

const PLAIN: TextStyle = { bold: (text) => text, dim: (text) => text };

export interface TextColumn {
  readonly title: string;
  /** Text stands left, numbers right. */
  readonly align: "left" | "right";
  cell(row: number): string;
}

/** Tables up to this many rows are shown whole; longer ones show their first ROWS_CUT. */
const ROWS_ALL = 20;
const ROWS_CUT = 10;

export function formatTable(
  columns: readonly TextColumn[],
  rowCount: number,
  noun: string,
  showsAll = false,
  style: TextStyle = PLAIN,
): string {
  const shown = rowCount <= ROWS_ALL || showsAll ? rowCount : ROWS_CUT;
  const titles = columns.map(({ title }) => inOneLine(title));
  const cells = columns.map((column) =>
    Array.from({ length: shown }, (_, row) => inOneLine(column.cell(row))),
  );
  const widths = titles.map((title, index) =>
    (cells[index] ?? []).reduce((width, cell) => Math.max(width, cell.length), title.length),
  );
  const line = (texts: readonly string[]): string =>
    columns
      .map(({ align }, index) => {
        const text = texts[index] ?? "";
        const width = widths[index] ?? 0;
        return align === "left" ? text.padEnd(width) : text.padStart(width);
      })
      .join("  ")
      .trimEnd();
  const lines = [style.bold(line(titles))];
  for (let row = 0; row < shown; row++) lines.push(line(cells.map((column) => column[row] ?? "")));
  if (shown < rowCount) lines.push(style.dim(`… ${rowCount - shown} more ${noun}`));
  return lines.join("\n");
}

/**
 * The lines of a matrix of texts, right-aligned. Each cell is asked for twice and none is kept, so
 * a large matrix takes no more memory than one of its lines.
 */
export function* gridLines(
  rows: number,
  cols: number,
  cell: (row: number, col: number) => string,
): Generator<string> {
  const widths = new Array<number>(cols).fill(0);
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++)
      widths[col] = Math.max(widths[col] as number, cell(row, col).length);
  }
  for (let row = 0; row < rows; row++)
    yield widths.map((width, col) => cell(row, col).padStart(width)).join("  ");
}

/** A matrix of texts, right-aligned, one row a line. */
export function formatGrid(rows: readonly (readonly string[])[]): string {
  const cell = (row: number, col: number): string => rows[row]?.[col] ?? "";
  return [...gridLines(rows.length, rows[0]?.length ?? 0, cell)].join("\n");
}
