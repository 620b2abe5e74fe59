/**
 * The ledger: what was spent against its caps, told once.
 */

import { describe, expect, test } from "vitest";
import { Ledger } from "../../src/llm/ledger.js";

describe("the ledger", () => {
  test.each([
    [{ tokens: 15 }, "15 of 15 tokens are used"],
    [{ tokens: 16 }, undefined],
    [{ cost: 7e-5 }, "0.0001 of 0.00007 is spent"],
    [{ cost: 8e-5 }, undefined],
    [{}, undefined],
  ])("caps %j: %s", (caps, words) => {
    const ledger = new Ledger({ input: 2, output: 10 }, caps);
    expect(ledger.reachedCap()).toBeUndefined();
    ledger.enter({ inputTokens: 10, outputTokens: 5 });
    expect(ledger.reachedCap()).toBe(words);
  });

  test("tells each request once, and what was restored not at all", () => {
    const ledger = new Ledger(undefined, { tokens: 100 });
    ledger.enter({ inputTokens: 10, outputTokens: 5 });
    expect(ledger.takeUntold()).toEqual({ requests: 1, inputTokens: 10, outputTokens: 5, cost: 0 });
    expect(ledger.takeUntold().requests).toBe(0);
    ledger.enter({ inputTokens: 1, outputTokens: 1 });
    ledger.restore({ requests: 7, inputTokens: 60, outputTokens: 40, cost: 3 });
    expect(ledger.takeUntold().requests).toBe(0);
    expect(ledger.total).toEqual({ requests: 7, inputTokens: 60, outputTokens: 40, cost: 3 });
    expect(ledger.reachedCap()).toBe("100 of 100 tokens are used");
  });
});
