/**
 * The oracle's procedures on structure: pairs, lists, symbols, booleans, procedures.
 */

import { constant, Dual, decide, steer } from "./dual.js";
import { type Define, integerFrom } from "./operands.js";
import { Sym } from "./read.js";
import { sameShape } from "./tensor.js";
import {
  type Call,
  Closure,
  itemsOf,
  listOf,
  nil,
  Pair,
  Primitive,
  RefError,
  Tensor,
  type Value,
} from "./values.js";

const many = Number.POSITIVE_INFINITY;

export function defineLists(define: Define): void {
  definePairs(define);
  defineWholeLists(define);
  defineSearches(define);
  defineHigherOrder(define);
  definePredicates(define);
}

function pairFrom(value: Value, who: string): Pair {
  if (value instanceof Pair) return value;
  throw new RefError("E-TYPE", `${who} needs a pair`);
}

function definePairs(define: Define): void {
  define("cons", 2, 2, ([a, b]) => new Pair(a as Value, b as Value));
  define("car", 1, 1, ([p]) => pairFrom(p as Value, "car").car);
  define("cdr", 1, 1, ([p]) => pairFrom(p as Value, "cdr").cdr);
  let paths = ["a", "d"];
  for (let length = 2; length <= 4; length++) {
    paths = paths.flatMap((path) => [`a${path}`, `d${path}`]);
    for (const path of paths) {
      const name = `c${path}r`;
      define(name, 1, 1, ([p]) => {
        let value = p as Value;
        for (let i = path.length - 1; i >= 0; i--) {
          const pair = pairFrom(value, name);
          value = path[i] === "a" ? pair.car : pair.cdr;
        }
        return value;
      });
    }
  }
}

function isList(value: Value): boolean {
  let rest = value;
  while (rest instanceof Pair) rest = rest.cdr;
  return rest === nil;
}

function listTail(list: Value, count: Value | undefined, who: string): Value {
  let rest = list;
  const steps = integerFrom(count, who);
  if (steps < 0) throw new RefError("E-RANGE", `${who} needs an index from 0`);
  for (let i = 0; i < steps; i++) {
    if (!(rest instanceof Pair)) throw new RefError("E-RANGE", `${who}: the list is too short`);
    rest = rest.cdr;
  }
  return rest;
}

function defineWholeLists(define: Define): void {
  define("list", 0, many, (items) => listOf(items));
  define("list?", 1, 1, ([x]) => isList(x as Value));
  define("length", 1, 1, ([x]) => constant(itemsOf(x as Value, "length").length));
  define("append", 0, many, (lists) => {
    if (lists.length === 0) return nil;
    const front = lists.slice(0, -1).flatMap((list) => itemsOf(list, "append"));
    return listOf(front, lists[lists.length - 1] as Value);
  });
  define("reverse", 1, 1, ([x]) => listOf(itemsOf(x as Value, "reverse").reverse()));
  define("list-tail", 2, 2, ([x, k]) => listTail(x as Value, k, "list-tail"));
  define("list-ref", 2, 2, ([x, k]) => {
    const tail = listTail(x as Value, k, "list-ref");
    if (!(tail instanceof Pair)) throw new RefError("E-RANGE", "list-ref: the list is too short");
    return tail.car;
  });
  define("list-copy", 1, 1, ([x]) => {
    const items: Value[] = [];
    let rest = x as Value;
    for (; rest instanceof Pair; rest = rest.cdr) items.push(rest.car);
    return listOf(items, rest);
  });
}

type Same = (a: Value, b: Value) => boolean;

/** The same object, or numbers, vectors or matrices of the same value: an integer is no type of its own. */
export const eqv: Same = (a, b) => {
  if (a instanceof Tensor && b instanceof Tensor)
    return sameShape(a, b) && a.items.every((item, i) => eqv(item, b.items[i] as Dual));
  if (!(a instanceof Dual && b instanceof Dual)) return a === b;
  decide(a.v === b.v ? 1 : 0, a, b);
  return a.v === b.v;
};

