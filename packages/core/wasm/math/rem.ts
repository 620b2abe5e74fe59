/**
 * The remainder of a division that is truncated to an integer, lane by lane, exact for all numbers:
 * x = m·2^e and y = n·2^f have (m·2^(e−f)) mod n as their remainder, in units of 2^f. Every one is
 * a number of the same type, so nothing is rounded. x where |x| < |y|, y infinite too; NaN where y
 * is 0 or x is infinite.
 */

/** Mantissas below 2^53 leave so many bits of a 64-bit word to shift into. */
const SHIFT_MAX: i64 = 11;
const MANTISSA: u64 = 0xfffffffffffff;

export function remScalar(x: f64, y: f64): f64 {
  const a = abs(x);
  const b = abs(y);
  if (!(a < Infinity) || !(b > 0)) return NaN;
  if (a < b) return x;
  const low = exponent(b);
  let shift = exponent(a) - low;
  const divisor = mantissa(b);
  let rest = mantissa(a) % divisor;
  while (shift > 0 && rest != 0) {
    const bits = min(shift, SHIFT_MAX);
    rest = (rest << (<u64>bits)) % divisor;
    shift -= bits;
  }
  return copysign(<f64>rest * unit(low), x);
}

/** The exponent field; 1 for subnormal numbers, whose unit is the same. */
// @ts-ignore: decorator
@inline function exponent(x: f64): i64 {
  return max(<i64>(reinterpret<u64>(x) >> 52), 1);
}

/** The integer that a number is in its units. */
// @ts-ignore: decorator
@inline function mantissa(x: f64): u64 {
  const bits = reinterpret<u64>(x);
  return bits >> 52 == 0 ? bits : (bits & MANTISSA) | (MANTISSA + 1);
}

/**
 * The unit of numbers with this exponent field, 2^(field − 1075): subnormal for the lowest ones.
 */
// @ts-ignore: decorator
@inline function unit(field: i64): f64 {
  return reinterpret<f64>(field > 52 ? (<u64>(field - 52)) << 52 : (<u64>1) << (<u64>(field - 1)));
}

// @ts-ignore: decorator
@inline export function remD(x: v128, y: v128): v128 {
  return f64x2(
    remScalar(f64x2.extract_lane(x, 0), f64x2.extract_lane(y, 0)),
    remScalar(f64x2.extract_lane(x, 1), f64x2.extract_lane(y, 1)),
  );
}
