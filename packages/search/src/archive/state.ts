/**
 * Where a study stands, as the archive has it.
 */

import type { EngineState } from "../engine/journal.js";
import { isNumbers, isRecord, parse, readRow, type Source } from "./checked-rows.js";
import { STATE_ROW } from "./ledger.js";

const isState = (value: unknown): value is Omit<EngineState, "proposers"> =>
  isRecord(value) &&
  isNumbers(value["front"]) &&
  isNumbers(value["frontObserved"]) &&
  isRecord(value["counts"]) &&
  Number.isSafeInteger(value["counts"]["candidates"]);

/** Where the study stands; undefined where nothing was written yet. */
export function readState(source: Source): Omit<EngineState, "proposers"> | undefined {
  const row = readRow(source, "state", { where: "one = ?", values: [STATE_ROW] });
  return row === undefined ? undefined : parse(source, "state", row, "state", isState);
}
