/**
 * Where a study stands, as the archive has it.
 */

import type { EngineState } from "../engine/journal.js";
import { isNumbers, isRecord, parse, readRow, type Source } from "./checked-rows.js";
import { STATE_ROW } from "./ledger.js";

/** What a study needs to go on. Format 2 had something else, and is only read. */
const isUnderWay = (value: Readonly<Record<string, unknown>>): boolean =>
  Array.isArray(value["rounds"]) &&
  Array.isArray(value["versions"]) &&
  value["versions"].every((version) => isRecord(version) && isNumbers(version["front"]));

const isState = (value: unknown): value is Omit<EngineState, "proposers"> =>
  isRecord(value) &&
  isNumbers(value["front"]) &&
  (isNumbers(value["frontObserved"]) || isUnderWay(value)) &&
  isRecord(value["counts"]) &&
  Number.isSafeInteger(value["counts"]["candidates"]);

/** Where the study stands; undefined where nothing was written yet. */
export function readState(source: Source): Omit<EngineState, "proposers"> | undefined {
  const row = readRow(source, "state", { where: "one = ?", values: [STATE_ROW] });
  return row === undefined ? undefined : parse(source, "state", row, "state", isState);
}

/** Visits that a state names: members of its fronts. Format 2 has no versions. */
export const visitsNamed = (state: Pick<EngineState, "front"> & Partial<EngineState>) =>
  new Set([...state.front, ...(state.versions ?? []).flatMap(({ front }) => front)]);
