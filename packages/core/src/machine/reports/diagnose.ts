/**
 * Diagnostics of a run: which way every lane went at every branch, inputs that matter to tests
 * only, clamped domains, and numbers that are not finite.
 *
 * A gradient is exact for the path that ran and says nothing beyond it; these reports show where
 * another path is near. Collected from a walk whose branches left notes on the tape.
 */

import type { Span } from "../../errors.js";
import { Op, opRanges } from "../../primitives/registry.js";
import {
  PAYLOAD_UNIFORM,
  RECORD_BYTES,
  RECORD_CODE,
  TRACE_BRANCH,
  TRACE_GUARD,
} from "../../program/layout.js";
import { PayloadEntry, TapeRecord } from "../../program/structures.js";
import type { Machine } from "../machine.js";
import type { Program } from "../program.js";
import type { ByteBudget } from "../results/byte-budget.js";
import { payloadInfo } from "../results/payloads.js";
import { laneAt } from "../run/chunk.js";
import type { Chunk } from "../run/port.js";
import type { NonFinite } from "../types.js";
import { type ByLane, LanePaths } from "./by-lane.js";
import { InputSets, NO_INPUTS } from "./input-sets.js";

/** A place in the program, with its text; of a long one the first thousand characters and "…". */
export interface Place {
  readonly span: Span | undefined;
  readonly text: string;
}

/** Nested calls each have the text of all calls inside them: nobody reads more of it than this. */
const TEXT_CHARACTERS = 1000;

/** A branch, and how often lanes took each way, all turns of loops together. */
export interface BranchReport extends Place {
  readonly taken: number;
  readonly notTaken: number;
}

/** A primitive whose input was clamped, and in which lanes. */
export interface ClampReport extends Place {
  readonly lanes: readonly number[];
}

export interface Diagnostics {
  readonly branches: readonly BranchReport[];
  /** Inputs that reach tests but not the result: their gradient is zero. */
  readonly predicateOnly: readonly string[];
  readonly clamped: readonly ClampReport[];
  readonly nonFinite: readonly NonFinite[];
  /** Each lane's way: branch nodes in order, doubled, plus one where the test held. */
  readonly paths: LanePaths;
  /** The place of a branch node. */
  placeOf(node: number): Place;
  /** The memory that all this was charged to. @internal */
  readonly report: ByteBudget;
}

/** One lane whose way changed between two runs, at the first branch that differs. */
export interface BranchFlip extends Place {
  readonly lane: number;
  /** How many branches the lane had passed before. */
  readonly after: number;
  /** Truth of the test in the two runs; undefined where the run had ended before. */
  readonly before: boolean | undefined;
  readonly now: boolean | undefined;
}

/** A lane's number in a list. */
const NUMBER_BYTES = 8;

/** Gathers the reports of one run, chunk by chunk, within a budget. */
export class DiagnosticsCollector {
  readonly #machine: Machine;
  readonly #program: Program;
  readonly #paths: LanePaths;
  readonly #counts = new Map<number, { taken: number; notTaken: number }>();
  /** By the node of a clamp, a bit for each lane. */
  readonly #clamped = new Map<number, Uint8Array>();
  readonly #inTests = new Set<number>();
  readonly #budget: ByteBudget;

  constructor(machine: Machine, program: Program, lanes: number, budget: ByteBudget) {
    this.#machine = machine;
    this.#budget = budget;
    this.#program = program;
    this.#paths = new LanePaths(lanes, budget);
  }

  /** Reads the tape of a chunk that has just been walked. */
  take(chunk: Chunk): void {
    const tape = new TapeReader(this.#machine);
    const fromInputs = new InputSets(this.#budget.rest());
    const turns = new Uint32Array(chunk.live.length);
    for (const record of tape.records()) {
      this.#follow(fromInputs, record, tape);
      if (record.code === TRACE_BRANCH) this.#countTurns(chunk, tape, record, turns);
      if (record.code === Op.sqrtClamp || record.code === Op.logClamp)
        this.#takeClamp(chunk, tape, record);
    }
    this.#takeTurns(chunk, tape, turns);
  }

  /** Which inputs each payload depends on, and which of them a test looks at. */
  #follow(from: InputSets, record: ReadRecord, tape: TapeReader): void {
    const setOf = (id: number): number => {
      if (id < 0) return NO_INPUTS;
      const origin = tape.originOf(id);
      return origin < 0 ? from.single(-1 - origin) : from.of(id);
    };
    const other = record.code === TRACE_BRANCH ? NO_INPUTS : setOf(record.in1);
    const sources = from.union(setOf(record.in0), other);
    const { first } = opRanges.unaryPredicate;
    const { last } = opRanges.binaryPredicate;
    if (record.code >= first && record.code <= last)
      for (const input of from.members(sources)) this.#inTests.add(input);
    if (record.out >= 0) from.add(record.out, sources);
  }

  #countTurns({ live }: Chunk, tape: TapeReader, record: ReadRecord, turns: Uint32Array): void {
    const node = record.in1;
    const count = this.#counts.get(node) ?? { taken: 0, notTaken: 0 };
    this.#counts.set(node, count);
    const isHere = tape.maskOf(record.mask);
    const isTrue = truthOf(tape, record);
    for (let i = 0; i < live.length; i++) {
      if (live[i] !== 1 || !isHere(i)) continue;
      turns[i] = (turns[i] as number) + 1;
      if (isTrue(i)) count.taken += 1;
      else count.notTaken += 1;
    }
  }

