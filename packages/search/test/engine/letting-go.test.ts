/**
 * What an engine leaves behind, what it waits for, and what it writes of an epoch: timers and listeners, events
 * that nobody hears or writes, fronts before and after, and rounds that came to nothing before a resumption.
 */

import { getEventListeners } from "node:events";
import { describe, expect, test, vi } from "vitest";
import type { EngineState, SettledEpoch } from "../../src/engine/journal.js";
import { packEpoch } from "../../src/epoch/pack.js";
import type { Proposer } from "../../src/index.js";
import { Counting, candidateOf, clock, MemoryJournal, play, useClock } from "./play.js";

useClock();

const many = (count: number, of: number) => Array<number>(count).fill(of);

describe("an engine that has ended", () => {
  test.each(["done", "aborted"])("has no timer and listens to no signal: %s", async (how) => {
    const aborter = new AbortController();
    const asked: number[] = [];
    let inner: AbortSignal | undefined;
    const proposer = new Counting("count", many(5, 3));
    const propose = proposer.propose.bind(proposer);
    proposer.propose = (count: number, ...rest: readonly unknown[]) => {
      inner = rest[0] as AbortSignal;
      asked.push(getEventListeners(inner, "abort").length);
      if (how === "aborted" && asked.length === 3) aborter.abort();
      return propose(count);
    };
    const { done } = await play({
      ...{ proposers: [proposer], budget: { seconds: 1e6 }, signal: aborter.signal },
    });
    expect(done?.stopped).toBe(how === "done" ? "exhausted" : "aborted");
    expect(getEventListeners(aborter.signal, "abort")).toHaveLength(0);
    expect(inner && getEventListeners(inner, "abort")).toHaveLength(0);
    // The engine listens for the one that it asks, and no more for those before.
    expect(asked).toEqual(asked.map(() => 1));
    expect(vi.getTimerCount()).toBe(0);
  });

  test("folds nothing in that comes back late", async () => {
    const aborter = new AbortController();
    const proposer = new Counting("count", many(9, 4));
    let comeBack = (): void => {};
    const { done, outcomes, jobs } = await play({
      ...{ proposers: [proposer], options: { lag: 3 }, signal: aborter.signal },
      onJobs: ([job], events) => {
        if (job?.round === 2) aborter.abort();
        if (job?.round !== 0) return;
        const candidates = (job.proposals ?? []).map((each) => candidateOf(each, 1));
        const result = { round: 0, slot: job.slot, candidates, breeding: 0, reading: 0 };
        comeBack = () => events.done(packEpoch(result, job), job, 0);
      },
      // Nothing comes back before the end.
      order: () => 99,
      onStop: () => comeBack(),
    });
    expect([done?.stopped, outcomes.length, done?.counts.candidates]).toEqual(["aborted", 0, 0]);
    expect(jobs).toHaveLength(3);
  });

  test("asks nobody after the one who ended it and does not answer", async () => {
    const aborter = new AbortController();
    const [first, second] = [new Counting("first", many(9, 3)), new Counting("second", [3], 100)];
    first.propose = () => {
      aborter.abort();
      return new Promise(() => {});
    };
    const { done, jobs } = await play({
      ...{ proposers: [first, second], signal: aborter.signal },
    });
    expect([done?.stopped, second.asked, jobs]).toEqual(["aborted", [], []]);
  });

  test("keeps the first reason for its end", async () => {
    const aborter = new AbortController();
    const proposer = new Counting("count", many(9, 3));
    proposer.propose = () => {
      clock.now += 5000;
      vi.advanceTimersByTime(5000);
      aborter.abort();
      return new Promise(() => {});
    };
    const { done } = await play({
      ...{ proposers: [proposer], budget: { seconds: 4 }, signal: aborter.signal },
    });
    expect(done?.stopped).toBe("seconds");
  });
});

