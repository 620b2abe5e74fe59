/**
 * Formulas: the text of a program that is nothing but calls of primitives on numbers and inputs,
 * such as (* a (exp (* k t))), straight to its image.
 *
 * Most programs that a search makes are formulas, and each is read once. They need no datums, no
 * core nodes and no analysis: a cell can be written as soon as its text ends. The image is word for
 * word the one that reader, expander and encoder make. Whatever else stands in a text, right or wrong,
 * ends the attempt, and those three take it; so every message is theirs.
 */

import type { Arity } from "../primitives/registry.js";
import { Class, classOf } from "../syntax/characters.js";
import { builtinNames, plainPrimitives } from "../syntax/names.js";
import { parseNumber, startsNumber } from "../syntax/number-text.js";
import { CELL_CONST, CELL_GLOBAL, CELL_PRIMITIVE, CELL_SEQ } from "./cells.js";
import { CLIENT_SCHEME, IMAGE_HEADER, TAG_INT, TAG_REAL } from "./layout.js";
import { mayPassOn, opOf, writeReal } from "./operations.js";
import type { EncodeOptions, Image } from "./parsed-program.js";
import { isImmediate } from "./quoted.js";
import { ImageHeader } from "./structures.js";

/** The image of a formula, and the names that are its inputs. */
export interface Formula extends Image {
  readonly inputs: readonly string[];
}

/** Longer texts are no small programs: what is lost if they are no formulas would be felt. */
const LENGTH_MAX = 1024;
/** A character makes four words at most: x is an input, whose cell has three, and an operand. */
const WORDS_MAX = 4 * LENGTH_MAX + 64;

const SPACE = 32;
const OPEN = 40;
const CLOSE = 41;
const NO_SYMBOLS: readonly string[] = [];

/** A primitive that a formula may call. */
interface Callable {
  readonly name: string;
  readonly arity: Arity;
  readonly op: number;
  readonly opClamped: number;
}

/** The formula in a text; undefined where it is anything else. */
export function encodeFormula(
  source: string,
  declared: readonly string[] | undefined,
  options: EncodeOptions,
): Formula | undefined {
  if (source.length > LENGTH_MAX) return undefined;
  scanner ??= new Scanner();
  return scanner.scan(source, declared, options);
}

/** One serves text after text, as the encoder does. Its words are good until the next. */
class Scanner {
  readonly #callables = collectCallables();
  readonly #builtins = builtinNames();
  readonly #words = new Int32Array(WORDS_MAX);
  /** Cells of operands whose call is still open. */
  readonly #cells = new Int32Array(LENGTH_MAX);
  /** By open call: what is called, its place among the cells, and its depths. */
  readonly #called: Callable[] = [];
  readonly #base = new Int32Array(LENGTH_MAX);
  readonly #depth = new Int32Array(LENGTH_MAX);
  #source = "";
  #declared: readonly string[] | undefined;
  #inputs: string[] = [];
  #reals: number[] = [];
  #options: EncodeOptions | undefined;
  #at = 0;
  #open = 0;
  #held = 0;
  #nodes = 0;
  #length = 0;
  #stack = 0;
  #control = 0;

