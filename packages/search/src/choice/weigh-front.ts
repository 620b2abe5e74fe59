/**
 * Weighs the members of a front, those of the shortest rough length first, and finds those that are
 * one function.
 */

import { NdvmError } from "@ndvm/core";
import type { Study } from "../study.js";
import type { Outcome, Weighing } from "../types.js";
import { type Likeness, twinsAmong } from "./twins.js";
import { Scales } from "./weigh.js";
import { roughLength, totalOf, yardstickOf } from "./yardstick.js";

/** Members are weighed while they have so many rows together, and so many of them in any case. */
const ROWS_MOST = 400_000;
const MEMBERS_LEAST = 12;

/** By visit. Members that are too many, or have no length on all rows, are left out. */
export async function weighFront(
  study: Study,
  members: readonly Outcome[],
): Promise<ReadonlyMap<number, Weighing>> {
  const weighings = new Map<number, Weighing>();
  if (members.length === 0) return weighings;
  const yardstick = yardstickOf(study);
  const rough = (member: Outcome): number => totalOf(roughLength(member, yardstick));
  const count = Math.max(MEMBERS_LEAST, Math.floor(ROWS_MOST / yardstick.rows));
  const order = [...members].sort((a, b) => rough(a) - rough(b) || a.visit - b.visit);
  const scales = await Scales.create(study);
  try {
    const likenesses: Likeness[] = [];
    for (const member of order.slice(0, count)) {
      const weighing = await weighed(scales, member);
      if (weighing === undefined) continue;
      weighings.set(member.visit, weighing);
      likenesses.push({ visit: member.visit, weighing, ...(await scales.predict(weighing)) });
    }
    for (const [visit, twinOf] of twinsAmong(likenesses, yardstick))
      weighings.set(visit, { ...(weighings.get(visit) as Weighing), twinOf });
  } finally {
    scales.dispose();
  }
  return weighings;
}

/** A program that fails on all rows, though not on the training rows, has no length. */
async function weighed(scales: Scales, member: Outcome): Promise<Weighing | undefined> {
  try {
    return await scales.weigh(member);
  } catch (error) {
    if (error instanceof NdvmError) return undefined;
    throw error;
  }
}
