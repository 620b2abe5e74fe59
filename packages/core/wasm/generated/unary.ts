/**
 * Element-wise kernels of one operand.
 * Generated from src/primitives by `npm run gen`; do not edit.
 */
import {
  blockAt,
  OperandBlock,
} from "../memory/layout";
import {
  acosV,
  asinV,
  atanV,
  cosV,
  coshV,
  digammaV,
  erfV,
  expV,
  expm1V,
  lgammaV,
  log1pV,
  logV,
  sigmoidV,
  sinV,
  sinhV,
  softplusV,
  storeSinCosV,
  tanV,
  tanhV,
} from "../math/index";

/** z = −x */
export function negForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        v128.store(zAt, v128.neg<real>(xv));
      }
      {
        const xv = v128.load(xAt, 16);
        v128.store(zAt, v128.neg<real>(xv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      v128.store(zAt, v128.neg<real>(xv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, v128.neg<real>(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += −g */
export function negAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b;
          {
            const gv = v128.load(gAt);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(gv)));
          }
          {
            const gv = v128.load(gAt, 16);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(gv)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b;
          const gv = v128.load(gAt);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(gv)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b;
        {
          const gv = v128.load(gAt);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.neg<real>(gv)));
        }
        {
          const gv = v128.load(gAt, 16);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.neg<real>(gv)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b;
        const gv = v128.load(gAt);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.neg<real>(gv)));
      }
      return;
    }
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.neg<real>(gv)));
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
    }
  }
}

/** z = |x| */
export function absForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        v128.store(zAt, v128.abs<real>(xv));
      }
      {
        const xv = v128.load(xAt, 16);
        v128.store(zAt, v128.abs<real>(xv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      v128.store(zAt, v128.abs<real>(xv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, v128.abs<real>(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += (−g if x < 0, else g) if x ≠ 0, else 0 */
export function absAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let x = blockAt(at).x, g = blockAt(at).gz;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, xAt = x + b, gAt = g + b;
          {
            const xv = v128.load(xAt), gv = v128.load(gAt);
            const t0 = v128.lt<real>(xv, v128.splat<real>(0));
            const t1 = v128.bitselect(v128.neg<real>(gv), gv, t0);
            const t2 = v128.ne<real>(xv, v128.splat<real>(0));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.and(t1, t2)));
          }
          {
            const xv = v128.load(xAt, 16), gv = v128.load(gAt, 16);
            const t0 = v128.lt<real>(xv, v128.splat<real>(0));
            const t1 = v128.bitselect(v128.neg<real>(gv), gv, t0);
            const t2 = v128.ne<real>(xv, v128.splat<real>(0));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.and(t1, t2)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, xAt = x + b, gAt = g + b;
          const xv = v128.load(xAt), gv = v128.load(gAt);
          const t0 = v128.lt<real>(xv, v128.splat<real>(0));
          const t1 = v128.bitselect(v128.neg<real>(gv), gv, t0);
          const t2 = v128.ne<real>(xv, v128.splat<real>(0));
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.and(t1, t2)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, xAt = x + b, gAt = g + b;
        {
          const xv = v128.load(xAt), gv = v128.load(gAt);
          const t0 = v128.lt<real>(xv, v128.splat<real>(0));
          const t1 = v128.bitselect(v128.neg<real>(gv), gv, t0);
          const t2 = v128.ne<real>(xv, v128.splat<real>(0));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.and(t1, t2)));
        }
        {
          const xv = v128.load(xAt, 16), gv = v128.load(gAt, 16);
          const t0 = v128.lt<real>(xv, v128.splat<real>(0));
          const t1 = v128.bitselect(v128.neg<real>(gv), gv, t0);
          const t2 = v128.ne<real>(xv, v128.splat<real>(0));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.and(t1, t2)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, xAt = x + b, gAt = g + b;
        const xv = v128.load(xAt), gv = v128.load(gAt);
        const t0 = v128.lt<real>(xv, v128.splat<real>(0));
        const t1 = v128.bitselect(v128.neg<real>(gv), gv, t0);
        const t2 = v128.ne<real>(xv, v128.splat<real>(0));
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.and(t1, t2)));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const xv = v128.load(xAt), gv = v128.load(g + b);
        const t0 = v128.lt<real>(xv, v128.splat<real>(0));
        const t1 = v128.bitselect(v128.neg<real>(gv), gv, t0);
        const t2 = v128.ne<real>(xv, v128.splat<real>(0));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.and(t1, t2)));
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      x += blockAt(at).xStep;
      g += run;
    }
  }
}

