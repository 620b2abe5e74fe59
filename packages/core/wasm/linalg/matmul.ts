/**
 * Products: matmul, matvec, outer, dot, cross. x is [rows, inner], y is [inner, cols]; a vector is
 * one column, except the first factor of `dot` (one row) and the second of `outer` (one row).
 *
 * Adjoints of z = x y:  gx += gz yT,  gy += xT gz.  Each element's contribution is summed first (in
 * ascending order) and then added to its target once; gx is finished before gy begins, so the two
 * may be one buffer.
 */
import { mulAdjoint, mulForward } from "../generated/binary";
import { blockAt, OperandBlock } from "../memory/layout";
import { smallShapes, usesSmall } from "../memory/switches";
import { productAdd, productStore } from "./product";
import { dotOf } from "./reductions";
import { accumulate, add, mul, sub } from "./simd";
import {
  dot2Adjoint,
  matmul2Adjoint,
  matmul2Forward,
  matvec2Adjoint,
  matvec2Forward,
  mulAdd2,
  outer2Adjoint,
} from "./small";

/** z[i,j] = sum over k of x[i,k] * y[k,j]. */
export function matmulForward(at: usize): void {
  const rows: usize = blockAt(at).rows;
  const inner: usize = blockAt(at).inner;
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
  const isSmall = usesSmall(rows, inner);
  if (isSmall && inner == 2 && cols == 2) {
    matmul2Forward(z, zStep, x, xStep, xMask, y, yStep, yMask, run);
  } else if (isSmall && inner == 2 && cols == 1) {
    matvec2Forward(z, zStep, x, xStep, xMask, y, yStep, yMask, run);
  } else {
    productStore(
      z,
      cols * zStep,
      zStep,
      x,
      inner * xStep,
      xStep,
      xMask,
      y,
      cols * yStep,
      yStep,
      yMask,
      rows,
      inner,
      cols,
      run,
    );
  }
}

