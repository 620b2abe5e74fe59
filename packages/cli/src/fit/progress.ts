/**
 * How far a fit has come: a bar on a terminal, else a line now and then on a fit that takes long.
 * On stderr, so that results can be piped.
 */

import type { FitProgress } from "@ndvm/core";
import { shortText, timeText } from "@ndvm/report";
import { SingleBar } from "cli-progress";
import { note } from "../terminal.js";

/** Milliseconds between two lines where there is no terminal. */
const LINE_EVERY = 10_000;
/** A bar is not worth showing before this many milliseconds. */
const BAR_AFTER = 150;

export interface ProgressView {
  update(progress: FitProgress): void;
  stop(): void;
}

export function progressText({
  bestLoss,
  restartsRunning,
  restartsDone,
  restarts,
}: FitProgress): string {
  const loss = Number.isNaN(bestLoss) ? "none yet" : shortText(bestLoss, 6);
  const done = `${restartsDone} of ${restarts} restarts done`;
  return `${done}, ${restartsRunning} running, best loss ${loss}`;
}

export function viewProgress(isQuiet: boolean): ProgressView {
  if (isQuiet) return { update: () => {}, stop: () => {} };
  return process.stderr.isTTY ? new BarView() : new LineView();
}

class BarView implements ProgressView {
  readonly #bar = new SingleBar({
    format: "fitting {bar} {words}",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 20,
    clearOnComplete: true,
    hideCursor: true,
    stream: process.stderr,
    stopOnComplete: false,
  });
  #isShown = false;

  update(progress: FitProgress): void {
    if (progress.milliseconds < BAR_AFTER) return;
    const words = { words: `${progressText(progress)}, step ${progress.rounds}` };
    if (this.#isShown) this.#bar.update(progress.restartsDone, words);
    else this.#bar.start(progress.restarts, progress.restartsDone, words);
    this.#isShown = true;
  }

  stop(): void {
    if (this.#isShown) this.#bar.stop();
  }
}

class LineView implements ProgressView {
  #next = LINE_EVERY;

  update(progress: FitProgress): void {
    if (progress.milliseconds < this.#next) return;
    this.#next += LINE_EVERY;
    note(`${timeText(progress.milliseconds)}: ${progressText(progress)}`);
  }

  stop(): void {}
}
