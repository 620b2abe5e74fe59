/**
 * Where the loss of a point has its corners, if it is straight between them, as the check loss of a quantile is.
 *
 * A loss that is straight but for corners, and bent upwards at each, is the sum of one kink for each corner: the
 * distance of the prediction from it, times half of what the slope gains there, and a lean to one side. So its
 * least sum is found as that of absolute deviations (optimise/kinks.ts). A loss that a user wrote is asked for its
 * values and slopes far out on both sides. Two straight lines meet at the corner between them; if the loss is
 * higher there, there are more corners. Lines can also meet on a loss that bends downwards between them, as a W does,
 * so what the corners tell of the loss is compared with it between them.
 */

import type { Table } from "../data/columns.js";

/** All corners, one after the other. */
export interface Corners {
  /** The point that a corner belongs to. */
  readonly points: Int32Array;
  /** The prediction at which it is. */
  readonly at: Float64Array;
  /** Half of what the slope gains there, times the weight of the point; 0 where nothing counts. */
  readonly weights: Float64Array;
  /** The mean of the slopes on both sides, as far as this corner makes them, times the weight of the point. */
  readonly leans: Float64Array | undefined;
}

/** Values and slopes of the loss of each point at a prediction of each. */
export type LossProbe = (predictions: Float64Array) => {
  readonly values: Float64Array;
  readonly slopes: Float64Array;
};

/** Most corners of one point, and how often an interval is divided. */
const CORNERS_MOST = 16;
const PROBES_MOST = 60;
/** How far out a loss is straight: this many times the largest number, and again as far beyond. */
const FAR = 4;
const BEYOND = 100;
/** How near to a corner its place is told most exactly. */
const NEAR = 1e-5;
/** Share of slopes and losses that is nothing. */
const NOTHING = { f64: 1e-9, f32: 1e-4 } as const;
/** How near to a corner the slope may be that of its other side. */
const GRAIN = { f64: 1e-12, f32: 1e-5 } as const;
/** Shares of the way from one corner to the next at which the loss must be straight: uneven, as a W is even. */
const BETWEEN = [0.09, 0.236, 0.472, 0.618, 0.854];

/** A place on the loss of one point. */
interface Spot {
  readonly at: number;
  readonly value: number;
  readonly slope: number;
}

const weightOf = ({ rootWeights }: Table, point: number): number => {
  const root = rootWeights?.[point] ?? 1;
  return root * root;
};

/** Those of absolute deviations: one at each target. */
export function cornersOfAbsolute(table: Table): Corners {
  return {
    points: Int32Array.from(table.target, (_, point) => point),
    at: table.target,
    weights: table.target.map((_, point) => weightOf(table, point)),
    leans: undefined,
  };
}

/** Those of a loss of the user's own; undefined if it is not straight between corners that bend it upwards. */
export function findCorners(
  table: Table,
  predictions: Float64Array,
  probe: LossProbe,
  isSingle: boolean,
): Corners | undefined {
  const nothing = NOTHING[isSingle ? "f32" : "f64"];
  const numbers = [...table.target, ...predictions].filter(Number.isFinite);
  const size = numbers.reduce((most, y) => Math.max(most, Math.abs(y)), 0);
  const far = FAR * (size || 1);
  const seeAt = (places: Float64Array): readonly Spot[] => spotsAt(places, probe);
  const all = (x: number): Float64Array => new Float64Array(table.points).fill(x);
  const [first, last] = [seeAt(all(-BEYOND * far)), seeAt(all(BEYOND * far))];
  const [left, right] = [seeAt(all(-far)), seeAt(all(far))];
  const grain = far * GRAIN[isSingle ? "f32" : "f64"];
  const rows = left.map((from, point) => new Search(from, right[point] as Spot, nothing, grain));
  const isStraight = rows.every(
    (row, point) =>
      weightOf(table, point) === 0 || row.goesOn(first[point] as Spot, last[point] as Spot),
  );
  if (!isStraight) return undefined;
  for (let turn = 0; turn < PROBES_MOST && rows.some(({ isDone }) => !isDone); turn++) {
    const seen = seeAt(Float64Array.from(rows, (row) => row.next));
    for (const [point, row] of rows.entries()) row.take(seen[point] as Spot);
    if (rows.some(({ hasFailed }, point) => hasFailed && weightOf(table, point) !== 0))
      return undefined;
  }
  if (rows.some(({ isDone }, point) => !isDone && weightOf(table, point) !== 0)) return undefined;
  if (!isSumOfCorners(table, rows, predictions, seeAt)) return undefined;
  return collect(table, rows, NEAR * far, seeAt);
}

/** Whether the loss of each point is what its corners tell: at the predictions, the targets and between corners. */
function isSumOfCorners(
  table: Table,
  rows: readonly Search[],
  predictions: Float64Array,
  seeAt: (places: Float64Array) => readonly Spot[],
): boolean {
  const counted = rows.map(({ corners }, point) =>
    weightOf(table, point) === 0 ? 0 : corners.length,
  );
  const most = counted.reduce((count, one) => Math.max(count, one), 0);
  const isTold = (places: Float64Array): boolean =>
    seeAt(places).every(
      (seen, point) => weightOf(table, point) === 0 || (rows[point] as Search).hasTold(seen),
    );
  if (!isTold(predictions) || !isTold(table.target)) return false;
  for (let k = 0; k <= most; k++)
    for (const share of BETWEEN)
      if (!isTold(Float64Array.from(rows, (row) => row.between(k, share)))) return false;
  return true;
}

function spotsAt(places: Float64Array, probe: LossProbe): readonly Spot[] {
  const seen = probe(places);
  return Array.from(places, (at, point) => ({
    at,
    value: seen.values[point] as number,
    slope: seen.slopes[point] as number,
  }));
}

