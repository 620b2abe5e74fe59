/**
 * What an exporter to JavaScript must know about a program before it writes it: which values are
 * surely numbers or booleans, which variables are procedures known by name, which procedures are
 * loops, which tail calls could go round in a circle, and which variables closures keep.
 *
 * Kinds go up only: nothing → number or boolean → anything; a few passes over the nodes find them.
 */

import { primitiveByName } from "../primitives/index.js";
import { findLoops, ROLE_LOOP, ROLE_LOOP_LAMBDA, ROLE_RECUR } from "../program/loops.js";
import { Tree } from "../program/tree.js";
import type {
  CallNode,
  Core,
  Expansion,
  LambdaNode,
  LetrecNode,
  LoopNode,
  RecurNode,
  Variable,
} from "../syntax/core.js";

/** Bits: 0 nothing known yet, 1 a number, 2 a boolean, 3 anything. */
export const NOTHING = 0;
export const NUMBER = 1;
export const BOOLEAN = 2;
export const ANYTHING = 3;

/** A loop or a procedure that is only looped. */
export interface LoopShape {
  readonly variables: readonly Variable[];
  readonly inits: readonly Core[];
  readonly body: Core;
}

export interface Analysis {
  kindOf(node: Core): number;
  /** The lambda that a variable is always bound to. */
  readonly known: ReadonlyMap<Variable, LambdaNode>;
  readonly hasTensors: boolean;
  /** A loop's shape, or undefined for other nodes. */
  loopOf(node: Core): LoopShape | undefined;
  /** The loop that a node starts over, or undefined. */
  recurOf(node: Core): Core | undefined;
  isCaptured(variable: Variable): boolean;
  /** Whether calls of `to` in tail position of `from` could come back to `from`. */
  isCircular(from: LambdaNode, to: LambdaNode): boolean;
  /** Whether a lambda calls itself in tail position. */
  callsItself(lambda: LambdaNode): boolean;
  /** Whether a lambda can end by naming the call to go on with. */
  bounces(lambda: LambdaNode): boolean;
  /** Whether a node can be written as one expression. */
  isSimple(node: Core): boolean;
  /** Whether calls can nest as deep as the inputs say, or structure can, which is walked so. */
  canNest(): boolean;
}

const NUMERIC_RESULT: ReadonlySet<string> = new Set([
  "vsum",
  "norm",
  "trace",
  "det",
  "logdet",
  "dot",
  "vlen",
  "rows",
  "cols",
  "length",
]);

/** Structure from these can be deep, and `apply` has as many operands as its list has items. */
const MAKES_LISTS: ReadonlySet<string> = new Set(["cons", "list", "append", "apply"]);

/** The kind of a primitive's result. */
function resultKind(name: string, operands: readonly number[], hasTensors: boolean): number {
  const primitive = primitiveByName.get(name);
  if (primitive === undefined) return ANYTHING;
  if (primitive.kind === "unaryPredicate" || primitive.kind === "binaryPredicate") return BOOLEAN;
  if (primitive.kind === "unary" || primitive.kind === "binary")
    return !hasTensors || operands.every((kind) => kind === NUMBER) ? NUMBER : ANYTHING;
  if (NUMERIC_RESULT.has(name)) return NUMBER;
  if (name === "ref" && operands.length === 3) return NUMBER;
  return name.endsWith("?") || name === "not" ? BOOLEAN : ANYTHING;
}

/** `numbers` are inputs that are surely numbers, whatever else the program uses. */
export function analyse(
  expansion: Expansion,
  numbers: ReadonlySet<string>,
  hasTensors: boolean,
): Analysis {
  const facts = new ErrorFacts(expansion, numbers, hasTensors);
  facts.findKinds();
  return facts;
}

class ErrorFacts implements Analysis {
  readonly known = new Map<Variable, LambdaNode>();
  readonly hasTensors: boolean;
  readonly #nodes: readonly Core[];
  readonly #numbers: ReadonlySet<string>;
  readonly #tree: Tree;
  readonly #index = new Map<Core, number>();
  readonly #kinds = new Map<Core | Variable, number>();
  readonly #results = new Map<LambdaNode, number>();
  readonly #loops = new Map<object, Core>();
  /** Lambdas that are called by name only. */
  readonly #private = new Set<LambdaNode>();
  readonly #captured = new Set<Variable>();
  /** Tail calls: of known lambdas, and whether there are others. */
  readonly #tails = new Map<LambdaNode, Set<LambdaNode>>();
  readonly #open = new Set<LambdaNode>();
  readonly #simple = new Set<Core>();
  #isChanged = false;

