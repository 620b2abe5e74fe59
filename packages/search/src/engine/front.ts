/**
 * The front: candidates that nothing simpler matches in accuracy.
 *
 * A candidate is as accurate as it is on the rows that it explains less, held-out or training ones.
 * Few rows are held out, and of many thousand candidates some match those by chance that miss the
 * others; what was fitted too closely misses the held-out ones.
 *
 * Members are in order of complexity, and so of accuracy. What is left unexplained counts down to
 * 10⁻¹⁰ of the variance: below, it is rounding, and the simplest program wins. A front is never
 * changed: a better candidate makes a new one, so that whoever looks at an old front sees it as it
 * was.
 */

import type { FrontMember, Outcome } from "../types.js";

/** Least share of the target's variance that counts as unexplained. */
const SHARE_LEAST = 1e-10;

type Accuracy = Pick<Outcome, "r2" | "trainR2">;

/** Share of the target's variance that is left unexplained, where more is. */
const shareLeft = ({ r2, trainR2 }: Accuracy): number =>
  Math.max(1 - Math.min(r2, trainR2), SHARE_LEAST);

export interface Front {
  readonly members: readonly Outcome[];
}

export const emptyFront: Front = { members: [] };

/** The front with an outcome taken in, or the same front where it changes nothing. */
export function advance(front: Front, outcome: Outcome): Front {
  if (outcome.status !== "scored" || !Number.isFinite(shareLeft(outcome))) return front;
  const { members } = front;
  const share = shareLeft(outcome);
  let at = 0;
  while (at < members.length && (members[at] as Outcome).complexity <= outcome.complexity) {
    if (shareLeft(members[at] as Outcome) <= share) return front;
    at += 1;
  }
  const simpler = members.slice(0, at).filter(({ complexity }) => complexity < outcome.complexity);
  const larger = members.slice(at).filter((member) => shareLeft(member) < share);
  return { members: [...simpler, outcome, ...larger] };
}

/** The smallest training loss on the front among members that are no larger; Infinity if none. */
export function lossAt(front: Front, complexity: number): number {
  let loss = Number.POSITIVE_INFINITY;
  for (const member of front.members) {
    if (member.complexity > complexity) break;
    loss = Math.min(loss, member.loss);
  }
  return loss;
}

export type Intervals = Readonly<Record<string, readonly [number, number]>>;

/** Members as users see them, with scores. */
export function describeFront(
  front: Front,
  intervals: ReadonlyMap<number, Intervals>,
): readonly FrontMember[] {
  return front.members.map((member, i): FrontMember => {
    const before = front.members[i - 1];
    const fall =
      before === undefined ? 0 : Math.log(shareLeft(before)) - Math.log(shareLeft(member));
    const grown = before === undefined ? 1 : member.complexity - before.complexity;
    const { id, visit, source, params, r2, trainR2, loss, bic, complexity } = member;
    const known = intervals.get(visit) ?? {};
    const score = fall / grown;
    return {
      id,
      visit,
      source,
      params,
      intervals: known,
      r2,
      trainR2,
      loss,
      bic,
      complexity,
      score,
    };
  });
}

/** The most accurate member: the largest. */
export function bestOf(front: readonly FrontMember[]): FrontMember | undefined {
  return front.at(-1);
}

/** Members whose unexplained share is at most this many times the best one's are near the best. */
const NEAR = 1.5;

/** The parsimony choice: of the members near the best, the one with the highest score. */
export function choiceOf(front: readonly FrontMember[]): FrontMember | undefined {
  const best = front.at(-1);
  if (best === undefined) return undefined;
  const most = NEAR * shareLeft(best);
  const near = front.filter((member) => shareLeft(member) <= most);
  return near.reduce((chosen, member) => (member.score > chosen.score ? member : chosen));
}

/**
 * Held-out rows that tell models apart, at least: with fewer, the losses of two models that are
 * equally good differ by chance more than 2.7 times in one comparison of ten, and a search compares
 * thousands.
 */
const HELD_OUT_LEAST = 12;

/** What to be wary of where few rows are held out; undefined where there are enough. */
export function heldOutWarning(rows: number): string | undefined {
  if (rows >= HELD_OUT_LEAST) return undefined;
  return (
    `only ${rows} rows are held out: among many candidates some match so few rows by chance, so the ` +
    "best may be a fluke; hold out more rows, or try the models on other data"
  );
}
