/**
 * What the kernels should give, to about 200 bits: textbook series in the long integers of big.ts,
 * nothing shared with the kernels. Every function takes finite arguments inside its domain.
 */
import {
  abs,
  add,
  type Big,
  big,
  div,
  exponentOf,
  fromInt,
  fromNumber,
  isNegative,
  mul,
  nearest,
  neg,
  one,
  sqrt,
  sub,
  toFixed,
  twice,
  zero,
} from "./big.js";

/** Arguments below 2^small are their own sine, and so on, to 200 bits. */
const small = -110;

/** Σ sign^n t^(2n+1)/(2n+1) in fixed point: atan for sign -1, atanh for 1. */
function arcSeries(t: bigint, scale: number, sign: bigint): bigint {
  const square = (t * t) >> BigInt(scale);
  let sum = 0n;
  let power = t;
  for (let n = 1n; power !== 0n && power !== -1n; n += 2n) {
    sum += power / n;
    power = sign * ((power * square) >> BigInt(scale));
  }
  return sum;
}

const atanOfInverse = (n: number, scale: number): bigint =>
  arcSeries((1n << BigInt(scale)) / BigInt(n), scale, -1n);

/** π in fixed point (Machin), fine enough to take multiples off the largest double. */
const piScale = 1500;
const piFixed = 4n * (4n * atanOfInverse(5, piScale) - atanOfInverse(239, piScale));
export const pi: Big = big(piFixed, -piScale);
const ln2: Big = big(2n * arcSeries((1n << 400n) / 3n, 400, 1n), -400);

/** e^a; beyond e^±8192 the argument is cut, which is out of every range either way. */
export function exp(a: Big): Big {
  if (exponentOf(a) < small) return add(one, a);
  if (exponentOf(a) >= 13) return exp(fromNumber(isNegative(a) ? -8191 : 8191));
  const k = nearest(div(a, ln2));
  const scale = 400;
  let t = toFixed(sub(a, mul(fromInt(k), ln2)), scale) >> 8n;
  const r = t;
  let sum = 1n << BigInt(scale);
  for (let n = 1n; t !== 0n && t !== -1n; n++) {
    sum += t;
    t = ((t * r) >> BigInt(scale)) / (n + 1n);
  }
  for (let i = 0; i < 8; i++) sum = (sum * sum) >> BigInt(scale);
  return twice(big(sum, -scale), Number(k));
}

export function log(a: Big): Big {
  let k = exponentOf(a);
  let m = twice(a, -k);
  if (toFixed(m, 8) > 362n) {
    m = twice(m, -1);
    k++;
  }
  const s = div(sub(m, one), add(m, one));
  const scale = 300 + Math.max(0, -exponentOf(s));
  const near = s.m === 0n ? zero : big(2n * arcSeries(toFixed(s, scale), scale, 1n), -scale);
  return add(near, mul(fromInt(k), ln2));
}

export function log1p(a: Big): Big {
  return exponentOf(a) < small ? a : log(add(one, a));
}

export function expm1(a: Big): Big {
  return exponentOf(a) < small ? a : sub(exp(a), one);
}

interface Reduced {
  turns: bigint;
  r: Big;
}

/** a = turns·π/2 + r. */
function reduce(a: Big): Reduced {
  if (exponentOf(a) < -1) return { turns: 0n, r: a };
  const whole = toFixed(a, piScale);
  // floor(a/(π/2) + 1/2); an integer division truncates, so negative numerators round themselves.
  const top = 4n * whole + piFixed;
  const bottom = 2n * piFixed;
  const k = top >= 0n ? top / bottom : -((bottom - 1n - top) / bottom);
  return { turns: k, r: big(whole - (k * piFixed) / 2n, -piScale) };
}

function sinSeries(r: Big): Big {
  if (exponentOf(r) < small) return r;
  const scale = 300 + Math.max(0, -exponentOf(r));
  const t = toFixed(r, scale);
  const square = (t * t) >> BigInt(scale);
  let sum = 0n;
  let term = t;
  for (let n = 1n; term !== 0n && term !== -1n; n += 2n) {
    sum += term;
    term = -((term * square) >> BigInt(scale)) / ((n + 1n) * (n + 2n));
  }
  return big(sum, -scale);
}

function cosSeries(r: Big): Big {
  const half = sinSeries(twice(r, -1));
  return sub(one, twice(mul(half, half)));
}

export function sin(a: Big): Big {
  const { turns, r } = reduce(a);
  const value = turns & 1n ? cosSeries(r) : sinSeries(r);
  return turns & 2n ? neg(value) : value;
}

export function cos(a: Big): Big {
  const { turns, r } = reduce(a);
  const value = turns & 1n ? sinSeries(r) : cosSeries(r);
  return (turns + 1n) & 2n ? neg(value) : value;
}

export const tan = (a: Big): Big => div(sin(a), cos(a));

export function atan(a: Big): Big {
  if (exponentOf(a) < small) return a;
  if (isNegative(a)) return neg(atan(neg(a)));
  if (exponentOf(a) >= 1) return sub(twice(pi, -1), atan(div(one, a)));
  let t = a;
  for (let i = 0; i < 3; i++) t = div(t, add(one, sqrt(add(one, mul(t, t)))));
  const scale = 300 + Math.max(0, -exponentOf(t));
  return twice(big(arcSeries(toFixed(t, scale), scale, -1n), -scale), 3);
}

export function asin(a: Big): Big {
  if (exponentOf(a) < small) return a;
  const rest = sub(one, mul(a, a));
  if (rest.m === 0n) return isNegative(a) ? neg(twice(pi, -1)) : twice(pi, -1);
  return atan(div(a, sqrt(rest)));
}

