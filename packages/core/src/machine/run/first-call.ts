/**
 * The first calls of a program: `gradient` at one lane, with plain numbers and no options but `wrt`.
 *
 * A program that was made a moment ago has no trace, so such a call is a single walk, without
 * anything that decides between traces, chunks and lanes. Many programs are called once; only the
 * second call keeps the trace of its walk for those to come. Whatever turns out less plain (a fault, a result that is not one finite number,
 * memory that is short) is left to the general way, which walks anew and has all words for it.
 */

import {
  RECORD_ACTIVE_ONLY,
  RECORD_VARYING,
  SINGLE_DONE,
  SINGLE_GRADIENTS,
  SINGLE_INPUTS,
  SINGLE_INPUTS_MAX,
  SINGLE_REACHED,
  SINGLE_REPORT,
  SINGLE_STEPS,
  SINGLE_VALUE,
} from "../../program/layout.js";
import { own, smallRecord } from "../../records.js";
import type { Machine } from "../machine.js";
import type { Program } from "../program.js";
import type { Inputs } from "../types.js";
import { readCounters, readReport, type WalkReport } from "./chunk-walk.js";
import { OneResult } from "./one-call.js";
import { signatureOf } from "./signature.js";
import { STEPS_MAX, UNINTERRUPTED_STEPS } from "./steps.js";
import type { WalkCounters } from "./traces.js";

/** What a program with these inputs is called with; each call fills it anew. */
const numbers: number[] = [];
const wanted: boolean[] = [];
let wantedBits = 0;
const keys: string[] = [];
const NO_NAMES: readonly string[] = [];

/** Value and gradients; undefined where the general way must find them. */
export function firstCall(
  machine: Machine,
  program: Program,
  inputs: Inputs,
  wrt: readonly string[] | undefined,
  isKept: boolean,
): OneResult | undefined {
  if (!take(program.inputs, inputs) || !choose(program.inputs, wrt)) return undefined;
  if (isKept && machine.mechanisms.replay === false) return undefined;
  machine.beginRun();
  if (!walk(machine, program, isKept)) return undefined;
  const { exports, views, singleAt } = machine;
  const found = views.doubles;
  const value = found[singleAt + SINGLE_VALUE] as number;
  if (!Number.isFinite(value)) return undefined;
  const walked = isKept
    ? keep(machine, program, readReport(machine, found[singleAt + SINGLE_REPORT] as number))
    : readCounters(machine, exports.endWalk(1, 0));
  const gradients = readGradients(program, found, singleAt + SINGLE_GRADIENTS);
  const inactive = namesLeftOut(program, found[singleAt + SINGLE_REACHED] as number);
  const steps = found[singleAt + SINGLE_STEPS] as number;
  program.countRun();
  return new OneResult(value, gradients, inactive, {
    walks: 1,
    replays: 0,
    traces: program.traceCount,
    smallShapeCalls: exports.switchCount(0),
    integerPoolHits: exports.switchCount(1),
    fusedCalls: exports.switchCount(2),
    memoryBytes: found.byteLength,
    steps,
    walked,
  });
}

/** Takes a number for each name; false where there is anything else. */
function take(names: readonly string[], inputs: Inputs): boolean {
  if (typeof inputs !== "object" || inputs === null) return false;
  let count = 0;
  // By the caller's own keys: names from a text that was just read would have to be looked up first.
  for (const key in inputs) {
    const k = names[count] === key ? count : names.indexOf(key);
    if (k < 0) return false;
    const value = own(inputs, key);
    if (typeof value !== "number") return false;
    numbers[k] = value;
    keys[k] = key;
    count += 1;
  }
  return count === names.length;
}

/** Takes the names to differentiate by; false where one is not an input, or there are none. */
function choose(names: readonly string[], wrt: readonly string[] | undefined): boolean {
  if (names.length === 0 || names.length > SINGLE_INPUTS_MAX) return false;
  for (let k = 0; k < names.length; k++) wanted[k] = wrt === undefined;
  wantedBits = wrt === undefined ? allBits(names.length) : 0;
  if (wrt === undefined) return true;
  if (!Array.isArray(wrt)) return false;
  for (const name of wrt) {
    const index = names.indexOf(name);
    if (index < 0) return false;
    wanted[index] = true;
    wantedBits |= 1 << index;
  }
  return wrt.length > 0;
}

/** So many bits from the lowest on. */
const allBits = (count: number): number => -1 >>> (32 - count);

/** Walks and passes back; false where the general way must do it. */
function walk(machine: Machine, program: Program, isKept: boolean): boolean {
  const { exports, views, traceSlots, memoryMax, singleAt } = machine;
  traceSlots.useWalk();
  const count = program.inputs.length;
  const given = views.doubles;
  for (let k = 0; k < count; k++) given[singleAt + SINGLE_INPUTS + k] = numbers[k] as number;
  const outcome = exports.walkSingle(
    program.address,
    isKept ? RECORD_VARYING : RECORD_ACTIVE_ONLY,
    memoryMax,
    0,
    STEPS_MAX,
    UNINTERRUPTED_STEPS,
    count,
    wantedBits,
    allBits(count),
    isKept ? 1 : 0,
  );
  return outcome === SINGLE_DONE;
}

/** Keeps the trace, as a run that had to be walked does; the counters of its walk. */
function keep(machine: Machine, program: Program, report: WalkReport): WalkCounters {
  const { traces } = program;
  const signature = signatureOf(wanted, program.inputs.length);
  traces.beginRun();
  const trace = traces.keep(report, signature, 1, false);
  if (trace !== undefined) traces.took(trace, 1);
  const group = traces.group(signature);
  group?.settle(true);
  if (machine.mechanisms.paths !== false) group?.habit.missed();
  return report.counters;
}

function readGradients(
  { inputs }: Program,
  found: Float64Array,
  from: number,
): Record<string, Float64Array> {
  const gradients = smallRecord<Float64Array>();
  for (let k = 0; k < inputs.length; k++) {
    if (!wanted[k]) continue;
    const gradient = new Float64Array(1);
    gradient[0] = found[from + k] as number;
    gradients[keys[k] as string] = gradient;
  }
  return gradients;
}

/** Of the names to differentiate by, those that the result does not depend on. */
function namesLeftOut({ inputs }: Program, reached: number): readonly string[] {
  const left = wantedBits & ~reached;
  return left === 0 ? NO_NAMES : inputs.filter((_, k) => ((left >>> k) & 1) === 1);
}
