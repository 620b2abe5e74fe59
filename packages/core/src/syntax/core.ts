/**
 * Core forms: the few forms that every derived form expands to, with names already resolved.
 *
 * A Variable is an object: two variables are the same only if they are the same object, so a name
 * the expander makes up can never collide with a user's.
 *
 * Invariant: `Expansion.nodes` holds every node in post-order (children before their parent, a
 * node's subtree contiguous, operands left to right), so that every later pass is a plain loop
 * and no stage recurses on the host stack.
 */

import type { Span } from "../errors.js";
import type { Datum } from "./datum.js";

export interface Variable {
  readonly name: string;
  /** Where the pass at work keeps what it knows of the variable. It means nothing to others. */
  mark: number;
}

interface NodeBase {
  readonly span: Span;
}

/** A number, a boolean or quoted data. */
export interface ConstNode extends NodeBase {
  readonly kind: "const";
  readonly value: Datum;
}
/** A value nobody can use: (if #f #f), an empty when. */
export interface UnspecifiedNode extends NodeBase {
  readonly kind: "unspecified";
}
export interface RefNode extends NodeBase {
  readonly kind: "ref";
  readonly variable: Variable;
}
/** A free name outside operator position: an input of the program. */
export interface InputNode extends NodeBase {
  readonly kind: "input";
  readonly name: string;
}
/** A primitive of the machine, as operator or as a value. */
export interface PrimitiveNode extends NodeBase {
  readonly kind: "primitive";
  readonly name: string;
}
export interface IfNode extends NodeBase {
  readonly kind: "if";
  readonly test: Core;
  readonly then: Core;
  readonly else: Core;
}
export interface LambdaNode extends NodeBase {
  readonly kind: "lambda";
  readonly params: readonly Variable[];
  readonly rest: Variable | undefined;
  readonly body: Core;
  /** The name it was defined under, for messages. */
  readonly name: string | undefined;
}
export interface CallNode extends NodeBase {
  readonly kind: "call";
  readonly operator: Core;
  readonly operands: readonly Core[];
}
/** Parallel let: inits are evaluated left to right outside the scope of the variables. */
export interface LetNode extends NodeBase {
  readonly kind: "let";
  readonly variables: readonly Variable[];
  readonly inits: readonly Core[];
  readonly body: Core;
}
/** letrec*: inits are evaluated left to right inside the scope of all the variables. */
export interface LetrecNode extends NodeBase {
  readonly kind: "letrec";
  readonly variables: readonly Variable[];
  readonly inits: readonly Core[];
  readonly body: Core;
}
export interface SeqNode extends NodeBase {
  readonly kind: "seq";
  readonly body: readonly Core[];
}
/** (loop ((v init) …) body): `recur` in tail position of the body starts the next turn. */
export interface LoopNode extends NodeBase {
  readonly kind: "loop";
  readonly loop: LoopId;
  readonly variables: readonly Variable[];
  readonly inits: readonly Core[];
  readonly body: Core;
}
export interface RecurNode extends NodeBase {
  readonly kind: "recur";
  readonly loop: LoopId;
  readonly operands: readonly Core[];
}
/** Top-level definition; occurs only as a direct child of the program's outermost seq. */
export interface DefineNode extends NodeBase {
  readonly kind: "define";
  readonly variable: Variable;
  readonly init: Core;
}

/** Identity of a loop, shared by the loop node and the recurs that belong to it. */
export interface LoopId {
  readonly arity: number;
  /** As that of a variable. */
  mark: number;
}

export type Core =
  | ConstNode
  | UnspecifiedNode
  | RefNode
  | InputNode
  | PrimitiveNode
  | IfNode
  | LambdaNode
  | CallNode
  | LetNode
  | LetrecNode
  | SeqNode
  | LoopNode
  | RecurNode
  | DefineNode;

export interface Expansion {
  /** Every node in post-order; the last one is the program, a seq of defines and expressions. */
  readonly nodes: readonly Core[];
  /** Free names in order of first appearance in the text, plus those the caller declared. */
  readonly inputs: readonly string[];
  /** Top-level variables in order of definition, those of the prelude that are used first. */
  readonly globals: readonly Variable[];
}
