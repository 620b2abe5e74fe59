/**
 * Why a search ended, where several limits are reached in the same round; what of a last answer is still taken;
 * and what the last event says, put together a second time from what was told before.
 */

import { describe, expect, test } from "vitest";
import { choiceWarnings, heldOutWarning } from "../../src/choice/choose.js";
import { yardstickOf } from "../../src/choice/yardstick.js";
import { bestOf, choiceOf, whyChosen } from "../../src/index.js";
import type { Budget, Proposals, StopCause } from "../../src/types.js";
import { Counting, MemoryJournal, play, useClock } from "./play.js";

useClock();

const spending = { requests: 1, inputTokens: 6, outputTokens: 4, cost: 0.5 };
/** Limits that the first round of four candidates reaches, in the order in which they are told. */
const reached: readonly (readonly [StopCause, Budget])[] = [
  ["candidates", { candidates: 4 }],
  ["fits", { fits: 4 }],
  ["tokens", { tokens: 10 }],
  ["r2", { r2: 0.6 }],
];
const recipe = { rungs: [{ restarts: 1, steps: 3, share: 1 }] };

describe("of several limits that one round reaches", () => {
  const subsets = Array.from({ length: 15 }, (_, i) =>
    reached.filter((_, at) => ((i + 1) & (1 << at)) !== 0),
  );
  test.each(subsets.map((limits) => [limits.map(([cause]) => cause).join(", "), limits] as const))(
    "the first is told: %s",
    async (_, limits) => {
      const budget = Object.assign({}, ...limits.map(([, each]) => each)) as Budget;
      for (const isLast of [false, true]) {
        const script = isLast ? [4] : [4, 4, 4];
        const proposer = new Counting("count", script, 0, { spending });
        const { done } = await play({
          ...{ proposers: [proposer], budget, options: { lag: 1, recipe } },
        });
        expect(done?.counts).toMatchObject({ candidates: 4, fits: 4, spending });
        expect(proposer.asked).toHaveLength(1);
        // Who has no more to say is told before all limits.
        expect(done?.stopped).toBe(isLast ? "exhausted" : limits[0]?.[0]);
      }
    },
  );

  test("each of them alone is not reached by one less", async () => {
    for (const [cause, budget] of [
      ["candidates", { candidates: 5 }],
      ["fits", { fits: 5 }],
      ["tokens", { tokens: 11 }],
      ["r2", { r2: 0.81 }],
    ] as const) {
      const proposer = new Counting("count", [4, 4, 4], 0, { spending });
      const { done } = await play({
        ...{ proposers: [proposer], budget, options: { lag: 1, recipe } },
      });
      expect(proposer.asked.length, cause).toBe(2);
      expect(done?.stopped).toBe(cause);
    }
  });

  test("tokens count that were read and that were written", async () => {
    for (const [inputTokens, outputTokens] of [
      [10, 0],
      [0, 10],
      [9, 1],
    ] as const) {
      const more = { spending: { ...spending, inputTokens, outputTokens } };
      const proposer = new Counting("count", [1, 1, 1, 1], 0, more);
      const budget = { tokens: 20 };
      const { done } = await play({ proposers: [proposer], budget, options: { lag: 1 } });
      expect([done?.stopped, proposer.asked.length]).toEqual(["tokens", 2]);
    }
  });
});

test("of a last answer the programs are taken, and of one without an end more are asked for", async () => {
  class Answers extends Counting {
    constructor(readonly answers: readonly (boolean | undefined)[]) {
      super("answers", Array<number>(9).fill(2));
    }
    override async propose(count: number): Promise<Proposals> {
      const { proposals } = await super.propose(count);
      const isExhausted = this.answers[this.asked.length - 1];
      return { proposals, ...(isExhausted === undefined ? {} : { isExhausted }) };
    }
  }
  for (const answers of [[true], [false, undefined, true], [undefined, true]]) {
    const proposer = new Answers(answers);
    const { done } = await play({ proposers: [proposer, new Counting("other", [1, 1, 1], 500)] });
    expect(proposer.asked).toHaveLength(answers.length);
    expect([done?.stopped, done?.counts.candidates]).toEqual([
      ...["exhausted", 2 * answers.length + 3],
    ]);
  }
});

test("the last event says what the front says, and is wary of all there is", async () => {
  let differ = 0;
  for (const [holdOut, script] of [
    [0.25, [8, 8]],
    [0.5, [8, 8]],
    [0.25, [3]],
  ] as const) {
    const journal = new MemoryJournal();
    const { done, told, study } = await play({
      ...{ proposers: [new Counting("count", script, 3)], journal, options: { holdOut } },
      onStart: ({ problem }) => problem("a worker is slow"),
    });
    if (done === undefined) throw new Error("it did not end");
    const { front } = done;
    expect(front.length).toBeGreaterThan(0);
    for (const { isWeighed } of front) expect(isWeighed).toBe(true);
    expect([done.best, done.choice, done.why]).toEqual([
      ...[bestOf(front), choiceOf(front), whyChosen(front)],
    ]);
    const rule = yardstickOf(study);
    const held = [...(study.heldOut["y"] ?? [])];
    const mean = held.reduce((sum, value) => sum + value, 0) / held.length;
    const squares = held.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    const few = heldOutWarning(held.length);
    expect(few === undefined).toBe(holdOut === 0.5);
    expect(done.warnings).toEqual([
      ...(few === undefined ? [] : [few]),
      "a worker is slow",
      ...choiceWarnings(done.choice, { rows: held.length, squares }, rule),
    ]);
    const rows = { rows: held.length, squares };
    const others = [done.best, done.choice].map((one) => choiceWarnings(one, rows, rule).join());
    if (others[0] !== others[1]) differ += 1;
    expect(done.warnings.at(-1)).toMatch(/^on the held-out rows the chosen model misses by /);
    expect(told.at(-1)).toBe(done);
    expect(journal.events.at(-1)).toBe(done);
  }
  expect(differ).toBe(1);
});
