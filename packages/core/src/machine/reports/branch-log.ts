/**
 * Branches along a way: where lanes change their path as numbers change from run to run, or from
 * one lane to the next.
 */

import { recordOf } from "../../records.js";
import { strideIndex } from "../inputs/axes.js";
import { type BoundInput, bindInputs } from "../inputs/inputs.js";
import type { Program } from "../program.js";
import type { GradientOptions, Inputs } from "../types.js";
import { branchFlips, type Diagnostics } from "./diagnose.js";
import { BranchLog, type LoggedFlip } from "./flip-log.js";

type Numbers = Readonly<Record<string, number>>;

/** The plain numbers that each lane of a run has. */
export function laneNumbers(program: Program, inputs: Inputs, lanes?: number): Numbers[] {
  const { inputs: bound, lanes: count } = bindInputs(program.parsed, inputs, lanes);
  const scalars = bound.filter(({ kind, rank }) => kind === "int" || rank === 0);
  return Array.from({ length: count }, (_, lane) =>
    recordOf(scalars.map((input) => [input.name, numberAt(input, lane)])),
  );
}

function numberAt({ perLane, stride, value }: BoundInput, lane: number): number {
  if (perLane === undefined) return value;
  return perLane[stride === undefined ? lane : strideIndex(stride, lane)] as number;
}

/** Walks a program for one set of inputs after the other and logs where lanes change their way. */
export function followBranches(
  program: Program,
  runs: Iterable<Inputs>,
  options: GradientOptions = {},
): BranchLog {
  const log = new BranchLog();
  for (const inputs of runs)
    log.observe(program.diagnose(inputs, options), laneNumbers(program, inputs, options.lanes));
  return log;
}

/** How neighbouring lanes of one run differ in their way, as if they were runs in that order. */
export function neighbourFlips(
  now: Diagnostics,
  numbers: readonly Numbers[],
): { readonly flips: readonly LoggedFlip[]; readonly instability: number } {
  const { paths } = now;
  const before = { ...now, paths: paths.slice(0, -1) };
  const flips = branchFlips(before, { ...now, paths: paths.slice(1) }).map((flip) => ({
    ...flip,
    lane: flip.lane + 1,
    from: numbers[flip.lane] ?? {},
    to: numbers[flip.lane + 1] ?? {},
  }));
  const pairs = Math.max(paths.length - 1, 0);
  return { flips, instability: pairs === 0 ? 0 : flips.length / pairs };
}
