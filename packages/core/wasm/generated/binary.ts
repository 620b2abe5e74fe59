/**
 * Element-wise kernels of two operands.
 * Generated from src/primitives by `npm run gen`; do not edit.
 */
import {
  blockAt,
  OperandBlock,
} from "../memory/layout";

/** z = x + y */
export function addForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      {
        const xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(zAt, v128.add<real>(xv, yv));
      }
      {
        const xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
        v128.store(zAt, v128.add<real>(xv, yv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(zAt, v128.add<real>(xv, yv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.add<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}

/** gx += g; gy += g */
export function addAdjoint(at: usize): void {
  let gx = blockAt(at).gx, gy = blockAt(at).gy;
  if (gx && gy) {
    let g = blockAt(at).gz;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    if (blockAt(at).count == 1) {
      if ((blockAt(at).xKept | blockAt(at).yKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gyAt = gy + b, gAt = g + b;
          {
            const gv = v128.load(gAt);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv));
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), gv));
          }
          {
            const gv = v128.load(gAt, 16);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv), 16);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), gv), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gyAt = gy + b, gAt = g + b;
          const gv = v128.load(gAt);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv));
          v128.store(gyAt, v128.add<real>(v128.splat<real>(0), gv));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gyAt = gy + b, gAt = g + b;
        {
          const gv = v128.load(gAt);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), gv));
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), gv));
        }
        {
          const gv = v128.load(gAt, 16);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), gv), 16);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt, 16), gyKept), gv), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gyAt = gy + b, gAt = g + b;
        const gv = v128.load(gAt);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), gv));
        v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), gv));
      }
      return;
    }
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), gv));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), gv));
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
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
    let g = blockAt(at).gz;
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    if (blockAt(at).count == 1) {
      if ((blockAt(at).yKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gyAt = gy + b, gAt = g + b;
          {
            const gv = v128.load(gAt);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), gv));
          }
          {
            const gv = v128.load(gAt, 16);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), gv), 16);
          }
        }
        if (b < run) {
          const gyAt = gy + b, gAt = g + b;
          const gv = v128.load(gAt);
          v128.store(gyAt, v128.add<real>(v128.splat<real>(0), gv));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gyAt = gy + b, gAt = g + b;
        {
          const gv = v128.load(gAt);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), gv));
        }
        {
          const gv = v128.load(gAt, 16);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt, 16), gyKept), gv), 16);
        }
      }
      if (b < run) {
        const gyAt = gy + b, gAt = g + b;
        const gv = v128.load(gAt);
        v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), gv));
      }
      return;
    }
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b);
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), gv));
      }
      if (--left == 0) break;
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
    }
  }
}

/** z = x − y */
export function subForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      {
        const xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(zAt, v128.sub<real>(xv, yv));
      }
      {
        const xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
        v128.store(zAt, v128.sub<real>(xv, yv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(zAt, v128.sub<real>(xv, yv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.sub<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}

/** gx += g; gy += −g */
export function subAdjoint(at: usize): void {
  let gx = blockAt(at).gx, gy = blockAt(at).gy;
  if (gx && gy) {
    let g = blockAt(at).gz;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    if (blockAt(at).count == 1) {
      if ((blockAt(at).xKept | blockAt(at).yKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gyAt = gy + b, gAt = g + b;
          {
            const gv = v128.load(gAt);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv));
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(gv)));
          }
          {
            const gv = v128.load(gAt, 16);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv), 16);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(gv)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gyAt = gy + b, gAt = g + b;
          const gv = v128.load(gAt);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), gv));
          v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(gv)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gyAt = gy + b, gAt = g + b;
        {
          const gv = v128.load(gAt);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), gv));
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.neg<real>(gv)));
        }
        {
          const gv = v128.load(gAt, 16);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), gv), 16);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt, 16), gyKept), v128.neg<real>(gv)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gyAt = gy + b, gAt = g + b;
        const gv = v128.load(gAt);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), gv));
        v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.neg<real>(gv)));
      }
      return;
    }
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), gv));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.neg<real>(gv)));
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
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
    let g = blockAt(at).gz;
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    if (blockAt(at).count == 1) {
      if ((blockAt(at).yKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gyAt = gy + b, gAt = g + b;
          {
            const gv = v128.load(gAt);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(gv)));
          }
          {
            const gv = v128.load(gAt, 16);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(gv)), 16);
          }
        }
        if (b < run) {
          const gyAt = gy + b, gAt = g + b;
          const gv = v128.load(gAt);
          v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(gv)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gyAt = gy + b, gAt = g + b;
        {
          const gv = v128.load(gAt);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.neg<real>(gv)));
        }
        {
          const gv = v128.load(gAt, 16);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt, 16), gyKept), v128.neg<real>(gv)), 16);
        }
      }
      if (b < run) {
        const gyAt = gy + b, gAt = g + b;
        const gv = v128.load(gAt);
        v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.neg<real>(gv)));
      }
      return;
    }
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b);
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.neg<real>(gv)));
      }
      if (--left == 0) break;
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
    }
  }
}

