/**
 * Element-wise kernels by op code.
 * Generated from src/primitives by `npm run gen`; do not edit.
 */
import {
  addAdjoint,
  addForward,
  divAdjoint,
  divForward,
  mulAdjoint,
  mulForward,
  subAdjoint,
  subForward,
} from "./binary";
import {
  acosAdjoint,
  acosForward,
  asinAdjoint,
  asinForward,
  atan2Adjoint,
  atan2Forward,
  atanAdjoint,
  atanForward,
  ceilingForward,
  coshAdjoint,
  coshForward,
  erfAdjoint,
  erfForward,
  exactAdjoint,
  exactForward,
  expm1Adjoint,
  expm1Forward,
  floorForward,
  gcdForward,
  inexactAdjoint,
  inexactForward,
  lcmForward,
  lgammaAdjoint,
  lgammaForward,
  log1pAdjoint,
  log1pForward,
  logClampAdjoint,
  logClampForward,
  maxAdjoint,
  maxForward,
  minAdjoint,
  minForward,
  moduloAdjoint,
  moduloForward,
  powAdjoint,
  powForward,
  quotientForward,
  remainderAdjoint,
  remainderForward,
  roundForward,
  sigmoidAdjoint,
  sigmoidForward,
  sinhAdjoint,
  sinhForward,
  softplusAdjoint,
  softplusForward,
  sqrtClampAdjoint,
  sqrtClampForward,
  tanAdjoint,
  tanForward,
  tanhAdjoint,
  tanhForward,
  truncateForward,
} from "./others";
import {
  greaterEqualForward,
  greaterForward,
  isEvenForward,
  isFiniteForward,
  isInfiniteForward,
  isIntegerForward,
  isNanForward,
  isNegativeForward,
  isOddForward,
  isPositiveForward,
  isZeroForward,
  lessEqualForward,
  lessForward,
  numEqualForward,
} from "./predicates";
import {
  absAdjoint,
  absForward,
  copyAdjoint,
  copyForward,
  cosAdjoint,
  cosForward,
  expAdjoint,
  expForward,
  logAdjoint,
  logForward,
  negAdjoint,
  negForward,
  sinAdjoint,
  sinForward,
  sqrtAdjoint,
  sqrtForward,
  squareAdjoint,
  squareForward,
} from "./unary";
import {
  OP_FLOOR,
  OP_CEILING,
  OP_ROUND,
  OP_TRUNCATE,
  OP_TAN,
  OP_ASIN,
  OP_ACOS,
  OP_ATAN,
  OP_SINH,
  OP_COSH,
  OP_TANH,
  OP_LOG1P,
  OP_EXPM1,
  OP_SIGMOID,
  OP_SOFTPLUS,
  OP_ERF,
  OP_LGAMMA,
  OP_EXACT,
  OP_INEXACT,
  OP_SQRT_CLAMP,
  OP_LOG_CLAMP,
  OP_MIN,
  OP_MAX,
  OP_POW,
  OP_ATAN2,
  OP_QUOTIENT,
  OP_REMAINDER,
  OP_MODULO,
  OP_GCD,
  OP_LCM,
  OP_NEG,
  OP_ABS,
  OP_SQUARE,
  OP_SQRT,
  OP_EXP,
  OP_LOG,
  OP_SIN,
  OP_COS,
  OP_COPY,
  OP_ADD,
  OP_SUB,
  OP_MUL,
  OP_DIV,
  OP_IS_ZERO,
  OP_IS_POSITIVE,
  OP_IS_NEGATIVE,
  OP_IS_FINITE,
  OP_IS_INFINITE,
  OP_IS_NAN,
  OP_IS_INTEGER,
  OP_IS_EVEN,
  OP_IS_ODD,
  OP_NUM_EQUAL,
  OP_LESS,
  OP_GREATER,
  OP_LESS_EQUAL,
  OP_GREATER_EQUAL,
} from "./ops";

/** Ops that few programs have. */
export function forwardOther(op: i32, at: usize): void {
  switch (op) {
    case OP_FLOOR: floorForward(at); return;
    case OP_CEILING: ceilingForward(at); return;
    case OP_ROUND: roundForward(at); return;
    case OP_TRUNCATE: truncateForward(at); return;
    case OP_TAN: tanForward(at); return;
    case OP_ASIN: asinForward(at); return;
    case OP_ACOS: acosForward(at); return;
    case OP_ATAN: atanForward(at); return;
    case OP_SINH: sinhForward(at); return;
    case OP_COSH: coshForward(at); return;
    case OP_TANH: tanhForward(at); return;
    case OP_LOG1P: log1pForward(at); return;
    case OP_EXPM1: expm1Forward(at); return;
    case OP_SIGMOID: sigmoidForward(at); return;
    case OP_SOFTPLUS: softplusForward(at); return;
    case OP_ERF: erfForward(at); return;
    case OP_LGAMMA: lgammaForward(at); return;
    case OP_EXACT: exactForward(at); return;
    case OP_INEXACT: inexactForward(at); return;
    case OP_SQRT_CLAMP: sqrtClampForward(at); return;
    case OP_LOG_CLAMP: logClampForward(at); return;
    case OP_MIN: minForward(at); return;
    case OP_MAX: maxForward(at); return;
    case OP_POW: powForward(at); return;
    case OP_ATAN2: atan2Forward(at); return;
    case OP_QUOTIENT: quotientForward(at); return;
    case OP_REMAINDER: remainderForward(at); return;
    case OP_MODULO: moduloForward(at); return;
    case OP_GCD: gcdForward(at); return;
    case OP_LCM: lcmForward(at); return;
  }
}

