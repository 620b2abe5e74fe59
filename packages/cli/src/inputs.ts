/**
 * Inputs on the command line. `--set name=value` where value is
 *
 *   1.5                     a number, shared by all lanes
 *   0:10:0.1                start:stop:step, both ends included, one value per lane (step 1 if left out)
 *   1,2,5                   one value per lane
 *   @file.csv:column        one lane per row of the table
 *   [1, 2, 3]               a vector, shared by all lanes
 *   [[1, 0], [0, 1]]        a matrix, shared by all lanes
 *   @file.csv, @file.json   the whole file as one vector or matrix, shared by all lanes
 *
 * So a list, range or column has a value for each lane; brackets and whole files are one tensor.
 */

import { existsSync } from "node:fs";
import { type Input, int, NdvmError, recordOf } from "@ndvm/core/machine";
import type { Table } from "@ndvm/tables";
import { hasDash, parseNumber } from "@ndvm/tables/text";
import { readTensor, tensorOfJson } from "./data-file.js";

/** A mistake in how the command was called: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Most values a range may make: more is a slip of the step. */
const RANGE_MAX = 10_000_000;

export type SetInputs = Record<string, Input>;

/** `name=value` cut at the first `=`. */
export function splitAssignment(text: string, option: string): [name: string, value: string] {
  const at = text.indexOf("=");
  const name = text.slice(0, at).trim();
  const value = text.slice(at + 1).trim();
  if (at < 0 || name === "" || value === "") {
    throw new UsageError(`${option} needs name=value, got "${text}"`);
  }
  return [name, value];
}

function numberOf(name: string, text: string): number {
  const value = text.trim() === "" ? undefined : parseNumber(text);
  if (value !== undefined) return value;
  if (hasDash(text))
    throw new UsageError(`"${text}" is not a value for ${name}: its minus is a dash; type -`);
  throw new UsageError(
    `"${text}" is not a value for ${name}: give a number, start:stop:step, a,b,c, ` +
      "[a, b, c], @file.csv:column or @file.json",
  );
}

/** start, start + step, … up to stop, which is included if a step lands on it (to rounding). */
export function expandRange(name: string, text: string): Float64Array {
  const parts = text.split(":").map((part) => numberOf(name, part));
  const [start = 0, stop = 0, step = Math.sign(stop - start) || 1] = parts;
  if (parts.length > 3) throw new UsageError(`a range is start:stop:step, got ${name}=${text}`);
  if (step === 0) throw new UsageError(`the step of the range ${name}=${text} is 0`);
  const count = Math.floor((stop - start) / step + 1e-9) + 1;
  if (!parts.every(Number.isFinite) || !(count >= 1)) {
    throw new UsageError(`the range ${name}=${text} holds no values`);
  }
  if (count > RANGE_MAX) {
    throw new UsageError(`the range ${name}=${text} holds ${count} values; most are ${RANGE_MAX}`);
  }
  return Float64Array.from({ length: count }, (_, index) => start + index * step);
}

/** The file and column of `file:column`: the shortest part before a colon that is a file wins. */
function splitReference(reference: string): [file: string, column: string | undefined] {
  if (existsSync(reference)) return [reference, undefined];
  for (let at = reference.indexOf(":"); at >= 0; at = reference.indexOf(":", at + 1)) {
    if (existsSync(reference.slice(0, at)))
      return [reference.slice(0, at), reference.slice(at + 1)];
  }
  const last = reference.lastIndexOf(":");
  const isPath = last < 0 || /[\\/]/.test(reference.slice(last));
  return isPath ? [reference, undefined] : [reference.slice(0, last), reference.slice(last + 1)];
}

/** Files that assignments such as a=@table.csv:column read. */
export const referencedFiles = (sets: readonly string[]): readonly string[] =>
  sets.flatMap((text) => {
    const value = text.slice(text.indexOf("=") + 1).trim();
    return value.startsWith("@") ? [splitReference(value.slice(1))[0]] : [];
  });

export class InputReader {
  /** Tables already read: several columns of one file read it once. */
  readonly #tables = new Map<string, Promise<Table>>();

  async parse(name: string, text: string): Promise<Input> {
    if (text.startsWith("@")) return this.#fromFile(text.slice(1));
    if (text.startsWith("[")) return fromBrackets(name, text);
    if (text.includes(",")) {
      return Float64Array.from(text.split(","), (part) => numberOf(name, part));
    }
    return text.includes(":") ? expandRange(name, text) : numberOf(name, text);
  }

  async #fromFile(reference: string): Promise<Input> {
    const [file, column] = splitReference(reference);
    if (column === undefined) return readTensor(file);
    const table = this.#tables.get(file) ?? readNumbers(file);
    this.#tables.set(file, table);
    return (await table).numbers(column);
  }
}

async function readNumbers(file: string): Promise<Table> {
  const { readTableFile } = await import("@ndvm/tables/node");
  return readTableFile(file, { texts: new Set() });
}

function fromBrackets(name: string, text: string): Input {
  try {
    return tensorOfJson(name, JSON.parse(text));
  } catch (cause) {
    const reason = cause instanceof NdvmError ? cause.message : `${name}: not JSON`;
    throw new UsageError(`${reason}; write [1, 2, 3] for a vector, [[1, 0], [0, 1]] for a matrix`);
  }
}

export function parseInteger(name: string, text: string): Input {
  const value = numberOf(name, text);
  if (!Number.isInteger(value)) throw new UsageError(`--int ${name} needs an integer, got ${text}`);
  return int(value);
}

/** All inputs of a command line, in the order they were given. */
export async function readInputs(
  sets: readonly string[] = [],
  ints: readonly string[] = [],
): Promise<SetInputs> {
  const reader = new InputReader();
  const inputs = new Map<string, Input>();
  const put = (name: string, value: Input): void => {
    if (inputs.has(name)) throw new UsageError(`${name} is set twice`);
    inputs.set(name, value);
  };
  for (const text of sets) {
    const [name, value] = splitAssignment(text, "--set");
    put(name, await reader.parse(name, value));
  }
  for (const text of ints) {
    const [name, value] = splitAssignment(text, "--int");
    put(name, parseInteger(name, value));
  }
  return recordOf(inputs);
}

/** The numbers of an input that has one value per lane; undefined for every other kind. */
export function laneValues(input: Input): ArrayLike<number> | undefined {
  if (typeof input === "number" || "kind" in input) return undefined;
  if (input instanceof Float64Array || input instanceof Float32Array) return input;
  return input.every((value) => typeof value === "number")
    ? (input as readonly number[])
    : undefined;
}
