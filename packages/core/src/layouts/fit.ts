/**
 * The layout of a fit: what the optimiser inside the machine works on. The caller writes one block
 * before each call; fields whose name ends in `At` are byte offsets from its start.
 */

import { defineCodes, defineLayout } from "./define.js";

export const fitBlock = defineLayout({
  name: "FitBlock",
  at: "fitAt",
  host: true,
  size: "FIT_BYTES",
  align: 16,
  doc: "A fit: sizes, settings, and where its arrays lie.",
  fields: [
    ["slots", "i32", "restarts that advance together"],
    ["points", "i32", "rows of the data; 1 where the value is the loss"],
    ["params", "i32", "parameters"],
    ["inputs", "i32", "the program's inputs that parameters are bound to"],
    ["columns", "i32", "columns of the data"],
    ["lanes", "i32", "slots · points, or slots where nothing varies by row"],
    ["width", "i32", "lanes of a chunk"],
    ["result", "i32", "payload of the program's value"],
    ["hasMerges", "i32", "1: the trace merges lanes"],
    ["optimiser", "i32", "`FIT_ADAM`, …"],
    ["loss", "i32", "`FIT_OBJECTIVE`, …"],
    ["steps", "i32", "most steps of a slot"],
    ["runningLeast", "i32", "rounds end when fewer slots than that go on"],
    ["rounds", "i32", "written: rounds that were taken"],
    ["stateBytes", "u32", "bytes of the state of a slot"],
    ["sumsBytes", "u32", "bytes of the sums of a slot"],
    ["blockRows", "i32", "most rows of the Jacobian that are reflected at once"],
    ["idsAt", "u32", "i32 payload ids: inputs, then columns"],
    ["partsAt", "u32", "a `FitPart` for every parameter"],
    ["rowGroupsAt", "u32", "i32 by row; 0: no parameter has a group"],
    ["mapsAt", "u32", "a `ParameterMap` for every parameter"],
    ["targetAt", "u32", "f64 by row"],
    ["rootsAt", "u32", "f64 by row: square roots of weights; 0: all are 1"],
    ["trialsAt", "u32", "f64 by row; 0: all are 1"],
    ["columnsAt", "u32", "reals, column after column of `points`"],
    ["statesAt", "u32", "a state for every slot"],
    ["sumsAt", "u32", "by slot, what its evaluation came to: `SquareSums` or partial sums"],
    ["slopesAt", "u32", "f64 by row: the loss by the prediction"],
    ["repeatedAt", "u32", "reals by row: one lane's number for all rows"],
    ["blockAt", "u32", "rows of the Jacobian"],
    ["workAt", "u32", "working space of a damped step"],
    ["givenAt", "u32", "reals by lane: values, then slopes by each input; 0: payloads"],
    ["pointLossesAt", "u32", "reals by row: losses, then their slopes"],
    ["isRepeated", "i32", "whether all rows of a slot have one lane"],
    ["rate", "f64", "settings of Adam: its rate"],
    ["beta1", "f64", "what the first average keeps"],
    ["beta2", "f64", "what the second average keeps"],
    ["epsilon", "f64", "least size that a gradient is divided by"],
    ["divisor", "f64", "gradients are divided by it"],
    ["lossWidth", "f64", "of Huber's loss"],
    ["gradientLimit", "f64", "when the other optimisers have arrived: by the gradient"],
    ["stepLimit", "f64", "by the step"],
    ["lossLimit", "f64", "by the fall of the loss"],
    ["unit", "f64", "the size of residuals that lm damps as if it were 1"],
    ["slotLanes", "i32", "lanes of a slot, of all chunks: points, or 1"],
  ],
});

export const fitPart = defineLayout({
  name: "FitPart",
  at: "partAt",
  host: true,
  size: "PART_BYTES",
  doc: "Where the numbers of a parameter lie.",
  fields: [
    ["input", "i32", "the input that it is bound to"],
    ["group", "i32", "the group of rows that it is for, −1: all of them"],
    ["primal", "usize", "address of the input's numbers; found by the machine, as the rest"],
    ["isUniform", "i32", "whether that is one number for all lanes"],
    ["slopes", "usize", "address of the value's derivatives by lane of the chunk"],
  ],
});

