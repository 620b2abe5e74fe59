/**
 * Output adjoints in, input adjoints out: the two ends of a backward pass.
 */

import { NdvmError } from "../errors.js";
import type { Recorded, RecordedInput } from "./run.js";
import { readLanes } from "./snapshot.js";
import type { Seed } from "./types.js";

/** Clears the adjoints and writes the result's. Without a seed a numeric result gets ones. */
export function writeSeed(recorded: Recorded, seed: Seed | undefined): void {
  const { exports, reals } = recorded.machine;
  recorded.checkAlive();
  const outputs = recorded.values.length / recorded.lanes;
  if (seed === undefined && recorded.shape?.length !== 0)
    throw new NdvmError(
      "E-RESULT",
      `the result is ${recorded.shape?.length === 1 ? "a vector" : "a matrix"}, which has no single gradient`,
      { help: "give a seed (output adjoints), or use program.jacobian" },
    );
  const isList = seed !== undefined && typeof seed !== "number";
  if (isList && seed.length !== outputs * recorded.lanes)
    throw new NdvmError(
      "E-INPUT",
      `the seed has ${seed.length} numbers, the result has ${outputs * recorded.lanes}`,
      { help: "one number per lane and element, lane after lane" },
    );
  if (exports.beginBackward() === 0) throw recorded.fault();
  const address = recorded.resultAdjoint();
  if (address === 0) return;
  const view = reals.view();
  const from = address / reals.bytes;
  const run = exports.runBytes() / reals.bytes;
  for (let e = 0; e < outputs; e++) {
    for (let lane = 0; lane < recorded.lanes; lane++) {
      const value = isList ? seed[lane * outputs + e] : (seed ?? 1);
      view[from + e * run + lane] = value as number;
    }
  }
}

/** An input's gradient, lane after lane of its elements. */
export function readAdjoint(recorded: Recorded, input: RecordedInput): Float64Array {
  const { exports, reals } = recorded.machine;
  const address = exports.adjointAddress(input.payload);
  if (address === 0) return new Float64Array(input.count * recorded.lanes);
  return readLanes(reals, address, input.count, exports.runBytes(), recorded.lanes, false);
}
