/**
 * Frames: how `ndvm serve` and its clients talk over a pipe.
 *
 *   byte  0       4               8             16                16 + header
 *         | NDVM  | header bytes  | body bytes  | header, JSON …  | body …
 *           ascii   u32             u64           UTF-8             arrays
 *
 * All numbers are little-endian. The body holds arrays one after the other, each beginning at a
 * multiple of 8. The header's `arrays` says of each its type, shape and first byte.
 *
 * A client that makes the same call again with new numbers sends the same header again, so a reader
 * keeps the headers it has seen: equal bytes give the same object, which nobody may change.
 */

import { NdvmError } from "@ndvm/core";
import { shown } from "./shapes.js";

export const PREFIX_BYTES = 16;
const MAGIC = 0x4d56444e; // "NDVM"
const HEADER_MAX = 64 * 2 ** 20;
/** Levels of a header's lists and objects: no call needs a tenth, and code that descends into them ends. */
const LEVELS_MAX = 500;
/** More than a frame needs; some versions of Node have no arrays of more than 4 GiB. */
const BODY_MAX = 8 * 2 ** 30;

/** Longer headers are read anew each time; so many shorter ones are kept. */
const KEPT_HEADER_MAX = 4096;
const KEPT_HEADERS_MAX = 512;

const decoder = new TextDecoder("utf-8", { fatal: true });

export type Numbers = Float64Array | Float32Array | Int32Array;

export interface ArrayHeader {
  readonly type: "f64" | "f32" | "i32";
  readonly shape: readonly number[];
  readonly offset: number;
}

/** An array of a frame, with the shape that it came with. */
export interface Shaped {
  readonly numbers: Numbers;
  readonly shape: readonly number[];
}

export interface Frame {
  readonly header: Readonly<Record<string, unknown>>;
  readonly arrays: readonly Shaped[];
  /** Why the header cannot be read; it is empty then. */
  readonly broken?: string;
}

/** A header that was read, with where its arrays lie. */
interface ReadHeader {
  readonly header: Frame["header"];
  readonly places: readonly Place[];
}

interface Place {
  readonly type: ArrayHeader["type"];
  readonly shape: readonly number[];
  readonly offset: number;
  readonly count: number;
  readonly end: number;
}

const refuse = (message: string): NdvmError =>
  new NdvmError("E-PROTOCOL", message, { help: "docs/protocol.md describes frames" });

/** Room for a body of that size, as its prefix claims it. */
function bytesFor(count: number): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(count);
  } catch {
    throw refuse(`a body of ${count} bytes is larger than this server has room for`);
  }
}

/** Collects bytes into frames. Bytes that are no frame are an error, and nothing after them counts. */
export class FrameReader {
  readonly #kept = new Map<string, ReadHeader>();
  readonly #prefix = new Uint8Array(PREFIX_BYTES);
  #header: Uint8Array | undefined;
  #body: Uint8Array<ArrayBuffer> | undefined;
  #bodyBytes = 0;
  #filled = 0;

  constructor(private readonly onFrame: (frame: Frame) => void) {}

  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length || this.#isReady()) {
      const taken = this.#takeComplete(chunk, at);
      if (taken > 0) {
        at += taken;
        continue;
      }
      const part = this.#part();
      const count = Math.min(part.length - this.#filled, chunk.length - at);
      part.set(chunk.subarray(at, at + count), this.#filled);
      at += count;
      this.#filled += count;
      if (this.#filled === part.length) this.#finishPart();
    }
  }

  /** Takes a frame that lies in the chunk as a whole. Returns its bytes; 0 if there is none. */
  #takeComplete(chunk: Uint8Array, at: number): number {
    if (this.#filled > 0 || this.#header !== undefined) return 0;
    if (chunk.length - at < PREFIX_BYTES) return 0;
    const { headerBytes, bodyBytes } = readPrefix(chunk, at);
    const bodyAt = at + PREFIX_BYTES + headerBytes;
    if (chunk.length < bodyAt + bodyBytes) return 0;
    // A copy, since arrays begin at multiples of 8 in their own buffer only.
    const body = bytesFor(bodyBytes);
    body.set(chunk.subarray(bodyAt, bodyAt + bodyBytes));
    this.onFrame(this.#frame(chunk.subarray(at + PREFIX_BYTES, bodyAt), body));
    return PREFIX_BYTES + headerBytes + bodyBytes;
  }

  /** Whether the part being read is complete without another byte: it is empty. */
  #isReady(): boolean {
    return this.#header !== undefined && this.#part().length === this.#filled;
  }

  #part(): Uint8Array {
    return this.#body ?? this.#header ?? this.#prefix;
  }

