/**
 * Determinants and inverses of one vector of lanes, by cofactors up to 3 × 3 and by elimination
 * beyond.
 *
 * Cofactors cancel where a matrix is badly conditioned, and their products leave the number range
 * early. So a lane whose |det| is at most 2⁻¹² of the product of its row sums, or is not well
 * inside the number range, is doubtful and is computed again by elimination; the choice is each
 * lane's own. A determinant that cancels to exactly 0 within the number range means a singular
 * lane even where elimination would leave a rounding error as its last pivot.
 */
import {
  backSubstitute,
  eliminate,
  entryAt,
  loadColumns,
  loadIdentity,
  pivotProduct,
} from "./elimination";
import { abs, add, div, isZero, mul, neg, one, sub, zero } from "./simd";

/** Largest size that is computed by cofactors. */
export const CLOSED_FORM_MAX: usize = 3;

// @ts-ignore: decorator
@inline function smallest(): v128 {
  return sizeof<real>() == 4 ? v128.splat<real>(<real>1e-30) : v128.splat<real>(<real>1e-290);
}

// @ts-ignore: decorator
@inline function largest(): v128 {
  return sizeof<real>() == 4 ? v128.splat<real>(<real>1e30) : v128.splat<real>(<real>1e290);
}

/** The smallest |det| that is trusted, for a product of row sums `size`. */
// @ts-ignore: decorator
@inline function trustFrom(size: v128): v128 {
  return mul(size, v128.splat<real>(<real>0.000244140625));
}

/** All bits set in the lanes whose closed-form determinant must not be divided by. */
// @ts-ignore: decorator
@inline export function doubtfulLanes(det: v128, size: v128): v128 {
  const magnitude = abs(det);
  const above = v128.gt<real>(magnitude, smallest());
  const inRange = v128.and(above, v128.lt<real>(magnitude, largest()));
  return v128.not(v128.and(inRange, v128.gt<real>(magnitude, trustFrom(size))));
}

/** All bits set in the lanes where the determinant cancelled to 0 and did not merely underflow. */
// @ts-ignore: decorator
@inline function cancelledLanes(det: v128, size: v128): v128 {
  return v128.and(isZero(det), v128.gt<real>(trustFrom(size), smallest()));
}

/** The 2 × 2 minor a d - b c. */
// @ts-ignore: decorator
@inline function minor(a: v128, b: v128, c: v128, d: v128): v128 {
  return sub(mul(a, d), mul(b, c));
}

/** |a| + |b| + |c| of one row. */
// @ts-ignore: decorator
@inline function rowSum3(at: usize, col: usize): v128 {
  const first = add(abs(v128.load(at)), abs(v128.load(at + col)));
  return add(first, abs(v128.load(at + 2 * col)));
}

/** Product of the row sums of magnitudes: an upper bound of every term of the determinant. */
export function sizeOf(a: usize, row: usize, col: usize, n: usize): v128 {
  if (n == 1) return abs(v128.load(a));
  if (n == 2) {
    const upper = add(abs(v128.load(a)), abs(v128.load(a + col)));
    return mul(upper, add(abs(v128.load(a + row)), abs(v128.load(a + row + col))));
  }
  return mul(mul(rowSum3(a, col), rowSum3(a + row, col)), rowSum3(a + 2 * row, col));
}

/** Eliminates a matrix alone. */
export function eliminateMatrix(work: usize, a: usize, row: usize, col: usize, n: usize): void {
  loadColumns(work, n, 0, a, row, col, n, n);
  if (eliminate(work, n, n, false)) return;
  loadColumns(work, n, 0, a, row, col, n, n);
  eliminate(work, n, n, true);
}

/** Eliminates a matrix beside the identity. */
function eliminateWithIdentity(work: usize, a: usize, row: usize, col: usize, n: usize): void {
  const width: usize = 2 * n;
  loadColumns(work, width, 0, a, row, col, n, n);
  loadIdentity(work, width, n, n);
  if (eliminate(work, n, width, false)) return;
  loadColumns(work, width, 0, a, row, col, n, n);
  loadIdentity(work, width, n, n);
  eliminate(work, n, width, true);
}

