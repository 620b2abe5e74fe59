/**
 * The strided matrix product under every kernel of this folder that multiplies matrices:
 *
 *   c[i,j] (= | += | -=) sum over k of a[i,k] * b[k,j],   k ascending, first product first
 *
 * Element [i,j] of an operand lies at base + i * row + j * col (+ lane offset & mask); swapping
 * row and col steps reads the transpose. Inner lengths up to 6 keep a row of `a` in registers and
 * unroll the sum (../generated/products.ts); longer ones advance four columns at a time. A product
 * with one column is computed as its transpose, which has one row to keep. All add in the order of
 * `productAny`, so they give the same bits. An empty sum is 0.
 */
import {
  productInner1,
  productInner2,
  productInner3,
  productInner4,
  productInner5,
  productInner6,
} from "../generated/products";
import { smallShapes } from "../memory/switches";
import { add, mul, zero } from "./simd";
import { ADD, put, STORE, SUBTRACT } from "./targets";

/** The readable twin: any inner length, nothing unrolled. */
// @ts-ignore: decorator
@inline export function productAny(
  mode: i32,
  c: usize,
  cRow: usize,
  cCol: usize,
  a: usize,
  aRow: usize,
  aCol: usize,
  aMask: usize,
  b: usize,
  bRow: usize,
  bCol: usize,
  bMask: usize,
  rows: usize,
  inner: usize,
  cols: usize,
  run: usize,
): void {
  for (let lane: usize = 0; lane < run; lane += 16) {
    for (let i: usize = 0; i < rows; i++) {
      for (let j: usize = 0; j < cols; j++) {
        let aAt = a + i * aRow + (lane & aMask);
        let bAt = b + j * bCol + (lane & bMask);
        let sum = inner == 0 ? zero() : mul(v128.load(aAt), v128.load(bAt));
        for (let k: usize = 1; k < inner; k++) {
          aAt += aCol;
          bAt += bRow;
          sum = add(sum, mul(v128.load(aAt), v128.load(bAt)));
        }
        put(mode, c + i * cRow + j * cCol + lane, sum);
      }
    }
  }
}

/** Any inner length but 0, four columns at a time. */
// @ts-ignore: decorator
@inline function productWide(
  mode: i32,
  c: usize,
  cRow: usize,
  cCol: usize,
  a: usize,
  aRow: usize,
  aCol: usize,
  aMask: usize,
  b: usize,
  bRow: usize,
  bCol: usize,
  bMask: usize,
  rows: usize,
  inner: usize,
  cols: usize,
  run: usize,
): void {
  const full = cols & ~3;
  for (let lane: usize = 0; lane < run; lane += 16) {
    for (let i: usize = 0; i < rows; i++) {
      let to = c + i * cRow + lane;
      for (let j: usize = 0; j < full; j += 4) {
        let aAt = a + i * aRow + (lane & aMask);
        let bAt = b + j * bCol + (lane & bMask);
        let head = v128.load(aAt);
        let sum0 = mul(head, v128.load(bAt));
        let sum1 = mul(head, v128.load(bAt + bCol));
        let sum2 = mul(head, v128.load(bAt + 2 * bCol));
        let sum3 = mul(head, v128.load(bAt + 3 * bCol));
        for (let k: usize = 1; k < inner; k++) {
          aAt += aCol;
          bAt += bRow;
          head = v128.load(aAt);
          sum0 = add(sum0, mul(head, v128.load(bAt)));
          sum1 = add(sum1, mul(head, v128.load(bAt + bCol)));
          sum2 = add(sum2, mul(head, v128.load(bAt + 2 * bCol)));
          sum3 = add(sum3, mul(head, v128.load(bAt + 3 * bCol)));
        }
        put(mode, to, sum0);
        put(mode, to + cCol, sum1);
        put(mode, to + 2 * cCol, sum2);
        put(mode, to + 3 * cCol, sum3);
        to += 4 * cCol;
      }
    }
  }
  if (full == cols) return;
  productAny(
    mode,
    c + full * cCol,
    cRow,
    cCol,
    a,
    aRow,
    aCol,
    aMask,
    b + full * bCol,
    bRow,
    bCol,
    bMask,
    rows,
    inner,
    cols - full,
    run,
  );
}

