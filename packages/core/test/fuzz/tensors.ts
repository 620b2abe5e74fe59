/**
 * Generated vectors and matrices of known shape, and numbers made from them.
 *
 * Matrices that are inverted, solved or factored are made diagonally dominant or A·Aᵀ + c·I, so
 * that they are well away from singular. Elements stay within the bound of a real.
 */

import { type Maker, share, times } from "./maker.js";
import type { Tree } from "./program.js";
import { int, matrixOf, real, type Scope, vectorOf } from "./scope.js";

const squashes = ["tanh", "sin", "cos", "sigmoid", "erf", "atan"];

export function makeVector(maker: Maker, length: number, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const known = scope.of(vectorOf(length));
  const wide = fuel > 2 ? 1 : 0;
  const same = (parts: number): Tree => maker.make(vectorOf(length), scope, share(fuel, parts));
  const number = (): Tree => maker.make(real, scope, share(fuel, 2));
  const items = (): Tree[] => times(length, () => maker.make(real, scope, share(fuel, length)));
  const size = random.size();
  const matrix = (r: number, c: number): Tree => maker.make(matrixOf(r, c), scope, share(fuel, 2));
  const vector = (n: number): Tree => maker.make(vectorOf(n), scope, share(fuel, 2));
  return random.weighted<() => Tree>([
    [3, () => [random.pick(["vec", "[]"]), ...items()]],
    [1, () => [random.pick(["ones", "zeros"]), String(length)]],
    [known.length > 0 ? 8 : 0, () => random.recent(known).name],
    [2 * wide, () => [random.pick(squashes), [random.pick(["+", "-", "*"]), same(2), same(2)]]],
    [2 * wide, () => [random.pick(squashes), [random.pick(["+", "-", "*"]), number(), same(2)]]],
    [wide, () => [random.pick(squashes), [random.pick(["+", "-", "*"]), same(2), number()]]],
    [wide, () => ["/", same(2), ["+", "1.5", ["square", same(2)]]]],
    [wide, () => ["/", number(), ["+", "2", ["cos", same(2)]]]],
    [wide, () => ["tanh", ["scale", number(), same(2)]]],
    [wide, () => [random.pick([...squashes, "-", "abs"]), same(1)]],
    [wide, () => [random.pick(["sqrt", "log"]), ["+", "0.6", ["square", same(1)]]]],
    [wide, () => ["tanh", ["matvec", matrix(length, size), vector(size)]]],
    [wide, () => ["ref", matrix(size, length), index(maker, scope, size)]],
    [wide, () => ["normalize", ["+", "2", ["sin", same(1)]]]],
    [length === 3 ? wide : 0, () => ["tanh", ["cross", same(2), same(2)]]],
    [wide, () => ["solve", dominant(maker, length, scope, fuel), same(2)]],
  ])();
}

export function makeMatrix(
  maker: Maker,
  rows: number,
  cols: number,
  scope: Scope,
  fuel: number,
): Tree {
  const { random } = maker;
  const known = scope.of(matrixOf(rows, cols));
  const wide = fuel > 3 ? 1 : 0;
  const same = (parts: number): Tree => maker.make(matrixOf(rows, cols), scope, share(fuel, parts));
  const number = (): Tree => maker.make(real, scope, share(fuel, 2));
  const line = (): Tree => maker.make(vectorOf(cols), scope, share(fuel, rows));
  const size = random.size();
  const other = (r: number, c: number): Tree => maker.make(matrixOf(r, c), scope, share(fuel, 2));
  const vector = (n: number): Tree => maker.make(vectorOf(n), scope, share(fuel, 2));
  const square = rows === cols ? 1 : 0;
  return random.weighted<() => Tree>([
    [3, () => ["mat", ...times(rows, line)]],
    [1, () => [random.pick(["ones", "zeros"]), String(rows), String(cols)]],
    [square, () => ["eye", String(rows)]],
    [known.length > 0 ? 8 : 0, () => random.recent(known).name],
    [2 * wide, () => [random.pick(squashes), [random.pick(["+", "-", "*"]), same(2), same(2)]]],
    [wide, () => [random.pick(squashes), [random.pick(["+", "-", "*"]), number(), same(2)]]],
    [wide, () => ["tanh", ["scale", number(), same(2)]]],
    [wide, () => [random.pick(squashes), same(1)]],
    [2 * wide, () => ["tanh", ["matmul", other(rows, size), other(size, cols)]]],
    [wide, () => ["transpose", other(cols, rows)]],
    [wide, () => ["tanh", ["outer", vector(rows), vector(cols)]]],
    [square * wide, () => ["inv", dominant(maker, rows, scope, fuel)]],
    [wide, () => ["solve", dominant(maker, rows, scope, fuel), same(2)]],
    [square * wide, () => ["cholesky", definite(maker, rows, scope, fuel)]],
  ])();
}

