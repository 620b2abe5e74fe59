/**
 * Driving restarts, with batches and a clock of the test's own: who has which slot in which round, when
 * others get their turn, what is reported, and how a drive ends.
 */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Batch } from "../../src/fit/optimise/batch.js";
import { type Drive, type Driven, drive } from "../../src/fit/optimise/drive.js";
import type { Restart } from "../../src/fit/optimise/restart.js";
import { type FitProgress, NdvmError } from "../../src/index.js";

let now = 0;
beforeEach(() => {
  now = 1000;
  vi.spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A restart that ends after so many rounds. */
class Life {
  reason: string | undefined;
  rounds = 0;
  readonly free = [{}, {}];

  constructor(
    readonly index: number,
    readonly life: number,
    public loss = Number.NaN,
  ) {}

  writeTrial(all: Float64Array, at: number): void {
    all[at] = this.index;
    all[at + 1] = this.rounds;
  }

  turn(): void {
    this.rounds += 1;
    this.loss = 100 - 10 * this.index - this.rounds;
    if (this.rounds === this.life) this.reason = "gradient";
  }
}

interface Manner {
  /** Milliseconds of a round, by its number. */
  readonly cost?: (round: number) => number;
  /** Rounds that the machine takes by itself, at most. */
  readonly alone?: number;
  /** Whether a round pauses that is not long, and how often a round does. */
  readonly pauses?: (round: number) => number;
  readonly isBlocked?: () => boolean;
  readonly failure?: NdvmError;
}

const OTHER_FAILURE = new NdvmError("E-TYPE", "later");

/** What happened, one line each. */
let log: string[] = [];

class Bench implements Batch {
  readonly x: Float64Array;
  readonly isSingle = false;
  failure: NdvmError | undefined;

  constructor(
    readonly slots: number,
    readonly manner: Manner,
    readonly count: { rounds: number },
  ) {
    this.x = new Float64Array(2 * slots);
    log.push(`batch of ${slots}`);
  }

  get isBlocked(): boolean {
    return this.manner.isBlocked?.() ?? false;
  }

  #spend(share = 1): void {
    now += (this.manner.cost?.(this.count.rounds) ?? 0) * share;
  }

  #turn(slots: readonly (Restart | undefined)[]): void {
    for (const restart of slots) (restart as unknown as Life | undefined)?.turn();
    this.count.rounds += 1;
  }

  advance(slots: readonly (Restart | undefined)[], least: number, most: number): number {
    const running = () => slots.filter((one) => one !== undefined && one.reason === undefined);
    let taken = 0;
    while (taken < Math.min(most, this.manner.alone ?? 0) && running().length >= least) {
      this.#spend();
      for (const restart of running()) (restart as unknown as Life).turn();
      this.count.rounds += 1;
      taken += 1;
    }
    log.push(`advance ${least} ${most}: ${taken}`);
    return taken;
  }

  begin(isLong: boolean): boolean {
    const pauses = this.manner.pauses?.(this.count.rounds) ?? 0;
    // A later failure is another one.
    this.failure = this.count.rounds === 0 ? this.manner.failure : OTHER_FAILURE;
    log.push(`begin${isLong ? " long" : ""} ${[...this.x].join(" ")}`);
    if (isLong || pauses > 0) return false;
    this.#spend();
    return true;
  }

  *finish(): Generator<void> {
    const pauses = Math.max(1, this.manner.pauses?.(this.count.rounds) ?? 1);
    for (let i = 0; i < pauses; i++) {
      this.#spend(1 / pauses);
      yield;
    }
  }

  take(slots: readonly (Restart | undefined)[]): void {
    this.#turn(slots);
    log.push(`take ${slots.map((one) => one?.index ?? "-").join(" ")}`);
  }

  run(): void {}
  gradients(): Float64Array {
    return this.x;
  }
  prediction(): number {
    return 0;
  }
}

interface Outcome {
  readonly lives: readonly Life[];
  readonly driven: Driven;
  readonly progress: readonly FitProgress[];
  readonly isAtOnce: boolean;
}

