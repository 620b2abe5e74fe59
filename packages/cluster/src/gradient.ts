/**
 * A population on the cluster: lanes are cut into parts, each a job, and put together again.
 *
 * A lane's bits do not depend on who runs beside it, so the result has the bits of one machine.
 * Workers run parts as they run epochs; parts of a call that has ended are removed.
 */

import { randomUUID } from "node:crypto";
import {
  checkRunNames,
  type GradientOptions,
  type Inputs,
  Machine,
  type MachineOptions,
  NdvmError,
  type Program,
  packError,
} from "@ndvm/core";
import { type Job, Queue, UnrecoverableError, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { decode, encode, parse, textOf } from "./codec.js";
import { type Address, connect, connectionOptions } from "./connection.js";
import { ATTEMPTS } from "./coordinator.js";
import { keysOf } from "./keys.js";
import {
  jobOf,
  joinParts,
  lanesOf,
  PART_LANES,
  type PartJob,
  type PartResult,
  type Population,
  runPart,
} from "./parts.js";
import type { Settings } from "./settings.js";
import { WIRE_VERSION } from "./wire.js";

const QUEUE = "populations";
const WAIT_SECONDS = 1;

interface PartData {
  readonly wire: string;
  readonly call: string;
  readonly index: number;
  /** A `PartJob` as text of the codec. */
  readonly part: string;
}

/** Runs a population on the workers of a cluster. */
export async function clusterGradient(
  address: Address,
  program: Program,
  inputs: Inputs,
  options: GradientOptions & { readonly signal?: AbortSignal } = {},
): Promise<Population> {
  checkRunNames("gradient", options);
  const { signal, ...runOptions } = options;
  if (runOptions.seed !== undefined && typeof runOptions.seed !== "number")
    throw new NdvmError("E-OPTION", "a population on a cluster takes one number as its seed", {
      help: "use a pool for seeds of each lane",
      facts: { option: "seed" },
    });
  const lanes = lanesOf(inputs, runOptions.lanes) ?? 1;
  const redis = await connect(address);
  const call = randomUUID();
  const results = `${address.namespace}:population:${call}`;
  const queue = new Queue(QUEUE, {
    prefix: keysOf(address.namespace).queues,
    connection: connectionOptions(address),
    skipVersionCheck: true,
  });
  queue.on("error", () => {});
  // Without a lane there is a part all the same: it is refused as a machine refuses it.
  const count = Math.max(1, Math.ceil(lanes / PART_LANES));
  try {
    const jobs = Array.from({ length: count }, (_, index) => {
      const from = index * PART_LANES;
      const to = Math.min(lanes, from + PART_LANES);
      return queued(call, index, jobOf(program, inputs, runOptions, from, to));
    });
    await queue.addBulk(jobs);
    const findGone = (open: readonly number[]) => goneOf(queue, call, open);
    const parts = await receive(redis, results, count, findGone, signal);
    return joinParts(parts, program, inputs, runOptions);
  } finally {
    for (let index = 0; index < count; index++) await queue.remove(`${call}-${index}`);
    await redis.del(results);
    await queue.close();
    redis.disconnect();
  }
}

function queued(call: string, index: number, part: PartJob) {
  const data: PartData = { wire: WIRE_VERSION, call, index, part: textOf(part) };
  const opts = {
    jobId: `${call}-${index}`,
    attempts: ATTEMPTS,
    removeOnComplete: true,
    removeOnFail: true,
  };
  return { name: "part", data, opts };
}

/** The results of all parts in their order, or the first one that refuses the call. */
async function receive(
  redis: Redis,
  key: string,
  count: number,
  findGone: (open: readonly number[]) => Promise<number | undefined>,
  signal: AbortSignal | undefined,
): Promise<readonly PartResult[]> {
  const parts = new Map<number, PartResult>();
  let gone: number | undefined;
  while (parts.size < count) {
    if (signal?.aborted)
      throw new NdvmError("E-ABORTED", "the population was aborted by the caller", {
        help: "the signal passed to it fired",
      });
    const found = await redis.blpopBuffer(key, WAIT_SECONDS);
    if (found === null) {
      // A result is there before its job goes: a wait that ends without it says that there is none.
      if (gone !== undefined && !parts.has(gone)) throw givenUp(gone);
      const all = Array.from({ length: count }, (_, index) => index);
      gone = await findGone(all.filter((index) => !parts.has(index)));
      continue;
    }
    const part = decode(found[1]) as PartResult;
    if ("refusal" in part) return [part];
    parts.set(part.index, part);
  }
  return [...parts.values()].sort((a, b) => a.index - b.index);
}

/** A part whose job is not in the queue any more. */
async function goneOf(
  queue: Queue,
  call: string,
  open: readonly number[],
): Promise<number | undefined> {
  const jobs = await Promise.all(open.map((index) => queue.getJob(`${call}-${index}`)));
  return open.find((_, at) => jobs[at] === undefined);
}

const givenUp = (index: number): NdvmError =>
  new NdvmError("E-WORKER", `nobody could run the lanes from ${index * PART_LANES} on`, {
    facts: { attempts: ATTEMPTS },
    help: "workers died over them or are of another version; they tell on their own computers",
  });

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
        return runPart(program, part, index);
      } finally {
        program.dispose();
      }
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
      return { index, refusal: packError(error) };
    }
  }

  #machine(options: MachineOptions): Promise<Machine> {
    const key = JSON.stringify(options);
    const known = this.#machines.get(key) ?? Machine.create(options);
    this.#machines.set(key, known);
    return known;
  }
}
