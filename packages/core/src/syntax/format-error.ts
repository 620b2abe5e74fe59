/**
 * An error as text for a terminal:
 *
 *   filter.scm:2:3: error E-SHAPE: dot needs vectors of equal length, got …
 *     2 |   (dot gains x))
 *       |   ^^^^^^^^^^^^^
 *     help: x comes from the call (step state) at filter.scm:9:1
 *
 * Columns count UTF-16 units from 1. The underline counts cells of the terminal: a tab is shown as
 * two spaces, a wide character takes two cells, a combining mark none.
 */

import type { NdvmError } from "../errors.js";
import { checkNames, namesOf } from "../option-names.js";
import { lineEnd, positionOf } from "./position.js";

export interface FormatErrorOptions {
  readonly color?: boolean | undefined;
}

const NAMES = namesOf<FormatErrorOptions>({ color: 1 });

/** Characters of a sentence that are shown. */
const SENTENCE_MOST = 2000;
/** Longer source lines are cut around the span. */
const cellsMax = 96;
/** More units than a part of a line that is shown can have: a character has two at most. */
const NEAR = 4 * cellsMax;

export function formatError(error: NdvmError, options: FormatErrorOptions = {}): string {
  checkNames("formatError", options, NAMES);
  const paint = options.color === true ? colored : plain;
  const place = locate(error);
  const where =
    place === undefined ? error.file : `${error.file ?? "program"}:${place.line}:${place.column}`;
  const prefix = where === undefined ? "" : `${paint.bold(where)}: `;
  const lines = [`${prefix}${paint.red(`error ${error.code}`)}: ${clipped(error.message)}`];
  if (place !== undefined) lines.push(...excerpt(place, paint));
  if (error.help !== undefined) lines.push(`  ${paint.cyan("help")}: ${clipped(error.help)}`);
  return lines.join("\n");
}

/** A sentence may quote a name, and a name may be as long as a program. */
const clipped = (sentence: string): string =>
  sentence.length <= SENTENCE_MOST ? sentence : `${sentence.slice(0, SENTENCE_MOST)}…`;

interface Paint {
  bold(text: string): string;
  red(text: string): string;
  cyan(text: string): string;
}

const plain: Paint = { bold: (text) => text, red: (text) => text, cyan: (text) => text };
const colored: Paint = {
  bold: (text) => `\x1b[1m${text}\x1b[22m`,
  red: (text) => `\x1b[31m${text}\x1b[39m`,
  cyan: (text) => `\x1b[36m${text}\x1b[39m`,
};

/** Where a span starts, and its part of that line. */
interface Place {
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function locate({ source, span }: NdvmError): Place | undefined {
  if (source === undefined || span === undefined || span.start < 0) return undefined;
  const { line, column, lineStart } = positionOf(source, span.start);
  const text = source.slice(lineStart, lineEnd(source, lineStart));
  const start = Math.min(column - 1, text.length);
  const end = Math.min(span.end - lineStart, text.length);
  return { line, column, text, start, end };
}

function excerpt(place: Place, paint: Paint): string[] {
  const { before, marked, after } = cut(place);
  const number = String(place.line);
  const gutter = " ".repeat(number.length);
  const carets = "^".repeat(Math.max(1, cellsOf(marked)));
  return [
    `  ${number} | ${before}${marked}${after}`.trimEnd(),
    `  ${gutter} | ${" ".repeat(cellsOf(before))}${paint.red(carets)}`,
  ];
}

/**
 * The line in three parts, shortened so that the start of the span stays in sight. Of a long line only
 * what may be shown is looked at.
 */
function cut({ text, start, end }: Place): { before: string; marked: string; after: string } {
  const markedMax = Math.floor(cellsMax * 0.6);
  const marked = keepStart(charactersOf(text.slice(start, Math.min(end, start + NEAR))), markedMax);
  const room = cellsMax - cellsOf(marked);
  const near = charactersOf(text.slice(Math.max(0, start - NEAR), start));
  const before = keepEnd(near, Math.max(20, Math.floor(room * 0.6)));
  const rest = charactersOf(text.slice(end, end + NEAR));
  const after = keepStart(rest, Math.max(10, room - cellsOf(before)));
  return { before, marked, after };
}

const charactersOf = (text: string): string[] => [...text].map(shown);

function keepStart(characters: readonly string[], max: number): string {
  if (characters.length <= max) return characters.join("");
  return `${characters.slice(0, max - 1).join("")}…`;
}

function keepEnd(characters: readonly string[], max: number): string {
  if (characters.length <= max) return characters.join("");
  return `…${characters.slice(characters.length - max + 1).join("")}`;
}

/** Characters that a terminal would not show as themselves. */
function shown(character: string): string {
  if (character === "\t") return "  ";
  const code = character.codePointAt(0) ?? 0;
  return code < 32 || (code >= 127 && code < 160) ? "\ufffd" : character;
}

function cellsOf(text: string): number {
  let cells = 0;
  for (const character of text) cells += cellsOfCharacter(character.codePointAt(0) ?? 0);
  return cells;
}

/** Ranges of Unicode that terminals draw two cells wide: CJK, Hangul, full-width forms, emoji. */
const wideRanges: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
];

function cellsOfCharacter(code: number): number {
  if (code < 0x300) return 1;
  const isMark =
    code <= 0x36f || (code >= 0x200b && code <= 0x200f) || (code >= 0xfe00 && code <= 0xfe0f);
  if (isMark) return 0;
  return wideRanges.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}
