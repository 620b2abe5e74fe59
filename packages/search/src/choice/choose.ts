/**
 * The choice: which member of a front is the answer, why, and what to be wary of.
 */

import { own } from "@ndvm/core";
import type { FrontMember } from "../types.js";
import { log2 } from "./bits.js";
import type { Yardstick } from "./yardstick.js";

/** The most accurate member, on the training rows. */
export function bestOf(front: readonly FrontMember[]): FrontMember | undefined {
  return least(front, ({ loss }) => loss);
}

/** The member of least description length; weighed ones go first. */
export function choiceOf(front: readonly FrontMember[]): FrontMember | undefined {
  const weighed = front.filter(({ isWeighed }) => isWeighed);
  return least(weighed.length > 0 ? weighed : front, ({ length }) => length);
}

/** The member that would be chosen if the choice were not there. */
export function nextBestOf(front: readonly FrontMember[]): FrontMember | undefined {
  const chosen = choiceOf(front);
  return choiceOf(front.filter((member) => member !== chosen));
}

function least(
  members: readonly FrontMember[],
  by: (member: FrontMember) => number,
): FrontMember | undefined {
  let found: FrontMember | undefined;
  for (const member of members) if (found === undefined || by(member) < by(found)) found = member;
  return found;
}

/** A margin below which the data hardly tell two models apart: odds of 1 to 100. */
const CLEAR_BITS = 6.64;

/** Why a member was chosen, and what the next best would be. `name` says how a member is called. */
export function whyChosen(
  front: readonly FrontMember[],
  name: (member: FrontMember) => string = ({ complexity }) => `the model of size ${complexity}`,
): string | undefined {
  const chosen = choiceOf(front);
  if (chosen === undefined) return undefined;
  const { parts } = chosen;
  const gaps = parts.gaps >= 0.05 ? `, gaps ${bits(parts.gaps)}` : "";
  const own =
    `it takes the fewest bits to write the data down with it: ${bits(chosen.length)} ` +
    `(data ${bits(parts.data)}, constants ${bits(parts.constants)}, ` +
    `symbols ${bits(parts.symbols)}${gaps})`;
  const next = nextBestOf(front);
  if (next === undefined) return `${own}; there is no other member`;
  const margin = next.length - chosen.length;
  const doubt = margin < CLEAR_BITS ? ", so the data hardly tell the two apart" : "";
  return `${own}; the next best, ${name(next)}, takes ${bits(margin)} more${doubt}: ${tradeOf(chosen, next)}`;
}

const bits = (value: number): string => value.toFixed(1);

/** What the other model would gain and lose. */
function tradeOf(chosen: FrontMember, next: FrontMember): string {
  const data = next.parts.data - chosen.parts.data;
  const own = next.length - chosen.length - data;
  const rows = `it explains the rows ${data < 0 ? "better" : "worse"} by ${bits(Math.abs(data))} bits`;
  return `${rows} and is itself ${own < 0 ? "shorter" : "longer"} by ${bits(Math.abs(own))}`;
}

/**
 * Held-out rows that tell models apart, at least: with fewer, the losses of two models that are
 * equally good differ by chance more than 2.7 times in one comparison of ten.
 */
const HELD_OUT_LEAST = 12;

/** What to be wary of where few rows are held out; undefined where there are enough. */
export function heldOutWarning(rows: number): string | undefined {
  if (rows >= HELD_OUT_LEAST) return undefined;
  const [are, they] = rows === 1 ? ["row is", "it"] : ["rows are", "they"];
  return (
    `only ${rows} ${are} held out: ${they} can hardly show whether a model holds on rows that it has ` +
    "not seen; hold out more rows, or try the model on other data"
  );
}

/** Evidence, in bits, against equal errors on both kinds of rows before it is told. */
const WORSE_BITS = 10;

export interface HeldOutRows {
  readonly rows: number;
  /** Sum of squares of the target around its mean. */
  readonly squares: number;
}

/** What to be wary of in the chosen model, in sentences without a full stop. */
export function choiceWarnings(
  chosen: FrontMember | undefined,
  held: HeldOutRows,
  yardstick: Yardstick,
): readonly string[] {
  if (chosen === undefined) return [];
  const warnings: string[] = [];
  const { trainRows, leastSquare } = yardstick;
  const free = Math.max(1, trainRows - Object.keys(chosen.params).length);
  const trained = Math.max(chosen.loss / free, leastSquare);
  const missed = Math.max(((1 - chosen.r2) * held.squares) / held.rows, leastSquare);
  const ratio = missed / trained;
  // Twice the logarithm of the likelihood ratio of one variance against two.
  const evidence = 0.5 * held.rows * ((ratio - 1) / Math.LN2 - log2(ratio));
  if (ratio > 2 && evidence > WORSE_BITS)
    warnings.push(
      `on the held-out rows the chosen model misses by ${Math.sqrt(ratio).toPrecision(2)} times as ` +
        "much as on the rows that it was fitted to",
    );
  warnings.push(...openWarnings(chosen));
  if (chosen.hidden > 0)
    warnings.push(
      `between ${(100 * chosen.hidden).toPrecision(2)} % of neighbouring rows the chosen model swings ` +
        "where no row shows it",
    );
  return warnings;
}

/** Of constants that the data do not determine, and of those that may be 0. */
function openWarnings({ undetermined, intervals }: FrontMember): string[] {
  const isKnown = (name: string) => own(intervals, name)?.every(Number.isFinite) ?? false;
  const unknown = undetermined.filter((name) => !isKnown(name));
  const nearZero = undetermined.filter(isKnown);
  const warnings: string[] = [];
  if (unknown.length > 0) {
    const [are, they] = unknown.length === 1 ? ["is", "it"] : ["are", "they"];
    warnings.push(
      `${unknown.join(", ")} ${are} not determined by the data: ${they} may have any value, alone or ` +
        "together with others",
    );
  }
  if (nearZero.length > 0) {
    const isOne = nearZero.length === 1;
    const needs = isOne ? "its sign, or whether it is" : "their signs, or whether they are";
    warnings.push(
      `0 lies in the 95 % interval${isOne ? "" : "s"} of ${nearZero.join(", ")}: the data do not tell ` +
        `${needs} needed`,
    );
  }
  return warnings;
}
