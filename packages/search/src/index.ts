/**
 * The public face of @ndvm/search.
 */

export { type ReplayOptions, type ReplayProgram, readPrograms, replay } from "./replay.js";
export { search } from "./search.js";
export { OPERATORS, paperRecipe } from "./study.js";
export type * from "./types.js";
