/**
 * Formulas: the text of a program that is nothing but calls of primitives on numbers and inputs,
 * such as (* a (exp (* k t))), straight to its image.
 *
 * Most programs that a search makes are formulas, and each is read once. They need no datums, no
 * core nodes and no analysis: a cell can be written as soon as its text ends. The image is word for
 * word the one that reader, expander and encoder make. Whatever else stands in a text, right or wrong,
 * ends the attempt, and those three take it; so every message is theirs.
 *
 * Arrays that serve text after text are constants of this file, and what changes from token to token
 * is a variable: as fields of an object they would take as long as all the rest.
 */

import { Class, classOf } from "../syntax/characters.js";
import { parseNumber, startsNumber } from "../syntax/number-text.js";
import { CELL_CONST, CELL_GLOBAL, CELL_PRIMITIVE, CELL_SEQ } from "./cells.js";
import { CLIENT_SCHEME, IMAGE_HEADER, TAG_INT, TAG_REAL } from "./layout.js";
import { writeReal } from "./operations.js";
import type { EncodeOptions, Image } from "./parsed-program.js";
import { isImmediate } from "./quoted.js";
import {
  fillSpellings,
  NOTHING,
  placeOf,
  ROW,
  SPELLINGS_MAX,
  type Spellings,
  TABLE_SIZE,
} from "./spellings.js";
import { ImageHeader } from "./structures.js";

/** The image of a formula, and the names that are its inputs. */
export interface Formula extends Image {
  readonly inputs: readonly string[];
}

/** Longer texts are no small programs: what is lost if they are no formulas would be felt. */
const LENGTH_MAX = 1024;
/** A character makes four words at most: x is an input, whose cell has three, and an operand. */
const WORDS_MAX = 4 * LENGTH_MAX + 64;

// What a character is to a formula.
const NAME = 0;
const SPACE = 1;
const OPEN = 2;
const CLOSE = 3;
const END = 4;
const OTHER = 5;

const BLANK = 32;
const PLUS = 43;
const MINUS = 45;
const POINT = 46;
const DIGIT_FIRST = 48;
const DIGIT_LAST = 57;

const NO_SYMBOLS: readonly string[] = [];
/** No place: the text is no formula. */
const FAILED = 0;

/** The characters of the text, and 0 after the last; what each of ASCII is. */
const codes = new Uint8Array(LENGTH_MAX + 1);
const kinds = Uint8Array.from({ length: 128 }, (_, code) => kindOf(code));
/** The image. The words are good until the next text. */
const words = new Int32Array(WORDS_MAX);
/** Cells of operands whose call is still open. */
const cells = new Int32Array(LENGTH_MAX);
/** By open call: the spelling of what is called, its place among the cells, and its depth. */
const calls = new Int32Array(LENGTH_MAX);
const bases = new Int32Array(LENGTH_MAX);
const depths = new Int32Array(LENGTH_MAX);
/** Where the names of the inputs begin and end in the text, and how many there are. */
const starts = new Int32Array(LENGTH_MAX);
const ends = new Int32Array(LENGTH_MAX);
let inputCount = 0;
let reals: number[] = [];
/** Words of the language; empty before the first text. */
let spellings: readonly string[] = [];
const table = new Int16Array(TABLE_SIZE);
const spelt = new Uint8Array(ROW * SPELLINGS_MAX);
const lengths = new Int32Array(SPELLINGS_MAX);
const least = new Int32Array(SPELLINGS_MAX);
const most = new Int32Array(SPELLINGS_MAX);
const ops = new Int32Array(SPELLINGS_MAX);
const clampedOps = new Int32Array(SPELLINGS_MAX);
const passesOne = new Uint8Array(SPELLINGS_MAX);
const passesMany = new Uint8Array(SPELLINGS_MAX);

function kindOf(code: number): number {
  if (code === 0) return END;
  if (code === 40) return OPEN;
  if (code === 41) return CLOSE;
  const known = classOf(code);
  if (known === Class.Space) return SPACE;
  return known === Class.Constituent ? NAME : OTHER;
}

