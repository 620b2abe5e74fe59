/**
 * Element-wise kernels of two operands.
 * Generated from src/primitives by `npm run gen`; do not edit.
 */
import {
  BLOCK_COUNT,
  BLOCK_GX,
  BLOCK_GX_STEP,
  BLOCK_GY,
  BLOCK_GY_STEP,
  BLOCK_GZ,
  BLOCK_RUN,
  BLOCK_X,
  BLOCK_X_KEPT,
  BLOCK_X_MASK,
  BLOCK_X_STEP,
  BLOCK_Y,
  BLOCK_Y_KEPT,
  BLOCK_Y_MASK,
  BLOCK_Y_STEP,
  BLOCK_Z,
  BLOCK_Z_MASK,
  BLOCK_Z_RUN,
  BLOCK_Z_STEP,
} from "../../src/program/layout";
import {
  atan2V,
  gcdV,
  logV,
  powV,
  remV,
} from "../math/index";

/** z = x + y */
export function addForward(at: usize): void {
  let z = load<usize>(at, BLOCK_Z);
  let x = load<usize>(at, BLOCK_X), y = load<usize>(at, BLOCK_Y);
  if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
    let b: usize = 0;
    const run = load<usize>(at, BLOCK_Z_RUN);
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
  const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
  const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_Z_RUN);
  for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.add<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += load<usize>(at, BLOCK_Z_STEP);
    x += load<usize>(at, BLOCK_X_STEP);
    y += load<usize>(at, BLOCK_Y_STEP);
  }
}

/** gx += g; gy += g */
export function addAdjoint(at: usize): void {
  let gx = load<usize>(at, BLOCK_GX), gy = load<usize>(at, BLOCK_GY);
  if (gx && gy) {
    let g = load<usize>(at, BLOCK_GZ);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1) {
      if ((load<i32>(at, BLOCK_X_KEPT) | load<i32>(at, BLOCK_Y_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), gv));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), gv));
      }
      if (--left == 0) break;
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
    }
  } else if (gx) {
    let g = load<usize>(at, BLOCK_GZ);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1) {
      if ((load<i32>(at, BLOCK_X_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), gv));
      }
      if (--left == 0) break;
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      g += run;
    }
  } else if (gy) {
    let g = load<usize>(at, BLOCK_GZ);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1) {
      if ((load<i32>(at, BLOCK_Y_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b);
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), gv));
      }
      if (--left == 0) break;
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
    }
  }
}

/** z = x − y */
export function subForward(at: usize): void {
  let z = load<usize>(at, BLOCK_Z);
  let x = load<usize>(at, BLOCK_X), y = load<usize>(at, BLOCK_Y);
  if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
    let b: usize = 0;
    const run = load<usize>(at, BLOCK_Z_RUN);
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
  const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
  const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_Z_RUN);
  for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.sub<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += load<usize>(at, BLOCK_Z_STEP);
    x += load<usize>(at, BLOCK_X_STEP);
    y += load<usize>(at, BLOCK_Y_STEP);
  }
}

/** gx += g; gy += −g */
export function subAdjoint(at: usize): void {
  let gx = load<usize>(at, BLOCK_GX), gy = load<usize>(at, BLOCK_GY);
  if (gx && gy) {
    let g = load<usize>(at, BLOCK_GZ);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1) {
      if ((load<i32>(at, BLOCK_X_KEPT) | load<i32>(at, BLOCK_Y_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), gv));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.neg<real>(gv)));
      }
      if (--left == 0) break;
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
    }
  } else if (gx) {
    let g = load<usize>(at, BLOCK_GZ);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1) {
      if ((load<i32>(at, BLOCK_X_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), gv));
      }
      if (--left == 0) break;
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      g += run;
    }
  } else if (gy) {
    let g = load<usize>(at, BLOCK_GZ);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1) {
      if ((load<i32>(at, BLOCK_Y_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b);
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.neg<real>(gv)));
      }
      if (--left == 0) break;
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
    }
  }
}