/** z = ⌊x⌋ */
export function floorForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        v128.store(zAt, v128.floor<real>(xv));
      }
      {
        const xv = v128.load(xAt, 16);
        v128.store(zAt, v128.floor<real>(xv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      v128.store(zAt, v128.floor<real>(xv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, v128.floor<real>(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** z = ⌈x⌉ */
export function ceilingForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        v128.store(zAt, v128.ceil<real>(xv));
      }
      {
        const xv = v128.load(xAt, 16);
        v128.store(zAt, v128.ceil<real>(xv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      v128.store(zAt, v128.ceil<real>(xv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, v128.ceil<real>(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** z = nearest(x) */
export function roundForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        v128.store(zAt, v128.nearest<real>(xv));
      }
      {
        const xv = v128.load(xAt, 16);
        v128.store(zAt, v128.nearest<real>(xv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      v128.store(zAt, v128.nearest<real>(xv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, v128.nearest<real>(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** z = trunc(x) */
export function truncateForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        v128.store(zAt, v128.trunc<real>(xv));
      }
      {
        const xv = v128.load(xAt, 16);
        v128.store(zAt, v128.trunc<real>(xv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      v128.store(zAt, v128.trunc<real>(xv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, v128.trunc<real>(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** z = x² */
export function squareForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        v128.store(zAt, v128.mul<real>(xv, xv));
      }
      {
        const xv = v128.load(xAt, 16);
        v128.store(zAt, v128.mul<real>(xv, xv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      v128.store(zAt, v128.mul<real>(xv, xv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, v128.mul<real>(xv, xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g·(2·x) */
export function squareAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt);
            const t0 = v128.mul<real>(gv, v128.add<real>(xv, xv));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t0));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16);
            const t0 = v128.mul<real>(gv, v128.add<real>(xv, xv));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t0), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b;
          const gv = v128.load(gAt), xv = v128.load(xAt);
          const t0 = v128.mul<real>(gv, v128.add<real>(xv, xv));
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t0));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt);
          const t0 = v128.mul<real>(gv, v128.add<real>(xv, xv));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), t0));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16);
          const t0 = v128.mul<real>(gv, v128.add<real>(xv, xv));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), t0), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b;
        const gv = v128.load(gAt), xv = v128.load(xAt);
        const t0 = v128.mul<real>(gv, v128.add<real>(xv, xv));
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), t0));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt);
        const t0 = v128.mul<real>(gv, v128.add<real>(xv, xv));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), t0));
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
    }
  }
}

/** z = √x */
export function sqrtForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        v128.store(zAt, v128.sqrt<real>(xv));
      }
      {
        const xv = v128.load(xAt, 16);
        v128.store(zAt, v128.sqrt<real>(xv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      v128.store(zAt, v128.sqrt<real>(xv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, v128.sqrt<real>(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += ½·g/z */
export function sqrtAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, z = blockAt(at).z;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).zMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, zAt = z + b;
          {
            const gv = v128.load(gAt), zv = v128.load(zAt);
            const t0 = v128.mul<real>(v128.splat<real>(0.5), gv);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(t0, zv)));
          }
          {
            const gv = v128.load(gAt, 16), zv = v128.load(zAt, 16);
            const t0 = v128.mul<real>(v128.splat<real>(0.5), gv);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(t0, zv)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, zAt = z + b;
          const gv = v128.load(gAt), zv = v128.load(zAt);
          const t0 = v128.mul<real>(v128.splat<real>(0.5), gv);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(t0, zv)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, zAt = z + b;
        {
          const gv = v128.load(gAt), zv = v128.load(zAt);
          const t0 = v128.mul<real>(v128.splat<real>(0.5), gv);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.div<real>(t0, zv)));
        }
        {
          const gv = v128.load(gAt, 16), zv = v128.load(zAt, 16);
          const t0 = v128.mul<real>(v128.splat<real>(0.5), gv);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.div<real>(t0, zv)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, zAt = z + b;
        const gv = v128.load(gAt), zv = v128.load(zAt);
        const t0 = v128.mul<real>(v128.splat<real>(0.5), gv);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.div<real>(t0, zv)));
      }
      return;
    }
    const zNext = blockAt(at).zMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let zAt = z;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), zv = v128.load(zAt);
        const t0 = v128.mul<real>(v128.splat<real>(0.5), gv);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.div<real>(t0, zv)));
        zAt += zNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      z += blockAt(at).zStep;
    }
  }
}

/** z = exp(x) */
export function expForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, expV(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g·z */
export function expAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, z = blockAt(at).z;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).zMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, zAt = z + b;
          {
            const gv = v128.load(gAt), zv = v128.load(zAt);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, zv)));
          }
          {
            const gv = v128.load(gAt, 16), zv = v128.load(zAt, 16);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, zv)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, zAt = z + b;
          const gv = v128.load(gAt), zv = v128.load(zAt);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, zv)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, zAt = z + b;
        {
          const gv = v128.load(gAt), zv = v128.load(zAt);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.mul<real>(gv, zv)));
        }
        {
          const gv = v128.load(gAt, 16), zv = v128.load(zAt, 16);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.mul<real>(gv, zv)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, zAt = z + b;
        const gv = v128.load(gAt), zv = v128.load(zAt);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.mul<real>(gv, zv)));
      }
      return;
    }
    const zNext = blockAt(at).zMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let zAt = z;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), zv = v128.load(zAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.mul<real>(gv, zv)));
        zAt += zNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      z += blockAt(at).zStep;
    }
  }
}

