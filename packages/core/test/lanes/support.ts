/**
 * What the lane suites share: a batch against its lanes alone, in every way a batch can be run.
 */

import { expect } from "vitest";
import {
  type Inputs,
  type LoadOptions,
  Machine,
  NdvmError,
  type Program,
  type RunOptions,
  type RunStats,
} from "../../src/index.js";

/** A value and its gradients in one lane, or the code of its error. */
type LaneResult = readonly number[] | string;

const ways: readonly RunOptions[] = [
  {},
  {},
  { replay: false },
  { chunk: 1 },
  { chunk: 2 },
  { chunk: 3, replay: false },
  { chunk: 5 },
  { chunk: 1000 },
];

export interface Lanes {
  /** Per-lane numbers of each input. */
  readonly inputs: Readonly<Record<string, readonly number[]>>;
  readonly options?: RunOptions;
  readonly load?: LoadOptions;
}

export interface BatchReport {
  /** What each lane gets alone: f64. */
  readonly lanes: readonly LaneResult[];
  /** Counters of the first run, as a whole batch. */
  readonly stats: RunStats | undefined;
}

/**
 * Runs a program as a batch in every way, in both precisions, and each lane alone; everything must
 * agree to the bit. Returns what the lanes get, so that a test can also say what that is.
 */
export async function checkBatch(source: string, batch: Lanes): Promise<BatchReport> {
  let report: BatchReport | undefined;
  for (const precision of ["f32", "f64"] as const) {
    const machine = await Machine.create({ precision });
    try {
      report = checkOn(machine, source, batch);
    } finally {
      machine.dispose();
    }
  }
  return report as BatchReport;
}

function checkOn(machine: Machine, source: string, batch: Lanes): BatchReport {
  const { inputs, options = {}, load = {} } = batch;
  const count = Math.max(...Object.values(inputs).map(({ length }) => length));
  const single = machine.load(source, load);
  const alone = Array.from({ length: count }, (_, lane) => {
    const own = Object.entries(inputs).map(([name, values]) => [name, [values[lane] as number]]);
    const one = Object.fromEntries(own) as Inputs;
    return resultsOf(single, one, 1, { ...options, replay: false }).lanes[0] as LaneResult;
  });
  const program = machine.load(source, load);
  let stats: RunStats | undefined;
  for (const way of ways) {
    const got = resultsOf(program, inputs, count, { ...options, ...way });
    expect(got.lanes, `${machine.precision}, ${JSON.stringify(way)}`).toEqual(
      got.isThrown ? alone.map(() => alone[0]) : alone,
    );
    stats ??= got.stats;
  }
  checkReversed(program, batch, alone);
  return { lanes: alone, stats };
}

/** The same lanes the other way round, on the traces that are kept by now. */
function checkReversed(program: Program, batch: Lanes, alone: readonly LaneResult[]): void {
  const reversed = Object.fromEntries(
    Object.entries(batch.inputs).map(([name, values]) => [name, values.toReversed()]),
  );
  const got = resultsOf(program, reversed, alone.length, batch.options ?? {});
  if (got.isThrown) expect(got.lanes[0]).toBe(alone.at(-1));
  else expect(got.lanes, "reversed").toEqual(alone.toReversed());
}

interface Got {
  readonly lanes: readonly LaneResult[];
  readonly stats?: RunStats;
  /** Every lane failed, and the first one's error was thrown. */
  readonly isThrown?: boolean;
}

function resultsOf(program: Program, inputs: Inputs, count: number, options: RunOptions): Got {
  try {
    const result = program.gradient(inputs, options);
    const { values, gradients, failures, stats } = result;
    const lanes = Array.from({ length: count }, (_, lane): LaneResult => {
      const failure = failures.find((own) => own.lane === lane);
      if (failure) return failure.error.code;
      const width = values.length / count;
      const value = values.subarray(lane * width, (lane + 1) * width);
      return [...value, ...program.inputs.map((name) => gradients[name]?.[lane] as number)];
    });
    return { lanes, stats };
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    return { lanes: Array.from({ length: count }, () => error.code), isThrown: true };
  }
}

/** Numbers spread over [-1, 1] that are no round fractions. */
export const spread = (count: number, seed = 1): number[] =>
  Array.from({ length: count }, (_, i) => Math.sin((i + 1) * 12.9898 + seed * 78.233));
