/**
 * What ends a search, and what it is then.
 */

import { NdvmError } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { type Proposer, paperRecipe, replay, type SearchOptions } from "../../src/index.js";
import { line } from "./data.js";
import { Echo, list, run } from "./support.js";

const endless = (): Proposer =>
  replay([{ source: "(+ a (* b x))" }, { source: "(sin (* a x))" }, { source: "(2 x)" }], {
    cycles: Number.POSITIVE_INFINITY,
  });
const base = { data: line, target: "y", workers: 0, recipe: paperRecipe } as const;

describe("budgets", () => {
  test("in candidates count every proposal", async () => {
    const { done, outcomes } = await run({
      ...base,
      proposers: [endless()],
      budget: { candidates: 100 },
    });
    expect(done.stopped).toBe("candidates");
    expect(outcomes).toHaveLength(100);
  });

  test("in fits are used up and never exceeded, though failures make fewer of them", async () => {
    const { done } = await run({
      ...base,
      epoch: 16,
      slots: 1,
      proposers: [endless()],
      budget: { fits: 101 },
    });
    expect(done.stopped).toBe("fits");
    expect(done.counts.fits).toBe(101);
  });

  test("in fits hold for promotions too", async () => {
    const rungs = [
      { restarts: 2, steps: 5, share: 1 },
      { restarts: 3, steps: 10, share: 0.3 },
    ];
    for (const fits of [1, 5, 50, 133]) {
      const { done } = await run({
        ...base,
        epoch: 8,
        slots: 1,
        recipe: { optimiser: "lm", rungs },
        proposers: [new Echo()],
        budget: { fits },
      });
      expect(done.stopped).toBe("fits");
      expect(done.counts.fits).toBeLessThanOrEqual(fits);
      // What is left does not pay for one more candidate with its promotion.
      expect(done.counts.fits).toBeGreaterThan(fits - 5);
    }
  });

  test("of accuracy end when a good candidate has been heard of", async () => {
    const { done } = await run({
      ...base,
      recipe: {},
      epoch: 4,
      slots: 1,
      proposers: [new Echo(), list(["(+ a (* b x))"])],
      budget: { r2: 0.99, candidates: 10_000 },
    });
    expect(done.stopped).toBe("r2");
    expect(done.best?.r2).toBeGreaterThan(0.99);
    expect(done.counts.candidates).toBeLessThan(10_000);
  });

  test("of accuracy are met by any member of the front, not only by the most accurate", async () => {
    const x = Array.from({ length: 16 }, (_, i) => i / 10);
    // A polynomial follows the noise of the training rows, and leaves the held-out rows far beyond.
    const y = x.map((at, i) => 2 * at + (i % 5 < 2 ? 0.3 : -0.2));
    const { done, outcomes } = await run({
      data: { x: [...x, 4, 5, 6], y: [...y, 8, 10, 12] },
      target: "y",
      holdOut: [16, 17, 18],
      workers: 0,
      proposers: [
        replay(
          [
            { source: "(* a x)" },
            { source: "(+ a (* x (+ b (* x (+ c (* x (+ d (* x (+ e (* x f))))))))))" },
          ],
          { cycles: Number.POSITIVE_INFINITY },
        ),
      ],
      epoch: 4,
      slots: 1,
      budget: { r2: 0.99, candidates: 400 },
    });
    const scored = outcomes.filter(({ status }) => status === "scored");
    const [accurate] = scored.sort((a, b) => a.loss - b.loss);
    expect(accurate?.r2).toBeLessThan(0.9);
    expect(done.stopped).toBe("r2");
  });

  test("in tokens end when proposers have spent them", async () => {
    const inner = new Echo();
    const spender: Proposer = {
      name: "spender",
      begin: (brief) => inner.begin(brief),
      propose: async (count) => ({
        ...(await inner.propose(Math.min(count, 4))),
        spending: { requests: 1, inputTokens: 70, outputTokens: 30, cost: 0.25 },
      }),
      observe() {},
      save: () => inner.save(),
      restore: (state) => inner.restore(state),
    };
    const { done } = await run({ ...base, proposers: [spender], budget: { tokens: 250 } });
    expect(done.stopped).toBe("tokens");
    expect(done.counts.spending).toEqual({
      requests: 3,
      inputTokens: 210,
      outputTokens: 90,
      cost: 0.75,
    });
  });

  test("of wall-clock end work that is under way", async () => {
    // One fit of this takes far longer than the budget.
    const slow = "(loop ((s (* a x)) (k 0)) (if (= k 3000) s (recur (sin (+ s b)) (+ k 1))))";
    for (const workers of [0, 1]) {
      const { done } = await run({
        ...base,
        workers,
        recipe: { optimiser: "adam", rungs: [{ restarts: 64, steps: 1e6, share: 1 }] },
        limits: { screenSteps: 1e6, fitSteps: 1e6 },
        proposers: [replay([{ source: slow }])],
        budget: { seconds: 0.5 },
      });
      expect(done.stopped).toBe("seconds");
      expect(done.counts.candidates).toBe(0);
    }
  });

  test.each([2_592_000, Number.POSITIVE_INFINITY])(
    "of %s seconds, more than a timer can wait, do not end the search at once",
    async (seconds) => {
      const budget = { seconds, candidates: 20 };
      const { done } = await run({ ...base, proposers: [endless()], budget });
      expect(done).toMatchObject({ stopped: "candidates", counts: { candidates: 20 } });
    },
  );

  test("a signal ends the search, also before it began", async () => {
    const stop = new AbortController();
    const watched: Proposer = { ...endless(), propose: (n, s) => endless().propose(n, s) };
    let heard = 0;
    const observing: Proposer = {
      ...watched,
      name: "watched",
      begin() {},
      save: () => null,
      restore() {},
      observe() {
        heard += 1;
        if (heard === 3) stop.abort();
      },
    };
    const first = await run({ ...base, proposers: [observing], signal: stop.signal });
    expect(first.done.stopped).toBe("aborted");
    const second = await run({ ...base, proposers: [endless()], signal: stop.signal });
    expect(second.done.stopped).toBe("aborted");
    expect(second.done.counts.candidates).toBe(0);
    expect(second.done.best).toBeUndefined();
  });

  test("a proposer that never answers does not outlive the clock", async () => {
    const silent: Proposer = {
      name: "silent",
      begin() {},
      propose: () => new Promise(() => {}),
      observe() {},
      save: () => null,
      restore() {},
    };
    const { done } = await run({ ...base, proposers: [silent], budget: { seconds: 0.2 } });
    expect(done.stopped).toBe("seconds");
  });
});