/** z = log(x) */
export function logForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, logV(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g/x */
export function logAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(gv, xv)));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(gv, xv)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b;
          const gv = v128.load(gAt), xv = v128.load(xAt);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(gv, xv)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.div<real>(gv, xv)));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.div<real>(gv, xv)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b;
        const gv = v128.load(gAt), xv = v128.load(xAt);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.div<real>(gv, xv)));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.div<real>(gv, xv)));
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
    }
  }
}

/** z = sin(x) */
export function sinForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const slope = blockAt(at).slope & ~1;
  if (slope != 0) {
    const run = blockAt(at).zRun;
    for (let b: usize = 0; b < run; b += 16) storeSinCosV(v128.load(x + b), z + b, slope + b);
    blockAt(at).slope = slope;
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, sinV(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g·cos(x) */
export function sinAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    const slope = blockAt(at).slope;
    if (slope != 0 && (slope & 1) == 0) {
      let g = blockAt(at).gz, s = blockAt(at).slope;
      let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
      if (blockAt(at).count == 1) {
        if ((blockAt(at).xKept) == 0) {
          let b: usize = 0;
          const run = blockAt(at).run;
          for (; b + 32 <= run; b += 32) {
            const gxAt = gx + b, gAt = g + b, sAt = s + b;
            {
              const gv = v128.load(gAt), sv = v128.load(sAt);
              v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, sv)));
            }
            {
              const gv = v128.load(gAt, 16), sv = v128.load(sAt, 16);
              v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, sv)), 16);
            }
          }
          if (b < run) {
            const gxAt = gx + b, gAt = g + b, sAt = s + b;
            const gv = v128.load(gAt), sv = v128.load(sAt);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, sv)));
          }
          return;
        }
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, sAt = s + b;
          {
            const gv = v128.load(gAt), sv = v128.load(sAt);
            v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.mul<real>(gv, sv)));
          }
          {
            const gv = v128.load(gAt, 16), sv = v128.load(sAt, 16);
            v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.mul<real>(gv, sv)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, sAt = s + b;
          const gv = v128.load(gAt), sv = v128.load(sAt);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.mul<real>(gv, sv)));
        }
        return;
      }
      const run = blockAt(at).run;
      for (let left = blockAt(at).count; left != 0;) {
        for (let b: usize = 0; b < run; b += 16) {
          const gv = v128.load(g + b), sv = v128.load(s + b);
          v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.mul<real>(gv, sv)));
        }
        if (--left == 0) break;
        gx += blockAt(at).gxStep;
        if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
        g += run;
        s += run;
      }
      return;
    }
    let g = blockAt(at).gz, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    const xNext = blockAt(at).xMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.mul<real>(gv, cosV(xv))));
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
    }
  }
}

/** z = cos(x) */
export function cosForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const slope = blockAt(at).slope & ~1;
  if (slope != 0) {
    const run = blockAt(at).zRun;
    for (let b: usize = 0; b < run; b += 16) storeSinCosV(v128.load(x + b), slope + b, z + b);
    blockAt(at).slope = slope;
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, cosV(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += −g·sin(x) */
export function cosAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    const slope = blockAt(at).slope;
    if (slope != 0 && (slope & 1) == 0) {
      let g = blockAt(at).gz, s = blockAt(at).slope;
      let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
      if (blockAt(at).count == 1) {
        if ((blockAt(at).xKept) == 0) {
          let b: usize = 0;
          const run = blockAt(at).run;
          for (; b + 32 <= run; b += 32) {
            const gxAt = gx + b, gAt = g + b, sAt = s + b;
            {
              const gv = v128.load(gAt), sv = v128.load(sAt);
              const t0 = v128.neg<real>(v128.mul<real>(gv, sv));
              v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t0));
            }
            {
              const gv = v128.load(gAt, 16), sv = v128.load(sAt, 16);
              const t0 = v128.neg<real>(v128.mul<real>(gv, sv));
              v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t0), 16);
            }
          }
          if (b < run) {
            const gxAt = gx + b, gAt = g + b, sAt = s + b;
            const gv = v128.load(gAt), sv = v128.load(sAt);
            const t0 = v128.neg<real>(v128.mul<real>(gv, sv));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t0));
          }
          return;
        }
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, sAt = s + b;
          {
            const gv = v128.load(gAt), sv = v128.load(sAt);
            const t0 = v128.neg<real>(v128.mul<real>(gv, sv));
            v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), t0));
          }
          {
            const gv = v128.load(gAt, 16), sv = v128.load(sAt, 16);
            const t0 = v128.neg<real>(v128.mul<real>(gv, sv));
            v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), t0), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, sAt = s + b;
          const gv = v128.load(gAt), sv = v128.load(sAt);
          const t0 = v128.neg<real>(v128.mul<real>(gv, sv));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), t0));
        }
        return;
      }
      const run = blockAt(at).run;
      for (let left = blockAt(at).count; left != 0;) {
        for (let b: usize = 0; b < run; b += 16) {
          const gv = v128.load(g + b), sv = v128.load(s + b);
          const t0 = v128.neg<real>(v128.mul<real>(gv, sv));
          v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), t0));
        }
        if (--left == 0) break;
        gx += blockAt(at).gxStep;
        if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
        g += run;
        s += run;
      }
      return;
    }
    let g = blockAt(at).gz, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    const xNext = blockAt(at).xMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt);
        const t0 = v128.neg<real>(v128.mul<real>(gv, sinV(xv)));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), t0));
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
    }
  }
}

