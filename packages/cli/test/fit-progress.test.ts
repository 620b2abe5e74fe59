/** What shows while a fit runs. */

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

  test("is nothing with --quiet", () => {
    const written = watch(true);
    const view = viewProgress(true);
    view.update(progress);
    view.stop();
    expect(written()).toBe("");
  });
});
