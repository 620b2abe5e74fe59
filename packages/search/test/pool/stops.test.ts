/**
 * A runner on this thread that is stopped, at every moment at which it can be: its fit ends, no epoch comes
 * back, and nothing goes on.
 */

import type { FitOptions } from "@ndvm/core";
import { afterEach, expect, test, vi } from "vitest";
import { Fold } from "../../src/engine/fold.js";
import { EpochRunner } from "../../src/epoch/epoch.js";
import type { EpochJob } from "../../src/epoch/job.js";
import { InlineRunner } from "../../src/pool/inline.js";
import { makeStudy } from "../../src/study.js";
import type { Proposal } from "../../src/types.js";
import { line } from "../engine/data.js";

const fits: FitOptions[] = [];
vi.mock("@ndvm/core", async (original) => {
  const core = await original<typeof import("@ndvm/core")>();
  const fit: typeof core.fit = (program, options) => {
    fits.push({ ...options });
    return core.fit(program, options);
  };
  return { ...core, fit };
});
afterEach(() => {
  vi.restoreAllMocks();
  fits.length = 0;
});

const rungs = [{ restarts: 1, steps: 6, share: 1 }];
const setting = {
  study: makeStudy({ data: line, target: "y", seed: 3, recipe: { rungs } }),
  breedings: [null],
};
const given = (source: string): Proposal => ({ source, parents: [], origin: "given" });
const jobOf = (slot: number, sources: readonly string[]): EpochJob => ({
  ...{ round: 0, slot, place: 0, version: 0, size: sources.length, lost: [] },
  proposals: sources.map(given),
});

const fitted = ["(* a x)", "(+ a x)"];
const unread = ["(+ a", "(nothing x)"];
const twice = ["(* a x)", "(* a x)"];

async function open(onDone: (slot: number) => void) {
  const fold = new Fold(setting, ["given"]);
  fold.endRound(0);
  const done: number[] = [];
  const broken: unknown[] = [];
  const runner = await InlineRunner.create(setting, {
    updates: (from, to) => fold.history.updates(from, to),
    done(_packed, { slot }) {
      done.push(slot);
      onDone(slot);
    },
    replaced() {},
    problem() {},
    broken: (error) => broken.push(error),
  });
  return { runner, done, broken };
}

async function quiet(): Promise<void> {
  for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve));
}

test("no epoch comes back after a stop, whether its candidates are fitted or not", async () => {
  for (const next of [fitted, unread, [], twice])
    for (const moment of ["at once", "in the first", "after the first"]) {
      const dispose = vi.spyOn(EpochRunner.prototype, "dispose");
      const { runner, done, broken } = await open((slot) => {
        if (slot === 0 && moment === "after the first") void runner.stop();
      });
      const run = EpochRunner.prototype.run;
      if (moment === "in the first")
        vi.spyOn(EpochRunner.prototype, "run").mockImplementation(function (
          this: EpochRunner,
          ...args
        ) {
          const running = run.apply(this, args);
          void runner.stop();
          return running;
        });
      runner.run([jobOf(0, fitted), jobOf(1, next), jobOf(2, next)]);
      if (moment === "at once") await runner.stop();
      await quiet();
      expect([moment, next, done, broken]).toEqual([
        ...[moment, next, moment === "after the first" ? [0] : [], []],
      ]);
      expect(dispose).toHaveBeenCalledTimes(1);
      vi.restoreAllMocks();
    }
});

test("every fit hears of a stop", async () => {
  const { runner, done } = await open(() => {});
  runner.run([jobOf(0, fitted), jobOf(1, ["(sin (* a x))"])]);
  while (done.length < 2) await quiet();
  const signals = fits.map(({ signal }) => signal);
  expect(signals).toHaveLength(3);
  expect(signals.map((signal) => signal?.aborted)).toEqual([false, false, false]);
  await runner.stop();
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, true, true]);
});
