/**
 * Descent on a loss with kinks, and how it is known that it has arrived (Wolfe 1975, Lemaréchal 1977).
 *
 * At a kink one slope says nothing. So the slopes around a place are kept in a bundle, and their mixture that is
 * nearest to 0 points down. Where a step along it does not lower the loss, the slope there goes into the bundle, and
 * the next mixture knows of it. Where some mixture is as good as 0, no direction leads down: the place is a minimum
 * as far as the loss is bent upwards. The bundle reaches far at first, and then less and less.
 */

import { dot, solved } from "../math/linear.js";

/** What an evaluation says, in units in which all numbers are alike. */
export interface Seen {
  readonly at: Float64Array;
  readonly loss: number;
  readonly slope: Float64Array;
}

export interface Descent {
  readonly best: Seen;
  /** The slope that is left where no step helps, as shares of the largest that was seen, and which share is nothing. */
  readonly left: Float64Array;
  readonly least: number;
  /** Why nobody waits for more, where that ended it. */
  readonly ended: "time" | "aborted" | undefined;
}

/** Reach of the bundle: at first, at the end, and by how much it is shortened. */
const REACH_FIRST = 1e-2;
const REACH_LEAST = { f64: 1e-9, f32: 1e-4 } as const;
const SHORTER = 0.1;
/** Share of the largest slope that is nothing, and that may be left where no step helps. */
const NOTHING = { f64: 1e-7, f32: 1e-4 } as const;
const LEFT = { f64: 1e-5, f32: 1e-2 } as const;
/** Shares of the slope by which a step has to fall, and that a slope in the bundle's way has to have lost. */
const FALL = 0.1;
const FLAT = 0.5;
const TRIALS_MOST = 60;
/** Evaluations for each number, at most. */
const LOOKS_MOST = 400;
/** Slopes in the bundle beyond those that the mixture needs. */
const SPARE = 40;

/** `endedBy` tells why nobody waits for more. */
export function descend(
  start: Seen,
  look: (at: Float64Array) => Seen,
  isSingle: boolean,
  endedBy: () => Descent["ended"],
): Descent {
  const precision = isSingle ? "f32" : "f64";
  let best = start;
  let bundle: readonly Seen[] = [start];
  let looks = 0;
  let largest = 0;
  const counted = (at: Float64Array): Seen => {
    looks += 1;
    return look(at);
  };
  for (let reach = REACH_FIRST; ; ) {
    const ended = endedBy();
    const way = nearestToZero(bundle.map(({ slope }) => slope));
    for (const { slope } of bundle) largest = Math.max(largest, lengthOf(slope));
    const isLast = looks >= LOOKS_MOST * way.length || ended !== undefined;
    // Within its reach slopes differ by as much anyway.
    const nothing = Math.max(NOTHING[precision], reach) * largest;
    const step = lengthOf(way) > nothing && !isLast ? follow(best, way, reach, counted) : undefined;
    if (step !== undefined) {
      best = step.best;
      bundle = within([...bundle, ...step.seen], best, reach);
      continue;
    }
    if (reach <= REACH_LEAST[precision] || isLast) {
      const left = way.map((slope) => slope / (largest || 1));
      return { best, left, least: LEFT[precision], ended };
    }
    reach *= SHORTER;
    bundle = within(bundle, best, reach);
  }
}

interface Step {
  readonly best: Seen;
  readonly seen: readonly Seen[];
}

/** A lower place against the way, and a slope beyond that turns the way; undefined where rounding hides both. */
function follow(
  from: Seen,
  way: Float64Array,
  reach: number,
  look: (at: Float64Array) => Seen,
): Step | undefined {
  const length = lengthOf(way);
  // Half of its reach, so that rounding does not put the place beyond it.
  let [low, high, distance] = [0, Infinity, reach / 2];
  let lower: Seen | undefined;
  let higher: Seen | undefined;
  for (let trial = 0; trial < TRIALS_MOST; trial++) {
    const to = from.at.map((each, j) => each - (distance * (way[j] as number)) / length);
    const seen = look(to);
    const slope = -dot(seen.slope, way) / length;
    if (seen.loss < from.loss - FALL * distance * length) {
      lower = seen;
      low = distance;
      if (slope >= -FLAT * length) break;
    } else {
      high = distance;
      // Where there is no loss, its slope says nothing.
      if (Number.isFinite(seen.loss)) {
        higher = seen;
        if (lower === undefined && distance <= reach && slope >= -FLAT * length)
          return { best: seen.loss < from.loss ? seen : from, seen: [seen] };
      }
    }
    distance = high === Infinity ? 4 * distance : (low + high) / 2;
    if (lower !== undefined && high - low <= FALL * low) break;
    if (to.every((each, j) => each === from.at[j])) break;
  }
  return lower && { best: lower, seen: higher === undefined ? [lower] : [higher, lower] };
}

