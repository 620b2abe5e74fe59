/**
 * The stack machine's evaluator: a linear stream of instructions and an operand stack.
 *
 *   stack    | inputs | … | callee | parameters | locals | operands … |
 *                                  ^ framePtr                stackPtr ^
 *   control  one frame for each call under way: the place of the call, and where it goes on
 *
 * Heights are known when a program is loaded, so a procedure reserves all it needs on entry and
 * nothing checks later. A branch that lanes take both ways keeps the slots of its frame, because
 * its sides change them; the sides meet at the place the verifier found, by CODE_ARRIVE.
 *
 * All values live on the stack between instructions, so the stack is the precise root set.
 */

import {
  CODE_APPLY,
  CODE_ARRIVE,
  CODE_BRANCH,
  CODE_CALL,
  CODE_CALL_NAMED,
  CODE_CAPTURED,
  CODE_CLOSURE,
  CODE_COPY,
  CODE_COUNT,
  CODE_DROP,
  CODE_INPUT,
  CODE_JUMP,
  CODE_LOCAL,
  CODE_LOOP,
  CODE_PICK,
  CODE_PRIMITIVE,
  CODE_PUSH,
  CODE_SELF,
  CODE_STORE,
  CODE_SWAP,
  CODE_TAIL_CALL,
  CODE_TAIL_NAMED,
  WORDS_ONE,
  WORDS_PLAIN,
  WORDS_PUSH,
  WORDS_TWO,
} from "../../../src/bytecode/codes";
import {
  CONTROL_FRAME_BYTES,
  FAULT_ARITY,
  FAULT_NOT_BOOLEAN,
  FAULT_NOT_LIST,
  FAULT_NOT_PROCEDURE,
  FAULT_RECURSION,
  FRAME_HALT,
  FRAME_RETURN,
  FRAME_SIDE,
  RECORD_NOTHING,
  TAG_BOOL,
  TAG_CLOSURE,
  TAG_INT,
  TAG_MASK,
  TAG_PRIMITIVE,
  WALK_DONE,
  WALK_FAULT,
  WALK_PAUSED,
} from "../../../src/program/layout";
import {
  OP_APPLY,
  OP_GREATER,
  OP_STRUCTURAL_FIRST,
  OP_SUB,
  opArityMax,
  opArityMin,
} from "../../generated/ops";
import { BRANCH_BOTH, BRANCH_FAULT, BRANCH_TRUE, decideBranch } from "../../lanes/branch";
import { beginPrimitive, spend, step, unstep } from "../../lanes/budget";
import { stackBase } from "../../memory/arena";
import { fail, failApply, failOperand, setFaultOp } from "../../memory/fault";
import { getField, head, isPair, newObject, setField, tail, wordOf } from "../../memory/heap";
import { frameAt, imageAt } from "../../memory/layout";
import {
  booleanValue,
  dataOf,
  integerValue,
  tagOf,
  VALUE_FAIL,
  VALUE_UNINITIALISED,
  valueOf,
} from "../../memory/value";
import { properLength } from "../../primitives/lists";
import { applyBinary, compare, copyLeaving } from "../../primitives/numeric";
import { applyPrimitive } from "../../primitives/primitives";
import { setCurrentNode } from "../../tape/payload";
import { recording } from "../../tape/recording";
import { collect, wantsCollection } from "../../walk/collect";
import {
  interceptCall,
  interceptFrames,
  interceptJoin,
  interceptJoinFrame,
  interceptJump,
  openDivergence,
  pendingCell,
  pendingCount,
  pendingTail,
  sideValue,
} from "../../walk/divergence";
import {
  cellAt,
  kindOf,
  NEXT_CELL,
  NEXT_FAULT,
  NEXT_OVER,
  NEXT_PENDING_CALL,
  NEXT_PENDING_JUMP,
  NEXT_VALUE,
  push,
  pushFrame,
  reserve,
  runningProcedure,
  topValue,
  valueAtWord,
  Walk,
  word,
} from "../../walk/registers";

/** Control frames that one instruction can need. */
const FRAMES: usize = 2;
/** A return to a divergence: the value is handed on, there is no place to go on at. */
const HANDS_ON: i32 = -1;

// @ts-ignore: decorator
@inline function slotAddress(slot: i32): usize {
  return Walk.framePtr + ((<usize>slot) << 3);
}

/** Goes on with the instruction after the one at `at`, which has `words` words. */
// @ts-ignore: decorator
@inline function after(at: usize, words: i32): i32 {
  Walk.cell = at + ((<usize>words) << 2);
  return NEXT_CELL;
}

