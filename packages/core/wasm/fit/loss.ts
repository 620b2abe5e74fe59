/**
 * The loss of a fit and its slopes, over the lanes of one chunk.
 *
 * A slot's lanes are its rows. Sums over rows are in double precision and in the fixed order of
 * src/machine/results/sums.ts: row r goes to partial sum r mod 8, and the eight are added up as a
 * tree when all chunks are done. So the bits do not depend on chunks, and they are those of
 * src/fit/optimise/batch.ts.
 */

import {
  ARRAY_SLOPES,
  FIT_ABSOLUTE,
  FIT_HUBER,
  FIT_LEVENBERG,
  FIT_OBJECTIVE,
  FIT_POISSON,
  FIT_SQUARES,
} from "../../src/fit/layout";
import { isUniform, primalOf } from "../tape/payload";
import { arrayOf, isRunning, partOf, rowGroupsAt, slopesOf, sumsOf } from "./block";
import { addResiduals } from "./jacobian";
import { fitAt, partAt } from "./layout";
import { pointLoss, pointSlope } from "./point-losses";

/** Bytes of eight partial sums. */
const PARTIALS: usize = 64;

// @ts-ignore: decorator
@inline function bytesOf(reals: i32): usize {
  return <usize>reals * sizeof<real>();
}

/** Two neighbouring reals as doubles. */
// @ts-ignore: decorator
@inline function pairAt(at: usize): v128 {
  if (sizeof<real>() == 8) return v128.load(at);
  return f64x2.promote_low_f32x4(v128.load64_zero(at));
}

export function clearSums(fit: usize): void {
  const end = sumsOf(fit, fitAt(fit).slots);
  const zero = i8x16.splat(0);
  let at = sumsOf(fit, 0);
  for (; at + 64 <= end; at += 64) {
    v128.store(at, zero);
    v128.store(at, zero, 16);
    v128.store(at, zero, 32);
    v128.store(at, zero, 48);
  }
  for (; at < end; at += 16) v128.store(at, zero);
}

/** One of the eight partial sums at `at`. */
// @ts-ignore: decorator
@inline function partialOf(at: usize, index: usize): f64 {
  return load<f64>(at + index * sizeof<f64>());
}

/** The sum of two neighbours among the partial sums, the first of them `index`. */
// @ts-ignore: decorator
@inline function pairOf(at: usize, index: usize): f64 {
  return partialOf(at, index) + partialOf(at, index + 1);
}

/** The sum of eight partial sums. */
export function treeOf(at: usize): f64 {
  return pairOf(at, 0) + pairOf(at, 2) + (pairOf(at, 4) + pairOf(at, 6));
}

/**
 * The loss of a slot from its partial sums, whose place its gradient by the unlimited numbers
 * takes. Not finite where any of them is not.
 */
export function gradientOf(fit: usize, state: usize, sums: usize): f64 {
  const params = fitAt(fit).params;
  const slopes = arrayOf(state, params, ARRAY_SLOPES);
  const isSum = fitAt(fit).loss != FIT_OBJECTIVE;
  const loss = isSum ? treeOf(sums) : load<f64>(sums);
  let isGood = true;
  for (let j = 0; j < params; j++) {
    const own = sums + <usize>(j + 1) * PARTIALS;
    const at = (<usize>j) << 3;
    const slope = (isSum ? treeOf(own) : load<f64>(own)) * load<f64>(slopes + at);
    store<f64>(sums + at, slope);
    if (!isFinite<f64>(slope)) isGood = false;
  }
  return isGood ? loss : NaN;
}

/** Adds up what the lanes of a chunk say, whose first is lane `row` of a slot. */
export function addChunk(fit: usize, slot: i32, row: i32, count: i32): void {
  const slotLanes = fitAt(fit).slotLanes;
  for (let place = 0; place < count; slot++) {
    const rows = min(slotLanes - row, count - place);
    addRowsOf(fit, slot, row, rows, place);
    place += rows;
    row = 0;
  }
}

