/**
 * Byte layouts shared by both sides of the WebAssembly boundary. Compiled by tsc and by asc, so it
 * holds nothing but integer constants.
 *
 * The operand block is the calling convention of every numeric kernel: `kernel(at)` reads its
 * operands from the block at byte address `at`. In lane direction a run is BLOCK_RUN bytes long; a
 * uniform payload stores one splatted vector per element and has lane mask 0, so that the address
 * of element e, lane offset b is always `base + e * step + (b & laneMask)`.
 */

// Operand block: u32 fields, byte offsets.
export const BLOCK_Z: i32 = 0; // primal of the result
export const BLOCK_Z_STEP: i32 = 4; // bytes from one element of z to the next
export const BLOCK_Z_MASK: i32 = 8; // lane mask of z: 0 uniform, -1 per lane
export const BLOCK_X: i32 = 12;
export const BLOCK_X_STEP: i32 = 16; // 0 broadcasts a scalar over the elements of z
export const BLOCK_X_MASK: i32 = 20;
export const BLOCK_Y: i32 = 24;
export const BLOCK_Y_STEP: i32 = 28;
export const BLOCK_Y_MASK: i32 = 32;
export const BLOCK_GZ: i32 = 36; // adjoints: always one value per lane, also of a uniform primal
export const BLOCK_GX: i32 = 40; // 0: x is inactive, no adjoint work
export const BLOCK_GX_STEP: i32 = 44;
export const BLOCK_GY: i32 = 48;
export const BLOCK_GY_STEP: i32 = 52;
export const BLOCK_COUNT: i32 = 56; // elements of z (element-wise kernels)
export const BLOCK_RUN: i32 = 60; // bytes of one full run of lanes (adjoint loops, gz step)
export const BLOCK_Z_RUN: i32 = 64; // bytes to compute forward: 16 where z is uniform, else RUN
export const BLOCK_ROWS: i32 = 68; // dimensions for structured kernels: x is [rows, inner],
export const BLOCK_INNER: i32 = 72; // y is [inner, cols] (a vector counts as one column)
export const BLOCK_COLS: i32 = 76;
export const BLOCK_SCRATCH: i32 = 80; // scratch memory for kernels that declare some
export const BLOCK_AUX: i32 = 84; // element offset, integer exponent, … as the kernel says
export const BLOCK_OP: i32 = 88; // op code of the record the block was made from, and its flags
export const BLOCK_OUT: i32 = 92; // payload id of z
export const BLOCK_MASK: i32 = 96; // lanes a guard looks at, or that take x in a merge; 0: all
export const BLOCK_IN0: i32 = 100; // payload ids of x and y
export const BLOCK_IN1: i32 = 104;
export const BLOCK_X_CLEAR: i32 = 108; // bytes of gx that the backward pass clears before it adds
export const BLOCK_Y_CLEAR: i32 = 112;
export const BLOCK_X_KEPT: i32 = 116; // 0 where gx holds no sum yet, else -1: what an adjoint adds to
export const BLOCK_Y_KEPT: i32 = 120;
export const BLOCK_SLOPE: i32 = 124; // where forward leaves what the adjoint needs; odd: not yet, 0: nowhere
export const BLOCK_BYTES: i32 = 128;

// A value is 8 bytes: tag in the low word, data in the high word.
export const TAG_INT: i32 = 1; // data: the integer itself
export const TAG_REAL: i32 = 2; // data: payload id of a scalar
export const TAG_TENSOR: i32 = 3; // data: payload id of a vector or matrix
export const TAG_BOOL: i32 = 4; // data: 0 or 1
export const TAG_MASK: i32 = 5; // data: payload id of a boolean that differs between lanes
export const TAG_NIL: i32 = 6;
export const TAG_SYMBOL: i32 = 7; // data: symbol id of the program
export const TAG_PAIR: i32 = 8; // data: heap index, in 8-byte words
export const TAG_CLOSURE: i32 = 9; // data: heap index
export const TAG_PRIMITIVE: i32 = 10; // data: op code
export const TAG_UNSPECIFIED: i32 = 11;
export const TAG_UNINITIALISED: i32 = 12;
export const TAG_BOX: i32 = 13; // data: heap index
export const TAG_FAIL: i32 = 255; // never stored: a primitive failed, see the fault

