/**
 * What a staged program is made of: statements over mutable scalar locals. Vectors and matrices are
 * gone (one local an element), loops and branches are still there, so code stays short.
 *
 *   op     out = op(arguments)          load   out = array[index · scale + offset]
 *   if     flag = test; then or else    loop   head; leave if the test holds; body
 *   clamp  at least CLAMP               gate   the first where the second is above CLAMP, else 0
 *   back   undoes the turns of a loop, last first; what a turn needs was pushed onto the tape
 */

export type Operand = { readonly local: number } | { readonly value: number };

export type OpName =
  | "+"
  | "-"
  | "*"
  | "/"
  | "neg"
  | "exp"
  | "log"
  | "sin"
  | "cos"
  | "sqrt"
  | "abs"
  | "sign"
  | "clamp"
  | "gate"
  | "set";

export type TestName = "=" | "<" | ">" | "<=" | ">=";

export interface Test {
  readonly name: TestName;
  readonly left: Operand;
  readonly right: Operand;
}

export type Statement =
  | { readonly kind: "op"; readonly out: number; readonly op: OpName; readonly of: Operand[] }
  | {
      readonly kind: "load";
      readonly out: number;
      readonly array: string;
      readonly index: Operand;
      readonly scale: number;
      readonly offset: number;
    }
  | {
      readonly kind: "if";
      /** 1 where the test held; set in the way forward, read in the way back. */
      readonly flag: number;
      readonly test: Test | undefined;
      readonly yes: Statement[];
      readonly no: Statement[];
    }
  | {
      readonly kind: "loop";
      readonly turns: number;
      readonly head: Statement[];
      readonly test: Test;
      readonly leavesWhen: boolean;
      readonly body: Statement[];
      /** Pushed after the body. Filled in by differentiation. */
      readonly saved: number[];
      /** Variables of the next turn, set after the push. */
      readonly next: Statement[];
    }
  | {
      readonly kind: "back";
      readonly turns: number;
      readonly saved: number[];
      readonly body: Statement[];
    };

export interface Staged {
  readonly locals: number;
  readonly forward: readonly Statement[];
  readonly backward: readonly Statement[];
  readonly result: Operand;
  /** The local of each scalar input. */
  readonly inputs: ReadonlyMap<string, number>;
  /** The local that holds the seed, and those of the gradients by name. */
  readonly seed: number;
  readonly gradients: ReadonlyMap<string, number>;
}

/** The least operand of log and sqrt in the domain "clamp". */
export const CLAMP = 1e-8;

/** A program outside the language of the stager. */
export class StagingRefused extends Error {}

export const isLocal = (operand: Operand): operand is { readonly local: number } =>
  "local" in operand;
