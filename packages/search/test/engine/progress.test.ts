/** Counts of a study: failures by their code, also codes that every object inherits. */

import { expect, test } from "vitest";
import { StudyProgress } from "../../src/engine/progress.js";
import type { Outcome } from "../../src/types.js";

const CODES = ["constructor", "__proto__", "toString", "E-SHAPE"];

test("a failure that a worker calls constructor was counted as text once its study went on", () => {
  const yardstick = {} as ConstructorParameters<typeof StudyProgress>[0];
  const failed = (code: string) =>
    ({ visit: 1, id: 1, fits: 0, status: "failed", failure: { code } }) as unknown as Outcome;
  const progress = new StudyProgress(yardstick);
  progress.restore(progress.counts(), progress.front);
  for (const code of [...CODES, ...CODES]) progress.add(failed(code));
  expect(Object.entries(progress.counts().failures)).toEqual(CODES.map((code) => [code, 2]));
  expect(Object.getPrototypeOf(progress.counts().failures)).toBeNull();
});
