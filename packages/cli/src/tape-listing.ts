/** The tape and the inputs of a run as text: what `ndvm explain` and `:tape` show. */

import type { Explanation } from "@ndvm/core";
import { inOneLine } from "@ndvm/core/machine";
import { oneLine, type TextColumn } from "@ndvm/report/text";
import { formatTable } from "./tables.js";
import { out, widthOf } from "./terminal.js";

const shapeText = (shape: readonly number[]): string =>
  shape.length === 0 ? "number" : `[${shape.join(",")}]`;

/** A payload id; −1 and undefined mean there is none. */
const idText = (id: number | undefined): string => (id === undefined || id < 0 ? "" : `%${id}`);

/** Columns that the listing needs before the source text starts. */
const SOURCE_INDENT = 52;

/** Cuts source texts to a width: each once, since the turns of a loop have the same ones. */
function shortener(width: number): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const short = known.get(text) ?? oneLine(text, width);
    known.set(text, short);
    return short;
  };
}

export function tapeText({ tape }: Explanation, showsAll: boolean): string {
  const width = Math.max(24, widthOf(process.stdout) - SOURCE_INDENT);
  const shorten = shortener(width);
  const column = (
    title: string,
    align: TextColumn["align"],
    cell: (record: Explanation["tape"][number]) => string,
  ): TextColumn => ({
    title,
    align,
    cell: (row) => {
      const record = tape[row];
      return record === undefined ? "" : cell(record);
    },
  });
  const columns: TextColumn[] = [
    { title: "#", align: "right", cell: String },
    column("op", "left", (record) => record.op),
    column("out", "left", (record) => idText(record.out)),
    column("from", "left", ({ in0, in1 }) => [idText(in0), idText(in1)].join(" ").trim()),
    column("shape", "left", (record) => shapeText(record.shape)),
    column("is", "left", ({ active, uniform }) =>
      [active ? "active" : "inactive", uniform ? "uniform" : ""].filter(Boolean).join(" "),
    ),
    column("source", "left", ({ text }) => shorten(text)),
  ];
  if (tape.length === 0) return "(no records: nothing that was asked for reaches the result)";
  return formatTable(columns, tape.length, "records", showsAll);
}

export function inputsText({ inputs }: Explanation): string {
  if (inputs.length === 0) return "(none)";
  const names = inputs.map(({ name }) => inOneLine(name));
  const width = Math.max(...names.map(({ length }) => length));
  return inputs
    .map(({ active }, at) => {
      const state = active ? "active" : "inactive: no gradient is kept for it";
      return `${names[at]?.padEnd(width)}  ${state}`;
    })
    .join("\n");
}

export const section = (title: string, text: string): string => `${out.bold(title)}\n${text}`;
