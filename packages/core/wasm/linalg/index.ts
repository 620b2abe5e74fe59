/** The structured primitives' kernel pairs, and the rules of their shapes. */
export { choleskyAdjoint, choleskyForward } from "./cholesky";
export {
  crossAdjoint,
  crossForward,
  dotAdjoint,
  dotForward,
  matmulAdjoint,
  matmulForward,
  matvecAdjoint,
  matvecForward,
  outerAdjoint,
  outerForward,
  scaleAdjoint,
  scaleForward,
} from "./matmul";
export {
  pickAdjoint,
  pickForward,
  placeAdjoint,
  placeForward,
  transposeAdjoint,
  transposeForward,
} from "./moves";
export {
  normAdjoint,
  normalizeAdjoint,
  normalizeForward,
  normForward,
  traceAdjoint,
  traceForward,
  vsumAdjoint,
  vsumForward,
} from "./reductions";
export {
  dimCols,
  dimInner,
  dimRows,
  shapeCols,
  shapeRank,
  shapeRows,
  structuredScratchBytes,
  structuredShape,
  structuredWritten,
} from "./shapes";
export {
  detAdjoint,
  detForward,
  invAdjoint,
  invForward,
  logdetAdjoint,
  logdetForward,
  solveAdjoint,
  solveForward,
} from "./systems";