/** z = x·y */
export function mulForward(at: usize): void {
  let z = load<usize>(at, BLOCK_Z);
  let x = load<usize>(at, BLOCK_X), y = load<usize>(at, BLOCK_Y);
  if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
    let b: usize = 0;
    const run = load<usize>(at, BLOCK_Z_RUN);
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
  const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
  const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_Z_RUN);
  for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.mul<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += load<usize>(at, BLOCK_Z_STEP);
    x += load<usize>(at, BLOCK_X_STEP);
    y += load<usize>(at, BLOCK_Y_STEP);
  }
}

/** gx += g·y; gy += g·x */
export function mulAdjoint(at: usize): void {
  let gx = load<usize>(at, BLOCK_GX), gy = load<usize>(at, BLOCK_GY);
  if (gx && gy) {
    let g = load<usize>(at, BLOCK_GZ), y = load<usize>(at, BLOCK_Y);
    let x = load<usize>(at, BLOCK_X);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_Y_MASK) & load<usize>(at, BLOCK_X_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_X_KEPT) | load<i32>(at, BLOCK_Y_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16;
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      let yAt = y, xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), yv = v128.load(yAt), xv = v128.load(xAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.mul<real>(gv, yv)));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.mul<real>(gv, xv)));
        yAt += yNext;
        xAt += xNext;
      }
      if (--left == 0) break;
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
      y += load<usize>(at, BLOCK_Y_STEP);
      x += load<usize>(at, BLOCK_X_STEP);
    }
  } else if (gx) {
    let g = load<usize>(at, BLOCK_GZ), y = load<usize>(at, BLOCK_Y);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_Y_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_X_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      let yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), yv = v128.load(yAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.mul<real>(gv, yv)));
        yAt += yNext;
      }
      if (--left == 0) break;
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      g += run;
      y += load<usize>(at, BLOCK_Y_STEP);
    }
  } else if (gy) {
    let g = load<usize>(at, BLOCK_GZ), x = load<usize>(at, BLOCK_X);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_Y_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      let xAt = x;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt);
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.mul<real>(gv, xv)));
        xAt += xNext;
      }
      if (--left == 0) break;
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += load<usize>(at, BLOCK_X_STEP);
    }
  }
}

/** z = x/y */
export function divForward(at: usize): void {
  let z = load<usize>(at, BLOCK_Z);
  let x = load<usize>(at, BLOCK_X), y = load<usize>(at, BLOCK_Y);
  if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
    let b: usize = 0;
    const run = load<usize>(at, BLOCK_Z_RUN);
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
  const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
  const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_Z_RUN);
  for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.div<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += load<usize>(at, BLOCK_Z_STEP);
    x += load<usize>(at, BLOCK_X_STEP);
    y += load<usize>(at, BLOCK_Y_STEP);
  }
}

/** gx += g/y; gy += −g/y·z */
export function divAdjoint(at: usize): void {
  let gx = load<usize>(at, BLOCK_GX), gy = load<usize>(at, BLOCK_GY);
  if (gx && gy) {
    let g = load<usize>(at, BLOCK_GZ), y = load<usize>(at, BLOCK_Y);
    let z = load<usize>(at, BLOCK_Z);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_Y_MASK) & load<usize>(at, BLOCK_Z_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_X_KEPT) | load<i32>(at, BLOCK_Y_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16;
    const zNext = load<usize>(at, BLOCK_Z_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
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
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
      y += load<usize>(at, BLOCK_Y_STEP);
      z += load<usize>(at, BLOCK_Z_STEP);
    }
  } else if (gx) {
    let g = load<usize>(at, BLOCK_GZ), y = load<usize>(at, BLOCK_Y);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_Y_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_X_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      let yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), yv = v128.load(yAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.div<real>(gv, yv)));
        yAt += yNext;
      }
      if (--left == 0) break;
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      g += run;
      y += load<usize>(at, BLOCK_Y_STEP);
    }
  } else if (gy) {
    let g = load<usize>(at, BLOCK_GZ), y = load<usize>(at, BLOCK_Y);
    let z = load<usize>(at, BLOCK_Z);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_Y_MASK) & load<usize>(at, BLOCK_Z_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_Y_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16;
    const zNext = load<usize>(at, BLOCK_Z_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      let yAt = y, zAt = z;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), yv = v128.load(yAt), zv = v128.load(zAt);
        const t0 = v128.mul<real>(v128.div<real>(gv, yv), zv);
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), v128.neg<real>(t0)));
        yAt += yNext;
        zAt += zNext;
      }
      if (--left == 0) break;
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
      y += load<usize>(at, BLOCK_Y_STEP);
      z += load<usize>(at, BLOCK_Z_STEP);
    }
  }
}

