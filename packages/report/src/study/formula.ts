/** A member of the front as mathematics. */

import { exportModel, NdvmError } from "@ndvm/core";
import type { StudyLoad, StudyMember } from "./story.js";

/** Significant digits of constants in formulas. */
const DIGITS = 4;

/**
 * The member in readable mathematics, or its Scheme where it is no closed form. The study says how its
 * programs are loaded: a column may be called as a word of the language is.
 */
export function memberFormula(
  { source, params }: Pick<StudyMember, "source" | "params">,
  { inputs, domain }: StudyLoad,
): string {
  const model = { program: source, params, load: { inputs, domain } };
  try {
    return exportModel(model, "math", { digits: DIGITS });
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    return exportModel(model, "scheme").trim();
  }
}
