/**
 * The evaluator's registers, and the frames of its two stacks (see walk.ts for the picture).
 */

import { CONTROL_FRAME_BYTES, CONTROL_FRAME_CELL } from "../src/program/layout";
import { controlBase, reserveControl, reserveStack, stackBase } from "./arena";

// What to do with the value of the cell above.
export const FRAME_HALT: i32 = 0;
export const FRAME_OPERAND: i32 = 1; // push it, go on with operand `index`
export const FRAME_TEST: i32 = 2; // branch on it
export const FRAME_SEQ: i32 = 3; // drop it, go on with expression `index`
export const FRAME_LETREC: i32 = 4; // it initialises variable `index`
export const FRAME_DEFINE: i32 = 5;
export const FRAME_POP: i32 = 6; // leave the slots of a let or loop
// 7 is FRAME_RETURN of layout.ts: leave a procedure; `saved` is the caller's frame
export const FRAME_COPY: i32 = 8;
export const FRAME_SIDE: i32 = 9; // the value of one side of a branch that lanes take both ways

export const FRAME_BYTES: usize = <usize>CONTROL_FRAME_BYTES;
export const SLACK_SLOTS: usize = 8;

/** How the walk goes on after a step. */
export const NEXT_VALUE: i32 = 0; // `value` is set
export const NEXT_CELL: i32 = 1; // `cell` is set
export const NEXT_FAULT: i32 = 2;
export const NEXT_OVER: i32 = 3; // no lane is left

export class Walk {
  /** Address of the program's image. */
  static image: usize = 0;
  /** End of the value stack. */
  static stackPtr: usize = 0;
  /** The first argument of the running procedure. */
  static framePtr: usize = 0;
  /** End of the control stack. */
  static controlPtr: usize = 0;
  /** The cell to evaluate next, as an address. */
  static cell: usize = 0;
  /** The value a cell just yielded. */
  static value: u64 = 0;
}

// @ts-ignore: decorator
@inline export function word(at: usize, index: i32): i32 {
  return load<i32>(at + (<usize>index << 2));
}

// @ts-ignore: decorator
@inline export function cellAt(index: i32): usize {
  return Walk.image + (<usize>index << 2);
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
  store<i32>(frame, kind);
  store<usize>(frame, at, CONTROL_FRAME_CELL);
  store<i32>(frame, index, 8);
  store<usize>(frame, saved, 12);
  Walk.controlPtr = frame + FRAME_BYTES;
}

/** Makes room for `slots` values above the frame and `frames` control frames. */
export function reserve(slots: usize, frames: usize): bool {
  const stackNeeded = Walk.framePtr - stackBase + ((slots + SLACK_SLOTS) << 3);
  const oldStack = stackBase;
  if (!reserveStack(Walk.stackPtr - stackBase, stackNeeded)) return false;
  Walk.stackPtr += stackBase - oldStack;
  Walk.framePtr += stackBase - oldStack;
  const oldControl = controlBase;
  const controlNeeded = Walk.controlPtr - controlBase + (frames + 4) * FRAME_BYTES;
  if (!reserveControl(Walk.controlPtr - controlBase, controlNeeded)) return false;
  Walk.controlPtr += controlBase - oldControl;
  return true;
}
