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

import type {
  CallNode,
  DefineNode,
  Expansion,
  LambdaNode,
  LetNode,
  LetrecNode,
  LoopNode,
  PrimitiveNode,
  RecurNode,
  RefNode,
  Variable,
} from "../syntax/core.js";
import {
  findLoops,
  ROLE_LOOP,
  ROLE_LOOP_ENTRY,
  ROLE_LOOP_LAMBDA,
  ROLE_RECUR,
  ROLE_SKIPPED,
} from "./loops.js";
import { mayPassOn } from "./operations.js";
import { Kind, Tree } from "./tree.js";

/** Tail position of a procedure: a call replaces the frame. */
export const TAIL_PROCEDURE = 1;
/** Tail position of a procedure or loop: slots are dropped by whoever receives the value. */
export const TAIL_UNWOUND = 2;
/** The value leaves a branch or a lambda. */
export const LEAVING = 4;
/** The cell gets an identity record for an active number. */
export const COPIED = 8;

export interface Binding {
  readonly variable: Variable;
  /** The lambda whose frame holds it; PROGRAM for the outermost. */
  readonly owner: number;
  readonly slot: number;
  readonly isGlobal: boolean;
  /** Letrec: the lambda it is bound to, and the node of its init; else -1. */
  readonly lambda: number;
  readonly init: number;
  /** The prelude defines it. */
  isLibrary: boolean;
  /** A closure can see it before it has its value, so it lives in a box. */
  isBoxed: boolean;
}

/** What a lambda captures: variables in order, with their index. */
export type Captures = Map<Variable, number>;

/** Owner of nodes outside every lambda. */
export const PROGRAM = -1;

/** How a branch tree's tail calls pass position j: one variable, or not the same everywhere. */
const SEVERAL = Symbol("several");
type Passed = Variable | typeof SEVERAL;

/** One analysis after the other uses the same arrays, as the tree does. */
export class Analysis {
  readonly tree = new Tree();
  owner: Int32Array = new Int32Array(0);
  depth: Int32Array = new Int32Array(0);
  control: Int32Array = new Int32Array(0);
  flags: Uint8Array = new Uint8Array(0);
  /** By lambda node. */
  readonly captures = new Map<number, Captures>();
  /** Value slots and control frames needed, by lambda node or PROGRAM; counted from -1. */
  #stackMax: Int32Array = new Int32Array(0);
  #controlMax: Int32Array = new Int32Array(0);
  /** A variable's mark is the place of its binding here. */
  readonly #bindings: Binding[] = [];
  #bindingCount = 0;
  /** The outermost branch in the tail path of a node, -1 outside any. */
  #branchTree: Int32Array = new Int32Array(0);
  /** By branch tree: its tail call that was met first, -1 without any. */
  #firstTailCall: Int32Array = new Int32Array(0);
  /** Tail calls of the trees that have several, and what those of one tree pass. */
  readonly #tailCalls: number[] = [];
  readonly #passed = new Map<number, Passed[]>();

  /** Analyses a program. What is known of the one before is gone. */
  read({ nodes, globals, inputs }: Expansion, findsLoops: boolean): void {
    const { tree } = this;
    tree.read(nodes);
    if (findsLoops) findLoops(tree);
    this.#clear();
    for (let i = 0; i < globals.length; i++)
      this.#bind(globals[i] as Variable, PROGRAM, inputs.length + i, true);
    const program = nodes.length - 1;
    this.#beginFrame(PROGRAM, program, 0);
    for (let i = program; i >= 0; i--) this.#visit(i);
    if (this.#tailCalls.length > 0) this.#copyMixed();
  }

  #clear(): void {
    const { room } = this.tree;
    if (this.owner.length < room) {
      this.owner = new Int32Array(room);
      this.depth = new Int32Array(room);
      this.control = new Int32Array(room);
      this.flags = new Uint8Array(room);
      this.#branchTree = new Int32Array(room);
      this.#firstTailCall = new Int32Array(room);
      this.#stackMax = new Int32Array(room + 1);
      this.#controlMax = new Int32Array(room + 1);
    }
    this.#bindingCount = 0;
    // Clearing a map or an array costs something even where it is empty.
    if (this.captures.size > 0) this.captures.clear();
    if (this.#tailCalls.length > 0) this.#tailCalls.length = 0;
    if (this.#passed.size > 0) this.#passed.clear();
  }

  stackMax(owner: number): number {
    return this.#stackMax[owner + 1] as number;
  }

  controlMax(owner: number): number {
    return this.#controlMax[owner + 1] as number;
  }

  binding(variable: Variable): Binding {
    const binding = this.#bindings[variable.mark];
    if (binding?.variable !== variable) throw new Error(`no binding for ${variable.name}`);
    return binding;
  }

  #bind(variable: Variable, owner: number, slot: number, isGlobal = false, lambda = -1, init = -1) {
    variable.mark = this.#bindingCount++;
    this.#bindings[variable.mark] = {
      variable,
      owner,
      slot,
      isGlobal,
      lambda,
      init,
      isLibrary: false,
      isBoxed: false,
    };
  }