async function driven(
  lives: readonly Life[],
  manner: Manner = {},
  how: Partial<Drive> = {},
): Promise<Outcome> {
  log = [];
  const count = { rounds: 0 };
  const progress: FitProgress[] = [];
  const outcome = drive({
    restarts: lives as unknown as readonly Restart[],
    slotsMax: 2,
    batches: { of: (slots) => new Bench(slots, manner, count) },
    timeMax: Number.POSITIVE_INFINITY,
    signal: undefined,
    onProgress: (one) => progress.push(one),
    ...how,
  });
  const isAtOnce = !(outcome instanceof Promise);
  return { lives, driven: await outcome, progress, isAtOnce };
}

const lives = (...all: number[]): Life[] => all.map((life, index) => new Life(index, life));

describe("slots", () => {
  test("go to the next restart when one ends, and empty ones repeat a neighbour", async () => {
    const { driven: end, isAtOnce } = await driven(lives(3, 1, 2, 4), {}, { slotsMax: 2 });
    expect(isAtOnce).toBe(true);
    expect(end).toEqual({
      rounds: 7,
      stopped: "done",
      milliseconds: 0,
      isComplete: false,
      failure: undefined,
    });
    expect(log.filter((line) => !line.startsWith("advance"))).toEqual([
      ...["batch of 2", "begin 0 0 1 0", "take 0 1", "begin 0 1 2 0", "take 0 2"],
      ...["begin 0 2 2 1", "take 0 2", "batch of 1", "begin 3 0", "take 3", "begin 3 1", "take 3"],
      ...["begin 3 2", "take 3", "begin 3 3", "take 3"],
    ]);
    // The third of three slots is empty, and has the trial of the first.
    await driven(lives(3, 3, 1), {}, { slotsMax: 3 });
    expect(log.filter((line) => line.startsWith("begin"))[1]).toBe("begin 0 1 1 1 0 1");
    await driven(lives(1, 3, 3), {}, { slotsMax: 3 });
    expect(log.filter((line) => line.startsWith("begin"))[1]).toBe("begin 1 1 1 1 2 1");
  });

  test.each([1, 2, 3, 4, 8])("every restart has its rounds, with %d slots", async (slotsMax) => {
    const many = lives(3, 1, 4, 1, 5, 2, 6, 1);
    const { driven: end } = await driven(many, {}, { slotsMax });
    expect(many.map(({ rounds, life }) => rounds - life)).toEqual(many.map(() => 0));
    expect(log.join("\n")).toMatchSnapshot();
    const takes = log.filter((line) => line.startsWith("take"));
    expect(end.rounds).toBe(takes.length);
    // A batch is never wider than it was, and half of its slots at least are used.
    for (const line of takes) {
      const slots = line.split(" ").slice(1);
      const used = slots.filter((one) => one !== "-").length;
      expect(used * 2 > slots.length, line).toBe(true);
    }
  });

  test("restarts that have ended before take none", async () => {
    const many = lives(1, 2, 1);
    (many[0] as Life).reason = "steps";
    (many[2] as Life).reason = "steps";
    const { driven: end } = await driven(many);
    expect(many.map(({ rounds }) => rounds)).toEqual([0, 2, 0]);
    expect(end.rounds).toBe(2);
    expect((await driven([])).driven.rounds).toBe(0);
  });

  test("the machine goes on by itself until a slot comes free that somebody waits for", async () => {
    const { driven: end } = await driven(lives(5, 2, 3, 7), { alone: 100 }, { slotsMax: 3 });
    expect(log).toMatchSnapshot();
    expect(end.rounds).toBe(9);
    await driven(lives(2, 9, 3, 7, 5), { alone: 3 }, { slotsMax: 5 });
    expect(log).toMatchSnapshot();
  });

  test("with a limit of time or a signal the first round is one by itself", async () => {
    for (const how of [{ timeMax: 1e9 }, { signal: new AbortController().signal }]) {
      await driven(lives(5), { alone: 100 }, { slotsMax: 1, ...how });
      expect(log).toEqual(["batch of 1", "advance 1 1: 1", "advance 1 Infinity: 4"]);
    }
    await driven(lives(5), { alone: 100 }, { slotsMax: 1 });
    expect(log).toEqual(["batch of 1", "advance 1 Infinity: 5"]);
  });
});

