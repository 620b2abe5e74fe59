/**
 * What a program may take where the command line does not say: enough for a loop of 10⁷ iterations,
 * too little to occupy a computer. A program that somebody sent is safe to try.
 *
 * Steps and memory are the machine's own budgets. The time is that of the processor, so that a busy
 * computer ends nothing that would have come to its end; `--timeout` counts by the clock instead.
 */

import { NdvmError } from "@ndvm/core/machine";
import type { ProgramOptions } from "./options.js";

/** One matrix primitive of so many steps takes a second or two, and none is interrupted. */
export const STEPS_DEFAULT = 2e8;
/** The machine, its result and the reading of it together stay below 512 MB. */
export const MEMORY_DEFAULT = 192 * 2 ** 20;
const PROCESSOR_SECONDS = 5;
/** Milliseconds between two looks at the processor's time. */
const LOOK_EVERY = 50;

const processorMilliseconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
};

type Timed = Pick<ProgramOptions, "timeout">;

/** What a machine counts `timeMax` by: the processor's time unless `--timeout` is given. */
export const clockOf = ({ timeout }: Timed): { clock?: () => number } =>
  timeout === undefined ? { clock: processorMilliseconds } : {};

/**
 * Runs `work` that keeps the event loop out, on a machine with the clock of `clockOf`. What its runs take
 * counts together: `timeLeft` is what the next one may, and throws E-TIME if nothing is left.
 */
export function withinTime<T>({ timeout }: Timed, work: (timeLeft: () => number) => T): T {
  const now = timeout === undefined ? processorMilliseconds : () => performance.now();
  const end = now() + (timeout ?? 1000 * PROCESSOR_SECONDS);
  try {
    return work(() => {
      const left = end - now();
      if (left <= 0) throw timeError({}, timeout);
      return left;
    });
  } catch (error) {
    throw error instanceof NdvmError && error.code === "E-TIME" ? timeError(error, timeout) : error;
  }
}

/** Runs `work`, and ends it after some seconds of processor time unless `--timeout` is given. */
export async function withinLimits<T>(
  { timeout }: Timed,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (timeout !== undefined) return work(signal);
  const end = processorMilliseconds() + 1000 * PROCESSOR_SECONDS;
  const limit = new AbortController();
  const look = setInterval(() => {
    if (processorMilliseconds() >= end) limit.abort();
  }, LOOK_EVERY);
  try {
    return await work(AbortSignal.any([signal, limit.signal]));
  } catch (error) {
    const isOver = limit.signal.aborted && !signal.aborted;
    throw isOver && error instanceof NdvmError && error.code === "E-ABORTED"
      ? timeError(error)
      : error;
  } finally {
    clearInterval(look);
  }
}

type Place = Partial<Pick<NdvmError, "span" | "source" | "file">>;

function timeError({ span, source, file }: Place, timeout?: number): NdvmError {
  const limit = timeout ?? 1000 * PROCESSOR_SECONDS;
  const what = timeout === undefined ? `${PROCESSOR_SECONDS} s of processor time` : `${limit} ms`;
  return new NdvmError("E-TIME", `took more than ${what}`, {
    span,
    source,
    file,
    facts: { reason: "budget", option: "timeMax", limit },
    help: "check that every loop ends, or raise --timeout",
  });
}
