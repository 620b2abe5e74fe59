/**
 * Skeletons: one canonical spelling for all programs that differ in nothing a fit would notice.
 *
 *   inputs       keep their names
 *   parameters   free names that are no inputs: P0, P1 … by first appearance in the skeleton
 *   variables    v0, v1 … by first appearance, whatever the program calls them
 *   numbers      stay, in one spelling: they are not fitted, so 2 and 3, or two thresholds, are two
 *                programs
 *   + *          nested sums are one sum, nested products one product, and so min and max;
 *   min max =    operands are put in order, since order does not matter
 *   forms        core forms: cond, case, and, or, when, do, named let are what they stand for
 *
 * Equal skeletons mean equal programs up to rounding and the values of parameters. The reverse is
 * not promised: operands that look alike until their parameters are told apart keep the order they
 * were written in.
 *
 * Three loops over the nodes in post-order (places of variables, hashes, runs of operands), then
 * text from a stack of pieces: linear but for the sorting of operands, and no host recursion.
 */

import {
  type Core,
  type Datum,
  type Expansion,
  expand,
  print,
  read,
  type Variable,
} from "@ndvm/core";

/** Calls whose operands have no order, and may be merged with those of calls inside them. */
const associative: ReadonlySet<string> = new Set(["+", "*", "min", "max"]);

/**
 * The skeleton of a program. `inputs` are the study's columns; every other free name is a parameter.
 * Without `inputs` all free names stay. Throws what loading the program throws, if it is none.
 */
export function skeletonOf(source: string, inputs?: readonly string[]): string {
  return skeletonOfCore(expand(read(source), { inputs: inputs ?? [] }), inputs);
}

export function skeletonOfCore(expansion: Expansion, inputs?: readonly string[]): string {
  const program = expansion.nodes.at(-1);
  if (program?.kind !== "seq") throw new Error("a program is a seq");
  const body = program.body.filter(({ span }) => span.start >= 0);
  return new Speller(expansion.nodes, inputs).spell(body);
}

type Piece = Core | string | Variable;

class Speller {
  /** Position of a variable in the form that binds it: what a hash may know of a variable. */
  private readonly places = new Map<Variable, number>();
  private readonly hashes = new Map<Core, number>();
  private readonly sizes = new Map<Core, number>();
  /** Operands of calls that have no order, in their canonical order. */
  private readonly ordered = new Map<Core, readonly Core[]>();
  private readonly names = new Map<Variable, string>();
  private readonly parameters = new Map<string, string>();
  private readonly inputs: ReadonlySet<string> | undefined;

  constructor(nodes: readonly Core[], inputs: readonly string[] | undefined) {
    this.inputs = inputs === undefined ? undefined : new Set(inputs);
    for (const node of nodes) for (const [i, v] of boundBy(node).entries()) this.places.set(v, i);
    const merged = mergedCalls(nodes);
    for (const node of nodes) if (node.span.start >= 0) this.measure(node, merged);
  }

