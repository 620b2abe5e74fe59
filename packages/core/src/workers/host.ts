/**
 * One worker: a worker thread in Node, a module Web Worker elsewhere, behind one face.
 */

import type { ErrorFacts, NdvmError } from "../errors.js";

/** Where the code of workers is. */
export interface WorkerCode {
  readonly url: URL;
  /** Makes the Web Worker, for bundlers that look for `new Worker(new URL(…))` in the text. */
  readonly web?: (() => Worker) | undefined;
  /**
   * Megabytes of the part of a thread's heap where objects are made, in Node. The rarer this part is
   * swept, the less there is to sweep.
   */
  readonly youngMegabytes?: number;
}

/** Why a worker is gone: in words, and for code. */
export interface WorkerEnd {
  readonly message: string;
  readonly facts: ErrorFacts;
}

export interface Host<To> {
  post(message: To, transfer?: ArrayBuffer[]): void;
  /** Whether the process must stay alive for this worker. */
  hold(isBusy: boolean): void;
  /** Ends the worker; nobody hears of its death. */
  end(): Promise<void>;
}

export interface HostEvents<From> {
  message(message: From): void;
  /** The worker is gone, and nobody asked it to. */
  death(end: WorkerEnd): void;
}

export type StartHost = <To, From>(events: HostEvents<From>) => Host<To>;

/** The parts of Node that are used, so that no types of Node are needed. */
interface NodeWorker {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  on(event: "message", take: (message: never) => void): void;
  on(event: "error", take: (error: unknown) => void): void;
  on(event: "exit", take: (code: number) => void): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<number>;
}
interface NodeOptions {
  readonly execArgv: string[];
  readonly resourceLimits?: { readonly maxYoungGenerationSizeMb: number };
}
interface NodeThreads {
  readonly Worker: new (url: URL, options: NodeOptions) => NodeWorker;
}
interface NodeSystem {
  availableParallelism(): number;
}

const hasWebWorkers = (): boolean => typeof globalThis.Worker === "function";

// Names the bundlers of web pages do not follow.
const THREADS = "node:worker_threads";
const SYSTEM = "node:os";

export async function coreCount(): Promise<number> {
  const cores = globalThis.navigator?.hardwareConcurrency;
  if (cores !== undefined) return cores;
  const system = (await import(/* @vite-ignore */ SYSTEM)) as NodeSystem;
  return system.availableParallelism();
}

/** Whether memory can be shared with workers: in Node, and on pages that are cross-origin isolated. */
export const sharesMemory = (): boolean =>
  typeof SharedArrayBuffer === "function" && globalThis.crossOriginIsolated !== false;

/** How workers of some code are started here. */
export async function hostStarter(code: WorkerCode): Promise<StartHost> {
  if (hasWebWorkers()) return (events) => startWeb(code, events);
  const { Worker } = (await import(/* @vite-ignore */ THREADS)) as NodeThreads;
  const { url, youngMegabytes } = code;
  const limits =
    youngMegabytes === undefined
      ? {}
      : { resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes } };
  return (events) => startThread(new Worker(url, { execArgv: [], ...limits }), events);
}

function startThread<To, From>(worker: NodeWorker, events: HostEvents<From>): Host<To> {
  let isEnded = false;
  let thrown: unknown;
  worker.on("message", (message: From) => events.message(message));
  worker.on("error", (error) => {
    thrown = error;
  });
  worker.on("exit", (exitCode) => {
    if (!isEnded) events.death(endOf(thrown, exitCode));
    isEnded = true;
  });
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    hold: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    end: async () => {
      isEnded = true;
      await worker.terminate();
    },
  };
}

function startWeb<To, From>(code: WorkerCode, events: HostEvents<From>): Host<To> {
  const worker = code.web?.() ?? new Worker(code.url, { type: "module" });
  let isEnded = false;
  const end = async () => {
    isEnded = true;
    worker.terminate();
  };
  const die = (message: string) => {
    if (isEnded) return;
    void end();
    events.death({ message, facts: { reason: "crash" } });
  };
  worker.onmessage = ({ data }: MessageEvent<From>) => {
    if (!isEnded) events.message(data);
  };
  worker.onerror = (event) => die(event.message ?? "its code could not be loaded");
  worker.onmessageerror = () => die("a message could not be read");
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    hold() {},
    end,
  };
}

/** Node hands over what a thread threw with its own properties, code and facts among them. */
function endOf(thrown: unknown, exitCode: number): WorkerEnd {
  const facts = { reason: "crash", value: exitCode } as const;
  if (thrown === undefined) return { message: "it ended", facts };
  const { message = String(thrown), code, facts: own } = thrown as Partial<NdvmError>;
  const actual = code === undefined ? {} : { actual: String(code) };
  const cause = own === undefined ? {} : { cause: { message, facts: own } };
  return { message, facts: { ...facts, ...actual, ...cause } };
}
