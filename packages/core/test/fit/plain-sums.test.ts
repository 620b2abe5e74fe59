/**
 * What a batch adds up over the rows of a fit, against sums that are made here by the definitions of the
 * losses: of every loss, for one restart and several, with and without weights, trials and groups, for a
 * few rows and for more than are taken at once, on a trace and elsewhere.
 */

import { describe, expect, test } from "vitest";
import { readTable } from "../../src/fit/data/columns.js";
import { loadLoss, lossColumns } from "../../src/fit/loss/loss-program.js";
import { losses } from "../../src/fit/loss/loss-table.js";
import { makeLoss } from "../../src/fit/loss/losses.js";
import { Factor } from "../../src/fit/math/linear.js";
import { ResidualBatch } from "../../src/fit/optimise/batch.js";
import { LbfgsRestart } from "../../src/fit/optimise/lbfgs.js";
import { LevenbergRestart } from "../../src/fit/optimise/levenberg.js";
import { resolveParameters } from "../../src/fit/parameters/parameters.js";
import { scoreRows } from "../../src/fit/quality/scores.js";
import { type FitOptions, type LossName, Random } from "../../src/index.js";
import { machine } from "./support.js";

const WIDTH = 0.75;
const limits = { steps: 100, gradient: 0, step: 0, loss: 0 };

/** A loss and its slope by the prediction f of y, by its definition. */
type Plain = (y: number, f: number, trials: number) => readonly [loss: number, slope: number];

const impossible = [Number.NaN, Number.NaN] as const;
const plain: Readonly<Record<LossName, Plain>> = {
  squares: (y, f) => [(f - y) ** 2, 2 * (f - y)],
  absolute: (y, f) => [Math.abs(f - y), Math.sign(f - y)],
  huber: (y, f) => {
    const off = Math.abs(f - y);
    if (off <= WIDTH) return [off ** 2 / 2, f - y];
    return [WIDTH * off - WIDTH ** 2 / 2, WIDTH * Math.sign(f - y)];
  },
  poisson: (y, f) => {
    if (!(f >= 0)) return impossible;
    if (y === 0) return [f, 1];
    return [f - y * Math.log(f), 1 - y / f];
  },
  binomial: (y, f, trials) => {
    if (trials === 0) return [0, 0];
    if (!(f >= 0 && f <= 1)) return impossible;
    const missed = trials - y;
    const hit = y === 0 ? [0, 0] : [-y * Math.log(f), -y / f];
    const miss = missed === 0 ? [0, 0] : [-missed * Math.log(1 - f), missed / (1 - f)];
    return [(hit[0] as number) + (miss[0] as number), (hit[1] as number) + (miss[1] as number)];
  },
};

const names = Object.keys(plain) as LossName[];
const isOf = (name: LossName, y: number, trials: number) =>
  name === "poisson" ? y >= 0 : name !== "binomial" || (y >= 0 && y <= trials);

interface Setting {
  readonly source: string;
  readonly options: FitOptions;
  readonly loss: LossName | "program";
}

function batchOf({ source, options, loss }: Setting, slots: number) {
  const program = machine.load(source);
  const given = Object.keys(options.data ?? {});
  const targets = [options.target as string];
  const read = readTable(program.inputs, given, targets, options, loss);
  const own = loadLoss(program, options.loss ?? "squares");
  const table =
    own === undefined ? read : { ...read, others: lossColumns(own, read, targets, options) };
  const parameters = resolveParameters(program.parsed, given, options, table.groups);
  const point = own ?? makeLoss(loss as LossName, table, options);
  const batch = new ResidualBatch(program, table, parameters, slots, point, targets[0] as string);
  return { program, own, batch, free: parameters.free };
}

