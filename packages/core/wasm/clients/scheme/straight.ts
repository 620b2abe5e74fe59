/**
 * Straight formulas: programs that are one tree of element-wise primitives on numbers and inputs,
 * such as (* a (exp (* k t))), for one lane.
 *
 * Nothing can fail, branch or pause in such a tree, and every number in it is a scalar of one
 * vector. Its cells lie in the order in which they are evaluated, so they are walked from the first
 * to the last, without frames, and with room for all of them made before. Every operation passes
 * adjoints on, and every result is used once: so all active records have a part in the pass back.
 *
 * Payloads, records and blocks are those that the walk makes, and no bit differs.
 */

import { CELL_CONST, CELL_GLOBAL, CELL_PRIMITIVE, CELL_SEQ } from "../../../src/program/cells";
import {
  BLOCK_BYTES,
  CLIENT_SCHEME,
  CLIENT_STRAIGHT,
  CLIENT_TREE,
  IMAGE_HEADER,
  PAYLOAD_ACTIVE,
  PAYLOAD_BYTES,
  PAYLOAD_UNIFORM,
  PAYLOAD_VARYING,
  RECORD_ACTIVE,
  RECORD_BYTES,
  TAG_INT,
  TAG_REAL,
} from "../../../src/program/layout";
import { adjointElementwise, forwardElementwise } from "../../generated/elementwise";
import { OP_BINARY_LAST, OP_UNARY_LAST, opDifferentiable } from "../../generated/ops";
import { chargeSteps } from "../../lanes/budget";
import {
  adjointBase,
  adjointTop,
  blocksBase,
  blocksBytes,
  primalBase,
  reserveAdjoint,
  reserveFreeBlocks,
  reservePrimal,
  reserveStack,
  reserveTable,
  reserveTape,
  setAdjointTop,
  setPrimalTop,
  setTableTop,
  stackBase,
  tapeBase,
} from "../../memory/arena";
import { blockAt, imageAt, payloadAt, recordAt } from "../../memory/layout";
import { realValue } from "../../memory/value";
import {
  block,
  countScalars,
  entryOf,
  flagsOf,
  integerPayload,
  payloadCount,
} from "../../tape/payload";
import { activeRecords, setRecords } from "../../tape/recording";
import { kindOf, Walk, word } from "../../walk/registers";

/** Longer programs lose nothing by the way that all take. */
const WORDS_MAX: i32 = 2048;
/** One number of one lane takes a vector. */
const NUMBER: usize = 16;
/** Words of the cells of a constant, of an input, and of a primitive before its operands. */
const CONST_WORDS: i32 = 4;
const GLOBAL_WORDS: i32 = 3;
const PRIMITIVE_WORDS: i32 = 4;

/** Inputs that the formula under way has, as bits. */
export let inputsSeen: u32 = 0;

/** Whether the image at `program` is a straight formula. It is looked through once. */
// @ts-ignore: decorator
@inline export function isStraight(program: usize): bool {
  if (imageAt(program).client == CLIENT_SCHEME)
    imageAt(program).client = hasStraightCells(program) ? CLIENT_STRAIGHT : CLIENT_TREE;
  return imageAt(program).client == CLIENT_STRAIGHT;
}

// @ts-ignore: decorator
@inline function cellOf(program: usize, index: i32): usize {
  return program + ((<usize>index) << 2);
}

/** Cells in the order of evaluation: what lies on the stack must be the operands of the next. */
function hasStraightCells(program: usize): bool {
  const end = imageAt(program).entry;
  if (end > WORDS_MAX || !reserveStack(0, (<usize>end) << 2)) return false;
  let top = stackBase;
  let index = IMAGE_HEADER;
  while (index < end) {
    const cell = cellOf(program, index);
    const kind = kindOf(cell);
    let words: i32;
    if (kind == CELL_CONST) {
      const tag = word(cell, 2);
      if (tag != TAG_INT && tag != TAG_REAL) return false;
      words = CONST_WORDS;
    } else if (kind == CELL_GLOBAL) words = GLOBAL_WORDS;
    else {
      const count = word(cell, 3);
      if (kind != CELL_PRIMITIVE || !isPlainCall(program, cell)) return false;
      for (let i = count; i > 0; ) {
        i -= 1;
        if (top == stackBase) return false;
        top -= 4;
        if (load<i32>(top) != word(cell, PRIMITIVE_WORDS + i)) return false;
      }
      words = PRIMITIVE_WORDS + count;
    }
    store<i32>(top, index);
    top += 4;
    index += words;
  }
  const sequence = cellOf(program, end);
  const isOne = kindOf(sequence) == CELL_SEQ && top == stackBase + 4;
  if (!isOne || load<i32>(stackBase) != word(sequence, 4)) return false;
  return kindOf(cellOf(program, word(sequence, 4))) == CELL_PRIMITIVE;
}

