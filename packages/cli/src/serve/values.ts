/**
 * Values between JSON and the library: inputs and columns in, results and errors out.
 *
 * An input is a number, or an object that says what an array is:
 *   { "$array": 0, "kind": "number" }     a number that all lanes share, shape []
 *   { "$array": 0, "kind": "lanes" }      one number for each lane, shape [B]
 *   { "$array": 0, "kind": "vector" }     a vector, shape [n], or one for each lane, shape [B, n]
 *   { "$array": 0, "kind": "matrix" }     a matrix, shape [r, c], or one for each lane, [B, r, c]
 *   { "int": 80 }                         a structural integer
 *   { "number": "NaN" }                   a number that JSON has no word for
 */

import {
  type DatumValue,
  formatError,
  type Input,
  int,
  mat,
  NdvmError,
  recordOf,
  type TensorInput,
  vec,
} from "@ndvm/core";
import type { Numbers, Shaped } from "./frames.js";
import { shown } from "./shapes.js";

export { shown } from "./shapes.js";

export const refuse = (message: string, help?: string): NdvmError =>
  new NdvmError("E-PROTOCOL", message, { help: help ?? "docs/protocol.md describes calls" });

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function field(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** Fields by name in a record without a prototype: names are the user's. */
export function mapFields<T>(value: unknown, what: string, map: (one: unknown, name: string) => T) {
  if (!isFields(value)) throw refuse(`${what} is not an object`);
  const record = Object.create(null) as Record<string, T>;
  for (const [name, one] of Object.entries(value)) record[name] = map(one, name);
  return record as Readonly<Record<string, T>>;
}

export function arrayOf(value: unknown, arrays: readonly Shaped[]): Shaped | undefined {
  if (!isFields(value) || !Object.hasOwn(value, "$array")) return undefined;
  const index = value["$array"];
  const found = Number.isInteger(index) ? arrays[index as number] : undefined;
  if (found === undefined) throw refuse(`there is no array ${shown(index)}`);
  return found;
}

const realsOf = (numbers: Numbers): Float64Array | Float32Array =>
  numbers instanceof Int32Array ? Float64Array.from(numbers) : numbers;

export function inputOf(value: unknown, name: string, arrays: readonly Shaped[]): Input {
  if (typeof value === "number") return value;
  if (!isFields(value)) throw refuse(`input ${name} is not a number or an array`);
  if (Object.hasOwn(value, "int")) return int(value["int"] as number);
  if (Object.hasOwn(value, "number")) return numberOf(value["number"], name);
  const shaped = arrayOf(value, arrays);
  if (shaped === undefined) throw refuse(`input ${name} is not a number or an array`);
  return arrayInput(name, shaped, field(value, "kind"));
}

/** A number that came by itself, or as `{ "number": word }`. */
export const plainNumberOf = (value: unknown, name: string): number =>
  numberOf(isFields(value) ? field(value, "number") : value, name);

/** A number that came as a word, or as itself. */
function numberOf(word: unknown, name: string): number {
  const number = typeof word === "number" ? word : WORDS.get(word);
  if (number !== undefined) return number;
  throw refuse(`input ${name} is no number: ${JSON.stringify(word)} is not one of ${WORDS_TEXT}`);
}

const KINDS = new Map<unknown, string>([
  ["number", "a number"],
  ["lanes", "one number for each lane"],
  ["vector", "a vector"],
  ["matrix", "a matrix"],
]);

/** A kind of input in words. */
const wordsFor = (kind: unknown): string =>
  KINDS.get(kind) ?? `of a known kind: it says ${shown(kind)}`;

/** Most lanes of one run. */
const LANES_MOST = 2 ** 24;

function arrayInput(name: string, { numbers, shape }: Shaped, kind: unknown): Input {
  const reals = realsOf(numbers);
  if (kind === "number" && shape.length === 0) return reals[0] as number;
  const rank = kind === "lanes" ? 0 : kind === "vector" ? 1 : kind === "matrix" ? 2 : -1;
  const extra = shape.length - rank;
  if (rank < 0 || extra < 0 || extra > 1 || (rank === 0 && extra !== 1))
    throw refuse(`input ${name} of shape [${shape.join(", ")}] is not ${wordsFor(kind)}`);
  if (rank === 0) return reals;
  const rows = shape[extra] ?? 1;
  const cell = (part: Float64Array | Float32Array): TensorInput =>
    rank === 1 ? vec(part) : mat(part, rows);
  if (extra === 0) return cell(reals);
  const [lanes = 0] = shape;
  if (lanes > LANES_MOST) throw refuse(`input ${name} has ${lanes} lanes, more than ${LANES_MOST}`);
  if (reals.length === 0) return Array<TensorInput>(lanes).fill(cell(reals));
  const size = reals.length / lanes;
  return Array.from({ length: lanes }, (_, lane) =>
    cell(reals.subarray(lane * size, (lane + 1) * size)),
  );
}

/** A column of numbers or of words, a vector or matrix, an integer, or one number. */
export function dataOf(value: unknown, name: string, arrays: readonly Shaped[]): unknown {
  if (Array.isArray(value)) {
    if (value.some((one) => typeof one === "object" && one !== null))
      throw refuse(`column ${name} holds lists or objects: give numbers or words`);
    return value;
  }
  const shaped = arrayOf(value, arrays);
  const isColumn = shaped !== undefined && field(value as Fields, "kind") === "lanes";
  return isColumn ? realsOf(shaped.numbers) : inputOf(value, name, arrays);
}

/** Whether JSON writes a value as it is: no number without a word, no typed array, no function. */
function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || value === null) return typeof value !== "function";
  if (ArrayBuffer.isView(value)) return false;
  if (Array.isArray(value)) return value.every(isJson);
  return Object.values(value).every(isJson);
}

