/**
 * The parts of the engine, each by itself: the fold of epochs into a study, rounds under way, the queue
 * of events, and budgets at their edges.
 */

import { Random } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { checkBudget, limitInTheWay, roomBeside } from "../../src/engine/budget.js";
import { Fold } from "../../src/engine/fold.js";
import { EventQueue } from "../../src/engine/queue.js";
import { Round } from "../../src/engine/rounds.js";
import type { EpochJob } from "../../src/epoch/job.js";
import type { Arrival } from "../../src/epoch/pack.js";
import { emptyResult, type TaskResult } from "../../src/pipeline/task.js";
import { makeStudy } from "../../src/study.js";
import { line } from "./data.js";

const job = (change: Partial<EpochJob> = {}): EpochJob => ({
  round: 2,
  slot: 1,
  place: 0,
  version: 0,
  size: 4,
  proposals: undefined,
  lost: [],
  ...change,
});
const result = (change: Partial<TaskResult>): TaskResult => ({
  ...emptyResult({ visit: 0, rung: 0 }),
  fits: 2,
  params: { p0: 1 },
  loss: 4,
  trainR2: 0.5,
  r2: 0.4,
  bic: 7,
  ...change,
});
const arrival = (change: Partial<Arrival> = {}): Arrival => ({
  source: "(* p0 x)",
  origin: "draw",
  parents: [],
  prompt: undefined,
  starts: null,
  isRevisit: false,
  skeleton: "(* x P0)",
  high: 1,
  low: 2,
  complexity: 3,
  failure: undefined,
  isDuplicate: false,
  results: [result({})],
  ...change,
});
const failure = { stage: "fit", code: "E-STEPS", message: "too long" } as const;

