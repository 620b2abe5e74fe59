/** Figures without their page, to be shown where a result is: in a notebook, say. */

import type { FitResult } from "@ndvm/core";
import { picturesOf } from "./fit/picture.js";
import type { FittedProblem } from "./fit/problem.js";
import { dataFigure, residualFigures, restartsFigure } from "./fit/report-figures.js";
import { fragment, type Html, sideBySide } from "./html.js";
import { frontFigure, modelFigure, type StudyRows } from "./study/figures.js";
import type { StudyMember } from "./study/story.js";

/**
 * Data, fit and residuals of each target; the losses of the restarts where there is no target. Empty
 * where there is nothing to draw.
 */
export async function fitFigures(result: FitResult, problem: FittedProblem): Promise<string> {
  const figures: (Html | undefined)[] = [];
  for (const picture of picturesOf(result, problem, [], undefined)) {
    figures.push(await dataFigure(picture, result));
    figures.push(sideBySide(...(await residualFigures(picture))));
  }
  if (figures.length === 0) figures.push(await restartsFigure(result));
  return figures[0] === undefined ? "" : fragment(figures);
}

/** The chosen model beside the data, and the front. */
export async function searchFigures(
  rows: StudyRows,
  front: readonly StudyMember[],
  chosen: StudyMember | undefined,
): Promise<string> {
  const model = chosen === undefined ? undefined : await modelFigure(chosen, rows);
  return fragment(model, front.length === 0 ? undefined : await frontFigure(front, chosen, rows));
}
