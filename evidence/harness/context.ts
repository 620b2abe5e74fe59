/**
 * What an experiment is given: its recorder, its share of the time, and amounts for this run.
 */

import { type Pace, type Subject, timeInTurns } from "./clock.js";
import type { Options } from "./options.js";
import type { Recorder } from "./store.js";

export interface Definition {
  readonly name: string;
  /** Share of the time, compared with other experiments. */
  readonly weight: number;
  run(context: Context): Promise<void> | void;
}

export class Context {
  constructor(
    readonly options: Options,
    readonly recorder: Recorder,
    /** Milliseconds that this experiment may take. */
    readonly milliseconds: number,
  ) {}

  get isQuick(): boolean {
    return this.options.isQuick;
  }

  /** The first amount in a full run, the second in a quick one. */
  amount<T>(full: T, quick: T): T {
    return this.isQuick ? quick : full;
  }

  /** The pace for one of `parts` equal parts of the experiment's time. */
  pace(parts: number): Pace {
    return {
      milliseconds: this.milliseconds / parts,
      roundsLeast: this.amount(12, 3),
      roundsMost: this.amount(200, 12),
      warm: this.amount(Math.min(120, this.milliseconds / parts / 10), 4),
    };
  }

  /** Times subjects in turns and records microseconds a call, divided by `per` (lanes). */
  time(subjects: readonly Subject[], parts: number, per = 1): void {
    for (const { key, samples, how } of timeInTurns(subjects, this.pace(parts)))
      this.recorder.samples(
        key,
        "µs",
        samples.map((each) => each / per),
        per === 1 ? how : `${how}, divided by ${per} lanes`,
      );
  }

  say(words: string): void {
    process.stderr.write(`  ${words}\n`);
  }
}
