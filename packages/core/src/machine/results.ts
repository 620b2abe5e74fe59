/**
 * Results of a run, gathered chunk by chunk: values and gradients by the caller's lanes, failures,
 * reports of numbers that are not finite.
 */

import { NdvmError, type Span } from "../errors.js";
import { PAYLOAD_ORIGIN } from "../program/layout.js";
import type { Datum } from "../syntax/datum.js";
import { type LaneSet, laneAt } from "./chunk.js";
import type { Exports } from "./instance.js";
import type { Machine } from "./machine.js";
import type { Program } from "./program.js";
import { printResult, Snapshot } from "./snapshot.js";
import type { DatumValue, LaneFailure, NonFinite } from "./types.js";

/** An input that gradients are wanted for. */
export interface RecordedInput {
  readonly name: string;
  readonly payload: number;
  /** Elements: 1 for a number. */
  readonly count: number;
}

/** Where a number became infinite, and that in words. */
interface Cause {
  readonly span: Span | undefined;
  readonly words: string;
}

/** One group of lanes with a result that is kept as structure. */
interface Group {
  readonly snapshot: Snapshot;
  /** Position in the snapshot of each of the caller's lanes. */
  readonly places: ReadonlyMap<number, number>;
}

export class Results {
  readonly lanes: number;
  readonly failures: LaneFailure[] = [];
  readonly nonFinite: NonFinite[] = [];
  /** Lanes whose result is not finite, for a reason that a run with a tape could tell. */
  readonly unexplained: number[] = [];
  readonly gradients: Record<string, Float64Array>;
  readonly #program: Program;
  /** Of how many lanes that are not finite the cause is told; undefined: they are not looked for. */
  readonly #explains: number | undefined;
  /** Causes by where in the program they are: many lanes have the same. */
  readonly #causes = new Map<number, Cause>();
  #shape: readonly number[] | undefined;
  #values: Float64Array | undefined;
  readonly #groups: Group[] = [];
  readonly #failed = new Set<number>();

  constructor(
    program: Program,
    lanes: number,
    wrt: readonly RecordedInput[],
    explains: number | undefined,
  ) {
    this.#program = program;
    this.#explains = explains;
    this.lanes = lanes;
    this.gradients = namedArrays(wrt, lanes);
  }

  /** Elements of a numeric result. */
  get count(): number {
    return this.#shape === undefined ? 0 : this.#shape.reduce((a, b) => a * b, 1);
  }

  /** Whether every lane so far has a numeric result of one shape. */
  get isNumeric(): boolean {
    return this.#groups.length === 0 && this.#values !== undefined;
  }

  get shape(): readonly number[] | undefined {
    return this.isNumeric ? this.#shape : undefined;
  }

