/**
 * Twins: programs of one skeleton from epochs of the same time.
 */

import { expect, test } from "vitest";
import { openArchive } from "../../src/index.js";
import { line } from "./data.js";
import { freshFile, list, run } from "./support.js";

test("the first of two twins wins, and the fits of the other count as spent", async () => {
  const file = freshFile();
  const { outcomes, done } = await run({
    data: line,
    target: "y",
    workers: 0,
    epoch: 1,
    slots: 2,
    proposers: [list(["(+ a (* b x))", "(+ (* x q) p)", "(* a x)", "(+ c (* d x))"])],
    recipe: { rungs: [{ restarts: 3, steps: 5, share: 1 }] },
    lag: 1,
    archive: file,
  });
  // The second was fitted beside the first; the fourth knew of it.
  expect(outcomes.map(({ status }) => status)).toEqual(
    "scored duplicate scored duplicate".split(" "),
  );
  expect(outcomes.map(({ fits }) => fits)).toEqual([3, 3, 3, 0]);
  expect(outcomes.map(({ duplicateOf }) => duplicateOf)).toEqual([undefined, 0, undefined, 0]);
  expect(outcomes[1]?.r2).toBeNaN();
  expect(done.counts).toMatchObject({ fits: 9, duplicates: 2, scored: 2 });
  const archive = openArchive(file);
  expect([...archive.outcomes()].map(({ fits }) => fits)).toEqual([3, 3, 3, 0]);
  archive.close();
});