/** Chooses by inner length. */
// @ts-ignore: decorator
@inline function productByInner(
  mode: i32,
  c: usize,
  cRow: usize,
  cCol: usize,
  a: usize,
  aRow: usize,
  aCol: usize,
  aMask: usize,
  b: usize,
  bRow: usize,
  bCol: usize,
  bMask: usize,
  rows: usize,
  inner: usize,
  cols: usize,
  run: usize,
): void {
  if (!smallShapes) {
    productAny(
      mode,
      c,
      cRow,
      cCol,
      a,
      aRow,
      aCol,
      aMask,
      b,
      bRow,
      bCol,
      bMask,
      rows,
      inner,
      cols,
      run,
    );
  } else if (inner == 2) {
    productInner2(mode, c, cRow, cCol, a, aRow, aCol, aMask, b, bRow, bCol, bMask, rows, cols, run);
  } else if (inner == 1) {
    productInner1(mode, c, cRow, cCol, a, aRow, aMask, b, bCol, bMask, rows, cols, run);
  } else if (inner == 3) {
    productInner3(mode, c, cRow, cCol, a, aRow, aCol, aMask, b, bRow, bCol, bMask, rows, cols, run);
  } else if (inner == 4) {
    productInner4(mode, c, cRow, cCol, a, aRow, aCol, aMask, b, bRow, bCol, bMask, rows, cols, run);
  } else if (inner == 5) {
    productInner5(mode, c, cRow, cCol, a, aRow, aCol, aMask, b, bRow, bCol, bMask, rows, cols, run);
  } else if (inner == 6) {
    productInner6(mode, c, cRow, cCol, a, aRow, aCol, aMask, b, bRow, bCol, bMask, rows, cols, run);
  } else if (inner == 0) {
    productAny(mode, c, cRow, cCol, a, aRow, aCol, aMask, b, bRow, bCol, bMask, rows, 0, cols, run);
  } else {
    productWide(
      mode,
      c,
      cRow,
      cCol,
      a,
      aRow,
      aCol,
      aMask,
      b,
      bRow,
      bCol,
      bMask,
      rows,
      inner,
      cols,
      run,
    );
  }
}

// @ts-ignore: decorator
@inline function product(
  mode: i32,
  c: usize,
  cRow: usize,
  cCol: usize,
  a: usize,
  aRow: usize,
  aCol: usize,
  aMask: usize,
  b: usize,
  bRow: usize,
  bCol: usize,
  bMask: usize,
  rows: usize,
  inner: usize,
  cols: usize,
  run: usize,
): void {
  // The transpose of one column is one row: cT = bT aT.
  const flip = cols == 1;
  productByInner(
    mode,
    c,
    flip ? cCol : cRow,
    flip ? cRow : cCol,
    flip ? b : a,
    flip ? bCol : aRow,
    flip ? bRow : aCol,
    flip ? bMask : aMask,
    flip ? a : b,
    flip ? aCol : bRow,
    flip ? aRow : bCol,
    flip ? aMask : bMask,
    flip ? 1 : rows,
    inner,
    flip ? rows : cols,
    run,
  );
}

/** c = a b. */
export function productStore(
  c: usize,
  cRow: usize,
  cCol: usize,
  a: usize,
  aRow: usize,
  aCol: usize,
  aMask: usize,
  b: usize,
  bRow: usize,
  bCol: usize,
  bMask: usize,
  rows: usize,
  inner: usize,
  cols: usize,
  run: usize,
): void {
  product(STORE, c, cRow, cCol, a, aRow, aCol, aMask, b, bRow, bCol, bMask, rows, inner, cols, run);
}

/** c += a b. */
export function productAdd(
  c: usize,
  cRow: usize,
  cCol: usize,
  a: usize,
  aRow: usize,
  aCol: usize,
  aMask: usize,
  b: usize,
  bRow: usize,
  bCol: usize,
  bMask: usize,
  rows: usize,
  inner: usize,
  cols: usize,
  run: usize,
): void {
  product(ADD, c, cRow, cCol, a, aRow, aCol, aMask, b, bRow, bCol, bMask, rows, inner, cols, run);
}

/** c -= a b. */
export function productSubtract(
  c: usize,
  cRow: usize,
  cCol: usize,
  a: usize,
  aRow: usize,
  aCol: usize,
  aMask: usize,
  b: usize,
  bRow: usize,
  bCol: usize,
  bMask: usize,
  rows: usize,
  inner: usize,
  cols: usize,
  run: usize,
): void {
  product(
    SUBTRACT,
    c,
    cRow,
    cCol,
    a,
    aRow,
    aCol,
    aMask,
    b,
    bRow,
    bCol,
    bMask,
    rows,
    inner,
    cols,
    run,
  );
}