  get values(): Float64Array {
    if (this.isNumeric) return this.#values as Float64Array;
    const kinds = new Set(this.#groups.map(({ snapshot }) => snapshot.kind));
    if (this.#values !== undefined) kinds.add("a number");
    const what =
      kinds.size > 1
        ? "different things in different lanes, not numbers of one shape"
        : `${[...kinds][0] ?? "nothing"}, not numbers`;
    throw new NdvmError("E-RESULT", `the program returned ${what}`, {
      help: "use datum(lane) to read it; only numbers, vectors and matrices have values",
    }).in(this.#program.source, this.#program.file);
  }

  /** Takes the machine's result for the live lanes of a chunk. `live` has one byte a lane. */
  take(
    machine: Machine,
    set: LaneSet,
    live: Uint8Array,
    shape: readonly number[] | undefined,
  ): void {
    const fits =
      shape !== undefined && (this.#shape === undefined || sameShape(shape, this.#shape));
    if (!fits) {
      this.#takeStructure(machine, set, live);
      return;
    }
    if (this.#values === undefined) {
      this.#shape = shape;
      this.#values = new Float64Array(this.lanes * this.count).fill(Number.NaN);
    }
    machine.readResult(this.#values, this.count, set, live);
    if (this.#explains !== undefined) this.#reportNonFinite(machine, set, live, this.#explains);
  }

  #takeStructure(machine: Machine, set: LaneSet, live: Uint8Array): void {
    const snapshot = new Snapshot(machine, this.#program, live.length);
    const places = new Map<number, number>();
    live.forEach((isLive, i) => {
      if (isLive === 1) places.set(laneAt(set, i), i);
    });
    this.#groups.push({ snapshot, places });
  }

  fail(set: LaneSet, lanes: Uint8Array, error: NdvmError): void {
    lanes.forEach((isOne, i) => {
      if (isOne === 1) this.failOne(laneAt(set, i), error);
    });
  }

  /** A lane that is walked again because memory was short can fail again; once is reported. */
  failOne(lane: number, error: NdvmError): void {
    if (this.#failed.has(lane)) return;
    this.#failed.add(lane);
    this.failures.push({ lane, error });
  }

  datum(lane: number): DatumValue {
    const group = this.#groupOf(lane);
    if (group !== undefined) return group.snapshot.value(group.places.get(lane) as number);
    const own = this.#numbers(lane);
    const shape = this.#shape ?? [];
    if (shape.length === 0) return own[0] as number;
    if (shape.length === 1) return own;
    const [rows, cols] = shape as [number, number];
    return Array.from({ length: rows }, (_, r) => own.slice(r * cols, (r + 1) * cols));
  }

  print(lane: number): string {
    const group = this.#groupOf(lane);
    const datum =
      group === undefined
        ? numericDatum(this.#numbers(lane), this.#shape ?? [])
        : group.snapshot.datum(group.places.get(lane) as number);
    return printResult(datum);
  }

  #groupOf(lane: number): Group | undefined {
    const failure = this.failures.find((candidate) => candidate.lane === lane);
    if (failure !== undefined) throw failure.error;
    return this.#groups.find(({ places }) => places.has(lane));
  }

  #numbers(lane: number): Float64Array {
    const values = this.#values as Float64Array;
    return values.slice(lane * this.count, (lane + 1) * this.count);
  }

  #reportNonFinite(machine: Machine, set: LaneSet, live: Uint8Array, explains: number): void {
    const values = this.#values as Float64Array;
    const { count } = this;
    for (let i = 0; i < live.length; i++) {
      if (live[i] !== 1) continue;
      const lane = laneAt(set, i);
      for (let e = 0; e < count; e++) {
        const value = values[lane * count + e] as number;
        if (Number.isFinite(value)) continue;
        const isDetailed = this.nonFinite.length < explains;
        this.nonFinite.push(this.#nonFiniteLane(machine, lane, i, value, isDetailed));
        break;
      }
    }
  }

  /** Takes over what another run of these lanes found out about them. */
  explain(lanes: readonly number[], found: readonly NonFinite[]): void {
    for (const { lane: place, span, message } of found) {
      const lane = lanes[place];
      const at = this.nonFinite.findIndex((entry) => entry.lane === lane);
      const known = this.nonFinite[at];
      if (known === undefined || lane === undefined) continue;
      const reason = message.slice(`lane ${place} is `.length);
      this.nonFinite[at] = { ...known, span, message: `lane ${lane} is ${reason}` };
    }
  }

  #nonFiniteLane(
    machine: Machine,
    lane: number,
    place: number,
    value: number,
    isDetailed: boolean,
  ): NonFinite {
    const what = `lane ${lane} is ${value}`;
    const { exports, resultPayload } = machine;
    const payload = isDetailed
      ? exports.firstNonFinite(place, resultPayload, this.#program.firstInputPayload)
      : -1;
    if (payload < 0) {
      if (isDetailed) this.unexplained.push(lane);
      return { lane, value, span: undefined, message: what };
    }
    const { span, words } = this.#causeAt(originOf(exports, payload));
    return { lane, value, span, message: what + words };
  }

  /** What made a number infinite, by the node it was made at, or −1 − the input that it is. */
  #causeAt(origin: number): Cause {
    const known = this.#causes.get(origin);
    if (known !== undefined) return known;
    const cause = origin < 0 ? this.#inputCause(-1 - origin) : this.#nodeCause(origin);
    this.#causes.set(origin, cause);
    return cause;
  }

  #inputCause(input: number): Cause {
    return { span: undefined, words: `: input ${this.#program.inputs[input]} is not finite` };
  }

  #nodeCause(node: number): Cause {
    const span = this.#program.listing.spanOf(node);
    const text = span === undefined ? "" : this.#program.source.slice(span.start, span.end);
    return { span, words: text === "" ? "" : `: first made so by ${shorten(text)}` };
  }
}

function originOf(exports: Exports, payload: number): number {
  const entry = new DataView(exports.memory.buffer, exports.entryAddress(payload));
  return entry.getInt32(PAYLOAD_ORIGIN, true);
}

/** An array for each input: `perLane` numbers for each of its elements. Any name will do. */
export function namedArrays(
  inputs: readonly RecordedInput[],
  perLane: number,
): Record<string, Float64Array> {
  // A name such as __proto__ must be a property like the others.
  return Object.fromEntries(
    inputs.map(({ name, count }) => [name, new Float64Array(perLane * count).fill(Number.NaN)]),
  );
}

const shorten = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
};

const sameShape = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((size, i) => size === b[i]);

const NOWHERE = { start: 0, end: 0 };

/** Whole numbers print without a point, however the machine holds them: lanes agree on the text. */
const isWhole = (value: number): boolean => Number.isSafeInteger(value) && !Object.is(value, -0);

/** Numbers as a datum: a number, [a b c], (mat [..] …), or (zeros r c) where none is left. */
export function numericDatum(numbers: Float64Array, shape: readonly number[]): Datum {
  const number = (value: number): Datum => ({
    kind: "number",
    value,
    exact: isWhole(value),
    span: NOWHERE,
  });
  const bracket = (values: Float64Array): Datum => ({
    kind: "bracket",
    items: Array.from(values, number),
    span: NOWHERE,
  });
  if (shape.length === 0) return number(numbers[0] as number);
  if (shape.length === 1) return bracket(numbers);
  const [rows, cols] = shape as [number, number];
  const symbol = (name: string): Datum => ({ kind: "symbol", name, span: NOWHERE });
  const size = (value: number): Datum => ({ kind: "number", value, exact: true, span: NOWHERE });
  if (rows * cols === 0)
    return { kind: "list", items: [symbol("zeros"), size(rows), size(cols)], span: NOWHERE };
  const parts = Array.from({ length: rows }, (_, r) =>
    bracket(numbers.slice(r * cols, (r + 1) * cols)),
  );
  return { kind: "list", items: [symbol("mat"), ...parts], span: NOWHERE };
}
