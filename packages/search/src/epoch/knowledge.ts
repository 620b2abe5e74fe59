/**
 * What an epoch knows of its study: islands, front and skeletons seen, as of a version.
 *
 * Whoever runs epochs has a `View` and brings it up to date with updates; the engine makes these
 * from its `History`. Versions count rounds that were folded in. The engine keeps those that an
 * epoch under way was begun with: a worker that starts afresh gets that one, and no later one.
 */

import { addDigests, type Digest, DigestLog, DigestTable } from "../digest.js";
import type { Front } from "../engine/front.js";
import type { OutcomeCounts } from "../engine/progress.js";
import { emptyView, type Member, type PopulationView } from "../evolve/population.js";
import type { Knowledge, PopulationUpdate, Update } from "./job.js";

/** The front as promotions see it: the least loss at every complexity. */
export class LossFront {
  readonly #steps: readonly number[];

  constructor(steps: readonly number[]) {
    this.#steps = steps;
  }

  /** The smallest training loss among members that are no larger; Infinity if there are none. */
  lossAt(complexity: number): number {
    let loss = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#steps.length; i += 2) {
      if ((this.#steps[i] as number) > complexity) break;
      loss = Math.min(loss, this.#steps[i + 1] as number);
    }
    return loss;
  }
}

export class View {
  version = -1;
  front = new LossFront([]);
  populations: (PopulationView | null)[] = [];
  seen = new DigestTable();

  take({ version, from, text, digests }: Update): void {
    if (from >= 0 && from !== this.version) throw new Error("an update of another version");
    const { front, populations } = JSON.parse(text) as Knowledge;
    if (from < 0) {
      this.seen = new DigestTable();
      this.populations = populations.map((update) => (update === null ? null : emptyView()));
    }
    addDigests(this.seen, digests);
    if (front !== undefined) this.front = new LossFront(front);
    for (const [place, update] of populations.entries())
      if (update !== null) settleAll(this.populations[place] as PopulationView, update);
    this.version = version;
  }
}

function settleAll(view: PopulationView, { settled, best }: PopulationUpdate): void {
  for (const [island, place, member] of settled) {
    // Islands that nobody has come to yet are empty, not missing: whoever goes through all meets them.
    while (view.islands.length <= island) view.islands.push([]);
    const members = view.islands[island] as Member[];
    if (place === members.length) view.count += 1;
    members[place] = member;
  }
  if (best !== undefined) view.best = best;
}

type Populations = readonly (PopulationView | null)[];

/** The study after some rounds. Lists are never changed, so versions share their members. */
export interface Version {
  readonly front: Front;
  readonly populations: Populations;
  readonly counts: OutcomeCounts;
  /** Skeletons that were seen until then. */
  readonly digests: number;
}

/** A version as an archive keeps it. */
export interface SavedVersion {
  readonly version: number;
  /** Visits of the front's members. */
  readonly front: readonly number[];
  readonly counts: OutcomeCounts;
  readonly digests: number;
  readonly text: string;
}

/**
 * Rounds whose updates are kept beyond the oldest version. A worker that had nothing to do for a while
 * goes on from where it is, which costs a small part of starting afresh.
 */
const UPDATES_KEPT = 16;

export class History {
  readonly log = new DigestLog();
  readonly #versions = new Map<number, Version>();
  readonly #updates = new Map<number, Update>();
  #latest = -1;

  /** Notes what the study is after so many rounds. Versions come in order. */
  note(version: number, front: Front, populations: Populations, counts: OutcomeCounts): void {
    this.#versions.set(version, { front, populations, counts, digests: this.log.count });
    this.#latest = version;
    // Made while the version before is still there.
    if (this.#versions.has(version - 1)) this.#step(version);
  }

  /** Versions that are kept, the oldest as a whole and the others as what differs. */
  save(): readonly SavedVersion[] {
    const versions = [...this.#versions.keys()].sort((a, b) => a - b);
    return versions.map((version, i) => {
      const { front, counts, digests } = this.at(version);
      const { text } = i === 0 ? this.#snapshot(version, false) : this.#step(version);
      return { version, front: front.members.map(({ visit }) => visit), counts, digests, text };
    });
  }

  restore(saved: readonly SavedVersion[], outcomes: (visits: readonly number[]) => Front): void {
    const view = new View();
    for (const [i, { version, front, counts, digests, text }] of saved.entries()) {
      view.take({ version, from: i === 0 ? -1 : version - 1, text, digests: new Uint32Array() });
      const populations = view.populations.map((each) =>
        each === null ? null : { ...each, islands: each.islands.map((island) => [...island]) },
      );
      this.#versions.set(version, { front: outcomes(front), populations, counts, digests });
      this.#latest = version;
    }
  }

  /** Notes a skeleton that was seen first. */
  see(digest: Digest): void {
    this.log.add(digest);
  }

  get latest(): number {
    return this.#latest;
  }

  /** Forgets what is older than any epoch under way. */
  forgetBefore(version: number): void {
    for (const each of this.#versions.keys()) if (each < version) this.#versions.delete(each);
    for (const each of this.#updates.keys())
      if (each <= version - UPDATES_KEPT) this.#updates.delete(each);
  }

  /** What brings someone from one version (−1: from nothing) to another. */
  updates(from: number, to: number): readonly Update[] {
    if (from === to) return [];
    if (from < 0 || from > to) return [this.#snapshot(to)];
    const updates: Update[] = [];
    for (let version = from + 1; version <= to; version++) {
      if (!this.#hasStep(version)) return [this.#snapshot(to)];
      updates.push(this.#step(version));
    }
    return updates;
  }

  at(version: number): Version {
    const found = this.#versions.get(version);
    if (found === undefined) throw new Error(`version ${version} was forgotten`);
    return found;
  }

  #snapshot(version: number, hasDigests = true): Update {
    const { front, populations, digests } = this.at(version);
    const knowledge: Knowledge = {
      front: stepsOf(front),
      populations: populations.map((each) =>
        each === null ? null : { settled: settledBetween([], each.islands), best: each.best },
      ),
    };
    const words = hasDigests
      ? this.log.between(this.log.beginningFor(digests), digests)
      : new Uint32Array();
    return { version, from: -1, text: JSON.stringify(knowledge), digests: words };
  }

  #hasStep(version: number): boolean {
    return (
      this.#updates.has(version) || (this.#versions.has(version - 1) && this.#versions.has(version))
    );
  }

  #step(version: number): Update {
    const known = this.#updates.get(version);
    if (known !== undefined) return known;
    const [before, after] = [this.at(version - 1), this.at(version)];
    const knowledge: Knowledge = {
      front: before.front.members === after.front.members ? undefined : stepsOf(after.front),
      populations: after.populations.map((each, place) => {
        const earlier = before.populations[place];
        if (each === null || earlier === null || earlier === undefined) return null;
        const best = isSameList(earlier.best, each.best) ? undefined : each.best;
        return { settled: settledBetween(earlier.islands, each.islands), best };
      }),
    };
    const digests = this.log.between(before.digests, after.digests);
    const update = { version, from: version - 1, text: JSON.stringify(knowledge), digests };
    this.#updates.set(version, update);
    return update;
  }
}

/** Complexities and losses of members, in turn. */
export const stepsOf = ({ members }: Front): readonly number[] =>
  members.flatMap(({ complexity, loss }) => [complexity, loss]);

const isSameList = (a: readonly Member[], b: readonly Member[]): boolean =>
  a.length === b.length && a.every((member, i) => member === b[i]);

function settledBetween(
  before: readonly (readonly Member[])[],
  after: readonly (readonly Member[])[],
): PopulationUpdate["settled"] {
  const settled: [number, number, Member][] = [];
  for (let island = 0; island < after.length; island++) {
    const members = after[island] as readonly Member[];
    const earlier = before[island];
    for (let place = 0; place < members.length; place++) {
      const member = members[place] as Member;
      if (earlier?.[place] !== member) settled.push([island, place, member]);
    }
  }
  return settled;
}
