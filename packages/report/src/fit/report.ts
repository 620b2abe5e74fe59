/** `--report`: one page about a fit, with everything needed to judge it and to make it again. */

import { checkNames, type FitResult, namesOf, own, type ResidualChecks } from "@ndvm/core";
import {
  type Content,
  cards,
  type Html,
  html,
  list,
  page,
  section,
  sideBySide,
  table,
  verbatim,
} from "../html.js";
import { countText, shortText, timeText } from "../numbers.js";
import { oneLine } from "../one-line.js";
import { formulaOf } from "./formula.js";
import { type Picture, picturesOf } from "./picture.js";
import type { FittedProblem, HeldOutScore } from "./problem.js";
import { dataFigure, residualFigures, restartsFigure } from "./report-figures.js";
import {
  estimateText,
  formulaSide,
  heldOutWords,
  intervalText,
  offScaleWords,
  type ParameterRow,
  parameterRows,
  percentText,
  restartWords,
  rowsWords,
  scoresOf,
  targetWords,
  warningsOf,
} from "./summary.js";

export interface ReportOptions {
  readonly result: FitResult;
  readonly problem: FittedProblem;
  readonly scores: readonly HeldOutScore[];
  readonly x: string | undefined;
  /** The command as it was typed. */
  readonly command: string;
  /** Who made the page, and when: its last line. */
  readonly maker: string;
}

const NAMES = namesOf<ReportOptions>({
  result: 1,
  problem: 1,
  scores: 1,
  x: 1,
  command: 1,
  maker: 1,
});

export async function fitReport(options: ReportOptions): Promise<string> {
  checkNames("fitReport", options, NAMES);
  const { result, problem, scores } = options;
  const model = problem.source.file ?? "a program";
  const goals = problem.targets.join(", ");
  const formula = formulaOf(result);
  const told = scores.filter(({ rmse }) => !Number.isNaN(rmse));
  const held = told.map(({ target, rmse }): [string, string] => [
    told.length > 1 ? `held-out RMSE of ${target}` : "held-out RMSE",
    shortText(rmse, 5),
  ]);
  const body: Content[] = [
    cards([...scoresOf(result, problem, 5), ...held]),
    warningsSection(result, problem),
    section(
      "Parameters",
      parameterTable(result),
      parameterWords(result),
      formula && html`<p class="formula">${formulaSide(result, problem)} = ${formula}</p>`,
    ),
    await pictureSections(options),
    offScaleSection(options),
    await restartsSection(result),
    diagnosticsSection(result),
    section(
      "How it was made",
      html`<p>The model: its value ${goals === "" ? "is the loss" : `predicts ${goals}`}.</p>`,
      verbatim(problem.source.text.trimEnd()),
      html`<p>The command:</p>`,
      verbatim(options.command),
    ),
  ];
  return page({
    title: goals === "" ? `Fit of ${model}` : `Fit of ${model} to ${goals}`,
    subtitle: rowsWords(problem),
    body,
    footer: footerOf(result, options.maker),
  });
}

function footerOf({ counters, seed }: FitResult, maker: string): string {
  return (
    `${maker}. ` +
    `${countText(counters.evaluations)} evaluations of the program and its gradient in ` +
    `${timeText(counters.milliseconds)}; seed ${seed}.`
  );
}

/** Data, fit and residuals of each target. */
async function pictureSections({ result, problem, scores, x }: ReportOptions): Promise<Html[]> {
  const sections: Html[] = [];
  const isOne = problem.targets.length === 1;
  for (const picture of picturesOf(result, problem, scores, x)) {
    const { target } = picture;
    const score = scores.find((one) => one.target === target);
    const words = targetWords(result, problem).find((line) => line.startsWith(`${target}:`));
    sections.push(
      section(
        isOne ? "Data and fit" : `${target}: data and fit`,
        await dataFigure(picture, result),
        words && html`<p>${words}.</p>`,
        score && html`<p>${heldOutWords(score, !isOne, result.loss)}.</p>`,
      ),
      await residualSection(picture, result, isOne ? "Residuals" : `${target}: residuals`),
    );
  }
  return sections;
}

