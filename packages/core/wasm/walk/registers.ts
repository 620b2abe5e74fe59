/**
 * The registers of the evaluation under way, and the frames of its two stacks. Every client keeps
 * its values on the one stack and what it will go on with on the other:
 *
 *   stack    | globals | entry frame … | callee | the procedure's slots … | operands … |
 *                                               ^ framePtr                  stackPtr ^
 *   control  | kind u32 | place u32 | index u32 | saved u32 |   16 bytes a frame
 *
 * A place is an address in the image: its first word is the client's own, its second the number of
 * the node that it came from.
 */

import { CONTROL_FRAME_BYTES, FRAME_HALT } from "../../src/program/layout";
import { controlBase, reserveControl, reserveStack, stackBase } from "../memory/arena";
import { frameAt, imageAt } from "../memory/layout";
import { VALUE_NIL, VALUE_UNINITIALISED } from "../memory/value";

const SLACK_SLOTS: usize = 8;

/** How the walk goes on after a step. */
export const NEXT_VALUE: i32 = 0; // `value` is set
export const NEXT_CELL: i32 = 1; // `cell` is set
export const NEXT_FAULT: i32 = 2;
export const NEXT_OVER: i32 = 3; // no lane is left
export const NEXT_PENDING_CALL: i32 = 4; // the call of divergence.ts is due
export const NEXT_PENDING_JUMP: i32 = 5; // the jump of divergence.ts is due

export class Walk {
  /** Address of the program's image. */
  static image: usize = 0;
  /** End of the value stack. */
  static stackPtr: usize = 0;
  /** The first slot of the running procedure. */
  static framePtr: usize = 0;
  /** End of the control stack. */
  static controlPtr: usize = 0;
  /** The place to evaluate next, as an address. */
  static cell: usize = 0;
  /** The value that evaluation just yielded. */
  static value: u64 = 0;
  /** How the walk goes on when it is called again. */
  static next: i32 = NEXT_CELL;
}

// @ts-ignore: decorator
@inline export function word(at: usize, index: i32): i32 {
  return load<i32>(at + ((<usize>index) << 2));
}

/** The value that begins at a word of a cell or instruction. */
// @ts-ignore: decorator
@inline export function valueAtWord(at: usize, index: i32): u64 {
  return load<u64>(at + ((<usize>index) << 2));
}

/** The procedure whose frame is the newest: it lies in the slot below the frame. */
// @ts-ignore: decorator
@inline export function runningProcedure(): u64 {
  return load<u64>(Walk.framePtr - sizeof<u64>());
}

/** The newest value on the stack. */
// @ts-ignore: decorator
@inline export function topValue(): u64 {
  return load<u64>(Walk.stackPtr - sizeof<u64>());
}

// @ts-ignore: decorator
@inline export function cellAt(index: i32): usize {
  return Walk.image + ((<usize>index) << 2);
}

// @ts-ignore: decorator
@inline export function kindOf(at: usize): i32 {
  return load<u8>(at);
}

// @ts-ignore: decorator
@inline export function push(pushed: u64): void {
  store<u64>(Walk.stackPtr, pushed);
  Walk.stackPtr += 8;
}

// @ts-ignore: decorator
@inline export function pushFrame(kind: i32, at: usize, index: i32, saved: usize): void {
  const frame = Walk.controlPtr;
  frameAt(frame).kind = kind;
  frameAt(frame).cell = at;
  frameAt(frame).index = index;
  frameAt(frame).saved = saved;
  Walk.controlPtr = frame + CONTROL_FRAME_BYTES;
}

/** Makes room for `slots` values above the frame and `frames` control frames. */
export function reserve(slots: usize, frames: usize): bool {
  const stackNeeded = Walk.framePtr - stackBase + ((slots + SLACK_SLOTS) << 3);
  const oldStack = stackBase;
  if (!reserveStack(Walk.stackPtr - stackBase, stackNeeded)) return false;
  Walk.stackPtr += stackBase - oldStack;
  Walk.framePtr += stackBase - oldStack;
  const oldControl = controlBase;
  const controlNeeded = Walk.controlPtr - controlBase + (frames + 4) * CONTROL_FRAME_BYTES;
  if (!reserveControl(Walk.controlPtr - controlBase, controlNeeded)) return false;
  Walk.controlPtr += controlBase - oldControl;
  return true;
}

/** Stacks for the program whose image lies at `program`. Globals are set afterwards. */
export function beginWalk(program: usize): bool {
  Walk.image = program;
  const globals = <usize>imageAt(program).globals;
  const slots = globals + 1 + <usize>imageAt(program).stack;
  if (!reserveStack(0, (slots + SLACK_SLOTS) << 3)) return false;
  if (!reserveControl(0, (<usize>imageAt(program).control + 6) * CONTROL_FRAME_BYTES)) return false;
  Walk.stackPtr = stackBase;
  for (let i: usize = 0; i < globals; i++) push(VALUE_UNINITIALISED);
  push(VALUE_NIL);
  Walk.framePtr = Walk.stackPtr;
  Walk.controlPtr = controlBase;
  pushFrame(FRAME_HALT, 0, 0, 0);
  Walk.cell = cellAt(imageAt(program).entry);
  Walk.next = NEXT_CELL;
  return true;
}

export function setGlobal(index: i32, global: u64): void {
  store<u64>(stackBase + ((<usize>index) << 3), global);
}

/** Node of what is evaluated next. */
export function runningNode(): i32 {
  return word(Walk.cell, 1);
}
