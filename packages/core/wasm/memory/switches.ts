/**
 * Switches: run-time mechanisms that can be turned off one by one, to show what each is worth. The
 * results are the same bits either way; each has a counter that shows whether it was at work.
 */

/** Unrolled kernels for small matrices, and elimination that measures sizes only if it must. */
export let smallShapes: bool = true;
export let smallShapeCalls: f64 = 0;

/**
 * Kernels of 2 × 2 matrices for several records of a trace at once, and operations on tensors that
 * a trace repeats run once.
 */
export let fusing: bool = true;
export let fusedCalls: f64 = 0;

/** Places of adjoints are used again once they are no longer needed. */
export let adjointReuse: bool = true;

/** Small integers that meet a real number are stored once. */
export let integerPool: bool = true;
export let integerPoolHits: f64 = 0;

export function setSwitches(small: bool, fuse: bool, reuse: bool, pool: bool): void {
  smallShapes = small;
  fusing = fuse;
  adjointReuse = reuse;
  integerPool = pool;
}

/** Counters are those of one run, its walks and its replays together. */
export function beginSwitchCounters(): void {
  smallShapeCalls = 0;
  integerPoolHits = 0;
  fusedCalls = 0;
}

/** Kernel calls that took an unrolled form (0), hits of the pool (1), fused kernels (2). */
export function switchCount(which: i32): f64 {
  return which == 0 ? smallShapeCalls : which == 1 ? integerPoolHits : fusedCalls;
}

/** Whether a shape has an unrolled kernel and may use it. */
// @ts-ignore: decorator
@inline export function isSmall(rows: usize, inner: usize): bool {
  return rows == 2 && inner <= 2 && smallShapes;
}

/** The same, of a kernel that runs now. */
// @ts-ignore: decorator
@inline export function usesSmall(rows: usize, inner: usize): bool {
  if (!isSmall(rows, inner)) return false;
  smallShapeCalls += 1;
  return true;
}

export function countFused(): void {
  fusedCalls += 1;
}

export function countPoolHit(): void {
  integerPoolHits += 1;
}