  /** Text of the program's items, one after the other. */
  spell(body: readonly Core[]): string {
    const out: string[] = [];
    const work: Piece[] = [];
    for (let i = body.length - 1; i >= 0; i--) work.push(body[i] as Core, i > 0 ? " " : "");
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      if (typeof next === "string") out.push(next);
      else if (!("kind" in next) || isVariable(next)) out.push(this.nameOf(next as Variable));
      else if (!this.spellAtom(next, out)) this.pushForm(next, work);
    }
    return out.join("");
  }

  private spellAtom(node: Core, out: string[]): boolean {
    if (node.kind === "const") out.push(constText(node.value));
    else if (node.kind === "input") out.push(this.inputText(node.name));
    else if (node.kind === "primitive") out.push(node.name);
    else if (node.kind === "unspecified") out.push("(if #f #f)");
    else if (node.kind === "ref") out.push(this.nameOf(node.variable));
    else return false;
    return true;
  }

  private pushForm(node: Core, work: Piece[]): void {
    const pieces: Piece[] = [];
    if (node.kind === "call") pieces.push("(", node.operator);
    else pieces.push(`(${node.kind === "seq" ? "begin" : node.kind}`);
    if (node.kind === "lambda") {
      pieces.push(" (");
      for (const v of node.params) pieces.push(" ", v);
      if (node.rest !== undefined) pieces.push(" . ", node.rest);
      pieces.push(")");
    } else if (node.kind === "define") pieces.push(" ", node.variable);
    else if (node.kind === "let" || node.kind === "letrec" || node.kind === "loop") {
      pieces.push(" (");
      for (const [i, v] of node.variables.entries()) {
        pieces.push("(", v, " ", node.inits[i] as Core, ")");
      }
      pieces.push(")");
    }
    for (const part of this.partsOf(node)) pieces.push(" ", part);
    pieces.push(")");
    for (let i = pieces.length - 1; i >= 0; i--) work.push(pieces[i] as Piece);
  }

  /** What stands after the head of a form. */
  private partsOf(node: Core): readonly Core[] {
    if (node.kind === "call") return this.ordered.get(node) ?? node.operands;
    if (node.kind === "if") return [node.test, node.then, node.else];
    if (node.kind === "seq") return node.body;
    if (node.kind === "recur") return node.operands;
    if (node.kind === "define") return [node.init];
    return "body" in node ? [node.body as Core] : [];
  }

  private inputText(name: string): string {
    if (this.inputs === undefined || this.inputs.has(name)) return symbolText(name);
    const known = this.parameters.get(name) ?? `P${this.parameters.size}`;
    this.parameters.set(name, known);
    return known;
  }

  private nameOf(variable: Variable): string {
    if (!this.places.has(variable)) return variable.name;
    const known = this.names.get(variable) ?? `v${this.names.size}`;
    this.names.set(variable, known);
    return known;
  }

  /** Hash and size of a node from those of its parts, which come before it. */
  private measure(node: Core, merged: ReadonlySet<Core>): void {
    let hash = textHash(node.kind);
    let size = 1;
    if (node.kind === "const") hash = hashWith(hash, textHash(constText(node.value)));
    else if (node.kind === "primitive") hash = hashWith(hash, textHash(node.name));
    else if (node.kind === "ref") hash = hashWith(hash, this.places.get(node.variable) ?? -1);
    else if (node.kind === "input") {
      const isKept = this.inputs === undefined || this.inputs.has(node.name);
      hash = hashWith(hash, isKept ? textHash(node.name) : 0);
    } else {
      if (node.kind === "call" && !merged.has(node)) this.order(node);
      // A merged call is never spelt, so only its operands count: those stand in for it.
      const parts = merged.has(node) ? [] : [...initsOf(node), ...this.partsOf(node)];
      if (node.kind === "call") hash = hashWith(hash, this.hashes.get(node.operator) ?? 0);
      for (const part of parts) {
        hash = hashWith(hash, this.hashes.get(part) ?? 0);
        size += this.sizes.get(part) ?? 0;
      }
    }
    this.hashes.set(node, hash);
    this.sizes.set(node, size);
  }

  private order(node: Core): void {
    if (node.kind !== "call" || node.operator.kind !== "primitive") return;
    const { name } = node.operator;
    const isEquality = name === "=" && node.operands.length === 2;
    if (!associative.has(name) && !isEquality) return;
    const operands = isEquality ? [...node.operands] : operandsOfRun(node, name);
    operands.sort((a, b) => this.compare(a, b));
    this.ordered.set(node, operands);
  }

  /** Smaller first, then by hash; sorting is stable, so equals keep their order. */
  private compare(a: Core, b: Core): number {
    const bySize = (this.sizes.get(a) ?? 0) - (this.sizes.get(b) ?? 0);
    return bySize !== 0 ? bySize : (this.hashes.get(a) ?? 0) - (this.hashes.get(b) ?? 0);
  }
}

/** The name of the operator that a call may be merged by, else undefined. */
function operatorOf(node: Core): string | undefined {
  const isCall = node.kind === "call" && node.operator.kind === "primitive";
  if (!isCall || node.operands.length < 2) return undefined;
  const { name } = node.operator as { name: string };
  return associative.has(name) ? name : undefined;
}

/** Calls whose operands are spelt as operands of the call of the same operator around them. */
function mergedCalls(nodes: readonly Core[]): Set<Core> {
  const merged = new Set<Core>();
  for (const node of nodes) {
    const name = operatorOf(node);
    if (name === undefined || node.kind !== "call") continue;
    for (const operand of node.operands) if (operatorOf(operand) === name) merged.add(operand);
  }
  return merged;
}

/** All operands of a call and of the calls merged into it, from left to right. */
function operandsOfRun(node: Core, name: string): Core[] {
  if (operatorOf(node) === undefined) return node.kind === "call" ? [...node.operands] : [];
  const operands: Core[] = [];
  const work: Core[] = [node];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (next.kind === "call" && operatorOf(next) === name) {
      for (let i = next.operands.length - 1; i >= 0; i--) work.push(next.operands[i] as Core);
    } else operands.push(next);
  }
  return operands;
}

function boundBy(node: Core): readonly Variable[] {
  if (node.span.start < 0) return [];
  if (node.kind === "define") return [node.variable];
  if (node.kind === "let" || node.kind === "letrec" || node.kind === "loop") return node.variables;
  if (node.kind !== "lambda") return [];
  return node.rest === undefined ? node.params : [...node.params, node.rest];
}

function initsOf(node: Core): readonly Core[] {
  return node.kind === "let" || node.kind === "letrec" || node.kind === "loop" ? node.inits : [];
}

/** Variables of the expander have the kind "variable", which no core form has. */
function isVariable(piece: Core | Variable): boolean {
  return (piece as { kind?: string }).kind === "variable";
}

function constText(value: Datum): string {
  if (value.kind === "number") return Object.is(value.value, -0) ? "-0.0" : `${value.value}`;
  return value.kind === "list" || value.kind === "symbol" ? `'${print(value)}` : print(value);
}

/** An input's name as written; between bars where a parameter or variable could have it. */
function symbolText(name: string): string {
  const text = print({ kind: "symbol", name, span: { start: 0, end: 0 } });
  return /^[Pv]\d+$/.test(text) ? `|${text}|` : text;
}

function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash;
}

function hashWith(hash: number, value: number): number {
  let z = Math.imul(hash ^ (value + 0x9e3779b9 + (hash << 6) + (hash >>> 2)), 0x85ebca6b);
  z ^= z >>> 13;
  return Math.imul(z, 0xc2b2ae35) ^ (z >>> 16);
}
