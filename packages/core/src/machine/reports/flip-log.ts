/**
 * A log of the branches at which lanes change their way from run to run.
 */

import { checkNames, namesOf } from "../../option-names.js";
import type { ByteBudget } from "../results/byte-budget.js";
import type { ByLane, Numbers } from "./by-lane.js";
import { type BranchFlip, type Diagnostics, flipsBetween } from "./diagnose.js";

/** A flip with the numbers on both sides of it. */
export interface LoggedFlip extends BranchFlip {
  readonly from: Numbers;
  readonly to: Numbers;
}

/** What the numbers on one side of a flip take, and each of them. */
const NUMBERS_BYTES = 128;
const NUMBER_BYTES = 64;

/** A flip with its numbers, which are charged to the budget. @internal */
export function withNumbers(
  flip: BranchFlip,
  from: Numbers = {},
  to: Numbers = {},
  budget: ByteBudget,
): LoggedFlip {
  const count = Object.keys(from).length + Object.keys(to).length;
  budget.take(2 * NUMBERS_BYTES + NUMBER_BYTES * count);
  return { ...flip, from, to };
}

interface LogOptions {
  readonly report?: ByteBudget;
}

const NAMES = namesOf<LogOptions>({ report: 1 });

/** Follows a run of parameter values and logs where lanes change their way. */
export class BranchLog {
  readonly flips: LoggedFlip[] = [];
  #report: ByteBudget | undefined;
  #last: Diagnostics | undefined;
  #lastNumbers: ByLane<Numbers> = [];
  #compared = 0;

  /** The flips of all runs share the memory of one report: of `report`, or of the first run's. */
  constructor(options: LogOptions = {}) {
    checkNames("BranchLog", options, NAMES);
    this.#report = options.report;
  }

  /** Takes the diagnostics of the next run and the numbers each lane had. */
  observe(now: Diagnostics, numbers: ByLane<Numbers>): LoggedFlip[] {
    this.#report ??= now.report.rest();
    const found: LoggedFlip[] = [];
    if (this.#last !== undefined) {
      for (const flip of flipsBetween(this.#last.paths, now.paths, now, this.#report)) {
        const { lane } = flip;
        found.push(withNumbers(flip, this.#lastNumbers.at(lane), numbers.at(lane), this.#report));
      }
      this.#compared += now.paths.length;
    }
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