describe("an engine whose events wait", () => {
  const options = { epoch: 4000, slots: 1, lag: 1 };
  const turns = async (count: number) => {
    for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
  };

  test("for a listener begins no more rounds until they are heard", async () => {
    const proposer = new Counting("count", many(6, 4000));
    let listen = () => {};
    const heard = new Promise<void>((resolve) => {
      listen = resolve;
    });
    const playing = play({ proposers: [proposer], options, heard });
    await turns(60);
    expect(proposer.asked).toHaveLength(5);
    listen();
    const { done, outcomes } = await playing;
    expect([done?.stopped, outcomes.length, proposer.asked.length]).toEqual([
      ...["exhausted", 24_000, 6],
    ]);
  });

  test("for a listener ends when it is told to, though nobody listens", async () => {
    const aborter = new AbortController();
    const onStop = vi.fn();
    const proposer = new Counting("count", many(6, 4000));
    let isHeard = () => {};
    const heard = new Promise<void>((resolve) => {
      isHeard = resolve;
    });
    const playing = play({
      ...{ proposers: [proposer], options, heard, signal: aborter.signal, onStop },
    });
    await turns(60);
    aborter.abort();
    await turns(60);
    expect(onStop).toHaveBeenCalled();
    isHeard();
    const { done, outcomes } = await playing;
    expect([done?.stopped, outcomes.length]).toEqual(["aborted", 20_000]);
  });

  test("for the journal begins no more rounds until they are written", async () => {
    const proposer = new Counting("count", many(6, 4000));
    const journal = new MemoryJournal();
    const commit = journal.commit.bind(journal);
    let write = () => {};
    const slow = new Promise<void>((resolve) => {
      write = resolve;
    });
    journal.commit = async (entry) => {
      await slow;
      return commit(entry);
    };
    const playing = play({ proposers: [proposer], options, journal });
    await turns(80);
    expect(proposer.asked.length).toBe(5);
    write();
    const { done, outcomes } = await playing;
    expect([done?.stopped, outcomes.length]).toEqual(["exhausted", 24_000]);
  });
});

describe("the journal", () => {
  test("hears of the front before and after an epoch, and of the seconds until then", async () => {
    const journal = new MemoryJournal();
    const settled: SettledEpoch[] = [];
    const times: number[] = [];
    const settle = journal.settle.bind(journal);
    journal.settle = (epoch) => {
      settled.push(epoch);
      times.push((clock.now - 1000) / 1000);
      settle(epoch);
    };
    const proposers = [new Counting("one", many(6, 5)), new Counting("two", many(6, 2), 60)];
    const { jobs } = await play({ proposers, journal });
    const visitsOf = ({ front }: SettledEpoch) => front.members.map(({ visit }) => visit);
    expect(settled.map(({ round, slot }) => [round, slot])).toEqual(
      jobs.map(({ round, slot }) => [round, slot]),
    );
    for (const [i, epoch] of settled.entries()) {
      // The front of a version is the one after the last epoch of the rounds that it counts.
      const known = settled.findLast(({ round }) => round < (jobs[i]?.version ?? 0));
      expect(epoch.frontBefore).toEqual(known === undefined ? [] : visitsOf(known));
      const best = epoch.outcomes.filter(({ visit }) => visitsOf(epoch).includes(visit));
      for (const outcome of best) expect(epoch.front.members).toContain(outcome);
      expect(epoch.seconds).toBeCloseTo(times[i] as number, 9);
    }
    expect(new Set(settled.map((epoch) => visitsOf(epoch).join())).size).toBeGreaterThan(3);
    expect(times.at(-1)).toBeGreaterThan(0.3);
  });

  test.each([1, 2, 4])("is given no more than what is under way, with a lag of %i", async (lag) => {
    const journal = new MemoryJournal();
    const proposers = [new Counting("count", many(40, 3))];
    await play({ proposers, journal, options: { lag } });
    expect(journal.entries.length).toBeGreaterThan(9);
    const most = (of: (state: EngineState) => readonly unknown[]) =>
      Math.max(...journal.entries.map(({ copy }) => of(copy).length));
    expect(most(({ versions }) => versions)).toBeLessThanOrEqual(2 * lag);
    expect(most(({ rounds }) => rounds)).toBeLessThanOrEqual(lag);
    expect(most(({ rounds }) => rounds)).toBeGreaterThan(0);
  });

  test("is given what an earlier run left pending", async () => {
    const journal = new MemoryJournal();
    await play({ proposers: [new Counting("count", [3, 3])], journal });
    const again = new MemoryJournal();
    const restore = vi.spyOn(again, "restore");
    const pending = [[1, 0]] as const;
    const resumption = { ...journal.resumption(0), pending };
    await play({ proposers: [new Counting("count", [3, 3])], journal: again, resumption });
    expect(restore.mock.calls).toEqual([[pending]]);
  });
});