/** Adds the lanes at `place` of the chunk, which are rows of one slot. */
export function addRowsOf(fit: usize, slot: i32, row: i32, rows: i32, place: i32): void {
  if (!isRunning(fit, slot)) return;
  const result = fitAt(fit).result;
  const params = fitAt(fit).params;
  const sums = sumsOf(fit, slot);
  const lane = bytesOf(place);
  const given = fitAt(fit).givenAt;
  const isShared = given == 0 && isUniform(result);
  const value = (given == 0 ? primalOf(result) : fit + given) + (isShared ? 0 : lane);
  if (fitAt(fit).loss == FIT_OBJECTIVE) {
    store<f64>(sums, <f64>load<real>(value));
    for (let j = 0; j < params; j++)
      store<f64>(sums + <usize>(j + 1) * PARTIALS, <f64>load<real>(slopesOf(fit, j) + lane));
    return;
  }
  // A number that is the same in all rows is written out for as many as there are.
  const isRepeated = fitAt(fit).isRepeated != 0;
  const all = isRepeated ? fitAt(fit).points : rows;
  if (fitAt(fit).optimiser == FIT_LEVENBERG) {
    const step: usize = isRepeated ? 0 : sizeof<real>();
    addResiduals(fit, slot, row, all, value, isShared ? 0 : step, lane, step, sums);
    return;
  }
  addLosses(fit, sums, isRepeated || isShared ? repeated(fit, value, all) : value, row, all);
  for (let j = 0; j < params; j++) {
    const own = slopesOf(fit, j) + lane;
    const derivatives = isRepeated ? repeated(fit, own, all) : own;
    const into = sums + <usize>(j + 1) * PARTIALS;
    const group = partAt(partOf(fit, j)).group;
    if (group < 0) addSlopes(fit, into, derivatives, row, all);
    else addGroupSlopes(fit, group, into, derivatives, row, all);
  }
}

function repeated(fit: usize, from: usize, count: i32): usize {
  const to = fit + fitAt(fit).repeatedAt;
  const number = load<real>(from);
  for (let i = 0; i < count; i++) store<real>(to + bytesOf(i), number);
  return to;
}

/** Losses of rows into the partial sums at `sums`; their slopes by the prediction are kept. */
function addLosses(fit: usize, sums: usize, values: usize, row: i32, rows: i32): void {
  if (fitAt(fit).loss >= FIT_POISSON) {
    addOneByOne(fit, sums, values, row, rows);
    return;
  }
  const isPlain = fitAt(fit).loss == FIT_SQUARES && fitAt(fit).rootsAt == 0;
  const plain = isPlain && (row & 7) == 0 ? rows & ~1 : 0;
  if (plain > 0) addSquares(fit, sums, values, row, plain);
  if (plain < rows) addOthers(fit, sums, values, row, plain, rows);
}

/** As `addLosses` for likelihoods and programs. */
function addOneByOne(fit: usize, sums: usize, values: usize, row: i32, rows: i32): void {
  const rootsAt = fitAt(fit).rootsAt;
  const slopes = fit + fitAt(fit).slopesAt;
  for (let i = 0; i < rows; i++) {
    const into = sums + ((<usize>((row + i) & 7)) << 3);
    const root = rootsAt == 0 ? 1 : load<f64>(fit + rootsAt + ((<usize>(row + i)) << 3));
    let slope: f64 = 0;
    // A row that does not count may be no number.
    if (root != 0) {
      const value = <f64>load<real>(values + bytesOf(i));
      store<f64>(into, load<f64>(into) + root * root * pointLoss(fit, row + i, value));
      slope = root * root * pointSlope(fit, row + i, value);
    }
    store<f64>(slopes + ((<usize>i) << 3), slope);
  }
}

/** As `addLosses` for an even number of rows and least squares without weights. */
function addSquares(fit: usize, sums: usize, values: usize, row: i32, rows: i32): void {
  let target = fit + fitAt(fit).targetAt + ((<usize>row) << 3);
  let slopes = fit + fitAt(fit).slopesAt;
  let sum0 = v128.load(sums);
  let sum1 = v128.load(sums, 16);
  let sum2 = v128.load(sums, 32);
  let sum3 = v128.load(sums, 48);
  let left = rows;
  for (; left >= 8; left -= 8) {
    sum0 = f64x2.add(sum0, squaresOf(values, target, slopes));
    sum1 = f64x2.add(sum1, squaresOf(values + bytesOf(2), target + 16, slopes + 16));
    sum2 = f64x2.add(sum2, squaresOf(values + bytesOf(4), target + 32, slopes + 32));
    sum3 = f64x2.add(sum3, squaresOf(values + bytesOf(6), target + 48, slopes + 48));
    values += bytesOf(8);
    target += 64;
    slopes += 64;
  }
  if (left >= 2) sum0 = f64x2.add(sum0, squaresOf(values, target, slopes));
  if (left >= 4) sum1 = f64x2.add(sum1, squaresOf(values + bytesOf(2), target + 16, slopes + 16));
  if (left >= 6) sum2 = f64x2.add(sum2, squaresOf(values + bytesOf(4), target + 32, slopes + 32));
  v128.store(sums, sum0);
  v128.store(sums, sum1, 16);
  v128.store(sums, sum2, 32);
  v128.store(sums, sum3, 48);
}

