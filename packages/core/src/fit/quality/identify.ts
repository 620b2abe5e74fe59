/**
 * Directions that the data do not determine, in words.
 *
 * A null direction of the Jacobian holds at one point only. Where two parameters share it, we try
 * the usual reasons on the predictions themselves: if a·1.5 and b/1.5 predict the same as a and b,
 * they only enter as a·b.
 */

import { setField } from "../data/fields.js";
import type { Restart } from "../optimise/restart.js";
import type { Finished } from "../result/result.js";
import type { FitDiagnostics, Identifiability, Undetermined } from "../types.js";
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

/** The predictions of every point, or the loss where the program's value is one. */
export function predictorOf({ batches, table }: Pick<Finished, "batches" | "table">): Predictor {
  const batch = batches.of(1);
  return (x) => {
    batch.x.set(x);
    batch.run();
    const points = table?.points ?? 1;
    return Float64Array.from({ length: points }, (_, row) => batch.prediction(0, row));
  };
}

/**
 * Without what is only so because of parameters that are gone. `rest` is the estimate while they stay where they are: a
 * direction that it does not leave open is none, and what moves only together with them is said of them already.
 */
export function withoutFalse(
  found: Identifiability,
  labels: readonly string[],
  { covariance }: CovarianceEstimate,
  gone: readonly number[],
): Identifiability {
  const isGone = (name: string): boolean => gone.includes(labels.indexOf(name));
  const isOpen = (name: string): boolean =>
    Number.isNaN(covariance[labels.indexOf(name) * (labels.length + 1)]);
  const undetermined = found.undetermined.filter(({ direction }) => {
    const names = Object.keys(direction);
    return names.some((name) => (isGone(name) ? names.length === 1 : isOpen(name)));
  });
  const correlated = found.correlated.filter(([a, b]) => !isGone(a) && !isGone(b));
  return { ...found, undetermined, correlated };
}

/** Of a parameter that is on a plateau, how far that goes tells more than that the data do not determine it. */
export function withPlateaus(
  found: Identifiability,
  told: FitDiagnostics["runaways"],
): Identifiability {
  const undetermined = found.undetermined.map((one) => {
    const [name, second] = Object.keys(one.direction);
    const other = told.find((each) => each.kind === "not determined" && each.name === name);
    return second === undefined && other !== undefined ? { ...one, words: other.words } : one;
  });
  return { ...found, undetermined };
}

export function identify(
  finished: Finished,
  winner: Restart,
  estimate: CovarianceEstimate | undefined,
  labels: readonly string[],
  used: readonly number[],
): Identifiability | undefined {
  if (estimate === undefined) return undefined;
  const { table } = finished;
  const size = labels.length;
  const correlated: [string, string, number][] = [];
  for (const i of used)
    for (const j of used) {
      if (j <= i) continue;
      const at = (a: number, b: number) => estimate.covariance[a * size + b] as number;
      const correlation = at(i, j) / Math.sqrt(at(i, i) * at(j, j));
      if (Math.abs(correlation) > 0.99)
        correlated.push([labels[i] as string, labels[j] as string, correlation]);
    }
  return {
    parameters: estimate.used.length,
    rank: estimate.rank,
    condition: estimate.condition,
    undetermined: describeUndetermined(
      estimate,
      labels,
      winner.best,
      predictorOf(finished),
      table === undefined ? "loss" : "predictions",
      { start: winner.start, isSingle: finished.batches.of(1).isSingle },
    ),
    atBounds: labels.filter((_, j) => !used.includes(j)),
    correlated,
  };
}

/** Where the fit began, in which precision the machine works, and whether to tell only what is sure. */
export interface Elsewhere {
  readonly start?: Float64Array;
  readonly isSingle?: boolean;
  readonly isCertain?: boolean;
}

