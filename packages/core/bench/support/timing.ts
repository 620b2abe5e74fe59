/**
 * The clock: many short runs, of which minimum, median and quartiles are kept.
 *
 * Machines that others use too are noisy, so a run lasts a fraction of a scheduler's slice, there
 * are many of them, and what is to be compared takes turns: a ratio then holds although no figure
 * does. Where one call is longer than a slice, processor time is told too.
 */

import { amount } from "./settings.js";

/** Something to time. `call` is given a number that is new each time, to choose its inputs by. */
export interface Subject {
  readonly name: string;
  call(turn: number): void;
}

/** Microseconds of one call: smallest, quartiles, and the smallest of processor time. */
export interface Spread {
  /** The process's processor time; wall-clock where a run is too short to tell them apart. */
  readonly processor: number;
  readonly minimum: number;
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

const RUN_MILLISECONDS = amount(0.4, 0.1);
/** Others get the processor during runs that last longer. */
const LONG_MILLISECONDS = 5;
/** Of processor time: on a busy machine the optimising compiler waits its turn too. */
const WARM_MILLISECONDS = amount(200, 4);
const ROUNDS = amount(100, 6);
/** A round of something slow costs time that other rows need; these are enough for a minimum. */
const SLOW_MILLISECONDS = amount(6000, 60);

/**
 * Times subjects in turns. The spreads come in the order of the subjects. Much JavaScript takes
 * longer to be compiled than one call into WebAssembly: then give it more time to warm up.
 */
export function measure(
  subjects: readonly Subject[],
  warmMilliseconds = WARM_MILLISECONDS,
): Spread[] {
  const prepared = subjects.map((subject) => ({
    subject,
    calls: warm(subject, warmMilliseconds),
    turn: 1000,
  }));
  const samples: number[][] = subjects.map(() => []);
  const processor: number[] = subjects.map(() => Number.POSITIVE_INFINITY);
  const deadline = performance.now() + SLOW_MILLISECONDS;
  for (let round = 0; round < ROUNDS; round++) {
    prepared.forEach((one, i) => {
      const used = process.cpuUsage();
      const started = performance.now();
      for (let call = 0; call < one.calls; call++) one.subject.call(one.turn++);
      const took = performance.now() - started;
      (samples[i] as number[]).push((took * 1000) / one.calls);
      const { user, system } = process.cpuUsage(used);
      const busy = took > LONG_MILLISECONDS ? user + system : took * 1000;
      processor[i] = Math.min(processor[i] as number, busy / one.calls);
    });
    if (round >= 2 && performance.now() > deadline) break;
  }
  return samples.map((each, i) => ({ ...spreadOf(each), processor: processor[i] as number }));
}

export function spreadOf(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] as number;
  return { processor: at(0), minimum: at(0), low: at(0.25), median: at(0.5), high: at(0.75) };
}

/** Runs a subject until its code is hot, and says how many calls make a short run. */
function warm(subject: Subject, milliseconds: number): number {
  const started = process.cpuUsage();
  let calls = 0;
  let fastest = Number.POSITIVE_INFINITY;
  let busy = 0;
  while (busy < milliseconds) {
    for (let left = fastest < 0.05 ? 64 : 1; left > 0; left--) {
      const before = performance.now();
      subject.call(calls++);
      fastest = Math.min(fastest, performance.now() - before);
    }
    const { user, system } = process.cpuUsage(started);
    busy = (user + system) / 1000;
  }
  return Math.max(1, Math.min(100_000, Math.round(RUN_MILLISECONDS / Math.max(fastest, 1e-5))));
}

/** A spread divided by a count: of lanes, of steps. */
export function per(spread: Spread, count: number): Spread {
  return {
    processor: spread.processor / count,
    minimum: spread.minimum / count,
    low: spread.low / count,
    median: spread.median / count,
    high: spread.high / count,
  };
}
