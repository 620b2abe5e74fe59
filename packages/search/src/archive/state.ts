/**
 * Where a study stands, as the archive has it.
 */

import { parse, readRow, type Source } from "./checked-rows.js";
import { STATE_ROW } from "./ledger.js";
import { isEngineState, isState, type KeptState } from "./state-shapes.js";

const stateRow = (source: Source) =>
  readRow(source, "state", { where: "one = ?", values: [STATE_ROW] });

/** Where the study stands; undefined where nothing was written yet. */
export function readState(source: Source): KeptState | undefined {
  const row = stateRow(source);
  return row === undefined ? undefined : parse(source, "state", row, "state", isState);
}

/** The same with all that a search needs to go on. */
export function readEngineState(source: Source) {
  const row = stateRow(source);
  return row === undefined ? undefined : parse(source, "state", row, "state", isEngineState);
}

/** Visits that a state names: members of its fronts. Format 2 has no versions. */
export const visitsNamed = ({ front, versions = [] }: KeptState) =>
  new Set([...front, ...versions.flatMap((version) => version.front)]);
