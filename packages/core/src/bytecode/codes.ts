/**
 * The instructions of a stack program in memory, as the encoder writes them and the evaluator reads
 * them. Compiled by tsc and by asc, so it holds nothing but integer constants.
 *
 * An instruction is a few words: the code, the number of the instruction in the text, its operands.
 * Places are word indices in the image. One instruction of the text can be several of these.
 */

export const CODE_PUSH: i32 = 0; // tag, data
export const CODE_LOCAL: i32 = 1; // slot
export const CODE_STORE: i32 = 2; // slot
export const CODE_CAPTURED: i32 = 3; // index
export const CODE_INPUT: i32 = 4; // index
export const CODE_SELF: i32 = 5; // the running closure
export const CODE_PICK: i32 = 6; // how many values lie above it
export const CODE_DROP: i32 = 7;
export const CODE_SWAP: i32 = 8;
export const CODE_PRIMITIVE: i32 = 9; // op, count
export const CODE_JUMP: i32 = 10; // place
export const CODE_BRANCH: i32 = 11; // place if true, place if false, where both meet (0: nowhere)
export const CODE_LOOP: i32 = 12; // slot, place of the next turn, place of the end, where both meet
export const CODE_COUNT: i32 = 13; // slot: one turn less
export const CODE_ARRIVE: i32 = 14; // place, height there, how many slots die, those slots…
export const CODE_COPY: i32 = 15; // slot: an active number there gets an identity record
export const CODE_CLOSURE: i32 = 16; // place of the procedure, how many values it captures
export const CODE_CALL: i32 = 17; // count of arguments, above the callee
export const CODE_CALL_NAMED: i32 = 18; // closure (heap index), count
export const CODE_TAIL_CALL: i32 = 19; // count
export const CODE_TAIL_NAMED: i32 = 20; // closure, count
export const CODE_APPLY: i32 = 21; // count: the last argument is a list of further ones
export const CODE_RETURN: i32 = 22;
export const CODE_PROCEDURE: i32 = 23; // params, captured count, entry, slots needed, locals

// Words of each instruction that is followed by the next one.
export const WORDS_PUSH: i32 = 4;
export const WORDS_PLAIN: i32 = 2;
export const WORDS_ONE: i32 = 3;
export const WORDS_TWO: i32 = 4;
