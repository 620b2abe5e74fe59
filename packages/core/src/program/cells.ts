/**
 * The cells of a Scheme program, as the encoder writes them and the walk reads them. Compiled by tsc
 * and by asc, so it holds nothing but integer constants.
 */

// Cells. Word 0: kind, and flags from bit 8 on; word 1: node number; then the operands below.
// Kinds up to CELL_SIMPLE_LAST yield their value without any further evaluation. Cells with
// operands share one form: a word of their own, the count, the operands, further words.
export const CELL_CONST: i32 = 0; // tag, data
export const CELL_LOCAL: i32 = 1; // slot
export const CELL_CAPTURED: i32 = 2; // index
export const CELL_GLOBAL: i32 = 3; // index
export const CELL_SELF: i32 = 4; // the running closure
export const CELL_LOCAL_BOX: i32 = 5; // slot
export const CELL_CAPTURED_BOX: i32 = 6; // index
export const CELL_SIMPLE_LAST: i32 = 6;
export const CELL_IF: i32 = 7; // test, then, else
export const CELL_PRIMITIVE: i32 = 8; // op, count, operands…
export const CELL_CALL: i32 = 9; // 0, count + 1, operator, operands…
export const CELL_LAMBDA: i32 = 10; // params, rest, body, stack, control, captured count, captured…
export const CELL_LET: i32 = 11; // body, count, inits…, depth
export const CELL_LETREC: i32 = 12; // body, count, inits…, depth, boxed…
export const CELL_SEQ: i32 = 13; // 0, count, body…
export const CELL_LOOP: i32 = 14; // body, count, inits…, depth
export const CELL_RECUR: i32 = 15; // body, count, operands…, depth of the loop
export const CELL_DEFINE: i32 = 16; // global index, init
export const CELL_COPY: i32 = 17; // child; an active number leaving a branch gets an identity record

export const FLAG_TAIL: i32 = 1 << 8; // nothing of the current frame is needed afterwards
export const FLAG_APPLY: i32 = 1 << 9; // a call whose last operand is a list of further operands

// Where a lambda takes a captured value from: low two bits, index above them.
export const CAPTURE_LOCAL: i32 = 0;
export const CAPTURE_CAPTURED: i32 = 1;
export const CAPTURE_SELF: i32 = 2;