/** The squares of two rows; their slopes are kept. */
// @ts-ignore: decorator
@inline function squaresOf(values: usize, target: usize, slopes: usize): v128 {
  const off = f64x2.sub(pairAt(values), v128.load(target));
  v128.store(slopes, f64x2.add(off, off));
  return f64x2.mul(off, off);
}

/** Losses of the rows from `first` on, of any kind, two at once. */
function addOthers(fit: usize, sums: usize, values: usize, row: i32, first: i32, rows: i32): void {
  const kind = fitAt(fit).loss;
  const width = f64x2.splat(fitAt(fit).lossWidth);
  const rootsAt = fitAt(fit).rootsAt;
  const target = fit + fitAt(fit).targetAt + ((<usize>row) << 3);
  const roots = fit + rootsAt + ((<usize>row) << 3);
  const slopes = fit + fitAt(fit).slopesAt;
  for (let i = first; i < rows; ) {
    const at = (<usize>i) << 3;
    const into = sums + ((<usize>((row + i) & 7)) << 3);
    // Two rows at once where both partial sums lie in one vector.
    const isPair = ((row + i) & 1) == 0 && i + 1 < rows;
    const off = f64x2.sub(twoReals(values + bytesOf(i), isPair), twoDoubles(target + at, isPair));
    let loss = lossOf(kind, off, width);
    let slope = slopeOf(kind, off, width);
    if (rootsAt != 0) {
      const root = twoDoubles(roots + at, isPair);
      const weight = f64x2.mul(root, root);
      const counts = f64x2.ne(root, f64x2.splat(0));
      loss = v128.and(f64x2.mul(weight, loss), counts);
      slope = v128.and(f64x2.mul(weight, slope), counts);
    }
    addTwo(into, loss, isPair);
    if (isPair) v128.store(slopes + at, slope);
    else store<f64>(slopes + at, f64x2.extract_lane(slope, 0));
    i += isPair ? 2 : 1;
  }
}

// @ts-ignore: decorator
@inline function twoReals(at: usize, isPair: bool): v128 {
  return isPair ? pairAt(at) : f64x2.splat(<f64>load<real>(at));
}

// @ts-ignore: decorator
@inline function twoDoubles(at: usize, isPair: bool): v128 {
  return isPair ? v128.load(at) : v128.load64_zero(at);
}

// @ts-ignore: decorator
@inline function addTwo(into: usize, numbers: v128, isPair: bool): void {
  if (isPair) v128.store(into, f64x2.add(v128.load(into), numbers));
  else store<f64>(into, load<f64>(into) + f64x2.extract_lane(numbers, 0));
}

// @ts-ignore: decorator
@inline function lossOf(kind: i32, off: v128, width: v128): v128 {
  const square = f64x2.mul(off, off);
  if (kind != FIT_ABSOLUTE && kind != FIT_HUBER) return square;
  const size = f64x2.abs(off);
  if (kind == FIT_ABSOLUTE) return size;
  const two = f64x2.splat(2);
  const line = f64x2.sub(f64x2.mul(width, size), f64x2.div(f64x2.mul(width, width), two));
  return v128.bitselect(f64x2.div(square, two), line, f64x2.le(size, width));
}

// @ts-ignore: decorator
@inline function slopeOf(kind: i32, off: v128, width: v128): v128 {
  if (kind == FIT_HUBER) return f64x2.min(f64x2.max(off, f64x2.neg(width)), width);
  if (kind != FIT_ABSOLUTE) return f64x2.mul(f64x2.splat(2), off);
  // The sign; zero and NaN stay what they are.
  const one = v128.or(f64x2.splat(1), v128.and(off, f64x2.splat(-0.0)));
  const isSigned = f64x2.ne(f64x2.abs(off), f64x2.splat(0));
  const isNumber = f64x2.eq(off, off);
  return v128.bitselect(one, off, v128.and(isSigned, isNumber));
}

