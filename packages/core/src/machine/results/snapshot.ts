/**
 * Reads a result out of the machine before the next run overwrites it.
 *
 * A snapshot copies what its value reaches and nothing else: pairs, renumbered in the order they
 * were met, and the numbers they refer to. They are turned into JavaScript values or datums on
 * demand, without host recursion and within a budget of bytes.
 *
 *   word 0    1      2    3
 *        | car       | cdr       |   a pair: tag and data of each; a pair's data is its index here
 *        |tag | data |tag | data |   a number's its index in the table of numbers
 *                                    a closure's the place of its procedure in the image
 */

import {
  TAG_BOOL,
  TAG_CLOSURE,
  TAG_INT,
  TAG_MASK,
  TAG_NIL,
  TAG_PAIR,
  TAG_PRIMITIVE,
  TAG_REAL,
  TAG_SYMBOL,
  TAG_TENSOR,
} from "../../program/layout.js";
import type { Datum } from "../../syntax/datum.js";
import { printSymbol } from "../../syntax/print.js";
import type { Machine } from "../machine.js";
import type { Program } from "../program.js";
import { primitiveName } from "../reports/faults.js";
import type { DatumValue } from "../types.js";
import type { ByteBudget } from "./byte-budget.js";
import { CopiedNumbers, type PackedNumbers } from "./copied-numbers.js";
import { type MachineValue, shapeOf } from "./payloads.js";
import { NOWHERE, numberDatum, numericDatum } from "./result-text.js";

const PAIR_WORDS = 4;
const PAIR_BYTES = 4 * PAIR_WORDS;
const PAIRS_LEAST = 64;

/** What one part of a result takes as a JavaScript value, and as a datum that is then printed. */
const VALUE_BYTES = 64;
const DATUM_BYTES = 256;
/** What one number of a vector or matrix takes. */
const ELEMENT_BYTES = 8;
/** A part is counted for so many characters of a name, and each of the others by itself. */
const NAME_CHARACTERS = 16;
const CHARACTER_BYTES = 16;
/** An array takes as much as so many numbers before it has any. */
const ARRAY_ELEMENTS = 24;

/** What a finished list is made into, and how the leaves look. */
interface Builder<T> {
  readonly partBytes: number;
  readonly elementBytes: number;
  leaf(tag: number, data: number): T;
  list(items: T[], tail: T | undefined): T;
}

/** A name of the program in a result, and how many characters are written for it. */
interface Name {
  readonly text: string;
  readonly length: number;
}

/** Work that is left while a result is built: a value, or the end of a list. */
type Work = MachineValue | { readonly close: number; readonly dotted: boolean };

/** How a snapshot's symbols and procedures are called: the names that are in it. */
interface Names {
  /** By number. */
  symbol(number: number): string;
  /** By place in the image; undefined where it has no name. */
  procedure(place: number): string | undefined;
}

/** A snapshot as it travels, with the names that it needs. */
export interface PackedSnapshot {
  readonly root: MachineValue;
  readonly pairs: Int32Array;
  readonly numbers: PackedNumbers;
  readonly symbols: ReadonlyMap<number, string>;
  readonly procedures: ReadonlyMap<number, string | undefined>;
}

export class Snapshot {
  #root: MachineValue;
  readonly #names: Names;
  #pairs: Int32Array;
  #pairCount = 0;
  readonly #numbers: CopiedNumbers;
  /** Names of symbols and procedures that were read, by number and place. */
  readonly #symbols = new Map<number, Name>();
  readonly #procedures = new Map<number, Name>();

  private constructor(
    root: MachineValue,
    names: Names,
    numbers: CopiedNumbers,
    pairs: Int32Array = new Int32Array(0),
  ) {
    this.#root = root;
    this.#names = names;
    this.#numbers = numbers;
    this.#pairs = pairs;
  }

  /** Copies a value of the machine's current trace or latest walk, for each of `lanes` lanes. */
  static of(
    machine: Machine,
    program: Program,
    value: MachineValue,
    lanes: number,
    budget: ByteBudget,
  ): Snapshot {
    const names = {
      symbol: (number: number) => program.symbols[number] as string,
      procedure: (place: number) => program.procedureAt(place).name,
    };
    const snapshot = new Snapshot(value, names, new CopiedNumbers(lanes));
    snapshot.#root = snapshot.#copy(machine, value, budget);
    snapshot.#pairs = snapshot.#pairs.slice(0, snapshot.#pairCount * PAIR_WORDS);
    return snapshot;
  }

  static unpack({ root, pairs, numbers, symbols, procedures }: PackedSnapshot): Snapshot {
    const names = {
      symbol: (number: number) => symbols.get(number) as string,
      procedure: (place: number) => procedures.get(place),
    };
    return new Snapshot(root, names, new CopiedNumbers(numbers.lanes, numbers), pairs);
  }

