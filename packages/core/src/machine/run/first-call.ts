/**
 * The first call of a program: `gradient` at one lane, with plain numbers and no options but `wrt`.
 *
 * A program that was made a moment ago has no trace, so such a call is one walk and one pass back,
 * without anything that decides between traces, chunks and lanes. It keeps the trace of its walk for
 * the calls to come. Whatever turns out less plain (a fault, a result that is not one finite number,
 * memory that is short) is left to the general way, which walks anew and has all words for it.
 */

import { FAULT_NONE, LINK_DONE, RECORD_VARYING, TAG_REAL } from "../../program/layout.js";
import { own, smallRecord } from "../../records.js";
import type { Machine } from "../machine.js";
import type { Program } from "../program.js";
import { isNumber } from "../results/payloads.js";
import type { Inputs } from "../types.js";
import { readReport, type WalkReport } from "./chunk-walk.js";
import { OneResult } from "./one-call.js";
import { signatureOf } from "./signature.js";
import { STEPS_MAX, UNINTERRUPTED_STEPS } from "./walker.js";

/** What a program with these inputs is called with; each call fills it anew. */
const numbers: number[] = [];
const wanted: boolean[] = [];
const keys: string[] = [];
const NO_NAMES: readonly string[] = [];

/** Value and gradients, or undefined where the general way must tell them. */
export function firstCall(
  machine: Machine,
  program: Program,
  inputs: Inputs,
  wrt: readonly string[] | undefined,
): OneResult | undefined {
  if (!take(program.inputs, inputs) || !choose(program.inputs, wrt)) return undefined;
  if (machine.mechanisms.replay === false) return undefined;
  machine.beginRun();
  if (!begin(machine, program)) return undefined;
  const { exports } = machine;
  const at = exports.walkSlice(UNINTERRUPTED_STEPS, 1, 1);
  if (at === 0) return undefined;
  const steps = exports.stepsTaken();
  const report = readReport(machine, at);
  const { value, counters } = report;
  if (report.linked !== LINK_DONE || report.hasMerges) return undefined;
  if (value.tag !== TAG_REAL || !isNumber(machine, value.data)) return undefined;
  if (exports.reserveBackward(false) === 0) return undefined;
  const { reals } = machine;
  const number = reals.view()[exports.primalAddress(value.data) / reals.bytes] as number;
  if (!Number.isFinite(number)) return undefined;
  keep(machine, program, report);
  if (exports.beginBackward() === 0) return undefined;
  const isActive = exports.adjointAddress(value.data) !== 0;
  if (isActive && !goBack(machine, value.data)) return undefined;
  const inactive = isActive ? namesLeftOut(machine, program) : namesWanted(program);
  return new OneResult(number, readGradients(machine, program), inactive, {
    walks: 1,
    replays: 0,
    traces: program.traces.count,
    smallShapeCalls: exports.switchCount(0),
    integerPoolHits: exports.switchCount(1),
    memoryBytes: exports.memoryBytes(),
    steps,
    walked: counters,
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
  if (names.length === 0) return false;
  for (let k = 0; k < names.length; k++) wanted[k] = wrt === undefined;
  if (wrt === undefined) return true;
  if (!Array.isArray(wrt)) return false;
  for (const name of wrt) {
    const index = names.indexOf(name);
    if (index < 0) return false;
    wanted[index] = true;
  }
  return wrt.length > 0;
}

/** Begins a walk of one lane; false where memory is short. */
function begin(machine: Machine, program: Program): boolean {
  const { exports, reals, memoryMax } = machine;
  machine.traceSlots.useWalk();
  if (exports.begin(program.address, 1, RECORD_VARYING, memoryMax, 0, STEPS_MAX) !== FAULT_NONE)
    return false;
  const vector = 16 / reals.bytes;
  for (let k = 0; k < program.inputs.length; k++) {
    const at = exports.bindNumbers(k, 0, 1, 1, 1, wanted[k] ? 1 : 0);
    if (at === 0) return false;
    const view = reals.view();
    const from = at / reals.bytes;
    for (let i = 0; i < vector; i++) view[from + i] = numbers[k] as number;
  }
  exports.bound();
  return true;
}

/** Keeps the trace, as a run that had to be walked does. */
function keep(machine: Machine, program: Program, report: WalkReport): void {
  const { traces } = program;
  const signature = signatureOf(wanted, program.inputs.length);
  traces.beginRun();
  const trace = traces.keep(report, signature, 1, false);
  if (trace !== undefined) traces.took(trace, 1);
  const group = traces.group(signature);
  group?.settle(true);
  if (machine.mechanisms.paths !== false) group?.habit.missed();
  program.countRun();
}

/** Runs the pass back from a result that depends on what is differentiated by. */
function goBack({ exports, reals }: Machine, result: number): boolean {
  reals.view()[exports.adjointAddress(result) / reals.bytes] = 1;
  return exports.backward(result, false) === FAULT_NONE;
}

function readGradients(
  { exports, reals }: Machine,
  program: Program,
): Record<string, Float64Array> {
  const gradients = smallRecord<Float64Array>();
  const view = reals.view();
  for (let k = 0; k < program.inputs.length; k++) {
    if (!wanted[k]) continue;
    const at = exports.adjointAddress(program.firstInputPayload + k);
    const value = at === 0 ? 0 : (view[at / reals.bytes] as number);
    const gradient = new Float64Array(1);
    gradient[0] = Number.isNaN(value) ? Number.NaN : value;
    gradients[keys[k] as string] = gradient;
  }
  return gradients;
}

/** Of the names to differentiate by, those that the result does not depend on. */
function namesLeftOut({ exports }: Machine, program: Program): readonly string[] {
  let names: string[] | undefined;
  for (let k = 0; k < program.inputs.length; k++) {
    if (!wanted[k] || exports.isReached(program.firstInputPayload + k, false) !== 0) continue;
    names ??= [];
    names.push(keys[k] as string);
  }
  return names ?? NO_NAMES;
}

const namesWanted = ({ inputs }: Program): readonly string[] =>
  inputs.filter((_, k) => wanted[k] === true);