export function acos(a: Big): Big {
  const bottom = add(one, a);
  return bottom.m === 0n ? pi : twice(atan(sqrt(div(sub(one, a), bottom))));
}

export function atan2(y: Big, x: Big): Big {
  if (x.m === 0n) return isNegative(y) ? neg(twice(pi, -1)) : twice(pi, -1);
  const angle = atan(div(y, x));
  if (!isNegative(x)) return angle;
  return isNegative(y) ? sub(angle, pi) : add(angle, pi);
}

export function sinh(a: Big): Big {
  if (exponentOf(a) < small) return a;
  const e = exp(a);
  return twice(sub(e, div(one, e)), -1);
}

export function cosh(a: Big): Big {
  const e = exp(a);
  return twice(add(e, div(one, e)), -1);
}

export function tanh(a: Big): Big {
  if (exponentOf(a) < small) return a;
  if (exponentOf(a) > 10) return isNegative(a) ? neg(one) : one;
  const e = exp(twice(a));
  return div(sub(e, one), add(e, one));
}

export function sigmoid(a: Big): Big {
  return div(one, add(one, exp(neg(a))));
}

export function softplus(a: Big): Big {
  const rest = log1p(exp(neg(abs(a))));
  return isNegative(a) ? rest : add(a, rest);
}

const twoOverRootPi = div(fromInt(2), sqrt(pi));

export function erf(a: Big): Big {
  if (exponentOf(a) < small) return mul(a, twoOverRootPi);
  if (exponentOf(a) >= 4) return isNegative(a) ? neg(one) : one;
  const scale = 700 + Math.max(0, -exponentOf(a));
  const t = toFixed(a, scale);
  const square = (t * t) >> BigInt(scale);
  let sum = 0n;
  let term = t;
  for (let n = 0n; term !== 0n && term !== -1n; n++) {
    sum += term / (2n * n + 1n);
    term = -((term * square) >> BigInt(scale)) / (n + 1n);
  }
  return mul(big(sum, -scale), twoOverRootPi);
}

/** Bernoulli numbers B(2), B(4), … as fractions, from their recurrence. */
const bernoulli: Big[] = (() => {
  const count = 64;
  const values: Big[] = [one];
  for (let n = 1; n <= count; n++) {
    let sum = zero;
    let choose = 1n;
    for (let k = 0; k < n; k++) {
      sum = add(sum, mul(fromInt(choose), values[k] ?? zero));
      choose = (choose * BigInt(n + 1 - k)) / BigInt(k + 1);
    }
    values.push(n > 1 && n % 2 === 1 ? zero : div(neg(sum), fromInt(n + 1)));
  }
  return values.filter((_, n) => n >= 2 && n % 2 === 0);
})();

/** From here on Stirling's series is good to 200 bits with the numbers above. */
const stirlingMin = 40;

function lgammaPositive(a: Big): Big {
  // The zeros, which the series below only comes close to.
  if (sub(a, one).m === 0n || sub(a, fromInt(2)).m === 0n) return zero;
  let z = a;
  let product = one;
  while (exponentOf(z) < 6 && nearest(z) < stirlingMin) {
    product = mul(product, z);
    z = add(z, one);
  }
  const half = twice(one, -1);
  let sum = sub(mul(sub(z, half), log(z)), z);
  sum = add(sum, twice(log(twice(pi)), -1));
  const square = mul(z, z);
  let power = z;
  for (const [index, value] of bernoulli.entries()) {
    const n = 2 * (index + 1);
    sum = add(sum, div(value, mul(fromInt(n * (n - 1)), power)));
    power = mul(power, square);
  }
  return sub(sum, log(product));
}

/** sin πa and cos πa up to a common sign. */
function halfTurns(a: Big): { sine: Big; cosine: Big } {
  const r = mul(sub(a, fromInt(nearest(a))), pi);
  return { sine: sin(r), cosine: cos(r) };
}

/** log(π / |a sin πa|), the part of the reflection that varies. */
const mirror = (a: Big): Big => log(abs(div(pi, mul(a, halfTurns(a).sine))));

export function lgamma(a: Big): Big {
  return isNegative(a) ? sub(mirror(a), lgammaPositive(neg(a))) : lgammaPositive(a);
}

function digammaPositive(a: Big): Big {
  let z = a;
  let sum = zero;
  while (exponentOf(z) < 6 && nearest(z) < stirlingMin) {
    sum = sub(sum, div(one, z));
    z = add(z, one);
  }
  sum = add(sum, sub(log(z), div(one, twice(z))));
  const square = mul(z, z);
  let power = square;
  for (const [index, value] of bernoulli.entries()) {
    sum = sub(sum, div(value, mul(fromInt(2 * (index + 1)), power)));
    power = mul(power, square);
  }
  return sum;
}

function cotangent(a: Big): Big {
  const { sine, cosine } = halfTurns(a);
  return mul(pi, div(cosine, sine));
}

export function digamma(a: Big): Big {
  return isNegative(a) ? sub(digammaPositive(sub(one, a)), cotangent(a)) : digammaPositive(a);
}

/**
 * The size of the terms that cancel in the reflections: what errors at x < 0 are measured against.
 */
export function reflectionSize(name: "lgamma" | "digamma", a: Big): Big {
  if (name === "lgamma") return add(abs(mirror(a)), abs(lgammaPositive(neg(a))));
  return add(abs(digammaPositive(sub(one, a))), abs(cotangent(a)));
}

/** a^b for a > 0. */
export const pow = (a: Big, b: Big): Big => exp(mul(b, log(a)));