  pack(): PackedSnapshot {
    const symbols = new Map<number, string>();
    const procedures = new Map<number, string | undefined>();
    const note = (tag: number, data: number): void => {
      if (tag === TAG_SYMBOL) symbols.set(data, this.#names.symbol(data));
      if (tag === TAG_CLOSURE && !procedures.has(data))
        procedures.set(data, this.#names.procedure(data));
    };
    note(this.#root.tag, this.#root.data);
    const pairs = this.#pairs;
    for (let at = 0; at < pairs.length; at += 2) note(pairs[at] as number, pairs[at + 1] as number);
    return { root: this.#root, pairs, numbers: this.#numbers.pack(), symbols, procedures };
  }

  /** Copies a value and all that it reaches; returns it as it is named here. */
  #copy(machine: Machine, value: MachineValue, budget: ByteBudget): MachineValue {
    const { exports } = machine;
    const isPair = value.tag === TAG_PAIR;
    const hasHeap = isPair || value.tag === TAG_CLOSURE;
    const bytes = hasHeap ? exports.bytesUsed(3) : 0;
    const base = (exports.heapBase.value as number) >>> 0;
    const heap = new Int32Array(exports.memory.buffer, base, bytes / 4);
    /** The number of each pair here, counted from 1, by its place in the heap. */
    const known = new Int32Array(isPair ? bytes / 8 : 0);
    const places: number[] = [];
    const numbers = new Map<number, number>();
    const named = (tag: number, data: number): number => {
      if (tag === TAG_REAL || tag === TAG_TENSOR || tag === TAG_MASK) {
        const index = numbers.get(data) ?? this.#numbers.add(machine, data, budget);
        numbers.set(data, index);
        return index;
      }
      if (tag === TAG_CLOSURE) return heap[data * 2 + 1] as number;
      if (tag !== TAG_PAIR) return data;
      if (known[data] === 0) {
        known[data] = this.#addPair(budget);
        places.push(data);
      }
      return (known[data] as number) - 1;
    };
    const root = { tag: value.tag, data: named(value.tag, value.data) };
    for (let place = places.pop(); place !== undefined; place = places.pop()) {
      const to = ((known[place] as number) - 1) * PAIR_WORDS;
      for (let field = 0; field < 2; field++) {
        const at = (place + 1 + field) * 2;
        const tag = heap[at] as number;
        const data = named(tag, heap[at + 1] as number);
        this.#pairs[to + field * 2] = tag;
        this.#pairs[to + field * 2 + 1] = data;
      }
    }
    return root;
  }

  /** Room for another pair; returns how many there are now. */
  #addPair(budget: ByteBudget): number {
    if (this.#pairCount * PAIR_WORDS === this.#pairs.length) {
      const grown = Math.max(PAIRS_LEAST, this.#pairCount * 2);
      budget.take((grown - this.#pairCount) * PAIR_BYTES);
      const pairs = new Int32Array(grown * PAIR_WORDS);
      pairs.set(this.#pairs);
      this.#pairs = pairs;
    }
    this.#pairCount += 1;
    return this.#pairCount;
  }

  #field(pair: number, field: number): MachineValue {
    const at = pair * PAIR_WORDS + field * 2;
    return { tag: this.#pairs[at] as number, data: this.#pairs[at + 1] as number };
  }

  /** The first number of a lane that is not finite, if the result is numeric and there is one. */
  nonFinite(lane: number): number | undefined {
    const { tag, data } = this.#root;
    if (tag !== TAG_REAL && tag !== TAG_TENSOR) return undefined;
    return this.#numbers.of(data, lane).find((number) => !Number.isFinite(number));
  }

  /** What the result is, in words. */
  get kind(): string {
    const { tag } = this.#root;
    if (tag === TAG_PAIR || tag === TAG_NIL) return "a list";
    if (tag === TAG_BOOL || tag === TAG_MASK) return "a boolean";
    if (tag === TAG_SYMBOL) return "a symbol";
    if (tag === TAG_CLOSURE || tag === TAG_PRIMITIVE) return "a procedure";
    const isNumeric = tag === TAG_INT || tag === TAG_REAL || tag === TAG_TENSOR;
    return isNumeric ? "a number" : "nothing";
  }

  /** The result in one lane as a JavaScript value. */
  value(lane: number, budget: ByteBudget): DatumValue {
    const builder: Builder<DatumValue> = {
      partBytes: VALUE_BYTES,
      elementBytes: ELEMENT_BYTES,
      leaf: (tag, data) => this.#leafValue(tag, data, lane),
      list: (items, tail) => (tail === undefined ? items : { list: items, tail }),
    };
    return this.#build(builder, budget);
  }

  #leafValue(tag: number, data: number, lane: number): DatumValue {
    switch (tag) {
      case TAG_INT:
        return data;
      case TAG_REAL:
        return this.#numbers.first(data, lane);
      case TAG_TENSOR:
        return this.#tensorValue(data, lane);
      case TAG_BOOL:
        return data !== 0;
      case TAG_MASK:
        // All bits set reads as NaN, none as 0.
        return this.#numbers.first(data, lane) !== 0;
      case TAG_NIL:
        return [];
      case TAG_SYMBOL:
        return this.#symbolName(data).text;
      case TAG_CLOSURE:
        return { procedure: this.#procedureName(data).text };
      case TAG_PRIMITIVE:
        return { procedure: primitiveName(data) };
      default:
        return null;
    }
  }

  #symbolName(number: number): Name {
    const known = this.#symbols.get(number);
    if (known !== undefined) return known;
    return remember(this.#symbols, number, this.#names.symbol(number));
  }

  #procedureName(place: number): Name {
    const known = this.#procedures.get(place);
    if (known !== undefined) return known;
    return remember(this.#procedures, place, this.#names.procedure(place) ?? "(lambda …)");
  }

  #tensorValue(index: number, lane: number): DatumValue {
    const { rank, rows, cols } = this.#numbers.info(index);
    const own = this.#numbers.of(index, lane);
    if (rank === 1) return own;
    return Array.from({ length: rows }, (_, r) => own.slice(r * cols, (r + 1) * cols));
  }

  /** The result in one lane as a datum; a matrix is (mat [..] …), a procedure #<procedure f>. */
  datum(lane: number, budget: ByteBudget): Datum {
    const builder: Builder<Datum> = {
      partBytes: DATUM_BYTES,
      elementBytes: DATUM_BYTES,
      leaf: (tag, data) => this.#leafDatum(tag, data, lane),
      list: (items, tail) => ({ kind: "list", items, tail, span: NOWHERE }),
    };
    return this.#build(builder, budget);
  }

  #leafDatum(tag: number, data: number, lane: number): Datum {
    const span = NOWHERE;
    if (tag === TAG_REAL) return numberDatum(this.#numbers.first(data, lane));
    if (tag === TAG_TENSOR)
      return numericDatum(this.#numbers.of(data, lane), shapeOf(this.#numbers.info(data)));
    if (tag === TAG_NIL) return { kind: "list", items: [], span };
    const value = this.#leafValue(tag, data, lane);
    if (typeof value === "number") return { kind: "number", value, exact: true, span };
    if (typeof value === "boolean") return { kind: "boolean", value, span };
    if (typeof value === "string") return { kind: "symbol", name: value, span };
    const name = value === null ? "unspecified" : `procedure ${procedureOf(value)}`;
    return { kind: "symbol", name, isUnreadable: true, span };
  }

  #build<T>(builder: Builder<T>, budget: ByteBudget): T {
    const results: T[] = [];
    const work: Work[] = [this.#root];
    for (let item = work.pop(); item !== undefined; item = work.pop()) {
      if ("close" in item) {
        const tail = item.dotted ? results.pop() : undefined;
        results.push(builder.list(results.splice(results.length - item.close), tail));
      } else if (item.tag === TAG_PAIR) {
        this.#open(item.data, work, builder.partBytes, budget);
      } else {
        const elements = this.#elements(item) * builder.elementBytes;
        budget.take(builder.partBytes + elements + this.#nameBytes(item));
        results.push(builder.leaf(item.tag, item.data));
      }
    }
    return results[0] as T;
  }

  /** What a long name takes wherever it is written out. */
  #nameBytes({ tag, data }: MachineValue): number {
    if (tag !== TAG_SYMBOL && tag !== TAG_CLOSURE) return 0;
    const { length } = tag === TAG_SYMBOL ? this.#symbolName(data) : this.#procedureName(data);
    return Math.max(0, length - NAME_CHARACTERS) * CHARACTER_BYTES;
  }

  /** Numbers of a vector or matrix, each of its arrays counted for some more. */
  #elements({ tag, data }: MachineValue): number {
    if (tag !== TAG_TENSOR) return 0;
    const { rank, rows, cols } = this.#numbers.info(data);
    return rows * cols + ARRAY_ELEMENTS * (rank === 1 ? 1 : rows);
  }

  /** Puts the items of a list on the work stack, its closing mark below them. */
  #open(pair: number, work: Work[], partBytes: number, budget: ByteBudget): void {
    const items: MachineValue[] = [];
    let at: MachineValue = { tag: TAG_PAIR, data: pair };
    while (at.tag === TAG_PAIR) {
      budget.take(partBytes);
      items.push(this.#field(at.data, 0));
      at = this.#field(at.data, 1);
    }
    const dotted = at.tag !== TAG_NIL;
    work.push({ close: items.length, dotted });
    if (dotted) work.push(at);
    for (let i = items.length - 1; i >= 0; i--) work.push(items[i] as MachineValue);
  }
}

function remember(names: Map<number, Name>, key: number, text: string): Name {
  const name = { text, length: printSymbol(text).length };
  names.set(key, name);
  return name;
}

function procedureOf(value: DatumValue): string {
  return (value as { readonly procedure: string }).procedure;
}
