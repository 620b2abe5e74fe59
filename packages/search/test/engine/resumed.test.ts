/**
 * Studies of random schedules, resumed from every entry of their journals: proposers hear of the same rounds,
 * say the same, and the journal gets the same epochs, with the same fronts and later times. What proposers
 * say depends on everything that they have heard, so that nothing can be left out, come twice or change places.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { EpochJob } from "../../src/epoch/job.js";
import type { Outcome } from "../../src/index.js";
import { Listener, Notes } from "./listener.js";
import { play, useClock } from "./play.js";

useClock();

const seed = Number(process.env["SEED"] ?? 20261119);

const brief = ({ visit, id, round, slot, source, status, fits }: Outcome) =>
  `${visit} ${id} ${round} ${slot} ${source} ${status} ${fits}`;

const scripts = fc.record({
  lag: fc.integer({ min: 1, max: 3 }),
  slots: fc.integer({ min: 1, max: 3 }),
  epoch: fc.integer({ min: 1, max: 4 }),
  order: fc.integer({ min: 1, max: 1e6 }),
  proposers: fc.array(
    fc.record({ turns: fc.integer({ min: 1, max: 6 }), most: fc.integer({ min: 1, max: 9 }) }),
    { minLength: 1, maxLength: 3 },
  ),
});

type Script = typeof scripts extends fc.Arbitrary<infer S> ? S : never;

/** Plays a study, and so many times again from every entry of the journal before. How many entries, and how many in mid-round. */
async function compare(script: Script, times: number) {
  const { lag, slots, epoch, order: first, proposers: given } = script;
  let halves = 0;
  const listeners = () =>
    given.map((each, i) => new Listener("abc".slice(i), each.turns, each.most));
  const part = () => {
    let now = first;
    return {
      order: (count: number) => {
        now = (Math.imul(now, 48271) >>> 0) % 2147483647;
        return count === 0 ? 0 : now % count;
      },
      fitsOf: ({ round, slot }: EpochJob) => (round + slot) % 3,
      options: { lag, slots, epoch },
    };
  };
  const [whole, journal] = [listeners(), new Notes()];
  const straight = await play({ ...part(), proposers: whole, journal });
  const told = straight.outcomes.map(brief);
  for (const [said, now] of journal.times) expect(said).toBeCloseTo(now, 9);
  const resume = async (from: Notes, index: number, times: number): Promise<void> => {
    const { copy } = from.entries[index] as (typeof from.entries)[number];
    if (copy.rounds.some(({ folded, epochs }) => folded > 0 && folded < epochs.length)) halves += 1;
    const [again, notes] = [listeners(), new Notes()];
    notes.goOnFrom(from, copy.nextVisit);
    const resumption = from.resumption(index);
    const {
      outcomes,
      done,
      told: events,
    } = await play({
      ...{ ...part(), proposers: again, journal: notes },
      resumption: { ...resumption, state: { ...resumption.state, seconds: 5000 } },
    });
    expect(again.map(({ heard }) => heard)).toEqual(
      whole.map(({ heard }) => heard.slice(copy.observed)),
    );
    expect(again.map((each) => each.save())).toEqual(whole.map((each) => each.save()));
    expect(outcomes.map(brief)).toEqual(told.slice(copy.nextVisit));
    const { length } = notes.epochs;
    expect(notes.epochs).toEqual(journal.epochs.slice(journal.epochs.length - length));
    expect(done?.counts).toEqual(straight.done?.counts);
    const fits = outcomes.reduce((sum, outcome) => sum + outcome.fits, 0);
    expect(done?.inThisRun).toEqual({ candidates: outcomes.length, fits });
    expect(done?.front).toEqual(straight.done?.front);
    // The archive has seconds of all runs; who listens hears of those of this one.
    for (const [said] of notes.times) expect(Math.floor(said / 1000)).toBe(5);
    for (const { copy: state } of notes.entries) expect(Math.floor(state.seconds / 1000)).toBe(5);
    for (const event of events)
      if (event.type === "progress") expect(event.seconds).toBeLessThan(1000);
    expect(done?.seconds).toBeLessThan(1000);
    if (times > 1) for (const at of notes.entries.keys()) await resume(notes, at, times - 1);
  };
  for (const index of journal.entries.keys()) await resume(journal, index, times);
  return { entries: journal.entries.length, halves };
}

