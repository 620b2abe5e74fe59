/**
 * `domain: "clamp"`: from a declaration whose operand has `atLeast` comes the variant that the
 * machine runs in that domain. The operand is raised to the bound (NaN stays NaN), and a raised
 * lane passes no gradient.
 */
import type { ElementwiseDeclaration } from "./define.js";

/** The clamped variant of a unary primitive, an internal op of its own. */
export function clampVariantOf<const N extends string>(
  name: N,
  base: ElementwiseDeclaration,
): ElementwiseDeclaration<N> {
  const bound = base.params.x.atLeast;
  const adjoint = base.adjoint;
  if (bound === undefined || adjoint === "none") {
    throw new Error(`${base.name} has no clamped variant: it declares no atLeast or no adjoint`);
  }
  return {
    ...base,
    name,
    scheme: undefined,
    aliases: [],
    arity: { min: 1, max: 1 },
    group: "internal",
    doc: `\`${base.scheme}\` in the domain "clamp": the argument is at least ${bound}.`,
    domain: `Below ${bound} the value is the one at ${bound}, and no gradient passes.`,
    forward: (k, { x, y }) => base.forward(k, { x: k.atLeast(x, k.num(bound)), y }),
    adjoint: (k, at) => ({
      x: k.andMask(adjoint(k, at).x, k.not(k.lt(at.x, k.num(bound)))),
    }),
  };
}
