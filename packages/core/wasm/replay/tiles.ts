/**
 * Tiles: 2 × 2 matrices and vectors of two. When a trace is linked, blocks whose operands are tiles
 * with numbers of their own in each lane get the code of a kernel for tiles, and blocks that follow
 * each other that of a kernel for several, where there is one (generated/tiles.ts). In chunks of
 * TILE_LANES lanes kernels have constant offsets.
 *
 * A kernel for several is a matter of each direction by itself. Forward the first block runs all,
 * and the others have nothing to do. Backward the last one runs all, and the others have no part in
 * the pass, as long as every adjoint between them is where the kernel expects it.
 */

import { BLOCK_BYTES, RECORD_ACTIVE, RECORD_CODE, TILE_LANES } from "../../src/program/layout";
import {
  OP_ADD,
  OP_DET,
  OP_DOT,
  OP_INV,
  OP_MATMUL,
  OP_MATVEC,
  OP_MUL,
  OP_SCALE,
  OP_SUB,
} from "../generated/ops";
import {
  KIND_ADD2,
  KIND_ADD4,
  recordsOf,
  runsBack,
  severalFrom,
  TILE_ANY,
  TILE_DET,
  TILE_DOT,
  TILE_FIRST,
  TILE_INV,
  TILE_MATMUL,
  TILE_MATVEC,
  TILE_SCALE,
  TILE_SUB2,
  TILE_SUB4,
} from "../generated/tiles";
import { blocksBase, blocksTop } from "../memory/arena";
import { blockAt } from "../memory/layout";
import { fusing, smallShapes } from "../memory/switches";
import { run } from "../tape/payload";
import { PASSED_X } from "./adjoints";

/** The code of a kernel plus this: the record's result is there already, or all are run back. */
// @ts-ignore: decorator
@inline const DONE: i32 = 1;

export function linkTiles(): void {
  if (!smallShapes || !fusing) return;
  const above = run == <usize>TILE_LANES * sizeof<real>() ? 0 : TILE_ANY;
  const end = blocksBase + blocksTop;
  for (let at = blocksBase; at < end; at += BLOCK_BYTES) {
    const kind = kindAt(at);
    if (kind == 0) {
      if (isScalarsAlone(at)) setCode(at, OP_SCALE);
      continue;
    }
    const isDone = blockAt(at).zRun == 0;
    const several = isDone ? 0 : severalAt(at, kind, end);
    if (several != 0) {
      linkSeveral(at, several, above);
      at += <usize>(recordsOf(several) - 1) * BLOCK_BYTES;
    } else if (kind >= TILE_FIRST) setCode(at, above + (isDone ? kind + DONE : kind));
  }
}

/** The kernel for the block at `at`, whose kind is known, and others behind it; 0: none. */
function severalAt(at: usize, kind: i32, end: usize): i32 {
  const second = kindBefore(end, at + BLOCK_BYTES);
  if (second == 0) return 0;
  const third = kindBefore(end, at + 2 * BLOCK_BYTES);
  return severalFrom(at, kind, second, third, kindBefore(end, at + 3 * BLOCK_BYTES));
}

// @ts-ignore: decorator
@inline function kindBefore(end: usize, at: usize): i32 {
  return at < end ? kindAt(at) : 0;
}

/** Gives the blocks from `at` on, which the kernel `code` runs, their codes. */
function linkSeveral(at: usize, code: i32, above: i32): void {
  const last = at + <usize>(recordsOf(code) - 1) * BLOCK_BYTES;
  const isBack = runsBack(code, at);
  for (let next = at + BLOCK_BYTES; next <= last; next += BLOCK_BYTES) {
    const kind = kindAt(next);
    if (kind >= TILE_FIRST) setCode(next, above + kind + DONE);
    blockAt(next).zRun = 0;
  }
  setCode(at, above + code);
  if (!isBack) return;
  setCode(last, above + code + DONE);
  for (let next = at; next < last; next += BLOCK_BYTES)
    blockAt(next).op = blockAt(next).op & ~RECORD_ACTIVE;
}

// @ts-ignore: decorator
@inline function setCode(at: usize, code: i32): void {
  blockAt(at).op = (blockAt(at).op & ~RECORD_CODE) | code;
}

/** Whether both operands, or the one there is, have numbers of their own in each lane. */
// @ts-ignore: decorator
@inline function isPerLane(at: usize): bool {
  return (blockAt(at).xMask & (blockAt(at).in1 < 0 ? <usize>-1 : blockAt(at).yMask)) != 0;
}

/** The kernel of a block by itself, or its kind; 0 where it has nothing to do with tiles. */
function kindAt(at: usize): i32 {
  const rows = blockAt(at).rows;
  const inner = blockAt(at).inner;
  const isMatrix = rows == 2 && inner == 2;
  switch (blockAt(at).op & RECORD_CODE) {
    case OP_MATMUL:
      return isMatrix && blockAt(at).cols == 2 && isPerLane(at) ? TILE_MATMUL : 0;
    case OP_MATVEC:
      return isMatrix && isPerLane(at) ? TILE_MATVEC : 0;
    case OP_DOT:
      return inner == 2 && isPerLane(at) ? TILE_DOT : 0;
    case OP_DET:
      return isMatrix && isPerLane(at) ? TILE_DET : 0;
    case OP_INV:
      return isMatrix && isPerLane(at) ? TILE_INV : 0;
    case OP_MUL:
    case OP_SCALE:
      return isScale(at) ? TILE_SCALE : 0;
    case OP_ADD:
      return additionAt(at);
    case OP_SUB:
      return fromUniform(at);
    default:
      return 0;
  }
}

/** Whether a block multiplies a tensor with a number, and only the number has an adjoint. */
function isScalarsAlone(at: usize): bool {
  const isScale = (blockAt(at).op & RECORD_CODE) == OP_MUL && blockAt(at).xStep == 0;
  return isScale && blockAt(at).count > 1 && blockAt(at).gx != 0 && blockAt(at).gy == 0;
}

/** Whether a block multiplies a lane's own number with four uniform ones. */
function isScale(at: usize): bool {
  const isNumber = blockAt(at).xStep == 0 && blockAt(at).xMask != 0;
  return isNumber && blockAt(at).yMask == 0 && blockAt(at).count == 4 && blockAt(at).gy == 0;
}

/** The kind of a sum of tensors: linking has made it one of rows, as long as the tensor. */
function additionAt(at: usize): i32 {
  const bytes = blockAt(at).zRun;
  return bytes == 4 * run ? KIND_ADD4 : bytes == 2 * run ? KIND_ADD2 : 0;
}

/**
 * The kernel for uniform numbers less those of a tile. Not where the uniform ones have their
 * adjoint in the place of the result's: then it must be stored.
 */
function fromUniform(at: usize): i32 {
  if ((blockAt(at).op & PASSED_X) != 0) return 0;
  const isTile = blockAt(at).yMask != 0 && blockAt(at).yStep == run;
  if (!isTile || blockAt(at).xMask != 0 || blockAt(at).gx != 0) return 0;
  const count = blockAt(at).count;
  return count == 4 ? TILE_SUB4 : count == 2 ? TILE_SUB2 : 0;
}
