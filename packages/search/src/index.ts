/**
 * The public face of @ndvm/search.
 */

export type * from "./types.js";