/** The slopes within reach of the best place, the latest if they are many, and its own. */
function within(bundle: readonly Seen[], best: Seen, reach: number): readonly Seen[] {
  const isNear = ({ at }: Seen): boolean =>
    lengthOf(at.map((each, j) => each - (best.at[j] as number))) <= reach;
  const others = bundle.filter((one) => one !== best && isNear(one));
  return [...others.slice(-(2 * best.at.length + SPARE)), best];
}

const lengthOf = (vector: Float64Array): number => Math.sqrt(dot(vector, vector));

/** The mixture of some vectors that is nearest to 0 (Wolfe 1976). @internal */
export function nearestToZero(vectors: readonly Float64Array[]): Float64Array {
  const squares = vectors.map((vector) => dot(vector, vector));
  const most = squares.reduce((a, b) => Math.max(a, b), 0);
  let chosen = [squares.indexOf(Math.min(...squares))];
  let shares = [1];
  let nearest = vectors[chosen[0] as number] as Float64Array;
  for (let turn = 0; turn < 20 * vectors.length; turn++) {
    const along = vectors.map((vector) => dot(nearest, vector));
    const next = along.indexOf(Math.min(...along));
    const isLeast = (along[next] as number) >= dot(nearest, nearest) - 1e-14 * most;
    if (isLeast || chosen.includes(next)) return nearest;
    const mixed = mixtureOf(vectors, [...chosen, next], [...shares, 0]);
    if (mixed === undefined) return nearest;
    ({ chosen, shares } = mixed);
    nearest = sumOf(vectors, chosen, shares);
  }
  return nearest;
}

interface Mixture {
  readonly chosen: number[];
  readonly shares: number[];
}

/** The best shares of those chosen; those that would take part with less than nothing are left out. */
function mixtureOf(
  vectors: readonly Float64Array[],
  chosen: number[],
  shares: number[],
): Mixture | undefined {
  for (;;) {
    const own = chosen.map((k) => vectors[k] as Float64Array);
    const unit = own.reduce((most, each) => Math.max(most, dot(each, each)), 0) || 1;
    const products = own.map((a) => own.map((b) => dot(a, b) / unit + 1));
    const parts = solved(
      products,
      own.map(() => 1),
    );
    if (parts === undefined) return undefined;
    const all = parts.reduce((sum, part) => sum + part, 0);
    const wanted = parts.map((part) => part / all);
    if (wanted.every((part) => part > 1e-12)) return { chosen, shares: wanted };
    let share = 1;
    for (const [k, part] of wanted.entries()) {
      const now = shares[k] as number;
      if (part <= 1e-12 && now > part) share = Math.min(share, now / (now - part));
    }
    const next = shares.map((now, k) => now + share * ((wanted[k] as number) - now));
    const kept = next.map((part) => part > 1e-12);
    if (kept.every(Boolean)) return { chosen, shares: next };
    chosen = chosen.filter((_, k) => kept[k]);
    shares = next.filter((_, k) => kept[k]);
    if (chosen.length === 0) return undefined;
  }
}

function sumOf(
  vectors: readonly Float64Array[],
  chosen: readonly number[],
  shares: readonly number[],
): Float64Array {
  const sum = new Float64Array((vectors[0] as Float64Array).length);
  for (const [k, share] of shares.entries())
    for (const [j, each] of (vectors[chosen[k] as number] as Float64Array).entries())
      sum[j] = (sum[j] as number) + share * each;
  return sum;
}
