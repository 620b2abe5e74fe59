/**
 * Claims on the cost model of the eager baseline, all of them on DMCI itself.
 */

import { short } from "../quote.js";
import type { Claim } from "./claim.js";
import { about, ratio, suite } from "./figures.js";

const DMCI = "DMCI from the author's checkout, on this computer and this PyTorch";
const percent = (x: number): string => `${short(x)} %`;
const shareOfBackward = (back: number, forward: number): number => (100 * back) / (back + forward);

export const phase0Claims: readonly Claim[] = [
  {
    label: "tab:wallclock",
    words: "Forward is many times backward already on a scalar expression",
    paper: "16.6×",
    figure: ratio(suite("scalar", "DMCI"), suite("scalar", "DMCI", "backward")),
    range: about(16.6),
    reason: `${DMCI}; a backward call of a few nodes is mostly PyTorch's fixed cost`,
  },
  {
    label: "tab:wallclock",
    words: "On the Kalman rollout forward is hundreds of times backward",
    paper: "256.8×",
    figure: ratio(suite("kalman", "DMCI"), suite("kalman", "DMCI", "backward")),
    range: about(256.8),
    reason: DMCI,
  },
  {
    label: "tab:wallclock",
    words: "The five programs span a range of cost of about 2300×",
    paper: "2300×",
    figure: ratio(suite("kalman", "DMCI"), suite("scalar", "DMCI")),
    range: about(2300),
    reason: `Kalman over scalar, forward; ${DMCI}`,
  },
  {
    label: "tab:wallclock",
    words: "A forward call of the scalar expression takes 3.08 ms",
    paper: "3.08 ms",
    figure: (q) => q.figure(suite("scalar", "DMCI"), 1e-3, " ms"),
    range: about(3.08),
    reason: DMCI,
  },
  {
    label: "tab:wallclock",
    words: "A forward call of the Kalman rollout takes 7.0 s",
    paper: "7,012 ms",
    figure: (q) => q.figure(suite("kalman", "DMCI"), 1e-3, " ms"),
    range: about(7012),
    reason: DMCI,
  },
  {
    label: "tab:wallclock",
    words: "Backward is about 6 % of the time on the cheapest program",
    paper: "6 %",
    figure: (q) =>
      q.of(
        [suite("scalar", "DMCI", "backward"), suite("scalar", "DMCI")],
        shareOfBackward,
        percent,
      ),
    range: about(6),
    reason: DMCI,
  },
  {
    label: "tab:wallclock",
    words: "Backward is 0.4 % of the time on the Kalman rollout",
    paper: "0.4 %",
    figure: (q) =>
      q.of(
        [suite("kalman", "DMCI", "backward"), suite("kalman", "DMCI")],
        shareOfBackward,
        percent,
      ),
    range: about(0.4),
    reason: DMCI,
  },
  {
    label: "fig:batch_independence",
    words: "Forward time rises by less than 4 % from one lane to 1024",
    paper: "+3.6 %",
    figure: (q) => q.ratio("batch#scalar/DMCI/1024", "batch#scalar/DMCI/1"),
    range: [0.9, 1.1],
    reason: `scalar expression, 1024 lanes over one; ${DMCI}`,
  },
  {
    label: "fig:batch_independence",
    words: "One more lane costs about 0.1 µs",
    paper: "0.1 µs",
    figure: (q) =>
      q.of(
        ["batch#scalar/DMCI/1024", "batch#scalar/DMCI/1"],
        (many, one) => (many - one) / 1023,
        (x) => `${short(x)} µs`,
      ),
    range: [0.02, 0.4],
    reason: "scalar expression; a small difference of two long times",
  },
  {
    label: "fig:cost_decomposition",
    words: "Boxing and walking are 85 to 90 % of forward time",
    paper: "85–90 %",
    figure: (q) =>
      q.of(
        ["profile#logistic/DMCI/boxing", "profile#logistic/DMCI/walking"],
        (a, b) => a + b,
        percent,
      ),
    range: [80, 95],
    reason: "logistic map; PyTorch's time is with its callers here",
  },
  {
    label: "fig:cost_decomposition",
    words: "Boxing alone is 49 to 61 % of forward time",
    paper: "49–61 %",
    figure: (q) => q.figure("profile#logistic/DMCI/boxing", 1, " %"),
    range: [44, 66],
    reason: "logistic map; PyTorch's time is with its callers here, which adds to boxing",
  },
  {
    label: "fig:cost_decomposition",
    words: "Walking is 25 to 40 % of forward time",
    paper: "25–40 %",
    figure: (q) => q.figure("profile#logistic/DMCI/walking", 1, " %"),
    range: [20, 45],
    reason: "logistic map; PyTorch's time is with its callers here",
  },
  {
    label: "fig:cost_decomposition",
    words: "Arithmetic is about 1 % or less",
    paper: "≤ 1 %",
    figure: (q) => q.figure("profile#logistic/DMCI/arithmetic", 1, " %"),
    range: [0, 1.5],
    reason: "logistic map; PyTorch's arithmetic is in it here, and not in the paper's share",
  },
  {
    label: "tab:boxing",
    words: "Boxing calls are 168 times arithmetic calls on the logistic map",
    paper: "168×",
    figure: ratio(suite("logistic", "DMCI", "boxing"), suite("logistic", "DMCI", "arithmetic")),
    range: [0.9 * 168, 1.1 * 168],
    reason: "counts of cProfile, the same in every run",
  },
  {
    label: "tab:alloc",
    words: "A forward call of the logistic map makes 6,037 tagged tensors",
    paper: "6,037",
    figure: (q) => q.count(suite("logistic", "DMCI", "constructions")),
    range: [6037, 6037],
    reason: "counted, the same in every run",
  },
  {
    label: "tab:alloc",
    words: "A forward call of the Kalman rollout makes 273 thousand tagged tensors",
    paper: "273,238",
    figure: (q) => q.count(suite("kalman", "DMCI", "constructions")),
    range: [0.95 * 273_238, 1.05 * 273_238],
    reason: "counted; our text of the filter has one binding fewer",
  },
  {
    label: "tab:alloc",
    words: "The split reduces object traffic on the Kalman rollout by 281×",
    paper: "281×",
    figure: ratio(suite("kalman", "DMCI", "constructions"), suite("kalman", "ndvm", "payloads")),
    range: about(281),
    better: "higher",
    reason: "tagged tensors of DMCI over payloads of our machine",
  },
  {
    label: "tab:alloc",
    words: "The machine carries the Kalman rollout in 972 payloads",
    paper: "972",
    figure: (q) => q.count(suite("kalman", "ndvm", "payloads")),
    range: about(972),
    better: "lower",
    reason: "payloads of one forward walk; ours count matrices and literals as payloads",
  },
];
