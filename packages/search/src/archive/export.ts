/**
 * The canonical export: what a study found, as JSON lines, without times, workers and runs.
 *
 * Two studies of the same options and seed with the same budget in candidates export the same
 * bytes, however many workers they had and however often they were interrupted. What the archive was
 * told not to keep is counted, epoch by epoch.
 */

import { recordOf, seedFor } from "@ndvm/core";
import { SEED_FIT } from "../study.js";
import type { Outcome } from "../types.js";
import type { Source } from "./checked-rows.js";
import { isBreedingOption } from "./options.js";
import { type Row, SCHEMA_VERSION } from "./schema.js";
import { readState } from "./state.js";
import { paramsOf, readEpochs } from "./visits.js";

export function* exportLines(
  source: Source,
  study: Readonly<Record<string, unknown>>,
): Generator<string> {
  const options = Object.entries(study).filter(([key]) => !isBreedingOption(key));
  yield JSON.stringify({ format: "ndvm-study", version: 2, study: recordOf(options) });
  const seed = study["seed"] as number;
  const isIntact = (study["keep"] ?? "all") === "all";
  for (const { round, slot, firstVisit, visits, counts, kept } of readEpochs(source)) {
    if (!isIntact && counts !== undefined) {
      const { rows: _rows, ...outcomes } = counts;
      yield JSON.stringify({ epoch: [round, slot], firstVisit, visits, ...outcomes });
    }
    for (const { outcome, rungs } of kept)
      yield JSON.stringify({
        ...outcome,
        rungs: rungs.map((row) => rungOf(source, row, fitSeed(source, seed, outcome, firstVisit))),
      });
  }
  yield JSON.stringify({ front: readState(source)?.front ?? [] });
}

/** Where the chance of a visit's fits begins. Earlier formats had one for each visit and rung. */
function fitSeed(
  { format }: Source,
  study: number,
  { round, slot, visit }: Outcome,
  firstVisit: number,
): (rung: number) => number {
  if (format < SCHEMA_VERSION) return (rung) => seedFor(study, SEED_FIT, visit, rung, 0);
  const seed = seedFor(study, SEED_FIT, round, slot, visit - firstVisit);
  return (rung) => seedFor(seed, rung, 0);
}

function rungOf(source: Source, row: Row<"fits">, seedAt: (rung: number) => number) {
  const { rung, restarts, loss, r2, params } = row;
  const seed = seedAt(rung);
  return { rung, restarts, seed, loss, r2, params: params && paramsOf(source, row) };
}
