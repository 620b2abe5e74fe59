/**
 * What the tests of calibration share: a machine, refusals, and noise that is the same every time.
 */

import { expect } from "vitest";
import { type FitOptions, fit, Machine, NdvmError } from "../../src/index.js";

export const machine = await Machine.create({ precision: "f64" });

/** Numbers from a to b. */
export const steps = (a: number, b: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => a + ((b - a) * i) / (count - 1));

/** Noise without chance: the fractional parts of multiples of the golden ratio, centred. */
export const noise = (count: number, size: number): number[] =>
  Array.from({ length: count }, (_, i) => size * (((i + 1) * 0.6180339887498949) % 1) - size / 2);

/** A signal that has fired when it is asked once more than so often. */
export function endingAfter(most: number): AbortSignal {
  let polls = 0;
  return {
    get aborted() {
      polls += 1;
      return polls > most;
    },
  } as AbortSignal;
}

export async function fitText(source: string, options: FitOptions, inputs: string[] = []) {
  const program = machine.load(source, { inputs });
  return fit(program, options);
}

/** The refusal of a fit, with its code checked. */
export async function refusal(source: string, options: FitOptions, code = "E-INPUT") {
  const error = await fitText(source, options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(NdvmError);
  const told = error as NdvmError;
  expect(told.code).toBe(code);
  return `${told.message} | ${told.help ?? ""}`;
}
