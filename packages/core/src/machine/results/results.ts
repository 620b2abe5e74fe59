/**
 * Results of a run, gathered chunk by chunk: values and gradients by the caller's lanes, failures,
 * reports of numbers that are not finite.
 */

import { NdvmError } from "../../errors.js";
import { BLAME_CONSTANT } from "../../program/layout.js";
import { PayloadEntry } from "../../program/structures.js";
import { smallRecord } from "../../records.js";
import type { Exports } from "../instance.js";
import type { Machine } from "../machine.js";
import type { Program } from "../program.js";
import { type LaneSet, laneAt } from "../run/chunk.js";
import type { DatumValue, LaneFailure, NonFinite } from "../types.js";
import { ByteBudget } from "./byte-budget.js";
import { type MachineValue, numericShape, payloadOf, readNumeric } from "./payloads.js";
import { numericValue, printNumbers } from "./result-text.js";
import { Snapshot } from "./snapshot.js";
import { type PackedStructure, Structure } from "./structure.js";
import { type Cause, FailedLanes, type LaneFault, NonFiniteLanes } from "./troubles.js";

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

/** Results that are not all numbers of one shape, and the shape and the numbers of those that are. */
export interface PackedMixture {
  readonly structure: PackedStructure;
  readonly shape: readonly number[];
  readonly values: Float64Array | undefined;
}

/** The lanes of a chunk that have a result: one byte each, 1 where they live. */
export interface LiveLanes {
  readonly set: LaneSet;
  readonly live: Uint8Array;
}

const NO_FAILURES: readonly LaneFailure[] = Object.freeze([]);
const ALL_FINITE: readonly NonFinite[] = Object.freeze([]);
/** Stands beside nodes and inputs for a number that is written in the program. */
const CONSTANT = Number.NEGATIVE_INFINITY;
const CONSTANT_CAUSE: Cause = {
  span: undefined,
  cause: "a constant of the program is not finite",
};

export class Results {
  readonly lanes: number;
  /** Lanes whose result is not finite, for a reason that a run with a tape could tell. */
  readonly unexplained: number[] = [];
  readonly gradients: Readonly<Record<string, Float64Array>>;
  readonly #into: ResultArrays | undefined;
  readonly #program: Program;
  /** Of how many lanes that are not finite the cause is told; undefined: they are not looked for. */
  readonly #explains: number | undefined;
  /** Numbers of causes by where in the program they are: many lanes have the same. */
  #causes: Map<number, number> | undefined;
  #shape: readonly number[] | undefined;
  #count = 0;
  #values: Float64Array | undefined;
  #structure: Structure | undefined;
  #failed: FailedLanes | undefined;
  #notFinite: NonFiniteLanes | undefined;
  #failures: readonly LaneFailure[] | undefined;
  #nonFinite: readonly NonFinite[] | undefined;
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

  /** The lanes that failed, held as numbers; undefined where none did. */
  get failed(): FailedLanes | undefined {
    return this.#failed;
  }

  /** The same of lanes that are not finite. */
  get notFinite(): NonFiniteLanes | undefined {
    return this.#notFinite;
  }

  get failures(): readonly LaneFailure[] {
    this.#failures ??= this.#failed?.list(this.reading());
    return this.#failures ?? NO_FAILURES;
  }

  get nonFinite(): readonly NonFinite[] {
    this.#nonFinite ??= this.#notFinite?.list(this.reading());
    return this.#nonFinite ?? ALL_FINITE;
  }

  /** Elements of a numeric result. */
  get count(): number {
    return this.#count;
  }

  /** Whether every lane so far has a numeric result of one shape. */
  get isNumeric(): boolean {
    return this.#structure === undefined && this.#values !== undefined;
  }

  get shape(): readonly number[] | undefined {
    return this.isNumeric ? this.#shape : undefined;
  }