// A heap object is one header word (8 bytes) and its fields, values of 8 bytes each.
// Header: field count in the low word; in the high word a word of the client's own: the word index
// of the place a closure was made from.
export const PAIR_FIELDS: i32 = 2; // car, cdr

// Image: i32 words. Header fields are word indices.
export const IMAGE_WORDS: i32 = 0; // length of the image in words
export const IMAGE_ENTRY: i32 = 1; // word index of the place where it begins
export const IMAGE_INPUTS: i32 = 2; // how many inputs
export const IMAGE_GLOBALS: i32 = 3; // inputs and top-level variables together
export const IMAGE_CONSTANTS: i32 = 4; // how many real constants
export const IMAGE_CONSTANTS_AT: i32 = 5; // word index of their f64 values
export const IMAGE_HEAP: i32 = 6; // 8-byte words of quoted structure
export const IMAGE_HEAP_AT: i32 = 7; // word index of that structure
export const IMAGE_STACK: i32 = 8; // value slots the outermost expression needs
export const IMAGE_CONTROL: i32 = 9; // control frames the outermost expression needs
export const IMAGE_CLIENT: i32 = 10; // which evaluator reads it
export const IMAGE_HEADER: i32 = 11;

// Clients: which evaluator reads the image.
export const CLIENT_SCHEME: i32 = 0;
export const CLIENT_STACK: i32 = 1;

// Control frames: kind, place, index, saved. Kinds that the machine knows; a client has its own
// from FRAME_CLIENT on. A place is an address in the image; its second word is a node number.
export const FRAME_HALT: i32 = 0; // the program's value ends the walk
export const FRAME_RETURN: i32 = 1; // leave a procedure; `saved` is the caller's frame
export const FRAME_SIDE: i32 = 2; // the value of one side of a branch that lanes take both ways
export const FRAME_CLIENT: i32 = 3;
export const CONTROL_FRAME_CELL: i32 = 4;
export const CONTROL_FRAME_BYTES: i32 = 16;

// A payload's entry in the payload table, byte offsets.
export const PAYLOAD_PRIMAL: i32 = 0; // offset from the primal arena's base
export const PAYLOAD_ADJOINT: i32 = 4; // offset from the adjoint arena's base
export const PAYLOAD_ROWS: i32 = 8;
export const PAYLOAD_COLS: i32 = 12;
export const PAYLOAD_COUNT: i32 = 16; // rows * cols
export const PAYLOAD_FLAGS: i32 = 20;
export const PAYLOAD_ORIGIN: i32 = 24; // node that made it; -1 - i for input i
export const PAYLOAD_CONTEXT: i32 = 28; // mask of the lanes it was computed for, -1: all
export const PAYLOAD_BYTES: i32 = 32;

export const PAYLOAD_RANK: i32 = 3; // mask of the rank inside the flags
export const PAYLOAD_UNIFORM: i32 = 4;
export const PAYLOAD_ACTIVE: i32 = 8;
export const PAYLOAD_REACHED: i32 = 64; // the result depends on it; set where a trace is linked
export const PAYLOAD_VARYING: i32 = 32; // depends on an input, so replay computes it again
export const PAYLOAD_MASK: i32 = 16; // not a number but a boolean per lane, all bits set or none

// A tape record, byte offsets.
export const RECORD_OP: i32 = 0;
export const RECORD_OUT: i32 = 4;
export const RECORD_IN0: i32 = 8;
export const RECORD_IN1: i32 = 12; // -1 where the operation has one operand
export const RECORD_AUX: i32 = 16;
export const RECORD_MASK: i32 = 20; // lane mask payload, -1: every lane
export const RECORD_BYTES: i32 = 24;

