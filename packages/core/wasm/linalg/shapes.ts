/**
 * The rules of shapes for the structured primitives: what they accept, the shape of their result,
 * the dimensions their kernels read from the operand block, and the scratch memory they need.
 *
 * Ranks are 0 (scalar), 1 (vector: rows = length, cols = 1) and 2 (matrix). Nothing broadcasts
 * here: a scalar is no vector of length 1 and a vector no matrix of one column.
 */
import {
  SHAPE_INNER_DIFFER,
  SHAPE_LENGTHS_DIFFER,
  SHAPE_NEEDS_MATRIX,
  SHAPE_NEEDS_MATRIX_FIRST,
  SHAPE_NEEDS_MATRIX_VECTOR,
  SHAPE_NEEDS_SCALAR_FIRST,
  SHAPE_NEEDS_SQUARE,
  SHAPE_NEEDS_TENSOR,
  SHAPE_NEEDS_VECTOR,
  SHAPE_NEEDS_VECTOR3,
  SHAPE_OK,
  SHAPE_UNKNOWN_OP,
} from "../../src/program/layout";
import {
  OP_CHOLESKY,
  OP_CROSS,
  OP_DET,
  OP_DOT,
  OP_INV,
  OP_LOGDET,
  OP_MATMUL,
  OP_MATVEC,
  OP_NORM,
  OP_NORMALIZE,
  OP_OUTER,
  OP_SCALE,
  OP_SOLVE,
  OP_TRACE,
  OP_TRANSPOSE,
  OP_VSUM,
} from "../generated/ops";
import { isSmall } from "../memory/switches";
import { choleskyScratchBytes } from "./cholesky";
import { systemScratchBytes } from "./systems";

/** Shape of the result; holds after `structuredShape` returned 0. */
export let shapeRank: i32 = 0;
export let shapeRows: i32 = 1;
export let shapeCols: i32 = 1;

/** The kernel's `rows`, `inner` and `cols`; holds after `structuredShape` gave 0. */
export let dimRows: i32 = 1;
export let dimInner: i32 = 1;
export let dimCols: i32 = 1;

function result(rank: i32, rows: i32, cols: i32): void {
  shapeRank = rank;
  shapeRows = rows;
  shapeCols = cols;
}

/** Sets the kernel's dimensions; 0, so that a rule can end with it. */
function dimensions(rows: i32, inner: i32, cols: i32): i32 {
  dimRows = rows;
  dimInner = inner;
  dimCols = cols;
  return SHAPE_OK;
}

/** 0 and the globals above where the operands fit `op`, else what is wrong. yRank < 0: unary. */
export function structuredShape(
  op: i32,
  xRank: i32,
  xRows: i32,
  xCols: i32,
  yRank: i32,
  yRows: i32,
  yCols: i32,
): i32 {
  if (yRank < 0) return unaryShape(op, xRank, xRows, xCols);
  switch (op) {
    case OP_DOT:
    case OP_CROSS:
    case OP_OUTER:
      return vectorsShape(op, xRank, xRows, yRank, yRows);
    case OP_MATVEC:
      if (xRank != 2 || yRank != 1) return SHAPE_NEEDS_MATRIX_VECTOR;
      if (xCols != yRows) return SHAPE_INNER_DIFFER;
      result(1, xRows, 1);
      return dimensions(xRows, xCols, 1);
    case OP_MATMUL:
      if (xRank != 2 || yRank != 2) return SHAPE_NEEDS_MATRIX;
      if (xCols != yRows) return SHAPE_INNER_DIFFER;
      result(2, xRows, yCols);
      return dimensions(xRows, xCols, yCols);
    case OP_SOLVE:
      if (xRank != 2 || yRank < 1) return SHAPE_NEEDS_MATRIX_FIRST;
      if (xRows != xCols) return SHAPE_NEEDS_SQUARE;
      if (xCols != yRows) return SHAPE_INNER_DIFFER;
      result(yRank, yRows, yCols);
      return dimensions(xRows, xRows, yCols);
    case OP_SCALE:
      if (xRank != 0 || yRank < 1) return SHAPE_NEEDS_SCALAR_FIRST;
      result(yRank, yRows, yCols);
      return dimensions(1, 1, yRows * yCols);
    default:
      return SHAPE_UNKNOWN_OP;
  }
}

