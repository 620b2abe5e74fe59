/**
 * Directions that the data do not determine, in words.
 *
 * A null direction of the Jacobian holds at one point only. Where two parameters share it, we try
 * the usual reasons on the predictions themselves: if a·1.5 and b/1.5 predict the same as a and b,
 * they only enter as a·b.
 */

import { setField } from "../data/fields.js";
import type { Undetermined } from "../types.js";
import type { CovarianceEstimate } from "./covariance.js";

/** Makes two other values for two parameters between which a combination does not tell. */
interface Combination {
  readonly sign: string;
  move(a: number, b: number): readonly [number, number];
}

const combinations: readonly Combination[] = [
  { sign: "·", move: (a, b) => [a * 1.25, b / 1.25] },
  { sign: "/", move: (a, b) => [a * 1.25, b * 1.25] },
  { sign: " + ", move: (a, b) => [a + reach(a, b), b - reach(a, b)] },
  { sign: " − ", move: (a, b) => [a + reach(a, b), b + reach(a, b)] },
];

const reach = (a: number, b: number): number => 0.25 * (Math.max(Math.abs(a), Math.abs(b)) || 1);

/** Most parameters whose pairs are tried. */
const PAIRS_OF_MOST = 12;

interface Group {
  readonly sign: string;
  readonly members: number[];
}

/** What the data see of parameters: the predictions, or the loss where there are none. */
export type Predictor = (x: Float64Array) => Float64Array;

export function describeUndetermined(
  estimate: CovarianceEstimate,
  labels: readonly string[],
  best: Float64Array,
  predict: Predictor,
  seen: string,
): Undetermined[] {
  const { nullDirections, used } = estimate;
  if (nullDirections.length === 0) return [];
  const moving = used.filter((_, a) => nullDirections.some((d) => isMoving(d, a, best, used)));
  const test = new Test(predict, best);
  const silent = moving.filter((j) => test.isSilent(j));
  const loud = moving.filter((j) => !silent.includes(j));
  const groups = loud.length <= PAIRS_OF_MOST ? findGroups(loud, test) : [];
  const twins = loud.length <= PAIRS_OF_MOST ? findTwins(loud, groups, test, best, labels) : [];
  const words = [
    ...silent.map((j) => `${labels[j]} does not change the ${seen}`),
    ...groups.flatMap(({ sign, members }) => {
      const names = members.map((j) => labels[j] as string);
      const told = `${listed(names)} only enter as ${names.join(sign)}`;
      return members.slice(1).map(() => told);
    }),
    ...twins,
  ];
  return nullDirections.flatMap((direction, k) => {
    const named = nameDirection(direction, used, labels, best);
    // Numbers that are not finite leave a direction without a name.
    if (Object.keys(named).length === 0 && words[k] === undefined) return [];
    return [{ direction: named, words: words[k] ?? wordsOf(named, seen) }];
  });
}

/** Whether a parameter takes part in a direction, by its size. */
function isMoving(
  d: Float64Array,
  a: number,
  best: Float64Array,
  used: readonly number[],
): boolean {
  const share = (b: number) =>
    Math.abs(d[b] as number) / (Math.abs(best[used[b] as number] as number) || 1);
  const most = Math.max(...used.map((_, b) => share(b)));
  return share(a) > 1e-4 * most;
}

class Test {
  readonly #predict: Predictor;
  readonly #best: Float64Array;
  readonly #before: Float64Array;

  constructor(predict: Predictor, best: Float64Array) {
    this.#predict = predict;
    this.#best = best;
    this.#before = predict(best);
  }

  #isSame(x: Float64Array): boolean {
    const after = this.#predict(x);
    const size = this.#before.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    return after.every(
      (value, row) => Math.abs(value - (this.#before[row] as number)) <= 1e-7 * size,
    );
  }

