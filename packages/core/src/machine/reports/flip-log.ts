/**
 * A log of the branches at which lanes change their way from run to run.
 */

import { type BranchFlip, branchFlips, type Diagnostics } from "./diagnose.js";

/** A flip with the numbers on both sides of it. */
export interface LoggedFlip extends BranchFlip {
  readonly from: Readonly<Record<string, number>>;
  readonly to: Readonly<Record<string, number>>;
}

/** Follows a run of parameter values and logs where lanes change their way. */
export class BranchLog {
  readonly flips: LoggedFlip[] = [];
  #last: Diagnostics | undefined;
  #lastNumbers: readonly Readonly<Record<string, number>>[] = [];
  #compared = 0;

  /** Takes the diagnostics of the next run and the numbers each lane had. */
  observe(now: Diagnostics, numbers: readonly Readonly<Record<string, number>>[]): LoggedFlip[] {
    const found =
      this.#last === undefined
        ? []
        : branchFlips(this.#last, now).map((flip) => ({
            ...flip,
            from: this.#lastNumbers[flip.lane] ?? {},
            to: numbers[flip.lane] ?? {},
          }));
    if (this.#last !== undefined) this.#compared += now.paths.length;
    for (const flip of found) this.flips.push(flip);
    this.#last = now;
    this.#lastNumbers = numbers;
    return found;
  }

  /** Share of lane steps at which a lane changed its way: 0 stable, 1 another way each time. */
  get instability(): number {
    return this.#compared === 0 ? 0 : this.flips.length / this.#compared;
  }
}
