/**
 * Starting workers: worker threads in Node, module Web Workers elsewhere, behind one face.
 */

import type { FromWorker, ToWorker } from "./parts.js";

export interface Host {
  post(message: ToWorker, transfer: ArrayBuffer[]): void;
  /** Whether the process must stay alive for this worker. */
  hold(isBusy: boolean): void;
  end(): Promise<void>;
}

export interface HostEvents {
  message(message: FromWorker): void;
  /** The worker is gone, and nobody asked it to. */
  death(reason: string): void;
}

export type StartHost = (events: HostEvents) => Host;

/** The parts of Node that are used, so that no types of Node are needed. */
interface NodeWorker {
  postMessage(message: ToWorker, transfer: ArrayBuffer[]): void;
  on(event: "message", take: (message: FromWorker) => void): void;
  on(event: "error", take: (error: Error) => void): void;
  on(event: "exit", take: (code: number) => void): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<number>;
}
interface NodeThreads {
  readonly Worker: new (url: URL, options: { execArgv: string[] }) => NodeWorker;
}
interface NodeSystem {
  availableParallelism(): number;
}

const hasWebWorkers = (): boolean => typeof globalThis.Worker === "function";

// Names the bundlers of web pages do not follow.
const THREADS = "node:worker_threads";
const SYSTEM = "node:os";

/** Where the worker's code is. Sources that run as TypeScript use the built one. */
function workerUrl(): URL {
  const isSource = import.meta.url.split("?")[0]?.endsWith(".ts") ?? false;
  const path = isSource ? "../../../dist/machine/pool-worker.js" : "../pool-worker.js";
  return new URL(/* @vite-ignore */ path, import.meta.url);
}

export async function coreCount(): Promise<number> {
  const cores = globalThis.navigator?.hardwareConcurrency;
  if (cores !== undefined) return cores;
  const system = (await import(/* @vite-ignore */ SYSTEM)) as NodeSystem;
  return system.availableParallelism();
}

export async function hostStarter(given: URL | string | undefined): Promise<StartHost> {
  const url = given === undefined ? workerUrl() : new URL(given, import.meta.url);
  if (hasWebWorkers()) return (events) => startWeb(given === undefined ? undefined : url, events);
  const { Worker } = (await import(/* @vite-ignore */ THREADS)) as NodeThreads;
  return (events) => startThread(new Worker(url, { execArgv: [] }), events);
}

function startThread(worker: NodeWorker, events: HostEvents): Host {
  let isEnded = false;
  let reason = "it ended";
  worker.on("message", events.message);
  worker.on("error", (error) => {
    reason = error.message;
  });
  worker.on("exit", () => {
    if (!isEnded) events.death(reason);
    isEnded = true;
  });
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    hold: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    end: async () => {
      isEnded = true;
      await worker.terminate();
    },
  };
}

function startWeb(given: URL | undefined, events: HostEvents): Host {
  const isSource = import.meta.url.split("?")[0]?.endsWith(".ts") ?? false;
  // Bundlers look for exactly this expression.
  const worker =
    given === undefined && !isSource
      ? new Worker(new URL("../pool-worker.js", import.meta.url), { type: "module" })
      : new Worker(given ?? workerUrl(), { type: "module" });
  let isEnded = false;
  const end = async () => {
    isEnded = true;
    worker.terminate();
  };
  const die = (reason: string) => {
    if (isEnded) return;
    void end();
    events.death(reason);
  };
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => events.message(data);
  worker.onerror = (event) => die(event.message ?? "its code could not be loaded");
  worker.onmessageerror = () => die("a message could not be read");
  return { post: (message, transfer) => worker.postMessage(message, transfer), hold() {}, end };
}
