/**
 * Aliases: on rows a step apart, cos(w t) and cos((w + 2π/step) t) are the same numbers.
 *
 * The argument of sin, cos or tan is read as a sum of inputs, each times its rate, and a phase: however
 * it is written, p·x, x/p, p·(x − q), also behind a let. Rates are folded to the lowest of their
 * aliases by a constant that is used nowhere else, and the phase is moved by another one, so that the
 * values on the lattice stay. Where that takes a constant which the program does not have, the rate is
 * no alias. The counter of a loop is such an input, too: it goes from 0 in steps of 1.
 */

import { own, recordOf } from "@ndvm/core";
import { readTree } from "../evolve/text.js";
import { mapArgs, substitute, type Tree } from "../evolve/tree.js";
import type { Lattice } from "./yardstick.js";

type Params = Readonly<Record<string, number>>;

/** Turns after which a wave is itself again, in units of π. */
const PERIODS: ReadonlyMap<string, number> = new Map([
  ["sin", 2],
  ["cos", 2],
  ["tan", 1],
]);

/** An argument: the rate of each input in it, and what it is where all inputs are 0. */
interface Affine {
  readonly rates: ReadonlyMap<string, number>;
  readonly phase: number;
}

/** Rates are folded that are at least this far above half a turn a step. */
const MARGIN = 1 + 1e-6;
/** A rate or phase is where it was meant to be, but for rounding. */
const ROUNDING = 1e-9;

