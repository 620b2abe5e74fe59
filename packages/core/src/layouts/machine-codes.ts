/** Numbers with names that both sides of the boundary know: tags, flags, records, faults. */

import { defineCodes } from "./define.js";

export const tags = defineCodes({
  name: "Tags",
  doc: "What a value is: the low word of its 8 bytes. The high word is its data.",
  codes: [
    ["TAG_INT", 1, "integer; data: the integer itself"],
    ["TAG_REAL", 2, "real; data: payload id of a scalar"],
    ["TAG_TENSOR", 3, "data: payload id of a vector or matrix"],
    ["TAG_BOOL", 4, "boolean; data: 0 or 1"],
    ["TAG_MASK", 5, "data: payload id of a boolean that differs between lanes"],
    ["TAG_NIL", 6, "the empty list"],
    ["TAG_SYMBOL", 7, "data: symbol id of the program"],
    ["TAG_PAIR", 8, "data: heap index, in 8-byte words"],
    ["TAG_CLOSURE", 9, "data: heap index"],
    ["TAG_PRIMITIVE", 10, "data: op code"],
    ["TAG_UNSPECIFIED", 11, "what a procedure returns that has nothing to say"],
    ["TAG_UNINITIALISED", 12, "a variable whose definition has not run"],
    ["TAG_BOX", 13, "data: heap index"],
    ["TAG_FAIL", 255, "never stored: a primitive failed, see the fault"],
  ],
});

export const clients = defineCodes({
  name: "Clients",
  doc: "Which evaluator reads an image.",
  codes: [
    ["CLIENT_SCHEME", 0, "cells of a tree"],
    ["CLIENT_STACK", 1, "a stream of instructions"],
    ["CLIENT_STRAIGHT", 2, "cells of a tree that a single walk found to be one straight formula"],
    ["CLIENT_TREE", 3, "cells of a tree that it found to be more"],
  ],
});

export const frames = defineCodes({
  name: "Frames",
  doc: "What waits for a value. A client has kinds of its own from `FRAME_CLIENT` on.",
  codes: [
    ["FRAME_HALT", 0, "the program's value ends the walk"],
    ["FRAME_RETURN", 1, "leave a procedure; `saved` is the caller's frame"],
    ["FRAME_SIDE", 2, "the value of one side of a branch that lanes take both ways"],
    ["FRAME_CLIENT", 3, "the first of a client's own"],
  ],
});

export const payloadFlags = defineCodes({
  name: "PayloadFlags",
  doc: "What is known of a payload.",
  codes: [
    ["PAYLOAD_RANK", 3, "mask of the rank: 0 scalar, 1 vector, 2 matrix"],
    ["PAYLOAD_UNIFORM", 4, "equal in every lane, stored once"],
    ["PAYLOAD_ACTIVE", 8, "a differentiated input reaches it, so it has an adjoint"],
    ["PAYLOAD_MASK", 16, "a boolean per lane: all bits of the lane's place set, or none"],
    ["PAYLOAD_VARYING", 32, "an input reaches it, so replay computes it again"],
    ["PAYLOAD_REACHED", 64, "the result depends on it; set when a trace is linked"],
    ["PAYLOAD_BORROWS", 128, "its adjoint is read in another's place; set when a trace is linked"],
    ["PAYLOAD_STILL", 256, "only data of a fit reach it, so its rounds compute it once"],
    ["PAYLOAD_PASSED", 512, "its numbers were made elsewhere: it merges two sides, or is a copy"],
    ["PAYLOAD_REPEATS", 1024, "its numbers are those of an earlier payload, made of the same ones"],
  ],
});

export const recordFlags = defineCodes({
  name: "RecordFlags",
  doc: "Parts of a record's op word.",
  codes: [
    ["RECORD_CODE", 0xffff, "mask of the op code"],
    ["RECORD_ACTIVE", 1 << 16, "has a part in the backward pass"],
  ],
});

