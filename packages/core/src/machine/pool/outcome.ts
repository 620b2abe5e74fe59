/**
 * The results of a pool: parts put together in the order of their lanes, as one machine gives them.
 */

import { NdvmError, unpackError } from "../../errors.js";
import { emptyRecord } from "../../records.js";
import { laneOf } from "../inputs/axes.js";
import { ByteBudget } from "../results/byte-budget.js";
import { numericValue, printNumbers } from "../results/result-text.js";
import type { ResultArrays } from "../results/results.js";
import { Structure } from "../results/structure.js";
import { FailedLanes, NonFiniteLanes } from "../results/troubles.js";
import type {
  Axis,
  AxisIndices,
  DatumValue,
  Evaluation,
  LaneFailure,
  NonFinite,
  RunStats,
} from "../types.js";
import type { Part } from "./parts.js";

export interface Text {
  readonly source: string;
  readonly file: string | undefined;
}

export class PoolOutcome implements Evaluation {
  readonly lanes: number;
  readonly axes: readonly Axis[];
  readonly shape: readonly number[] | undefined;
  readonly stats: RunStats;
  readonly #parts: readonly Part[];
  /** The first lane of each part. */
  readonly #starts: readonly number[];
  /** Structure of parts that were read. */
  readonly #structures = new Map<Part, Structure>();
  readonly #text: Text;
  readonly #memoryMax: number;
  readonly #values: Float64Array | undefined;
  readonly #failed: FailedLanes;
  readonly #notFinite: NonFiniteLanes;
  #failures: readonly LaneFailure[] | undefined;
  #nonFinite: readonly NonFinite[] | undefined;

  /** Throws where every lane failed. `allLanes` has the numbers of parts that left theirs there. */
  constructor(
    parts: readonly Part[],
    lanes: number,
    axes: readonly Axis[],
    text: Text,
    allLanes?: ResultArrays,
    memoryMax = Infinity,
  ) {
    this.#parts = parts;
    this.#starts = startsOf(parts);
    this.#text = text;
    this.#memoryMax = memoryMax;
    this.lanes = lanes;
    this.axes = axes;
    this.#failed = joinFailures(parts, lanes, text);
    if (this.#failed.count === lanes) throw this.#failed.first;
    this.#notFinite = new NonFiniteLanes(lanes);
    for (const [i, { nonFinite }] of parts.entries())
      this.#notFinite.unpack(nonFinite, this.#starts[i] as number);
    this.stats = addStats(parts, lanes);
    this.shape = commonShape(parts);
    this.#values = this.shape && joinValues(parts, sizeOf(this.shape), allLanes);
  }

  get failures(): readonly LaneFailure[] {
    this.#failures ??= this.#failed.list(this.#reading());
    return this.#failures;
  }

  get nonFinite(): readonly NonFinite[] {
    this.#nonFinite ??= this.#notFinite.list(this.#reading());
    return this.#nonFinite;
  }

  /** The lanes that failed, and those that are not finite, held as numbers. @internal */
  get results(): { readonly failed: FailedLanes; readonly notFinite: NonFiniteLanes } {
    return { failed: this.#failed, notFinite: this.#notFinite };
  }

  /** What reading may take, as on one machine. */
  #reading(): ByteBudget {
    return new ByteBudget(this.#memoryMax);
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
    const structure = this.#structureIn(part, place);
    if (structure !== undefined) return structure.datum(place, this.#reading());
    return numericValue(numbersAt(part, place), shapeIn(part));
  }

  print(lane = 0): string {
    const { part, place } = this.#partOf(lane);
    const structure = this.#structureIn(part, place);
    if (structure !== undefined) return structure.print(place, this.#reading());
    return printNumbers(numbersAt(part, place), shapeIn(part), this.#reading());
  }

  #structureIn(part: Part, place: number): Structure | undefined {
    if (part.mixture === undefined) return undefined;
    const structure =
      this.#structures.get(part) ?? new Structure(part.lanes, part.mixture.structure);
    this.#structures.set(part, structure);
    return structure.has(place) ? structure : undefined;
  }

  #partOf(lane: number): { part: Part; place: number } {
    const failure = this.#failed.of(lane);
    if (failure !== undefined) throw failure;
    if (Number.isInteger(lane) && lane >= 0 && lane < this.lanes) {
      const index = lastAtMost(this.#starts, lane);
      return { part: this.#parts[index] as Part, place: lane - (this.#starts[index] as number) };
    }
    throw new NdvmError("E-OPTION", `there is no lane ${lane}: the run has ${this.lanes}`, {
      help: `lanes are numbered from 0 to ${this.lanes - 1}`,
    });
  }
}

function startsOf(parts: readonly Part[]): readonly number[] {
  const starts: number[] = [];
  let from = 0;
  for (const { lanes } of parts) {
    starts.push(from);
    from += lanes;
  }
  return starts;
}

/** The index of the last of ascending numbers that is not above a number; the first is not. */
function lastAtMost(ascending: readonly number[], number: number): number {
  let low = 0;
  let high = ascending.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) <= number) low = middle;
    else high = middle;
  }
  return low;
}

const sizeOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

const shapeIn = ({ shape, mixture }: Part): readonly number[] => shape ?? mixture?.shape ?? [];

function numbersAt(part: Part, place: number): Float64Array {
  const count = sizeOf(shapeIn(part));
  const values = part.values ?? part.mixture?.values;
  return (values as Float64Array).slice(place * count, (place + 1) * count);
}

/** The shape of all parts that have a result. */
function commonShape(parts: readonly Part[]): readonly number[] | undefined {
  let shape: readonly number[] | undefined;
  for (const part of parts) {
    if (part.failures.lanes.length === part.lanes) continue;
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

function joinFailures(parts: readonly Part[], lanes: number, { source, file }: Text): FailedLanes {
  const failed = new FailedLanes(lanes);
  let from = 0;
  for (const part of parts) {
    const numbers = part.faults.map(({ error, own }) =>
      failed.addFault({ error: unpackError(error, source, file), own }),
    );
    const { lanes: which, faults, places } = part.failures;
    for (let i = 0; i < which.length; i++)
      failed.add(
        from + (which[i] as number),
        numbers[faults[i] as number] as number,
        places[i] as number,
      );
    from += part.lanes;
  }
  return failed;
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
  const alive = parts.filter((part) => part.failures.lanes.length < part.lanes);
  const [first, ...others] = alive;
  return (first?.inactive ?? []).filter((name) =>
    others.every(({ inactive }) => inactive.includes(name)),
  );
}
