/**
 * Opens the kernels of this folder to their tests; the machine itself does not include this file.
 * `matmulTwin*` are the products without unrolling, for comparison bit by bit.
 */
import {
  BLOCK_COLS, BLOCK_GX, BLOCK_GX_STEP, BLOCK_GY, BLOCK_GY_STEP, BLOCK_GZ, BLOCK_INNER, BLOCK_ROWS,
  BLOCK_RUN, BLOCK_X, BLOCK_X_MASK, BLOCK_X_STEP, BLOCK_Y, BLOCK_Y_MASK, BLOCK_Y_STEP, BLOCK_Z,
  BLOCK_Z_RUN, BLOCK_Z_STEP,
} from "../../src/program/layout";
import { ADD, STORE, productAny } from "./product";

export * from "./index";

export function matmulTwinForward(at: usize): void {
  const inner: usize = load<u32>(at, BLOCK_INNER);
  const cols: usize = load<u32>(at, BLOCK_COLS);
  const xStep: usize = load<u32>(at, BLOCK_X_STEP);
  const yStep: usize = load<u32>(at, BLOCK_Y_STEP);
  const zStep: usize = load<u32>(at, BLOCK_Z_STEP);
  productAny(
    STORE, load<u32>(at, BLOCK_Z), cols * zStep, zStep,
    load<u32>(at, BLOCK_X), inner * xStep, xStep, load<u32>(at, BLOCK_X_MASK),
    load<u32>(at, BLOCK_Y), cols * yStep, yStep, load<u32>(at, BLOCK_Y_MASK),
    load<u32>(at, BLOCK_ROWS), inner, cols, load<u32>(at, BLOCK_Z_RUN),
  );
}

export function matmulTwinAdjoint(at: usize): void {
  const rows: usize = load<u32>(at, BLOCK_ROWS);
  const inner: usize = load<u32>(at, BLOCK_INNER);
  const cols: usize = load<u32>(at, BLOCK_COLS);
  const run: usize = load<u32>(at, BLOCK_RUN);
  const gz: usize = load<u32>(at, BLOCK_GZ);
  const gxStep: usize = load<u32>(at, BLOCK_GX_STEP);
  const gyStep: usize = load<u32>(at, BLOCK_GY_STEP);
  const xStep: usize = load<u32>(at, BLOCK_X_STEP);
  const yStep: usize = load<u32>(at, BLOCK_Y_STEP);
  if (load<u32>(at, BLOCK_GX) != 0) {
    productAny(
      ADD, load<u32>(at, BLOCK_GX), inner * gxStep, gxStep, gz, cols * run, run, -1,
      load<u32>(at, BLOCK_Y), yStep, cols * yStep, load<u32>(at, BLOCK_Y_MASK),
      rows, cols, inner, run,
    );
  }
  if (load<u32>(at, BLOCK_GY) != 0) {
    productAny(
      ADD, load<u32>(at, BLOCK_GY), cols * gyStep, gyStep,
      load<u32>(at, BLOCK_X), xStep, inner * xStep, load<u32>(at, BLOCK_X_MASK),
      gz, cols * run, run, -1, inner, rows, cols, run,
    );
  }
}
