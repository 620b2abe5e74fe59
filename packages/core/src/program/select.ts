/**
 * A program whose value is one element of another's vector: the last expression e becomes
 * (ref e index), where the index is a new input.
 */

import type { CallNode, Core, Expansion, InputNode, PrimitiveNode } from "../syntax/core.js";
import { Tree } from "./tree.js";

export function selectElement({ nodes, inputs, globals }: Expansion, index: string): Expansion {
  const program = nodes.at(-1) as Core & { kind: "seq" };
  const last = program.body.at(-1) as Core;
  const { span } = last;
  const operator: PrimitiveNode = { kind: "primitive", name: "ref", span };
  const chosen: InputNode = { kind: "input", name: index, span };
  const call: CallNode = { kind: "call", operator, operands: [last, chosen], span };
  // Post-order: the operator comes before the subtree of the first operand.
  const start = new Tree().read(nodes).start[nodes.length - 2] as number;
  const body = [...program.body.slice(0, -1), call];
  return {
    nodes: [
      ...nodes.slice(0, start),
      operator,
      ...nodes.slice(start, -1),
      chosen,
      call,
      { ...program, body },
    ],
    inputs: [...inputs, index],
    globals,
  };
}
