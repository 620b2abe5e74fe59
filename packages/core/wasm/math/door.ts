/**
 * The test door of the kernels: applies function number `fn` to buffers, one 16-byte vector at a time.
 *
 * z[b] = fn(x[b], y[b]); unary functions leave y alone. `bytes` is a multiple of 16. The numbers are
 * those of MATH_FUNCTIONS in test/math/door.ts.
 */
import {
  acosV, asinV, atan2V, atanV, coshV, cosV, digammaV, erfV, expm1V, expV, gcdV, lgammaV, log1pV, logV,
  powV, sigmoidV, sinhV, sinV, softplusV, tanhV, tanV,
} from "./index";

export function mathApply(fn: i32, x: usize, y: usize, z: usize, bytes: usize): void {
  switch (fn) {
    case 0: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, expV(v128.load(x + b))); break;
    case 1: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, expm1V(v128.load(x + b))); break;
    case 2: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, logV(v128.load(x + b))); break;
    case 3: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, log1pV(v128.load(x + b))); break;
    case 4: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, sinV(v128.load(x + b))); break;
    case 5: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, cosV(v128.load(x + b))); break;
    case 6: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, tanV(v128.load(x + b))); break;
    case 7: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, asinV(v128.load(x + b))); break;
    case 8: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, acosV(v128.load(x + b))); break;
    case 9: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, atanV(v128.load(x + b))); break;
    case 10: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, sinhV(v128.load(x + b))); break;
    case 11: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, coshV(v128.load(x + b))); break;
    case 12: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, tanhV(v128.load(x + b))); break;
    case 13: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, sigmoidV(v128.load(x + b))); break;
    case 14: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, softplusV(v128.load(x + b))); break;
    case 15: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, erfV(v128.load(x + b))); break;
    case 16: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, lgammaV(v128.load(x + b))); break;
    case 17: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, digammaV(v128.load(x + b))); break;
    case 18: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, atan2V(v128.load(x + b), v128.load(y + b))); break;
    case 19: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, powV(v128.load(x + b), v128.load(y + b))); break;
    case 20: for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, gcdV(v128.load(x + b), v128.load(y + b))); break;
    default: unreachable();
  }
}
