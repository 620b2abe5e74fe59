/**
 * Generated questions whether two things are the same: by eq?, eqv?, equal? and the searches of lists
 * that ask it, for things of every kind, which come there by every way that a value can go. Vectors and
 * matrices are the same by their elements, pairs and procedures as objects, however a program runs.
 */

import { makeLambda } from "./forms.js";
import { type Maker, share, times, type Way } from "./maker.js";
import type { Tree } from "./program.js";
import { bool, matrixOf, real, type Scope, vectorOf } from "./scope.js";

/** Things of one kind, each made anew where it stands. */
type Kind = () => Tree;

/** Whether two things are the same, as a test. */
export function makeSameness(maker: Maker, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const kinds = kindsOf(maker, scope, share(fuel, 3));
  const kind = random.pick(kinds);
  const names = scope.freshNames(random, 3).map((name) => `t${name}`);
  const values = [kind(), kind(), random.chance(0.3) ? random.pick(kinds)() : kind()];
  const thing = (): Tree => (random.chance(0.8) ? random.pick(names) : kind());
  const one = arriving(maker, scope, thing);
  const other = random.chance(0.6) ? random.pick(names) : arriving(maker, scope, thing);
  const question = asked(maker, one, other, thing);
  const bindings: Tree = names.map((name, i): Tree => [name, values[i] as Tree]);
  return ["let*", bindings, ["if", question, "#t", "#f"]];
}

function kindsOf(maker: Maker, scope: Scope, fuel: number): Kind[] {
  const { random } = maker;
  const size = random.pick([1, 2, 2, 3, 9]);
  const known = scope.where(({ kind }) => kind === "vector" || kind === "matrix");
  const vector: Kind = () =>
    random.pick<Kind>([
      () => maker.make(vectorOf(size), scope, fuel),
      () => ["[]", ...times(size, () => random.pick(["0", "1", "1"]))],
      () => ["zeros", String(size)],
    ])();
  const matrix: Kind = () =>
    random.pick<Kind>([
      () => ["eye", String(size)],
      () => maker.make(matrixOf(size, size), scope, fuel),
      () => ["matmul", ["eye", String(size)], ["eye", String(size)]],
    ])();
  const number: Kind = () =>
    random.pick<Kind>([
      () => maker.make(real, scope, fuel),
      () => random.pick(["0", "1", "-0.0"]),
    ])();
  const list: Kind = () =>
    random.pick<Kind>([
      () => ["list", number()],
      () => ["list", vector(), ["quote", "a"]],
      () => ["quote", random.pick<Tree>([[], ["1"], ["a", ["1"]]])],
    ])();
  const procedure: Kind = () =>
    random.pick<Kind>([
      () => makeLambda(maker, [real], real, scope, share(fuel, 2)),
      () => random.pick(["car", "sin", "list"]),
    ])();
  const symbol: Kind = () => ["quote", random.pick(["a", "b"])];
  const truth: Kind = () => maker.make(bool, scope, share(fuel, 2));
  const input: Kind = () => random.pick(known).name;
  const tensors = [vector, vector, matrix, matrix, ...(known.length > 0 ? [input, input] : [])];
  return [...tensors, number, list, procedure, symbol, truth];
}

/** A thing, or one of two, after it went through calls, loops, lists and branches. */
function arriving(maker: Maker, scope: Scope, thing: Kind): Tree {
  const { random } = maker;
  // With a prefix, so that they hide nothing the things see.
  const [x, k] = scope.freshNames(random, 2).map((name) => `u${name}`) as [string, string];
  const test = (): Tree => maker.make(bool, scope, 2);
  const ways: Way<Tree>[] = [
    [2, thing],
    [3, () => ["if", test(), thing(), thing()]],
    [2, () => [["lambda", [x], x], thing()]],
    [1, () => ["car", ["list", thing(), thing()]]],
    [1, () => ["list-ref", ["list", thing(), thing()], ["if", test(), "0", "1"]]],
    [1, () => ["let", [[x, ["if", test(), thing(), thing()]]], x]],
    [1, () => ["fold-left", ["lambda", [k, x], x], thing(), ["list", thing()]]],
    [1, () => ["apply", ["lambda", [x, ".", k], x], ["list", thing(), thing()]]],
    [1, () => ["car", ["map", ["lambda", [x], x], ["list", thing()]]]],
    [1, () => [["lambda", [x], ["cond", [test(), x], ["else", thing()]]], thing()]],
    [2, () => turning(x, k, thing(), thing(), random.pick(["0", "1", "5"]))],
  ];
  return random.weighted(ways)();
}

/** A loop of two turns that starts with a thing and may go on with another one. */
function turning(x: string, k: string, from: Tree, to: Tree, at: string): Tree {
  const bindings: Tree = [
    [k, "0"],
    [x, from],
  ];
  const next: Tree = ["recur", ["+", k, "1"], ["if", ["=", k, at], to, x]];
  return ["loop", bindings, ["if", ["=", k, "2"], x, next]];
}

function asked(maker: Maker, one: Tree, other: Tree, thing: Kind): Tree {
  const { random } = maker;
  const searched = (): Tree => ["list", ...times(random.between(0, 2), thing), other];
  const entries = (): Tree => ["list", ["cons", thing(), "1"], ["cons", other, "2"]];
  return random.weighted<() => Tree>([
    [6, () => [random.pick(["eq?", "eqv?", "equal?"]), one, other]],
    [3, () => [random.pick(["memq", "memv", "member"]), one, searched()]],
    [3, () => [random.pick(["assq", "assv", "assoc"]), one, entries()]],
    [1, () => ["=", "1", ["length", [random.pick(["memv", "member"]), other, ["list", other]]]]],
    [1, () => ["equal?", ["list", one, ["quote", "a"]], ["list", other, ["quote", "a"]]]],
  ])();
}
