/**
 * The transcendental kernels of the machine: v128 to v128, four f32 or two f64 lanes as `real`
 * says.
 *
 * A lane's bits depend on that lane alone. Edges (±0, infinities, NaN, subnormals) follow C99.
 * Bounds and the sources of the approximations stand in the files of the kernels; docs/accuracy.md
 * has the measured errors.
 */
import { acosF, asinF, atan2F, atanF } from "./arc32";
import { acosD, asinD, atan2D, atanD } from "./arc64";
import { erfF } from "./erf32";
import { erfD } from "./erf64";
import { coshF, expF, expm1F, sigmoidF, sinhF, tanhF } from "./exp32";
import { coshD, expD, expm1D, sigmoidD, sinhD, tanhD } from "./exp64";
import { digammaD, lgammaD } from "./gamma64";
import { gcdD } from "./gcd";
import { highHalf, join, lowHalf } from "./lanes";
import { log1pF, logF, softplusF } from "./log32";
import { log1pD, logD, softplusD } from "./log64";
import { powF } from "./pow32";
import { powD } from "./pow64";
import { remD } from "./rem";
import { cosF, sinF, storeSinCosF, tanF } from "./trig32";
import { cosD, sinD, storeSinCosD, tanD } from "./trig64";

// @ts-ignore: decorator
@inline export function expV(x: v128): v128 {
  return sizeof<real>() == 4 ? expF(x) : expD(x);
}

// @ts-ignore: decorator
@inline export function expm1V(x: v128): v128 {
  return sizeof<real>() == 4 ? expm1F(x) : expm1D(x);
}

// @ts-ignore: decorator
@inline export function logV(x: v128): v128 {
  return sizeof<real>() == 4 ? logF(x) : logD(x);
}

// @ts-ignore: decorator
@inline export function log1pV(x: v128): v128 {
  return sizeof<real>() == 4 ? log1pF(x) : log1pD(x);
}

// @ts-ignore: decorator
@inline export function sinV(x: v128): v128 {
  return sizeof<real>() == 4 ? sinF(x) : sinD(x);
}

// @ts-ignore: decorator
@inline export function cosV(x: v128): v128 {
  return sizeof<real>() == 4 ? cosF(x) : cosD(x);
}

/** sin x and cos x to two places. */
// @ts-ignore: decorator
@inline export function storeSinCosV(x: v128, sineAt: usize, cosineAt: usize): void {
  if (sizeof<real>() == 4) storeSinCosF(x, sineAt, cosineAt);
  else storeSinCosD(x, sineAt, cosineAt);
}

// @ts-ignore: decorator
@inline export function tanV(x: v128): v128 {
  return sizeof<real>() == 4 ? tanF(x) : tanD(x);
}

// @ts-ignore: decorator
@inline export function asinV(x: v128): v128 {
  return sizeof<real>() == 4 ? asinF(x) : asinD(x);
}

// @ts-ignore: decorator
@inline export function acosV(x: v128): v128 {
  return sizeof<real>() == 4 ? acosF(x) : acosD(x);
}

// @ts-ignore: decorator
@inline export function atanV(x: v128): v128 {
  return sizeof<real>() == 4 ? atanF(x) : atanD(x);
}

// @ts-ignore: decorator
@inline export function sinhV(x: v128): v128 {
  return sizeof<real>() == 4 ? sinhF(x) : sinhD(x);
}

// @ts-ignore: decorator
@inline export function coshV(x: v128): v128 {
  return sizeof<real>() == 4 ? coshF(x) : coshD(x);
}

// @ts-ignore: decorator
@inline export function tanhV(x: v128): v128 {
  return sizeof<real>() == 4 ? tanhF(x) : tanhD(x);
}

// @ts-ignore: decorator
@inline export function sigmoidV(x: v128): v128 {
  return sizeof<real>() == 4 ? sigmoidF(x) : sigmoidD(x);
}

// @ts-ignore: decorator
@inline export function softplusV(x: v128): v128 {
  return sizeof<real>() == 4 ? softplusF(x) : softplusD(x);
}

// @ts-ignore: decorator
@inline export function erfV(x: v128): v128 {
  return sizeof<real>() == 4 ? erfF(x) : erfD(x);
}

/** In f32 on the two f64x2 halves, rounded at the end: bound 1 ULP, also next to the zeros. */
export function lgammaV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(lgammaD(lowHalf(x)), lgammaD(highHalf(x)));
  return lgammaD(x);
}

/** In f32 on the two f64x2 halves, rounded at the end: bound 1 ULP, also next to the zeros. */
export function digammaV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(digammaD(lowHalf(x)), digammaD(highHalf(x)));
  return digammaD(x);
}

// @ts-ignore: decorator
@inline export function atan2V(y: v128, x: v128): v128 {
  return sizeof<real>() == 4 ? atan2F(y, x) : atan2D(y, x);
}

// @ts-ignore: decorator
@inline export function powV(x: v128, y: v128): v128 {
  return sizeof<real>() == 4 ? powF(x, y) : powD(x, y);
}

/** Exact: every remainder of two doubles is a double. */
export function gcdV(x: v128, y: v128): v128 {
  if (sizeof<real>() == 4) {
    return join(gcdD(lowHalf(x), lowHalf(y)), gcdD(highHalf(x), highHalf(y)));
  }
  return gcdD(x, y);
}

/** Exact: the remainder of two numbers is a number of their type. */
export function remV(x: v128, y: v128): v128 {
  if (sizeof<real>() == 4) {
    return join(remD(lowHalf(x), lowHalf(y)), remD(highHalf(x), highHalf(y)));
  }
  return remD(x, y);
}