export function describeUndetermined(
  estimate: CovarianceEstimate,
  labels: readonly string[],
  best: Float64Array,
  predict: Predictor,
  seen: "predictions" | "loss",
  elsewhere: Elsewhere = {},
): Undetermined[] {
  const { nullDirections, used } = estimate;
  if (nullDirections.length === 0) return [];
  const moving = used.filter((_, a) => nullDirections.some((d) => isMoving(d, a, best, used)));
  const test = new Test(predict, best, elsewhere);
  const silent = moving.filter((j) => test.isSilent(j));
  const loud = moving.filter((j) => !silent.includes(j));
  const groups = loud.length <= PAIRS_OF_MOST ? findGroups(loud, test) : [];
  const twins = loud.length <= PAIRS_OF_MOST ? findTwins(loud, groups, test, best, labels) : [];
  const words = [
    ...silent.map((j) => `${labels[j]} does not change the ${seen}`),
    ...groups.flatMap((group) => group.members.slice(1).map(() => wordsOfGroup(group, labels))),
    ...twins,
  ];
  return nullDirections.flatMap((direction, k) => {
    const named = nameDirection(direction, used, labels, best);
    // Numbers that are not finite leave a direction without a name.
    if (Object.keys(named).length === 0 && words[k] === undefined) return [];
    const told = words[k] ?? wordsOf(named, labels, seen, test, elsewhere.isCertain === true);
    return told === undefined ? [] : [{ direction: named, words: told }];
  });
}

function wordsOfGroup({ sign, members }: Group, labels: readonly string[]): string {
  const names = members.map((j) => labels[j] as string);
  return `${listed(names)} only enter as ${names.join(sign)}`;
}

