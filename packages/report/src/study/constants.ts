/** What is told of a constant beside its value and its interval. */

import { own } from "@ndvm/core";
import type { StudyMember } from "./story.js";

/** "taken as exact", "not determined", "may be 0", or "". */
export function constantNote(
  { simple, undetermined, intervals }: Pick<StudyMember, "simple" | "undetermined" | "intervals">,
  name: string,
): string {
  if (simple.includes(name)) return "taken as exact";
  if (!undetermined.includes(name)) return "";
  const isKnown = own(intervals, name)?.every(Number.isFinite) ?? false;
  return isKnown ? "may be 0" : "not determined";
}