describe("time", () => {
  test("others get their turn after 8 ms, and the event loop is not let in before", async () => {
    const at = (cost: number) => driven(lives(4), { cost: () => cost }, { slotsMax: 1 });
    expect((await at(1)).isAtOnce).toBe(true);
    expect((await at(2.6)).isAtOnce).toBe(true);
    expect((await at(2.67)).isAtOnce).toBe(false);
    expect((await at(8)).isAtOnce).toBe(false);
    expect((await at(7.99)).isAtOnce).toBe(false);
    const once = await driven(lives(1), { cost: () => 1000 }, { slotsMax: 1 });
    expect(once.isAtOnce).toBe(true);
  });

  test("a round after one of more than 20 ms can be ended half-way", async () => {
    const begins = () =>
      log.filter((line) => line.startsWith("begin")).map((line) => line.split(" ")[1] === "long");
    const costs = [1, 20, 20.5, 1, 30, 30, 1, 1];
    const { driven: end } = await driven(
      lives(8),
      { cost: (round) => costs[round] ?? 0 },
      { slotsMax: 1 },
    );
    expect(begins()).toEqual([false, false, false, true, false, true, true, false]);
    expect(end.milliseconds).toBe(costs.reduce((sum, one) => sum + one, 0));
    // Several rounds inside the machine count by what each of them took.
    await driven(lives(20), { alone: 4, cost: () => 6 }, { slotsMax: 1 });
    expect(begins()).toEqual([]);
    await driven(lives(9), { alone: 4, cost: () => 21 }, { slotsMax: 1 });
    expect(log).toMatchSnapshot();
  });

  test("what others do meanwhile is not the round's", async () => {
    // The clock goes on by a second whenever the event loop is let in.
    const original = globalThis.setTimeout;
    const waits = vi.spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void) => {
      now += 1000;
      return original(work);
    }) as unknown as typeof setTimeout);
    const { driven: end } = await driven(lives(6), { cost: () => 9 }, { slotsMax: 1 });
    waits.mockRestore();
    expect(log.some((line) => line.startsWith("begin long"))).toBe(false);
    expect(end.milliseconds).toBe(6 * 9 + 5 * 1000);
    expect(end.rounds).toBe(6);
  });

  test("reports come every 50 ms and at the end, with the best loss so far", async () => {
    const { progress } = await driven(lives(3, 9), { cost: () => 20 });
    expect(progress).toEqual([
      {
        rounds: 3,
        bestLoss: 87,
        restartsRunning: 1,
        restartsDone: 1,
        restarts: 2,
        milliseconds: 60,
      },
      {
        rounds: 6,
        bestLoss: 84,
        restartsRunning: 1,
        restartsDone: 1,
        restarts: 2,
        milliseconds: 120,
      },
      {
        rounds: 9,
        bestLoss: 81,
        restartsRunning: 0,
        restartsDone: 2,
        restarts: 2,
        milliseconds: 180,
      },
    ]);
    const quick = await driven(lives(2), { cost: () => 25 }, { slotsMax: 1 });
    expect(quick.progress.map(({ rounds }) => rounds)).toEqual([2]);
    const exact = await driven(lives(4), { cost: () => 50 }, { slotsMax: 1 });
    expect(exact.progress.map(({ rounds }) => rounds)).toEqual([1, 2, 3, 4]);
    const none = new Life(0, 2);
    none.turn = () => {
      none.rounds += 1;
      none.loss = none.rounds === 1 ? Number.POSITIVE_INFINITY : Number.NaN;
      if (none.rounds === 2) none.reason = "not finite";
    };
    const { progress: bad } = await driven([none], { cost: () => 60 }, { slotsMax: 1 });
    expect(bad.map(({ bestLoss }) => bestLoss)).toEqual([Number.NaN, Number.NaN]);
  });
});