/** z = tan(x) */
export function tanForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, tanV(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g·(1 + z²) */
export function tanAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, z = blockAt(at).z;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).zMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, zAt = z + b;
          {
            const gv = v128.load(gAt), zv = v128.load(zAt);
            const t0 = v128.add<real>(v128.splat<real>(1), v128.mul<real>(zv, zv));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, t0)));
          }
          {
            const gv = v128.load(gAt, 16), zv = v128.load(zAt, 16);
            const t0 = v128.add<real>(v128.splat<real>(1), v128.mul<real>(zv, zv));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, t0)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, zAt = z + b;
          const gv = v128.load(gAt), zv = v128.load(zAt);
          const t0 = v128.add<real>(v128.splat<real>(1), v128.mul<real>(zv, zv));
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, t0)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, zAt = z + b;
        {
          const gv = v128.load(gAt), zv = v128.load(zAt);
          const t0 = v128.add<real>(v128.splat<real>(1), v128.mul<real>(zv, zv));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.mul<real>(gv, t0)));
        }
        {
          const gv = v128.load(gAt, 16), zv = v128.load(zAt, 16);
          const t0 = v128.add<real>(v128.splat<real>(1), v128.mul<real>(zv, zv));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.mul<real>(gv, t0)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, zAt = z + b;
        const gv = v128.load(gAt), zv = v128.load(zAt);
        const t0 = v128.add<real>(v128.splat<real>(1), v128.mul<real>(zv, zv));
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.mul<real>(gv, t0)));
      }
      return;
    }
    const zNext = blockAt(at).zMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let zAt = z;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), zv = v128.load(zAt);
        const t0 = v128.add<real>(v128.splat<real>(1), v128.mul<real>(zv, zv));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.mul<real>(gv, t0)));
        zAt += zNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      z += blockAt(at).zStep;
    }
  }
}

/** z = asin(x) */
export function asinForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, asinV(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g/√((1 − x)·(1 + x)) */
export function asinAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt);
            const t0 = v128.sub<real>(v128.splat<real>(1), xv);
            const t1 = v128.add<real>(v128.splat<real>(1), xv);
            const t2 = v128.sqrt<real>(v128.mul<real>(t0, t1));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(gv, t2)));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16);
            const t0 = v128.sub<real>(v128.splat<real>(1), xv);
            const t1 = v128.add<real>(v128.splat<real>(1), xv);
            const t2 = v128.sqrt<real>(v128.mul<real>(t0, t1));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(gv, t2)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b;
          const gv = v128.load(gAt), xv = v128.load(xAt);
          const t0 = v128.sub<real>(v128.splat<real>(1), xv);
          const t1 = v128.add<real>(v128.splat<real>(1), xv);
          const t2 = v128.sqrt<real>(v128.mul<real>(t0, t1));
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(gv, t2)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt);
          const t0 = v128.sub<real>(v128.splat<real>(1), xv);
          const t1 = v128.add<real>(v128.splat<real>(1), xv);
          const t2 = v128.sqrt<real>(v128.mul<real>(t0, t1));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.div<real>(gv, t2)));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16);
          const t0 = v128.sub<real>(v128.splat<real>(1), xv);
          const t1 = v128.add<real>(v128.splat<real>(1), xv);
          const t2 = v128.sqrt<real>(v128.mul<real>(t0, t1));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.div<real>(gv, t2)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b;
        const gv = v128.load(gAt), xv = v128.load(xAt);
        const t0 = v128.sub<real>(v128.splat<real>(1), xv);
        const t1 = v128.add<real>(v128.splat<real>(1), xv);
        const t2 = v128.sqrt<real>(v128.mul<real>(t0, t1));
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.div<real>(gv, t2)));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt);
        const t0 = v128.sub<real>(v128.splat<real>(1), xv);
        const t1 = v128.add<real>(v128.splat<real>(1), xv);
        const t2 = v128.sqrt<real>(v128.mul<real>(t0, t1));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.div<real>(gv, t2)));
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
    }
  }
}

