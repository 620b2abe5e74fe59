/**
 * The clock for work that is awaited: subjects take turns, and the spread of their calls is kept.
 * A turn of something short is several calls after one that is not timed, because whatever came
 * before has filled the caches with its own.
 */

import { amount } from "./settings.js";
import { type Spread, spreadOf } from "./timing.js";

export interface AsyncSubject {
  readonly name: string;
  call(turn: number): Promise<void> | void;
}

/** Milliseconds that a set of subjects may take after warming up. */
const BUDGET = amount(6000, 30);
const ROUNDS = amount(100, 2);
/** Milliseconds of a call that is not disturbed by what came before it. */
const LONG = 10;
/** Milliseconds of a turn. */
const TURN = amount(4, 0);

/** Microseconds of one call, of wall-clock and processor, in the order of the subjects. */
export async function measureAsync(subjects: readonly AsyncSubject[]): Promise<Spread[]> {
  let turn = 0;
  const fastest: number[] = subjects.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < amount(5, 1); round++)
    for (const [i, subject] of subjects.entries()) {
      const started = performance.now();
      await subject.call(turn++);
      fastest[i] = Math.min(fastest[i] as number, performance.now() - started);
    }
  const calls = fastest.map((took) => Math.max(1, Math.min(16, Math.round(TURN / took))));
  const samples: number[][] = subjects.map(() => []);
  const processor: number[] = subjects.map(() => Number.POSITIVE_INFINITY);
  const deadline = performance.now() + BUDGET;
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, subject] of subjects.entries()) {
      const times = calls[i] as number;
      if ((fastest[i] as number) < LONG) await subject.call(turn++);
      const used = process.cpuUsage();
      const started = performance.now();
      for (let call = 0; call < times; call++) await subject.call(turn++);
      (samples[i] as number[]).push(((performance.now() - started) * 1000) / times);
      const { user, system } = process.cpuUsage(used);
      processor[i] = Math.min(processor[i] as number, (user + system) / times);
    }
    if (round >= 1 && performance.now() > deadline) break;
  }
  return samples.map((each, i) => ({ ...spreadOf(each), processor: processor[i] as number }));
}