test(`a study that is resumed is told of the same rounds and tells the same (SEED=${seed})`, async () => {
  let [halves, entries] = [0, 0];
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      const played = await compare(script, 1);
      entries += played.entries;
      halves += played.halves;
    }),
    { seed, numRuns: 7 },
  );
  expect(halves).toBeGreaterThan(3);
  expect(entries).toBeGreaterThan(20);
});

test("a proposer that was asked in vain was asked again after a resumption before it heard more", async () => {
  for (const turns of [3, 4])
    for (const most of [1, 2])
      for (const lag of [2, 3]) {
        const proposers = [{ turns, most }];
        await compare({ ...{ lag, slots: 1, epoch: 2, order: 1 }, proposers }, 2);
      }
});

/** Options of `play` that end the study in its `at`-th turn. */
function cutAt(at: number, order: (count: number) => number) {
  const controller = new AbortController();
  let turns = 0;
  const counting = (count: number) => {
    turns += 1;
    if (turns === at) controller.abort();
    return order(count);
  };
  return { order: counting, signal: controller.signal };
}

test("a proposer that was asked in vain was asked again after a signal before it heard more", async () => {
  for (const [lag, given] of [1, 2, 3].flatMap((lag) =>
    [1, 2].map((most) => [lag, most] as const),
  )) {
    const parts = (more: number) => ({
      // The second is asked in the same rounds, and says nothing or as much as others.
      proposers: [new Listener("abc", 5, given), new Listener("b", 5, more)],
      options: { lag, slots: 1, epoch: 2 },
      order: () => 0,
    });
    for (const more of [0, 3]) {
      const whole = parts(more);
      const straight = await play(whole);
      const told = straight.outcomes.map(brief);
      let cuts = 0;
      for (let at = 1; ; at++) {
        const [begun, journal] = [parts(more), new Notes()];
        const cut = await play({ ...begun, journal, ...cutAt(at, begun.order) });
        if (cut.done?.stopped !== "aborted") break;
        cuts += 1;
        const again = parts(more);
        const resumption = journal.resumption(journal.entries.length - 1);
        const { outcomes } = await play({ ...again, resumption });
        const label = `lag ${lag}, at most ${given} and ${more}, turn ${at}`;
        expect([...cut.outcomes, ...outcomes].map(brief), label).toEqual(told);
        for (const [i, each] of again.proposers.entries()) {
          const heard = [...(begun.proposers[i]?.heard ?? []), ...each.heard];
          expect(heard, label).toEqual(whole.proposers[i]?.heard);
          expect(each.save(), label).toEqual(whole.proposers[i]?.save());
        }
      }
      expect(cuts).toBeGreaterThan(3);
    }
  }
});

test("a study that ended for its candidates goes on with more of them as if it had not ended", async () => {
  for (const lag of [1, 2, 3])
    for (const few of [4, 6]) {
      const parts = (candidates: number) => ({
        proposers: [new Listener("all", 99, Number.POSITIVE_INFINITY)],
        ...{ budget: { candidates }, options: { lag, slots: 1, epoch: 2 } },
      });
      const whole = parts(12);
      const straight = await play(whole);
      expect(straight.outcomes).toHaveLength(12);
      const journal = new Notes();
      const short = await play({ ...parts(few), journal });
      expect([short.done?.stopped, short.outcomes.length]).toEqual(["candidates", few]);
      for (const [index, { copy }] of journal.entries.entries()) {
        const again = parts(12);
        const resumption = journal.resumption(index);
        const { outcomes, done } = await play({ ...again, resumption });
        expect(outcomes.map(brief)).toEqual(straight.outcomes.slice(copy.nextVisit).map(brief));
        expect(done?.counts).toEqual(straight.done?.counts);
        expect(again.proposers[0]?.heard).toEqual(whole.proposers[0]?.heard.slice(copy.observed));
      }
    }
});
