/**
 * Gaussian elimination with partial pivoting, for one vector of lanes at a time.
 *
 * The work area holds an augmented matrix [A | B] of n rows and `width` columns, one v128 per
 * entry:
 *
 *   byte  0                16             32
 *         | singular lanes | flipped sign | entry [0,0] | entry [0,1] | … row by row
 *
 * and, for a matrix beyond 3 × 3, after the entries the n × n sizes: how much 1/ε of rounding has
 * come into each entry of A, taking the largest share for the whole. An entry of at most 2 n ε
 * times its size is nothing but rounding. The measure is each entry's own, so neither small rows
 * nor small columns pass for 0.
 *
 * Every lane pivots on its own: rows are exchanged under a lane mask, so that a lane's bits do not
 * depend on its neighbours. A lane is singular when a column has no pivot: all that is left is 0
 * or, beyond 3 × 3, rounding. Its factors are then taken as 0, so that a NaN elsewhere in the lane
 * is still seen.
 */
import { smallShapes } from "../memory/switches";
import { abs, add, div, isZero, larger, mul, one, sub, zero } from "./simd";

/** Up to this size only an exact 0 is no pivot: closed forms decide there what is singular. */
const EXACT_MAX: usize = 3;

/** Distance from 1 to the next number. */
// @ts-ignore: decorator
@inline function epsilon(): f64 {
  return sizeof<real>() == 4 ? 1.1920928955078125e-7 : 2.220446049250313e-16;
}

const WORK_SINGULAR: usize = 0;
const WORK_SIGN: usize = 16;
const WORK_ENTRIES: usize = 32;

/** Bytes of the work area of an augmented matrix. */
export function workBytes(n: usize, width: usize): usize {
  return WORK_ENTRIES + n * width * 16 + (n > EXACT_MAX ? n * n * 16 : 0);
}

// @ts-ignore: decorator
@inline function sizeAt(work: usize, n: usize, width: usize, row: usize, col: usize): usize {
  return work + WORK_ENTRIES + (n * width + row * n + col) * 16;
}

// @ts-ignore: decorator
@inline export function entryAt(work: usize, width: usize, row: usize, col: usize): usize {
  return work + WORK_ENTRIES + (row * width + col) * 16;
}

/** All bits set in the lanes whose matrix turned out singular. */
// @ts-ignore: decorator
@inline export function singularLanes(work: usize): v128 {
  return v128.load(work, WORK_SINGULAR);
}

/** Copies a strided block of `rows` × `cols` into the columns from `col` on. */
export function loadColumns(
  work: usize,
  width: usize,
  col: usize,
  from: usize,
  fromRow: usize,
  fromCol: usize,
  rows: usize,
  cols: usize,
): void {
  for (let i: usize = 0; i < rows; i++) {
    for (let j: usize = 0; j < cols; j++) {
      v128.store(entryAt(work, width, i, col + j), v128.load(from + i * fromRow + j * fromCol));
    }
  }
}

/** Sets the columns from `col` on to the identity of size n. */
export function loadIdentity(work: usize, width: usize, col: usize, n: usize): void {
  for (let i: usize = 0; i < n; i++) {
    for (let j: usize = 0; j < n; j++) {
      v128.store(entryAt(work, width, i, col + j), i == j ? one() : zero());
    }
  }
}

/** Exchanges `count` entries that lie side by side, in the lanes of `mask`. */
function exchange(upperAt: usize, lowerAt: usize, count: usize, mask: v128): void {
  for (let i: usize = 0; i < count; i++) {
    const above = v128.load(upperAt);
    const below = v128.load(lowerAt);
    v128.store(upperAt, v128.bitselect(below, above, mask));
    v128.store(lowerAt, v128.bitselect(above, below, mask));
    upperAt += 16;
    lowerAt += 16;
  }
}

/** Exchanges two rows from column `from` on, in the lanes of `mask`, and sizes if there are any. */
function exchangeRows(
  work: usize,
  n: usize,
  width: usize,
  upper: usize,
  lower: usize,
  from: usize,
  mask: v128,
  hasSizes: bool,
): void {
  const upperAt = entryAt(work, width, upper, from);
  exchange(upperAt, entryAt(work, width, lower, from), width - from, mask);
  if (hasSizes) {
    const sizes = sizeAt(work, n, width, upper, from);
    exchange(sizes, sizeAt(work, n, width, lower, from), n - from, mask);
  }
  const flip = v128.and(mask, v128.splat<real>(-0.0));
  v128.store(work, v128.xor(v128.load(work, WORK_SIGN), flip), WORK_SIGN);
}

/** Brings the entry of largest magnitude of column k, or a NaN, to row k; the first on a tie. */
function pivot(work: usize, n: usize, width: usize, k: usize, hasSizes: bool): void {
  for (let row = k + 1; row < n; row++) {
    const best = v128.load(entryAt(work, width, k, k));
    const other = v128.load(entryAt(work, width, row, k));
    const better = v128.or(v128.gt<real>(abs(other), abs(best)), v128.ne<real>(other, other));
    if (v128.any_true(better)) exchangeRows(work, n, width, k, row, k, better, hasSizes);
  }
}

