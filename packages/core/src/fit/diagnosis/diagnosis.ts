/**
 * What to be wary of in a fit: the machine's own diagnosis at the best parameters, restarts that
 * could not begin, and remarks in sentences.
 */

import { NdvmError } from "../../errors.js";
import { type BranchFlip, branchFlips, type Diagnostics } from "../../machine/reports/diagnose.js";
import type { Evaluation, Input, NonFinite } from "../../machine/types.js";
import { recordOf } from "../../records.js";
import { SELECTOR, type Table } from "../data/columns.js";
import { ownField, setField } from "../data/fields.js";
import { largestOf, unitOf } from "../data/scale.js";
import type { Problem } from "../fit.js";
import { losses } from "../loss/loss-table.js";
import { limited } from "../optimise/batch.js";
import { listed } from "../quality/identify.js";
import { shareName } from "../quality/scores.js";
import { constantTargets } from "../quality/targets.js";
import type { Finished } from "../result/result.js";
import type {
  FitDiagnostics,
  FitFlip,
  Identifiability,
  LossName,
  Named,
  TargetFit,
} from "../types.js";
import type { Runaway } from "./runaway.js";

export type Found = Omit<FitDiagnostics, "notes" | "runaways">;

/** Most rows that the machine's own diagnosis walks again. */
const DIAGNOSED_ROWS_MOST = 20_000;
/** Most branches, all rows together, that are compared with those at the start. */
const COMPARED_MOST = 200_000;
/** Most restarts that could not begin and are looked at. */
const FAILED_MOST = 8;
/** Most restarts whose branches are compared. */
const FOLLOWED_MOST = 8;

/** A share that is explained below this one is worse than the mean's, whatever rounding does. */
const NO_BETTER = -1e-6;

/** A restart, as much of it as is looked at here. */
interface Ended {
  readonly index: number;
  readonly start: Float64Array;
  readonly best: Float64Array;
  readonly reason: string | undefined;
  readonly loss: number;
}

export interface Findings {
  readonly identifiability: Identifiability | undefined;
  readonly targets: readonly TargetFit[];
  /** What a loss of the user's own comes to where the targets are predicted by constants. */
  readonly lossOfConstants: number | undefined;
  readonly hasConverged: boolean;
  /** Of parameters that are short of their best value. */
  readonly slack: readonly string[];
  readonly runaways: readonly Runaway[];
  /** Parameters at a bound. */
  readonly atBounds: readonly string[];
  /** Parameters without standard errors, since the likelihood has a kink at their values. */
  readonly kinked: readonly string[];
}

/** The inputs of the user's program, row by row, for given parameters. */
export function rowInputs(problem: Problem, at: Float64Array): Record<string, Input> {
  const { parameters, table, data } = problem;
  const inputs: Record<string, Input> = { ...data, ...parameters.fixed };
  const rows = table?.rows ?? 1;
  for (const [name, column] of Object.entries(table?.columns ?? {}))
    if (name !== SELECTOR) setField(inputs, name, column.subarray(0, rows));
  for (const [j, { input, group }] of parameters.free.entries()) {
    const value = at[j] as number;
    if (group < 0) setField(inputs, input, value);
    else {
      const own = (ownField(inputs, input) ?? new Float64Array(rows)) as Float64Array;
      for (let row = 0; row < rows; row++) if (table?.rowGroups[row] === group) own[row] = value;
      setField(inputs, input, own);
    }
  }
  return inputs;
}

/** `closer` is what the machine found, if it was asked. */
export function diagnose(
  problem: Finished,
  winner: Ended,
  closer: Found | undefined,
  findings: Findings,
): FitDiagnostics {
  const found = closer ?? NOTHING;
  const notes = notesOf(problem, winner, findings, found);
  const { predicateOnly, branches, clamped, flips, flipLog, instability, nonFinite } = found;
  return {
    predicateOnly,
    branches,
    clamped,
    flips,
    flipLog,
    instability,
    nonFinite,
    runaways: findings.runaways,
    notes: notes.length > 1 ? [...new Set(notes)] : notes,
  };
}