describe("a study whose rounds come to nothing", () => {
  const evolving = (): Proposer => {
    const none = { begin() {}, save: () => null, restore() {}, observe() {}, breeding: {} };
    return { ...none, name: "evolve", propose: () => Promise.reject(new Error("it travels")) };
  };

  test("ends after as many of them, wherever it is resumed", async () => {
    const journal = new MemoryJournal();
    const options = { lag: 2, slots: 1 };
    const whole = await play({ proposers: [evolving()], journal, options });
    expect([whole.done?.stopped, whole.jobs.length]).toEqual(["exhausted", 101]);
    const { length } = journal.entries;
    expect(length).toBeGreaterThan(3);
    for (const index of [1, Math.floor(length / 2), length - 2]) {
      // Nobody hears of outcomes, so none is asked for.
      const round = vi.fn(() => []);
      const resumption = { ...journal.resumption(index), round };
      const again = await play({ proposers: [evolving()], resumption, options });
      expect(round).not.toHaveBeenCalled();
      expect(again.done?.stopped).toBe("exhausted");
      expect(again.jobs.at(-1)?.round).toBe(100);
      expect(again.jobs.length).toBeLessThan(101);
    }
  });
});

test("progress says how things stand, every quarter of a second at most", async () => {
  const proposers = [new Counting("count", many(30, 2))];
  const { told, done } = await play({ proposers });
  let candidates = 0;
  const reports: number[] = [];
  for (const event of told) {
    if (event.type === "candidate") candidates += 1;
    if (event.type !== "progress") continue;
    expect(event.counts.candidates).toBe(candidates);
    reports.push(event.seconds);
  }
  expect(reports.length).toBeGreaterThan(3);
  for (const [i, seconds] of reports.slice(1).entries())
    expect(seconds - (reports[i] as number)).toBeGreaterThanOrEqual(0.25);
  expect(reports.at(-1)).toBeLessThanOrEqual(done?.seconds ?? 0);
  expect(done?.seconds).toBeCloseTo((clock.now - 1000) / 1000, 0);
});

describe("a proposer that has nothing to say", () => {
  test("yet is asked again a little later, alone and beside others", async () => {
    const late = new Counting("late", [0, 0, 0, 3]);
    const alone = await play({ proposers: [late] });
    expect([alone.done?.stopped, alone.outcomes.length, late.asked.length]).toEqual([
      ...["exhausted", 3, 4],
    ]);
    const [slow, other] = [
      new Counting("slow", [0, 0, 0, 0, 0, 2]),
      new Counting("other", [1], 50),
    ];
    const both = await play({ proposers: [slow, other] });
    expect([both.done?.stopped, both.outcomes.length, slow.asked.length]).toEqual([
      ...["exhausted", 3, 6],
    ]);
  });

  test("waits for its turn, and the clock goes on between", async () => {
    const times: number[] = [];
    const late = new Counting("late", [0, 0, 0, 3]);
    const propose = late.propose.bind(late);
    late.propose = (count) => {
      times.push(clock.now);
      return propose(count);
    };
    await play({ proposers: [late] });
    for (const [i, time] of times.slice(1).entries())
      expect(time - (times[i] as number)).toBeGreaterThanOrEqual(10);
  });

  test("is not asked where one candidate could cost more fits than there are", async () => {
    const recipe = { rungs: [{ restarts: 5, steps: 3, share: 1 }] };
    for (const [fits, candidates] of [
      [4, 0],
      [5, 1],
      [9, 1],
      [10, 2],
    ] as const) {
      const proposer = new Counting("count", many(9, 1));
      const played = await play({
        ...{ proposers: [proposer], budget: { fits }, options: { recipe }, fitsOf: () => 5 },
      });
      const { stopped, counts } = played.done ?? {};
      expect([stopped, counts?.candidates, proposer.asked.length]).toEqual([
        ...["fits", candidates, candidates],
      ]);
    }
  });
});