export const traceRecords = defineCodes({
  name: "TraceRecords",
  doc: "Records that are not primitives: control and masks, with codes above every op.",
  codes: [
    ["TRACE_FIRST", 1000, "the first of them"],
    ["TRACE_GUARD", 1000, "in0, a mask, is aux (0 or 1) in the lanes of mask"],
    ["TRACE_GUARD_INTEGER", 1001, "in0 is the integer aux in the lanes of mask"],
    ["TRACE_AND", 1002, "out = in0 and in1, masks"],
    ["TRACE_AND_NOT", 1003, "out = in0 and not in1; in0 = in1: not in0"],
    ["TRACE_MERGE", 1004, "out = in0 in the lanes of mask, in1 elsewhere"],
    ["TRACE_EQUAL", 1005, "out = all elements of in0 and in1 are equal"],
    ["TRACE_GATHER", 1006, "out = row in1 of in0, each lane its own row; aux: row length"],
    ["TRACE_GUARD_RANGE", 1007, "in0 is an integer from 0 below aux, in the lanes of mask"],
    [
      "TRACE_BRANCH",
      1008,
      "a note of the branch at node in1: in0 is its test by lane; −1: aux is the truth for all",
    ],
  ],
});

export const chunkWidths = defineCodes({
  name: "ChunkWidths",
  doc: "Lanes of a chunk.",
  codes: [["TILE_LANES", 128, "kernels of 2 × 2 matrices have constant offsets at so many"]],
});

export const recordingLevels = defineCodes({
  name: "RecordingLevels",
  doc: "What a run records.",
  codes: [
    ["RECORD_NOTHING", 0, "no tape"],
    ["RECORD_ACTIVE_ONLY", 1, "what a differentiated input reaches"],
    ["RECORD_VARYING", 2, "what any input reaches: what replay needs"],
    ["RECORD_BRANCHES", 3, "that, and a note at every branch: for reports"],
    ["RECORD_ALL", 4, "what constants make, too: where a number that is not finite comes from"],
  ],
});

export const blames = defineCodes({
  name: "Blames",
  doc: "What the search for the origin of a number that is not finite says instead of a payload.",
  codes: [
    ["BLAME_UNKNOWN", -1, "the tape does not tell"],
    ["BLAME_CONSTANT", -2, "it is a constant of the program, and no operation made it"],
  ],
});

export const linkOutcomes = defineCodes({
  name: "LinkOutcomes",
  doc: "What linking a tape came to.",
  codes: [
    ["LINK_REFUSED", 0, "memory did not allow it; the walk's result stands"],
    ["LINK_DONE", 1, "the trace can be kept"],
    ["LINK_SPOILED", 2, "there is no room even for adjoints"],
  ],
});

export const walkOutcomes = defineCodes({
  name: "WalkOutcomes",
  doc: "What a walk came to.",
  codes: [
    ["WALK_DONE", 0, "the program has a value"],
    ["WALK_PAUSED", 1, "its slice of steps is used up"],
    ["WALK_FAULT", 2, "the lanes of the context failed; `abandon` goes on without them"],
  ],
});

export const singleNumbers = defineCodes({
  name: "SingleNumbers",
  doc: "Where the doubles of a single walk lie: numbers of inputs go in, what came of them comes out.",
  codes: [
    ["SINGLE_VALUE", 0, "the program's value"],
    ["SINGLE_STEPS", 1, "steps of the walk"],
    ["SINGLE_REACHED", 2, "bits of the inputs that the value depends on"],
    ["SINGLE_REPORT", 3, "address of the report, where the tape was linked"],
    ["SINGLE_INPUTS", 4, "the inputs, in the program's order"],
    ["SINGLE_GRADIENTS", 36, "gradients by those that are asked for"],
    ["SINGLE_COUNT", 68, "how many doubles there are"],
    ["SINGLE_INPUTS_MAX", 32, "a program with more inputs walks the general way"],
  ],
});

export const singleOutcomes = defineCodes({
  name: "SingleOutcomes",
  doc: "What a single walk came to.",
  codes: [
    ["SINGLE_SHORT", 0, "memory is short: nothing was walked"],
    ["SINGLE_OPEN", 1, "the walk must go on, as `walkState` says"],
    ["SINGLE_WALKED", 2, "the walk is over, but its value is not a plain number to pass back from"],
    ["SINGLE_DONE", 3, "value and gradients are there"],
  ],
});

