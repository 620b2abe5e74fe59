/**
 * The programs that are measured, with inputs for any number of lanes, and subjects made of them.
 *
 * Every input that is differentiated has a table of variants; each call takes the next one, so that
 * no call sees the numbers of the call before.
 */

import {
  type Inputs,
  type Language,
  type Machine,
  mat,
  type Program,
  type RunOptions,
} from "../../src/index.js";
import { Checksum } from "./checksum.js";
import type { Subject } from "./timing.js";

export interface Model {
  readonly name: string;
  readonly source: string;
  /** Scheme unless it says otherwise. */
  readonly language?: Language;
  /** Differentiated inputs and the numbers around which they vary. */
  readonly parameters: Readonly<Record<string, number>>;
  /** Inputs that stay as they are. */
  readonly fixed?: Inputs;
  /** How far lanes lie apart, as a factor. */
  readonly spread?: number;
  /** How far variants lie apart, as a factor. */
  readonly jitter?: number;
}

export const STEPS = 80;

/** Observations of a wandering point; which ones they are does not matter to the cost. */
export const observations = Float64Array.from(
  { length: 2 * STEPS },
  (_, i) => Math.sin(i * 0.37) + 0.3 * Math.cos(i * 1.91),
);

export const kalman: Model = {
  name: "Kalman T=80",
  source: `
    (loop ((k 0) (x (vec 0.0 0.0)) (P (mat (vec 1.0 0.0) (vec 0.0 1.0))) (total 0.0))
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
            (recur (+ k 1) next left (+ total cost)))))`,
  parameters: { q: 0.05, r: 0.1 },
  fixed: { obs: mat(observations, STEPS) },
};

export const logistic: Model = {
  name: "logistic map, 16 steps",
  source: "(loop ((x x0) (k 0)) (if (= k 16) x (recur (* r (* x (- 1.0 x))) (+ k 1))))",
  parameters: { r: 3.2, x0: 0.4 },
};

export const oscillator: Model = {
  name: "damped oscillator",
  source: "(* A (* (exp (- 0 (* b t))) (cos (* omega t))))",
  parameters: { A: 1, b: 0.3, omega: 2, t: 1.5 },
};

export const line: Model = {
  name: "line",
  source: "(+ (* alpha x) beta)",
  parameters: { alpha: 2, beta: 1, x: 1.5 },
};

export const michaelis: Model = {
  name: "Michaelis-Menten",
  source: "(/ (* Vmax S) (+ Km S))",
  parameters: { Vmax: 2, Km: 0.5, S: 1.5 },
};

/** Lanes part at every step: their starts cover the interval. */
export const tent: Model = {
  name: "tent map, 16 steps",
  source: `
    (loop ((x x0) (k 0))
      (if (= k 16)
          x
          (if (< x 0.5)
              (recur (* r x) (+ k 1))
              (recur (* r (- 1.0 x)) (+ k 1)))))`,
  parameters: { r: 1.9, x0: 0.3 },
  spread: 1,
  // Sixteen steps stretch a difference 28,000 times; one lane's variants should keep their path.
  jitter: 2e-7,
};

/** A procedure that only calls itself last: without loops found, each call makes a frame. */
export const newton: Model = {
  name: "Newton's root, 12 steps",
  source: `
    (let next ((x a) (k 0))
      (if (= k 12) x (next (* 0.5 (+ x (/ a x))) (+ k 1))))`,
  parameters: { a: 2 },
};

/** One lane in 25 takes the other side of a branch, at every step. */
export const fewApart: Model = {
  name: "few lanes apart, 16 steps",
  source: `
    (loop ((z (* a x)) (k 0))
      (if (= k 16)
          z
          (if (< x 0.96)
              (recur (* a (sin z)) (+ k 1))
              (recur (exp (- (* a z))) (+ k 1)))))`,
  parameters: { a: 0.8, x: 0.5 },
  spread: 2,
};

/** Integers meet reals at every step. */
export const series: Model = {
  name: "series, 40 terms",
  source: `
    (loop ((k 1) (total 0.0) (term 1.0))
      (if (> k 40) total (recur (+ k 1) (+ total (/ term k)) (* term (* a (+ k 1) (/ 1 k))))))`,
  parameters: { a: 0.6 },
};

export type Numbers = Float32Array;

/** Variants of a parameter; fewer where they are large. */
export const variantCount = (lanes: number) => (lanes > 10_000 ? 2 : 8);

/** For each parameter, variants of one number per lane. */
export function variants(model: Model, lanes: number): Readonly<Record<string, Numbers[]>> {
  const spread = model.spread ?? 0.2;
  const jitter = model.jitter ?? 1e-4;
  const count = variantCount(lanes);
  return Object.fromEntries(
    Object.entries(model.parameters).map(([name, middle], p) => [
      name,
      Array.from({ length: count }, (_, v) =>
        Float32Array.from({ length: lanes }, (_, lane) => {
          const part = (lane * 0.618034 + p * 0.37) % 1;
          const shift = lanes === 1 ? 0 : spread * (part - 0.5);
          return middle * (1 + shift + jitter * v);
        }),
      ),
    ]),
  );
}

/** Inputs as `gradient` takes them: numbers for one lane, arrays for more. */
export function inputsOf(model: Model, lanes: number, variant = 0): Inputs {
  const tables = variants(model, lanes);
  const parameters = Object.entries(tables).map(([name, all]) => {
    const numbers = all[variant] as Numbers;
    return [name, lanes === 1 ? (numbers[0] as number) : numbers];
  });
  return { ...Object.fromEntries(parameters), ...model.fixed };
}

export interface Way extends RunOptions {
  /** Values only. */
  readonly isForward?: boolean;
}

/** A subject that runs a model in a session with other numbers at each call. */
export interface ModelSubject extends Subject {
  readonly program: Program;
  /** Checksum of values and gradients (by `names`, all if left out) over all variants. */
  checksum(names?: readonly string[]): string;
}

export function subjectOf(
  machine: Machine,
  model: Model,
  lanes: number,
  { isForward = false, ...options }: Way = {},
): ModelSubject {
  const program = machine.load(model.source, {
    domain: "clamp",
    ...(model.language === undefined ? {} : { language: model.language }),
  });
  const names = Object.keys(model.parameters);
  const wrt = isForward ? [] : names;
  const count = variantCount(lanes);
  const session = program.session(inputsOf(model, lanes), { ...options, wrt, lanes });
  const tables = variants(model, lanes);
  const slots = names.map((name) => ({
    into: session.inputs[name] as Numbers,
    from: tables[name] as Numbers[],
  }));
  const call = (turn: number) => {
    for (const { into, from } of slots) {
      const numbers = from[turn % count] as Numbers;
      if (lanes === 1) into[0] = numbers[0] as number;
      else into.set(numbers);
    }
    session.run();
  };
  const checksum = (wanted = wrt) => {
    const sum = new Checksum();
    for (let variant = 0; variant < count; variant++) {
      call(variant);
      sum.add(session.values);
      for (const name of wanted) sum.add(session.gradients[name] as Numbers);
    }
    return sum.toString();
  };
  return { name: model.name, program, call, checksum };
}