describe("the fold", () => {
  const open = (breedings: ({ draws: number } | null)[] = [{ draws: 10 }, null]) => {
    const study = makeStudy({ data: line, target: "y", seed: 3, complexityMax: 10 });
    return new Fold({ study, breedings }, ["evolve", "list"]);
  };
  const residents = (fold: Fold) =>
    fold
      .populationAt(0)
      ?.view()
      .islands.flat()
      .map(({ id }) => id);

  test("says all of a candidate that was fitted: the best rung, all that was spent", () => {
    const fold = open();
    const results = [
      result({ loss: 4 }),
      result({ rung: 1, fits: 3, loss: 1, trainR2: 0.9, r2: 0.8, bic: 5, params: { p0: 6 } }),
      result({ rung: 2, fits: 5, loss: 2, trainR2: 0.7, r2: 0.6, bic: 6, params: { p0: 8 } }),
    ];
    const { visits, outcomes } = fold.take(job(), [arrival({ parents: [7], results })]);
    expect(outcomes).toEqual([
      {
        id: 0,
        visit: 0,
        round: 2,
        slot: 1,
        proposer: "evolve",
        origin: "draw",
        source: "(* p0 x)",
        parents: [7],
        skeleton: "(* x P0)",
        complexity: 3,
        status: "scored",
        rung: 2,
        fits: 10,
        params: { p0: 6 },
        loss: 1,
        trainR2: 0.9,
        r2: 0.8,
        bic: 5,
      },
    ]);
    expect(visits).toEqual([
      {
        visit: 0,
        id: 0,
        arrival: arrival({ parents: [7], results }),
        failure: undefined,
        duplicateOf: undefined,
        isNews: true,
      },
    ]);
    expect(fold.nextVisit).toBe(1);
  });

  test("says of a failure why, of a duplicate of whom and what it cost, and has no numbers", () => {
    const fold = open();
    const nothing = { params: {}, loss: NaN, trainR2: NaN, r2: NaN, bic: NaN };
    const { outcomes } = fold.take(job({ place: 1 }), [
      arrival({ failure, results: [] }),
      arrival({ low: 3, results: [{ ...emptyResult({ visit: 0, rung: 0 }), fits: 1, failure }] }),
      arrival({ low: 4 }),
      arrival({ low: 4, source: "(* x p0)", results: [result({}), result({ rung: 1, fits: 3 })] }),
      arrival({ low: 2, failure, results: [] }),
    ]);
    expect(outcomes.map(({ id, status, rung, fits }) => [id, status, rung, fits])).toEqual([
      [0, "failed", 0, 0],
      [1, "failed", 0, 1],
      [2, "scored", 0, 2],
      [3, "duplicate", 0, 5],
      [4, "duplicate", 0, 0],
    ]);
    expect(outcomes.map((outcome) => outcome.failure)).toEqual([
      failure,
      failure,
      undefined,
      undefined,
      undefined,
    ]);
    expect(outcomes.map(({ duplicateOf }) => duplicateOf)).toEqual([
      undefined,
      undefined,
      undefined,
      2,
      0,
    ]);
    for (const i of [0, 1, 3, 4]) expect(outcomes[i]).toMatchObject(nothing);
    expect(Object.keys(outcomes[2] ?? {})).not.toContain("duplicateOf");
    expect(fold.progress.counts()).toEqual({
      candidates: 5,
      revisits: 0,
      scored: 1,
      duplicates: 2,
      failed: 2,
      fits: 8,
      failures: { "E-STEPS": 2 },
    });
    expect(fold.progress.front.members).toEqual([outcomes[2]]);
    expect(fold.history.log.count).toBe(3);
  });

  test("goes on counting from what was saved, and leaves that as it was", () => {
    const saved = { candidates: 5, revisits: 1, scored: 2, duplicates: 1, failed: 2, fits: 8 };
    const counts = { ...saved, failures: { "E-STEPS": 2 } };
    const fold = open();
    fold.progress.restore(counts, fold.progress.front);
    expect(fold.progress.counts()).toEqual(counts);
    fold.take(job({ place: 1 }), [arrival({ failure, results: [] })]);
    expect(fold.progress.counts()).toEqual({
      ...{ ...counts, candidates: 6, failed: 3, failures: { "E-STEPS": 3 } },
    });
    expect(counts.failures).toEqual({ "E-STEPS": 2 });
  });

  test("counts another visit to a known text as one, and as news unless it says the same", () => {
    const fold = open();
    const plain = { origin: "read", isRevisit: true } as const;
    const { visits, outcomes } = fold.take(job({ place: 1 }), [
      arrival(plain),
      arrival(plain),
      arrival({ ...plain, source: "(* x p0)" }),
      arrival({ ...plain, parents: [0] }),
      arrival({ ...plain, starts: "{}" }),
      arrival({ ...plain, prompt: "more" }),
      arrival({ ...plain, origin: "draw" }),
      arrival({ ...plain, isRevisit: false }),
      // One whose first proposal was no plain text.
      arrival({ ...plain, low: 9, starts: "{}" }),
      arrival({ ...plain, low: 9 }),
    ]);
    expect(visits.map(({ id, isNews }) => [id, isNews])).toEqual([
      [0, true],
      [0, false],
      [0, true],
      [0, true],
      [0, true],
      [0, true],
      [0, true],
      [7, true],
      [8, true],
      [8, true],
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 7 }, () => "scored"),
      "duplicate",
      "scored",
      "scored",
    ]);
    expect(fold.progress.counts()).toMatchObject({ candidates: 10, revisits: 7 });
  });

  test("goes on from the candidates of an earlier run", () => {
    const fold = open();
    fold.remember({ id: 5, high: 1, low: 2, plain: "(* p0 x)" });
    fold.remember({ id: 6, high: 1, low: 3, plain: undefined });
    fold.nextVisit = 8;
    expect(fold.history.log.count).toBe(2);
    const plain = { origin: "read", isRevisit: true } as const;
    const { visits } = fold.take(job({ place: 1 }), [
      arrival(plain),
      arrival({ ...plain, low: 3 }),
      arrival({ low: 2 }),
      arrival({ low: 4 }),
    ]);
    expect(
      visits.map(({ visit, id, duplicateOf, isNews }) => [visit, id, duplicateOf, isNews]),
    ).toEqual([
      [8, 5, undefined, false],
      [9, 6, undefined, true],
      [10, 10, 5, true],
      [11, 11, undefined, true],
    ]);
  });

  test("breeds from what was scored, small enough, and what can be varied", () => {
    const fold = open();
    let low = 100;
    const own = (change: Partial<Arrival>) => {
      low += 1;
      return arrival({ low, skeleton: `(s ${low})`, ...change });
    };
    fold.take(job(), [
      own({}),
      own({ failure, results: [] }),
      own({ complexity: 10 }),
      own({ complexity: 11 }),
      own({ low: 101 }),
      // What was bred is taken as it is; of a seed the text tells.
      own({ source: "(car x)" }),
      own({ source: "(car x)", origin: "seed" }),
      own({ origin: "seed" }),
    ]);
    expect(residents(fold)).toEqual([0, 2, 5, 7]);
    fold.take(job({ place: 1 }), [
      own({ source: "(car x)" }),
      own({ source: "(sin (* a x))" }),
      own({ source: "(car x)" }),
      own({ source: "(sin (* a x))" }),
      own({ source: "(* a z)" }),
    ]);
    expect(residents(fold)?.sort((a, b) => a - b)).toEqual([0, 2, 5, 7, 9, 11, 12]);
    expect(fold.populationAt(1)).toBeUndefined();
  });

  test("gives what was bred to the island of its epoch", () => {
    const study = makeStudy({ data: line, target: "y", seed: 3, slots: 2 });
    const fold = new Fold({ study, breedings: [{ draws: 10, islands: 4 }] }, ["evolve"]);
    for (const [round, slot, low] of [
      [0, 0, 1],
      [0, 1, 2],
      [1, 0, 3],
      [1, 1, 4],
    ] as const)
      fold.take(job({ round, slot }), [arrival({ low, skeleton: `(s ${low})` })]);
    expect(
      fold
        .populationAt(0)
        ?.view()
        .islands.map((all) => all.map(({ id }) => id)),
    ).toEqual([[0, 3], [1], [2], []]);
  });

  test("notes a version with its front, its populations and its counts", () => {
    const fold = open();
    fold.endRound(0);
    const { outcomes } = fold.take(job(), [arrival()]);
    fold.endRound(1);
    expect(fold.history.latest).toBe(1);
    const [before, after] = [fold.history.at(0), fold.history.at(1)];
    expect([before.front.members, after.front.members]).toEqual([[], outcomes]);
    expect([before.counts.candidates, after.counts.candidates]).toEqual([0, 1]);
    expect([before.digests, after.digests]).toEqual([0, 1]);
    expect(before.populations.map((each) => each?.count)).toEqual([0, undefined]);
    expect(after.populations.map((each) => each?.count)).toEqual([1, undefined]);
  });
});