  /** Notes which way each lane went, once it is known how many turns it takes. */
  #takeTurns({ set, live }: Chunk, tape: TapeReader, counts: Uint32Array): void {
    const part = this.#paths.addPart(counts, (position) => laneAt(set, position));
    if (part === undefined) return;
    const { turns, next } = part;
    for (const record of tape.records()) {
      if (record.code !== TRACE_BRANCH) continue;
      const isHere = tape.maskOf(record.mask);
      const isTrue = truthOf(tape, record);
      for (let i = 0; i < live.length; i++) {
        if (live[i] !== 1 || !isHere(i)) continue;
        const at = next[i] as number;
        turns[at] = record.in1 * 2 + (isTrue(i) ? 1 : 0);
        next[i] = at + 1;
      }
    }
  }

  #takeClamp({ set, live }: Chunk, tape: TapeReader, record: ReadRecord): void {
    const node = tape.originOf(record.out);
    const isHere = tape.maskOf(record.mask);
    for (let i = 0; i < live.length; i++) {
      if (live[i] !== 1 || !isHere(i) || !tape.isClamped(record.in0, i)) continue;
      const lane = laneAt(set, i);
      const bits = this.#clamped.get(node) ?? this.#noLanes();
      bits[lane >> 3] = (bits[lane >> 3] as number) | (1 << (lane & 7));
      this.#clamped.set(node, bits);
    }
  }

  #noLanes(): Uint8Array {
    const bytes = Math.ceil(this.#paths.length / 8);
    this.#budget.take(bytes);
    return new Uint8Array(bytes);
  }

  finish(nonFinite: readonly NonFinite[], reached: ReadonlySet<string>): Diagnostics {
    const program = this.#program;
    const places = new Places(program, this.#budget);
    const placeOf = (node: number): Place => places.of(node);
    return {
      branches: [...this.#counts].map(([node, counts]) => ({ ...placeOf(node), ...counts })),
      predicateOnly: [...this.#inTests]
        .map((index) => program.inputs[index] as string)
        .filter((name) => !reached.has(name)),
      clamped: [...this.#clamped].map(([node, bits]) => ({
        ...placeOf(node),
        lanes: this.#lanesIn(bits),
      })),
      nonFinite,
      paths: this.#paths,
      placeOf,
      report: this.#budget,
    };
  }

  #lanesIn(bits: Uint8Array): number[] {
    const isIn = (lane: number): boolean => ((bits[lane >> 3] as number) & (1 << (lane & 7))) !== 0;
    const { length } = this.#paths;
    let count = 0;
    for (let lane = 0; lane < length; lane++) if (isIn(lane)) count += 1;
    this.#budget.take(NUMBER_BYTES * count);
    const lanes = new Array<number>(count);
    let at = 0;
    for (let lane = 0; lane < length; lane++) if (isIn(lane)) lanes[at++] = lane;
    return lanes;
  }
}

/** Whether a branch's test held, by the lane's place in the chunk. */
const truthOf = (tape: TapeReader, { in0, aux }: ReadRecord): ((lane: number) => boolean) =>
  in0 < 0 ? () => aux === 1 : tape.maskOf(in0);

/**
 * Whether the machine's current trace has neither a test nor a clamp: it tells nothing to report.
 * @internal
 */
export function isPlainTrace({ exports, views }: Machine): boolean {
  const from = (exports.tapeBase.value as number) >>> 0;
  const end = from + exports.tapeEnd();
  for (let at = from; at < end; at += RECORD_BYTES) {
    const code = new TapeRecord(views, at).op & RECORD_CODE;
    const isTest = code >= opRanges.unaryPredicate.first && code <= opRanges.binaryPredicate.last;
    const isClamp = code === Op.sqrtClamp || code === Op.logClamp;
    if (isTest || isClamp || code >= TRACE_GUARD) return false;
  }
  return true;
}

/** The clamp of `sqrt` and `log` in the paper's domain. */
const CLAMP = 1e-8;
/** Bytes of an element that all lanes share: one vector. */
const UNIFORM_BYTES = 16;

/** What a place takes beside its text. */
const PLACE_BYTES = 512;