/** Determinant of an n × n matrix; exact cancellation gives 0. */
export function determinantAt(a: usize, row: usize, col: usize, n: usize, work: usize): v128 {
  if (n == 1) return v128.load(a);
  if (n == 2) {
    return minor(v128.load(a), v128.load(a + col), v128.load(a + row), v128.load(a + row + col));
  }
  if (n == 3) {
    const d = v128.load(a + row);
    const e = v128.load(a + row + col);
    const f = v128.load(a + row + 2 * col);
    const g = v128.load(a + 2 * row);
    const h = v128.load(a + 2 * row + col);
    const i = v128.load(a + 2 * row + 2 * col);
    const first = mul(v128.load(a), minor(e, f, h, i));
    const second = add(first, mul(v128.load(a + col), minor(f, d, i, g)));
    return add(second, mul(v128.load(a + 2 * col), minor(d, e, g, h)));
  }
  eliminateMatrix(work, a, row, col, n);
  return pivotProduct(work, n, n);
}

/** Of a matrix up to 3 × 3: the lanes whose determinant should come from elimination. */
// @ts-ignore: decorator
@inline export function doubtfulAt(det: v128, a: usize, row: usize, col: usize, n: usize): v128 {
  return doubtfulLanes(det, sizeOf(a, row, col, n));
}

/** Of a matrix up to 3 × 3: the lanes that are singular beyond doubt. */
// @ts-ignore: decorator
@inline export function cancelledAt(det: v128, a: usize, row: usize, col: usize, n: usize): v128 {
  return cancelledLanes(det, sizeOf(a, row, col, n));
}

/** Stores the matrix of cofactors of a matrix up to 3 × 3, 16 bytes an entry, row by row. */
export function storeCofactors(to: usize, a: usize, row: usize, col: usize, n: usize): void {
  if (n == 1) {
    v128.store(to, one());
    return;
  }
  if (n == 2) {
    v128.store(to, v128.load(a + row + col));
    v128.store(to, neg(v128.load(a + row)), 16);
    v128.store(to, neg(v128.load(a + col)), 32);
    v128.store(to, v128.load(a), 48);
    return;
  }
  const b = a + row;
  const c = b + row;
  storeCofactorRow(to, b, c, col);
  storeCofactorRow(to + 48, c, a, col);
  storeCofactorRow(to + 96, a, b, col);
}

/** One row of cofactors is the cross product of the two rows that follow it cyclically. */
// @ts-ignore: decorator
@inline function storeCofactorRow(to: usize, p: usize, q: usize, col: usize): void {
  const p0 = v128.load(p);
  const p1 = v128.load(p + col);
  const p2 = v128.load(p + 2 * col);
  const q0 = v128.load(q);
  const q1 = v128.load(q + col);
  const q2 = v128.load(q + 2 * col);
  v128.store(to, minor(p1, p2, q1, q2));
  v128.store(to, minor(p2, p0, q2, q0), 16);
  v128.store(to, minor(p0, p1, q0, q1), 32);
}

/** out = A⁻¹, with NaN in singular lanes. `work` has room for n × 2n entries. */
export function invertAt(
  out: usize,
  outRow: usize,
  outCol: usize,
  a: usize,
  row: usize,
  col: usize,
  n: usize,
  work: usize,
): void {
  if (n == 1) {
    const x = v128.load(a);
    v128.store(out, v128.or(div(one(), x), isZero(x)));
  } else if (n == 2) {
    invert2(out, outRow, outCol, a, row, col, work);
  } else if (n == 3) {
    invert3(out, outRow, outCol, a, row, col, work);
  } else {
    eliminateWithIdentity(work, a, row, col, n);
    backSubstitute(work, n, 2 * n, out, outRow, outCol);
  }
}

