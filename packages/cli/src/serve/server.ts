/**
 * `ndvm serve`: answers calls over its pipes until its input ends.
 *
 * Calls run one after the other. While one runs, frames are still read, so `cancel` and the end of the
 * input reach it. A frame that makes no sense is answered with an error; bytes that are no frame end
 * the service, since nobody can tell where the next frame begins.
 */

import type { Readable } from "node:stream";
import { commandVersion } from "../commands/versions.js";
import { Service } from "./calls.js";
import { ArrayList, type Frame, FrameReader } from "./frames.js";
import { errorJson, type Fields, field, refuse, shown } from "./values.js";

/** Grows when a client of today would misunderstand a server of tomorrow. */
export const PROTOCOL = 1;

/** Where answers go: the bytes of a frame, in parts. */
export type Send = (parts: readonly Uint8Array[]) => void;

const UNWRITABLE = "a call failed, and its error cannot be written";

type Id = number | string | null;

/** What answers can be told apart by, and be written with. */
const isId = (value: unknown): value is Id =>
  value === null || typeof value === "string" || Number.isFinite(value);

interface Waiting {
  readonly frame: Frame;
  readonly id: Id;
  readonly ending: AbortController;
}

export class Server {
  readonly #service = new Service();
  readonly #waiting: Waiting[] = [];
  readonly #reader: FrameReader;
  #running: Waiting | undefined;
  #idle: (() => void) | undefined;
  #spare: AbortController | undefined;

  constructor(private readonly send: Send) {
    this.#reader = new FrameReader((frame) => this.#take(frame));
    this.#answer({ hello: { protocol: PROTOCOL, ndvm: commandVersion(), node: process.version } });
  }

  /** Takes bytes of the client. False: they are no frame, and the service has to end. */
  push(bytes: Uint8Array): boolean {
    try {
      this.#reader.push(bytes);
      return true;
    } catch (error) {
      this.#fail(null, error);
      return false;
    }
  }

  /** Ends what runs and forgets what waits. */
  async end(): Promise<void> {
    this.#waiting.length = 0;
    this.#running?.ending.abort();
    if (this.#running !== undefined)
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    this.#service.dispose();
  }

  #take(frame: Frame): void {
    const { header, broken } = frame;
    const id = field(header, "id") ?? null;
    if (broken !== undefined) this.#fail(null, refuse(`a frame cannot be read: ${broken}`));
    else if (!isId(id))
      this.#fail(null, refuse(`the id of a call is a number or a text, not ${shown(id)}`));
    else if (field(header, "call") === "cancel") this.#cancel(field(header, "of"));
    else {
      this.#waiting.push({ frame, id, ending: this.#controller() });
      if (this.#running === undefined) void this.#work();
    }
  }

  /** One that no call holds: making it takes as long as reading a small frame. */
  #controller(): AbortController {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare ?? new AbortController();
  }

  #cancel(id: unknown): void {
    const one = this.#running?.id === id ? this.#running : this.#waiting.find((w) => w.id === id);
    one?.ending.abort();
  }

  async #work(): Promise<void> {
    for (;;) {
      this.#running = this.#waiting.shift();
      if (this.#running === undefined) break;
      await this.#run(this.#running);
    }
    this.#idle?.();
  }

  async #run({ frame, id, ending }: Waiting): Promise<void> {
    const tell = (event: Fields) => this.#answer({ id, ...event });
    try {
      const context = { arrays: frame.arrays, signal: ending.signal, tell };
      const answer = await this.#service.answer(frame, context);
      if ("parts" in answer) {
        this.send(answer.parts);
        if (!ending.signal.aborted) this.#spare = ending;
      } else this.#answer({ id, result: answer.fields }, answer.arrays);
    } catch (error) {
      this.#fail(id, error);
    }
  }

  /** Answers with an error, whatever it is: with a text of ours where it cannot be written. */
  #fail(id: unknown, error: unknown): void {
    let parts: readonly Uint8Array[];
    try {
      parts = new ArrayList().frame({ id, error: errorJson(error) });
    } catch {
      const error = { code: "E-INTERNAL", message: UNWRITABLE, facts: {}, text: UNWRITABLE };
      parts = new ArrayList().frame({ id: null, error });
    }
    this.send(parts);
  }

  #answer(header: Fields, arrays = new ArrayList()): void {
    this.send(arrays.frame(header));
  }
}

/** Serves one client over streams; resolves with the exit code when its input ends. */
export async function serve(input: Readable, send: Send): Promise<number> {
  const server = new Server(send);
  // Events, since waiting for each chunk by itself takes longer than a small call.
  const code = await new Promise<number>((resolve, reject) => {
    input.on("data", (chunk: Uint8Array) => {
      if (!server.push(chunk)) resolve(1);
    });
    input.once("end", () => resolve(0));
    input.once("error", reject);
  });
  input.pause();
  await server.end();
  return code;
}
