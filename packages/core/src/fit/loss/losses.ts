/**
 * The loss that a fit minimises: checked, and as the machine knows it (wasm/fit/loss.ts,
 * point-losses.ts). What the losses are is in loss-table.ts.
 */

import { textOf } from "../../machine/options.js";
import { makeError } from "../../words.js";
import type { Table, Target } from "../data/columns.js";
import type { FitOptions, LossName } from "../types.js";
import { losses } from "./loss-table.js";

export interface PointLoss {
  /** Its code inside the machine (FIT_* of program/layout.ts). */
  readonly code: number;
  /** Huber's width. */
  readonly width: number;
}

/** Fits of one loss without a width share one object. */
const plain: ReadonlyMap<LossName, PointLoss> = new Map(
  Object.entries(losses).map(([name, { code }]) => [name as LossName, { code, width: 0 }]),
);

export const SQUARES = plain.get("squares") as PointLoss;

export function makeLoss(name: LossName, table: Table, options: FitOptions): PointLoss {
  if (name === "huber")
    return { code: losses.huber.code, width: checkWidth(options.huberWidth ?? 1) };
  if (name === "poisson") checkCounts(table);
  if (name === "binomial") checkHits(table);
  return plain.get(name) as PointLoss;
}

function checkWidth(width: number): number {
  if (Number.isFinite(width) && width > 0) return width;
  const expected = "it must be above 0";
  throw makeError("E-OPTION", {
    reason: "option",
    option: "huberWidth",
    actual: textOf(width),
    expected,
  });
}

function checkCounts(table: Table): void {
  const bad = table.target.findIndex((count) => count < 0);
  if (bad >= 0)
    throw makeError(
      "E-INPUT",
      { reason: "count", value: table.target[bad] as number, ...placeOf(bad, table) },
      { help: "Poisson's loss is for counts" },
    );
}

function checkHits(table: Table): void {
  const { target, trials } = table;
  const of = (point: number) => (trials === undefined ? 1 : (trials[point] as number));
  const bad = target.findIndex((count, point) => count < 0 || count > of(point));
  if (bad >= 0)
    throw makeError(
      "E-INPUT",
      { reason: "trials", value: target[bad] as number, limit: of(bad), ...placeOf(bad, table) },
      { help: "the binomial loss is for numbers of successes; give the trials" },
    );
}

/** The row of a point, and of several targets which one it is. */
function placeOf(point: number, { targets, rows }: Table) {
  const place = { rows: [point % rows] };
  return targets.length > 1
    ? { ...place, column: (targets[Math.floor(point / rows)] as Target).name }
    : place;
}
