/**
 * A worker: joins the studies of a cluster and runs their epochs, one at a time.
 *
 * It looks for studies now and then, has one BullMQ worker for each, and leaves those that have
 * ended. Studies of another version are refused: their epochs would come to something else.
 */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { own } from "@ndvm/core";
import { type EpochJob, EpochRunner, type EpochSetting, packEpoch } from "@ndvm/search/epochs";
import { type Job, UnrecoverableError, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { decode, encode, parse } from "./codec.js";
import { type Address, connect, connectionOptions } from "./connection.js";
import { ATTEMPTS, digestOf } from "./coordinator.js";
import { PopulationWorker } from "./gradient.js";
import { type Keys, keysOf } from "./keys.js";
import { readUpdates } from "./knowledge.js";
import { type Settings, settingsOf } from "./settings.js";
import {
  isJobData,
  type JobData,
  type ResultMessage,
  readEntry,
  type StudyEntry,
  WIRE_VERSION,
  type WorkerEntry,
} from "./wire.js";

/** Milliseconds that results wait for their coordinator. */
const RESULTS_KEPT = 3_600_000;
/** Milliseconds of an epoch before the event loop has its turn: locks are renewed then. */
const BREATH = 20;

/** Removes keys (from the third on) of a study that nobody coordinates: neither listed nor locked. */
const REMOVE_IF_ENDED = `
if redis.call("HEXISTS", KEYS[1], ARGV[1]) == 1 or redis.call("EXISTS", KEYS[2]) == 1 then return 0 end
return redis.call("DEL", unpack(KEYS, 3))`;

export interface WorkerEvents {
  /** Something to show: joined, left, refused, Redis away, a job that is not ours. */
  tell(message: string): void;
}

interface Joined {
  readonly worker: Worker;
  readonly runner: EpochRunner;
  readonly fence: number;
}

export class ClusterWorker {
  readonly id = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  readonly #keys: Keys;
  readonly #settings: Settings;
  readonly #joined = new Map<string, Joined>();
  readonly #refused = new Set<string>();
  readonly #told = new Set<string>();
  readonly #started = new Date().toISOString();
  readonly #populations: PopulationWorker;
  #poll: NodeJS.Timeout | undefined;
  #polling: Promise<void> = Promise.resolve();
  #isClosing = false;
  #isAway = false;
  #epochs = 0;
  #candidates = 0;
  #before = { candidates: 0, at: Date.now() };
  #breath = performance.now();

  static async start(
    address: Address,
    events: WorkerEvents,
    given: Partial<Settings> = {},
  ): Promise<ClusterWorker> {
    const worker = new ClusterWorker(address, events, given, await connect(address));
    await worker.#look();
    worker.#poll = setInterval(() => {
      worker.#polling = worker.#polling
        .then(() => worker.#look())
        .catch((e) => worker.#missed("look for studies", e));
    }, worker.#settings.pollMilliseconds);
    return worker;
  }

  private constructor(
    private readonly address: Address,
    private readonly events: WorkerEvents,
    given: Partial<Settings>,
    private readonly redis: Redis,
  ) {
    this.#keys = keysOf(address.namespace);
    this.#settings = settingsOf(given);
    this.#populations = new PopulationWorker(address, redis, this.#settings);
    redis.on("close", () => this.#away());
    redis.on("ready", () => this.#back());
  }

  /** Finishes the epoch under way, and leaves. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    clearInterval(this.#poll);
    await this.#polling;
    for (const digest of [...this.#joined.keys()]) await this.#leave(digest);
    await this.#populations.close();
    if (!this.#isAway) await this.redis.hdel(this.#keys.workers, this.id).catch(() => 0);
    this.redis.disconnect();
  }

  #away(): void {
    if (this.#isAway || this.#isClosing) return;
    this.#isAway = true;
    this.events.tell(`the Redis at ${this.address.shown} does not answer: waiting for it`);
  }

  #back(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.events.tell(`the Redis at ${this.address.shown} answers again`);
  }

  /** Something failed for another reason than Redis being away: told once, tried again. */
  #missed(what: string, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    const sentence = `could not ${what}, and will try again: ${why}`;
    if (this.#isAway || this.#isClosing || this.#told.has(sentence)) return;
    this.#told.add(sentence);
    this.events.tell(sentence);
  }

  async #look(): Promise<void> {
    if (this.#isAway || this.#isClosing) return;
    const studies = await this.redis.hgetall(this.#keys.studies);
    for (const [digest, { fence }] of this.#joined) {
      const entry = readEntry<StudyEntry>(own(studies, digest) ?? "");
      if (entry === undefined || entry.fence !== fence) await this.#leave(digest);
    }
    for (const [digest, text] of Object.entries(studies)) {
      const entry = readEntry<StudyEntry>(text);
      if (entry === undefined || this.#joined.has(digest)) continue;
      // One study that cannot be read keeps nobody from the others.
      await this.#join(digest, entry).catch((error) =>
        this.#missed(`join study ${digest.slice(0, 8)}`, error),
      );
    }
    await this.#showLife();
  }

  async #join(digest: string, entry: StudyEntry): Promise<void> {
    if (entry.wire !== WIRE_VERSION) {
      if (!this.#refused.has(digest))
        this.events.tell(
          `refused study ${digest.slice(0, 8)} of ${entry.host}: it is of version ${entry.wire}, ` +
            `this worker of ${WIRE_VERSION}; install the same version on all computers`,
        );
      this.#refused.add(digest);
      return;
    }
    const bytes = await this.redis.getBuffer(this.#keys.study(digest));
    if (bytes === null || this.#isClosing) return;
    const text = decode(bytes) as string;
    if (digestOf(text) !== digest) {
      if (!this.#refused.has(digest))
        this.events.tell(`refused study ${digest.slice(0, 8)}: its options are not what they were`);
      this.#refused.add(digest);
      return;
    }
    const runner = await EpochRunner.create(parse(text) as EpochSetting);
    const { stalledMilliseconds } = this.#settings;
    const worker = new Worker(digest, (job) => this.#run(digest, runner, job), {
      prefix: this.#keys.queues,
      connection: connectionOptions(this.address),
      concurrency: 1,
      lockDuration: stalledMilliseconds,
      stalledInterval: stalledMilliseconds,
      maxStalledCount: ATTEMPTS,
      skipVersionCheck: true,
    });
    worker.on("error", () => {});
    this.#joined.set(digest, { worker, runner, fence: entry.fence });
    this.events.tell(
      `joined study ${digest.slice(0, 8)} of ${entry.host} (target ${entry.target})`,
    );
  }

  async #leave(digest: string): Promise<void> {
    const joined = this.#joined.get(digest);
    if (joined === undefined) return;
    this.#joined.delete(digest);
    await joined.worker.close().catch(() => {});
    joined.runner.dispose();
    await this.#removeTraces(digest);
    this.events.tell(`left study ${digest.slice(0, 8)}`);
  }

  /** BullMQ looks for stalled jobs and so makes keys of a queue again that its coordinator removed. */
  async #removeTraces(digest: string): Promise<void> {
    if (this.#isAway) return;
    const { studies, lock, queues } = this.#keys;
    const made = ["meta", "stalled-check"].map((name) => `${queues}:${digest}:${name}`);
    const keys = [studies, lock(digest), ...made];
    await this.redis.eval(REMOVE_IF_ENDED, keys.length, ...keys, digest).catch(() => 0);
  }

  async #run(digest: string, runner: EpochRunner, { id, data }: Job): Promise<void> {
    if (!isJobData(data) || data.wire !== WIRE_VERSION) {
      this.events.tell(`refused job ${id ?? "?"} of study ${digest.slice(0, 8)}: it is not ours`);
      throw new UnrecoverableError("not a job of this version");
    }
    const job = parse(data.job) as EpochJob;
    await this.#update(digest, runner, data);
    const result = await runner.run(job, { rest: () => this.#rest() });
    const message: ResultMessage = {
      id: id ?? "",
      packed: packEpoch(result, job),
      worker: this.id,
    };
    const results = this.#keys.results(digest, data.fence);
    // A coordinator that has died takes nothing: what it leaves goes by itself.
    await this.redis.multi().rpush(results, encode(message)).pexpire(results, RESULTS_KEPT).exec();
    this.#epochs += 1;
    this.#candidates += result.candidates.length;
  }

  async #update(digest: string, runner: EpochRunner, { fence, version }: JobData): Promise<void> {
    const key = this.#keys.known(digest, fence);
    for (const update of await readUpdates(this.redis, key, runner.version, version))
      runner.take(update);
  }

  #rest(): Promise<void> | undefined {
    if (performance.now() - this.#breath < BREATH) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#breath = performance.now();
        resolve();
      });
    });
  }

  async #showLife(): Promise<void> {
    const now = Date.now();
    const { candidates, at } = this.#before;
    const seconds = Math.max(0.001, (now - at) / 1000);
    const entry: WorkerEntry = {
      host: hostname(),
      process: process.pid,
      wire: WIRE_VERSION,
      started: this.#started,
      seen: now,
      epochs: this.#epochs,
      candidates: this.#candidates,
      rate: (this.#candidates - candidates) / seconds,
      studies: [...this.#joined.keys()],
    };
    if (now - at > 4000) this.#before = { candidates: this.#candidates, at: now };
    await this.redis.hset(this.#keys.workers, this.id, JSON.stringify(entry));
  }
}