/** z = acos(x) */
export function acosForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, acosV(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += −g/√((1 − x)·(1 + x)) */
export function acosAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt);
            const t0 = v128.sub<real>(v128.splat<real>(1), xv);
            const t1 = v128.add<real>(v128.splat<real>(1), xv);
            const t2 = v128.sqrt<real>(v128.mul<real>(t0, t1));
            const t3 = v128.neg<real>(v128.div<real>(gv, t2));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t3));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16);
            const t0 = v128.sub<real>(v128.splat<real>(1), xv);
            const t1 = v128.add<real>(v128.splat<real>(1), xv);
            const t2 = v128.sqrt<real>(v128.mul<real>(t0, t1));
            const t3 = v128.neg<real>(v128.div<real>(gv, t2));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t3), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b;
          const gv = v128.load(gAt), xv = v128.load(xAt);
          const t0 = v128.sub<real>(v128.splat<real>(1), xv);
          const t1 = v128.add<real>(v128.splat<real>(1), xv);
          const t2 = v128.sqrt<real>(v128.mul<real>(t0, t1));
          const t3 = v128.neg<real>(v128.div<real>(gv, t2));
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t3));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt);
          const t0 = v128.sub<real>(v128.splat<real>(1), xv);
          const t1 = v128.add<real>(v128.splat<real>(1), xv);
          const t2 = v128.sqrt<real>(v128.mul<real>(t0, t1));
          const t3 = v128.neg<real>(v128.div<real>(gv, t2));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), t3));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16);
          const t0 = v128.sub<real>(v128.splat<real>(1), xv);
          const t1 = v128.add<real>(v128.splat<real>(1), xv);
          const t2 = v128.sqrt<real>(v128.mul<real>(t0, t1));
          const t3 = v128.neg<real>(v128.div<real>(gv, t2));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), t3), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b;
        const gv = v128.load(gAt), xv = v128.load(xAt);
        const t0 = v128.sub<real>(v128.splat<real>(1), xv);
        const t1 = v128.add<real>(v128.splat<real>(1), xv);
        const t2 = v128.sqrt<real>(v128.mul<real>(t0, t1));
        const t3 = v128.neg<real>(v128.div<real>(gv, t2));
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), t3));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt);
        const t0 = v128.sub<real>(v128.splat<real>(1), xv);
        const t1 = v128.add<real>(v128.splat<real>(1), xv);
        const t2 = v128.sqrt<real>(v128.mul<real>(t0, t1));
        const t3 = v128.neg<real>(v128.div<real>(gv, t2));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), t3));
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
    }
  }
}

/** z = atan(x) */
export function atanForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, atanV(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g/(1 + x²) */
export function atanAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt);
            const t0 = v128.add<real>(v128.splat<real>(1), v128.mul<real>(xv, xv));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(gv, t0)));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16);
            const t0 = v128.add<real>(v128.splat<real>(1), v128.mul<real>(xv, xv));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(gv, t0)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b;
          const gv = v128.load(gAt), xv = v128.load(xAt);
          const t0 = v128.add<real>(v128.splat<real>(1), v128.mul<real>(xv, xv));
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(gv, t0)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt);
          const t0 = v128.add<real>(v128.splat<real>(1), v128.mul<real>(xv, xv));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.div<real>(gv, t0)));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16);
          const t0 = v128.add<real>(v128.splat<real>(1), v128.mul<real>(xv, xv));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.div<real>(gv, t0)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b;
        const gv = v128.load(gAt), xv = v128.load(xAt);
        const t0 = v128.add<real>(v128.splat<real>(1), v128.mul<real>(xv, xv));
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.div<real>(gv, t0)));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt);
        const t0 = v128.add<real>(v128.splat<real>(1), v128.mul<real>(xv, xv));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.div<real>(gv, t0)));
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
    }
  }
}

/** z = sinh(x) */
export function sinhForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, sinhV(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g·cosh(x) */
export function sinhAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    const xNext = blockAt(at).xMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.mul<real>(gv, coshV(xv))));
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
    }
  }
}

/** z = cosh(x) */
export function coshForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, coshV(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g·sinh(x) */
export function coshAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    const xNext = blockAt(at).xMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.mul<real>(gv, sinhV(xv))));
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
    }
  }
}

