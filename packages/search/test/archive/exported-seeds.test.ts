/** Seeds that an export tells, against those with which the fits of the study really began. */

import { seedFor } from "@ndvm/core";
import { afterEach, expect, test, vi } from "vitest";
import { CandidateRunner } from "../../src/pipeline/candidate-runner.js";
import { line } from "../engine/data.js";
import { freshFile, list, run } from "../engine/support.js";
import { reading, rungs } from "./support.js";

afterEach(() => {
  vi.restoreAllMocks();
});

interface Begun {
  readonly rung: number;
  readonly seed: number;
}

test("every rung is exported with the seed that its fit began with", async () => {
  const begun: Begun[] = [];
  const fit = CandidateRunner.prototype.run;
  vi.spyOn(CandidateRunner.prototype, "run").mockImplementation(function (
    this: CandidateRunner,
    task,
  ) {
    begun.push({ rung: task.rung, seed: seedFor(task.seed, task.rung, 0) });
    return fit.call(this, task);
  });
  const file = freshFile();
  const programs = ["(* a x)", "(+ a x)", "(+ a (* b x))", "(+ a (sin (* b x)))", "(* a (* x x))"];
  await run({
    ...{ data: line, target: "y", workers: 0, epoch: 2, slots: 1, seed: 5, recipe: { rungs } },
    ...{ archive: file, proposers: [list(programs)] },
  });
  const exported = reading(file, (archive) => [...archive.export()])
    .slice(1, -1)
    .flatMap((text) => (JSON.parse(text) as { rungs: Begun[] }).rungs);
  const numbersOf = (all: readonly Begun[]) => all.map(({ rung, seed }) => [rung, seed]).sort();
  expect(new Set(begun.map(({ rung }) => rung))).toEqual(new Set([0, 1]));
  expect(numbersOf(exported)).toEqual(numbersOf(begun));
});
