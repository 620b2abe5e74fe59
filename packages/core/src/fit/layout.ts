/**
 * Codes and sizes of fits that both sides of the boundary know: tsc and asc compile it.
 * Generated from src/layouts by `npm run gen`; do not edit.
 */

// The loss of a row.
export const FIT_OBJECTIVE: i32 = 0; // the program's value
export const FIT_SQUARES: i32 = 1; // least squares
export const FIT_ABSOLUTE: i32 = 2; // absolute deviation
export const FIT_HUBER: i32 = 3; // squares near zero, lines beyond
export const FIT_POISSON: i32 = 4; // counts
export const FIT_BINOMIAL: i32 = 5; // successes of trials
export const FIT_PROGRAM: i32 = 6; // a program's, at `pointLossesAt`

// Which optimiser a fit is taken by.
export const FIT_ADAM: i32 = 0; // steps of a set size
export const FIT_LEVENBERG: i32 = 1; // least squares
export const FIT_LBFGS: i32 = 2; // any smooth loss

// The arrays of a state, by number: what all have, then each optimiser's own.
export const ARRAY_TRIAL: i32 = 0; // the point that is evaluated next
export const ARRAY_X: i32 = 1; // the trial in the user's units
// of x by the trial; of `lm` by the number that bounds are told in
export const ARRAY_SLOPES: i32 = 2;
export const ARRAY_U: i32 = 3; // the best point so far
export const ARRAY_BEST: i32 = 4; // the same in the user's units
export const ARRAY_FIRST: i32 = 5; // Adam's averages
export const ARRAY_SECOND: i32 = 6; // of squares
export const ARRAY_AVERAGES_END: i32 = 7; // how many arrays Adam has
export const ARRAY_SCALE: i32 = 5; // Levenberg and Marquardt's
export const ARRAY_STEP: i32 = 6; // the latest step
export const ARRAY_FACTOR: i32 = 7; // takes the rest (`wasm/fit/factor.ts`)
export const ARRAY_GRADIENT: i32 = 5; // those of L-BFGS
export const ARRAY_DIRECTION: i32 = 6; // along which the line goes
export const ARRAY_PAIR_STEPS: i32 = 7; // `PAIR_PLACES` of them
export const ARRAY_PAIR_TURNS: i32 = 18; // and as many
// then `PAIR_PLACES` curvatures, and as many numbers to work with
export const ARRAY_PAIRS_END: i32 = 29;

// What L-BFGS remembers.
export const PAIR_PLACES: i32 = 11; // places of pairs, one of them for the next

// Why a restart ended.
export const REASON_NONE: i32 = 0; // it goes on
export const REASON_STEPS: i32 = 1; // it has taken all its steps
export const REASON_NOT_FINITE: i32 = 2; // its first point has no finite loss
export const REASON_GRADIENT: i32 = 3; // the gradient is flat
export const REASON_LOSS: i32 = 4; // the loss falls no more
export const REASON_STEP: i32 = 5; // steps are small
export const REASON_DAMPING: i32 = 6; // no step helps
export const REASON_EMPTY: i32 = 7; // the slot has no restart

// Which limits a parameter has.
export const MAP_FREE: i32 = 0; // none
export const MAP_ABOVE: i32 = 1; // a lower one
export const MAP_BELOW: i32 = 2; // an upper one
export const MAP_BETWEEN: i32 = 3; // both

// How rounds of a fit ended.
export const ROUNDS_DONE: i32 = 0; // all that were asked for
export const ROUNDS_ENDED: i32 = 1; // too few slots go on
export const ROUNDS_REFUSED: i32 = 2; // a lane failed a guard: the next round must be walked

// Sizes of structures.
export const FIT_BYTES: i32 = 224; // FitBlock
export const PART_BYTES: i32 = 20; // FitPart
export const MAP_BYTES: i32 = 64; // ParameterMap
export const STATE_ARRAYS: i32 = 144; // SlotState
export const SUMS_FACTOR: i32 = 16; // SquareSums
