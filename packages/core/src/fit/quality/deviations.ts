/** Standard deviations of observations that were told, as far as all rows have the same. */

import type { Table } from "../data/columns.js";
import type { LossName } from "../types.js";

/** The weight or deviation that all rows of a target were told to have. */
export function commonOf({ told }: Pick<Table, "told">, t: number): number | undefined {
  const numbers = told?.[t];
  return numbers?.every((each) => each === numbers[0]) ? numbers[0] : undefined;
}

/** The same of all targets; NaN where they differ. */
export function commonOfAll(table: Pick<Table, "told" | "targets">): number {
  const first = commonOf(table, 0);
  const isSame = table.targets.every((_, t) => commonOf(table, t) === first);
  return (isSame ? first : undefined) ?? Number.NaN;
}

/** The deviation of one point of a target, `sigma` being that of the fit. */
export function deviationOfTarget(
  table: Pick<Table, "told" | "targets" | "hasSigma">,
  t: number,
  lossName: LossName | "program",
  sigma: number,
): number {
  if (table.hasSigma && lossName === "squares") return commonOf(table, t) ?? Number.NaN;
  return sigma * (table.targets[t]?.scale ?? 1);
}
