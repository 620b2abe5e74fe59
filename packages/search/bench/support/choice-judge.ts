/**
 * Judges members of fronts: which of them are the law, and which one each rule would choose.
 */

import { type Machine, NdvmError } from "@ndvm/core";
import type { FrontMember } from "../../src/index.js";
import { choiceOf } from "../../src/index.js";
import { deviation, type Table } from "./choice-tables.js";

/** A member may be this many times as large as the law, and two more. */
const SIZE_FACTOR = 1.5;
/** A fit of the law itself misses by one of these in seldom one case of a hundred. */
const ERRORS = 3;
/** Without noise a model counts as exact that misses by less than this share of the deviation. */
const EXACT = 1e-6;

/**
 * Whether a member is the law: within the error that a fit of the law would have, on rows without
 * noise, and at most 1.5 times as large.
 */
export function isLaw(member: FrontMember, table: Table, machine: Machine): boolean {
  if (member.complexity > Math.max(SIZE_FACTOR * table.size, table.size + 1)) return false;
  const values = predictions(member, table, machine);
  if (values === undefined) return false;
  let squares = 0;
  for (const [i, y] of table.truth.entries()) squares += (y - (values[i] as number)) ** 2;
  const miss = Math.sqrt(squares / table.truth.length);
  const own = ERRORS * table.sigma * Math.sqrt(table.constants / table.rows);
  return miss <= Math.max(own, EXACT * deviation(table.truth));
}

function predictions(
  { source, params }: FrontMember,
  { inputs, grid, truth }: Table,
  machine: Machine,
): Float64Array | undefined {
  const program = machine.load(source, { inputs });
  try {
    const { values } = program.evaluate({ ...params, ...grid });
    return values.length === truth.length
      ? values
      : new Float64Array(truth.length).fill(values[0] as number);
  } catch (error) {
    if (error instanceof NdvmError) return undefined;
    throw error;
  } finally {
    program.dispose();
  }
}

type Rule = (front: readonly FrontMember[], rows: number) => FrontMember | undefined;

const least =
  (by: (member: FrontMember, rows: number) => number): Rule =>
  (front, rows) => {
    let found: FrontMember | undefined;
    for (const member of front)
      if (found === undefined || by(member, rows) < by(found, rows)) found = member;
    return found;
  };

const nearest = (
  front: readonly FrontMember[],
  left: (member: FrontMember) => number,
): readonly FrontMember[] => {
  const most = 1.5 * Math.min(...front.map(left));
  return front.filter((member) => left(member) <= most);
};

const shareLeft = ({ r2, trainR2 }: FrontMember): number =>
  Math.max(1e-10, 1 - Math.min(r2, trainR2));

/** The choice of this version, and what others would have chosen from the same front. */
export const rules: Readonly<Record<string, Rule>> = {
  length: (front) => choiceOf(front),
  "old rule": (front) => least(({ score }) => -score)(nearest(front, shareLeft), 0),
  BIC: least(({ bic }) => bic),
  AIC: least(({ bic, params }, rows) => bic - (Math.log(rows) - 2) * Object.keys(params).length),
  PySR: (front) =>
    least(({ score }) => -score)(
      nearest(front, ({ loss }) => loss),
      0,
    ),
  "held out": least(({ r2 }) => -r2),
};

/** Wilson's interval of 95 % for a share. */
export function wilson(hits: number, of: number): readonly [number, number] {
  if (of === 0) return [0, 1];
  const z = 1.96;
  const share = hits / of;
  const middle = (share + (z * z) / (2 * of)) / (1 + (z * z) / of);
  const half =
    (z / (1 + (z * z) / of)) * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/** How likely so uneven a split of pairs, or a more uneven one, is by chance alone. */
export function signTest(one: number, other: number): number {
  const pairs = one + other;
  const few = Math.min(one, other);
  let term = 0.5 ** pairs;
  let sum = 0;
  for (let k = 0; k <= few; k++) {
    sum += term;
    term *= (pairs - k) / (k + 1);
  }
  return Math.min(1, 2 * sum);
}
