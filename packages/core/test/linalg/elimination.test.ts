/**
 * Determinants beyond 3 × 3, and which matrices have no inverse, against elimination one matrix at a time, in plain numbers: which entries
 * are nothing but rounding is known row by row, whatever rows have changed places. Bit for bit.
 */

import { describe, expect, test } from "vitest";
import { Machine, type Precision } from "../../src/index.js";

/** A row of what is left, and how much 1/ε of rounding has come into each entry. */
interface Row {
  readonly entries: number[];
  readonly sizes: number[];
}

/** Rounds to the machine's numbers; the distance from 1 to the next one. */
const numbers = {
  f32: { round: Math.fround, epsilon: 2 ** -23 },
  f64: { round: (x: number) => x, epsilon: 2 ** -52 },
};

class Elimination {
  readonly #round: (x: number) => number;
  readonly #slack: number;
  readonly #rows: Row[];
  #sign = 1;
  /** Rows that changed places when a pivot that was rounding had been taken away. */
  exchangedAgain = 0;
  /** Whether a pivot was 0, once the determinant is known. */
  isSingular = false;

  constructor(precision: Precision, rows: readonly (readonly number[])[]) {
    const { round, epsilon } = numbers[precision];
    this.#round = round;
    this.#slack = round(2 * rows.length * epsilon);
    this.#rows = rows.map((row) => ({ entries: [...row], sizes: row.map(Math.abs) }));
  }

  #row(i: number): Row {
    return this.#rows[i] as Row;
  }

  #entry(i: number, k: number): number {
    return this.#row(i).entries[k] as number;
  }

  #isRounding(i: number, k: number): boolean {
    const most = this.#round(this.#slack * (this.#row(i).sizes[k] as number));
    return this.#entry(i, k) !== 0 && Math.abs(this.#entry(i, k)) <= most;
  }

  /** Brings the largest entry of column k to row k; how many rows changed places. */
  #pivot(k: number): number {
    let exchanged = 0;
    for (let i = k + 1; i < this.#rows.length; i++) {
      if (Math.abs(this.#entry(i, k)) <= Math.abs(this.#entry(k, k))) continue;
      [this.#rows[k], this.#rows[i]] = [this.#row(i), this.#row(k)];
      this.#sign = -this.#sign;
      exchanged += 1;
    }
    return exchanged;
  }

  #subtract(i: number, k: number, divisor: number): void {
    const round = this.#round;
    const [upper, lower] = [this.#row(k), this.#row(i)];
    const factor = round((lower.entries[k] as number) / divisor);
    const times = Math.abs(factor);
    const ofHead = round(times * (upper.sizes[k] as number));
    const ofFactor = round(Math.max(lower.sizes[k] as number, ofHead) / Math.abs(divisor));
    for (let j = k + 1; j < this.#rows.length; j++) {
      const above = upper.entries[j] as number;
      lower.sizes[j] = Math.max(
        lower.sizes[j] as number,
        round(times * (upper.sizes[j] as number)),
        round(ofFactor * Math.abs(above)),
      );
      lower.entries[j] = round((lower.entries[j] as number) - round(factor * above));
    }
  }

  determinant(): number {
    const n = this.#rows.length;
    for (let k = 0; k < n; k++) {
      this.#pivot(k);
      if (this.#isRounding(k, k)) {
        for (let i = k; i < n; i++) if (this.#isRounding(i, k)) this.#row(i).entries[k] = 0;
        this.exchangedAgain += this.#pivot(k);
      }
      for (let i = k + 1; i < n; i++) this.#subtract(i, k, this.#entry(k, k) || 1);
    }
    this.isSingular = this.#rows.some(({ entries }, k) => entries[k] === 0);
    const product = this.#rows.reduce((all, { entries }, k) => {
      return this.#round(all * (entries[k] as number));
    }, 1);
    return product * this.#sign + 0;
  }
}

const LANES = 3000;

/** Numbers from 0 to 1, the same in every run. */
function drawsOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >>> 8) / 2 ** 23;
  };
}

type Matrices = (n: number, precision: Precision, draw: () => number) => number[][];

