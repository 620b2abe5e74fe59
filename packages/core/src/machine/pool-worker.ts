/**
 * A worker of a pool: one machine of its own, fed with parts of larger batches by messages.
 *
 * The same file runs as a Web Worker and as a worker thread of Node.
 */

import { NdvmError } from "../errors.js";
import { Machine } from "./machine.js";
import {
  type FromWorker,
  type Part,
  type PartError,
  type PartRequest,
  packError,
  type Start,
  type ToWorker,
} from "./pool/parts.js";
import type { Outcome, Program } from "./program.js";

/** The end of a message channel, in a browser or in Node. */
interface Port {
  post(message: FromWorker, transfer: ArrayBuffer[]): void;
  listen(take: (message: ToWorker) => void): void;
}

interface WorkerScope {
  postMessage?(message: FromWorker, transfer: ArrayBuffer[]): void;
  onmessage?: (event: { readonly data: ToWorker }) => void;
}

interface ParentPort {
  postMessage(message: FromWorker, transfer: ArrayBuffer[]): void;
  on(event: "message", take: (message: ToWorker) => void): void;
}

/** The port of a Web Worker; undefined in Node. */
function webPort(): Port | undefined {
  const scope = globalThis as unknown as WorkerScope;
  if (typeof scope.postMessage !== "function") return undefined;
  return {
    post: (message, transfer) => scope.postMessage?.(message, transfer),
    listen: (take) => {
      scope.onmessage = ({ data }) => take(data);
    },
  };
}

async function threadPort(): Promise<Port> {
  // A name the bundlers of web pages do not follow.
  const name = "node:worker_threads";
  const { parentPort } = (await import(/* @vite-ignore */ name)) as { parentPort: ParentPort };
  return {
    post: (message, transfer) => parentPort.postMessage(message, transfer),
    listen: (take) => parentPort.on("message", take),
  };
}

class PartRunner {
  #machine: Machine | undefined;
  readonly #programs = new Map<number, Program>();

  start({ module, options }: Start): void {
    this.#machine = Machine.fromModule(module, options);
  }

  drop(program: number): void {
    this.#programs.get(program)?.dispose();
    this.#programs.delete(program);
  }

  run(request: PartRequest): Part {
    const { load, isGradient, inputs, options } = request;
    if (load !== undefined) {
      const program = (this.#machine as Machine).load(load.source, load.options);
      this.#programs.set(request.program, program);
    }
    const program = this.#programs.get(request.program) as Program;
    const { outcome, inactive } = program.runPart(inputs, options, isGradient);
    return packPart(outcome, inactive);
  }
}

function packPart(outcome: Outcome, inactive: readonly string[]): Part {
  const { results, lanes, stats } = outcome;
  const { isNumeric, gradients, nonFinite } = results;
  const found = new Map<NdvmError, number>();
  const failures = results.failures.map(({ lane, error }) => {
    if (!found.has(error)) found.set(error, found.size);
    return { lane, error: found.get(error) as number };
  });
  const failed = new Set(failures.map(({ lane }) => lane));
  // All lanes are read at once, so they share what one machine allows for its results.
  const budget = results.reading();
  const isStructure = !isNumeric && failures.length < lanes;
  const each = <T>(read: (lane: number) => T, none: T): T[] | undefined =>
    isStructure
      ? Array.from({ length: lanes }, (_, lane) => (failed.has(lane) ? none : read(lane)))
      : undefined;
  return {
    lanes,
    shape: results.shape,
    values: isNumeric ? results.values : undefined,
    datums: each((lane) => results.datum(lane, budget), null),
    texts: each((lane) => results.print(lane, budget), ""),
    refusal: isStructure ? refusalOf(() => results.values) : undefined,
    gradients,
    inactive,
    errors: [...found.keys()].map(packError),
    failures,
    nonFinite,
    stats,
  };
}

/** The error that `read` throws. */
function refusalOf(read: () => unknown): PartError {
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

/** Answers a message. What is not the user's mistake ends the worker, and the pool hears of it. */
function answer(runner: PartRunner, port: Port, message: ToWorker): void {
  if (message.kind === "drop") {
    runner.drop(message.program);
    return;
  }
  if (message.kind === "start") {
    runner.start(message);
    port.post({ kind: "ready" }, []);
    return;
  }
  try {
    const part = runner.run(message);
    port.post({ kind: "done", part }, buffersOf(part));
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    port.post({ kind: "refused", error: packError(error) }, []);
  }
}

function serve(port: Port): void {
  const runner = new PartRunner();
  port.listen((message) => answer(runner, port, message));
}

// No await at the top: bundlers make classic scripts of workers. Node keeps messages until it is
// listened to; a Web Worker listens before its first turn ends.
const port = webPort();
if (port === undefined) void threadPort().then(serve);
else serve(port);