/** z = min(x, y) */
export function minForward(at: usize): void {
  let z = load<usize>(at, BLOCK_Z);
  let x = load<usize>(at, BLOCK_X), y = load<usize>(at, BLOCK_Y);
  if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
    let b: usize = 0;
    const run = load<usize>(at, BLOCK_Z_RUN);
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
  const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
  const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_Z_RUN);
  for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.min<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += load<usize>(at, BLOCK_Z_STEP);
    x += load<usize>(at, BLOCK_X_STEP);
    y += load<usize>(at, BLOCK_Y_STEP);
  }
}

/** gx += g if x ≤ y, else 0; gy += g if not (x ≤ y), else 0 */
export function minAdjoint(at: usize): void {
  let gx = load<usize>(at, BLOCK_GX), gy = load<usize>(at, BLOCK_GY);
  if (gx && gy) {
    let g = load<usize>(at, BLOCK_GZ), x = load<usize>(at, BLOCK_X);
    let y = load<usize>(at, BLOCK_Y);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_X_KEPT) | load<i32>(at, BLOCK_Y_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
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
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += load<usize>(at, BLOCK_X_STEP);
      y += load<usize>(at, BLOCK_Y_STEP);
    }
  } else if (gx) {
    let g = load<usize>(at, BLOCK_GZ), x = load<usize>(at, BLOCK_X);
    let y = load<usize>(at, BLOCK_Y);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_X_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      let xAt = x, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.and(gv, v128.le<real>(xv, yv))));
        xAt += xNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += load<usize>(at, BLOCK_X_STEP);
      y += load<usize>(at, BLOCK_Y_STEP);
    }
  } else if (gy) {
    let g = load<usize>(at, BLOCK_GZ), x = load<usize>(at, BLOCK_X);
    let y = load<usize>(at, BLOCK_Y);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_Y_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      let xAt = x, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.andnot(gv, v128.le<real>(xv, yv));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), t0));
        xAt += xNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += load<usize>(at, BLOCK_X_STEP);
      y += load<usize>(at, BLOCK_Y_STEP);
    }
  }
}

/** z = max(x, y) */
export function maxForward(at: usize): void {
  let z = load<usize>(at, BLOCK_Z);
  let x = load<usize>(at, BLOCK_X), y = load<usize>(at, BLOCK_Y);
  if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
    let b: usize = 0;
    const run = load<usize>(at, BLOCK_Z_RUN);
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
  const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
  const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_Z_RUN);
  for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.max<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += load<usize>(at, BLOCK_Z_STEP);
    x += load<usize>(at, BLOCK_X_STEP);
    y += load<usize>(at, BLOCK_Y_STEP);
  }
}

