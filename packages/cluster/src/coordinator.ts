/**
 * The coordinator's side of a search on a cluster: a runner whose epochs are jobs of a BullMQ queue.
 *
 * Only one run coordinates a study at a time: it holds the study's lock and has a number of its own
 * (the fence), which is part of every job and of the list that results come back in. So results for
 * an earlier run arrive nowhere.
 *
 * Redis may go away and come back empty: what is open is kept here and sent again. Epochs are pure, so
 * one that runs twice comes to the same; its second result is dropped.
 */

import { createHash, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { NdvmError } from "@ndvm/core";
import {
  type EpochJob,
  EpochRunner,
  type EpochSetting,
  lostEpoch,
  type PackedEpoch,
  packEpoch,
  type Runner,
  type RunnerEvents,
} from "@ndvm/search/epochs";
import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { decode, encode, textOf } from "./codec.js";
import { type Address, connect, connectionOptions, isFull, refuse } from "./connection.js";
import { type Keys, keysOf } from "./keys.js";
import { KnowledgeWriter } from "./knowledge.js";
import { type Settings, settingsOf } from "./settings.js";
import type { JobData, ResultMessage, StudyEntry } from "./wire.js";
import { WIRE_VERSION } from "./wire.js";

/** How often a job may be begun before its candidates are given up. */
export const ATTEMPTS = 8;
/** Milliseconds before a job that failed is tried again; each time twice as long. */
const BACKOFF = 1000;
/** Seconds that one wait for a result lasts. */
const WAIT_SECONDS = 1;

interface Open {
  readonly job: EpochJob;
  /** How many looks in a row found no job in Redis. */
  missing: number;
}

const idOf = (fence: number, { round, slot }: EpochJob): string => `${fence}-${round}-${slot}`;

/** The same study has the same digest everywhere. */
export const digestOf = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 32);

export class ClusterRunner implements Runner {
  readonly workers = 0;
  readonly #open = new Map<string, Open>();
  readonly #owner = randomUUID();
  readonly #knowledge: KnowledgeWriter;
  readonly #queue: Queue;
  /** Commands that must not wait behind a blocking one. */
  readonly #redis: Redis;
  readonly #blocking: Redis;
  readonly #digest: string;
  #local: EpochRunner | undefined;
  #isStopped = false;
  #isAway = false;
  #isAnyoneThere = false;
  #sending: Promise<void> = Promise.resolve();
  #beat: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;
  #workerNumbers = new Map<string, number>();

  /** Connects, takes the study's lock and tells workers of it. */
  static async start(
    address: Address,
    setting: EpochSetting,
    events: RunnerEvents,
    given: Partial<Settings> = {},
  ): Promise<ClusterRunner> {
    const settings = settingsOf(given);
    const redis = await connect(address);
    const keys = keysOf(address.namespace);
    const text = textOf(setting);
    const digest = digestOf(text);
    try {
      const fence = await redis.incr(keys.fence);
      const runner = new ClusterRunner(
        { address, keys, settings, setting, text, digest, fence, events },
        redis,
      );
      await runner.#lock();
      await runner.#sweep();
      await runner.#register();
      runner.#begin();
      return runner;
    } catch (error) {
      redis.disconnect();
      throw error;
    }
  }