// Flags in a record's op word, above the op code.
export const RECORD_CODE: i32 = 0xffff; // mask of the op code
export const RECORD_ACTIVE: i32 = 1 << 16; // has a part in the backward pass

// Records that are no primitive: control and masks. Codes above every op.
export const TRACE_FIRST: i32 = 1000;
export const TRACE_GUARD: i32 = 1000; // in0 is aux (0 or 1) in the lanes of mask
export const TRACE_GUARD_INTEGER: i32 = 1001; // in0 is the integer aux in the lanes of mask
export const TRACE_AND: i32 = 1002; // out = in0 and in1, masks
export const TRACE_AND_NOT: i32 = 1003; // out = in0 and not in1; in0 = in1: not
export const TRACE_MERGE: i32 = 1004; // out = in0 in the lanes of mask, in1 elsewhere
export const TRACE_EQUAL: i32 = 1005; // out = all elements of in0 and in1 are equal
export const TRACE_GATHER: i32 = 1006; // out = row in1 of in0, each lane its own; aux: row length
export const TRACE_BRANCH: i32 = 1008; // if cell of node in1: in0 the test by lane, -1: aux for all
export const TRACE_GUARD_RANGE: i32 = 1007; // in0 is an integer from 0 below aux, in the lanes of mask

// What `link` returns.
export const LINK_REFUSED: i32 = 0;
export const LINK_DONE: i32 = 1;
export const LINK_SPOILED: i32 = 2;

// What `walk` returns.
export const WALK_DONE: i32 = 0;
export const WALK_PAUSED: i32 = 1;
export const WALK_FAULT: i32 = 2; // the lanes of the context failed; `abandon` goes on without them

// What a walk did (wasm/walk/report.ts): f64 fields.
export const REPORT_FAULT: i32 = 0;
export const REPORT_LIVE: i32 = 8;
export const REPORT_RECORDING: i32 = 16;
export const REPORT_RESULT_TAG: i32 = 24;
export const REPORT_RESULT_DATA: i32 = 32;
export const REPORT_STEPS: i32 = 40;
export const REPORT_STRAYS: i32 = 48;
export const REPORT_PAYLOADS: i32 = 56;
export const REPORT_UNIFORM_MADE: i32 = 64;
export const REPORT_ACTIVE_MADE: i32 = 72;
export const REPORT_TAPE_ACTIVE: i32 = 80;
export const REPORT_OBJECTS: i32 = 88;
export const REPORT_PRIMAL_BYTES: i32 = 96;
export const REPORT_ADJOINT_BYTES: i32 = 104;
export const REPORT_TAPE_BYTES: i32 = 112;
export const REPORT_HEAP_BYTES: i32 = 120;
export const REPORT_COMPACTIONS: i32 = 128;
export const REPORT_MIXED: i32 = 136; // 1: the tape merges lanes
export const REPORT_LINKED_BYTES: i32 = 144; // of adjoints, once the tape is linked
export const REPORT_LINK: i32 = 152; // LINK_*, REFUSED where nobody asked for it
export const REPORT_BYTES: i32 = 160;

