/**
 * Straight programs: those that visit each of their forms once at most, and whose every call makes
 * one number of a few. No walk of such a program can take long, so nothing has to be found out about
 * it before it is fitted.
 */

import type { Core, Expansion } from "@ndvm/core";

/** Primitives whose calls take a time that does not depend on their operands. */
const elementary: ReadonlySet<string> = new Set(
  (
    "+ - * / neg abs floor ceiling round truncate square sqrt exp log sin cos tan asin acos atan " +
    "sinh cosh tanh log1p expm1 sigmoid softplus erf lgamma min max expt pow quotient remainder " +
    "modulo = < > <= >= zero? positive? negative? not"
  ).split(" "),
);

const plain: ReadonlySet<Core["kind"]> = new Set<Core["kind"]>(
  "const unspecified ref input primitive if let seq".split(" ") as Core["kind"][],
);

/** Whether every row takes the same way through a straight program: it has no test. */
export const hasOneWay = ({ nodes }: Expansion): boolean =>
  nodes.every(({ kind }) => kind !== "if");

export function isStraight({ nodes }: Expansion): boolean {
  for (const node of nodes) {
    if (plain.has(node.kind)) continue;
    if (node.kind !== "call" || node.operator.kind !== "primitive") return false;
    if (!elementary.has(node.operator.name)) return false;
  }
  return true;
}
