/**
 * Products and inverses of 2 × 2 matrices with all entries in registers, forward and adjoint in
 * one pass over the lanes. They add in the order of product.ts, so they give the same bits as
 * `productAny`.
 *
 * Arguments are the operand block's: an operand is base, bytes from element to element, lane mask.
 * A target of an adjoint is base, bytes from element to element, and what it keeps: all bits, or
 * none where this is the first addition to it.
 */
import { add, addTo, mul, neg, sub } from "./simd";

/** a b + c d, the sum of inner length 2. */
// @ts-ignore: decorator
@inline export function mulAdd2(a: v128, b: v128, c: v128, d: v128): v128 {
  return add(mul(a, b), mul(c, d));
}

/** z = x y. */
export function matmul2Forward(
  z: usize,
  zStep: usize,
  x: usize,
  xStep: usize,
  xMask: usize,
  y: usize,
  yStep: usize,
  yMask: usize,
  run: usize,
): void {
  const z1 = z + zStep;
  const z2 = z1 + zStep;
  const z3 = z2 + zStep;
  for (let lane: usize = 0; lane < run; lane += 16) {
    const xAt = x + (lane & xMask);
    const yAt = y + (lane & yMask);
    const x0 = v128.load(xAt);
    const x1 = v128.load(xAt + xStep);
    const x2 = v128.load(xAt + 2 * xStep);
    const x3 = v128.load(xAt + 3 * xStep);
    const y0 = v128.load(yAt);
    const y1 = v128.load(yAt + yStep);
    const y2 = v128.load(yAt + 2 * yStep);
    const y3 = v128.load(yAt + 3 * yStep);
    v128.store(z + lane, mulAdd2(x0, y0, x1, y2));
    v128.store(z1 + lane, mulAdd2(x0, y1, x1, y3));
    v128.store(z2 + lane, mulAdd2(x2, y0, x3, y2));
    v128.store(z3 + lane, mulAdd2(x2, y1, x3, y3));
  }
}

/** gx += gz yT;  gy += xT gz. An inactive side has target 0. */
export function matmul2Adjoint(
  gx: usize,
  gxStep: usize,
  xKept: v128,
  gy: usize,
  gyStep: usize,
  yKept: v128,
  gz: usize,
  x: usize,
  xStep: usize,
  xMask: usize,
  y: usize,
  yStep: usize,
  yMask: usize,
  run: usize,
): void {
  for (let lane: usize = 0; lane < run; lane += 16) {
    const from = gz + lane;
    const g0 = v128.load(from);
    const g1 = v128.load(from + run);
    const g2 = v128.load(from + 2 * run);
    const g3 = v128.load(from + 3 * run);
    if (gx != 0) {
      const yAt = y + (lane & yMask);
      const y0 = v128.load(yAt);
      const y1 = v128.load(yAt + yStep);
      const y2 = v128.load(yAt + 2 * yStep);
      const y3 = v128.load(yAt + 3 * yStep);
      const to = gx + lane;
      addTo(to, xKept, mulAdd2(g0, y0, g1, y1));
      addTo(to + gxStep, xKept, mulAdd2(g0, y2, g1, y3));
      addTo(to + 2 * gxStep, xKept, mulAdd2(g2, y0, g3, y1));
      addTo(to + 3 * gxStep, xKept, mulAdd2(g2, y2, g3, y3));
    }
    if (gy != 0) {
      const xAt = x + (lane & xMask);
      const x0 = v128.load(xAt);
      const x1 = v128.load(xAt + xStep);
      const x2 = v128.load(xAt + 2 * xStep);
      const x3 = v128.load(xAt + 3 * xStep);
      const to = gy + lane;
      addTo(to, yKept, mulAdd2(x0, g0, x2, g2));
      addTo(to + gyStep, yKept, mulAdd2(x0, g1, x2, g3));
      addTo(to + 2 * gyStep, yKept, mulAdd2(x1, g0, x3, g2));
      addTo(to + 3 * gyStep, yKept, mulAdd2(x1, g1, x3, g3));
    }
  }
}

