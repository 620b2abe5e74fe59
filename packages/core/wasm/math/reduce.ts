/**
 * Argument reduction by π/2 for huge arguments: Payne and Hanek's method in integers, one lane at
 * a time. x = m 2^e with an integral 53-bit m; the 192 bits of 2/π that matter for x·2/π modulo 4
 * are cut out of the table, multiplied with m modulo 2^192, and give the quadrant (2 bits) and 126
 * bits of the fraction. No double comes closer to a multiple of π/2 than 2^-61 of a quadrant, so
 * 64 good bits remain.
 *
 * The table holds 64 zero bits, then 1280 bits of 2/π (computed from Machin's formula in 500
 * digits).
 */
const TWO_OVER_PI: usize = memory.data<u32>([
  0, 0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
  0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5,
  0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff,
  0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7,
  0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20,
  0x9af4361d,
]);

const PIO2_HIGH: f64 = 1.5707963267948966;
const PIO2_LOW: f64 = 6.123233995736766e-17;

/** 32 bits of the table, starting `shift` bits after word `index`. */
// @ts-ignore: decorator
@inline function word(index: usize, shift: u32): u64 {
  let pair =
    ((<u64>load<u32>(TWO_OVER_PI + (index << 2))) << 32) |
    <u64>load<u32>(TWO_OVER_PI + (index << 2), 4);
  return (pair << shift) >> 32;
}

/**
 * x = quadrant·π/2 + r + tail for finite |x| >= 2^18: lane 0 is r, lane 1 the tail, whose two
 * lowest bits are replaced by the quadrant modulo 4. NaN for an infinite x.
 */
export function reduceHuge(x: f64): v128 {
  let bits = reinterpret<u64>(x);
  let exponent = <i32>(bits >> 52) & 0x7ff;
  if (exponent == 0x7ff) return f64x2.splat(NaN);
  let mantissa = (bits & 0x000fffffffffffff) | 0x0010000000000000;
  // The first bit kept has the weight 2 in quadrants: bit number e - 1 of 2/π, e = exponent - 1075.
  let start = exponent - 1075 - 2 + 64;
  let index: usize = start >> 5;
  let shift: u32 = start & 31;
  let low = mantissa & 0xffffffff;
  let high = mantissa >> 32;
  let w0 = word(index + 5, shift);
  let w1 = word(index + 4, shift);
  let w2 = word(index + 3, shift);
  let w3 = word(index + 2, shift);
  let w4 = word(index + 1, shift);
  let w5 = word(index, shift);
  // Columns of the product, least first; each sum stays below 2^64.
  let t = w0 * low;
  let c1 = w1 * low + (t >> 32);
  let d1 = w0 * high + (c1 & 0xffffffff);
  let c2 = w2 * low + (c1 >> 32);
  let d2 = w1 * high + (c2 & 0xffffffff) + (d1 >> 32);
  let c3 = w3 * low + (c2 >> 32);
  let d3 = w2 * high + (c3 & 0xffffffff) + (d2 >> 32);
  let c4 = w4 * low + (c3 >> 32);
  let d4 = w3 * high + (c4 & 0xffffffff) + (d3 >> 32);
  let c5 = w5 * low + (c4 >> 32);
  let d5 = w4 * high + (c5 & 0xffffffff) + (d4 >> 32);
  return fromProduct((d5 << 32) | (d4 & 0xffffffff), (d3 << 32) | (d2 & 0xffffffff), bits >> 63);
}

/** r, tail and quadrant of the 128-bit number top·2^64 + bottom in units of 2^-126 quadrants. */
function fromProduct(top: u64, bottom: u64, negative: u64): v128 {
  let quadrant = top >> 62;
  top = (top << 2) | (bottom >> 62);
  bottom <<= 2;
  let sign = negative << 63;
  if (<i64>top < 0) {
    // The nearer multiple is the next one: 1 - fraction, with the opposite sign.
    quadrant += 1;
    sign ^= 0x8000000000000000;
    bottom = ~bottom + 1;
    top = ~top + u64(bottom == 0);
  }
  if (negative) quadrant = 0 - quadrant;
  let zeros = <u64>clz(top);
  if (zeros > 0 && zeros < 64) {
    top = (top << zeros) | (bottom >> (64 - zeros));
    bottom <<= zeros;
  }
  let scale = reinterpret<f64>(((1023 - zeros) << 52) | sign);
  let high = <f64>(top >> 11) * (1.0 / 9007199254740992.0); // 2^-53
  let low = <f64>(((top & 0x7ff) << 53) | (bottom >> 11)) * 6.0185310762101130e-36; // 2^-117
  // (high + low)·π/2, the leading product exactly by splitting both factors in halves.
  let product = high * PIO2_HIGH;
  let a = 134217729.0 * high;
  let aHigh = a - (a - high);
  let aLow = high - aHigh;
  const b = 1.5707963109016418; // PIO2_HIGH to 26 bits
  const bLow = PIO2_HIGH - b;
  let error = aHigh * b - product + aHigh * bLow + aLow * b + aLow * bLow;
  let rest = error + (high * PIO2_LOW + low * PIO2_HIGH);
  let r = product + rest;
  let tail = (product - r + rest) * scale;
  tail = reinterpret<f64>((reinterpret<u64>(tail) & ~3) | (quadrant & 3));
  return f64x2.replace_lane(f64x2.splat(r * scale), 1, tail);
}
