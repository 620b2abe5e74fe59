/**
 * Results of a run, gathered chunk by chunk: values and gradients by the caller's lanes, failures,
 * reports of numbers that are not finite.
 */

import { NdvmError, type Span } from "../../errors.js";
import { PayloadEntry } from "../../program/structures.js";
import { smallRecord } from "../../records.js";
import type { Exports } from "../instance.js";
import type { Machine } from "../machine.js";
import type { Program } from "../program.js";
import { type LaneSet, laneAt } from "../run/chunk.js";
import type { DatumValue, LaneFailure, NonFinite } from "../types.js";
import { ByteBudget } from "./byte-budget.js";
import { type MachineValue, numericShape, payloadOf, readNumeric } from "./payloads.js";
import { numericDatum, printResult } from "./result-text.js";
import { Snapshot } from "./snapshot.js";

/** An input that gradients are wanted for. */
export interface RecordedInput {
  readonly name: string;
  readonly payload: number;
  /** Elements: 1 for a number. */
  readonly count: number;
}

/** Room for results that somebody else made; every number in it is NaN. */
export interface ResultArrays {
  /** Elements of a lane's value that `values` has room for: values of another size go elsewhere. */
  readonly count: number;
  readonly values: Float64Array;
  /** Of all inputs that gradients are wanted for. */
  readonly gradients: Readonly<Record<string, Float64Array>>;
}

/** Where a number became infinite, and that in words. */
interface Cause {
  readonly span: Span | undefined;
  readonly words: string;
}

/** The lanes of a chunk that have a result: one byte each, 1 where they live. */
export interface LiveLanes {
  readonly set: LaneSet;
  readonly live: Uint8Array;
}

