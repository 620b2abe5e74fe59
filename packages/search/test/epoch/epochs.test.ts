/** Epochs by themselves: limits at their edges, what is remembered of texts, and who loses a life. */

import { describe, expect, test, vi } from "vitest";
import { digestOf } from "../../src/digest.js";
import { Cancelled, EpochRunner, islandOf } from "../../src/epoch/epoch.js";
import type { EpochJob, Update } from "../../src/epoch/job.js";
import { identityOf, Reader } from "../../src/epoch/reading.js";
import { CandidateRunner } from "../../src/pipeline/candidate-runner.js";
import { makeStudy } from "../../src/study.js";
import type { Proposal, SearchOptions } from "../../src/types.js";
import { line } from "../engine/data.js";

const studyOf = (more: Partial<SearchOptions> = {}) =>
  makeStudy({ data: line, target: "y", seed: 5, ...more } as SearchOptions);
const proposal = (source: string, more: Partial<Proposal> = {}): Proposal => ({
  ...{ source, parents: [], origin: "given" },
  ...more,
});
const firstUpdate = (digests = new Uint32Array()): Update => ({
  ...{ version: 0, from: -1, digests },
  text: JSON.stringify({ front: [], populations: [null] }),
});
const jobOf = (proposals: readonly Proposal[], more: Partial<EpochJob> = {}): EpochJob => ({
  ...{ round: 0, slot: 0, place: 0, version: 0, size: proposals.length, proposals, lost: [] },
  ...more,
});

async function runnerFor(more: Partial<SearchOptions> = {}): Promise<EpochRunner> {
  const runner = await EpochRunner.create({ study: studyOf(more), breedings: [null] });
  runner.take(firstUpdate());
  return runner;
}

const one = { recipe: { rungs: [{ restarts: 1, steps: 5, share: 1 }] } };

describe("reading", () => {
  const reader = (more: Partial<SearchOptions> = {}) => new Reader(studyOf(more));

  test("takes a program that is exactly as long, as large and as rich as it may be", () => {
    const text = "(+ a (* b x))";
    const code = (more: Partial<SearchOptions>) => reader(more).read(text).failure?.code;
    expect(code({ limits: { sourceLength: text.length } })).toBeUndefined();
    expect(code({ limits: { sourceLength: text.length - 1 } })).toBe("E-LENGTH");
    expect(code({ complexityMax: 5 })).toBeUndefined();
    expect(code({ complexityMax: 4 })).toBe("E-COMPLEXITY");
    expect(code({ limits: { parameters: 2 } })).toBeUndefined();
    expect(code({ limits: { parameters: 1 } })).toBe("E-PARAMETERS");
    expect(code({ limits: { nesting: 2 } })).toBeUndefined();
    expect(code({ limits: { nesting: 1 } })).toBeDefined();
    const again = (most: number) =>
      reader({ limits: { sourceLength: most } }).readAgain(text).failure?.code;
    expect([again(text.length), again(text.length - 1)]).toEqual([undefined, "E-LENGTH"]);
  });

  test("of a text that comes again is the same object, and as without remembering", () => {
    const here = reader();
    const first = here.readAgain("(* a x)");
    expect(here.readAgain("(* a x)")).toBe(first);
    expect(here.read("(* a x)")).toEqual(first);
    expect(here.readAgain("(* b x)")).not.toBe(first);
  });

  test("of ten thousand texts are remembered, and no more", () => {
    const here = reader();
    const first = here.readAgain("x");
    for (let i = 1; i < 10_000; i++) here.readAgain(`${i}`);
    expect(here.readAgain("x")).toBe(first);
    const last = here.readAgain("10000");
    const again = here.readAgain("x");
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
    expect(here.readAgain("10000")).toBe(last);
  });

  test("knows programs by their skeletons, and texts that are none by themselves", () => {
    expect(identityOf("", "(+ x")).toBe("!(+ x");
    expect(identityOf("(* x P0)", "(* a x)")).toBe("(* x P0)");
    const broken = reader().read("(+ x");
    expect(broken).toMatchObject({ skeleton: "", complexity: 0, isStraight: false });
    expect(broken.digest).toEqual(digestOf("!(+ x"));
    expect(reader().read("(* a x)").digest).toEqual(digestOf("(* x P0)"));
    expect(reader().read("(* a x)")).toMatchObject({ isStraight: true, hasOneWay: true });
    expect(reader().read("(if (< x a) x 1)")).toMatchObject({ isStraight: true, hasOneWay: false });
    expect(reader().read("(loop ((s x)) (if (> s 9) s (recur (+ s 1))))").isStraight).toBe(false);
  });

  test("leaves the traces of errors as they were", () => {
    const { stackTraceLimit } = Error;
    reader().read("(+ x");
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
    const long = "x".repeat(300);
    const cut = reader({ limits: { sourceLength: 250 } }).read(long);
    expect(cut.source).toBe(`${"x".repeat(200)} … (300 letters)`);
  });
});

