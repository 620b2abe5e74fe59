/**
 * The oracle's values: numbers are duals, vectors and matrices are arrays of duals.
 *
 * Invariant: a Dual without `slope` has derivative zero with respect to every input.
 */

import type { ErrorCode } from "../../src/errors.js";
import type { Dual } from "./dual.js";
import type { Sym, Syntax } from "./read.js";

/** A program's mistake, with the code the machine should report. */
export class RefError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

export class Pair {
  constructor(
    readonly car: Value,
    readonly cdr: Value,
  ) {}
}

export class Tensor {
  /** `shape` is [n] or [rows, columns]; `items` are row-major. */
  constructor(
    readonly shape: readonly number[],
    readonly items: readonly Dual[],
  ) {}
}

export class Closure {
  constructor(
    readonly params: readonly string[],
    readonly rest: string | undefined,
    readonly body: readonly Syntax[],
    readonly scope: Scope,
  ) {}
}

export type Call = (procedure: Value, operands: readonly Value[]) => Value;

export class Primitive {
  constructor(
    readonly name: string,
    readonly least: number,
    readonly most: number,
    readonly run: (operands: readonly Value[], call: Call) => Value,
  ) {}
}

export const nil = { kind: "nil" } as const;
export const unspecified = { kind: "unspecified" } as const;

export type Value =
  | Dual
  | boolean
  | Sym
  | Pair
  | Tensor
  | Closure
  | Primitive
  | typeof nil
  | typeof unspecified;

/** A frame of variables; `undefined` marks one whose definition has not run. */
export class Scope {
  readonly variables = new Map<string, Value | undefined>();
  constructor(readonly parent: Scope | undefined) {}

  /** The innermost frame that binds the name. */
  find(name: string): Scope | undefined {
    let scope: Scope | undefined = this;
    while (scope && !scope.variables.has(name)) scope = scope.parent;
    return scope;
  }
}

export function listOf(items: readonly Value[], tail: Value = nil): Value {
  let list = tail;
  for (let i = items.length - 1; i >= 0; i--) list = new Pair(items[i] as Value, list);
  return list;
}

/** The items of a proper list. */
export function itemsOf(list: Value, who: string): Value[] {
  const items: Value[] = [];
  let rest = list;
  for (; rest instanceof Pair; rest = rest.cdr) items.push(rest.car);
  if (rest !== nil) throw new RefError("E-TYPE", `${who} needs a proper list`);
  return items;
}