/** Compacts where it is time to; every value lies on the stack. */
// @ts-ignore: decorator
@inline function roomToCollect(at: usize): bool {
  if (recording != RECORD_NOTHING || !wantsCollection()) return true;
  setCurrentNode(word(at, 1));
  return collect(Walk.stackPtr);
}

function primitive(at: usize): i32 {
  const count = word(at, 3);
  setCurrentNode(word(at, 1));
  const from = Walk.stackPtr - ((<usize>count) << 3);
  const result = applyPrimitive(word(at, 2), from, count);
  if (result == VALUE_FAIL) return NEXT_FAULT;
  store<u64>(from, result);
  Walk.stackPtr = from + 8;
  return after(at, WORDS_TWO);
}

function swap(at: usize): i32 {
  const top = Walk.stackPtr - 8;
  const upper = load<u64>(top);
  store<u64>(top, load<u64>(top - 8));
  store<u64>(top - 8, upper);
  return after(at, WORDS_PLAIN);
}

function copy(at: usize): i32 {
  const slot = slotAddress(word(at, 2));
  setCurrentNode(word(at, 1));
  const copied = copyLeaving(load<u64>(slot));
  if (copied == VALUE_FAIL) return NEXT_FAULT;
  store<u64>(slot, copied);
  return after(at, WORDS_ONE);
}

/** Value slots that the running procedure needs above its frame. */
function slotsNeeded(): usize {
  const callee = runningProcedure();
  if (tagOf(callee) != TAG_CLOSURE) return <usize>imageAt(Walk.image).stack;
  return <usize>word(cellAt(wordOf(dataOf(callee))), 5);
}

/**
 * Goes one of two ways, or both: `at` holds the two places and the meeting place from `from` on.
 */
function turn(at: usize, from: i32, test: u64): i32 {
  const decision = decideBranch(test, word(at, 1));
  if (decision == BRANCH_FAULT) return NEXT_FAULT;
  const yes = cellAt(word(at, from));
  const no = cellAt(word(at, from + 1));
  if (decision == BRANCH_BOTH) {
    const join = word(at, from + 2);
    const meeting: usize = join == 0 ? 0 : cellAt(join);
    return openDivergence(dataOf(test), yes, no, slotsNeeded(), FRAMES, Walk.framePtr, meeting);
  }
  Walk.cell = decision == BRANCH_TRUE ? yes : no;
  return NEXT_CELL;
}

function branch(at: usize): i32 {
  const test = topValue();
  if (tagOf(test) != TAG_BOOL && tagOf(test) != TAG_MASK) {
    setCurrentNode(word(at, 1));
    setFaultOp(-1);
    failOperand(FAULT_NOT_BOOLEAN, 0, test);
    return NEXT_FAULT;
  }
  Walk.stackPtr -= 8;
  return turn(at, 2, test);
}

function loop(at: usize): i32 {
  const left = load<u64>(slotAddress(word(at, 2)));
  if (tagOf(left) == TAG_INT) return turn(at, 3, booleanValue(dataOf(left) > 0));
  setCurrentNode(word(at, 1));
  setFaultOp(-1);
  const test = compare(OP_GREATER, left, integerValue(0), 0);
  return test == VALUE_FAIL ? NEXT_FAULT : turn(at, 3, test);
}

function count(at: usize): i32 {
  const slot = slotAddress(word(at, 2));
  setCurrentNode(word(at, 1));
  const less = applyBinary(OP_SUB, load<u64>(slot), integerValue(1));
  if (less == VALUE_FAIL) return NEXT_FAULT;
  store<u64>(slot, less);
  return after(at, WORDS_ONE);
}

function jump(at: usize): i32 {
  const to = cellAt(word(at, 2));
  Walk.cell = to;
  return to > at || roomToCollect(at) ? NEXT_CELL : NEXT_FAULT;
}

/** A side, or code that no divergence concerns, comes to a place where branches meet. */
function arrive(at: usize): i32 {
  const isMeeting = Walk.framePtr - stackBase == interceptJoinFrame;
  if (!isMeeting || cellAt(word(at, 2)) != interceptJoin) return jump(at);
  const dying = word(at, 4);
  for (let i = 0; i < dying; i++) store<u64>(slotAddress(word(at, 5 + i)), VALUE_UNINITIALISED);
  return interceptJump(at, word(at, 3), Walk.framePtr - stackBase);
}

/** Both sides are one again: their slots lie on top of the stack. */
function arriveTogether(at: usize, height: i32): i32 {
  const bytes = (<usize>height) << 3;
  memory.copy(Walk.framePtr, Walk.stackPtr - bytes, bytes);
  Walk.stackPtr = Walk.framePtr + bytes;
  return arrive(at);
}

