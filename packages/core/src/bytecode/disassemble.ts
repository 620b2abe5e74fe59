/**
 * The disassembler: procedures → text that assembles to the same procedures. Labels are made up from
 * the places that jumps lead to; comments and spelling are not kept.
 */

import { spellingOf, usualCount } from "./instructions.js";
import { writeLiteral } from "./literal.js";
import type { Bytecode, Instruction, Procedure } from "./program.js";

export function disassemble(bytecode: Bytecode): string {
  const lines: string[] = [];
  if (bytecode.declaresInputs) lines.push([".input", ...bytecode.inputs].join(" "));
  for (const procedure of bytecode.procedures) {
    const { name, params, captures } = procedure;
    if (name !== undefined) lines.push([".proc", name, ...params].join(" "));
    if (captures.length > 0) lines.push([".captures", ...captures].join(" "));
    lines.push(...codeLines(procedure, bytecode));
    if (name !== undefined) lines.push(".end", "");
  }
  return `${lines.join("\n")}\n`;
}

function codeLines(procedure: Procedure, bytecode: Bytecode): string[] {
  const { code } = procedure;
  const targets = new Set(code.flatMap((one) => ("target" in one ? [one.target] : [])));
  const names = new Map([...targets].sort((a, b) => a - b).map((at, i) => [at, `L${i + 1}`]));
  const shown = code.at(-1)?.isImplied ? code.slice(0, -1) : code;
  const width = Math.max(0, ...[...names.values()].map((name) => name.length + 2));
  const lines = shown.map((one, i) => {
    const label = names.get(i);
    const margin = (label === undefined ? "" : `${label}:`).padEnd(Math.max(width, 4));
    return `${margin}${instructionText(one, procedure, bytecode, names)}`.trimEnd();
  });
  const end = names.get(shown.length);
  return end === undefined ? lines : [...lines, `${end}:`];
}

function instructionText(
  code: Instruction,
  { slots, captures }: Procedure,
  { inputs, procedures }: Bytecode,
  labels: ReadonlyMap<number, string>,
): string {
  switch (code.kind) {
    case "push":
      return `PUSH ${writeLiteral(code.value)}`;
    case "local":
      return `LOAD ${slots[code.slot]}`;
    case "captured":
      return `LOAD ${captures[code.index]}`;
    case "input":
      return `LOAD ${inputs[code.index]}`;
    case "store":
      return `STORE ${slots[code.slot]}`;
    case "pick":
      return code.depth === 0 ? "DUP" : `PICK ${code.depth}`;
    case "primitive": {
      const name = spellingOf(code.primitive);
      return usualCount(code.primitive) === code.count ? name : `${name} ${code.count}`;
    }
    case "procedure":
      return `PROC ${spellingOf(code.primitive)}`;
    case "jump":
      return `JUMP ${labels.get(code.target)}`;
    case "branch":
      return `${code.when ? "BRANCH" : "BRANCHNOT"} ${labels.get(code.target)}`;
    case "loop":
      return `LOOP ${slots[code.slot]} ${labels.get(code.target)}`;
    case "closure":
      return `CLOSURE ${procedures[code.procedure]?.name}`;
    case "call": {
      const callee = code.procedure === undefined ? undefined : procedures[code.procedure]?.name;
      return `${code.isTail ? "TAILCALL" : "CALL"} ${callee ?? code.count}`;
    }
    case "apply":
      return `APPLY ${code.count}`;
    case "return":
      return "RET";
    default:
      return code.kind.toUpperCase();
  }
}