/** The parameters with every rate at its lowest alias; undefined where all of them are. */
export function foldRates(
  source: string,
  params: Params,
  inputs: readonly string[],
  lattices: ReadonlyMap<string, Lattice>,
): Params | undefined {
  if (!/\((sin|cos|tan) /.test(source)) return undefined;
  if (lattices.size === 0 && !source.includes("(loop ")) return undefined;
  const tree = readTree(source, { inputs: new Set(inputs) });
  if (tree === undefined) return undefined;
  const plain = withoutLets(tree);
  const steps = new Map(lattices);
  gatherCounters(plain, steps);
  const uses = countParams(plain);
  let folded = params;
  for (const wave of wavesOf(plain)) {
    const next = foldWave(wave, folded, steps, uses);
    if (next !== undefined) folded = next;
  }
  return folded === params ? undefined : folded;
}

function foldWave(
  wave: Tree,
  params: Params,
  lattices: ReadonlyMap<string, Lattice>,
  uses: ReadonlyMap<string, number>,
): Params | undefined {
  const argument = wave.args[0] as Tree;
  const was = affineOf(argument, params);
  if (was === undefined) return undefined;
  const turn = (PERIODS.get(wave.name) ?? 2) * Math.PI;
  const free = [...countParams(argument).keys()].filter((name) => uses.get(name) === 1);
  let folded = params;
  let is = was;
  let shift = 0;
  for (const [input, rate] of was.rates) {
    const lattice = lattices.get(input);
    if (lattice === undefined || Math.abs(rate) * lattice.step <= (turn / 2) * MARGIN) continue;
    const turns = Math.round((rate * lattice.step) / turn);
    const low = rate - (turns * turn) / lattice.step;
    const rates = new Map(is.rates).set(input, low);
    const next = moved(argument, folded, free, (now) => isNear(now, { ...now, rates }), [
      low,
      ({ rates: all }) => all.get(input) ?? 0,
    ]);
    if (next === undefined) continue;
    folded = next;
    is = affineOf(argument, folded) as Affine;
    shift += (turns * turn * lattice.origin) / lattice.step;
  }
  if (folded === params) return undefined;
  const rest = was.phase - is.phase + shift;
  const missing = rest - turn * Math.round(rest / turn);
  if (Math.abs(missing) > 1e-6 * turn) {
    const phase = is.phase + missing;
    const aim = { ...is, phase };
    const next = moved(argument, folded, free, (now) => isNear(now, aim), [
      phase,
      (now) => now.phase,
    ]);
    if (next === undefined) return undefined;
    folded = next;
  }
  return wave.name === "cos" ? upright(argument, folded, free) : folded;
}

/** A number that an argument should have, and where it is read. */
type Aim = readonly [number, (argument: Affine) => number];

/**
 * The parameters with one of them changed so that the argument has the aim; undefined where none can
 * do that. An argument of products and quotients is linear in a parameter, or in one over it.
 */
function moved(
  argument: Tree,
  params: Params,
  free: readonly string[],
  isThere: (now: Affine) => boolean,
  [aim, read]: Aim,
): Params | undefined {
  const at = (name: string, value: number): Affine | undefined =>
    affineOf(argument, recordOf([...Object.entries(params), [name, value]]));
  for (const name of free) {
    const value = own(params, name) as number;
    for (const [here, back] of [
      [value, (x: number) => x],
      [1 / value, (x: number) => 1 / x],
    ] as const) {
      const there = here === 0 ? 1 : 2 * here;
      const [first, second] = [at(name, back(here)), at(name, back(there))];
      if (first === undefined || second === undefined) continue;
      const slope = (read(second) - read(first)) / (there - here);
      const found = back(here + (aim - read(first)) / slope);
      const now = Number.isFinite(found) ? at(name, found) : undefined;
      if (now !== undefined && isThere(now))
        return recordOf([...Object.entries(params), [name, found]]);
    }
  }
  return undefined;
}

/** The parameters with the first rate of every cosine positive, where constants can do that. */
export function uprightWaves(source: string, params: Params, inputs: readonly string[]): Params {
  if (!source.includes("(cos ")) return params;
  const tree = readTree(source, { inputs: new Set(inputs) });
  if (tree === undefined) return params;
  const plain = withoutLets(tree);
  const uses = countParams(plain);
  let turned = params;
  for (const { name, args } of wavesOf(plain)) {
    const argument = args[0] as Tree;
    if (name !== "cos" || affineOf(argument, turned) === undefined) continue;
    const free = [...countParams(argument).keys()].filter((one) => uses.get(one) === 1);
    turned = upright(argument, turned, free);
  }
  return turned;
}

/** A cosine whose first rate is negative reads better the other way round. */
function upright(argument: Tree, params: Params, free: readonly string[]): Params {
  const was = affineOf(argument, params) as Affine;
  const [rate = 0] = was.rates.values();
  if (rate >= 0) return params;
  const rates = new Map([...was.rates].map(([input, one]) => [input, -one]));
  const aim = { rates, phase: -was.phase };
  for (const names of [...free.map((name) => [name]), free]) {
    const turned = recordOf(Object.entries(params));
    for (const name of names) turned[name] = -(turned[name] as number);
    const now = affineOf(argument, turned);
    if (now !== undefined && isNear(now, aim)) return turned;
  }
  return params;
}

function isNear(a: Affine, b: Affine): boolean {
  const close = (x: number, y: number): boolean =>
    Math.abs(x - y) <= ROUNDING * (1 + Math.abs(x) + Math.abs(y));
  return (
    close(a.phase, b.phase) &&
    [...a.rates].every(([input, rate]) => close(rate, b.rates.get(input) ?? 0)) &&
    [...b.rates].every(([input, rate]) => close(rate, a.rates.get(input) ?? 0))
  );
}

const NO_RATES: ReadonlyMap<string, number> = new Map();

/** Rates and phase of an argument; undefined where it is not a sum of inputs. */
function affineOf(tree: Tree, params: Params): Affine | undefined {
  if (tree.kind === "number") return { rates: NO_RATES, phase: tree.value };
  if (tree.kind === "param") return { rates: NO_RATES, phase: own(params, tree.name) as number };
  if (tree.kind === "variable") return { rates: new Map([[tree.name, 1]]), phase: 0 };
  if (tree.kind !== "call") return undefined;
  const [first, second] = tree.args as readonly [Tree, Tree];
  const left = affineOf(first, params);
  if (left === undefined) return undefined;
  if (tree.name === "neg") return combined(left, -1, left, 0);
  if (!["+", "-", "*", "/"].includes(tree.name)) return undefined;
  const right = affineOf(second, params);
  if (right === undefined) return undefined;
  if (tree.name === "+") return combined(left, 1, right, 1);
  if (tree.name === "-") return combined(left, 1, right, -1);
  if (tree.name === "/")
    return right.rates.size === 0 ? combined(left, 1 / right.phase, left, 0) : undefined;
  if (left.rates.size === 0) return combined(right, left.phase, right, 0);
  return right.rates.size === 0 ? combined(left, right.phase, left, 0) : undefined;
}

/** One argument times a factor and another one times its factor. */
function combined(a: Affine, timesA: number, b: Affine, timesB: number): Affine {
  const rates = new Map([...a.rates].map(([input, rate]) => [input, timesA * rate]));
  if (timesB !== 0)
    for (const [input, rate] of b.rates) rates.set(input, (rates.get(input) ?? 0) + timesB * rate);
  return { rates, phase: timesA * a.phase + (timesB === 0 ? 0 : timesB * b.phase) };
}

/** The tree with the values of lets in the place of their names. */
function withoutLets(tree: Tree): Tree {
  if (tree.kind === "let") {
    const [value, body] = tree.args as readonly [Tree, Tree];
    return withoutLets(substitute(body, tree.binds[0] as string, value));
  }
  return mapArgs(tree, withoutLets);
}

/** Adds the counters of loops, which have names of their own in a tree. */
function gatherCounters(tree: Tree, steps: Map<string, Lattice>): void {
  if (tree.kind === "loop") steps.set(tree.binds.at(-1) as string, { origin: 0, step: 1 });
  for (const arg of tree.args) gatherCounters(arg, steps);
}

/** The number of least size that makes the same wave on a lattice; undefined where this one does. */
export function lowestAlias(rate: number, step: number): number | undefined {
  const turn = 2 * Math.PI;
  const turns = Math.round((rate * step) / turn);
  if (turns === 0 || Math.abs(rate) * step <= (turn / 2) * MARGIN) return undefined;
  return rate - (turns * turn) / step;
}

function wavesOf(tree: Tree, waves: Tree[] = []): Tree[] {
  if (tree.kind === "call" && PERIODS.has(tree.name)) waves.push(tree);
  for (const arg of tree.args) wavesOf(arg, waves);
  return waves;
}

function countParams(tree: Tree): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  addParams(tree, counts);
  return counts;
}

function addParams(tree: Tree, counts: Map<string, number>): void {
  if (tree.kind === "param") counts.set(tree.name, (counts.get(tree.name) ?? 0) + 1);
  for (const arg of tree.args) addParams(arg, counts);
}
