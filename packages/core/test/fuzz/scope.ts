/**
 * What a generated expression can see: typed names.
 *
 *   real    a number a gradient may flow through, at most `boundMax` in size
 *   int     a small integer; count: one from 0 to 5
 *   list    a list of reals of known length; stream: of unknown length
 */

import type { Random } from "./random.js";

export type Type =
  | { readonly kind: "real" | "int" | "count" | "bool" | "symbol" | "stream" }
  | { readonly kind: "list"; readonly length: number }
  | { readonly kind: "vector"; readonly length: number }
  | { readonly kind: "matrix"; readonly rows: number; readonly cols: number }
  | { readonly kind: "procedure"; readonly params: readonly Type[]; readonly result: Type };

export interface Variable {
  readonly name: string;
  readonly type: Type;
  /** The same in every lane: a literal, an input that all lanes share. */
  readonly shared?: boolean;
}

export const real: Type = { kind: "real" };
export const int: Type = { kind: "int" };
export const count: Type = { kind: "count" };
export const bool: Type = { kind: "bool" };
export const stream: Type = { kind: "stream" };
export const listOf = (length: number): Type => ({ kind: "list", length });
export const vectorOf = (length: number): Type => ({ kind: "vector", length });
export const matrixOf = (rows: number, cols: number): Type => ({ kind: "matrix", rows, cols });
export const procedure = (params: readonly Type[], result: Type): Type => ({
  kind: "procedure",
  params,
  result,
});

export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  switch (a.kind) {
    case "list":
    case "vector":
      return a.kind === b.kind && a.length === b.length;
    case "matrix":
      return b.kind === "matrix" && a.rows === b.rows && a.cols === b.cols;
    case "procedure":
      return (
        b.kind === "procedure" &&
        sameType(a.result, b.result) &&
        a.params.length === b.params.length &&
        a.params.every((param, i) => sameType(param, b.params[i] as Type))
      );
    default:
      return a.kind === b.kind;
  }
}

/** Names that look like other things, or that programs like to use again. */
const spareNames = ["scale2", "list*", "x", "f", "k", "acc", "eye2", "->y", "rate!"];

export class Scope {
  constructor(
    readonly variables: readonly Variable[],
    private readonly names: { next: number },
  ) {}

  with(...added: readonly Variable[]): Scope {
    const names = new Set(added.map(({ name }) => name));
    const kept = this.variables.filter(({ name }) => !names.has(name));
    return new Scope([...kept, ...added], this.names);
  }

  without(hidden: readonly Variable[]): Scope {
    const names = new Set(hidden.map(({ name }) => name));
    return new Scope(
      this.variables.filter(({ name }) => !names.has(name)),
      this.names,
    );
  }

  of(type: Type): Variable[] {
    return this.variables.filter((variable) => sameType(variable.type, type));
  }

  where(test: (type: Type) => boolean): Variable[] {
    return this.variables.filter(({ type }) => test(type));
  }

  /** A name for a new variable; now and then one that shadows another. */
  fresh(random: Random, taken: readonly string[] = []): string {
    const old = [...this.variables.map(({ name }) => name), ...spareNames];
    const shadowing = random.pick(old);
    if (random.chance(0.25) && !taken.includes(shadowing)) return shadowing;
    this.names.next += 1;
    return `x${this.names.next}`;
  }

  /** `size` different names. */
  freshNames(random: Random, size: number): string[] {
    const names: string[] = [];
    for (let i = 0; i < size; i++) names.push(this.fresh(random, names));
    return names;
  }
}
