/**
 * Claims on the cost model of the eager baseline.
 */

import { short } from "../quote.js";
import type { Claim } from "./claim.js";
import { ratio, suite } from "./figures.js";

export const phase0Claims: readonly Claim[] = [
  {
    label: "tab:wallclock",
    words: "Forward dominates backward already on a scalar expression",
    paper: "16.6×",
    figure: ratio(suite("scalar", "tagged PyTorch"), suite("scalar", "tagged PyTorch", "backward")),
    range: [1.5, 1000],
    reason: "tagged PyTorch; our evaluator does less around each value, so its forward is shorter",
  },
  {
    label: "tab:wallclock",
    words: "On the Kalman rollout forward is hundreds of times backward",
    paper: "256.8×",
    figure: ratio(suite("kalman", "tagged PyTorch"), suite("kalman", "tagged PyTorch", "backward")),
    range: [100, 1000],
    reason: "DMCI interprets an interpreter; one level of interpretation gives a far smaller ratio",
  },
  {
    label: "tab:wallclock",
    words: "The five programs span a range of cost of about 2300×",
    paper: "2300×",
    figure: ratio(suite("kalman", "tagged PyTorch"), suite("scalar", "tagged PyTorch")),
    range: [500, 5000],
    reason: "Kalman over scalar, tagged PyTorch, forward",
  },
  {
    label: "fig:batch_independence",
    words: "Eager forward time hardly depends on the batch (1024 lanes over one)",
    paper: "+3.6 %",
    figure: (q) => q.ratio("batch#scalar/tagged PyTorch/1024", "batch#scalar/tagged PyTorch/1"),
    range: [0.8, 1.2],
    reason:
      "scalar expression; a batch of tagged tensors is 14 floats a lane, which this computer feels more",
  },
  {
    label: "fig:batch_independence",
    words: "One more lane costs about 0.1 µs",
    paper: "0.1 µs",
    figure: (q) =>
      q.of(
        ["batch#scalar/ndvm/1024", "batch#scalar/ndvm/1"],
        (many, one) => (many - one) / 1023,
        (x) => `${short(x)} µs`,
      ),
    range: [0.03, 0.3],
    better: "lower",
    reason: "on our machine, scalar expression, forward",
  },
  {
    label: "fig:cost_decomposition",
    words: "Boxing and walking are 85 to 90 % of forward time",
    paper: "85–90 %",
    figure: (q) =>
      q.of(
        ["profile#logistic/boxing", "profile#logistic/walking"],
        (a, b) => a + b,
        (x) => `${short(x)} %`,
      ),
    range: [80, 95],
    reason:
      "logistic map, tagged PyTorch; nearly all of it boxing, since our walk is one level deep",
  },
  {
    label: "fig:cost_decomposition",
    words: "Arithmetic is about 1 % or less",
    paper: "≤ 1 %",
    figure: (q) => q.figure("profile#logistic/arithmetic", 1, " %"),
    range: [0, 1.5],
    reason: "logistic map, tagged PyTorch; less is done around the same arithmetic than in DMCI",
  },
  {
    label: "tab:boxing",
    words: "Boxing calls outnumber arithmetic calls by a hundred and more",
    paper: "104–580×",
    figure: ratio(
      suite("logistic", "tagged PyTorch", "boxing"),
      suite("logistic", "tagged PyTorch", "arithmetic"),
    ),
    range: [104, 580],
    reason: "logistic map; one level of interpretation boxes less than DMCI's two",
  },
  {
    label: "tab:alloc",
    words: "The split reduces object traffic on the Kalman rollout",
    paper: "281×",
    figure: ratio(
      suite("kalman", "tagged PyTorch", "constructions"),
      suite("kalman", "ndvm", "payloads"),
    ),
    range: [26, 281],
    better: "higher",
    reason:
      "tagged tensors over our payloads; the baseline that we wrote makes far fewer tensors than DMCI",
  },
  {
    label: "tab:wallclock",
    words: "Backward is about 6 % of the time on the cheapest program",
    paper: "6 %",
    figure: (q) =>
      q.of(
        [suite("scalar", "tagged PyTorch", "backward"), suite("scalar", "tagged PyTorch")],
        (back, forward) => (100 * back) / (back + forward),
        (x) => `${short(x)} %`,
      ),
    range: [3, 12],
    reason: "tagged PyTorch; our forward does less, so the same backward is a larger share",
  },
  {
    label: "fig:cost_decomposition",
    words: "Boxing alone is 49 to 61 % of forward time",
    paper: "49–61 %",
    figure: (q) => q.figure("profile#logistic/boxing", 1, " %"),
    range: [49, 61],
    reason: "logistic map, tagged PyTorch; with a short walk boxing is nearly everything",
  },
  {
    label: "fig:cost_decomposition",
    words: "Walking is 25 to 40 % of forward time",
    paper: "25–40 %",
    figure: (q) => q.figure("profile#logistic/walking", 1, " %"),
    range: [25, 40],
    reason: "logistic map, tagged PyTorch; DMCI walks an interpreter that walks the program",
  },
  {
    label: "tab:alloc",
    words: "The machine carries the Kalman rollout in 972 payloads",
    paper: "972",
    figure: (q) => q.count(suite("kalman", "ndvm", "payloads")),
    range: [400, 2000],
    reason: "payloads of one forward walk; ours count matrices and literals as payloads",
  },
];
