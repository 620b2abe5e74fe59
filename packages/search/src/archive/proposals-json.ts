/**
 * Proposals as JSON, which has no numbers that are not finite: bounds of a parameter may be infinite.
 */

import { isProposal, listOf } from "../shapes.js";
import type { Proposal } from "../types.js";

const WORDS: ReadonlyMap<unknown, string> = new Map([
  [Number.POSITIVE_INFINITY, "\u0000Infinity"],
  [Number.NEGATIVE_INFINITY, "\u0000-Infinity"],
]);
const NUMBERS = new Map([...WORDS].map(([number, word]) => [word as unknown, number]));

export const proposalsText = (proposals: readonly Proposal[]): string =>
  JSON.stringify(proposals, (_, value: unknown) => WORDS.get(value) ?? value);

/** Undefined: the text is none of `proposalsText`. */
export function proposalsOf(text: string): readonly Proposal[] | undefined {
  try {
    const proposals: unknown = JSON.parse(text, (_, value: unknown) => NUMBERS.get(value) ?? value);
    return listOf(isProposal)(proposals) ? proposals : undefined;
  } catch {
    return undefined;
  }
}
