/**
 * Kernels of control: merging two numbers by lane, gathering by a lane's own index, comparing
 * tensors. They read the operand block like every kernel; BLOCK_MASK is the address of a mask.
 */

import { numEqualForward } from "../generated/predicates";
import {
  BLOCK_AUX,
  BLOCK_COUNT,
  BLOCK_GX,
  BLOCK_GX_STEP,
  BLOCK_GY,
  BLOCK_GY_STEP,
  BLOCK_GZ,
  BLOCK_MASK,
  BLOCK_ROWS,
  BLOCK_RUN,
  BLOCK_X,
  BLOCK_X_MASK,
  BLOCK_X_STEP,
  BLOCK_Y,
  BLOCK_Y_MASK,
  BLOCK_Y_STEP,
  BLOCK_Z,
  BLOCK_Z_STEP,
} from "../../src/program/layout";

/** z = x in the lanes of the mask, y in the others. */
export function mergeForward(at: usize): void {
  let x = load<usize>(at, BLOCK_X);
  let y = load<usize>(at, BLOCK_Y);
  let z = load<usize>(at, BLOCK_Z);
  const xMask = load<usize>(at, BLOCK_X_MASK);
  const yMask = load<usize>(at, BLOCK_Y_MASK);
  const mask = load<usize>(at, BLOCK_MASK);
  const run = load<usize>(at, BLOCK_RUN);
  const count = load<u32>(at, BLOCK_COUNT);
  for (let e: u32 = 0; e < count; e++) {
    for (let b: usize = 0; b < run; b += 16) {
      const chosen = v128.load(mask + b);
      const here = v128.load(x + (b & xMask));
      v128.store(z + b, v128.bitselect(here, v128.load(y + (b & yMask)), chosen));
    }
    x += load<usize>(at, BLOCK_X_STEP);
    y += load<usize>(at, BLOCK_Y_STEP);
    z += load<usize>(at, BLOCK_Z_STEP);
  }
}

/** gx += g in the lanes of the mask, gy += g in the others. */
export function mergeAdjoint(at: usize): void {
  let gz = load<usize>(at, BLOCK_GZ);
  let gx = load<usize>(at, BLOCK_GX);
  let gy = load<usize>(at, BLOCK_GY);
  const mask = load<usize>(at, BLOCK_MASK);
  const run = load<usize>(at, BLOCK_RUN);
  const count = load<u32>(at, BLOCK_COUNT);
  for (let e: u32 = 0; e < count; e++) {
    for (let b: usize = 0; b < run; b += 16) {
      const g = v128.load(gz + b);
      const chosen = v128.load(mask + b);
      if (gx != 0)
        v128.store(gx + b, v128.add<real>(v128.load(gx + b), v128.and(g, chosen)));
      if (gy != 0)
        v128.store(gy + b, v128.add<real>(v128.load(gy + b), v128.andnot(g, chosen)));
    }
    gz += run;
    if (gx != 0) gx += load<usize>(at, BLOCK_GX_STEP);
    if (gy != 0) gy += load<usize>(at, BLOCK_GY_STEP);
  }
}

/** z = COUNT elements of x from element AUX · i on, where i is the lane's own index y. */
export function gatherForward(at: usize): void {
  const x = load<usize>(at, BLOCK_X);
  const xStep = load<usize>(at, BLOCK_X_STEP);
  const xMask = load<usize>(at, BLOCK_X_MASK);
  const y = load<usize>(at, BLOCK_Y);
  const z = load<usize>(at, BLOCK_Z);
  const zStep = load<usize>(at, BLOCK_Z_STEP);
  const limit = load<u32>(at, BLOCK_ROWS);
  const run = load<usize>(at, BLOCK_RUN);
  const count = load<u32>(at, BLOCK_COUNT);
  const stride = load<u32>(at, BLOCK_AUX);
  for (let b: usize = 0; b < run; b += sizeof<real>()) {
    const row = indexAt(y + b, limit);
    for (let e: u32 = 0; e < count; e++) {
      const from = x + <usize>(row * stride + e) * xStep + (b & xMask);
      store<real>(z + <usize>e * zStep + b, load<real>(from));
    }
  }
}

/** Adds the lane's g to the elements it was gathered from. */
export function gatherAdjoint(at: usize): void {
  const gx = load<usize>(at, BLOCK_GX);
  const gxStep = load<usize>(at, BLOCK_GX_STEP);
  const y = load<usize>(at, BLOCK_Y);
  const gz = load<usize>(at, BLOCK_GZ);
  const limit = load<u32>(at, BLOCK_ROWS);
  const run = load<usize>(at, BLOCK_RUN);
  const count = load<u32>(at, BLOCK_COUNT);
  const stride = load<u32>(at, BLOCK_AUX);
  if (gx == 0) return;
  for (let b: usize = 0; b < run; b += sizeof<real>()) {
    const row = indexAt(y + b, limit);
    for (let e: u32 = 0; e < count; e++) {
      const to = gx + <usize>(row * stride + e) * gxStep + b;
      store<real>(to, load<real>(to) + load<real>(gz + <usize>e * run + b));
    }
  }
}

/** A lane's index; 0 where it is no index at all: such a lane is not in the context. */
// @ts-ignore: decorator
@inline function indexAt(at: usize, limit: u32): u32 {
  const wanted = load<real>(at);
  return wanted >= 0 && wanted < <real>limit ? <u32>wanted : 0;
}

/** The first element of z: whether all elements of x and y are equal. The rest is scratch. */
export function equalForward(at: usize): void {
  numEqualForward(at);
  const z = load<usize>(at, BLOCK_Z);
  const zStep = load<usize>(at, BLOCK_Z_STEP);
  const run = load<usize>(at, BLOCK_RUN);
  const count = load<u32>(at, BLOCK_COUNT);
  for (let e: u32 = 1; e < count; e++) {
    const from = z + <usize>e * zStep;
    for (let b: usize = 0; b < run; b += 16)
      v128.store(z + b, v128.and(v128.load(z + b), v128.load(from + b)));
  }
}