/** z = x y, y a vector. */
export function matvec2Forward(
  z: usize,
  zStep: usize,
  x: usize,
  xStep: usize,
  xMask: usize,
  y: usize,
  yStep: usize,
  yMask: usize,
  run: usize,
): void {
  const z1 = z + zStep;
  for (let lane: usize = 0; lane < run; lane += 16) {
    const xAt = x + (lane & xMask);
    const yAt = y + (lane & yMask);
    const y0 = v128.load(yAt);
    const y1 = v128.load(yAt + yStep);
    const upper = mulAdd2(v128.load(xAt), y0, v128.load(xAt + xStep), y1);
    v128.store(z + lane, upper);
    v128.store(z1 + lane, mulAdd2(v128.load(xAt + 2 * xStep), y0, v128.load(xAt + 3 * xStep), y1));
  }
}

/** gx += gz yT;  gy += xT gz. An inactive side has target 0. */
export function matvec2Adjoint(
  gx: usize,
  gxStep: usize,
  xKept: v128,
  gy: usize,
  gyStep: usize,
  yKept: v128,
  gz: usize,
  x: usize,
  xStep: usize,
  xMask: usize,
  y: usize,
  yStep: usize,
  yMask: usize,
  run: usize,
): void {
  for (let lane: usize = 0; lane < run; lane += 16) {
    const g0 = v128.load(gz + lane);
    const g1 = v128.load(gz + run + lane);
    if (gx != 0) {
      const yAt = y + (lane & yMask);
      const y0 = v128.load(yAt);
      const y1 = v128.load(yAt + yStep);
      const to = gx + lane;
      addTo(to, xKept, mul(g0, y0));
      addTo(to + gxStep, xKept, mul(g0, y1));
      addTo(to + 2 * gxStep, xKept, mul(g1, y0));
      addTo(to + 3 * gxStep, xKept, mul(g1, y1));
    }
    if (gy != 0) {
      const xAt = x + (lane & xMask);
      const to = gy + lane;
      addTo(to, yKept, mulAdd2(v128.load(xAt), g0, v128.load(xAt + 2 * xStep), g1));
      addTo(
        to + gyStep,
        yKept,
        mulAdd2(v128.load(xAt + xStep), g0, v128.load(xAt + 3 * xStep), g1),
      );
    }
  }
}

/** gx += gz y;  gy += gzT x: the adjoint of z = x yT. An inactive side has target 0. */
export function outer2Adjoint(
  gx: usize,
  gxStep: usize,
  xKept: v128,
  gy: usize,
  gyStep: usize,
  yKept: v128,
  gz: usize,
  x: usize,
  xStep: usize,
  xMask: usize,
  y: usize,
  yStep: usize,
  yMask: usize,
  run: usize,
): void {
  for (let lane: usize = 0; lane < run; lane += 16) {
    const from = gz + lane;
    const g0 = v128.load(from);
    const g1 = v128.load(from + run);
    const g2 = v128.load(from + 2 * run);
    const g3 = v128.load(from + 3 * run);
    if (gx != 0) {
      const y0 = v128.load(y + (lane & yMask));
      const y1 = v128.load(y + yStep + (lane & yMask));
      addTo(gx + lane, xKept, mulAdd2(g0, y0, g1, y1));
      addTo(gx + gxStep + lane, xKept, mulAdd2(g2, y0, g3, y1));
    }
    if (gy != 0) {
      const x0 = v128.load(x + (lane & xMask));
      const x1 = v128.load(x + xStep + (lane & xMask));
      addTo(gy + lane, yKept, mulAdd2(x0, g0, x1, g2));
      addTo(gy + gyStep + lane, yKept, mulAdd2(x0, g1, x1, g3));
    }
  }
}

/** gx -= z gz z, the adjoint of the inverse of one number. */
export function inverse1Adjoint(gx: usize, gz: usize, z: usize, zMask: usize, run: usize): void {
  for (let lane: usize = 0; lane < run; lane += 16) {
    const inverse = v128.load(z + (lane & zMask));
    const inner = mul(v128.load(gz + lane), inverse);
    v128.store(gx + lane, sub(v128.load(gx + lane), mul(inverse, inner)));
  }
}

