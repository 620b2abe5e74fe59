/**
 * Which fits are settled where they ended (absolute.ts): those by absolute deviations, and those by a loss of the
 * user's own that is straight but for corners.
 */

import { NdvmError } from "../../errors.js";
import type { Problem } from "../fit.js";
import { type Corners, cornersOfAbsolute, findCorners, type LossProbe } from "../loss/corners.js";
import type { Settings } from "../settings.js";
import { type SettlingVerdict, settleCorners } from "./absolute.js";
import { limited, lossSession, type ResidualBatch } from "./batch.js";
import type { Restart } from "./restart.js";

/** More points than this are not asked for their corners. */
const POINTS_MOST = 1_000_000;

/** Brings a restart to the least sum where the loss is all kinks; undefined where it is not. */
export async function settle(
  problem: Problem,
  settings: Settings,
  restart: Restart,
  millisecondsMax: number,
): Promise<SettlingVerdict | undefined> {
  const corners = cornersOf(problem, settings, restart);
  return corners && settleCorners(problem, corners, restart, millisecondsMax);
}

function cornersOf(
  { table, batches, lossProgram, options }: Problem,
  { lossName, targets }: Settings,
  { best }: Restart,
): Corners | undefined {
  if (table === undefined) return undefined;
  if (lossName === "absolute") return cornersOfAbsolute(table);
  if (lossProgram === undefined || table.points > POINTS_MOST) return undefined;
  const batch = batches.of(1) as ResidualBatch;
  batch.x.set(best);
  batch.run();
  const predictions = table.target.map((_, point) => batch.prediction(0, point));
  const target = targets.length > 1 ? "target" : (targets[0] as string);
  const session = lossSession(lossProgram, table, 1, target, limited(options));
  const probe: LossProbe = (places) => {
    session.inputs["pred"]?.set(places);
    session.run();
    const slopes = session.gradients["pred"] ?? [];
    return { values: Float64Array.from(session.values), slopes: Float64Array.from(slopes) };
  };
  try {
    return findCorners(table, predictions, probe, batch.isSingle);
  } catch (error) {
    // Far out a loss may fail.
    if (error instanceof NdvmError) return undefined;
    throw error;
  }
}
