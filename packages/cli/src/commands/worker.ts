/**
 * `ndvm worker`: joins a cluster with one process for each core, and replaces those that die.
 *
 * The address goes to the processes in their environment: a password in a command line can be read by
 * everybody on the computer.
 */

import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { openCluster } from "@ndvm/cluster";
import { note } from "../terminal.js";
import type { ClusterCommandOptions } from "./cluster-options.js";
import { clusterOf } from "./cluster-options.js";

export interface WorkerCommandOptions extends ClusterCommandOptions {
  readonly workers?: number;
}

/** Milliseconds before a process that died is replaced; each time in a row twice as long. */
const REPLACE_AFTER = 500;
const REPLACE_MAX = 30_000;
/** A process that lived this long died for another reason than its start. */
const LIVED = 10_000;
/** Exit code of a process whose cluster cannot be used: trying again would not help. */
const REFUSED = 2;

export async function worker(options: WorkerCommandOptions): Promise<number> {
  const { url, namespace } = clusterOf(options);
  const count = options.workers ?? availableParallelism();
  // Fails here, with its words, rather than in every process.
  await openCluster({ url, namespace }).status();
  if (count === 1) return workHere(url, namespace);
  const env = url === undefined ? process.env : { ...process.env, NDVM_CLUSTER: url };
  const group = new ProcessGroup(env, namespace);
  return group.run(count);
}

async function workHere(url: string | undefined, namespace: string | undefined): Promise<number> {
  const cluster = openCluster({ url, namespace });
  const joined = await cluster.worker({ tell: (message) => note(message) });
  note(`waits for studies at ${cluster.address}; Ctrl-C or SIGTERM ends it after its epoch`);
  await untilToldToEnd();
  await joined.close();
  // The channel to the process that started this one would keep it alive.
  if (process.connected) process.disconnect?.();
  return 0;
}

function untilToldToEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "disconnect"] as const)
      process.once(signal, () => resolve());
  });
}

class ProcessGroup {
  readonly #children = new Set<ChildProcess>();
  #isEnding = false;
  #tellEnd = (): void => {};
  readonly #ending = new Promise<void>((resolve) => {
    this.#tellEnd = resolve;
  });
  #failure = 0;

  constructor(
    private readonly env: NodeJS.ProcessEnv,
    private readonly namespace: string | undefined,
  ) {}

  async run(count: number): Promise<number> {
    const end = () => this.#end();
    process.once("SIGTERM", end);
    process.once("SIGINT", end);
    await Promise.all(Array.from({ length: count }, () => this.#keepAlive()));
    return this.#failure;
  }

  /** Starts a process again and again, until the group ends. */
  async #keepAlive(): Promise<void> {
    for (let wait = REPLACE_AFTER; !this.#isEnding; ) {
      const began = Date.now();
      const code = await this.#runOne();
      if (this.#isEnding) return;
      if (code === REFUSED) {
        this.#failure = REFUSED;
        this.#end();
        return;
      }
      note(`a worker process ended (${code ?? "killed"}) and is replaced`);
      wait = Date.now() - began > LIVED ? REPLACE_AFTER : Math.min(REPLACE_MAX, 2 * wait);
      await this.#pause(wait);
    }
  }

  /** Waits so many milliseconds, or until the group ends. */
  async #pause(milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const isOver = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    await Promise.race([isOver, this.#ending]);
    clearTimeout(timer);
  }

  #runOne(): Promise<number | null> {
    const script = fileURLToPath(new URL("../../bin/ndvm.js", import.meta.url));
    const own = this.namespace === undefined ? [] : ["--namespace", this.namespace];
    const child = fork(script, ["worker", "--workers", "1", ...own], {
      env: this.env,
      stdio: "inherit",
    });
    this.#children.add(child);
    return new Promise((resolve) => {
      child.once("close", (code) => {
        this.#children.delete(child);
        resolve(code);
      });
    });
  }

  #end(): void {
    this.#isEnding = true;
    this.#tellEnd();
    for (const child of this.#children) child.kill("SIGTERM");
  }
}
