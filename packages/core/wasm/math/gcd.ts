/**
 * The greatest common divisor, lane by lane: Euclid on |x| and |y|. gcd(x, 0) = |x|; a lane with a
 * fraction, an infinity or NaN gives NaN. Exact, as every remainder of two doubles is a double.
 */

export function gcdScalar(x: f64, y: f64): f64 {
  let a = abs(x);
  let b = abs(y);
  if (!(a < Infinity && b < Infinity) || floor(a) != a || floor(b) != b) return NaN;
  if (a > 9007199254740992.0 || b > 9007199254740992.0) {
    while (b > 9007199254740992.0 || (b > 0 && a > 9007199254740992.0)) {
      let rest = remainder(a, b);
      a = b;
      b = rest;
    }
    if (b == 0) return a;
  }
  let m = <u64>a;
  let n = <u64>b;
  while (n) {
    let rest = m % n;
    m = n;
    n = rest;
  }
  return <f64>m;
}

/** a modulo b for integral a >= 0, b > 0: subtracts b·2^k from the top down, exactly. */
function remainder(a: f64, b: f64): f64 {
  while (a >= b) {
    let shift = exponent(a) - exponent(b);
    let part = b * reinterpret<f64>((<u64>(shift + 1023)) << 52);
    if (part > a) part *= 0.5;
    a -= part;
  }
  return a;
}

// @ts-ignore: decorator
@inline function exponent(x: f64): i64 {
  return <i64>(reinterpret<u64>(x) >> 52);
}

// @ts-ignore: decorator
@inline export function gcdD(x: v128, y: v128): v128 {
  return f64x2(
    gcdScalar(f64x2.extract_lane(x, 0), f64x2.extract_lane(y, 0)),
    gcdScalar(f64x2.extract_lane(x, 1), f64x2.extract_lane(y, 1)),
  );
}