/** A matrix whose diagonal outweighs its rows. */
function dominant(maker: Maker, size: number, scope: Scope, fuel: number): Tree {
  const any = maker.make(matrixOf(size, size), scope, share(fuel, 2));
  return ["+", ["scale", "3.5", ["eye", String(size)]], ["tanh", any]];
}

/** A symmetric positive definite matrix. */
function definite(maker: Maker, size: number, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const name = scope.fresh(random);
  const half: Tree = ["tanh", maker.make(matrixOf(size, size), scope, share(fuel, 2))];
  const product: Tree = ["matmul", name, ["transpose", name]];
  return ["let", [[name, half]], ["+", ["eye", String(size)], product]];
}

function index(maker: Maker, scope: Scope, size: number): Tree {
  const { random } = maker;
  if (random.chance(0.5)) return String(random.below(size));
  return ["modulo", maker.make(int, scope, 1), String(size)];
}

/** A number made from vectors and matrices. */
export function makeFromTensor(maker: Maker, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const n = random.size();
  const m = random.size();
  const vector = (): Tree => maker.make(vectorOf(n), scope, share(fuel, 2));
  const matrix = (r: number, c: number): Tree => maker.make(matrixOf(r, c), scope, share(fuel, 2));
  const either = (): Tree => (random.chance(0.6) ? vector() : matrix(n, m));
  return random.weighted<() => Tree>([
    [3, () => ["ref", vector(), index(maker, scope, n)]],
    [1, () => ["ref", ["ref", matrix(n, m), index(maker, scope, n)], index(maker, scope, m)]],
    [1, () => ["ref", matrix(n, m), index(maker, scope, n), index(maker, scope, m)]],
    [3, () => ["tanh", ["dot", vector(), vector()]]],
    [2, () => ["sin", ["vsum", either()]]],
    [2, () => ["atan", ["norm", ["+", "0.5", either()]]]],
    [1, () => ["tanh", ["trace", matrix(n, n)]]],
    [1, () => ["tanh", ["*", "0.05", ["det", dominant(maker, n, scope, fuel)]]]],
    [1, () => ["logdet", dominant(maker, n, scope, fuel)]],
    [1, () => ["logdet", definite(maker, n, scope, fuel)]],
    [2, () => severalUses(maker, n, scope, fuel)],
    [2, () => severalVectorUses(maker, n, scope, fuel)],
  ])();
}

/** One matrix that several procedures read, so that its adjoint is a sum. */
function severalUses(maker: Maker, size: number, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const name = scope.fresh(random);
  const matrix = definite(maker, size, scope, share(fuel, 2));
  const inner = scope.with({ name, type: matrixOf(size, size) });
  const vector = (): Tree => maker.make(vectorOf(size), inner, share(fuel, 3));
  const use = (): Tree =>
    random.pick<() => Tree>([
      () => ["logdet", name],
      () => ["tanh", ["det", name]],
      () => ["vsum", ["cholesky", name]],
      () => ["trace", ["inv", name]],
      () => ["dot", vector(), ["solve", name, vector()]],
      () => ["dot", vector(), ["matvec", name, vector()]],
      () => ["norm", name],
      () => ["vsum", ["matmul", name, ["transpose", name]]],
      () => ["ref", name, "0", "0"],
    ])();
  return ["let", [[name, matrix]], ["sin", ["*", "0.1", ["+", use(), use(), use()]]]];
}

/** The same for a vector. */
function severalVectorUses(maker: Maker, size: number, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const name = scope.fresh(random);
  const vector = maker.make(vectorOf(size), scope, share(fuel, 2));
  const inner = scope.with({ name, type: vectorOf(size) });
  const other = (): Tree => maker.make(vectorOf(size), inner, share(fuel, 4));
  const use = (): Tree =>
    random.pick<() => Tree>([
      () => ["dot", name, other()],
      () => ["vsum", ["*", "2", ["outer", name, other()]]],
      () => ["norm", ["outer", other(), name]],
      () => ["vsum", ["square", name]],
      () => ["vsum", ["-", name, ["ref", name, "0"]]],
      () => ["norm", ["mat", name, other()]],
      () => ["vsum", ["matvec", ["outer", name, name], name]],
      () => (size === 3 ? ["vsum", ["cross", name, other()]] : ["ref", name, "0"]),
    ])();
  return ["let", [[name, vector]], ["sin", ["*", "0.1", ["+", use(), use(), use()]]]];
}
