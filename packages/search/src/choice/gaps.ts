/**
 * Gaps: what a model does between neighbouring rows, where no row speaks for it.
 *
 * Neighbours are rows next to each other (one input), or a row and the one nearest to it in columns
 * of equal spread (several). Between two neighbours the model is looked at in a few places. It rises
 * and falls by V there, and by N from one neighbour to the other; V − N is hidden: no row shows it.
 * A hidden swing costs log2((V − N)/r) bits, r being the size of an ordinary step from neighbour to
 * neighbour, of the data or of the model, whichever is larger. So a curve through the rows costs
 * nothing, and an alias that turns between any two rows costs some bits for every row.
 */

import { emptyRecord, own, Random } from "@ndvm/core";
import { log2 } from "./bits.js";

type Columns = Readonly<Record<string, Float64Array>>;

export interface Gaps {
  /** Inputs at all places: those of a gap follow each other, a neighbour at either end. */
  readonly places: Columns;
  readonly count: number;
  readonly placeCount: number;
  /** Gaps there are for each one that is looked at. */
  readonly share: number;
  /** Change of the target from neighbour to neighbour. */
  readonly steps: Float64Array;
}

const GAPS_MOST = 256;
const ROWS_MOST = 8192;
/** Places of a gap, both neighbours included. */
const PLACES = 9;
const BITS_MOST = 32;

export function gapsOf(columns: Columns, inputs: readonly string[], target: string): Gaps {
  const y = own(columns, target) as Float64Array;
  const { used, share } =
    inputs.length === 1
      ? pairsInOrder(columns, inputs[0] as string)
      : nearestPairs(columns, inputs, y.length);
  const places: Record<string, Float64Array> = emptyRecord();
  const within = placesOf(used.length);
  for (const name of inputs) {
    const x = own(columns, name) as Float64Array;
    const at = new Float64Array(used.length * PLACES);
    for (const [i, [a, b]] of used.entries())
      for (let j = 0; j < PLACES; j++) {
        const t = within[i * PLACES + j] as number;
        at[i * PLACES + j] = (1 - t) * (x[a] as number) + t * (x[b] as number);
      }
    places[name] = at;
  }
  return {
    places,
    count: used.length,
    placeCount: used.length * PLACES,
    share,
    steps: Float64Array.from(used, ([a, b]) => Math.abs((y[b] as number) - (y[a] as number))),
  };
}

/**
 * Where places lie in their gaps, from 0 to 1, gap after gap. They are drawn, since a wave that goes round
 * once from one place to the next would not be seen in places that are evenly spaced.
 */
function placesOf(gaps: number): Float64Array {
  const draws = new Random(1);
  return Float64Array.from({ length: gaps * PLACES }, (_, i) => {
    const j = i % PLACES;
    const isInside = j > 0 && j < PLACES - 1;
    return (isInside ? j - 0.5 + draws.uniform() : j) / (PLACES - 1);
  });
}

type Pair = readonly [number, number];

/** Neighbours that are looked at, and how many gaps there are for each. */
type Neighbours = { readonly used: readonly Pair[] } & Pick<Gaps, "share">;

function thinned<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)] as T);
}

function pairsInOrder(columns: Columns, input: string): Neighbours {
  const x = own(columns, input) as Float64Array;
  // Rows that are alike stay in their order.
  const order = Array.from(x, (_, row) => row).sort((a, b) => (x[a] as number) - (x[b] as number));
  const pairs: Pair[] = [];
  for (let i = 1; i < order.length; i++) {
    const [a, b] = [order[i - 1] as number, order[i] as number];
    if (x[a] !== x[b]) pairs.push([a, b]);
  }
  const used = thinned(pairs, GAPS_MOST);
  return { used, share: used.length === 0 ? 1 : pairs.length / used.length };
}

/** Some rows, each with the one nearest to it. */
function nearestPairs(columns: Columns, inputs: readonly string[], rows: number): Neighbours {
  const every = Array.from({ length: rows }, (_, row) => row);
  const others = thinned(every, ROWS_MOST);
  const scaled = inputs.map((name) => scaledColumn(own(columns, name) as Float64Array));
  const looked = thinned(others, GAPS_MOST);
  const used: Pair[] = [];
  for (const row of looked) {
    let nearest: number | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const other of others) {
      let distance = 0;
      for (const x of scaled) {
        const apart = (x[row] as number) - (x[other] as number);
        distance += apart * apart;
      }
      if (distance === 0 || distance >= least) continue;
      least = distance;
      nearest = other;
    }
    if (nearest !== undefined) used.push([row, nearest]);
  }
  // Every row has a gap to the one nearest to it, also those that are not looked at.
  return { used, share: rows / looked.length };
}

function scaledColumn(x: Float64Array): Float64Array {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of x) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const width = high > low ? high - low : 1;
  return x.map((value) => (value - low) / width);
}

export interface Swings {
  /** Price of the hidden swings. */
  readonly bits: number;
  /** Share of the gaps that hide one. */
  readonly share: number;
}

/** `values` are a model's, at the places of the gaps. */
export function swingsOf(gaps: Gaps, values: Float64Array): Swings {
  const hidden = new Float64Array(gaps.count);
  let ordinary = 0;
  for (let i = 0; i < gaps.count; i++) {
    const first = i * PLACES;
    let path = 0;
    for (let j = 1; j < PLACES; j++)
      path += Math.abs((values[first + j] as number) - (values[first + j - 1] as number));
    const net = Math.abs((values[first + PLACES - 1] as number) - (values[first] as number));
    hidden[i] = path - net;
    ordinary += Math.max(Number.isFinite(net) ? net : 0, gaps.steps[i] as number) / gaps.count;
  }
  if (!(ordinary > 0)) return { bits: 0, share: 0 };
  let bits = 0;
  let swings = 0;
  for (const swing of hidden) {
    const own = swing === 0 ? 0 : Number.isFinite(swing) ? log2(swing / ordinary) : BITS_MOST;
    if (!(own > 0)) continue;
    swings += 1;
    bits += Math.min(BITS_MOST, own);
  }
  return { bits: bits * gaps.share, share: swings / gaps.count };
}