describe("one row", () => {
  const edges = [-1.5, -1e-9, 0, 1e-300, 0.25, 1, 1 + 1e-9, 2, 3.5];

  test.each(names)("%s is as defined, or no number, wherever a prediction lies", (name) => {
    const seen: string[] = [];
    for (const y of [-2, 0, 1, 2, 3])
      for (const trials of name === "binomial" ? [0, 1, 2, 3] : [1]) {
        if (!isOf(name, y, trials)) continue;
        const data = { x: [0], y: [y], n: [trials] };
        // A row without trials alone would be refused: another that costs nothing goes along.
        const more = { x: [0, 0.5], y: [y, 0], n: [trials, 1] };
        const isEmpty = name === "binomial" && trials === 0;
        const { batch, free, program } = batchOf(
          {
            source: "(+ a x)",
            options: {
              ...{ data: isEmpty ? more : data, target: "y", loss: name, params: { a: 0 } },
              ...(name === "huber" ? { huberWidth: WIDTH } : {}),
              ...(name === "binomial" ? { trials: "n" } : {}),
            },
            loss: name,
          },
          1,
        );
        for (const f of edges) {
          const [loss, slope] = plain[name](y, f, trials);
          const what = `${name} of ${y} at ${f}, ${trials} trials`;
          const { point } = losses[name];
          if (Number.isFinite(loss)) expect(point(y, f, trials, WIDTH), what).toBeCloseTo(loss, 9);
          else expect(Number.isFinite(point(y, f, trials, WIDTH)), what).toBe(false);
          if (isEmpty) continue;
          batch.x.set([f]);
          batch.run();
          const restart = new LbfgsRestart(0, Float64Array.of(f), free, limits);
          batch.take([restart]);
          seen.push(what);
          if (Number.isFinite(loss) && Number.isFinite(slope)) {
            expect(restart.loss, what).toBeCloseTo(loss, 9);
            expect((batch.gradients()[0] as number) / (Math.abs(slope) || 1), what).toBeCloseTo(
              slope / (Math.abs(slope) || 1),
              9,
            );
          } else expect(Number.isFinite(restart.loss), what).toBe(false);
        }
        program.dispose();
      }
    expect(seen.length).toBeGreaterThan(20);
  });

  test.each(names)("%s of held-out rows is no number where a prediction is impossible", (name) => {
    for (const y of [0, 1, 2])
      for (const trials of name === "binomial" ? [1, 2, 3] : [1])
        for (const f of edges) {
          if (!isOf(name, y, trials)) continue;
          const [loss] = plain[name](y, f, trials);
          const sides = { trials: [trials, 2], huberWidth: WIDTH };
          const score = scoreRows(name, [y, 1], [f, 0.5], sides);
          const what = `${name} of ${y} at ${f}, ${trials} trials`;
          expect(Number.isFinite(score.loss), what).toBe(Number.isFinite(loss));
          if (name === "absolute" || name === "huber") continue;
          expect(Number.isFinite(score.deviance), what).toBe(Number.isFinite(loss));
        }
  });
});

interface Kind {
  readonly loss: LossName | "program";
  readonly rows: number;
  readonly slots: number;
  readonly hasWeights: boolean;
  readonly hasTrials: boolean;
  readonly hasGroups: boolean;
  readonly hasColumn: boolean;
}

/** Sums are compared as shares of the sum of what is added. */
function expectSum(got: number, parts: readonly number[], what: string): void {
  const sum = parts.reduce((all, one) => all + one, 0);
  const size = parts.reduce((all, one) => all + Math.abs(one), 0) || 1;
  expect(Math.abs(got - sum) / size, `${what}: ${got}, not ${sum}`).toBeLessThan(1e-12);
}