/** z = x·y */
export function mulForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      {
        const xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(zAt, v128.mul<real>(xv, yv));
      }
      {
        const xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
        v128.store(zAt, v128.mul<real>(xv, yv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(zAt, v128.mul<real>(xv, yv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.mul<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}

/** gx += g·y; gy += g·x */
export function mulAdjoint(at: usize): void {
  let gx = blockAt(at).gx, gy = blockAt(at).gy;
  if (gx && gy) {
    let g = blockAt(at).gz, y = blockAt(at).y, x = blockAt(at).x;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    if (blockAt(at).count == 1 && (blockAt(at).yMask & blockAt(at).xMask) != 0) {
      if ((blockAt(at).xKept | blockAt(at).yKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gyAt = gy + b, gAt = g + b, yAt = y + b, xAt = x + b;
          {
            const gv = v128.load(gAt), yv = v128.load(yAt), xv = v128.load(xAt);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, yv)));
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, xv)));
          }
          {
            const gv = v128.load(gAt, 16), yv = v128.load(yAt, 16), xv = v128.load(xAt, 16);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, yv)), 16);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, xv)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gyAt = gy + b, gAt = g + b, yAt = y + b, xAt = x + b;
          const gv = v128.load(gAt), yv = v128.load(yAt), xv = v128.load(xAt);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, yv)));
          v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, xv)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gyAt = gy + b, gAt = g + b, yAt = y + b, xAt = x + b;
        {
          const gv = v128.load(gAt), yv = v128.load(yAt), xv = v128.load(xAt);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.mul<real>(gv, yv)));
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.mul<real>(gv, xv)));
        }
        {
          const gv = v128.load(gAt, 16), yv = v128.load(yAt, 16), xv = v128.load(xAt, 16);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.mul<real>(gv, yv)), 16);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt, 16), gyKept), v128.mul<real>(gv, xv)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gyAt = gy + b, gAt = g + b, yAt = y + b, xAt = x + b;
        const gv = v128.load(gAt), yv = v128.load(yAt), xv = v128.load(xAt);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.mul<real>(gv, yv)));
        v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.mul<real>(gv, xv)));
      }
      return;
    }
    const yNext = blockAt(at).yMask & 16, xNext = blockAt(at).xMask & 16;
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let yAt = y, xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), yv = v128.load(yAt), xv = v128.load(xAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.mul<real>(gv, yv)));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.mul<real>(gv, xv)));
        yAt += yNext;
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
      y += blockAt(at).yStep;
      x += blockAt(at).xStep;
    }
  } else if (gx) {
    let g = blockAt(at).gz, y = blockAt(at).y;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).yMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, yAt = y + b;
          {
            const gv = v128.load(gAt), yv = v128.load(yAt);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, yv)));
          }
          {
            const gv = v128.load(gAt, 16), yv = v128.load(yAt, 16);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, yv)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, yAt = y + b;
          const gv = v128.load(gAt), yv = v128.load(yAt);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, yv)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, yAt = y + b;
        {
          const gv = v128.load(gAt), yv = v128.load(yAt);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.mul<real>(gv, yv)));
        }
        {
          const gv = v128.load(gAt, 16), yv = v128.load(yAt, 16);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.mul<real>(gv, yv)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, yAt = y + b;
        const gv = v128.load(gAt), yv = v128.load(yAt);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.mul<real>(gv, yv)));
      }
      return;
    }
    const yNext = blockAt(at).yMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), yv = v128.load(yAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.mul<real>(gv, yv)));
        yAt += yNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      y += blockAt(at).yStep;
    }
  } else if (gy) {
    let g = blockAt(at).gz, x = blockAt(at).x;
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
      if ((blockAt(at).yKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gyAt = gy + b, gAt = g + b, xAt = x + b;
          {
            const gv = v128.load(gAt), xv = v128.load(xAt);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, xv)));
          }
          {
            const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, xv)), 16);
          }
        }
        if (b < run) {
          const gyAt = gy + b, gAt = g + b, xAt = x + b;
          const gv = v128.load(gAt), xv = v128.load(xAt);
          v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.mul<real>(gv, xv)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gyAt = gy + b, gAt = g + b, xAt = x + b;
        {
          const gv = v128.load(gAt), xv = v128.load(xAt);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.mul<real>(gv, xv)));
        }
        {
          const gv = v128.load(gAt, 16), xv = v128.load(xAt, 16);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt, 16), gyKept), v128.mul<real>(gv, xv)), 16);
        }
      }
      if (b < run) {
        const gyAt = gy + b, gAt = g + b, xAt = x + b;
        const gv = v128.load(gAt), xv = v128.load(xAt);
        v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.mul<real>(gv, xv)));
      }
      return;
    }
    const xNext = blockAt(at).xMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt);
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.mul<real>(gv, xv)));
        xAt += xNext;
      }
      if (--left == 0) break;
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += blockAt(at).xStep;
    }
  }
}

