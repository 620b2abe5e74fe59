/**
 * Text → staged program: read, lowered and differentiated. What comes out is still data; the
 * emitters make JavaScript or WebAssembly of it.
 */

import type { Matrix } from "../../programs.js";
import { readTree } from "../tree.js";
import { activeFrom, Reverse } from "./differentiate.js";
import type { Staged, Statement } from "./ir.js";
import { Lowering } from "./lower.js";

export interface StageOptions {
  readonly wrt: readonly string[];
  readonly matrices?: Readonly<Record<string, Matrix>>;
  readonly isClamped?: boolean;
}

export function stage(source: string, options: StageOptions): Staged {
  const { wrt, matrices = {}, isClamped = false } = options;
  const lowering = new Lowering(matrices, isClamped);
  const forward: Statement[] = [];
  const result = lowering.program(readTree(source), forward);
  const { inputs } = lowering;
  const wanted = wrt.flatMap((name) => inputs.get(name) ?? []);
  const reverse = new Reverse(() => lowering.fresh(), activeFrom(forward, wanted));
  const seed = lowering.fresh();
  const backward = reverse.run(forward, result, seed);
  // Gradients start at zero: a parameter may be read on one path only.
  const gradients = new Map(
    wrt.flatMap((name) => {
      const local = inputs.get(name);
      return local === undefined ? [] : [[name, reverse.adjoint(local)] as const];
    }),
  );
  const zeros = [...gradients.values()].map(
    (out): Statement => ({ kind: "op", out, op: "set", of: [{ value: 0 }] }),
  );
  return {
    locals: lowering.locals,
    forward,
    backward: [...zeros, ...backward],
    result,
    inputs,
    seed,
    gradients,
  };
}