/** The size of every entry before elimination: its magnitude. */
function beginSizes(work: usize, n: usize, width: usize): void {
  for (let row: usize = 0; row < n; row++) {
    for (let col: usize = 0; col < n; col++) {
      const entry = v128.load(entryAt(work, width, row, col));
      v128.store(sizeAt(work, n, width, row, col), abs(entry));
    }
  }
}

/** The lanes in which an entry is not 0 and nothing but rounding. */
function roundingLanes(work: usize, n: usize, width: usize, row: usize, col: usize): v128 {
  const slack = v128.splat<real>(<real>(2.0 * <f64>n * epsilon()));
  const most = mul(slack, v128.load(sizeAt(work, n, width, row, col)));
  const entry = v128.load(entryAt(work, width, row, col));
  return v128.andnot(v128.le<real>(abs(entry), most), isZero(entry));
}

/**
 * Where the pivot of column k is rounding, so may others be: those become 0, and it is sought anew.
 */
function pivotAgain(work: usize, n: usize, width: usize, k: usize): void {
  const doubtful = roundingLanes(work, n, width, k, k);
  if (!v128.any_true(doubtful)) return;
  for (let row = k; row < n; row++) {
    const at = entryAt(work, width, row, k);
    const lost = v128.and(doubtful, roundingLanes(work, n, width, row, k));
    v128.store(at, v128.andnot(v128.load(at), lost));
  }
  pivot(work, n, width, k, true);
}

/** What subtracting row k, times `factor`, brings into the entries of row `row`. */
function growSizes(
  work: usize,
  n: usize,
  width: usize,
  row: usize,
  k: usize,
  factor: v128,
  divisor: v128,
): void {
  const times = abs(factor);
  const ofHead = mul(times, v128.load(sizeAt(work, n, width, k, k)));
  const ofEntry = v128.load(sizeAt(work, n, width, row, k));
  const ofFactor = div(v128.max<real>(ofEntry, ofHead), abs(divisor));
  for (let col = k + 1; col < n; col++) {
    const at = sizeAt(work, n, width, row, col);
    const byRow = mul(times, v128.load(sizeAt(work, n, width, k, col)));
    const byFactor = mul(ofFactor, abs(v128.load(entryAt(work, width, k, col))));
    v128.store(at, v128.max<real>(v128.load(at), v128.max<real>(byRow, byFactor)));
  }
}

/** Twice what roundingLanes takes, so that rounding in `mostAt` does no harm. */
// @ts-ignore: decorator
@inline function slackOf(n: usize): v128 {
  return v128.splat<real>(<real>(4.0 * <f64>n * epsilon()));
}

/**
 * The largest magnitude among `count` entries that lie side by side, NaN left out: one anywhere in
 * A comes to be a pivot, and ends the attempt then.
 */
// @ts-ignore: decorator
@inline function mostAt(at: usize, count: usize): v128 {
  let most = zero();
  for (let i: usize = 0; i < count; i++) {
    most = larger(most, abs(v128.load(at)));
    at += 16;
  }
  return most;
}

/** An upper bound of all sizes before elimination. */
function mostOf(work: usize, n: usize, width: usize): v128 {
  let most = zero();
  for (let row: usize = 0; row < n; row++) {
    most = larger(most, mostAt(entryAt(work, width, row, 0), n));
  }
  return most;
}

/** The lanes whose pivot is 0, and the divisor of the others; notes the lanes as singular. */
// @ts-ignore: decorator
@inline function divisorOf(work: usize, head: v128): v128 {
  const lost = isZero(head);
  v128.store(work, v128.or(singularLanes(work), lost), WORK_SINGULAR);
  return v128.bitselect(one(), head, lost);
}

/** Subtracts row k, times `factor`, from the row that begins at `to`, from column k + 1 on. */
// @ts-ignore: decorator
@inline function subtractRow(from: usize, to: usize, factor: v128, count: usize): void {
  for (; count >= 4; count -= 4) {
    v128.store(to, sub(v128.load(to), mul(factor, v128.load(from))));
    v128.store(to, sub(v128.load(to, 16), mul(factor, v128.load(from, 16))), 16);
    v128.store(to, sub(v128.load(to, 32), mul(factor, v128.load(from, 32))), 32);
    v128.store(to, sub(v128.load(to, 48), mul(factor, v128.load(from, 48))), 48);
    from += 64;
    to += 64;
  }
  for (; count > 0; count--) {
    v128.store(to, sub(v128.load(to), mul(factor, v128.load(from))));
    from += 16;
    to += 16;
  }
}

/**
 * Turns A into its upper triangular factor and applies the same steps to B. Beyond 3 × 3 the first
 * attempt does not measure sizes but one bound of all of them: a step multiplies it by the largest
 * |entry| of the pivot's row over |pivot|, or by 1. Where a pivot is not far above rounding even
 * so, the result is false: load A and B again, and eliminate with `isMeasured`. Both ways give the
 * same bits.
 */
