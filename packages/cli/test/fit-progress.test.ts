/** What shows while a fit runs. */

import { SingleBar } from "cli-progress";
import { afterEach, describe, expect, test, vi } from "vitest";
import { progressText, viewProgress } from "../src/fit/progress.js";

const progress = {
  rounds: 12,
  bestLoss: 0.123456789,
  restartsRunning: 5,
  restartsDone: 3,
  restarts: 8,
  milliseconds: 20_000,
};

/** What views write on stderr, as a terminal or not. */
function watch(isTerminal: boolean): () => string {
  let written = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written += String(text);
    return true;
  });
  Object.defineProperty(process.stderr, "isTTY", { value: isTerminal, configurable: true });
  return () => written;
}

afterEach(() => {
  vi.restoreAllMocks();
  Object.defineProperty(process.stderr, "isTTY", { value: undefined, configurable: true });
});

describe("progress", () => {
  test("tells the restarts done and alive, and the best loss", () => {
    expect(progressText(progress)).toBe("3 of 8 restarts done, 5 running, best loss 0.123457");
    expect(progressText({ ...progress, bestLoss: Number.NaN })).toContain("best loss none yet");
  });

  test("is a line now and then where there is no terminal", () => {
    const written = watch(false);
    const view = viewProgress(false);
    view.update({ ...progress, milliseconds: 500 });
    expect(written()).toBe("");
    view.update(progress);
    view.update({ ...progress, milliseconds: 20_050 });
    view.update({ ...progress, milliseconds: 20_060 });
    view.stop();
    expect(written().trimEnd().split("\n")).toHaveLength(2);
    expect(written()).not.toContain("\r");
  });

  test("is a bar on a terminal, gone at the end", () => {
    const written = watch(true);
    const view = viewProgress(false);
    view.update({ ...progress, milliseconds: 10 });
    expect(written()).toBe("");
    view.update(progress);
    view.stop();
    expect(written()).toContain("█");
    expect(written()).toContain("3 of 8 restarts done");
  });

  test("begins one bar, moves it on, and gives the cursor back", () => {
    const written = watch(true);
    const started = vi.spyOn(SingleBar.prototype, "start");
    const moved = vi.spyOn(SingleBar.prototype, "update");
    const stopped = vi.spyOn(SingleBar.prototype, "stop");
    const early = viewProgress(false);
    early.update({ ...progress, milliseconds: 149 });
    early.stop();
    expect([started.mock.calls, stopped.mock.calls]).toEqual([[], []]);
    const view = viewProgress(false);
    for (const [at, restartsDone] of [3, 4, 6].entries())
      view.update({ ...progress, restartsDone, rounds: 12 + at, milliseconds: 150 + at });
    view.stop();
    const words = (done: number, step: number) => ({
      words: `${done} of 8 restarts done, 5 running, best loss 0.123457, step ${step}`,
    });
    // The bar keeps the words that it began with, and writes later ones into them.
    expect(started.mock.calls).toEqual([[8, 3, expect.anything()]]);
    expect(written()).toContain(words(3, 12).words);
    expect(moved.mock.calls).toEqual([
      [4, words(4, 13)],
      [6, words(6, 14)],
    ]);
    expect(stopped).toHaveBeenCalledTimes(1);
    expect(written().lastIndexOf("\u001b[?25h")).toBeGreaterThan(written().indexOf("█"));
  });

  test("is nothing with --quiet", () => {
    const written = watch(true);
    const view = viewProgress(true);
    view.update(progress);
    view.stop();
    expect(written()).toBe("");
  });
});
