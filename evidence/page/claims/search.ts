/**
 * Claims on correctness, calibration and co-search.
 */

import { type Quote, short } from "../quote.js";
import type { Claim } from "./claim.js";
import { none, suite } from "./figures.js";

const fuzzed = (seed: number) => (q: Quote) =>
  q.of(
    ["G1", "G2", "G3", "judged", "judged by G3"].map((part) => `fuzz#${seed}/all programs/${part}`),
    (g1, g2, g3, judged, third) =>
      ((g1 as number) + (g2 as number) + (g3 as number)) /
      (2 * (judged as number) + (third as number)),
    (x) => `${short(100 * x)} %`,
  );

export const searchClaims: readonly Claim[] = [
  {
    label: "tab:fuzz-coverage",
    words: "All 600 checks of seed 1234 pass",
    paper: "600 of 600",
    figure: fuzzed(1234),
    range: [1, 1],
    reason: "our generator, over the whole language instead of the scalar fragment",
  },
  {
    label: "tab:fuzz-coverage",
    words: "All 1500 checks of seed 7 pass",
    paper: "1500 of 1500",
    figure: fuzzed(7),
    range: [1, 1],
    reason: "our generator, over the whole language",
  },
  {
    label: "tab:cosearch",
    words: "A Kalman calibration takes 25.9 ms",
    paper: "25.9 ms",
    figure: (q) => q.figure("calibration#ndvm/fit", 1e-3, " ms"),
    range: [15, 40],
    better: "lower",
    reason: "30 Adam steps from the text, one core",
  },
  {
    label: "tab:cosearch",
    words: "That is 8100× faster than the eager baseline",
    paper: "8144×",
    figure: (q) => q.ratio("calibration#tagged PyTorch/fit", "calibration#ndvm/fit"),
    range: [4000, 16000],
    better: "higher",
    reason: "our tagged baseline is faster than DMCI",
  },
  {
    label: "tab:cosearch",
    words: "Behind a model of half a second the fit is below 5 % of a candidate",
    paper: "4.8 %",
    figure: (q) => q.figure("calibration#500/share of the fit", 1, " %"),
    range: [2, 7],
    better: "lower",
    reason: "a local endpoint that answers after half a second",
  },
  {
    label: "fig:cosearch",
    words: "The frontier of scalar programs shifts 23.8× over the tagged baseline",
    paper: "23.8×",
    figure: (q) => q.ratio("cosearch-flat#ndvm/fits", "cosearch-flat#tagged PyTorch/fits"),
    range: [15, 40],
    better: "higher",
    reason: "fits in the same time",
  },
  {
    label: "fig:cosearch",
    words: "The unstaged runtime beats staging on a stream of new structures",
    paper: "argued from n*",
    figure: (q) => q.ratio("cosearch-flat#ndvm/fits", "cosearch-flat#staged JavaScript/fits"),
    range: [1, 5],
    better: "higher",
    reason: "fits in the same time, over generated JavaScript",
  },
  {
    label: "fig:cosearch",
    words: "The first held-out R² above 0.9 comes after 12.2 s",
    paper: "12.2 s",
    figure: (q) => q.figure("cosearch-flat#ndvm/first success", 1, " s"),
    range: [6, 25],
    better: "lower",
    reason: "median over seeds; the order of the stream is the paper's",
  },
  {
    label: "recurrence task",
    words: "On recurrences the frontier shifts 339.8×",
    paper: "339.8×",
    figure: (q) => q.ratio("cosearch-rec#ndvm/fits", "cosearch-rec#tagged PyTorch/fits"),
    range: [170, 680],
    better: "higher",
    reason: "fits in the same time",
  },
  {
    label: "recurrence task",
    words: "The unstaged runtime beats staging on recurrences too",
    paper: "argued from n*",
    figure: (q) => q.ratio("cosearch-rec#ndvm/fits", "cosearch-rec#staged JavaScript/fits"),
    range: [1, 5],
    better: "higher",
    reason: "fits in the same time, over generated JavaScript",
  },
  {
    label: "variance",
    words: "The coefficient of variation of native cells is about 6 % at most",
    paper: "≤ 6 %",
    figure: (q) => q.statistic(suite("kalman", "ndvm"), "cv", 100, " %"),
    range: [0, 6],
    reason:
      "Kalman forward on our machine; the computer is shared, so the minimum and the ratios are what holds",
  },
  {
    label: "tab:artifact",
    words: "A GPU is 2 to 11× faster on a dense forward kernel",
    paper: "2–11×",
    figure: none,
    range: [2, 11],
    reason: "every figure here is of processor cores; there is no GPU kernel of ours",
  },
  {
    label: "tab:cosearch",
    words: "One core calibrates about 139,000 times an hour",
    paper: "138,769",
    figure: (q) =>
      q.of(
        ["calibration#ndvm/fit"],
        (x) => 3.6e9 / x,
        (x) => Math.round(x).toLocaleString("en-US"),
      ),
    range: [90000, 210000],
    better: "higher",
    reason: "the same 30 steps",
  },
  {
    label: "tab:cosearch",
    words: "The fit is 65 % of a candidate's way without a model",
    paper: "65 %",
    figure: (q) =>
      q.of(
        ["calibration#ndvm/fit", "calibration#ndvm/screen", "calibration#ndvm/forecast"],
        (fit, screen, forecast) => (100 * fit) / (fit + screen + forecast),
        (x) => `${short(x)} %`,
      ),
    range: [50, 80],
    reason: "screening is text to the first value here, and Python there",
  },
  {
    label: "tab:cosearch",
    words: "Behind a model of two seconds the fit is about 1 % of a candidate",
    paper: "1.3 %",
    figure: (q) => q.figure("calibration#2000/share of the fit", 1, " %"),
    range: [0.5, 2],
    better: "lower",
    reason: "a local endpoint that answers after two seconds",
  },
  {
    label: "fig:cosearch",
    words: "The budget ends at a held-out R² of 0.996",
    paper: "0.996",
    figure: (q) => q.figure("cosearch-flat#ndvm/best R²"),
    range: [0.99, 1],
    better: "higher",
    reason: "median over seeds; our budget is a fraction of the paper's",
  },
  {
    label: "fig:cosearch",
    words: "Five distinct structures succeed",
    paper: "5",
    figure: (q) => q.figure("cosearch-flat#ndvm/successes"),
    range: [4, 8],
    better: "higher",
    reason: "held-out R² above 0.9, median over seeds",
  },
  {
    label: "fig:cosearch",
    words: "A fit of a scalar program takes 21 ms",
    paper: "21 ms",
    figure: (q) => q.figure("cosearch-flat#ndvm/core-seconds", 1e3, " ms"),
    range: [10, 40],
    better: "lower",
    reason: "from the text to the score, one core",
  },
  {
    label: "recurrence task",
    words: "Two distinct structures succeed, the baseline finds none",
    paper: "2",
    figure: (q) => q.figure("cosearch-rec#ndvm/successes"),
    range: [1, 4],
    better: "higher",
    reason: "held-out R² above 0.9, median over seeds",
  },
  {
    label: "recurrence task",
    words: "The best recurrence reaches a held-out R² of 0.989",
    paper: "0.989",
    figure: (q) => q.figure("cosearch-rec#ndvm/best R²"),
    range: [0.97, 1],
    better: "higher",
    reason: "median over seeds",
  },
  {
    label: "recurrence task",
    words: "A fit of a recurrence takes 23 ms",
    paper: "23 ms",
    figure: (q) => q.figure("cosearch-rec#ndvm/core-seconds", 1e3, " ms"),
    range: [10, 40],
    better: "lower",
    reason: "from the text to the score, one core",
  },
];
