/**
 * Square systems: det, logdet, inv, solve. x is [rows, rows]; for `solve` y is [rows, cols].
 *
 *   det     z = |x|                    gx += gz cofactors(x), for n > 3 gz z x⁻T
 *   logdet  z = log |det x|            gx += gz x⁻T
 *   inv     z = x⁻¹                    gx -= zT gz zT
 *   solve   z = x⁻¹ y                  w = x⁻T gz;  gy += w;  gx -= w zT
 *
 * (M. Giles, "Collected matrix derivative results", 2008; every entry of x counts as independent.)
 * Singular lanes: det is 0, with an exact gradient up to 3 × 3 and NaN beyond; logdet is -infinity
 * with a NaN gradient; inv and solve are NaN. `logdet` ignores the sign of the determinant.
 *
 * Scratch, for one vector of lanes at a time: two matrices of 16-byte entries, then the work area
 * of
 * elimination:  | inverse n × n | product n × max(n, cols) | work |
 */

import { logV } from "../math/index";
import { blockAt, OperandBlock } from "../memory/layout";
import { usesSmall } from "../memory/switches";
import {
  CLOSED_FORM_MAX,
  cancelledAt,
  determinantAt,
  doubtfulAt,
  eliminateMatrix,
  inverse2Forward,
  invertAt,
  storeCofactors,
} from "./closed-form";
import { backSubstitute, eliminate, entryAt, loadColumns, workBytes } from "./elimination";
import { productStore, productSubtract } from "./product";
import { abs, accumulate, add, mul, zero } from "./simd";
import {
  determinant2Adjoint,
  determinant2Forward,
  inverse1Adjoint,
  inverse2Adjoint,
  mulAdd2,
} from "./small";

/** Scratch bytes of every kernel in this file. */
export function systemScratchBytes(n: usize, cols: usize): usize {
  const most = n > cols ? n : cols;
  return n * n * 16 + n * most * 16 + workBytes(n, n + most);
}

// @ts-ignore: decorator
@inline function productPart(scratch: usize, n: usize): usize {
  return scratch + n * n * 16;
}

// @ts-ignore: decorator
@inline function workPart(scratch: usize, n: usize, cols: usize): usize {
  return scratch + n * n * 16 + n * (n > cols ? n : cols) * 16;
}

export function detForward(at: usize): void {
  const n: usize = blockAt(at).rows;
  const x: usize = blockAt(at).x;
  const step: usize = blockAt(at).xStep;
  const mask: usize = blockAt(at).xMask;
  const z: usize = blockAt(at).z;
  const run: usize = blockAt(at).zRun;
  const work: usize = blockAt(at).scratch;
  if (usesSmall(n, n)) {
    determinant2Forward(z, x, step, mask, run);
    return;
  }
  for (let lane: usize = 0; lane < run; lane += 16) {
    v128.store(z + lane, determinantAt(x + (lane & mask), n * step, step, n, work));
  }
}

export function detAdjoint(at: usize): void {
  const gx: usize = blockAt(at).gx;
  if (gx == 0) return;
  const n: usize = blockAt(at).rows;
  if (n > CLOSED_FORM_MAX) {
    addScaledInverse(at, true);
    return;
  }
  const x: usize = blockAt(at).x;
  const step: usize = blockAt(at).xStep;
  const mask: usize = blockAt(at).xMask;
  const gz: usize = blockAt(at).gz;
  const gxStep: usize = blockAt(at).gxStep;
  const run: usize = blockAt(at).run;
  const scratch: usize = blockAt(at).scratch;
  if (usesSmall(n, n)) {
    const kept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    determinant2Adjoint(gx, gxStep, kept, gz, x, step, mask, run);
    return;
  }
  for (let lane: usize = 0; lane < run; lane += 16) {
    storeCofactors(scratch, x + (lane & mask), n * step, step, n);
    const seed = v128.load(gz + lane);
    let to = gx + lane;
    for (let e: usize = 0; e < n * n; e++) {
      accumulate(to, mul(seed, v128.load(scratch + e * 16)));
      to += gxStep;
    }
  }
}

