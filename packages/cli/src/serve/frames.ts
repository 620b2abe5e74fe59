/**
 * Frames: how `ndvm serve` and its clients talk over a pipe.
 *
 *   byte  0       4               8             16                16 + header
 *         | NDVM  | header bytes  | body bytes  | header, JSON …  | body …
 *           ascii   u32             u64           UTF-8             arrays
 *
 * All numbers are little-endian. The body holds arrays one after the other, each beginning at a
 * multiple of 8. The header's `arrays` says of each its type, shape and first byte.
 */

import { NdvmError } from "@ndvm/core";

export const PREFIX_BYTES = 16;
const MAGIC = 0x4d56444e; // "NDVM"
const HEADER_MAX = 64 * 2 ** 20;
/** V8 has no larger typed arrays. */
const BODY_MAX = 8 * 2 ** 30;

const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

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
}

const refuse = (message: string): NdvmError =>
  new NdvmError("E-PROTOCOL", message, { help: "docs/protocol.md describes frames" });

/** Collects bytes into frames. Bytes that are no frame are an error, and nothing after them counts. */
export class FrameReader {
  readonly #prefix = new Uint8Array(PREFIX_BYTES);
  #header: Uint8Array | undefined;
  #body: Uint8Array<ArrayBuffer> | undefined;
  #filled = 0;

  constructor(private readonly onFrame: (frame: Frame) => void) {}

  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length || this.#isReady()) {
      const part = this.#part();
      const count = Math.min(part.length - this.#filled, chunk.length - at);
      part.set(chunk.subarray(at, at + count), this.#filled);
      at += count;
      this.#filled += count;
      if (this.#filled === part.length) this.#finishPart();
    }
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
    if (this.#header === undefined) this.#begin();
    else if (this.#body === undefined) this.#body = new Uint8Array(this.#bodyBytes);
    else {
      const frame = readFrame(this.#header, this.#body);
      this.#header = undefined;
      this.#body = undefined;
      this.onFrame(frame);
    }
  }

  #bodyBytes = 0;

  #begin(): void {
    const view = new DataView(this.#prefix.buffer);
    if (view.getUint32(0, true) !== MAGIC) throw refuse("these bytes are not a frame");
    const headerBytes = view.getUint32(4, true);
    const bodyBytes = Number(view.getBigUint64(8, true));
    if (headerBytes > HEADER_MAX)
      throw refuse(`a header of ${headerBytes} bytes is longer than ${HEADER_MAX}`);
    if (bodyBytes > BODY_MAX)
      throw refuse(`a body of ${bodyBytes} bytes is longer than ${BODY_MAX}`);
    this.#header = new Uint8Array(headerBytes);
    this.#bodyBytes = bodyBytes;
  }
}

const TYPES = { f64: Float64Array, f32: Float32Array, i32: Int32Array } as const;

/** A frame whose header cannot be read has the header `{ broken: message }`. */
function readFrame(headerBytes: Uint8Array, body: Uint8Array<ArrayBuffer>): Frame {
  try {
    const text = decoder.decode(headerBytes);
    const header: unknown = JSON.parse(text);
    if (typeof header !== "object" || header === null || Array.isArray(header))
      return broken("its header is not an object");
    const record = header as Readonly<Record<string, unknown>>;
    const listed = Object.hasOwn(record, "arrays") ? record["arrays"] : [];
    if (!Array.isArray(listed)) return broken("its arrays are not a list");
    return { header: record, arrays: listed.map((one) => readArray(one, body)) };
  } catch (error) {
    return broken(error instanceof Error ? error.message : String(error));
  }
}

const broken = (message: string): Frame => ({ header: { broken: message }, arrays: [] });

function readArray(given: unknown, body: Uint8Array<ArrayBuffer>): Shaped {
  const { type, shape, offset } = (given ?? {}) as Partial<ArrayHeader>;
  if (type === undefined || !Object.hasOwn(TYPES, type)) throw refuse(`no array type ${type}`);
  const isCount = (size: unknown) => Number.isSafeInteger(size) && (size as number) >= 0;
  if (!Array.isArray(shape) || !shape.every(isCount)) throw refuse("an array has no shape");
  const count = shape.reduce((product: number, size: number) => product * size, 1);
  const { BYTES_PER_ELEMENT: bytes } = TYPES[type];
  const isInside = isCount(offset) && (offset as number) + count * bytes <= body.length;
  if (!isInside || (offset as number) % bytes !== 0) throw refuse("an array lies outside the body");
  return { numbers: new TYPES[type](body.buffer, offset, count), shape };
}

/** Collects the arrays of a frame to be written, and stands for each by its place. */
export class ArrayList {
  readonly #arrays: Shaped[] = [];

  add(numbers: Numbers, shape: readonly number[] = [numbers.length]): { readonly $array: number } {
    this.#arrays.push({ numbers, shape });
    return { $array: this.#arrays.length - 1 };
  }

  /** The bytes of a frame, in parts. */
  frame(header: Readonly<Record<string, unknown>>): readonly Uint8Array[] {
    const parts: Uint8Array[] = [];
    const arrays: ArrayHeader[] = [];
    let offset = 0;
    for (const { numbers, shape } of this.#arrays) {
      arrays.push({ type: typeOf(numbers), shape, offset });
      parts.push(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
      const gap = (8 - (numbers.byteLength % 8)) % 8;
      if (gap > 0) parts.push(new Uint8Array(gap));
      offset += numbers.byteLength + gap;
    }
    const text = encoder.encode(
      JSON.stringify(arrays.length === 0 ? header : { ...header, arrays }),
    );
    const prefix = new DataView(new ArrayBuffer(PREFIX_BYTES));
    prefix.setUint32(0, MAGIC, true);
    prefix.setUint32(4, text.length, true);
    prefix.setBigUint64(8, BigInt(offset), true);
    return [new Uint8Array(prefix.buffer), text, ...parts];
  }
}

function typeOf(numbers: Numbers): ArrayHeader["type"] {
  if (numbers instanceof Float64Array) return "f64";
  return numbers instanceof Float32Array ? "f32" : "i32";
}
