/**
 * Studies that are left while a round is half begun: one proposer has had its turn, and another one is
 * still thinking. And who hears of outcomes.
 */

import { expect, test, vi } from "vitest";
import type { Outcome, Proposals, Proposer } from "../../src/index.js";
import { Counting, clock, MemoryJournal, play, useClock } from "./play.js";

useClock();

/** Answers after a while, and changes only then. */
class Thinking extends Counting {
  override async propose(count: number): Promise<Proposals> {
    const until = clock.now + 350;
    while (clock.now < until) await new Promise((resolve) => setImmediate(resolve));
    return super.propose(count);
  }
}

const proposers = () => [
  new Counting("quick", [4, 1, 3, 2, 4, 1]),
  new Thinking("slow", [2, 2, 1, 3], 100),
  new Counting("last", [1, 2, 1, 1, 2], 200),
];
const brief = ({ visit, id, round, slot, source, status }: Outcome) =>
  `${visit} ${id} ${round} ${slot} ${source} ${status}`;

test.each([1, 2, 3])(
  "a round that was half begun goes on with who is next, with a lag of %i",
  async (lag) => {
    const options = { lag };
    const journal = new MemoryJournal();
    const straight = await play({ proposers: proposers(), journal, options });
    const whole = straight.outcomes.map(brief);
    expect(whole).toHaveLength(15 + 8 + 7);
    const halves = [...journal.entries.entries()].filter(([, { copy }]) =>
      copy.rounds.some(({ isLaunched, places }) => !isLaunched && places === 1),
    );
    expect(halves.length).toBeGreaterThan(2);
    for (const [index, { copy }] of halves.slice(0, 4)) {
      const again = proposers();
      const { outcomes, done } = await play({
        ...{ proposers: again, journal: new MemoryJournal(), options },
        resumption: journal.resumption(index),
      });
      expect(outcomes.map(brief)).toEqual(whole.slice(copy.nextVisit));
      expect(done?.counts).toEqual(straight.done?.counts);
      expect(again.map((each) => each.save())).toEqual([
        ...[
          [15, 6],
          [108, 4],
          [207, 5],
        ],
      ]);
    }
  },
);

test.each([1, 2, 3])(
  "who had nothing to say was asked again in the same round, where another one was still thinking, with a lag of %i",
  async (lag) => {
    const quiet = () => [
      new Counting("quick", [1, 0, 4, 0, 0, 2, 1]),
      new Thinking("slow", [2, 2, 1, 3, 1], 100),
      new Counting("last", [1, 2, 0, 1, 2, 1], 200),
    ];
    const options = { lag };
    const journal = new MemoryJournal();
    const straight = await play({ proposers: quiet(), journal, options });
    const whole = straight.outcomes.map(brief);
    expect(whole).toHaveLength(8 + 9 + 7);
    for (const [index, { copy }] of journal.entries.entries()) {
      const again = quiet();
      const { outcomes, done } = await play({
        ...{ proposers: again, journal: new MemoryJournal(), options },
        resumption: journal.resumption(index),
      });
      expect(outcomes.map(brief)).toEqual(whole.slice(copy.nextVisit));
      expect(done?.counts).toEqual(straight.done?.counts);
    }
  },
);

test("who breeds elsewhere hears of nothing, and the others of everything", async () => {
  const observe = vi.fn();
  const propose = vi.fn();
  const none = { begin() {}, save: () => null, restore() {}, observe, propose, breeding: {} };
  const evolving: Proposer = { ...none, name: "evolve" };
  const heard = new Counting("list", [3, 3, 3, 3]);
  await play({ proposers: [evolving, heard], options: { lag: 1 } });
  expect(heard.heard.flat()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(observe).not.toHaveBeenCalled();
  expect(propose).not.toHaveBeenCalled();
});
