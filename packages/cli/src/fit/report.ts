/** `--report`: one page about a fit, with everything needed to judge it and to make it again. */

import type { FitResult } from "@ndvm/core";
import { countText, shortText, timeText } from "../numbers.js";
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
} from "../report/html.js";
import { commandVersion } from "../versions.js";
import { formulaOf } from "./export.js";
import type { HeldOutScore } from "./held-out.js";
import { type Picture, pictureOf } from "./picture.js";
import type { FitProblem } from "./problem.js";
import { dataFigure, residualFigures, restartsFigure } from "./report-figures.js";
import {
  heldOutWords,
  intervalText,
  type ParameterRow,
  parameterRows,
  percentText,
  restartWords,
  rowsWords,
  scoresOf,
  warningsOf,
} from "./summary.js";

export interface ReportOptions {
  readonly result: FitResult;
  readonly problem: FitProblem;
  readonly score: HeldOutScore | undefined;
  readonly x: string | undefined;
  /** The command as it was typed. */
  readonly command: string;
}

export async function reportPage(options: ReportOptions): Promise<string> {
  const { result, problem, score } = options;
  const picture = pictureOf(result, problem, score, options.x);
  const model = problem.source.file ?? "a program";
  const data = rowsWords(problem);
  const formula = formulaOf(result);
  const body: Content[] = [
    cards([
      ...scoresOf(result),
      ...(score ? [["held-out RMSE", shortText(score.rmse, 5)] as const] : []),
    ]),
    warningsSection(result),
    section(
      "Parameters",
      parameterTable(result),
      parameterWords(result),
      formula && html`<p class="formula">${problem.targets[0] ?? "loss"} = ${formula}</p>`,
    ),
    picture &&
      section(
        "Data and fit",
        await dataFigure(picture, result),
        score && html`<p>${heldOutWords(score)}.</p>`,
      ),
    picture && (await residualSection(picture, result)),
    await restartsSection(result),
    diagnosticsSection(result),
    section(
      "How it was made",
      html`<p>${problem.targets.length > 0 ? `The model: its value predicts ${problem.targets.join(", ")}.` : "The model: its value is the loss."}</p>`,
      verbatim(problem.source.text.trimEnd()),
      html`<p>The command:</p>`,
      verbatim(options.command),
    ),
  ];
  return page({
    title:
      problem.targets.length > 0
        ? `Fit of ${model} to ${problem.targets.join(", ")}`
        : `Fit of ${model}`,
    subtitle: data,
    body,
    footer:
      `ndvm ${commandVersion()}, Node ${process.versions.node}; made ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC. ` +
      `${countText(result.counters.evaluations)} evaluations of the program and its gradient in ` +
      `${timeText(result.counters.milliseconds)}; seed ${result.seed}.`,
  });
}

function warningsSection(result: FitResult): Html | undefined {
  const warnings = warningsOf(result);
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
      cell: ({ estimate }: ParameterRow) => shortText(estimate, 7),
    },
    { title: "standard error", isNumber: true, cell: ({ error }: ParameterRow) => shown(error, 4) },
    { title: `${percentText(result.level)} interval`, cell: intervalText },
    { title: "", cell: ({ remark }: ParameterRow) => remark },
  ];
  return table(
    columns.filter((column) => column.title !== "" || rows.some(({ remark }) => remark !== "")),
    rows,
  );
}

function parameterWords({ standardErrors, mode, loss }: FitResult): Html | undefined {
  if (Object.values(standardErrors).some(Number.isFinite)) return undefined;
  const why =
    mode === "objective"
      ? "the loss was not declared to be a negative log-likelihood (--likelihood)"
      : `the loss ${loss} is no likelihood, or the data leave the parameters open`;
  return html`<p>No standard errors: ${why}.</p>`;
}

async function residualSection(picture: Picture, { residuals }: FitResult): Promise<Html> {
  const checks = residuals && [
    ["mean", shortText(residuals.mean, 4)],
    ["Durbin–Watson (2 where neighbours are independent)", shortText(residuals.durbinWatson, 4)],
    [
      "runs of one sign",
      `${residuals.runs}; noise would have ${shortText(residuals.runsExpected, 4)} ` +
        `(${shortText(residuals.runsScore, 3)} standard deviations away)`,
    ],
  ];
  return section(
    "Residuals",
    sideBySide(...(await residualFigures(picture))),
    checks &&
      table(
        [
          { title: "check", cell: ([name]: string[]) => name },
          { title: "value", cell: ([, value]: string[]) => value },
        ],
        checks,
      ),
  );
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
          cell: ([reason]: readonly [string, number]) => REASONS[reason] ?? reason,
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
    facts.push(
      html`The test <code>${text}</code> held ${countText(taken)} times and failed ${countText(notTaken)} times.`,
    );
  }
  for (const { text, rows } of diagnostics.clamped) {
    facts.push(html`The input of <code>${text}</code> was clamped on ${countText(rows)} rows.`);
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

function correlations({ covariance }: FitResult): Html | undefined {
  if (covariance === undefined) return undefined;
  const { names, matrix } = covariance;
  const size = names.length;
  const at = (i: number, j: number): number => matrix[i * size + j] ?? Number.NaN;
  const cell = (i: number, j: number): string =>
    i === j ? "1" : shown(at(i, j) / Math.sqrt(at(i, i) * at(j, j)), 3);
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
