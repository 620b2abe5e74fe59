/**
 * The maps of bounded parameters, from a number u without limits to the parameter, and their slopes.
 * Both tsc and asc compile this file, so that the optimiser inside the machine and the rest of a fit
 * have the same maps with the same bits. It holds plain functions of numbers and imports nothing.
 *
 *   lower bound l   x = l + (u + √(u² + 4s²)) / 2       s: distance of the start from the bound
 *   both bounds     x = (l + h)/2 + (h − l)/2 · u / √(1 + u²)
 *
 * An upper bound h is the lower bound −h of −x.
 */

/** (u + √(u² + 4s²)) / 2 without cancellation. */
function softPlus(u: f64, s: f64): f64 {
  const root = Math.sqrt(u * u + 4 * s * s);
  return u >= 0 ? (u + root) / 2 : (2 * s * s) / (root - u);
}

export function clamped(x: f64, lower: f64, upper: f64): f64 {
  return Math.min(Math.max(x, lower), upper);
}

/** The parameter above a lower bound. */
export function aboveOf(lower: f64, s: f64, u: f64): f64 {
  return lower + softPlus(u, s);
}

export function aboveSlope(s: f64, u: f64): f64 {
  return softPlus(u, s) / Math.sqrt(u * u + 4 * s * s);
}

/** The parameter below an upper bound. */
export function belowOf(upper: f64, s: f64, u: f64): f64 {
  return -aboveOf(-upper, s, -u);
}

export function belowSlope(s: f64, u: f64): f64 {
  return aboveSlope(s, -u);
}

/** The parameter between two bounds, which are `half` away from `middle`. */
export function betweenOf(middle: f64, half: f64, lower: f64, upper: f64, u: f64): f64 {
  return clamped(middle + (half * u) / Math.sqrt(1 + u * u), lower, upper);
}

export function betweenSlope(half: f64, u: f64): f64 {
  return half / ((1 + u * u) * Math.sqrt(1 + u * u));
}