/** One pair is equal to itself, whatever it holds. */
export const equal: Same = (a, b) => {
  if (!(a instanceof Pair && b instanceof Pair)) return eqv(a, b);
  return a === b || (equal(a.car, b.car) && equal(a.cdr, b.cdr));
};

function defineSearches(define: Define): void {
  define("eq?", 2, 2, ([a, b]) => eqv(a as Value, b as Value));
  define("eqv?", 2, 2, ([a, b]) => eqv(a as Value, b as Value));
  define("equal?", 2, 2, ([a, b]) => equal(a as Value, b as Value));
  const kinds = [
    ["memq", "assq", eqv, 2],
    ["memv", "assv", eqv, 2],
    ["member", "assoc", equal, 3],
  ] as const;
  for (const [member, association, same, most] of kinds) {
    define(member, 2, most, ([key, list, compare], call) => {
      const matches = matcher(key as Value, compare, same, call);
      let rest = list as Value;
      for (; rest instanceof Pair; rest = rest.cdr) if (matches(rest.car)) return rest;
      return false;
    });
    define(association, 2, most, ([key, list, compare], call) => {
      const matches = matcher(key as Value, compare, same, call);
      const entries = itemsOf(list as Value, association);
      return entries.find((entry) => matches(pairFrom(entry, association).car)) ?? false;
    });
  }
}

function matcher(key: Value, compare: Value | undefined, same: Same, call: Call) {
  return (candidate: Value): boolean => {
    const match =
      compare === undefined ? same(key, candidate) : call(compare, [key, candidate]) !== false;
    steer(match);
    return match;
  };
}

/** Row i holds the i-th item of every list; as many rows as the shortest list has items. */
function rowsAcross(lists: readonly Value[], who: string): Value[][] {
  const rows: Value[][] = [];
  let rest = lists;
  while (rest.every((list) => list instanceof Pair)) {
    const pairs = rest as readonly Pair[];
    rows.push(pairs.map(({ car }) => car));
    rest = pairs.map(({ cdr }) => cdr);
  }
  if (!rest.includes(nil)) throw new RefError("E-TYPE", `${who} needs proper lists`);
  return rows;
}

function defineHigherOrder(define: Define): void {
  define("map", 2, many, ([f, ...lists], call) =>
    listOf(rowsAcross(lists, "map").map((items) => call(f as Value, items))),
  );
  define("filter", 2, 2, ([f, list], call) =>
    listOf(
      itemsOf(list as Value, "filter").filter((item) => {
        const keep = call(f as Value, [item]) !== false;
        steer(keep);
        return keep;
      }),
    ),
  );
  define("fold-left", 3, many, ([f, start, ...lists], call) =>
    rowsAcross(lists, "fold-left").reduce(
      (state, items) => call(f as Value, [state, ...items]),
      start as Value,
    ),
  );
  define("fold-right", 3, many, ([f, start, ...lists], call) =>
    rowsAcross(lists, "fold-right").reduceRight(
      (state, items) => call(f as Value, [...items, state]),
      start as Value,
    ),
  );
  define("reduce", 3, 3, ([f, empty, list], call) => {
    const items = itemsOf(list as Value, "reduce");
    if (items.length === 0) return empty as Value;
    return items.reduce((state, item) => call(f as Value, [item, state]));
  });
  define("apply", 2, many, (operands, call) => {
    const last = operands[operands.length - 1] as Value;
    return call(operands[0] as Value, [...operands.slice(1, -1), ...itemsOf(last, "apply")]);
  });
}

function definePredicates(define: Define): void {
  define("null?", 1, 1, ([x]) => x === nil);
  define("pair?", 1, 1, ([x]) => x instanceof Pair);
  define("symbol?", 1, 1, ([x]) => x instanceof Sym);
  define("boolean?", 1, 1, ([x]) => typeof x === "boolean");
  define("procedure?", 1, 1, ([x]) => x instanceof Closure || x instanceof Primitive);
  define("not", 1, 1, ([x]) => x === false);
}
