/** The result of a fit as text: a table of parameters, a few scores, and what to be wary of. */

import {
  endedNote,
  type FitResult,
  inOneLine,
  isOfCounts,
  own,
  shareName,
  shellWord,
} from "@ndvm/core";
import { countOf, countText, digitsBeside, shortText, timeText } from "../numbers.js";
import { formatTable, type TextColumn, type TextStyle } from "../text-table.js";
import { formulaOf } from "./formula.js";
import { type FittedProblem, type HeldOutScore, shareLabel } from "./problem.js";

export interface ParameterRow {
  readonly name: string;
  readonly estimate: number;
  readonly error: number;
  readonly lower: number;
  readonly upper: number;
  /** "", "fixed", "at a bound", "ran off", "not determined". */
  readonly remark: string;
}

export function parameterRows(result: FitResult): ParameterRow[] {
  const { best, standardErrors, intervals, identifiability, fixed } = result;
  const atBounds = identifiability?.atBounds ?? [];
  const open = new Set(
    (identifiability?.undetermined ?? []).flatMap(({ direction }) => Object.keys(direction)),
  );
  const runaways = new Map(result.diagnostics.runaways.map(({ name, kind }) => [name, kind]));
  const remarkOf = (name: string, isOpen: boolean): string => {
    if (atBounds.includes(name)) return "at a bound";
    return runaways.get(name) ?? (isOpen ? "not determined" : "");
  };
  const rows = result.parameters.map((name) => {
    const [lower, upper] = own(intervals, name) ?? [Number.NaN, Number.NaN];
    const error = own(standardErrors, name) ?? Number.NaN;
    const isOpen = open.has(name) && !Number.isFinite(error);
    return {
      name,
      estimate: own(best.params, name) ?? Number.NaN,
      error,
      lower,
      upper,
      remark: remarkOf(name, isOpen),
    };
  });
  const kept = Object.entries(fixed).map(([name, estimate]) => ({
    name,
    estimate,
    error: Number.NaN,
    lower: Number.NaN,
    upper: Number.NaN,
    remark: "fixed",
  }));
  return [...rows, ...kept];
}

export const percentText = (level: number): string => `${shortText(level * 100, 4)} %`;

const numberText = (value: number, digits = 6): string =>
  Number.isNaN(value) ? "" : shortText(value, digits);

/** An estimate to the digits that its error gives meaning to. */
export const estimateText = ({ estimate, error }: ParameterRow): string =>
  shortText(estimate, digitsBeside(estimate, error, 7));

export function intervalText({ lower, upper }: ParameterRow): string {
  if (Number.isNaN(lower) || Number.isNaN(upper)) return "";
  const end = (value: number) => shortText(value, digitsBeside(value, upper - lower, 5));
  return `${end(lower)} to ${end(upper)}`;
}

/** Names for a sentence, not more than fit into it. */
const someNames = (names: readonly string[]): string =>
  names.slice(0, 12).join(", ") + (names.length > 12 ? ", …" : "");

function parameterTable(result: FitResult, style?: TextStyle): string {
  const rows = parameterRows(result);
  const column = (
    title: string,
    align: TextColumn["align"],
    cell: (row: ParameterRow) => string,
  ): TextColumn => ({ title, align, cell: (index) => cell(rows[index] as ParameterRow) });
  const columns = [
    column("parameter", "left", ({ name }) => name),
    column("estimate", "right", estimateText),
    column("std. error", "right", ({ error }) => numberText(error, 4)),
    column(`${percentText(result.level)} interval`, "left", intervalText),
    column("", "left", ({ remark }) => remark),
  ];
  const shown = columns.filter(
    (one, index) => index < 2 || rows.some((_, row) => one.cell(row) !== ""),
  );
  return formatTable(shown, rows.length, "parameters", rows.length <= 60, style);
}

export function restartWords({ restarts }: FitResult): string {
  const found = restarts.filter(({ hasBestLoss }) => hasBestLoss).length;
  const converged = restarts.filter(({ hasConverged }) => hasConverged).length;
  if (restarts.length === 1) return converged === 1 ? "converged" : "did not converge";
  return `${converged} of ${restarts.length} restarts converged, ${found} to the best loss`;
}