  get values(): Float64Array {
    if (this.isNumeric) return this.#values as Float64Array;
    const kinds = new Set(this.#structure?.kinds);
    // Where there are numbers and no values, they are of several shapes or beside other things.
    const areDifferent = kinds.size > 1 || this.#values !== undefined;
    const [kind] = areDifferent ? ["different things"] : kinds;
    const what = areDifferent
      ? `${kind} in different lanes, not numbers of one shape`
      : `${kind ?? "nothing"}, not numbers`;
    throw new NdvmError("E-RESULT", `the program returned ${what}`, {
      facts: { reason: "structure", actual: kind ?? "" },
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
    const snapshot = Snapshot.of(machine, this.#program, value, live.length, this.#budget);
    this.#structure ??= new Structure(this.lanes);
    this.#structure.add(snapshot, set, live);
    this.#reportNonFinite(machine, payloadOf(value), lanes, (_, place) =>
      snapshot.nonFinite(place),
    );
  }

  fail(set: LaneSet, lanes: Uint8Array, error: NdvmError): void {
    this.failEach(set, lanes, { error, own: [] });
  }

  /** As `fail`, where each lane may have numbers of its own. */
  failEach(set: LaneSet, lanes: Uint8Array, fault: LaneFault): void {
    this.#failed ??= new FailedLanes(this.lanes);
    this.#failures = undefined;
    const number = this.#failed.addFault(fault, this.#budget);
    for (let i = 0; i < lanes.length; i++)
      if (lanes[i] === 1) this.#failed.add(laneAt(set, i), number, i);
  }

  /** The result in one lane; lanes that are read together share a budget. */
  datum(lane: number, budget = this.reading()): DatumValue {
    const structure = this.#structureIn(lane);
    if (structure !== undefined) return structure.datum(lane, budget);
    return numericValue(this.#numbers(lane), this.#shape ?? []);
  }

  print(lane: number, budget = this.reading()): string {
    const structure = this.#structureIn(lane);
    if (structure !== undefined) return structure.print(lane, budget);
    return printNumbers(this.#numbers(lane), this.#shape ?? [], budget);
  }

  /** What reading a result may take beside what the results take themselves. */
  reading(): ByteBudget {
    return this.#budget.rest();
  }

  /** What has the result of a lane that does not go with the numbers. Throws where it failed. */
  #structureIn(lane: number): Structure | undefined {
    const failure = this.#failed?.of(lane);
    if (failure !== undefined) throw failure;
    return this.#structure?.has(lane) === true ? this.#structure : undefined;
  }

  /** What a pool's worker sends of results that are not all numbers of one shape. */
  packStructure(): PackedMixture | undefined {
    if (this.#structure === undefined) return undefined;
    const values = this.#values?.slice();
    return { structure: this.#structure.pack(), shape: this.#shape ?? [], values };
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
      this.#notFinite ??= new NonFiniteLanes(this.lanes);
      this.#nonFinite = undefined;
      const isTold = this.#notFinite.count < explains;
      const cause = isTold ? this.#causeOf(machine, payload, lane, i) : 0;
      this.#notFinite.add(lane, value, cause);
    }
  }

  /** Takes over what another run of these lanes found out about them. */
  explain(lanes: readonly number[], found: readonly NonFinite[]): void {
    this.#nonFinite = undefined;
    for (const { lane: place, span, cause } of found)
      this.#notFinite?.explain(lanes[place] as number, { span, cause });
  }

  /** The number of the cause of a lane that is not finite; 0 where the tape does not tell. */
  #causeOf({ exports }: Machine, result: number, lane: number, place: number): number {
    const payload = exports.firstNonFinite(place, result, this.#program.firstInputPayload);
    if (payload >= 0) return this.#causeAt(originOf(exports, payload));
    if (payload === BLAME_CONSTANT) return this.#causeAt(CONSTANT);
    this.unexplained.push(lane);
    return 0;
  }

  /** What made a number infinite: the node it was made at, −1 − the input that it is, or CONSTANT. */
  #causeAt(origin: number): number {
    this.#causes ??= new Map();
    const known = this.#causes.get(origin);
    if (known !== undefined) return known;
    const cause = this.#causeFrom(origin);
    const number = (this.#notFinite as NonFiniteLanes).addCause(cause);
    this.#causes.set(origin, number);
    return number;
  }

  #causeFrom(origin: number): Cause {
    if (origin === CONSTANT) return CONSTANT_CAUSE;
    return origin < 0 ? this.#inputCause(-1 - origin) : this.#nodeCause(origin);
  }

  #inputCause(input: number): Cause {
    const name = shorten(this.#program.inputs[input] as string);
    return { span: undefined, cause: `input ${name} is not finite` };
  }

  #nodeCause(node: number): Cause {
    const span = this.#program.parsed.spanOf(node);
    const text = span === undefined ? "" : this.#program.source.slice(span.start, span.end);
    return { span, cause: text === "" ? "" : `first made so by ${shorten(text)}` };
  }
}

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

function firstNonFinite(values: Float64Array, from: number, count: number): number | undefined {
  for (let i = from; i < from + count; i++)
    if (!Number.isFinite(values[i] as number)) return values[i];
  return undefined;
}

const sameShape = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((size, i) => size === b[i]);
