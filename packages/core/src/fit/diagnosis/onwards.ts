/**
 * Parameters that go on without end while the others follow: the deviation of points that lie exactly on a line
 * runs to 0 on a log scale, and the line has to be the more exact the smaller it is. Alone it cannot go on, so
 * the others are fitted again where it is further on.
 *
 * A Newton step tells which they are: it would take them far further. From a fit that was only ended early, Newton's
 * steps lead to a minimum.
 */

import { leadsToMinimum, lossBeside, newtonStepAt } from "../optimise/arrival.js";
import type { Restart } from "../optimise/restart.js";
import type { Finished } from "../result/result.js";
import type { Way } from "./way.js";

/** More parameters than this are not looked at, nor more that a step would take far. */
const PARAMETERS_MOST = 30;
const FAR_MOST = 4;
/** Shares of a way by which a parameter goes on, and how much slower the loss may fall there than on the way. */
const ONWARDS = [1 / 4, 1 / 16] as const;
const SLOWER = 0.9;
/** A part of what it went on by where the loss is lower already. */
const PART = 1 / 8;

/**
 * Those ways that go on, besides those of the parameters that are `told` already. `within` is what counts as no change
 * of the loss.
 */
export function waysThatGoOn(
  finished: Finished,
  winner: Restart,
  ways: readonly Way[],
  told: readonly number[],
  within: number,
): readonly Way[] {
  const { settings, driven } = finished;
  if (winner.free.length > PARAMETERS_MOST) return [];
  const step = newtonStepAt(finished, winner);
  const isFar = ({ j, side, length }: Way): boolean =>
    step === undefined || side * (step[j] as number) > ONWARDS[0] * length;
  const far = ways.filter((way) => way.hasMoved && !told.includes(way.j) && isFar(way));
  if (far.length === 0 || far.length > FAR_MOST) return [];
  const held = [...told, ...far.map(({ j }) => j)];
  const until = performance.now() + settings.timeMax - driven.milliseconds;
  if (leadsToMinimum(finished, winner, told, until)) return [];
  return far.filter((way) => {
    const lossAt = (share: number): number => {
      const x = winner.best.slice();
      x[way.j] = way.toUser(way.u + way.side * share * way.length);
      return lossBeside(finished, x, winner, held, until);
    };
    return goesOn(lossAt, within);
  });
}

/** Whether the loss falls on as it did, `lossAt` being told by shares of the way from where the parameter is. */
function goesOn(lossAt: (share: number) => number, within: number): boolean {
  const here = lossAt(0);
  const before = lossAt(-ONWARDS[0]) - here;
  return ONWARDS.some((share) => {
    const fall = here - lossAt(share);
    const isFalling = fall > within && fall > (SLOWER * before * share) / ONWARDS[0];
    return isFalling && lossAt(PART * share) <= here + within;
  });
}
