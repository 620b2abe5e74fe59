/**
 * Primitives on vectors and matrices whose kernels are written by hand in wasm/linalg/, plus the
 * internal movers of elements. Each names its kernel pair `<name>Forward`, `<name>Adjoint`.
 * In formulas Z is the result, G its adjoint, X and Y the operands.
 */
import { defineStructured } from "./define.js";

const singular = "A singular matrix gives NaN in that lane only, and is reported.";

export const structuredUnaryPrimitives = [
  defineStructured("structuredUnary", {
    name: "vsum",
    doc: "The sum of all elements of a vector or matrix.",
    formula: "Σ x",
    adjointFormula: "x: g in every element",
  }),
  defineStructured("structuredUnary", {
    name: "norm",
    doc: "The Euclidean norm of all elements.",
    formula: "√(Σ x²)",
    adjointFormula: "x: g·x/z",
    domain: "The gradient at the zero vector is 0.",
  }),
  defineStructured("structuredUnary", {
    name: "normalize",
    doc: "The vector divided by its norm.",
    formula: "x/‖x‖",
    adjointFormula: "x: (g − z·(z·g))/‖x‖",
    domain: "The zero vector stays 0, with gradient 0.",
  }),
  defineStructured("structuredUnary", {
    name: "transpose",
    doc: "Rows become columns.",
    formula: "Xᵀ",
    adjointFormula: "X: Gᵀ",
  }),
  defineStructured("structuredUnary", {
    name: "trace",
    doc: "The sum of a square matrix's diagonal.",
    formula: "Σ xᵢᵢ",
    adjointFormula: "X: g on the diagonal",
  }),
  defineStructured("structuredUnary", {
    name: "det",
    doc: "The determinant of a square matrix.",
    formula: "|X|",
    adjointFormula: "X: g·z·X⁻ᵀ",
    domain:
      "A singular matrix has determinant 0; its gradient is exact up to 3 × 3 and NaN beyond.",
  }),
  defineStructured("structuredUnary", {
    name: "logdet",
    doc: "The logarithm of the determinant's absolute value.",
    formula: "log ‖X‖",
    adjointFormula: "X: g·X⁻ᵀ",
    domain: "A singular matrix gives −∞ in that lane only, with a NaN gradient, and is reported.",
  }),
  defineStructured("structuredUnary", {
    name: "inv",
    doc: "The inverse of a square matrix.",
    formula: "X⁻¹",
    adjointFormula: "X: −Zᵀ·G·Zᵀ",
    domain: singular,
  }),
  defineStructured("structuredUnary", {
    name: "cholesky",
    doc: "The lower triangular Z with Z·Zᵀ = X; reads the lower half of a positive definite X.",
    formula: "chol(X)",
    adjointFormula: "X: Z⁻ᵀ·Φ(Zᵀ·G)·Z⁻¹, folded into the lower triangle",
    domain: "A matrix that is not positive definite gives NaN in that lane only, and is reported.",
  }),
] as const;

export const structuredBinaryPrimitives = [
  defineStructured("structuredBinary", {
    name: "dot",
    doc: "The inner product of two vectors of equal length.",
    formula: "Σ x·y",
    adjointFormula: "x: g·y; y: g·x",
  }),
  defineStructured("structuredBinary", {
    name: "cross",
    doc: "The cross product of two vectors of length 3.",
    formula: "x × y",
    adjointFormula: "x: y × g; y: g × x",
  }),
  defineStructured("structuredBinary", {
    name: "scale",
    doc: "`(scale s v)`: every element of v times the number s.",
    formula: "x·Y",
    adjointFormula: "x: Σ G·Y; Y: x·G",
  }),
  defineStructured("structuredBinary", {
    name: "matvec",
    doc: "A matrix times a vector.",
    formula: "X·y",
    adjointFormula: "X: g·yᵀ; y: Xᵀ·g",
  }),
  defineStructured("structuredBinary", {
    name: "matmul",
    doc: "The matrix product (`*` is element-wise).",
    formula: "X·Y",
    adjointFormula: "X: G·Yᵀ; Y: Xᵀ·G",
  }),
  defineStructured("structuredBinary", {
    name: "solve",
    doc: "`(solve A b)`: the x with A·x = b, for a vector or matrix b.",
    formula: "X⁻¹·Y",
    adjointFormula: "X: −(X⁻ᵀ·G)·Zᵀ; Y: X⁻ᵀ·G",
    domain: singular,
  }),
  defineStructured("structuredBinary", {
    name: "outer",
    doc: "The outer product of two vectors: a matrix.",
    formula: "x·yᵀ",
    adjointFormula: "x: G·y; y: Gᵀ·x",
  }),
] as const;

export const payloadPrimitives = [
  defineStructured("payload", {
    name: "place",
    scheme: null,
    doc: "Copies x into the elements of z from element aux on; `vec` and `mat` are made of it.",
    formula: "z[aux …] = x",
    adjointFormula: "x: g[aux …]",
  }),
  defineStructured("payload", {
    name: "pick",
    scheme: null,
    doc: "Copies the elements of x from element aux on; `ref` is made of it.",
    formula: "x[aux …]",
    adjointFormula: "x[aux …]: g",
  }),
] as const;