/** gx += gz x⁻T, or gz z x⁻T where the seed counts per determinant. */
function addScaledInverse(at: usize, timesResult: bool): void {
  const n: usize = blockAt(at).rows;
  const x: usize = blockAt(at).x;
  const step: usize = blockAt(at).xStep;
  const mask: usize = blockAt(at).xMask;
  const z: usize = blockAt(at).z;
  const zMask: usize = blockAt(at).zMask;
  const gx: usize = blockAt(at).gx;
  const gz: usize = blockAt(at).gz;
  const gxStep: usize = blockAt(at).gxStep;
  const run: usize = blockAt(at).run;
  const scratch: usize = blockAt(at).scratch;
  const work = workPart(scratch, n, 1);
  for (let lane: usize = 0; lane < run; lane += 16) {
    // A uniform matrix is inverted once; exchanged out steps store the inverse transposed.
    if ((lane & mask) == lane) {
      invertAt(scratch, 16, n * 16, x + lane, n * step, step, n, work);
    }
    let seed = v128.load(gz + lane);
    if (timesResult) seed = mul(seed, v128.load(z + (lane & zMask)));
    let to = gx + lane;
    for (let e: usize = 0; e < n * n; e++) {
      accumulate(to, mul(seed, v128.load(scratch + e * 16)));
      to += gxStep;
    }
  }
}

export function logdetForward(at: usize): void {
  const n: usize = blockAt(at).rows;
  const x: usize = blockAt(at).x;
  const step: usize = blockAt(at).xStep;
  const mask: usize = blockAt(at).xMask;
  const z: usize = blockAt(at).z;
  const run: usize = blockAt(at).zRun;
  const work: usize = blockAt(at).scratch;
  for (let lane: usize = 0; lane < run; lane += 16) {
    v128.store(z + lane, logDeterminantAt(x + (lane & mask), n * step, step, n, work));
  }
}

function logDeterminantAt(a: usize, row: usize, col: usize, n: usize, work: usize): v128 {
  if (n > CLOSED_FORM_MAX) return logPivots(a, row, col, n, work);
  const det = determinantAt(a, row, col, n, work);
  const closed = logV(abs(det));
  if (n == 1) return closed;
  const doubtful = doubtfulAt(det, a, row, col, n);
  if (!v128.any_true(doubtful)) return closed;
  const kept = v128.or(v128.not(doubtful), cancelledAt(det, a, row, col, n));
  return v128.bitselect(closed, logPivots(a, row, col, n, work), kept);
}

/** Sum of the logarithms of the pivots, which stays in range where their product does not. */
function logPivots(a: usize, row: usize, col: usize, n: usize, work: usize): v128 {
  eliminateMatrix(work, a, row, col, n);
  let sum = zero();
  for (let k: usize = 0; k < n; k++) {
    sum = add(sum, logV(abs(v128.load(entryAt(work, n, k, k)))));
  }
  return sum;
}

export function logdetAdjoint(at: usize): void {
  if (blockAt(at).gx != 0) addScaledInverse(at, false);
}

export function invForward(at: usize): void {
  const n: usize = blockAt(at).rows;
  const x: usize = blockAt(at).x;
  const step: usize = blockAt(at).xStep;
  const mask: usize = blockAt(at).xMask;
  const z: usize = blockAt(at).z;
  const zStep: usize = blockAt(at).zStep;
  const run: usize = blockAt(at).zRun;
  const work: usize = blockAt(at).scratch;
  if (usesSmall(n, n)) {
    inverse2Forward(z, zStep, x, step, mask, run, work);
    return;
  }
  for (let lane: usize = 0; lane < run; lane += 16) {
    invertAt(z + lane, n * zStep, zStep, x + (lane & mask), n * step, step, n, work);
  }
}

export function invAdjoint(at: usize): void {
  const gx: usize = blockAt(at).gx;
  if (gx == 0) return;
  const n: usize = blockAt(at).rows;
  const z: usize = blockAt(at).z;
  const zStep: usize = blockAt(at).zStep;
  const zMask: usize = blockAt(at).zMask;
  const gz: usize = blockAt(at).gz;
  const gxStep: usize = blockAt(at).gxStep;
  const run: usize = blockAt(at).run;
  const scratch: usize = blockAt(at).scratch;
  if (n == 1) {
    inverse1Adjoint(gx, gz, z, zMask, run);
    return;
  }
  if (usesSmall(n, n)) {
    const kept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    inverse2Adjoint(gx, gxStep, kept, gz, z, zStep, zMask, run);
    return;
  }
  for (let lane: usize = 0; lane < run; lane += 16) {
    const zAt = z + (lane & zMask);
    productStore(
      scratch,
      n * 16,
      16,
      gz + lane,
      n * run,
      run,
      0,
      zAt,
      zStep,
      n * zStep,
      0,
      n,
      n,
      n,
      16,
    );
    productSubtract(
      gx + lane,
      n * gxStep,
      gxStep,
      zAt,
      zStep,
      n * zStep,
      0,
      scratch,
      n * 16,
      16,
      0,
      n,
      n,
      n,
      16,
    );
  }
}

