/**
 * Losses of one point, as functions of its prediction, with their slopes. They are added up over
 * the points with their weights.
 *
 *   squares    (y − f)²
 *   absolute   |y − f|
 *   huber      (y − f)² / 2 up to the width w, then w |y − f| − w² / 2
 *   poisson    f − y log f                              f: expected count
 *   binomial   −y log f − (m − y) log(1 − f)            f: probability, m: trials
 *
 * The last two are negative log-likelihoods without the terms that no parameter changes.
 */

import { NdvmError } from "../errors.js";
import { FIT_ABSOLUTE, FIT_HUBER, FIT_SQUARES } from "../program/layout.js";
import type { Table } from "./columns.js";
import { log } from "./elementary.js";
import { refuse } from "./parameters.js";
import type { FitOptions, LossName } from "./types.js";

export interface PointLoss {
  value(prediction: number, row: number): number;
  slope(prediction: number, row: number): number;
  /** Its code inside the machine (FIT_* of program/layout.ts); undefined where it has none. */
  readonly code?: number;
  /** Huber's width. */
  readonly width?: number;
}

export const lossNames: readonly LossName[] = [
  "squares",
  "absolute",
  "huber",
  "poisson",
  "binomial",
];

export function makeLoss(name: LossName, table: Table, options: FitOptions): PointLoss {
  switch (name) {
    case "squares":
      return squares(table.target);
    case "absolute":
      return absolute(table.target);
    case "huber":
      return huber(table.target, checkWidth(options.huberWidth ?? 1));
    case "poisson":
      return poisson(table.target);
    case "binomial":
      return binomial(table.target, table.trials);
  }
}

function checkWidth(width: number): number {
  if (Number.isFinite(width) && width > 0) return width;
  throw new NdvmError("E-OPTION", `huberWidth is ${width}`, { help: "it must be above 0" });
}

const squares = (y: Float64Array): PointLoss => ({
  code: FIT_SQUARES,
  value: (f, row) => (f - (y[row] as number)) * (f - (y[row] as number)),
  slope: (f, row) => 2 * (f - (y[row] as number)),
});

const absolute = (y: Float64Array): PointLoss => ({
  code: FIT_ABSOLUTE,
  value: (f, row) => Math.abs(f - (y[row] as number)),
  slope: (f, row) => Math.sign(f - (y[row] as number)),
});

const huber = (y: Float64Array, width: number): PointLoss => ({
  code: FIT_HUBER,
  width,
  value: (f, row) => {
    const off = Math.abs(f - (y[row] as number));
    return off <= width ? (off * off) / 2 : width * off - (width * width) / 2;
  },
  slope: (f, row) => {
    const off = f - (y[row] as number);
    return Math.min(Math.max(off, -width), width);
  },
});

function poisson(y: Float64Array): PointLoss {
  const bad = y.findIndex((count) => count < 0);
  if (bad >= 0)
    throw refuse(`the target is ${y[bad]} in row ${bad + 1}`, "Poisson's loss is for counts");
  return {
    value: (f, row) => ((y[row] as number) === 0 && f >= 0 ? f : f - (y[row] as number) * log(f)),
    slope: (f, row) => ((y[row] as number) === 0 ? 1 : 1 - (y[row] as number) / f),
  };
}

function binomial(y: Float64Array, trials: Float64Array | undefined): PointLoss {
  const of = (row: number) => (trials === undefined ? 1 : (trials[row] as number));
  const bad = y.findIndex((count, row) => count < 0 || count > of(row));
  if (bad >= 0)
    throw refuse(
      `the target is ${y[bad]} in row ${bad + 1}, of ${of(bad)} trials`,
      "the binomial loss is for numbers of successes; give the trials",
    );
  const part = (count: number, chance: number) => (count === 0 ? 0 : count * log(chance));
  return {
    value: (f, row) => -part(y[row] as number, f) - part(of(row) - (y[row] as number), 1 - f),
    slope: (f, row) => {
      const hit = y[row] as number;
      const missed = of(row) - hit;
      return (missed === 0 ? 0 : missed / (1 - f)) - (hit === 0 ? 0 : hit / f);
    },
  };
}