// Faults: what went wrong inside the machine. `machine/reports/faults.ts` puts them into words.
export const FAULT_NONE: i32 = 0;
export const FAULT_MEMORY: i32 = 1;
export const FAULT_TAPE: i32 = 2;
export const FAULT_RECURSION: i32 = 3;
export const FAULT_UNINITIALISED: i32 = 4;
export const FAULT_NOT_PROCEDURE: i32 = 5;
export const FAULT_ARITY: i32 = 6;
export const FAULT_NOT_PAIR: i32 = 7;
export const FAULT_NOT_LIST: i32 = 8;
export const FAULT_NOT_NUMBER: i32 = 9;
export const FAULT_NOT_SCALAR: i32 = 10;
export const FAULT_NOT_TENSOR: i32 = 11;
export const FAULT_NOT_INTEGER: i32 = 12;
export const FAULT_INDEX: i32 = 13; // detail: the index; second value: what was indexed
export const FAULT_SIZE: i32 = 14; // a count below zero or above 2^24
export const FAULT_SHAPE: i32 = 15; // detail: SHAPE_* of wasm/linalg/shapes.ts
export const FAULT_SHAPES_DIFFER: i32 = 16; // element-wise on tensors of different shapes
export const FAULT_ROWS_DIFFER: i32 = 17; // mat of rows of different lengths
export const FAULT_NOT_ALIST: i32 = 19; // assq and friends: an element that is not a pair
export const FAULT_NOT_BOOLEAN: i32 = 18;
export const FAULT_STEPS: i32 = 20; // one primitive alone would pass the step budget
export const STEPS_OF_PRIMITIVE: i32 = 1; // detail: not the run's budget, what one primitive may take
export const STEPS_OF_SOME: i32 = 2; // detail: some lanes alone would have taken fewer

// Why the shapes of a structured primitive do not fit.
export const SHAPE_OK: i32 = 0;
export const SHAPE_NEEDS_TENSOR: i32 = 1; // a scalar came where a vector or matrix must
export const SHAPE_NEEDS_VECTOR: i32 = 2; // every operand must be a vector
export const SHAPE_NEEDS_MATRIX: i32 = 3; // every operand must be a matrix
export const SHAPE_NEEDS_SQUARE: i32 = 4; // the (first) operand must have as many rows as columns
export const SHAPE_NEEDS_VECTOR3: i32 = 5; // both must be vectors of length 3
export const SHAPE_LENGTHS_DIFFER: i32 = 6; // both are vectors, of different lengths
export const SHAPE_INNER_DIFFER: i32 = 7; // columns of the first are not the rows of the second
export const SHAPE_NEEDS_MATRIX_VECTOR: i32 = 8; // first a matrix, then a vector
export const SHAPE_NEEDS_SCALAR_FIRST: i32 = 9; // first a scalar, then a vector or matrix
export const SHAPE_NEEDS_MATRIX_FIRST: i32 = 10; // first a matrix, then a vector or matrix
export const SHAPE_UNKNOWN_OP: i32 = 11; // no structured primitive: a fault of the caller