function notesOf(
  { table, restarts, driven, settings }: Finished,
  winner: Ended,
  findings: Findings,
  found: Found,
): string[] {
  const { identifiability, targets, hasConverged, slack, runaways, atBounds, kinked } = findings;
  const { stopped } = driven;
  const notes: string[] = [];
  const hasShare = table !== undefined && settings.lossName !== "program";
  const constant = hasShare ? constantTargets(table) : [];
  const isOnly = table?.targets.length === 1;
  const share = shareName(settings.lossName);
  for (const name of constant)
    notes.push(
      `the target${isOnly ? "" : ` ${name}`} is constant, so ${share === "R²" ? "" : "the "}${share} is not defined`,
    );
  if (stopped !== "done") notes.push(endedNote(stopped));
  else if (!hasConverged)
    notes.push(`the best restart did not converge: it ended by ${winner.reason}`);
  notes.push(...slack);
  if (table !== undefined)
    notes.push(...poorNotes(table, settings.lossName, winner.loss, findings));
  let failed = 0;
  for (const { reason } of restarts) if (reason === "not finite") failed += 1;
  if (failed > 0)
    notes.push(`${failed} of ${restarts.length} restarts began where the loss is not finite`);
  for (const { words } of identifiability?.undetermined ?? []) notes.push(words);
  for (const { words } of runaways) notes.push(words);
  for (const name of atBounds) notes.push(`${name} is at a bound`);
  if (kinked.length > 0) notes.push(kinkedNote(kinked, identifiability));
  for (const { name, residuals } of targets)
    for (const words of residuals?.words ?? []) notes.push(isOnly ? words : `${name}: ${words}`);
  for (const name of found.predicateOnly)
    notes.push(`${name} is only used in tests, so it has no gradient and was not fitted`);
  for (const { text, rows } of found.clamped)
    notes.push(`${text} was clamped on ${rows} ${rows === 1 ? "row" : "rows"}: no gradient there`);
  return notes;
}

/** What is said of errors that second derivatives would tell, where there are none. */
function kinkedNote(names: readonly string[], others: Identifiability | undefined): string {
  const [have, there] = names.length === 1 ? ["has", "this value"] : ["have", "these values"];
  const rest = others?.parameters === 0 ? "" : `; the errors of the others hold for ${there}`;
  return (
    `${listed(names)} ${have} no standard error: the likelihood has a kink near ${there}, ` +
    `so bootstrap, or look at its profile${rest}`
  );
}

/** What is said of a fit that time or its caller ended. */
export const endedNote = (stopped: string): string =>
  `the fit was ended early (${stopped}); this is the best so far`;

const numbersOfTarget = ({ target, targets, rows }: Table, t: number): Float64Array =>
  targets.length === 1 ? target : target.subarray(t * rows, (t + 1) * rows);

/** Targets that a constant predicts better, each by itself; by a loss of the user's own all of them together. */
function poorNotes(
  table: Table,
  name: LossName | "program",
  loss: number,
  { targets, lossOfConstants = Number.NaN }: Findings,
): string[] {
  const numbersOf = (t: number): Float64Array => numbersOfTarget(table, t);
  if (name !== "program")
    return targets.flatMap((target, t) => {
      const { r2 } = target;
      if (!(r2 < NO_BETTER)) return [];
      const than = `${losses[name].centre} (${shareName(name)} ${r2.toPrecision(3)})`;
      return [poorNote(target, numbersOf(t), than)];
    });
  const least = NO_BETTER * (Math.abs(loss) + Math.abs(lossOfConstants));
  if (!(lossOfConstants - loss < least)) return [];
  const [only, second] = targets;
  if (only !== undefined && second === undefined)
    return [poorNote(only, numbersOf(0), "a constant")];
  return ["the targets are predicted worse than by constants: start nearer, take more restarts"];
}

/** Starts of order 1 are far from parameters of a target whose numbers are not. */
function poorNote({ name }: TargetFit, numbers: Float64Array, than: string): string {
  const largest = largestOf(numbers);
  const isOrdinary = largest > 1e-4 && largest < 1e6;
  const scale = isOrdinary ? "" : `, or divide ${name} by ${unitOf(largest)}`;
  return `${name} is predicted worse than by ${than}: start nearer, take more restarts${scale}`;
}

const STABLE = { flips: [], flipLog: [], instability: 0 };
const NOTHING: Found = { predicateOnly: [], branches: [], clamped: [], ...STABLE, nonFinite: [] };

