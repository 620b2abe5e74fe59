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
import { faultError, nearestVisible } from "./faults.js";

/** A run that passed one of its limits, with where it was. */
export function limitError(
  machine: Machine,
  program: Program,
  code: "E-STEPS" | "E-TIME",
  what: string,
  option: string,
  limit: number,
): NdvmError {
  const facts = { reason: "budget", option, limit } as const;
  return makeError(code, facts, {
    message: `the program ${what}`,
    span: runningSpan(machine, program),
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
export function machineFault(machine: Machine, program: Program, place?: number): NdvmError {
  const { exports, reals } = machine;
  const { parsed, symbols, source, file } = program;
  return faultError(exports, {
    parsed,
    symbols,
    source,
    file,
    numberOf: (payload) => {
      // A fault is told before its lanes leave, so one of them counts.
      const lane = isUniform(machine, payload) ? 0 : (place ?? exports.firstCounting());
      return reals.view()[exports.primalAddress(payload) / reals.bytes + lane] as number;
    },
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
