/**
 * Kernels of control: merging two numbers by lane, gathering by a lane's own index, comparing
 * tensors. They read the operand block like every kernel; `mask` is the address of a mask.
 */

import { numEqualForward } from "../generated/predicates";
import { blockAt } from "../memory/layout";

/** z = x in the lanes of the mask, y in the others. */
export function mergeForward(at: usize): void {
  let x = blockAt(at).x;
  let y = blockAt(at).y;
  let z = blockAt(at).z;
  const xMask = blockAt(at).xMask;
  const yMask = blockAt(at).yMask;
  const mask = blockAt(at).mask;
  const run = blockAt(at).run;
  const count = blockAt(at).count;
  for (let e: u32 = 0; e < count; e++) {
    for (let b: usize = 0; b < run; b += 16) {
      const chosen = v128.load(mask + b);
      const here = v128.load(x + (b & xMask));
      v128.store(z + b, v128.bitselect(here, v128.load(y + (b & yMask)), chosen));
    }
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
    z += blockAt(at).zStep;
  }
}

/** gx += g in the lanes of the mask, gy += g in the others. */
export function mergeAdjoint(at: usize): void {
  let gz = blockAt(at).gz;
  let gx = blockAt(at).gx;
  let gy = blockAt(at).gy;
  const mask = blockAt(at).mask;
  const run = blockAt(at).run;
  const count = blockAt(at).count;
  for (let e: u32 = 0; e < count; e++) {
    for (let b: usize = 0; b < run; b += 16) {
      const g = v128.load(gz + b);
      const chosen = v128.load(mask + b);
      if (gx != 0) v128.store(gx + b, v128.add<real>(v128.load(gx + b), v128.and(g, chosen)));
      if (gy != 0) v128.store(gy + b, v128.add<real>(v128.load(gy + b), v128.andnot(g, chosen)));
    }
    gz += run;
    if (gx != 0) gx += blockAt(at).gxStep;
    if (gy != 0) gy += blockAt(at).gyStep;
  }
}

/** z = COUNT elements of x from element AUX · i on, where i is the lane's own index y. */
export function gatherForward(at: usize): void {
  const x = blockAt(at).x;
  const xStep = blockAt(at).xStep;
  const xMask = blockAt(at).xMask;
  const y = blockAt(at).y;
  const z = blockAt(at).z;
  const zStep = blockAt(at).zStep;
  const limit = blockAt(at).rows;
  const run = blockAt(at).run;
  const count = blockAt(at).count;
  const stride = <u32>blockAt(at).aux;
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
  const gx = blockAt(at).gx;
  const gxStep = blockAt(at).gxStep;
  const y = blockAt(at).y;
  const gz = blockAt(at).gz;
  const limit = blockAt(at).rows;
  const run = blockAt(at).run;
  const count = blockAt(at).count;
  const stride = <u32>blockAt(at).aux;
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
  const z = blockAt(at).z;
  const zStep = blockAt(at).zStep;
  const run = blockAt(at).run;
  const count = blockAt(at).count;
  for (let e: u32 = 1; e < count; e++) {
    const from = z + <usize>e * zStep;
    for (let b: usize = 0; b < run; b += 16)
      v128.store(z + b, v128.and(v128.load(z + b), v128.load(from + b)));
  }
}
