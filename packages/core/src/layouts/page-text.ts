/**
 * Tables of a page, between marks that name a structure or a group of codes:
 *
 *   <!-- layout: TapeRecord -->
 *   …
 *   <!-- end -->
 */

import { bytesOf, type Codes, type Field, type Layout } from "./define.js";

const MARK = /<!-- (layout|codes): (\w+) -->\n[\s\S]*?<!-- end -->/g;

const typeText = ({ type, count }: Field): string =>
  `${typeof type === "string" ? type : type.name}${count === 1 ? "" : ` × ${count}`}`;

function layoutTable({ name, base, fields, bytes }: Layout): string {
  const rows = fields.map(
    (field) => `| ${field.offset} | \`${field.name}\` | ${typeText(field)} | ${field.doc} |`,
  );
  const last = fields.at(-1) as Field;
  const end = last.offset + last.count * bytesOf(last.type);
  const size = base === undefined || end > base.bytes ? bytes : base.bytes;
  const from = base === undefined ? "" : `; it begins as \`${base.name}\``;
  return [
    `\`${name}\`, ${size} bytes${from}:`,
    "",
    "| Byte | Field | Type | Holds |",
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

function codesTable({ codes }: Codes): string {
  const rows = codes.map(([name, value, doc]) => `| ${value} | \`${name}\` | ${doc} |`);
  return ["| Number | Name | Means |", "| --- | --- | --- |", ...rows].join("\n");
}

/** The page with its tables filled in; every structure and group of codes must have its place. */
export function fillPage(
  page: string,
  codes: readonly Codes[],
  layouts: readonly Layout[],
): string {
  const tables = new Map<string, string>([
    ...layouts.map((layout) => [`layout: ${layout.name}`, layoutTable(layout)] as const),
    ...codes.map((group) => [`codes: ${group.name}`, codesTable(group)] as const),
  ]);
  const left = new Set(tables.keys());
  const filled = page.replace(MARK, (_, kind: string, name: string) => {
    const key = `${kind}: ${name}`;
    const table = tables.get(key);
    if (table === undefined)
      throw new Error(`the page asks for a table ${key}, which is not declared`);
    left.delete(key);
    return `<!-- ${key} -->\n${table}\n<!-- end -->`;
  });
  if (left.size > 0) throw new Error(`the page draws no ${[...left].join(", ")}`);
  return filled;
}