function makeClosure(at: usize): i32 {
  const captured = word(at, 3);
  setCurrentNode(word(at, 1));
  const closure = newObject(captured, word(at, 2));
  if (closure < 0) return NEXT_FAULT;
  Walk.stackPtr -= (<usize>captured) << 3;
  for (let i = 0; i < captured; i++)
    setField(closure, i, load<u64>(Walk.stackPtr + ((<usize>i) << 3)));
  push(valueOf(TAG_CLOSURE, closure));
  return after(at, WORDS_TWO);
}

/** Word index of the place after the instruction at `at`. */
// @ts-ignore: decorator
@inline function following(at: usize, words: i32): i32 {
  return <i32>((at - Walk.image) >> 2) + words;
}

/** Enters the closure below `count` arguments; `back` is where it returns to. */
function enter(at: usize, callee: u64, count: i32, isTail: bool, back: i32): i32 {
  if (isTail && Walk.framePtr - stackBase <= interceptFrames) return interceptCall(at, count + 1);
  const procedure = cellAt(wordOf(dataOf(callee)));
  if (count != word(procedure, 2)) {
    failOperand(FAULT_ARITY, -1, callee, count);
    return NEXT_FAULT;
  }
  const base = Walk.stackPtr - ((<usize>count) << 3);
  if (isTail) {
    const bytes = Walk.stackPtr - base + 8;
    memory.copy(Walk.framePtr - 8, base - 8, bytes);
    Walk.stackPtr = Walk.framePtr - 8 + bytes;
  } else {
    pushFrame(FRAME_RETURN, at, back, Walk.framePtr - stackBase);
    Walk.framePtr = base;
  }
  if (!reserve(<usize>word(procedure, 5), FRAMES)) {
    fail(FAULT_RECURSION);
    return NEXT_FAULT;
  }
  const locals = word(procedure, 6);
  for (let i = 0; i < locals; i++) push(VALUE_UNINITIALISED);
  if (!roomToCollect(at)) return NEXT_FAULT;
  Walk.cell = cellAt(word(procedure, 4));
  return NEXT_CELL;
}

/** Calls the procedure that lies below `count` arguments. */
function call(at: usize, count: i32, isTail: bool, back: i32): i32 {
  setCurrentNode(word(at, 1));
  const callee = load<u64>(Walk.stackPtr - ((<usize>(count + 1)) << 3));
  if (tagOf(callee) == TAG_CLOSURE) return enter(at, callee, count, isTail, back);
  if (tagOf(callee) != TAG_PRIMITIVE) {
    failOperand(FAULT_NOT_PROCEDURE, -1, callee);
    return NEXT_FAULT;
  }
  const op = dataOf(callee);
  const most = opArityMax(op);
  if (op == OP_APPLY || count < opArityMin(op) || (most >= 0 && count > most)) {
    failOperand(FAULT_ARITY, -1, callee, count);
    return NEXT_FAULT;
  }
  Walk.stackPtr -= (<usize>count) << 3;
  const first = load<u64>(Walk.stackPtr);
  let result = applyPrimitive(op, Walk.stackPtr, count);
  Walk.stackPtr -= 8;
  // The result can be a number older than a branch around this call.
  const mayBeOlder = op >= OP_STRUCTURAL_FIRST || result == first;
  if (result != VALUE_FAIL && mayBeOlder) result = copyLeaving(result);
  if (result == VALUE_FAIL) return NEXT_FAULT;
  if (back == HANDS_ON) {
    Walk.value = result;
    return NEXT_VALUE;
  }
  push(result);
  Walk.cell = cellAt(back);
  return NEXT_CELL;
}

/** Puts the named procedure below its `count` arguments. */
function callNamed(at: usize, count: i32, isTail: bool): i32 {
  const base = Walk.stackPtr - ((<usize>count) << 3);
  memory.copy(base + 8, base, (<usize>count) << 3);
  store<u64>(base, valueOf(TAG_CLOSURE, word(at, 2)));
  Walk.stackPtr += 8;
  return call(at, count, isTail, isTail ? HANDS_ON : following(at, WORDS_TWO));
}