function vectorsShape(op: i32, xRank: i32, xRows: i32, yRank: i32, yRows: i32): i32 {
  if (op == OP_CROSS) {
    if (xRank != 1 || yRank != 1 || xRows != 3 || yRows != 3) return SHAPE_NEEDS_VECTOR3;
    result(1, 3, 1);
    return dimensions(3, 1, 1);
  }
  if (xRank != 1 || yRank != 1) return SHAPE_NEEDS_VECTOR;
  if (op == OP_OUTER) {
    result(2, xRows, yRows);
    return dimensions(xRows, 1, yRows);
  }
  if (xRows != yRows) return SHAPE_LENGTHS_DIFFER;
  result(0, 1, 1);
  return dimensions(1, xRows, 1);
}

function unaryShape(op: i32, rank: i32, rows: i32, cols: i32): i32 {
  switch (op) {
    case OP_VSUM:
    case OP_NORM:
      if (rank < 1) return SHAPE_NEEDS_TENSOR;
      result(0, 1, 1);
      return dimensions(rows, cols, 1);
    case OP_NORMALIZE:
      if (rank != 1) return SHAPE_NEEDS_VECTOR;
      result(1, rows, 1);
      return dimensions(rows, 1, 1);
    case OP_TRANSPOSE:
      if (rank != 2) return SHAPE_NEEDS_MATRIX;
      result(2, cols, rows);
      return dimensions(rows, cols, 1);
    case OP_TRACE:
    case OP_DET:
    case OP_LOGDET:
    case OP_INV:
    case OP_CHOLESKY:
      if (rank != 2) return SHAPE_NEEDS_MATRIX;
      if (rows != cols) return SHAPE_NEEDS_SQUARE;
      if (op == OP_INV || op == OP_CHOLESKY) result(2, rows, rows);
      else result(0, 1, 1);
      return dimensions(rows, rows, 1);
    default:
      return SHAPE_UNKNOWN_OP;
  }
}

/** Elements that `op` goes through or writes, about; holds after `structuredShape` gave 0. */
export function structuredWork(op: i32): i64 {
  const each = <i64>dimRows * <i64>dimInner;
  switch (op) {
    case OP_DET:
    case OP_LOGDET:
    case OP_INV:
    case OP_CHOLESKY:
      return large(each * <i64>dimRows, 8);
    case OP_SOLVE:
      return large(each * (<i64>dimRows + <i64>dimCols), 8);
    default:
      // A product of matrices without inner elements still has a result.
      return large(max(each * <i64>dimCols, <i64>shapeRows * <i64>shapeCols), 4);
  }
}

/** Multiplications from which on matrices no longer stay in a core's caches. */
const LARGE: i64 = 1 << 18;

/**
 * Work of a matrix operation; beyond the caches each multiplication takes so many times as long.
 */
function large(work: i64, times: i64): i64 {
  return work <= LARGE ? work : LARGE + (work - LARGE) * times;
}

/**
 * Scratch bytes for forward and adjoint of `op` with these dimensions. Kernels work through one
 * vector of lanes at a time, so the length of a run does not matter.
 */
export function structuredScratchBytes(op: i32, rows: u32, inner: u32, cols: u32, run: u32): u32 {
  switch (op) {
    case OP_DET:
    case OP_LOGDET:
    case OP_INV:
    case OP_SOLVE:
      return <u32>systemScratchBytes(rows, cols);
    case OP_CHOLESKY:
      return <u32>choleskyScratchBytes(rows);
    default:
      return 0;
  }
}

/**
 * Which adjoints the kernel of `op` begins by itself where it is the first to add to them: bit 0
 * for x, bit 1 for y. All other kernels find theirs cleared.
 */
export function structuredWritten(op: i32, rows: u32, inner: u32, cols: u32): i32 {
  switch (op) {
    case OP_SCALE:
      return 3;
    case OP_MATMUL:
    case OP_MATVEC:
    case OP_OUTER:
      return isSmall(rows, inner) && cols > 0 && cols <= 2 && inner + cols > 2 ? 3 : 0;
    case OP_DOT:
      return isSmall(inner, 1) ? 3 : 0;
    case OP_DET:
    case OP_INV:
      return isSmall(rows, rows) ? 1 : 0;
    default:
      return 0;
  }
}
