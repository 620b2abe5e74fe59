/** Natural logarithm of a vector of lanes, for `logdet`. */

// @ts-ignore: decorator
@inline function logOf(x: real): real {
  return sizeof<real>() == 4 ? <real>Mathf.log(<f32>x) : <real>Math.log(<f64>x);
}

/** log x, lane by lane; log 0 is -infinity. */
// @ts-ignore: decorator
@inline export function logLanes(x: v128): v128 {
  x = v128.replace_lane<real>(x, 0, logOf(v128.extract_lane<real>(x, 0)));
  x = v128.replace_lane<real>(x, 1, logOf(v128.extract_lane<real>(x, 1)));
  if (sizeof<real>() == 4) {
    x = v128.replace_lane<real>(x, 2, logOf(v128.extract_lane<real>(x, 2)));
    x = v128.replace_lane<real>(x, 3, logOf(v128.extract_lane<real>(x, 3)));
  }
  return x;
}
