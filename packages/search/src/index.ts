/**
 * The public face of @ndvm/search.
 */

export {
  Archive,
  type ArchivedEvent,
  type ArchivedRun,
  type ArchiveSummary,
  type Discovery,
  openArchive,
  type TimingTotals,
} from "./archive/archive.js";
export { type ArchiveCheck, type ArchiveProblem, checkArchive } from "./archive/check.js";
export { type Salvage, salvageArchive } from "./archive/salvage.js";
export {
  bestOf,
  choiceOf,
  choiceWarnings,
  heldOutWarning,
  nextBestOf,
  whyChosen,
} from "./choice/choose.js";
export { yardstickOf } from "./choice/yardstick.js";
export { complexityOf } from "./complexity.js";
export { type EvolveOptions, evolve } from "./evolve/evolve.js";
export { type LlmOptions, llm } from "./llm/llm.js";
export { type ReplayOptions, type ReplayProgram, readPrograms, replay } from "./replay.js";
export { type SearchHooks, search } from "./search.js";
export { skeletonOf } from "./skeleton.js";
export { OPERATORS, paperRecipe } from "./study.js";
export type * from "./types.js";
