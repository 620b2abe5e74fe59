/**
 * A program as Scheme text with the values of some inputs written in.
 *
 * "inline": every mention of an input becomes its number, in place, so comments and layout stay.
 * "define": definitions before the text keep the names.
 */

import { own } from "../records.js";
import type { Expansion } from "../syntax/core.js";
import { formatNumber } from "../syntax/number-text.js";
import { printSymbol } from "../syntax/print.js";

export function writeScheme(
  source: string,
  { nodes, inputs }: Expansion,
  params: Readonly<Record<string, number>>,
  how: "inline" | "define",
): string {
  const used = inputs.filter((name) => own(params, name) !== undefined);
  const text = (name: string) => formatNumber(own(params, name) as number, false);
  if (how === "define") {
    const lines = used.map((name) => `(define ${printSymbol(name)} ${text(name)})\n`);
    return lines.join("") + source;
  }
  /** Where each mention ends and what replaces it, by where it begins. */
  const mentions = new Map<number, { readonly end: number; readonly text: string }>();
  for (const node of nodes)
    if (node.kind === "input" && own(params, node.name) !== undefined)
      mentions.set(node.span.start, { end: node.span.end, text: text(node.name) });
  let written = "";
  let at = 0;
  for (const [start, mention] of [...mentions].sort(([a], [b]) => a - b)) {
    written += source.slice(at, start) + mention.text;
    at = mention.end;
  }
  return written + source.slice(at);
}
