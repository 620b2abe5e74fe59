/**
 * Products: matmul, matvec, outer, dot, cross. x is [rows, inner], y is [inner, cols]; a vector is one
 * column, except the first factor of `dot` (one row) and the second of `outer` (one row).
 *
 * Adjoints of z = x y:  gx += gz yT,  gy += xT gz.  Each element's contribution is summed first (in
 * ascending order) and then added to its target once; gx is finished before gy begins, so the two
 * may be one buffer.
 */
import {
  BLOCK_COLS, BLOCK_GX, BLOCK_GX_STEP, BLOCK_GY, BLOCK_GY_STEP, BLOCK_GZ, BLOCK_INNER, BLOCK_ROWS,
  BLOCK_RUN, BLOCK_X, BLOCK_X_MASK, BLOCK_X_STEP, BLOCK_Y, BLOCK_Y_MASK, BLOCK_Y_STEP, BLOCK_Z,
  BLOCK_Z_RUN, BLOCK_Z_STEP,
} from "../../src/program/layout";
import { productAdd, productStore } from "./product";
import { accumulate, mul, sub } from "./simd";

/** z[i,j] = sum over k of x[i,k] * y[k,j]. */
export function matmulForward(at: usize): void {
  const rows: usize = load<u32>(at, BLOCK_ROWS);
  const inner: usize = load<u32>(at, BLOCK_INNER);
  const cols: usize = load<u32>(at, BLOCK_COLS);
  const xStep: usize = load<u32>(at, BLOCK_X_STEP);
  const yStep: usize = load<u32>(at, BLOCK_Y_STEP);
  const zStep: usize = load<u32>(at, BLOCK_Z_STEP);
  productStore(
    load<u32>(at, BLOCK_Z), cols * zStep, zStep,
    load<u32>(at, BLOCK_X), inner * xStep, xStep, load<u32>(at, BLOCK_X_MASK),
    load<u32>(at, BLOCK_Y), cols * yStep, yStep, load<u32>(at, BLOCK_Y_MASK),
    rows, inner, cols, load<u32>(at, BLOCK_Z_RUN),
  );
}

/** gx[i,k] += sum over j of gz[i,j] * y[k,j];  gy[k,j] += sum over i of x[i,k] * gz[i,j]. */
export function matmulAdjoint(at: usize): void {
  const rows: usize = load<u32>(at, BLOCK_ROWS);
  const inner: usize = load<u32>(at, BLOCK_INNER);
  const cols: usize = load<u32>(at, BLOCK_COLS);
  const run: usize = load<u32>(at, BLOCK_RUN);
  const gz: usize = load<u32>(at, BLOCK_GZ);
  const gx: usize = load<u32>(at, BLOCK_GX);
  if (gx != 0) {
    const step: usize = load<u32>(at, BLOCK_GX_STEP);
    const yStep: usize = load<u32>(at, BLOCK_Y_STEP);
    productAdd(
      gx, inner * step, step,
      gz, cols * run, run, -1,
      load<u32>(at, BLOCK_Y), yStep, cols * yStep, load<u32>(at, BLOCK_Y_MASK),
      rows, cols, inner, run,
    );
  }
  const gy: usize = load<u32>(at, BLOCK_GY);
  if (gy != 0) {
    const step: usize = load<u32>(at, BLOCK_GY_STEP);
    const xStep: usize = load<u32>(at, BLOCK_X_STEP);
    productAdd(
      gy, cols * step, step,
      load<u32>(at, BLOCK_X), xStep, inner * xStep, load<u32>(at, BLOCK_X_MASK),
      gz, cols * run, run, -1,
      inner, rows, cols, run,
    );
  }
}

/** z[i] = sum over k of x[i,k] * y[k]: a product with one column. */
export function matvecForward(at: usize): void {
  matmulForward(at);
}

export function matvecAdjoint(at: usize): void {
  matmulAdjoint(at);
}

