/**
 * The front that a salvaged archive gets where the study's state is lost: found a second time, by comparing
 * every visit with every other one. Of visits that are as good as each other the simplest and earliest is on it.
 */

import { expect, test } from "vitest";
import { openDatabase } from "../../src/archive/driver.js";
import { checkArchive, type Outcome, type Proposal, salvageArchive } from "../../src/index.js";
import { oscillation } from "../engine/data.js";
import { Echo, freshFile, list, run } from "../engine/support.js";
import { copyOf, reading } from "./support.js";

const rungs = [{ restarts: 1, steps: 8, share: 1 }];

/** Programs of several sizes, some of them the same function in more words. */
const PROGRAMS = [
  "x",
  "(* 1 x)",
  "(* a x)",
  "(+ (* a x) 0)",
  "(+ a (* b x))",
  "(+ a (* b x) (* 0 x))",
  "(* a (exp (* b x)))",
  "(* a (cos (+ b (* c x))))",
  "(* 2 (exp (* -0.3 x)) (cos (+ 0.4 (* 1.7 x))))",
  "(* (exp (* -0.3 x)) (cos (+ 0.4 (* 1.7 x))) 2 1)",
  "(car x)",
];

/** Each program, and the same text again. */
const proposals: readonly Proposal[] = [false, true, true].flatMap((isRevisit) =>
  PROGRAMS.map((source): Proposal => ({ source, parents: [], origin: "told", isRevisit })),
);

const accuracyOf = ({ r2, trainR2 }: Outcome): number => Math.min(r2, trainR2);

/** Whether one is to be preferred to another wherever both are. */
function isBetter(one: Outcome, other: Outcome): boolean {
  if (one.complexity > other.complexity || accuracyOf(one) < accuracyOf(other)) return false;
  const isAlike = one.complexity === other.complexity && accuracyOf(one) === accuracyOf(other);
  return !isAlike || one.visit < other.visit;
}

test.each([1, 2, 3])("is of visits that no other one is better than, in study %s", async (seed) => {
  const file = freshFile();
  await run({
    ...{ data: oscillation, target: "y", workers: 0, epoch: 8, slots: 1, seed, recipe: { rungs } },
    ...{ archive: file, proposers: [list(proposals), new Echo()], budget: { candidates: 56 } },
  });
  const damaged = copyOf(file);
  const database = openDatabase(damaged);
  database.exec("DELETE FROM state WHERE one = 1");
  database.close();
  const out = freshFile();
  expect(salvageArchive(damaged, out)).toMatchObject({ visitsLost: 0, canResume: false });
  expect(checkArchive(out)).toMatchObject({ isIntact: true, problems: [] });
  const outcomes = reading(out, (archive) => [...archive.outcomes()]);
  const scored = outcomes.filter(
    (one) => one.status === "scored" && Number.isFinite(accuracyOf(one)),
  );
  const wanted = scored
    .filter((one) => !scored.some((other) => other !== one && isBetter(other, one)))
    .sort((a, b) => a.complexity - b.complexity)
    .map(({ visit }) => visit);
  const last = reading(out, (archive) => [...archive.export()].at(-1));
  const { front } = JSON.parse(String(last)) as { front: readonly unknown[] };
  expect(front).toEqual(wanted);
  expect(wanted.length).toBeGreaterThan(2);
  // There are several as good as one that is on it.
  const alike = scored.filter((one) =>
    wanted.some((visit) => {
      const member = outcomes[visit] as Outcome;
      return visit !== one.visit && accuracyOf(member) === accuracyOf(one);
    }),
  );
  expect(alike.length).toBeGreaterThan(2);
});
