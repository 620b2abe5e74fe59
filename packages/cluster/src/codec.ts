/**
 * Values over the network: JSON whose typed arrays are base64 of their little-endian bytes, packed.
 *
 * `{ "$f64": "…" }` is a Float64Array and `{ "$u32": "…" }` a Uint32Array. Numbers that JSON has no
 * word for, and the negative zero, are `{ "$number": "NaN" }`, and records of the user's with one such name are
 * `{ "$plain": [[name, value]] }`.
 */

import { deflateRawSync, inflateRawSync } from "node:zlib";
import { recordOf } from "@ndvm/core";

/** Nothing that a coordinator or worker sends is larger once it is unpacked. */
const BYTES_MAX = 2 ** 31;

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

const RESERVED: ReadonlySet<string> = new Set(["$f64", "$u32", "$number", "$plain"]);

/** Whether a record of the user's would be taken for one of ours. */
function looksLikeOurs(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length === 1 && RESERVED.has(keys[0] as string);
}

function replace(this: unknown, _key: string, value: unknown): unknown {
  if (value instanceof Float64Array) return { $f64: bytesOf(value) };
  if (value instanceof Uint32Array) return { $u32: bytesOf(value) };
  if (Object.is(value, -0)) return { $number: "-0" };
  if (typeof value === "number" && !Number.isFinite(value)) return { $number: String(value) };
  return looksLikeOurs(value) ? { $plain: Object.entries(value) } : value;
}

function arrayBufferOf(text: string): ArrayBuffer {
  const bytes = Buffer.from(text, "base64");
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}

function revive(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value);
  const [key, text] = fields[0] ?? [];
  if (fields.length !== 1) return value;
  if (key === "$plain") return recordOf(text as [string, unknown][]);
  if (typeof text !== "string") return value;
  if (key === "$f64") return new Float64Array(arrayBufferOf(text));
  if (key === "$u32") return new Uint32Array(arrayBufferOf(text));
  return key === "$number" ? Number(text) : value;
}

/** The text that two computers write for equal values. */
export const textOf = (value: unknown): string => JSON.stringify(value, replace);
export const parse = (text: string): unknown => JSON.parse(text, revive);

export const encode = (value: unknown): Buffer => deflateRawSync(textOf(value), { level: 1 });

export function decode(bytes: Uint8Array): unknown {
  return parse(inflateRawSync(bytes, { maxOutputLength: BYTES_MAX }).toString("utf8"));
}