/** The formula in a text; undefined where it is anything else. */
export function encodeFormula(
  source: string,
  declared: readonly string[] | undefined,
  { clamps, integerMax }: EncodeOptions,
): Formula | undefined {
  const end = take(source);
  if (spellings.length === 0) spellings = fillSpellings(knownSpellings());
  let length = IMAGE_HEADER;
  let nodes = 0;
  let open = 0;
  let held = 0;
  let deepest = 0;
  let stack = 0;
  inputCount = 0;
  if (reals.length > 0) reals = [];
  for (let at = skipSpace(0); at < end; at = skipSpace(at)) {
    const kind = kinds[codes[at] as number] as number;
    // Nothing stands before the first call, and nothing after it.
    if (open === 0 && (kind !== OPEN || nodes > 0)) return undefined;
    if (kind === CLOSE) {
      const base = bases[--open] as number;
      const after = writeCall(length, nodes++, open, held, clamps);
      if (after === FAILED) return undefined;
      cells[base] = length;
      held = base + 1;
      length = after;
      at++;
      continue;
    }
    let depth = 0;
    if (open > 0) depth = (depths[open - 1] as number) + held - (bases[open - 1] as number);
    if (depth > stack) stack = depth;
    if (open > deepest) deepest = open;
    const start = kind === OPEN ? skipSpace(at + 1) : at;
    at = tokenEnd(start);
    if (at === start) return undefined;
    const spelling = find(start, at);
    const isDeclared = spelling !== NOTHING && declared?.includes(spellings[spelling] as string);
    if (kind === OPEN) {
      if (spelling === NOTHING || isDeclared || (most[spelling] as number) < 0) return undefined;
      calls[open] = spelling;
      bases[open] = held;
      depths[open++] = depth;
      nodes++;
      continue;
    }
    cells[held++] = length;
    if (isNumber(source, start, at))
      length = writeNumber(length, nodes++, source.slice(start, at), integerMax);
    else if (isDeclared || spelling === NOTHING) length = writeInput(length, nodes++, start, at);
    else return undefined;
    if (length === FAILED) return undefined;
  }
  if (nodes === 0 || open > 0) return undefined;
  // Two frames for each call around an operand and two of its own, as in the analysis.
  return finish(length, nodes, namesIn(source, declared), stack + 1, 2 * deepest + 2);
}

function knownSpellings(): Spellings {
  const counts = { least, most, ops, clampedOps, passesOne, passesMany };
  return { table, codes: spelt, lengths, ...counts };
}

/** Takes the characters of a text, and returns how many; none where it is long, or not in ASCII. */
function take(source: string): number {
  const { length } = source;
  if (length > LENGTH_MAX) return 0;
  for (let at = 0; at < length; at++) {
    const code = source.charCodeAt(at);
    if (code >= 128 && classOf(code) !== Class.Space) return 0;
    codes[at] = code < 128 ? code : BLANK;
  }
  codes[length] = 0;
  return length;
}

/** The next place whose character is no space. */
function skipSpace(from: number): number {
  let at = from;
  while (kinds[codes[at] as number] === SPACE) at++;
  return at;
}

/** The end of the token that begins at a place; that place where only the reader knows its end. */
function tokenEnd(start: number): number {
  let at = start;
  let kind = kinds[codes[at] as number] as number;
  while (kind === NAME) kind = kinds[codes[++at] as number] as number;
  return kind === OTHER ? start : at;
}

/** The word of the language between two places. */
function find(start: number, end: number): number {
  const length = end - start;
  let place = placeOf(codes[start] as number, codes[end - 1] as number, length);
  for (; ; place = (place + 1) & (TABLE_SIZE - 1)) {
    const spelling = table[place] as number;
    if (spelling === NOTHING) return NOTHING;
    if (lengths[spelling] !== length) continue;
    let k = 0;
    while (k < length && codes[start + k] === spelt[ROW * spelling + k]) k++;
    if (k === length) return spelling;
  }
}

