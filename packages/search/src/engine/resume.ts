/**
 * Slots of batches that an earlier run proposed and did not settle.
 */

import { expand, type ParameterSpec, read } from "@ndvm/core";
import { isStraight } from "../straight.js";
import type { Proposal } from "../types.js";
import { NO_RESULTS, type Slot } from "./batch.js";
import type { PendingVisit } from "./journal.js";

export function restoreSlots(
  visits: readonly PendingVisit[],
  inputs: readonly string[],
): readonly Slot[] {
  return visits.map((kept): Slot => {
    const { visit, id, skeleton, complexity, failure, duplicateOf } = kept;
    return {
      visit,
      id,
      proposal: proposalOf(kept),
      skeleton,
      complexity,
      failure,
      duplicateOf,
      // A duplicate says nothing of its own: its text may be one that cannot be read.
      isScreened:
        failure === undefined &&
        duplicateOf === undefined &&
        isStraight(expand(read(kept.source), { inputs })),
      isNews: true,
      results: NO_RESULTS,
    };
  });
}

function proposalOf(kept: PendingVisit): Proposal {
  const { source, origin, parents, prompt, params, isRevisit } = kept;
  return {
    source,
    origin,
    parents,
    ...(prompt === undefined ? {} : { prompt }),
    ...(params === undefined
      ? {}
      : { params: JSON.parse(params) as Readonly<Record<string, ParameterSpec>> }),
    ...(isRevisit ? { isRevisit } : {}),
  };
}
