/**
 * Proposals as JSON, which has no numbers that are not finite: bounds of a parameter may be infinite.
 */

import type { Proposal } from "../types.js";

const WORDS: ReadonlyMap<unknown, string> = new Map([
  [Number.POSITIVE_INFINITY, "\u0000Infinity"],
  [Number.NEGATIVE_INFINITY, "\u0000-Infinity"],
]);
const NUMBERS = new Map([...WORDS].map(([number, word]) => [word as unknown, number]));

export const proposalsText = (proposals: readonly Proposal[]): string =>
  JSON.stringify(proposals, (_, value: unknown) => WORDS.get(value) ?? value);

export const proposalsOf = (text: string): readonly Proposal[] =>
  JSON.parse(text, (_, value: unknown) => NUMBERS.get(value) ?? value) as readonly Proposal[];
