/**
 * Reductions over all elements of one payload: vsum, norm, normalize, trace. Sums run over the
 * elements in ascending order, starting from the first; a matrix counts row by row.
 *
 *   vsum       z = sum of x[e]                 gx[e] += gz
 *   norm       z = sqrt(sum of x[e]²)          gx[e] += (gz / z) x[e]; norm'(0) = 0
 *   normalize  z[e] = x[e] / |x|; 0 for x = 0  gx[e] += (gz[e] - z[e] (z · gz)) / |x|; 0 for x = 0
 *   trace      z = sum of x[i,i]               gx[i,i] += gz
 *
 * `norm` covers matrices too (Frobenius). It squares without scaling, so elements beyond the square
 * root of the number range overflow or vanish.
 */
import {
  BLOCK_GX, BLOCK_GX_STEP, BLOCK_GZ, BLOCK_INNER, BLOCK_ROWS, BLOCK_RUN, BLOCK_X, BLOCK_X_MASK,
  BLOCK_X_STEP, BLOCK_Z, BLOCK_Z_MASK, BLOCK_Z_RUN, BLOCK_Z_STEP,
} from "../../src/program/layout";
import { accumulate, add, div, isZero, mul, sub, zero } from "./simd";

/** Sum of `count` elements that lie `step` bytes apart. */
// @ts-ignore: decorator
@inline function sumOf(at: usize, step: usize, count: usize): v128 {
  if (count == 0) return zero();
  let sum = v128.load(at);
  for (let e: usize = 1; e < count; e++) {
    at += step;
    sum = add(sum, v128.load(at));
  }
  return sum;
}

/** Sum of the products of two runs of `count` elements. */
// @ts-ignore: decorator
@inline export function dotOf(a: usize, aStep: usize, b: usize, bStep: usize, count: usize): v128 {
  if (count == 0) return zero();
  let sum = mul(v128.load(a), v128.load(b));
  for (let e: usize = 1; e < count; e++) {
    a += aStep;
    b += bStep;
    sum = add(sum, mul(v128.load(a), v128.load(b)));
  }
  return sum;
}

// @ts-ignore: decorator
@inline function normOf(at: usize, step: usize, count: usize): v128 {
  return v128.sqrt<real>(dotOf(at, step, at, step, count));
}

// @ts-ignore: decorator
@inline function elementCount(at: usize): usize {
  return load<u32>(at, BLOCK_ROWS) * load<u32>(at, BLOCK_INNER);
}

export function vsumForward(at: usize): void {
  const count = elementCount(at);
  const x: usize = load<u32>(at, BLOCK_X);
  const step: usize = load<u32>(at, BLOCK_X_STEP);
  const mask: usize = load<u32>(at, BLOCK_X_MASK);
  const z: usize = load<u32>(at, BLOCK_Z);
  const run: usize = load<u32>(at, BLOCK_Z_RUN);
  for (let lane: usize = 0; lane < run; lane += 16) {
    v128.store(z + lane, sumOf(x + (lane & mask), step, count));
  }
}

export function vsumAdjoint(at: usize): void {
  addToEach(at, elementCount(at), load<u32>(at, BLOCK_GX_STEP));
}

/** Adds gz to `count` elements of gx that lie `step` bytes apart. */
function addToEach(at: usize, count: usize, step: usize): void {
  let gx: usize = load<u32>(at, BLOCK_GX);
  if (gx == 0) return;
  const gz: usize = load<u32>(at, BLOCK_GZ);
  const run: usize = load<u32>(at, BLOCK_RUN);
  for (let e: usize = 0; e < count; e++) {
    for (let lane: usize = 0; lane < run; lane += 16) accumulate(gx + lane, v128.load(gz + lane));
    gx += step;
  }
}

export function normForward(at: usize): void {
  const count = elementCount(at);
  const x: usize = load<u32>(at, BLOCK_X);
  const step: usize = load<u32>(at, BLOCK_X_STEP);
  const mask: usize = load<u32>(at, BLOCK_X_MASK);
  const z: usize = load<u32>(at, BLOCK_Z);
  const run: usize = load<u32>(at, BLOCK_Z_RUN);
  for (let lane: usize = 0; lane < run; lane += 16) {
    v128.store(z + lane, normOf(x + (lane & mask), step, count));
  }
}

