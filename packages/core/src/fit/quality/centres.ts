/**
 * The one number that predicts all rows best by a loss of distances: a median, or Huber's location.
 * Rows of weight 0 do not count.
 */

type Numbers = ArrayLike<number>;

/** More steps than halving an interval of doubles could take. */
const STEPS_MOST = 2000;

/** A weighted median: on neither side of it lies more than half of the weight. */
export function medianOf(observed: Numbers, weights?: Numbers): number {
  const rows = rowsThatCount(observed.length, weights);
  rows.sort((i, j) => (observed[i] as number) - (observed[j] as number));
  const weightOf = (row: number): number => weights?.[row] ?? 1;
  const half = rows.reduce((sum, row) => sum + weightOf(row), 0) / 2;
  let sum = 0;
  for (const row of rows) {
    sum += weightOf(row);
    if (sum >= half) return observed[row] as number;
  }
  return Number.NaN;
}

/**
 * Where Huber's loss of a constant is least: Newton's steps on a slope that only rises, in an interval that
 * shrinks around its zero.
 */
export function huberCentre(observed: Numbers, width: number, weights?: Numbers): number {
  let centre = medianOf(observed, weights);
  let [low, high] = [Infinity, -Infinity];
  for (const row of rowsThatCount(observed.length, weights)) {
    low = Math.min(low, observed[row] as number);
    high = Math.max(high, observed[row] as number);
  }
  for (let step = 0; step < STEPS_MOST; step++) {
    const { slope, bend } = slopeAt(centre, observed, width, weights);
    if (slope === 0) break;
    if (slope > 0) high = centre;
    else low = centre;
    const newton = centre - slope / bend;
    const next = newton > low && newton < high ? newton : low + (high - low) / 2;
    if (next === centre || next === low || next === high) break;
    centre = next;
  }
  return centre;
}

function slopeAt(centre: number, observed: Numbers, width: number, weights?: Numbers) {
  let [slope, bend] = [0, 0];
  for (let row = 0; row < observed.length; row++) {
    const weight = weights?.[row] ?? 1;
    if (weight === 0) continue;
    const off = centre - (observed[row] as number);
    if (Math.abs(off) <= width) bend += weight;
    slope += weight * Math.min(width, Math.max(-width, off));
  }
  return { slope, bend };
}

function rowsThatCount(count: number, weights?: Numbers): number[] {
  const rows: number[] = [];
  for (let row = 0; row < count; row++) if (weights?.[row] !== 0) rows.push(row);
  return rows;
}