  #finishPart(): void {
    this.#filled = 0;
    if (this.#header === undefined) {
      const { headerBytes, bodyBytes } = readPrefix(this.#prefix, 0);
      this.#header = new Uint8Array(headerBytes);
      this.#bodyBytes = bodyBytes;
    } else if (this.#body === undefined) this.#body = bytesFor(this.#bodyBytes);
    else {
      const frame = this.#frame(this.#header, this.#body);
      this.#header = undefined;
      this.#body = undefined;
      this.onFrame(frame);
    }
  }

  #frame(headerBytes: Uint8Array, body: Uint8Array<ArrayBuffer>): Frame {
    try {
      const { header, places } = this.#readHeader(headerBytes);
      return { header, arrays: places.map((place) => arrayAt(place, body)) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { header: {}, arrays: [], broken: message };
    }
  }

  #readHeader(bytes: Uint8Array): ReadHeader {
    if (bytes.length > KEPT_HEADER_MAX) return parseHeader(bytes);
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const read = parseHeader(bytes);
    if (this.#kept.size >= KEPT_HEADERS_MAX) this.#kept.clear();
    this.#kept.set(key, read);
    return read;
  }
}

function readPrefix(bytes: Uint8Array, at: number) {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, PREFIX_BYTES);
  if (view.getUint32(0, true) !== MAGIC) throw refuse("these bytes are not a frame");
  const headerBytes = view.getUint32(4, true);
  const bodyBytes = view.getUint32(8, true) + view.getUint32(12, true) * 2 ** 32;
  if (headerBytes > HEADER_MAX)
    throw refuse(`a header of ${headerBytes} bytes is longer than ${HEADER_MAX}`);
  if (bodyBytes > BODY_MAX) throw refuse(`a body of ${bodyBytes} bytes is longer than ${BODY_MAX}`);
  return { headerBytes, bodyBytes };
}

const TYPES = { f64: Float64Array, f32: Float32Array, i32: Int32Array } as const;

const [QUOTE, ESCAPE] = [0x22, 0x5c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Looked at before it is parsed. Bytes of longer characters in UTF-8 are none of these. */
function requireLevels(bytes: Uint8Array): void {
  let levels = 0;
  let isInText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (isInText && byte === ESCAPE) at += 1;
    else if (byte === QUOTE) isInText = !isInText;
    else if (isInText) continue;
    else if (CLOSING.has(byte)) levels -= 1;
    else if (OPENING.has(byte) && ++levels > LEVELS_MAX)
      throw refuse(`its header has more than ${LEVELS_MAX} levels`);
  }
}

function parseHeader(bytes: Uint8Array): ReadHeader {
  requireLevels(bytes);
  const header: unknown = JSON.parse(decoder.decode(bytes));
  if (typeof header !== "object" || header === null || Array.isArray(header))
    throw refuse("its header is not an object");
  const record = header as Frame["header"];
  const listed = Object.hasOwn(record, "arrays") ? record["arrays"] : [];
  if (!Array.isArray(listed)) throw refuse("its arrays are not a list");
  return { header: record, places: listed.map(placeOf) };
}

const isCount = (size: unknown): size is number =>
  Number.isSafeInteger(size) && (size as number) >= 0;

function placeOf(given: unknown): Place {
  const { type, shape, offset } = (given ?? {}) as Partial<ArrayHeader>;
  if (typeof type !== "string" || !Object.hasOwn(TYPES, type))
    throw refuse(`no array type ${shown(type)}`);
  if (!Array.isArray(shape) || !shape.every(isCount)) throw refuse("an array has no shape");
  const count = shape.reduce((product: number, size: number) => product * size, 1);
  if (!isCount(count)) throw refuse("an array lies outside the body");
  const { BYTES_PER_ELEMENT: bytes } = TYPES[type];
  if (!isCount(offset) || offset % bytes !== 0) throw refuse("an array lies outside the body");
  return { type, shape, offset, count, end: offset + count * bytes };
}

function arrayAt(
  { type, shape, offset, count, end }: Place,
  body: Uint8Array<ArrayBuffer>,
): Shaped {
  if (end > body.length) throw refuse("an array lies outside the body");
  return { numbers: new TYPES[type](body.buffer, offset, count), shape };
}

/** Collects the arrays of a frame to be written, and stands for each by its place. */
export class ArrayList {
  readonly #arrays: Shaped[] = [];

  add(numbers: Numbers, shape: readonly number[] = [numbers.length]): { readonly $array: number } {
    this.#arrays.push({ numbers, shape });
    return { $array: this.#arrays.length - 1 };
  }

  /** The bytes of a frame, in parts: prefix and header first. */
  frame(header: Readonly<Record<string, unknown>>): readonly Uint8Array[] {
    const parts: Uint8Array[] = [];
    const arrays: ArrayHeader[] = [];
    let offset = 0;
    for (const { numbers, shape } of this.#arrays) {
      arrays.push({ type: typeOf(numbers), shape, offset });
      parts.push(bytesOf(numbers));
      const gap = (8 - (numbers.byteLength % 8)) % 8;
      if (gap > 0) parts.push(new Uint8Array(gap));
      offset += numbers.byteLength + gap;
    }
    return [frameHead(arrays.length === 0 ? header : { ...header, arrays }, offset), ...parts];
  }
}

export const bytesOf = (numbers: Numbers): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

/** Prefix and header of a frame. */
function frameHead(header: Readonly<Record<string, unknown>>, bodyBytes: number): Uint8Array {
  const text = Buffer.from(JSON.stringify(header));
  const bytes = new Uint8Array(PREFIX_BYTES + text.length);
  const prefix = new DataView(bytes.buffer);
  prefix.setUint32(0, MAGIC, true);
  prefix.setUint32(4, text.length, true);
  prefix.setBigUint64(8, BigInt(bodyBytes), true);
  bytes.set(text, PREFIX_BYTES);
  return bytes;
}

function typeOf(numbers: Numbers): ArrayHeader["type"] {
  if (numbers instanceof Float64Array) return "f64";
  return numbers instanceof Float32Array ? "f32" : "i32";
}
