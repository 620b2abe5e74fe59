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

const processorSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Runs `work`, and ends it after some seconds of processor time unless `--timeout` is given. */
export async function withinLimits<T>(
  { timeout }: Pick<ProgramOptions, "timeout">,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (timeout !== undefined) return work(signal);
  const end = processorSeconds() + PROCESSOR_SECONDS;
  const limit = new AbortController();
  const look = setInterval(() => {
    if (processorSeconds() >= end) limit.abort();
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

function timeError({ span, source, file }: NdvmError): NdvmError {
  const limit = 1000 * PROCESSOR_SECONDS;
  return new NdvmError("E-TIME", `took more than ${PROCESSOR_SECONDS} s of processor time`, {
    span,
    source,
    file,
    facts: { reason: "budget", option: "timeMax", limit },
    help: "check that every loop ends, or raise --timeout",
  });
}