/** Places of a program that were asked for: what is told about many lanes has each of them once. */
export class Places {
  readonly #program: Program;
  readonly #budget: ByteBudget;
  readonly #known = new Map<number, Place>();

  constructor(program: Program, budget: ByteBudget) {
    this.#program = program;
    this.#budget = budget;
  }

  of(node: number): Place {
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    const place = placeIn(this.#program, node);
    this.#budget.take(PLACE_BYTES + 2 * place.text.length);
    this.#known.set(node, place);
    return place;
  }
}

function placeIn(program: Program, node: number): Place {
  const span = program.parsed.spanOf(node);
  if (span === undefined) return { span: undefined, text: "" };
  const { start, end } = span;
  const isLong = end - start > TEXT_CHARACTERS;
  const text = program.source.slice(start, isLong ? start + TEXT_CHARACTERS - 1 : end);
  return { span, text: isLong ? `${text}…` : text };
}

interface ReadRecord {
  readonly code: number;
  readonly out: number;
  readonly in0: number;
  readonly in1: number;
  readonly aux: number;
  readonly mask: number;
}

/** Reads records and payloads of the machine's current tape. */
class TapeReader {
  readonly #machine: Machine;
  readonly #views: Machine["views"];
  readonly #bytes: Uint8Array;

  constructor(machine: Machine) {
    this.#machine = machine;
    this.#views = machine.views;
    this.#bytes = new Uint8Array(machine.exports.memory.buffer);
  }

  *records(): Generator<ReadRecord> {
    const { exports } = this.#machine;
    const base = (exports.tapeBase.value as number) >>> 0;
    const end = base + exports.tapeEnd();
    for (let at = base; at < end; at += RECORD_BYTES) {
      const { op, out, in0, in1, aux, mask } = new TapeRecord(this.#views, at);
      yield { code: op & RECORD_CODE, out, in0, in1, aux, mask };
    }
  }

  originOf(id: number): number {
    return this.#entryOf(id).origin;
  }

  #entryOf(id: number): PayloadEntry {
    return new PayloadEntry(this.#views, this.#machine.exports.entryAddress(id));
  }

  #addressIn(id: number, lane: number): number {
    const { exports, reals } = this.#machine;
    const { flags } = this.#entryOf(id);
    const offset = (flags & PAYLOAD_UNIFORM) !== 0 ? 0 : lane * reals.bytes;
    return exports.primalAddress(id) + offset;
  }

  /** Whether a mask is set, by lane; -1 stands for all lanes. */
  maskOf(mask: number): (lane: number) => boolean {
    if (mask < 0) return () => true;
    const from = this.#addressIn(mask, 0);
    const step = this.#addressIn(mask, 1) - from;
    const bytes = this.#bytes;
    return (lane) => bytes[from + lane * step] !== 0;
  }

  /** Whether an element of a payload is below the limit, as the kernel has it, in a lane. */
  isClamped(id: number, lane: number): boolean {
    const { exports, reals, precision } = this.#machine;
    const { rows, cols, uniform } = payloadInfo(this.#machine, id);
    const limit = precision === "f32" ? Math.fround(CLAMP) : CLAMP;
    const step = (uniform ? UNIFORM_BYTES : exports.runBytes()) / reals.bytes;
    const view = reals.view();
    let at = this.#addressIn(id, lane) / reals.bytes;
    for (let e = 0; e < rows * cols; e++, at += step) if ((view[at] as number) < limit) return true;
    return false;
  }
}

/** What a flip takes beside the numbers on both sides of it. */
const FLIP_BYTES = 240;

/** Lanes that went another way in the second run than in the first. */
export function branchFlips(before: Diagnostics, now: Diagnostics): BranchFlip[] {
  return [...flipsBetween(before.paths, now.paths, now, now.report.rest())];
}

type Ways = Pick<ByLane<Int32Array>, "length" | "at">;

/**
 * Lanes of two runs that went different ways, one after the other; each is charged to the budget.
 * @internal
 */
export function* flipsBetween(
  before: Ways,
  now: Ways,
  { placeOf }: Diagnostics,
  budget: ByteBudget,
): Generator<BranchFlip> {
  const lanes = Math.min(before.length, now.length);
  for (let lane = 0; lane < lanes; lane++) {
    const a = before.at(lane) as Int32Array;
    const b = now.at(lane) as Int32Array;
    let at = 0;
    while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
    if (at === a.length && at === b.length) continue;
    budget.take(FLIP_BYTES);
    const decision = b[at] ?? (a[at] as number);
    yield {
      lane,
      after: at,
      before: a[at] === undefined ? undefined : (a[at] as number) % 2 === 1,
      now: b[at] === undefined ? undefined : (b[at] as number) % 2 === 1,
      ...placeOf(Math.floor(decision / 2)),
    };
  }
}