/** What the deviation of one point is called: with weights it is that of a point of weight 1. */
const deviationName = ({ options }: FittedProblem): string =>
  options.weights === undefined ? "residual s.d." : "residual s.d. at weight 1";

/** Scores by name, those that make no sense for this fit left out. */
export function scoresOf(
  result: FitResult,
  problem: FittedProblem,
  digits = 7,
): [name: string, value: string][] {
  const { best, reducedChi, mode } = result;
  // Several targets have a deviation each.
  const sigma = result.targets.length > 1 ? Number.NaN : result.sigma;
  const scores: [string, number][] = [
    [mode === "objective" ? "loss" : `loss (${result.loss})`, best.loss],
    [shareName(result.loss), best.r2],
    ["deviance", isOfCounts(result.loss) ? best.deviance : Number.NaN],
    ["log-likelihood", best.logLikelihood],
    ["AIC", best.aic],
    ["BIC", best.bic],
    // Deviations that were given are not told as found; what is left is told in units of them.
    reducedChi === undefined
      ? [deviationName(problem), sigma]
      : ["root of χ² per degree of freedom", reducedChi],
  ];
  return scores
    .filter(([, value]) => !Number.isNaN(value))
    .map(([name, value]) => [name, shortText(value, digits)]);
}

/** The rows that were used, in words: "16 rows of data.csv; 2 left out: missing values". */
export function rowsWords({ table, rows }: FittedProblem): string | undefined {
  if (table === undefined || rows === undefined) return undefined;
  const parts = [
    `${countText(rows.taken.length)} of ${countText(table.rowCount)} rows of ${table.name}`,
  ];
  if (rows.filtered > 0) parts.push(`${countText(rows.filtered)} left out by --where`);
  if (rows.missing > 0) {
    parts.push(`${countText(rows.missing)} with missing values left out`);
  }
  if (rows.heldOut.length > 0) parts.push(`${countText(rows.heldOut.length)} held out`);
  return parts.join(", ");
}

/** Reading is worth a word where it took long. */
const readWords = ({ readMilliseconds }: FittedProblem): string =>
  readMilliseconds < 500 ? "" : `, read in ${timeText(readMilliseconds)}`;

/**
 * What a formula gives: the targets, what is expected of them where they count, or what a loss of the user's own
 * calls it where that is not on the target's scale.
 */
export function formulaSide(
  { loss, predictsTarget }: FitResult,
  { targets, options }: FittedProblem,
): string {
  const goals = targets.join(", ");
  if (goals === "") return "loss";
  if (!predictsTarget) return "pred";
  if (loss === "poisson") return `expected ${goals}`;
  return loss === "binomial" ? shareLabel(goals, options.trials) : goals;
}

/** Why a fit has no R², residuals and pictures; undefined where it has them. */
export function offScaleWords(
  { mode, predictsTarget }: FitResult,
  { targets }: FittedProblem,
): string | undefined {
  if (mode === "objective" || predictsTarget) return undefined;
  const goals = targets.join(", ");
  return (
    `pred is not on the scale of ${goals}: the loss is not least where they are equal, ` +
    "so there are no residuals and no picture of data and fit"
  );
}

/** Each target of several by itself. */
export function targetWords(result: FitResult, problem: FittedProblem): string[] {
  const { targets, loss, reducedChi } = result;
  if (targets.length < 2) return [];
  return targets.flatMap(({ name, r2, sigma }) => {
    const share = Number.isNaN(r2) ? [] : [`${shareName(loss)} ${shortText(r2, 5)}`];
    const isFound = reducedChi === undefined && !Number.isNaN(sigma);
    const noise = isFound ? [`${deviationName(problem)} ${shortText(sigma, 5)}`] : [];
    const words = [...share, ...noise];
    return words.length === 0 ? [] : [`${name}: ${words.join(", ")}`];
  });
}