/** One group of lanes whose result is structure, or numbers of another shape than the first. */
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
  readonly gradients: Readonly<Record<string, Float64Array>>;
  readonly #into: ResultArrays | undefined;
  readonly #program: Program;
  /** Of how many lanes that are not finite the cause is told; undefined: they are not looked for. */
  readonly #explains: number | undefined;
  /** Causes by where in the program they are: many lanes have the same. */
  #causes: Map<number, Cause> | undefined;
  #shape: readonly number[] | undefined;
  #count = 0;
  #values: Float64Array | undefined;
  readonly #groups: Group[] = [];
  #failed: Map<number, NdvmError> | undefined;
  /** What is kept of the results counts against the machine's memory budget. */
  readonly #budget: ByteBudget;

  constructor(
    program: Program,
    lanes: number,
    wrt: readonly RecordedInput[],
    explains: number | undefined,
    bytesMax: number,
    into?: ResultArrays,
  ) {
    this.#program = program;
    this.#into = into;
    this.#budget = new ByteBudget(bytesMax);
    this.#explains = explains;
    this.lanes = lanes;
    this.gradients = into?.gradients ?? namedArrays(wrt, lanes);
  }

  /** Elements of a numeric result. */
  get count(): number {
    return this.#count;
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
      facts: {
        reason: "structure",
        actual: kinds.size > 1 ? "different things" : [...kinds].join(),
      },
      help: "use datum(lane) to read it; only numbers, vectors and matrices have values",
    }).in(this.#program.source, this.#program.file);
  }

  /** Takes a value of the machine's current trace or latest walk for the live lanes of a chunk. */
  take(machine: Machine, value: MachineValue, lanes: LiveLanes): void {
    const shape = numericShape(machine, value);
    const fits =
      shape !== undefined && (this.#shape === undefined || sameShape(shape, this.#shape));
    if (!fits) {
      this.#takeOther(machine, value, lanes);
      return;
    }
    if (this.#values === undefined) this.#makeRoom(shape);
    const values = this.#values as unknown as Float64Array;
    const { count } = this;
    readNumeric(machine, value, values, count, lanes.set, lanes.live);
    if (this.#explains === undefined) return;
    this.#reportNonFinite(machine, payloadOf(value), lanes, (lane) =>
      firstNonFinite(values, lane * count, count),
    );
  }

  /** One number a lane is no more than the caller's own inputs; vectors and matrices are. */
  #makeRoom(shape: readonly number[]): void {
    this.#shape = shape;
    this.#count = shape.reduce((product, size) => product * size, 1);
    if (shape.length > 0) this.claim(this.lanes * this.count);
    const given = this.#into?.count === this.count ? this.#into.values : undefined;
    this.#values = given ?? new Float64Array(this.lanes * this.#count).fill(Number.NaN);
  }

  /** So many numbers are kept as part of the result: throws E-MEMORY where that is too much. */
  claim(numbers: number): void {
    this.#budget.take(numbers * Float64Array.BYTES_PER_ELEMENT);
  }

  /** Keeps a result that does not go with the numbers of the others. */
  #takeOther(machine: Machine, value: MachineValue, lanes: LiveLanes): void {
    const { set, live } = lanes;
    const snapshot = new Snapshot(machine, this.#program, value, live.length, this.#budget);
    const places = new Map<number, number>();
    live.forEach((isLive, i) => {
      if (isLive === 1) places.set(laneAt(set, i), i);
    });
    this.#groups.push({ snapshot, places });
    this.#reportNonFinite(machine, payloadOf(value), lanes, (_, place) =>
      snapshot.nonFinite(place),
    );
  }

  fail(set: LaneSet, lanes: Uint8Array, error: NdvmError): void {
    lanes.forEach((isOne, i) => {
      if (isOne === 1) this.failOne(laneAt(set, i), error);
    });
  }

  /** A lane that is walked again because memory was short can fail again; once is reported. */
  failOne(lane: number, error: NdvmError): void {
    this.#failed ??= new Map();
    if (this.#failed.has(lane)) return;
    this.#failed.set(lane, error);
    this.failures.push({ lane, error });
  }

  /** The result in one lane; lanes that are read together share a budget. */
  datum(lane: number, budget = this.reading()): DatumValue {
    const group = this.#groupOf(lane);
    if (group !== undefined) return group.snapshot.value(group.places.get(lane) as number, budget);
    const own = this.#numbers(lane);
    const shape = this.#shape ?? [];
    if (shape.length === 0) return own[0] as number;
    if (shape.length === 1) return own;
    const [rows, cols] = shape as [number, number];
    return Array.from({ length: rows }, (_, r) => own.slice(r * cols, (r + 1) * cols));
  }

  print(lane: number, budget = this.reading()): string {
    const group = this.#groupOf(lane);
    if (group !== undefined)
      return printResult(group.snapshot.datum(group.places.get(lane) as number, budget));
    const own = this.#numbers(lane);
    if (own.length > 1) budget.take(own.length * DATUM_BYTES);
    return printResult(numericDatum(own, this.#shape ?? []));
  }

  /** What reading a result may take beside what the results take themselves. */
  reading(): ByteBudget {
    return this.#budget.rest();
  }

  #groupOf(lane: number): Group | undefined {
    const failure = this.#failed?.get(lane);
    if (failure !== undefined) throw failure;
    return this.#groups.find(({ places }) => places.has(lane));
  }

  #numbers(lane: number): Float64Array {
    const values = this.#values as Float64Array;
    return values.slice(lane * this.count, (lane + 1) * this.count);
  }

  /** Reports the live lanes of which a number is not finite; `find` gives the first of a lane. */
  #reportNonFinite(
    machine: Machine,
    payload: number,
    { set, live }: LiveLanes,
    find: (lane: number, place: number) => number | undefined,
  ): void {
    const explains = this.#explains;
    if (explains === undefined) return;
    for (let i = 0; i < live.length; i++) {
      if (live[i] !== 1) continue;
      const lane = laneAt(set, i);
      const value = find(lane, i);
      if (value === undefined) continue;
      const place = this.nonFinite.length < explains ? i : -1;
      this.nonFinite.push(this.#nonFiniteLane(machine, payload, lane, place, value));
    }
  }

  /** Takes over what another run of these lanes found out about them. */
  explain(lanes: readonly number[], found: readonly NonFinite[]): void {
    for (const { lane: place, span, cause } of found) {
      const lane = lanes[place];
      const at = this.nonFinite.findIndex((entry) => entry.lane === lane);
      const known = this.nonFinite[at];
      if (known === undefined || lane === undefined) continue;
      this.nonFinite[at] = nonFiniteLane(lane, known.value, span, cause);
    }
  }

  /** What is known of a lane that is not finite; `place` is −1 where nobody looks for the cause. */
  #nonFiniteLane(
    machine: Machine,
    result: number,
    lane: number,
    place: number,
    value: number,
  ): NonFinite {
    const { exports } = machine;
    const payload =
      place < 0 ? -1 : exports.firstNonFinite(place, result, this.#program.firstInputPayload);
    if (payload < 0) {
      if (place >= 0) this.unexplained.push(lane);
      return nonFiniteLane(lane, value, undefined, "");
    }
    const { span, words } = this.#causeAt(originOf(exports, payload));
    return nonFiniteLane(lane, value, span, words);
  }

  /** What made a number infinite, by the node it was made at, or −1 − the input that it is. */
  #causeAt(origin: number): Cause {
    this.#causes ??= new Map();
    const known = this.#causes.get(origin);
    if (known !== undefined) return known;
    const cause = origin < 0 ? this.#inputCause(-1 - origin) : this.#nodeCause(origin);
    this.#causes.set(origin, cause);
    return cause;
  }

  #inputCause(input: number): Cause {
    return { span: undefined, words: `input ${this.#program.inputs[input]} is not finite` };
  }

  #nodeCause(node: number): Cause {
    const span = this.#program.parsed.spanOf(node);
    const text = span === undefined ? "" : this.#program.source.slice(span.start, span.end);
    return { span, words: text === "" ? "" : `first made so by ${shorten(text)}` };
  }
}

export const nonFiniteLane = (
  lane: number,
  value: number,
  span: Span | undefined,
  cause: string,
): NonFinite => ({
  lane,
  value,
  span,
  cause,
  message: `lane ${lane} is ${value}${cause === "" ? "" : `: ${cause}`}`,
});

function originOf(exports: Exports, payload: number): number {
  const words = new Int32Array(exports.memory.buffer);
  return new PayloadEntry({ words }, exports.entryAddress(payload)).origin;
}

/** An array for each input: `perLane` numbers for each of its elements. Any name will do. */
export function namedArrays(
  inputs: readonly RecordedInput[],
  perLane: number,
): Record<string, Float64Array> {
  // A name such as __proto__ must be a property like the others.
  const arrays = smallRecord<Float64Array>();
  for (const { name, count } of inputs)
    arrays[name] = new Float64Array(perLane * count).fill(Number.NaN);
  return arrays;
}

const shorten = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
};

/** What a number of a vector or matrix takes as a datum that is then printed. */
const DATUM_BYTES = 256;

function firstNonFinite(values: Float64Array, from: number, count: number): number | undefined {
  for (let i = from; i < from + count; i++)
    if (!Number.isFinite(values[i] as number)) return values[i];
  return undefined;
}

const sameShape = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((size, i) => size === b[i]);
