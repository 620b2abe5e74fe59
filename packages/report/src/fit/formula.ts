/** The fitted model as mathematics. */

import { type FitResult, NdvmError } from "@ndvm/core";

/** Longest formula that a line shows. */
const FORMULA_MOST = 120;

/** The fitted model as a line of mathematics, where it is one. */
export function formulaOf(result: FitResult): string | undefined {
  try {
    const text = result.export("math");
    return text.length <= FORMULA_MOST ? text : undefined;
  } catch (error) {
    if (error instanceof NdvmError) return undefined;
    throw error;
  }
}
