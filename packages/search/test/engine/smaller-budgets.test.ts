/**
 * Studies that are left and resumed with a smaller budget than what they have begun: no budget is passed,
 * and a study that goes on with a larger one is what it would have been.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { EpochJob } from "../../src/epoch/job.js";
import { fitsAtMost } from "../../src/epoch/ladder.js";
import type { Budget, Outcome, Proposals } from "../../src/index.js";
import { Listener, Notes } from "./listener.js";
import { clock, play, useClock } from "./play.js";

useClock();

const seed = Number(process.env["SEED"] ?? 20261120);

const brief = ({ visit, id, round, slot, source, status, fits }: Outcome) =>
  `${visit} ${id} ${round} ${slot} ${source} ${status} ${fits}`;

const recipe = {
  rungs: [
    { restarts: 1, steps: 3, share: 1 },
    { restarts: 2, steps: 3, share: 0.5 },
  ],
};

/** Answers after a while: a study may be left with a round that is half begun. */
class Slow extends Listener {
  override async propose(count: number): Promise<Proposals> {
    const until = clock.now + 350;
    while (clock.now < until) await new Promise((resolve) => setImmediate(resolve));
    return super.propose(count);
  }
}

const scripts = fc.record({
  lag: fc.integer({ min: 1, max: 3 }),
  slots: fc.integer({ min: 1, max: 3 }),
  epoch: fc.integer({ min: 1, max: 4 }),
  order: fc.integer({ min: 1, max: 1e6 }),
  proposers: fc.array(
    fc.record({
      ...{ turns: fc.integer({ min: 1, max: 5 }), most: fc.integer({ min: 1, max: 9 }) },
      isSlow: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});
type Script = typeof scripts extends fc.Arbitrary<infer S> ? S : never;

function partsOf({ lag, slots, epoch, order: first, proposers }: Script) {
  let now = first;
  return {
    proposers: proposers.map(({ turns, most, isSlow }, i) => {
      const name = "abc".slice(i);
      return isSlow ? new Slow(name, turns, most) : new Listener(name, turns, most);
    }),
    order: (count: number) => {
      now = (Math.imul(now, 48271) >>> 0) % 2147483647;
      return count === 0 ? 0 : now % count;
    },
    fitsOf: ({ round, slot }: EpochJob) => (round + slot) % 2,
    options: { lag, slots, epoch, recipe },
  };
}

test(`a study that is resumed with any budget keeps it, and goes on as if it had not ended (SEED=${seed})`, async () => {
  const seen = { held: 0, more: 0, fits: 0, open: 0 };
  /** Goes on from an entry of a journal with a budget, and from its end without one. */
  const goOn = async (
    script: Script,
    from: Notes,
    index: number,
    budget: Budget,
    whole: string[],
  ) => {
    const { copy } = from.entries[index] as (typeof from.entries)[number];
    const [parts, notes] = [partsOf(script), new Notes()];
    notes.goOnFrom(from, copy.nextVisit);
    const some = await play({
      ...{ ...parts, budget, journal: notes, resumption: from.resumption(index) },
    });
    const label = JSON.stringify({ script, index, budget });
    const { candidates = Number.POSITIVE_INFINITY, fits = Number.POSITIVE_INFINITY } = budget;
    const counts = some.done?.counts;
    expect(counts?.candidates, label).toBeLessThanOrEqual(
      Math.max(candidates, copy.counts.candidates),
    );
    expect(counts?.fits, label).toBeLessThanOrEqual(Math.max(fits, copy.counts.fits));
    const begun = copy.rounds.flatMap((round) => round.epochs.slice(round.folded));
    const planned = begun.reduce((sum, { size }) => sum + size, copy.counts.candidates);
    const wasAsked = parts.proposers.some(({ asked }) => asked > 0);
    if (candidates <= planned) expect(wasAsked, label).toBe(false);
    const { observed } = notes.entries.at(-1)?.copy ?? copy;
    // A round that was tried may have waited to hear how many fits those before it took.
    if (wasAsked || (budget.fits !== undefined && observed > copy.observed)) return;
    const rest = begun.slice(some.jobs.length);
    if (rest[0] !== undefined) {
      // The next epoch could have passed the budget, and the user is told that there are more.
      const { size } = rest[0];
      const isOver =
        (counts?.candidates ?? 0) + size > candidates ||
        (counts?.fits ?? 0) + fitsAtMost({ optimiser: "lm", startDeviation: 1, ...recipe }, size) >
          fits;
      expect(isOver, label).toBe(true);
      expect(some.done?.stopped, label).toBe(budget.fits === undefined ? "candidates" : "fits");
      expect(
        some.told.filter(
          (event) => event.type === "warning" && event.message.startsWith("an earlier run has"),
        ),
        label,
      ).toHaveLength(1);
      seen.held += 1;
      if (some.jobs.length > 0) seen.more += 1;
      if (budget.fits !== undefined) seen.fits += 1;
    }
    if (copy.rounds.some(({ isLaunched }) => !isLaunched) && rest.length === 0) seen.open += 1;
    const last = notes.entries.at(-1)?.copy.nextVisit ?? 0;
    const again = new Notes();
    again.goOnFrom(notes, last);
    const resumption = notes.resumption(notes.entries.length - 1);
    const others = await play({ ...partsOf(script), journal: again, resumption });
    expect([...some.outcomes, ...others.outcomes].map(brief), label).toEqual(
      whole.slice(copy.nextVisit),
    );
  };
  await fc.assert(
    fc.asyncProperty(scripts, fc.integer({ min: 1, max: 40 }), async (script, first) => {
      const journal = new Notes();
      const straight = await play({ ...partsOf(script), journal });
      const whole = straight.outcomes.map(brief);
      for (const index of journal.entries.keys())
        for (let most = first % 5; most <= whole.length + 5; most += 5)
          for (const budget of [{ candidates: most + 1 }, { fits: most + 1 }])
            await goOn(script, journal, index, budget, whole);
    }),
    { seed, numRuns: 8 },
  );
  // All of it came up.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
});
