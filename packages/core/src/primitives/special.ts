/**
 * Functions that JavaScript's Math lacks, for the plain-number reading. Relative error about 1e-14
 * where not said otherwise; the machine has kernels of its own.
 */

/** Nearest integer, ties to even; keeps the sign of zero. */
export function nearest(a: number): number {
  const below = Math.floor(a);
  const fraction = a - below;
  const isBelow = fraction < 0.5 || (fraction === 0.5 && below % 2 === 0);
  const result = isBelow ? below : below + 1;
  return result === 0 && a < 0 ? -0 : result;
}

/** A power with the edges of C99: 1 to any power is 1, and so is −1 to an infinite one. `**` says NaN. */
export function power(base: number, exponent: number): number {
  const isOne = base === 1 || (base === -1 && Math.abs(exponent) === Infinity);
  return isOne ? 1 : base ** exponent;
}

/** NaN where one of them is no integer, as in the machine. */
export function gcd(a: number, b: number): number {
  if (!Number.isInteger(a) || !Number.isInteger(b)) return Number.NaN;
  let large = Math.abs(a);
  let small = Math.abs(b);
  while (small > 0) [large, small] = [small, large % small];
  return large;
}

/** The Maclaurin series below 2.5, a continued fraction of erfc above. */
export function erf(x: number): number {
  const a = Math.abs(x);
  if (a > 6) return Math.sign(x);
  if (a < 2.5) {
    // 2/√π · exp(−x²) · Σ 2ⁿ x²ⁿ⁺¹ / (2n+1)!!: every term is positive.
    let term = x;
    let sum = x;
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
  }
  // erfc(a) = exp(−a²)/√π · 1/(a + ½/(a + 1/(a + 3⁄2/(a + …)))), from the inside.
  let tail = a;
  for (let n = 60; n >= 1; n--) tail = a + n / 2 / tail;
  return Math.sign(x) * (1 - Math.exp(-a * a) / (Math.sqrt(Math.PI) * tail));
}

// B₂ₖ / (2k·(2k−1)) and B₂ₖ / 2k, k = 1 …: the asymptotic series of log Γ and of its derivative.
const bernoulli = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6] as const;

/** log |Γ(x)|: shifted up to x ≥ 10, then Stirling's series; reflected below 0. */
export function lgamma(x: number): number {
  if (x === Number.NEGATIVE_INFINITY) return Number.POSITIVE_INFINITY;
  if (Math.abs(x) < 1e-16) return -Math.log(Math.abs(x));
  if (x === 1 || x === 2) return 0;
  if (x <= 0) {
    const sine = Math.abs(Math.sin(Math.PI * (x - Math.round(x))));
    return sine === 0 ? Infinity : Math.log(Math.PI / sine) - lgamma(1 - x);
  }
  if (!Number.isFinite(x)) return x;
  let product = 1;
  let t = x;
  for (; t < 10; t++) product *= t;
  const series = bernoulli.reduce((sum, b, i) => {
    const k = 2 * (i + 1);
    return sum + b / (k * (k - 1) * t ** (k - 1));
  }, 0);
  return (t - 0.5) * Math.log(t) - t + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product);
}

/**
 * The derivative of log |Γ|, by the same shift and reflection. At 0 it is infinite, with a sign that
 * depends on the side; at negative integers, where both sides differ, it is NaN.
 */
export function digamma(x: number): number {
  if (x === 0) return -1 / x;
  if (x < 0 && Number.isInteger(x)) return Number.NaN;
  if (x < 0) return digamma(1 - x) - Math.PI / Math.tan(Math.PI * (x - Math.round(x)));
  if (!Number.isFinite(x)) return x;
  let shift = 0;
  let t = x;
  for (; t < 10; t++) shift += 1 / t;
  const series = bernoulli.reduce((sum, b, i) => sum + b / (2 * (i + 1) * t ** (2 * (i + 1))), 0);
  return Math.log(t) - 0.5 / t - series - shift;
}
