/**
 * The canonical export: what a study found, as JSON lines, without times, workers and runs.
 *
 * Two studies of the same options and seed with the same budget in candidates export the same
 * bytes, however many workers they had and however often they were interrupted.
 */

import { advance, emptyFront } from "../engine/front.js";
import { seedFor } from "../seeds.js";
import { SEED_FIT } from "../study.js";
import type { Database } from "./driver.js";
import { outcomeOfRow, type VisitRow } from "./reader.js";

interface FitRow {
  readonly visit: number;
  readonly rung: number;
  readonly restarts: number;
  readonly loss: number | null;
  readonly r2: number | null;
  readonly params: string | null;
}

export function* exportLines(
  database: Database,
  study: Readonly<Record<string, unknown>>,
  visits: Iterable<VisitRow>,
): Generator<string> {
  yield JSON.stringify({ format: "ndvm-study", version: 1, study });
  const fits = database
    .iterate<FitRow>("SELECT * FROM fits ORDER BY visit, rung")
    [Symbol.iterator]();
  const seed = study["seed"] as number;
  let fit = fits.next();
  let front = emptyFront;
  for (const row of visits) {
    const outcome = outcomeOfRow(row);
    const rungs: unknown[] = [];
    for (; !fit.done && fit.value.visit <= row.visit; fit = fits.next())
      if (fit.value.visit === row.visit) rungs.push(fitOf(fit.value, seed));
    yield JSON.stringify({ ...outcome, rungs });
    front = advance(front, outcome);
  }
  yield JSON.stringify({ front: front.members.map(({ visit }) => visit) });
}

function fitOf({ visit, rung, restarts, loss, r2, params }: FitRow, study: number) {
  const seed = seedFor(study, SEED_FIT, visit, rung, 0);
  return { rung, restarts, seed, loss, r2, params: JSON.parse(params ?? "null") as unknown };
}