export const parameterMap = defineLayout({
  name: "ParameterMap",
  at: "mapAt",
  host: true,
  size: "MAP_BYTES",
  doc: "How a parameter moves (`fit/parameters/transforms.ts`).",
  fields: [
    ["kind", "f64", "`MAP_FREE`, …"],
    ["a", "f64", "lower bound, upper bound, or middle"],
    ["b", "f64", "s, or half of the width"],
    ["lower", "f64", "lower limit of `MAP_BETWEEN`"],
    ["upper", "f64", "its upper limit"],
    ["isLog", "f64", "1 where the logarithm of the parameter moves"],
    ["logLower", "f64", "lower limit of such a parameter"],
    ["logUpper", "f64", "its upper limit"],
  ],
});

export const slotState = defineLayout({
  name: "SlotState",
  at: "stateAt",
  host: true,
  size: "STATE_ARRAYS",
  room: 112,
  doc: "The state of a slot. Arrays of one number for every parameter follow (`ARRAY_*`).",
  fields: [
    ["loss", "f64", "loss of the best point"],
    ["steps", "f64", "steps that were taken"],
    ["evaluations", "f64", "evaluations that they took"],
    ["reason", "f64", "why it ended: `REASON_*`"],
  ],
});

export const adamState = defineLayout({
  name: "AdamState",
  at: "adamAt",
  host: true,
  extends: slotState,
  doc: "What Adam adds to the state.",
  fields: [
    ["power1", "f64", "beta1 to the power of the steps"],
    ["power2", "f64", "beta2 to that power"],
  ],
});

export const levenbergState = defineLayout({
  name: "LevenbergState",
  at: "levenbergAt",
  host: true,
  extends: slotState,
  doc: "What Levenberg and Marquardt's method adds.",
  fields: [
    ["radius", "f64", "how far steps may go"],
    ["shrink", "f64", "what the radius is divided by after a bad step"],
    ["predicted", "f64", "half the fall of the loss that the step promises"],
    ["vetoes", "f64", "good steps in a row that were taken back"],
    ["hasBegun", "f64", "1 after the first evaluation"],
  ],
});

export const linePlace = defineLayout({
  name: "LinePlace",
  at: "lineAt",
  doc: "A place on a line.",
  fields: [
    ["distance", "f64", "how far along"],
    ["value", "f64", "loss there"],
    ["slope", "f64", "and slope"],
  ],
});

export const lbfgsState = defineLayout({
  name: "LbfgsState",
  at: "lbfgsAt",
  host: true,
  extends: slotState,
  doc: "What L-BFGS adds.",
  fields: [
    ["firstPair", "f64", "the oldest pair of the ring"],
    ["pairs", "f64", "how many there are"],
    ["lineSlope", "f64", "slope at the start of the line"],
    ["distance", "f64", "how far along the line the trial is"],
    ["hasBegun", "f64", "1 after the first evaluation"],
    ["low", linePlace, "the better end of the bracket"],
    ["high", linePlace, "its other end; distance NaN: none yet"],
    ["trials", "f64", "trials on the line"],
    ["promise", "f64", "what the line could still lower the loss by"],
    ["nearness", "f64", "how far away that is, beside the parameters' size"],
  ],
});

export const squareSums = defineLayout({
  name: "SquareSums",
  at: "sumsAt",
  size: "SUMS_FACTOR",
  doc: "What an evaluation by least squares comes to. The factor of the Jacobian follows.",
  fields: [
    ["loss", "f64", "sum of squares"],
    ["part", "f64", "that of the rows that are not reflected yet"],
  ],
});