/** gx += g if x ≥ y, else 0; gy += g if not (x ≥ y), else 0 */
export function maxAdjoint(at: usize): void {
  let gx = load<usize>(at, BLOCK_GX), gy = load<usize>(at, BLOCK_GY);
  if (gx && gy) {
    let g = load<usize>(at, BLOCK_GZ), x = load<usize>(at, BLOCK_X);
    let y = load<usize>(at, BLOCK_Y);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_X_KEPT) | load<i32>(at, BLOCK_Y_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
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
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += load<usize>(at, BLOCK_X_STEP);
      y += load<usize>(at, BLOCK_Y_STEP);
    }
  } else if (gx) {
    let g = load<usize>(at, BLOCK_GZ), x = load<usize>(at, BLOCK_X);
    let y = load<usize>(at, BLOCK_Y);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_X_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      let xAt = x, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), v128.and(gv, v128.ge<real>(xv, yv))));
        xAt += xNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += load<usize>(at, BLOCK_X_STEP);
      y += load<usize>(at, BLOCK_Y_STEP);
    }
  } else if (gy) {
    let g = load<usize>(at, BLOCK_GZ), x = load<usize>(at, BLOCK_X);
    let y = load<usize>(at, BLOCK_Y);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_Y_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      let xAt = x, yAt = y;
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b), xv = v128.load(xAt), yv = v128.load(yAt);
        const t0 = v128.andnot(gv, v128.ge<real>(xv, yv));
        v128.store(gy + b, v128.add<real>(v128.and(v128.load(gy + b), gyKept), t0));
        xAt += xNext;
        yAt += yNext;
      }
      if (--left == 0) break;
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += load<usize>(at, BLOCK_X_STEP);
      y += load<usize>(at, BLOCK_Y_STEP);
    }
  }
}

/** z = x^y */
export function powForward(at: usize): void {
  let z = load<usize>(at, BLOCK_Z);
  let x = load<usize>(at, BLOCK_X), y = load<usize>(at, BLOCK_Y);
  const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
  const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_Z_RUN);
  for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, powV(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += load<usize>(at, BLOCK_Z_STEP);
    x += load<usize>(at, BLOCK_X_STEP);
    y += load<usize>(at, BLOCK_Y_STEP);
  }
}

/** gx += g·y·x^(y − 1) if y ≠ 0, else 0; gy += g·z·log(x) if not (x = 0 and y > 0), else 0 */
export function powAdjoint(at: usize): void {
  let gx = load<usize>(at, BLOCK_GX), gy = load<usize>(at, BLOCK_GY);
  if (gx && gy) {
    let g = load<usize>(at, BLOCK_GZ), y = load<usize>(at, BLOCK_Y);
    let x = load<usize>(at, BLOCK_X), z = load<usize>(at, BLOCK_Z);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16;
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
    const zNext = load<usize>(at, BLOCK_Z_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
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
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
      y += load<usize>(at, BLOCK_Y_STEP);
      x += load<usize>(at, BLOCK_X_STEP);
      z += load<usize>(at, BLOCK_Z_STEP);
    }
  } else if (gx) {
    let g = load<usize>(at, BLOCK_GZ), y = load<usize>(at, BLOCK_Y);
    let x = load<usize>(at, BLOCK_X);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16;
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
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
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      g += run;
      y += load<usize>(at, BLOCK_Y_STEP);
      x += load<usize>(at, BLOCK_X_STEP);
    }
  } else if (gy) {
    let g = load<usize>(at, BLOCK_GZ), z = load<usize>(at, BLOCK_Z);
    let x = load<usize>(at, BLOCK_X), y = load<usize>(at, BLOCK_Y);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    const zNext = load<usize>(at, BLOCK_Z_MASK) & 16;
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
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
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
      z += load<usize>(at, BLOCK_Z_STEP);
      x += load<usize>(at, BLOCK_X_STEP);
      y += load<usize>(at, BLOCK_Y_STEP);
    }
  }
}

/** z = atan2(x, y) */
export function atan2Forward(at: usize): void {
  let z = load<usize>(at, BLOCK_Z);
  let x = load<usize>(at, BLOCK_X), y = load<usize>(at, BLOCK_Y);
  const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
  const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_Z_RUN);
  for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, atan2V(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += load<usize>(at, BLOCK_Z_STEP);
    x += load<usize>(at, BLOCK_X_STEP);
    y += load<usize>(at, BLOCK_Y_STEP);
  }
}