  /** The body of a lambda or the program, with a frame of its own. */
  #beginFrame(owner: number, body: number, params: number): void {
    this.#stackMax[owner + 1] = params;
    this.#controlMax[owner + 1] = 0;
    this.owner[body] = owner;
    this.depth[body] = params;
    this.control[body] = 0;
    this.flags[body] = TAIL_PROCEDURE | TAIL_UNWOUND | LEAVING;
    this.#branchTree[body] = -1;
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
    const { tree } = this;
    const depth = this.depth[i] as number;
    const flags = this.flags[i] as number;
    const kind = tree.kind[i] as Kind;
    if (tree.role[i] === ROLE_SKIPPED) return;
    if (kind === Kind.Ref) this.#use((tree.node(i) as RefNode).variable, i);
    this.#measure(i);
    if ((flags & LEAVING) !== 0 && mayBeOlder(tree, i)) this.flags[i] = flags | COPIED;
    if (kind <= Kind.Ref) return;
    switch (kind) {
      case Kind.Call:
        this.#visitCall(i, depth, flags);
        break;
      case Kind.If:
        this.#visitIf(i, depth, flags);
        break;
      case Kind.Lambda:
        this.#visitLambda(i, tree.node(i) as LambdaNode, depth, flags);
        break;
      case Kind.Let:
        this.#visitSlots(i, (tree.node(i) as LetNode).variables, depth);
        this.#body(i, i - 1, depth + (tree.count[i] as number) - 1, flags);
        break;
      case Kind.Letrec:
        if (tree.role[i] === ROLE_LOOP) this.#visitNamedLoop(i, depth, flags);
        else this.#visitLetrec(i, (tree.node(i) as LetrecNode).variables, depth, flags);
        break;
      case Kind.Seq:
        this.#visitSeq(i, depth, flags);
        break;
      case Kind.Loop:
        this.#visitLoop(i, tree.node(i) as LoopNode, depth, flags);
        break;
      case Kind.Recur:
        tree.target[i] = (tree.node(i) as RecurNode).loop.mark;
        this.#visitOperands(i, 0, tree.count[i] as number, depth);
        this.#noteTailCall(i, 0);
        break;
      case Kind.Define:
        this.#visitDefine(i, tree.node(i) as DefineNode, depth);
        break;
    }
  }

  #visitSeq(i: number, depth: number, flags: number): void {
    const last = (this.tree.count[i] as number) - 1;
    for (let k = 0; k < last; k++) this.#operand(i, k, depth);
    if (last >= 0) this.#body(i, i - 1, depth, flags);
  }

  #visitLoop(i: number, { variables, loop }: LoopNode, depth: number, flags: number): void {
    this.#visitSlots(i, variables, depth);
    loop.mark = i;
    this.#body(i, i - 1, depth + variables.length, flags | TAIL_UNWOUND);
    if ((flags & TAIL_UNWOUND) === 0) this.#deepen(i - 1);
  }

  #visitDefine(i: number, { variable, span }: DefineNode, depth: number): void {
    if (span.start < 0) this.binding(variable).isLibrary = true;
    this.#operand(i, 0, depth);
  }

  /** A loop that is not in tail position itself keeps one frame while its body runs. */
  #deepen(body: number): void {
    this.control[body] = (this.control[body] as number) + 1;
  }

  #measure(i: number): void {
    const at = (this.owner[i] as number) + 1;
    const slots = (this.depth[i] as number) + 1;
    if (slots > (this.#stackMax[at] as number)) this.#stackMax[at] = slots;
    const frames = (this.control[i] as number) + 2;
    if (frames > (this.#controlMax[at] as number)) this.#controlMax[at] = frames;
  }

  #visitOperands(i: number, from: number, count: number, depth: number): void {
    for (let k = 0; k < count; k++) this.#operand(i, from + k, depth + k);
  }

  /** The inits of a let or loop, and the variables that keep their slots. */
  #visitSlots(i: number, variables: readonly Variable[], depth: number): void {
    this.#visitOperands(i, 0, variables.length, depth);
    this.#bindSlots(i, variables, depth);
  }

  #bindSlots(i: number, variables: readonly Variable[], depth: number): void {
    const owner = this.owner[i] as number;
    for (let k = 0; k < variables.length; k++)
      this.#bind(variables[k] as Variable, owner, depth + k);
  }

  #visitIf(i: number, depth: number, flags: number): void {
    this.#operand(i, 0, depth);
    this.#firstTailCall[i] = -1;
    this.#visitBranch(i, 1, depth, flags);
    this.#visitBranch(i, 2, depth, flags);
  }

  #visitBranch(i: number, position: number, depth: number, flags: number): void {
    const tree = this.#branchTree[i] as number;
    const branch = this.tree.child(i, position);
    this.#body(i, branch, depth, flags | LEAVING);
    // A branch that is not in tail position pushes no frame: the frame above gets its value.
    this.control[branch] = this.control[i] as number;
    this.#branchTree[branch] = tree < 0 ? i : tree;
  }

  #visitLambda(i: number, node: LambdaNode, depth: number, flags: number): void {
    if (this.tree.role[i] === ROLE_LOOP_LAMBDA) {
      this.#body(i, i - 1, depth, flags);
      return;
    }
    const params = node.rest === undefined ? node.params : [...node.params, node.rest];
    params.forEach((variable, slot) => {
      this.#bind(variable, i, slot);
    });
    this.captures.set(i, new Map());
    this.#beginFrame(i, i - 1, params.length);
  }

  #visitCall(i: number, depth: number, flags: number): void {
    const count = (this.tree.count[i] as number) - 1;
    if (this.tree.role[i] === ROLE_LOOP_ENTRY) {
      this.#visitOperands(i, 1, count, depth);
      return;
    }
    if (this.tree.role[i] === ROLE_RECUR) {
      this.#visitOperands(i, 1, count, depth);
      this.#noteTailCall(i, 1);
      return;
    }
    const operator = this.tree.child(i, 0);
    if (this.tree.kind[operator] === Kind.Primitive) {
      this.tree.role[operator] = ROLE_SKIPPED;
      this.#visitOperands(i, 1, count, depth);
      return;
    }
    this.#visitOperands(i, 0, count + 1, depth);
    if ((flags & TAIL_UNWOUND) !== 0) this.#noteTailCall(i, 1);
  }

  /** A letrec that is a loop: lambda and entry call share its frame. */
  #visitNamedLoop(i: number, depth: number, flags: number): void {
    const lambda = this.tree.child(i, 0);
    const { params } = this.tree.node(lambda) as LambdaNode;
    this.#operand(i, 1, depth);
    this.#bindSlots(i, params, depth);
    // As the body of the lambda that it is, so that recognising loops moves no copy.
    this.#body(i, lambda, depth + params.length, flags | TAIL_UNWOUND | LEAVING);
    this.#branchTree[lambda] = -1;
    if ((flags & TAIL_UNWOUND) === 0) this.#deepen(lambda);
  }

  #visitLetrec(i: number, variables: readonly Variable[], depth: number, flags: number): void {
    const count = variables.length;
    const owner = this.owner[i] as number;
    variables.forEach((variable, k) => {
      const init = this.tree.child(i, k);
      const lambda = this.tree.kind[init] === Kind.Lambda ? init : -1;
      this.#bind(variable, owner, depth + k, false, lambda, init);
      this.#operand(i, k, depth + count);
    });
    this.#body(i, i - 1, depth + count, flags);
  }

  /** Notes that node i reads `variable`: every lambda between its frame and i captures it. */
  #use(variable: Variable, i: number): void {
    const binding = this.binding(variable);
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

  /**
   * Remembers what a tail call inside a branch passes in each position. A lone one of its branch
   * tree passes everything unchanged, so the first is only looked at when there is a second.
   */
  #noteTailCall(i: number, from: number): void {
    const branch = this.#branchTree[i] as number;
    if (branch < 0) return;
    const first = this.#firstTailCall[branch] as number;
    if (first < 0) {
      this.#firstTailCall[branch] = i;
      return;
    }
    let passed = this.#passed.get(branch);
    if (passed === undefined) {
      passed = [];
      this.#passed.set(branch, passed);
      this.#notePassed(first, this.tree.kind[first] === Kind.Call ? 1 : 0, passed);
    }
    this.#notePassed(i, from, passed);
  }

  #notePassed(call: number, from: number, passed: Passed[]): void {
    const { tree } = this;
    this.#tailCalls.push(call);
    const count = (tree.count[call] as number) - from;
    for (let k = 0; k < count; k++) {
      const operand = tree.node(tree.child(call, from + k));
      const here: Passed = operand.kind === "ref" ? operand.variable : SEVERAL;
      passed[k] = passed[k] === undefined || passed[k] === here ? here : SEVERAL;
    }
  }

  /** Copies what the tail calls of one branch tree do not all pass unchanged. */
  #copyMixed(): void {
    const { tree, flags } = this;
    for (const call of this.#tailCalls) {
      const passed = this.#passed.get(this.#branchTree[call] as number) as Passed[];
      const from = tree.kind[call] === Kind.Call ? 1 : 0;
      for (let k = 0; k < (tree.count[call] as number) - from; k++) {
        const operand = tree.child(call, from + k);
        if (passed[k] === SEVERAL && mayBeOlder(tree, operand))
          flags[operand] = (flags[operand] as number) | COPIED;
      }
    }
  }
}

/** Whether a node can yield a number that existed before the node was evaluated. */
function mayBeOlder(tree: Tree, i: number): boolean {
  const kind = tree.kind[i];
  if (kind === Kind.Ref || kind === Kind.Input) return true;
  if (kind !== Kind.Call || tree.kind[tree.child(i, 0)] !== Kind.Primitive) return false;
  const { operator, operands } = tree.node(i) as CallNode & { readonly operator: PrimitiveNode };
  return mayPassOn(operator.name, operands.length);
}