/** Numbers that JSON cannot write as words, undefined left out, arrays as lists. */
export const plain = (value: unknown): unknown => (isJson(value) ? value : written(value));

function written(value: unknown): unknown {
  if (Object.is(value, -0)) return { number: "-0" };
  if (typeof value === "number") return Number.isFinite(value) ? value : { number: String(value) };
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array, written);
  if (Array.isArray(value)) return value.map(written);
  if (typeof value !== "object" || value === null) return value;
  const record = Object.create(null) as Record<string, unknown>;
  for (const [key, one] of Object.entries(value))
    if (one !== undefined && typeof one !== "function") record[key] = written(one);
  return record;
}

/** What `plain` writes for numbers that JSON loses. A user's name may be `number`, too. */
const WORDS: ReadonlyMap<unknown, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
  ["-0", -0],
]);

const WORDS_TEXT = [...WORDS.keys()].join(", ");

/** The reverse of `plain`: numbers that came as words. */
export function unworded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unworded);
  if (!isFields(value)) return value;
  const entries = Object.entries(value);
  const [key, word] = entries[0] ?? [];
  const number = entries.length === 1 && key === "number" ? WORDS.get(word) : undefined;
  if (number !== undefined) return number;
  const record = Object.create(null) as Record<string, unknown>;
  for (const [key, one] of entries) record[key] = unworded(one);
  return record;
}

/** Options by name, with the numbers that came as words; fields that are named stay as they came. */
export const unwordedFields = (fields: Fields, verbatim: ReadonlySet<string>): Fields =>
  recordOf(
    Object.entries(fields).map(([name, one]) => [name, verbatim.has(name) ? one : unworded(one)]),
  );

/** More levels than this are not sent: readers of JSON end at some depth, Python at a few hundred. */
const LEVELS_MOST = 200;

/** A datum of the language: symbols as texts, vectors as { vector }, dotted pairs as { list, tail }. */
export function datumJson(value: DatumValue, levels = LEVELS_MOST): unknown {
  if (typeof value === "symbol") return value.description ?? "";
  if (value instanceof Float64Array) return { vector: Array.from(value, plain) };
  if (typeof value !== "object" || value === null) return plain(value);
  if (levels === 0) throw nestedTooDeep();
  const inner = (one: DatumValue): unknown => datumJson(one, levels - 1);
  if (Array.isArray(value)) return value.map(inner);
  // A dotted pair is a list that ends in something else: { list, tail } and the list are one level.
  const part = (one: DatumValue): unknown => (Array.isArray(one) ? one.map(inner) : inner(one));
  return recordOf(Object.entries(value).map(([key, one]) => [key, part(one)]));
}

const nestedTooDeep = (): NdvmError =>
  new NdvmError("E-RESULT", `the result has more than ${LEVELS_MOST} levels of lists in lists`, {
    help: "return fewer levels, or read the result with the library in Node",
    facts: { limit: LEVELS_MOST },
  });

/** An error as data: what its sentence says, and the sentence with its place in the text. */
export function errorJson(error: unknown): Fields {
  if (!(error instanceof NdvmError)) {
    const thrown = typeof error === "string" ? error : shown(error);
    const message = error instanceof Error ? error.message : thrown;
    return { code: "E-INTERNAL", message, facts: {}, text: `error E-INTERNAL: ${message}` };
  }
  const { code, message, span, help, source, file, facts } = error;
  return { code, message, span, help, source, file, facts, text: formatError(error) };
}