/** z = tanh(x) */
export function tanhForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, tanhV(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g·(1 − z²) */
export function tanhAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, z = blockAt(at).z;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).zMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, zAt = z + b;
          {
            const gv = v128.load(gAt), zv = v128.load(zAt);
            const t0 = v128.sub<real>(v128.splat<real>(1), v128.mul<real>(zv, zv));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, t0)));
          }
          {
            const gv = v128.load(gAt, 16), zv = v128.load(zAt, 16);
            const t0 = v128.sub<real>(v128.splat<real>(1), v128.mul<real>(zv, zv));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, t0)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, zAt = z + b;
          const gv = v128.load(gAt), zv = v128.load(zAt);
          const t0 = v128.sub<real>(v128.splat<real>(1), v128.mul<real>(zv, zv));
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, t0)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, zAt = z + b;
        {
          const gv = v128.load(gAt), zv = v128.load(zAt);
          const t0 = v128.sub<real>(v128.splat<real>(1), v128.mul<real>(zv, zv));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.mul<real>(gv, t0)));
        }
        {
          const gv = v128.load(gAt, 16), zv = v128.load(zAt, 16);
          const t0 = v128.sub<real>(v128.splat<real>(1), v128.mul<real>(zv, zv));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.mul<real>(gv, t0)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, zAt = z + b;
        const gv = v128.load(gAt), zv = v128.load(zAt);
        const t0 = v128.sub<real>(v128.splat<real>(1), v128.mul<real>(zv, zv));
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.mul<real>(gv, t0)));
      }
      return;
    }
    const zNext = blockAt(at).zMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let zAt = z;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), zv = v128.load(zAt);
        const t0 = v128.sub<real>(v128.splat<real>(1), v128.mul<real>(zv, zv));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.mul<real>(gv, t0)));
        zAt += zNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      z += blockAt(at).zStep;
    }
  }
}

/** z = log1p(x) */
export function log1pForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, log1pV(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g/(1 + x) */
export function log1pAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt);
            const t0 = v128.add<real>(v128.splat<real>(1), xv);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(gv, t0)));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16);
            const t0 = v128.add<real>(v128.splat<real>(1), xv);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(gv, t0)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b;
          const gv = v128.load(gAt), xv = v128.load(xAt);
          const t0 = v128.add<real>(v128.splat<real>(1), xv);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(gv, t0)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt);
          const t0 = v128.add<real>(v128.splat<real>(1), xv);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.div<real>(gv, t0)));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16);
          const t0 = v128.add<real>(v128.splat<real>(1), xv);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.div<real>(gv, t0)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b;
        const gv = v128.load(gAt), xv = v128.load(xAt);
        const t0 = v128.add<real>(v128.splat<real>(1), xv);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.div<real>(gv, t0)));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt);
        const t0 = v128.add<real>(v128.splat<real>(1), xv);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.div<real>(gv, t0)));
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
    }
  }
}

/** z = expm1(x) */
export function expm1Forward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, expm1V(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g·(z + 1) */
export function expm1Adjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, z = blockAt(at).z;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).zMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, zAt = z + b;
          {
            const gv = v128.load(gAt), zv = v128.load(zAt);
            const t0 = v128.add<real>(zv, v128.splat<real>(1));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, t0)));
          }
          {
            const gv = v128.load(gAt, 16), zv = v128.load(zAt, 16);
            const t0 = v128.add<real>(zv, v128.splat<real>(1));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, t0)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, zAt = z + b;
          const gv = v128.load(gAt), zv = v128.load(zAt);
          const t0 = v128.add<real>(zv, v128.splat<real>(1));
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, t0)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, zAt = z + b;
        {
          const gv = v128.load(gAt), zv = v128.load(zAt);
          const t0 = v128.add<real>(zv, v128.splat<real>(1));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.mul<real>(gv, t0)));
        }
        {
          const gv = v128.load(gAt, 16), zv = v128.load(zAt, 16);
          const t0 = v128.add<real>(zv, v128.splat<real>(1));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.mul<real>(gv, t0)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, zAt = z + b;
        const gv = v128.load(gAt), zv = v128.load(zAt);
        const t0 = v128.add<real>(zv, v128.splat<real>(1));
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.mul<real>(gv, t0)));
      }
      return;
    }
    const zNext = blockAt(at).zMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let zAt = z;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), zv = v128.load(zAt);
        const t0 = v128.add<real>(zv, v128.splat<real>(1));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.mul<real>(gv, t0)));
        zAt += zNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      z += blockAt(at).zStep;
    }
  }
}

