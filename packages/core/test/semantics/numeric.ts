/**
 * Numeric primitives of numbers: what a name with so many operands means, and the record it leaves.
 * Forward function and adjoint are those of the declarations, over plain numbers.
 */

import type {
  Declaration,
  ElementwiseDeclaration,
  PredicateDeclaration,
} from "../../src/primitives/define.js";
import { primitiveByName, primitives } from "../../src/primitives/index.js";
import { numbers } from "../../src/primitives/numbers.js";
import { Procedure, Real, type Record, Tensor, type Value, type World } from "./values.js";

const byName: ReadonlyMap<string, Declaration> = new Map([
  ...primitives.map((each): [string, Declaration] => [each.name, each]),
  ...primitiveByName,
]);

const numericKinds = ["unary", "binary", "structuredUnary", "structuredBinary"];

export const declarationOf = (name: string): Declaration | undefined => byName.get(name);

export const isNumeric = (name: string): boolean =>
  numericKinds.includes(declarationOf(name)?.kind ?? "");

export function isElementwise(name: string): boolean {
  const kind = declarationOf(name)?.kind;
  return kind === "unary" || kind === "binary";
}

export const isPredicate = (name: string): boolean =>
  declarationOf(name)?.kind.endsWith("Predicate") ?? false;

/** What a binary primitive is of no operands. */
const units: ReadonlyMap<string, number> = new Map([
  ["+", 0],
  ["*", 1],
  ["gcd", 0],
  ["lcm", 1],
]);

/**
 * The call that another number of operands stands for; undefined where the number is the
 * primitive's own. `fold` and `log-base` are definitions of derived.ts.
 */
export function asPlainCall(
  world: World,
  name: string,
  operands: readonly Value[],
): readonly Value[] | undefined {
  const [first] = operands;
  const isBinary = declarationOf(name)?.kind === "binary";
  if ((name === "log" || name === "logClamp") && operands.length === 2)
    return [world.derived("log-base"), new Procedure(name), ...operands];
  if (name === "atan" && operands.length === 2) return [new Procedure("atan2"), ...operands];
  if (!isBinary || operands.length === 2) return undefined;
  if (first === undefined) return [new Procedure("copy"), new Real(units.get(name) ?? Number.NaN)];
  if (operands.length > 2) return [world.derived("fold"), new Procedure(name), ...operands];
  if (name === "-") return [new Procedure("neg"), first];
  if (name === "/") return [new Procedure("/"), new Real(1), first];
  if (name === "gcd" || name === "lcm")
    return [new Procedure(name), new Real(units.get(name) as number), first];
  return [new Procedure("copy"), first];
}

/** s, v or m for every operand; undefined where one is not numeric. */
export function kindsOf(operands: readonly Value[]): string | undefined {
  let kinds = "";
  for (const operand of operands) {
    if (operand instanceof Real) kinds += "s";
    else if (operand instanceof Tensor) kinds += operand.shape.length === 1 ? "v" : "m";
    else return undefined;
  }
  return kinds;
}

/** Constant almost everywhere: floor and its like, whose result is a decision. */
export const isFlat = (name: string): boolean =>
  (declarationOf(name) as ElementwiseDeclaration).adjoint === "none";

export function applyFlat(world: World, name: string, operands: readonly Real[]): Real {
  const [x = 0, y = 0] = operands.map(({ v }) => v);
  const z = (declarationOf(name) as ElementwiseDeclaration).forward(numbers, { x, y });
  if (operands.some(({ cell }) => cell !== undefined)) world.decisions.push(z);
  return new Real(z);
}

/** z = f(x, y), and the record of it if a differentiated input reaches an operand. */
export function applyNumber(world: World, name: string, operands: readonly Real[]): Real {
  const primitive = declarationOf(name) as ElementwiseDeclaration;
  const [x = 0, y = 0] = operands.map(({ v }) => v);
  const z = primitive.forward(numbers, { x, y });
  const isActive = operands.some(({ cell }) => cell !== undefined);
  if (!isActive) return new Real(z);
  const result = new Real(z, world.cells);
  world.cells += 1;
  world.tape.push({ primitive, operands, result });
  return result;
}

/** Whether a test holds of neighbouring operands; every comparison is a decision. */
export function applyTest(world: World, name: string, operands: readonly Real[]): boolean {
  const { forward, kind } = declarationOf(name) as PredicateDeclaration;
  const pairs =
    kind === "unaryPredicate"
      ? operands.map(({ v }) => ({ x: v, y: 0 }))
      : operands.slice(1).map(({ v }, i) => ({ x: (operands[i] as Real).v, y: v }));
  const outcomes = pairs.map((pair) => forward(numbers, pair));
  world.decisions.push(...outcomes);
  return outcomes.every((outcome) => outcome);
}

/**
 * The reverse sweep. An adjoint that nothing has reached is not there, rather than zero: what was
 * computed but not used adds nothing, not even 0·∞.
 */
export function sweep(tape: readonly Record[], seeds: ReadonlyMap<number, number>) {
  const adjoints = new Map(seeds);
  for (const { primitive, operands, result } of [...tape].reverse()) {
    const g = adjoints.get(result.cell as number);
    if (g === undefined || primitive.adjoint === "none") continue;
    const [x = 0, y = 0] = operands.map(({ v }) => v);
    const parts = primitive.adjoint(numbers, { g, x, y, z: result.v });
    for (const [i, part] of [parts.x, parts.y].entries()) {
      const cell = operands[i]?.cell;
      if (cell !== undefined && part !== undefined)
        adjoints.set(cell, (adjoints.get(cell) ?? 0) + part);
    }
  }
  return adjoints;
}
