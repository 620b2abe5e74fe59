/**
 * What a run did: core forms, tape listing, which inputs are active.
 */

import type { Span } from "../../errors.js";
import { primitives } from "../../primitives/registry.js";
import {
  PAYLOAD_ACTIVE,
  RECORD_BYTES,
  RECORD_CODE,
  TRACE_AND,
  TRACE_AND_NOT,
  TRACE_EQUAL,
  TRACE_GATHER,
  TRACE_GUARD,
  TRACE_GUARD_INTEGER,
  TRACE_GUARD_RANGE,
  TRACE_MERGE,
} from "../../program/layout.js";
import { PayloadEntry, TapeRecord } from "../../program/structures.js";
import type { Machine } from "../machine.js";
import type { Program } from "../program.js";
import type { ByteBudget } from "../results/byte-budget.js";
import { payloadInfo, shapeOf } from "../results/payloads.js";
import type { RecordedInput } from "../results/results.js";
import type { Outcome } from "../run/outcome.js";
import type { RunStats } from "../types.js";
import { Places } from "./diagnose.js";

/** One record of the tape. Payloads are named by number. */
export interface TapeEntry {
  readonly op: string;
  readonly out: number;
  readonly in0: number;
  /** undefined where the operation has one operand. */
  readonly in1: number | undefined;
  readonly aux: number;
  /** [] number, [n] vector, [r, c] matrix: of the result. */
  readonly shape: readonly number[];
  readonly active: boolean;
  readonly uniform: boolean;
  readonly span: Span | undefined;
  /** Source text of the cell that made the record, as a place has it. */
  readonly text: string;
}

export interface Explanation {
  readonly core: string;
  readonly tape: readonly TapeEntry[];
  /** Inputs with their payload number, and whether the tape leads from them to the result. */
  readonly inputs: readonly {
    readonly name: string;
    readonly payload: number;
    readonly active: boolean;
  }[];
  /** What the run returned, as text. */
  readonly result: string;
  readonly stats: RunStats;
}

export function explainRun(
  machine: Machine,
  program: Program,
  outcome: Outcome,
  wrt: readonly RecordedInput[],
  reached: ReadonlySet<string>,
  budget: ByteBudget,
): Explanation {
  const asked = new Map(wrt.map((input) => [input.name, input.payload]));
  return {
    core: program.parsed.print(),
    tape: readTape(machine, program, budget),
    inputs: program.inputs.map((name) => ({
      name,
      payload: asked.get(name) ?? -1,
      active: reached.has(name),
    })),
    result: outcome.print(),
    stats: outcome.stats,
  };
}

const traceNames: ReadonlyMap<number, string> = new Map([
  [TRACE_GUARD, "guard"],
  [TRACE_GUARD_INTEGER, "guard-integer"],
  [TRACE_GUARD_RANGE, "guard-range"],
  [TRACE_AND, "mask-and"],
  [TRACE_AND_NOT, "mask-and-not"],
  [TRACE_MERGE, "merge"],
  [TRACE_EQUAL, "equal"],
  [TRACE_GATHER, "gather"],
]);

/** What one entry takes, and about what a listing makes of it. */
const ENTRY_BYTES = 640;

/** Throws E-MEMORY where the entries would take more than the machine may. */
function readTape(machine: Machine, program: Program, budget: ByteBudget): TapeEntry[] {
  const { exports, views } = machine;
  const places = new Places(program, budget);
  const base = (exports.tapeBase.value as number) >>> 0;
  const end = base + exports.tapeEnd();
  const tape: TapeEntry[] = [];
  for (let at = base; at < end; at += RECORD_BYTES) {
    const record = new TapeRecord(views, at);
    const { in0, in1, aux } = record;
    const code = record.op & RECORD_CODE;
    // A guard has no result of its own: it is listed by what it looks at.
    const out = record.out < 0 ? in0 : record.out;
    const { origin, flags } = new PayloadEntry(views, exports.entryAddress(out));
    const info = payloadInfo(machine, out);
    const place = places.of(origin);
    budget.take(ENTRY_BYTES);
    tape.push({
      op: primitives[code]?.name ?? traceNames.get(code) ?? "unknown",
      out,
      in0,
      in1: in1 < 0 ? undefined : in1,
      aux,
      shape: shapeOf(info),
      active: (flags & PAYLOAD_ACTIVE) !== 0,
      uniform: info.uniform,
      span: place.span,
      text: place.text,
    });
  }
  return tape;
}
