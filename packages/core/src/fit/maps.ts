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

/** Squares of larger numbers may be infinite. */
const SQUARED_MOST: f64 = 1e150;

/** √(u² + 4s²) / 2. */
function halfRoot(u: f64, s: f64): f64 {
  const w = u / 2;
  const most = Math.max(Math.abs(w), s);
  if (most < SQUARED_MOST) return Math.sqrt(w * w + s * s);
  return most * Math.sqrt((w / most) * (w / most) + (s / most) * (s / most));
}

/** (u + √(u² + 4s²)) / 2 without cancellation. */
function softPlus(u: f64, s: f64): f64 {
  const root = halfRoot(u, s);
  return u >= 0 ? u / 2 + root : s * (s / (root - u / 2));
}

/** Whether a parameter is nearer to where u is 0 than to its bound, so that numbers tell more of it from there. */
function isMiddle(u: f64, s: f64): boolean {
  return Math.abs(u) <= s;
}

/** As near as this to its bound, in the map's own unit, a parameter may be pressed against it. */
export const NEAR: f64 = 1e-3;

/**
 * So many times as far as the bound the least loss must lie, by the bend of the loss, for a parameter to count as pressed
 * against it.
 */
export const BEYOND: f64 = 10;

/** By this factor an unlimited number grows that is pushed towards a bound. */
export const PUSH: f64 = 1000;

/** A step leaves this share at least of the way to a bound. */
export const APPROACH: f64 = 0.1;

/** Numbers that are larger are pushed no further. */
const FAR: f64 = 1e90;

export function clamped(x: f64, lower: f64, upper: f64): f64 {
  return Math.min(Math.max(x, lower), upper);
}

/** The parameter above a lower bound. A far one costs it no digits near its start. */
export function aboveOf(lower: f64, s: f64, u: f64): f64 {
  return isMiddle(u, s) ? lower + s + aboveShift(s, u) : lower + softPlus(u, s);
}

export function aboveSlope(s: f64, u: f64): f64 {
  return softPlus(u, s) / halfRoot(u, s) / 2;
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

/**
 * How far u would have to move at its slope to reach the lower bound: the distance over the slope. 0 where the bound
 * is not near.
 */
export function aboveReach(s: f64, u: f64): f64 {
  return u < 0 && softPlus(u, s) <= NEAR * s ? 2 * halfRoot(u, s) : 0;
}

/** The same between two bounds, for the nearer one. */
export function betweenReach(u: f64): f64 {
  const root = Math.sqrt(1 + u * u);
  const left = 1 / (root * (root + Math.abs(u)));
  return left <= NEAR ? left * root * root * root : 0;
}

/** How far a parameter is above its lower bound. */
export function aboveDistance(s: f64, u: f64): f64 {
  return softPlus(u, s);
}

/** How far a parameter is above where u is 0, which is s above its bound. */
function aboveShift(s: f64, u: f64): f64 {
  if (!isMiddle(u, s)) return softPlus(u, s) - s;
  return (u / 2) * (1 + u / 2 / (halfRoot(u, s) + s));
}

/** The number of a parameter by how far it is above where u is 0, and above its bound. */
export function aboveFree(s: f64, shift: f64, distance: f64): f64 {
  return shift * (1 + s / distance);
}

/** The number of a parameter after a step that stays above its bound. */
export function aboveMoved(s: f64, u: f64, step: f64): f64 {
  return aboveFree(s, aboveShift(s, u) + step, softPlus(u, s) + step);
}

/** The number of a parameter between two bounds, by its share of the way from the middle to the upper one. */
export function betweenFree(share: f64): f64 {
  return share / Math.sqrt((1 - share) * (1 + share));
}

/**
 * The number of a parameter after a step that stays between its bounds: by its distance from the middle where that is
 * short, else by those from the bounds. Each has its digits where the others are too long to have them.
 */
export function betweenMoved(half: f64, u: f64, step: f64): f64 {
  const by = step / half;
  if (isMiddle(u, 1)) return betweenFree(u / Math.sqrt(1 + u * u) + by);
  const nearer = betweenLeft(1, u);
  const down = (u < 0 ? nearer : 2 - nearer) + by;
  const up = (u < 0 ? 2 - nearer : nearer) - by;
  return (down < up ? down - 1 : 1 - up) / Math.sqrt(down * up);
}

/** How far from its bound a parameter is that has one, or the nearer of two. */
export function aboveLeft(s: f64, u: f64): f64 {
  return softPlus(-Math.abs(u), s);
}

export function betweenLeft(half: f64, u: f64): f64 {
  const root = Math.sqrt(1 + u * u);
  return half / (root * (root + Math.abs(u)));
}

/**
 * The step of u towards the bound that it is `left` away from, up to a small share of that. 0 where rounding hides
 * the rest: `size` is that of the numbers in the map, and `grain` the share of them that is no more told apart.
 */
export function pushOf(u: f64, left: f64, size: f64, grain: f64): f64 {
  return isApart(u, left, size, grain) ? (PUSH - 1) * u : 0;
}

/** Whether numbers can tell a parameter from a bound that it is `left` away from. */
export function isApart(u: f64, left: f64, size: f64, grain: f64): boolean {
  return Math.abs(u) < FAR && left > grain * size;
}

/** The grain of numbers of double and of single precision. */
export const GRAIN_DOUBLE: f64 = 2 ** -50;
export const GRAIN_SINGLE: f64 = 2 ** -21;