function sumsAreThoseOf(kind: Kind, seed: number): void {
  const { loss, rows, slots, hasWeights, hasTrials, hasGroups, hasColumn } = kind;
  const random = new Random(seed);
  const column = (of: (row: number) => number) => Array.from({ length: rows }, (_, row) => of(row));
  // The later rows are of another kind, so that those of one piece cannot stand for those of another.
  const isLate = (row: number) => row >= 4096;
  const n = column((row) => random.below(4) + (isLate(row) ? 9 : 0));
  const isCounted = loss === "poisson" || loss === "binomial";
  const y = column((row) =>
    isCounted
      ? random.below((loss === "binomial" && !hasTrials ? 1 : (n[row] as number)) + 1)
      : 2 * random.uniform() - 1 + (isLate(row) ? 3 : 0),
  );
  const x = column((row) => random.uniform() + (isLate(row) ? 0.5 : 0));
  const w = column((row) => (random.below(5) === 0 ? 0 : random.uniform() + (isLate(row) ? 2 : 0)));
  const s = column((row) => random.uniform() + (isLate(row) ? 3 : 0));
  const g = column((row) => (row < 3 ? row : random.below(isLate(row) ? 2 : 3)));
  const own = "(* s (sqrt (+ 1 (square (- pred y)))))";
  const data = { x, y, n, w, s, g };
  const source = hasColumn ? "(/ (+ a (* b x)) 8)" : "(/ (+ a (* b b)) 8)";
  const options: FitOptions = {
    ...{ data, target: "y", params: { a: 1, b: 0.5 }, loss: loss === "program" ? own : loss },
    ...(loss === "huber" ? { huberWidth: WIDTH } : {}),
    ...(hasWeights ? { weights: "w" } : {}),
    ...(hasTrials ? { trials: "n" } : {}),
    ...(hasGroups ? { groups: { by: "g", params: ["a"] } } : {}),
  };
  const { batch, free, program, own: lossProgram } = batchOf({ source, options, loss }, slots);
  const size = free.length;
  for (let k = 0; k < slots * size; k++) batch.x[k] = 1 + random.uniform();
  const points = Array.from({ length: slots }, (_, slot) =>
    batch.x.slice(slot * size, (slot + 1) * size),
  );
  const restarts = points.map((at, slot) => new LbfgsRestart(slot, at, free, limits));
  const again = points.map((at, slot) => new LbfgsRestart(slot, at, free, limits));
  const squares = points.map((at, slot) => new LevenbergRestart(slot, at, free, limits));
  batch.run();
  batch.take(restarts);
  const gradients = batch.gradients();
  const factor = new Factor(size);
  if (loss === "squares") {
    batch.factorInto(factor);
    batch.take(squares);
  }
  const isInside = batch.advance(again, 1, 1) === 1;
  const what = JSON.stringify(kind);
  for (let slot = 0; slot < slots; slot++) {
    const at = points[slot] as Float64Array;
    const indexOf = (label: string) => free.findIndex((one) => one.label === label);
    const b = at[indexOf("b")] as number;
    const terms = column(() => 0).map((_, row) => {
      const j = indexOf(hasGroups ? `a[${g[row]}]` : "a");
      const f = ((at[j] as number) + b * (hasColumn ? (x[row] as number) : b)) / 8;
      const by = new Float64Array(size);
      by[j] = 1 / 8;
      by[indexOf("b")] = (hasColumn ? (x[row] as number) : 2 * b) / 8;
      const off = f - (y[row] as number);
      const root = Math.sqrt(1 + off * off);
      const [value, slope] =
        loss === "program"
          ? [(s[row] as number) * root, ((s[row] as number) * off) / root]
          : plain[loss](y[row] as number, f, hasTrials ? (n[row] as number) : 1);
      const weight = hasWeights ? (w[row] as number) : 1;
      return { loss: weight * value, slope: weight * slope, by, weight };
    });
    const parts = terms.map((term) => term.loss);
    expectSum((restarts[slot] as LbfgsRestart).loss, parts, `${what} loss of ${slot}`);
    if (isInside) expectSum((again[slot] as LbfgsRestart).loss, parts, `${what} on a trace`);
    for (let j = 0; j < size; j++)
      expectSum(
        gradients[slot * size + j] as number,
        terms.map(({ slope, by }) => slope * (by[j] as number)),
        `${what} slope ${j} of ${slot}`,
      );
    if (loss !== "squares") continue;
    expectSum((squares[slot] as LevenbergRestart).loss, parts, `${what} squares of ${slot}`);
    if (slot > 0) continue;
    for (let i = 0; i < size; i++)
      for (let j = 0; j < size; j++) {
        let got = 0;
        for (let k = 0; k < size; k++)
          got += (factor.r[k * size + i] as number) * (factor.r[k * size + j] as number);
        expectSum(
          got,
          terms.map(({ weight, by }) => weight * (by[i] as number) * (by[j] as number)),
          `${what} factor ${i}, ${j}`,
        );
      }
  }
  lossProgram?.dispose();
  program.dispose();
}

describe("sums over rows are those of the definitions", () => {
  const flags = [false, true];
  test.each([...names, "program"] as const)("%s", (loss) => {
    let seed = 1;
    for (const [rows, slots] of [
      [5, 1],
      [13, 3],
      [8, 2],
      [4099, 1],
      [9001, 2],
    ] as const)
      for (const hasWeights of flags)
        for (const hasGroups of flags)
          for (const hasColumn of rows > 100 ? [true] : flags)
            for (const hasTrials of loss === "binomial" ? flags : [false]) {
              if (rows > 9000 && hasGroups !== hasWeights) continue;
              const kind = { loss, rows, slots, hasWeights, hasTrials, hasGroups, hasColumn };
              sumsAreThoseOf(kind, seed++);
            }
  });
});