/** out = A B for one vector of lanes, with the 2 × 2 matrix A in scratch. */
// @ts-ignore: decorator
@inline function multiply2(
  out: usize,
  outRow: usize,
  outCol: usize,
  a: usize,
  b: usize,
  bRow: usize,
  bCol: usize,
  cols: usize,
): void {
  const a0 = v128.load(a);
  const a1 = v128.load(a, 16);
  const a2 = v128.load(a, 32);
  const a3 = v128.load(a, 48);
  for (let j: usize = 0; j < cols; j++) {
    const b0 = v128.load(b);
    const b1 = v128.load(b + bRow);
    v128.store(out, mulAdd2(a0, b0, a1, b1));
    v128.store(out + outRow, mulAdd2(a2, b0, a3, b1));
    b += bCol;
    out += outCol;
  }
}

/**
 * out = A⁻¹ B for one vector of lanes, NaN in singular lanes. Up to 3 × 3 the inverse is
 * multiplied, and computed only where `isNew` says that A differs from the previous call's.
 */
function solveAt(
  out: usize,
  outRow: usize,
  outCol: usize,
  a: usize,
  aRow: usize,
  aCol: usize,
  b: usize,
  bRow: usize,
  bCol: usize,
  n: usize,
  cols: usize,
  scratch: usize,
  isNew: bool,
): void {
  const work = workPart(scratch, n, cols);
  if (n <= CLOSED_FORM_MAX) {
    if (isNew) invertAt(scratch, n * 16, 16, a, aRow, aCol, n, work);
    if (usesSmall(n, n)) {
      multiply2(out, outRow, outCol, scratch, b, bRow, bCol, cols);
      return;
    }
    productStore(out, outRow, outCol, scratch, n * 16, 16, 0, b, bRow, bCol, 0, n, n, cols, 16);
    return;
  }
  loadColumns(work, n + cols, 0, a, aRow, aCol, n, n);
  loadColumns(work, n + cols, n, b, bRow, bCol, n, cols);
  if (!eliminate(work, n, n + cols, false)) {
    loadColumns(work, n + cols, 0, a, aRow, aCol, n, n);
    loadColumns(work, n + cols, n, b, bRow, bCol, n, cols);
    eliminate(work, n, n + cols, true);
  }
  backSubstitute(work, n, n + cols, out, outRow, outCol);
}

export function solveForward(at: usize): void {
  const n: usize = blockAt(at).rows;
  const cols: usize = blockAt(at).cols;
  const x: usize = blockAt(at).x;
  const xStep: usize = blockAt(at).xStep;
  const xMask: usize = blockAt(at).xMask;
  const y: usize = blockAt(at).y;
  const yStep: usize = blockAt(at).yStep;
  const yMask: usize = blockAt(at).yMask;
  const z: usize = blockAt(at).z;
  const zStep: usize = blockAt(at).zStep;
  const run: usize = blockAt(at).zRun;
  const scratch: usize = blockAt(at).scratch;
  for (let lane: usize = 0; lane < run; lane += 16) {
    solveAt(
      z + lane,
      cols * zStep,
      zStep,
      x + (lane & xMask),
      n * xStep,
      xStep,
      y + (lane & yMask),
      cols * yStep,
      yStep,
      n,
      cols,
      scratch,
      (lane & xMask) == lane,
    );
  }
}

export function solveAdjoint(at: usize): void {
  const n: usize = blockAt(at).rows;
  const cols: usize = blockAt(at).cols;
  const x: usize = blockAt(at).x;
  const xStep: usize = blockAt(at).xStep;
  const xMask: usize = blockAt(at).xMask;
  const z: usize = blockAt(at).z;
  const zStep: usize = blockAt(at).zStep;
  const zMask: usize = blockAt(at).zMask;
  const gz: usize = blockAt(at).gz;
  const gx: usize = blockAt(at).gx;
  const gxStep: usize = blockAt(at).gxStep;
  const gy: usize = blockAt(at).gy;
  const gyStep: usize = blockAt(at).gyStep;
  const run: usize = blockAt(at).run;
  const scratch: usize = blockAt(at).scratch;
  const w = productPart(scratch, n);
  if (gx == 0 && gy == 0) return;
  for (let lane: usize = 0; lane < run; lane += 16) {
    solveAt(
      w,
      cols * 16,
      16,
      x + (lane & xMask),
      xStep,
      n * xStep,
      gz + lane,
      cols * run,
      run,
      n,
      cols,
      scratch,
      (lane & xMask) == lane,
    );
    if (gx != 0) {
      productSubtract(
        gx + lane,
        n * gxStep,
        gxStep,
        w,
        cols * 16,
        16,
        0,
        z + (lane & zMask),
        zStep,
        cols * zStep,
        0,
        n,
        cols,
        n,
        16,
      );
    }
    if (gy != 0) {
      let to = gy + lane;
      for (let e: usize = 0; e < n * cols; e++) {
        accumulate(to, v128.load(w + e * 16));
        to += gyStep;
      }
    }
  }
}