describe("an epoch", () => {
  test("of another version than what is known is refused", async () => {
    const runner = await runnerFor();
    expect(runner.version).toBe(0);
    await expect(runner.run(jobOf([], { version: 1 }))).rejects.toThrow("epoch of version 1");
    runner.dispose();
  });

  test("knows what was seen before and in itself; a revisit is fitted all the same", async () => {
    const runner = await runnerFor(one);
    const { high, low } = digestOf(new Reader(studyOf()).read("(* a x)").skeleton);
    runner.take(firstUpdate(Uint32Array.of(high, low)));
    const { candidates } = await runner.run(
      jobOf([
        proposal("(* a x)"),
        proposal("(+ a x)"),
        proposal("(+ x b)"),
        proposal("(+ c x)", { isRevisit: true }),
        proposal("(* q x)", { isRevisit: true }),
      ]),
    );
    expect(candidates.map(({ isDuplicate }) => isDuplicate)).toEqual([
      ...[true, false, true, false, false],
    ]);
    expect(candidates.map(({ results }) => results.length)).toEqual([0, 1, 0, 1, 1]);
    runner.dispose();
  });

  test("fits by round, slot and place: another place is another fit", async () => {
    const runner = await runnerFor({ recipe: { rungs: [{ restarts: 1, steps: 1, share: 1 }] } });
    const loss = async (at: Partial<EpochJob>, index = 0) => {
      const texts = ["(exp (* a x))", "(exp (* b x))"];
      const proposals = texts.map((text) => proposal(text, { isRevisit: true }));
      const { candidates } = await runner.run(jobOf(proposals, at));
      return candidates[index]?.results[0]?.loss as number;
    };
    const losses = [
      await loss({}),
      await loss({ round: 1 }),
      await loss({ slot: 1 }),
      await loss({}, 1),
    ];
    expect(new Set(losses).size).toBe(4);
    expect(await loss({})).toBe(losses[0]);
    runner.dispose();
  });

  test("a text that failed is screened at every visit, and fails alike", async () => {
    const runner = await runnerFor({ ...one, limits: { screenSteps: 2000, fitSteps: 40_000 } });
    const long = "(loop ((s x) (k 0)) (if (= k 400) s (recur (sin (* a s)) (+ k 1))))";
    const seen: unknown[] = [];
    for (let visit = 0; visit < 3; visit++) {
      const job = jobOf([proposal(long, { isRevisit: true })], { round: visit });
      const [candidate] = (await runner.run(job)).candidates;
      seen.push(candidate?.results.map(({ failure }) => [failure?.stage, failure?.code]));
    }
    expect(seen).toEqual(Array(3).fill([["screen", "E-STEPS"]]));
    runner.dispose();
  });

  test("screens a text again that came with its own starts", async () => {
    // Long enough for the screen to refuse it, short enough for a fit.
    const limits = { screenSteps: 300, fitSteps: 5000 };
    const slow = "(* a (loop ((s x) (i 0)) (if (> i 60) s (recur (+ s 1) (+ i 1)))))";
    const quick = "(* a (loop ((s x) (i 0)) (if (> i 2) s (recur (+ s 1) (+ i 1)))))";
    const runner = await runnerFor({ ...one, limits });
    const revisit = { isRevisit: true, params: { a: 1 } };
    const { candidates } = await runner.run(
      jobOf([proposal(quick, revisit), proposal(slow, revisit)]),
    );
    const codes = candidates.map(({ results }) => results[0]?.failure?.code);
    expect(codes).toEqual([undefined, "E-STEPS"]);
    const again = await runner.run(jobOf([proposal(quick, { isRevisit: true })]));
    expect(again.candidates[0]?.results[0]?.failure).toBeUndefined();
    const walked = again.candidates[0]?.results[0]?.timing.walk;
    const third = await runner.run(jobOf([proposal(quick, { isRevisit: true })]));
    expect(walked).toBeGreaterThan(0);
    expect(third.candidates[0]?.results[0]?.timing.walk).toBe(0);
    runner.dispose();
  });

  test("screens a program once: not one that only calculates, nor later rungs or visits", async () => {
    const rungs = [1, 2].map((restarts) => ({ restarts, steps: 3, share: 1 }));
    const runner = await runnerFor({ recipe: { rungs } });
    const tasks = vi.spyOn(CandidateRunner.prototype, "run");
    const turns = "(* a (loop ((s x) (i 0)) (if (> i 2) s (recur (+ s 1) (+ i 1)))))";
    const screenedAt = async (source: string, more: Partial<Proposal> = {}) => {
      tasks.mockClear();
      await runner.run(jobOf([proposal(source, more)]));
      return tasks.mock.calls.flatMap(([{ rung, isScreened }]) => (isScreened ? [] : [rung]));
    };
    expect(await screenedAt("(* a x)")).toEqual([]);
    expect(await screenedAt("(* a x)", { isRevisit: true })).toEqual([]);
    expect(await screenedAt(turns)).toEqual([0]);
    expect(await screenedAt(turns, { isRevisit: true })).toEqual([0]);
    expect(await screenedAt(turns, { isRevisit: true, params: { a: 1 } })).toEqual([0]);
    expect(await screenedAt(turns, { isRevisit: true })).toEqual([]);
    tasks.mockRestore();
    runner.dispose();
  });

  test("goes on from the best result so far, rung by rung, and stops where it failed", async () => {
    const rungs = [1, 2, 3].map((restarts) => ({ restarts, steps: 4, share: 1 }));
    const runner = await runnerFor({ recipe: { rungs } });
    const { candidates } = await runner.run(jobOf([proposal("(+ a (* b x))"), proposal("(+ 1")]));
    const [good, bad] = candidates;
    expect(good?.results.map(({ rung, fits }) => [rung, fits])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    const losses = good?.results.map(({ loss }) => loss) as [number, number, number];
    expect(losses[1]).toBeLessThanOrEqual(losses[0]);
    expect([bad?.results.length, bad?.failure?.code]).toEqual([0, "E-SYNTAX"]);
    runner.dispose();
  });

  test("tells a candidate that cost a worker its life, and does not run it", async () => {
    const runner = await runnerFor(one);
    const failure = { stage: "fit", code: "E-WORKER", message: "it died" } as const;
    const begun: number[] = [];
    const job = jobOf([proposal("(* a x)"), proposal("(+ a x)")], { lost: [[1, failure]] });
    const { candidates } = await runner.run(job, { onCandidate: (index) => begun.push(index) });
    expect(begun).toEqual([0]);
    expect(candidates[1]?.results[0]?.failure).toEqual(failure);
    runner.dispose();
  });

  test("that is ended comes to nothing, before or after a candidate", async () => {
    const runner = await runnerFor(one);
    const stop = new AbortController();
    const rest = () => {
      stop.abort();
      return undefined;
    };
    const job = jobOf([proposal("(* a x)"), proposal("(+ a x)")]);
    await expect(runner.run(job, { signal: stop.signal, rest })).rejects.toBeInstanceOf(Cancelled);
    const begun: number[] = [];
    const watch = { signal: stop.signal, onCandidate: (index: number) => void begun.push(index) };
    await expect(runner.run(job, watch)).rejects.toBeInstanceOf(Cancelled);
    expect(begun).toEqual([0]);
    runner.dispose();
  });

  test("breeds for one island after the other", () => {
    const study = studyOf({ slots: 3, islands: 4 });
    const setting = { study, breedings: [{}, null] };
    const islands = [0, 1].flatMap((round) =>
      [0, 1, 2].map((slot) => islandOf(setting, 0, round, slot)),
    );
    const count = new Set(islands).size;
    expect(islands).toEqual([0, 1, 2, 3, 4, 5].map((n) => n % Math.max(4, count)));
    expect(islandOf(setting, 0, 1, 4)).toBe(islandOf(setting, 0, 1, 1));
    expect(islandOf(setting, 1, 0, 0)).toBeUndefined();
  });
});
