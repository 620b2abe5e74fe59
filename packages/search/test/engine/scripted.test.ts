/**
 * The engine with a runner, a journal and proposers of the test's own: epochs come back when the test
 * says so and with what it says, so that schedules, budgets and states are seen number by number, and a
 * study is resumed from every entry of its journal.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EngineState } from "../../src/engine/journal.js";
import { fitsAtMost } from "../../src/epoch/ladder.js";
import type { Outcome, Proposer } from "../../src/index.js";
import { Counting, MemoryJournal, numberOf, play, useClock } from "./play.js";

useClock();

const seed = Number(process.env["SEED"] ?? 20261116);

/** An outcome as it is compared: without what depends on nothing that is looked at here. */
const brief = ({ visit, id, round, slot, source, status, fits, duplicateOf }: Outcome) =>
  `${visit} ${id} ${round} ${slot} ${source} ${status} ${fits} ${duplicateOf}`;

describe(`the engine (SEED=${seed})`, () => {
  const orders = fc.integer({ min: 1, max: 1e6 }).map((state) => {
    let now = state;
    return (count: number) => {
      now = (Math.imul(now, 48271) >>> 0) % 2147483647;
      return count === 0 ? 0 : now % count;
    };
  });

  test("asks for what is left of the candidates, and takes no more, whoever is first", async () => {
    const script = fc.array(fc.integer({ min: 1, max: 11 }), { minLength: 1, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(
        script,
        fc.integer({ min: 1, max: 30 }),
        orders,
        async (gives, most, order) => {
          const proposer = new Counting("count", gives);
          const { done, outcomes, jobs } = await play({
            ...{ proposers: [proposer], budget: { candidates: most }, order },
          });
          const asked: number[] = [];
          const sizes: number[] = [];
          let left = most;
          for (const want of gives) {
            if (left === 0) break;
            asked.push(Math.min(8, left));
            const taken = Math.min(want, 8, left);
            left -= taken;
            for (let rest = taken; rest > 0; rest -= 4) sizes.push(Math.min(4, rest));
          }
          expect(proposer.asked).toEqual(asked);
          expect(jobs.map(({ size }) => size)).toEqual(sizes);
          expect(outcomes.map(({ source }) => numberOf(source))).toEqual(
            Array.from({ length: most - left }, (_, n) => n),
          );
          expect(done?.stopped).toBe(
            left === 0 && asked.length < gives.length ? "candidates" : done?.stopped,
          );
          expect(["candidates", "exhausted"]).toContain(done?.stopped);
          expect(done?.counts.candidates).toBe(most - left);
        },
      ),
      { seed, numRuns: 25 },
    );
  });

  test("spends no more fits than it may, whatever they turn out to be, and as many as it can", async () => {
    const recipe = {
      rungs: [
        { restarts: 2, steps: 3, share: 1 },
        { restarts: 3, steps: 3, share: 0.4 },
      ],
    };
    const cases = fc.record({
      fits: fc.integer({ min: 1, max: 80 }),
      each: fc.integer({ min: 0, max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, orders, async ({ fits, each }, order) => {
        const proposer = new Counting("count", Array<number>(200).fill(8));
        const { done, jobs, study } = await play({
          ...{
            proposers: [proposer],
            budget: { fits },
            order,
            options: { recipe },
            fitsOf: () => each,
          },
        });
        const spent = done?.counts.fits ?? 0;
        expect(spent).toBeLessThanOrEqual(fits);
        if (done?.stopped === "exhausted") return;
        expect(done?.stopped).toBe("fits");
        // One candidate more could have cost more than is left.
        expect(fits - spent).toBeLessThan(fitsAtMost(study.recipe, 1));
        for (const { size } of jobs)
          expect(fitsAtMost(study.recipe, size)).toBeLessThanOrEqual(fits);
      }),
      { seed, numRuns: 20 },
    );
  });

  test("begins a round when just the rounds before its lag are heard of", async () => {
    for (const lag of [1, 2, 3]) {
      const heardAt: number[] = [];
      const proposer = new Counting("count", [4, 4, 4, 4, 4, 4]);
      const propose = proposer.propose.bind(proposer);
      proposer.propose = (count) => {
        heardAt.push(proposer.heard.length);
        return propose(count);
      };
      const { outcomes, jobs } = await play({ proposers: [proposer], options: { lag } });
      const rounds = [0, 1, 2, 3, 4, 5];
      expect(heardAt).toEqual(rounds.map((round) => Math.max(0, round - lag + 1)));
      expect(jobs.map(({ round, version }) => [round, version])).toEqual(
        rounds.map((round, i) => [round, heardAt[i]]),
      );
      // The rounds under way at the end are not shown: a study that goes on shows them.
      expect(proposer.heard).toEqual(
        rounds
          .slice(0, rounds.length - lag + 1)
          .map((round) => [0, 1, 2, 3].map((i) => 4 * round + i)),
      );
      expect(outcomes.map(({ visit, round }) => [visit, round])).toEqual(
        outcomes.map((_, i) => [i, Math.floor(i / 4)]),
      );
    }
  });

  test("that has all its candidates under way shows proposers nothing more", async () => {
    for (const [lag, heard] of [
      [1, 3],
      [2, 2],
      [3, 1],
      [4, 0],
    ] as const) {
      const proposer = new Counting("count", Array<number>(9).fill(4));
      const budget = { candidates: 12 };
      const { done } = await play({ proposers: [proposer], budget, options: { lag } });
      expect([lag, done?.stopped, done?.counts.candidates, proposer.heard.length]).toEqual([
        ...[lag, "candidates", 12, heard],
      ]);
    }
  });

  test.each([1, 2, 3, 4, 5])(
    "goes on where epochs came to fewer candidates than they might, with a lag of %i",
    async (lag) => {
      const proposer = new Counting("count", Array<number>(20).fill(8));
      const { done, outcomes } = await play({
        ...{ proposers: [proposer], budget: { candidates: 12 }, options: { lag } },
        keptOf: ({ round, size }) => (round < 4 ? size - 1 : size),
      });
      expect([done?.stopped, done?.counts.candidates, outcomes.length]).toEqual([
        "candidates",
        12,
        12,
      ]);
      expect(proposer.asked.length).toBeGreaterThan(3);
    },
  );

  test("gives proposers their turns, cuts what they say into slots of their own, and drops the exhausted", async () => {
    const two = [new Counting("one", [5, 3]), new Counting("two", [2, 0, 9], 100)];
    const { jobs, done, outcomes } = await play({ proposers: two });
    expect(jobs.map(({ round, slot, place, size }) => [round, slot, place, size])).toEqual([
      ...[
        [0, 0, 0, 4],
        [0, 1, 0, 1],
        [0, 2, 1, 2],
      ],
      ...[[1, 0, 0, 3]],
      ...[
        [2, 2, 1, 4],
        [2, 3, 1, 4],
      ],
    ]);
    expect(two.map(({ asked }) => asked)).toEqual([
      [8, 8],
      [8, 8, 8],
    ]);
    expect(done?.stopped).toBe("exhausted");
    expect(outcomes.map(({ proposer }) => proposer).join(" ")).toBe(
      `${"one ".repeat(5)}two two ${"one ".repeat(3)}${"two ".repeat(8).trim()}`,
    );
    const twice = outcomes.filter(({ duplicateOf }) => duplicateOf !== undefined);
    expect(twice.map(({ visit, duplicateOf }) => [visit, duplicateOf])).toEqual([
      [8, 7],
      [12, 11],
    ]);
  });

  test("stops when tokens are spent to the last, and when a member is just as good as asked", async () => {
    const spending = { requests: 1, inputTokens: 6, outputTokens: 4, cost: 0.5 };
    for (const [tokens, rounds] of [
      [10, 1],
      [11, 2],
      [20, 2],
      [21, 3],
    ] as const) {
      const proposer = new Counting("buyer", [1, 1, 1, 1, 1, 1], 0, { spending });
      const { done } = await play({
        proposers: [proposer],
        budget: { tokens },
        options: { lag: 1 },
      });
      expect([done?.stopped, proposer.asked.length]).toEqual(["tokens", rounds]);
      expect(done?.counts.spending).toMatchObject({
        requests: rounds,
        cost: rounds / 2,
        inputTokens: 6 * rounds,
      });
    }
    // Of the first three, 0 has R² 1 − 1/2, 1 has 1 − 1/3, 2 has 1 − 1/4.
    for (const [r2, rounds] of [
      [0.5, 1],
      [0.6, 2],
      [0.75, 3],
      [0.7500001, 4],
    ] as const) {
      const proposer = new Counting("count", Array<number>(9).fill(1));
      const { done } = await play({ proposers: [proposer], budget: { r2 }, options: { lag: 1 } });
      expect([r2, done?.stopped, proposer.asked.length]).toEqual([r2, "r2", rounds]);
    }
  });

  test("ends after a hundred rounds in a row that came to nothing", async () => {
    const evolving = { ...new Counting("evolve", []), breeding: {} } as unknown as Proposer;
    Object.assign(evolving, { begin() {}, save: () => null, restore() {}, observe() {} });
    for (const lag of [1, 3]) {
      const { done, jobs } = await play({ proposers: [evolving], options: { lag, slots: 1 } });
      expect(done?.stopped).toBe("exhausted");
      expect(jobs).toHaveLength(99 + lag);
    }
  });

  test("tells problems, replaced workers and warnings, and repeats what is lasting at the end", async () => {
    const problem = { code: "E-DEAR", message: "dear" };
    const { told, done, story } = await play({
      proposers: [new Counting("buyer", [1, 1], 0, { problems: [problem] })],
      onJobs: ([job], events) => {
        if (job?.round === 0) {
          events.replaced(2, "died");
          events.problem("slow");
          events.problem("slow");
        }
      },
    });
    const kinds = told.filter(
      ({ type }) => !["candidate", "front", "progress", "done"].includes(type),
    );
    expect(kinds).toMatchObject([
      { type: "started", seed: 3, workers: 3, resumedFrom: 0, rows: { train: 30, heldOut: 10 } },
      { type: "warning", message: expect.stringContaining("only 10 rows are held out") },
      { type: "problem", proposer: "buyer", problem },
      { type: "worker", worker: 2, message: "died" },
      { type: "warning", message: "slow" },
      { type: "warning", message: "slow" },
      { type: "problem", proposer: "buyer", problem },
    ]);
    expect(done?.warnings.filter((each) => each === "slow")).toEqual(["slow"]);
    expect(done?.counts.workersReplaced).toBe(1);
    expect(story).toEqual(["stop", "stop"]);
  });

  test("told a warning of a runner twice that came while it started", async () => {
    const { told, done } = await play({
      proposers: [new Counting("count", [1])],
      onStart: ({ problem }) => problem("waiting"),
    });
    const warnings = told.flatMap((event) => (event.type === "warning" ? [event.message] : []));
    expect(warnings).toEqual(["waiting", expect.stringContaining("only 10 rows are held out")]);
    expect(done?.warnings.slice(0, 2)).toEqual([warnings[1], warnings[0]]);
  });

  test("tells a front only when it is another one", async () => {
    const { told } = await play({ proposers: [new Counting("count", [1, 1, 1, 1, 1, 1, 1], 3)] });
    const fronts = told.flatMap((event) =>
      event.type === "front" ? [event.front.map(({ id }) => id).join(" ")] : [],
    );
    expect(fronts).toEqual([...new Set(fronts)]);
    expect(fronts.length).toBeGreaterThan(1);
    const failing = await play({ proposers: [new Counting("count", [1], 4)] });
    expect(failing.told.some(({ type }) => type === "front")).toBe(false);
  });
});

/** A state without what a resumed run may have otherwise: its clock, and texts that say more than they must. */
const lasting = (state: EngineState | undefined) => ({
  ...state,
  seconds: 0,
  versions: state?.versions.map(({ text: _, ...version }) => version),
  rounds: state?.rounds.map((round) => ({
    ...round,
    epochs: round.epochs.map(({ proposals: _, ...epoch }) => epoch),
  })),
});

describe("a study in memory", () => {
  const proposers = () => [
    new Counting("one", [5, 0, 3, 8, 1, 2], 0, {
      spending: { requests: 1, inputTokens: 2, outputTokens: 3, cost: 1 },
    }),
    new Counting("two", [2, 9, 0, 4], 50),
  ];
  const given = { budget: { candidates: 31 }, order: (count: number) => count - 1 };

  test("resumed from any entry of its journal is what it would have been", async () => {
    const journal = new MemoryJournal();
    const straight = await play({ ...given, proposers: proposers(), journal });
    const whole = straight.outcomes.map(brief);
    expect(whole).toHaveLength(31);
    expect(journal.entries.length).toBeGreaterThan(1);
    for (const { kept, copy } of journal.entries) expect(kept).toEqual(copy);
    for (const [index, { copy }] of journal.entries.entries()) {
      const all = proposers();
      const resumption = journal.resumption(index);
      const again = new MemoryJournal();
      const { outcomes, done, told } = await play({
        ...{ ...given, proposers: all, journal: again, resumption },
      });
      expect(outcomes.map(brief)).toEqual(whole.slice(copy.nextVisit));
      expect(told[0]).toMatchObject({ type: "started", resumedFrom: copy.nextVisit });
      expect(done?.counts).toEqual(straight.done?.counts);
      expect(done?.stopped).toBe(straight.done?.stopped);
      expect(done?.front.map(({ visit }) => visit)).toEqual(
        straight.done?.front.map(({ visit }) => visit),
      );
      expect(lasting(again.entries.at(-1)?.copy)).toEqual(lasting(journal.entries.at(-1)?.copy));
      expect(again.settled).toEqual(
        journal.settled.slice(journal.settled.length - again.settled.length),
      );
    }
  });

  test("has seconds of all its runs", async () => {
    const journal = new MemoryJournal();
    await play({ ...given, proposers: proposers(), journal });
    const resumption = journal.resumption(0);
    const again = new MemoryJournal();
    const state = { ...resumption.state, seconds: 1000 };
    await play({
      ...given,
      proposers: proposers(),
      journal: again,
      resumption: { ...resumption, state },
    });
    const seconds = again.entries.map(({ copy }) => copy.seconds);
    for (const each of seconds) expect(each).toBeGreaterThanOrEqual(1000);
    expect(seconds.at(-1)).toBeLessThan(2000);
    expect(seconds).toEqual([...seconds].sort((a, b) => a - b));
  });

  test("whose journal cannot be written ends with that error, and closes it", async () => {
    const journal = new MemoryJournal();
    journal.refusal = new Error("the disk is full");
    const { error, done, story } = await play({ ...given, proposers: proposers(), journal });
    expect([error, done, journal.isClosed]).toEqual([journal.refusal, undefined, true]);
    expect(story).toContain("stop");
  });

  test("whose runner breaks, or whose proposer does, ends with that error", async () => {
    const broken = new Error("no worker can be started");
    const { error, done } = await play({
      ...{ ...given, proposers: proposers() },
      onJobs: (_jobs, events) => events.broken(broken),
    });
    expect([error, done]).toEqual([broken, undefined]);
    const mute = new Counting("mute", [1]);
    mute.propose = () => Promise.reject(broken);
    expect((await play({ proposers: [mute] })).error).toBe(broken);
  });

  test("that is aborted ends with what it has, also while a proposer thinks", async () => {
    const aborter = new AbortController();
    const slow = new Counting("slow", [1]);
    slow.propose = async (_count: number, ...rest: readonly unknown[]) => {
      const [signal] = rest as [AbortSignal];
      setImmediate(() => aborter.abort());
      await new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(new Error("too late"))),
      );
      throw new Error("never");
    };
    const { done, error } = await play({ proposers: [slow], signal: aborter.signal });
    expect([done?.stopped, done?.counts.candidates, error]).toEqual(["aborted", 0, undefined]);
    const before = await play({ proposers: [new Counting("n", [3])], signal: AbortSignal.abort() });
    expect([before.done?.stopped, before.jobs]).toEqual(["aborted", []]);
  });
});
