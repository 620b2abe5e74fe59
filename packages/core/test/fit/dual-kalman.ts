/**
 * The paper's calibration in plain TypeScript, by forward mode: numbers that carry their derivatives
 * by two parameters, 2×2 matrices of them, the filter, and Adam. Nothing of it is the machine's.
 */

/** A value and its derivatives by the variances of a step and of an observation. */
export type Dual = readonly [value: number, byStep: number, byNoise: number];
type Pair = readonly [Dual, Dual];
type Square = readonly [Pair, Pair];

const constant = (value: number): Dual => [value, 0, 0];
const add = (a: Dual, b: Dual): Dual => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a: Dual, b: Dual): Dual => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const multiply = (a: Dual, b: Dual): Dual => [
  a[0] * b[0],
  a[0] * b[1] + a[1] * b[0],
  a[0] * b[2] + a[2] * b[0],
];
const divide = (a: Dual, b: Dual): Dual => {
  const value = a[0] / b[0];
  return [value, (a[1] - value * b[1]) / b[0], (a[2] - value * b[2]) / b[0]];
};
const log = (a: Dual): Dual => [Math.log(a[0]), a[1] / a[0], a[2] / a[0]];
const atLeast = (a: Dual, bound: number): Dual => (a[0] >= bound ? a : constant(bound));

const zero = constant(0);
const one = constant(1);
const identity: Square = [
  [one, zero],
  [zero, one],
];
const each = (a: Square, b: Square, f: (x: Dual, y: Dual) => Dual): Square => [
  [f(a[0][0], b[0][0]), f(a[0][1], b[0][1])],
  [f(a[1][0], b[1][0]), f(a[1][1], b[1][1])],
];
const diagonal = (a: Dual): Square => [
  [a, zero],
  [zero, a],
];
const inner = (a: Pair, b: Pair): Dual => add(multiply(a[0], b[0]), multiply(a[1], b[1]));
const apply = (a: Square, v: Pair): Pair => [inner(a[0], v), inner(a[1], v)];
const product = (a: Square, b: Square): Square => {
  const columns = [
    [b[0][0], b[1][0]],
    [b[0][1], b[1][1]],
  ] as const;
  return [
    [inner(a[0], columns[0]), inner(a[0], columns[1])],
    [inner(a[1], columns[0]), inner(a[1], columns[1])],
  ];
};
const determinant = (a: Square): Dual =>
  subtract(multiply(a[0][0], a[1][1]), multiply(a[0][1], a[1][0]));
const inverse = (a: Square): Square => {
  const by = determinant(a);
  const minus = (x: Dual): Dual => subtract(zero, x);
  return [
    [divide(a[1][1], by), divide(minus(a[0][1]), by)],
    [divide(minus(a[1][0]), by), divide(a[0][0], by)],
  ];
};

/** Twice the negative log-likelihood, up to a constant, of positions seen with noise. */
export function likelihood(
  positions: readonly (readonly [number, number])[],
  step: number,
  noise: number,
): Dual {
  const Q = diagonal(atLeast([step, 1, 0], 1e-4));
  const R = diagonal(atLeast([noise, 0, 1], 1e-4));
  let x: Pair = [zero, zero];
  let P = identity;
  let total = zero;
  for (const [east, north] of positions) {
    const predicted = each(P, Q, add);
    const e: Pair = [subtract(constant(east), x[0]), subtract(constant(north), x[1])];
    const S = each(predicted, R, add);
    const inverted = inverse(S);
    const gain = product(predicted, inverted);
    const change = apply(gain, e);
    x = [add(x[0], change[0]), add(x[1], change[1])];
    P = product(each(identity, gain, subtract), predicted);
    total = add(total, add(log(determinant(S)), inner(e, apply(inverted, e))));
  }
  return total;
}

export interface Trajectory {
  /** The point after each step, the start first. */
  readonly points: readonly (readonly [number, number])[];
  /** The loss at each of them. */
  readonly losses: readonly number[];
}

/** Adam's way from a start (Kingma and Ba, algorithm 1). */
export function adamTrajectory(
  positions: readonly (readonly [number, number])[],
  start: readonly [number, number],
  rate: number,
  steps: number,
): Trajectory {
  let at = start;
  const first = [0, 0];
  const second = [0, 0];
  const points = [at];
  const losses: number[] = [];
  for (let t = 1; t <= steps + 1; t++) {
    const [loss, ...gradient] = likelihood(positions, at[0], at[1]);
    losses.push(loss);
    if (t > steps) break;
    at = gradient.map((g, j) => {
      first[j] = 0.9 * (first[j] as number) + 0.1 * g;
      second[j] = 0.999 * (second[j] as number) + 0.001 * g * g;
      const mean = (first[j] as number) / (1 - 0.9 ** t);
      const size = Math.sqrt((second[j] as number) / (1 - 0.999 ** t));
      return (at[j] as number) - (rate * mean) / (size + 1e-8);
    }) as unknown as readonly [number, number];
    points.push(at);
  }
  return { points, losses };
}
