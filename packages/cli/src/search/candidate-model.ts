/**
 * Which model of a candidate is meant: that of the front, as a search weighed it, or that of the visit
 * which fits the training rows best. Held-out rows decide nothing.
 */

import { NdvmError } from "@ndvm/core";
import type { Archive, FrontMember, Outcome } from "@ndvm/search";
import { warn } from "../terminal.js";

export interface CandidateModel {
  /** The visit that it was made from. */
  readonly visit: Outcome;
  readonly source: string;
  readonly params: Readonly<Record<string, number>>;
  /** Where it is from, if that could be doubted. */
  readonly origin: string | undefined;
}

export function modelOf(
  visits: readonly Outcome[],
  front: readonly FrontMember[],
): CandidateModel | undefined {
  const numbers = new Set(visits.map(({ visit }) => visit));
  const members = front.filter(({ visit, isWeighed }) => isWeighed && numbers.has(visit));
  const [first, ...others] = members;
  if (first === undefined) return fittedBest(visits);
  const member = others.reduce((a, b) => (b.length < a.length ? b : a), first);
  const { visit, source, params } = member;
  const outcome = visits.find((one) => one.visit === visit) as Outcome;
  return {
    ...{ visit: outcome, source, params },
    origin: `the model is that of the front: visit ${visit}, its constants fitted to all rows`,
  };
}

function fittedBest(visits: readonly Outcome[]): CandidateModel | undefined {
  const scored = visits.filter(({ status }) => status === "scored");
  const [first, ...others] = scored;
  if (first === undefined) return undefined;
  const visit = others.reduce((a, b) => (b.loss < a.loss || Number.isNaN(a.loss) ? b : a), first);
  const { source, params } = visit;
  const origin =
    others.length === 0
      ? undefined
      : `the model is that of visit ${visit.visit}, which has the least loss on the training rows ` +
        `of ${scored.length} visits`;
  return { visit, source, params, origin };
}

/** The front as it is shown; where the archive has lost what it needs, that is told. */
export function frontOf(archive: Archive): readonly FrontMember[] {
  try {
    return archive.front();
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    warn(`whether it is on the front is not known: ${error.message}`);
    return [];
  }
}
