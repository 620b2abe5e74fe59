/**
 * The test door of the kernels: applies function number `fn` to buffers, one 16-byte vector at a
 * time.
 *
 * z[b] = fn(x[b], y[b]); unary functions leave y alone. `bytes` is a multiple of 16. The numbers
 * are those of MATH_FUNCTIONS in test/math/door.ts and scripts/ulp-sweep.mjs.
 */
import {
  acosV,
  asinV,
  atan2V,
  atanV,
  coshV,
  cosV,
  digammaV,
  erfV,
  expm1V,
  expV,
  gcdV,
  lgammaV,
  log1pV,
  logV,
  powV,
  sigmoidV,
  sinhV,
  sinV,
  softplusV,
  tanhV,
  tanV,
} from "./index";

// @ts-ignore: decorator
@inline function unary(fn: i32, x: v128): v128 {
  switch (fn) {
    case 0:
      return expV(x);
    case 1:
      return expm1V(x);
    case 2:
      return logV(x);
    case 3:
      return log1pV(x);
    case 4:
      return sinV(x);
    case 5:
      return cosV(x);
    case 6:
      return tanV(x);
    case 7:
      return asinV(x);
    case 8:
      return acosV(x);
    case 9:
      return atanV(x);
    case 10:
      return sinhV(x);
    case 11:
      return coshV(x);
    case 12:
      return tanhV(x);
    case 13:
      return sigmoidV(x);
    case 14:
      return softplusV(x);
    case 15:
      return erfV(x);
    case 16:
      return lgammaV(x);
    default:
      return digammaV(x);
  }
}

// @ts-ignore: decorator
@inline function binary(fn: i32, x: v128, y: v128): v128 {
  switch (fn) {
    case 18:
      return atan2V(x, y);
    case 19:
      return powV(x, y);
    default:
      return gcdV(x, y);
  }
}

export function mathApply(fn: i32, x: usize, y: usize, z: usize, bytes: usize): void {
  if (fn < 18) {
    for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, unary(fn, v128.load(x + b)));
  } else {
    for (let b: usize = 0; b < bytes; b += 16) {
      v128.store(z + b, binary(fn, v128.load(x + b), v128.load(y + b)));
    }
  }
}
