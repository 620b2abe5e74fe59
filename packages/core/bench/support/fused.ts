/**
 * The fused baseline, for measurement only: stack code rewritten so that every value on the stack and
 * in a local, loop counters and branch selectors included, is a pair [tag, payload] of numbers that
 * lies on the tape. Each instruction takes its operands out of their pairs and puts its result into
 * a new one. Instructions, evaluator, kernels and precision are those of the split program, so what
 * is measured is the representation.
 *
 *   number    VEC 2 of the tag and the number
 *   vector    MAT 2 of a row of tags and the vector
 *   selector  a pair whose number is positive where the test holds
 *
 * The tag is an input that is differentiated; otherwise pairs of constants would stay off the tape.
 * Takes programs without procedures whose instructions are the paper's fifteen and VEC.
 */

import { assemble } from "../../src/bytecode/assemble.js";
import type { Instruction, Procedure } from "../../src/bytecode/program.js";

export const TAG = "tag";

const UNBOX = ["PUSH 1", "REF"];
const BOX = [`LOAD ${TAG}`, "SWAP", "VEC 2"];

export function fuse(source: string): string {
  const { procedures, inputs } = assemble(source);
  if (procedures.length !== 1) throw new Error("a fused program has no procedures");
  const main = procedures[0] as Procedure;
  const lines: string[] = [];
  for (const name of inputs) lines.push(`LOAD ${name}`, ...BOX, `STORE boxed-${name}`);
  const targets = new Set(main.code.flatMap((code) => ("target" in code ? [code.target] : [])));
  main.code.forEach((code, i) => {
    if (targets.has(i)) lines.push(`at${i}:`);
    lines.push(...fused(code, main, inputs));
  });
  return `${lines.join("\n")}\n`;
}

function fused(code: Instruction, { slots }: Procedure, inputs: readonly string[]): string[] {
  switch (code.kind) {
    case "push":
      if (code.value.kind !== "number") throw new Error("a fused program has numbers only");
      // A real number: an immediate would stay off the tape.
      return [`PUSH ${code.value.value}${Number.isInteger(code.value.value) ? ".0" : ""}`, ...BOX];
    case "input":
      return [`LOAD boxed-${inputs[code.index]}`];
    case "local":
      return [`LOAD local-${slots[code.slot]}`];
    case "store":
      return [`STORE local-${slots[code.slot]}`];
    case "pick":
      return [`PICK ${code.depth}`];
    case "drop":
    case "swap":
      return [code.kind.toUpperCase()];
    case "jump":
      return [`JUMP at${code.target}`];
    case "branch":
      return [...UNBOX, "PUSH 0.0", "GT", `${code.when ? "BRANCH" : "BRANCHNOT"} at${code.target}`];
    case "loop":
      return loop(`local-${slots[code.slot]}`, code.target);
    case "return":
      return [...UNBOX, "RET"];
    case "primitive":
      return primitive(code.primitive.name, code.count);
    default:
      throw new Error(`a fused program has no ${code.text}`);
  }
}

/** The counter is a pair too. */
function loop(counter: string, target: number): string[] {
  return [
    `LOAD ${counter}`,
    ...UNBOX,
    "PUSH 0.0",
    "GT",
    `BRANCHNOT at${target}`,
    `LOAD ${counter}`,
    ...UNBOX,
    "PUSH 1.0",
    "SUB",
    ...BOX,
    `STORE ${counter}`,
  ];
}

const binary: ReadonlyMap<string, string> = new Map([
  ["add", "ADD"],
  ["sub", "SUB"],
  ["mul", "MUL"],
  ["div", "DIV"],
  ["dot", "DOT"],
]);
const unary: ReadonlyMap<string, string> = new Map([
  ["neg", "NEG"],
  ["exp", "EXP"],
  ["log", "LOG"],
  ["sin", "SIN"],
  ["cos", "COS"],
]);

function primitive(name: string, count: number): string[] {
  const both = [...UNBOX, "SWAP", ...UNBOX, "SWAP"];
  const two = binary.get(name);
  if (two !== undefined && count === 2) return [...both, two, ...BOX];
  const one = unary.get(name);
  if (one !== undefined) return [...UNBOX, one, ...BOX];
  if (name === "less") return [...both, "SWAP", "SUB", ...BOX];
  if (name === "greater") return [...both, "SUB", ...BOX];
  if (name !== "vec") throw new Error(`a fused program has no ${name}`);
  const parts = Array.from({ length: count }, (_, i) => `part-${i}`);
  return [
    ...parts.toReversed().flatMap((part) => [...UNBOX, `STORE ${part}`]),
    `LOAD ${TAG}`,
    `PUSH ${count}`,
    "ONES",
    "SCALE",
    ...parts.map((part) => `LOAD ${part}`),
    `VEC ${count}`,
    "MAT 2",
  ];
}
