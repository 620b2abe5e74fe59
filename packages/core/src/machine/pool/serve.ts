/**
 * What a worker of a pool does: one machine of its own, fed with parts of larger batches by messages,
 * or with blocks of lanes in shared memory.
 */

import { NdvmError, type PackedError, packError } from "../../errors.js";
import { READY, type WorkerPort } from "../../workers/port.js";
import { Machine } from "../machine.js";
import type { Program } from "../program.js";
import type { ResultArrays } from "../results/results.js";
import { POOL_CACHE } from "../run/cache.js";
import type { Outcome } from "../run/outcome.js";
import type { GradientOptions, Inputs, RunStats } from "../types.js";
import { sumStats } from "./outcome.js";
import {
  type BlockReport,
  type BlocksRequest,
  blockInputs,
  type FromWorker,
  NONE_FAILED,
  NONE_NON_FINITE,
  type Part,
  type PartRequest,
  type Start,
  type ToWorker,
} from "./parts.js";
import { clearResults, endBlock, laneOptions, openInputs, resultsAt, takeBlock } from "./shared.js";

/** Is told of each part before it runs; for tests. */
export type OnPart = (source: string, inputs: Inputs) => void;

class PartRunner {
  #machine: Machine | undefined;
  readonly #programs = new Map<number, Program>();
  readonly #onPart: OnPart;

  constructor(onPart: OnPart) {
    this.#onPart = onPart;
  }

  start({ module, options, hasOthers }: Start): void {
    this.#machine = Machine.fromModule(module, options);
    if (hasOthers) this.#machine.cache = POOL_CACHE;
  }

  drop(program: number): void {
    this.#programs.get(program)?.dispose();
    this.#programs.delete(program);
  }

  run(request: PartRequest): Part {
    const program = this.#programOf(request);
    const { inputs, options, isGradient } = request;
    const { outcome, inactive } = this.#runOne(program, inputs, options, isGradient);
    return packPart(outcome, inactive, undefined);
  }

  /** Runs free blocks of a call until there is none. */
  runBlocks(request: BlocksRequest): FromWorker {
    const { blocks, place, lanes, isGradient, results } = request;
    const program = this.#programOf(request);
    const bound = openInputs(request.inputs);
    const reports: BlockReport[] = [];
    const plain: number[] = [];
    const stats: RunStats[] = [];
    let block = takeBlock(blocks, 0, place);
    for (; block >= 0; block = takeBlock(blocks, block + 1, place)) {
      const from = blocks.starts[block] as number;
      const to = blocks.starts[block + 1] as number;
      const inputs = blockInputs(bound, from, to);
      const options = laneOptions(request.options, lanes, from, to);
      const into = resultsAt(results, lanes, from, to);
      clearResults(into);
      const { outcome, inactive } = this.#runOne(program, inputs, options, isGradient, into);
      stats.push(outcome.stats);
      const part = packPart(outcome, inactive, into);
      if (isPlain(part, reports[0]?.part)) plain.push(block);
      else reports.push({ block, part });
      endBlock(blocks, block, place);
    }
    return { kind: "blocks", reports: withStats(reports, stats), plain };
  }

  #programOf({ program: id, load }: PartRequest | BlocksRequest): Program {
    if (load !== undefined)
      this.#programs.set(id, (this.#machine as Machine).load(load.source, load.options));
    return this.#programs.get(id) as Program;
  }

  #runOne(
    program: Program,
    inputs: Inputs,
    options: GradientOptions,
    isGradient: boolean,
    into?: ResultArrays,
  ) {
    this.#onPart(program.source, inputs);
    return program.runPart(inputs, options, isGradient, into);
  }
}

/** The first report of a message has the counters of all of its blocks. */
function withStats(reports: readonly BlockReport[], stats: readonly RunStats[]): BlockReport[] {
  const sum = sumStats(stats, ["chunkWidth", "traces", "memoryBytes"]);
  return reports.map(({ block, part }, i) => ({
    block,
    part: { ...part, stats: i === 0 ? sum : undefined },
  }));
}

/** Whether all there is to tell of a block has been told of the first one. */
const isPlain = (part: Part, first: Part | undefined): boolean =>
  first !== undefined &&
  part.isPlaced &&
  first.isPlaced &&
  part.failures.lanes.length + part.nonFinite.lanes.length === 0 &&
  first.failures.lanes.length + first.nonFinite.lanes.length === 0 &&
  part.shape?.join() === first.shape?.join() &&
  part.shape?.length === first.shape?.length &&
  part.inactive.join() === first.inactive.join();

/** A result for the way back. Numbers that are where they belong, in `into`, do not travel. */
function packPart(
  outcome: Outcome,
  inactive: readonly string[],
  into: ResultArrays | undefined,
): Part {
  const { results, lanes, stats } = outcome;
  const { isNumeric, gradients, failed, notFinite } = results;
  const isStructure = !isNumeric && (failed?.count ?? 0) < lanes;
  const values = isNumeric ? results.values : undefined;
  const isPlaced = values !== undefined && values === into?.values;
  return {
    lanes,
    shape: results.shape,
    isPlaced,
    values: isPlaced ? undefined : values,
    mixture: results.packStructure(),
    refusal: isStructure ? refusalOf(() => results.values) : undefined,
    gradients: into === undefined ? gradients : {},
    inactive,
    faults: (failed?.faults ?? []).map(({ error, own }) => ({ error: packError(error), own })),
    failures: failed?.pack() ?? NONE_FAILED,
    nonFinite: notFinite?.pack() ?? NONE_NON_FINITE,
    stats,
  };
}

/** The error that `read` throws. */
function refusalOf(read: () => unknown): PackedError {
  try {
    read();
  } catch (error) {
    if (error instanceof NdvmError) return packError(error);
    throw error;
  }
  throw new Error("structure must not have values");
}

const buffersOf = ({ values, gradients }: Part): ArrayBuffer[] =>
  [values, ...Object.values(gradients)]
    .filter((array) => array !== undefined)
    .map((array) => array.buffer as ArrayBuffer);

function answerOf(runner: PartRunner, message: PartRequest | BlocksRequest): FromWorker {
  try {
    return message.kind === "part"
      ? { kind: "done", part: runner.run(message) }
      : runner.runBlocks(message);
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    return { kind: "refused", error: packError(error) };
  }
}

const partsOf = (answer: FromWorker): readonly Part[] => {
  if (answer.kind === "refused") return [];
  return answer.kind === "done" ? [answer.part] : answer.reports.map(({ part }) => part);
};

/** Serves until the worker ends. What is not the user's mistake ends it, and the pool hears of it. */
export function servePool(port: WorkerPort<ToWorker, FromWorker>, onPart: OnPart = () => {}): void {
  const runner = new PartRunner(onPart);
  port.listen((message) => {
    if (message.kind === "drop") {
      runner.drop(message.program);
      return;
    }
    if (message.kind === "start") {
      runner.start(message);
      port.post(READY);
      return;
    }
    const answer = answerOf(runner, message);
    port.post(answer, partsOf(answer).flatMap(buffersOf));
  });
}
