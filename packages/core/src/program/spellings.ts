/**
 * The words of the language, to be found by the characters of a text: to look a name up in a map it
 * would have to be cut out and hashed first, wherever it stands.
 *
 * A spelling is a number. They lie in a table by first and last character and length; where two would
 * share a place, the later one lies in the next that is free.
 */

import type { Arity } from "../primitives/registry.js";
import { builtinNames, plainPrimitives } from "../syntax/names.js";
import { mayPassOn, opOf } from "./operations.js";

/** What is no word of the language. */
export const NOTHING = -1;
export const TABLE_SIZE = 2048;
/** Spellings that there is room for, and characters of each. */
export const SPELLINGS_MAX = 512;
export const ROW = 32;
/** A primitive that takes any number of operands. */
const MANY = 0x7fffffff;

/** What is known of each spelling, in arrays of SPELLINGS_MAX. */
export interface Spellings {
  /** By place: the spelling that lies there. */
  readonly table: Int16Array;
  readonly lengths: Int32Array;
  /** Characters, ROW for each. */
  readonly codes: Uint8Array;
  /** How many operands it takes; `most` is −1 where a formula cannot call it. */
  readonly least: Int32Array;
  readonly most: Int32Array;
  readonly ops: Int32Array;
  readonly clampedOps: Int32Array;
  /** 1 where its result can be its only operand, or one of several. */
  readonly passesOne: Uint8Array;
  readonly passesMany: Uint8Array;
}

/** Fills in all words of the language, and returns them. */
export function fillSpellings(into: Spellings): readonly string[] {
  const texts = [...builtinNames()];
  const primitives = plainPrimitives();
  into.table.fill(NOTHING);
  into.most.fill(-1);
  texts.forEach((text, spelling) => {
    const { length } = text;
    if (spelling >= SPELLINGS_MAX || length > ROW) throw new Error(`no room for ${text}`);
    for (let k = 0; k < length; k++) into.codes[ROW * spelling + k] = text.charCodeAt(k);
    into.lengths[spelling] = length;
    let place = placeOf(text.charCodeAt(0), text.charCodeAt(length - 1), length);
    while (into.table[place] !== NOTHING) place = (place + 1) & (TABLE_SIZE - 1);
    into.table[place] = spelling;
    if (text !== "apply") fillCall(into, spelling, text, primitives.get(text)?.arity);
  });
  return texts;
}

/** Where a word is looked for first. */
export const placeOf = (first: number, last: number, length: number): number =>
  (first * 61 + last * 7 + length * 131) & (TABLE_SIZE - 1);

/** All primitives can be called but `apply`, which is a call of what it is given. */
function fillCall(into: Spellings, spelling: number, text: string, arity: Arity | undefined): void {
  if (arity === undefined) return;
  into.least[spelling] = arity.min;
  into.most[spelling] = Math.min(arity.max, MANY);
  into.ops[spelling] = opOf(text, false);
  into.clampedOps[spelling] = opOf(text, true);
  into.passesOne[spelling] = mayPassOn(text, 1) ? 1 : 0;
  into.passesMany[spelling] = mayPassOn(text, 2) ? 1 : 0;
}
