/**
 * The public face of @ndvm/core.
 */

export {
  type ErrorCause,
  type ErrorCode,
  type ErrorDetails,
  type ErrorFacts,
  NdvmError,
  type PackedError,
  packError,
  type Reason,
  type Span,
  unpackError,
} from "./errors.js";
export { type ExportFormat, exportFormats } from "./export/formats.js";
export {
  type Exportable,
  type ExportOptions,
  exportModel,
  type ModelSource,
} from "./export/model.js";
export { checkRows } from "./fit/check-rows.js";
export { inputScaleProblem, targetScaleProblem } from "./fit/data/scale.js";
export { endedNote } from "./fit/diagnosis/diagnosis.js";
export { fit } from "./fit/fit.js";
export { type FitManyOptions, type FitManyResult, fitMany } from "./fit/fit-many.js";
export { atan, exp, log, logGamma, studentReach } from "./fit/math/elementary.js";
export { Random, seedFor } from "./fit/math/random.js";
export {
  aic,
  bic,
  deviance,
  devianceAbout,
  explainedShare,
  isOfCounts,
  normalLogLikelihood,
  type RowScore,
  type RowSides,
  residualRoots,
  responses,
  rSquared,
  scoreRows,
  shareExplained,
  shareName,
  squaresAbout,
  squaresLeft,
  totalLoss,
} from "./fit/quality/scores.js";
export { fitFromJSON } from "./fit/result/restore.js";
export { checkSettings } from "./fit/settings.js";
export type {
  AdamOptions,
  BestFit,
  Column,
  Covariance,
  Data,
  FitDiagnostics,
  FitFlip,
  FitJson,
  FitOptions,
  FitProgress,
  FitResult,
  Identifiability,
  LossName,
  Optimiser,
  ParameterOptions,
  ParameterSpec,
  Prediction,
  ResidualChecks,
  RestartOutcome,
  StopReason,
  TargetFit,
  Tolerances,
  Undetermined,
} from "./fit/types.js";
export { over } from "./machine/inputs/axes.js";
export { int, mat, vec } from "./machine/inputs/inputs.js";
export { checkMachineOptions, Machine } from "./machine/machine.js";
export { checkLoadOptions, checkRunNames } from "./machine/options.js";
export type {
  Pool,
  PoolGradientOptions,
  PoolOptions,
  PoolRunOptions,
} from "./machine/pool/pool.js";
export type { Program, Run } from "./machine/program.js";
export { followBranches, laneNumbers, neighbourFlips } from "./machine/reports/branch-log.js";
export type { ByLane, LanePaths, Numbers } from "./machine/reports/by-lane.js";
export {
  type BranchFlip,
  type BranchReport,
  branchFlips,
  type ClampReport,
  type Diagnostics,
  type Place,
} from "./machine/reports/diagnose.js";
export type { Explanation, TapeEntry } from "./machine/reports/explain.js";
export { BranchLog, type LoggedFlip } from "./machine/reports/flip-log.js";
export { type ReducedInput, reduceGradients, sumOver } from "./machine/results/sums.js";
export { troublesOf } from "./machine/results/troubles.js";
export { gradientPart } from "./machine/run/part.js";
export type { Session, SessionStats } from "./machine/run/session.js";
export { requireReadable } from "./machine/text-room.js";
export type * from "./machine/types.js";
export { checkNames, namesOf } from "./option-names.js";
export { emptyRecord, own, recordOf, smallRecord } from "./records.js";
export { constants } from "./syntax/constants.js";
export type { Core, Expansion, Variable } from "./syntax/core.js";
export type { Datum } from "./syntax/datum.js";
export { type ExpandOptions, expand } from "./syntax/expand.js";
export { type FormatErrorOptions, formatError } from "./syntax/format-error.js";
export { print } from "./syntax/print.js";
export { printCore } from "./syntax/print-core.js";
export { read } from "./syntax/read.js";
export { inOneLine, replaceUnseen, visible } from "./syntax/seen.js";
export { fileWord, shellWord } from "./syntax/shell-word.js";
export { nearest } from "./syntax/suggest.js";
export { causeOf, makeError, rowFacts, type Speech, type Words, wordsFor } from "./words.js";
