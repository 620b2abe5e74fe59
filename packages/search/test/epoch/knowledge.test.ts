/**
 * What an epoch knows: whoever is brought up to date, from whatever it knew before, knows the same.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../src/digest.js";
import type { OutcomeCounts } from "../../src/engine/progress.js";
import { History, LossFront, View } from "../../src/epoch/knowledge.js";
import type { Member, PopulationView } from "../../src/evolve/population.js";
import type { Outcome } from "../../src/types.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`knowledge: SEED=${seed}`);

const countsAt = (version: number): OutcomeCounts => ({
  ...{ candidates: 10 * version, revisits: version, scored: 3, duplicates: 1, failed: 2 },
  ...{ fits: 7 * version, failures: {} },
});
const outcome = (visit: number): Outcome =>
  ({ visit, complexity: 1 + (visit % 5), loss: 100 / (1 + visit) }) as Outcome;
const memberOf = (id: number): Member => ({
  ...{ id, source: `(+ x ${id})`, params: { a: id / 3 }, rest: 1 / (1 + id), complexity: id % 7 },
});

/** Rounds of changes: a member that comes to an island's place, a front, skeletons seen. */
const change = fc.record({
  settles: fc.array(fc.tuple(fc.nat(2), fc.nat(3), fc.nat(99)), { maxLength: 4 }),
  best: fc.option(fc.array(fc.nat(99), { maxLength: 3 }), { nil: undefined }),
  front: fc.option(fc.array(fc.nat(99), { maxLength: 3 }), { nil: undefined }),
  seen: fc.nat(5),
});
const rounds = fc.array(change, { minLength: 1, maxLength: 6 });

/** A history of such rounds: one proposer that breeds, one that does not. */
function historyOf(changes: readonly (typeof change extends fc.Arbitrary<infer T> ? T : never)[]) {
  const history = new History();
  let population: PopulationView = { islands: [[], [], []], best: [], count: 0 };
  let front: readonly Outcome[] = [];
  let digests = 0;
  history.note(0, { members: front }, [population, null], countsAt(0));
  for (const [round, { settles, best, front: visits, seen }] of changes.entries()) {
    const islands = population.islands.map((island) => [...island]);
    for (const [island, place, id] of settles) {
      const members = islands[island] as Member[];
      members[Math.min(place, members.length)] = memberOf(id);
    }
    population = {
      islands,
      best: best === undefined ? population.best : best.map(memberOf),
      count: islands.reduce((sum, island) => sum + island.length, 0),
    };
    if (visits !== undefined) front = visits.map(outcome);
    for (let i = 0; i < seen; i++) history.see(digestOf(`${digests++}`));
    history.note(round + 1, { members: front }, [population, null], countsAt(round + 1));
  }
  return { history, digests };
}

/** Populations as those who breed see them: an island that nobody lives on may be left out. */
const seenBy = (populations: readonly (PopulationView | null)[]): unknown =>
  populations.map(
    (each) =>
      each && {
        ...structuredClone(each),
        islands: [0, 1, 2].map((island) => structuredClone(each.islands[island] ?? [])),
      },
  );

/** All that a view tells, as plain data. */
function told(view: View, digests: number): unknown {
  const seen = Array.from({ length: digests + 2 }, (_, i) => view.seen.has(digestOf(`${i}`)));
  const losses = Array.from({ length: 8 }, (_, size) => view.front.lossAt(size));
  return { version: view.version, populations: seenBy(view.populations), seen, losses };
}

function viewAt(history: History, ...versions: readonly number[]): View {
  const view = new View();
  for (const version of versions)
    for (const update of history.updates(view.version, version)) {
      view.take(structuredClone(update));
    }
  return view;
}

describe("a view", () => {
  test("takes an update from the version that it has, from nothing, and from no other", () => {
    const { history } = historyOf(
      Array.from({ length: 3 }, () => ({ settles: [], best: undefined, front: [1], seen: 1 })),
    );
    for (let known = 0; known <= 3; known++)
      for (let from = -1; from < 3; from++) {
        const view = viewAt(history, known);
        const [update] = history.updates(from, from + 1);
        const take = () => view.take(update as NonNullable<typeof update>);
        if (from === -1 || from === known) {
          take();
          expect(view.version).toBe(from + 1);
          continue;
        }
        expect(take, `from ${from} at ${known}`).toThrow("an update of another version");
        expect(view.version).toBe(known);
      }
  });

  test("is the same by whatever way it came to a version, and what the history has there", () => {
    fc.assert(
      fc.property(rounds, fc.nat(5), (changes, middle) => {
        const last = changes.length;
        const { history, digests } = historyOf(changes);
        const at = Math.min(middle, last);
        const whole = viewAt(history, last);
        const all = Array.from({ length: last + 1 }, (_, version) => version);
        expect(told(viewAt(history, at, last), digests)).toEqual(told(whole, digests));
        expect(told(viewAt(history, ...all), digests)).toEqual(told(whole, digests));
        // Back to an earlier version, as a worker that starts afresh is.
        const back = viewAt(history, last, at);
        expect(told(back, digests)).toEqual(told(viewAt(history, at), digests));
        const { populations, front } = history.at(last);
        expect(seenBy(whole.populations)).toEqual(seenBy(populations));
        const seen = changes.reduce((sum, each) => sum + each.seen, 0);
        expect((told(whole, digests) as { seen: boolean[] }).seen).toEqual(
          Array.from({ length: digests + 2 }, (_, i) => i < seen),
        );
        const sorted = [...front.members].sort((a, b) => a.complexity - b.complexity);
        const steps = sorted.flatMap(({ complexity, loss }) => [complexity, loss]);
        for (let size = 0; size < 8; size++) {
          const small = front.members.filter(({ complexity }) => complexity <= size);
          expect(new LossFront(steps).lossAt(size)).toBe(
            Math.min(Number.POSITIVE_INFINITY, ...small.map(({ loss }) => loss)),
          );
        }
      }),
      { seed },
    );
  });

  test("refuses an update that goes on from another version", () => {
    const { history } = historyOf([
      { settles: [], best: undefined, front: undefined, seen: 1 },
      { settles: [], best: undefined, front: undefined, seen: 1 },
    ]);
    const view = viewAt(history, 0);
    const [, second] = history.updates(0, 2);
    expect(() => view.take(second as NonNullable<typeof second>)).toThrow("of another version");
    expect(history.updates(1, 1)).toEqual([]);
    expect(history.updates(0, 2).map(({ from, version }) => [from, version])).toEqual([
      [0, 1],
      [1, 2],
    ]);
    expect(history.updates(-1, 2).map(({ from }) => from)).toEqual([-1]);
  });
});

