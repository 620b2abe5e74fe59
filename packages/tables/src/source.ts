/**
 * Where bytes come from: text, buffers, blobs and streams behind one face, with a look at the first
 * bytes before anything is decided.
 */

import { NdvmError } from "@ndvm/core";
import { tableError } from "./errors.js";
import type { ByteSource, TableSource } from "./types.js";

const PIECE_BYTES = 2 ** 18;
/** So many bytes tell the formats apart. */
const HEAD_BYTES = 512;

/** A source whose first bytes are known. */
export interface OpenSource {
  /** The first bytes, as many as tell formats apart (fewer only if there are no more). */
  readonly head: Uint8Array;
  /** All bytes from the start, once. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Any part, where the source can be read in parts. */
  readonly parts: Required<Pick<ByteSource, "size" | "slice">> | undefined;
  /** Ends the stream that the bytes come from. Whoever opened the source calls it in any case. */
  close(): Promise<void>;
}

export async function openSource(source: TableSource): Promise<OpenSource> {
  const bytes = byteSource(source);
  const iterator = bytes.stream()[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let length = 0;
  while (length < HEAD_BYTES) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    read.push(value);
    length += value.length;
  }
  const { size, slice } = bytes;
  const parts =
    size === undefined || slice === undefined ? undefined : { size, slice: slice.bind(bytes) };
  const close = closer(iterator);
  return {
    head: joined(read, length).subarray(0, HEAD_BYTES),
    pieces: rest(read, iterator, close),
    parts,
    close,
  };
}

/** Ends an iteration, once. */
function closer(iterator: AsyncIterator<Uint8Array>): () => Promise<void> {
  let isClosed = false;
  return async () => {
    if (isClosed) return;
    isClosed = true;
    await iterator.return?.();
  };
}

async function* rest(
  read: Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
  close: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* read.splice(0);
    for (;;) {
      const { done, value } = await iterator.next();
      if (done === true) return;
      yield value;
    }
  } finally {
    await close();
  }
}

function byteSource(source: TableSource): ByteSource {
  if (typeof source === "string") return fromBytes(new TextEncoder().encode(source));
  if (source instanceof Uint8Array) return fromBytes(source);
  if (source instanceof ArrayBuffer) return fromBytes(new Uint8Array(source));
  if (typeof Blob === "function" && source instanceof Blob) return fromBlob(source);
  if (typeof source !== "object" || source === null)
    throw new NdvmError("E-INPUT", "there is no table to read", {
      help: "give its text or bytes, a Blob, or a stream of bytes",
    });
  if ("getReader" in source) return { stream: () => readStream(source) };
  if (Symbol.asyncIterator in source) return { stream: () => source };
  return source as ByteSource;
}

function fromBytes(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    slice: async (start, end) => bytes.subarray(start, end),
    async *stream() {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        yield bytes.subarray(at, at + PIECE_BYTES);
      }
    },
  };
}

function fromBlob(blob: Blob): ByteSource {
  return {
    size: blob.size,
    slice: async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer()),
    stream: () => readStream(blob.stream()),
  };
}

async function* readStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    try {
      await reader.cancel();
    } finally {
      reader.releaseLock();
    }
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1) return pieces[0] as Uint8Array;
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** All bytes of a source, for formats that cannot be read from the start. */
export async function allBytes(
  name: string,
  source: OpenSource,
  bytesMax: number,
): Promise<Uint8Array> {
  const { parts } = source;
  if (parts !== undefined) {
    requireSize(name, parts.size, bytesMax);
    return parts.slice(0, parts.size);
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of source.pieces) {
    pieces.push(piece);
    length += piece.length;
    requireSize(name, length, bytesMax);
  }
  return joined(pieces, length);
}

/** Refuses a file, or what it unpacks to, that is larger than allowed. */
export function requireSize(name: string, bytes: number, bytesMax: number): void {
  if (bytes <= bytesMax) return;
  throw tableError(
    name,
    `the file is too large, or unpacks to too much: ${bytes} bytes`,
    { reason: "size", limit: bytesMax, value: bytes },
    `at most ${bytesMax} bytes are read; raise bytesMax if the file can be trusted`,
  );
}

/**
 * Bytes as text, piece by piece: UTF-16 where its byte order mark says so, else UTF-8 or the
 * encoding that was given.
 */
export async function* decodedText(
  name: string,
  source: OpenSource,
  encoding?: string,
): AsyncGenerator<string> {
  const decoder = decoderFor(name, source.head, encoding);
  const decode = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch {
      throw notText(name, decoder.encoding);
    }
  };
  for await (const piece of source.pieces) yield decode(piece);
  yield decode();
}

function decoderFor(name: string, head: Uint8Array, encoding: string | undefined): TextDecoder {
  const isLittle = head[0] === 0xff && head[1] === 0xfe;
  const isBig = head[0] === 0xfe && head[1] === 0xff;
  const found = isLittle ? "utf-16le" : isBig ? "utf-16be" : (encoding ?? "utf-8");
  try {
    return new TextDecoder(found, { fatal: true });
  } catch {
    const facts = { reason: "text", option: "encoding", actual: found } as const;
    throw tableError(name, `there is no encoding ${found}`, facts, 'try "windows-1252"');
  }
}

const notText = (name: string, encoding: string): Error =>
  tableError(
    name,
    `not ${encoding.toUpperCase()} text`,
    { reason: "text", expected: encoding },
    "save it as UTF-8, or check that it is the file you meant",
  );
