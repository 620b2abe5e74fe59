/**
 * A worker's own end: what it hears and says, in a Web Worker and in a worker thread of Node.
 */

/** What a worker says first of all. */
export const READY = "ready";

export interface WorkerPort<To, From> {
  post(message: From | typeof READY, transfer?: ArrayBuffer[]): void;
  listen(take: (message: To) => void): void;
}

interface WorkerScope {
  postMessage?(message: unknown, transfer: ArrayBuffer[]): void;
  onmessage?: (event: { readonly data: never }) => void;
}

interface ParentPort {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  on(event: "message", take: (message: never) => void): void;
}

/** The port of a Web Worker; undefined in Node. */
function webPort<To, From>(): WorkerPort<To, From> | undefined {
  const scope = globalThis as unknown as WorkerScope;
  if (typeof scope.postMessage !== "function") return undefined;
  return {
    post: (message, transfer = []) => scope.postMessage?.(message, transfer),
    listen: (take) => {
      scope.onmessage = ({ data }) => take(data);
    },
  };
}

async function threadPort<To, From>(): Promise<WorkerPort<To, From>> {
  // A name the bundlers of web pages do not follow.
  const name = "node:worker_threads";
  const { parentPort } = (await import(/* @vite-ignore */ name)) as { parentPort: ParentPort };
  return {
    post: (message, transfer = []) => parentPort.postMessage(message, transfer),
    listen: (take) => parentPort.on("message", take),
  };
}

/**
 * Gives `serve` the port of this worker. Nothing is awaited at the top, because bundlers make classic
 * scripts of workers. Node keeps messages until it is listened to; a Web Worker must listen before
 * its first turn ends, so there `serve` is called at once.
 */
export function servePort<To, From>(serve: (port: WorkerPort<To, From>) => void): void {
  const port = webPort<To, From>();
  if (port === undefined) void threadPort<To, From>().then(serve);
  else serve(port);
}