/** gx += g/(x² + y²)·y; gy += −g/(x² + y²)·x */
export function atan2Adjoint(at: usize): void {
  let gx = load<usize>(at, BLOCK_GX), gy = load<usize>(at, BLOCK_GY);
  if (gx && gy) {
    let g = load<usize>(at, BLOCK_GZ), x = load<usize>(at, BLOCK_X);
    let y = load<usize>(at, BLOCK_Y);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_X_KEPT) | load<i32>(at, BLOCK_Y_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
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
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += load<usize>(at, BLOCK_X_STEP);
      y += load<usize>(at, BLOCK_Y_STEP);
    }
  } else if (gx) {
    let g = load<usize>(at, BLOCK_GZ), x = load<usize>(at, BLOCK_X);
    let y = load<usize>(at, BLOCK_Y);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_X_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
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
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      g += run;
      x += load<usize>(at, BLOCK_X_STEP);
      y += load<usize>(at, BLOCK_Y_STEP);
    }
  } else if (gy) {
    let g = load<usize>(at, BLOCK_GZ), x = load<usize>(at, BLOCK_X);
    let y = load<usize>(at, BLOCK_Y);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_Y_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
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
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += load<usize>(at, BLOCK_X_STEP);
      y += load<usize>(at, BLOCK_Y_STEP);
    }
  }
}

/** z = trunc(x/y) + 0 */
export function quotientForward(at: usize): void {
  let z = load<usize>(at, BLOCK_Z);
  let x = load<usize>(at, BLOCK_X), y = load<usize>(at, BLOCK_Y);
  if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
    let b: usize = 0;
    const run = load<usize>(at, BLOCK_Z_RUN);
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
  const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
  const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_Z_RUN);
  for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
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
    z += load<usize>(at, BLOCK_Z_STEP);
    x += load<usize>(at, BLOCK_X_STEP);
    y += load<usize>(at, BLOCK_Y_STEP);
  }
}

/** z = rem(x, y) + 0 */
export function remainderForward(at: usize): void {
  let z = load<usize>(at, BLOCK_Z);
  let x = load<usize>(at, BLOCK_X), y = load<usize>(at, BLOCK_Y);
  const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
  const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_Z_RUN);
  for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      const t0 = v128.add<real>(remV(xv, yv), v128.splat<real>(0));
      v128.store(z + b, t0);
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += load<usize>(at, BLOCK_Z_STEP);
    x += load<usize>(at, BLOCK_X_STEP);
    y += load<usize>(at, BLOCK_Y_STEP);
  }
}

/** gx += g; gy += −g·nearest((x − z)/y) */
export function remainderAdjoint(at: usize): void {
  let gx = load<usize>(at, BLOCK_GX), gy = load<usize>(at, BLOCK_GY);
  if (gx && gy) {
    let g = load<usize>(at, BLOCK_GZ), x = load<usize>(at, BLOCK_X);
    let z = load<usize>(at, BLOCK_Z), y = load<usize>(at, BLOCK_Y);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Z_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_X_KEPT) | load<i32>(at, BLOCK_Y_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
    const zNext = load<usize>(at, BLOCK_Z_MASK) & 16;
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
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
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += load<usize>(at, BLOCK_X_STEP);
      z += load<usize>(at, BLOCK_Z_STEP);
      y += load<usize>(at, BLOCK_Y_STEP);
    }
  } else if (gx) {
    let g = load<usize>(at, BLOCK_GZ);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1) {
      if ((load<i32>(at, BLOCK_X_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), gv));
      }
      if (--left == 0) break;
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      g += run;
    }
  } else if (gy) {
    let g = load<usize>(at, BLOCK_GZ), x = load<usize>(at, BLOCK_X);
    let z = load<usize>(at, BLOCK_Z), y = load<usize>(at, BLOCK_Y);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1 && (load<usize>(at, BLOCK_X_MASK) & load<usize>(at, BLOCK_Z_MASK) & load<usize>(at, BLOCK_Y_MASK)) != 0) {
      if ((load<i32>(at, BLOCK_Y_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
    const zNext = load<usize>(at, BLOCK_Z_MASK) & 16;
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
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
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += load<usize>(at, BLOCK_X_STEP);
      z += load<usize>(at, BLOCK_Z_STEP);
      y += load<usize>(at, BLOCK_Y_STEP);
    }
  }
}

/** z = rem(x, y) + 0 + (y if rem(x, y) + 0 < 0 and y > 0 or rem(x, y) + 0 > 0 and y < 0, else 0) */
export function moduloForward(at: usize): void {
  let z = load<usize>(at, BLOCK_Z);
  let x = load<usize>(at, BLOCK_X), y = load<usize>(at, BLOCK_Y);
  const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
  const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_Z_RUN);
  for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
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
    z += load<usize>(at, BLOCK_Z_STEP);
    x += load<usize>(at, BLOCK_X_STEP);
    y += load<usize>(at, BLOCK_Y_STEP);
  }
}

