/**
 * A Redis and a BullMQ that are maps, for tests whose clock is their own: every command is done at once,
 * and a test may lose jobs, refuse commands, end connections and hand jobs to workers as it likes.
 */

import { EventEmitter } from "node:events";

interface Kept {
  readonly value: Buffer;
  /** Milliseconds of the clock; undefined: it stays. */
  readonly until: number | undefined;
}

export interface FakeJob {
  readonly id: string;
  readonly data: unknown;
  readonly opts: object;
  isFailed: boolean;
}

type Processor = (job: { readonly id: string; readonly data: unknown }) => Promise<unknown>;

interface Waiter {
  readonly key: string;
  readonly take: (found: [Buffer, Buffer]) => void;
}

class FakeServer {
  strings = new Map<string, Kept>();
  hashes = new Map<string, Map<string, Buffer>>();
  lists = new Map<string, Buffer[]>();
  queues = new Map<string, Map<string, FakeJob>>();
  workers: FakeWorker[] = [];
  clients: FakeRedis[] = [];
  /** Commands that are worth looking at, in order. */
  log: string[] = [];
  info = "redis_version:7.0.0\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n";
  /** Errors of the next commands that write. */
  refusals: Error[] = [];
  connecting: (() => Promise<void>) | undefined;
  waiters: Waiter[] = [];
  options: object[] = [];

  /** Keys that there are, as Redis would list them. */
  keys(): string[] {
    for (const [key, { until }] of [...this.strings])
      if (until !== undefined && until <= Date.now()) this.strings.delete(key);
    const queues = [...this.queues].filter(([, jobs]) => jobs.size > 0).map(([name]) => name);
    return [...this.strings.keys(), ...this.hashes.keys(), ...this.lists.keys(), ...queues].sort();
  }

  text(key: string): string | undefined {
    this.keys();
    return this.strings.get(key)?.value.toString();
  }

  jobs(queue: string): FakeJob[] {
    return [...(this.queues.get(queue)?.values() ?? [])];
  }

  write(): void {
    const refusal = this.refusals.shift();
    if (refusal !== undefined) throw refusal;
  }

  /** Hands a job to the worker of its queue. */
  async deliver(queue: string, id: string, data = this.queues.get(queue)?.get(id)?.data) {
    const worker = this.workers.find((each) => each.queue === queue && !each.isClosed);
    if (worker === undefined) throw new Error(`nobody works for ${queue}`);
    await worker.processor({ id, data });
    this.queues.get(queue)?.delete(id);
  }

  push(key: string, value: Buffer): void {
    const waiter = this.waiters.find((each) => each.key === key);
    if (waiter === undefined) {
      this.lists.set(key, [...(this.lists.get(key) ?? []), value]);
      return;
    }
    this.waiters.splice(this.waiters.indexOf(waiter), 1);
    waiter.take([Buffer.from(key), value]);
  }
}

export let server = new FakeServer();
export function newServer(): FakeServer {
  server = new FakeServer();
  return server;
}

const bytesOf = (value: string | Buffer): Buffer =>
  typeof value === "string" ? Buffer.from(value) : value;

export class FakeRedis extends EventEmitter {
  isEnded = false;
  #leave: (() => void)[] = [];

  constructor(readonly options: object = {}) {
    super();
    server.clients.push(this);
    server.options.push(options);
  }