/** Rows of very different sizes; the second column follows the first, or nearly does, in most. */
function withDependentColumns(n: number, precision: Precision, draw: () => number): number[][] {
  const { round } = numbers[precision];
  return Array.from({ length: n }, () => {
    const scale = 10 ** Math.round((draw() - 0.5) * 16);
    const row = Array.from({ length: n }, () => round(round((draw() - 0.5) * 2) * scale));
    const away = draw() < 0.5 ? 0 : scale * 10 ** -Math.round(draw() * 20);
    row[1] = round(round((row[0] as number) * 0.3) + away);
    return row;
  });
}

/** Rows of very different sizes, most of which are made of two others in their first columns. */
function withDependentRows(n: number, precision: Precision, draw: () => number): number[][] {
  const { round } = numbers[precision];
  const below = (end: number) => Math.floor(draw() * end);
  const entry = () => (below(19) - 9 || 1) * (draw() < 0.5 ? 1 : 1 / 3);
  const rows = Array.from({ length: n }, () => Array.from({ length: n }, entry));
  for (let i = 1; i < n; i++) {
    if (draw() < 0.4) continue;
    const [one, other] = [rows[below(i)] as number[], rows[below(i)] as number[]];
    const [p, q] = [entry(), entry()];
    const columns = 1 + below(n);
    for (let j = 0; j < columns; j++)
      (rows[i] as number[])[j] = p * (one[j] as number) + q * (other[j] as number);
  }
  return rows.map((row) => {
    const scale = 10 ** (below(19) - 9);
    return row.map((x) => round(x * scale));
  });
}

/** Mostly zeros beside the diagonal; columns of very different sizes; one row nearly follows another. */
function withManyZeros(n: number, precision: Precision, draw: () => number): number[][] {
  const { round, epsilon } = numbers[precision];
  const below = (end: number) => Math.floor(draw() * end);
  const scales = Array.from({ length: n }, (_, j) => (j === 0 ? 1 : 10 ** below(9)));
  const entry = (i: number, j: number) =>
    i === j || draw() < 0.25 ? round((draw() + 0.5) * (scales[j] as number)) : 0;
  const rows = Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (_, j) => entry(i, j)),
  );
  const [from, to] = [below(n - 1), n - 1];
  const times = draw() + 0.5;
  rows[to] = (rows[from] as number[]).map((x) => round(times * x * (1 + (below(3) - 1) * epsilon)));
  return rows;
}

const kinds: readonly (readonly [string, Matrices])[] = [
  ["columns", withDependentColumns],
  ["rows", withDependentRows],
  ["rows, mostly zeros", withManyZeros],
];

describe.each<Precision>(["f32", "f64"])("elimination in %s", (precision) => {
  test.each([4, 5, 6, 7].flatMap((n) => kinds.map(([kind, draw]) => [n, kind, draw] as const)))(
    "of size %i with dependent %s knows rounding whatever rows change places",
    async (n, _, matrixOf) => {
      const draw = drawsOf(n);
      const matrices = Array.from({ length: LANES }, () => matrixOf(n, precision, draw));
      const names = Array.from({ length: n * n }, (_, at) => `x${at}`);
      const rows = Array.from(
        { length: n },
        (_, i) => `(vec ${names.slice(i * n, i * n + n).join(" ")})`,
      );
      const machine = await Machine.create({ precision });
      const inputs = names.map((name, at) => [
        name,
        Float64Array.from(matrices, (matrix) => matrix[Math.floor(at / n)]?.[at % n] as number),
      ]);
      const valuesOf = (source: string): number[] => [
        ...machine.load(source).evaluate(Object.fromEntries(inputs)).values,
      ];
      const matrix = `(mat ${rows.join(" ")})`;
      const plain = matrices.map((matrix) => new Elimination(precision, matrix));
      expect(valuesOf(`(det ${matrix})`)).toEqual(plain.map((one) => one.determinant()));
      const withoutInverse = valuesOf(`(vsum (inv ${matrix}))`).map(Number.isNaN);
      expect(withoutInverse).toEqual(plain.map(({ isSingular }) => isSingular));
      const isRepaired = plain.map((one) => one.exchangedAgain > 0 || one.isSingular);
      expect(isRepaired).toContain(true);
    },
  );
});
