/**
 * Recovery within budgets of candidates: one seed each, in this thread. The whole table, three seeds
 * and the seconds, is `npm run bench -- recovery`.
 */

import { describe, expect, it } from "vitest";
import { problemNamed } from "./problems.js";
import { recover } from "./recover.js";

describe("evolve recovers", () => {
  it.each([
    ["Nguyen-4", 3000],
    ["Nguyen-6", 3000],
    ["Nguyen-8", 2000],
    ["Michaelis–Menten", 3000],
    ["damped oscillator", 5000],
    ["piecewise linear", 4000],
  ])("%s within %d candidates", async (name, candidates) => {
    const problem = problemNamed(name);
    const made = await recover(problem, { seed: 1, workers: 0, budget: { candidates } });
    const best = `${made.best?.source} with R² ${made.bestR2}`;
    expect(made.found, `the best was ${best}`).toBeDefined();
  });
});
