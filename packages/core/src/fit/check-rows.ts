/** Rows that a fit does not see, held to what it asks of its own rows. */

import type { Program } from "../machine/program.js";
import { readTable } from "./data/columns.js";
import { loadLoss, lossColumns } from "./loss/loss-program.js";
import { makeLoss } from "./loss/losses.js";
import { checkSettings } from "./settings.js";
import type { FitOptions, LossName } from "./types.js";

/**
 * Refuses what `fit` refuses in its own rows before it begins: numbers that are NaN or infinite, weights below 0,
 * deviations that are not above 0, counts below 0 or above their trials. `options` are those of a fit with a
 * target, with the rows in question as `data`.
 */
export function checkRows(program: Program, options: FitOptions): void {
  const { targets, loss, lossName } = checkSettings(options);
  const given = Object.keys(options.data ?? {});
  const table = readTable(program.inputs, given, targets, options, lossName);
  const lossProgram = loadLoss(program, loss);
  try {
    if (lossProgram === undefined) makeLoss(loss as LossName, table, options);
    else lossColumns(lossProgram, table, targets, options);
  } finally {
    // A loss that was given as text is ours to free.
    if (lossProgram !== options.loss) lossProgram?.dispose();
  }
}
