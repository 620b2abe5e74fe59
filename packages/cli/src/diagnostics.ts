/** What `ndvm explain` says about branches, tests, clamps and numbers that are not finite. */

import type { Diagnostics } from "@ndvm/core";
import { inOneLine } from "@ndvm/core/machine";

const LANES_SHOWN = 8;

export function diagnosticsText(diagnostics: Diagnostics): string {
  const lines = [
    ...diagnostics.branches.map(
      ({ text, taken, notTaken }) =>
        `branch ${oneLine(text)}: held ${times(taken)}, failed ${times(notTaken)}`,
    ),
    ...diagnostics.predicateOnly.map(
      (name) => `input ${name} reaches tests only: its gradient is zero`,
    ),
    ...diagnostics.clamped.map(
      ({ text, lanes }) => `clamped ${oneLine(text)} in ${lanesText(lanes)}: no gradient there`,
    ),
    ...diagnostics.nonFinite.map(({ message }) => message),
  ];
  return lines.length === 0
    ? "no branch on numbers, nothing to be wary of"
    : lines.map(inOneLine).join("\n");
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

function lanesText(lanes: readonly number[]): string {
  const shown = lanes.slice(0, LANES_SHOWN).join(", ");
  const more = lanes.length > LANES_SHOWN ? ` and ${lanes.length - LANES_SHOWN} more` : "";
  return `${lanes.length === 1 ? "lane" : "lanes"} ${shown}${more}`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
}
