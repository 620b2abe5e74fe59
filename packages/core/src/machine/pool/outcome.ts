/**
 * The results of a pool: parts put together in the order of their lanes, as one machine gives them.
 */

import { NdvmError } from "../../errors.js";
import { emptyRecord } from "../../records.js";
import { laneOf } from "../inputs/axes.js";
import { numericDatum, printResult } from "../results/result-text.js";
import { nonFiniteLane, type ResultArrays } from "../results/results.js";
import type {
  Axis,
  AxisIndices,
  DatumValue,
  Evaluation,
  LaneFailure,
  NonFinite,
  RunStats,
} from "../types.js";
import { type Part, unpackError } from "./parts.js";

export interface Text {
  readonly source: string;
  readonly file: string | undefined;
}

export class PoolOutcome implements Evaluation {
  readonly lanes: number;
  readonly axes: readonly Axis[];
  readonly shape: readonly number[] | undefined;
  readonly failures: readonly LaneFailure[];
  readonly nonFinite: readonly NonFinite[];
  readonly stats: RunStats;
  readonly #parts: readonly Part[];
  readonly #text: Text;
  readonly #values: Float64Array | undefined;

  /** Throws where every lane failed. `whole` has the numbers of all parts that left theirs there. */
  constructor(
    parts: readonly Part[],
    lanes: number,
    axes: readonly Axis[],
    text: Text,
    allLanes?: ResultArrays,
  ) {
    this.#parts = parts;
    this.#text = text;
    this.lanes = lanes;
    this.axes = axes;
    this.failures = joinFailures(parts, text);
    if (this.failures.length === lanes) throw (this.failures[0] as LaneFailure).error;
    this.nonFinite = joinNonFinite(parts);
    this.stats = addStats(parts, lanes);
    this.shape = commonShape(parts);
    this.#values = this.shape && joinValues(parts, sizeOf(this.shape), allLanes);
  }

