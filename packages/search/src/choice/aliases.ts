/**
 * Aliases: on rows a step apart, cos(w t) and cos((w + 2π/step) t) are the same numbers.
 *
 * A rate is the coefficient of an input in the argument of sin, cos or tan, where the argument is a
 * sum: p·x, x/p, with numbers and signs around, also behind a let. Rates are folded to the lowest of
 * their aliases, and the phase beside them moves along, so that the values on the lattice stay.
 * Where that takes a phase which the program does not have, the rate is no alias. The counter of a
 * loop is such an input, too: it goes from 0 in steps of 1.
 */

import { emptyRecord, own, recordOf } from "@ndvm/core";
import { readTree } from "../evolve/text.js";
import { mapLeaves, substitute, type Tree } from "../evolve/tree.js";
import type { Lattice } from "./yardstick.js";

type Params = Readonly<Record<string, number>>;

/** Turns after which a wave is itself again, in units of π. */
const PERIODS: ReadonlyMap<string, number> = new Map([
  ["sin", 2],
  ["cos", 2],
  ["tan", 1],
]);

/** A part of a wave's argument: factor · param^power · input; no input: a phase. */
interface Linear {
  readonly param: string | undefined;
  readonly power: 1 | -1;
  readonly input: string | undefined;
  readonly factor: number;
}

/** Arguments are as large as rates at least this far above half a turn a step to be folded. */
const MARGIN = 1 + 1e-6;

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
  const steps = new Map([...lattices, ...countersOf(plain)]);
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
  const parts = partsOf(wave.args[0] as Tree, 1);
  if (parts === undefined) return undefined;
  const isOwn = ({ param }: Linear): boolean => param !== undefined && uses.get(param) === 1;
  const phase = parts.find((part) => part.input === undefined && part.power === 1 && isOwn(part));
  const turn = (PERIODS.get(wave.name) ?? 2) * Math.PI;
  const changed: Record<string, number> = emptyRecord();
  let shift = 0;
  for (const part of parts) {
    const { input, param, factor, power } = part;
    const lattice = input === undefined ? undefined : lattices.get(input);
    const isOnly = parts.filter((other) => other.input === input).length === 1;
    if (lattice === undefined || param === undefined || !isOnly || !isOwn(part)) continue;
    const rate = factor * raised(own(params, param) as number, power);
    const turns = Math.round((rate * lattice.step) / turn);
    if (turns === 0 || Math.abs(rate) * lattice.step <= (turn / 2) * MARGIN) continue;
    const low = rate - (turns * turn) / lattice.step;
    if (low === 0 && power === -1) continue;
    changed[param] = raised(low / factor, power);
    shift += (turns * turn * lattice.origin) / lattice.step;
  }
  if (Object.keys(changed).length === 0) return undefined;
  const rest = shift - turn * Math.round(shift / turn);
  if (Math.abs(rest) > 1e-6 * turn) {
    if (phase?.param === undefined) return undefined;
    changed[phase.param] = (own(params, phase.param) as number) + rest / phase.factor;
  }
  return upright(wave, parts, { ...params, ...changed }, Object.keys(changed), uses);
}

/** A cosine whose rate has become negative reads better the other way round. */
function upright(
  wave: Tree,
  parts: readonly Linear[],
  params: Params,
  changed: readonly string[],
  uses: ReadonlyMap<string, number>,
): Params {
  const isFree = parts.every(({ param }) => param !== undefined && uses.get(param) === 1);
  const rate = parts.find(
    ({ param, input }) => input !== undefined && changed.includes(`${param}`),
  );
  if (wave.name !== "cos" || !isFree || rate?.param === undefined) return params;
  if (rate.factor * (own(params, rate.param) as number) >= 0) return params;
  const turned = recordOf(Object.entries(params));
  for (const { param } of parts)
    if (param !== undefined) turned[param] = -(turned[param] as number);
  return turned;
}

/** The parts of a sum; undefined where something in it is not linear. */
function partsOf(tree: Tree, sign: number): readonly Linear[] | undefined {
  const [first, second] = tree.args as readonly [Tree, Tree];
  const isCall = tree.kind === "call";
  if (isCall && tree.name === "neg") return partsOf(first, -sign);
  if (isCall && (tree.name === "+" || tree.name === "-")) {
    const left = partsOf(first, sign);
    const right = partsOf(second, tree.name === "+" ? sign : -sign);
    return left === undefined || right === undefined ? undefined : [...left, ...right];
  }
  const part = productOf(tree, 1, { param: undefined, power: 1, input: undefined, factor: sign });
  return part === undefined ? undefined : [part];
}

/** A product of one input, one parameter and numbers; undefined for any other. */
function productOf(tree: Tree, power: 1 | -1, so: Linear): Linear | undefined {
  if (tree.kind === "number") return { ...so, factor: so.factor * raised(tree.value, power) };
  if (tree.kind === "param")
    return so.param === undefined ? { ...so, param: tree.name, power } : undefined;
  if (tree.kind === "variable")
    return so.input === undefined && power === 1 ? { ...so, input: tree.name } : undefined;
  if (tree.kind !== "call") return undefined;
  const [first, second] = tree.args as readonly [Tree, Tree];
  if (tree.name === "neg") return productOf(first, power, { ...so, factor: -so.factor });
  if (tree.name !== "*" && tree.name !== "/") return undefined;
  const left = productOf(first, power, so);
  const other = tree.name === "*" ? power : ((power * -1) as 1 | -1);
  return left === undefined ? undefined : productOf(second, other, left);
}

/** The tree with the values of lets in the place of their names. */
function withoutLets(tree: Tree): Tree {
  if (tree.kind === "let") {
    const [value, body] = tree.args as readonly [Tree, Tree];
    return withoutLets(substitute(body, tree.binds[0] as string, value));
  }
  if (tree.args.length === 0) return tree;
  return { ...tree, args: tree.args.map(withoutLets) };
}

/** Counters of loops, which have names of their own in a tree. */
function countersOf(tree: Tree): readonly (readonly [string, Lattice])[] {
  const inner = tree.args.flatMap(countersOf);
  if (tree.kind !== "loop") return inner;
  return [[tree.binds.at(-1) as string, { origin: 0, step: 1 }], ...inner];
}

/** The number of least size that makes the same wave on a lattice; undefined where this one does. */
export function lowestAlias(rate: number, step: number): number | undefined {
  const turn = 2 * Math.PI;
  const turns = Math.round((rate * step) / turn);
  if (turns === 0 || Math.abs(rate) * step <= (turn / 2) * MARGIN) return undefined;
  return rate - (turns * turn) / step;
}

function wavesOf(tree: Tree): Tree[] {
  const inner = tree.args.flatMap(wavesOf);
  return tree.kind === "call" && PERIODS.has(tree.name) ? [tree, ...inner] : inner;
}

function countParams(tree: Tree): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  mapLeaves(tree, (leaf) => {
    if (leaf.kind === "param") counts.set(leaf.name, (counts.get(leaf.name) ?? 0) + 1);
    return leaf;
  });
  return counts;
}

const raised = (x: number, power: 1 | -1): number => (power === 1 ? x : 1 / x);
