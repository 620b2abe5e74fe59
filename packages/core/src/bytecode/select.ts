/**
 * A program whose value is one element of another's vector: wherever the program would end with a
 * value, it takes the element first. The index is a new input.
 */

import { Op, type Primitive, primitives } from "../primitives/registry.js";
import { leaves } from "./flow.js";
import type { Bytecode, Instruction, Procedure } from "./program.js";

export function selectElement(bytecode: Bytecode, index: string): Bytecode {
  const inputs = [...bytecode.inputs, index];
  const main = bytecode.procedures.at(-1) as Procedure;
  const code = main.code.map((instruction) => endings(instruction, inputs.length - 1));
  const starts: number[] = [];
  let length = 0;
  for (const part of code) {
    starts.push(length);
    length += part.length;
  }
  const moved = code
    .flat()
    .map((instruction) =>
      "target" in instruction
        ? { ...instruction, target: starts[instruction.target] as number }
        : instruction,
    );
  const procedures = [...bytecode.procedures.slice(0, -1), { ...main, code: moved }];
  return { ...bytecode, inputs, procedures };
}

/** What stands for an instruction: itself, or what takes the element before the end. */
function endings(instruction: Instruction, input: number): readonly Instruction[] {
  if (!leaves(instruction)) return [instruction];
  const { text, span } = instruction;
  const primitive = primitives[Op.ref] as Primitive;
  const taken: readonly Instruction[] = [
    { kind: "input", index: input, text, span },
    { kind: "primitive", primitive, count: 2, text, span },
    { kind: "return", text, span },
  ];
  if (instruction.kind !== "call") return taken;
  return [{ ...instruction, isTail: false }, ...taken];
}
