/**
 * Element-wise kernels of ops that few programs have.
 * Generated from src/primitives by `npm run gen`; do not edit.
 */
import {
  blockAt,
  OperandBlock,
} from "../memory/layout";
import {
  acosV,
  asinV,
  atan2V,
  atanV,
  coshV,
  digammaV,
  erfV,
  expV,
  expm1V,
  gcdV,
  lgammaV,
  log1pV,
  logV,
  powV,
  remV,
  sigmoidV,
  sinhV,
  softplusV,
  tanV,
  tanhV,
} from "../math/index";

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
        const t0 = v128.pmax<real>(xv, v128.splat<real>(1e-8));
        v128.store(zAt, v128.sqrt<real>(t0));
      }
      {
        const xv = v128.load(xAt, 16);
        const t0 = v128.pmax<real>(xv, v128.splat<real>(1e-8));
        v128.store(zAt, v128.sqrt<real>(t0), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      const t0 = v128.pmax<real>(xv, v128.splat<real>(1e-8));
      v128.store(zAt, v128.sqrt<real>(t0));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      const t0 = v128.pmax<real>(xv, v128.splat<real>(1e-8));
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
      const t0 = v128.pmax<real>(xv, v128.splat<real>(1e-8));
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

/** z = min(x, y) */
export function minForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      {
        const xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(zAt, v128.min<real>(xv, yv));
      }
      {
        const xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
        v128.store(zAt, v128.min<real>(xv, yv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(zAt, v128.min<real>(xv, yv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.min<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}

/** gx += g if x ≤ y, else 0; gy += g if not (x ≤ y), else 0 */
export function minAdjoint(at: usize): void {
  let gx = blockAt(at).gx, gy = blockAt(at).gy;
  if (gx && gy) {
    let g = blockAt(at).gz, x = blockAt(at).x, y = blockAt(at).y;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
      if ((blockAt(at).xKept | blockAt(at).yKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
            const t0 = v128.le<real>(xv, yv);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.and(gv, t0)));
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.andnot(gv, t0)));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
            const t0 = v128.le<real>(xv, yv);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.and(gv, t0)), 16);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.andnot(gv, t0)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          const t0 = v128.le<real>(xv, yv);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.and(gv, t0)));
          v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.andnot(gv, t0)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          const t0 = v128.le<real>(xv, yv);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.and(gv, t0)));
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.andnot(gv, t0)));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
          const t0 = v128.le<real>(xv, yv);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.and(gv, t0)), 16);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt, 16), gyKept), v128.andnot(gv, t0)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
        const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.le<real>(xv, yv);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.and(gv, t0)));
        v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.andnot(gv, t0)));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.le<real>(xv, yv);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.and(gv, t0)));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.andnot(gv, t0)));
        xAt += xNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
      y += blockAt(at).yStep;
    }
  } else if (gx) {
    let g = blockAt(at).gz, x = blockAt(at).x, y = blockAt(at).y;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b, yAt = y + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.and(gv, v128.le<real>(xv, yv))));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.and(gv, v128.le<real>(xv, yv))), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b, yAt = y + b;
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.and(gv, v128.le<real>(xv, yv))));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b, yAt = y + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.and(gv, v128.le<real>(xv, yv))));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.and(gv, v128.le<real>(xv, yv))), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b, yAt = y + b;
        const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.and(gv, v128.le<real>(xv, yv))));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.and(gv, v128.le<real>(xv, yv))));
        xAt += xNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
      y += blockAt(at).yStep;
    }
  } else if (gy) {
    let g = blockAt(at).gz, x = blockAt(at).x, y = blockAt(at).y;
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
      if ((blockAt(at).yKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
            const t0 = v128.andnot(gv, v128.le<real>(xv, yv));
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), t0));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
            const t0 = v128.andnot(gv, v128.le<real>(xv, yv));
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), t0), 16);
          }
        }
        if (b < run) {
          const gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          const t0 = v128.andnot(gv, v128.le<real>(xv, yv));
          v128.store(gyAt, v128.add<real>(v128.splat<real>(0), t0));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          const t0 = v128.andnot(gv, v128.le<real>(xv, yv));
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), t0));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
          const t0 = v128.andnot(gv, v128.le<real>(xv, yv));
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt, 16), gyKept), t0), 16);
        }
      }
      if (b < run) {
        const gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
        const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.andnot(gv, v128.le<real>(xv, yv));
        v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), t0));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.andnot(gv, v128.le<real>(xv, yv));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), t0));
        xAt += xNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
      y += blockAt(at).yStep;
    }
  }
}