  async connect() {
    await server.connecting?.();
  }
  duplicate() {
    return new FakeRedis(this.options);
  }
  disconnect() {
    this.isEnded = true;
    for (const leave of this.#leave) leave();
  }
  async info(section: string) {
    server.log.push(`info ${section}`);
    return server.info;
  }
  async incr(key: string) {
    const next = Number(server.text(key) ?? 0) + 1;
    server.strings.set(key, { value: Buffer.from(String(next)), until: undefined });
    return next;
  }
  async set(key: string, value: string | Buffer, ...rest: (string | number)[]) {
    const isLock = rest.includes("PX");
    if (isLock) server.log.push(`set ${key} ${rest.join(" ")} at ${Date.now()}`);
    if (rest.includes("NX") && server.text(key) !== undefined) return null;
    const lasts = isLock ? Number(rest[rest.indexOf("PX") + 1]) : undefined;
    const until = lasts === undefined ? undefined : Date.now() + lasts;
    server.strings.set(key, { value: bytesOf(value), until });
    return "OK";
  }
  async get(key: string) {
    return server.text(key) ?? null;
  }
  async getBuffer(key: string) {
    server.keys();
    return server.strings.get(key)?.value ?? null;
  }
  async pttl(key: string) {
    server.keys();
    const kept = server.strings.get(key);
    return kept === undefined ? -2 : kept.until === undefined ? -1 : kept.until - Date.now();
  }
  async del(...keys: string[]) {
    for (const key of keys) {
      server.strings.delete(key);
      server.hashes.delete(key);
      server.lists.delete(key);
    }
  }
  async scan(cursor: string, _match: string, pattern: string) {
    const all = server.keys().filter((key) => key.startsWith(pattern.slice(0, -1)));
    // One key a call, so that whoever stops early leaves some; the last call finds none.
    const at = cursor === "0" ? 0 : 1;
    return [all.length > 0 || at === 0 ? "7" : "0", all.slice(0, 1)] as const;
  }
  async hset(key: string, ...pairs: (string | Buffer)[]) {
    server.write();
    const hash = server.hashes.get(key) ?? new Map<string, Buffer>();
    for (let i = 0; i < pairs.length; i += 2)
      hash.set(pairs[i] as string, bytesOf(pairs[i + 1] as string));
    server.hashes.set(key, hash);
  }
  async hdel(key: string, ...names: string[]) {
    const hash = server.hashes.get(key);
    for (const name of names) hash?.delete(name);
    if (hash?.size === 0) server.hashes.delete(key);
  }
  async hlen(key: string) {
    return server.hashes.get(key)?.size ?? 0;
  }
  async hexists(key: string, name: string) {
    return server.hashes.get(key)?.has(name) === true ? 1 : 0;
  }
  async hkeys(key: string) {
    return [...(server.hashes.get(key)?.keys() ?? [])];
  }
  async hgetall(key: string) {
    const entries = [...(server.hashes.get(key) ?? [])];
    return Object.fromEntries(entries.map(([name, value]) => [name, value.toString()]));
  }
  async hgetBuffer(key: string, name: string) {
    return server.hashes.get(key)?.get(name) ?? null;
  }
  async hmgetBuffer(key: string, ...names: string[]) {
    return names.map((name) => server.hashes.get(key)?.get(name) ?? null);
  }
  async rpush(key: string, value: Buffer) {
    server.push(key, value);
  }
  multi() {
    const steps: (() => void)[] = [];
    const chain = {
      rpush: (key: string, value: Buffer) => {
        steps.push(() => server.push(key, value));
        return chain;
      },
      pexpire: (key: string, lasts: number) => {
        steps.push(() => server.log.push(`pexpire ${key} ${lasts}`));
        return chain;
      },
      exec: async () => {
        for (const step of steps) step();
      },
    };
    return chain;
  }
  blpopBuffer(key: string, seconds: number): Promise<[Buffer, Buffer] | null> {
    const [first, ...others] = server.lists.get(key) ?? [];
    if (first !== undefined) {
      if (others.length === 0) server.lists.delete(key);
      else server.lists.set(key, others);
      return Promise.resolve([Buffer.from(key), first]);
    }
    return new Promise((resolve, reject) => {
      const waiter = { key, take: resolve };
      const leave = () => {
        server.waiters = server.waiters.filter((each) => each !== waiter);
      };
      server.waiters.push(waiter);
      this.#leave.push(() => {
        leave();
        reject(new Error("Connection is closed."));
      });
      setTimeout(() => {
        leave();
        resolve(null);
      }, seconds * 1000);
    });
  }
  async eval(_script: string, count: number, ...rest: string[]) {
    const keys = rest.slice(0, count);
    server.log.push(`eval ${rest.join(" ")}`);
    const [studies = "", lock = "", ...made] = keys;
    const isThere = server.hashes.get(studies)?.has(rest[count] as string) === true;
    if (!isThere && server.text(lock) === undefined) await this.del(...made);
    return 0;
  }
}

export class FakeQueue extends EventEmitter {
  readonly #key: string;

  constructor(name: string, options: { readonly prefix: string }) {
    super();
    this.#key = `${options.prefix}:${name}`;
    server.options.push(options);
  }
  get #jobs() {
    const jobs = server.queues.get(this.#key) ?? new Map<string, FakeJob>();
    server.queues.set(this.#key, jobs);
    return jobs;
  }
  async addBulk(list: readonly { data: unknown; opts: { jobId: string } }[]) {
    server.write();
    server.log.push(`add ${list.map(({ opts }) => opts.jobId).join(" ")}`);
    for (const { data, opts } of list)
      if (!this.#jobs.has(opts.jobId))
        this.#jobs.set(opts.jobId, { id: opts.jobId, data, opts, isFailed: false });
  }
  async getJob(id: string) {
    const job = this.#jobs.get(id);
    if (job === undefined) return undefined;
    return { isFailed: async () => job.isFailed, remove: async () => this.#jobs.delete(id) };
  }
  async remove(id: string) {
    this.#jobs.delete(id);
  }
  async obliterate({ force }: { readonly force: boolean }) {
    if (!force) throw new Error("there are jobs under way");
    server.queues.delete(this.#key);
  }
  async getJobCounts(...names: string[]) {
    const failed = [...this.#jobs.values()].filter(({ isFailed }) => isFailed).length;
    const all: Record<string, number> = { waiting: this.#jobs.size - failed, failed, active: 7 };
    return Object.fromEntries(names.flatMap((n) => (n in all ? [[n, all[n] as number]] : [])));
  }
  async close() {
    server.log.push(`close ${this.#key}`);
  }
}

export class FakeWorker extends EventEmitter {
  isClosed = false;
  readonly queue: string;

  constructor(
    name: string,
    readonly processor: Processor,
    readonly options: { readonly prefix: string },
  ) {
    super();
    this.queue = `${options.prefix}:${name}`;
    server.workers.push(this);
  }
  async close() {
    this.isClosed = true;
  }
}
