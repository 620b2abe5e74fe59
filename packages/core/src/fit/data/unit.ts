/**
 * The size of residuals that lm damps as if it were 1.
 *
 * lm divides what a parameter does to the residuals by that plus one unit, so parameters whose slopes
 * are far below the unit hardly move, and a fit would end where it began. Data and parameters of ordinary
 * size have the unit 1. For others it is far below the weighted target divided by the largest parameter,
 * so that no slope is: then a fit has the same steps in whatever units its columns are told. Powers of
 * two round nothing.
 */

import type { Free } from "../parameters/parameters.js";
import type { Table } from "./columns.js";

/** Numbers between 2⁻²⁰ and 2²⁰ are ordinary. */
const POWER_ORDINARY = 20;
/** How many powers of two the unit is below other targets. */
const POWERS_BELOW = 60;
/** The least power of the unit: its square is a number, too. */
const POWER_LEAST = -500;

/** @internal */
export function residualUnit(
  { target, columns, rootWeights }: Pick<Table, "target" | "columns" | "rootWeights">,
  free: readonly Pick<Free, "start" | "range">[],
): number {
  const power = powerOf(sizeOf(target, rootWeights));
  const parameter = powerOf(free.reduce((most, one) => Math.max(most, startSize(one)), 0));
  let isOrdinary = Math.abs(power) <= POWER_ORDINARY && parameter <= POWER_ORDINARY;
  for (const column of Object.values(columns))
    isOrdinary &&= Math.abs(powerOf(sizeOf(column))) <= POWER_ORDINARY;
  if (isOrdinary) return 1;
  const wanted = power - Math.max(0, parameter) - POWERS_BELOW;
  return halved(Math.min(-POWER_LEAST, -wanted));
}

/** How large a parameter may be where a restart begins. */
const startSize = ({ start, range: [from, to] }: Pick<Free, "start" | "range">): number =>
  Math.abs(start ?? Math.max(Math.abs(from), Math.abs(to)));

/** The largest magnitude of a column's finite numbers, each times its factor. */
function sizeOf(column: Float64Array, factors?: Float64Array): number {
  let most = 0;
  for (let i = 0; i < column.length; i++) {
    const size = Math.abs((column[i] as number) * (factors?.[i] ?? 1));
    if (size > most && size < Number.POSITIVE_INFINITY) most = size;
  }
  return most;
}

/** The power of two that a number is between one and two times; 0 for 0. */
function powerOf(size: number): number {
  if (size === 0 || size === Number.POSITIVE_INFINITY) return 0;
  let power = 0;
  let left = size;
  for (; left < 1; left *= 2) power -= 1;
  for (; left >= 2; left /= 2) power += 1;
  return power;
}

/** One, halved so many times. */
function halved(times: number): number {
  let one = 1;
  for (let left = times; left > 0; left--) one /= 2;
  return one;
}
