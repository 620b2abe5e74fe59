/**
 * What `ndvm explain` says about branches along a way: from the values set to those of `--to`, in
 * equal steps, or else from each lane to the next.
 */

import {
  type Diagnostics,
  followBranches,
  type Inputs,
  inOneLine,
  type LoggedFlip,
  laneNumbers,
  neighbourFlips,
  own,
  type Program,
  type ReportOptions,
  recordOf,
  shellWord,
} from "@ndvm/core";
import { type SetInputs, splitAssignment, UsageError } from "../inputs.js";
import type { ExplainOptions } from "../options.js";

const POINTS = 20;
const FLIPS_SHOWN = 12;

export interface BranchesAlong {
  /** What the flips are between. */
  readonly along: "steps" | "lanes";
  /** Comparisons of one lane's way with its next. */
  readonly compared: number;
  /** Share of them that differ. */
  readonly instability: number;
  readonly flips: readonly LoggedFlip[];
}

/** Undefined where there is one lane and no second place to go to. */
export function branchesAlong(
  program: Program,
  inputs: SetInputs,
  diagnostics: Diagnostics,
  options: ExplainOptions,
  budgets: () => ReportOptions,
): BranchesAlong | undefined {
  const lanes = diagnostics.paths.length;
  if (options.to !== undefined) {
    const steps = options.points ?? POINTS;
    const runs = interpolated(inputs, targetsOf(options.to, inputs), steps);
    const { flips, instability } = followBranches(program, runs, budgets);
    return { along: "steps", compared: steps * lanes, instability, flips };
  }
  if (options.points !== undefined) throw new UsageError("--points needs --to name=value");
  if (lanes < 2) return undefined;
  const found = neighbourFlips(diagnostics, laneNumbers(program, inputs, budgets()));
  return { along: "lanes", compared: lanes - 1, ...found };
}

function targetsOf(texts: readonly string[], inputs: SetInputs): Map<string, number> {
  const targets = new Map<string, number>();
  for (const text of texts) {
    const [name, value] = splitAssignment(text, "--to");
    const from = own(inputs, name);
    if (typeof from !== "number")
      throw new UsageError(
        `--to ${name}: set one number for it first, with --set ${shellWord(name)}=…`,
      );
    const number = value.trim() === "" ? Number.NaN : Number(value);
    if (!Number.isFinite(number)) throw new UsageError(`--to ${name}: ${value} is not a number`);
    targets.set(name, number);
  }
  return targets;
}

/** Inputs at equal steps from those set to the targets, both ends included. */
function* interpolated(
  inputs: SetInputs,
  targets: ReadonlyMap<string, number>,
  steps: number,
): Generator<Inputs> {
  for (let step = 0; step <= steps; step++) {
    const moved = [...targets].map(([name, to]): [string, number] => {
      const from = own(inputs, name) as number;
      return [name, step === steps ? to : from + ((to - from) * step) / steps];
    });
    yield { ...inputs, ...recordOf(moved) };
  }
}

export function branchesText({ along, compared, instability, flips }: BranchesAlong): string {
  const pairs = along === "steps" ? "steps of a lane" : "neighbouring lanes";
  const share = `${flips.length} of ${compared} ${pairs} change their way`;
  const lines = [`instability ${Number(instability.toPrecision(3))}: ${share}`];
  for (const flip of flips.slice(0, FLIPS_SHOWN)) lines.push(flipText(flip, along));
  if (flips.length > FLIPS_SHOWN) lines.push(`and ${flips.length - FLIPS_SHOWN} more`);
  return lines.join("\n");
}

function flipText({ text, lane, before, now, from, to }: LoggedFlip, along: string): string {
  const where = along === "steps" ? `lane ${lane}` : `lane ${lane - 1} to ${lane}`;
  const moved = Object.keys(to).filter((name) => own(from, name) !== own(to, name));
  const numbers = (at: Readonly<Record<string, number>>): string =>
    moved.map((name) => `${name} = ${Number((own(at, name) as number).toPrecision(6))}`).join(", ");
  const line = text.replaceAll(/\s+/g, " ");
  const short = line.length > 60 ? `${line.slice(0, 57)}…` : line;
  const change = `${truthText(before)}, then ${truthText(now)}`;
  const between = `between ${numbers(from)} and ${numbers(to)}`;
  return inOneLine(`branch ${short}: ${change}; ${where}, ${between}`);
}

const truthText = (truth: boolean | undefined): string =>
  truth === undefined ? "not reached" : truth ? "held" : "failed";