/** Whether what stands between two places of the text must be a number. */
function isNumber(source: string, start: number, end: number): boolean {
  const code = codes[start] as number;
  if (code > DIGIT_LAST) return false;
  if (code >= DIGIT_FIRST) return true;
  return (
    (code === PLUS || code === MINUS || code === POINT) && startsNumber(source.slice(start, end))
  );
}

/** Writes the call whose operands are all there, and returns the place after it. */
function writeCall(at: number, node: number, open: number, held: number, clamps: boolean): number {
  const called = calls[open] as number;
  const base = bases[open] as number;
  const count = held - base;
  if (count < (least[called] as number) || count > (most[called] as number)) return FAILED;
  // A number that leaves the program and is older than its last step gets a cell of its own.
  if (open === 0 && (count === 1 ? passesOne : passesMany)[called] !== 0) return FAILED;
  words[at] = CELL_PRIMITIVE;
  words[at + 1] = node;
  words[at + 2] = (clamps ? clampedOps : ops)[called] as number;
  words[at + 3] = count;
  let to = at + 4;
  for (let k = base; k < held; k++) words[to++] = cells[k] as number;
  return to;
}

function writeNumber(at: number, node: number, text: string, integerMax: number): number {
  const parsed = parseNumber(text);
  if (parsed === undefined || !Number.isFinite(parsed.value)) return FAILED;
  const { value, exact } = parsed;
  const isInteger = isImmediate(value, exact, integerMax);
  words[at] = CELL_CONST;
  words[at + 1] = node;
  words[at + 2] = isInteger ? TAG_INT : TAG_REAL;
  words[at + 3] = isInteger ? value : reals.push(value) - 1;
  return at + 4;
}

function writeInput(at: number, node: number, start: number, end: number): number {
  if (end === start + 1 && codes[start] === POINT) return FAILED;
  words[at] = CELL_GLOBAL;
  words[at + 1] = node;
  words[at + 2] = inputIndex(start, end);
  return at + 3;
}

/** The number of the input whose name stands between two places. */
function inputIndex(start: number, end: number): number {
  const length = end - start;
  for (let index = 0; index < inputCount; index++) {
    const from = starts[index] as number;
    if ((ends[index] as number) - from !== length) continue;
    let k = 0;
    while (k < length && codes[from + k] === codes[start + k]) k++;
    if (k === length) return index;
  }
  starts[inputCount] = start;
  ends[inputCount] = end;
  return inputCount++;
}

/** The names of the inputs as they come, then of those that are only declared. */
function namesIn(source: string, declared: readonly string[] | undefined): string[] {
  const names: string[] = [];
  for (let k = 0; k < inputCount; k++)
    names.push(source.slice(starts[k] as number, ends[k] as number));
  if (declared !== undefined)
    for (const name of declared) if (!names.includes(name)) names.push(name);
  return names;
}

function finish(
  entry: number,
  nodes: number,
  inputs: readonly string[],
  stack: number,
  control: number,
): Formula {
  let length = entry;
  words[length++] = CELL_SEQ;
  words[length++] = nodes;
  words[length++] = 0;
  words[length++] = 1;
  words[length++] = cells[0] as number;
  if (length % 2 !== 0) words[length++] = 0;
  const constantsAt = length;
  for (const real of reals) length = writeReal(words, length, real);
  const header = new ImageHeader({ words }, 0);
  header.words = length;
  header.entry = entry;
  header.inputs = inputs.length;
  header.globals = inputs.length;
  header.constants = reals.length;
  header.constantsAt = constantsAt;
  header.heap = 0;
  header.heapAt = length;
  header.stack = stack;
  header.control = control;
  header.client = CLIENT_SCHEME;
  return { words, symbols: NO_SYMBOLS, inputs };
}