/** Where the straight lines through two places meet. */
const meeting = (from: Spot, to: Spot): number =>
  from.at + (to.value - from.value - to.slope * (to.at - from.at)) / (from.slope - to.slope);

/** A corner between two straight lines. */
interface Corner {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** The search for the corners of one point. */
class Search {
  readonly corners: Corner[] = [];
  readonly #open: (readonly [Spot, Spot])[];
  readonly #from: Spot;
  readonly #to: Spot;
  /** What counts as no change of a slope, and of a value. */
  readonly #level: number;
  readonly #same: number;
  readonly #grain: number;
  hasFailed = false;

  constructor(from: Spot, to: Spot, nothing: number, grain: number) {
    this.#grain = grain;
    this.#from = from;
    this.#to = to;
    this.#open = [[from, to]];
    this.#level = nothing * Math.max(Math.abs(from.slope), Math.abs(to.slope));
    this.#same = nothing * Math.max(Math.abs(from.value), Math.abs(to.value));
  }

  get isDone(): boolean {
    return this.#open.length === 0;
  }

  /** Whether the loss is straight beyond both ends, and falls from neither. */
  goesOn(first: Spot, last: Spot): boolean {
    const { slope: down } = this.#from;
    const { slope: up } = this.#to;
    const isSame = (a: number, b: number): boolean => Math.abs(a - b) <= this.#level;
    return (
      down <= this.#level &&
      up >= -this.#level &&
      up - down > this.#level &&
      isSame(first.slope, down) &&
      isSame(last.slope, up)
    );
  }

  /** Where the loss is to be seen next. */
  get next(): number {
    const top = this.#open.at(-1);
    if (top === undefined) return this.#from.at;
    const [from, to] = top;
    const at = meeting(from, to);
    return Number.isFinite(at) ? Math.min(to.at, Math.max(from.at, at)) : (from.at + to.at) / 2;
  }

  take(seen: Spot): void {
    const top = this.#open.pop();
    if (top === undefined || this.hasFailed) return;
    const [from, to] = top;
    const along = from.value + from.slope * (seen.at - from.at);
    const isStraight = Math.abs(to.slope - from.slope) <= this.#level;
    const isMet = Math.abs(seen.value - along) <= this.#same;
    const end = from.value + from.slope * (to.at - from.at);
    // Beyond a jump the line is parallel, and another one.
    const isOneLine = isStraight && Math.abs(to.value - end) <= this.#same;
    if (isOneLine && isMet) return;
    if (isMet && !isStraight && to.slope > from.slope)
      this.corners.push({ at: seen.at, before: from.slope, after: to.slope });
    else if (seen.value > along && from.at < seen.at && seen.at < to.at)
      this.#open.push([seen, to], [from, seen]);
    else this.hasFailed = true;
    if (this.corners.length + this.#open.length > CORNERS_MOST) this.hasFailed = true;
  }

  /** A place between corner k and the one before it; there is one more such way than there are corners. */
  between(k: number, share: number): number {
    const before = this.corners[k - 1]?.at ?? this.#from.at;
    const after = this.corners[k]?.at ?? this.#to.at;
    return before + share * (after - before);
  }

  /** Whether the loss at a place is what the corners tell of it, and rises there as they tell. */
  hasTold(seen: Spot): boolean {
    let { value, slope } = this.#from;
    value += slope * (seen.at - this.#from.at);
    let isNear = false;
    for (const { at, before, after } of this.corners) {
      if (Math.abs(seen.at - at) <= this.#grain) isNear = true;
      if (at > seen.at) continue;
      value += (after - before) * (seen.at - at);
      slope = after;
    }
    const isAsSteep = isNear || Math.abs(seen.slope - slope) <= this.#level;
    return isAsSteep && Math.abs(seen.value - value) <= this.#same;
  }
}

/** The corners of all points, each told from nearby where nothing else is near. */
function collect(
  table: Table,
  rows: readonly Search[],
  near: number,
  seeAt: (places: Float64Array) => readonly Spot[],
): Corners {
  const found = rows.map((row, point) => (weightOf(table, point) === 0 ? [] : row.corners));
  const most = found.reduce((count, { length }) => Math.max(count, length), 0);
  const all: (Corner & { readonly point: number })[] = [];
  for (let k = 0; k < most; k++) {
    const placesAt = (by: number) => Float64Array.from(found, (one) => (one[k]?.at ?? 0) + by);
    const left = seeAt(placesAt(-near));
    const right = seeAt(placesAt(near));
    for (const [point, one] of found.entries()) {
      const corner = one[k];
      if (corner === undefined) continue;
      const [from, to] = [left[point] as Spot, right[point] as Spot];
      const isAlone = from.slope === corner.before && to.slope === corner.after;
      all.push({ ...corner, point, at: isAlone ? meeting(from, to) : corner.at });
    }
  }
  return {
    points: Int32Array.from(all, ({ point }) => point),
    at: Float64Array.from(all, ({ at }) => at),
    weights: Float64Array.from(
      all,
      ({ before, after, point }) => (weightOf(table, point) * (after - before)) / 2,
    ),
    leans: Float64Array.from(all, (corner) => leanOf(table, corner)),
  };
}

/** Where the loss falls on both sides of a corner, it costs nothing above it, and where it rises nothing below. */
function leanOf(
  table: Table,
  { before, after, point }: Corner & { readonly point: number },
): number {
  const rises = Math.max(0, after) - Math.max(0, before);
  const falls = Math.max(0, -before) - Math.max(0, -after);
  return (weightOf(table, point) * (rises - falls)) / 2;
}
