/**
 * Which fits an epoch asks for, seen by a runner of the test's own whose fits come to what the test says:
 * who climbs, from which parameters each fit starts, and what is screened.
 */

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { EpochRunner } from "../../src/epoch/epoch.js";
import { CandidateRunner } from "../../src/pipeline/candidate-runner.js";
import { emptyResult, failedResult, type Task, type TaskResult } from "../../src/pipeline/task.js";
import { makeStudy } from "../../src/study.js";
import { line } from "../engine/data.js";

const seed = Number(process.env["SEED"] ?? 20261118);

/** By candidate and rung: the loss, undefined for a failure. */
type Losses = readonly (readonly (number | undefined)[])[];
const FAILURE = { stage: "fit", code: "E-NOT-FINITE", message: "no" } as const;

/** Runs an epoch of one candidate for each row of losses. All of the able climb. */
async function climb(losses: Losses, sources: readonly string[]) {
  const rungs = (losses[0] ?? []).map((_, rung) => ({ restarts: 1, steps: 1 + rung, share: 1 }));
  const study = makeStudy({ data: line, target: "y", seed: 5, recipe: { rungs } });
  const tasks: Task[] = [];
  const run = async (task: Task): Promise<TaskResult> => {
    tasks.push(task);
    const loss = losses[task.visit]?.[task.rung];
    if (loss === undefined) return failedResult(task, FAILURE);
    return { ...emptyResult(task), fits: 1, loss, params: { a: 10 * task.visit + task.rung } };
  };
  const create = vi
    .spyOn(CandidateRunner, "create")
    .mockResolvedValue({ run, dispose() {} } as unknown as CandidateRunner);
  const runner = await EpochRunner.create({ study, breedings: [null] });
  create.mockRestore();
  runner.take({
    ...{ version: 0, from: -1, digests: new Uint32Array() },
    text: JSON.stringify({ front: [], populations: [null] }),
  });
  const proposals = sources.map((source) => ({ source, parents: [], origin: "given" as const }));
  const result = await runner.run({
    ...{ round: 0, slot: 0, place: 0, version: 0, size: proposals.length, proposals, lost: [] },
  });
  return { tasks, result };
}

test(`every fit goes on from the best so far, wherever the last one ended (SEED=${seed})`, async () => {
  const loss = fc.option(fc.constantFrom(0.5, 1, 2, 3), { nil: undefined, freq: 8 });
  const table = fc.integer({ min: 2, max: 4 }).chain((rungs) =>
    fc.array(fc.array(loss, { minLength: rungs, maxLength: rungs }), {
      ...{ minLength: 1, maxLength: 4 },
    }),
  );
  let worse = 0;
  await fc.assert(
    fc.asyncProperty(table, async (losses) => {
      const sources = losses.map(
        (_, i) => `(loop ((s ${i}) (k 0)) (if (= k 2) s (recur (* a x) (+ k 1))))`,
      );
      const { tasks, result } = await climb(losses, sources);
      const wanted: unknown[] = [];
      const rungs = losses[0]?.length ?? 0;
      for (let rung = 0; rung < rungs; rung++)
        for (const [visit, own] of losses.entries()) {
          const before = own.slice(0, rung);
          if (before.includes(undefined)) continue;
          const best = (before as number[]).indexOf(Math.min(...(before as number[])));
          if (best >= 0 && best < rung - 1) worse += 1;
          const from = rung === 0 ? undefined : { a: 10 * visit + best };
          wanted.push({ visit, rung, from, isScreened: rung > 0, source: sources[visit] });
        }
      expect(
        tasks.map(({ visit, rung, from, isScreened, source }) => {
          return { visit, rung, from, isScreened, source };
        }),
      ).toEqual(wanted);
      // One seed for all fits of a candidate, and another one for every candidate.
      expect(new Set(tasks.map((task) => `${task.visit} ${task.seed}`)).size).toBe(losses.length);
      expect(new Set(tasks.map((task) => task.seed)).size).toBe(losses.length);
      expect(result.candidates.map(({ results }) => results.map((one) => one.rung))).toEqual(
        losses.map((own) => {
          const failed = own.indexOf(undefined);
          return own.slice(0, failed < 0 ? rungs : failed + 1).map((_, rung) => rung);
        }),
      );
    }),
    { seed, numRuns: 80 },
  );
  expect(worse).toBeGreaterThan(20);
});