/** gx -= zT gz zT, the adjoint of z = x⁻¹. */
export function inverse2Adjoint(
  gx: usize,
  gxStep: usize,
  xKept: v128,
  gz: usize,
  z: usize,
  zStep: usize,
  zMask: usize,
  run: usize,
): void {
  for (let lane: usize = 0; lane < run; lane += 16) {
    const zAt = z + (lane & zMask);
    const z0 = v128.load(zAt);
    const z1 = v128.load(zAt + zStep);
    const z2 = v128.load(zAt + 2 * zStep);
    const z3 = v128.load(zAt + 3 * zStep);
    const from = gz + lane;
    const g0 = v128.load(from);
    const g1 = v128.load(from + run);
    const g2 = v128.load(from + 2 * run);
    const g3 = v128.load(from + 3 * run);
    const t0 = mulAdd2(g0, z0, g1, z1);
    const t1 = mulAdd2(g0, z2, g1, z3);
    const t2 = mulAdd2(g2, z0, g3, z1);
    const t3 = mulAdd2(g2, z2, g3, z3);
    const to = gx + lane;
    addTo(to, xKept, neg(mulAdd2(z0, t0, z2, t2)));
    addTo(to + gxStep, xKept, neg(mulAdd2(z0, t1, z2, t3)));
    addTo(to + 2 * gxStep, xKept, neg(mulAdd2(z1, t0, z3, t2)));
    addTo(to + 3 * gxStep, xKept, neg(mulAdd2(z1, t1, z3, t3)));
  }
}

/** z = |x|. */
export function determinant2Forward(
  z: usize,
  x: usize,
  xStep: usize,
  xMask: usize,
  run: usize,
): void {
  for (let lane: usize = 0; lane < run; lane += 16) {
    const xAt = x + (lane & xMask);
    const diagonal = mul(v128.load(xAt), v128.load(xAt + 3 * xStep));
    const other = mul(v128.load(xAt + xStep), v128.load(xAt + 2 * xStep));
    v128.store(z + lane, sub(diagonal, other));
  }
}

/** gx += gz cofactors(x), the adjoint of the determinant. */
export function determinant2Adjoint(
  gx: usize,
  gxStep: usize,
  xKept: v128,
  gz: usize,
  x: usize,
  xStep: usize,
  xMask: usize,
  run: usize,
): void {
  for (let lane: usize = 0; lane < run; lane += 16) {
    const xAt = x + (lane & xMask);
    const g = v128.load(gz + lane);
    const to = gx + lane;
    addTo(to, xKept, mul(g, v128.load(xAt + 3 * xStep)));
    addTo(to + gxStep, xKept, mul(g, neg(v128.load(xAt + 2 * xStep))));
    addTo(to + 2 * gxStep, xKept, mul(g, neg(v128.load(xAt + xStep))));
    addTo(to + 3 * gxStep, xKept, mul(g, v128.load(xAt)));
  }
}

/** gx += gz y;  gy += x gz: the adjoint of z = x · y of two vectors. */
export function dot2Adjoint(
  gx: usize,
  gxStep: usize,
  xKept: v128,
  gy: usize,
  gyStep: usize,
  yKept: v128,
  gz: usize,
  x: usize,
  xStep: usize,
  xMask: usize,
  y: usize,
  yStep: usize,
  yMask: usize,
  run: usize,
): void {
  for (let lane: usize = 0; lane < run; lane += 16) {
    const g = v128.load(gz + lane);
    if (gx != 0) {
      const yAt = y + (lane & yMask);
      addTo(gx + lane, xKept, mul(g, v128.load(yAt)));
      addTo(gx + gxStep + lane, xKept, mul(g, v128.load(yAt + yStep)));
    }
    if (gy != 0) {
      const xAt = x + (lane & xMask);
      addTo(gy + lane, yKept, mul(g, v128.load(xAt)));
      addTo(gy + gyStep + lane, yKept, mul(g, v128.load(xAt + xStep)));
    }
  }
}
