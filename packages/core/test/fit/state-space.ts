/**
 * Negative log-likelihoods of state-space models as text over scalar parameters: what the filter of
 * examples/kalman.scm takes as matrices is written as definitions in front of it.
 */

import { readExample } from "../corpus/corpus.js";

/** Coefficients by lag: a parameter's name, an expression, or nothing at lags without one. */
export type Lags = readonly (string | undefined)[];

const filter = readExample("kalman.scm");

const row = (entries: readonly string[]) => `(vec ${entries.join(" ")})`;
export const matrixText = (rows: readonly (readonly string[])[]) =>
  `(mat ${rows.map(row).join(" ")})`;

/** The filter's log-likelihood with definitions in front, negated. */
export const negated = (definitions: string) => `${definitions}\n(- (let () ${filter}))`;

/**
 * ARMA about a mean in Hamilton's form: the state holds the last m values of the autoregression, and
 * the observation adds them up with the weights of the moving average. The start is stationary,
 * or diffuse with a variance.
 */
export function armaText(ar: Lags, ma: Lags, mean: string, diffuse: number | undefined): string {
  const m = Math.max(ar.length, ma.length + 1);
  const at = (lags: Lags, k: number) => lags[k] ?? "0.0";
  const numbers = Array.from({ length: m }, (_, k) => k);
  const below = numbers.slice(1).map((r) => numbers.map((c) => (c === r - 1 ? "1.0" : "0.0")));
  const start =
    diffuse === undefined
      ? `(loop ((k 0) (A T) (P V))
           (if (= k 20) P (recur (+ k 1) (matmul A A) (+ P (matmul A (matmul P (transpose A)))))))`
      : `(scale ${diffuse} (eye ${m}))`;
  return negated(`
    (define T ${matrixText([numbers.map((k) => at(ar, k)), ...below])})
    (define Z ${matrixText([["1.0", ...numbers.slice(0, -1).map((k) => at(ma, k))]])})
    (define unit (zeros ${m}))
    (define first ${row(numbers.map((k) => (k === 0 ? "1.0" : "0.0")))})
    (define V (scale sigma2 (outer first first)))
    (define P1 ${start})
    (define a1 unit)
    (define c (mat unit))
    (define d ${mean})
    (define H 0.0)`);
}

/**
 * Definitions of autoregressive coefficients in terms of partial autocorrelations, which may be any
 * numbers between −1 and 1 (Durbin and Levinson): a process that is stationary, and no other.
 */
export function stationaryText(names: readonly string[], partial: readonly string[]): string {
  let before: string[] = [];
  const lines: string[] = [];
  partial.forEach((r, k) => {
    const now = partial.slice(0, k + 1).map((_, j) => {
      const isLast = k === partial.length - 1;
      const name = isLast ? (names[j] as string) : `${names[j]}-${k}`;
      const value = j === k ? r : `(- ${before[j]} (* ${r} ${before[k - 1 - j]}))`;
      lines.push(`(define ${name} ${value})`);
      return name;
    });
    before = now;
  });
  return lines.join("\n");
}