/** Combinations of parameters that are all that is seen of them, tried on values without derivatives. */
export function findCombinations(
  candidates: readonly number[],
  labels: readonly string[],
  best: Float64Array,
  predict: Predictor,
  elsewhere: Elsewhere,
): { readonly members: readonly number[]; readonly words: string }[] {
  if (candidates.length < 2 || candidates.length > PAIRS_OF_MOST) return [];
  const groups = findGroups(candidates, new Test(predict, best, elsewhere));
  return groups.map((group) => ({ members: group.members, words: wordsOfGroup(group, labels) }));
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

/** Shares of what moving one parameter changes, and of the numbers themselves, that count as nothing. */
const NOTHING_BESIDE = 1e-6;
const ROUNDING = { double: 1e-12, single: 1e-6 } as const;

/** A place, what is seen there, and how large it is. */
interface Place {
  readonly x: Float64Array;
  readonly seen: Float64Array;
  readonly size: number;
}

/** How far on the way back to the start changes are tried, too. */
const BACK = [0, 0.5, 1];

/**
 * Tries changes at the best parameters and at places between them and the start. What holds at the best
 * alone may be no law: where all chances are 0 or 1, hardly anything changes them.
 */
class Test {
  readonly #predict: Predictor;
  readonly #best: Float64Array;
  readonly #start: Float64Array;
  readonly #here: Place;
  readonly #rounding: number;

  constructor(predict: Predictor, best: Float64Array, { start = best, isSingle }: Elsewhere) {
    this.#predict = predict;
    this.#best = best;
    this.#rounding = isSingle ? ROUNDING.single : ROUNDING.double;
    this.#start = start;
    this.#here = placeOf(best, predict(best));
  }

  /** The best, and others where these parameters are on their way to the start. */
  #places(moved: readonly number[]): Place[] {
    const others = BACK.map((share) => {
      const x = Float64Array.from(this.#best);
      for (const j of moved) x[j] = this.#between(j, share);
      return placeOf(x, this.#predict(x));
    });
    return [this.#here, ...others.filter(({ size }) => Number.isFinite(size))];
  }

  /** A value on the way from the best to the start and a little off it, each parameter by its own share. */
  #between(j: number, share: number): number {
    const [here, there] = [this.#best[j] as number, this.#start[j] as number];
    const size = Math.max(Math.abs(here), Math.abs(there)) || 1;
    const own = 0.3 + (((j + 1) * 0.6180339887498949) % 1);
    return here + share * (there - here) + 0.05 * own * size;
  }

  /** How much a change moves what is seen; NaN where that is not finite. */
  #change({ seen }: Place, x: Float64Array): number {
    const after = this.#predict(x);
    let most = 0;
    for (const [row, value] of after.entries())
      most = Math.max(most, Math.abs(value - (seen[row] as number)));
    return most;
  }

  #alone(place: Place, j: number): number {
    const x = Float64Array.from(place.x);
    x[j] = (x[j] as number) * 1.25 + 0.1 * (sizeOf(this.#best, j) || 1);
    return this.#change(place, x);
  }

  isSilent(j: number): boolean {
    const isNothing = (place: Place, change: number): boolean =>
      Number.isNaN(change) || change <= this.#rounding * place.size;
    const places = this.#places([...this.#best.keys()]);
    if (!places.every((place) => isNothing(place, this.#alone(place, j)))) return false;
    // A parameter of a test may change nothing until it has another sign.
    return [0, -(this.#best[j] as number)].every((value) => {
      const x = Float64Array.from(this.#best);
      x[j] = value;
      return isNothing(this.#here, this.#change(this.#here, x));
    });
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
    const places = this.#places([a, b]).map((place) => ({
      ...place,
      alone: Math.max(this.#alone(place, a), this.#alone(place, b)),
    }));
    return combinations.find(({ move }) => this.#isKept(a, b, move, places))?.sign;
  }

  /** Whether a move changes nothing at any place, and would show at one of them at least. */
  #isKept(
    a: number,
    b: number,
    move: Combination["move"],
    places: readonly (Place & { readonly alone: number })[],
  ): boolean {
    let canTell = false;
    for (const place of places) {
      const x = Float64Array.from(place.x);
      const [left, right] = move(x[a] as number, x[b] as number);
      if (left === x[a] && right === x[b]) continue;
      x[a] = left;
      x[b] = right;
      const { alone } = place;
      const rounding = this.#rounding * place.size;
      const change = this.#change(place, x);
      if (Number.isNaN(alone) || Number.isNaN(change)) continue;
      if (change > NOTHING_BESIDE * alone + rounding) return false;
      canTell ||= NOTHING_BESIDE * alone > rounding;
    }
    return canTell;
  }

  /** What a long way in a direction does to what is seen, both ways. */
  along(moves: readonly (readonly [j: number, by: number])[]): readonly number[] {
    const place = this.#here;
    const far = Math.max(...moves.map(([j, by]) => Math.abs(by) / (sizeOf(place.x, j) || 1)));
    const alone = Math.max(...moves.map(([j]) => this.#alone(place, j)).filter(Number.isFinite), 0);
    return [-1, 1].map((side) => {
      const x = Float64Array.from(place.x);
      for (const [j, by] of moves) x[j] = (x[j] as number) + (side * 0.25 * by) / far;
      const change = this.#change(place, x);
      const isNothing = change <= NOTHING_BESIDE * alone + this.#rounding * place.size;
      if (isNothing) return 0;
      return (this.#predict(x)[0] as number) - (place.seen[0] as number);
    });
  }
}

const sizeOf = (x: Float64Array, j: number): number => Math.abs(x[j] as number);

const placeOf = (x: Float64Array, seen: Float64Array): Place => ({
  x,
  seen,
  size: seen.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
});

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

function wordsOf(
  direction: Readonly<Record<string, number>>,
  labels: readonly string[],
  seen: "predictions" | "loss",
  test: Test,
  isCertain: boolean,
): string | undefined {
  const names = Object.keys(direction);
  // A loss may be flat here and fall further on.
  const along = (): readonly number[] =>
    test.along(Object.entries(direction).map(([name, by]) => [labels.indexOf(name), by]));
  if (names.length === 1) {
    const isFlat = seen === "predictions" || !isCertain || along().every((change) => change === 0);
    return isFlat ? `${names[0]} is not determined by the data` : undefined;
  }
  const moves = Object.entries(direction).map(([name, by]) => `${name} by ${by.toPrecision(3)}`);
  const together = `${listed(names)} can move together without changing the ${seen}: ${moves.join(", ")}`;
  if (seen === "predictions") return together;
  const [down = 0, up = 0] = along();
  if (down === 0 && up === 0) return together;
  const isFalling = down < 0 !== up < 0;
  if (isCertain && !isFalling) return undefined;
  return isFalling
    ? `${listed(names)} have no best values: the loss falls where they move together, ${moves.join(", ")}, or the other way`
    : `${listed(names)} are hardly determined: the loss hardly changes at first where they move together, ${moves.join(", ")}`;
}

export function listed(names: readonly string[]): string {
  if (names.length <= 1) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}
