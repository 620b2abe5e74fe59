/**
 * The examples: how each is fitted and what is known about its answer. README.md of the examples
 * has the same settings as commands.
 */

import type { FitOptions } from "../../src/index.js";

export interface Example {
  readonly name: string;
  readonly options: Omit<FitOptions, "data">;
  /** Known constants, each with the error that its source allows. */
  readonly answer: Readonly<Record<string, readonly [value: number, error: number]>>;
  /** Known standard errors, to be met to 3 digits. */
  readonly standardErrors?: Readonly<Record<string, number>>;
  /** Known loss (sum of squares or negative log-likelihood), and its error. */
  readonly loss?: readonly [value: number, error: number];
  /** The constants that made the data: each lies in its 95 % interval. */
  readonly truth?: Readonly<Record<string, number>>;
}

const log = (start: number) => ({ start, scale: "log" }) as const;

export const examples: readonly Example[] = [
  {
    name: "enzyme-kinetics",
    options: { target: "rate", params: { Vm: 100, K: 0.5 } },
    // Bates and Watts, Nonlinear Regression Analysis, and R's nls.
    answer: { Vm: [212.7, 0.05], K: [0.06412, 5e-6] },
    standardErrors: { Vm: 6.947, K: 0.00828 },
    loss: [1195.449, 5e-4],
  },
  {
    name: "growth-curve",
    options: { target: "yield", params: { top: 100, delay: 1, rate: 0.1 } },
    // NIST's certified values of Rat42.
    answer: {
      top: [72.462237576, 1e-7],
      delay: [2.6180768402, 1e-8],
      rate: [0.067359200066, 1e-10],
    },
    standardErrors: { top: 1.7340283401, delay: 0.088295217536, rate: 0.0034465663377 },
    loss: [8.0565229338, 1e-9],
  },
  {
    name: "oscillator",
    options: {
      target: "height",
      params: {
        a: { range: [0.5, 3] },
        k: { range: [0.05, 1], bounds: [0, null] },
        w: { range: [1, 6] },
      },
      restarts: 16,
      seed: 1,
    },
    answer: { a: [1.46843, 5e-6], k: [0.245354, 5e-7], w: [2.998173, 5e-7] },
    loss: [0.15606705, 1e-8],
    truth: { a: 1.5, k: 0.25, w: 3 },
  },
  {
    name: "lotka-volterra",
    options: {
      params: {
        birth: { range: [0.2, 1], scale: "log" },
        hunt: { range: [0.01, 0.1], scale: "log" },
        death: { range: [0.2, 1.5], scale: "log" },
        feed: { range: [0.01, 0.1], scale: "log" },
        hare0: log(30),
        lynx0: log(4),
        "noise-h": log(0.5),
        "noise-l": log(0.5),
      },
      restarts: 8,
      seed: 1,
      isNegativeLogLikelihood: true,
    },
    // The maximum by another solver and another optimiser (DOP853 at 1e-10, Nelder and Mead).
    answer: {
      birth: [0.540014, 2e-5],
      hunt: [0.0271561, 1e-6],
      death: [0.796599, 2e-5],
      feed: [0.023702, 1e-6],
      hare0: [34.59916, 1e-3],
      lynx0: [5.843737, 2e-4],
      "noise-h": [0.21838, 1e-5],
      "noise-l": [0.220084, 1e-5],
    },
    loss: [122.92595, 1e-5],
    // Means of the posterior that Stan's case study has published: near the maximum.
    truth: { birth: 0.547, hunt: 0.0277, death: 0.8, feed: 0.0241, hare0: 34.04, lynx0: 5.936 },
  },
  {
    name: "hare-and-lynx",
    options: {
      target: ["hare", "lynx"],
      params: {
        birth: { range: [0.3, 0.8], scale: "log" },
        hunt: { range: [0.015, 0.05], scale: "log" },
        death: { range: [0.5, 1.2], scale: "log" },
        feed: { range: [0.015, 0.05], scale: "log" },
        hare0: log(30),
        lynx0: log(4),
      },
      restarts: 4,
      seed: 1,
    },
    // Least squares in units of each animal's standard deviation, by SciPy (DOP853 at 1e-11).
    answer: {
      birth: [0.482318, 2e-6],
      hunt: [0.02482156, 1e-7],
      death: [0.917742, 2e-6],
      feed: [0.02729801, 1e-7],
      hare0: [35.40075, 1e-4],
      lynx0: [3.937682, 1e-5],
    },
    loss: [1.6630993, 1e-6],
  },
  {
    name: "epidemic",
    options: { target: "in_bed", params: { beta: log(2), gamma: log(0.5), sick0: log(1) } },
    answer: { beta: [1.788, 5e-4], gamma: [0.456, 5e-4], sick0: [2.09, 5e-3] },
    standardErrors: { beta: 0.1058, gamma: 0.01874 },
  },
  {
    name: "nile-level",
    options: {
      params: { noise: log(5000), drift: log(5000) },
      isNegativeLogLikelihood: true,
    },
    // Durbin and Koopman, section 2.10.
    answer: { noise: [15099, 1], drift: [1469, 0.5] },
    loss: [632.5456, 1e-4],
  },
  {
    name: "kalman-fit",
    options: {
      params: { step: 0.3, noise: 0.3 },
      optimiser: "adam",
      adam: { rate: 0.08 },
      steps: 30,
    },
    // By dual numbers in plain TypeScript (test/fit/kalman-fit.test.ts compares every step).
    answer: { step: [0.05795893442, 1e-9], noise: [0.08591430287, 1e-9] },
    loss: [-102.903038402, 1e-7],
  },
  {
    name: "dose-response",
    options: {
      target: "response",
      params: { base: 1, threshold: { range: [0, 6] }, slope: 1, full: { range: [6, 12] } },
      restarts: 16,
      seed: 1,
    },
    answer: {},
    truth: { base: 2, threshold: 3, slope: 1.5, full: 8 },
  },
  {
    name: "earthquakes",
    options: {
      params: {
        calm: log(10),
        lively: log(30),
        wake: { start: 0.1, bounds: [0, 1] },
        tire: { start: 0.1, bounds: [0, 1] },
      },
      isNegativeLogLikelihood: true,
    },
    // Zucchini and MacDonald, Hidden Markov Models for Time Series, chapter 3.
    answer: {
      calm: [15.472, 5e-4],
      lively: [26.125, 5e-4],
      wake: [0.066, 5e-5],
      tire: [0.1285, 5e-5],
    },
    loss: [342.3183, 5e-5],
  },
  {
    name: "garch",
    options: {
      params: {
        mu: 0,
        omega: log(0.2),
        alpha: { start: 0.1, bounds: [0, 1] },
        beta: { start: 0.5, bounds: [0, 1] },
      },
      isNegativeLogLikelihood: true,
    },
    answer: {},
    truth: { mu: 0.05, omega: 0.1, alpha: 0.15, beta: 0.8 },
  },
];
