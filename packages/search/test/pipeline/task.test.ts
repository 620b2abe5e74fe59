/** Tasks and what is answered to them, whole; rows of the screen that do not divide evenly; programs let go of. */

import { Machine, type Program } from "@ndvm/core";
import { expect, test, vi } from "vitest";
import { CandidateRunner } from "../../src/pipeline/candidate-runner.js";
import { failedResult, type Task } from "../../src/pipeline/task.js";
import { makeStudy } from "../../src/study.js";

const rows = Array.from({ length: 14 }, (_, row) => row);
const task = (source: string, more: Partial<Task> = {}): Task => ({
  ...{ visit: 3, id: 99, seed: 1234, rung: 0, source },
  ...{ params: undefined, from: undefined, isScreened: false, hasOneWay: false },
  ...more,
});
const runnerFor = (held: readonly number[]) =>
  CandidateRunner.create(
    makeStudy({
      data: { x: rows, y: rows.map((at) => 3 * at + 2 + Math.cos(at)) },
      target: "y",
      seed: 7,
      holdOut: held,
    }),
  );

test("a result of nothing says so in every number", () => {
  const failure = { stage: "fit", code: "E-WORKER", message: "gone" } as const;
  const time = { screen: 0, walk: 0, fit: 0, replay: 0, score: 0 };
  expect(failedResult({ visit: 3, rung: 1 }, failure)).toEqual({
    ...{ visit: 3, rung: 1, worker: 0, timing: time, fits: 0, failure, params: {} },
    ...{ loss: NaN, trainR2: NaN, r2: NaN, bic: NaN },
  });
});

test("the screen's rows are rounded down where they do not divide evenly", async () => {
  const runner = await runnerFor([11, 12, 13]);
  const screened: number[] = [];
  for (const row of rows.slice(0, 11)) {
    const { failure } = await runner.run(task(`(if (= x ${row}) (car a) (* a x))`));
    if (failure?.stage === "screen") screened.push(row);
  }
  runner.dispose();
  expect(screened).toEqual([0, 3, 6, 10]);
});

test("every program is let go of, whatever became of it", async () => {
  const open = new Set<Program>();
  const { load } = Machine.prototype;
  const spy = vi.spyOn(Machine.prototype, "load").mockImplementation(function (
    this: Machine,
    ...args
  ) {
    const program = load.apply(this, args);
    open.add(program);
    const { dispose } = program;
    program.dispose = () => {
      open.delete(program);
      dispose.call(program);
    };
    return program;
  });
  const runner = await runnerFor([12, 13]);
  for (const source of ["(* a x)", "(car x)", "(log (- a x 100))", "3"])
    await runner.run(task(source));
  expect(spy).toHaveBeenCalledTimes(4);
  expect(open.size).toBe(0);
  runner.dispose();
  spy.mockRestore();
});

test("a fit that is not finite is told as such, where the screen was left out and would have failed", async () => {
  const runner = await runnerFor([12, 13]);
  const source = "(if (> a -1e9) (log (- -1 (* a a x))) (car x))";
  const { failure } = await runner.run(task(source, { isScreened: true }));
  expect(failure).toMatchObject({ stage: "fit", code: "E-NOT-FINITE" });
  const wrong = await runner.run(task("(if (> a -1e9) (car x) 1)", { isScreened: true }));
  expect(wrong.failure).toMatchObject({ stage: "screen", code: "E-TYPE" });
  expect(wrong.fits).toBe(0);
  runner.dispose();
});
