/**
 * The walk: the one evaluator. It walks the cells of a program with an explicit stack.
 *
 *   stack    | globals | entry frame … | callee | argument 0 … | let and loop slots | operands … |
 *                                               ^ framePtr                            stackPtr ^
 *   control  | frame kind u32 | cell u32 | index u32 | saved u32 |   16 bytes a frame
 *
 * A cell either yields a value at once (simple cells), or names another cell to go on with after
 * pushing a control frame that says what to do with that cell's value. Stack depth at a cell is
 * known from the encoding, so a procedure reserves all it needs on entry and nothing checks later.
 * Tail calls and `recur` replace the current frame. There is no host recursion.
 *
 * All values live on the stack while anything is evaluated, so the stack is the precise root set.
 */

import {
  CAPTURE_CAPTURED,
  CAPTURE_SELF,
  CELL_CALL,
  CELL_CAPTURED,
  CELL_CONST,
  CELL_COPY,
  CELL_DEFINE,
  CELL_GLOBAL,
  CELL_IF,
  CELL_LAMBDA,
  CELL_LET,
  CELL_LETREC,
  CELL_LOCAL,
  CELL_LOCAL_BOX,
  CELL_LOOP,
  CELL_PRIMITIVE,
  CELL_RECUR,
  CELL_SELF,
  CELL_SEQ,
  CELL_SIMPLE_LAST,
  FLAG_APPLY,
  FLAG_TAIL,
} from "../../../src/program/cells";
import {
  CONTROL_FRAME_BYTES,
  FAULT_ARITY,
  FAULT_NOT_LIST,
  FAULT_NOT_PROCEDURE,
  FAULT_RECURSION,
  FAULT_UNINITIALISED,
  FRAME_CLIENT,
  FRAME_HALT,
  FRAME_RETURN,
  FRAME_SIDE,
  RECORD_NOTHING,
  TAG_BOX,
  TAG_CLOSURE,
  TAG_PRIMITIVE,
  WALK_DONE,
  WALK_FAULT,
  WALK_PAUSED,
} from "../../../src/program/layout";
import { OP_APPLY, OP_STRUCTURAL_FIRST, opArityMax, opArityMin } from "../../generated/ops";
import { BRANCH_BOTH, BRANCH_FALSE, BRANCH_FAULT, decideBranch } from "../../lanes/branch";
import { beginPrimitive, spend, step, unstep } from "../../lanes/budget";
import { stackBase } from "../../memory/arena";
import { fail, failApply, failOperand, setFaultOp } from "../../memory/fault";
import {
  fieldAddress,
  getField,
  head,
  isPair,
  newObject,
  setField,
  tail,
  wordOf,
} from "../../memory/heap";
import { frameAt, imageAt } from "../../memory/layout";
import {
  dataOf,
  tagOf,
  VALUE_FAIL,
  VALUE_UNINITIALISED,
  VALUE_UNSPECIFIED,
  valueOf,
} from "../../memory/value";
import { listFrom, properLength } from "../../primitives/lists";
import { copyLeaving } from "../../primitives/numeric";
import { applyPrimitive } from "../../primitives/primitives";
import { setCurrentNode } from "../../tape/payload";
import { recording } from "../../tape/recording";
import { collect, wantsCollection } from "../../walk/collect";
import {
  interceptCall,
  interceptFrames,
  interceptJump,
  interceptSlots,
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

// What to do with the value of the cell above.
const FRAME_OPERAND: i32 = FRAME_CLIENT; // push it, go on with operand `index`
const FRAME_TEST: i32 = FRAME_CLIENT + 1; // branch on it
const FRAME_SEQ: i32 = FRAME_CLIENT + 2; // drop it, go on with expression `index`
const FRAME_LETREC: i32 = FRAME_CLIENT + 3; // it initialises variable `index`
const FRAME_DEFINE: i32 = FRAME_CLIENT + 4;
const FRAME_POP: i32 = FRAME_CLIENT + 5; // leave the slots of a let or loop
const FRAME_COPY: i32 = FRAME_CLIENT + 6;

/** Fails in the name of the cell at `at`. */
function failAt(at: usize, code: i32, culprit: u64): u64 {
  setCurrentNode(word(at, 1));
  return failOperand(code, -1, culprit);
}

function boxed(at: usize, box: u64): u64 {
  const content = getField(dataOf(box), 0);
  return content == VALUE_UNINITIALISED ? failAt(at, FAULT_UNINITIALISED, content) : content;
}

/** Value of a simple cell; VALUE_FAIL and a fault for a variable that is not initialised yet. */
function simpleValue(at: usize): u64 {
  switch (kindOf(at)) {
    case CELL_CONST:
      return valueAtWord(at, 2);
    case CELL_LOCAL: {
      const local = load<u64>(Walk.framePtr + ((<usize>word(at, 2)) << 3));
      return local == VALUE_UNINITIALISED ? failAt(at, FAULT_UNINITIALISED, local) : local;
    }
    case CELL_CAPTURED:
      return getField(dataOf(runningProcedure()), word(at, 2));
    case CELL_GLOBAL: {
      const global = load<u64>(stackBase + ((<usize>word(at, 2)) << 3));
      return global == VALUE_UNINITIALISED ? failAt(at, FAULT_UNINITIALISED, global) : global;
    }
    case CELL_SELF:
      return runningProcedure();
    case CELL_LOCAL_BOX:
      return boxed(at, load<u64>(Walk.framePtr + ((<usize>word(at, 2)) << 3)));
    default: // CELL_CAPTURED_BOX
      return boxed(at, getField(dataOf(runningProcedure()), word(at, 2)));
  }
}

/** Value of a simple cell: the most frequent kinds here, the others by `simpleValue`. */
// @ts-ignore: decorator
@inline function operandValue(operand: usize, kind: i32): u64 {
  if (kind == CELL_CONST) return valueAtWord(operand, 2);
  if (kind != CELL_LOCAL && kind != CELL_GLOBAL) return simpleValue(operand);
  const slots = kind == CELL_LOCAL ? Walk.framePtr : stackBase;
  const value = load<u64>(slots + ((<usize>word(operand, 2)) << 3));
  return value == VALUE_UNINITIALISED ? failAt(operand, FAULT_UNINITIALISED, value) : value;
}

/** Whether a cell is a primitive and its step has been taken, so that its operands are next. */
// @ts-ignore: decorator
@inline function canEnter(at: usize): bool {
  if (kindOf(at) != CELL_PRIMITIVE) return false;
  if (step()) return true;
  unstep();
  return false;
}

/**
 * Pushes the operands of the cell at `from` that begin with `index`; then what the cell does with
 * them. Operands that are primitives themselves are done here: most of a program is trees of them.
 */
function pushOperands(from: usize, index: i32): i32 {
  let at = from;
  let i = index;
  let count = word(at, 3);
  while (true) {
    if (i < count) {
      const operand = cellAt(word(at, 4 + i));
      const kind = kindOf(operand);
      i += 1;
      if (kind <= CELL_SIMPLE_LAST) {
        const simple = operandValue(operand, kind);
        if (simple == VALUE_FAIL) return NEXT_FAULT;
        push(simple);
        continue;
      }
      pushFrame(FRAME_OPERAND, at, i, 0);
      if (!canEnter(operand)) {
        Walk.cell = operand;
        return NEXT_CELL;
      }
      at = operand;
      i = 0;
    } else {
      if (kindOf(at) != CELL_PRIMITIVE) return finish(at, count);
      setCurrentNode(word(at, 1));
      Walk.stackPtr -= (<usize>count) << 3;
      const value = applyPrimitive(word(at, 2), Walk.stackPtr, count);
      if (value == VALUE_FAIL) return NEXT_FAULT;
      const frame = Walk.controlPtr - CONTROL_FRAME_BYTES;
      const kind = frameAt(frame).kind;
      if (kind != FRAME_OPERAND) {
        Walk.value = value;
        if (kind != FRAME_TEST) return NEXT_VALUE;
        Walk.controlPtr = frame;
        return branch(frameAt(frame).cell);
      }
      Walk.controlPtr = frame;
      push(value);
      at = frameAt(frame).cell;
      i = frameAt(frame).index;
    }
    count = word(at, 3);
  }
}

/** All operands of `at`, which is not a primitive, lie on the stack: calls, binds or loops. */
function finish(at: usize, count: i32): i32 {
  switch (kindOf(at)) {
    case CELL_CALL: {
      setCurrentNode(word(at, 1));
      if ((word(at, 0) & FLAG_APPLY) != 0)
        return callApply(at, count - 1, (word(at, 0) & FLAG_TAIL) != 0);
      return call(at, count - 1, (word(at, 0) & FLAG_TAIL) != 0);
    }
    case CELL_RECUR:
      return recur(at, count);
    default: {
      // CELL_LET, CELL_LOOP: the operands are the variables' slots.
      if ((word(at, 0) & FLAG_TAIL) == 0) pushFrame(FRAME_POP, at, word(at, 4 + count), 0);
      Walk.cell = cellAt(word(at, 2));
      return NEXT_CELL;
    }
  }
}

/** Compacts where it is time to; `at` is the cell that is told where memory is short. */
// @ts-ignore: decorator
@inline function roomToCollect(at: usize): bool {
  if (recording != RECORD_NOTHING || !wantsCollection()) return true;
  setCurrentNode(word(at, 1));
  return collect(Walk.stackPtr);
}

/** Moves values to a lower place. They are few: a block move would cost more than a loop. */
// @ts-ignore: decorator
@inline function moveDown(to: usize, from: usize, bytes: usize): void {
  for (let b: usize = 0; b < bytes; b += 8) store<u64>(to + b, load<u64>(from + b));
}

function recur(at: usize, count: i32): i32 {
  const slots = Walk.framePtr + ((<usize>word(at, 4 + count)) << 3);
  if (slots - stackBase < interceptSlots) return interceptJump(at, count, slots - stackBase);
  const bytes = (<usize>count) << 3;
  moveDown(slots, Walk.stackPtr - bytes, bytes);
  Walk.stackPtr = slots + bytes;
  Walk.cell = cellAt(word(at, 2));
  return roomToCollect(at) ? NEXT_CELL : NEXT_FAULT;
}

/** Turns the arguments beyond the named ones into a list in the slot after them. */
function collectRest(base: usize, params: i32, count: i32): bool {
  const from = base + ((<usize>params) << 3);
  const rest = listFrom(from, count - params);
  if (rest == VALUE_FAIL) return false;
  store<u64>(from, rest);
  Walk.stackPtr = from + 8;
  return true;
}

function callClosure(at: usize, callee: u64, count: i32, isTail: bool): i32 {
  if (isTail && Walk.framePtr - stackBase <= interceptFrames) return interceptCall(at, count + 1);
  const lambda = cellAt(wordOf(dataOf(callee)));
  const params = word(lambda, 2);
  const hasRest = word(lambda, 3) != 0;
  if (count < params || (count > params && !hasRest)) {
    failOperand(FAULT_ARITY, -1, callee, count);
    return NEXT_FAULT;
  }
  let base = Walk.stackPtr - ((<usize>count) << 3);
  // A rest list needs one slot even where no argument is left for it.
  if (hasRest && !collectRest(base, params, count)) return NEXT_FAULT;
  if (isTail) {
    const bytes = Walk.stackPtr - base + 8;
    moveDown(Walk.framePtr - 8, base - 8, bytes);
    Walk.stackPtr = Walk.framePtr - 8 + bytes;
  } else {
    pushFrame(FRAME_RETURN, at, 0, Walk.framePtr - stackBase);
    Walk.framePtr = base;
  }
  if (!reserve(<usize>word(lambda, 5), <usize>word(lambda, 6))) {
    fail(FAULT_RECURSION);
    return NEXT_FAULT;
  }
  if (!roomToCollect(at)) return NEXT_FAULT;
  Walk.cell = cellAt(word(lambda, 4));
  return NEXT_CELL;
}

function callPrimitive(callee: u64, count: i32): i32 {
  const op = dataOf(callee);
  const most = opArityMax(op);
  if (count < opArityMin(op) || (most >= 0 && count > most)) {
    failOperand(FAULT_ARITY, -1, callee, count);
    return NEXT_FAULT;
  }
  Walk.stackPtr -= (<usize>count) << 3;
  const first = load<u64>(Walk.stackPtr);
  Walk.value = applyPrimitive(op, Walk.stackPtr, count);
  Walk.stackPtr -= 8;
  if (Walk.value == VALUE_FAIL) return NEXT_FAULT;
  // The result can be a number older than a branch around this call, out of a list or the operand
  // itself: see analyse.ts on copies.
  if (op >= OP_STRUCTURAL_FIRST || Walk.value == first) Walk.value = copyLeaving(Walk.value);
  return Walk.value == VALUE_FAIL ? NEXT_FAULT : NEXT_VALUE;
}

/** Calls the procedure that lies below `count` arguments. */
function call(at: usize, count: i32, isTail: bool): i32 {
  const callee = load<u64>(Walk.stackPtr - ((<usize>(count + 1)) << 3));
  const tag = tagOf(callee);
  if (tag == TAG_CLOSURE) return callClosure(at, callee, count, isTail);
  if (tag == TAG_PRIMITIVE) {
    if (dataOf(callee) != OP_APPLY) return callPrimitive(callee, count);
    if (count < 2) {
      failOperand(FAULT_ARITY, -1, callee, count);
      return NEXT_FAULT;
    }
    // (apply f a … list): f and what follows move down over `apply` itself.
    const bytes = (<usize>count) << 3;
    moveDown(Walk.stackPtr - bytes - 8, Walk.stackPtr - bytes, bytes);
    Walk.stackPtr -= 8;
    return callApply(at, count - 1, isTail);
  }
  failOperand(FAULT_NOT_PROCEDURE, -1, callee);
  return NEXT_FAULT;
}

/** A call whose last argument is a list of further arguments. */
function callApply(at: usize, count: i32, isTail: bool): i32 {
  let list = topValue();
  const length = properLength(list);
  if (length < 0) {
    setFaultOp(OP_APPLY);
    failOperand(FAULT_NOT_LIST, count, list);
    return NEXT_FAULT;
  }
  Walk.stackPtr -= 8;
  const slots = ((Walk.stackPtr - Walk.framePtr) >> 3) + <usize>length;
  beginPrimitive();
  if (!spend(length >> 2)) return NEXT_FAULT;
  if (!reserve(slots, 0)) {
    fail(FAULT_RECURSION);
    return NEXT_FAULT;
  }
  while (isPair(list)) {
    push(head(list));
    list = tail(list);
  }
  const next = call(at, count - 1 + length, isTail);
  if (next == NEXT_FAULT) failApply();
  return next;
}

function makeClosure(at: usize): i32 {
  const count = word(at, 7);
  setCurrentNode(word(at, 1));
  const closure = newObject(count, <i32>((at - Walk.image) >> 2));
  if (closure < 0) return NEXT_FAULT;
  for (let i = 0; i < count; i++) {
    const source = word(at, 8 + i);
    const from = source & 3;
    const index = source >> 2;
    let captured: u64;
    if (from == CAPTURE_SELF) captured = runningProcedure();
    else if (from == CAPTURE_CAPTURED) captured = getField(dataOf(runningProcedure()), index);
    else captured = load<u64>(Walk.framePtr + ((<usize>index) << 3));
    setField(closure, i, captured);
  }
  Walk.value = valueOf(TAG_CLOSURE, closure);
  return NEXT_VALUE;
}

/** Slots for the variables of a letrec: a box where a closure can see it before it has a value. */
function openLetrec(at: usize): i32 {
  const count = word(at, 3);
  for (let i = 0; i < count; i++) {
    if (word(at, 5 + count + i) == 0) {
      push(VALUE_UNINITIALISED);
      continue;
    }
    setCurrentNode(word(at, 1));
    const box = newObject(1, 0);
    if (box < 0) return NEXT_FAULT;
    setField(box, 0, VALUE_UNINITIALISED);
    push(valueOf(TAG_BOX, box));
  }
  return continueLetrec(at, 0);
}

/** Evaluates the init of variable `index`, or the body after the last one. */
function continueLetrec(at: usize, index: i32): i32 {
  const count = word(at, 3);
  if (index < count) {
    pushFrame(FRAME_LETREC, at, index, 0);
    Walk.cell = cellAt(word(at, 4 + index));
    return NEXT_CELL;
  }
  if ((word(at, 0) & FLAG_TAIL) == 0) pushFrame(FRAME_POP, at, word(at, 4 + count), 0);
  Walk.cell = cellAt(word(at, 2));
  return NEXT_CELL;
}

function initialise(at: usize, index: i32): i32 {
  const count = word(at, 3);
  const slot = Walk.framePtr + ((<usize>(word(at, 4 + count) + index)) << 3);
  if (word(at, 5 + count + index) == 0) store<u64>(slot, Walk.value);
  else store<u64>(fieldAddress(dataOf(load<u64>(slot)), 0), Walk.value);
  return continueLetrec(at, index + 1);
}

function continueSeq(at: usize, index: i32): i32 {
  if (index + 1 < word(at, 3)) pushFrame(FRAME_SEQ, at, index + 1, 0);
  Walk.cell = cellAt(word(at, 4 + index));
  return NEXT_CELL;
}

/** The test of the if at `at` is `Walk.value`. */
function branch(at: usize): i32 {
  const decision = decideBranch(Walk.value, word(at, 1));
  if (decision == BRANCH_FAULT) return NEXT_FAULT;
  if (decision == BRANCH_BOTH) return branchBothWays(at);
  Walk.cell = cellAt(word(at, decision == BRANCH_FALSE ? 4 : 3));
  return NEXT_CELL;
}

/** Lanes disagree: both branches run, with the room that the running procedure needs. */
function branchBothWays(at: usize): i32 {
  const callee = runningProcedure();
  const isProcedure = tagOf(callee) == TAG_CLOSURE;
  const lambda = isProcedure ? cellAt(wordOf(dataOf(callee))) : 0;
  const slots = isProcedure ? word(lambda, 5) : imageAt(Walk.image).stack;
  const frames = isProcedure ? word(lambda, 6) : imageAt(Walk.image).control;
  const mask = dataOf(Walk.value);
  return openDivergence(
    mask,
    cellAt(word(at, 3)),
    cellAt(word(at, 4)),
    <usize>slots,
    <usize>frames,
  );
}

/** Goes on with a cell at once where that is a primitive. */
// @ts-ignore: decorator
@inline function enter(at: usize): i32 {
  if (canEnter(at)) return pushOperands(at, 0);
  Walk.cell = at;
  return NEXT_CELL;
}

// @ts-ignore: decorator
@inline function descend(frame: i32, at: usize, child: i32): i32 {
  pushFrame(frame, at, 0, 0);
  Walk.cell = cellAt(child);
  return NEXT_CELL;
}

/** Evaluates `cell` one step. */
function evaluate(): i32 {
  const at = Walk.cell;
  switch (kindOf(at)) {
    case CELL_IF: {
      const test = cellAt(word(at, 2));
      if (kindOf(test) > CELL_SIMPLE_LAST) {
        pushFrame(FRAME_TEST, at, 0, 0);
        return enter(test);
      }
      Walk.value = simpleValue(test);
      return Walk.value == VALUE_FAIL ? NEXT_FAULT : branch(at);
    }
    case CELL_PRIMITIVE:
    case CELL_CALL:
    case CELL_LET:
    case CELL_LOOP:
    case CELL_RECUR:
      return pushOperands(at, 0);
    case CELL_LAMBDA:
      return makeClosure(at);
    case CELL_LETREC:
      return openLetrec(at);
    case CELL_SEQ:
      return continueSeq(at, 0);
    case CELL_DEFINE:
      return descend(FRAME_DEFINE, at, word(at, 3));
    case CELL_COPY:
      return descend(FRAME_COPY, at, word(at, 2));
    default:
      Walk.value = simpleValue(at);
      return Walk.value == VALUE_FAIL ? NEXT_FAULT : NEXT_VALUE;
  }
}

/** Hands `value` to the control frame on top. FRAME_HALT is handled by the caller. */
function resume(frame: usize): i32 {
  const at = frameAt(frame).cell;
  const index = frameAt(frame).index;
  switch (frameAt(frame).kind) {
    case FRAME_OPERAND:
      push(Walk.value);
      return pushOperands(at, index);
    case FRAME_TEST:
      return branch(at);
    case FRAME_SEQ:
      return continueSeq(at, index);
    case FRAME_LETREC:
      return initialise(at, index);
    case FRAME_DEFINE:
      store<u64>(stackBase + ((<usize>word(at, 2)) << 3), Walk.value);
      Walk.value = VALUE_UNSPECIFIED;
      return NEXT_VALUE;
    case FRAME_POP:
      Walk.stackPtr = Walk.framePtr + ((<usize>index) << 3);
      return NEXT_VALUE;
    case FRAME_COPY:
      setCurrentNode(word(at, 1));
      Walk.value = copyLeaving(Walk.value);
      return Walk.value == VALUE_FAIL ? NEXT_FAULT : NEXT_VALUE;
    case FRAME_SIDE:
      return sideValue();
    default: // FRAME_RETURN
      Walk.stackPtr = Walk.framePtr - 8;
      Walk.framePtr = stackBase + frameAt(frame).saved;
      return NEXT_VALUE;
  }
}

/** One outcome of a step that is neither a cell, a fault nor the end. */
function continued(next: i32): i32 {
  if (next == NEXT_PENDING_CALL) {
    // The other side of the branch has run since: what fails now is this call's.
    setCurrentNode(word(pendingCell, 1));
    return call(pendingCell, pendingCount, pendingTail);
  }
  if (next == NEXT_PENDING_JUMP) return recur(pendingCell, pendingCount);
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
    next = evaluate();
  }
}
