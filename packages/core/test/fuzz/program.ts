/**
 * A fuzzed program: its text as a tree, and values of its inputs for every lane.
 *
 * A tree is an atom (text) or a list of trees; a list headed by "[]" prints as [a b c].
 */

import type { Domain } from "../../src/machine/types.js";

export type Tree = string | readonly Tree[];

/** One input: the elements (row-major) in every lane; "shared" and "int" have one for all. */
export interface FuzzInput {
  readonly name: string;
  readonly kind: "scalar" | "shared" | "int" | "vector" | "matrix";
  readonly rows: number;
  readonly cols: number;
  readonly lanes: readonly (readonly number[])[];
}

export interface FuzzProgram {
  readonly body: readonly Tree[];
  readonly inputs: readonly FuzzInput[];
  readonly lanes: number;
  /** Whether a test on a number may come out differently from lane to lane. */
  readonly divergence: boolean;
  readonly domain: Domain;
  /** Stack code instead of a body. */
  readonly bytecode?: string;
}

const prefixes: Readonly<Record<string, string>> = {
  quote: "'",
  quasiquote: "`",
  unquote: ",",
  "unquote-splicing": ",@",
};

export function printTree(tree: Tree): string {
  if (typeof tree === "string") return tree;
  const [head, operand] = tree;
  const prefix = typeof head === "string" && tree.length === 2 ? prefixes[head] : undefined;
  if (prefix) return prefix + printTree(operand as Tree);
  if (head === "[]") return `[${tree.slice(1).map(printTree).join(" ")}]`;
  return `(${tree.map(printTree).join(" ")})`;
}

export function sourceOf(program: FuzzProgram): string {
  if (program.bytecode !== undefined) return program.bytecode;
  return program.body.map(printTree).join("\n");
}

export function printNumber(value: number): string {
  return Object.is(value, -0) ? "-0.0" : String(value);
}

/** The program, its inputs and how to run it again, as a reader of a failure needs it. */
export function describeProgram(program: FuzzProgram): string {
  const inputs = program.inputs.map(({ name, kind, rows, cols, lanes }) => {
    const shape = kind === "matrix" ? ` ${rows}×${cols}` : "";
    return `  ${name} (${kind}${shape}) = ${lanes.map((lane) => lane.join(" ")).join(" | ")}`;
  });
  const head = `domain ${program.domain}, ${program.lanes} lanes, inputs:`;
  return [sourceOf(program), head, ...inputs].join("\n");
}
