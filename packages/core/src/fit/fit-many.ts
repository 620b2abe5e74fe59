/**
 * Many programs, one after the other, on one machine: what a search or a script does with a list of
 * texts. A program that cannot be read or fitted is a result like the others.
 */

import { NdvmError } from "../errors.js";
import type { Machine } from "../machine/machine.js";
import type { LoadOptions } from "../machine/types.js";
import { fit } from "./fit.js";
import type { FitOptions, FitResult } from "./types.js";

export interface FitManyOptions extends FitOptions {
  /** How each text is loaded. */
  readonly load?: LoadOptions;
}

export type FitManyResult =
  | { readonly status: "fitted"; readonly source: string; readonly result: FitResult }
  | { readonly status: "failed"; readonly source: string; readonly error: NdvmError };

/** Fits each text with the same options. Results are in the order of the texts. */
export async function fitMany(
  machine: Machine,
  sources: readonly string[],
  options: FitManyOptions,
): Promise<readonly FitManyResult[]> {
  const { load, ...fitOptions } = options;
  const results: FitManyResult[] = [];
  for (const source of sources) results.push(await fitOne(machine, source, load, fitOptions));
  return results;
}

async function fitOne(
  machine: Machine,
  source: string,
  load: LoadOptions | undefined,
  options: FitOptions,
): Promise<FitManyResult> {
  try {
    const program = machine.load(source, load);
    try {
      return { status: "fitted", source, result: await fit(program, options) };
    } finally {
      program.dispose();
    }
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    return { status: "failed", source, error };
  }
}
