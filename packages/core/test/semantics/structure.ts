/**
 * The rule Structure: primitives on pairs, lists, symbols and shapes. They leave no record; where one
 * looks at a number (an index, a size, a comparison), the outcome is a decision.
 */

import {
  Closure,
  itemsOf,
  listOf,
  Name,
  nil,
  Pair,
  Procedure,
  Real,
  Stuck,
  Tensor,
  type Value,
  type World,
} from "./values.js";

type Run = (world: World, operands: readonly Value[]) => Value;

const pairFrom = (value: Value | undefined): Pair => {
  if (value instanceof Pair) return value;
  throw new Stuck("E-TYPE", "a pair is needed");
};

const tensorFrom = (value: Value | undefined): Tensor => {
  if (value instanceof Tensor) return value;
  throw new Stuck("E-TYPE", "a vector or matrix is needed");
};

const realFrom = (value: Value | undefined): Real => {
  if (value instanceof Real) return value;
  throw new Stuck("E-TYPE", "a number is needed");
};

/** An index, a count or a size: the number decides. */
function wholeFrom(world: World, value: Value | undefined): number {
  const { v } = realFrom(value);
  if (!Number.isInteger(v)) throw new Stuck("E-TYPE", "a whole number is needed");
  world.decisions.push(v);
  return v;
}

function isSame(world: World, a: Value, b: Value): boolean {
  if (a instanceof Tensor && b instanceof Tensor)
    return (
      String(a.shape) === String(b.shape) &&
      a.items.every((item, i) => isSame(world, item, b.items[i] as Real))
    );
  if (!(a instanceof Real && b instanceof Real))
    return a instanceof Name && b instanceof Name ? a.text === b.text : a === b;
  world.decisions.push(a.v === b.v);
  return a.v === b.v;
}

function isEqual(world: World, a: Value, b: Value): boolean {
  if (!(a instanceof Pair && b instanceof Pair)) return isSame(world, a, b);
  return a === b || (isEqual(world, a.car, b.car) && isEqual(world, a.cdr, b.cdr));
}

type Same = typeof isSame;

const memberBy =
  (same: Same): Run =>
  (world, [key, list]) => {
    let rest = list as Value;
    for (; rest instanceof Pair; rest = rest.cdr)
      if (same(world, key as Value, rest.car)) return rest;
    return false;
  };

const associationBy =
  (same: Same): Run =>
  (world, [key, list]) =>
    itemsOf(list as Value).find((entry) => same(world, key as Value, pairFrom(entry).car)) ?? false;

function tailOf(world: World, list: Value, count: Value | undefined): Value {
  let rest = list;
  for (let left = wholeFrom(world, count); left > 0; left--) {
    if (!(rest instanceof Pair)) throw new Stuck("E-RANGE", "the list is too short");
    rest = rest.cdr;
  }
  return rest;
}

function isList(value: Value): boolean {
  let rest = value;
  while (rest instanceof Pair) rest = rest.cdr;
  return rest === nil;
}

function copyOf(value: Value): Value {
  const items: Value[] = [];
  let rest = value;
  for (; rest instanceof Pair; rest = rest.cdr) items.push(rest.car);
  return listOf(items, rest);
}

function append(lists: readonly Value[]): Value {
  if (lists.length === 0) return nil;
  return listOf(lists.slice(0, -1).flatMap(itemsOf), lists.at(-1));
}

function matrixFrom(lines: readonly Value[]): Tensor {
  const vectors = lines.map(tensorFrom);
  const width = vectors[0]?.items.length ?? 0;
  if (vectors.some(({ shape }) => shape.length !== 1 || shape[0] !== width))
    throw new Stuck("E-SHAPE", "rows of one length are needed");
  return new Tensor(
    [vectors.length, width],
    vectors.flatMap(({ items }) => items),
  );
}

/** An element of a vector, or a row of a matrix. */
function element(world: World, tensor: Tensor, index: Value | undefined): Real | Tensor {
  const i = wholeFrom(world, index);
  const [count = 0, width] = tensor.shape;
  if (i < 0 || i >= count) throw new Stuck("E-RANGE", `there is no element ${i}`);
  if (width === undefined) return tensor.items[i] as Real;
  return new Tensor([width], tensor.items.slice(i * width, (i + 1) * width));
}

const filled =
  (at: (i: number, j: number) => number): Run =>
  (world, operands) => {
    const shape = operands.map((operand) => wholeFrom(world, operand));
    const [r = 0, c = 1] = shape;
    const items = Array.from({ length: r * c }, (_, k) => new Real(at(Math.floor(k / c), k % c)));
    return new Tensor(shape, items);
  };

const whether =
  (test: (value: Value) => boolean): Run =>
  (_world, [value]) =>
    test(value as Value);

/** By the name in the language. */
export const structure: ReadonlyMap<string, Run> = new Map<string, Run>([
  ["cons", (_world, [a, b]) => new Pair(a as Value, b as Value)],
  ["car", (_world, [pair]) => pairFrom(pair).car],
  ["cdr", (_world, [pair]) => pairFrom(pair).cdr],
  ["list", (_world, items) => listOf(items)],
  ["list?", whether(isList)],
  ["length", (_world, [list]) => new Real(itemsOf(list as Value).length)],
  ["append", (_world, lists) => append(lists)],
  ["reverse", (_world, [list]) => listOf(itemsOf(list as Value).reverse())],
  ["list-tail", (world, [list, count]) => tailOf(world, list as Value, count)],
  ["list-ref", (world, [list, count]) => pairFrom(tailOf(world, list as Value, count)).car],
  ["list-copy", (_world, [list]) => copyOf(list as Value)],
  ["memq", memberBy(isSame)],
  ["memv", memberBy(isSame)],
  ["member", memberBy(isEqual)],
  ["assq", associationBy(isSame)],
  ["assv", associationBy(isSame)],
  ["assoc", associationBy(isEqual)],
  ["null?", whether((value) => value === nil)],
  ["pair?", whether((value) => value instanceof Pair)],
  ["symbol?", whether((value) => value instanceof Name)],
  ["boolean?", whether((value) => typeof value === "boolean")],
  ["procedure?", whether((value) => value instanceof Closure || value instanceof Procedure)],
  ["number?", whether((value) => value instanceof Real)],
  ["real?", whether((value) => value instanceof Real)],
  ["not", whether((value) => value === false)],
  ["eq?", (world, [a, b]) => isSame(world, a as Value, b as Value)],
  ["eqv?", (world, [a, b]) => isSame(world, a as Value, b as Value)],
  ["equal?", (world, [a, b]) => isEqual(world, a as Value, b as Value)],
  ["vec", (_world, items) => new Tensor([items.length], items.map(realFrom))],
  ["mat", (_world, lines) => matrixFrom(lines)],
  [
    "ref",
    (world, [tensor, i, j]) => {
      const found = element(world, tensorFrom(tensor), i);
      return j === undefined ? found : element(world, tensorFrom(found), j);
    },
  ],
  ["vlen", (_world, [tensor]) => new Real(tensorFrom(tensor).shape[0] ?? 0)],
  ["rows", (_world, [tensor]) => new Real(tensorFrom(tensor).shape[0] ?? 0)],
  ["cols", (_world, [tensor]) => new Real(tensorFrom(tensor).shape[1] ?? 0)],
  ["zeros", filled(() => 0)],
  ["ones", filled(() => 1)],
  [
    "eye",
    (world, [n]) =>
      filled((i, j) => (i === j ? 1 : 0))(world, [n as Value, new Real(wholeFrom(world, n))]),
  ],
]);