/** z = max(x, y) */
export function maxForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      {
        const xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(zAt, v128.max<real>(xv, yv));
      }
      {
        const xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
        v128.store(zAt, v128.max<real>(xv, yv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(zAt, v128.max<real>(xv, yv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.max<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}

/** gx += g if x ≥ y, else 0; gy += g if not (x ≥ y), else 0 */
export function maxAdjoint(at: usize): void {
  let gx = blockAt(at).gx, gy = blockAt(at).gy;
  if (gx && gy) {
    let g = blockAt(at).gz, x = blockAt(at).x, y = blockAt(at).y;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
      if ((blockAt(at).xKept | blockAt(at).yKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
            const t0 = v128.ge<real>(xv, yv);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.and(gv, t0)));
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.andnot(gv, t0)));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
            const t0 = v128.ge<real>(xv, yv);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.and(gv, t0)), 16);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.andnot(gv, t0)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          const t0 = v128.ge<real>(xv, yv);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.and(gv, t0)));
          v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.andnot(gv, t0)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          const t0 = v128.ge<real>(xv, yv);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.and(gv, t0)));
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.andnot(gv, t0)));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
          const t0 = v128.ge<real>(xv, yv);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.and(gv, t0)), 16);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt, 16), gyKept), v128.andnot(gv, t0)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
        const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.ge<real>(xv, yv);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.and(gv, t0)));
        v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.andnot(gv, t0)));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.ge<real>(xv, yv);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.and(gv, t0)));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.andnot(gv, t0)));
        xAt += xNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
      y += blockAt(at).yStep;
    }
  } else if (gx) {
    let g = blockAt(at).gz, x = blockAt(at).x, y = blockAt(at).y;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b, yAt = y + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.and(gv, v128.ge<real>(xv, yv))));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.and(gv, v128.ge<real>(xv, yv))), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b, yAt = y + b;
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.and(gv, v128.ge<real>(xv, yv))));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b, yAt = y + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.and(gv, v128.ge<real>(xv, yv))));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.and(gv, v128.ge<real>(xv, yv))), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b, yAt = y + b;
        const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.and(gv, v128.ge<real>(xv, yv))));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.and(gv, v128.ge<real>(xv, yv))));
        xAt += xNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
      y += blockAt(at).yStep;
    }
  } else if (gy) {
    let g = blockAt(at).gz, x = blockAt(at).x, y = blockAt(at).y;
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
      if ((blockAt(at).yKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
            const t0 = v128.andnot(gv, v128.ge<real>(xv, yv));
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), t0));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
            const t0 = v128.andnot(gv, v128.ge<real>(xv, yv));
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), t0), 16);
          }
        }
        if (b < run) {
          const gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          const t0 = v128.andnot(gv, v128.ge<real>(xv, yv));
          v128.store(gyAt, v128.add<real>(v128.splat<real>(0), t0));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          const t0 = v128.andnot(gv, v128.ge<real>(xv, yv));
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), t0));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
          const t0 = v128.andnot(gv, v128.ge<real>(xv, yv));
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt, 16), gyKept), t0), 16);
        }
      }
      if (b < run) {
        const gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
        const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.andnot(gv, v128.ge<real>(xv, yv));
        v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), t0));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.andnot(gv, v128.ge<real>(xv, yv));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), t0));
        xAt += xNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
      y += blockAt(at).yStep;
    }
  }
}

/** z = x^y */
export function powForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, powV(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}

