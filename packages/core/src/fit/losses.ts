/**
 * Losses of one point, as functions of its prediction f. They are added up over the points with
 * their weights, inside the machine (wasm/loss.ts, point-losses.ts).
 *
 *   squares    (y − f)²
 *   absolute   |y − f|
 *   huber      (y − f)² / 2 up to the width w, then w |y − f| − w² / 2
 *   poisson    f − y log f                              f: expected count
 *   binomial   −y log f − (m − y) log(1 − f)            f: probability, m: trials
 *
 * The last two are negative log-likelihoods without the terms that no parameter changes.
 */

import {
  FIT_ABSOLUTE,
  FIT_BINOMIAL,
  FIT_HUBER,
  FIT_POISSON,
  FIT_SQUARES,
} from "../program/layout.js";
import { makeError } from "../words.js";
import type { Table } from "./columns.js";
import type { FitOptions, LossName } from "./types.js";

export interface PointLoss {
  /** Its code inside the machine (FIT_* of program/layout.ts). */
  readonly code: number;
  /** Huber's width. */
  readonly width: number;
}

export const lossNames: readonly LossName[] = [
  "squares",
  "absolute",
  "huber",
  "poisson",
  "binomial",
];

export const SQUARES: PointLoss = { code: FIT_SQUARES, width: 0 };
const ABSOLUTE: PointLoss = { code: FIT_ABSOLUTE, width: 0 };
const POISSON: PointLoss = { code: FIT_POISSON, width: 0 };
const BINOMIAL: PointLoss = { code: FIT_BINOMIAL, width: 0 };

export function makeLoss(name: LossName, table: Table, options: FitOptions): PointLoss {
  switch (name) {
    case "squares":
      return SQUARES;
    case "absolute":
      return ABSOLUTE;
    case "huber":
      return { code: FIT_HUBER, width: checkWidth(options.huberWidth ?? 1) };
    case "poisson":
      checkCounts(table.target);
      return POISSON;
    case "binomial":
      checkHits(table.target, table.trials);
      return BINOMIAL;
  }
}

function checkWidth(width: number): number {
  if (Number.isFinite(width) && width > 0) return width;
  const expected = "it must be above 0";
  throw makeError("E-OPTION", {
    reason: "option",
    option: "huberWidth",
    actual: String(width),
    expected,
  });
}

function checkCounts(y: Float64Array): void {
  const bad = y.findIndex((count) => count < 0);
  if (bad >= 0)
    throw makeError(
      "E-INPUT",
      { reason: "count", value: y[bad] as number, rows: [bad] },
      { help: "Poisson's loss is for counts" },
    );
}

function checkHits(y: Float64Array, trials: Float64Array | undefined): void {
  const of = (row: number) => (trials === undefined ? 1 : (trials[row] as number));
  const bad = y.findIndex((count, row) => count < 0 || count > of(row));
  if (bad >= 0)
    throw makeError(
      "E-INPUT",
      { reason: "trials", value: y[bad] as number, limit: of(bad), rows: [bad] },
      { help: "the binomial loss is for numbers of successes; give the trials" },
    );
}
