/** Columns that are called as evolution calls its parameters: pressures p0, p1, states s0, counts k0. */

import { expect, test } from "vitest";
import { search } from "../../src/search.js";
import type { SearchDone } from "../../src/types.js";

const x = Array.from({ length: 40 }, (_, i) => i / 4);

test.each(["p0", "p1", "u0", "s0", "k0"])(
  "every program with a parameter was refused where the target is called %s",
  async (target) => {
    const data = { x, [target]: x.map((at, i) => 2 + 3 * at + (i % 3) / 100) };
    let done: SearchDone | undefined;
    const budget = { candidates: 150 };
    for await (const event of search({ data, target, budget, seed: 1, workers: 0 }))
      if (event.type === "done") done = event;
    expect(done?.counts.failures).not.toHaveProperty("E-TARGET");
    expect(done?.best?.r2).toBeGreaterThan(0.99);
    expect(Object.keys(done?.best?.params ?? {})).not.toContain(target);
    expect(Object.keys(done?.choice?.params ?? {})).not.toContain(target);
  },
);
