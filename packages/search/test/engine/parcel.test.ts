/**
 * What travels between a pool and its workers arrives as it was sent.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyResult, type Task, type TaskResult } from "../../src/pipeline/task.js";
import { packResults, packTasks, unpackResults, unpackTasks } from "../../src/pool/parcel.js";

const seed = Number(process.env["SEED"] ?? 20261115);

const whole = fc.nat(2 ** 31 - 2);
const name = fc.oneof(fc.string(), fc.constantFrom("a", "b", "__proto__", "1", "constructor"));
const numbers = fc
  .uniqueArray(fc.tuple(name, fc.double()), { selector: ([key]) => key, maxLength: 6 })
  .map((entries) => Object.fromEntries(entries));
const failure = fc.record({
  stage: fc.constantFrom("parse" as const, "screen" as const, "fit" as const, "score" as const),
  code: fc.string(),
  message: fc.string(),
});

const task: fc.Arbitrary<Task> = fc.record({
  visit: whole,
  id: whole,
  rung: fc.nat(9),
  source: fc.string({ unit: "grapheme" }),
  params: fc.option(numbers, { nil: undefined }),
  from: fc.option(numbers, { nil: undefined }),
  isScreened: fc.boolean(),
});

const result: fc.Arbitrary<TaskResult> = fc
  .tuple(
    fc.record({ visit: whole, rung: fc.nat(9) }),
    fc.record({
      fits: whole,
      failure: fc.option(failure, { nil: undefined }),
      params: numbers,
      loss: fc.double(),
      trainR2: fc.double(),
      r2: fc.double(),
      bic: fc.double(),
      timing: fc.record({
        screen: fc.double(),
        walk: fc.double(),
        fit: fc.double(),
        replay: fc.double(),
        score: fc.double(),
      }),
    }),
  )
  .map(([place, rest]) => ({ ...emptyResult(place), worker: 3, ...rest }));

/** A result as an object that has its fields by itself. */
function plain(result: TaskResult): TaskResult {
  const { visit, rung, worker, fits, failure, params, loss, trainR2, r2, bic } = result;
  const { screen, walk, fit, replay, score } = result.timing;
  const timing = { screen, walk, fit, replay, score };
  return {
    visit,
    rung,
    worker,
    timing,
    fits,
    failure,
    params,
    loss,
    trainR2,
    r2,
    bic,
  };
}

describe(`parcels (SEED=${seed})`, () => {
  test("tasks arrive as they were sent", () => {
    fc.assert(
      fc.property(fc.array(task), (tasks) => {
        expect(unpackTasks(structuredClone(packTasks(tasks)))).toEqual(tasks);
      }),
      { seed },
    );
  });

  test("results arrive as they were sent, to the last bit and whatever parameters are called", () => {
    fc.assert(
      fc.property(fc.array(result), (results) => {
        const arrived = unpackResults(structuredClone(packResults(results)), 3);
        expect(arrived.map(plain)).toEqual(results);
        for (const [i, { params }] of arrived.entries())
          expect(Object.entries(params)).toEqual(Object.entries(results[i]?.params ?? {}));
      }),
      { seed },
    );
  });
});
