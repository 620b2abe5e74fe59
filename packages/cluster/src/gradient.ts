/**
 * A population on the cluster: lanes are cut into parts, each a job, and put together again.
 *
 * A lane's bits do not depend on who runs beside it, so the result has the bits of one machine.
 * Workers run parts as they run epochs; parts of a call that has ended are removed.
 */

import { randomUUID } from "node:crypto";
import {
  type GradientOptions,
  type Input,
  type Inputs,
  Machine,
  type MachineOptions,
  NdvmError,
  type Program,
  recordOf,
  type TensorInput,
} from "@ndvm/core";
import { type Job, Queue, UnrecoverableError, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { decode, encode, parse, textOf } from "./codec.js";
import { type Address, connect, connectionOptions } from "./connection.js";
import { ATTEMPTS } from "./coordinator.js";
import { keysOf } from "./keys.js";
import type { Settings } from "./settings.js";
import { WIRE_VERSION } from "./wire.js";

const QUEUE = "populations";
/** Lanes of a part: some hundred milliseconds of a program of middling size. */
const PART_LANES = 8192;
const WAIT_SECONDS = 1;

/** Values and gradients of a population, lane after lane. */
export interface Population {
  readonly lanes: number;
  readonly shape: readonly number[];
  readonly values: Float64Array;
  readonly gradients: Readonly<Record<string, Float64Array>>;
}

interface PartData {
  readonly wire: string;
  readonly call: string;
  readonly index: number;
  /** A `PartJob` as text of the codec. */
  readonly part: string;
}

interface PartJob {
  readonly machine: MachineOptions;
  readonly source: string;
  readonly load: object;
  readonly inputs: readonly (readonly [string, PartInput])[];
  readonly options: GradientOptions;
}

/** Numbers of lanes as one array; what all lanes share as it is. */
type PartInput =
  | { readonly lanes: Float64Array }
  | { readonly tensors: readonly TensorInput[] }
  | { readonly shared: Input };

interface PartResult {
  readonly index: number;
  readonly shape?: readonly number[];
  readonly values?: Float64Array;
  readonly gradients?: readonly (readonly [string, Float64Array])[];
  readonly error?: { readonly code: string; readonly message: string; readonly help?: string };
}

type ArrayInput = readonly number[] | Float64Array | Float32Array | readonly TensorInput[];

const isArray = (input: Input): input is ArrayInput =>
  Array.isArray(input) || input instanceof Float64Array || input instanceof Float32Array;

function lanesOf(inputs: Inputs): number {
  let lanes: number | undefined;
  for (const [name, input] of Object.entries(inputs)) {
    if (typeof input === "object" && "kind" in input && input.kind === "over")
      throw new NdvmError("E-INPUT", `input ${name} varies over axes`, {
        help: "a cluster takes populations of plain lanes; write the product out, or use a pool",
        facts: { names: [name] },
      });
    if (!isArray(input)) continue;
    if (lanes !== undefined && input.length !== lanes)
      throw new NdvmError("E-INPUT", `input ${name} has ${input.length} lanes, not ${lanes}`, {
        help: "arrays have one value for each lane",
        facts: { names: [name], limit: lanes, value: input.length },
      });
    lanes = input.length;
  }
  return lanes ?? 1;
}

function partOf(input: Input, from: number, to: number): PartInput {
  if (!isArray(input)) return { shared: input };
  if (typeof input[0] === "object")
    return { tensors: (input as readonly TensorInput[]).slice(from, to) };
  return { lanes: Float64Array.from((input as readonly number[]).slice(from, to)) };
}

/** Runs a population on the workers of a cluster. */
export async function clusterGradient(
  address: Address,
  program: Program,
  inputs: Inputs,
  options: GradientOptions & { readonly signal?: AbortSignal } = {},
): Promise<Population> {
  const { signal, ...runOptions } = options;
  if (runOptions.seed !== undefined && typeof runOptions.seed !== "number")
    throw new NdvmError("E-OPTION", "a population on a cluster takes one number as its seed", {
      help: "use a pool for seeds of each lane",
      facts: { option: "seed" },
    });
  const lanes = lanesOf(inputs);
  const redis = await connect(address);
  const call = randomUUID();
  const results = `${address.namespace}:population:${call}`;
  const queue = new Queue(QUEUE, {
    prefix: keysOf(address.namespace).queues,
    connection: connectionOptions(address),
    skipVersionCheck: true,
  });
  queue.on("error", () => {});
  const count = Math.ceil(lanes / PART_LANES);
  try {
    const jobs = Array.from({ length: count }, (_, index) =>
      jobOf({ program, inputs, options: runOptions, call, index, lanes }),
    );
    await queue.addBulk(jobs);
    return assemble(await receive(redis, results, count, signal), lanes);
  } finally {
    for (let index = 0; index < count; index++) await queue.remove(`${call}-${index}`);
    await redis.del(results);
    await queue.close();
    redis.disconnect();
  }
}

function jobOf(given: {
  readonly program: Program;
  readonly inputs: Inputs;
  readonly options: GradientOptions;
  readonly call: string;
  readonly index: number;
  readonly lanes: number;
}) {
  const { program, inputs, options, call, index, lanes } = given;
  const from = index * PART_LANES;
  const to = Math.min(lanes, from + PART_LANES);
  const part: PartJob = {
    machine: { precision: program.precision },
    source: program.source,
    load: program.loadOptions,
    inputs: Object.entries(inputs).map(([name, input]) => [name, partOf(input, from, to)]),
    options,
  };
  const data: PartData = { wire: WIRE_VERSION, call, index, part: textOf(part) };
  const opts = {
    jobId: `${call}-${index}`,
    attempts: ATTEMPTS,
    removeOnComplete: true,
    removeOnFail: true,
  };
  return { name: "part", data, opts };
}

async function receive(
  redis: Redis,
  key: string,
  count: number,
  signal: AbortSignal | undefined,
): Promise<readonly PartResult[]> {
  const parts = new Map<number, PartResult>();
  while (parts.size < count) {
    if (signal?.aborted)
      throw new NdvmError("E-ABORTED", "the population was aborted by the caller", {
        help: "the signal passed to it fired",
      });
    const found = await redis.blpopBuffer(key, WAIT_SECONDS);
    if (found === null) continue;
    const part = decode(found[1]) as PartResult;
    const { error } = part;
    if (error !== undefined)
      throw new NdvmError(error.code as "E-INPUT", error.message, { help: error.help });
    parts.set(part.index, part);
  }
  return [...parts.values()].sort((a, b) => a.index - b.index);
}

function assemble(parts: readonly PartResult[], lanes: number): Population {
  const [first] = parts;
  const join = (pick: (part: PartResult) => Float64Array): Float64Array => {
    const pieces = parts.map(pick);
    const all = new Float64Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  };
  const gradients = Object.create(null) as Record<string, Float64Array>;
  for (const [i, [name]] of (first?.gradients ?? []).entries())
    gradients[name] = join((part) => part.gradients?.[i]?.[1] ?? new Float64Array());
  const values = join((part) => part.values ?? new Float64Array());
  return { lanes, shape: first?.shape ?? [], values, gradients };
}

/** A worker's side: runs parts until it is closed. */
export class PopulationWorker {
  readonly #machines = new Map<string, Promise<Machine>>();
  readonly #worker: Worker;

  constructor(
    private readonly address: Address,
    private readonly redis: Redis,
    { stalledMilliseconds }: Settings,
  ) {
    this.#worker = new Worker(QUEUE, (job) => this.#run(job), {
      prefix: keysOf(address.namespace).queues,
      connection: connectionOptions(address),
      lockDuration: stalledMilliseconds,
      stalledInterval: stalledMilliseconds,
      maxStalledCount: ATTEMPTS,
      skipVersionCheck: true,
    });
    this.#worker.on("error", () => {});
  }

  async close(): Promise<void> {
    await this.#worker.close().catch(() => {});
    for (const machine of this.#machines.values()) (await machine).dispose();
  }

  async #run({ data }: Job): Promise<void> {
    const { wire, call, index, part } = (data ?? {}) as Partial<PartData>;
    if (wire !== WIRE_VERSION || part === undefined || index === undefined)
      throw new UnrecoverableError("not a part of this version");
    const result = await this.#result(parse(part) as PartJob, index);
    await this.redis.rpush(`${this.address.namespace}:population:${call}`, encode(result));
  }

  async #result(part: PartJob, index: number): Promise<PartResult> {
    try {
      const machine = await this.#machine(part.machine);
      const program = machine.load(part.source, part.load);
      try {
        const inputs = recordOf(part.inputs.map(([name, input]) => [name, inputOf(input)]));
        const { values, shape, gradients } = program.gradient(inputs, part.options);
        return { index, shape: shape ?? [], values, gradients: Object.entries(gradients) };
      } finally {
        program.dispose();
      }
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
      const { code, message, help } = error;
      return { index, error: { code, message, ...(help === undefined ? {} : { help }) } };
    }
  }

  #machine(options: MachineOptions): Promise<Machine> {
    const key = JSON.stringify(options);
    const known = this.#machines.get(key) ?? Machine.create(options);
    this.#machines.set(key, known);
    return known;
  }
}

function inputOf(input: PartInput): Input {
  if ("lanes" in input) return input.lanes;
  return "tensors" in input ? input.tensors : input.shared;
}