  constructor({ nodes }: Expansion, numbers: ReadonlySet<string>, hasTensors: boolean) {
    this.#nodes = nodes;
    this.#numbers = numbers;
    this.#tree = new Tree().read(nodes);
    this.#tree.linkParents();
    findLoops(this.#tree);
    nodes.forEach((node, at) => {
      this.#index.set(node, at);
      if (node.kind === "loop") this.#loops.set(node.loop, node);
      if (node.kind === "define") this.#note(node.variable, node.init);
      if (node.kind === "let" || node.kind === "letrec")
        for (const [i, init] of node.inits.entries()) this.#note(node.variables[i], init);
    });
    const isOfVectors = (name: string) => primitiveByName.get(name)?.group === "vectors";
    this.hasTensors =
      hasTensors || nodes.some((node) => node.kind === "primitive" && isOfVectors(node.name));
    this.#findPrivate();
    this.#findCaptured();
    this.#findTails();
    for (const node of nodes) if (this.#canBeSimple(node)) this.#simple.add(node);
  }

  #note(variable: Variable | undefined, init: Core): void {
    if (variable !== undefined && init.kind === "lambda") this.known.set(variable, init);
  }

  #roleOf(node: Core): number {
    return this.#tree.role[this.#index.get(node) as number] as number;
  }

