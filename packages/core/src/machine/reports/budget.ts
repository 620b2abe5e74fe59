/** The memory that what is told about runs may take. */

import type { Machine } from "../machine.js";
import { badOption } from "../options.js";
import { ByteBudget } from "../results/byte-budget.js";
import type { ReportBudget, ReportOptions } from "../types.js";

/** As large as the machine's own memory may be. */
export const newReportBudget = ({ memoryMax }: Machine): ByteBudget =>
  new ByteBudget(memoryMax, "report");

/** The budget that the caller gives to several reports, or one for this report alone. */
export function reportOf(machine: Machine, { report }: ReportOptions): ReportBudget {
  if (report === undefined) return newReportBudget(machine);
  if (report instanceof ByteBudget) return report;
  throw badOption("report", "what program.reportBudget() returns", report);
}
