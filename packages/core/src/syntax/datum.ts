/**
 * Datums: what `read` makes of text and `print` makes text of.
 *
 *   number   { kind: "number", value, exact }   exact: written without point or exponent
 *   boolean  { kind: "boolean", value }
 *   symbol   { kind: "symbol", name }
 *   list     { kind: "list", items, tail? }     () is a list of no items; tail: the datum after a dot
 *   bracket  { kind: "bracket", items }         [a b c], which evaluates as (vec a b c)
 *
 * Every datum carries its span. 'x `x ,x ,@x read as the lists (quote x) (quasiquote x) … .
 */

import type { Span } from "../errors.js";

export interface NumberDatum {
  readonly kind: "number";
  readonly value: number;
  readonly exact: boolean;
  readonly span: Span;
}
export interface BooleanDatum {
  readonly kind: "boolean";
  readonly value: boolean;
  readonly span: Span;
}
export interface SymbolDatum {
  readonly kind: "symbol";
  readonly name: string;
  /** Of a result only: it stands for a thing without a reading, such as a procedure. */
  readonly isUnreadable?: true;
  readonly span: Span;
}
export interface ListDatum {
  readonly kind: "list";
  readonly items: readonly Datum[];
  readonly tail?: Datum | undefined;
  readonly span: Span;
}
export interface BracketDatum {
  readonly kind: "bracket";
  readonly items: readonly Datum[];
  readonly span: Span;
}

export type Datum = NumberDatum | BooleanDatum | SymbolDatum | ListDatum | BracketDatum;
