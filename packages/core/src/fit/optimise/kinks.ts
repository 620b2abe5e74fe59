/**
 * Least absolute deviations of lines, exactly: the step d, between bounds, for which Σ wᵢ |rᵢ − aᵢ·d| is least, or
 * Σ wᵢ |rᵢ − aᵢ·d| − lᵢ (rᵢ − aᵢ·d) where a row costs more on one side than on the other: it leans by lᵢ.
 *
 * The sum is all kinks, and is least where as many of them meet as there are parameters. So a point is held by
 * that many rows: data whose deviation is 0 there, or bounds. Letting go of one of them leads along an edge, and
 * the loss falls along it up to the row at which the slopes of all rows that were passed outweigh it (Barrodale
 * and Roberts). That row holds instead. Where no edge leads down, there is no lower point anywhere. It begins
 * anywhere, held by rows that cost nothing to leave. Deviations are off by a little noise, so that no two edges
 * have the same end, and the noise is taken away at the end.
 */

export interface Lines {
  /** How many parameters there are. */
  readonly size: number;
  /** Row after row: by how much the prediction of a row grows with each parameter. */
  readonly slopes: Float64Array;
  /** What a row still misses. */
  readonly missed: Float64Array;
  readonly weights: Float64Array;
  /** What a row costs for each unit by which it is above, and gains below; as good as none where it is undefined. */
  readonly leans?: Float64Array | undefined;
  /** Between which the step of each parameter stays: below and above 0. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** What holds the best step. */
export interface Held {
  /** A row of the data; undefined for a bound, and where nothing holds. */
  readonly row: number | undefined;
  /** The parameter whose bound it is, and which one. */
  readonly bound: { readonly parameter: number; readonly isUpper: boolean } | undefined;
  /** The step that leaves this and stays with all others. */
  readonly way: Float64Array;
}

/** Edges after which sums and the inverse are made anew, so that rounding does not add up. */
const FRESH_EVERY = 50;
/** Noise, as a share of the mean deviation. */
const NOISE = 1e-10;
/** Share of all slopes below which an edge counts as level. */
const LEVEL = 1e-11;
/** Share of its parts that may be left of a sum that is 0. */
const ROUNDING = 1e-13;
/** The deviation of a row that is on one side of 0 by a decision. */
const NEXT_TO_NOTHING = 1e-300;
/** Edges for each row and parameter, at most. */
const EDGES_MOST = 20;

const FREE = 0;
const DATA = 1;
const BOUND = 2;

export class LeastDeviations {
  readonly #lines: Lines;
  readonly #rows: number;
  /** Units in which all columns are alike. */
  readonly #units: Float64Array;
  /** Where the step is, in these units. */
  readonly #at: Float64Array;
  /** Of each row of the data: its prediction less what it is to be, with noise. */
  readonly #off: Float64Array;
  readonly #noise: Float64Array;
  /** Slope of the data that do not hold. */
  readonly #slope: Float64Array;
  /** Rows that hold: data, then lower bounds, upper bounds, and those that cost nothing. */
  readonly #held: Int32Array;
  readonly #isHeld: Uint8Array;
  /** Column k leaves row k that holds and stays with the others. */
  #inverse: Float64Array;
  /** How fast each row moves along an edge, and the side it goes over to; 0 where it stays. */
  readonly #along: Float64Array;
  readonly #sides: Int8Array;
  #edges = 0;

