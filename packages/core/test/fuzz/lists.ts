/**
 * Generated lists of reals, and numbers made from lists: higher-order procedures, association
 * lists, quasiquotation, recursion over a list.
 */

import { makeLambda } from "./forms.js";
import { type Maker, share, times, type Way } from "./maker.js";
import type { Tree } from "./program.js";
import { int, listOf, real, type Scope, stream } from "./scope.js";

/** A list of reals with exactly `length` items. */
export function makeList(maker: Maker, length: number, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const known = scope.of(listOf(length));
  const item = (): Tree => maker.make(real, scope, share(fuel, length));
  const items = (): Tree[] => times(length, item);
  const same = (): Tree => maker.make(listOf(length), scope, share(fuel, 2));
  const other = (size: number): Tree => maker.make(listOf(size), scope, share(fuel, 2));
  const wide = fuel > 2 ? 1 : 0;
  const front = random.between(0, length);
  const extra = random.between(0, 2);
  const ways: Way<Tree>[] = [
    [3, () => ["list", ...items()]],
    [known.length > 0 ? 6 : 0, () => random.recent(known).name],
    [length > 0 ? 2 * wide : 0, () => ["cons", item(), other(length - 1)]],
    [wide, () => ["cdr", other(length + 1)]],
    [wide, () => ["list-tail", other(length + extra), String(extra)]],
    [wide, () => ["append", other(front), other(length - front)]],
    [wide, () => [random.pick(["reverse", "list-copy"]), same()]],
    [2 * wide, () => ["map", makeLambda(maker, [real], real, scope, share(fuel, 2)), same()]],
    [wide, () => ["map", random.pick(["+", "-", "*"]), same(), other(length + extra)]],
    [length > 0 ? wide : 0, () => quasi(items(), random.below(length))],
    [length === 2 ? wide : 0, () => ["apply", "list", item(), ["list", item()]]],
    [length === 0 ? 5 : 0, () => ["quote", []]],
  ];
  const code = random.weighted(ways)();
  // `-` of two lists of reals may pass the bound of a real.
  return Array.isArray(code) && code[0] === "map" && typeof code[1] === "string"
    ? ["map", "tanh", code]
    : code;
}

function quasi(items: readonly Tree[], spliced: number): Tree {
  const parts = items.map(
    (item, i): Tree => (i === spliced ? ["unquote-splicing", ["list", item]] : ["unquote", item]),
  );
  return ["quasiquote", parts];
}

/** A list of reals whose length only the run knows. */
export function makeStream(maker: Maker, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const known = scope.where(({ kind }) => kind === "stream" || kind === "list");
  const fixed = (): Tree => maker.make(listOf(random.between(0, 4)), scope, share(fuel, 2));
  const wide = fuel > 1 ? 1 : 0;
  return random.weighted<() => Tree>([
    [2, fixed],
    [known.length > 0 ? 3 : 0, () => random.recent(known).name],
    [2 * wide, () => filtered(maker, scope, fuel)],
    [2 * wide, () => built(maker, scope, fuel)],
    [wide, () => ["append", maker.make(stream, scope, share(fuel, 2)), fixed()]],
    [wide, () => ["reverse", maker.make(stream, scope, fuel - 1)]],
    [wide, () => ["map", makeLambda(maker, [real], real, scope, share(fuel, 2)), fixed()]],
  ])();
}

/** A filter on small integers, or on numbers of the lanes where they may differ. */
function filtered(maker: Maker, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const ints = (): Tree => [
    "list",
    ...times(random.between(0, 4), () => maker.make(int, scope, 1)),
  ];
  const test = random.pick(["even?", "odd?", "positive?", "zero?"]);
  if (!maker.divergence || random.chance(0.5)) return ["filter", test, ints()];
  const name = scope.fresh(random);
  const inner = scope.with({ name, type: real });
  const keep: Tree = ["lambda", [name], maker.make({ kind: "bool" }, inner, share(fuel, 2))];
  return ["filter", keep, maker.make(stream, scope, share(fuel, 2))];
}