/** Asks the machine at the best parameters. */
export function lookCloser(problem: Finished, restarts: readonly Ended[], winner: Ended): Found {
  const { source, parameters, table, options } = problem;
  // Who ended a fit early does not wait for what its other restarts did.
  const followed = problem.driven.stopped === "done" ? restarts : [winner];
  const nonFinite = failedStarts(problem, restarts);
  const isLong = (table?.rows ?? 0) > DIAGNOSED_ROWS_MOST;
  if (isLong || source.isPlain) return { ...NOTHING, nonFinite };
  const wrt = [...new Set(parameters.free.map(({ input }) => input))];
  const now = diagnosedWithin(() =>
    source.diagnose(rowInputs(problem, winner.best), { wrt, ...limited(options) }),
  );
  if (now === undefined) return { ...NOTHING, nonFinite };
  return {
    predicateOnly: now.predicateOnly.filter((name) => wrt.includes(name)),
    branches: now.branches
      .filter(({ taken, notTaken }) => taken > 0 && notTaken > 0)
      .map(({ text, taken, notTaken }) => ({ text, taken, notTaken })),
    clamped: now.clamped.map(({ text, lanes }) => ({ text, rows: lanes.length })),
    ...flipsSince(problem, followed, winner, now, wrt),
    nonFinite,
  };
}

/** Undefined where the ways of all rows take more memory than the machine may: as with too many rows. */
function diagnosedWithin(diagnose: () => Diagnostics): Diagnostics | undefined {
  try {
    return diagnose();
  } catch (error) {
    if (error instanceof NdvmError && error.code === "E-MEMORY") return undefined;
    throw error;
  }
}

/** Branches that rows take another way at a restart's end than at its start. */
function flipsSince(
  problem: Problem,
  restarts: readonly Ended[],
  winner: Ended,
  now: Diagnostics,
  wrt: readonly string[],
): Pick<Found, "flips" | "flipLog" | "instability"> {
  const rows = now.paths.length;
  // So many branches that walking again would take long, or none, are not compared.
  const { turns } = now.paths;
  const most = turns === 0 ? 0 : Math.min(FOLLOWED_MOST, Math.floor(COMPARED_MOST / turns));
  if (most === 0) return STABLE;
  const others = restarts.filter((one) => one !== winner && one.reason !== "not finite");
  const how = { wrt, ...limited(problem.options) };
  const diagnosed = (at: Float64Array) => problem.source.diagnose(rowInputs(problem, at), how);
  const flipLog = [winner, ...others].slice(0, most).flatMap((one) => {
    const end = () => (one === winner ? now : diagnosed(one.best));
    return logFlips(problem, one, () => branchFlips(diagnosed(one.start), end()));
  });
  const flipped = flipLog.reduce((sum, flip) => sum + flip.rows.length, 0);
  return {
    flips: flipLog
      .filter(({ restart }) => restart === winner.index)
      .map((flip) => ({ text: flip.text, rows: flip.rows.length })),
    flipLog,
    instability: flipped / (Math.min(most, others.length + 1) * rows),
  };
}

/** The flips of one restart, by branch. */
function logFlips(
  problem: Problem,
  { index, start, best }: Ended,
  compare: () => readonly BranchFlip[],
): FitFlip[] {
  const byText = new Map<string, number[]>();
  try {
    for (const { text, lane } of compare())
      byText.set(text, [...(byText.get(text) ?? []), lane + 1]);
  } catch (error) {
    // Where every row fails there is nothing to compare.
    if (!(error instanceof NdvmError)) throw error;
  }
  const named = (at: Float64Array): Named =>
    recordOf(problem.parameters.free.map(({ label }, j) => [label, at[j] as number]));
  const values = { restart: index, from: named(start), to: named(best) };
  return [...byText].map(([text, rows]) => ({ ...values, text, rows }));
}

/** What made a number not finite, without the lane: in a fit lanes are rows. */
export const originOf = ({ value, cause }: NonFinite): string =>
  cause === "" ? `it is ${value}` : `it is ${value}, ${cause}`;

/** Where the first number that is not finite comes from, at starts that had no finite loss. */
function failedStarts(problem: Problem, restarts: readonly Ended[]): Found["nonFinite"] {
  const failed = restarts.filter(({ reason }) => reason === "not finite").slice(0, FAILED_MOST);
  return failed.flatMap(({ index, start }) => {
    const { source, options } = problem;
    let run: Evaluation;
    try {
      run = source.evaluate(rowInputs(problem, start), limited(options));
    } catch (error) {
      return [{ restart: index, row: 1, text: "", message: (error as Error).message }];
    }
    const [failure] = run.failures;
    const [bad] = run.nonFinite;
    const span = failure?.error.span ?? bad?.span;
    const message = failure?.error.message ?? (bad && originOf(bad));
    if (message === undefined) return [];
    const text = span === undefined ? "" : source.source.slice(span.start, span.end);
    return [{ restart: index, row: (failure?.lane ?? bad?.lane ?? 0) + 1, text, message }];
  });
}