describe("a round", () => {
  const arrived = [arrival()];
  test("gives back its epochs in the order of slots, each once it is there", () => {
    const round = new Round(4, 2);
    const first = round.add(0, 0, 5, undefined);
    const second = round.add(3, 1, 6, [{ source: "x", parents: [], origin: "given" }]);
    expect(first).toEqual({
      round: 4,
      slot: 0,
      place: 0,
      version: 2,
      size: 5,
      proposals: undefined,
      lost: [],
    });
    expect(round.size).toBe(11);
    round.arrive(3, arrived);
    expect(round.takeNext()).toBeUndefined();
    round.arrive(0, []);
    expect(round.takeNext()).toEqual({ job: first, arrivals: [] });
    expect([round.folded, round.isDone]).toEqual([1, false]);
    expect(round.takeNext()).toEqual({ job: second, arrivals: arrived });
    expect(round.takeNext()).toBeUndefined();
    expect(round.isDone).toBe(false);
    round.isLaunched = true;
    expect(round.isDone).toBe(true);
  });

  test("is saved and restored as it stands", () => {
    const round = new Round(4, 2);
    round.add(0, 0, 5, undefined);
    round.add(3, 1, 6, [{ source: "x", parents: [], origin: "given" }]);
    round.places = 2;
    round.isLaunched = true;
    round.folded = 1;
    const saved = round.save();
    expect(saved).toEqual({
      round: 4,
      version: 2,
      places: 2,
      isLaunched: true,
      folded: 1,
      epochs: [
        { slot: 0, place: 0, size: 5, isGiven: false },
        { slot: 3, place: 1, size: 6, isGiven: true },
      ],
    });
    const again = Round.restore(saved);
    expect(again.save()).toEqual({
      ...saved,
      epochs: saved.epochs.map((epoch) => ({ ...epoch, isGiven: false })),
    });
    again.arrive(3, arrived);
    expect(again.takeNext()?.job.slot).toBe(3);
  });
});

describe("the queue of events", () => {
  test("gives events in order, however they and their listener take turns", async () => {
    const queue = new EventQueue<number>();
    const heard: number[] = [];
    const listening = (async () => {
      for (let event = await queue.next(); event !== undefined; event = await queue.next())
        heard.push(event);
    })();
    for (let i = 0; i < 10_000; i++) {
      queue.push(i);
      if (i % 997 === 0) await Promise.resolve();
    }
    await Promise.resolve();
    queue.push(10_000);
    queue.close();
    await listening;
    expect(heard).toEqual(Array.from({ length: 10_001 }, (_, i) => i));
    expect(queue.size).toBe(0);
  });

  test("tells what it holds, and gives each event once, past what it lets go of", () => {
    const queue = new EventQueue<number>();
    for (let i = 0; i < 5000; i++) queue.push(i);
    for (let i = 0; i < 4990; i++) {
      expect(queue.take()).toBe(i);
      expect(queue.size).toBe(4999 - i);
    }
    queue.push(5000);
    expect(Array.from({ length: 12 }, () => queue.take())).toEqual([
      4990,
      4991,
      4992,
      4993,
      4994,
      4995,
      4996,
      4997,
      4998,
      4999,
      5000,
      undefined,
    ]);
  });

  const settled = async (promise: Promise<unknown>) => {
    let isSettled = false;
    void promise.then(() => {
      isSettled = true;
    });
    for (let i = 0; i < 10; i++) await Promise.resolve();
    return isSettled;
  };

  test("has room when fewer wait than may, when it is closed and when nobody must wait", async () => {
    const queue = new EventQueue<number>();
    queue.push(1);
    queue.push(2);
    expect(await settled(queue.room(3))).toBe(true);
    const waiting = queue.room(2);
    expect(await settled(waiting)).toBe(false);
    queue.take();
    expect(await settled(waiting)).toBe(true);
    for (const act of ["close", "release"] as const) {
      const full = new EventQueue<number>();
      full.push(1);
      const held = full.room(1);
      expect(await settled(held)).toBe(false);
      full[act]();
      expect(await settled(held)).toBe(true);
      expect(await settled(full.room(1))).toBe(true);
    }
  });

  test("gives what is left before the error it was closed with", async () => {
    const queue = new EventQueue<number>();
    queue.push(1);
    queue.close(new Error("over"));
    expect(await queue.next()).toBe(1);
    await expect(queue.next()).rejects.toThrow("over");
    const waits = new EventQueue<number>();
    const next = waits.next();
    waits.close(new Error("over"));
    await expect(next).rejects.toThrow("over");
  });
});

