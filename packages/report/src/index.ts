/** The public face of @ndvm/report. */

export { agreement } from "./agreement.js";
export {
  type AxisOptions,
  type Bin,
  binsOf,
  type ChartOptions,
  drawChart,
  type Layer,
  type XY,
} from "./chart.js";
export { fitFigures, searchFigures } from "./figures.js";
export { formulaOf } from "./fit/formula.js";
export { type Curve, type Picture, picturesOf } from "./fit/picture.js";
export { type FittedProblem, type HeldOutScore, trialsOf, weightsOf } from "./fit/problem.js";
export { fitReport, type ReportOptions } from "./fit/report.js";
export { offScaleWords, parameterRows, summaryText, warningsOf } from "./fit/summary.js";
export {
  type Content,
  cards,
  escapeHtml,
  figure,
  fragment,
  Html,
  type HtmlColumn,
  html,
  type LegendEntry,
  list,
  page,
  section,
  seriesColor,
  sideBySide,
  table,
  verbatim,
} from "./html.js";
export {
  bytesText,
  countOf,
  countText,
  exactText,
  shortText,
  tickText,
  timeText,
} from "./numbers.js";
export { oneLine } from "./one-line.js";
export { constantNote } from "./study/constants.js";
export { type DrawnData, type DrawnModel, ModelCurves } from "./study/curves.js";
export type { StudyRows } from "./study/figures.js";
export { memberFormula } from "./study/formula.js";
export { studyReport } from "./study/report.js";
export type { StudyAncestor, StudyLoad, StudyMember, StudyRun, StudyStory } from "./study/story.js";
export {
  formatGrid,
  formatTable,
  gridLines,
  type TextColumn,
  type TextStyle,
} from "./text-table.js";
