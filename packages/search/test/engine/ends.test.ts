/**
 * When an engine ends: budgets of a round that was half begun, rounds that were folded in before their last
 * proposer spoke, empty rounds in a row, and the first of several errors. Schedules are worked out a
 * second time, and played with every script.
 */

import { Machine } from "@ndvm/core";
import { beforeAll, expect, test } from "vitest";
import type { Budget, Outcome, Proposals, Proposer } from "../../src/index.js";
import { Counting, clock, MemoryJournal, type Play, play, useClock } from "./play.js";

useClock();

// The first machine waits for its code, as many turns as the disk and the compiler take; later ones do not.
beforeAll(async () => (await Machine.create()).dispose());

/** Turns of the event loop after which a study that hangs is ended from outside. */
const TURNS_MAX = 3000;

/** Plays a study to its end, or to the turn after which it counts as hanging: it is aborted then. */
async function playOut(parts: Play): ReturnType<typeof play> {
  const aborter = new AbortController();
  let turns = 0;
  const count = () => {
    turns += 1;
    if (turns > TURNS_MAX) aborter.abort();
    else if (!aborter.signal.aborted) setImmediate(count);
  };
  count();
  const played = await play({ signal: aborter.signal, ...parts });
  turns = TURNS_MAX;
  return played;
}

/** Answers after a while, and changes only then. */
class Thinking extends Counting {
  override async propose(count: number): Promise<Proposals> {
    const until = clock.now + 350;
    while (clock.now < until) await new Promise((resolve) => setImmediate(resolve));
    return super.propose(count);
  }
}

const brief = ({ visit, id, round, slot, source, status }: Outcome) =>
  `${visit} ${id} ${round} ${slot} ${source} ${status}`;

const spending = { requests: 1, inputTokens: 7, outputTokens: 3, cost: 1 };
const bought = (first: readonly number[]) => [
  new Counting("quick", first, 0, { spending }),
  new Thinking("slow", [2, 2, 1, 3, 2, 2], 100, { spending }),
  new Counting("last", [1, 2, 1, 1, 2, 1], 200, { spending }),
];
const budgets: readonly Budget[] = [
  ...[10, 11, 20, 30, 31, 40, 50, 61, 70].map((tokens) => ({ tokens })),
  ...[3, 8, 12, 20].map((candidates) => ({ candidates })),
  ...[0.5, 0.66, 0.7, 0.8, 0.9].map((r2) => ({ r2 })),
];

test.each([1, 2])(
  "a limit that is reached in the middle of a round ends it after the round, left and resumed or not, with a lag of %i",
  async (lag) => {
    const options = { lag };
    let halves = 0;
    for (const budget of budgets) {
      const journal = new MemoryJournal();
      const whole = bought([4, 1, 3, 2, 4, 1]);
      const straight = await playOut({ proposers: whole, journal, options, budget });
      for (const [index, { copy }] of journal.entries.entries()) {
        if (!copy.rounds.some(({ isLaunched }) => !isLaunched)) continue;
        halves += 1;
        const again = bought([4, 1, 3, 2, 4, 1]);
        const { outcomes, done } = await playOut({
          ...{ proposers: again, journal: new MemoryJournal(), options, budget },
          resumption: journal.resumption(index),
        });
        const story = [budget, outcomes.map(brief), done?.stopped, again.map((one) => one.save())];
        expect(story).toEqual([
          ...[budget, straight.outcomes.slice(copy.nextVisit).map(brief), straight.done?.stopped],
          whole.map((one) => one.save()),
        ]);
        expect(done?.counts).toEqual(straight.done?.counts);
      }
    }
    expect(halves).toBeGreaterThan(20);
  },
);

test.each([1, 2, 3])(
  "a round ends though its epochs came back before who has nothing to say said so, with a lag of %i",
  async (lag) => {
    for (const quick of [[3], [3, 2], [1, 0, 2]])
      for (const slow of [[0], [2, 0], [0, 2], [0, 0, 0]])
        for (const isLast of [false, true]) {
          const proposers = [new Counting("quick", quick), new Thinking("slow", slow, 100)];
          if (!isLast) proposers.push(new Thinking("silent", [0, 0], 200));
          const { done, outcomes } = await playOut({ proposers, options: { lag } });
          const total = [...quick, ...slow].reduce((a, b) => a + b);
          expect([quick, slow, done?.stopped, outcomes.length]).toEqual([
            ...[quick, slow, "exhausted", total],
          ]);
        }
  },
);

const evolving = (): Proposer => ({
  ...{ name: "evolve", begin() {}, save: () => null, restore() {}, observe() {}, breeding: {} },
  propose: () => Promise.reject(new Error("asked")),
});

test.each([1, 2, 3])(
  "ends after a hundred empty rounds in a row, wherever others were in between, with a lag of %i",
  async (lag) => {
    const rounds = (scripts: readonly number[]) => {
      const isEmpty: boolean[] = [];
      for (;;) {
        const heard = isEmpty.slice(0, Math.max(0, isEmpty.length - lag + 1));
        if (heard.length >= 100 && heard.slice(-100).every((is) => is)) return isEmpty.length;
        isEmpty.push((scripts[isEmpty.length] ?? 0) === 0);
      }
    };
    for (const given of [[], [0], [60], [98], [99], [5, 50, 90, 140], [0, 99, 190], [70, 71]]) {
      const script = Array.from({ length: 1 + Math.max(-1, ...given) }, (_, round) =>
        given.includes(round) ? 2 : 0,
      );
      const proposers = [evolving(), ...(given.length > 0 ? [new Counting("rare", script)] : [])];
      const { done, jobs } = await playOut({ proposers, options: { lag, slots: 1 } });
      const begun = new Set(jobs.map(({ round }) => round)).size;
      expect([given, done?.stopped, begun]).toEqual([given, "exhausted", rounds(script)]);
    }
  },
);

test("throws the first of several errors, whoever they are of", async () => {
  const [workers, disk] = [new Error("workers are broken"), new Error("the disk is full")];
  for (const order of ["workers first", "disk first", "workers alone", "disk alone", "twice"]) {
    const journal = new MemoryJournal();
    let broken = (_: Error) => {};
    journal.commit = () =>
      new Promise((resolve, reject) => {
        const later = (what: () => void) => setImmediate(() => setImmediate(what));
        if (order === "workers first") {
          broken(workers);
          later(() => reject(disk));
        } else if (order === "disk first") {
          reject(disk);
          later(() => broken(workers));
        } else if (order === "disk alone") later(() => reject(disk));
        else {
          broken(workers);
          if (order === "twice") broken(disk);
          later(resolve);
        }
      });
    const { error, done } = await playOut({
      ...{ proposers: [new Counting("count", [3, 3, 3])], journal },
      onStart: (events) => {
        broken = (reason) => events.broken(reason);
      },
      onStop: () => {
        if (order === "disk first") broken(workers);
      },
    });
    expect([order, error, done]).toEqual([
      ...[order, order.startsWith("disk") ? disk : workers, undefined],
    ]);
  }
});
