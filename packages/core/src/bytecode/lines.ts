/**
 * The text of a stack program as lines of words with their places.
 *
 *   label: NAME operand …     ; a comment up to the end of the line
 *   .directive word …
 *
 * A line holds at most one instruction or directive; labels may stand alone.
 */

import { NdvmError, type Span } from "../errors.js";

export interface Word {
  readonly text: string;
  readonly span: Span;
}

export interface Line {
  readonly labels: readonly Word[];
  /** The instruction or directive and what follows it; empty: labels only. */
  readonly words: readonly Word[];
}

/** Text longer than this in a message is cut. */
const SHOWN_MAX = 40;

export const shown = (text: string): string =>
  text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX - 1)}…` : text;

/** Lines that say something, in order. */
export function readLines(source: string): Line[] {
  const lines: Line[] = [];
  let labels: Word[] = [];
  let words: Word[] = [];
  const finish = () => {
    if (labels.length > 0 || words.length > 0) lines.push({ labels, words });
    labels = [];
    words = [];
  };
  // A word, a comment or a line break; anything else is white space.
  for (const { 0: text, index } of source.matchAll(/;[^\r\n]*|\r\n|[\r\n]|[^\s;]+/g)) {
    if (text.startsWith(";")) continue;
    if (text === "\n" || text === "\r" || text === "\r\n") {
      finish();
      continue;
    }
    const word = { text, span: { start: index, end: index + text.length } };
    if (words.length === 0 && text.endsWith(":")) labels.push(checkedLabel(word));
    else words.push(word);
  }
  finish();
  return lines;
}

function checkedLabel({ text, span }: Word): Word {
  const name = text.slice(0, -1);
  if (name === "" || /^[-+]?\d+$/.test(name))
    throw new NdvmError("E-SYNTAX", `${shown(text)} is not a label`, {
      span,
      help: "a label is a name followed by a colon, such as again:",
    });
  return { text: name, span };
}