/** gx[i,k] += sum over j of gz[i,j] * y[k,j];  gy[k,j] += sum over i of x[i,k] * gz[i,j]. */
export function matmulAdjoint(at: usize): void {
  const rows: usize = blockAt(at).rows;
  const inner: usize = blockAt(at).inner;
  const cols: usize = blockAt(at).cols;
  const x: usize = blockAt(at).x;
  const xStep: usize = blockAt(at).xStep;
  const xMask: usize = blockAt(at).xMask;
  const y: usize = blockAt(at).y;
  const yStep: usize = blockAt(at).yStep;
  const yMask: usize = blockAt(at).yMask;
  const gz: usize = blockAt(at).gz;
  const gx: usize = blockAt(at).gx;
  const gxStep: usize = blockAt(at).gxStep;
  const gy: usize = blockAt(at).gy;
  const gyStep: usize = blockAt(at).gyStep;
  const run: usize = blockAt(at).run;
  const isSmall = usesSmall(rows, inner);
  const xKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
  const yKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
  if (isSmall && inner == 2 && cols == 2) {
    matmul2Adjoint(gx, gxStep, xKept, gy, gyStep, yKept, gz, x, xStep, xMask, y, yStep, yMask, run);
    return;
  }
  if (isSmall && inner == 2 && cols == 1) {
    matvec2Adjoint(gx, gxStep, xKept, gy, gyStep, yKept, gz, x, xStep, xMask, y, yStep, yMask, run);
    return;
  }
  if (isSmall && inner == 1 && cols == 2) {
    outer2Adjoint(gx, gxStep, xKept, gy, gyStep, yKept, gz, x, xStep, xMask, y, yStep, yMask, run);
    return;
  }
  if (gx != 0) {
    productAdd(
      gx,
      inner * gxStep,
      gxStep,
      gz,
      cols * run,
      run,
      -1,
      y,
      yStep,
      cols * yStep,
      yMask,
      rows,
      cols,
      inner,
      run,
    );
  }
  if (gy != 0) {
    productAdd(
      gy,
      cols * gyStep,
      gyStep,
      x,
      xStep,
      inner * xStep,
      xMask,
      gz,
      cols * run,
      run,
      -1,
      inner,
      rows,
      cols,
      run,
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

/** z[i,j] = x[i] * y[j]. */
export function outerForward(at: usize): void {
  const rows: usize = blockAt(at).rows;
  const cols: usize = blockAt(at).cols;
  const xStep: usize = blockAt(at).xStep;
  const xMask: usize = blockAt(at).xMask;
  const yStep: usize = blockAt(at).yStep;
  const yMask: usize = blockAt(at).yMask;
  const zStep: usize = blockAt(at).zStep;
  const run: usize = blockAt(at).zRun;
  let x: usize = blockAt(at).x;
  let z: usize = blockAt(at).z;
  for (let i: usize = 0; i < rows; i++) {
    let y: usize = blockAt(at).y;
    for (let j: usize = 0; j < cols; j++) {
      for (let lane: usize = 0; lane < run; lane += 16) {
        const left = v128.load(x + (lane & xMask));
        v128.store(z + lane, mul(left, v128.load(y + (lane & yMask))));
      }
      y += yStep;
      z += zStep;
    }
    x += xStep;
  }
}

/** gx[i] += sum over j of gz[i,j] * y[j];  gy[j] += sum over i of x[i] * gz[i,j]. */
export function outerAdjoint(at: usize): void {
  matmulAdjoint(at);
}

/** z = sum over k of x[k] * y[k]. */
export function dotForward(at: usize): void {
  const count: usize = blockAt(at).inner;
  const x: usize = blockAt(at).x;
  const xStep: usize = blockAt(at).xStep;
  const xMask: usize = blockAt(at).xMask;
  const y: usize = blockAt(at).y;
  const yStep: usize = blockAt(at).yStep;
  const yMask: usize = blockAt(at).yMask;
  const z: usize = blockAt(at).z;
  const run: usize = blockAt(at).zRun;
  if (usesSmall(count, 1)) {
    for (let lane: usize = 0; lane < run; lane += 16) {
      const xAt = x + (lane & xMask);
      const yAt = y + (lane & yMask);
      const second = v128.load(yAt + yStep);
      v128.store(z + lane, mulAdd2(v128.load(xAt), v128.load(yAt), v128.load(xAt + xStep), second));
    }
    return;
  }
  for (let lane: usize = 0; lane < run; lane += 16) {
    v128.store(z + lane, dotOf(x + (lane & xMask), xStep, y + (lane & yMask), yStep, count));
  }
}

/** gx[k] += gz * y[k];  gy[k] += x[k] * gz. */
export function dotAdjoint(at: usize): void {
  const count: usize = blockAt(at).inner;
  const gz: usize = blockAt(at).gz;
  const run: usize = blockAt(at).run;
  const gx: usize = blockAt(at).gx;
  if (usesSmall(count, 1)) {
    dot2Adjoint(
      gx,
      blockAt(at).gxStep,
      v128.load32_splat(at, offsetof<OperandBlock>("xKept")),
      blockAt(at).gy,
      blockAt(at).gyStep,
      v128.load32_splat(at, offsetof<OperandBlock>("yKept")),
      gz,
      blockAt(at).x,
      blockAt(at).xStep,
      blockAt(at).xMask,
      blockAt(at).y,
      blockAt(at).yStep,
      blockAt(at).yMask,
      run,
    );
    return;
  }
  if (gx != 0) {
    addMultiples(
      gx,
      blockAt(at).gxStep,
      gz,
      blockAt(at).y,
      blockAt(at).yStep,
      blockAt(at).yMask,
      count,
      run,
    );
  }
  const gy: usize = blockAt(at).gy;
  if (gy != 0) {
    addMultiples(
      gy,
      blockAt(at).gyStep,
      gz,
      blockAt(at).x,
      blockAt(at).xStep,
      blockAt(at).xMask,
      count,
      run,
    );
  }
}

/** z = x · Y, as the element-wise product with a scalar. */
export function scaleForward(at: usize): void {
  mulForward(at);
}

/**
 * gx += sum over e of gz[e] * y[e];  gy[e] += gz[e] * x. Where only the scalar is active, its sum
 * stays in a register for four elements at a time, or for the elements that are left.
 */
export function scaleAdjoint(at: usize): void {
  const gx: usize = blockAt(at).gx;
  const count: usize = blockAt(at).count;
  if (gx == 0 || blockAt(at).gy != 0 || !smallShapes) {
    mulAdjoint(at);
    return;
  }
  const run: usize = blockAt(at).run;
  const yStep: usize = blockAt(at).yStep;
  const yMask: usize = blockAt(at).yMask;
  let kept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
  let gz: usize = blockAt(at).gz;
  let y: usize = blockAt(at).y;
  let left = count;
  for (; left >= 4; left -= 4) {
    for (let lane: usize = 0; lane < run; lane += 16) {
      const from = gz + lane;
      const yAt = y + (lane & yMask);
      let sum = v128.and(v128.load(gx + lane), kept);
      sum = add(sum, mul(v128.load(from), v128.load(yAt)));
      sum = add(sum, mul(v128.load(from + run), v128.load(yAt + yStep)));
      sum = add(sum, mul(v128.load(from + 2 * run), v128.load(yAt + 2 * yStep)));
      sum = add(sum, mul(v128.load(from + 3 * run), v128.load(yAt + 3 * yStep)));
      v128.store(gx + lane, sum);
    }
    kept = i32x4.splat(-1);
    gz += 4 * run;
    y += 4 * yStep;
  }
  if (left == 0) return;
  for (let lane: usize = 0; lane < run; lane += 16) {
    let from = gz + lane;
    let yAt = y + (lane & yMask);
    let sum = v128.and(v128.load(gx + lane), kept);
    for (let e: usize = 0; e < left; e++) {
      sum = add(sum, mul(v128.load(from), v128.load(yAt)));
      from += run;
      yAt += yStep;
    }
    v128.store(gx + lane, sum);
  }
}

/** to[k] += scalar * from[k]. */
function addMultiples(
  to: usize,
  toStep: usize,
  scalar: usize,
  from: usize,
  fromStep: usize,
  mask: usize,
  count: usize,
  run: usize,
): void {
  for (let k: usize = 0; k < count; k++) {
    for (let lane: usize = 0; lane < run; lane += 16) {
      accumulate(to + lane, mul(v128.load(scalar + lane), v128.load(from + (lane & mask))));
    }
    to += toStep;
    from += fromStep;
  }
}

/** z = x × y, the right-handed product of two vectors of length 3. */
export function crossForward(at: usize): void {
  const x: usize = blockAt(at).x;
  const xStep: usize = blockAt(at).xStep;
  const xMask: usize = blockAt(at).xMask;
  const y: usize = blockAt(at).y;
  const yStep: usize = blockAt(at).yStep;
  const yMask: usize = blockAt(at).yMask;
  const z: usize = blockAt(at).z;
  const zStep: usize = blockAt(at).zStep;
  const run: usize = blockAt(at).zRun;
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
  const gz: usize = blockAt(at).gz;
  const run: usize = blockAt(at).run;
  const gx: usize = blockAt(at).gx;
  if (gx != 0) {
    crossAdd(
      gx,
      blockAt(at).gxStep,
      blockAt(at).y,
      blockAt(at).yStep,
      blockAt(at).yMask,
      gz,
      run,
      -1,
      run,
    );
  }
  const gy: usize = blockAt(at).gy;
  if (gy != 0) {
    crossAdd(
      gy,
      blockAt(at).gyStep,
      gz,
      run,
      -1,
      blockAt(at).x,
      blockAt(at).xStep,
      blockAt(at).xMask,
      run,
    );
  }
}

/** c += a × b. */
function crossAdd(
  c: usize,
  cStep: usize,
  a: usize,
  aStep: usize,
  aMask: usize,
  b: usize,
  bStep: usize,
  bMask: usize,
  run: usize,
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
