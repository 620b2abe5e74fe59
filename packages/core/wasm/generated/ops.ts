/**
 * Op codes, their ranges by kind, and arities.
 * Generated from src/primitives by `npm run gen`; do not edit.
 */

export const OP_COUNT: i32 = 113;

// Ranges, both ends included.
export const OP_UNARY_FIRST: i32 = 0;
export const OP_UNARY_LAST: i32 = 29;
export const OP_BINARY_FIRST: i32 = 30;
export const OP_BINARY_LAST: i32 = 42;
export const OP_UNARY_PREDICATE_FIRST: i32 = 43;
export const OP_UNARY_PREDICATE_LAST: i32 = 51;
export const OP_BINARY_PREDICATE_FIRST: i32 = 52;
export const OP_BINARY_PREDICATE_LAST: i32 = 56;
export const OP_STRUCTURED_UNARY_FIRST: i32 = 57;
export const OP_STRUCTURED_UNARY_LAST: i32 = 65;
export const OP_STRUCTURED_BINARY_FIRST: i32 = 66;
export const OP_STRUCTURED_BINARY_LAST: i32 = 72;
export const OP_PAYLOAD_FIRST: i32 = 73;
export const OP_PAYLOAD_LAST: i32 = 74;
export const OP_STRUCTURAL_FIRST: i32 = 75;
export const OP_STRUCTURAL_LAST: i32 = 112;
export const OP_ELEMENTWISE_FIRST: i32 = 0;
export const OP_ELEMENTWISE_LAST: i32 = 42;
export const OP_PREDICATE_FIRST: i32 = 43;
export const OP_PREDICATE_LAST: i32 = 56;
export const OP_STRUCTURED_FIRST: i32 = 57;
export const OP_STRUCTURED_LAST: i32 = 72;

export const OP_NEG: i32 = 0; // internal
export const OP_ABS: i32 = 1; // abs
export const OP_FLOOR: i32 = 2; // floor
export const OP_CEILING: i32 = 3; // ceiling
export const OP_ROUND: i32 = 4; // round
export const OP_TRUNCATE: i32 = 5; // truncate
export const OP_SQUARE: i32 = 6; // square
export const OP_SQRT: i32 = 7; // sqrt
export const OP_EXP: i32 = 8; // exp
export const OP_LOG: i32 = 9; // log
export const OP_SIN: i32 = 10; // sin
export const OP_COS: i32 = 11; // cos
export const OP_TAN: i32 = 12; // tan
export const OP_ASIN: i32 = 13; // asin
export const OP_ACOS: i32 = 14; // acos
export const OP_ATAN: i32 = 15; // atan
export const OP_SINH: i32 = 16; // sinh
export const OP_COSH: i32 = 17; // cosh
export const OP_TANH: i32 = 18; // tanh
export const OP_LOG1P: i32 = 19; // log1p
export const OP_EXPM1: i32 = 20; // expm1
export const OP_SIGMOID: i32 = 21; // sigmoid
export const OP_SOFTPLUS: i32 = 22; // softplus
export const OP_ERF: i32 = 23; // erf
export const OP_LGAMMA: i32 = 24; // lgamma
export const OP_EXACT: i32 = 25; // exact
export const OP_INEXACT: i32 = 26; // inexact
export const OP_COPY: i32 = 27; // internal
export const OP_SQRT_CLAMP: i32 = 28; // internal
export const OP_LOG_CLAMP: i32 = 29; // internal
export const OP_ADD: i32 = 30; // +
export const OP_SUB: i32 = 31; // -
export const OP_MUL: i32 = 32; // *
export const OP_DIV: i32 = 33; // /
export const OP_MIN: i32 = 34; // min
export const OP_MAX: i32 = 35; // max
export const OP_POW: i32 = 36; // pow, expt
export const OP_ATAN2: i32 = 37; // internal
export const OP_QUOTIENT: i32 = 38; // quotient
export const OP_REMAINDER: i32 = 39; // remainder
export const OP_MODULO: i32 = 40; // modulo
export const OP_GCD: i32 = 41; // gcd
export const OP_LCM: i32 = 42; // lcm
export const OP_IS_ZERO: i32 = 43; // zero?
export const OP_IS_POSITIVE: i32 = 44; // positive?
export const OP_IS_NEGATIVE: i32 = 45; // negative?
export const OP_IS_FINITE: i32 = 46; // finite?
export const OP_IS_INFINITE: i32 = 47; // infinite?
export const OP_IS_NAN: i32 = 48; // nan?
export const OP_IS_INTEGER: i32 = 49; // integer?
export const OP_IS_EVEN: i32 = 50; // even?
export const OP_IS_ODD: i32 = 51; // odd?
export const OP_NUM_EQUAL: i32 = 52; // =
export const OP_LESS: i32 = 53; // <
export const OP_GREATER: i32 = 54; // >
export const OP_LESS_EQUAL: i32 = 55; // <=
export const OP_GREATER_EQUAL: i32 = 56; // >=
export const OP_VSUM: i32 = 57; // vsum
export const OP_NORM: i32 = 58; // norm
export const OP_NORMALIZE: i32 = 59; // normalize
export const OP_TRANSPOSE: i32 = 60; // transpose
export const OP_TRACE: i32 = 61; // trace
export const OP_DET: i32 = 62; // det
export const OP_LOGDET: i32 = 63; // logdet
export const OP_INV: i32 = 64; // inv
export const OP_CHOLESKY: i32 = 65; // cholesky
export const OP_DOT: i32 = 66; // dot
export const OP_CROSS: i32 = 67; // cross
export const OP_SCALE: i32 = 68; // scale
export const OP_MATVEC: i32 = 69; // matvec
export const OP_MATMUL: i32 = 70; // matmul
export const OP_SOLVE: i32 = 71; // solve
export const OP_OUTER: i32 = 72; // outer
export const OP_PLACE: i32 = 73; // internal
export const OP_PICK: i32 = 74; // internal
export const OP_VEC: i32 = 75; // vec
export const OP_MAT: i32 = 76; // mat
export const OP_REF: i32 = 77; // ref
export const OP_VLEN: i32 = 78; // vlen
export const OP_ROWS: i32 = 79; // rows
export const OP_COLS: i32 = 80; // cols
export const OP_EYE: i32 = 81; // eye
export const OP_ZEROS: i32 = 82; // zeros
export const OP_ONES: i32 = 83; // ones
export const OP_CONS: i32 = 84; // cons
export const OP_CAR: i32 = 85; // car
export const OP_CDR: i32 = 86; // cdr
export const OP_LIST: i32 = 87; // list
export const OP_IS_LIST: i32 = 88; // list?
export const OP_LENGTH: i32 = 89; // length
export const OP_APPEND: i32 = 90; // append
export const OP_REVERSE: i32 = 91; // reverse
export const OP_LIST_REF: i32 = 92; // list-ref
export const OP_LIST_TAIL: i32 = 93; // list-tail
export const OP_LIST_COPY: i32 = 94; // list-copy
export const OP_MEMQ: i32 = 95; // memq
export const OP_MEMV: i32 = 96; // memv
export const OP_MEMBER: i32 = 97; // member
export const OP_ASSQ: i32 = 98; // assq
export const OP_ASSV: i32 = 99; // assv
export const OP_ASSOC: i32 = 100; // assoc
export const OP_APPLY: i32 = 101; // apply
export const OP_IS_NULL: i32 = 102; // null?
export const OP_IS_PAIR: i32 = 103; // pair?
export const OP_IS_SYMBOL: i32 = 104; // symbol?
export const OP_IS_BOOLEAN: i32 = 105; // boolean?
export const OP_IS_PROCEDURE: i32 = 106; // procedure?
export const OP_IS_NUMBER: i32 = 107; // number?
export const OP_IS_REAL: i32 = 108; // real?
export const OP_NOT: i32 = 109; // not
export const OP_IS_EQ: i32 = 110; // eq?
export const OP_IS_EQV: i32 = 111; // eqv?
export const OP_IS_EQUAL: i32 = 112; // equal?

