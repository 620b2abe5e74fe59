/** A member of the front as mathematics. */

import { exportModel, NdvmError } from "@ndvm/core";
import type { StudyMember } from "./story.js";

/** Significant digits of constants in formulas. */
const DIGITS = 4;

/** The member in readable mathematics, or its Scheme where it is no closed form. */
export function memberFormula({ source, params }: Pick<StudyMember, "source" | "params">): string {
  const model = { program: source, params };
  try {
    return exportModel(model, "math", { digits: DIGITS });
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    return exportModel(model, "scheme").trim();
  }
}