export function heldOutWords(
  score: HeldOutScore,
  isOneOfSeveral: boolean,
  lossName: string,
): string {
  const { target, rows, unpredicted, rmse, mae, r2, loss, deviance } = score;
  const of = isOneOfSeveral ? ` of ${target}` : "";
  const subject = `${countOf(rows, "row")}${of} held out`;
  if (unpredicted > 0)
    return (
      `${subject}: the prediction of ${countText(unpredicted)} is not finite, ` +
      "so that there is no score"
    );
  const what = lossName === "binomial" ? " of the share" : "";
  const errors = [`RMSE${what} ${shortText(rmse, 5)}`, `mean absolute error ${shortText(mae, 5)}`];
  const scores = [
    ...(Number.isNaN(rmse) ? [] : errors),
    ...(Number.isNaN(r2) ? [] : [`${shareName(lossName)} ${shortText(r2, 5)}`]),
    ...(isOfCounts(lossName) ? [`deviance ${shortText(deviance, 5)}`] : []),
    `mean loss ${shortText(loss, 5)}`,
  ];
  return `${subject}: ${scores.join(", ")}`;
}

export function summaryText(
  result: FitResult,
  problem: FittedProblem,
  scores: readonly HeldOutScore[],
  style?: TextStyle,
): string {
  const { counters } = result;
  const values = scoresOf(result, problem).map(([name, value]) => `${name} ${value}`);
  const data = rowsWords(problem);
  const formula = formulaOf(result);
  const sentences = [
    ...(formula === undefined ? [] : [`${formulaSide(result, problem)} = ${formula}`]),
    values.slice(0, 2).join(", "),
    values.slice(2).join(", "),
    ...targetWords(result, problem),
    ...scores.map((score) => heldOutWords(score, scores.length > 1, result.loss)),
    ...(data === undefined ? [] : [`${data}${readWords(problem)}`]),
    `${result.optimiser}, ${restartWords(result)}, ` +
      `${countText(counters.evaluations)} evaluations in ${timeText(counters.milliseconds)}`,
  ];
  const lines = sentences.filter((line) => line !== "").map(inOneLine);
  return [parameterTable(result, style), "", ...lines].join("\n");
}

const ENDED: Readonly<Record<string, string>> = {
  aborted: "interrupted with Ctrl-C: this is the best so far",
  time: "the time of --time is over: this is the best so far",
};

/** Standard deviations that χ² may be off before anything is said. */
const DEVIATIONS_MOST = 3;

/** Whether counts vary more than their loss expects, by more than chance; one odd row of few hits is no sign of it. */
function isOverdispersed(result: FitResult): boolean {
  const { loss, reducedChi = Number.NaN, freedom, best, restarts } = result;
  if (!isOfCounts(loss) || freedom <= 0) return false;
  if (!restarts.some(({ index, hasConverged }) => index === best.restart && hasConverged))
    return false;
  const most = 1 + DEVIATIONS_MOST * Math.sqrt(2 / freedom);
  return reducedChi ** 2 > most && best.deviance / freedom > most;
}

/** Sentences a reader of the result should know, most important first. */
export function warningsOf(result: FitResult, { table, columns }: FittedProblem): string[] {
  const { assumed, diagnostics, identifiability } = result;
  const ended = endedNote(result.stopped);
  const warnings = diagnostics.notes.map((note) =>
    note === ended ? (ENDED[result.stopped] ?? note) : note,
  );
  for (const [a, b, correlation] of identifiability?.correlated ?? []) {
    warnings.push(
      `the estimates of ${a} and ${b} go together (correlation ${shortText(correlation, 4)})`,
    );
  }
  if (isOverdispersed(result)) {
    warnings.push(
      `the counts vary more about the fit than the loss ${result.loss} expects: unless the model misses something, ` +
        `multiply the errors by ${shortText(result.reducedChi ?? 1, 3)}, the root of χ² per degree of freedom`,
    );
  }
  if (result.mode === "residual" && result.freedom <= 0) {
    warnings.push("there are no more points than parameters: nothing is left to tell the noise");
  }
  if (table !== undefined && columns.length === 0) {
    warnings.push(
      `the program reads no column of ${table.name}: they are ${someNames(table.names)}`,
    );
  }
  if (assumed.length > 0) {
    const one = assumed.length === 1;
    const taken = one ? "was taken as a parameter" : "were taken as parameters";
    warnings.push(
      `${assumed.join(", ")} ${taken} ` +
        `starting at 1; --param ${shellWord(assumed[0] as string)}=… says so, or where to start`,
    );
  }
  return warnings;
}
