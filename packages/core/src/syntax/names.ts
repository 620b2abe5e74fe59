/**
 * Names that mean something before the program says otherwise. What each means is told by the
 * modules that read programs (builtins.ts); a formula needs to know only that a name is none of them.
 */

import { type Primitive, primitiveByName } from "../primitives/registry.js";
import { constants } from "./constants.js";
import { refusedNames } from "./refused.js";

/** Special forms, and words that have a meaning inside them only. */
const formNames = [
  "quote",
  "quasiquote",
  "unquote",
  "unquote-splicing",
  "if",
  "cond",
  "case",
  "and",
  "or",
  "when",
  "unless",
  "begin",
  "else",
  "=>",
  "let",
  "let*",
  "letrec",
  "letrec*",
  "do",
  "loop",
  "recur",
  "lambda",
  "define",
] as const;
export type FormName = (typeof formNames)[number];

const preludeNames = [
  "map",
  "filter",
  "fold-left",
  "fold-right",
  "reduce",
  "member",
  "assoc",
] as const;
export type PreludeName = (typeof preludeNames)[number];

/** cadr, cddr, …, cddddr with the primitives each is made of, outermost first. */
export function accessors(): Map<string, readonly string[]> {
  const made = new Map<string, readonly string[]>();
  for (let length = 2; length <= 4; length++) {
    for (let bits = 0; bits < 1 << length; bits++) {
      const letters = Array.from({ length }, (_, i) => ((bits >> i) & 1 ? "d" : "a"));
      made.set(
        `c${letters.join("")}r`,
        letters.map((letter) => `c${letter}r`),
      );
    }
  }
  return made;
}

/** Primitives that are nothing but primitives: the prelude goes on where others end. */
export function plainPrimitives(): Map<string, Primitive> {
  const plain = new Map(primitiveByName);
  for (const name of preludeNames) plain.delete(name);
  return plain;
}

let all: ReadonlySet<string> | undefined;

/** All names that are no inputs of a program, unless the caller declares them. */
export function builtinNames(): ReadonlySet<string> {
  all ??= new Set([
    ...refusedNames.keys(),
    ...primitiveByName.keys(),
    ...constants.keys(),
    ...preludeNames,
    ...accessors().keys(),
    ...formNames,
  ]);
  return all;
}