/** gx += g·y·x^(y − 1) if y ≠ 0, else 0; gy += g·z·log(x) if not (x = 0 and y > 0), else 0 */
export function powAdjoint(at: usize): void {
  let gx = blockAt(at).gx, gy = blockAt(at).gy;
  if (gx && gy) {
    let g = blockAt(at).gz, y = blockAt(at).y, x = blockAt(at).x, z = blockAt(at).z;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    const yNext = blockAt(at).yMask & 16, xNext = blockAt(at).xMask & 16;
    const zNext = blockAt(at).zMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let yAt = y, xAt = x, zAt = z;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), yv = v128.load(yAt), xv = v128.load(xAt);
        const zv = v128.load(zAt);
        const t0 = v128.sub<real>(yv, v128.splat<real>(1));
        const t1 = v128.mul<real>(v128.mul<real>(gv, yv), powV(xv, t0));
        const t2 = v128.ne<real>(yv, v128.splat<real>(0));
        const t3 = v128.mul<real>(v128.mul<real>(gv, zv), logV(xv));
        const t4 = v128.eq<real>(xv, v128.splat<real>(0));
        const t5 = v128.gt<real>(yv, v128.splat<real>(0));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.and(t1, t2)));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.andnot(t3, v128.and(t4, t5))));
        yAt += yNext;
        xAt += xNext;
        zAt += zNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
      y += blockAt(at).yStep;
      x += blockAt(at).xStep;
      z += blockAt(at).zStep;
    }
  } else if (gx) {
    let g = blockAt(at).gz, y = blockAt(at).y, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    const yNext = blockAt(at).yMask & 16, xNext = blockAt(at).xMask & 16;
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let yAt = y, xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), yv = v128.load(yAt), xv = v128.load(xAt);
        const t0 = v128.sub<real>(yv, v128.splat<real>(1));
        const t1 = v128.mul<real>(v128.mul<real>(gv, yv), powV(xv, t0));
        const t2 = v128.ne<real>(yv, v128.splat<real>(0));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.and(t1, t2)));
        yAt += yNext;
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      y += blockAt(at).yStep;
      x += blockAt(at).xStep;
    }
  } else if (gy) {
    let g = blockAt(at).gz, z = blockAt(at).z, x = blockAt(at).x, y = blockAt(at).y;
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    const zNext = blockAt(at).zMask & 16, xNext = blockAt(at).xMask & 16;
    const yNext = blockAt(at).yMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let zAt = z, xAt = x, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), zv = v128.load(zAt), xv = v128.load(xAt);
        const yv = v128.load(yAt);
        const t0 = v128.mul<real>(v128.mul<real>(gv, zv), logV(xv));
        const t1 = v128.eq<real>(xv, v128.splat<real>(0));
        const t2 = v128.gt<real>(yv, v128.splat<real>(0));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.andnot(t0, v128.and(t1, t2))));
        zAt += zNext;
        xAt += xNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
      z += blockAt(at).zStep;
      x += blockAt(at).xStep;
      y += blockAt(at).yStep;
    }
  }
}

/** z = atan2(x, y) */
export function atan2Forward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, atan2V(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}