describe("a history", () => {
  test("is the same once saved and restored, whatever was forgotten", () => {
    fc.assert(
      fc.property(rounds, fc.nat(5), (changes, some) => {
        const last = changes.length;
        const oldest = Math.min(some, last);
        const { history, digests } = historyOf(changes);
        history.forgetBefore(oldest);
        const saved = JSON.parse(JSON.stringify(history.save())) as ReturnType<History["save"]>;
        expect(saved.map(({ version }) => version)).toEqual(
          Array.from({ length: last - oldest + 1 }, (_, i) => oldest + i),
        );
        const again = new History();
        for (let i = 0; i < digests; i++) again.see(digestOf(`${i}`));
        again.restore(saved, (visits) => ({ members: visits.map(outcome) }));
        expect(again.latest).toBe(last);
        for (let version = oldest; version <= last; version++) {
          const [was, is] = [history.at(version), again.at(version)];
          expect(seenBy(is.populations)).toEqual(seenBy(was.populations));
          expect(is.front.members.map(({ visit }) => visit)).toEqual(
            was.front.members.map(({ visit }) => visit),
          );
          expect([is.counts, is.digests]).toEqual([was.counts, was.digests]);
          expect(told(viewAt(again, version), digests)).toEqual(
            told(viewAt(history, version), digests),
          );
        }
        for (let version = 0; version < oldest; version++)
          expect(() => again.at(version)).toThrow("was forgotten");
        // A front that comes from an archive is a new list, so it may be told once more.
        const rest = (versions: typeof saved) => versions.map(({ text: _, ...more }) => more);
        expect(rest(JSON.parse(JSON.stringify(again.save())))).toEqual(rest(saved));
      }),
      { seed },
    );
  });

  test("a study whose first island was still empty could not be saved again once it had gone on", () => {
    const later = { settles: [[1, 0, 5]] as [number, number, number][], best: undefined };
    const { history } = historyOf([{ ...later, front: undefined, seen: 0 }]);
    history.forgetBefore(1);
    const again = new History();
    again.restore(history.save(), (visits) => ({ members: visits.map(outcome) }));
    expect(again.at(1).populations[0]?.islands.slice(0, 2)).toEqual([[], [memberOf(5)]]);
    expect(again.save()[0]?.text).toBe(history.save()[0]?.text);
  });

  test("lets whoever lags behind go on for sixteen rounds, and begin afresh after them", () => {
    const none = { settles: [], best: undefined, front: undefined, seen: 1 };
    const settled = { ...none, settles: [[0, 0, 7]] as [number, number, number][] };
    const { history, digests } = historyOf(Array.from({ length: 20 }, () => settled));
    const early = viewAt(history, 3);
    history.forgetBefore(19);
    expect(() => history.at(18)).toThrow("version 18 was forgotten");
    expect(history.updates(2, 20).map(({ from }) => from)).toEqual([-1]);
    const steps = history.updates(3, 20);
    expect(steps.map(({ from }) => from)).toEqual(Array.from({ length: 17 }, (_, i) => 3 + i));
    for (const step of steps) early.take(step);
    expect(told(early, digests)).toEqual(told(viewAt(history, 20), digests));
    expect(history.updates(20, 19).map(({ from }) => from)).toEqual([-1]);
    expect(history.latest).toBe(20);
  });

  test("that comes from an archive goes on from the versions that it has", () => {
    const none = { settles: [], best: undefined, front: undefined, seen: 1 };
    const { history } = historyOf([none, none, none, none]);
    history.forgetBefore(2);
    const again = new History();
    for (let i = 0; i < 4; i++) again.see(digestOf(`${i}`));
    again.restore(history.save(), (visits) => ({ members: visits.map(outcome) }));
    expect(again.updates(2, 4).map(({ from }) => from)).toEqual([2, 3]);
    expect(again.updates(1, 4).map(({ from }) => from)).toEqual([-1]);
  });
});