/** What stands in the place of pictures that would compare what cannot be compared. */
function offScaleSection({ result, problem, scores }: ReportOptions): Html | undefined {
  const words = offScaleWords(result, problem);
  if (words === undefined) return undefined;
  const held = scores.map((score) => heldOutWords(score, scores.length > 1, result.loss));
  return section("Data and fit", ...[words, ...held].map((line) => html`<p>${line}.</p>`));
}

function warningsSection(result: FitResult, problem: FittedProblem): Html | undefined {
  const warnings = warningsOf(result, problem);
  if (warnings.length === 0) return undefined;
  return html`<section class="warnings"><h2>To be wary of</h2>${list(warnings)}</section>`;
}

const shown = (value: number, digits: number): string =>
  Number.isNaN(value) ? "" : shortText(value, digits);

function parameterTable(result: FitResult): Html {
  const rows = parameterRows(result);
  const columns = [
    { title: "parameter", cell: ({ name }: ParameterRow) => name },
    {
      title: "estimate",
      isNumber: true,
      cell: estimateText,
    },
    { title: "standard error", isNumber: true, cell: ({ error }: ParameterRow) => shown(error, 4) },
    { title: `${percentText(result.level)} interval`, cell: intervalText },
    { title: "", cell: ({ remark }: ParameterRow) => remark },
  ];
  return table(
    columns.filter((column, index) => index < 2 || rows.some((row) => column.cell(row) !== "")),
    rows,
  );
}

function parameterWords(result: FitResult): Html | undefined {
  if (Object.values(result.standardErrors).some(Number.isFinite)) return undefined;
  return html`<p>No standard errors: ${whyNoErrors(result)}.</p>`;
}

function whyNoErrors({ best, loss, freedom }: FitResult): string {
  if (loss === "absolute") return "a sum of absolute deviations has no second derivatives";
  if (Number.isNaN(best.logLikelihood))
    return "the loss was not declared to be a negative log-likelihood (--likelihood)";
  if (loss === "squares" && freedom <= 0) return "there are no more points than parameters";
  return "the data leave the parameters open, or the fit did not end at a minimum";
}

async function residualSection(picture: Picture, result: FitResult, title: string): Promise<Html> {
  const { residuals } = result.targets.find(({ name }) => name === picture.target) ?? result;
  const checks = residuals && checksOf(residuals);
  const ofWhich = picture.scaling === undefined ? "" : " of the scaled residuals";
  return section(
    title,
    sideBySide(...(await residualFigures(picture))),
    checks &&
      table(
        [
          { title: `check${ofWhich}`, cell: ([name]: string[]) => name },
          { title: "value", cell: ([, value]: string[]) => value },
        ],
        checks,
      ),
  );
}

/** Checks and what they came to; those that say nothing are left out. */
function checksOf({ mean, durbinWatson, runs, runsExpected, runsScore }: ResidualChecks) {
  const away = `(${shortText(runsScore, 3)} standard deviations away)`;
  const expected = `; noise would have ${shortText(runsExpected, 4)} ${away}`;
  const checks: [name: string, value: number, words: string][] = [
    ["mean", mean, shortText(mean, 4)],
    [
      "Durbin–Watson (2 where neighbours are independent)",
      durbinWatson,
      shortText(durbinWatson, 4),
    ],
    ["runs of one sign", runs, `${runs}${Number.isNaN(runsScore) ? "" : expected}`],
  ];
  return checks.flatMap(([name, value, words]) => (Number.isNaN(value) ? [] : [[name, words]]));
}

