/**
 * eq?, eqv? and equal?. Numbers compare numerically whatever their representation, vectors and
 * matrices by their elements, so an answer can differ between lanes; it is then a lane-varying
 * boolean.
 */

import {
  FAULT_MEMORY,
  FAULT_STEPS,
  STEPS_OF_SOME,
  TAG_MASK,
  TAG_PAIR,
  TAG_TENSOR,
  VALUE_PAIR_BYTES,
} from "../../src/program/layout";
import { OP_NUM_EQUAL } from "../generated/ops";
import { spend } from "../lanes/budget";
import { conjunction, decide } from "../lanes/lanes";
import { reserveWork, workBase } from "../memory/arena";
import { fail, faultCode, setFaultDetail } from "../memory/fault";
import { head, tail } from "../memory/heap";
import { pairAt } from "../memory/layout";
import {
  booleanValue,
  dataOf,
  isNumber,
  tagOf,
  VALUE_FAIL,
  VALUE_FALSE,
  VALUE_TRUE,
} from "../memory/value";
import { compare, tensorsEqual } from "./numeric";

/** Equality where a boolean differs between lanes: the lanes that say otherwise leave the walk. */
function truthsEqual(a: u64, b: u64): u64 {
  const x = decide(a);
  const y = decide(b);
  if (x == VALUE_FAIL || y == VALUE_FAIL) return VALUE_FAIL;
  return booleanValue(x == y);
}

/**
 * eq? and eqv?, and the leaves of equal?: numbers, vectors and matrices are equal by value, pairs
 * and procedures as objects. No answer may depend on which payload holds a number: that changes
 * with the batch, the gradients asked for and the mechanisms.
 */
export function identical(a: u64, b: u64): u64 {
  if (isNumber(a) && isNumber(b)) return compare(OP_NUM_EQUAL, a, b, 0);
  if (tagOf(a) == TAG_TENSOR && tagOf(b) == TAG_TENSOR) return tensorsEqual(dataOf(a), dataOf(b));
  if (a == b) return VALUE_TRUE;
  if (tagOf(a) == TAG_MASK || tagOf(b) == TAG_MASK) return truthsEqual(a, b);
  return VALUE_FALSE;
}

/** A comparison failed. Lanes that had found a difference before would have ended there alone. */
function failed(answer: u64): u64 {
  if (tagOf(answer) == TAG_MASK && faultCode == FAULT_STEPS) setFaultDetail(STEPS_OF_SOME);
  return VALUE_FAIL;
}

/** equal?: walks pairs with a stack of its own, cars deferred. */
export function structurallyEqual(a: u64, b: u64): u64 {
  let answer = VALUE_TRUE;
  let top: usize = 0;
  while (true) {
    while (tagOf(a) == TAG_PAIR && tagOf(b) == TAG_PAIR && a != b) {
      if (!spend(1)) return failed(answer);
      if (!reserveWork(top, top + VALUE_PAIR_BYTES)) return fail(FAULT_MEMORY);
      pairAt(workBase + top).first = tail(a);
      pairAt(workBase + top).second = tail(b);
      top += VALUE_PAIR_BYTES;
      a = head(a);
      b = head(b);
    }
    const same = identical(a, b);
    if (same == VALUE_FAIL) return failed(answer);
    if (same == VALUE_FALSE) return same;
    answer = conjunction(answer, same);
    if (answer == VALUE_FAIL || answer == VALUE_FALSE || top == 0) return answer;
    top -= VALUE_PAIR_BYTES;
    a = pairAt(workBase + top).first;
    b = pairAt(workBase + top).second;
  }
}
