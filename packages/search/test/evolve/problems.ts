/**
 * The recovery problems: data, the truth as a program, and how large it is.
 *
 * All are searched with the default operators: none is told what it needs.
 */

import { complexityOf } from "../../src/complexity.js";
import type { SearchData } from "../../src/types.js";

export interface Problem {
  readonly name: string;
  /** The truth, over the inputs, with its constants. */
  readonly truth: string;
  readonly complexity: number;
  /** How the text of a form starts that it needs; empty where expressions do. */
  readonly needs: string;
  readonly train: SearchData;
  /** Columns without noise, on which recovery is judged. */
  readonly test: SearchData;
  readonly inputs: readonly string[];
}

/** A generator of its own, so that problems do not depend on the code they test. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x45d9f3b);
    z = Math.imul(z ^ (z >>> 16), 0x45d9f3b);
    return ((z ^ (z >>> 16)) >>> 0) / 4294967296;
  };
}

function normal(random: () => number): number {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += random();
  return sum;
}

interface Recipe {
  readonly name: string;
  readonly truth: string;
  readonly needs?: string;
  readonly low: number;
  readonly high: number;
  readonly rows: number;
  /** Noise in shares of the target's deviation. */
  readonly noise?: number;
  readonly f: (x: number) => number;
}

function problemOf({ name, truth, needs = "", low, high, rows, noise = 0, f }: Recipe): Problem {
  const random = generator(rows * 7919 + name.length);
  const x = Array.from({ length: rows }, () => low + (high - low) * random());
  const clean = x.map(f);
  const mean = clean.reduce((a, b) => a + b, 0) / rows;
  const deviation = Math.sqrt(clean.reduce((a, b) => a + (b - mean) ** 2, 0) / rows);
  const y = clean.map((value) => value + noise * deviation * normal(random));
  const grid = Array.from({ length: 200 }, (_, i) => low + ((high - low) * (i + 0.5)) / 200);
  return {
    name,
    truth,
    needs,
    complexity: complexityOf(truth),
    train: { x, y },
    test: { x: grid, y: grid.map(f) },
    inputs: ["x"],
  };
}

const powers = (degree: number) => (x: number) => {
  let sum = 0;
  for (let k = 1; k <= degree; k++) sum += x ** k;
  return sum;
};

const powersText = (degree: number): string => {
  const terms = Array.from({ length: degree - 1 }, (_, i) => `(expt x ${degree - i})`);
  return `(+ ${terms.join(" ")} x)`;
};

const nguyen: readonly Recipe[] = [
  ...[3, 4, 5, 6].map((degree) => ({
    name: `Nguyen-${degree - 2}`,
    truth: powersText(degree),
    low: -1,
    high: 1,
    rows: 20,
    f: powers(degree),
  })),
  {
    name: "Nguyen-5",
    truth: "(- (* (sin (* x x)) (cos x)) 1)",
    low: -1,
    high: 1,
    rows: 20,
    f: (x) => Math.sin(x * x) * Math.cos(x) - 1,
  },
  {
    name: "Nguyen-6",
    truth: "(+ (sin x) (sin (+ x (* x x))))",
    low: -1,
    high: 1,
    rows: 20,
    f: (x) => Math.sin(x) + Math.sin(x + x * x),
  },
  {
    name: "Nguyen-7",
    truth: "(+ (log (+ x 1)) (log (+ (* x x) 1)))",
    low: 0,
    high: 2,
    rows: 20,
    f: (x) => Math.log(x + 1) + Math.log(x * x + 1),
  },
  { name: "Nguyen-8", truth: "(sqrt x)", low: 0, high: 4, rows: 20, f: Math.sqrt },
];

const laws: readonly Recipe[] = [
  {
    name: "damped oscillator",
    truth: "(* 2 (exp (* -0.3 x)) (cos (+ (* 3 x) 0.5)))",
    low: 0,
    high: 8,
    rows: 80,
    noise: 0.02,
    f: (x) => 2 * Math.exp(-0.3 * x) * Math.cos(3 * x + 0.5),
  },
  {
    name: "Michaelis–Menten",
    truth: "(/ (* 3.2 x) (+ 0.7 x))",
    low: 0.05,
    high: 8,
    rows: 40,
    f: (x) => (3.2 * x) / (0.7 + x),
  },
  {
    name: "logistic growth",
    truth: "(/ 8 (+ 1 (exp (* -1.3 (- x 4)))))",
    low: 0,
    high: 10,
    rows: 40,
    f: (x) => 8 / (1 + Math.exp(-1.3 * (x - 4))),
  },
  {
    name: "piecewise linear",
    truth: "(if (< x 1.7) (+ 1 (* 2.5 x)) (- 7.29 (* 1.2 x)))",
    needs: "(if",
    low: 0,
    high: 5,
    rows: 80,
    f: (x) => (x < 1.7 ? 1 + 2.5 * x : 7.29 - 1.2 * x),
  },
  {
    name: "recurrence, 10 steps",
    truth: "(loop ((s x) (k 0)) (if (= k 10) s (recur (* 1.6 (cos s)) (+ k 1))))",
    needs: "(loop",
    low: -3,
    high: 3,
    rows: 80,
    f: (x) => {
      let s = x;
      for (let k = 0; k < 10; k++) s = 1.6 * Math.cos(s);
      return s;
    },
  },
];

export const problems: readonly Problem[] = [...nguyen, ...laws].map(problemOf);

export function problemNamed(name: string): Problem {
  const found = problems.find((problem) => problem.name === name);
  if (found === undefined) throw new Error(`there is no problem ${name}`);
  return found;
}