/** Whether a call is one element-wise operation that passes adjoints on, not of integers alone. */
function isPlainCall(program: usize, cell: usize): bool {
  const op = word(cell, 2);
  const count = word(cell, 3);
  const isUnary = op <= OP_UNARY_LAST;
  if (op > OP_BINARY_LAST || count != (isUnary ? 1 : 2) || opDifferentiable(op) == 0) return false;
  for (let i = 0; i < count; i++) {
    const operand = cellOf(program, word(cell, PRIMITIVE_WORDS + i));
    if (kindOf(operand) != CELL_CONST || word(operand, 2) != TAG_INT) return true;
  }
  return false;
}

/**
 * Makes room for all that the formula can need; false where memory, steps or the tape's budget may
 * not allow it.
 */
export function reserveStraight(program: usize, recordedBytesMax: usize, steps: f64): bool {
  // No cell has fewer words than that of an input, and each makes one payload at most, or reads it.
  const cells = <usize>(imageAt(program).entry / GLOBAL_WORDS);
  const payloads = cells + <usize>imageAt(program).inputs;
  const bytes = payloads * (2 * NUMBER) + cells * RECORD_BYTES;
  if (<f64>(cells + 1) > steps || bytes > recordedBytesMax) return false;
  reserveFreeBlocks(cells * BLOCK_BYTES);
  return (
    cells * BLOCK_BYTES <= blocksBytes &&
    reserveStack(0, cells << 3) &&
    reserveTable(payloads * PAYLOAD_BYTES) &&
    reservePrimal(payloads * NUMBER) &&
    reserveAdjoint(payloads * NUMBER) &&
    reserveTape(cells * RECORD_BYTES)
  );
}

// @ts-ignore: decorator
@inline function numberOf(id: i32): usize {
  return primalBase + ((<usize>id) << 4);
}

/** Entries of the table and numbers are as many as there are payloads. */
// @ts-ignore: decorator
@inline function setPayloads(count: i32): void {
  setTableTop(<usize>count * PAYLOAD_BYTES);
  setPrimalTop(<usize>count * NUMBER);
}

// @ts-ignore: decorator
@inline function putEntry(id: i32, adjoint: usize, flags: i32, origin: i32): void {
  const entry = entryOf(id);
  payloadAt(entry).primal = (<u32>id) << 4;
  payloadAt(entry).adjoint = (flags & PAYLOAD_ACTIVE) != 0 ? <u32>adjoint : 0;
  payloadAt(entry).rows = 1;
  payloadAt(entry).cols = 1;
  payloadAt(entry).count = 1;
  payloadAt(entry).flags = flags;
  payloadAt(entry).origin = origin;
  payloadAt(entry).context = -1;
}

/** Makes the payloads of the inputs from `first` on, for the doubles at `given`. */
// @ts-ignore: decorator
@inline function bind(first: i32, count: i32, given: usize, wanted: u32, shared: u32): void {
  let adjoint: usize = 0;
  for (let i = 0; i < count; i++) {
    const active = ((wanted >> i) & 1) != 0 ? PAYLOAD_ACTIVE : 0;
    const uniform = ((shared >> i) & 1) != 0 ? PAYLOAD_UNIFORM : 0;
    const number = <real>load<f64>(given + ((<usize>i) << 3));
    v128.store(numberOf(first + i), v128.splat<real>(number));
    putEntry(first + i, adjoint, uniform | active | PAYLOAD_VARYING, -1 - i);
    if (active != 0) adjoint += NUMBER;
  }
}

/**
 * Walks the formula for the doubles at `given`, one for each input. The inputs of the bits `wanted`
 * are active, those of the bits `shared` uniform. Returns the payload of its value.
 */
