/**
 * Many programs, one after the other, on one machine: what a search or a script does with a list of
 * texts. A program that cannot be read or fitted is a result like the others.
 */

import { NdvmError } from "../errors.js";
import { Machine } from "../machine/machine.js";
import { badOption } from "../machine/options.js";
import type { Program } from "../machine/program.js";
import type { LoadOptions } from "../machine/types.js";
import { fit } from "./fit.js";
import { fitFromJSON } from "./result/restore.js";
import type { FitOptions, FitResult } from "./types.js";

export interface FitManyOptions extends FitOptions {
  /** How each text is loaded. */
  readonly load?: LoadOptions;
}

export type FitManyResult =
  | { readonly status: "fitted"; readonly source: string; readonly result: FitResult }
  | { readonly status: "failed"; readonly source: string; readonly error: NdvmError };

/**
 * Fits each text with the same options. Results are in the order of the texts. Each program is freed once it is
 * fitted; `predict` of a result loads it again for the call, so it needs the machine.
 */
export async function fitMany(
  machine: Machine,
  sources: readonly string[],
  options: FitManyOptions,
): Promise<readonly FitManyResult[]> {
  if (!(machine instanceof Machine)) throw badOption("machine", "a machine", machine);
  if (!Array.isArray(sources) || sources.some((source) => typeof source !== "string"))
    throw badOption("sources", "an array of texts", sources);
  if (typeof options !== "object" || options === null)
    throw badOption("options", "an object of options", options);
  const { load, ...fitOptions } = options;
  const results: FitManyResult[] = [];
  for (const source of sources) results.push(await fitOne(machine, source, load, fitOptions));
  return results;
}

/** The result of a program that is freed: it is loaded again for each call of `predict`. */
function predicting(result: FitResult, reload: () => Program): FitResult {
  const value: FitResult["predict"] = (data, how) => {
    const program = reload();
    try {
      return fitFromJSON(program, result.toJSON()).predict(data, how);
    } finally {
      program.dispose();
    }
  };
  return Object.defineProperty(result, "predict", { value, enumerable: true, configurable: true });
}

async function fitOne(
  machine: Machine,
  source: string,
  load: LoadOptions | undefined,
  options: FitOptions,
): Promise<FitManyResult> {
  try {
    const reload = () => machine.load(source, load);
    const program = reload();
    try {
      const result = predicting(await fit(program, options), reload);
      return { status: "fitted", source, result };
    } finally {
      program.dispose();
    }
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    return { status: "failed", source, error };
  }
}
