/**
 * What the parts of the generator share: chance, the rules of the run, and the way to any type.
 *
 * Fuel bounds the size of an expression: each node passes less than it got to its parts, and an
 * expression without fuel is a leaf.
 */

import type { Tree } from "./program.js";
import type { Random } from "./random.js";
import type { Scope, Type } from "./scope.js";

export interface Maker {
  readonly random: Random;
  /** Whether tests on numbers may differ between lanes. */
  readonly divergence: boolean;
  /** Whether roots, logarithms and quotients may leave their domain. */
  readonly wild: boolean;
  /** How often a number depends on whether two things are the same; 0: nothing asks. */
  readonly asking: number;
  /** An expression of the type, from what the scope offers. */
  make(type: Type, scope: Scope, fuel: number): Tree;
}

/** One way to make an expression, and how often it is taken. */
export type Way<T> = readonly [weight: number, make: () => T];

/** Fuel for each of `parts` parts. */
export function share(fuel: number, parts: number): number {
  return Math.floor((fuel - 1) / parts);
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
