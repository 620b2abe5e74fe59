/**
 * Options: what a caller may ask for, checked before anything runs.
 */

import { NdvmError } from "../errors.js";
import { checkNames, namesOf } from "../option-names.js";
import { makeError } from "../words.js";
import type {
  AsyncGradientOptions,
  Domain,
  GradientOptions,
  Language,
  LoadOptions,
  ReportOptions,
} from "./types.js";

/** A value in words, for messages. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** As `describe`, with numbers and texts as they are. */
export const shown = (value: unknown): string =>
  typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : typeof value === "string"
      ? JSON.stringify(value)
      : describe(value);

/** A value as text, for messages. Some objects have none, and some lists of them. */
export function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return describe(value);
  }
}

/** A value as JSON, for messages. JSON itself has no big integers, and no text of what holds itself. */
export function jsonText(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  try {
    const plain = (_: string, inner: unknown) => (typeof inner === "bigint" ? `${inner}n` : inner);
    return JSON.stringify(value, plain) ?? textOf(value);
  } catch {
    return describe(value);
  }
}

export function badOption(name: string, wanted: string, got: unknown): NdvmError {
  const facts = { reason: "setting", option: name, expected: wanted, actual: shown(got) } as const;
  return makeError("E-OPTION", facts);
}

/** Most lanes of one run. */
export const LANES_MAX = 2 ** 24;

function isCount(value: unknown, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;
}

function checkCount(name: string, value: unknown): void {
  if (!isCount(value, Number.MAX_SAFE_INTEGER))
    throw badOption(name, "a whole number from 1", value);
}

function checkPositive(name: string, value: unknown): void {
  if (!(typeof value === "number" && value > 0)) throw badOption(name, "a number above 0", value);
}

const RUN = {
  wrt: 1,
  seed: 1,
  reduce: 1,
  lanes: 1,
  chunk: 1,
  replay: 1,
  stepsMax: 1,
  timeMax: 1,
  tapeBytesMax: 1,
} as const;

/** Of every way to run a program: an option of one way does no harm to another. */
export const RUN_NAMES = namesOf<GradientOptions>(RUN);
export const ASYNC_NAMES = namesOf<AsyncGradientOptions>({ ...RUN, signal: 1 });
export const REPORT_NAMES = namesOf<ReportOptions>({ ...RUN, report: 1 });

/** Refuses names that no way to run a program knows, for those who hand options on to one. */
export const checkRunNames = (owner: string, options: object): void =>
  checkNames(owner, options, ASYNC_NAMES);

export function checkRunOptions(options: Omit<GradientOptions, "wrt">): void {
  const { stepsMax, tapeBytesMax, timeMax, chunk, lanes, replay, seed, reduce } = options;
  if (stepsMax !== undefined && stepsMax !== Number.POSITIVE_INFINITY)
    checkCount("stepsMax", stepsMax);
  if (chunk !== undefined) checkCount("chunk", chunk);
  if (timeMax !== undefined) checkPositive("timeMax", timeMax);
  if (tapeBytesMax !== undefined) checkPositive("tapeBytesMax", tapeBytesMax);
  if (lanes !== undefined && !isCount(lanes, LANES_MAX))
    throw badOption("lanes", `a whole number from 1 to ${LANES_MAX}`, lanes);
  if (replay !== undefined && typeof replay !== "boolean")
    throw badOption("replay", "true or false", replay);
  checkSeedKind(seed);
  checkReduce(reduce);
}

/** A seed is numbers: a text has a length, too. */
export function checkSeedKind(seed: unknown): void {
  if (seed === undefined || typeof seed === "number") return;
  if (!(Array.isArray(seed) || ArrayBuffer.isView(seed)) || !isNumberList(seed))
    throw badOption("seed", "a number or an array of numbers", seed);
}

/** A DataView is bytes without elements. */
export const isTypedArray = (value: unknown): boolean =>
  ArrayBuffer.isView(value) && "length" in value;

/** Whether a value is an array, or like one, of numbers. Big integers are of another kind. */
export function isNumberList(value: unknown): value is ArrayLike<number> {
  if (typeof value !== "object" || value === null || !("length" in value)) return false;
  const list = value as ArrayLike<unknown>;
  if (ArrayBuffer.isView(value)) return typeof list[0] !== "bigint";
  // By index: an array with holes has places without a number.
  for (let i = 0; i < list.length; i++) if (typeof list[i] !== "number") return false;
  return true;
}

const LOAD_NAMES = namesOf<LoadOptions>({ inputs: 1, file: 1, domain: 1, language: 1 });

/** Options of another kind would be taken for none, and so would names that are misspelt. */
export const checkLoadNames = (options: unknown): void => checkNames("load", options, LOAD_NAMES);

/** How a text is to be read. It is looked at wherever a text is read, whoever reads it. */
export function checkLoadOptions({ inputs, domain, language, file }: LoadOptions): void {
  checkDomain(domain);
  checkLanguage(language);
  if (file !== undefined && typeof file !== "string") throw badOption("file", "a text", file);
  if (inputs !== undefined && !areNames(inputs))
    throw badOption("inputs", "an array of names", inputs);
}

/** A text would be taken for its letters. */
const areNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === "string");

function checkDomain(domain: Domain = "ieee"): void {
  if (domain !== "ieee" && domain !== "clamp")
    throw badOption("domain", '"ieee" or "clamp"', domain);
}

function checkLanguage(language: Language = "scheme"): void {
  if (language !== "scheme" && language !== "bytecode")
    throw badOption("language", '"scheme" or "bytecode"', language);
}

/** Names to differentiate by, as an array. */
export function checkWrt(wrt: unknown): void {
  if (wrt === undefined || areNames(wrt)) return;
  throw new NdvmError("E-OPTION", `wrt must be an array of input names, got ${shown(wrt)}`, {
    help: `write wrt: ${listed(wrt)}`,
  });
}

/** Names whose gradients are summed, as an array, or all or none. */
export function checkReduce(reduce: unknown): void {
  if (reduce === undefined || typeof reduce === "boolean" || areNames(reduce)) return;
  const message = `reduce must be true, false or an array of input names, got ${shown(reduce)}`;
  throw new NdvmError("E-OPTION", message, { help: `write reduce: ${listed(reduce)}` });
}

/** How a list of one name is written: of the text that came, where one came. */
const listed = (value: unknown): string => `[${typeof value === "string" ? shown(value) : '"a"'}]`;