/** gx += g; gy += −g·(nearest((x − rem(x, y))/y) − (1 if rem(x, y) < 0 and y > 0 or rem(x, y) > 0 and y < 0, else 0)) */
export function moduloAdjoint(at: usize): void {
  let gx = load<usize>(at, BLOCK_GX), gy = load<usize>(at, BLOCK_GY);
  if (gx && gy) {
    let g = load<usize>(at, BLOCK_GZ), x = load<usize>(at, BLOCK_X);
    let y = load<usize>(at, BLOCK_Y);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
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
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += load<usize>(at, BLOCK_X_STEP);
      y += load<usize>(at, BLOCK_Y_STEP);
    }
  } else if (gx) {
    let g = load<usize>(at, BLOCK_GZ);
    let gxKept = v128.load32_splat(at, BLOCK_X_KEPT);
    if (load<u32>(at, BLOCK_COUNT) == 1) {
      if ((load<i32>(at, BLOCK_X_KEPT)) == 0) {
        let b: usize = 0;
        const run = load<usize>(at, BLOCK_RUN);
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
      const run = load<usize>(at, BLOCK_RUN);
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
    const run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
      for (let b: usize = 0; b < run; b += 16) {
        const gv = v128.load(g + b);
        v128.store(gx + b, v128.add<real>(v128.and(v128.load(gx + b), gxKept), gv));
      }
      if (--left == 0) break;
      gx += load<usize>(at, BLOCK_GX_STEP);
      if (load<usize>(at, BLOCK_GX_STEP) == 0) gxKept = i32x4.splat(-1);
      g += run;
    }
  } else if (gy) {
    let g = load<usize>(at, BLOCK_GZ), x = load<usize>(at, BLOCK_X);
    let y = load<usize>(at, BLOCK_Y);
    let gyKept = v128.load32_splat(at, BLOCK_Y_KEPT);
    const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
    const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_RUN);
    for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
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
      gy += load<usize>(at, BLOCK_GY_STEP);
      if (load<usize>(at, BLOCK_GY_STEP) == 0) gyKept = i32x4.splat(-1);
      g += run;
      x += load<usize>(at, BLOCK_X_STEP);
      y += load<usize>(at, BLOCK_Y_STEP);
    }
  }
}

/** z = gcd(x, y) */
export function gcdForward(at: usize): void {
  let z = load<usize>(at, BLOCK_Z);
  let x = load<usize>(at, BLOCK_X), y = load<usize>(at, BLOCK_Y);
  const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
  const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_Z_RUN);
  for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, gcdV(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += load<usize>(at, BLOCK_Z_STEP);
    x += load<usize>(at, BLOCK_X_STEP);
    y += load<usize>(at, BLOCK_Y_STEP);
  }
}

/** z = 0 if gcd(x, y) = 0, else |x/gcd(x, y)·y| */
export function lcmForward(at: usize): void {
  let z = load<usize>(at, BLOCK_Z);
  let x = load<usize>(at, BLOCK_X), y = load<usize>(at, BLOCK_Y);
  const xNext = load<usize>(at, BLOCK_X_MASK) & 16;
  const yNext = load<usize>(at, BLOCK_Y_MASK) & 16, run = load<usize>(at, BLOCK_Z_RUN);
  for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {
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
    z += load<usize>(at, BLOCK_Z_STEP);
    x += load<usize>(at, BLOCK_X_STEP);
    y += load<usize>(at, BLOCK_Y_STEP);
  }
}
