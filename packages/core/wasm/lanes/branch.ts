/**
 * What a branch does with its test: one way for all lanes that count, with a guard, or both ways.
 */

import { TAG_MASK, TRACE_BRANCH } from "../../src/program/layout";
import { dataOf, tagOf, VALUE_FAIL, VALUE_FALSE } from "../memory/value";
import { context, setCurrentNode } from "../tape/payload";
import { notesBranches } from "../tape/recording";
import { recordTrace } from "../tape/tape";
import { agreedAtBranch } from "./lanes";

export const BRANCH_FALSE: i32 = 0;
export const BRANCH_TRUE: i32 = 1;
/** Lanes disagree: the test is a mask, and `openDivergence` runs both sides. */
export const BRANCH_BOTH: i32 = 2;
export const BRANCH_FAULT: i32 = 3;

/** Leaves a note of a branch on the tape: the test by lane, or one truth for all. */
function noteBranch(test: u64, node: i32): bool {
  const mask = tagOf(test) == TAG_MASK ? dataOf(test) : -1;
  const truth = test == VALUE_FALSE ? 0 : 1;
  return recordTrace(TRACE_BRANCH, -1, mask, node, truth, context);
}

/** The verdict on `test` at the branch of node `node`. Only #f is false. */
export function decideBranch(test: u64, node: i32): i32 {
  if (notesBranches && !noteBranch(test, node)) return BRANCH_FAULT;
  if (tagOf(test) != TAG_MASK) return test == VALUE_FALSE ? BRANCH_FALSE : BRANCH_TRUE;
  setCurrentNode(node);
  const decision = agreedAtBranch(dataOf(test));
  if (decision == VALUE_FAIL) return BRANCH_FAULT;
  if (tagOf(decision) == TAG_MASK) return BRANCH_BOTH;
  return decision == VALUE_FALSE ? BRANCH_FALSE : BRANCH_TRUE;
}
