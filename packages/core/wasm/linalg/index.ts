/** The structured primitives' kernel pairs, and the rules of their shapes. */
export { choleskyAdjoint, choleskyForward } from "./cholesky";
export {
  crossAdjoint, crossForward, dotAdjoint, dotForward, matmulAdjoint, matmulForward, matvecAdjoint,
  matvecForward, outerAdjoint, outerForward,
} from "./matmul";
export {
  pickAdjoint, pickForward, placeAdjoint, placeForward, transposeAdjoint, transposeForward,
} from "./moves";
export {
  normAdjoint, normForward, normalizeAdjoint, normalizeForward, traceAdjoint, traceForward,
  vsumAdjoint, vsumForward,
} from "./reductions";
export {
  detAdjoint, detForward, invAdjoint, invForward, logdetAdjoint, logdetForward, solveAdjoint,
  solveForward,
} from "./systems";
export {
  SHAPE_INNER_DIFFER, SHAPE_LENGTHS_DIFFER, SHAPE_NEEDS_MATRIX, SHAPE_NEEDS_MATRIX_FIRST,
  SHAPE_NEEDS_MATRIX_VECTOR, SHAPE_NEEDS_SCALAR_FIRST, SHAPE_NEEDS_SQUARE, SHAPE_NEEDS_TENSOR,
  SHAPE_NEEDS_VECTOR, SHAPE_NEEDS_VECTOR3, SHAPE_OK, SHAPE_UNKNOWN_OP,
} from "../../src/program/layout";
export {
  dimCols, dimInner, dimRows, shapeCols, shapeRank, shapeRows, structuredScratchBytes,
  structuredShape,
} from "./shapes";