async function restartsSection(result: FitResult): Promise<Html> {
  const reasons = new Map<string, number>();
  for (const { reason } of result.restarts) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  return section(
    "Restarts",
    await restartsFigure(result),
    html`<p>${result.optimiser}: ${restartWords(result)}.</p>`,
    table(
      [
        {
          title: "ended by",
          cell: ([reason]: readonly [string, number]) => own(REASONS, reason) ?? reason,
        },
        {
          title: "restarts",
          isNumber: true,
          cell: ([, count]: readonly [string, number]) => count,
        },
      ],
      [...reasons].sort((a, b) => b[1] - a[1]),
    ),
  );
}

const REASONS: Readonly<Record<string, string>> = {
  gradient: "gradient: it is as good as zero (converged)",
  step: "step: the parameters no longer change (converged)",
  loss: "loss: it no longer falls (converged)",
  damping: "damping: no step however small helps",
  steps: "steps: the most allowed",
  time: "time: the most allowed",
  aborted: "aborted",
  "not finite": "not finite: the loss at its start",
};

/** Most of a form's text that a sentence shows. */
const CODE_WIDTH = 90;

const code = (text: string): Html => html`<code>${oneLine(text, CODE_WIDTH)}</code>`;

const rowsText = (count: number): string => `${countText(count)} ${count === 1 ? "row" : "rows"}`;

const timesText = (count: number): string => (count === 1 ? "once" : `${countText(count)} times`);

/** Starts without a finite loss that are told one by one. */
const FAILED_SHOWN = 5;

function diagnosticsSection(result: FitResult): Html | undefined {
  const { identifiability, diagnostics, covariance } = result;
  const facts: Content[] = [];
  if (identifiability !== undefined) {
    const { rank, parameters, condition, undetermined } = identifiability;
    facts.push(
      `The data determine ${rank} of ${parameters} directions of the parameters ` +
        `(condition of the Jacobian ${shortText(condition, 4)}, 1 is best).`,
      ...undetermined.map(({ words }) => `Not determined: ${words}.`),
    );
  }
  for (const { text, taken, notTaken } of diagnostics.branches) {
    const counts = `held ${timesText(taken)} and failed ${timesText(notTaken)}`;
    facts.push(html`The test of ${code(text)} ${counts}.`);
  }
  for (const { text, rows } of diagnostics.clamped) {
    facts.push(html`The input of ${code(text)} was clamped on ${rowsText(rows)}.`);
  }
  for (const { text, rows } of diagnostics.flips) {
    const take = rows === 1 ? "takes" : "take";
    facts.push(html`${rowsText(rows)} ${take} another way at ${code(text)} than at the start.`);
  }
  for (const { restart, row, message } of diagnostics.nonFinite.slice(0, FAILED_SHOWN)) {
    facts.push(`Restart ${restart} began without a finite loss (row ${row}: ${message}).`);
  }
  const names = covariance?.names ?? [];
  const hasTable = names.length > 1 && names.length <= 12;
  if (facts.length === 0 && !hasTable) return undefined;
  return section(
    "Diagnostics",
    list(facts),
    hasTable
      ? [html`<p></p><p>Correlations of the estimates:</p>`, correlations(result)]
      : undefined,
  );
}

/** Correlations beyond three decimals are rounding. */
const toThousandth = (value: number): number => Math.round(value * 1000) / 1000 + 0;

function correlations({ covariance }: FitResult): Html | undefined {
  if (covariance === undefined) return undefined;
  const { names, matrix } = covariance;
  const size = names.length;
  const at = (i: number, j: number): number => matrix[i * size + j] as number;
  const cell = (i: number, j: number): string =>
    i === j ? "1" : shown(toThousandth(at(i, j) / Math.sqrt(at(i, i) * at(j, j))), 3);
  return table(
    [
      { title: "", cell: (row: number) => names[row] },
      ...names.map((name, column) => ({
        title: name,
        isNumber: true,
        cell: (row: number) => cell(row, column),
      })),
    ],
    names.map((_, row) => row),
  );
}
