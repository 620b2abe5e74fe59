/**
 * Codes and sizes that both sides of the WebAssembly boundary know: tsc and asc compile it.
 * Generated from src/layouts by `npm run gen`; do not edit.
 */

// What a value is: the low word of its 8 bytes. The high word is its data.
export const TAG_INT: i32 = 1; // integer; data: the integer itself
export const TAG_REAL: i32 = 2; // real; data: payload id of a scalar
export const TAG_TENSOR: i32 = 3; // data: payload id of a vector or matrix
export const TAG_BOOL: i32 = 4; // boolean; data: 0 or 1
export const TAG_MASK: i32 = 5; // data: payload id of a boolean that differs between lanes
export const TAG_NIL: i32 = 6; // the empty list
export const TAG_SYMBOL: i32 = 7; // data: symbol id of the program
export const TAG_PAIR: i32 = 8; // data: heap index, in 8-byte words
export const TAG_CLOSURE: i32 = 9; // data: heap index
export const TAG_PRIMITIVE: i32 = 10; // data: op code
export const TAG_UNSPECIFIED: i32 = 11; // what a procedure returns that has nothing to say
export const TAG_UNINITIALISED: i32 = 12; // a variable whose definition has not run
export const TAG_BOX: i32 = 13; // data: heap index
export const TAG_FAIL: i32 = 255; // never stored: a primitive failed, see the fault

// Which evaluator reads an image.
export const CLIENT_SCHEME: i32 = 0; // cells of a tree
export const CLIENT_STACK: i32 = 1; // a stream of instructions
// cells of a tree that a single walk found to be one straight formula
export const CLIENT_STRAIGHT: i32 = 2;
export const CLIENT_TREE: i32 = 3; // cells of a tree that it found to be more

// What waits for a value. A client has kinds of its own from `FRAME_CLIENT` on.
export const FRAME_HALT: i32 = 0; // the program's value ends the walk
export const FRAME_RETURN: i32 = 1; // leave a procedure; `saved` is the caller's frame
export const FRAME_SIDE: i32 = 2; // the value of one side of a branch that lanes take both ways
export const FRAME_CLIENT: i32 = 3; // the first of a client's own

// Heap objects of a fixed size.
export const PAIR_FIELDS: i32 = 2; // fields of a pair: car, cdr

// What is known of a payload.
export const PAYLOAD_RANK: i32 = 3; // mask of the rank: 0 scalar, 1 vector, 2 matrix
export const PAYLOAD_UNIFORM: i32 = 4; // equal in every lane, stored once
export const PAYLOAD_ACTIVE: i32 = 8; // a differentiated input reaches it, so it has an adjoint
// a boolean per lane: all bits of the lane's place set, or none
export const PAYLOAD_MASK: i32 = 16;
export const PAYLOAD_VARYING: i32 = 32; // an input reaches it, so replay computes it again
export const PAYLOAD_REACHED: i32 = 64; // the result depends on it; set when a trace is linked
// its adjoint is read in another's place; set when a trace is linked
export const PAYLOAD_BORROWS: i32 = 128;
export const PAYLOAD_STILL: i32 = 256; // only data of a fit reach it, so its rounds compute it once
// its numbers were made elsewhere: it merges two sides, or is a copy
export const PAYLOAD_PASSED: i32 = 512;
// its numbers are those of an earlier payload, made of the same ones
export const PAYLOAD_REPEATS: i32 = 1024;

// Parts of a record's op word.
export const RECORD_CODE: i32 = 65535; // mask of the op code
export const RECORD_ACTIVE: i32 = 65536; // has a part in the backward pass

// Lanes of a chunk.
export const TILE_LANES: i32 = 128; // kernels of 2 × 2 matrices have constant offsets at so many

// What a run records.
export const RECORD_NOTHING: i32 = 0; // no tape
export const RECORD_ACTIVE_ONLY: i32 = 1; // what a differentiated input reaches
export const RECORD_VARYING: i32 = 2; // what any input reaches: what replay needs
export const RECORD_BRANCHES: i32 = 3; // that, and a note at every branch: for reports
// what constants make, too: where a number that is not finite comes from
export const RECORD_ALL: i32 = 4;

// Records that are not primitives: control and masks, with codes above every op.
export const TRACE_FIRST: i32 = 1000; // the first of them
export const TRACE_GUARD: i32 = 1000; // in0, a mask, is aux (0 or 1) in the lanes of mask
export const TRACE_GUARD_INTEGER: i32 = 1001; // in0 is the integer aux in the lanes of mask
export const TRACE_AND: i32 = 1002; // out = in0 and in1, masks
export const TRACE_AND_NOT: i32 = 1003; // out = in0 and not in1; in0 = in1: not in0
export const TRACE_MERGE: i32 = 1004; // out = in0 in the lanes of mask, in1 elsewhere
export const TRACE_EQUAL: i32 = 1005; // out = all elements of in0 and in1 are equal
// out = row in1 of in0, each lane its own row; aux: row length
export const TRACE_GATHER: i32 = 1006;
// in0 is an integer from 0 below aux, in the lanes of mask
export const TRACE_GUARD_RANGE: i32 = 1007;
// a note of the branch at node in1: in0 is its test by lane; −1: aux is the truth for all
export const TRACE_BRANCH: i32 = 1008;