/** z = sigmoid(x) */
export function sigmoidForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, sigmoidV(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g·(z·(1 − z)) */
export function sigmoidAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, z = blockAt(at).z;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).zMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, zAt = z + b;
          {
            const gv = v128.load(gAt), zv = v128.load(zAt);
            const t0 = v128.sub<real>(v128.splat<real>(1), zv);
            const t1 = v128.mul<real>(gv, v128.mul<real>(zv, t0));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t1));
          }
          {
            const gv = v128.load(gAt, 16), zv = v128.load(zAt, 16);
            const t0 = v128.sub<real>(v128.splat<real>(1), zv);
            const t1 = v128.mul<real>(gv, v128.mul<real>(zv, t0));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t1), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, zAt = z + b;
          const gv = v128.load(gAt), zv = v128.load(zAt);
          const t0 = v128.sub<real>(v128.splat<real>(1), zv);
          const t1 = v128.mul<real>(gv, v128.mul<real>(zv, t0));
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t1));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, zAt = z + b;
        {
          const gv = v128.load(gAt), zv = v128.load(zAt);
          const t0 = v128.sub<real>(v128.splat<real>(1), zv);
          const t1 = v128.mul<real>(gv, v128.mul<real>(zv, t0));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), t1));
        }
        {
          const gv = v128.load(gAt, 16), zv = v128.load(zAt, 16);
          const t0 = v128.sub<real>(v128.splat<real>(1), zv);
          const t1 = v128.mul<real>(gv, v128.mul<real>(zv, t0));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), t1), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, zAt = z + b;
        const gv = v128.load(gAt), zv = v128.load(zAt);
        const t0 = v128.sub<real>(v128.splat<real>(1), zv);
        const t1 = v128.mul<real>(gv, v128.mul<real>(zv, t0));
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), t1));
      }
      return;
    }
    const zNext = blockAt(at).zMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let zAt = z;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), zv = v128.load(zAt);
        const t0 = v128.sub<real>(v128.splat<real>(1), zv);
        const t1 = v128.mul<real>(gv, v128.mul<real>(zv, t0));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), t1));
        zAt += zNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      z += blockAt(at).zStep;
    }
  }
}

/** z = softplus(x) */
export function softplusForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, softplusV(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g·sigmoid(x) */
export function softplusAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    const xNext = blockAt(at).xMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.mul<real>(gv, sigmoidV(xv))));
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
    }
  }
}

/** z = erf(x) */
export function erfForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, erfV(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g·(2/√π·exp(−x²)) */
export function erfAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    const xNext = blockAt(at).xMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt);
        const t0 = v128.neg<real>(v128.mul<real>(xv, xv));
        const t1 = v128.mul<real>(v128.splat<real>(1.1283791670955126), expV(t0));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.mul<real>(gv, t1)));
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
    }
  }
}

/** z = lgamma(x) */
export function lgammaForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, lgammaV(xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g·digamma(x) */
export function lgammaAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    const xNext = blockAt(at).xMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.mul<real>(gv, digammaV(xv))));
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
    }
  }
}

/** z = x */
export function exactForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        v128.store(zAt, xv);
      }
      {
        const xv = v128.load(xAt, 16);
        v128.store(zAt, xv, 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      v128.store(zAt, xv);
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, xv);
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g */
export function exactAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b;
          {
            const gv = v128.load(gAt);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv));
          }
          {
            const gv = v128.load(gAt, 16);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b;
          const gv = v128.load(gAt);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b;
        {
          const gv = v128.load(gAt);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), gv));
        }
        {
          const gv = v128.load(gAt, 16);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), gv), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b;
        const gv = v128.load(gAt);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), gv));
      }
      return;
    }
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), gv));
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
    }
  }
}

/** z = x */
export function inexactForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        v128.store(zAt, xv);
      }
      {
        const xv = v128.load(xAt, 16);
        v128.store(zAt, xv, 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      v128.store(zAt, xv);
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, xv);
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g */
export function inexactAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b;
          {
            const gv = v128.load(gAt);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv));
          }
          {
            const gv = v128.load(gAt, 16);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b;
          const gv = v128.load(gAt);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b;
        {
          const gv = v128.load(gAt);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), gv));
        }
        {
          const gv = v128.load(gAt, 16);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), gv), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b;
        const gv = v128.load(gAt);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), gv));
      }
      return;
    }
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), gv));
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
    }
  }
}

/** z = x */
export function copyForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        v128.store(zAt, xv);
      }
      {
        const xv = v128.load(xAt, 16);
        v128.store(zAt, xv, 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      v128.store(zAt, xv);
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, xv);
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g */
export function copyAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b;
          {
            const gv = v128.load(gAt);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv));
          }
          {
            const gv = v128.load(gAt, 16);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b;
          const gv = v128.load(gAt);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b;
        {
          const gv = v128.load(gAt);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), gv));
        }
        {
          const gv = v128.load(gAt, 16);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), gv), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b;
        const gv = v128.load(gAt);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), gv));
      }
      return;
    }
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), gv));
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
    }
  }
}

