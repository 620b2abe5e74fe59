/**
 * Generated numbers, integers and tests.
 *
 * Reals carry a rough bound on their size, taking each part for at most `boundMax`. An expression
 * whose bound passes that is squashed, always where it passes the square, and divisors, logarithms, roots and powers are guarded, so that values stay finite and gradients
 * mostly small: a disagreement then means a mistake and not an overflow.
 */

import { type Maker, share, times, type Way } from "./maker.js";
import { printNumber, type Tree } from "./program.js";
import { makeSameness } from "./sameness.js";
import { count, int, real, type Scope, type Variable } from "./scope.js";

const boundMax = 8;
const literals = [0, 1, -1, 2, 0.5, -0.5, 1.5, 3, 0.25, -2, 0.1, 2.75, 1e-3, -0.7];

interface Sized {
  readonly code: Tree;
  readonly bound: number;
}

export function makeReal(maker: Maker, scope: Scope, fuel: number): Tree {
  const { code, bound } = fuel <= 0 ? leaf(maker, scope) : raw(maker, scope, fuel);
  const { random } = maker;
  if (bound <= boundMax || (bound <= boundMax ** 2 && random.chance(0.6))) return code;
  const squash = random.pick<(x: Tree) => Tree>([
    (x) => ["tanh", x],
    (x) => ["sin", x],
    (x) => ["atan", x],
    (x) => ["*", printNumber(Number((boundMax / bound).toPrecision(2))), x],
  ]);
  return squash(code);
}

function leaf({ random }: Maker, scope: Scope): Sized {
  const reals = scope.of(real);
  const ints = [...scope.of(int), ...scope.of(count)];
  const own = (variable: Variable): Sized => ({ code: variable.name, bound: boundMax });
  return random.weighted<() => Sized>([
    [reals.length > 0 ? 8 : 0, () => own(random.recent(reals))],
    [ints.length > 0 ? 1 : 0, () => ({ code: ["*", "0.1", random.recent(ints).name], bound: 6 })],
    [2, () => literal(random.pick(literals))],
    [1, () => literal(random.decimal(-3, 3))],
  ])();
}

function literal(value: number): Sized {
  return { code: printNumber(value), bound: Math.abs(value) };
}

/** A real of any size, with its bound. */
function raw(maker: Maker, scope: Scope, fuel: number): Sized {
  const { random } = maker;
  const part = (parts: number): Tree => maker.make(real, scope, share(fuel, parts));
  return random.weighted<() => Sized>([
    [3, () => leaf(maker, scope)],
    [7, () => arithmetic(maker, part)],
    [5, () => bounded(maker, part)],
    [4, () => guarded(maker, part)],
    [2, () => kinked(maker, part)],
    [maker.wild ? 4 : 0, () => unguarded(maker, part)],
  ])();
}

type Part = (parts: number) => Tree;

function arithmetic({ random }: Maker, part: Part): Sized {
  const b = boundMax;
  const several = random.pick([2, 2, 2, 3, 4]);
  return random.pick<() => Sized>([
    () => ({ code: ["+", ...times(several, () => part(several))], bound: b * several }),
    () => ({ code: ["-", ...times(several, () => part(several))], bound: b * several }),
    () => ({ code: ["*", part(2), part(2)], bound: b * b }),
    () => ({ code: ["*", part(3), part(3), part(3)], bound: b * b * b }),
    () => ({ code: ["-", part(1)], bound: b }),
    () => ({ code: ["+", part(1)], bound: b }),
    () => ({ code: ["/", part(2), ["+", "1.5", ["square", part(2)]]], bound: b }),
    () => ({
      code: ["/", part(3), ["+", "2", ["cos", part(3)]], ["+", "2", ["abs", part(3)]]],
      bound: b,
    }),
    () => ({ code: ["/", ["+", "2", ["cos", part(1)]]], bound: 1 }),
    () => ({ code: ["square", part(1)], bound: b * b }),
    () => ({ code: ["apply", "+", ["list", part(2), part(2)]], bound: 2 * b }),
  ])();
}

/** Functions that bound any argument. */
function bounded({ random }: Maker, part: Part): Sized {
  const name = random.pick(["sin", "cos", "tanh", "atan", "sigmoid", "erf"]);
  const extra = random.pick<(x: Tree) => Sized>([
    (x) => ({ code: [name, x], bound: 1.6 }),
    (x) => ({ code: ["exp", ["-", ["abs", x]]], bound: 1 }),
    (x) => ({ code: ["softplus", x], bound: boundMax + 1 }),
    (x) => ({ code: [name, x], bound: 1.6 }),
  ]);
  return extra(part(1));
}