// What the search for the origin of a number that is not finite says instead of a payload.
export const BLAME_UNKNOWN: i32 = -1; // the tape does not tell
export const BLAME_CONSTANT: i32 = -2; // it is a constant of the program, and no operation made it

// What linking a tape came to.
export const LINK_REFUSED: i32 = 0; // memory did not allow it; the walk's result stands
export const LINK_DONE: i32 = 1; // the trace can be kept
export const LINK_SPOILED: i32 = 2; // there is no room even for adjoints

// What a walk came to.
export const WALK_DONE: i32 = 0; // the program has a value
export const WALK_PAUSED: i32 = 1; // its slice of steps is used up
export const WALK_FAULT: i32 = 2; // the lanes of the context failed; `abandon` goes on without them

// Where the doubles of a single walk lie: numbers of inputs go in, what came of them comes out.
export const SINGLE_VALUE: i32 = 0; // the program's value
export const SINGLE_STEPS: i32 = 1; // steps of the walk
export const SINGLE_REACHED: i32 = 2; // bits of the inputs that the value depends on
export const SINGLE_REPORT: i32 = 3; // address of the report, where the tape was linked
export const SINGLE_INPUTS: i32 = 4; // the inputs, in the program's order
export const SINGLE_GRADIENTS: i32 = 36; // gradients by those that are asked for
export const SINGLE_COUNT: i32 = 68; // how many doubles there are
export const SINGLE_INPUTS_MAX: i32 = 32; // a program with more inputs walks the general way

// What a single walk came to.
export const SINGLE_SHORT: i32 = 0; // memory is short: nothing was walked
export const SINGLE_OPEN: i32 = 1; // the walk must go on, as `walkState` says
// the walk is over, but its value is not a plain number to pass back from
export const SINGLE_WALKED: i32 = 2;
export const SINGLE_DONE: i32 = 3; // value and gradients are there

// What went wrong inside the machine. `machine/reports/faults.ts` puts it into words.
export const FAULT_NONE: i32 = 0; // nothing
export const FAULT_MEMORY: i32 = 1; // memory ran out
export const FAULT_TAPE: i32 = 2; // the tape passed its budget
export const FAULT_RECURSION: i32 = 3; // calls are nested too deeply
export const FAULT_UNINITIALISED: i32 = 4; // a variable was used before its definition ran
export const FAULT_NOT_PROCEDURE: i32 = 5; // the value that was called is not a procedure
export const FAULT_ARITY: i32 = 6; // a procedure got too few or too many arguments
export const FAULT_NOT_PAIR: i32 = 7; // a pair was expected
export const FAULT_NOT_LIST: i32 = 8; // a list was expected
export const FAULT_NOT_NUMBER: i32 = 9; // a number was expected
export const FAULT_NOT_SCALAR: i32 = 10; // a scalar was expected
export const FAULT_NOT_TENSOR: i32 = 11; // a tensor was expected
export const FAULT_NOT_INTEGER: i32 = 12; // an integer was expected
export const FAULT_INDEX: i32 = 13; // detail: the index; second value: what was indexed
export const FAULT_SIZE: i32 = 14; // a count below zero or above 2^24
export const FAULT_SHAPE: i32 = 15; // detail: SHAPE_* of wasm/linalg/shapes.ts
export const FAULT_SHAPES_DIFFER: i32 = 16; // element-wise on tensors of different shapes
export const FAULT_ROWS_DIFFER: i32 = 17; // mat of rows of different lengths
export const FAULT_NOT_BOOLEAN: i32 = 18; // a boolean was expected
export const FAULT_NOT_ALIST: i32 = 19; // assq and friends: an element that is not a pair
export const FAULT_STEPS: i32 = 20; // one primitive alone would pass the step budget

// The detail of `FAULT_STEPS`.
export const STEPS_OF_PRIMITIVE: i32 = 1; // not the run's budget, what one primitive may take
export const STEPS_OF_SOME: i32 = 2; // some lanes alone would have taken fewer
export const STEPS_OF_WIDTH: i32 = 3; // too many lanes for the time between two looks at the clock

// Why the shapes of a structured primitive do not fit.
export const SHAPE_OK: i32 = 0; // they fit
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

// Sizes of structures.
export const HEADER_BYTES: i32 = 16; // BlockHeader
export const IMAGE_HEADER: i32 = 11; // ImageHeader
export const CONTROL_FRAME_BYTES: i32 = 16; // ControlFrame
export const OBJECT_HEADER_BYTES: i32 = 8; // HeapObject
export const PAYLOAD_BYTES: i32 = 32; // PayloadEntry
export const RECORD_BYTES: i32 = 24; // TapeRecord
export const BLOCK_BYTES: i32 = 128; // OperandBlock
export const ARENAS_BYTES: i32 = 68; // TraceArenas
export const TRACE_BYTES: i32 = 84; // KeptTrace
export const PLACE_BYTES: i32 = 8; // FreePlace
export const SMALL_BYTES: i32 = 8; // SmallInteger
export const VALUE_PAIR_BYTES: i32 = 16; // ValuePair
export const DIVERGENCE_BYTES: i32 = 136; // Divergence
export const REPORT_BYTES: i32 = 160; // WalkReport
