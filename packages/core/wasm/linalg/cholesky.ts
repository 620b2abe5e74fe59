/**
 * Cholesky factor of a symmetric positive definite matrix: x = z zT with z lower triangular.
 *
 * Only the lower triangle of x is read, so only that triangle gets a gradient; for x built
 * symmetrically from parameters the parameters' gradients are the usual ones. A lane with a pivot
 * that is not positive has NaN in its whole lower triangle. The upper triangle of z is 0.
 */
import { blockAt } from "../memory/layout";
import { accumulate, div, mul, sub, zero } from "./simd";

/** Scratch of the adjoint: one n × n matrix. */
export function choleskyScratchBytes(n: usize): usize {
  return n * n * 16;
}

export function choleskyForward(at: usize): void {
  const n: usize = blockAt(at).rows;
  const x: usize = blockAt(at).x;
  const step: usize = blockAt(at).xStep;
  const mask: usize = blockAt(at).xMask;
  const z: usize = blockAt(at).z;
  const zStep: usize = blockAt(at).zStep;
  const run: usize = blockAt(at).zRun;
  for (let lane: usize = 0; lane < run; lane += 16) {
    factorAt(z + lane, zStep, x + (lane & mask), step, n);
  }
}

/** x[i,j] minus the part of z zT that the columns before j make up. */
// @ts-ignore: decorator
@inline function remainder(
  z: usize,
  zStep: usize,
  value: v128,
  i: usize,
  j: usize,
  n: usize,
): v128 {
  let iAt = z + i * n * zStep;
  let jAt = z + j * n * zStep;
  for (let k: usize = 0; k < j; k++) {
    value = sub(value, mul(v128.load(iAt), v128.load(jAt)));
    iAt += zStep;
    jAt += zStep;
  }
  return value;
}

function factorAt(z: usize, zStep: usize, x: usize, xStep: usize, n: usize): void {
  let indefinite = zero();
  for (let j: usize = 0; j < n; j++) {
    const square = remainder(z, zStep, v128.load(x + (j * n + j) * xStep), j, j, n);
    indefinite = v128.or(indefinite, v128.not(v128.gt<real>(square, zero())));
    const head = v128.sqrt<real>(square);
    v128.store(z + (j * n + j) * zStep, head);
    for (let i: usize = 0; i < n; i++) {
      const to = z + (i * n + j) * zStep;
      if (i < j) {
        v128.store(to, zero());
      } else if (i > j) {
        const rest = remainder(z, zStep, v128.load(x + (i * n + j) * xStep), i, j, n);
        v128.store(to, div(rest, head));
      }
    }
  }
  if (!v128.any_true(indefinite)) return;
  for (let i: usize = 0; i < n; i++) {
    for (let j: usize = 0; j <= i; j++) {
      const to = z + (i * n + j) * zStep;
      v128.store(to, v128.or(v128.load(to), indefinite));
    }
  }
}

export function choleskyAdjoint(at: usize): void {
  const gx: usize = blockAt(at).gx;
  if (gx == 0) return;
  const n: usize = blockAt(at).rows;
  const z: usize = blockAt(at).z;
  const zStep: usize = blockAt(at).zStep;
  const zMask: usize = blockAt(at).zMask;
  const gz: usize = blockAt(at).gz;
  const gxStep: usize = blockAt(at).gxStep;
  const run: usize = blockAt(at).run;
  const bar: usize = blockAt(at).scratch;
  for (let lane: usize = 0; lane < run; lane += 16) {
    for (let e: usize = 0; e < n * n; e++) {
      v128.store(bar + e * 16, v128.load(gz + e * run + lane));
    }
    reverseAt(bar, z + (lane & zMask), zStep, n);
    for (let i: usize = 0; i < n; i++) {
      for (let j: usize = 0; j <= i; j++) {
        const e = i * n + j;
        accumulate(gx + e * gxStep + lane, v128.load(bar + e * 16));
      }
    }
  }
}

/**
 * Turns the adjoint of z, in the lower triangle of `bar`, into that of x, column by column from the
 * last: the reverse of the factorisation's own steps (S. P. Smith 1995; I. Murray 2016, unblocked).
 */
function reverseAt(bar: usize, z: usize, zStep: usize, n: usize): void {
  for (let next: usize = n; next > 0; next--) {
    const j = next - 1;
    const head = v128.load(z + (j * n + j) * zStep);
    const headBar = bar + (j * n + j) * 16;
    let slope = v128.load(headBar);
    for (let i = next; i < n; i++) {
      const scaled = div(v128.load(bar + (i * n + j) * 16), head);
      v128.store(bar + (i * n + j) * 16, scaled);
      slope = sub(slope, mul(scaled, v128.load(z + (i * n + j) * zStep)));
    }
    slope = div(slope, head);
    for (let k: usize = 0; k < j; k++) {
      const across = v128.load(z + (j * n + k) * zStep);
      const rowBar = bar + (j * n + k) * 16;
      let row = sub(v128.load(rowBar), mul(slope, across));
      for (let i = next; i < n; i++) {
        const column = v128.load(bar + (i * n + j) * 16);
        row = sub(row, mul(column, v128.load(z + (i * n + k) * zStep)));
        const at = bar + (i * n + k) * 16;
        v128.store(at, sub(v128.load(at), mul(column, across)));
      }
      v128.store(rowBar, row);
    }
    v128.store(headBar, mul(slope, v128.splat<real>(0.5)));
  }
}