  loopOf(node: Core): LoopShape | undefined {
    if (node.kind === "loop") return node;
    if (node.kind !== "letrec" || this.#roleOf(node) !== ROLE_LOOP) return undefined;
    const lambda = node.inits[0] as LambdaNode;
    const entry = node.body as CallNode;
    return { variables: lambda.params, inits: entry.operands, body: lambda.body };
  }

  recurOf(node: Core): Core | undefined {
    if (node.kind === "recur") return this.#loops.get(node.loop);
    if (node.kind !== "call" || this.#roleOf(node) !== ROLE_RECUR) return undefined;
    const target = this.#tree.target[this.#index.get(node) as number] as number;
    return this.#tree.node(target);
  }

  #findPrivate(): void {
    for (const lambda of this.known.values()) this.#private.add(lambda);
    this.#nodes.forEach((node, at) => {
      if (node.kind !== "ref") return;
      const lambda = this.known.get(node.variable);
      if (lambda === undefined) return;
      const parent = this.#tree.node(this.#tree.parent[at] as number);
      const isCalled = parent.kind === "call" && this.#tree.position[at] === 0;
      if (!isCalled || !takes(lambda, parent.operands.length) || lambda.rest !== undefined)
        this.#private.delete(lambda);
    });
  }

  /** The innermost lambda around a node that becomes a function of its own. */
  #homeOf(at: number): LambdaNode | undefined {
    for (let up = this.#tree.parent[at] as number; up >= 0; up = this.#tree.parent[up] as number) {
      const node = this.#tree.node(up);
      if (node.kind === "lambda" && this.#tree.role[up] !== ROLE_LOOP_LAMBDA) return node;
    }
    return undefined;
  }

  #findCaptured(): void {
    const homes = new Map<Variable, LambdaNode | undefined>();
    this.#nodes.forEach((node, at) => {
      const shape = this.loopOf(node);
      for (const variable of shape?.variables ?? []) homes.set(variable, this.#homeOf(at));
      if (node.kind === "lambda" && this.#roleOf(node) !== ROLE_LOOP_LAMBDA)
        for (const variable of node.params) homes.set(variable, node);
    });
    this.#nodes.forEach((node, at) => {
      if (node.kind === "ref" && homes.has(node.variable))
        if (homes.get(node.variable) !== this.#homeOf(at)) this.#captured.add(node.variable);
    });
  }

  isCaptured(variable: Variable): boolean {
    return this.#captured.has(variable);
  }

  #findTails(): void {
    for (const node of this.#nodes) {
      if (node.kind !== "lambda" || this.#roleOf(node) === ROLE_LOOP_LAMBDA) continue;
      const calls = new Set<LambdaNode>();
      for (const call of this.#tailCalls(node.body)) {
        const target = calleeOf(call, this.known);
        if (target !== undefined) calls.add(target);
        else if (call.operator.kind !== "primitive" || call.operator.name === "apply")
          this.#open.add(node);
      }
      this.#tails.set(node, calls);
    }
  }

  *#tailCalls(body: Core): Generator<CallNode> {
    const waiting: Core[] = [body];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      const shape = this.loopOf(node);
      if (shape !== undefined) waiting.push(shape.body);
      else if (node.kind === "if") waiting.push(node.then, node.else);
      else if (node.kind === "let" || node.kind === "letrec") waiting.push(node.body);
      else if (node.kind === "seq") waiting.push(node.body.at(-1) as Core);
      else if (node.kind === "call" && this.recurOf(node) === undefined) {
        if (node.operator.kind === "lambda") waiting.push(node.operator.body);
        else yield node;
      }
    }
  }

  #reaches(from: LambdaNode, goal: LambdaNode): boolean {
    const seen = new Set([from]);
    for (const lambda of seen) {
      if (lambda === goal) return true;
      for (const next of this.#tails.get(lambda) ?? []) seen.add(next);
    }
    return false;
  }

  isCircular(from: LambdaNode, to: LambdaNode): boolean {
    return this.#reaches(to, from);
  }

  callsItself(lambda: LambdaNode): boolean {
    return lambda.rest === undefined && (this.#tails.get(lambda)?.has(lambda) ?? false);
  }

  bounces(lambda: LambdaNode): boolean {
    const seen = new Set([lambda]);
    for (const one of seen) {
      if (this.#open.has(one)) return true;
      for (const next of this.#tails.get(one) ?? []) {
        if (next !== one && this.isCircular(one, next)) return true;
        if (next === one && one.rest !== undefined) return true;
        seen.add(next);
      }
    }
    return false;
  }

  isSimple(node: Core): boolean {
    return this.#simple.has(node);
  }

  canNest(): boolean {
    const uses = new Map<LambdaNode, Set<LambdaNode>>();
    for (const [at, node] of this.#nodes.entries()) {
      if (node.kind === "primitive" && MAKES_LISTS.has(node.name)) return true;
      if (node.kind === "call" && this.#isOpen(node)) return true;
      const target = node.kind === "ref" ? this.known.get(node.variable) : undefined;
      const home = this.#homeOf(at);
      if (target === undefined || home === undefined || this.#isTurn(at, home)) continue;
      uses.set(home, (uses.get(home) ?? new Set()).add(target));
    }
    for (const [lambda, targets] of uses) {
      const seen = new Set(targets);
      for (const next of seen) for (const further of uses.get(next) ?? []) seen.add(further);
      if (seen.has(lambda)) return true;
    }
    return false;
  }

  /** Whether nobody knows what a call enters. */
  #isOpen(node: CallNode): boolean {
    const { kind } = node.operator;
    if (kind === "primitive" || kind === "lambda" || this.recurOf(node) !== undefined) return false;
    return this.loopOf(node) === undefined && calleeOf(node, this.known) === undefined;
  }

  /** Whether a reference is the operator of a lambda's tail call of itself, which is a loop. */
  #isTurn(at: number, home: LambdaNode): boolean {
    const parent = this.#tree.node(this.#tree.parent[at] as number);
    if (parent.kind !== "call" || this.#tree.position[at] !== 0) return false;
    if (this.recurOf(parent) !== undefined) return true;
    if (calleeOf(parent, this.known) !== home || !this.callsItself(home)) return false;
    for (const call of this.#tailCalls(home.body)) if (call === parent) return true;
    return false;
  }

  #canBeSimple(node: Core): boolean {
    switch (node.kind) {
      case "const":
      case "unspecified":
      case "ref":
      case "input":
      case "primitive":
      case "lambda":
        return true;
      case "if":
        return [node.test, node.then, node.else].every((part) => this.#simple.has(part));
      case "call":
        if (node.operator.kind === "lambda" || this.recurOf(node) !== undefined) return false;
        return [node.operator, ...node.operands].every((part) => this.#simple.has(part));
      default:
        return false;
    }
  }

  kindOf(node: Core): number {
    return this.#kinds.get(node) ?? NOTHING;
  }

  findKinds(): void {
    do {
      this.#isChanged = false;
      for (const node of this.#nodes) this.#raise(node, this.#kind(node));
    } while (this.#isChanged);
  }

  #raise(what: Core | Variable, kind: number): void {
    const before = this.#kinds.get(what) ?? NOTHING;
    if ((before | kind) === before) return;
    this.#kinds.set(what, before | kind);
    this.#isChanged = true;
  }

  #bind(variables: readonly Variable[], values: readonly Core[]): void {
    for (const [i, variable] of variables.entries())
      this.#raise(variable, this.kindOf(values[i] as Core));
  }

  #kind(node: Core): number {
    const shape = this.loopOf(node);
    if (shape !== undefined) {
      this.#bind(shape.variables, shape.inits);
      return this.kindOf(shape.body);
    }
    const recur = this.recurOf(node);
    if (recur !== undefined) {
      const { variables } = this.loopOf(recur) as LoopShape;
      this.#bind(variables, (node as RecurNode | CallNode).operands);
      return NOTHING;
    }
    switch (node.kind) {
      case "const":
        return node.value.kind === "number"
          ? NUMBER
          : node.value.kind === "boolean"
            ? BOOLEAN
            : ANYTHING;
      case "ref":
        return this.#kinds.get(node.variable) ?? NOTHING;
      case "input":
        return this.hasTensors && !this.#numbers.has(node.name) ? ANYTHING : NUMBER;
      case "if":
        return this.kindOf(node.then) | this.kindOf(node.else);
      case "let":
      case "letrec":
        return this.#letKind(node.variables, node.inits, node.body);
      case "seq":
        return this.kindOf(node.body.at(-1) as Core);
      case "define":
        this.#bind([node.variable], [node.init]);
        return ANYTHING;
      case "lambda":
        return this.#lambdaKind(node);
      case "call":
        return this.#callKind(node);
      default:
        return ANYTHING;
    }
  }

  #letKind(
    variables: readonly Variable[],
    inits: readonly Core[],
    body: LetrecNode["body"] | LoopNode["body"],
  ): number {
    this.#bind(variables, inits);
    return this.kindOf(body);
  }

  #lambdaKind(node: LambdaNode): number {
    const isOwn = this.#private.has(node) || this.#roleOf(node) === ROLE_LOOP_LAMBDA;
    const parent = this.#tree.node(this.#tree.parent[this.#index.get(node) as number] as number);
    const isApplied = parent.kind === "call" && parent.operator === node;
    if (!isOwn && !isApplied) for (const param of node.params) this.#raise(param, ANYTHING);
    if (node.rest !== undefined) this.#raise(node.rest, ANYTHING);
    this.#results.set(node, this.kindOf(node.body));
    return ANYTHING;
  }

  #callKind(node: CallNode): number {
    const { operator, operands } = node;
    const kinds = operands.map((operand) => this.kindOf(operand));
    if (operator.kind === "primitive") {
      if (kinds.includes(NOTHING)) return NOTHING;
      return resultKind(operator.name, kinds, this.hasTensors);
    }
    const lambda =
      operator.kind === "lambda"
        ? operator
        : operator.kind === "ref"
          ? this.known.get(operator.variable)
          : undefined;
    if (lambda === undefined || !takes(lambda, operands.length)) return ANYTHING;
    this.#bind(lambda.params, operands.slice(0, lambda.params.length));
    return this.#results.get(lambda) ?? NOTHING;
  }
}

export const takes = (lambda: LambdaNode, count: number): boolean =>
  lambda.rest === undefined ? count === lambda.params.length : count >= lambda.params.length;

/** The known lambda that a call enters. */
export function calleeOf(
  { operator, operands }: CallNode,
  known: ReadonlyMap<Variable, LambdaNode>,
): LambdaNode | undefined {
  const lambda = operator.kind === "ref" ? known.get(operator.variable) : undefined;
  return lambda !== undefined && takes(lambda, operands.length) ? lambda : undefined;
}