// A fit: what the optimiser inside the machine works on, one block that the caller writes before
// each call. i32 fields, byte offsets; "At" fields are byte offsets from the block's start.
export const FIT_SLOTS: i32 = 0; // restarts that advance together
export const FIT_POINTS: i32 = 4; // rows of the data; 1 where the value is the loss
export const FIT_PARAMS: i32 = 8;
export const FIT_INPUTS: i32 = 12; // the program's inputs that parameters are bound to
export const FIT_COLUMNS: i32 = 16;
export const FIT_LANES: i32 = 20; // slots · points, or slots where nothing varies by row
export const FIT_WIDTH: i32 = 24; // lanes of a chunk
export const FIT_RESULT: i32 = 28; // payload of the program's value
export const FIT_MIXED: i32 = 32;
export const FIT_OPTIMISER: i32 = 36; // FIT_ADAM, …
export const FIT_LOSS: i32 = 40; // FIT_OBJECTIVE, …
export const FIT_STEPS: i32 = 44; // most steps of a slot
export const FIT_RUNNING_LEAST: i32 = 48; // rounds end when fewer slots than that go on
export const FIT_ROUNDS: i32 = 52; // written: rounds that were taken
export const FIT_STATE_BYTES: i32 = 56; // of a slot
export const FIT_SUMS_BYTES: i32 = 60; // of a slot
export const FIT_BLOCK_ROWS: i32 = 64; // most rows of the Jacobian that are reflected at once
export const FIT_IDS_AT: i32 = 68; // i32 payload ids: inputs, then columns
export const FIT_PARTS_AT: i32 = 72; // PART_BYTES for every parameter
export const FIT_ROW_GROUPS_AT: i32 = 76; // i32 by row; 0: no parameter has a group
export const FIT_MAPS_AT: i32 = 80; // a map of MAP_BYTES for every parameter
export const FIT_TARGET_AT: i32 = 84; // f64 by row
export const FIT_ROOTS_AT: i32 = 88; // f64 by row: square roots of weights; 0: all are 1
export const FIT_TRIALS_AT: i32 = 92; // f64 by row; 0: all are 1
export const FIT_COLUMNS_AT: i32 = 96; // reals, column after column of `points`
export const FIT_STATES_AT: i32 = 100; // a state for every slot
export const FIT_SUMS_AT: i32 = 104; // by slot, what its evaluation came to: SUMS_* or partial sums
export const FIT_SLOPES_AT: i32 = 108; // f64 by row: the loss by the prediction
export const FIT_SPREAD_AT: i32 = 112; // reals by row: one lane's number for all rows
export const FIT_BLOCK_AT: i32 = 116; // rows of the Jacobian
export const FIT_WORK_AT: i32 = 120; // working space of a damped step
export const FIT_GIVEN_AT: i32 = 124; // reals by lane: values, then slopes by each input; 0: payloads
export const FIT_POINT_LOSSES_AT: i32 = 128; // reals by row: losses, then their slopes
export const FIT_IS_SPREAD: i32 = 132; // whether all rows of a slot have one lane
export const FIT_RATE: i32 = 136; // f64 from here on: Adam's settings
export const FIT_BETA1: i32 = 144;
export const FIT_BETA2: i32 = 152;
export const FIT_EPSILON: i32 = 160;
export const FIT_DIVISOR: i32 = 168; // gradients are divided by it
export const FIT_LOSS_WIDTH: i32 = 176; // of Huber's loss
export const FIT_GRADIENT_LIMIT: i32 = 184; // when the others have arrived
export const FIT_STEP_LIMIT: i32 = 192;
export const FIT_LOSS_LIMIT: i32 = 200;
export const FIT_SLOT_LANES: i32 = 208; // lanes of a slot, of all chunks: points, or 1
export const FIT_BYTES: i32 = 224;

// Where the numbers of a parameter lie: i32 fields.
export const PART_INPUT: i32 = 0; // the input that it is bound to
export const PART_GROUP: i32 = 4; // the group of rows that it is for, -1: all of them
export const PART_PRIMAL: i32 = 8; // address of the input's numbers; found by the machine, as the rest
export const PART_IS_UNIFORM: i32 = 12; // whether that is one number for all lanes
export const PART_SLOPES: i32 = 16; // address of the value's derivatives by lane of the chunk
export const PART_BYTES: i32 = 20;

// The loss of a row.
export const FIT_OBJECTIVE: i32 = 0; // the program's value
export const FIT_SQUARES: i32 = 1;
export const FIT_ABSOLUTE: i32 = 2;
export const FIT_HUBER: i32 = 3;
export const FIT_POISSON: i32 = 4;
export const FIT_BINOMIAL: i32 = 5;
export const FIT_PROGRAM: i32 = 6; // at FIT_POINT_LOSSES_AT

export const FIT_ADAM: i32 = 0;
export const FIT_LEVENBERG: i32 = 1;
export const FIT_LBFGS: i32 = 2;