export function eliminate(work: usize, n: usize, width: usize, isMeasured: bool): bool {
  v128.store(work, zero(), WORK_SINGULAR);
  v128.store(work, zero(), WORK_SIGN);
  if (n > EXACT_MAX) {
    if (!isMeasured && smallShapes) return eliminateBounded(work, n, width);
    beginSizes(work, n, width);
  }
  for (let k: usize = 0; k < n; k++) {
    pivot(work, n, width, k, n > EXACT_MAX);
    if (n > EXACT_MAX) pivotAgain(work, n, width, k);
    const divisor = divisorOf(work, v128.load(entryAt(work, width, k, k)));
    const from = entryAt(work, width, k, k + 1);
    for (let row = k + 1; row < n; row++) {
      const at = entryAt(work, width, row, k);
      const factor = div(v128.load(at), divisor);
      if (n > EXACT_MAX) growSizes(work, n, width, row, k, factor, divisor);
      subtractRow(from, at + 16, factor, width - k - 1);
    }
  }
  return true;
}

function eliminateBounded(work: usize, n: usize, width: usize): bool {
  const slack = slackOf(n);
  let most = mostOf(work, n, width);
  for (let k: usize = 0; k < n; k++) {
    pivot(work, n, width, k, false);
    const head = v128.load(entryAt(work, width, k, k));
    const size = abs(head);
    if (v128.any_true(v128.not(v128.gt<real>(size, mul(slack, most))))) return false;
    const from = entryAt(work, width, k, k + 1);
    most = larger(most, mul(most, div(mostAt(from, n - k - 1), size)));
    let at = entryAt(work, width, k + 1, k);
    for (let row = k + 1; row < n; row++) {
      subtractRow(from, at + 16, div(v128.load(at), head), width - k - 1);
      at += width * 16;
    }
  }
  return true;
}

/** After `eliminate`: the determinant, +0 in singular lanes. */
export function pivotProduct(work: usize, n: usize, width: usize): v128 {
  let product = one();
  for (let k: usize = 0; k < n; k++) product = mul(product, v128.load(entryAt(work, width, k, k)));
  return add(v128.xor(product, v128.load(work, WORK_SIGN)), zero());
}

/** After `eliminate`: out = A⁻¹ B, with NaN in singular lanes; B is overwritten. */
export function backSubstitute(
  work: usize,
  n: usize,
  width: usize,
  out: usize,
  outRow: usize,
  outCol: usize,
): void {
  let col = n;
  for (; col + 4 <= width; col += 4) substituteFour(work, n, width, col, out, outRow, outCol);
  for (; col < width; col++) substituteOne(work, n, width, col, out, outRow, outCol);
}

function substituteOne(
  work: usize,
  n: usize,
  width: usize,
  col: usize,
  out: usize,
  outRow: usize,
  outCol: usize,
): void {
  const singular = singularLanes(work);
  for (let i = n; i > 0; i--) {
    const row = i - 1;
    const target = entryAt(work, width, row, col);
    let sum = v128.load(target);
    let left = entryAt(work, width, row, i);
    let known = target + width * 16;
    for (let j = i; j < n; j++) {
      sum = sub(sum, mul(v128.load(left), v128.load(known)));
      left += 16;
      known += width * 16;
    }
    const solved = div(sum, v128.load(entryAt(work, width, row, row)));
    v128.store(target, solved);
    v128.store(out + row * outRow + (col - n) * outCol, v128.or(solved, singular));
  }
}

/** The same for four columns side by side, whose sums do not wait for each other. */
function substituteFour(
  work: usize,
  n: usize,
  width: usize,
  col: usize,
  out: usize,
  outRow: usize,
  outCol: usize,
): void {
  const singular = singularLanes(work);
  for (let i = n; i > 0; i--) {
    const row = i - 1;
    const target = entryAt(work, width, row, col);
    let sum0 = v128.load(target);
    let sum1 = v128.load(target, 16);
    let sum2 = v128.load(target, 32);
    let sum3 = v128.load(target, 48);
    let left = entryAt(work, width, row, i);
    let known = target + width * 16;
    for (let j = i; j < n; j++) {
      const times = v128.load(left);
      sum0 = sub(sum0, mul(times, v128.load(known)));
      sum1 = sub(sum1, mul(times, v128.load(known, 16)));
      sum2 = sub(sum2, mul(times, v128.load(known, 32)));
      sum3 = sub(sum3, mul(times, v128.load(known, 48)));
      left += 16;
      known += width * 16;
    }
    const head = v128.load(entryAt(work, width, row, row));
    sum0 = div(sum0, head);
    sum1 = div(sum1, head);
    sum2 = div(sum2, head);
    sum3 = div(sum3, head);
    v128.store(target, sum0);
    v128.store(target, sum1, 16);
    v128.store(target, sum2, 32);
    v128.store(target, sum3, 48);
    const to = out + row * outRow + (col - n) * outCol;
    v128.store(to, v128.or(sum0, singular));
    v128.store(to + outCol, v128.or(sum1, singular));
    v128.store(to + 2 * outCol, v128.or(sum2, singular));
    v128.store(to + 3 * outCol, v128.or(sum3, singular));
  }
}