/** Functions whose argument must be kept inside their domain. */
function guarded({ random }: Maker, part: Part): Sized {
  const unit = (): Tree => ["tanh", part(1)];
  const positive = (): Tree => ["+", "0.6", ["square", part(1)]];
  return random.pick<() => Sized>([
    () => ({ code: ["exp", unit()], bound: 2.8 }),
    () => ({ code: ["log", positive()], bound: 5 }),
    () => ({ code: ["sqrt", positive()], bound: boundMax + 1 }),
    () => ({ code: ["tan", unit()], bound: 1.6 }),
    () => ({ code: ["asin", ["*", "0.9", unit()]], bound: 1.2 }),
    () => ({ code: ["acos", ["*", "0.9", unit()]], bound: 2.8 }),
    () => ({ code: [random.pick(["sinh", "cosh", "expm1"]), unit()], bound: 1.8 }),
    () => ({ code: ["log1p", ["square", part(1)]], bound: 5 }),
    () => ({ code: ["lgamma", ["+", "0.7", ["abs", part(1)]]], bound: 10 }),
    () => ({
      code: [random.pick(["pow", "expt"]), ["+", "0.5", ["abs", part(2)]], ["tanh", part(2)]],
      bound: 9,
    }),
    () => ({ code: [random.pick(["pow", "expt"]), part(1), random.pick(["2", "3"])], bound: 512 }),
    () => ({ code: ["atan", part(2), ["+", "1", ["square", part(2)]]], bound: 1.6 }),
    () => ({
      code: ["log", ["+", "2", ["abs", part(2)]], ["+", "2", ["square", part(2)]]],
      bound: 4,
    }),
    () => ({ code: [random.pick(["exact", "inexact"]), part(1)], bound: boundMax }),
  ])();
}

/** Functions that some lanes may leave the domain of. */
function unguarded({ random }: Maker, part: Part): Sized {
  return random.pick<() => Sized>([
    () => ({ code: ["sqrt", part(1)], bound: boundMax }),
    () => ({ code: ["log", part(1)], bound: boundMax }),
    () => ({ code: ["/", part(2), ["floor", part(2)]], bound: boundMax }),
    () => ({ code: [random.pick(["asin", "acos", "log1p"]), part(1)], bound: boundMax }),
    () => ({ code: ["pow", part(2), part(2)], bound: boundMax }),
    () => ({ code: ["lgamma", part(1)], bound: boundMax }),
  ])();
}

/** Functions with kinks or steps. */
function kinked({ random }: Maker, part: Part): Sized {
  return random.pick<() => Sized>([
    () => ({ code: ["abs", part(1)], bound: boundMax }),
    () => ({ code: [random.pick(["min", "max"]), part(2), part(2)], bound: boundMax }),
    () => ({ code: [random.pick(["min", "max"]), part(3), part(3), part(3)], bound: boundMax }),
    () => ({ code: [random.pick(["floor", "ceiling", "round", "truncate"]), part(1)], bound: 9 }),
    () => ({ code: [random.pick(["modulo", "remainder"]), part(1), "2.5"], bound: 2.5 }),
    () => ({
      code: [random.pick(["modulo", "remainder"]), part(2), ["+", "1", ["square", part(2)]]],
      bound: 65,
    }),
    () => ({ code: ["quotient", part(1), "0.75"], bound: 11 }),
  ])();
}

/** A small integer that no lane disagrees about, except through a divergent test. */
export function makeInt(maker: Maker, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const part = (parts: number): Tree => maker.make(int, scope, share(fuel, parts));
  const ints = [...scope.of(int), ...scope.of(count)];
  const lists = scope.where(({ kind }) => kind === "list" || kind === "stream");
  const vectors = scope.where(({ kind }) => kind === "vector");
  const matrices = scope.where(({ kind }) => kind === "matrix");
  const wide = fuel > 0 ? 1 : 0;
  const kept = (code: Tree): Tree => ["remainder", code, "11"];
  return random.weighted<() => Tree>([
    [3, () => String(random.between(-4, 7))],
    [ints.length > 0 ? 5 : 0, () => random.recent(ints).name],
    [2 * wide, () => kept([random.pick(["+", "-", "*"]), part(2), part(2)])],
    [
      wide,
      () => [
        random.pick(["quotient", "modulo", "remainder"]),
        part(1),
        random.pick(["2", "3", "-3", "5"]),
      ],
    ],
    [wide, () => [random.pick(["min", "max", "gcd"]), part(2), part(2)]],
    [wide, () => kept(["lcm", part(2), part(2)])],
    [wide, () => [random.pick(["abs", "-", "exact"]), part(1)]],
    [wide, () => kept(["square", part(1)])],
    [lists.length > 0 ? 1 : 0, () => ["length", random.pick(lists).name]],
    [vectors.length > 0 ? 1 : 0, () => ["vlen", random.pick(vectors).name]],
    [
      matrices.length > 0 ? 1 : 0,
      () => [random.pick(["rows", "cols"]), random.pick(matrices).name],
    ],
  ])();
}