// A slot's state: f64 numbers, then arrays of one number for every parameter.
export const STATE_LOSS: i32 = 0;
export const STATE_STEPS: i32 = 8;
export const STATE_EVALUATIONS: i32 = 16;
export const STATE_REASON: i32 = 24; // REASON_*
export const STATE_POWER1: i32 = 32; // Adam's
export const STATE_POWER2: i32 = 40;
export const STATE_RADIUS: i32 = 32; // Levenberg and Marquardt's
export const STATE_SHRINK: i32 = 40;
export const STATE_PREDICTED: i32 = 48;
export const STATE_VETOES: i32 = 56;
export const STATE_FIRST_PAIR: i32 = 32; // those of L-BFGS
export const STATE_PAIRS: i32 = 40;
export const STATE_LINE_SLOPE: i32 = 48;
export const STATE_DISTANCE: i32 = 56;
export const STATE_HAS_BEGUN: i32 = 64; // both
export const STATE_LOW: i32 = 72; // ends of the bracket: distance, value, slope
export const STATE_HIGH: i32 = 96;
export const STATE_TRIALS: i32 = 120;
export const STATE_PROMISE: i32 = 128; // what the line could still lower the loss by
export const STATE_NEARNESS: i32 = 136; // how far away that is, beside the parameters' size
export const STATE_ARRAYS: i32 = 144;
// The arrays by number: what all have, then the optimiser's own.
export const ARRAY_TRIAL: i32 = 0;
export const ARRAY_X: i32 = 1; // the trial in the user's units
export const ARRAY_SLOPES: i32 = 2; // of x by the trial
export const ARRAY_U: i32 = 3; // the best point so far
export const ARRAY_BEST: i32 = 4; // the same in the user's units
export const ARRAY_FIRST: i32 = 5; // Adam's averages
export const ARRAY_SECOND: i32 = 6;
export const ARRAY_AVERAGES_END: i32 = 7;
export const ARRAY_SCALE: i32 = 5; // Levenberg and Marquardt's
export const ARRAY_STEP: i32 = 6;
export const ARRAY_FACTOR: i32 = 7; // takes the rest (wasm/fit/factor.ts)
export const ARRAY_GRADIENT: i32 = 5; // those of L-BFGS
export const ARRAY_DIRECTION: i32 = 6;
export const ARRAY_PAIR_STEPS: i32 = 7; // PAIR_PLACES of them
export const ARRAY_PAIR_TURNS: i32 = 18;
export const ARRAY_PAIRS_END: i32 = 29; // PAIR_PLACES curvatures, and as many numbers to work with
export const PAIR_PLACES: i32 = 11;

// What an evaluation by least squares comes to: f64 numbers, then the factor of the Jacobian.
export const SUMS_LOSS: i32 = 0;
export const SUMS_PART: i32 = 8; // of the rows that are not reflected yet
export const SUMS_FACTOR: i32 = 16;

export const REASON_NONE: i32 = 0;
export const REASON_STEPS: i32 = 1;
export const REASON_NOT_FINITE: i32 = 2;
export const REASON_GRADIENT: i32 = 3;
export const REASON_LOSS: i32 = 4;
export const REASON_STEP: i32 = 5;
export const REASON_DAMPING: i32 = 6;
export const REASON_EMPTY: i32 = 7; // the slot has no restart

// How a parameter moves (fit/parameters/transforms.ts): f64 fields.
export const MAP_KIND: i32 = 0; // MAP_*
export const MAP_A: i32 = 8; // lower bound, upper bound, or middle
export const MAP_B: i32 = 16; // s, or half of the width
export const MAP_LOWER: i32 = 24; // limits of MAP_BETWEEN
export const MAP_UPPER: i32 = 32;
export const MAP_IS_LOG: i32 = 40;
export const MAP_LOG_LOWER: i32 = 48; // limits of a parameter whose logarithm moves
export const MAP_LOG_UPPER: i32 = 56;
export const MAP_BYTES: i32 = 64;

export const MAP_FREE: i32 = 0;
export const MAP_ABOVE: i32 = 1;
export const MAP_BELOW: i32 = 2;
export const MAP_BETWEEN: i32 = 3;

// How rounds of a fit ended.
export const ROUNDS_DONE: i32 = 0; // all that were asked for
export const ROUNDS_ENDED: i32 = 1; // too few slots go on
export const ROUNDS_REFUSED: i32 = 2; // a lane failed a guard: the next round must be walked

// What a run records.
export const RECORD_NOTHING: i32 = 0;
export const RECORD_ACTIVE_ONLY: i32 = 1; // what a differentiated input reaches
export const RECORD_VARYING: i32 = 2; // what any input reaches: what replay needs
export const RECORD_BRANCHES: i32 = 3; // that, and a note at every branch: for reports
