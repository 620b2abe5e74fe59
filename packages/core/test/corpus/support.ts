/**
 * What the suites over outside cases share: machines, tensor inputs and comparison of numbers.
 */

import { expect } from "vitest";
import { Machine, mat, vec } from "../../src/index.js";
import type { LoadOptions, Precision, TensorInput } from "../../src/machine/types.js";

const machines = new Map<Precision, Promise<Machine>>();

/** One machine per precision and test file: what a program leaves behind would show in the next. */
export function machineOf(precision: Precision): Promise<Machine> {
  const known = machines.get(precision);
  if (known !== undefined) return known;
  const made = Machine.create({ precision });
  machines.set(precision, made);
  return made;
}

type Program = ReturnType<Machine["load"]>;

/** Loads a program, hands it to `use`, and disposes of it whatever happens. */
export async function withProgram<T>(
  precision: Precision,
  source: string,
  options: LoadOptions,
  use: (program: Program) => T,
): Promise<T> {
  const machine = await machineOf(precision);
  const program = machine.load(source, options);
  try {
    return use(program);
  } finally {
    program.dispose();
  }
}

export function vector(elements: readonly number[]): TensorInput {
  return vec(elements);
}

export function matrix(rows: readonly (readonly number[])[]): TensorInput {
  return mat(rows);
}

/** A matrix of the corpus that is written as one row-major list. */
export function matrixOf(rows: number, cols: number, data: readonly number[]): TensorInput {
  return matrix(Array.from({ length: rows }, (_, r) => data.slice(r * cols, (r + 1) * cols)));
}

export interface Tolerance {
  readonly relative?: number;
  readonly absolute?: number;
}

/** |actual − expected| ≤ absolute + relative·|expected|; NaN and infinities must be the same. */
export function isClose(actual: number, expected: number, tolerance: Tolerance): boolean {
  if (Object.is(actual, expected) || actual === expected) return true;
  if (!Number.isFinite(expected) || !Number.isFinite(actual)) return false;
  const allowed = (tolerance.absolute ?? 0) + (tolerance.relative ?? 0) * Math.abs(expected);
  return Math.abs(actual - expected) <= allowed;
}

export function expectClose(
  actual: number | undefined,
  expected: number,
  tolerance: Tolerance,
  what: string,
): void {
  const given = actual ?? Number.NaN;
  if (isClose(given, expected, tolerance)) return;
  const gap = Math.abs(given - expected);
  expect.fail(`${what}: got ${given}, expected ${expected} (apart by ${gap})`);
}

/**
 * Element by element, where the scale is the largest element: an entry that is exactly 0 by
 * cancellation is then held to the same absolute error as its neighbours.
 */
export function expectAllClose(
  actual: ArrayLike<number> | undefined,
  expected: ArrayLike<number>,
  tolerance: Tolerance,
  what: string,
): void {
  expect(actual?.length, `${what}: number of elements`).toBe(expected.length);
  const scale = Math.max(...Array.from(expected, Math.abs).filter(Number.isFinite), 0);
  const absolute = (tolerance.absolute ?? 0) + (tolerance.relative ?? 0) * scale;
  for (let i = 0; i < expected.length; i++) {
    expectClose(actual?.[i], expected[i] ?? Number.NaN, { absolute }, `${what}[${i}]`);
  }
}
