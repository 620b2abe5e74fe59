/**
 * The procedures that the language brings along, on every short list with procedures that tell their
 * operands apart, against arrays: what is passed to them, in which order, and how often.
 */

import { afterAll, describe, expect, test } from "vitest";
import { Machine } from "../../src/index.js";

const machine = await Machine.create({ precision: "f64" });
afterAll(() => machine.dispose());

const printed = (source: string): string => {
  const program = machine.load(source);
  try {
    return program.evaluate().print();
  } finally {
    program.dispose();
  }
};

/** All lists of up to so many of the items. */
function listsOf<T>(items: readonly T[], length: number): T[][] {
  if (length === 0) return [[]];
  const shorter = listsOf(items, length - 1);
  const longest = shorter.filter((list) => list.length === length - 1);
  return [...shorter, ...longest.flatMap((list) => items.map((item) => [...list, item]))];
}

const lists = listsOf([1, 2, 3], 3);
const text = (items: readonly unknown[]): string => `(${items.join(" ")})`;
const quoted = (items: readonly unknown[]): string => `'${text(items)}`;
/** A procedure that keeps its operands in their order, so that its value tells every call. */
const TRACE = "(lambda operands (cons 'f operands))";
const trace = (...operands: unknown[]): string => text(["f", ...operands]);

const shortest = (...all: readonly unknown[][]): number =>
  Math.min(...all.map(({ length }) => length));
const rowsOf = <T>(...all: readonly T[][]): T[][] =>
  Array.from({ length: shortest(...all) }, (_, i) => all.map((list) => list[i] as T));

describe("every procedure of the library, called and passed on", () => {
  /** The call as it is, and with the procedure as a value, which takes the other definition. */
  const same = (name: string, operands: readonly string[], wanted: string): void => {
    const call = `(${[name, ...operands].join(" ")})`;
    for (const source of [
      call,
      `(apply ${name} (list ${operands.join(" ")}))`,
      `(let ((g ${name})) (g ${operands.join(" ")}))`,
    ])
      expect(printed(source), source).toBe(wanted);
  };

  test("map takes the elements of one, two and three lists in order", () => {
    for (const one of lists) same("map", [TRACE, quoted(one)], text(one.map((x) => trace(x))));
    for (const one of lists)
      for (const other of listsOf([4, 5], 2)) {
        same(
          "map",
          [TRACE, quoted(one), quoted(other)],
          text(rowsOf(one, other).map((row) => trace(...row))),
        );
        const all = [other, one, [7, 8]];
        same("map", [TRACE, ...all.map(quoted)], text(rowsOf(...all).map((row) => trace(...row))));
      }
  });

  test("folds pass the result first from the left, and last from the right", () => {
    const left = (rows: readonly unknown[][]) =>
      rows.reduce<unknown>((sum, row) => trace(sum, ...row), "s");
    const right = (rows: readonly unknown[][]) =>
      rows.reduceRight<unknown>((sum, row) => trace(...row, sum), "s");
    for (const one of lists) {
      same("fold-left", [TRACE, "'s", quoted(one)], String(left(rowsOf(one))));
      same("fold-right", [TRACE, "'s", quoted(one)], String(right(rowsOf(one))));
      for (const other of listsOf([4, 5], 2)) {
        const given = [TRACE, "'s", quoted(one), quoted(other)];
        same("fold-left", given, String(left(rowsOf(one, other))));
        same("fold-right", given, String(right(rowsOf(one, other))));
      }
    }
  });

  test("reduce passes the element first, and takes its default for an empty list alone", () => {
    for (const one of lists) {
      const [first, ...others] = one;
      const wanted = others.reduce<unknown>((sum, x) => trace(x, sum), first ?? "d");
      same("reduce", [TRACE, "'d", quoted(one)], String(wanted));
    }
  });

  test("filter keeps what the test holds for, in order", () => {
    const tests = {
      "(lambda (x) (< x 2))": (x: number) => x < 2,
      "(lambda (x) (if (= x 3) 'yes #f))": (x: number) => x === 3,
      "(lambda (x) #t)": () => true,
      "(lambda (x) #f)": () => false,
    };
    for (const one of lists)
      for (const [keep, test] of Object.entries(tests))
        same("filter", [keep, quoted(one)], text(one.filter((x) => test(x))));
  });

  const RELATIONS: Readonly<Record<string, (x: number, y: number) => boolean>> = {
    "<": (x, y) => x < y,
    ">": (x, y) => x > y,
    "<=": (x, y) => x <= y,
    "(lambda (x y) (= x (+ y 1)))": (x, y) => x === y + 1,
    "(lambda (x y) #t)": () => true,
    "(lambda (x y) #f)": () => false,
  };

  test("member and assoc pass what is looked for first, to any predicate", () => {
    for (const one of lists)
      for (const object of [0, 1, 2, 3]) {
        const rest = (at: number) => (at < 0 ? "#f" : text(one.slice(at)));
        const entry = (at: number) => (at < 0 ? "#f" : `(${one[at]} e${at})`);
        const entries = quoted(one.map((key, i) => `(${key} e${i})`));
        same("member", [`${object}`, quoted(one)], rest(one.indexOf(object)));
        same("assoc", [`${object}`, entries], entry(one.indexOf(object)));
        for (const [relation, holds] of Object.entries(RELATIONS)) {
          const at = one.findIndex((item) => holds(object, item));
          same("member", [`${object}`, quoted(one), relation], rest(at));
          same("assoc", [`${object}`, entries, relation], entry(at));
        }
      }
  });

  test("c…r take the parts that their letters say, from the right", () => {
    type Tree = string | readonly [Tree, Tree];
    const treeOf = (depth: number, name: string): Tree =>
      depth === 0 ? name : [treeOf(depth - 1, `${name}a`), treeOf(depth - 1, `${name}d`)];
    const written = (tree: Tree): string =>
      typeof tree === "string" ? tree : `(cons ${written(tree[0])} ${written(tree[1])})`;
    const source = written(treeOf(4, "'x"));
    for (const letters of listsOf(["a", "d"], 4).filter(({ length }) => length > 1)) {
      let part = treeOf(4, "'x");
      for (const letter of [...letters].reverse())
        part = (part as readonly [Tree, Tree])[letter === "a" ? 0 : 1];
      same(`c${letters.join("")}r`, [source], printed(written(part)));
    }
  });
});
