/**
 * Structured kernels and movers of elements by op code.
 * Generated from src/primitives by `npm run gen`; do not edit.
 */
import {
  choleskyAdjoint,
  choleskyForward,
  crossAdjoint,
  crossForward,
  detAdjoint,
  detForward,
  dotAdjoint,
  dotForward,
  invAdjoint,
  invForward,
  logdetAdjoint,
  logdetForward,
  matmulAdjoint,
  matmulForward,
  matvecAdjoint,
  matvecForward,
  normAdjoint,
  normForward,
  normalizeAdjoint,
  normalizeForward,
  outerAdjoint,
  outerForward,
  pickAdjoint,
  pickForward,
  placeAdjoint,
  placeForward,
  scaleAdjoint,
  scaleForward,
  solveAdjoint,
  solveForward,
  traceAdjoint,
  traceForward,
  transposeAdjoint,
  transposeForward,
  vsumAdjoint,
  vsumForward,
} from "../linalg/index";
import {
  OP_VSUM,
  OP_NORM,
  OP_NORMALIZE,
  OP_TRANSPOSE,
  OP_TRACE,
  OP_DET,
  OP_LOGDET,
  OP_INV,
  OP_CHOLESKY,
  OP_DOT,
  OP_CROSS,
  OP_SCALE,
  OP_MATVEC,
  OP_MATMUL,
  OP_SOLVE,
  OP_OUTER,
  OP_PLACE,
  OP_PICK,
} from "./ops";

/** Structured ops, place and pick. */
export function forwardStructured(op: i32, at: usize): void {
  switch (op) {
    case OP_VSUM: vsumForward(at); return;
    case OP_NORM: normForward(at); return;
    case OP_NORMALIZE: normalizeForward(at); return;
    case OP_TRANSPOSE: transposeForward(at); return;
    case OP_TRACE: traceForward(at); return;
    case OP_DET: detForward(at); return;
    case OP_LOGDET: logdetForward(at); return;
    case OP_INV: invForward(at); return;
    case OP_CHOLESKY: choleskyForward(at); return;
    case OP_DOT: dotForward(at); return;
    case OP_CROSS: crossForward(at); return;
    case OP_SCALE: scaleForward(at); return;
    case OP_MATVEC: matvecForward(at); return;
    case OP_MATMUL: matmulForward(at); return;
    case OP_SOLVE: solveForward(at); return;
    case OP_OUTER: outerForward(at); return;
    case OP_PLACE: placeForward(at); return;
    case OP_PICK: pickForward(at); return;
  }
}

/** Structured ops, place and pick. */
export function adjointStructured(op: i32, at: usize): void {
  switch (op) {
    case OP_VSUM: vsumAdjoint(at); return;
    case OP_NORM: normAdjoint(at); return;
    case OP_NORMALIZE: normalizeAdjoint(at); return;
    case OP_TRANSPOSE: transposeAdjoint(at); return;
    case OP_TRACE: traceAdjoint(at); return;
    case OP_DET: detAdjoint(at); return;
    case OP_LOGDET: logdetAdjoint(at); return;
    case OP_INV: invAdjoint(at); return;
    case OP_CHOLESKY: choleskyAdjoint(at); return;
    case OP_DOT: dotAdjoint(at); return;
    case OP_CROSS: crossAdjoint(at); return;
    case OP_SCALE: scaleAdjoint(at); return;
    case OP_MATVEC: matvecAdjoint(at); return;
    case OP_MATMUL: matmulAdjoint(at); return;
    case OP_SOLVE: solveAdjoint(at); return;
    case OP_OUTER: outerAdjoint(at); return;
    case OP_PLACE: placeAdjoint(at); return;
    case OP_PICK: pickAdjoint(at); return;
  }
}