/** gx += g/(x² + y²)·y; gy += −g/(x² + y²)·x */
export function atan2Adjoint(at: usize): void {
  let gx = blockAt(at).gx, gy = blockAt(at).gy;
  if (gx && gy) {
    let g = blockAt(at).gz, x = blockAt(at).x, y = blockAt(at).y;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
      if ((blockAt(at).xKept | blockAt(at).yKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
            const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
            const t1 = v128.div<real>(gv, t0);
            const t2 = v128.neg<real>(v128.mul<real>(t1, xv));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(t1, yv)));
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), t2));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
            const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
            const t1 = v128.div<real>(gv, t0);
            const t2 = v128.neg<real>(v128.mul<real>(t1, xv));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(t1, yv)), 16);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), t2), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
          const t1 = v128.div<real>(gv, t0);
          const t2 = v128.neg<real>(v128.mul<real>(t1, xv));
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(t1, yv)));
          v128.store(gyAt, v128.add<real>(v128.splat<real>(0), t2));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
          const t1 = v128.div<real>(gv, t0);
          const t2 = v128.neg<real>(v128.mul<real>(t1, xv));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.mul<real>(t1, yv)));
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), t2));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
          const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
          const t1 = v128.div<real>(gv, t0);
          const t2 = v128.neg<real>(v128.mul<real>(t1, xv));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.mul<real>(t1, yv)), 16);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt, 16), gyKept), t2), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
        const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
        const t1 = v128.div<real>(gv, t0);
        const t2 = v128.neg<real>(v128.mul<real>(t1, xv));
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.mul<real>(t1, yv)));
        v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), t2));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
        const t1 = v128.div<real>(gv, t0);
        const t2 = v128.neg<real>(v128.mul<real>(t1, xv));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.mul<real>(t1, yv)));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), t2));
        xAt += xNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
      y += blockAt(at).yStep;
    }
  } else if (gx) {
    let g = blockAt(at).gz, x = blockAt(at).x, y = blockAt(at).y;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b, yAt = y + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
            const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
            const t1 = v128.mul<real>(v128.div<real>(gv, t0), yv);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t1));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
            const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
            const t1 = v128.mul<real>(v128.div<real>(gv, t0), yv);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t1), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, xAt = x + b, yAt = y + b;
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
          const t1 = v128.mul<real>(v128.div<real>(gv, t0), yv);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t1));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b, yAt = y + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
          const t1 = v128.mul<real>(v128.div<real>(gv, t0), yv);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), t1));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
          const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
          const t1 = v128.mul<real>(v128.div<real>(gv, t0), yv);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), t1), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, xAt = x + b, yAt = y + b;
        const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
        const t1 = v128.mul<real>(v128.div<real>(gv, t0), yv);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), t1));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
        const t1 = v128.mul<real>(v128.div<real>(gv, t0), yv);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), t1));
        xAt += xNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
      y += blockAt(at).yStep;
    }
  } else if (gy) {
    let g = blockAt(at).gz, x = blockAt(at).x, y = blockAt(at).y;
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
      if ((blockAt(at).yKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
            const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
            const t1 = v128.mul<real>(v128.div<real>(gv, t0), xv);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(t1)));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
            const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
            const t1 = v128.mul<real>(v128.div<real>(gv, t0), xv);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(t1)), 16);
          }
        }
        if (b < run) {
          const gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
          const t1 = v128.mul<real>(v128.div<real>(gv, t0), xv);
          v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(t1)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
          const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
          const t1 = v128.mul<real>(v128.div<real>(gv, t0), xv);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.neg<real>(t1)));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
          const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
          const t1 = v128.mul<real>(v128.div<real>(gv, t0), xv);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt, 16), gyKept), v128.neg<real>(t1)), 16);
        }
      }
      if (b < run) {
        const gyAt = gy + b, gAt = g + b, xAt = x + b, yAt = y + b;
        const gv = v128.load(gAt), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
        const t1 = v128.mul<real>(v128.div<real>(gv, t0), xv);
        v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.neg<real>(t1)));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.add<real>(v128.mul<real>(xv, xv), v128.mul<real>(yv, yv));
        const t1 = v128.mul<real>(v128.div<real>(gv, t0), xv);
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.neg<real>(t1)));
        xAt += xNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
      y += blockAt(at).yStep;
    }
  }
}

/** z = trunc(x/y) + 0 */
export function quotientForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      {
        const xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.trunc<real>(v128.div<real>(xv, yv));
        const t1 = v128.add<real>(t0, v128.splat<real>(0));
        v128.store(zAt, t1);
      }
      {
        const xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
        const t0 = v128.trunc<real>(v128.div<real>(xv, yv));
        const t1 = v128.add<real>(t0, v128.splat<real>(0));
        v128.store(zAt, t1, 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      const xv = v128.load(xAt), yv = v128.load(yAt);
      const t0 = v128.trunc<real>(v128.div<real>(xv, yv));
      const t1 = v128.add<real>(t0, v128.splat<real>(0));
      v128.store(zAt, t1);
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      const t0 = v128.trunc<real>(v128.div<real>(xv, yv));
      const t1 = v128.add<real>(t0, v128.splat<real>(0));
      v128.store(z + b, t1);
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}

/** z = rem(x, y) + 0 */
export function remainderForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      const t0 = v128.add<real>(remV(xv, yv), v128.splat<real>(0));
      v128.store(z + b, t0);
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}

