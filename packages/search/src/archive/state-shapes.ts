/**
 * What the row of `state` must be: to be read, and, with more in it, to go on from. How its numbers fit
 * the rows of the archive is looked at in standing.ts.
 */

import type { EngineState, SavedEpoch, SavedRound } from "../engine/journal.js";
import type { OutcomeCounts } from "../engine/progress.js";
import type { Knowledge, PopulationUpdate } from "../epoch/job.js";
import type { SavedVersion } from "../epoch/knowledge.js";
import { isMember, type Member } from "../evolve/population.js";
import {
  isAmount,
  isCount,
  isCounts,
  isFlag,
  isNumber,
  isSpending,
  isText,
  listOf,
  mapOf,
  maybe,
  objectOf,
  orNull,
  type Shape,
} from "../shapes.js";

const isOutcomeCounts: Shape<OutcomeCounts> = objectOf<OutcomeCounts>({
  candidates: isCount,
  revisits: isCount,
  scored: isCount,
  duplicates: isCount,
  failed: isCount,
  fits: isCount,
  failures: mapOf(isCount),
});

const isVersion: Shape<SavedVersion> = objectOf<SavedVersion>({
  version: isCount,
  front: isCounts,
  counts: isOutcomeCounts,
  digests: isCount,
  text: isText,
});

const isEpoch: Shape<SavedEpoch> = objectOf<SavedEpoch>({
  slot: isCount,
  place: isCount,
  size: isCount,
  isGiven: isFlag,
  // They are kept in rows of their own.
  proposals: (value): value is undefined => value === undefined,
});

const isRound: Shape<SavedRound> = objectOf<SavedRound>({
  round: isCount,
  version: isCount,
  places: isCount,
  isLaunched: isFlag,
  folded: isCount,
  epochs: listOf(isEpoch),
});

/** Where a study stands, as far as readers look at it; a salvaged archive may have no more. */
export type KeptState = Pick<EngineState, "seconds" | "counts" | "front"> &
  Partial<Omit<EngineState, "proposers">>;

const READ = { seconds: isAmount, counts: isOutcomeCounts, front: isCounts };

export const isState = objectOf<Pick<KeptState, "seconds" | "counts" | "front" | "versions">>({
  ...READ,
  versions: maybe(listOf(isVersion)),
}) as Shape<KeptState>;

/** What a study needs to go on. */
export const isEngineState: Shape<Omit<EngineState, "proposers">> = objectOf<
  Omit<EngineState, "proposers">
>({
  ...READ,
  nextVisit: isCount,
  observed: isCount,
  nextRound: isCount,
  emptyRounds: isCount,
  exhausted: listOf(isFlag),
  hasListeners: isFlag,
  spending: isSpending,
  versions: listOf(isVersion),
  rounds: listOf(isRound),
});

type Settled = PopulationUpdate["settled"][number];
const isSettled = (value: unknown): value is Settled =>
  Array.isArray(value) &&
  value.length === 3 &&
  isCount(value[0]) &&
  isCount(value[1]) &&
  isMember(value[2]);

/** The text of a version. */
export const isKnowledge: Shape<Knowledge> = objectOf<Knowledge>({
  front: maybe(listOf(isNumber)),
  populations: listOf(
    orNull(
      objectOf<PopulationUpdate>({
        settled: listOf(isSettled),
        best: maybe(listOf<Member>(isMember)),
      }),
    ),
  ),
});
