/**
 * One backward pass over a chunk: output adjoints in, gradients of its lanes out.
 */

import { NdvmError } from "../../errors.js";
import { FAULT_NONE } from "../../program/layout.js";
import { own } from "../../records.js";
import type { Machine } from "../machine.js";
import type { Program } from "../program.js";
import { machineFault } from "../reports/sites.js";
import type { RecordedInput, Results } from "../results/results.js";
import type { Seed } from "../types.js";
import { laneAt } from "./chunk.js";
import type { Chunk } from "./port.js";

/** Throws where a seed does not fit the result, or is missing for a result of several numbers. */
export function checkSeed(results: Results, seed: Seed | undefined): void {
  const { shape, count, lanes } = results;
  if (shape === undefined) {
    // Structure has no gradient: asking for its values says so.
    void results.values;
    return;
  }
  if (seed === undefined && shape.length > 0)
    throw new NdvmError(
      "E-RESULT",
      `the result is ${shape.length === 1 ? "a vector" : "a matrix"}, which has no single gradient`,
      {
        facts: { reason: "seed" },
        help: "give a seed (output adjoints), or use program.jacobian",
      },
    );
  if (seed === undefined || typeof seed === "number" || seed.length === count * lanes) return;
  throw new NdvmError(
    "E-INPUT",
    `the seed has ${seed.length} numbers, the result has ${count * lanes}`,
    { help: "one number per lane and element, lane after lane" },
  );
}

/** Runs the pass for the live lanes of a chunk. `seedOf` is asked for each lane and element. */
export function backwardChunk(
  machine: Machine,
  program: Program,
  chunk: Chunk,
  seedOf: (lane: number, element: number) => number,
): void {
  const { exports, reals } = machine;
  if (exports.beginBackward() === 0) throw machineFault(machine, program);
  const { resultPayload, set, live } = chunk;
  const address = resultPayload < 0 ? 0 : exports.adjointAddress(resultPayload);
  if (address === 0) return;
  const view = reals.view();
  const from = address / reals.bytes;
  const run = exports.runBytes() / reals.bytes;
  const { count } = chunk.results;
  for (let e = 0; e < count; e++) {
    for (let i = 0; i < live.length; i++)
      if (live[i] === 1) view[from + e * run + i] = seedOf(laneAt(set, i), e);
  }
  if (exports.backward(resultPayload, chunk.hasMerges) !== FAULT_NONE)
    throw machineFault(machine, program);
}

/** Copies an input's adjoints into `into`: `stride` numbers a lane, from `offset` on. */
export function readGradient(
  machine: Machine,
  chunk: Chunk,
  input: RecordedInput,
  into: Float64Array,
  stride: number,
  offset: number,
): void {
  const { exports, reals } = machine;
  const address = chunk.resultPayload < 0 ? 0 : exports.adjointAddress(input.payload);
  const view = reals.view();
  const from = address / reals.bytes;
  const run = exports.runBytes() / reals.bytes;
  const { set, live } = chunk;
  for (let i = 0; i < live.length; i++) {
    if (live[i] !== 1) continue;
    const to = laneAt(set, i) * stride + offset;
    for (let e = 0; e < input.count; e++) {
      const value = address === 0 ? 0 : (view[from + e * run + i] as number);
      into[to + e] = Number.isNaN(value) ? Number.NaN : value;
    }
  }
}

/** Output adjoints of a chunk: the caller's seed for its lanes, or ones. */
function seedAt(seed: Seed | undefined, lane: number, element: number, count: number): number {
  if (seed === undefined) return 1;
  return typeof seed === "number" ? seed : (seed[lane * count + element] as number);
}

/** The whole pass for one seed: gradients of all asked-for inputs into the results. */
export function gradientChunk(
  machine: Machine,
  program: Program,
  wrt: readonly RecordedInput[],
  chunk: Chunk,
  seed: Seed | undefined,
  reached: Set<string>,
): void {
  const { results, resultPayload, hasMerges } = chunk;
  const { exports } = machine;
  checkSeed(results, seed);
  const { count, gradients } = results;
  backwardChunk(machine, program, chunk, (lane, e) => seedAt(seed, lane, e, count));
  const isActive = resultPayload >= 0 && exports.adjointAddress(resultPayload) !== 0;
  for (const input of wrt) {
    const { name, payload } = input;
    readGradient(machine, chunk, input, own(gradients, name) as Float64Array, input.count, 0);
    // Inputs that the tape connects with the result are remembered.
    if (isActive && !reached.has(name) && exports.isReached(payload, hasMerges) !== 0)
      reached.add(name);
  }
}