export const losses = defineCodes({
  name: "Losses",
  doc: "The loss of a row.",
  codes: [
    ["FIT_OBJECTIVE", 0, "the program's value"],
    ["FIT_SQUARES", 1, "least squares"],
    ["FIT_ABSOLUTE", 2, "absolute deviation"],
    ["FIT_HUBER", 3, "squares near zero, lines beyond"],
    ["FIT_POISSON", 4, "counts"],
    ["FIT_BINOMIAL", 5, "successes of trials"],
    ["FIT_PROGRAM", 6, "a program's, at `pointLossesAt`"],
  ],
});

export const optimisers = defineCodes({
  name: "Optimisers",
  doc: "Which optimiser a fit is taken by.",
  codes: [
    ["FIT_ADAM", 0, "steps of a set size"],
    ["FIT_LEVENBERG", 1, "least squares"],
    ["FIT_LBFGS", 2, "any smooth loss"],
  ],
});

export const arrays = defineCodes({
  name: "Arrays",
  doc: "The arrays of a state, by number: what all have, then each optimiser's own.",
  codes: [
    ["ARRAY_TRIAL", 0, "the point that is evaluated next"],
    ["ARRAY_X", 1, "the trial in the user's units"],
    ["ARRAY_SLOPES", 2, "of x by the trial; of `lm` by the number that bounds are told in"],
    ["ARRAY_U", 3, "the best point so far"],
    ["ARRAY_BEST", 4, "the same in the user's units"],
    ["ARRAY_FIRST", 5, "Adam's averages"],
    ["ARRAY_SECOND", 6, "of squares"],
    ["ARRAY_AVERAGES_END", 7, "how many arrays Adam has"],
    ["ARRAY_SCALE", 5, "Levenberg and Marquardt's"],
    ["ARRAY_STEP", 6, "the latest step"],
    ["ARRAY_FACTOR", 7, "takes the rest (`wasm/fit/factor.ts`)"],
    ["ARRAY_GRADIENT", 5, "those of L-BFGS"],
    ["ARRAY_DIRECTION", 6, "along which the line goes"],
    ["ARRAY_PAIR_STEPS", 7, "`PAIR_PLACES` of them"],
    ["ARRAY_PAIR_TURNS", 18, "and as many"],
    ["ARRAY_PAIRS_END", 29, "then `PAIR_PLACES` curvatures, and as many numbers to work with"],
  ],
});

export const pairs = defineCodes({
  name: "Pairs",
  doc: "What L-BFGS remembers.",
  codes: [["PAIR_PLACES", 11, "places of pairs, one of them for the next"]],
});

export const reasons = defineCodes({
  name: "Reasons",
  doc: "Why a restart ended.",
  codes: [
    ["REASON_NONE", 0, "it goes on"],
    ["REASON_STEPS", 1, "it has taken all its steps"],
    ["REASON_NOT_FINITE", 2, "its first point has no finite loss"],
    ["REASON_GRADIENT", 3, "the gradient is flat"],
    ["REASON_LOSS", 4, "the loss falls no more"],
    ["REASON_STEP", 5, "steps are small"],
    ["REASON_DAMPING", 6, "no step helps"],
    ["REASON_EMPTY", 7, "the slot has no restart"],
  ],
});

export const mapKinds = defineCodes({
  name: "MapKinds",
  doc: "Which limits a parameter has.",
  codes: [
    ["MAP_FREE", 0, "none"],
    ["MAP_ABOVE", 1, "a lower one"],
    ["MAP_BELOW", 2, "an upper one"],
    ["MAP_BETWEEN", 3, "both"],
  ],
});

export const roundOutcomes = defineCodes({
  name: "RoundOutcomes",
  doc: "How rounds of a fit ended.",
  codes: [
    ["ROUNDS_DONE", 0, "all that were asked for"],
    ["ROUNDS_ENDED", 1, "too few slots go on"],
    ["ROUNDS_REFUSED", 2, "a lane failed a guard: the next round must be walked"],
  ],
});

export const fitLayouts = [
  fitBlock,
  fitPart,
  parameterMap,
  slotState,
  adamState,
  levenbergState,
  linePlace,
  lbfgsState,
  squareSums,
];

export const fitCodes = [losses, optimisers, arrays, pairs, reasons, mapKinds, roundOutcomes];
