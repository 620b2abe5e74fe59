/**
 * Kernels that move elements and compute nothing: transpose, place, pick.
 *
 * `place` writes a scalar or vector into part of a larger payload (one row of a matrix under
 * construction), `pick` reads such a part out; BLOCK_AUX is the first element of the part in the
 * larger payload and BLOCK_COUNT its length.
 */
import {
  BLOCK_AUX, BLOCK_COUNT, BLOCK_GX, BLOCK_GX_STEP, BLOCK_GZ, BLOCK_INNER, BLOCK_ROWS, BLOCK_RUN,
  BLOCK_X, BLOCK_X_MASK, BLOCK_X_STEP, BLOCK_Z, BLOCK_Z_RUN, BLOCK_Z_STEP,
} from "../../src/program/layout";
import { accumulate } from "./simd";

/** Copies one element: `run` bytes of lanes, from a payload that may be uniform. */
// @ts-ignore: decorator
@inline function copyElement(to: usize, from: usize, mask: usize, run: usize): void {
  for (let lane: usize = 0; lane < run; lane += 16) {
    v128.store(to + lane, v128.load(from + (lane & mask)));
  }
}

/** Adds one element's adjoint to another's. */
// @ts-ignore: decorator
@inline function addElement(to: usize, from: usize, run: usize): void {
  for (let lane: usize = 0; lane < run; lane += 16) accumulate(to + lane, v128.load(from + lane));
}

/** z[AUX + e] = x[e] for COUNT elements; the rest of z is left as it is. */
export function placeForward(at: usize): void {
  const count: usize = load<u32>(at, BLOCK_COUNT);
  const xStep: usize = load<u32>(at, BLOCK_X_STEP);
  const zStep: usize = load<u32>(at, BLOCK_Z_STEP);
  const mask: usize = load<u32>(at, BLOCK_X_MASK);
  const run: usize = load<u32>(at, BLOCK_Z_RUN);
  let x: usize = load<u32>(at, BLOCK_X);
  let z: usize = <usize>load<u32>(at, BLOCK_Z) + <usize>load<u32>(at, BLOCK_AUX) * zStep;
  for (let e: usize = 0; e < count; e++) {
    copyElement(z, x, mask, run);
    x += xStep;
    z += zStep;
  }
}

/** gx[e] += gz[AUX + e]. */
export function placeAdjoint(at: usize): void {
  const count: usize = load<u32>(at, BLOCK_COUNT);
  const run: usize = load<u32>(at, BLOCK_RUN);
  const step: usize = load<u32>(at, BLOCK_GX_STEP);
  let gx: usize = load<u32>(at, BLOCK_GX);
  if (gx == 0) return;
  let gz: usize = <usize>load<u32>(at, BLOCK_GZ) + <usize>load<u32>(at, BLOCK_AUX) * run;
  for (let e: usize = 0; e < count; e++) {
    addElement(gx, gz, run);
    gx += step;
    gz += run;
  }
}

/** z[e] = x[AUX + e] for COUNT elements. */
export function pickForward(at: usize): void {
  const count: usize = load<u32>(at, BLOCK_COUNT);
  const xStep: usize = load<u32>(at, BLOCK_X_STEP);
  const zStep: usize = load<u32>(at, BLOCK_Z_STEP);
  const mask: usize = load<u32>(at, BLOCK_X_MASK);
  const run: usize = load<u32>(at, BLOCK_Z_RUN);
  let x: usize = <usize>load<u32>(at, BLOCK_X) + <usize>load<u32>(at, BLOCK_AUX) * xStep;
  let z: usize = load<u32>(at, BLOCK_Z);
  for (let e: usize = 0; e < count; e++) {
    copyElement(z, x, mask, run);
    x += xStep;
    z += zStep;
  }
}

/** gx[AUX + e] += gz[e]. */
export function pickAdjoint(at: usize): void {
  const count: usize = load<u32>(at, BLOCK_COUNT);
  const run: usize = load<u32>(at, BLOCK_RUN);
  const step: usize = load<u32>(at, BLOCK_GX_STEP);
  let gx: usize = load<u32>(at, BLOCK_GX);
  if (gx == 0) return;
  gx += <usize>load<u32>(at, BLOCK_AUX) * step;
  let gz: usize = load<u32>(at, BLOCK_GZ);
  for (let e: usize = 0; e < count; e++) {
    addElement(gx, gz, run);
    gx += step;
    gz += run;
  }
}

/** z[j,i] = x[i,j], x being [rows, inner]. */
export function transposeForward(at: usize): void {
  const rows: usize = load<u32>(at, BLOCK_ROWS);
  const cols: usize = load<u32>(at, BLOCK_INNER);
  const xStep: usize = load<u32>(at, BLOCK_X_STEP);
  const zStep: usize = load<u32>(at, BLOCK_Z_STEP);
  const mask: usize = load<u32>(at, BLOCK_X_MASK);
  const run: usize = load<u32>(at, BLOCK_Z_RUN);
  const z: usize = load<u32>(at, BLOCK_Z);
  let x: usize = load<u32>(at, BLOCK_X);
  for (let i: usize = 0; i < rows; i++) {
    for (let j: usize = 0; j < cols; j++) {
      copyElement(z + (j * rows + i) * zStep, x, mask, run);
      x += xStep;
    }
  }
}

/** gx[i,j] += gz[j,i]. */
export function transposeAdjoint(at: usize): void {
  const rows: usize = load<u32>(at, BLOCK_ROWS);
  const cols: usize = load<u32>(at, BLOCK_INNER);
  const run: usize = load<u32>(at, BLOCK_RUN);
  const step: usize = load<u32>(at, BLOCK_GX_STEP);
  const gz: usize = load<u32>(at, BLOCK_GZ);
  let gx: usize = load<u32>(at, BLOCK_GX);
  if (gx == 0) return;
  for (let i: usize = 0; i < rows; i++) {
    for (let j: usize = 0; j < cols; j++) {
      addElement(gx, gz + (j * rows + i) * run, run);
      gx += step;
    }
  }
}
