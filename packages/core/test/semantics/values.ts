/**
 * Values and configurations of the small-step semantics (docs/semantics.md).
 *
 * A configuration is ⟨control; ρ; κ⟩ beside a store σ and a tape τ. Environments and stacks are
 * linked and never change; store and tape only grow, so an earlier configuration keeps its meaning.
 */

import type { ErrorCode } from "../../src/errors.js";
import type { ElementwiseDeclaration } from "../../src/primitives/define.js";
import type { Core, LambdaNode, LoopId, LoopNode, Variable } from "../../src/syntax/core.js";

/** A number. `cell` is its place in the trace; a number without one has derivative zero. */
export class Real {
  constructor(
    readonly v: number,
    readonly cell?: number,
  ) {}
}

export class Tensor {
  /** `shape` is [n] or [rows, columns]; `items` are row-major. */
  constructor(
    readonly shape: readonly number[],
    readonly items: readonly Real[],
  ) {}
}

export class Pair {
  constructor(
    readonly car: Value,
    readonly cdr: Value,
  ) {}
}

export class Name {
  constructor(readonly text: string) {}
}

export class Closure {
  constructor(
    readonly lambda: LambdaNode,
    readonly env: Env,
  ) {}
}

export class Procedure {
  constructor(readonly name: string) {}
}

export const nil = { kind: "nil" } as const;
export const unspecified = { kind: "unspecified" } as const;

export type Value =
  | Real
  | boolean
  | Name
  | Pair
  | Tensor
  | Closure
  | Procedure
  | typeof nil
  | typeof unspecified;

/** ρ: variables to places in the store, loops to what `recur` starts again. */
export type Env =
  | { readonly variable: Variable; readonly place: number; readonly outer: Env }
  | { readonly loop: LoopId; readonly node: LoopNode; readonly outer: Env }
  | undefined;

/** κ: what waits for the value. */
export type Frame =
  | { readonly kind: "if"; readonly yes: Core; readonly no: Core; readonly env: Env }
  | {
      readonly kind: "operands";
      readonly node: Compound;
      readonly done: readonly Value[];
      readonly rest: readonly Core[];
      readonly env: Env;
    }
  | {
      readonly kind: "letrec";
      readonly place: number;
      readonly rest: readonly Core[];
      readonly body: Core;
      readonly env: Env;
    }
  | { readonly kind: "seq"; readonly rest: readonly Core[]; readonly env: Env }
  | { readonly kind: "define"; readonly place: number };

export type Stack = { readonly frame: Frame; readonly below: Stack } | undefined;

/** Forms whose parts are all evaluated, from left to right, before they do anything. */
export type Compound = Extract<Core, { kind: "call" | "let" | "loop" | "recur" }>;

/** Where the machine of the semantics stands: at an expression, at a value, or at a full form. */
export type Control =
  | { readonly at: "expression"; readonly core: Core }
  | { readonly at: "value"; readonly value: Value }
  | { readonly at: "form"; readonly node: Compound; readonly values: readonly Value[] };

export interface Configuration {
  readonly control: Control;
  readonly env: Env;
  readonly stack: Stack;
}

/** One numeric primitive of the realised trace. */
export interface Record {
  readonly primitive: ElementwiseDeclaration;
  readonly operands: readonly Real[];
  readonly result: Real;
}

/** What all configurations of a run share. */
export interface World {
  /** σ: values by place; undefined until the definition has run. */
  readonly store: (Value | undefined)[];
  /** τ: the realised trace. */
  readonly tape: Record[];
  /** Outcomes of every look at a number that is not arithmetic: tests, indices, sizes. */
  readonly decisions: (number | boolean)[];
  readonly inputs: ReadonlyMap<string, Value>;
  /** Expressions whose sqrt and log are those of `domain: "clamp"`. */
  readonly clamped: ReadonlySet<Core>;
  /** The definition of a primitive on vectors and matrices, as a closure. */
  derived(name: string): Value;
  /** The next free cell. */
  cells: number;
}

/** No rule applies: the program is wrong. */
export class Stuck extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

export function listOf(items: readonly Value[], tail: Value = nil): Value {
  return items.reduceRight((rest: Value, item) => new Pair(item, rest), tail);
}

export function itemsOf(list: Value): Value[] {
  const items: Value[] = [];
  let rest = list;
  for (; rest instanceof Pair; rest = rest.cdr) items.push(rest.car);
  if (rest !== nil) throw new Stuck("E-TYPE", "a proper list is needed");
  return items;
}