  constructor(lines: Lines) {
    const { size, missed, weights, slopes } = lines;
    const rows = missed.length;
    this.#lines = lines;
    this.#rows = rows;
    this.#units = new Float64Array(size);
    let [total, heavy] = [0, 0];
    for (let i = 0; i < rows; i++) {
      const weight = weights[i] as number;
      total += weight * Math.abs(missed[i] as number);
      heavy += weight;
      for (let j = 0; j < size; j++)
        this.#units[j] =
          (this.#units[j] as number) + weight * Math.abs(slopes[i * size + j] as number);
    }
    for (let j = 0; j < size; j++) this.#units[j] = 1 / ((this.#units[j] as number) || 1);
    const noise = NOISE * (heavy > 0 ? total / heavy : 0);
    this.#noise = Float64Array.from(missed, (_, i) => noise * noiseOf(i));
    this.#at = new Float64Array(size);
    this.#off = Float64Array.from(missed, (miss, i) => (this.#noise[i] as number) - miss);
    this.#along = new Float64Array(rows);
    this.#sides = new Int8Array(rows);
    this.#slope = new Float64Array(size);
    this.#held = Int32Array.from({ length: size }, (_, j) => rows + 2 * size + j);
    this.#isHeld = new Uint8Array(rows + 3 * size);
    for (const row of this.#held) this.#isHeld[row] = 1;
    this.#inverse = new Float64Array(size * size);
    for (let j = 0; j < size; j++) this.#inverse[j * size + j] = 1;
    this.#addSlopes();
  }

  /** Follows one edge; false where none leads down. */
  next(): boolean {
    const { size } = this.#lines;
    if (this.#edges >= EDGES_MOST * (this.#rows + size)) return false;
    if (this.#edges % FRESH_EVERY === FRESH_EVERY - 1) this.#refresh();
    const edge = this.#steepest();
    if (edge === undefined) return false;
    this.#edges += 1;
    return this.#follow(edge.held, edge.side, edge.slope);
  }

  /** The best step so far, without noise. */
  get by(): Float64Array {
    const { size, missed } = this.#lines;
    const at = this.#at.slice();
    for (let k = 0; k < size; k++) {
      const row = this.#held[k] as number;
      if (row >= this.#rows) continue;
      const off = this.#predicted(row, at) - (missed[row] as number);
      const way = this.#way(k);
      for (let j = 0; j < size; j++) at[j] = (at[j] as number) - off * (way[j] as number);
    }
    return at.map((each, j) => {
      const step = each * (this.#units[j] as number);
      return Math.min(
        this.#lines.upper[j] as number,
        Math.max(this.#lines.lower[j] as number, step),
      );
    });
  }

  get held(): Held[] {
    const { size } = this.#lines;
    return Array.from(this.#held, (row, k) => {
      const parameter = (row - this.#rows) % size;
      const kind = this.#kindOf(row);
      const isUpper = row >= this.#rows + size;
      return {
        row: kind === DATA ? row : undefined,
        bound: kind === BOUND ? { parameter, isUpper } : undefined,
        way: this.#way(k).map((each, j) => each * (this.#units[j] as number)),
      };
    });
  }

  /** By how much the loss grows with the prediction of each row; of those that hold, what balances the others. */
  get forces(): Float64Array {
    const { weights, leans } = this.#lines;
    const forces = this.#off.map((off, i) => (weights[i] as number) * Math.sign(off));
    for (const [k, row] of this.#held.entries())
      if (row < this.#rows) forces[row] = -this.#slopeAlong(k);
    return forces.map((force, i) => force + (leans?.[i] ?? 0));
  }

  #kindOf(row: number): number {
    if (row < this.#rows) return DATA;
    return row < this.#rows + 2 * this.#lines.size ? BOUND : FREE;
  }

  #way(k: number): Float64Array {
    const { size } = this.#lines;
    return Float64Array.from({ length: size }, (_, j) => this.#inverse[j * size + k] as number);
  }

  #slopeAlong(k: number): number {
    const { size } = this.#lines;
    let sum = 0;
    for (let j = 0; j < size; j++)
      sum += (this.#slope[j] as number) * (this.#inverse[j * size + k] as number);
    return sum;
  }

  /** The edge along which the loss falls most for its length. */
  #steepest(): { held: number; side: number; slope: number } | undefined {
    const { size, weights } = this.#lines;
    let best: { held: number; side: number; slope: number } | undefined;
    let most = 0;
    for (let k = 0; k < size; k++) {
      const row = this.#held[k] as number;
      const along = this.#slopeAlong(k);
      let length = 0;
      for (let j = 0; j < size; j++) length += Math.abs(this.#inverse[j * size + k] as number);
      const kink = row < this.#rows ? (weights[row] as number) : 0;
      for (const side of [1, -1]) {
        // Nothing is beyond a bound.
        if (side < 0 && this.#kindOf(row) === BOUND) continue;
        const slope = side * along + kink;
        if (!(slope < -LEVEL * length) || !(slope / length < most)) continue;
        most = slope / length;
        best = { held: k, side, slope };
      }
    }
    return best;
  }

  /** Goes along an edge to where the loss is least; false where there is no such place. */
  #follow(k: number, side: number, slope: number): boolean {
    const { size, weights, slopes } = this.#lines;
    const way = this.#way(k).map((each) => side * each);
    const along = this.#along;
    const leaves = this.#held[k] as number;
    const ends: number[] = [];
    for (let i = 0; i < this.#rows; i++) {
      let [change, most] = [0, 0];
      for (let j = 0, at = i * size; j < size; j++, at++) {
        const part = (slopes[at] as number) * (this.#units[j] as number) * (way[j] as number);
        change += part;
        most += Math.abs(part);
      }
      // What rounding leaves of a row that is level along the edge would make a poor hold.
      if (Math.abs(change) <= ROUNDING * most) change = 0;
      along[i] = change;
      if (this.#isHeld[i] === 0 && change * (this.#off[i] as number) < 0 && weights[i] !== 0)
        ends.push(i);
    }
    const bound = this.#boundAlong(way);
    const end = this.#lowestAlong(ends, slope, bound.length);
    const enters = end ?? bound.row;
    const length = end === undefined ? bound.length : this.#lengthTo(end);
    if (enters < 0 || !Number.isFinite(length)) return false;
    if (enters < this.#rows) this.#addRow(enters, -Math.sign(this.#off[enters] as number));
    for (const row of ends) if (row !== enters && this.#lengthTo(row) < length) this.#turn(row);
    for (let i = 0; i < this.#rows; i++) this.#move(i, length);
    for (let j = 0; j < size; j++)
      this.#at[j] = (this.#at[j] as number) + length * (way[j] as number);
    if (leaves < this.#rows) {
      this.#off[leaves] = side * (length > 0 ? length : NEXT_TO_NOTHING);
      this.#addRow(leaves, side);
    }
    this.#exchange(k, enters);
    return true;
  }

  /** How far the way goes until it meets a bound, and which. */
  #boundAlong(way: Float64Array): { length: number; row: number } {
    const { size, lower, upper } = this.#lines;
    let length = Infinity;
    let row = -1;
    for (let j = 0; j < size; j++) {
      const by = way[j] as number;
      if (by === 0) continue;
      const isUpper = by > 0;
      const own = this.#rows + (isUpper ? size : 0) + j;
      if (this.#isHeld[own] === 1) continue;
      const end = ((isUpper ? upper : lower)[j] as number) / (this.#units[j] as number);
      const until = Math.max(0, (end - (this.#at[j] as number)) / by);
      if (!(until < length)) continue;
      length = until;
      row = own;
    }
    return { length, row };
  }

  #lengthTo(row: number): number {
    return -(this.#off[row] as number) / (this.#along[row] as number);
  }

  /** The row at which the loss along the edge rises again; undefined where that is beyond `most`. */
  #lowestAlong(ends: readonly number[], slope: number, most: number): number | undefined {
    const bend = (row: number): number =>
      2 * (this.#lines.weights[row] as number) * Math.abs(this.#along[row] as number);
    let rising = slope;
    let rows = ends.filter((row) => this.#lengthTo(row) < most);
    // Beyond all rows every loss rises, whatever rounding says.
    let last = most === Infinity ? this.#farthestOf(rows) : undefined;
    while (rows.length > 0) {
      const middle = rows[rows.length >> 1] as number;
      const length = this.#lengthTo(middle);
      const before = rows.filter((row) => this.#lengthTo(row) < length);
      const to = before.reduce((sum, row) => sum + bend(row), rising);
      if (to >= 0) {
        // Added up in another order, the same slopes may stay short of 0 by rounding.
        last = this.#farthestOf(before);
        rows = before;
        continue;
      }
      rising = to;
      for (const row of rows) {
        if (this.#lengthTo(row) !== length) continue;
        rising += bend(row);
        if (rising >= 0) return row;
      }
      rows = rows.filter((row) => this.#lengthTo(row) > length);
    }
    return last;
  }

  /** The row that is met last along the edge. */
  #farthestOf(rows: readonly number[]): number | undefined {
    let farthest: number | undefined;
    for (const row of rows)
      if (farthest === undefined || this.#lengthTo(row) > this.#lengthTo(farthest)) farthest = row;
    return farthest;
  }

  /** A row of the data goes over to its other side. */
  #turn(row: number): void {
    const off = this.#off[row] as number;
    this.#addRow(row, -2 * Math.sign(off));
    this.#sides[row] = -Math.sign(off);
  }

  /** Moves a row along the edge: it is on the side that its slope was counted for, whatever rounding says. */
  #move(row: number, length: number): void {
    if (this.#isHeld[row] === 1) return;
    const off = this.#off[row] as number;
    const side = (this.#sides[row] as number) || Math.sign(off) || 1;
    this.#sides[row] = 0;
    const next = off + length * (this.#along[row] as number);
    this.#off[row] = next * side > 0 ? next : side * NEXT_TO_NOTHING;
  }

  #addRow(row: number, times: number): void {
    this.#addForce(row, times * (this.#lines.weights[row] as number));
  }

  #addForce(row: number, factor: number): void {
    const { size, slopes } = this.#lines;
    for (let j = 0; j < size; j++)
      this.#slope[j] =
        (this.#slope[j] as number) +
        factor * (slopes[row * size + j] as number) * (this.#units[j] as number);
  }

  #addSlopes(): void {
    this.#slope.fill(0);
    for (let i = 0; i < this.#rows; i++)
      if (this.#isHeld[i] === 0) this.#addRow(i, Math.sign(this.#off[i] as number));
    for (const [i, lean] of this.#lines.leans?.entries() ?? []) this.#addForce(i, lean);
  }

  /** A row in the units of the step. */
  #rowOf(row: number): Float64Array {
    const { size, slopes } = this.#lines;
    if (row < this.#rows)
      return Float64Array.from(
        { length: size },
        (_, j) => (slopes[row * size + j] as number) * (this.#units[j] as number),
      );
    const unit = new Float64Array(size);
    const from = this.#rows + size;
    unit[(row - this.#rows) % size] = row >= from && row < from + size ? -1 : 1;
    return unit;
  }

  #predicted(row: number, at: Float64Array): number {
    let sum = 0;
    for (const [j, each] of this.#rowOf(row).entries()) sum += each * (at[j] as number);
    return sum;
  }

  /** Another row holds in place of one. */
  #exchange(k: number, enters: number): void {
    const { size } = this.#lines;
    const row = this.#rowOf(enters);
    const inverse = this.#inverse;
    const parts = new Float64Array(size);
    for (let j = 0; j < size; j++)
      for (let l = 0; l < size; l++)
        parts[l] = (parts[l] as number) + (row[j] as number) * (inverse[j * size + l] as number);
    const pivot = parts[k] as number;
    for (let j = 0; j < size; j++) {
      const own = (inverse[j * size + k] as number) / pivot;
      for (let l = 0; l < size; l++)
        if (l !== k)
          inverse[j * size + l] = (inverse[j * size + l] as number) - (parts[l] as number) * own;
      inverse[j * size + k] = own;
    }
    this.#isHeld[this.#held[k] as number] = 0;
    this.#isHeld[enters] = 1;
    this.#held[k] = enters;
  }

  /** Makes anew what rounding adds up in. */
  #refresh(): void {
    const { missed } = this.#lines;
    const fresh = inverseOf(Array.from(this.#held, (row) => this.#rowOf(row)));
    if (fresh !== undefined) this.#inverse = fresh;
    for (let i = 0; i < this.#rows; i++) {
      if (this.#isHeld[i] === 1) continue;
      const off = this.#predicted(i, this.#at) - (missed[i] as number) + (this.#noise[i] as number);
      if (off * (this.#off[i] as number) > 0) this.#off[i] = off;
    }
    this.#addSlopes();
  }
}

/** The loss after a step, as the lines say. */
export function lossAfter(
  { size, slopes, missed, weights, leans }: Lines,
  by: Float64Array,
): number {
  let sum = 0;
  for (let i = 0; i < missed.length; i++) {
    let left = missed[i] as number;
    for (let j = 0, at = i * size; j < size; j++, at++)
      left -= (slopes[at] as number) * (by[j] as number);
    if (weights[i] !== 0) sum += (weights[i] as number) * Math.abs(left);
    if (leans !== undefined) sum -= (leans[i] as number) * left;
  }
  return sum;
}

/** Between 0.5 and 1.5, of either sign. */
function noiseOf(row: number): number {
  const share = ((row + 1) * 0.6180339887498949) % 1;
  return (0.5 + share) * (((row + 1) * 0.7548776662466927) % 1 < 0.5 ? -1 : 1);
}

/** The inverse of a matrix given by its rows, by Gauss and Jordan; undefined where there is none. */
function inverseOf(rows: readonly Float64Array[]): Float64Array | undefined {
  const size = rows.length;
  const all: Float64Array[] = rows.map((row, i) => {
    const wide = new Float64Array(2 * size);
    wide.set(row);
    wide[size + i] = 1;
    return wide;
  });
  for (let k = 0; k < size; k++) {
    let top = k;
    for (let i = k + 1; i < size; i++)
      if (Math.abs(all[i]?.[k] as number) > Math.abs(all[top]?.[k] as number)) top = i;
    const row = all[top] as Float64Array;
    all[top] = all[k] as Float64Array;
    all[k] = row;
    const pivot = row[k] as number;
    if (!(Math.abs(pivot) > 0)) return undefined;
    for (let j = k; j < 2 * size; j++) row[j] = (row[j] as number) / pivot;
    for (const [i, other] of all.entries()) {
      const factor = other[k] as number;
      if (i === k || factor === 0) continue;
      for (let j = k; j < 2 * size; j++)
        other[j] = (other[j] as number) - factor * (row[j] as number);
    }
  }
  const inverse = new Float64Array(size * size);
  for (const [i, row] of all.entries()) inverse.set(row.subarray(size), i * size);
  return inverse;
}