  private constructor(
    private readonly about: {
      readonly address: Address;
      readonly keys: Keys;
      readonly settings: Settings;
      readonly setting: EpochSetting;
      readonly text: string;
      readonly digest: string;
      readonly fence: number;
      readonly events: RunnerEvents;
    },
    redis: Redis,
  ) {
    const { keys, digest, fence, events, address } = about;
    this.#redis = redis;
    this.#digest = digest;
    this.#blocking = redis.duplicate();
    this.#blocking.on("error", () => {});
    this.#knowledge = new KnowledgeWriter(redis, keys.known(digest, fence), (from, to) =>
      events.updates(from, to),
    );
    this.#queue = new Queue(digest, {
      prefix: keys.queues,
      connection: connectionOptions(address),
      skipVersionCheck: true,
    });
    this.#queue.on("error", () => {});
  }

  get #lockValue(): string {
    return `${this.about.fence} ${this.#owner}`;
  }

  /**
   * Takes the study's lock. A lock that somebody renews is refused at once; one that nobody renews is
   * of a coordinator that died, and is waited for.
   */
  async #lock(): Promise<void> {
    const { keys, digest, settings, address, events } = this.about;
    const key = keys.lock(digest);
    const value = this.#lockValue;
    let left = Number.POSITIVE_INFINITY;
    for (let tries = 0; ; tries++) {
      const taken = await this.#redis.set(key, value, "PX", settings.lockMilliseconds, "NX");
      if (taken === "OK") return;
      const now = await this.#redis.pttl(key);
      if (now > left) break;
      left = now;
      if (tries === 1)
        events.problem(
          `this study was coordinated a moment ago: if nobody renews its lock, it is taken over in ` +
            `${Math.ceil(left / 1000)} s`,
        );
      await sleep(Math.min(500, settings.lockMilliseconds / 10));
    }
    throw refuse(
      "coordinator",
      `another process coordinates this study at ${address.shown}`,
      "wait until it has ended, or give --namespace for a study of its own",
    );
  }

  /** Puts the study where workers find it. */
  async #register(): Promise<void> {
    const { keys, digest, setting, text, fence } = this.about;
    const entry: StudyEntry = {
      wire: WIRE_VERSION,
      fence,
      host: hostname(),
      process: process.pid,
      target: setting.study.target,
      started: new Date().toISOString(),
    };
    await this.#redis.set(keys.study(digest), encode(text));
    // A search that has ended meanwhile must not be listed again.
    if (this.#isStopped) return;
    await this.#redis.hset(keys.studies, digest, JSON.stringify(entry));
  }

  #begin(): void {
    const { settings, events } = this.about;
    this.#redis.on("close", () => this.#away());
    this.#redis.on("ready", () => void this.#back().catch((error: Error) => events.broken(error)));
    this.#beat = setInterval(() => void this.#renew(), settings.lockMilliseconds / 3);
    this.#look = setInterval(() => void this.#lookAfter(), settings.lookMilliseconds);
    this.#receive().catch((error: Error) => {
      if (!this.#isStopped) events.broken(error);
    });
  }

  run(jobs: readonly EpochJob[]): void {
    const { fence, events } = this.about;
    for (const job of jobs) this.#open.set(idOf(fence, job), { job, missing: 0 });
    this.#sending = this.#sending
      .then(() => this.#send(jobs))
      .catch((error: Error) => events.broken(error));
  }

  async #send(jobs: readonly EpochJob[]): Promise<void> {
    const { fence } = this.about;
    for (const job of jobs) await this.#withRoom(() => this.#knowledge.publish(job.version));
    const oldest = Math.min(...[...this.#open.values()].map(({ job }) => job.version));
    if (Number.isFinite(oldest)) await this.#knowledge.forgetBefore(oldest);
    const wanted = jobs.filter((job) => this.#open.has(idOf(fence, job)));
    if (wanted.length === 0 || this.#isStopped) return;
    await this.#withRoom(() => this.#queue.addBulk(wanted.map((job) => this.#entryOf(job))));
  }

  #entryOf(job: EpochJob) {
    const { fence } = this.about;
    const data: JobData = { wire: WIRE_VERSION, fence, version: job.version, job: textOf(job) };
    return {
      name: "epoch",
      data,
      opts: {
        jobId: idOf(fence, job),
        attempts: ATTEMPTS,
        backoff: { type: "exponential", delay: BACKOFF },
        removeOnComplete: true,
        removeOnFail: false,
      },
    };
  }

  /** Runs a command again and again while Redis is full. */
  async #withRoom<T>(command: () => Promise<T>): Promise<T | undefined> {
    for (let tries = 0; !this.#isStopped; tries++) {
      try {
        return await command();
      } catch (error) {
        if (this.#isStopped) return undefined;
        if (!isFull(error)) throw error;
        if (tries === 0)
          this.about.events.problem(
            `the Redis at ${this.about.address.shown} is full: the search waits until it has room`,
          );
        await sleep(Math.min(5000, 100 * 2 ** tries));
      }
    }
    return undefined;
  }

  /** Takes results as they come. */
  async #receive(): Promise<void> {
    const { keys, digest, fence } = this.about;
    const list = keys.results(digest, fence);
    while (!this.#isStopped) {
      const found = await this.#blocking.blpopBuffer(list, WAIT_SECONDS);
      if (found === null || this.#isStopped) continue;
      this.#take(decode(found[1]) as ResultMessage);
    }
  }

  #take({ id, packed, worker }: ResultMessage): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    this.about.events.done(packed as PackedEpoch, open.job, this.#numberOf(worker));
  }

  #numberOf(worker: string): number {
    const known = this.#workerNumbers.get(worker) ?? this.#workerNumbers.size;
    this.#workerNumbers.set(worker, known);
    return known;
  }

  /** Tells once that nobody works for the cluster: a search would wait in silence. */
  async #lookForWorkers(): Promise<void> {
    if (this.#isAnyoneThere) return;
    const { keys, address, events } = this.about;
    this.#isAnyoneThere = true;
    if ((await this.#redis.hlen(keys.workers)) > 0) return;
    events.problem(
      `no worker has joined ${address.shown} yet: start some with ndvm worker --cluster`,
    );
  }

  /** Looks for jobs that were given up, or that Redis has lost. */
  async #lookAfter(): Promise<void> {
    if (this.#isAway || this.#isStopped) return;
    try {
      await this.#lookForWorkers();
      const again: EpochJob[] = [];
      for (const [id, open] of [...this.#open]) {
        const job = await this.#queue.getJob(id);
        if (!this.#open.has(id) || this.#isStopped) continue;
        open.missing = job === undefined ? open.missing + 1 : 0;
        if (open.missing >= 3) again.push(open.job);
        if (job !== undefined && (await job.isFailed())) await this.#giveUp(id, open.job);
      }
      for (const job of again) (this.#open.get(idOf(this.about.fence, job)) as Open).missing = 0;
      if (again.length > 0) await this.#send(again);
    } catch (error) {
      if (!this.#isStopped && !this.#isAway) this.about.events.broken(error as Error);
    }
  }

  /** An epoch that cost too many workers their lives: its candidates count as failed. */
  async #giveUp(id: string, job: EpochJob): Promise<void> {
    const { setting, events } = this.about;
    this.#local ??= await EpochRunner.create(setting);
    for (const update of events.updates(this.#local.version, job.version)) this.#local.take(update);
    const result = await this.#local.run(lostEpoch(job));
    if (!this.#open.delete(id)) return;
    events.problem(
      `an epoch was begun ${ATTEMPTS} times and never ended: its ${job.size} candidates count as ` +
        "failed, and the study is not reproducible",
    );
    events.done(packEpoch(result, job), job, -1);
    await (await this.#queue.getJob(id))?.remove();
  }

  async #renew(): Promise<void> {
    if (this.#isAway || this.#isStopped) return;
    const { keys, digest, settings, events } = this.about;
    try {
      const key = keys.lock(digest);
      const value = await this.#redis.get(key);
      if (value !== null && value !== this.#lockValue) {
        events.broken(
          new NdvmError("E-CLUSTER", "another process coordinates this study now", {
            help: "this one was away for too long; the archive can be resumed when that has ended",
            facts: { reason: "coordinator" },
          }),
        );
        return;
      }
      await this.#redis.set(key, this.#lockValue, "PX", settings.lockMilliseconds);
      if (this.#isStopped) return;
      const isListed = await this.#redis.hexists(keys.studies, digest);
      if (!isListed && !this.#isStopped) await this.#restore();
    } catch {
      // The connection broke: it comes back by itself, and `#back` looks again.
    }
  }

  #away(): void {
    if (this.#isAway || this.#isStopped) return;
    this.#isAway = true;
    this.about.events.problem(
      `the Redis at ${this.about.address.shown} does not answer: the search waits for it`,
    );
  }

  async #back(): Promise<void> {
    if (!this.#isAway || this.#isStopped) return;
    this.#isAway = false;
    this.about.events.problem(`the Redis at ${this.about.address.shown} answers again`);
    await this.#renew();
  }

  /** Redis came back empty: everything that is open is sent again. */
  async #restore(): Promise<void> {
    await this.#register();
    const jobs = [...this.#open.values()].map(({ job }) => job);
    jobs.sort((a, b) => a.version - b.version);
    // What a connection that broke again has kept from Redis is missed by `#lookAfter`.
    this.#sending = this.#sending
      .then(() => {
        // After what was on its way, which is written to the empty Redis, too.
        this.#knowledge.reset();
        return this.#send(jobs);
      })
      .catch((error: Error) => {
        if (!this.#isAway && !this.#isStopped) this.about.events.broken(error);
      });
    await this.#sending;
  }

  /** Ends the study on the cluster: its queue and keys go. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearInterval(this.#beat);
    clearInterval(this.#look);
    this.#local?.dispose();
    this.#blocking.disconnect();
    try {
      if (!this.#isAway) await this.#clean();
    } finally {
      await this.#queue.close().catch(() => {});
      this.#redis.disconnect();
    }
  }

  async #clean(): Promise<void> {
    const { keys } = this.about;
    const digest = this.#digest;
    if ((await this.#redis.get(keys.lock(digest))) !== this.#lockValue) return;
    await this.#redis.hdel(keys.studies, digest);
    await this.#sweep();
    await this.#redis.del(keys.study(digest), keys.lock(digest));
  }

  /** Removes jobs, results and knowledge of the study, those of runs that died as well. */
  async #sweep(): Promise<void> {
    const { keys } = this.about;
    await this.#queue.obliterate({ force: true });
    for (const pattern of [keys.knownOfAll(this.#digest), keys.resultsOfAll(this.#digest)])
      for (let cursor = "0", isFirst = true; isFirst || cursor !== "0"; isFirst = false) {
        const [next, found] = await this.#redis.scan(cursor, "MATCH", pattern, "COUNT", 1000);
        if (found.length > 0) await this.#redis.del(...found);
        cursor = next;
      }
  }
}

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
