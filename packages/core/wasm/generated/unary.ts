/**
 * Element-wise kernels of one operand.
 * Generated from src/primitives by `npm run gen`; do not edit.
 */
import {
  blockAt,
  OperandBlock,
} from "../memory/layout";
import {
  cosV,
  expV,
  logV,
  sinV,
  storeSinCosV,
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
