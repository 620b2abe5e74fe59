/** How many restarts of a fit advance together. Results do not depend on it. */

import { WIDTH_MAX } from "../../machine/run/widths.js";

/**
 * Rounds stay inside the machine while all lanes are one chunk. Where restarts have to wait in any case,
 * half of what a chunk takes stays in a core's second-level cache.
 */
const LANES_WAITING = WIDTH_MAX / 2;
const SLOTS_MOST = 64;

/** Restarts of a table of so many rows that advance together, in groups of about one size. @internal */
export function slotsFor(points: number, restarts: number): number {
  if (restarts <= SLOTS_MOST && restarts * points <= WIDTH_MAX) return restarts;
  const most = Math.max(1, Math.min(SLOTS_MOST, Math.floor(LANES_WAITING / points)));
  return Math.ceil(restarts / Math.ceil(restarts / most));
}
