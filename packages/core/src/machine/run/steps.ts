/**
 * How many steps a walk may take.
 */

/** Where the caller sets no limit. */
export const STEPS_MAX = 1e9;
/** Steps of a walk that does not look at the clock on its way. */
export const UNINTERRUPTED_STEPS = 100_000;
