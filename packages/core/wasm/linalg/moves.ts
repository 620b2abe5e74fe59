/**
 * Kernels that move elements and compute nothing: transpose, place, pick.
 *
 * `place` writes a scalar or vector into part of a larger payload (one row of a matrix under
 * construction), `pick` reads such a part out; `aux` is the first element of the part in the
 * larger payload and `count` its length.
 */
import { blockAt } from "../memory/layout";
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
  const count: usize = blockAt(at).count;
  const xStep: usize = blockAt(at).xStep;
  const zStep: usize = blockAt(at).zStep;
  const mask: usize = blockAt(at).xMask;
  const run: usize = blockAt(at).zRun;
  let x: usize = blockAt(at).x;
  let z: usize = <usize>blockAt(at).z + <usize>(<u32>blockAt(at).aux) * zStep;
  for (let e: usize = 0; e < count; e++) {
    copyElement(z, x, mask, run);
    x += xStep;
    z += zStep;
  }
}

/** gx[e] += gz[AUX + e]. */
export function placeAdjoint(at: usize): void {
  const count: usize = blockAt(at).count;
  const run: usize = blockAt(at).run;
  const step: usize = blockAt(at).gxStep;
  let gx: usize = blockAt(at).gx;
  if (gx == 0) return;
  let gz: usize = <usize>blockAt(at).gz + <usize>(<u32>blockAt(at).aux) * run;
  for (let e: usize = 0; e < count; e++) {
    addElement(gx, gz, run);
    gx += step;
    gz += run;
  }
}

/** z[e] = x[AUX + e] for COUNT elements. */
export function pickForward(at: usize): void {
  const count: usize = blockAt(at).count;
  const xStep: usize = blockAt(at).xStep;
  const zStep: usize = blockAt(at).zStep;
  const mask: usize = blockAt(at).xMask;
  const run: usize = blockAt(at).zRun;
  let x: usize = <usize>blockAt(at).x + <usize>(<u32>blockAt(at).aux) * xStep;
  let z: usize = blockAt(at).z;
  for (let e: usize = 0; e < count; e++) {
    copyElement(z, x, mask, run);
    x += xStep;
    z += zStep;
  }
}

/** gx[AUX + e] += gz[e]. */
export function pickAdjoint(at: usize): void {
  const count: usize = blockAt(at).count;
  const run: usize = blockAt(at).run;
  const step: usize = blockAt(at).gxStep;
  let gx: usize = blockAt(at).gx;
  if (gx == 0) return;
  gx += <usize>(<u32>blockAt(at).aux) * step;
  let gz: usize = blockAt(at).gz;
  for (let e: usize = 0; e < count; e++) {
    addElement(gx, gz, run);
    gx += step;
    gz += run;
  }
}

/** z[j,i] = x[i,j], x being [rows, inner]. */
export function transposeForward(at: usize): void {
  const rows: usize = blockAt(at).rows;
  const cols: usize = blockAt(at).inner;
  const xStep: usize = blockAt(at).xStep;
  const zStep: usize = blockAt(at).zStep;
  const mask: usize = blockAt(at).xMask;
  const run: usize = blockAt(at).zRun;
  const z: usize = blockAt(at).z;
  let x: usize = blockAt(at).x;
  for (let i: usize = 0; i < rows; i++) {
    for (let j: usize = 0; j < cols; j++) {
      copyElement(z + (j * rows + i) * zStep, x, mask, run);
      x += xStep;
    }
  }
}

/** gx[i,j] += gz[j,i]. */
export function transposeAdjoint(at: usize): void {
  const rows: usize = blockAt(at).rows;
  const cols: usize = blockAt(at).inner;
  const run: usize = blockAt(at).run;
  const step: usize = blockAt(at).gxStep;
  const gz: usize = blockAt(at).gz;
  let gx: usize = blockAt(at).gx;
  if (gx == 0) return;
  for (let i: usize = 0; i < rows; i++) {
    for (let j: usize = 0; j < cols; j++) {
      addElement(gx, gz + (j * rows + i) * run, run);
      gx += step;
    }
  }
}
