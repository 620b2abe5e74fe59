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
import { blockAt } from "../memory/layout";
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
  return blockAt(at).rows * blockAt(at).inner;
}

export function vsumForward(at: usize): void {
  const count = elementCount(at);
  const x: usize = blockAt(at).x;
  const step: usize = blockAt(at).xStep;
  const mask: usize = blockAt(at).xMask;
  const z: usize = blockAt(at).z;
  const run: usize = blockAt(at).zRun;
  for (let lane: usize = 0; lane < run; lane += 16) {
    v128.store(z + lane, sumOf(x + (lane & mask), step, count));
  }
}

export function vsumAdjoint(at: usize): void {
  addToEach(at, elementCount(at), blockAt(at).gxStep);
}

/** Adds gz to `count` elements of gx that lie `step` bytes apart. */
function addToEach(at: usize, count: usize, step: usize): void {
  let gx: usize = blockAt(at).gx;
  if (gx == 0) return;
  const gz: usize = blockAt(at).gz;
  const run: usize = blockAt(at).run;
  for (let e: usize = 0; e < count; e++) {
    for (let lane: usize = 0; lane < run; lane += 16) accumulate(gx + lane, v128.load(gz + lane));
    gx += step;
  }
}

export function normForward(at: usize): void {
  const count = elementCount(at);
  const x: usize = blockAt(at).x;
  const step: usize = blockAt(at).xStep;
  const mask: usize = blockAt(at).xMask;
  const z: usize = blockAt(at).z;
  const run: usize = blockAt(at).zRun;
  for (let lane: usize = 0; lane < run; lane += 16) {
    v128.store(z + lane, normOf(x + (lane & mask), step, count));
  }
}

export function normAdjoint(at: usize): void {
  const gx: usize = blockAt(at).gx;
  if (gx == 0) return;
  const count = elementCount(at);
  const x: usize = blockAt(at).x;
  const step: usize = blockAt(at).xStep;
  const mask: usize = blockAt(at).xMask;
  const z: usize = blockAt(at).z;
  const zMask: usize = blockAt(at).zMask;
  const gz: usize = blockAt(at).gz;
  const gxStep: usize = blockAt(at).gxStep;
  const run: usize = blockAt(at).run;
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
  const x: usize = blockAt(at).x;
  const step: usize = blockAt(at).xStep;
  const mask: usize = blockAt(at).xMask;
  const z: usize = blockAt(at).z;
  const zStep: usize = blockAt(at).zStep;
  const run: usize = blockAt(at).zRun;
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
  const gx: usize = blockAt(at).gx;
  if (gx == 0) return;
  const count = elementCount(at);
  const x: usize = blockAt(at).x;
  const step: usize = blockAt(at).xStep;
  const mask: usize = blockAt(at).xMask;
  const z: usize = blockAt(at).z;
  const zStep: usize = blockAt(at).zStep;
  const zMask: usize = blockAt(at).zMask;
  const gz: usize = blockAt(at).gz;
  const gxStep: usize = blockAt(at).gxStep;
  const run: usize = blockAt(at).run;
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
  const n: usize = blockAt(at).rows;
  const x: usize = blockAt(at).x;
  const step: usize = blockAt(at).xStep;
  const mask: usize = blockAt(at).xMask;
  const z: usize = blockAt(at).z;
  const run: usize = blockAt(at).zRun;
  for (let lane: usize = 0; lane < run; lane += 16) {
    v128.store(z + lane, sumOf(x + (lane & mask), (n + 1) * step, n));
  }
}

export function traceAdjoint(at: usize): void {
  const n: usize = blockAt(at).rows;
  addToEach(at, n, (n + 1) * blockAt(at).gxStep);
}
