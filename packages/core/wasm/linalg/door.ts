/**
 * Opens the kernels of this folder to their tests; the machine itself does not include this file.
 * `matmulTwin*` are the products without unrolling, for comparison bit by bit.
 */
import { blockAt } from "../memory/layout";
import { productAny } from "./product";
import { ADD, STORE } from "./targets";

export * from "./index";

export function matmulTwinForward(at: usize): void {
  const inner: usize = blockAt(at).inner;
  const cols: usize = blockAt(at).cols;
  const xStep: usize = blockAt(at).xStep;
  const yStep: usize = blockAt(at).yStep;
  const zStep: usize = blockAt(at).zStep;
  productAny(
    STORE,
    blockAt(at).z,
    cols * zStep,
    zStep,
    blockAt(at).x,
    inner * xStep,
    xStep,
    blockAt(at).xMask,
    blockAt(at).y,
    cols * yStep,
    yStep,
    blockAt(at).yMask,
    blockAt(at).rows,
    inner,
    cols,
    blockAt(at).zRun,
  );
}

export function matmulTwinAdjoint(at: usize): void {
  const rows: usize = blockAt(at).rows;
  const inner: usize = blockAt(at).inner;
  const cols: usize = blockAt(at).cols;
  const run: usize = blockAt(at).run;
  const gz: usize = blockAt(at).gz;
  const gxStep: usize = blockAt(at).gxStep;
  const gyStep: usize = blockAt(at).gyStep;
  const xStep: usize = blockAt(at).xStep;
  const yStep: usize = blockAt(at).yStep;
  if (blockAt(at).gx != 0) {
    productAny(
      ADD,
      blockAt(at).gx,
      inner * gxStep,
      gxStep,
      gz,
      cols * run,
      run,
      -1,
      blockAt(at).y,
      yStep,
      cols * yStep,
      blockAt(at).yMask,
      rows,
      cols,
      inner,
      run,
    );
  }
  if (blockAt(at).gy != 0) {
    productAny(
      ADD,
      blockAt(at).gy,
      cols * gyStep,
      gyStep,
      blockAt(at).x,
      xStep,
      inner * xStep,
      blockAt(at).xMask,
      gz,
      cols * run,
      run,
      -1,
      inner,
      rows,
      cols,
      run,
    );
  }
}