  isSilent(j: number): boolean {
    const x = Float64Array.from(this.#best);
    x[j] = (x[j] as number) * 1.25 + 0.1;
    return this.#isSame(x);
  }

  /** Whether predictions stay the same when parameters change places, at a point off the best. */
  canSwap(left: readonly number[], right: readonly number[]): boolean {
    const x = this.#best.map((value, j) => value * (1 + 0.05 * (j + 1)) + 0.01 * (j + 1));
    const swapped = Float64Array.from(x);
    for (const [i, p] of left.entries()) {
      const q = right[i] as number;
      swapped[p] = x[q] as number;
      swapped[q] = x[p] as number;
    }
    const [before, after] = [this.#predict(x), this.#predict(swapped)];
    const size = before.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    return after.every((value, row) => Math.abs(value - (before[row] as number)) <= 1e-9 * size);
  }

  combination(a: number, b: number): string | undefined {
    const found = combinations.find(({ move }) => {
      const x = Float64Array.from(this.#best);
      const [left, right] = move(x[a] as number, x[b] as number);
      x[a] = left;
      x[b] = right;
      return (left !== this.#best[a] || right !== this.#best[b]) && this.#isSame(x);
    });
    return found?.sign;
  }
}

/**
 * Terms that are the same: parameters a and b, and k and m, that can change places all at once, k
 * and m being equal at the best fit.
 */
function findTwins(
  parameters: readonly number[],
  groups: readonly Group[],
  test: Test,
  best: Float64Array,
  labels: readonly string[],
): string[] {
  const pairs = parameters.flatMap((p, at) => parameters.slice(at + 1).map((q) => [p, q] as const));
  const value = (j: number) => best[j] as number;
  const isEqual = (p: number, q: number) =>
    Math.abs(value(p) - value(q)) <= 1e-6 * Math.max(Math.abs(value(p)), Math.abs(value(q)));
  for (const [k, m] of pairs) {
    const isTold = groups.some(({ members }) => members.includes(k) && members.includes(m));
    if (isTold || !isEqual(k, m)) continue;
    for (const [a, b] of pairs) {
      if (new Set([a, b, k, m]).size < 4 || !test.canSwap([a, k], [b, m])) continue;
      const name = (j: number) => labels[j] as string;
      return [
        `the terms of ${name(a)}, ${name(k)} and of ${name(b)}, ${name(m)} are alike, ` +
          `and ${name(k)} equals ${name(m)}: one of them is enough`,
      ];
    }
  }
  return [];
}

/** Pairs that enter as a product or sum are joined into one; the others stay pairs. */
function findGroups(parameters: readonly number[], test: Test): Group[] {
  const groups: Group[] = [];
  for (const [at, a] of parameters.entries())
    for (const b of parameters.slice(at + 1)) {
      const sign = test.combination(a, b);
      if (sign === undefined) continue;
      const joined = groups.find(
        (group) =>
          group.sign === sign && group.members.includes(a) && (sign === "·" || sign === " + "),
      );
      if (joined?.members.includes(b)) continue;
      if (joined !== undefined) joined.members.push(b);
      else if (!groups.some((group) => group.members.includes(a) && group.members.includes(b)))
        groups.push({ sign, members: [a, b] });
    }
  return groups;
}

function nameDirection(
  direction: Float64Array,
  used: readonly number[],
  labels: readonly string[],
  best: Float64Array,
): Record<string, number> {
  const named: Record<string, number> = {};
  let largest = 0;
  for (const value of direction) if (Math.abs(value) > Math.abs(largest)) largest = value;
  for (const [a, j] of used.entries())
    if (isMoving(direction, a, best, used))
      setField(named, labels[j] as string, (direction[a] as number) / largest);
  return named;
}

function wordsOf(direction: Readonly<Record<string, number>>, seen: string): string {
  const names = Object.keys(direction);
  if (names.length === 1) return `${names[0]} is not determined by the data`;
  const moves = Object.entries(direction).map(([name, by]) => `${name} by ${by.toPrecision(3)}`);
  return `${listed(names)} can move together without changing the ${seen}: ${moves.join(", ")}`;
}

export function listed(names: readonly string[]): string {
  if (names.length <= 1) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}