/** The fewest arguments an op takes. */
export function opArityMin(op: i32): i32 {
  switch (op) {
    case OP_POW:
    case OP_ATAN2:
    case OP_QUOTIENT:
    case OP_REMAINDER:
    case OP_MODULO:
    case OP_DOT:
    case OP_CROSS:
    case OP_SCALE:
    case OP_MATVEC:
    case OP_MATMUL:
    case OP_SOLVE:
    case OP_OUTER:
    case OP_REF:
    case OP_CONS:
    case OP_LIST_REF:
    case OP_LIST_TAIL:
    case OP_MEMQ:
    case OP_MEMV:
    case OP_MEMBER:
    case OP_ASSQ:
    case OP_ASSV:
    case OP_ASSOC:
    case OP_APPLY:
    case OP_IS_EQ:
    case OP_IS_EQV:
    case OP_IS_EQUAL:
      return 2;
    case OP_ADD:
    case OP_MUL:
    case OP_GCD:
    case OP_LCM:
    case OP_VEC:
    case OP_LIST:
    case OP_APPEND:
      return 0;
    default:
      return 1;
  }
}

/** The most arguments an op takes; -1: any number. */
export function opArityMax(op: i32): i32 {
  switch (op) {
    case OP_LOG:
    case OP_ATAN:
    case OP_POW:
    case OP_ATAN2:
    case OP_QUOTIENT:
    case OP_REMAINDER:
    case OP_MODULO:
    case OP_DOT:
    case OP_CROSS:
    case OP_SCALE:
    case OP_MATVEC:
    case OP_MATMUL:
    case OP_SOLVE:
    case OP_OUTER:
    case OP_ZEROS:
    case OP_ONES:
    case OP_CONS:
    case OP_LIST_REF:
    case OP_LIST_TAIL:
    case OP_MEMQ:
    case OP_MEMV:
    case OP_MEMBER:
    case OP_ASSQ:
    case OP_ASSV:
    case OP_ASSOC:
    case OP_IS_EQ:
    case OP_IS_EQV:
    case OP_IS_EQUAL:
      return 2;
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_DIV:
    case OP_MIN:
    case OP_MAX:
    case OP_GCD:
    case OP_LCM:
    case OP_NUM_EQUAL:
    case OP_LESS:
    case OP_GREATER:
    case OP_LESS_EQUAL:
    case OP_GREATER_EQUAL:
    case OP_VEC:
    case OP_MAT:
    case OP_LIST:
    case OP_APPEND:
    case OP_APPLY:
      return -1;
    case OP_REF:
      return 3;
    default:
      return 1;
  }
}

/** 1: the op passes gradients, 0: it records nothing. */
export function opDifferentiable(op: i32): i32 {
  switch (op) {
    case OP_FLOOR:
    case OP_CEILING:
    case OP_ROUND:
    case OP_TRUNCATE:
    case OP_QUOTIENT:
    case OP_GCD:
    case OP_LCM:
      return 0;
    default:
      return 1;
  }
}
