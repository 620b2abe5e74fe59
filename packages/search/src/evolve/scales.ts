/**
 * Scales of parameters: how large each may be, given the columns, so that starts belong to columns
 * of any unit.
 *
 * The target's size is handed down from the root: a factor beside something of a known size gets what
 * is missing, arguments of exp, tanh, sin and the like are a few. A parameter that is
 * added to an input is a place among its values.
 */

import type { ColumnSummary } from "../types.js";
import type { Chance } from "./chance.js";
import type { Tree } from "./tree.js";

export interface Scale {
  readonly size: number;
  /** Where a parameter lies that is compared with an input. */
  readonly between?: readonly [number, number];
}

type Columns = ReadonlyMap<string, ColumnSummary>;

const sizeOfColumn = ({ min, max }: ColumnSummary): number =>
  Math.max(Math.abs(min), Math.abs(max)) || 1;

/** Functions whose values are about 1, and how large their arguments are. */
const shaped: ReadonlyMap<string, number> = new Map([
  ["sin", 3],
  ["cos", 3],
  ["tan", 1],
  ["exp", 3],
  ["tanh", 3],
  ["sigmoid", 3],
  ["erf", 3],
  ["atan", 3],
  ["asin", 0.5],
  ["acos", 0.5],
  ["sinh", 1],
  ["cosh", 1],
  ["expm1", 1],
  ["softplus", 1],
  ["log", 1],
  ["log1p", 1],
]);

/** The scale of every parameter of a tree. */
export function scalesOf(
  tree: Tree,
  target: ColumnSummary,
  inputs: readonly ColumnSummary[],
): ReadonlyMap<string, Scale> {
  const columns = new Map(inputs.map((column) => [column.name, column]));
  const scales = new Map<string, Scale>();
  hand(tree, sizeOfColumn(target), columns, scales);
  return scales;
}

/** How large a tree's values are; undefined where parameters decide that. */
function naturalSize(tree: Tree, columns: Columns): number | undefined {
  const of = (at: Tree): number | undefined => naturalSize(at, columns);
  if (tree.kind === "number") return Math.abs(tree.value) || 1;
  if (tree.kind === "param") return undefined;
  if (tree.kind === "variable") {
    const column = columns.get(tree.name);
    return column === undefined ? undefined : sizeOfColumn(column);
  }
  if (tree.kind !== "call") return undefined;
  const [first, second] = tree.args as readonly [Tree, Tree | undefined];
  if (shaped.has(tree.name)) return 1;
  const a = of(first);
  const b = second === undefined ? undefined : of(second);
  if (tree.name === "*") return a === undefined || b === undefined ? undefined : a * b;
  if (tree.name === "/") return a === undefined || b === undefined ? undefined : a / b;
  if (tree.name === "square") return a === undefined ? undefined : a * a;
  if (tree.name === "sqrt") return a === undefined ? undefined : Math.sqrt(a);
  return a === undefined ? b : b === undefined ? a : Math.max(a, b);
}

function hand(tree: Tree, size: number, columns: Columns, scales: Map<string, Scale>): void {
  const give = (at: Tree, to: number): void => hand(at, to, columns, scales);
  if (tree.kind === "param") {
    if (!scales.has(tree.name)) scales.set(tree.name, { size: isUsable(size) ? size : 1 });
    return;
  }
  if (tree.kind !== "call") {
    for (const arg of tree.args) give(arg, size);
    return;
  }
  const [first, second] = tree.args as readonly [Tree, Tree | undefined];
  const inner = shaped.get(tree.name);
  if (inner !== undefined) give(first, inner);
  else if (tree.name === "square") give(first, Math.sqrt(size));
  else if (tree.name === "sqrt") give(first, size * size);
  else if (second === undefined) give(first, size);
  else if (tree.name === "*" || tree.name === "/")
    handToFactors(tree.name, [first, second], size, columns, scales);
  else if (tree.name === "expt" || tree.name === "pow") {
    give(first, size);
    give(second, 2);
  } else handToTerms([first, second], size, columns, scales);
}

const isUsable = (size: number): boolean => size > 1e-300 && size < 1e300;

function handToFactors(
  name: "*" | "/",
  [a, b]: readonly [Tree, Tree],
  size: number,
  columns: Columns,
  scales: Map<string, Scale>,
): void {
  const [sizeA, sizeB] = [naturalSize(a, columns), naturalSize(b, columns)];
  const left = sizeA ?? (name === "*" ? size / (sizeB ?? 1) : size * (sizeB ?? 1));
  const right = sizeB ?? (name === "*" ? size / left : left / size);
  hand(a, left, columns, scales);
  hand(b, right, columns, scales);
}

function handToTerms(
  terms: readonly [Tree, Tree],
  size: number,
  columns: Columns,
  scales: Map<string, Scale>,
): void {
  for (const [i, term] of terms.entries()) {
    const other = terms[1 - i] as Tree;
    const column = other.kind === "variable" ? columns.get(other.name) : undefined;
    if (term.kind !== "param" || column === undefined || scales.has(term.name)) {
      const natural = naturalSize(term, columns) ?? naturalSize(other, columns) ?? size;
      hand(term, natural, columns, scales);
      continue;
    }
    scales.set(term.name, { size: sizeOfColumn(column), between: [column.min, column.max] });
  }
}

/** A start of a parameter of this scale. */
export function drawStart({ size, between }: Scale, chance: Chance): number {
  const isNegative = chance.happens(0.4);
  if (between !== undefined && chance.happens(0.8)) {
    const at = between[0] + chance.uniform() * (between[1] - between[0]);
    return isNegative ? -at : at;
  }
  return (isNegative ? -1 : 1) * size * chance.logUniform(0.1, 10);
}
