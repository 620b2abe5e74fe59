/**
 * What a program says, by its text and by what the reader makes of it: a name may be written with
 * escapes, and a number in many ways, but tables and reports show what was read.
 */

import { type Datum, read } from "@ndvm/core";

/** The text of a program, and behind it its names and numbers as they are shown, in their order. */
export function everythingIn(source: string): string {
  return `${source}\n\n${wordsOf(source).join("\n")}`;
}

function wordsOf(source: string): string[] {
  const words: string[] = [];
  const waiting = datumsOf(source).reverse();
  for (let datum = waiting.pop(); datum !== undefined; datum = waiting.pop()) {
    if (datum.kind === "symbol") words.push(datum.name);
    if (datum.kind === "number") words.push(String(datum.value));
    if (datum.kind !== "list" && datum.kind !== "bracket") continue;
    if (datum.kind === "list" && datum.tail !== undefined) waiting.push(datum.tail);
    for (let i = datum.items.length - 1; i >= 0; i--) waiting.push(datum.items[i] as Datum);
  }
  return words;
}

/** What cannot be read is shown as it was written. */
function datumsOf(source: string): Datum[] {
  try {
    return read(source);
  } catch {
    return [];
  }
}
