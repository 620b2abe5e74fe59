/**
 * Whether a study can go on from where its archive says that it stands. The shapes of the rows are known
 * by then (state-shapes.ts); here their numbers are held against the rows that are there, because the
 * engine counts, reserves and loops by them:
 *
 *   visits       0 … nextVisit − 1 are those of the epochs
 *   versions     follow each other, up to the last round that is folded in; each knows what its rounds had
 *   rounds       are those from `observed` on, in order, the ones that are folded in before the others
 *   epochs       are no larger than the study's, and say of a proposer of the study what they hold
 *   proposers    are those of the study; the state of one that breeds is a population
 */

import type { EngineState, SavedRound } from "../engine/journal.js";
import type { Knowledge } from "../epoch/job.js";
import { isPopulationState } from "../evolve/population.js";
import { isCount, isNames } from "../shapes.js";
import type { Json, Proposal } from "../types.js";
import { damage, type Source } from "./checked-rows.js";
import { STATE_ROW } from "./ledger.js";
import type { Row } from "./schema.js";
import { isKnowledge } from "./state-shapes.js";
import { readStudy } from "./study-rows.js";

export interface Standing {
  readonly state: Omit<EngineState, "proposers">;
  readonly epochs: readonly Pick<Row<"epochs">, "round" | "slot" | "first_visit" | "visits">[];
  /** Digests of each of these epochs. */
  readonly digests: readonly number[];
  readonly proposers: readonly Json[];
  /** By round and slot. */
  readonly proposed: ReadonlyMap<string, readonly Proposal[]>;
}

/** Which of the proposers breed. Throws where the study cannot go on. */
export function requireStanding(source: Source, standing: Standing): readonly boolean[] {
  const refuse = (what: string) => damage(source.database.file, "json", "state", [STATE_ROW], what);
  const study = readStudy(source);
  const { proposers: names, epoch } = study;
  if (!isNames(names) || !isCount(epoch))
    throw damage(source.database.file, "rows", "study", ["proposers"], "an option is missing");
  requireVisits(source, standing, epoch, refuse);
  requireVersions(standing, refuse);
  const isBred = breedersOf(standing.state, refuse);
  const { exhausted } = standing.state;
  for (const count of [exhausted.length, standing.proposers.length, isBred.length])
    if (count !== names.length) throw refuse(`it is not of ${names.length} proposers`);
  for (const [place, state] of standing.proposers.entries())
    if (isBred[place] && !isPopulationState(state)) throw wrongState(source, place);
  requireRounds(standing, refuse);
  for (const round of standing.state.rounds) requireEpochs(round, standing, isBred, epoch, refuse);
  return isBred;
}

/** A proposer's state that it cannot go on from. */
export const wrongState = ({ database }: Source, place: number) =>
  damage(database.file, "json", "proposers", [place], "its state is not one of this proposer");

type Refuse = (what: string) => Error;

function requireVisits(
  { database }: Source,
  { state, epochs }: Standing,
  most: number,
  refuse: Refuse,
): void {
  let next = 0;
  for (const { round, slot, first_visit, visits } of epochs) {
    if (first_visit !== next || visits > most)
      throw damage(
        database.file,
        "rows",
        "epochs",
        [round, slot],
        "its visits are not the next ones",
      );
    next += visits;
  }
  if (state.nextVisit !== next || state.counts.candidates !== next)
    throw refuse(`it does not stand behind visit ${next}, as the epochs do`);
}

function requireVersions({ state, epochs, digests }: Standing, refuse: Refuse): void {
  const { versions, observed, rounds } = state;
  const folded = observed + rounds.filter(isDone).length;
  const [first] = versions;
  if (first === undefined || first.version > observed || versions.at(-1)?.version !== folded)
    throw refuse("its versions are not those of its rounds");
  let [at, visits, seen] = [0, 0, 0];
  for (const [i, { version, counts, digests: known }] of versions.entries()) {
    if (version !== first.version + i) throw refuse("its versions do not follow each other");
    for (; at < epochs.length && (epochs[at] as { round: number }).round < version; at++) {
      visits += (epochs[at] as { visits: number }).visits;
      seen += digests[at] as number;
    }
    if (counts.candidates !== visits || known !== seen)
      throw refuse(`its version ${version} does not know what the rounds before it had`);
  }
}

const isDone = ({ isLaunched, folded, epochs }: SavedRound): boolean =>
  isLaunched && folded === epochs.length;

/** Which proposers have a population in the versions, whose members must have places. */
function breedersOf({ versions }: Standing["state"], refuse: Refuse): readonly boolean[] {
  let islands: (number[] | null)[] | undefined;
  for (const { version, text } of versions) {
    const { populations } = knowledgeOf(text) ?? { populations: undefined };
    if (populations === undefined) throw refuse(`its version ${version} is no knowledge`);
    islands ??= populations.map((each) => (each === null ? null : []));
    if (!settle(islands, populations))
      throw refuse(`its version ${version} has members where no place is`);
  }
  return (islands ?? []).map((each) => each !== null);
}

function knowledgeOf(text: string): Knowledge | undefined {
  try {
    const knowledge: unknown = JSON.parse(text);
    return isKnowledge(knowledge) ? knowledge : undefined;
  } catch {
    return undefined;
  }
}

/** Islands that a population may have: as many as an option may ask for. */
const ISLANDS_MOST = 1_000_000;

/** Counts members of islands; false where one has no place behind those before it. */
function settle(islands: (number[] | null)[], populations: Knowledge["populations"]): boolean {
  if (populations.length !== islands.length) return false;
  return populations.every((update, at) => {
    const counts = islands[at] as number[] | null;
    if (update === null || counts === null) return update === counts;
    return update.settled.every(([island, place]) => {
      const count = counts[island] ?? 0;
      if (island >= ISLANDS_MOST || place > count) return false;
      counts[island] = Math.max(count, place + 1);
      return true;
    });
  });
}

function requireRounds({ state }: Standing, refuse: Refuse): void {
  const { observed, nextRound, rounds, versions, exhausted } = state;
  const begun = rounds.length - (rounds.at(-1)?.round === nextRound ? 1 : 0);
  if (observed + begun !== nextRound) throw refuse("its rounds are not those that are under way");
  const [first] = versions as [EngineState["versions"][number]];
  let isBehind = false;
  for (const [i, round] of rounds.entries()) {
    const { version, places, folded, epochs } = round;
    const isBegun = i < begun;
    const isKnown = version >= first.version && version <= (versions.at(-1)?.version as number);
    const fits =
      round.round === observed + i &&
      places <= exhausted.length &&
      folded <= epochs.length &&
      epochs.length > 0 === isBegun &&
      (isDone(round) ? isBegun && !isBehind : isKnown && version <= round.round);
    if (!fits) throw refuse(`its round ${round.round} cannot be gone on with`);
    isBehind ||= !isDone(round);
  }
}

function requireEpochs(
  { round, folded, epochs }: SavedRound,
  { proposed }: Standing,
  isBred: readonly boolean[],
  most: number,
  refuse: Refuse,
): void {
  let before = -1;
  for (const [i, { slot, place, size, isGiven }] of epochs.entries()) {
    const given = proposed.get(`${round}/${slot}`);
    const isComplete = i < folded || (isBred[place] ? !isGiven : given?.length === size);
    if (slot > before && place < isBred.length && size > 0 && size <= most && isComplete)
      before = slot;
    else throw refuse(`the epoch ${slot} of its round ${round} cannot be gone on with`);
  }
}