  get values(): Float64Array {
    if (this.#values !== undefined) return this.#values;
    const refusals = this.#parts.map(({ refusal }) => refusal).filter((one) => one !== undefined);
    const first = refusals[0];
    const isOne =
      first !== undefined &&
      refusals.every(({ facts }) => facts.actual === first.facts.actual) &&
      this.#parts.every(({ values }) => values === undefined);
    if (isOne) throw unpackError(first, this.#text.source, this.#text.file);
    throw new NdvmError(
      "E-RESULT",
      "the program returned different things in different lanes, not numbers of one shape",
      {
        facts: { reason: "structure", actual: "different things" },
        help: "use datum(lane) to read it; only numbers, vectors and matrices have values",
        ...this.#text,
      },
    );
  }

  lane(place: AxisIndices): number {
    return laneOf(this.axes, place);
  }

  at(place: AxisIndices): DatumValue {
    return this.datum(this.lane(place));
  }

  datum(lane = 0): DatumValue {
    const { part, place } = this.#partOf(lane);
    if (part.datums !== undefined) return part.datums[place] as DatumValue;
    const own = numbersAt(part, place);
    const shape = part.shape ?? [];
    if (shape.length === 0) return own[0] as number;
    if (shape.length === 1) return own;
    const [rows, cols] = shape as [number, number];
    return Array.from({ length: rows }, (_, r) => own.slice(r * cols, (r + 1) * cols));
  }

  print(lane = 0): string {
    const { part, place } = this.#partOf(lane);
    if (part.texts !== undefined) return part.texts[place] as string;
    return printResult(numericDatum(numbersAt(part, place), part.shape ?? []));
  }

  #partOf(lane: number): { part: Part; place: number } {
    const failure = this.failures.find((candidate) => candidate.lane === lane);
    if (failure !== undefined) throw failure.error;
    let place = lane;
    for (const part of Number.isInteger(lane) && lane >= 0 ? this.#parts : []) {
      if (place < part.lanes) return { part, place };
      place -= part.lanes;
    }
    throw new NdvmError("E-OPTION", `there is no lane ${lane}: the run has ${this.lanes}`, {
      help: `lanes are numbered from 0 to ${this.lanes - 1}`,
    });
  }
}

const sizeOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

function numbersAt({ values, shape }: Part, place: number): Float64Array {
  const count = sizeOf(shape ?? []);
  return (values as Float64Array).slice(place * count, (place + 1) * count);
}

/** The shape of all parts that have a result. */
function commonShape(parts: readonly Part[]): readonly number[] | undefined {
  let shape: readonly number[] | undefined;
  for (const part of parts) {
    if (part.failures.length === part.lanes) continue;
    if (part.shape === undefined) return undefined;
    shape ??= part.shape;
    if (shape.join() !== part.shape.join() || shape.length !== part.shape.length) return undefined;
  }
  return shape;
}

/** All values; parts without any are NaN in `whole`, as they are in an array that is joined. */
function joinValues(
  parts: readonly Part[],
  count: number,
  allLanes: ResultArrays | undefined,
): Float64Array {
  const isAll =
    allLanes !== undefined &&
    parts.every(({ values }) => values === undefined || values.buffer === allLanes.values.buffer);
  return isAll ? allLanes.values : joinArrays(parts, count, ({ values }) => values);
}

/**
 * One array of all parts' arrays: `count` numbers a lane, NaN where a part has none. It is a copy: the
 * parts keep their own numbers for `datum`, whatever the caller writes into these.
 */
export function joinArrays(
  parts: readonly Part[],
  count: number,
  arrayOf: (part: Part) => Float64Array | undefined,
): Float64Array {
  const lanes = parts.reduce((sum, part) => sum + part.lanes, 0);
  const joined = new Float64Array(lanes * count);
  let at = 0;
  for (const part of parts) {
    const array = arrayOf(part);
    if (array === undefined) joined.fill(Number.NaN, at, at + part.lanes * count);
    else joined.set(array, at);
    at += part.lanes * count;
  }
  return joined;
}

function joinFailures(parts: readonly Part[], { source, file }: Text): LaneFailure[] {
  const failures: LaneFailure[] = [];
  let from = 0;
  for (const part of parts) {
    const errors = part.errors.map((error) => unpackError(error, source, file));
    for (const { lane, error } of part.failures)
      failures.push({ lane: from + lane, error: errors[error] as NdvmError });
    from += part.lanes;
  }
  return failures.sort((a, b) => a.lane - b.lane);
}

function joinNonFinite(parts: readonly Part[]): NonFinite[] {
  const joined: NonFinite[] = [];
  let from = 0;
  for (const part of parts) {
    for (const entry of part.nonFinite) {
      const { lane, value, span, cause } = entry;
      joined.push(nonFiniteLane(from + lane, value, span, cause));
    }
    from += part.lanes;
  }
  return joined.sort((a, b) => a.lane - b.lane);
}

/** Counters of all parts together; the widest chunk is the widest of any part. */
const addStats = (parts: readonly Part[], lanes: number): RunStats => ({
  ...sumStats(
    parts.map(({ stats }) => stats),
    ["chunkWidth"],
  ),
  lanes,
});

/** Counters of several runs; of some the greatest is told instead of the sum. */
export function sumStats(
  all: readonly (RunStats | undefined)[],
  greatest: readonly (keyof RunStats)[],
): RunStats {
  const sum: Record<string, number> = emptyRecord();
  for (const stats of all)
    for (const [name, value] of Object.entries(stats ?? {})) {
      const before = sum[name] ?? 0;
      const isGreatest = greatest.includes(name as keyof RunStats);
      sum[name] = isGreatest ? Math.max(before, value) : before + value;
    }
  return sum as unknown as RunStats;
}

/** Inputs that are inactive in every part that has a result. */
export function commonInactive(parts: readonly Part[]): readonly string[] {
  const alive = parts.filter((part) => part.failures.length < part.lanes);
  const [first, ...others] = alive;
  return (first?.inactive ?? []).filter((name) =>
    others.every(({ inactive }) => inactive.includes(name)),
  );
}