/** z = x⁻¹ for 2 × 2 matrices in all lanes. */
export function inverse2Forward(
  z: usize,
  zStep: usize,
  x: usize,
  xStep: usize,
  xMask: usize,
  run: usize,
  work: usize,
): void {
  const zRow: usize = 2 * zStep;
  const xRow: usize = 2 * xStep;
  for (let lane: usize = 0; lane < run; lane += 16) {
    invert2(z + lane, zRow, zStep, x + (lane & xMask), xRow, xStep, work);
  }
}

// @ts-ignore: decorator
@inline function invert2(
  out: usize,
  outRow: usize,
  outCol: usize,
  at: usize,
  row: usize,
  col: usize,
  work: usize,
): void {
  const a = v128.load(at);
  const b = v128.load(at + col);
  const c = v128.load(at + row);
  const d = v128.load(at + row + col);
  const det = minor(a, b, c, d);
  const size = mul(add(abs(a), abs(b)), add(abs(c), abs(d)));
  const scale = div(one(), det);
  v128.store(out, mul(d, scale));
  v128.store(out + outCol, sub(zero(), mul(b, scale)));
  v128.store(out + outRow, sub(zero(), mul(c, scale)));
  v128.store(out + outRow + outCol, mul(a, scale));
  const doubtful = doubtfulLanes(det, size);
  if (v128.any_true(doubtful)) {
    repair(out, outRow, outCol, at, row, col, 2, work, doubtful, cancelledLanes(det, size));
  }
}

/** Replaces the inverse of a 2 × 2 matrix in the lanes where its determinant is doubtful. */
export function repair2(
  out: usize,
  outStep: usize,
  at: usize,
  step: usize,
  work: usize,
  det: v128,
  size: v128,
): void {
  const doubtful = doubtfulLanes(det, size);
  const cancelled = cancelledLanes(det, size);
  repair(out, 2 * outStep, outStep, at, 2 * step, step, 2, work, doubtful, cancelled);
}

function invert3(
  out: usize,
  outRow: usize,
  outCol: usize,
  at: usize,
  row: usize,
  col: usize,
  work: usize,
): void {
  storeCofactors(work, at, row, col, 3);
  const first = mul(v128.load(at), v128.load(work));
  const second = add(first, mul(v128.load(at + col), v128.load(work, 16)));
  const det = add(second, mul(v128.load(at + 2 * col), v128.load(work, 32)));
  const size = sizeOf(at, row, col, 3);
  const scale = div(one(), det);
  let from = work;
  for (let j: usize = 0; j < 3; j++) {
    v128.store(out + j * outCol, mul(v128.load(from), scale));
    v128.store(out + outRow + j * outCol, mul(v128.load(from, 16), scale));
    v128.store(out + 2 * outRow + j * outCol, mul(v128.load(from, 32), scale));
    from += 48;
  }
  const doubtful = doubtfulLanes(det, size);
  if (v128.any_true(doubtful)) {
    repair(out, outRow, outCol, at, row, col, 3, work, doubtful, cancelledLanes(det, size));
  }
}

/** Replaces the inverse by that of elimination in the `doubtful` lanes; `singular` ones get NaN. */
function repair(
  out: usize,
  outRow: usize,
  outCol: usize,
  a: usize,
  row: usize,
  col: usize,
  n: usize,
  work: usize,
  doubtful: v128,
  singular: v128,
): void {
  const width: usize = 2 * n;
  eliminateWithIdentity(work, a, row, col, n);
  const solved = entryAt(work, width, 0, n);
  backSubstitute(work, n, width, solved, width * 16, 16);
  for (let i: usize = 0; i < n; i++) {
    for (let j: usize = 0; j < n; j++) {
      const to = out + i * outRow + j * outCol;
      const value = v128.or(v128.load(solved + (i * width + j) * 16), singular);
      v128.store(to, v128.bitselect(value, v128.load(to), doubtful));
    }
  }
}