export function walkStraight(program: usize, given: usize, wanted: u32, shared: u32): i32 {
  const first = payloadCount();
  const inputs = imageAt(program).inputs;
  bind(first, inputs, given, wanted, shared);
  let id = first + inputs;
  let adjoint = <usize>popcnt<u32>(wanted) * NUMBER;
  let uniforms = popcnt<u32>(shared);
  let at = blocksBase;
  let record = tapeBase;
  let top = stackBase;
  let seen: u32 = 0;
  let steps = 1;
  const end = cellOf(program, imageAt(program).entry);
  for (let cell = cellOf(program, IMAGE_HEADER); cell < end; top += 4) {
    const kind = kindOf(cell);
    if (kind == CELL_GLOBAL) {
      seen |= 1 << word(cell, 2);
      store<i32>(top, first + word(cell, 2));
      cell += GLOBAL_WORDS << 2;
      continue;
    }
    if (kind == CELL_CONST) {
      let constant = word(cell, 3);
      if (word(cell, 2) == TAG_INT) {
        setPayloads(id);
        constant = integerPayload(constant);
        id = payloadCount();
      }
      store<i32>(top, constant);
      cell += CONST_WORDS << 2;
      continue;
    }
    const op = word(cell, 2);
    const count = word(cell, 3);
    top -= (<usize>count) << 2;
    const x = load<i32>(top);
    const y = count == 2 ? load<i32>(top, 4) : x;
    const flags = flagsOf(x) | flagsOf(y);
    const uniform = flagsOf(x) & flagsOf(y) & PAYLOAD_UNIFORM;
    putEntry(id, adjoint, (flags & ~PAYLOAD_UNIFORM) | uniform, word(cell, 1));
    if (uniform != 0) uniforms += 1;
    if ((flags & PAYLOAD_ACTIVE) != 0) {
      fillNumbers(at, id, x, y);
      forwardElementwise(op, at);
      fillAdjoints(at, op, adjoint, x, y);
      putRecord(record, op, id, x, count == 2 ? y : -1);
      adjoint += NUMBER;
      at += BLOCK_BYTES;
      record += RECORD_BYTES;
    } else {
      fillNumbers(block, id, x, y);
      forwardElementwise(op, block);
    }
    store<i32>(top, id);
    id += 1;
    steps += 1;
    cell += (<usize>(PRIMITIVE_WORDS + count)) << 2;
  }
  inputsSeen = seen;
  chargeSteps(steps);
  setPayloads(id);
  setAdjointTop(adjoint);
  countScalars(id, uniforms, <i32>(adjoint / NUMBER));
  setRecords(<i32>((at - blocksBase) / BLOCK_BYTES));
  Walk.value = realValue(id - 1);
  return id - 1;
}

/** What a kernel needs to run forward on one vector: it takes no step. */
// @ts-ignore: decorator
@inline function fillNumbers(at: usize, z: i32, x: i32, y: i32): void {
  blockAt(at).z = numberOf(z);
  blockAt(at).zStep = NUMBER;
  blockAt(at).zMask = -1;
  blockAt(at).zRun = NUMBER;
  blockAt(at).run = NUMBER;
  blockAt(at).count = 1;
  blockAt(at).slope = 0;
  blockAt(at).x = numberOf(x);
  blockAt(at).xStep = 0;
  blockAt(at).xMask = -1;
  blockAt(at).y = numberOf(y);
  blockAt(at).yStep = 0;
  blockAt(at).yMask = -1;
}

// @ts-ignore: decorator
@inline function adjointOf(id: i32): usize {
  if ((flagsOf(id) & PAYLOAD_ACTIVE) == 0) return 0;
  return adjointBase + <usize>payloadAt(entryOf(id)).adjoint;
}

/** What it needs besides to run back; the adjoint of its result lies at an offset. */
// @ts-ignore: decorator
@inline function fillAdjoints(at: usize, op: i32, adjoint: usize, x: i32, y: i32): void {
  blockAt(at).gz = adjointBase + adjoint;
  blockAt(at).gx = adjointOf(x);
  blockAt(at).gxStep = 0;
  blockAt(at).gy = adjointOf(y);
  blockAt(at).gyStep = 0;
  blockAt(at).xKept = -1;
  blockAt(at).yKept = -1;
  blockAt(at).op = op;
}

// @ts-ignore: decorator
@inline function putRecord(at: usize, op: i32, out: i32, in0: i32, in1: i32): void {
  recordAt(at).op = op | RECORD_ACTIVE;
  recordAt(at).out = out;
  recordAt(at).in0 = in0;
  recordAt(at).in1 = in1;
  recordAt(at).aux = 0;
  recordAt(at).mask = -1;
}

/**
 * Passes back over the formula that was just walked, from an adjoint of one for its value, which
 * was made last. Each record but those of inputs finds its adjoint added to once.
 */
export function passStraight(): void {
  for (let b: usize = 0; b < adjointTop; b += NUMBER) v128.store(adjointBase + b, i8x16.splat(0));
  if (activeRecords == 0) return;
  v128.store(adjointBase + adjointTop - NUMBER, v128.splat<real>(1));
  for (let at = blocksBase + <usize>activeRecords * BLOCK_BYTES; at > blocksBase; ) {
    at -= BLOCK_BYTES;
    adjointElementwise(blockAt(at).op, at);
  }
}
