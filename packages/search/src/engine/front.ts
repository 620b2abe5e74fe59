/**
 * The front: of every size the most accurate candidate and the shortest.
 *
 * The training rows make it; held-out rows warn (choice/choose.ts). Accuracy is the loss, down to
 * what rounding or the target's last digit leaves. Short is the rough description length of
 * choice/yardstick.ts, which differs from accuracy, within one size, by the number of constants.
 * A candidate that some member no larger beats or equals in both is not on the front. Of two
 * aliases that explain the rows alike, the lower is the more accurate.
 *
 * Members are in order of complexity, then of loss. A front is never changed: a better candidate
 * makes a new one, so that whoever looks at an old front sees it as it was.
 */

import { log } from "@ndvm/core";
import { foldRates } from "../choice/aliases.js";
import { roughLength, totalOf, type Yardstick } from "../choice/yardstick.js";
import type { FrontMember, Outcome, Weighing } from "../types.js";

export interface Front {
  readonly members: readonly Outcome[];
}

export const emptyFront: Front = { members: [] };

/** What members are compared by. */
interface Standing {
  readonly square: number;
  readonly length: number;
}

/** A rate that has a lower alias explains this many times less than it seems to. */
const ALIAS_HANDICAP = 1.001;

const standings = new WeakMap<Outcome, { readonly by: Yardstick; readonly standing: Standing }>();

function plainStanding(outcome: Outcome, yardstick: Yardstick): Standing {
  return {
    square: Math.max(outcome.loss / yardstick.trainRows, yardstick.leastSquare),
    length: totalOf(roughLength(outcome, yardstick)),
  };
}

function standingOf(outcome: Outcome, yardstick: Yardstick): Standing {
  const known = standings.get(outcome);
  if (known?.by === yardstick) return known.standing;
  const { square, length } = plainStanding(outcome, yardstick);
  const { source, params } = outcome;
  const isAlias = foldRates(source, params, yardstick.inputs, yardstick.lattices) !== undefined;
  const standing = isAlias
    ? { square: square * ALIAS_HANDICAP, length: length + yardstick.symbolBits }
    : { square, length };
  standings.set(outcome, { by: yardstick, standing });
  return standing;
}

/** The standings of a front's members, in their order: looked up once for all candidates it meets. */
const membersStandings = new WeakMap<
  Front,
  { readonly by: Yardstick; readonly all: readonly Standing[] }
>();

function standingsOf(front: Front, yardstick: Yardstick): readonly Standing[] {
  const known = membersStandings.get(front);
  if (known?.by === yardstick) return known.all;
  const all = front.members.map((member) => standingOf(member, yardstick));
  membersStandings.set(front, { by: yardstick, all });
  return all;
}

const isAsGood = (one: Standing, as: Standing): boolean =>
  one.square <= as.square && one.length <= as.length;

/** The front with an outcome taken in, or the same front where it changes nothing. */
export function advance(front: Front, outcome: Outcome, yardstick: Yardstick): Front {
  if (outcome.status !== "scored" || !Number.isFinite(outcome.loss)) return front;
  // Most outcomes fail here, before anything is read.
  if (isBeaten(front, outcome, plainStanding(outcome, yardstick), yardstick)) return front;
  const own = standingOf(outcome, yardstick);
  if (isBeaten(front, outcome, own, yardstick)) return front;
  const { complexity } = outcome;
  const rivals = front.members.filter(
    (member) => member.complexity === complexity && !isAsGood(own, standingOf(member, yardstick)),
  );
  const best = (by: (standing: Standing) => number): Outcome =>
    rivals.reduce(
      (least, rival) =>
        by(standingOf(rival, yardstick)) <= by(standingOf(least, yardstick)) ? rival : least,
      outcome,
    );
  const kept = new Set([best(({ square }) => square), best(({ length }) => length)]);
  if (!kept.has(outcome)) return front;
  const members = front.members.filter((member) =>
    member.complexity < complexity
      ? true
      : member.complexity === complexity
        ? kept.has(member)
        : !isAsGood(own, standingOf(member, yardstick)),
  );
  members.push(outcome);
  members.sort((a, b) => a.complexity - b.complexity || a.loss - b.loss || a.visit - b.visit);
  return { members };
}

function isBeaten(
  front: Front,
  { complexity }: Outcome,
  own: Standing,
  yardstick: Yardstick,
): boolean {
  const { members } = front;
  const standings = standingsOf(front, yardstick);
  for (let i = 0; i < members.length; i++) {
    if ((members[i] as Outcome).complexity > complexity) break;
    if (isAsGood(standings[i] as Standing, own)) return true;
  }
  return false;
}

/**
 * Members as users see them. Those that are one function are one, the shortest; a member goes that
 * another one, no larger, beats or equals in accuracy and in length.
 */
export function describeFront(
  front: Front,
  weighings: ReadonlyMap<number, Partial<Weighing>>,
  yardstick: Yardstick,
): readonly FrontMember[] {
  const visits = new Set(front.members.map(({ visit }) => visit));
  const single: FrontMember[] = [];
  for (const member of front.members) {
    const weighing = weighings.get(member.visit);
    const hasTwin = weighing?.twinOf !== undefined && visits.has(weighing.twinOf);
    if (!hasTwin) single.push(describe(member, weighing, yardstick));
  }
  const kept = single
    .filter((member) => !single.some((other) => other !== member && isBetter(other, member)))
    .sort((a, b) => a.complexity - b.complexity || b.loss - a.loss);
  return withScores(kept, yardstick);
}

function isBetter(a: FrontMember, b: FrontMember): boolean {
  if (a.complexity > b.complexity || a.loss > b.loss || a.length > b.length) return false;
  const isSame = a.complexity === b.complexity && a.loss === b.loss && a.length === b.length;
  return !isSame || a.visit < b.visit;
}

function describe(
  member: Outcome,
  weighing: Partial<Weighing> = {},
  yardstick: Yardstick,
): FrontMember {
  const { id, visit } = member;
  const { r2, trainR2, loss, bic } = weighing.scores ?? member;
  const rough = roughLength(member, yardstick);
  return {
    id,
    visit,
    source: weighing.source ?? member.source,
    params: weighing.params ?? member.params,
    intervals: weighing.intervals ?? {},
    r2,
    trainR2,
    loss,
    bic,
    complexity: weighing.complexity ?? member.complexity,
    length: weighing.length ?? totalOf(rough),
    parts: weighing.parts ?? rough,
    isWeighed: weighing.length !== undefined,
    simple: weighing.simple ?? [],
    undetermined: weighing.undetermined ?? [],
    hidden: weighing.hidden ?? 0,
    score: 0,
  };
}

/** PySR's score: fall of the logarithm of the loss, per size, from the best of the smaller ones. */
function withScores(
  members: readonly FrontMember[],
  { trainRows, leastSquare }: Yardstick,
): readonly FrontMember[] {
  const squareOf = ({ loss }: FrontMember): number => Math.max(loss / trainRows, leastSquare);
  return members.map((member) => {
    const smaller = members.filter(({ complexity }) => complexity < member.complexity);
    const before = smaller.reduce<FrontMember | undefined>(
      (best, one) => (best === undefined || squareOf(one) <= squareOf(best) ? one : best),
      undefined,
    );
    if (before === undefined) return member;
    const fall = log(squareOf(before)) - log(squareOf(member));
    return { ...member, score: fall / (member.complexity - before.complexity) };
  });
}
