/** What failures cost, in seconds, wherever a candidate's way ends. */

import { afterEach, expect, test, vi } from "vitest";
import { CandidateRunner } from "../../src/pipeline/candidate-runner.js";
import type { Task } from "../../src/pipeline/task.js";
import { makeStudy } from "../../src/study.js";
import type { SearchOptions } from "../../src/types.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const rows = Array.from({ length: 14 }, (_, row) => row);
const studyOf = (more: Partial<SearchOptions>) =>
  makeStudy({
    ...{ data: { x: rows, y: rows.map((at) => 3 * at + 2 + Math.cos(at)) }, target: "y" },
    ...{ holdOut: [10, 11, 12, 13], ...more },
  });
const task = (source: string, more: Partial<Task> = {}): Task => ({
  ...{ visit: 3, id: 99, seed: 1234, rung: 0, source },
  ...{ params: undefined, from: undefined, isScreened: false, hasOneWay: false },
  ...more,
});

const LOOP = (turns: number) =>
  `(loop ((s x) (k 0)) (if (= k ${turns}) s (recur (* a s) (+ k 1))))`;
const limits = { screenSteps: 2000, fitSteps: 40_000 };

test.each<[string, string, string | undefined, Partial<Task>, string]>([
  ["nowhere", "(+ a (* b x))", undefined, {}, "screen walk fit replay score"],
  [
    "nowhere, without a screen",
    "(* a x)",
    undefined,
    { isScreened: true },
    "screen fit replay score",
  ],
  ["nowhere, and is not fitted", "(+ 1 x)", undefined, {}, "screen walk fit score"],
  ["where it is read", "(+ a", "parse", {}, "screen"],
  ["where it is read, by its name", "(* a (nothing x))", "parse", {}, "screen"],
  ["on the screen", "(+ a (car x))", "screen", {}, "screen walk"],
  ["on the screen, by its steps", LOOP(400), "screen", {}, "screen walk"],
  ["on the screen, by its result", "(+ a [x 1])", "screen", {}, "screen walk"],
  ["in the fit", "(if (= x 4) (car a) (* a x))", "fit", {}, "screen walk fit"],
  [
    "in the fit, by its steps",
    `(if (= x 4) ${LOOP(40_000)} (* a x))`,
    "fit",
    {},
    "screen walk fit",
  ],
  [
    "in the fit, and had to be screened",
    "(+ a (car x))",
    "screen",
    { isScreened: true },
    "screen walk fit",
  ],
  ["in the scores", "(* a (sqrt (- 9.5 x)))", "score", {}, "screen walk fit replay score"],
  ["in the scores of no fit", "(sqrt (- 9.5 x))", "score", {}, "screen walk fit score"],
])(
  "a candidate whose way ends %s has all its seconds: %s",
  async (_, source, stage, more, parts) => {
    const runner = await CandidateRunner.create(studyOf({ limits }));
    // A second goes by between any two looks at the clock.
    const looks: number[] = [];
    vi.spyOn(performance, "now").mockImplementation(() => {
      looks.push(1000 * (7 + looks.length));
      return looks.at(-1) as number;
    });
    const { failure, timing } = await runner.run(task(source, more));
    const [first = 0] = looks;
    const seconds = ((looks.at(-1) ?? 0) - first) / 1000;
    runner.dispose();
    expect(failure?.stage).toBe(stage);
    const spent = Object.entries(timing).filter(([, each]) => each > 0);
    expect(spent.map(([name]) => name).sort()).toEqual(parts.split(" ").sort());
    expect(timing.screen + timing.fit + timing.score).toBeCloseTo(seconds, 9);
  },
);
