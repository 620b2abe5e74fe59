/**
 * What a section is made of, and how it becomes Markdown.
 */

import type { Cell, Inline } from "./quote.js";

export type Block =
  | { readonly kind: "text"; readonly of: readonly Inline[] }
  | { readonly kind: "table"; readonly head: readonly string[]; readonly rows: readonly Inline[][] }
  | { readonly kind: "figure"; readonly name: string; readonly alt: string; readonly svg: string };

export const text = (...of: readonly Inline[]): Block => ({ kind: "text", of });
export const table = (head: readonly string[], rows: readonly Inline[][]): Block => ({
  kind: "table",
  head,
  rows,
});

const isCell = (inline: Inline): inline is Cell => typeof inline !== "string";
export const wordsOf = (inline: Inline): string => (isCell(inline) ? inline.text : inline);
const escaped = (words: string): string => words.replaceAll("|", "\\|");
const row = (cells: readonly Inline[]): string =>
  `| ${cells.map((cell) => escaped(wordsOf(cell))).join(" | ")} |`;

export function markdownOf(block: Block): string {
  if (block.kind === "text") return block.of.map(wordsOf).join("");
  if (block.kind === "figure") return `![${block.alt}](figures/${block.name}.svg)`;
  const rule = `| ${block.head.map((_, i) => (i === 0 ? "---" : "---:")).join(" | ")} |`;
  return [row(block.head), rule, ...block.rows.map(row)].join("\n");
}
