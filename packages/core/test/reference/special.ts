/**
 * erf, log gamma and digamma in f64, from series whose terms do not cancel.
 *
 * erf:      e^(−x²)·2/√π·Σ 2ⁿx^(2n+1)/(2n+1)!!, all terms of one sign (Abramowitz & Stegun 7.1.6);
 *           beyond 6 it is ±1 in f64.
 * lgamma,   Stirling's series above 12 (A&S 6.1.41 and 6.3.18; the first term left out is below
 * digamma:  1e-17), reached by the recurrence; reflection below 0.5.
 */

export function erf(x: number): number {
  if (!(Math.abs(x) < 6)) return Number.isNaN(x) ? x : Math.sign(x);
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > Math.abs(sum) * 1e-17 && n < 400; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

const stirlingFrom = 12;

/** ζ(k) for k = 2 … 30 by Euler and Maclaurin from the 20th term on (A&S 23.2.9). */
const zeta = Array.from({ length: 31 }, (_, k) => {
  if (k < 2) return Number.NaN;
  const n = 20;
  let sum = n ** (1 - k) / (k - 1) + n ** -k / 2 + (k * n ** (-k - 1)) / 12;
  sum -= (k * (k + 1) * (k + 2) * n ** (-k - 3)) / 720;
  sum += (k * (k + 1) * (k + 2) * (k + 3) * (k + 4) * n ** (-k - 5)) / 30240;
  for (let i = n - 1; i >= 1; i--) sum += i ** -k;
  return sum;
});

/** lgamma(1 + e) for |e| ≤ 1/4, accurate relative to its zero at e = 0 (A&S 6.1.33). */
function lgammaNearOne(e: number): number {
  let sum = 0;
  for (let k = 30; k >= 2; k--) sum = sum * -e + (zeta[k] as number) / k;
  return e === 0 ? 0 : e * (sum * e - 0.5772156649015329);
}

export function lgamma(x: number): number {
  if (Number.isNaN(x)) return x;
  if (!Number.isFinite(x)) return Number.POSITIVE_INFINITY;
  if (x <= 0 && Number.isInteger(x)) return Number.POSITIVE_INFINITY;
  if (x < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - lgamma(1 - x);
  if (Math.abs(x - 1) <= 0.25) return lgammaNearOne(x - 1);
  if (Math.abs(x - 2) <= 0.25) return lgammaNearOne(x - 2) + Math.log1p(x - 2);
  let shift = 1;
  let y = x;
  for (; y < stirlingFrom; y++) shift *= y;
  const r = 1 / (y * y);
  const series =
    (1 / 12 -
      r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * (691 / 360360)))))) /
    y;
  return (y - 0.5) * Math.log(y) - y + 0.5 * Math.log(2 * Math.PI) + series - Math.log(shift);
}

export function digamma(x: number): number {
  if (!Number.isFinite(x)) return x > 0 ? x : Number.NaN;
  if (x <= 0 && Number.isInteger(x)) return Number.NaN;
  if (x < 0.5) return digamma(1 - x) - Math.PI / Math.tan(Math.PI * x);
  let shift = 0;
  let y = x;
  for (; y < stirlingFrom; y++) shift += 1 / y;
  const r = 1 / (y * y);
  const series =
    r *
    (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - r * (691 / 32760))))));
  return Math.log(y) - 0.5 / y - series - shift;
}