/** z = √max(x, 1e-8) */
export function sqrtClampForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        const t0 = v128.max<real>(xv, v128.splat<real>(1e-8));
        v128.store(zAt, v128.sqrt<real>(t0));
      }
      {
        const xv = v128.load(xAt, 16);
        const t0 = v128.max<real>(xv, v128.splat<real>(1e-8));
        v128.store(zAt, v128.sqrt<real>(t0), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      const t0 = v128.max<real>(xv, v128.splat<real>(1e-8));
      v128.store(zAt, v128.sqrt<real>(t0));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      const t0 = v128.max<real>(xv, v128.splat<real>(1e-8));
      v128.store(z + b, v128.sqrt<real>(t0));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += ½·g/z if not (x < 1e-8), else 0 */
export function sqrtClampAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, z = blockAt(at).z, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).zMask & blockAt(at).xMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, zAt = z + b, xAt = x + b;
          {
            const gv = v128.load(gAt), zv = v128.load(zAt), xv = v128.load(xAt);
            const t0 = v128.mul<real>(v128.splat<real>(0.5), gv);
            const t1 = v128.lt<real>(xv, v128.splat<real>(1e-8));
            const t2 = v128.andnot(v128.div<real>(t0, zv), t1);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t2));
          }
          {
            const gv = v128.load(gAt, 16), zv = v128.load(zAt, 16), xv = v128.load(xAt, 16);
            const t0 = v128.mul<real>(v128.splat<real>(0.5), gv);
            const t1 = v128.lt<real>(xv, v128.splat<real>(1e-8));
            const t2 = v128.andnot(v128.div<real>(t0, zv), t1);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t2), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, zAt = z + b, xAt = x + b;
          const gv = v128.load(gAt), zv = v128.load(zAt), xv = v128.load(xAt);
          const t0 = v128.mul<real>(v128.splat<real>(0.5), gv);
          const t1 = v128.lt<real>(xv, v128.splat<real>(1e-8));
          const t2 = v128.andnot(v128.div<real>(t0, zv), t1);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t2));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, zAt = z + b, xAt = x + b;
        {
          const gv = v128.load(gAt), zv = v128.load(zAt), xv = v128.load(xAt);
          const t0 = v128.mul<real>(v128.splat<real>(0.5), gv);
          const t1 = v128.lt<real>(xv, v128.splat<real>(1e-8));
          const t2 = v128.andnot(v128.div<real>(t0, zv), t1);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), t2));
        }
        {
          const gv = v128.load(gAt, 16), zv = v128.load(zAt, 16), xv = v128.load(xAt, 16);
          const t0 = v128.mul<real>(v128.splat<real>(0.5), gv);
          const t1 = v128.lt<real>(xv, v128.splat<real>(1e-8));
          const t2 = v128.andnot(v128.div<real>(t0, zv), t1);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), t2), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, zAt = z + b, xAt = x + b;
        const gv = v128.load(gAt), zv = v128.load(zAt), xv = v128.load(xAt);
        const t0 = v128.mul<real>(v128.splat<real>(0.5), gv);
        const t1 = v128.lt<real>(xv, v128.splat<real>(1e-8));
        const t2 = v128.andnot(v128.div<real>(t0, zv), t1);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), t2));
      }
      return;
    }
    const zNext = blockAt(at).zMask & 16, xNext = blockAt(at).xMask & 16;
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let zAt = z, xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), zv = v128.load(zAt), xv = v128.load(xAt);
        const t0 = v128.mul<real>(v128.splat<real>(0.5), gv);
        const t1 = v128.lt<real>(xv, v128.splat<real>(1e-8));
        const t2 = v128.andnot(v128.div<real>(t0, zv), t1);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), t2));
        zAt += zNext;
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      z += blockAt(at).zStep;
      x += blockAt(at).xStep;
    }
  }
}

/** z = log(max(x, 1e-8)) */
export function logClampForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      const t0 = v128.max<real>(xv, v128.splat<real>(1e-8));
      v128.store(z + b, logV(t0));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** gx += g/x if not (x < 1e-8), else 0 */
export function logClampAdjoint(at: usize): void {
  let gx = blockAt(at).gx;
  if (gx) {
    let g = blockAt(at).gz, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt);
            const t0 = v128.lt<real>(xv, v128.splat<real>(1e-8));
            const t1 = v128.andnot(v128.div<real>(gv, xv), t0);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t1));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16);
            const t0 = v128.lt<real>(xv, v128.splat<real>(1e-8));
            const t1 = v128.andnot(v128.div<real>(gv, xv), t0);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t1), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b;
          const gv = v128.load(gAt), xv = v128.load(xAt);
          const t0 = v128.lt<real>(xv, v128.splat<real>(1e-8));
          const t1 = v128.andnot(v128.div<real>(gv, xv), t0);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t1));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt);
          const t0 = v128.lt<real>(xv, v128.splat<real>(1e-8));
          const t1 = v128.andnot(v128.div<real>(gv, xv), t0);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), t1));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16);
          const t0 = v128.lt<real>(xv, v128.splat<real>(1e-8));
          const t1 = v128.andnot(v128.div<real>(gv, xv), t0);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), t1), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b;
        const gv = v128.load(gAt), xv = v128.load(xAt);
        const t0 = v128.lt<real>(xv, v128.splat<real>(1e-8));
        const t1 = v128.andnot(v128.div<real>(gv, xv), t0);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), t1));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt);
        const t0 = v128.lt<real>(xv, v128.splat<real>(1e-8));
        const t1 = v128.andnot(v128.div<real>(gv, xv), t0);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), t1));
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
    }
  }
}
