/**
 * A study that is stopped and goes on is the study that never stopped: stopped after any number of
 * candidates, with duplicates, revisits, failures, spending, problems and islands in it.
 */

import { describe, expect, test } from "vitest";
import {
  evolve,
  type Json,
  type Outcome,
  openArchive,
  type Proposal,
  type Proposals,
  type Proposer,
  replay,
  type SearchOptions,
  search,
} from "../../src/index.js";
import { oscillation } from "./data.js";
import { expectSame, exported, freshFile, run, type Told } from "./support.js";

/** Pays for every batch, says the same again, and remembers all that it has heard. */
class Buyer implements Proposer {
  readonly name = "buyer";
  #asked = 0;
  #heard: string[] = [];

  begin(): void {}

  async propose(count: number): Promise<Proposals> {
    this.#asked += 1;
    const last = this.#heard.length;
    const proposals = Array.from({ length: Math.min(count, 3) }, (_, i): Proposal => {
      const n = (this.#asked * 3 + i) % 7;
      const source = n === 5 ? "(car x)" : `(+ a (* b (sin (* ${n} x))) (* 0 ${last % 3}))`;
      return { source, parents: [], origin: "bought", prompt: `${this.#asked}`, params: { a: n } };
    });
    return {
      proposals,
      spending: { requests: 1, inputTokens: 10 + this.#asked, outputTokens: 3, cost: 0.5 },
      isExhausted: this.#asked >= 9,
      ...(this.#asked % 4 === 0 ? { problems: [{ code: "E-DEAR", message: "dear" }] } : {}),
    };
  }

  observe(outcomes: readonly Outcome[]): void {
    for (const { visit, status, r2 } of outcomes) this.#heard.push(`${visit} ${status} ${r2}`);
  }

  save(): Json {
    return { asked: this.#asked, heard: this.#heard };
  }

  restore(state: Json): void {
    const { asked, heard } = state as { asked: number; heard: string[] };
    this.#asked = asked;
    this.#heard = [...heard];
  }
}

const programs = ["(* a x)", "(loop ((s x)) (recur s))", "(* a x)", "(exp (* a x))"];
const proposers = (): Proposer[] => [
  new Buyer(),
  evolve({ islandSize: 6 }),
  replay(
    programs.map((source) => ({ source })),
    { cycles: 20 },
  ),
];
const options = (): SearchOptions => ({
  ...{
    data: oscillation,
    target: "y",
    workers: 0,
    seed: 9,
    epoch: 3,
    slots: 2,
    lag: 2,
    islands: 2,
  },
  recipe: {
    rungs: [
      { restarts: 1, steps: 3, share: 1 },
      { restarts: 2, steps: 3, share: 0.5 },
    ],
  },
  proposers: proposers(),
});
const CANDIDATES = 72;

interface Whole {
  readonly text: string;
  readonly told: Told;
}

async function straight(): Promise<Whole> {
  const archive = freshFile();
  const told = await run({ ...options(), archive, budget: { candidates: CANDIDATES } });
  return { text: exported(archive), told };
}

/** Runs until so many candidates are told of, and leaves. */
async function cut(archive: string, resume: boolean, stop: number): Promise<number[]> {
  const leave = new AbortController();
  const seen: number[] = [];
  const given = { ...options(), archive, resume, signal: leave.signal };
  for await (const event of search({ ...given, budget: { candidates: CANDIDATES } })) {
    if (event.type !== "candidate") continue;
    seen.push(event.outcome.visit);
    if (event.outcome.visit + 1 >= stop) leave.abort();
  }
  return seen;
}

describe("a study that goes on", () => {
  test("is what it would have been, wherever it was left", async () => {
    const whole = await straight();
    expect(whole.told.done.counts).toMatchObject({ candidates: CANDIDATES });
    expect(whole.told.done.counts.duplicates).toBeGreaterThan(3);
    expect(whole.told.done.counts.revisits).toBeGreaterThan(3);
    expect(whole.told.done.counts.failed).toBeGreaterThan(3);
    for (const stops of [[1], [2], [5], [17, 18, 31], [30, 47], [71], [12, 24, 36, 48, 60]]) {
      const archive = freshFile();
      const seen: number[] = [];
      for (const [at, stop] of stops.entries()) seen.push(...(await cut(archive, at > 0, stop)));
      const told = await run({
        ...{ ...options(), archive, resume: true, budget: { candidates: CANDIDATES } },
      });
      seen.push(...told.outcomes.map(({ visit }) => visit));
      expectSame(exported(archive), whole.text);
      expect(seen).toEqual(Array.from({ length: CANDIDATES }, (_, visit) => visit));
      const { counts, front, choice } = told.done;
      expect(counts).toEqual(whole.told.done.counts);
      expect([front, choice]).toEqual([whole.told.done.front, whole.told.done.choice]);
    }
  });

  test("has spent what all its runs spent, and asks nobody twice", async () => {
    const archive = freshFile();
    const first = await run({ ...options(), archive, budget: { candidates: 20 } });
    const second = await run({ ...options(), archive, resume: true, budget: { candidates: 40 } });
    const [before, after] = [first.done.counts.spending, second.done.counts.spending];
    expect(before.requests).toBeGreaterThan(1);
    for (const { requests, inputTokens, outputTokens, cost } of [before, after]) {
      expect(outputTokens).toBe(3 * requests);
      expect(cost).toBe(0.5 * requests);
      // 11 + 12 + … : no request is counted twice, and none is left out.
      expect(inputTokens).toBe(10 * requests + (requests * (requests + 1)) / 2);
    }
    expect(after.requests).toBeGreaterThan(before.requests);
    const reader = openArchive(archive);
    expect(reader.summary()).toMatchObject({ visits: 40 });
    const prompts = Array.from({ length: 40 }, (_, visit) => reader.prompt(visit));
    expect(new Set(prompts.filter((prompt) => prompt !== undefined)).size).toBeLessThanOrEqual(
      after.requests,
    );
    reader.close();
  });

  test("keeps a budget below what it had begun, and is what it would have been with a larger one", async () => {
    const whole = await straight();
    let held = 0;
    for (const [stop, budget] of [
      [2, { candidates: 9 }],
      [17, { candidates: 25 }],
      [17, { fits: 40 }],
      [30, { candidates: 1 }],
    ] as const) {
      const archive = freshFile();
      await cut(archive, false, stop);
      const reader = openArchive(archive);
      const before = reader.summary();
      reader.close();
      const { done, events } = await run({ ...options(), archive, resume: true, budget });
      const { candidates = 1e9, fits = 1e9 } = budget as { candidates?: number; fits?: number };
      expect(done.counts.candidates).toBeLessThanOrEqual(Math.max(candidates, before.visits));
      expect(done.counts.fits).toBeLessThanOrEqual(Math.max(fits, before.fits));
      const isHeld = ({ type, ...more }: (typeof events)[number]) =>
        type === "warning" && JSON.stringify(more).includes("than this budget has room for");
      if (!events.some(isHeld)) continue;
      held += 1;
      expect(done.stopped).toBe("fits" in budget ? "fits" : "candidates");
      const given = { ...options(), archive, resume: true };
      const told = await run({ ...given, budget: { candidates: CANDIDATES } });
      expectSame(exported(archive), whole.text);
      expect(told.done.counts).toEqual(whole.told.done.counts);
    }
    expect(held).toBeGreaterThan(0);
  });

  test("starts where it was: rows, first visit, seconds of all runs", async () => {
    const archive = freshFile();
    await run({ ...options(), archive, budget: { candidates: 10 } });
    const { events, done } = await run({
      ...options(),
      ...{ archive, resume: true, budget: { candidates: 12 } },
    });
    expect(events[0]).toMatchObject({ type: "started", resumedFrom: 10, seed: 9 });
    expect(done.seconds).toBeGreaterThan(0);
    const reader = openArchive(archive);
    expect(reader.runs().map(({ resumedFrom }) => resumedFrom)).toEqual([0, 10]);
    reader.close();
  });

  test("that was done has nothing to add", async () => {
    const archive = freshFile();
    await run({ ...options(), archive, budget: { candidates: 10 } });
    const before = exported(archive);
    const again = await run({
      ...options(),
      ...{ archive, resume: true, budget: { candidates: 10 } },
    });
    expect(again.outcomes).toEqual([]);
    expect(again.done.stopped).toBe("candidates");
    expectSame(exported(archive), before);
  });
});

describe("budgets", () => {
  test.each([1, 2, 3, 4, 7, 12])("of %s fits are never exceeded, and used", async (fits) => {
    const { done } = await run({ ...options(), budget: { fits } });
    expect(done.counts.fits).toBeLessThanOrEqual(fits);
    if (fits >= 4) expect(done.counts.fits).toBeGreaterThan(0);
    expect(done.stopped).toBe("fits");
  });

  test.each([1, 13, 14, 35])("of %s tokens end the study once they are spent", async (tokens) => {
    const { done } = await run({ ...options(), budget: { tokens, candidates: 500 } });
    expect(done.stopped).toBe("tokens");
    const { inputTokens, outputTokens, requests } = done.counts.spending;
    expect(inputTokens + outputTokens).toBeGreaterThanOrEqual(tokens);
    // The request before the last had not spent them, and lag rounds were under way.
    expect(requests).toBeLessThanOrEqual(Math.ceil(tokens / 14) + 1);
  });

  test("of accuracy end it at the first round that reaches it", async () => {
    const proposer = () =>
      replay([{ source: "(* a x)" }, { source: "(sin (+ a (* b x)))" }], { cycles: 99 });
    const given = { ...options(), proposers: [proposer()] };
    const { done: free } = await run({ ...given, budget: { candidates: 12 } });
    const best = free.best?.r2 as number;
    const { done } = await run({ ...given, proposers: [proposer()], budget: { r2: best } });
    expect(done.stopped).toBe("r2");
    expect(done.best?.r2).toBeGreaterThanOrEqual(best);
    expect(done.counts.candidates).toBeLessThanOrEqual(24);
  });
});
