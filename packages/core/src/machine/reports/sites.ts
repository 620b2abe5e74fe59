/**
 * Where a walk is: the user's text that belongs to a fault, or to a walk that was stopped.
 */

import type { NdvmError, Span } from "../../errors.js";
import {
  CONTROL_FRAME_BYTES,
  FAULT_MEMORY,
  FAULT_RECURSION,
  FRAME_RETURN,
} from "../../program/layout.js";
import { ControlFrame } from "../../program/structures.js";
import { makeError } from "../../words.js";
import type { Machine } from "../machine.js";
import type { Program } from "../program.js";
import { isUniform } from "../results/payloads.js";
import type { LaneFault } from "../results/troubles.js";
import { faultError, nearestVisible } from "./faults.js";

/** A run that passed one of its limits, with where it was. */
export function limitError(
  machine: Machine,
  program: Program,
  code: "E-STEPS" | "E-TIME",
  what: string,
  option: string,
  limit: number,
  span = runningSpan(machine, program),
): NdvmError {
  const facts = { reason: "budget", option, limit } as const;
  return makeError(code, facts, {
    message: `the program ${what}`,
    span,
    source: program.source,
    file: program.file,
  });
}

/** Share of memory in frames of calls from which a shortage is a matter of recursion. */
const RECURSION_SHARE = 1 / 64;

/**
 * Says whether memory that has run out did so by recursion: by the calls under way, and not by
 * which request happened to be the last, so that what ran before does not show.
 * @internal
 */
export function settleShortage({ exports, memoryMax }: Machine): void {
  const code = exports.faultCode.value as number;
  if (code !== FAULT_MEMORY && code !== FAULT_RECURSION) return;
  const calls = exports.controlEnd() - ((exports.controlBase.value as number) >>> 0);
  const isDeep = calls > memoryMax * RECURSION_SHARE;
  exports.faultCode.value = isDeep ? FAULT_RECURSION : FAULT_MEMORY;
}

/** The fault of the run under way, as an error with the program's text. */
export function machineFault(machine: Machine, program: Program): NdvmError {
  // A fault is told before its lanes leave, so one of them counts.
  const lane = machine.exports.firstCounting();
  return faultWith(machine, program, (payload) => String(numberIn(machine, payload, lane)));
}

/** The same as `count` lanes have it: each is told its own numbers. */
export function laneFault(machine: Machine, program: Program, count: number): LaneFault {
  const asked = new Set<number>();
  const lane = machine.exports.firstCounting();
  const error = faultWith(machine, program, (payload) => {
    if (!isUniform(machine, payload)) asked.add(payload);
    return String(numberIn(machine, payload, lane));
  });
  if (asked.size === 0) return { error, own: [] };
  const marks = marksBeside(error.message, [...asked]);
  const marked = faultWith(
    machine,
    program,
    (payload) => marks.get(payload) ?? String(numberIn(machine, payload, lane)),
  );
  const own = [...marks].map(([payload, mark]) => ({
    mark,
    numbers: Float64Array.from({ length: count }, (_, i) => numberIn(machine, payload, i)),
  }));
  return { error: marked, own };
}

/** The first characters of this block for private use stand for numbers, but for those in the text. */
const MARK_FIRST = 0xe000;

/** A character for each payload that the text does not have. */
function marksBeside(text: string, payloads: readonly number[]): Map<number, string> {
  const marks = new Map<number, string>();
  let code = MARK_FIRST;
  for (const payload of payloads) {
    while (text.includes(String.fromCharCode(code))) code += 1;
    marks.set(payload, String.fromCharCode(code++));
  }
  return marks;
}

function numberIn(machine: Machine, payload: number, lane: number): number {
  const { exports, reals } = machine;
  const place = isUniform(machine, payload) ? 0 : lane;
  return reals.view()[exports.primalAddress(payload) / reals.bytes + place] as number;
}

function faultWith(
  machine: Machine,
  program: Program,
  numberText: (payload: number) => string,
): NdvmError {
  const { exports } = machine;
  const { parsed, symbols, source, file } = program;
  return faultError(exports, {
    parsed,
    symbols,
    source,
    file,
    numberText,
    procedureOf: (closure) => {
      const heap = ((exports.heapBase.value as number) >>> 0) + closure * 8;
      return program.procedureAt(new DataView(exports.memory.buffer).getInt32(heap + 4, true));
    },
    callers: () => callersOf(machine),
  });
}

/** Where in the user's text a walk that has paused is. */
export function runningSpan(machine: Machine, program: Program): Span | undefined {
  const { parsed } = program;
  const node = nearestVisible(parsed, machine.exports.runningNode(), callersOf(machine));
  return node < 0 ? undefined : parsed.spanOf(node);
}

/** Calls under way that are looked at, at most. */
const CALLERS_MAX = 4096;

/** Nodes of the calls under way, innermost first. */
function* callersOf(machine: Machine): Generator<number, void> {
  const { exports, views } = machine;
  const base = (exports.controlBase.value as number) >>> 0;
  const last = exports.controlEnd() - CONTROL_FRAME_BYTES;
  let count = 0;
  for (let at = last; at >= base && count < CALLERS_MAX; at -= CONTROL_FRAME_BYTES) {
    const { kind, cell } = new ControlFrame(views, at);
    if (kind !== FRAME_RETURN) continue;
    count += 1;
    // The second word of a place is the number of its node.
    yield views.words[cell / 4 + 1] as number;
  }
}