describe("a budget", () => {
  const refusalOf = (budget: object) => {
    try {
      checkBudget(budget);
    } catch (error) {
      return (error as Error).message;
    }
    return undefined;
  };
  test("of nothing is none, and one that can be met is taken as it is", () => {
    expect(checkBudget()).toEqual({});
    const budget = { seconds: 1e-9, candidates: 1, fits: 1, tokens: 1, r2: 1 };
    expect(checkBudget(budget)).toBe(budget);
    for (const r2 of [-3, 0, 0.5]) expect(checkBudget({ r2 })).toEqual({ r2 });
    expect(refusalOf({ candidates: Number.MAX_SAFE_INTEGER })).toBeUndefined();
  });
  test.each([
    [{ seconds: 0 }],
    [{ seconds: -1 }],
    [{ seconds: Number.NaN }],
    [{ candidates: 0 }],
    [{ candidates: 1.5 }],
    [{ fits: 0 }],
    [{ tokens: 0 }],
    [{ tokens: 2 ** 53 }],
    [{ r2: 1.0000001 }],
    [{ r2: "1" }],
    [{ r2: Number.NaN }],
  ])("of %o is refused by its name", (budget) => {
    expect(refusalOf(budget)).toContain(`budget.${Object.keys(budget)[0]}`);
  });
});

test("the room beside epochs is the largest with which the worst case of each passes no limit", () => {
  const random = new Random(8);
  const between = (least: number, most: number): number => least + random.below(most - least + 1);
  const pick = <T>(items: readonly T[]): T => items[random.below(items.length)] as T;
  /** Shares are rounded up in every epoch by itself. */
  const worst = (rungs: readonly { share: number; restarts: number }[], size: number): number => {
    let [fits, left] = [0, size];
    for (const { share, restarts } of rungs) {
      left = Math.ceil(share * left);
      fits += left * restarts;
    }
    return fits;
  };
  for (let turn = 0; turn < 2000; turn++) {
    const rungs = Array.from({ length: between(1, 3) }, () => ({
      restarts: between(1, 4),
      steps: 5,
      share: pick([1, 0.5, 0.3, 0.1]),
    }));
    const epoch = between(1, 12);
    const underWay = Array.from({ length: between(0, 4) }, () => between(1, 12));
    const counts = { candidates: between(0, 30), fits: between(0, 60) };
    const budget = {
      ...(random.below(10) < 6 ? { candidates: between(1, 80) } : {}),
      ...(random.below(10) < 7 ? { fits: between(1, 200) } : {}),
    };
    const { candidates = Infinity, fits = Infinity } = budget;
    const passes = (room: number, most: number): boolean =>
      counts.candidates + [...underWay, room].reduce((sum, size) => sum + size, 0) <= candidates &&
      counts.fits + [...underWay, room].reduce((sum, size) => sum + worst(rungs, size), 0) <= most;
    const rooms = Array.from({ length: epoch }, (_, i) => i + 1);
    const wanted = Math.max(0, ...rooms.filter((room) => passes(room, fits)));
    const study = { recipe: { rungs }, epoch } as never;
    const what = JSON.stringify({ rungs, epoch, underWay, counts, budget });
    expect(roomBeside(underWay, budget, counts as never, study), what).toBe(wanted);
    if (wanted >= epoch) continue;
    const isFits = passes(wanted + 1, Infinity);
    expect(limitInTheWay(wanted + 1, underWay, budget, counts as never, study), what).toBe(
      isFits ? "fits" : "candidates",
    );
  }
});
