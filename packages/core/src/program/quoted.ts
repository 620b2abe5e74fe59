/**
 * Constants of a program: numbers, symbols and quoted structure, as values of the machine.
 *
 * Quoted pairs are laid out as heap objects; the machine copies them to the start of its heap, so
 * their indices are final here.
 */

import type { Datum } from "../syntax/datum.js";
import {
  PAIR_FIELDS,
  TAG_BOOL,
  TAG_INT,
  TAG_NIL,
  TAG_PAIR,
  TAG_REAL,
  TAG_SYMBOL,
} from "./layout.js";

/** A value of the machine: tag and data word. */
export interface Word {
  readonly tag: number;
  readonly data: number;
}

/** Whether a number is an integer immediate: where it was written as one and fits. */
export const isImmediate = (value: number, exact: boolean, integerMax: number): boolean =>
  exact && Math.abs(value) <= integerMax && !Object.is(value, -0);

export class Constants {
  readonly reals: number[] = [];
  readonly symbols: string[] = [];
  /** Heap words, two numbers each: tag or field count, data. */
  readonly heap: number[] = [];
  #symbolIds: Map<string, number> | undefined;
  readonly #integerMax: number;

  constructor(integerMax: number) {
    this.#integerMax = integerMax;
  }

  number(value: number, exact: boolean): Word {
    if (isImmediate(value, exact, this.#integerMax)) return { tag: TAG_INT, data: value };
    this.reals.push(value);
    return { tag: TAG_REAL, data: this.reals.length - 1 };
  }

  symbol(name: string): Word {
    this.#symbolIds ??= new Map();
    let id = this.#symbolIds.get(name);
    if (id === undefined) {
      id = this.symbols.length;
      this.symbols.push(name);
      this.#symbolIds.set(name, id);
    }
    return { tag: TAG_SYMBOL, data: id };
  }

  /** The value of a quoted datum. Lists are built from a stack of their own. */
  datum(datum: Datum): Word {
    if (datum.kind !== "list") return this.#leaf(datum);
    const results: Word[] = [];
    const work: (Datum | { readonly close: number; readonly dotted: boolean })[] = [datum];
    for (let item = work.pop(); item !== undefined; item = work.pop()) {
      if ("close" in item) this.#closeList(results, item.close, item.dotted);
      else if (item.kind === "list") this.#openList(item, work);
      else results.push(this.#leaf(item));
    }
    return results[0] as Word;
  }

  #openList(
    { items, tail }: Datum & { readonly kind: "list" },
    work: (Datum | { readonly close: number; readonly dotted: boolean })[],
  ): void {
    work.push({ close: items.length, dotted: tail !== undefined });
    // A stack: the tail is taken after the items, the closing mark last.
    if (tail !== undefined) work.push(tail);
    for (let i = items.length - 1; i >= 0; i--) work.push(items[i] as Datum);
  }

  #closeList(results: Word[], count: number, dotted: boolean): void {
    let list: Word = dotted ? (results.pop() as Word) : { tag: TAG_NIL, data: 0 };
    for (let i = 0; i < count; i++) list = this.#pair(results.pop() as Word, list);
    results.push(list);
  }

  #pair(head: Word, tail: Word): Word {
    const index = this.heap.length / 2;
    this.heap.push(PAIR_FIELDS, 0, head.tag, head.data, tail.tag, tail.data);
    return { tag: TAG_PAIR, data: index };
  }

  /** Brackets are never quoted, so that they do not come here. */
  #leaf(datum: Exclude<Datum, { readonly kind: "list" }>): Word {
    if (datum.kind === "number") return this.number(datum.value, datum.exact);
    if (datum.kind === "boolean") return { tag: TAG_BOOL, data: datum.value ? 1 : 0 };
    if (datum.kind === "symbol") return this.symbol(datum.name);
    throw new Error("a quoted bracket");
  }
}
