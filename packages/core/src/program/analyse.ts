/**
 * What the encoder must know of each node before it writes cells: whose frame it belongs to, how
 * deep the stacks are when it is evaluated, whether it is in tail position, which variables its
 * lambdas capture, and which numbers leave a branch.
 *
 * One loop from the program down to its leaves: a parent tells its children.
 *
 * Copies. Adjoints add up in the order of the tape, so an active number that is older than an `if`
 * and leaves through it must have a record of its own whether or not lanes diverge there. Which
 * cells need that is decided here, by position alone: values in tail position of a branch or a
 * lambda, and tail-call operands that the tail calls of one branch tree do not all pass unchanged.
 */

import { primitiveByName } from "../primitives/index.js";
import type { Expansion, LambdaNode, Variable } from "../syntax/core.js";
import {
  findLoops,
  noLoops,
  ROLE_LOOP,
  ROLE_LOOP_ENTRY,
  ROLE_LOOP_LAMBDA,
  ROLE_RECUR,
  ROLE_SKIPPED,
} from "./loops.js";
import { filled, Tree } from "./tree.js";

/** Tail position of a procedure: a call replaces the frame. */
export const TAIL_PROCEDURE = 1;
/** Tail position of a procedure or loop: slots are dropped by whoever receives the value. */
export const TAIL_UNWOUND = 2;
/** The value leaves a branch or a lambda. */
export const LEAVING = 4;
/** The cell gets an identity record for an active number. */
export const COPIED = 8;

export interface Binding {
  /** The lambda whose frame holds it; PROGRAM for the outermost. */
  readonly owner: number;
  readonly slot: number;
  readonly isGlobal: boolean;
  /** Letrec: the lambda it is bound to, and the node of its init; else -1. */
  readonly lambda: number;
  readonly init: number;
  /** A closure can see it before it has its value, so it lives in a box. */
  isBoxed: boolean;
}

/** What a lambda captures: variables in order, with their index. */
export type Captures = Map<Variable, number>;

/** Owner of nodes outside every lambda. */
export const PROGRAM = -1;

/** How a branch tree's tail calls pass position j: one variable, or not the same everywhere. */
const MIXED = Symbol("mixed");
type Passed = Variable | typeof MIXED;

export class Analysis {
  readonly tree: Tree;
  readonly role: number[];
  readonly target: number[];
  readonly owner: number[];
  readonly depth: number[];
  readonly control: number[];
  readonly flags: number[];
  readonly bindings = new Map<Variable, Binding>();
  /** By lambda node. */
  readonly captures = new Map<number, Captures>();
  /** Value slots and control frames needed, by lambda node or PROGRAM. */
  readonly stackMax = new Map<number, number>([[PROGRAM, 0]]);
  readonly controlMax = new Map<number, number>([[PROGRAM, 0]]);
  /** Depth of the first slot of each loop, by loop or letrec node; recurs look here. */
  readonly loopOf = new Map<object, number>();
  /** The outermost branch in the tail path of a node, -1 outside any. */
  readonly #branchTree: number[];
  readonly #tailCalls: number[] = [];
  readonly #passed = new Map<number, Passed[]>();

  constructor({ nodes, globals, inputs }: Expansion, findsLoops: boolean) {
    const tree = new Tree(nodes);
    const { role, target } = findsLoops ? findLoops(tree) : noLoops(tree);
    const inputCount = inputs.length;
    const size = nodes.length;
    this.tree = tree;
    this.role = role;
    this.target = target;
    this.owner = filled(size, 0);
    this.depth = filled(size, 0);
    this.control = filled(size, 0);
    this.flags = filled(size, 0);
    this.#branchTree = filled(size, 0);
    globals.forEach((variable, i) => {
      this.#bind(variable, PROGRAM, inputCount + i, true);
    });
    const program = size - 1;
    this.owner[program] = PROGRAM;
    this.flags[program] = TAIL_PROCEDURE | TAIL_UNWOUND | LEAVING;
    this.#branchTree[program] = -1;
    for (let i = program; i >= 0; i--) this.#visit(i);
    this.#markCopies();
  }