export function normAdjoint(at: usize): void {
  const gx: usize = load<u32>(at, BLOCK_GX);
  if (gx == 0) return;
  const count = elementCount(at);
  const x: usize = load<u32>(at, BLOCK_X);
  const step: usize = load<u32>(at, BLOCK_X_STEP);
  const mask: usize = load<u32>(at, BLOCK_X_MASK);
  const z: usize = load<u32>(at, BLOCK_Z);
  const zMask: usize = load<u32>(at, BLOCK_Z_MASK);
  const gz: usize = load<u32>(at, BLOCK_GZ);
  const gxStep: usize = load<u32>(at, BLOCK_GX_STEP);
  const run: usize = load<u32>(at, BLOCK_RUN);
  for (let lane: usize = 0; lane < run; lane += 16) {
    const length = v128.load(z + (lane & zMask));
    const silent = isZero(length);
    const slope = div(v128.load(gz + lane), length);
    let xAt = x + (lane & mask);
    let to = gx + lane;
    for (let e: usize = 0; e < count; e++) {
      accumulate(to, v128.andnot(mul(slope, v128.load(xAt)), silent));
      xAt += step;
      to += gxStep;
    }
  }
}

export function normalizeForward(at: usize): void {
  const count = elementCount(at);
  const x: usize = load<u32>(at, BLOCK_X);
  const step: usize = load<u32>(at, BLOCK_X_STEP);
  const mask: usize = load<u32>(at, BLOCK_X_MASK);
  const z: usize = load<u32>(at, BLOCK_Z);
  const zStep: usize = load<u32>(at, BLOCK_Z_STEP);
  const run: usize = load<u32>(at, BLOCK_Z_RUN);
  for (let lane: usize = 0; lane < run; lane += 16) {
    let xAt = x + (lane & mask);
    let to = z + lane;
    const length = normOf(xAt, step, count);
    const silent = isZero(length);
    for (let e: usize = 0; e < count; e++) {
      v128.store(to, v128.andnot(div(v128.load(xAt), length), silent));
      xAt += step;
      to += zStep;
    }
  }
}

export function normalizeAdjoint(at: usize): void {
  const gx: usize = load<u32>(at, BLOCK_GX);
  if (gx == 0) return;
  const count = elementCount(at);
  const x: usize = load<u32>(at, BLOCK_X);
  const step: usize = load<u32>(at, BLOCK_X_STEP);
  const mask: usize = load<u32>(at, BLOCK_X_MASK);
  const z: usize = load<u32>(at, BLOCK_Z);
  const zStep: usize = load<u32>(at, BLOCK_Z_STEP);
  const zMask: usize = load<u32>(at, BLOCK_Z_MASK);
  const gz: usize = load<u32>(at, BLOCK_GZ);
  const gxStep: usize = load<u32>(at, BLOCK_GX_STEP);
  const run: usize = load<u32>(at, BLOCK_RUN);
  for (let lane: usize = 0; lane < run; lane += 16) {
    const length = normOf(x + (lane & mask), step, count);
    const silent = isZero(length);
    let zAt = z + (lane & zMask);
    let from = gz + lane;
    const along = dotOf(zAt, zStep, from, run, count);
    let to = gx + lane;
    for (let e: usize = 0; e < count; e++) {
      const across = sub(v128.load(from), mul(v128.load(zAt), along));
      accumulate(to, v128.andnot(div(across, length), silent));
      zAt += zStep;
      from += run;
      to += gxStep;
    }
  }
}

export function traceForward(at: usize): void {
  const n: usize = load<u32>(at, BLOCK_ROWS);
  const x: usize = load<u32>(at, BLOCK_X);
  const step: usize = load<u32>(at, BLOCK_X_STEP);
  const mask: usize = load<u32>(at, BLOCK_X_MASK);
  const z: usize = load<u32>(at, BLOCK_Z);
  const run: usize = load<u32>(at, BLOCK_Z_RUN);
  for (let lane: usize = 0; lane < run; lane += 16) {
    v128.store(z + lane, sumOf(x + (lane & mask), (n + 1) * step, n));
  }
}

export function traceAdjoint(at: usize): void {
  const n: usize = load<u32>(at, BLOCK_ROWS);
  addToEach(at, n, (n + 1) * load<u32>(at, BLOCK_GX_STEP));
}
