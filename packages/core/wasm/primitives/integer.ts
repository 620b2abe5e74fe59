/**
 * Integer arithmetic on immediates. Integers are a representation, never a type: every result here
 * equals what the real kernel gives for the same numbers. A result that is −0, fractional or out of
 * range becomes real; NOT_INTEGER says that the kernel must do it.
 */

import {
  OP_ABS,
  OP_ADD,
  OP_CEILING,
  OP_COPY,
  OP_DIV,
  OP_EXACT,
  OP_FLOOR,
  OP_GCD,
  OP_GREATER,
  OP_GREATER_EQUAL,
  OP_INEXACT,
  OP_LCM,
  OP_LESS,
  OP_LESS_EQUAL,
  OP_MAX,
  OP_MIN,
  OP_MODULO,
  OP_MUL,
  OP_NEG,
  OP_NUM_EQUAL,
  OP_POW,
  OP_QUOTIENT,
  OP_REMAINDER,
  OP_ROUND,
  OP_SQUARE,
  OP_SUB,
  OP_TRUNCATE,
} from "../generated/ops";
import { INTEGER_MAX, integerValue } from "../memory/value";

/** No value: the operation must be done on payloads. */
// @ts-ignore: decorator
@inline export const NOT_INTEGER: u64 = 0;

// @ts-ignore: decorator
@inline function inRange(n: i64): u64 {
  return n <= INTEGER_MAX && n >= -INTEGER_MAX ? integerValue(<i32>n) : NOT_INTEGER;
}

function power(base: i64, exponent: i64): u64 {
  if (exponent < 0 || exponent > 64) return NOT_INTEGER;
  let result: i64 = 1;
  for (let i: i64 = 0; i < exponent; i++) {
    result *= base;
    if (result > INTEGER_MAX || result < -INTEGER_MAX) return NOT_INTEGER;
  }
  return integerValue(<i32>result);
}

function gcd(x: i64, y: i64): i64 {
  x = x < 0 ? -x : x;
  y = y < 0 ? -y : y;
  while (y != 0) {
    const rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}

export function integerUnary(op: i32, a: i32): u64 {
  switch (op) {
    case OP_NEG:
      return a == 0 ? NOT_INTEGER : inRange(-(<i64>a));
    case OP_ABS:
      return inRange(a < 0 ? -(<i64>a) : <i64>a);
    case OP_SQUARE:
      return inRange(<i64>a * <i64>a);
    case OP_FLOOR:
    case OP_CEILING:
    case OP_ROUND:
    case OP_TRUNCATE:
    case OP_EXACT:
    case OP_INEXACT:
    case OP_COPY:
      return integerValue(a);
    default:
      return NOT_INTEGER;
  }
}

export function integerBinary(op: i32, a: i32, b: i32): u64 {
  const x = <i64>a;
  const y = <i64>b;
  switch (op) {
    case OP_ADD:
      return inRange(x + y);
    case OP_SUB:
      return inRange(x - y);
    case OP_MUL: {
      const z = x * y;
      return z == 0 && (x < 0 || y < 0) ? NOT_INTEGER : inRange(z);
    }
    case OP_DIV:
    case OP_QUOTIENT: {
      if (y == 0 || (op == OP_DIV && x % y != 0)) return NOT_INTEGER;
      const z = x / y;
      return z == 0 && (x < 0 || y < 0) ? NOT_INTEGER : inRange(z);
    }
    case OP_REMAINDER:
      return y == 0 ? NOT_INTEGER : inRange(x % y);
    case OP_MODULO: {
      if (y == 0) return NOT_INTEGER;
      const rest = x % y;
      return inRange(rest != 0 && rest < 0 != y < 0 ? rest + y : rest);
    }
    case OP_MIN:
      return integerValue(min(a, b));
    case OP_MAX:
      return integerValue(max(a, b));
    case OP_POW:
      return power(x, y);
    case OP_GCD:
      return inRange(gcd(x, y));
    case OP_LCM: {
      if (x == 0 || y == 0) return integerValue(0);
      const z = (x / gcd(x, y)) * y;
      return inRange(z < 0 ? -z : z);
    }
    default:
      return NOT_INTEGER;
  }
}

export function integerCompare(op: i32, a: i32, b: i32): bool {
  switch (op) {
    case OP_NUM_EQUAL:
      return a == b;
    case OP_LESS:
      return a < b;
    case OP_GREATER:
      return a > b;
    case OP_LESS_EQUAL:
      return a <= b;
    case OP_GREATER_EQUAL:
      return a >= b;
    default:
      return false;
  }
}