/** z[i,j] = x[i] * y[j]: a product with inner length 1. */
export function outerForward(at: usize): void {
  matmulForward(at);
}

export function outerAdjoint(at: usize): void {
  matmulAdjoint(at);
}

/** z = sum over k of x[k] * y[k]: a product of one row and one column. */
export function dotForward(at: usize): void {
  matmulForward(at);
}

export function dotAdjoint(at: usize): void {
  matmulAdjoint(at);
}

/** z = x × y, the right-handed product of two vectors of length 3. */
export function crossForward(at: usize): void {
  const x: usize = load<u32>(at, BLOCK_X);
  const xStep: usize = load<u32>(at, BLOCK_X_STEP);
  const xMask: usize = load<u32>(at, BLOCK_X_MASK);
  const y: usize = load<u32>(at, BLOCK_Y);
  const yStep: usize = load<u32>(at, BLOCK_Y_STEP);
  const yMask: usize = load<u32>(at, BLOCK_Y_MASK);
  const z: usize = load<u32>(at, BLOCK_Z);
  const zStep: usize = load<u32>(at, BLOCK_Z_STEP);
  const run: usize = load<u32>(at, BLOCK_Z_RUN);
  for (let lane: usize = 0; lane < run; lane += 16) {
    const xAt = x + (lane & xMask);
    const yAt = y + (lane & yMask);
    const x0 = v128.load(xAt);
    const x1 = v128.load(xAt + xStep);
    const x2 = v128.load(xAt + 2 * xStep);
    const y0 = v128.load(yAt);
    const y1 = v128.load(yAt + yStep);
    const y2 = v128.load(yAt + 2 * yStep);
    v128.store(z + lane, sub(mul(x1, y2), mul(x2, y1)));
    v128.store(z + zStep + lane, sub(mul(x2, y0), mul(x0, y2)));
    v128.store(z + 2 * zStep + lane, sub(mul(x0, y1), mul(x1, y0)));
  }
}

/** gx += y × gz;  gy += gz × x. */
export function crossAdjoint(at: usize): void {
  const gz: usize = load<u32>(at, BLOCK_GZ);
  const run: usize = load<u32>(at, BLOCK_RUN);
  const gx: usize = load<u32>(at, BLOCK_GX);
  if (gx != 0) {
    crossAdd(
      gx, load<u32>(at, BLOCK_GX_STEP),
      load<u32>(at, BLOCK_Y), load<u32>(at, BLOCK_Y_STEP), load<u32>(at, BLOCK_Y_MASK),
      gz, run, -1, run,
    );
  }
  const gy: usize = load<u32>(at, BLOCK_GY);
  if (gy != 0) {
    crossAdd(
      gy, load<u32>(at, BLOCK_GY_STEP),
      gz, run, -1,
      load<u32>(at, BLOCK_X), load<u32>(at, BLOCK_X_STEP), load<u32>(at, BLOCK_X_MASK), run,
    );
  }
}

/** c += a × b. */
function crossAdd(
  c: usize, cStep: usize,
  a: usize, aStep: usize, aMask: usize,
  b: usize, bStep: usize, bMask: usize, run: usize,
): void {
  for (let lane: usize = 0; lane < run; lane += 16) {
    const aAt = a + (lane & aMask);
    const bAt = b + (lane & bMask);
    const a0 = v128.load(aAt);
    const a1 = v128.load(aAt + aStep);
    const a2 = v128.load(aAt + 2 * aStep);
    const b0 = v128.load(bAt);
    const b1 = v128.load(bAt + bStep);
    const b2 = v128.load(bAt + 2 * bStep);
    accumulate(c + lane, sub(mul(a1, b2), mul(a2, b1)));
    accumulate(c + cStep + lane, sub(mul(a2, b0), mul(a0, b2)));
    accumulate(c + 2 * cStep + lane, sub(mul(a0, b1), mul(a1, b0)));
  }
}