export const faults = defineCodes({
  name: "Faults",
  doc: "What went wrong inside the machine. `machine/reports/faults.ts` puts it into words.",
  codes: [
    ["FAULT_NONE", 0, "nothing"],
    ["FAULT_MEMORY", 1, "memory ran out"],
    ["FAULT_TAPE", 2, "the tape passed its budget"],
    ["FAULT_RECURSION", 3, "calls are nested too deeply"],
    ["FAULT_UNINITIALISED", 4, "a variable was used before its definition ran"],
    ["FAULT_NOT_PROCEDURE", 5, "the value that was called is not a procedure"],
    ["FAULT_ARITY", 6, "a procedure got too few or too many arguments"],
    ["FAULT_NOT_PAIR", 7, "a pair was expected"],
    ["FAULT_NOT_LIST", 8, "a list was expected"],
    ["FAULT_NOT_NUMBER", 9, "a number was expected"],
    ["FAULT_NOT_SCALAR", 10, "a scalar was expected"],
    ["FAULT_NOT_TENSOR", 11, "a tensor was expected"],
    ["FAULT_NOT_INTEGER", 12, "an integer was expected"],
    ["FAULT_INDEX", 13, "detail: the index; second value: what was indexed"],
    ["FAULT_SIZE", 14, "a count below zero or above 2^24"],
    ["FAULT_SHAPE", 15, "detail: SHAPE_* of wasm/linalg/shapes.ts"],
    ["FAULT_SHAPES_DIFFER", 16, "element-wise on tensors of different shapes"],
    ["FAULT_ROWS_DIFFER", 17, "mat of rows of different lengths"],
    ["FAULT_NOT_BOOLEAN", 18, "a boolean was expected"],
    ["FAULT_NOT_ALIST", 19, "assq and friends: an element that is not a pair"],
    ["FAULT_STEPS", 20, "one primitive alone would pass the step budget"],
  ],
});

export const stepFaults = defineCodes({
  name: "StepFaults",
  doc: "The detail of `FAULT_STEPS`.",
  codes: [
    ["STEPS_OF_PRIMITIVE", 1, "not the run's budget, what one primitive may take"],
    ["STEPS_OF_SOME", 2, "some lanes alone would have taken fewer"],
    ["STEPS_OF_WIDTH", 3, "too many lanes for the time between two looks at the clock"],
  ],
});

export const shapeFaults = defineCodes({
  name: "ShapeFaults",
  doc: "Why the shapes of a structured primitive do not fit.",
  codes: [
    ["SHAPE_OK", 0, "they fit"],
    ["SHAPE_NEEDS_TENSOR", 1, "a scalar came where a vector or matrix must"],
    ["SHAPE_NEEDS_VECTOR", 2, "every operand must be a vector"],
    ["SHAPE_NEEDS_MATRIX", 3, "every operand must be a matrix"],
    ["SHAPE_NEEDS_SQUARE", 4, "the (first) operand must have as many rows as columns"],
    ["SHAPE_NEEDS_VECTOR3", 5, "both must be vectors of length 3"],
    ["SHAPE_LENGTHS_DIFFER", 6, "both are vectors, of different lengths"],
    ["SHAPE_INNER_DIFFER", 7, "columns of the first are not the rows of the second"],
    ["SHAPE_NEEDS_MATRIX_VECTOR", 8, "first a matrix, then a vector"],
    ["SHAPE_NEEDS_SCALAR_FIRST", 9, "first a scalar, then a vector or matrix"],
    ["SHAPE_NEEDS_MATRIX_FIRST", 10, "first a matrix, then a vector or matrix"],
    ["SHAPE_UNKNOWN_OP", 11, "no structured primitive: a fault of the caller"],
  ],
});

export const objectSizes = defineCodes({
  name: "ObjectSizes",
  doc: "Heap objects of a fixed size.",
  codes: [["PAIR_FIELDS", 2, "fields of a pair: car, cdr"]],
});

export const machineCodes = [
  tags,
  clients,
  frames,
  objectSizes,
  payloadFlags,
  recordFlags,
  chunkWidths,
  recordingLevels,
  traceRecords,
  blames,
  linkOutcomes,
  walkOutcomes,
  singleNumbers,
  singleOutcomes,
  faults,
  stepFaults,
  shapeFaults,
];
