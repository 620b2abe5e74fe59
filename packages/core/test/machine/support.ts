/**
 * What the machine's own suites share: catching errors, the text a span covers, comparing bits,
 * and slopes by finite differences.
 */

import { expect } from "vitest";
import { type Inputs, Machine, NdvmError, type Precision, type Program } from "../../src/index.js";

/** Runs `work`, which must throw an NdvmError; returns it. */
export function caught(work: () => unknown): NdvmError {
  try {
    work();
  } catch (error) {
    if (error instanceof NdvmError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** The same for a promise. */
export async function caughtLater(work: Promise<unknown>): Promise<NdvmError> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof NdvmError) return outcome;
  throw outcome ?? new Error("nothing was thrown");
}

/** The source text that an error points at; undefined where it points nowhere. */
export function covered(error: NdvmError): string | undefined {
  return error.span && error.source?.slice(error.span.start, error.span.end);
}

/** The machine works as if nothing had happened: values, gradients, structure, vectors. */
export function expectUsable(machine: Machine): void {
  const model = machine.load("(+ (* a x x) (vsum [x 1 2]))");
  const { values, gradients } = model.gradient({ a: 3, x: [2, 5] });
  expect([...values]).toEqual([17, 83]);
  expect([...(gradients["x"] ?? [])]).toEqual([13, 31]);
  const list = machine.load("(map (lambda (n) (* n n)) '(1 2 3))");
  expect(list.evaluate().print()).toBe("(1 4 9)");
  model.dispose();
  list.dispose();
}

const bitsView = new DataView(new ArrayBuffer(8));

/** The bits of a number, so that 0 and -0 differ and NaN equals NaN. */
export function bitsOf(numbers: ArrayLike<number>): string[] {
  return Array.from(numbers, (number) => {
    bitsView.setFloat64(0, number);
    return bitsView.getBigUint64(0).toString(16).padStart(16, "0");
  });
}

/** Evaluates one text on a machine and forgets it. */
export function numberFrom(machine: Machine, source: string, inputs: Inputs = {}): number {
  const program = machine.load(source);
  try {
    return program.evaluate(inputs).values[0] ?? Number.NaN;
  } finally {
    program.dispose();
  }
}

/** d result / d (one number of the inputs) in every lane, by central differences. */
export function slopes(
  program: Program,
  inputsAt: (shift: number) => Inputs,
  step = 1e-6,
): Float64Array {
  const above = program.evaluate(inputsAt(step)).values;
  const below = program.evaluate(inputsAt(-step)).values;
  return above.map((value, i) => (value - (below[i] ?? Number.NaN)) / (2 * step));
}

export function expectClose(
  actual: ArrayLike<number> | undefined,
  expected: ArrayLike<number>,
  tolerance: number,
): void {
  expect(actual?.length).toBe(expected.length);
  for (let i = 0; i < expected.length; i++) {
    const want = expected[i] ?? Number.NaN;
    const gap = Math.abs((actual?.[i] ?? Number.NaN) - want) / (1 + Math.abs(want));
    expect(gap, `number ${i}: ${actual?.[i]} is not near ${want}`).toBeLessThanOrEqual(tolerance);
  }
}

export const precisions: readonly Precision[] = ["f32", "f64"];

export async function machinesOf(): Promise<Readonly<Record<Precision, Machine>>> {
  return {
    f32: await Machine.create({ precision: "f32" }),
    f64: await Machine.create({ precision: "f64" }),
  };
}