  #bind(variable: Variable, owner: number, slot: number, isGlobal = false, lambda = -1, init = -1) {
    this.bindings.set(variable, { owner, slot, isGlobal, lambda, init, isBoxed: false });
  }

  /** Passes owner and depths to a child that is evaluated before its parent goes on. */
  #operand(node: number, position: number, depth: number): void {
    const child = this.tree.child(node, position);
    this.owner[child] = this.owner[node] as number;
    this.depth[child] = depth;
    // One frame for the parent, one for a copy of the child.
    this.control[child] = (this.control[node] as number) + 2;
    this.flags[child] = 0;
    this.#branchTree[child] = -1;
  }

  /** Passes everything to a child whose value is the parent's value. */
  #body(node: number, child: number, depth: number, flags: number): void {
    this.owner[child] = this.owner[node] as number;
    this.depth[child] = depth;
    this.control[child] = (this.control[node] as number) + ((flags & TAIL_UNWOUND) === 0 ? 1 : 0);
    this.flags[child] = flags;
    this.#branchTree[child] = this.#branchTree[node] as number;
  }

  #visit(i: number): void {
    const node = this.tree.node(i);
    const depth = this.depth[i] as number;
    const flags = this.flags[i] as number;
    this.#measure(i);
    switch (node.kind) {
      case "ref":
        if (this.role[i] !== ROLE_SKIPPED) this.#use(node.variable, i);
        break;
      case "if":
        this.#visitIf(i, depth, flags);
        break;
      case "lambda":
        this.#visitLambda(i, node, depth, flags);
        break;
      case "call":
        this.#visitCall(i, depth, flags);
        break;
      case "let":
        this.#visitOperands(i, 0, node.inits.length, depth);
        this.#bindSlots(i, node.variables, depth);
        this.#body(i, i - 1, depth + node.inits.length, flags);
        break;
      case "letrec":
        if (this.role[i] === ROLE_LOOP) this.#visitNamedLoop(i, depth, flags);
        else this.#visitLetrec(i, node.variables, depth, flags);
        break;
      case "seq":
        for (let k = 0; k < node.body.length - 1; k++) this.#operand(i, k, depth);
        if (node.body.length > 0) this.#body(i, i - 1, depth, flags);
        break;
      case "loop":
        this.#visitOperands(i, 0, node.inits.length, depth);
        this.#bindSlots(i, node.variables, depth);
        this.loopOf.set(node.loop, i);
        this.#body(i, i - 1, depth + node.inits.length, flags | TAIL_UNWOUND);
        if ((flags & TAIL_UNWOUND) === 0) this.#deepen(i - 1);
        break;
      case "recur":
        this.target[i] = this.loopOf.get(node.loop) as number;
        this.#visitOperands(i, 0, node.operands.length, depth);
        this.#noteTailCall(i, 0);
        break;
      case "define":
        this.#operand(i, 0, depth);
        break;
      default:
        break;
    }
  }

  /** A loop that is not in tail position itself keeps one frame while its body runs. */
  #deepen(body: number): void {
    this.control[body] = (this.control[body] as number) + 1;
  }

  #measure(i: number): void {
    const owner = this.owner[i] as number;
    const slots = (this.depth[i] as number) + 1;
    if (slots > (this.stackMax.get(owner) as number)) this.stackMax.set(owner, slots);
    const frames = (this.control[i] as number) + 2;
    if (frames > (this.controlMax.get(owner) as number)) this.controlMax.set(owner, frames);
  }

  #visitOperands(i: number, from: number, count: number, depth: number): void {
    for (let k = 0; k < count; k++) this.#operand(i, from + k, depth + k);
  }

  #bindSlots(i: number, variables: readonly Variable[], depth: number): void {
    const owner = this.owner[i] as number;
    for (let k = 0; k < variables.length; k++)
      this.#bind(variables[k] as Variable, owner, depth + k);
  }

  #visitIf(i: number, depth: number, flags: number): void {
    this.#operand(i, 0, depth);
    const tree = this.#branchTree[i] as number;
    for (const position of [1, 2]) {
      const branch = this.tree.child(i, position);
      this.#body(i, branch, depth, flags | LEAVING);
      // A branch that is not in tail position pushes no frame: the frame above gets its value.
      this.control[branch] = this.control[i] as number;
      this.#branchTree[branch] = tree < 0 ? i : tree;
    }
  }

  #visitLambda(i: number, node: LambdaNode, depth: number, flags: number): void {
    if (this.role[i] === ROLE_LOOP_LAMBDA) {
      this.#body(i, i - 1, depth, flags);
      return;
    }
    const params = node.rest === undefined ? node.params : [...node.params, node.rest];
    params.forEach((variable, slot) => {
      this.#bind(variable, i, slot);
    });
    this.captures.set(i, new Map());
    this.stackMax.set(i, params.length);
    this.controlMax.set(i, 0);
    const body = i - 1;
    this.owner[body] = i;
    this.depth[body] = params.length;
    this.control[body] = 0;
    this.flags[body] = TAIL_PROCEDURE | TAIL_UNWOUND | LEAVING;
    this.#branchTree[body] = -1;
  }

  #visitCall(i: number, depth: number, flags: number): void {
    const count = (this.tree.count[i] as number) - 1;
    if (this.role[i] === ROLE_LOOP_ENTRY) {
      this.#visitOperands(i, 1, count, depth);
      return;
    }
    if (this.role[i] === ROLE_RECUR) {
      this.#visitOperands(i, 1, count, depth);
      this.#noteTailCall(i, 1);
      return;
    }
    const operator = this.tree.node(this.tree.child(i, 0));
    if (operator.kind === "primitive") {
      this.#operand(i, 0, depth);
      this.role[this.tree.child(i, 0)] = ROLE_SKIPPED;
      this.#visitOperands(i, 1, count, depth);
      return;
    }
    this.#visitOperands(i, 0, count + 1, depth);
    if ((flags & TAIL_UNWOUND) !== 0) this.#noteTailCall(i, 1);
  }

  /** A letrec that is a loop: lambda and entry call share its frame. */
  #visitNamedLoop(i: number, depth: number, flags: number): void {
    const lambda = this.tree.child(i, 0);
    const entry = this.tree.child(i, 1);
    const { params } = this.tree.node(lambda) as LambdaNode;
    this.#operand(i, 1, depth);
    this.#bindSlots(i, params, depth);
    // As the body of the lambda that it is, so that recognising loops moves no copy.
    this.#body(i, lambda, depth + params.length, flags | TAIL_UNWOUND | LEAVING);
    this.#branchTree[lambda] = -1;
    if ((flags & TAIL_UNWOUND) === 0) this.#deepen(lambda);
    this.depth[entry] = depth;
  }

  #visitLetrec(i: number, variables: readonly Variable[], depth: number, flags: number): void {
    const count = variables.length;
    const owner = this.owner[i] as number;
    variables.forEach((variable, k) => {
      const init = this.tree.child(i, k);
      const lambda = this.tree.node(init).kind === "lambda" ? init : -1;
      this.#bind(variable, owner, depth + k, false, lambda, init);
      this.#operand(i, k, depth + count);
    });
    this.#body(i, i - 1, depth + count, flags);
  }

  /** Notes that node i reads `variable`: every lambda between its frame and i captures it. */
  #use(variable: Variable, i: number): void {
    const binding = this.bindings.get(variable);
    if (binding === undefined) throw new Error(`no binding for ${variable.name}`);
    if (binding.isGlobal) return;
    let lambda = this.owner[i] as number;
    while (lambda !== binding.owner && lambda !== binding.lambda) {
      const captures = this.captures.get(lambda) as Captures;
      if (captures.has(variable)) return;
      captures.set(variable, captures.size);
      const outer = this.owner[lambda] as number;
      if (outer === binding.owner && lambda <= binding.init) binding.isBoxed = true;
      lambda = outer;
    }
  }

  /** Remembers what a tail call inside a branch passes in each position. */
  #noteTailCall(i: number, from: number): void {
    const branch = this.#branchTree[i] as number;
    if (branch < 0) return;
    this.#tailCalls.push(i);
    let passed = this.#passed.get(branch);
    const isFirst = passed === undefined;
    passed ??= [];
    const count = (this.tree.count[i] as number) - from;
    for (let k = 0; k < count; k++) {
      const operand = this.tree.node(this.tree.child(i, from + k));
      const here: Passed = operand.kind === "ref" ? operand.variable : MIXED;
      passed[k] = isFirst || passed[k] === undefined || passed[k] === here ? here : MIXED;
    }
    if (isFirst) this.#passed.set(branch, passed);
    this.#treeCalls.set(branch, (this.#treeCalls.get(branch) ?? 0) + 1);
  }

  /** How many tail calls each branch tree has; a lone one passes everything unchanged. */
  readonly #treeCalls = new Map<number, number>();

  #markCopies(): void {
    const { tree, flags, role } = this;
    for (let i = 0; i < tree.nodes.length; i++) {
      if (((flags[i] as number) & LEAVING) === 0 || role[i] === ROLE_SKIPPED) continue;
      if (mayBeOlder(tree, i)) flags[i] = (flags[i] as number) | COPIED;
    }
    for (const call of this.#tailCalls) {
      const branch = this.#branchTree[call] as number;
      if (this.#treeCalls.get(branch) === 1) continue;
      const passed = this.#passed.get(branch) as Passed[];
      const from = tree.node(call).kind === "call" ? 1 : 0;
      for (let k = 0; k < (tree.count[call] as number) - from; k++) {
        const operand = tree.child(call, from + k);
        if (passed[k] === MIXED && mayBeOlder(tree, operand))
          flags[operand] = (flags[operand] as number) | COPIED;
      }
    }
  }
}

/** Whether a node can yield a number that existed before the node was evaluated. */
function mayBeOlder(tree: Tree, i: number): boolean {
  const node = tree.node(i);
  if (node.kind === "ref" || node.kind === "input") return true;
  if (node.kind !== "call" || node.operator.kind !== "primitive") return false;
  const op = primitiveByName.get(node.operator.name);
  if (op === undefined) return false;
  const isFoldOfOne = node.operands.length === 1 && op.kind === "binary";
  return isFoldOfOne || op.name === "car" || op.name === "cdr" || op.name === "listRef";
}