/** A call whose last argument is a list of further arguments. */
function apply(at: usize): i32 {
  const count = word(at, 2);
  let list = topValue();
  const length = properLength(list);
  setCurrentNode(word(at, 1));
  setFaultOp(OP_APPLY);
  if (length < 0) {
    failOperand(FAULT_NOT_LIST, count, list);
    return NEXT_FAULT;
  }
  beginPrimitive();
  if (!spend(length >> 2)) return NEXT_FAULT;
  Walk.stackPtr -= 8;
  if (!reserve(((Walk.stackPtr - Walk.framePtr) >> 3) + <usize>length, FRAMES)) {
    fail(FAULT_RECURSION);
    return NEXT_FAULT;
  }
  while (isPair(list)) {
    push(head(list));
    list = tail(list);
  }
  const next = call(at, count - 1 + length, false, following(at, WORDS_ONE));
  if (next == NEXT_FAULT) failApply();
  return next;
}

/** Executes one instruction. */
function execute(): i32 {
  const at = Walk.cell;
  switch (kindOf(at)) {
    case CODE_PUSH:
      push(valueAtWord(at, 2));
      return after(at, WORDS_PUSH);
    case CODE_LOCAL:
      push(load<u64>(slotAddress(word(at, 2))));
      return after(at, WORDS_ONE);
    case CODE_STORE:
      Walk.stackPtr -= 8;
      store<u64>(slotAddress(word(at, 2)), load<u64>(Walk.stackPtr));
      return after(at, WORDS_ONE);
    case CODE_CAPTURED:
      push(getField(dataOf(runningProcedure()), word(at, 2)));
      return after(at, WORDS_ONE);
    case CODE_INPUT:
      push(load<u64>(stackBase + ((<usize>word(at, 2)) << 3)));
      return after(at, WORDS_ONE);
    case CODE_SELF:
      push(runningProcedure());
      return after(at, WORDS_PLAIN);
    case CODE_PICK:
      push(load<u64>(Walk.stackPtr - ((<usize>(word(at, 2) + 1)) << 3)));
      return after(at, WORDS_ONE);
    case CODE_DROP:
      Walk.stackPtr -= 8;
      return after(at, WORDS_PLAIN);
    case CODE_SWAP:
      return swap(at);
    case CODE_PRIMITIVE:
      return primitive(at);
    case CODE_JUMP:
      return jump(at);
    case CODE_BRANCH:
      return branch(at);
    case CODE_LOOP:
      return loop(at);
    case CODE_COUNT:
      return count(at);
    case CODE_ARRIVE:
      return arrive(at);
    case CODE_COPY:
      return copy(at);
    case CODE_CLOSURE:
      return makeClosure(at);
    case CODE_CALL:
      return call(at, word(at, 2), false, following(at, WORDS_ONE));
    case CODE_CALL_NAMED:
      return callNamed(at, word(at, 3), false);
    case CODE_TAIL_CALL:
      return call(at, word(at, 2), true, HANDS_ON);
    case CODE_TAIL_NAMED:
      return callNamed(at, word(at, 3), true);
    case CODE_APPLY:
      return apply(at);
    default: // CODE_RETURN
      Walk.stackPtr -= 8;
      Walk.value = load<u64>(Walk.stackPtr);
      return NEXT_VALUE;
  }
}

/** Hands `value` to the control frame on top. FRAME_HALT is handled by the caller. */
function resume(frame: usize): i32 {
  if (frameAt(frame).kind == FRAME_SIDE) return sideValue();
  const back = frameAt(frame).index;
  Walk.stackPtr = Walk.framePtr - 8;
  Walk.framePtr = stackBase + frameAt(frame).saved;
  if (back == HANDS_ON) return NEXT_VALUE;
  push(Walk.value);
  Walk.cell = cellAt(back);
  return NEXT_CELL;
}

/** One outcome of a step that is neither an instruction, a fault nor the end. */
function continued(next: i32): i32 {
  if (next == NEXT_PENDING_CALL) return call(pendingCell, pendingCount, pendingTail, HANDS_ON);
  if (next == NEXT_PENDING_JUMP) return arriveTogether(pendingCell, pendingCount);
  Walk.controlPtr -= CONTROL_FRAME_BYTES;
  return resume(Walk.controlPtr);
}

/** Runs until the program is done, the slice of steps is used up, or something fails. */
export function walk(): i32 {
  let next = Walk.next;
  Walk.next = NEXT_CELL;
  while (true) {
    while (next != NEXT_CELL) {
      if (next == NEXT_FAULT) return WALK_FAULT;
      if (next == NEXT_OVER) return WALK_DONE;
      if (next == NEXT_VALUE && frameAt(Walk.controlPtr - CONTROL_FRAME_BYTES).kind == FRAME_HALT)
        return WALK_DONE;
      next = continued(next);
    }
    if (!step()) {
      unstep();
      return WALK_PAUSED;
    }
    next = execute();
  }
}
