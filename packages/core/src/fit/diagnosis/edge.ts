/**
 * Parameters that have come to the edge of where the program is defined, wherever that is: a variance
 * at 1e-11, or k near 1 in √(k − 1). At an edge the loss is as low as anywhere nearby, and no lower
 * further off. A fit that did not converge may have been stopped on its way there.
 */

import type { Compare, Way } from "./way.js";

/** An edge is near at this share of the way that a parameter went. */
const NEAR = 1e-6;
const HALVINGS = 40;
/** How many times as far from the edge the loss is looked at. */
const BACK = 10;

/** What to say of a parameter at an edge; undefined elsewhere. */
export function edgeWords(
  way: Way,
  shown: string,
  hasConverged: boolean,
  compare: Compare,
): string | undefined {
  if (!way.hasMoved) return undefined;
  for (const side of [way.side, -way.side]) {
    const distance = distanceToEdge(way, side, compare);
    if (distance === undefined) continue;
    const at = (by: number) => compare([[way.j, way.toUser(way.u + side * by)]]);
    // Nearer than its last digits there is nothing to compare.
    const isLast = way.u + (side * distance) / 2 === way.u;
    const nearer = isLast ? "same" : at(distance / 2);
    const back = at(-BACK * Math.max(distance, 2 ** -50 * way.length));
    const isThere =
      (nearer === "same" || nearer === "lower") && (back === "same" || back === "higher");
    if (!isThere && hasConverged) continue;
    const edge = way.toUser(way.u + side * distance);
    return wordsOf(way, shown, edge, distance, !isThere || nearer === "lower");
  }
  return undefined;
}

/** How far the edge is on one side; undefined where none is near. */
function distanceToEdge(way: Way, side: number, compare: Compare): number | undefined {
  const isOutside = (by: number) =>
    compare([[way.j, way.toUser(way.u + side * by)]]) === "not finite";
  let outside = NEAR * way.length;
  if (!isOutside(outside)) return undefined;
  let inside = outside;
  while (way.u + side * inside !== way.u) {
    inside /= BACK;
    if (!isOutside(inside)) break;
    outside = inside;
  }
  for (let turn = 0; turn < HALVINGS; turn++) {
    const middle = (inside + outside) / 2;
    if (isOutside(middle)) outside = middle;
    else inside = middle;
  }
  return outside;
}

function wordsOf(
  { label }: Way,
  shown: string,
  edge: number,
  distance: number,
  isFalling: boolean,
): string {
  // What halving leaves of 0 is no edge of its own.
  const isZero = Math.abs(edge) <= 1e-9 * distance;
  const there = isZero ? "0" : String(Number(edge.toPrecision(6)));
  const advice = isZero ? "give it bounds or a log scale" : "give it bounds";
  return isFalling
    ? `${label} was still on its way to ${there} at ${shown}, the edge of where the program is defined: ${advice}`
    : `${label} ran to ${shown}, where it is as good as ${there}, the edge of where the program is defined: ${advice}`;
}