/** A list built by recursion, one item per turn. */
function built(maker: Maker, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const [n, x] = scope.freshNames(random, 2) as [string, string];
  const inner = scope.with({ name: n, type: { kind: "count" } }, { name: x, type: real });
  const build = `b${n}`;
  const item = maker.make(real, inner, share(fuel, 3));
  const next = maker.make(real, inner, share(fuel, 3));
  const body: Tree = [
    "if",
    ["<", n, "1"],
    ["quote", []],
    ["cons", item, [build, ["-", n, "1"], next]],
  ];
  const start: Tree = [
    build,
    String(random.between(0, 4)),
    maker.make(real, scope, share(fuel, 3)),
  ];
  return ["letrec", [[build, ["lambda", [n, x], body]]], start];
}

/** A number made from lists. */
export function makeFromList(maker: Maker, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const length = random.between(1, 4);
  const known = (): Tree => maker.make(listOf(length), scope, share(fuel, 2));
  const any = (): Tree => maker.make(stream, scope, share(fuel, 2));
  const start = (): Tree => maker.make(real, scope, share(fuel, 3));
  const folder = (): Tree => makeLambda(maker, [real, real], real, scope, share(fuel, 2));
  const index = (): Tree => ["modulo", maker.make(int, scope, 1), String(length)];
  const deep = ["", "cadr", "caddr", "cadddr"];
  return random.weighted<() => Tree>([
    [3, () => ["car", known()]],
    [2, () => ["list-ref", known(), index()]],
    [length > 1 ? 2 : 0, () => [deep[length - 1] as string, known()]],
    [2, () => ["fold-left", folder(), start(), any()]],
    [2, () => ["fold-right", folder(), start(), any()]],
    [2, () => ["reduce", folder(), start(), any()]],
    [1, () => ["tanh", ["fold-left", random.pick(["+", "-"]), start(), any()]]],
    [
      1,
      () => [
        "fold-left",
        makeLambda(maker, [real, real, real], real, scope, share(fuel, 2)),
        start(),
        known(),
        any(),
      ],
    ],
    [1, () => ["sin", ["apply", random.pick(["+", "max", "min"]), start(), any()]]],
    [2, () => association(maker, scope, fuel)],
    [2, () => walked(maker, scope, fuel)],
    [1, () => [[random.pick(["car", "cadr"]), procedures(maker, scope, fuel)], start()]],
  ])();
}

function procedures(maker: Maker, scope: Scope, fuel: number): Tree {
  const one = (): Tree => makeLambda(maker, [real], real, scope, share(fuel, 2));
  return ["list", one(), one()];
}

function association(maker: Maker, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const item = (): Tree => maker.make(real, scope, share(fuel, 3));
  const quote = (name: string): Tree => ["quote", name];
  const entries: Tree = [
    "list",
    ...["a", "b", "c"].map((name): Tree => ["cons", quote(name), item()]),
  ];
  const numbered: Tree = [
    "quasiquote",
    [
      ["1", ["unquote", item()]],
      ["2", ["unquote", item()]],
    ],
  ];
  const key = maker.make({ kind: "symbol" }, scope, 2);
  return random.pick<() => Tree>([
    () => ["cdr", [random.pick(["assq", "assv", "assoc"]), key, entries]],
    () => ["cadr", ["assv", ["+", "1", ["modulo", maker.make(int, scope, 1), "2"]], numbered]],
    () => ["car", ["member", "2", ["list", "1", "2", item()]]],
  ])();
}

/** Recursion over a list that combines each item with what the rest gave. */
function walked(maker: Maker, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const [l, x] = scope.freshNames(random, 2) as [string, string];
  const walk = `w${l}`;
  const inner = scope.with({ name: l, type: stream }, { name: x, type: real });
  const combine = maker.make(real, inner.without([{ name: l, type: stream }]), share(fuel, 3));
  const rest: Tree = ["let", [[x, ["car", l]]], ["+", combine, ["*", "0.5", [walk, ["cdr", l]]]]];
  const body: Tree = [
    "if",
    ["null?", l],
    maker.make(real, scope.without([{ name: l, type: stream }]), 1),
    rest,
  ];
  const list = maker.make(stream, scope, share(fuel, 3));
  return ["tanh", ["letrec", [[walk, ["lambda", [l], body]]], [walk, list]]];
}
