/**
 * Branches along a way: where lanes change their path as numbers change from run to run, or from
 * one lane to the next.
 */

import { checkNames } from "../../option-names.js";
import { bindInputs } from "../inputs/inputs.js";
import { REPORT_NAMES } from "../options.js";
import type { Program } from "../program.js";
import type { Inputs, ReportOptions } from "../types.js";
import { type ByLane, LaneNumbers, type Numbers } from "./by-lane.js";
import { type Diagnostics, flipsBetween } from "./diagnose.js";
import { BranchLog, type LoggedFlip, withNumbers } from "./flip-log.js";

/** The plain numbers that each lane of a run has. */
export function laneNumbers(
  program: Program,
  inputs: Inputs,
  options: Pick<ReportOptions, "lanes" | "report"> = {},
): ByLane<Numbers> {
  checkNames("laneNumbers", options, REPORT_NAMES);
  const { lanes, report = program.reportBudget() } = options;
  const { inputs: bound, lanes: count } = bindInputs(program.parsed, inputs, lanes);
  return new LaneNumbers(bound, count, report);
}

/**
 * Walks a program for one set of inputs after the other and logs where lanes change their way. What
 * is known of the latest two runs and the flips of all share one budget. Options that differ from
 * run to run come from a function.
 */
export function followBranches(
  program: Program,
  runs: Iterable<Inputs>,
  options: ReportOptions | (() => ReportOptions) = {},
): BranchLog {
  const optionsNow = typeof options === "function" ? options : () => options;
  const first = optionsNow();
  checkNames("followBranches", first, REPORT_NAMES);
  const { report = program.reportBudget() } = first;
  const log = new BranchLog({ report });
  let heldBefore = 0;
  for (const inputs of runs) {
    const { left } = report;
    const now = { ...optionsNow(), report };
    const diagnostics = program.diagnose(inputs, now);
    const numbers = laneNumbers(program, inputs, now);
    const held = left - report.left;
    log.observe(diagnostics, numbers);
    report.free(heldBefore);
    heldBefore = held;
  }
  return log;
}

/** How neighbouring lanes of one run differ in their way, as if they were runs in that order. */
export function neighbourFlips(
  now: Diagnostics,
  numbers: ByLane<Numbers>,
): { readonly flips: readonly LoggedFlip[]; readonly instability: number } {
  const { paths } = now;
  const budget = now.report.rest();
  const pairs = Math.max(paths.length - 1, 0);
  const next = { length: pairs, at: (lane: number) => paths.at(lane + 1) };
  const flips: LoggedFlip[] = [];
  for (const flip of flipsBetween(paths, next, now, budget)) {
    const lane = flip.lane + 1;
    flips.push(withNumbers({ ...flip, lane }, numbers.at(flip.lane), numbers.at(lane), budget));
  }
  return { flips, instability: pairs === 0 ? 0 : flips.length / pairs };
}
