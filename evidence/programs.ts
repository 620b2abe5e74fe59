/**
 * The paper's five programs, with inputs that vary from call to call and from lane to lane, so that
 * no call sees the numbers of the one before.
 *
 * The mathematics are the paper's; the observations of the Kalman filter are our own (which ones
 * they are does not matter to the cost).
 */

import { type Inputs, mat } from "@ndvm/core";

export interface Case {
  /** The key of its measurements. */
  readonly name: string;
  readonly title: string;
  readonly source: string;
  readonly steps: number;
  /** Differentiated inputs. */
  readonly parameters: Readonly<Record<string, number>>;
  readonly matrices: Readonly<Record<string, Matrix>>;
}

export interface Matrix {
  readonly rows: number;
  readonly cols: number;
  readonly data: readonly number[];
}

export const STEPS = 80;

const observations: Matrix = {
  rows: STEPS,
  cols: 2,
  data: Array.from({ length: 2 * STEPS }, (_, i) =>
    Math.fround(Math.sin(i * 0.37) + 0.3 * Math.cos(i * 1.91)),
  ),
};

const kalmanSource = `(loop ((k 0)
       (x (vec 0.0 0.0))
       (P (mat (vec 1.0 0.0) (vec 0.0 1.0)))
       (total 0.0))
  (if (= k ${STEPS})
      total
      (let* ((Q (scale q (eye 2)))
             (R (scale r (eye 2)))
             (predicted (+ P Q))
             (e (- (ref obs k) x))
             (S (+ predicted R))
             (inverse (inv S))
             (gain (matmul predicted inverse))
             (next (+ x (matvec gain e)))
             (left (matmul (- (eye 2) gain) predicted))
             (cost (+ (log (det S)) (dot e (matvec inverse e)))))
        (recur (+ k 1) next left (+ total cost)))))`;

export const scalar: Case = {
  name: "scalar",
  title: "scalar expression",
  source: "(+ (* alpha x) beta)",
  steps: 1,
  parameters: { alpha: 2, beta: 1, x: 1.5 },
  matrices: {},
};

export const michaelis: Case = {
  name: "michaelis",
  title: "Michaelis–Menten",
  source: "(/ (* Vmax S) (+ Km S))",
  steps: 1,
  parameters: { Vmax: 2, Km: 0.5, S: 1.5 },
  matrices: {},
};

export const oscillator: Case = {
  name: "oscillator",
  title: "damped oscillator",
  source: "(* A (* (exp (- 0.0 (* b t))) (cos (* omega t))))",
  steps: 1,
  parameters: { A: 1, b: 0.3, omega: 2, t: 1.5 },
  matrices: {},
};

export const logistic: Case = {
  name: "logistic",
  title: "logistic-map loop",
  source: "(loop ((x x0) (k 0)) (if (= k 16) x (recur (* r (* x (- 1.0 x))) (+ k 1))))",
  steps: 16,
  parameters: { r: 3.2, x0: 0.4 },
  matrices: {},
};

export const kalman: Case = {
  name: "kalman",
  title: "Kalman NLL",
  source: kalmanSource,
  steps: STEPS,
  parameters: { q: 0.05, r: 0.1 },
  matrices: { obs: observations },
};

export const five: readonly Case[] = [scalar, michaelis, oscillator, logistic, kalman];

export const namesOf = ({ parameters }: Case): readonly string[] => Object.keys(parameters);

export const VARIANTS = 8;

/** The number of a parameter in a lane of a variant. */
export function numberAt(
  { parameters }: Case,
  name: string,
  lane: number,
  lanes: number,
  variant: number,
): number {
  const shift = lanes === 1 ? 0 : 0.2 * (((lane * 0.618034) % 1) - 0.5);
  return Math.fround((parameters[name] as number) * (1 + shift + 1e-4 * (variant % VARIANTS)));
}

/** Variants of every parameter: one number a lane. */
export function tablesOf(one: Case, lanes: number): readonly (readonly Float32Array[])[] {
  return namesOf(one).map((name) =>
    Array.from({ length: VARIANTS }, (_, variant) =>
      Float32Array.from({ length: lanes }, (_, lane) => numberAt(one, name, lane, lanes, variant)),
    ),
  );
}

/** Inputs as the machine takes them. */
export function inputsOf(one: Case, lanes: number, variant = 0): Inputs {
  const numbers = namesOf(one).map((name) => [
    name,
    lanes === 1
      ? numberAt(one, name, 0, 1, variant)
      : Float32Array.from({ length: lanes }, (_, lane) =>
          numberAt(one, name, lane, lanes, variant),
        ),
  ]);
  const matrices = Object.entries(one.matrices).map(([name, { data, rows }]) => [
    name,
    mat(Float64Array.from(data), rows),
  ]);
  return Object.fromEntries([...numbers, ...matrices]) as Inputs;
}