/** gx += g; gy += −g·nearest((x − z)/y) */
export function remainderAdjoint(at: usize): void {
  let gx = blockAt(at).gx, gy = blockAt(at).gy;
  if (gx && gy) {
    let g = blockAt(at).gz, x = blockAt(at).x, z = blockAt(at).z, y = blockAt(at).y;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).zMask & blockAt(at).yMask) != 0) {
      if ((blockAt(at).xKept | blockAt(at).yKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gyAt = gy + b, gAt = g + b, xAt = x + b, zAt = z + b, yAt = y + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt), zv = v128.load(zAt), yv = v128.load(yAt);
            const t0 = v128.div<real>(v128.sub<real>(xv, zv), yv);
            const t1 = v128.mul<real>(gv, v128.nearest<real>(t0));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv));
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(t1)));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), zv = v128.load(zAt, 16);
            const yv = v128.load(yAt, 16);
            const t0 = v128.div<real>(v128.sub<real>(xv, zv), yv);
            const t1 = v128.mul<real>(gv, v128.nearest<real>(t0));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv), 16);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(t1)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gyAt = gy + b, gAt = g + b, xAt = x + b, zAt = z + b, yAt = y + b;
          const gv = v128.load(gAt), xv = v128.load(xAt), zv = v128.load(zAt), yv = v128.load(yAt);
          const t0 = v128.div<real>(v128.sub<real>(xv, zv), yv);
          const t1 = v128.mul<real>(gv, v128.nearest<real>(t0));
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv));
          v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(t1)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gyAt = gy + b, gAt = g + b, xAt = x + b, zAt = z + b, yAt = y + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt), zv = v128.load(zAt), yv = v128.load(yAt);
          const t0 = v128.div<real>(v128.sub<real>(xv, zv), yv);
          const t1 = v128.mul<real>(gv, v128.nearest<real>(t0));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), gv));
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.neg<real>(t1)));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), zv = v128.load(zAt, 16);
          const yv = v128.load(yAt, 16);
          const t0 = v128.div<real>(v128.sub<real>(xv, zv), yv);
          const t1 = v128.mul<real>(gv, v128.nearest<real>(t0));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), gv), 16);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt, 16), gyKept), v128.neg<real>(t1)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gyAt = gy + b, gAt = g + b, xAt = x + b, zAt = z + b, yAt = y + b;
        const gv = v128.load(gAt), xv = v128.load(xAt), zv = v128.load(zAt), yv = v128.load(yAt);
        const t0 = v128.div<real>(v128.sub<real>(xv, zv), yv);
        const t1 = v128.mul<real>(gv, v128.nearest<real>(t0));
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), gv));
        v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.neg<real>(t1)));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, zNext = blockAt(at).zMask & 16;
    const yNext = blockAt(at).yMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x, zAt = z, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), zv = v128.load(zAt);
        const yv = v128.load(yAt);
        const t0 = v128.div<real>(v128.sub<real>(xv, zv), yv);
        const t1 = v128.mul<real>(gv, v128.nearest<real>(t0));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), gv));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.neg<real>(t1)));
        xAt += xNext;
        zAt += zNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
      z += blockAt(at).zStep;
      y += blockAt(at).yStep;
    }
  } else if (gx) {
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
  } else if (gy) {
    let g = blockAt(at).gz, x = blockAt(at).x, z = blockAt(at).z, y = blockAt(at).y;
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).zMask & blockAt(at).yMask) != 0) {
      if ((blockAt(at).yKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gyAt = gy + b, gAt = g + b, xAt = x + b, zAt = z + b, yAt = y + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt), zv = v128.load(zAt), yv = v128.load(yAt);
            const t0 = v128.div<real>(v128.sub<real>(xv, zv), yv);
            const t1 = v128.mul<real>(gv, v128.nearest<real>(t0));
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(t1)));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), zv = v128.load(zAt, 16);
            const yv = v128.load(yAt, 16);
            const t0 = v128.div<real>(v128.sub<real>(xv, zv), yv);
            const t1 = v128.mul<real>(gv, v128.nearest<real>(t0));
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(t1)), 16);
          }
        }
        if (b < run) {
          const gyAt = gy + b, gAt = g + b, xAt = x + b, zAt = z + b, yAt = y + b;
          const gv = v128.load(gAt), xv = v128.load(xAt), zv = v128.load(zAt), yv = v128.load(yAt);
          const t0 = v128.div<real>(v128.sub<real>(xv, zv), yv);
          const t1 = v128.mul<real>(gv, v128.nearest<real>(t0));
          v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(t1)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gyAt = gy + b, gAt = g + b, xAt = x + b, zAt = z + b, yAt = y + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt), zv = v128.load(zAt), yv = v128.load(yAt);
          const t0 = v128.div<real>(v128.sub<real>(xv, zv), yv);
          const t1 = v128.mul<real>(gv, v128.nearest<real>(t0));
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.neg<real>(t1)));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16), zv = v128.load(zAt, 16);
          const yv = v128.load(yAt, 16);
          const t0 = v128.div<real>(v128.sub<real>(xv, zv), yv);
          const t1 = v128.mul<real>(gv, v128.nearest<real>(t0));
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt, 16), gyKept), v128.neg<real>(t1)), 16);
        }
      }
      if (b < run) {
        const gyAt = gy + b, gAt = g + b, xAt = x + b, zAt = z + b, yAt = y + b;
        const gv = v128.load(gAt), xv = v128.load(xAt), zv = v128.load(zAt), yv = v128.load(yAt);
        const t0 = v128.div<real>(v128.sub<real>(xv, zv), yv);
        const t1 = v128.mul<real>(gv, v128.nearest<real>(t0));
        v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.neg<real>(t1)));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, zNext = blockAt(at).zMask & 16;
    const yNext = blockAt(at).yMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x, zAt = z, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), zv = v128.load(zAt);
        const yv = v128.load(yAt);
        const t0 = v128.div<real>(v128.sub<real>(xv, zv), yv);
        const t1 = v128.mul<real>(gv, v128.nearest<real>(t0));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.neg<real>(t1)));
        xAt += xNext;
        zAt += zNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
      z += blockAt(at).zStep;
      y += blockAt(at).yStep;
    }
  }
}

