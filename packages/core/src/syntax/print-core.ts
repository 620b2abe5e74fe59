/**
 * A listing of core forms for people: one form a line where it fits, else its parts indented below.
 *
 * Names are told apart as the machine does: a variable that shares its name with another variable,
 * an input or a primitive of the program gets a suffix (x, x.2, x.3).
 *
 * Post-order makes both passes loops: widths from the leaves up, then text from a stack of pieces.
 */

import type { Core, Expansion, Variable } from "./core.js";
import { print, printSymbol } from "./print.js";

const lineWidth = 92;
/** Deeper nesting is no longer indented, so that the listing stays linear in the program. */
const indentMax = 40;

/** (opener (label binding) … part …): a form taken apart. */
interface Shape {
  readonly opener: string;
  readonly labels: readonly string[];
  readonly bindings: readonly Core[];
  readonly parts: readonly Core[];
}

export function printCore(expansion: Expansion): string {
  const { nodes } = expansion;
  const program = nodes.at(-1);
  if (program?.kind !== "seq") return "";
  const names = nameVariables(nodes, program);
  const widths = new Map<Core, number>();
  for (const node of nodes) widths.set(node, widthOf(node, names, widths));
  return program.body.map((node) => layOut(node, names, widths)).join("\n");
}

/** Display names, unique within the program; the outer of two variables keeps the plain name. */
function nameVariables(nodes: readonly Core[], program: Core): Map<Variable, string> {
  const taken = new Set<string>();
  for (const node of nodes) {
    if (node.kind === "input" || node.kind === "primitive") taken.add(node.name);
  }
  const names = new Map<Variable, string>();
  const counts = new Map<string, number>();
  const add = (variable: Variable) => {
    if (names.has(variable)) return;
    let count = counts.get(variable.name) ?? 1;
    let name = count === 1 ? variable.name : `${variable.name}.${count}`;
    while (taken.has(name)) name = `${variable.name}.${++count}`;
    counts.set(variable.name, count + 1);
    taken.add(name);
    names.set(variable, name);
  };
  const waiting: Core[] = [program];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const variable of variablesOf(node)) add(variable);
    if (isAtom(node)) continue;
    const { bindings, parts } = shapeOf(node, names);
    for (let i = parts.length - 1; i >= 0; i--) waiting.push(parts[i] as Core);
    for (let i = bindings.length - 1; i >= 0; i--) waiting.push(bindings[i] as Core);
  }
  return names;
}

function variablesOf(node: Core): readonly Variable[] {
  if (node.kind === "define") return [node.variable];
  if (node.kind === "let" || node.kind === "letrec" || node.kind === "loop") return node.variables;
  if (node.kind !== "lambda") return [];
  return node.rest === undefined ? node.params : [...node.params, node.rest];
}

type Names = ReadonlyMap<Variable, string>;

function nameOf(variable: Variable, names: Names): string {
  return printSymbol(names.get(variable) ?? variable.name);
}

const atoms: ReadonlySet<Core["kind"]> = new Set([
  "const",
  "ref",
  "input",
  "primitive",
  "unspecified",
]);

function isAtom(node: Core): boolean {
  return atoms.has(node.kind);
}

function atomText(node: Core, names: Names): string | undefined {
  if (node.kind === "const") return constText(node.value);
  if (node.kind === "ref") return nameOf(node.variable, names);
  if (node.kind === "input" || node.kind === "primitive") return printSymbol(node.name);
  return node.kind === "unspecified" ? "(unspecified)" : undefined;
}

function constText(value: Parameters<typeof print>[0]): string {
  return value.kind === "list" || value.kind === "symbol" ? `'${print(value)}` : print(value);
}

function shapeOf(node: Core, names: Names): Shape {
  switch (node.kind) {
    case "if":
      return plain("(if", [node.test, node.then, node.else]);
    case "call":
      return plain("(", [node.operator, ...node.operands]);
    case "seq":
      return plain("(begin", node.body);
    case "recur":
      return plain("(recur", node.operands);
    case "define":
      return plain(`(define ${nameOf(node.variable, names)}`, [node.init]);
    case "lambda":
      return plain(`(lambda ${parametersText(node.params, node.rest, names)}`, [node.body]);
    case "let":
    case "letrec":
    case "loop": {
      const labels = node.variables.map((variable) => nameOf(variable, names));
      return { opener: `(${node.kind} (`, labels, bindings: node.inits, parts: [node.body] };
    }
    default:
      throw new Error(`${node.kind} is an atom`);
  }
}

function plain(opener: string, parts: readonly Core[]): Shape {
  return { opener, labels: [], bindings: [], parts };
}

function hasBindings(node: Core): boolean {
  return node.kind === "let" || node.kind === "letrec" || node.kind === "loop";
}

function parametersText(
  params: readonly Variable[],
  rest: Variable | undefined,
  names: Names,
): string {
  const fixed = params.map((param) => nameOf(param, names)).join(" ");
  if (rest === undefined) return `(${fixed})`;
  return params.length === 0 ? nameOf(rest, names) : `(${fixed} . ${nameOf(rest, names)})`;
}

/** The width of a node on one line, a little generous. */
function widthOf(node: Core, names: Names, widths: ReadonlyMap<Core, number>): number {
  const text = atomText(node, names);
  if (text !== undefined) return text.length;
  const { opener, labels, bindings, parts } = shapeOf(node, names);
  let width = opener.length + 2;
  for (const part of parts) width += 1 + (widths.get(part) ?? 0);
  for (const binding of bindings) width += 4 + (widths.get(binding) ?? 0);
  for (const label of labels) width += label.length;
  return width;
}

interface Piece {
  readonly node: Core;
  readonly indent: number;
  /** Whether it must stay on the line of the form around it. */
  readonly isFlat: boolean;
}

function layOut(root: Core, names: Names, widths: ReadonlyMap<Core, number>): string {
  const out: string[] = [];
  const work: (Piece | string)[] = [{ node: root, indent: 0, isFlat: false }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (typeof next === "string") out.push(next);
    else {
      const text = atomText(next.node, names);
      const pieces = text === undefined ? piecesOf(next, names, widths) : [text];
      for (let i = pieces.length - 1; i >= 0; i--) work.push(pieces[i] as Piece | string);
    }
  }
  return out.join("");
}

/** The texts and nodes that make up a form, in order. */
function piecesOf(
  piece: Piece,
  names: Names,
  widths: ReadonlyMap<Core, number>,
): (Piece | string)[] {
  const { node, indent } = piece;
  const { opener, labels, bindings, parts } = shapeOf(node, names);
  const isFlat = piece.isFlat || indent + (widths.get(node) ?? 0) <= lineWidth;
  const inner = Math.min(indent + 2, indentMax);
  const lineBreak = (spaces: number) => (isFlat ? " " : `\n${" ".repeat(spaces)}`);
  const pieces: (Piece | string)[] = [opener];
  bindings.forEach((binding, i) => {
    if (i > 0) pieces.push(lineBreak(indent + opener.length));
    pieces.push(`(${labels[i]} `, { node: binding, indent: inner + 4, isFlat }, ")");
  });
  if (hasBindings(node)) pieces.push(")");
  parts.forEach((part, i) => {
    const isFirst = i === 0;
    if (!(isFirst && node.kind === "call")) {
      pieces.push(isFirst && node.kind === "if" ? " " : lineBreak(inner));
    }
    pieces.push({ node: part, indent: inner, isFlat });
  });
  pieces.push(")");
  return pieces;
}
