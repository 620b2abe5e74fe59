/**
 * The clock: subjects take turns, in many short runs, and all samples are kept.
 *
 * Taking turns makes ratios hold on computers that others use too. A sample is the microseconds of
 * one call, averaged over so many calls that a run lasts a fraction of a scheduler's slice.
 */

export interface Subject {
  readonly key: string;
  /** Given a number that is new each time, to choose inputs by. */
  call(turn: number): void;
}

export interface Pace {
  /** Milliseconds for all subjects together, after warming up. */
  readonly milliseconds: number;
  readonly roundsLeast: number;
  readonly roundsMost: number;
  /** Milliseconds of processor time that a subject is run before it is timed. */
  readonly warm: number;
}

export interface Timed {
  readonly key: string;
  readonly samples: readonly number[];
  readonly how: string;
}

const RUN_MILLISECONDS = 0.5;

interface Prepared {
  readonly subject: Subject;
  readonly calls: number;
  readonly samples: number[];
  turn: number;
}

export function timeInTurns(subjects: readonly Subject[], pace: Pace): Timed[] {
  const prepared = subjects.map((subject) => prepare(subject, pace.warm));
  const deadline = performance.now() + pace.milliseconds;
  for (let round = 0; round < pace.roundsMost; round++) {
    if (round >= pace.roundsLeast && performance.now() > deadline) break;
    for (const one of prepared) one.samples.push(sample(one));
  }
  return prepared.map(({ subject, samples, calls }) => ({
    key: subject.key,
    samples,
    how: `${calls} calls a sample, in turns with ${subjects.length - 1} others`,
  }));
}

function sample(one: Prepared): number {
  const started = performance.now();
  for (let call = 0; call < one.calls; call++) one.subject.call(one.turn++);
  return ((performance.now() - started) * 1000) / one.calls;
}

function prepare(subject: Subject, warm: number): Prepared {
  const started = process.cpuUsage();
  let calls = 0;
  let fastest = Number.POSITIVE_INFINITY;
  for (let busy = 0; busy < warm || calls === 0; ) {
    for (let left = fastest < 0.05 ? 64 : 1; left > 0; left--) {
      const before = performance.now();
      subject.call(calls++);
      fastest = Math.min(fastest, performance.now() - before);
    }
    const { user, system } = process.cpuUsage(started);
    busy = (user + system) / 1000;
  }
  const times = Math.round(RUN_MILLISECONDS / Math.max(fastest, 1e-5));
  return { subject, calls: Math.max(1, Math.min(50_000, times)), samples: [], turn: 1000 };
}