/** z = x/y */
export function divForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      {
        const xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(zAt, v128.div<real>(xv, yv));
      }
      {
        const xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
        v128.store(zAt, v128.div<real>(xv, yv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(zAt, v128.div<real>(xv, yv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.div<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}

/** gx += g/y; gy += −g/y·z */
export function divAdjoint(at: usize): void {
  let gx = blockAt(at).gx, gy = blockAt(at).gy;
  if (gx && gy) {
    let g = blockAt(at).gz, y = blockAt(at).y, z = blockAt(at).z;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    if (blockAt(at).count == 1 && (blockAt(at).yMask & blockAt(at).zMask) != 0) {
      if ((blockAt(at).xKept | blockAt(at).yKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gyAt = gy + b, gAt = g + b, yAt = y + b, zAt = z + b;
          {
            const gv = v128.load(gAt), yv = v128.load(yAt), zv = v128.load(zAt);
            const t0 = v128.div<real>(gv, yv);
            const t1 = v128.neg<real>(v128.mul<real>(t0, zv));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t0));
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), t1));
          }
          {
            const gv = v128.load(gAt, 16), yv = v128.load(yAt, 16), zv = v128.load(zAt, 16);
            const t0 = v128.div<real>(gv, yv);
            const t1 = v128.neg<real>(v128.mul<real>(t0, zv));
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t0), 16);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), t1), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gyAt = gy + b, gAt = g + b, yAt = y + b, zAt = z + b;
          const gv = v128.load(gAt), yv = v128.load(yAt), zv = v128.load(zAt);
          const t0 = v128.div<real>(gv, yv);
          const t1 = v128.neg<real>(v128.mul<real>(t0, zv));
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), t0));
          v128.store(gyAt, v128.add<real>(v128.splat<real>(0), t1));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gyAt = gy + b, gAt = g + b, yAt = y + b, zAt = z + b;
        {
          const gv = v128.load(gAt), yv = v128.load(yAt), zv = v128.load(zAt);
          const t0 = v128.div<real>(gv, yv);
          const t1 = v128.neg<real>(v128.mul<real>(t0, zv));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), t0));
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), t1));
        }
        {
          const gv = v128.load(gAt, 16), yv = v128.load(yAt, 16), zv = v128.load(zAt, 16);
          const t0 = v128.div<real>(gv, yv);
          const t1 = v128.neg<real>(v128.mul<real>(t0, zv));
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), t0), 16);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt, 16), gyKept), t1), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gyAt = gy + b, gAt = g + b, yAt = y + b, zAt = z + b;
        const gv = v128.load(gAt), yv = v128.load(yAt), zv = v128.load(zAt);
        const t0 = v128.div<real>(gv, yv);
        const t1 = v128.neg<real>(v128.mul<real>(t0, zv));
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), t0));
        v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), t1));
      }
      return;
    }
    const yNext = blockAt(at).yMask & 16, zNext = blockAt(at).zMask & 16;
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let yAt = y, zAt = z;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), yv = v128.load(yAt), zv = v128.load(zAt);
        const t0 = v128.div<real>(gv, yv);
        const t1 = v128.neg<real>(v128.mul<real>(t0, zv));
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), t0));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), t1));
        yAt += yNext;
        zAt += zNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
      y += blockAt(at).yStep;
      z += blockAt(at).zStep;
    }
  } else if (gx) {
    let g = blockAt(at).gz, y = blockAt(at).y;
    let gxKept = v128.load32_splat(at, offsetof<OperandBlock>("xKept"));
    if (blockAt(at).count == 1 && (blockAt(at).yMask) != 0) {
      if ((blockAt(at).xKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gxAt = gx + b, gAt = g + b, yAt = y + b;
          {
            const gv = v128.load(gAt), yv = v128.load(yAt);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(gv, yv)));
          }
          {
            const gv = v128.load(gAt, 16), yv = v128.load(yAt, 16);
            v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(gv, yv)), 16);
          }
        }
        if (b < run) {
          const gxAt = gx + b, gAt = g + b, yAt = y + b;
          const gv = v128.load(gAt), yv = v128.load(yAt);
          v128.store(gxAt, v128.add<real>(v128.splat<real>(0), v128.div<real>(gv, yv)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gxAt = gx + b, gAt = g + b, yAt = y + b;
        {
          const gv = v128.load(gAt), yv = v128.load(yAt);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.div<real>(gv, yv)));
        }
        {
          const gv = v128.load(gAt, 16), yv = v128.load(yAt, 16);
          v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt, 16), gxKept), v128.div<real>(gv, yv)), 16);
        }
      }
      if (b < run) {
        const gxAt = gx + b, gAt = g + b, yAt = y + b;
        const gv = v128.load(gAt), yv = v128.load(yAt);
        v128.store(gxAt, v128.add<real>(v128.and(v128.load(gxAt), gxKept), v128.div<real>(gv, yv)));
      }
      return;
    }
    const yNext = blockAt(at).yMask & 16, run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), yv = v128.load(yAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.div<real>(gv, yv)));
        yAt += yNext;
      }
      if (--left == 0) break;
      gx += blockAt(at).gxStep;
      if (blockAt(at).gxStep == 0) gxKept = i32x4.splat(-1);
      g += run;
      y += blockAt(at).yStep;
    }
  } else if (gy) {
    let g = blockAt(at).gz, y = blockAt(at).y, z = blockAt(at).z;
    let gyKept = v128.load32_splat(at, offsetof<OperandBlock>("yKept"));
    if (blockAt(at).count == 1 && (blockAt(at).yMask & blockAt(at).zMask) != 0) {
      if ((blockAt(at).yKept) == 0) {
        let b: usize = 0;
        const run = blockAt(at).run;
        for (; b + 32 <= run; b += 32) {
          const gyAt = gy + b, gAt = g + b, yAt = y + b, zAt = z + b;
          {
            const gv = v128.load(gAt), yv = v128.load(yAt), zv = v128.load(zAt);
            const t0 = v128.mul<real>(v128.div<real>(gv, yv), zv);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(t0)));
          }
          {
            const gv = v128.load(gAt, 16), yv = v128.load(yAt, 16), zv = v128.load(zAt, 16);
            const t0 = v128.mul<real>(v128.div<real>(gv, yv), zv);
            v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(t0)), 16);
          }
        }
        if (b < run) {
          const gyAt = gy + b, gAt = g + b, yAt = y + b, zAt = z + b;
          const gv = v128.load(gAt), yv = v128.load(yAt), zv = v128.load(zAt);
          const t0 = v128.mul<real>(v128.div<real>(gv, yv), zv);
          v128.store(gyAt, v128.add<real>(v128.splat<real>(0), v128.neg<real>(t0)));
        }
        return;
      }
      let b: usize = 0;
      const run = blockAt(at).run;
      for (; b + 32 <= run; b += 32) {
        const gyAt = gy + b, gAt = g + b, yAt = y + b, zAt = z + b;
        {
          const gv = v128.load(gAt), yv = v128.load(yAt), zv = v128.load(zAt);
          const t0 = v128.mul<real>(v128.div<real>(gv, yv), zv);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.neg<real>(t0)));
        }
        {
          const gv = v128.load(gAt, 16), yv = v128.load(yAt, 16), zv = v128.load(zAt, 16);
          const t0 = v128.mul<real>(v128.div<real>(gv, yv), zv);
          v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt, 16), gyKept), v128.neg<real>(t0)), 16);
        }
      }
      if (b < run) {
        const gyAt = gy + b, gAt = g + b, yAt = y + b, zAt = z + b;
        const gv = v128.load(gAt), yv = v128.load(yAt), zv = v128.load(zAt);
        const t0 = v128.mul<real>(v128.div<real>(gv, yv), zv);
        v128.store(gyAt, v128.add<real>(v128.and(v128.load(gyAt), gyKept), v128.neg<real>(t0)));
      }
      return;
    }
    const yNext = blockAt(at).yMask & 16, zNext = blockAt(at).zMask & 16;
    const run = blockAt(at).run;
    for (let left = blockAt(at).count; left != 0;) {
      let yAt = y, zAt = z;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), yv = v128.load(yAt), zv = v128.load(zAt);
        const t0 = v128.mul<real>(v128.div<real>(gv, yv), zv);
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.neg<real>(t0)));
        yAt += yNext;
        zAt += zNext;
      }
      if (--left == 0) break;
      gy += blockAt(at).gyStep;
      if (blockAt(at).gyStep == 0) gyKept = i32x4.splat(-1);
      g += run;
      y += blockAt(at).yStep;
      z += blockAt(at).zStep;
    }
  }
}