describe("proposers", () => {
  test("take turns, and the others go on when one is exhausted or has a problem", async () => {
    const broken: Proposer = {
      ...list([]),
      name: "broken",
      propose: async () => ({
        proposals: [],
        isExhausted: true,
        problems: [{ code: "E-LLM-DOWN", message: "nobody answers" }],
      }),
    };
    const { events, outcomes, done } = await run({
      ...base,
      epoch: 2,
      slots: 1,
      proposers: [list(["a", "(* a x)", "(sin (* a x))"]), broken, endless()],
      budget: { candidates: 12 },
    });
    expect(done.stopped).toBe("candidates");
    expect(outcomes.map(({ proposer }) => proposer)).toEqual([
      ..."list list replay replay list".split(" "),
      ...Array(7).fill("replay"),
    ]);
    expect(events.filter(({ type }) => type === "problem")).toEqual([
      {
        type: "problem",
        proposer: "broken",
        problem: { code: "E-LLM-DOWN", message: "nobody answers" },
      },
    ]);
  });

  test("hear of outcomes once, in order, at a fixed lag", async () => {
    const echo = new Echo();
    const behind: number[] = [];
    const propose = echo.propose.bind(echo);
    let asked = 0;
    echo.propose = async (count) => {
      behind.push(asked - echo.heard.length);
      asked += count;
      return propose(count);
    };
    await run({
      ...base,
      epoch: 5,
      slots: 1,
      lag: 3,
      proposers: [echo],
      budget: { candidates: 50 },
    });
    // The last two rounds are folded in, but nobody is to propose any more.
    expect(echo.heard).toEqual(Array.from({ length: 40 }, (_, i) => i));
    expect(behind).toEqual([0, 5, 10, ...Array(7).fill(10)]);
  });

  test("that fail fail the search with their error", async () => {
    const failing: Proposer = {
      ...list([]),
      propose: async () => {
        throw new NdvmError("E-OPTION", "no such model");
      },
    };
    await expect(run({ ...base, proposers: [failing] })).rejects.toThrow("no such model");
  });
});

describe("options that make no sense are refused", () => {
  const cases: readonly (readonly [string, Partial<SearchOptions>])[] = [
    ["no such target", { target: "z" }],
    ["no such input", { inputs: ["q"] }],
    ["the target as input", { inputs: ["x", "y"] }],
    ["no input", { inputs: [] }],
    ["words in a column", { data: { x: ["a", "b", "c", "d"], y: [1, 2, 3, 4] } }],
    ["columns of two lengths", { data: { x: [1, 2, 3], y: [1, 2, 3, 4] } }],
    ["a constant target", { data: { x: [1, 2, 3, 4, 5], y: [1, 1, 1, 1, 1] } }],
    [
      "a target too large to square",
      { data: { x: [1, 2, 3, 4], y: [1e200, 2e200, 4e200, 7e200] } },
    ],
    ["too few rows", { data: { x: [1, 2, 3], y: [1, 2, 3] } }],
    ["a share of rows", { holdOut: 1.5 }],
    ["rows that are not there", { holdOut: [1, 99] }],
    ["a seed", { seed: 0.5 }],
    ["workers", { workers: -1 }],
    ["an epoch", { epoch: 0 }],
    ["slots", { slots: 1.5 }],
    ["islands", { islands: 0 }],
    ["too much under way", { epoch: 1e5, slots: 100 }],
    ["a lag", { lag: 0 }],
    ["a budget", { budget: { candidates: 0 } }],
    ["seconds", { budget: { seconds: Number.NaN } }],
    ["an accuracy", { budget: { r2: 2 } }],
    ["no rungs", { recipe: { rungs: [] } }],
    ["a rung", { recipe: { rungs: [{ restarts: 1, steps: 5, share: 0 }] } }],
    ["limits", { limits: { screenSteps: -5 } }],
    ["no proposers", { proposers: [] }],
    ["nothing to resume", { resume: true }],
  ];

  test.each(cases)("%s", async (_, change) => {
    const options = { ...base, proposers: [endless()], ...change } as SearchOptions;
    const error = await run(options).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(NdvmError);
    const { code, message, help } = error as NdvmError;
    expect(code).toBe("E-OPTION");
    expect(`${message} | ${help}`).toMatchSnapshot();
  });
});
