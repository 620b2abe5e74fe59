/**
 * Shapes: what data must look like that come from a file. Everything that is read from an archive goes
 * through one of these before anybody uses it. A shape that fits has all fields of its type, each of
 * the right kind, and numbers that are finite. `undefined` stands for a field that is not there.
 */

import { own, type ParameterSpec } from "@ndvm/core";
import type { Json, Proposal, Spending } from "./types.js";

export type Shape<V> = (value: unknown) => value is V;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const isText = (value: unknown): value is string => typeof value === "string";
export const isFlag = (value: unknown): value is boolean => typeof value === "boolean";
/** JSON has no infinite numbers, but 1e999 is read as one. */
export const isNumber = (value: unknown): value is number => Number.isFinite(value);
export const isAmount = (value: unknown): value is number => isNumber(value) && value >= 0;
/** A whole number, 0 or more: a visit, a place, how many there are. */
export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

export const maybe =
  <V>(isGood: Shape<V>): Shape<V | undefined> =>
  (value): value is V | undefined =>
    value === undefined || isGood(value);

export const orNull =
  <V>(isGood: Shape<V>): Shape<V | null> =>
  (value): value is V | null =>
    value === null || isGood(value);

export const oneOf =
  <V extends string>(...words: readonly V[]): Shape<V> =>
  (value): value is V =>
    words.some((word) => word === value);

export const listOf =
  <V>(isGood: Shape<V>): Shape<readonly V[]> =>
  (value): value is readonly V[] =>
    Array.isArray(value) && value.every(isGood);

export const mapOf =
  <V>(isGood: Shape<V>): Shape<Readonly<Record<string, V>>> =>
  (value): value is Readonly<Record<string, V>> =>
    isRecord(value) && Object.values(value).every(isGood);

/** An object with these fields; others do no harm. */
export const objectOf =
  <V>(fields: { readonly [K in keyof V]-?: Shape<V[K]> }): Shape<V> =>
  (value): value is V =>
    isRecord(value) &&
    Object.entries<Shape<unknown>>(fields).every(([name, isGood]) => isGood(own(value, name)));

export const isCounts = listOf(isCount);
export const isNames = listOf(isText);
export const isNumberMap = mapOf(isNumber);

/** Levels of lists and objects inside each other that any JSON of ours may have. */
const LEVELS_MOST = 100;

/** Any JSON that is not so deep that whoever goes through it would run out of stack. */
export const isJson = (value: unknown): value is Json => hasLevels(value, LEVELS_MOST);

function hasLevels(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return most > 0 && Object.values(value).every((part) => hasLevels(part, most - 1));
}

export const isSpending: Shape<Spending> = objectOf<Spending>({
  requests: isAmount,
  inputTokens: isAmount,
  outputTokens: isAmount,
  cost: isAmount,
});

/** Where parameters start: a number, or more that is said of one. */
export const isStarts = mapOf(
  (value): value is ParameterSpec => isNumber(value) || (isRecord(value) && isJson(value)),
);

export const isProposal: Shape<Proposal> = objectOf<Proposal>({
  source: isText,
  parents: isCounts,
  origin: isText,
  params: maybe(isStarts),
  prompt: maybe(isText),
  isRevisit: maybe(isFlag),
});
