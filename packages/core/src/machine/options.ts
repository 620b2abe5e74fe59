/**
 * Options: what a caller may ask for, checked before anything runs.
 */

import { NdvmError } from "../errors.js";
import { makeError } from "../words.js";
import type { RunOptions } from "./types.js";

/** A value in words, for messages. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const shown = (value: unknown): string =>
  typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : typeof value === "string"
      ? JSON.stringify(value)
      : describe(value);

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

export function checkRunOptions(options: RunOptions): void {
  const { stepsMax, tapeBytesMax, timeMax, chunk, lanes, replay } = options;
  if (stepsMax !== undefined && stepsMax !== Number.POSITIVE_INFINITY)
    checkCount("stepsMax", stepsMax);
  if (chunk !== undefined) checkCount("chunk", chunk);
  if (timeMax !== undefined) checkPositive("timeMax", timeMax);
  if (tapeBytesMax !== undefined) checkPositive("tapeBytesMax", tapeBytesMax);
  if (lanes !== undefined && !isCount(lanes, LANES_MAX))
    throw badOption("lanes", `a whole number from 1 to ${LANES_MAX}`, lanes);
  if (replay !== undefined && typeof replay !== "boolean")
    throw badOption("replay", "true or false", replay);
}

/** Names to differentiate by, as an array. */
export function checkWrt(wrt: unknown): void {
  const isNames = Array.isArray(wrt) && wrt.every((name) => typeof name === "string");
  if (wrt === undefined || isNames) return;
  throw new NdvmError("E-OPTION", `wrt must be an array of input names, got ${shown(wrt)}`, {
    help: typeof wrt === "string" ? `write wrt: [${JSON.stringify(wrt)}]` : 'write wrt: ["a"]',
  });
}