/**
 * Slopes of rows times derivatives into the partial sums at `sums`. A row whose slope is zero does
 * not count, not even where its derivative is not finite: only then does that make a difference.
 */
function addSlopes(fit: usize, sums: usize, derivatives: usize, row: i32, rows: i32): void {
  const slopes = fit + fitAt(fit).slopesAt;
  let done = 0;
  for (; done < rows && ((row + done) & 7) != 0; done++)
    addSlope(sums, slopes, derivatives, row, done);
  const paired = done + ((rows - done) & ~1);
  const from = slopes + ((<usize>done) << 3);
  const own = derivatives + bytesOf(done);
  if (!addProducts(sums, from, own, paired - done)) addCounted(sums, from, own, paired - done);
  if (paired < rows) addSlope(sums, slopes, derivatives, row, paired);
}

/**
 * Adds the products of an even number of rows, from row 0 of eight on; false and nothing if NaN.
 */
function addProducts(sums: usize, slopes: usize, derivatives: usize, rows: i32): bool {
  let sum0 = v128.load(sums);
  let sum1 = v128.load(sums, 16);
  let sum2 = v128.load(sums, 32);
  let sum3 = v128.load(sums, 48);
  let left = rows;
  for (; left >= 8; left -= 8) {
    sum0 = f64x2.add(sum0, productOf(slopes, derivatives));
    sum1 = f64x2.add(sum1, productOf(slopes + 16, derivatives + bytesOf(2)));
    sum2 = f64x2.add(sum2, productOf(slopes + 32, derivatives + bytesOf(4)));
    sum3 = f64x2.add(sum3, productOf(slopes + 48, derivatives + bytesOf(6)));
    derivatives += bytesOf(8);
    slopes += 64;
  }
  if (left >= 2) sum0 = f64x2.add(sum0, productOf(slopes, derivatives));
  if (left >= 4) sum1 = f64x2.add(sum1, productOf(slopes + 16, derivatives + bytesOf(2)));
  if (left >= 6) sum2 = f64x2.add(sum2, productOf(slopes + 32, derivatives + bytesOf(4)));
  const all = f64x2.add(f64x2.add(sum0, sum1), f64x2.add(sum2, sum3));
  if (!i64x2.all_true(f64x2.eq(all, all))) return false;
  v128.store(sums, sum0);
  v128.store(sums, sum1, 16);
  v128.store(sums, sum2, 32);
  v128.store(sums, sum3, 48);
  return true;
}

// @ts-ignore: decorator
@inline function productOf(slopes: usize, derivatives: usize): v128 {
  return f64x2.mul(v128.load(slopes), pairAt(derivatives));
}

/** As `addProducts`, without the rows that do not count. */
function addCounted(sums: usize, slopes: usize, derivatives: usize, rows: i32): void {
  for (let i = 0; i < rows; i += 2) {
    const slope = v128.load(slopes + ((<usize>i) << 3));
    const product = f64x2.mul(slope, pairAt(derivatives + bytesOf(i)));
    const into = sums + ((<usize>(i & 7)) << 3);
    const counted = v128.and(product, f64x2.ne(slope, f64x2.splat(0)));
    v128.store(into, f64x2.add(v128.load(into), counted));
  }
}

/** As `addSlopes`, of the rows of one group. */
function addGroupSlopes(
  fit: usize,
  group: i32,
  sums: usize,
  derivatives: usize,
  row: i32,
  rows: i32,
): void {
  const slopes = fit + fitAt(fit).slopesAt;
  for (let i = 0; i < rows; i++)
    if (load<i32>(rowGroupsAt(fit, row + i)) == group) addSlope(sums, slopes, derivatives, row, i);
}

/** Adds the product of row `row + i` of the slot, which is row i of those at hand. */
function addSlope(sums: usize, slopes: usize, derivatives: usize, row: i32, i: i32): void {
  const slope = load<f64>(slopes + ((<usize>i) << 3));
  const into = sums + ((<usize>((row + i) & 7)) << 3);
  const derivative = <f64>load<real>(derivatives + bytesOf(i));
  if (slope != 0) store<f64>(into, load<f64>(into) + slope * derivative);
}
