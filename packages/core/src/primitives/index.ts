/**
 * All declarations in the order of their op codes. A code is a position in `primitives`; codes are
 * ordered in ranges by kind (see `kinds` in define.ts), so the machine dispatches by comparison.
 * wasm/generated/ops.ts holds the same numbers for AssemblyScript, and registry.ts has what programs
 * need to know of primitives at run time, without formulas and texts of the manual.
 *
 * Invariant: codes are dense from 0, and a range holds exactly the primitives of its kind.
 */
import { clampVariantOf } from "./clamp.js";
import type { Declaration } from "./define.js";
import {
  payloadPrimitives,
  structuredBinaryPrimitives,
  structuredUnaryPrimitives,
} from "./linalg.js";
import { binaryPredicates, unaryPredicates } from "./predicates.js";
import * as s from "./scalar.js";
import { structuralPrimitives } from "./structure.js";

export type {
  Declaration,
  ElementwiseDeclaration,
  Kind,
  Param,
  PredicateDeclaration,
} from "./define.js";
export { kinds } from "./define.js";
export { documentedElsewhere } from "./structure.js";

const unaryPrimitives = [
  s.neg,
  s.abs,
  s.floor,
  s.ceiling,
  s.round,
  s.truncate,
  s.square,
  s.sqrt,
  s.exp,
  s.log,
  s.sin,
  s.cos,
  s.tan,
  s.asin,
  s.acos,
  s.atan,
  s.sinh,
  s.cosh,
  s.tanh,
  s.log1p,
  s.expm1,
  s.sigmoid,
  s.softplus,
  s.erf,
  s.lgamma,
  s.exact,
  s.inexact,
  s.copy,
  clampVariantOf("sqrtClamp", s.sqrt),
  clampVariantOf("logClamp", s.log),
] as const;

const binaryPrimitives = [
  s.add,
  s.sub,
  s.mul,
  s.div,
  s.min,
  s.max,
  s.pow,
  s.atan2,
  s.quotient,
  s.remainder,
  s.modulo,
  s.gcd,
  s.lcm,
] as const;

const declarations = [
  ...unaryPrimitives,
  ...binaryPrimitives,
  ...unaryPredicates,
  ...binaryPredicates,
  ...structuredUnaryPrimitives,
  ...structuredBinaryPrimitives,
  ...payloadPrimitives,
  ...structuralPrimitives,
] as const;

export type PrimitiveName = (typeof declarations)[number]["name"];

export type Primitive = Declaration<PrimitiveName> & {
  /** Position in `primitives`: the op code. */
  readonly op: number;
};

export const primitives: readonly Primitive[] = declarations.map((declaration, op) => ({
  ...declaration,
  op,
}));

/** Surface names only, aliases included (`expt` is `pow`). */
export const primitiveByName: ReadonlyMap<string, Primitive> = new Map(
  primitives.flatMap((p) =>
    p.scheme === undefined ? [] : [p.scheme, ...p.aliases].map((name) => [name, p] as const),
  ),
);
