/**
 * The printer: datums → text that reads back as the same datums. What has no reading, in a result, is
 * written #<…>.
 *
 * The work stack holds what is still to be written, last first: texts and datums.
 */

import { Class, classOf } from "./characters.js";
import type { Datum, ListDatum, SymbolDatum } from "./datum.js";
import { formatNumber, startsNumber } from "./number-text.js";
import { hasUnseen, replaceUnseen } from "./seen.js";

const abbreviations: ReadonlyMap<string, string> = new Map([
  ["quote", "'"],
  ["quasiquote", "`"],
  ["unquote", ","],
  ["unquote-splicing", ",@"],
]);

export function print(datum: Datum): string {
  const parts: string[] = [];
  const work: (Datum | string)[] = [datum];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (typeof next === "string") parts.push(next);
    else if (next.kind === "number") parts.push(formatNumber(next.value, next.exact));
    else if (next.kind === "boolean") parts.push(next.value ? "#t" : "#f");
    else if (next.kind === "symbol") parts.push(symbolText(next));
    else if (next.kind === "bracket") pushItems(work, "[", next.items, undefined, "]");
    else pushList(work, next);
  }
  return parts.join("");
}

function pushList(work: (Datum | string)[], list: ListDatum): void {
  const { items, tail } = list;
  const [head, quoted] = items;
  if (items.length === 2 && tail === undefined && head?.kind === "symbol") {
    const mark = abbreviations.get(head.name);
    if (mark !== undefined) {
      work.push(quoted as Datum, followsComma(mark, quoted as Datum) ? `${mark} ` : mark);
      return;
    }
  }
  pushItems(work, "(", items, tail, ")");
}

/** `,` before a name that starts with @ would read as `,@`. */
function followsComma(mark: string, datum: Datum): boolean {
  return mark === "," && datum.kind === "symbol" && datum.name.startsWith("@");
}

function pushItems(
  work: (Datum | string)[],
  opener: string,
  items: readonly Datum[],
  tail: Datum | undefined,
  closer: string,
): void {
  work.push(closer);
  if (tail !== undefined) work.push(tail, " . ");
  for (let i = items.length - 1; i > 0; i--) work.push(items[i] as Datum, " ");
  if (items.length > 0) work.push(items[0] as Datum);
  work.push(opener);
}

/** A name as it is written in a program; |between bars| where it must be. */
export function printSymbol(name: string): string {
  if (isPlainName(name)) return name;
  return `|${withoutControls(name.replaceAll(/[|\\]/g, "\\$&"))}|`;
}

const symbolText = ({ name, isUnreadable }: SymbolDatum): string =>
  isUnreadable === true ? `#<${withoutControls(name)}>` : printSymbol(name);

/** A name in one line, in which everything can be seen: what cannot is written as escapes. */
const withoutControls = (name: string): string =>
  replaceUnseen(name, escaped).replace(/[\t\n\ufffd]/g, escaped);

const escaped = (mark: string): string => `\\x${(mark.codePointAt(0) as number).toString(16)};`;

function isPlainName(name: string): boolean {
  if (name === "" || name === "." || startsNumber(name)) return false;
  for (let i = 0; i < name.length; i++) {
    if (classOf(name.charCodeAt(i)) !== Class.Constituent) return false;
  }
  return !hasUnseen(name);
}