const ends = async (work: Promise<Outcome>): Promise<NdvmError> => {
  const error = await work.then(
    () => undefined,
    (one: unknown) => one,
  );
  if (!(error instanceof NdvmError)) throw error ?? new Error("nothing was thrown");
  return error;
};

describe("an end before the restarts'", () => {
  test("time ends it between rounds, and restarts that go on say so", async () => {
    for (const [timeMax, rounds] of [
      [0, 1],
      [5, 1],
      [10, 1],
      [10.5, 2],
      [25, 3],
    ] as const) {
      const all = lives(2, 50);
      const { driven: end } = await driven(all, { cost: () => 10 }, { timeMax });
      expect(end).toMatchObject({ rounds, stopped: "time", milliseconds: rounds * 10 });
      expect(all.map(({ reason }) => reason)).toEqual([rounds >= 2 ? "gradient" : "time", "time"]);
    }
    const done = await driven(lives(2), { cost: () => 10 }, { timeMax: 20, slotsMax: 1 });
    expect(done.driven.stopped).toBe("done");
  });

  test("a signal ends it between rounds and between the pauses of one", async () => {
    let asked = 0;
    const after = (most: number): AbortSignal => {
      asked = 0;
      return { get aborted() { asked += 1; return asked > most; } } as AbortSignal; // biome-ignore format: one line
    };
    const between = await driven(lives(9), {}, { signal: after(3), slotsMax: 1 });
    expect(between.driven).toMatchObject({ rounds: 4, stopped: "aborted" });
    const half = lives(9);
    const manner: Manner = { cost: () => 30, pauses: () => 3 };
    const inside = await driven(half, manner, { signal: after(4), slotsMax: 1 });
    // Three pauses in the first round, one look before the second, and its first pause ends it.
    expect(inside.driven).toMatchObject({ rounds: 1, stopped: "aborted", milliseconds: 40 });
    expect(half[0]).toMatchObject({ rounds: 1, reason: "aborted" });
  });

  test("in the first round there is nothing yet, and that is an error", async () => {
    const slow: Manner = { cost: () => 30, pauses: () => 3 };
    const time = await ends(driven(lives(3), slow, { timeMax: 15 }));
    expect(time).toMatchObject({ code: "E-TIME", facts: { reason: "first", option: "timeMax" } });
    const signal = AbortSignal.abort();
    const aborted = await ends(driven(lives(3), slow, { signal }));
    expect(aborted).toMatchObject({
      code: "E-ABORTED",
      message: "the fit was aborted in its first evaluation",
      facts: { reason: "aborted" },
    });
  });

  test("a machine that is with others is waited for, no longer than there is time", async () => {
    let left = 3;
    const busy: Manner = { isBlocked: () => left-- > 0, cost: () => 1 };
    const waited = await driven(lives(2), busy, { slotsMax: 1 });
    expect(waited.driven).toMatchObject({ rounds: 2, stopped: "done" });
    expect(waited.isAtOnce).toBe(false);
    const always: Manner = { isBlocked: () => true };
    const help = "await that evaluation first, or use another machine";
    const time = await ends(driven(lives(2), always, { timeMax: 0 }));
    expect(time).toMatchObject({ code: "E-TIME", facts: { reason: "occupied" }, help });
    const aborted = await ends(driven(lives(2), always, { signal: AbortSignal.abort() }));
    expect(aborted).toMatchObject({
      code: "E-ABORTED",
      message: "the machine was busy with another evaluation until the fit was aborted",
      help,
    });
    // Once it has a result it ends with that.
    let rounds = 0;
    const later: Manner = { isBlocked: () => rounds++ > 1, cost: () => 10 };
    const kept = await driven(lives(9), later, { timeMax: 10, slotsMax: 1 });
    expect(kept.driven).toMatchObject({ rounds: 1, stopped: "time" });
  });

  test("why the first round had no result is kept, and only that", async () => {
    const failure = new NdvmError("E-TYPE", "all failed");
    expect((await driven(lives(3), { failure })).driven.failure).toBe(failure);
    expect((await driven(lives(3))).driven.failure).toBeUndefined();
  });
});
