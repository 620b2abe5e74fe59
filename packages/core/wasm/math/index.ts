/**
 * The transcendental kernels of the machine: v128 to v128, four f32 or two f64 lanes as `real` says.
 *
 * A lane's bits depend on that lane alone. Edges (±0, infinities, NaN, subnormals) follow C99. Bounds and the
 * sources of the approximations stand in the files of the kernels; docs/accuracy.md has the measured errors.
 */
import { highHalf, join, lowHalf } from "./lanes";
import { coshD, expD, expm1D, sigmoidD, sinhD, tanhD } from "./exp64";
import { log1pD, logD, softplusD } from "./log64";
import { cosD, sinD, tanD } from "./trig64";
import { acosD, asinD, atan2D, atanD } from "./arc64";
import { erfD } from "./erf64";
import { digammaD, lgammaD } from "./gamma64";
import { powD } from "./pow64";
import { gcdD } from "./gcd";

export function expV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(expD(lowHalf(x)), expD(highHalf(x)));
  return expD(x);
}

export function expm1V(x: v128): v128 {
  if (sizeof<real>() == 4) return join(expm1D(lowHalf(x)), expm1D(highHalf(x)));
  return expm1D(x);
}

export function logV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(logD(lowHalf(x)), logD(highHalf(x)));
  return logD(x);
}

export function log1pV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(log1pD(lowHalf(x)), log1pD(highHalf(x)));
  return log1pD(x);
}

export function sinV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(sinD(lowHalf(x)), sinD(highHalf(x)));
  return sinD(x);
}

export function cosV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(cosD(lowHalf(x)), cosD(highHalf(x)));
  return cosD(x);
}

export function tanV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(tanD(lowHalf(x)), tanD(highHalf(x)));
  return tanD(x);
}

export function asinV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(asinD(lowHalf(x)), asinD(highHalf(x)));
  return asinD(x);
}

export function acosV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(acosD(lowHalf(x)), acosD(highHalf(x)));
  return acosD(x);
}

export function atanV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(atanD(lowHalf(x)), atanD(highHalf(x)));
  return atanD(x);
}

export function sinhV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(sinhD(lowHalf(x)), sinhD(highHalf(x)));
  return sinhD(x);
}

export function coshV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(coshD(lowHalf(x)), coshD(highHalf(x)));
  return coshD(x);
}

export function tanhV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(tanhD(lowHalf(x)), tanhD(highHalf(x)));
  return tanhD(x);
}

export function sigmoidV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(sigmoidD(lowHalf(x)), sigmoidD(highHalf(x)));
  return sigmoidD(x);
}

export function softplusV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(softplusD(lowHalf(x)), softplusD(highHalf(x)));
  return softplusD(x);
}

export function erfV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(erfD(lowHalf(x)), erfD(highHalf(x)));
  return erfD(x);
}

export function lgammaV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(lgammaD(lowHalf(x)), lgammaD(highHalf(x)));
  return lgammaD(x);
}

export function digammaV(x: v128): v128 {
  if (sizeof<real>() == 4) return join(digammaD(lowHalf(x)), digammaD(highHalf(x)));
  return digammaD(x);
}

export function atan2V(y: v128, x: v128): v128 {
  if (sizeof<real>() == 4) {
    return join(atan2D(lowHalf(y), lowHalf(x)), atan2D(highHalf(y), highHalf(x)));
  }
  return atan2D(y, x);
}

export function powV(x: v128, y: v128): v128 {
  if (sizeof<real>() == 4) {
    return join(powD(lowHalf(x), lowHalf(y)), powD(highHalf(x), highHalf(y)));
  }
  return powD(x, y);
}

export function gcdV(x: v128, y: v128): v128 {
  if (sizeof<real>() == 4) {
    return join(gcdD(lowHalf(x), lowHalf(y)), gcdD(highHalf(x), highHalf(y)));
  }
  return gcdD(x, y);
}