  scan(
    source: string,
    declared: readonly string[] | undefined,
    options: EncodeOptions,
  ): Formula | undefined {
    this.#source = source;
    this.#declared = declared;
    this.#options = options;
    this.#inputs = [];
    if (this.#reals.length > 0) this.#reals = [];
    this.#at = 0;
    this.#open = 0;
    this.#held = 0;
    this.#nodes = 0;
    this.#length = IMAGE_HEADER;
    this.#stack = 1;
    this.#control = 2;
    return this.#skipSpace() === OPEN && this.#scanCalls() ? this.#finish() : undefined;
  }

  /** Goes to the next character that is no space and returns it; −1 at the end. */
  #skipSpace(): number {
    const source = this.#source;
    for (; this.#at < source.length; this.#at++) {
      const code = source.charCodeAt(this.#at);
      if (code !== SPACE && classOf(code) !== Class.Space) return code;
    }
    return -1;
  }

  /** Scans the call that begins here, and all in it; false where there is anything else. */
  #scanCalls(): boolean {
    do {
      const code = this.#skipSpace();
      if (code === OPEN) {
        if (!this.#openCall()) return false;
      } else if (code === CLOSE) {
        if (!this.#closeCall()) return false;
      } else if (code < 0 || classOf(code) !== Class.Constituent || !this.#takeAtom(code))
        return false;
    } while (this.#open > 0);
    return this.#skipSpace() < 0;
  }

  /** The token that begins here; empty where it ends in a way that only the reader knows. */
  #token(): string {
    const source = this.#source;
    const start = this.#at;
    let end = start;
    for (; end < source.length; end++) {
      const code = source.charCodeAt(end);
      const kind = classOf(code);
      if (kind === Class.Constituent && code < 128) continue;
      if (kind !== Class.Space && code !== OPEN && code !== CLOSE) return "";
      break;
    }
    this.#at = end;
    return source.slice(start, end);
  }

  #openCall(): boolean {
    this.#at++;
    this.#skipSpace();
    // Empty where no name stands here, and nothing is called so.
    const name = this.#token();
    const called = this.#callables.get(name);
    if (called === undefined || this.#declared?.includes(name)) return false;
    const depth = this.#open === 0 ? 0 : this.#measure();
    const open = this.#open++;
    this.#depth[open] = depth;
    this.#called[open] = called;
    this.#base[open] = this.#held;
    this.#nodes += 1;
    return true;
  }

  #closeCall(): boolean {
    this.#at++;
    const open = --this.#open;
    const called = this.#called[open] as Callable;
    const base = this.#base[open] as number;
    const count = this.#held - base;
    if (count < called.arity.min || count > called.arity.max) return false;
    // A number that leaves the program and is older than its last step gets a cell of its own.
    if (open === 0 && mayPassOn(called.name, count)) return false;
    const words = this.#words;
    const cell = this.#begin(CELL_PRIMITIVE);
    words[this.#length++] = this.#options?.clamps ? called.opClamped : called.op;
    words[this.#length++] = count;
    for (let k = base; k < this.#held; k++) words[this.#length++] = this.#cells[k] as number;
    this.#held = base;
    this.#cells[this.#held++] = cell;
    return true;
  }

  /** A number or an input. */
  #takeAtom(code: number): boolean {
    const text = this.#token();
    if (text === "") return false;
    const isSigned = code === 43 || code === 45 || code === 46;
    if ((code >= 48 && code <= 57) || (isSigned && startsNumber(text)))
      return this.#takeNumber(text);
    const isInput = this.#declared?.includes(text) || (!this.#builtins.has(text) && text !== ".");
    if (!isInput) return false;
    this.#measure();
    let index = this.#inputs.indexOf(text);
    if (index < 0) index = this.#inputs.push(text) - 1;
    this.#cells[this.#held++] = this.#begin(CELL_GLOBAL);
    this.#words[this.#length++] = index;
    return true;
  }

  #takeNumber(text: string): boolean {
    const parsed = parseNumber(text);
    if (parsed === undefined || !Number.isFinite(parsed.value)) return false;
    const { value, exact } = parsed;
    this.#measure();
    const isInteger = isImmediate(value, exact, this.#options?.integerMax as number);
    this.#cells[this.#held++] = this.#begin(CELL_CONST);
    this.#words[this.#length++] = isInteger ? TAG_INT : TAG_REAL;
    this.#words[this.#length++] = isInteger ? value : this.#reals.push(value) - 1;
    return true;
  }

  /** Notes how deep the stacks are where the next operand is evaluated; returns its slot. */
  #measure(): number {
    const open = this.#open - 1;
    const depth = (this.#depth[open] as number) + this.#held - (this.#base[open] as number);
    if (depth >= this.#stack) this.#stack = depth + 1;
    // Two frames for each call around it and two of its own, as in the analysis.
    const frames = 2 * this.#open + 2;
    if (frames > this.#control) this.#control = frames;
    return depth;
  }

  /** A cell of the next node. */
  #begin(kind: number): number {
    const at = this.#length;
    this.#words[this.#length++] = kind;
    this.#words[this.#length++] = this.#nodes++;
    return at;
  }

  #finish(): Formula {
    const words = this.#words;
    const inputs = this.#inputs;
    for (const name of this.#declared ?? NO_SYMBOLS) if (!inputs.includes(name)) inputs.push(name);
    const entry = this.#begin(CELL_SEQ);
    words[this.#length++] = 0;
    words[this.#length++] = 1;
    words[this.#length++] = this.#cells[0] as number;
    if (this.#length % 2 !== 0) words[this.#length++] = 0;
    const constantsAt = this.#length;
    for (const real of this.#reals) this.#length = writeReal(words, this.#length, real);
    const header = new ImageHeader({ words }, 0);
    header.words = this.#length;
    header.entry = entry;
    header.inputs = inputs.length;
    header.globals = inputs.length;
    header.constants = this.#reals.length;
    header.constantsAt = constantsAt;
    header.heap = 0;
    header.heapAt = this.#length;
    header.stack = this.#stack;
    header.control = this.#control;
    header.client = CLIENT_SCHEME;
    return { words, symbols: NO_SYMBOLS, inputs };
  }
}

let scanner: Scanner | undefined;

/** All primitives but `apply`, which is a call of what it is given. */
function collectCallables(): ReadonlyMap<string, Callable> {
  const callables = new Map<string, Callable>();
  for (const [name, { arity }] of plainPrimitives())
    if (name !== "apply")
      callables.set(name, { name, arity, op: opOf(name, false), opClamped: opOf(name, true) });
  return callables;
}