/** An integer from 0 to 5: how often something runs. */
export function makeCount(maker: Maker, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const counts = scope.of(count);
  return random.weighted<() => Tree>([
    [3, () => String(random.between(0, 5))],
    [counts.length > 0 ? 3 : 0, () => random.recent(counts).name],
    [fuel > 0 ? 2 : 0, () => ["modulo", maker.make(int, scope, fuel - 1), "5"]],
  ])();
}

export function makeBool(maker: Maker, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const truths = scope.of({ kind: "bool" });
  const again = (parts: number): Tree => maker.make({ kind: "bool" }, scope, share(fuel, parts));
  const wide = fuel > 0 ? 1 : 0;
  return random.weighted<() => Tree>([
    [1, () => random.pick(["#t", "#f"])],
    [truths.length > 0 ? 3 : 0, () => random.recent(truths).name],
    [4, () => structuralTest(maker, scope, fuel)],
    [maker.divergence ? 8 : 4, () => numericTest(maker, scope, fuel)],
    [maker.asking > 0 && fuel > 4 ? 3 : 0, () => makeSameness(maker, scope, fuel)],
    [wide, () => ["not", again(1)]],
    [wide, () => ["and", ...times(random.between(0, 3), () => again(3))]],
    [wide, () => ["or", ...times(random.between(0, 3), () => again(3))]],
    [wide, () => ["if", again(3), again(3), again(3)]],
  ])();
}

const comparisons = ["<", ">", "<=", ">=", "="];

/** Tests that touch no number of a lane. */
function structuralTest(maker: Maker, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const i = (): Tree => maker.make(int, scope, share(fuel, 2));
  const symbols = scope.where(({ kind }) => kind === "symbol");
  const all = scope.variables;
  const probes = [
    "pair?",
    "null?",
    "symbol?",
    "boolean?",
    "procedure?",
    "number?",
    "real?",
    "list?",
  ];
  return random.weighted<() => Tree>([
    [3, () => [random.pick(comparisons), i(), i()]],
    [1, () => [random.pick(comparisons), i(), i(), i()]],
    [2, () => [random.pick(["even?", "odd?", "zero?", "positive?", "negative?", "integer?"]), i()]],
    [1, () => [random.pick(["eqv?", "equal?", "eq?"]), i(), i()]],
    [1, () => ["equal?", ["list", i(), ["quote", "a"]], ["list", i(), ["quote", "a"]]]],
    [1, () => ["memv", i(), ["quote", ["0", "1", "2", "5"]]]],
    [symbols.length > 0 ? 2 : 0, () => ["eq?", random.pick(symbols).name, ["quote", "a"]]],
    [symbols.length > 0 ? 1 : 0, () => ["memq", random.pick(symbols).name, ["quote", ["b", "c"]]]],
    [all.length > 0 ? 1 : 0, () => [random.pick(probes), random.pick(all).name]],
  ])();
}

/** Tests on numbers: of any lane if divergence is allowed, else such that all lanes agree. */
function numericTest(maker: Maker, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const x = (parts: number): Tree => maker.make(real, scope, share(fuel, parts));
  const shared = scope.of(real).filter((variable) => variable.shared);
  const ways: Way<Tree>[] = [
    [1, () => [random.pick(["<", "<="]), ["sin", x(1)], "1.5"]],
    [1, () => [">", ["cos", x(1)], random.pick(["2", "-1.25"])]],
    [1, () => [random.pick(["finite?", "real?"]), x(1)]],
    [1, () => [random.pick(["nan?", "infinite?"]), x(1)]],
    [shared.length > 0 ? 3 : 0, () => [random.pick(["<", ">"]), random.pick(shared).name, "0.3"]],
  ];
  if (maker.divergence) {
    ways.push(
      [6, () => [random.pick(["<", ">", "<=", ">="]), x(2), x(2)]],
      [2, () => [random.pick(["<", ">"]), x(3), x(3), x(3)]],
      [2, () => [random.pick(["positive?", "negative?"]), x(1)]],
      [1, () => ["zero?", ["floor", x(1)]]],
      [1, () => ["=", ["round", x(2)], ["round", x(2)]]],
    );
  }
  return random.weighted(ways)();
}
