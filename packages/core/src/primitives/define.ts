/**
 * What a primitive is: the shape of every declaration in this folder, and the functions that make
 * one. Declarations hold no op codes; those are positions in the registry (index.ts).
 */
import type { Algebra } from "./algebra.js";

export interface Arity {
  readonly min: number;
  /** `Infinity`: variadic. */
  readonly max: number;
}

/**
 * Kinds, in the order of their op codes. The first seven have a payload kernel.
 *
 *   unary, binary                      element-wise kernels generated from the declaration
 *   unaryPredicate, binaryPredicate    element-wise, the result is a mask (all ones or all zeros)
 *   structuredUnary, structuredBinary  hand-written kernel pairs (matrix product, inverse, …)
 *   payload                            internal movers of elements (place, pick)
 *   structural                         no payload work: lists, tests of type, shapes
 */
export const kinds = [
  "unary",
  "binary",
  "unaryPredicate",
  "binaryPredicate",
  "structuredUnary",
  "structuredBinary",
  "payload",
  "structural",
] as const;

export type Kind = (typeof kinds)[number];
export type Group = "numbers" | "structure" | "vectors" | "internal";

/** How tests and the `clamp` domain treat one operand. */
export interface Param {
  /** Random inputs come from this interval. */
  readonly fuzz: readonly [number, number];
  /** Inputs at which something special happens. */
  readonly edges: readonly number[];
  /** `domain: "clamp"` raises the operand to this bound, and a raised lane passes no gradient. */
  readonly atLeast?: number;
}

export type Params = { readonly x: Param; readonly y?: Param };

interface Operands<V> {
  readonly x: V;
  readonly y: V;
}

interface AdjointOperands<V> extends Operands<V> {
  /** Adjoint of the result. */
  readonly g: V;
  /** The result. */
  readonly z: V;
}

export type Forward = <V, M>(k: Algebra<V, M>, at: Operands<V>) => V;
export type Test = <V, M>(k: Algebra<V, M>, at: Operands<V>) => M;
/** What each operand's adjoint receives. */
export type Adjoint = <V, M>(k: Algebra<V, M>, at: AdjointOperands<V>) => { x: V; y?: V };

interface Entry<N extends string> {
  /** Identifier: the op constant and the kernels are named after it. */
  readonly name: N;
  /** The surface name; undefined: internal, the machine chooses it. */
  readonly scheme: string | undefined;
  /** Further surface names of the same op. */
  readonly aliases: readonly string[];
  readonly arity: Arity;
  readonly doc: string;
  readonly group: Group;
}

export interface ElementwiseDeclaration<N extends string = string> extends Entry<N> {
  readonly kind: "unary" | "binary";
  readonly params: Params;
  readonly forward: Forward;
  /** "none": constant almost everywhere, so the machine records nothing. */
  readonly adjoint: Adjoint | "none";
  /** Domain notes for the manual. */
  readonly domain?: string;
}

export interface PredicateDeclaration<N extends string = string> extends Entry<N> {
  readonly kind: "unaryPredicate" | "binaryPredicate";
  readonly params: Params;
  readonly forward: Test;
  readonly domain?: string;
}

export interface StructuredDeclaration<N extends string = string> extends Entry<N> {
  readonly kind: "structuredUnary" | "structuredBinary" | "payload";
  /** Formulas for the manual; the kernels are written by hand. */
  readonly formula: string;
  readonly adjointFormula: string;
  /** The name in front of Forward and Adjoint. */
  readonly kernel: string;
  readonly domain?: string;
}

export interface StructuralDeclaration<N extends string = string> extends Entry<N> {
  readonly kind: "structural";
}

export type Declaration<N extends string = string> =
  | ElementwiseDeclaration<N>
  | PredicateDeclaration<N>
  | StructuredDeclaration<N>
  | StructuralDeclaration<N>;

/** What a declaration may leave out. */
type Input<D extends Entry<string>, Optional extends keyof D> = Omit<
  D,
  "kind" | "scheme" | "aliases" | "arity" | "group" | Optional
> & {
  /** The name itself unless given; `null`: internal. */
  readonly scheme?: string | null;
  readonly aliases?: readonly string[];
  readonly arity?: readonly [number, number];
  readonly group?: Group;
};

function entryOf<N extends string>(
  input: { name: N; doc: string } & Partial<Input<Entry<N>, never>>,
  operands: number,
  group: Group,
): Entry<N> {
  const scheme = input.scheme === undefined ? input.name : (input.scheme ?? undefined);
  const [min, max] = input.arity ?? [operands, operands];
  return {
    name: input.name,
    scheme,
    aliases: input.aliases ?? [],
    arity: { min, max },
    doc: input.doc,
    group: scheme === undefined ? "internal" : (input.group ?? group),
  };
}

/** Declares an element-wise primitive; two params make it binary. */
export function definePrimitive<const N extends string>(
  input: Input<ElementwiseDeclaration<N>, never>,
): ElementwiseDeclaration<N> {
  const isBinary = input.params.y !== undefined;
  return {
    ...input,
    ...entryOf(input, isBinary ? 2 : 1, "numbers"),
    kind: isBinary ? "binary" : "unary",
  };
}

/** Declares a numeric test; its result is a mask per lane. */
export function definePredicate<const N extends string>(
  input: Input<PredicateDeclaration<N>, never>,
): PredicateDeclaration<N> {
  const isBinary = input.params.y !== undefined;
  return {
    ...input,
    ...entryOf(input, isBinary ? 2 : 1, "numbers"),
    kind: isBinary ? "binaryPredicate" : "unaryPredicate",
  };
}

/** Declares a primitive whose kernels are `<kernel>Forward` and `<kernel>Adjoint`. */
export function defineStructured<const N extends string>(
  kind: StructuredDeclaration["kind"],
  input: Input<StructuredDeclaration<N>, "kernel">,
): StructuredDeclaration<N> {
  return {
    ...input,
    ...entryOf(input, kind === "structuredBinary" ? 2 : 1, "vectors"),
    kind,
    kernel: input.name,
  };
}

/** Declares a primitive that touches no payload. */
export function defineStructural<const N extends string>(
  input: Input<StructuralDeclaration<N>, never>,
): StructuralDeclaration<N> {
  return { ...entryOf(input, 1, "structure"), kind: "structural" };
}
