/**
 * What a report knows of each lane, in flat arrays. Lanes may be many millions, and an array or an
 * object for each would take a hundred times the bytes of what it holds; so one is made when it is
 * asked for. Every byte is charged to the report's budget.
 */

import { recordOf } from "../../records.js";
import { strideIndex } from "../inputs/axes.js";
import type { BoundInput } from "../inputs/inputs.js";
import type { ByteBudget } from "../results/byte-budget.js";

/** One thing for each lane. An array is one, too. */
export interface ByLane<T> extends Iterable<T> {
  readonly length: number;
  at(lane: number): T | undefined;
}

function* eachOf<T>(things: ByLane<T>): Generator<T> {
  for (let lane = 0; lane < things.length; lane++) yield things.at(lane) as T;
}

/** What a turn, a lane, and a part without its turns take. */
const TURN_BYTES = Int32Array.BYTES_PER_ELEMENT;
const LANE_BYTES = 3 * Uint32Array.BYTES_PER_ELEMENT;
const PART_BYTES = 256;

const NO_TURNS = new Int32Array(0);

/** Of each lane, where its turns are: which part, and from where to where in it. */
interface LanePlaces {
  readonly part: Uint32Array;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

/**
 * The way of each lane through the branches of a run. Lanes that run together have one part: the turns
 * of its first lane, then those of the next. Where no lane comes to a branch there are no places.
 */
export class LanePaths implements ByLane<Int32Array> {
  readonly length: number;
  readonly #budget: ByteBudget;
  readonly #parts: Int32Array[] = [];
  #places: LanePlaces | undefined;

  /** @internal */
  constructor(lanes: number, budget: ByteBudget) {
    this.length = lanes;
    this.#budget = budget;
  }

  /** How many turns all lanes took together. */
  get turns(): number {
    return this.#parts.reduce((sum, { length }) => sum + length, 0);
  }

  /** The way of a lane; undefined where there is no such lane. */
  at(lane: number): Int32Array | undefined {
    if (!(lane >= 0 && lane < this.length)) return undefined;
    if (this.#places === undefined) return NO_TURNS;
    const { part, from, to } = this.#places;
    return this.#parts[part[lane] as number]?.subarray(from[lane], to[lane]);
  }

  [Symbol.iterator](): Iterator<Int32Array> {
    return eachOf(this);
  }

  /** Lists, as JSON has them. */
  toJSON(): number[][] {
    return Array.from(this, (turns) => [...turns]);
  }

  /**
   * Adds the turns of lanes that ran together: `counts` has how many each took, by its position, and
   * `laneOf` says which lane that is. Returns the array to fill, and where each lane's turns begin.
   * @internal
   */
  addPart(
    counts: Uint32Array,
    laneOf: (position: number) => number,
  ): { readonly turns: Int32Array; readonly next: Uint32Array } | undefined {
    const all = counts.reduce((sum, count) => sum + count, 0);
    if (all === 0) return undefined;
    this.#budget.take(PART_BYTES + TURN_BYTES * all);
    const { part, from, to } = this.#ownPlaces();
    const turns = new Int32Array(all);
    const next = new Uint32Array(counts.length);
    let at = 0;
    for (let position = 0; position < counts.length; position++) {
      const lane = laneOf(position);
      const count = counts[position] as number;
      if (count === 0) continue;
      part[lane] = this.#parts.length;
      from[lane] = at;
      next[position] = at;
      at += count;
      to[lane] = at;
    }
    this.#parts.push(turns);
    return { turns, next };
  }

  #ownPlaces(): LanePlaces {
    if (this.#places !== undefined) return this.#places;
    this.#budget.take(LANE_BYTES * this.length);
    const [part, from, to] = [0, 1, 2].map(() => new Uint32Array(this.length));
    this.#places = { part, from, to } as LanePlaces;
    return this.#places;
  }
}

const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;

/** The plain numbers of each lane, by name. */
export type Numbers = Readonly<Record<string, number>>;

/** Copies of the plain numbers among a run's inputs. */
export class LaneNumbers implements ByLane<Numbers> {
  readonly length: number;
  readonly #inputs: readonly BoundInput[];

  /** @internal */
  constructor(inputs: readonly BoundInput[], lanes: number, budget: ByteBudget) {
    this.length = lanes;
    this.#inputs = inputs
      .filter(({ kind, rank }) => kind === "int" || rank === 0)
      .map((input) => {
        if (input.perLane === undefined) return input;
        budget.take(NUMBER_BYTES * input.perLane.length);
        return { ...input, perLane: new Float64Array(input.perLane) };
      });
  }

  at(lane: number): Numbers | undefined {
    if (!(lane >= 0 && lane < this.length)) return undefined;
    return recordOf(this.#inputs.map((input) => [input.name, numberAt(input, lane)]));
  }

  [Symbol.iterator](): Iterator<Numbers> {
    return eachOf(this);
  }

  /** A list, as JSON has it. */
  toJSON(): Numbers[] {
    return [...this];
  }
}

function numberAt({ perLane, stride, value }: BoundInput, lane: number): number {
  if (perLane === undefined) return value;
  return perLane[stride === undefined ? lane : strideIndex(stride, lane)] as number;
}