/** z = rem(x, y) + 0 + (y if rem(x, y) + 0 < 0 and y > 0 or rem(x, y) + 0 > 0 and y < 0, else 0) */
export function moduloForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      const t0 = v128.add<real>(remV(xv, yv), v128.splat<real>(0));
      const t1 = v128.lt<real>(t0, v128.splat<real>(0));
      const t2 = v128.gt<real>(yv, v128.splat<real>(0));
      const t3 = v128.gt<real>(t0, v128.splat<real>(0));
      const t4 = v128.lt<real>(yv, v128.splat<real>(0));
      const t5 = v128.or(v128.and(t1, t2), v128.and(t3, t4));
      v128.store(z + b, v128.add<real>(t0, v128.and(yv, t5)));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}

/** gx += g; gy += −g·(nearest((x − rem(x, y))/y) − (1 if rem(x, y) < 0 and y > 0 or rem(x, y) > 0 and y < 0, else 0)) */
export function moduloAdjoint(at: usize): void {
  let gx = blockAt(at).gx, gy = blockAt(at).gy;
  if (gx && gy) {
    let g = blockAt(at).gz, x = blockAt(at).x, y = blockAt(at).y;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = remV(xv, yv);
        const t1 = v128.div<real>(v128.sub<real>(xv, t0), yv);
        const t2 = v128.lt<real>(t0, v128.splat<real>(0));
        const t3 = v128.gt<real>(yv, v128.splat<real>(0));
        const t4 = v128.gt<real>(t0, v128.splat<real>(0));
        const t5 = v128.lt<real>(yv, v128.splat<real>(0));
        const t6 = v128.or(v128.and(t2, t3), v128.and(t4, t5));
        const t7 = v128.sub<real>(v128.nearest<real>(t1), v128.and(v128.splat<real>(1), t6));
        const t8 = v128.neg<real>(v128.mul<real>(gv, t7));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), gv));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), t8));
        xAt += xNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
      y += blockAt(at).yStep;
    }
  } else if (gx) {
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
  } else if (gy) {
    let g = blockAt(at).gz, x = blockAt(at).x, y = blockAt(at).y;
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = remV(xv, yv);
        const t1 = v128.div<real>(v128.sub<real>(xv, t0), yv);
        const t2 = v128.lt<real>(t0, v128.splat<real>(0));
        const t3 = v128.gt<real>(yv, v128.splat<real>(0));
        const t4 = v128.gt<real>(t0, v128.splat<real>(0));
        const t5 = v128.lt<real>(yv, v128.splat<real>(0));
        const t6 = v128.or(v128.and(t2, t3), v128.and(t4, t5));
        const t7 = v128.sub<real>(v128.nearest<real>(t1), v128.and(v128.splat<real>(1), t6));
        const t8 = v128.neg<real>(v128.mul<real>(gv, t7));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), t8));
        xAt += xNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
      y += blockAt(at).yStep;
    }
  }
}

/** z = gcd(x, y) */
export function gcdForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, gcdV(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}

/** z = 0 if gcd(x, y) = 0, else |x/gcd(x, y)·y| */
export function lcmForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      const t0 = gcdV(xv, yv);
      const t1 = v128.eq<real>(t0, v128.splat<real>(0));
      const t2 = v128.mul<real>(v128.div<real>(xv, t0), yv);
      const t3 = v128.bitselect(v128.splat<real>(0), v128.abs<real>(t2), t1);
      v128.store(z + b, t3);
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}