/** Unary and binary ops. */
export function forwardElementwise(op: i32, at: usize): void {
  switch (op) {
    case OP_NEG: negForward(at); return;
    case OP_ABS: absForward(at); return;
    case OP_SQUARE: squareForward(at); return;
    case OP_SQRT: sqrtForward(at); return;
    case OP_EXP: expForward(at); return;
    case OP_LOG: logForward(at); return;
    case OP_SIN: sinForward(at); return;
    case OP_COS: cosForward(at); return;
    case OP_COPY: copyForward(at); return;
    case OP_ADD: addForward(at); return;
    case OP_SUB: subForward(at); return;
    case OP_MUL: mulForward(at); return;
    case OP_DIV: divForward(at); return;
    default: forwardOther(op, at);
  }
}

/** Ops that are constant almost everywhere have no adjoint and no case here. */
export function adjointElementwise(op: i32, at: usize): void {
  switch (op) {
    case OP_NEG: negAdjoint(at); return;
    case OP_ABS: absAdjoint(at); return;
    case OP_SQUARE: squareAdjoint(at); return;
    case OP_SQRT: sqrtAdjoint(at); return;
    case OP_EXP: expAdjoint(at); return;
    case OP_LOG: logAdjoint(at); return;
    case OP_SIN: sinAdjoint(at); return;
    case OP_COS: cosAdjoint(at); return;
    case OP_TAN: tanAdjoint(at); return;
    case OP_ASIN: asinAdjoint(at); return;
    case OP_ACOS: acosAdjoint(at); return;
    case OP_ATAN: atanAdjoint(at); return;
    case OP_SINH: sinhAdjoint(at); return;
    case OP_COSH: coshAdjoint(at); return;
    case OP_TANH: tanhAdjoint(at); return;
    case OP_LOG1P: log1pAdjoint(at); return;
    case OP_EXPM1: expm1Adjoint(at); return;
    case OP_SIGMOID: sigmoidAdjoint(at); return;
    case OP_SOFTPLUS: softplusAdjoint(at); return;
    case OP_ERF: erfAdjoint(at); return;
    case OP_LGAMMA: lgammaAdjoint(at); return;
    case OP_EXACT: exactAdjoint(at); return;
    case OP_INEXACT: inexactAdjoint(at); return;
    case OP_COPY: copyAdjoint(at); return;
    case OP_SQRT_CLAMP: sqrtClampAdjoint(at); return;
    case OP_LOG_CLAMP: logClampAdjoint(at); return;
    case OP_ADD: addAdjoint(at); return;
    case OP_SUB: subAdjoint(at); return;
    case OP_MUL: mulAdjoint(at); return;
    case OP_DIV: divAdjoint(at); return;
    case OP_MIN: minAdjoint(at); return;
    case OP_MAX: maxAdjoint(at); return;
    case OP_POW: powAdjoint(at); return;
    case OP_ATAN2: atan2Adjoint(at); return;
    case OP_REMAINDER: remainderAdjoint(at); return;
    case OP_MODULO: moduloAdjoint(at); return;
  }
}

/** Which adjoints the kernel of an element-wise op writes: bit 0 for x, bit 1 for y. */
export function adjointsWritten(op: i32): i32 {
  switch (op) {
    case OP_FLOOR: return 0;
    case OP_CEILING: return 0;
    case OP_ROUND: return 0;
    case OP_TRUNCATE: return 0;
    case OP_QUOTIENT: return 0;
    case OP_GCD: return 0;
    case OP_LCM: return 0;
    default: return 3;
  }
}

/** Whether the forward kernel of an op leaves slopes where its block has a place for them. */
export function leavesSlope(op: i32): bool {
  return op == OP_SIN || op == OP_COS;
}

/** Tests: z receives a mask per lane. */
export function forwardPredicate(op: i32, at: usize): void {
  switch (op) {
    case OP_IS_ZERO: isZeroForward(at); return;
    case OP_IS_POSITIVE: isPositiveForward(at); return;
    case OP_IS_NEGATIVE: isNegativeForward(at); return;
    case OP_IS_FINITE: isFiniteForward(at); return;
    case OP_IS_INFINITE: isInfiniteForward(at); return;
    case OP_IS_NAN: isNanForward(at); return;
    case OP_IS_INTEGER: isIntegerForward(at); return;
    case OP_IS_EVEN: isEvenForward(at); return;
    case OP_IS_ODD: isOddForward(at); return;
    case OP_NUM_EQUAL: numEqualForward(at); return;
    case OP_LESS: lessForward(at); return;
    case OP_GREATER: greaterForward(at); return;
    case OP_LESS_EQUAL: lessEqualForward(at); return;
    case OP_GREATER_EQUAL: greaterEqualForward(at); return;
  }
}
