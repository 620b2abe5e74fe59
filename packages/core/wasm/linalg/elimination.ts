/**
 * Gaussian elimination with partial pivoting, for one vector of lanes at a time.
 *
 * The work area holds an augmented matrix [A | B] of n rows and `width` columns, one v128 per
 * entry:
 *
 *   byte  0                16             32
 *         | singular lanes | flipped sign | entry [0,0] | entry [0,1] | … row by row
 *
 * Every lane pivots on its own: rows are exchanged under a lane mask, so that a lane's bits do not
 * depend on its neighbours. A lane is singular when one of its pivots is exactly 0; its factors are
 * then taken as 0, so that a NaN elsewhere in the lane is still seen.
 */
import { abs, add, div, isZero, mul, one, sub, zero } from "./simd";

const WORK_SINGULAR: usize = 0;
const WORK_SIGN: usize = 16;
const WORK_ENTRIES: usize = 32;

/** Bytes of the work area of an augmented matrix. */
export function workBytes(n: usize, width: usize): usize {
  return WORK_ENTRIES + n * width * 16;
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
  work: usize, width: usize, col: usize,
  from: usize, fromRow: usize, fromCol: usize, rows: usize, cols: usize,
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

/** Exchanges two rows from column `from` on, in the lanes of `mask`. */
function exchangeRows(
  work: usize, width: usize, upper: usize, lower: usize, from: usize, mask: v128,
): void {
  let upperAt = entryAt(work, width, upper, from);
  let lowerAt = entryAt(work, width, lower, from);
  for (let col = from; col < width; col++) {
    const above = v128.load(upperAt);
    const below = v128.load(lowerAt);
    v128.store(upperAt, v128.bitselect(below, above, mask));
    v128.store(lowerAt, v128.bitselect(above, below, mask));
    upperAt += 16;
    lowerAt += 16;
  }
  const flip = v128.and(mask, v128.splat<real>(-0.0));
  v128.store(work, v128.xor(v128.load(work, WORK_SIGN), flip), WORK_SIGN);
}

/** Brings the entry of largest magnitude of column k, or a NaN, to row k; the first on a tie. */
function pivot(work: usize, n: usize, width: usize, k: usize): void {
  for (let row = k + 1; row < n; row++) {
    const best = v128.load(entryAt(work, width, k, k));
    const other = v128.load(entryAt(work, width, row, k));
    const better = v128.or(v128.gt<real>(abs(other), abs(best)), v128.ne<real>(other, other));
    if (v128.any_true(better)) exchangeRows(work, width, k, row, k, better);
  }
}

/** Turns A into its upper triangular factor and applies the same steps to B. */
export function eliminate(work: usize, n: usize, width: usize): void {
  v128.store(work, zero(), WORK_SINGULAR);
  v128.store(work, zero(), WORK_SIGN);
  for (let k: usize = 0; k < n; k++) {
    pivot(work, n, width, k);
    const head = v128.load(entryAt(work, width, k, k));
    const lost = isZero(head);
    v128.store(work, v128.or(singularLanes(work), lost), WORK_SINGULAR);
    const divisor = v128.bitselect(one(), head, lost);
    for (let row = k + 1; row < n; row++) {
      const factor = div(v128.load(entryAt(work, width, row, k)), divisor);
      let from = entryAt(work, width, k, k + 1);
      let to = entryAt(work, width, row, k + 1);
      for (let col = k + 1; col < width; col++) {
        v128.store(to, sub(v128.load(to), mul(factor, v128.load(from))));
        from += 16;
        to += 16;
      }
    }
  }
}

/** After `eliminate`: the determinant, +0 in singular lanes. */
export function pivotProduct(work: usize, n: usize, width: usize): v128 {
  let product = one();
  for (let k: usize = 0; k < n; k++) product = mul(product, v128.load(entryAt(work, width, k, k)));
  return add(v128.xor(product, v128.load(work, WORK_SIGN)), zero());
}

/** After `eliminate`: out = A⁻¹ B, with NaN in singular lanes; B is overwritten. */
export function backSubstitute(
  work: usize, n: usize, width: usize, out: usize, outRow: usize, outCol: usize,
): void {
  const singular = singularLanes(work);
  for (let col = n; col < width; col++) {
    for (let i = n; i > 0; i--) {
      const row = i - 1;
      let sum = v128.load(entryAt(work, width, row, col));
      for (let j = i; j < n; j++) {
        const known = v128.load(entryAt(work, width, j, col));
        sum = sub(sum, mul(v128.load(entryAt(work, width, row, j)), known));
      }
      const solved = div(sum, v128.load(entryAt(work, width, row, row)));
      v128.store(entryAt(work, width, row, col), solved);
      v128.store(out + row * outRow + (col - n) * outCol, v128.or(solved, singular));
    }
  }
}
