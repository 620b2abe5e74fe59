/**
 * A stack program after assembly: procedures of instructions with their names resolved. This is the
 * form that the verifier judges, the encoder writes and the disassembler prints.
 */

import type { Span } from "../errors.js";
import type { Primitive } from "../primitives/registry.js";

export type Literal =
  | { readonly kind: "number"; readonly value: number; readonly exact: boolean }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "nil" }
  | { readonly kind: "symbol"; readonly name: string };

/** Targets are indices of instructions in their procedure. */
export type Action =
  | { readonly kind: "push"; readonly value: Literal }
  | { readonly kind: "local"; readonly slot: number }
  | { readonly kind: "captured"; readonly index: number }
  | { readonly kind: "input"; readonly index: number }
  | { readonly kind: "store"; readonly slot: number }
  | { readonly kind: "pick"; readonly depth: number }
  | { readonly kind: "drop" }
  | { readonly kind: "swap" }
  | { readonly kind: "self" }
  | { readonly kind: "return" }
  | { readonly kind: "primitive"; readonly primitive: Primitive; readonly count: number }
  | { readonly kind: "procedure"; readonly primitive: Primitive }
  | { readonly kind: "jump"; readonly target: number }
  | { readonly kind: "branch"; readonly target: number; readonly when: boolean }
  | { readonly kind: "loop"; readonly slot: number; readonly target: number }
  | { readonly kind: "closure"; readonly procedure: number }
  | {
      readonly kind: "call";
      /** undefined: the closure below the arguments. */
      readonly procedure: number | undefined;
      readonly count: number;
      readonly isTail: boolean;
    }
  | { readonly kind: "apply"; readonly count: number };

export type Instruction = Action & {
  /** As the text has it. */
  readonly text: string;
  readonly span: Span;
  /** Not in the text: the return at the end of a procedure. */
  readonly isImplied?: boolean;
};

export interface Procedure {
  /** undefined: the program itself. */
  readonly name: string | undefined;
  readonly params: readonly string[];
  readonly captures: readonly string[];
  /** Parameters first, then locals in order of their first STORE. */
  readonly slots: readonly string[];
  readonly code: readonly Instruction[];
  readonly span: Span;
}

export interface Bytecode {
  /** The program itself comes last. */
  readonly procedures: readonly Procedure[];
  readonly inputs: readonly string[];
  /** Whether the text declares its inputs. */
  readonly declaresInputs: boolean;
}

/** How many values an instruction takes from the stack, and how many it leaves there. */
export function effectOf(
  code: Action,
  procedures: readonly Procedure[],
): readonly [number, number] {
  switch (code.kind) {
    case "push":
    case "local":
    case "captured":
    case "input":
    case "self":
    case "procedure":
      return [0, 1];
    case "store":
    case "drop":
    case "branch":
    case "return":
      return [1, 0];
    case "pick":
      return [code.depth + 1, code.depth + 2];
    case "swap":
      return [2, 2];
    case "primitive":
      return [code.count, 1];
    case "closure":
      return [procedures[code.procedure]?.captures.length ?? 0, 1];
    case "call":
      return [code.count + (code.procedure === undefined ? 1 : 0), code.isTail ? 0 : 1];
    case "apply":
      return [code.count + 1, 1];
    default:
      return [0, 0];
  }
}
