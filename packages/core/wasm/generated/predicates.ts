/**
 * Numeric tests: a lane of the result is all ones where the test holds, else all zeros.
 * Generated from src/primitives by `npm run gen`; do not edit.
 */
import {
  blockAt,
} from "../memory/layout";

/** z = x = 0 */
export function isZeroForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        const t0 = v128.eq<real>(xv, v128.splat<real>(0));
        v128.store(zAt, t0);
      }
      {
        const xv = v128.load(xAt, 16);
        const t0 = v128.eq<real>(xv, v128.splat<real>(0));
        v128.store(zAt, t0, 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      const t0 = v128.eq<real>(xv, v128.splat<real>(0));
      v128.store(zAt, t0);
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      const t0 = v128.eq<real>(xv, v128.splat<real>(0));
      v128.store(z + b, t0);
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** z = x > 0 */
export function isPositiveForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        const t0 = v128.gt<real>(xv, v128.splat<real>(0));
        v128.store(zAt, t0);
      }
      {
        const xv = v128.load(xAt, 16);
        const t0 = v128.gt<real>(xv, v128.splat<real>(0));
        v128.store(zAt, t0, 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      const t0 = v128.gt<real>(xv, v128.splat<real>(0));
      v128.store(zAt, t0);
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      const t0 = v128.gt<real>(xv, v128.splat<real>(0));
      v128.store(z + b, t0);
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** z = x < 0 */
export function isNegativeForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        const t0 = v128.lt<real>(xv, v128.splat<real>(0));
        v128.store(zAt, t0);
      }
      {
        const xv = v128.load(xAt, 16);
        const t0 = v128.lt<real>(xv, v128.splat<real>(0));
        v128.store(zAt, t0, 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      const t0 = v128.lt<real>(xv, v128.splat<real>(0));
      v128.store(zAt, t0);
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      const t0 = v128.lt<real>(xv, v128.splat<real>(0));
      v128.store(z + b, t0);
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** z = |x| < ∞ */
export function isFiniteForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        const t0 = v128.lt<real>(v128.abs<real>(xv), v128.splat<real>(Infinity));
        v128.store(zAt, t0);
      }
      {
        const xv = v128.load(xAt, 16);
        const t0 = v128.lt<real>(v128.abs<real>(xv), v128.splat<real>(Infinity));
        v128.store(zAt, t0, 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      const t0 = v128.lt<real>(v128.abs<real>(xv), v128.splat<real>(Infinity));
      v128.store(zAt, t0);
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      const t0 = v128.lt<real>(v128.abs<real>(xv), v128.splat<real>(Infinity));
      v128.store(z + b, t0);
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** z = |x| = ∞ */
export function isInfiniteForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        const t0 = v128.eq<real>(v128.abs<real>(xv), v128.splat<real>(Infinity));
        v128.store(zAt, t0);
      }
      {
        const xv = v128.load(xAt, 16);
        const t0 = v128.eq<real>(v128.abs<real>(xv), v128.splat<real>(Infinity));
        v128.store(zAt, t0, 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      const t0 = v128.eq<real>(v128.abs<real>(xv), v128.splat<real>(Infinity));
      v128.store(zAt, t0);
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      const t0 = v128.eq<real>(v128.abs<real>(xv), v128.splat<real>(Infinity));
      v128.store(z + b, t0);
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** z = x ≠ x */
export function isNanForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        v128.store(zAt, v128.ne<real>(xv, xv));
      }
      {
        const xv = v128.load(xAt, 16);
        v128.store(zAt, v128.ne<real>(xv, xv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      v128.store(zAt, v128.ne<real>(xv, xv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      v128.store(z + b, v128.ne<real>(xv, xv));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** z = ⌊x⌋ = x and |x| < ∞ */
export function isIntegerForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        const t0 = v128.eq<real>(v128.floor<real>(xv), xv);
        const t1 = v128.lt<real>(v128.abs<real>(xv), v128.splat<real>(Infinity));
        v128.store(zAt, v128.and(t0, t1));
      }
      {
        const xv = v128.load(xAt, 16);
        const t0 = v128.eq<real>(v128.floor<real>(xv), xv);
        const t1 = v128.lt<real>(v128.abs<real>(xv), v128.splat<real>(Infinity));
        v128.store(zAt, v128.and(t0, t1), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      const t0 = v128.eq<real>(v128.floor<real>(xv), xv);
      const t1 = v128.lt<real>(v128.abs<real>(xv), v128.splat<real>(Infinity));
      v128.store(zAt, v128.and(t0, t1));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      const t0 = v128.eq<real>(v128.floor<real>(xv), xv);
      const t1 = v128.lt<real>(v128.abs<real>(xv), v128.splat<real>(Infinity));
      v128.store(z + b, v128.and(t0, t1));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** z = ⌊x⌋ = x and |x| < ∞ and ⌊x·½⌋ = x·½ */
export function isEvenForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        const t0 = v128.eq<real>(v128.floor<real>(xv), xv);
        const t1 = v128.lt<real>(v128.abs<real>(xv), v128.splat<real>(Infinity));
        const t2 = v128.mul<real>(xv, v128.splat<real>(0.5));
        const t3 = v128.eq<real>(v128.floor<real>(t2), t2);
        v128.store(zAt, v128.and(v128.and(t0, t1), t3));
      }
      {
        const xv = v128.load(xAt, 16);
        const t0 = v128.eq<real>(v128.floor<real>(xv), xv);
        const t1 = v128.lt<real>(v128.abs<real>(xv), v128.splat<real>(Infinity));
        const t2 = v128.mul<real>(xv, v128.splat<real>(0.5));
        const t3 = v128.eq<real>(v128.floor<real>(t2), t2);
        v128.store(zAt, v128.and(v128.and(t0, t1), t3), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      const t0 = v128.eq<real>(v128.floor<real>(xv), xv);
      const t1 = v128.lt<real>(v128.abs<real>(xv), v128.splat<real>(Infinity));
      const t2 = v128.mul<real>(xv, v128.splat<real>(0.5));
      const t3 = v128.eq<real>(v128.floor<real>(t2), t2);
      v128.store(zAt, v128.and(v128.and(t0, t1), t3));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      const t0 = v128.eq<real>(v128.floor<real>(xv), xv);
      const t1 = v128.lt<real>(v128.abs<real>(xv), v128.splat<real>(Infinity));
      const t2 = v128.mul<real>(xv, v128.splat<real>(0.5));
      const t3 = v128.eq<real>(v128.floor<real>(t2), t2);
      v128.store(z + b, v128.and(v128.and(t0, t1), t3));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** z = ⌊x⌋ = x and ⌊x·½⌋ ≠ x·½ */
export function isOddForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x;
  if (blockAt(at).count == 1 && (blockAt(at).xMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b;
      {
        const xv = v128.load(xAt);
        const t0 = v128.eq<real>(v128.floor<real>(xv), xv);
        const t1 = v128.mul<real>(xv, v128.splat<real>(0.5));
        const t2 = v128.ne<real>(v128.floor<real>(t1), t1);
        v128.store(zAt, v128.and(t0, t2));
      }
      {
        const xv = v128.load(xAt, 16);
        const t0 = v128.eq<real>(v128.floor<real>(xv), xv);
        const t1 = v128.mul<real>(xv, v128.splat<real>(0.5));
        const t2 = v128.ne<real>(v128.floor<real>(t1), t1);
        v128.store(zAt, v128.and(t0, t2), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b;
      const xv = v128.load(xAt);
      const t0 = v128.eq<real>(v128.floor<real>(xv), xv);
      const t1 = v128.mul<real>(xv, v128.splat<real>(0.5));
      const t2 = v128.ne<real>(v128.floor<real>(t1), t1);
      v128.store(zAt, v128.and(t0, t2));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt);
      const t0 = v128.eq<real>(v128.floor<real>(xv), xv);
      const t1 = v128.mul<real>(xv, v128.splat<real>(0.5));
      const t2 = v128.ne<real>(v128.floor<real>(t1), t1);
      v128.store(z + b, v128.and(t0, t2));
      xAt += xNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
  }
}

/** z = x = y */
export function numEqualForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      {
        const xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(zAt, v128.eq<real>(xv, yv));
      }
      {
        const xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
        v128.store(zAt, v128.eq<real>(xv, yv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(zAt, v128.eq<real>(xv, yv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.eq<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}

/** z = x < y */
export function lessForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      {
        const xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(zAt, v128.lt<real>(xv, yv));
      }
      {
        const xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
        v128.store(zAt, v128.lt<real>(xv, yv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(zAt, v128.lt<real>(xv, yv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.lt<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}

/** z = x > y */
export function greaterForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      {
        const xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(zAt, v128.gt<real>(xv, yv));
      }
      {
        const xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
        v128.store(zAt, v128.gt<real>(xv, yv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(zAt, v128.gt<real>(xv, yv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.gt<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}

/** z = x ≤ y */
export function lessEqualForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      {
        const xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(zAt, v128.le<real>(xv, yv));
      }
      {
        const xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
        v128.store(zAt, v128.le<real>(xv, yv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(zAt, v128.le<real>(xv, yv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.le<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}

/** z = x ≥ y */
export function greaterEqualForward(at: usize): void {
  let z = blockAt(at).z;
  let x = blockAt(at).x, y = blockAt(at).y;
  if (blockAt(at).count == 1 && (blockAt(at).xMask & blockAt(at).yMask) != 0) {
    let b: usize = 0;
    const run = blockAt(at).zRun;
    for (; b + 32 <= run; b += 32) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      {
        const xv = v128.load(xAt), yv = v128.load(yAt);
        v128.store(zAt, v128.ge<real>(xv, yv));
      }
      {
        const xv = v128.load(xAt, 16), yv = v128.load(yAt, 16);
        v128.store(zAt, v128.ge<real>(xv, yv), 16);
      }
    }
    if (b < run) {
      const zAt = z + b, xAt = x + b, yAt = y + b;
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(zAt, v128.ge<real>(xv, yv));
    }
    return;
  }
  const xNext = blockAt(at).xMask & 16, yNext = blockAt(at).yMask & 16;
  const run = blockAt(at).zRun;
  for (let left = blockAt(at).count; left != 0;) {
    let xAt = x, yAt = y;
    for (let b: usize = 0; b < run; b += 16) {
      const xv = v128.load(xAt), yv = v128.load(yAt);
      v128.store(z + b, v128.ge<real>(xv, yv));
      xAt += xNext;
      yAt += yNext;
    }
    if (--left == 0) break;
    z += blockAt(at).zStep;
    x += blockAt(at).xStep;
    y += blockAt(at).yStep;
  }
}
