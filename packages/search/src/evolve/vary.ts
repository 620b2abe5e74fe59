/**
 * Variation: a program's children.
 *
 * A variation takes a draft's tree and gives another, or undefined where it does not apply. Those
 * that add something start from the parent's function (a new coefficient of 0, a factor of 1, a
 * branch whose two sides are equal), so that a fit begins where the parent's ended.
 */

import type { Draft } from "./draft.js";
import type { Grammar } from "./grammar.js";
import { shorten } from "./simplify.js";
import {
  bind,
  branch,
  call,
  isFixed,
  keyOf,
  loop,
  loopParts,
  mapLeaves,
  mentions,
  number,
  replaceAt,
  type Site,
  sitesOf,
  sizeOf,
  substitute,
  type Tree,
  variable,
  withArgs,
  withName,
  withValue,
} from "./tree.js";

export interface Trial {
  readonly draft: Draft;
  readonly grammar: Grammar;
  readonly tree: Tree;
}

type Variation = (trial: Trial) => Tree | undefined;

/** Places inside a test are left to `moveThreshold`: nothing there can be fitted. */
function realSites(tree: Tree): Site[] {
  return sitesOf(tree).filter((site) => site.tree.kind !== "test" && site.parent?.kind !== "test");
}

function pickSite({ grammar, tree }: Trial, accepts: (site: Site) => boolean): Site | undefined {
  const sites = realSites(tree).filter(accepts);
  return sites.length === 0 ? undefined : grammar.chance.pick(sites);
}

/** Another operator of as many arguments, or another leaf. */
const changePoint: Variation = (trial) => {
  const { grammar, draft, tree } = trial;
  const site = pickSite(trial, ({ tree: at }) => at.kind === "call" || at.args.length === 0);
  if (site === undefined) return undefined;
  const at = site.tree;
  if (at.args.length === 0) return replaceAt(tree, site.path, grammar.leaf(draft, site.scope));
  const names = at.args.length === 1 ? grammar.unary : grammar.binary;
  if (names.length === 0) return undefined;
  return replaceAt(tree, site.path, withName(at, grammar.chance.pick(names)));
};

/** A new expression in the place of one. */
const replaceSubtree: Variation = (trial) => {
  const { grammar, draft, tree } = trial;
  const site = pickSite(trial, () => true);
  if (site === undefined) return undefined;
  const size = 1 + grammar.chance.below(7);
  return replaceAt(tree, site.path, grammar.expression(draft, size, site.scope));
};

/** An operation around an expression. */
const insert: Variation = (trial) => {
  const { grammar, draft, tree } = trial;
  const { chance } = grammar;
  const site = pickSite(trial, ({ tree: at }) => !isFixed(at));
  if (site === undefined) return undefined;
  const isUnary = grammar.unary.length > 0 && (grammar.binary.length === 0 || chance.happens(0.4));
  if (isUnary) {
    return replaceAt(tree, site.path, call(chance.pick(grammar.unary), site.tree));
  }
  if (grammar.binary.length === 0) return undefined;
  const name = chance.pick(grammar.binary);
  const other = grammar.expression(draft, 1 + chance.below(3), site.scope);
  const isFirst = chance.happens(0.5) || name === "expt" || name === "pow";
  const operands = isFirst ? [site.tree, other] : [other, site.tree];
  return replaceAt(tree, site.path, call(name, ...operands));
};

/** An argument in the place of its operation. */
const remove: Variation = (trial) => {
  const { grammar, tree } = trial;
  const site = pickSite(trial, ({ tree: at }) => at.kind === "call" || at.kind === "if");
  if (site === undefined) return undefined;
  const args = site.tree.args.filter(({ kind }) => kind !== "test");
  return replaceAt(tree, site.path, grammar.chance.pick(args));
};

/** An expression of the program as the whole of it. */
const hoist: Variation = (trial) => {
  const site = pickSite(
    trial,
    ({ isRoot, scope, tree: at }) =>
      !isRoot && at.args.length > 0 && !scope.some((name) => mentions(at, name)),
  );
  return site?.tree;
};

/** e → e + q·g with q = 0. */
const addTerm: Variation = (trial) => {
  const { grammar, draft, tree } = trial;
  if (!grammar.has("+") || !grammar.has("*")) return undefined;
  const atRoot = grammar.chance.happens(0.5);
  const site = pickSite(trial, ({ isRoot, tree: at }) => !atRoot || isRoot || isLine(at));
  if (site === undefined) return undefined;
  const term = grammar.moving(draft, 1 + grammar.chance.below(5), site.scope);
  const coefficient = draft.add(0, [-2, 2]);
  return replaceAt(tree, site.path, call("+", site.tree, call("*", coefficient, term)));
};

const isLine = (tree: Tree): boolean => tree.kind === "call" && /^[+-]$/.test(tree.name);

/** e → q·e or e + q: the same function at q = 1 or 0. */
const addParameter: Variation = (trial) => {
  const { grammar, draft, tree } = trial;
  const site = pickSite(trial, ({ tree: at }) => !isFixed(at));
  if (site === undefined) return undefined;
  const isScale = grammar.has("*") && (!grammar.has("+") || grammar.chance.happens(0.5));
  if (!isScale && !grammar.has("+")) return undefined;
  const added = isScale
    ? call("*", draft.add(1), site.tree)
    : call("+", site.tree, draft.add(0, [-2, 2]));
  return replaceAt(tree, site.path, added);
};

/** p → p + q·v, or p·exp(q·v), with q = 0: what was constant depends on something. */
const loosen: Variation = (trial) => {
  const { grammar, draft, tree } = trial;
  const site = pickSite(trial, ({ tree: at }) => at.kind === "param");
  if (site === undefined || !grammar.has("*")) return undefined;
  const { chance } = grammar;
  const what = chance.happens(0.75)
    ? grammar.read(site.scope)
    : grammar.moving(draft, 1 + chance.below(4), site.scope);
  const width = 2 * grammar.inverseScale();
  const grown = call("*", draft.add(0, [-width, width]), what);
  const isFactor = grammar.has("exp") && chance.happens(0.35);
  if (isFactor) return replaceAt(tree, site.path, call("*", site.tree, call("exp", grown)));
  if (!grammar.has("+")) return undefined;
  return replaceAt(tree, site.path, call("+", site.tree, grown));
};

/** A parameter becomes 0, 1, −1 or the integer next to it; simplification does the rest. */
const dropParameter: Variation = (trial) => {
  const { grammar, draft, tree } = trial;
  const { chance } = grammar;
  const sites = realSites(tree).filter(({ tree: at }) => at.kind === "param");
  if (sites.length === 0) return undefined;
  const weights = sites.map((site) => {
    const value = draft.valueOf(site.tree.name);
    const distance = Math.min(Math.abs(value), Math.abs(value - 1), Math.abs(value + 1));
    return [site, 0.1 + 1 / (1 + 100 * distance)] as const;
  });
  const site = chance.weighted(weights);
  const value = draft.valueOf(site.tree.name);
  const near = Math.max(-9, Math.min(9, Math.round(value)));
  const by = chance.weighted([
    [near, 3],
    [0, 1],
    [1, 1],
  ]);
  return replaceAt(tree, site.path, number(by));
};

/** Every parameter that is almost 0, 1 or −1 becomes that number. */
const snap: Variation = ({ draft, tree }) => {
  let isSnapped = false;
  const snapped = mapLeaves(tree, (leaf) => {
    if (leaf.kind !== "param") return leaf;
    const value = draft.valueOf(leaf.name);
    const near = Math.round(value);
    if (Math.abs(near) > 2 || Math.abs(value - near) > 0.02) return leaf;
    isSnapped = true;
    return number(near);
  });
  return isSnapped ? snapped : undefined;
};

/** Two parameters become one. */
const tie: Variation = ({ grammar, tree }) => {
  const sites = realSites(tree).filter(({ tree: at }) => at.kind === "param");
  if (sites.length < 2) return undefined;
  const [one, other] = [grammar.chance.pick(sites), grammar.chance.pick(sites)];
  if (one.tree.name === other.tree.name) return undefined;
  return replaceAt(tree, one.path, other.tree);
};

/** A number that is not fitted becomes a parameter. */
const release: Variation = (trial) => {
  const site = pickSite(trial, ({ tree: at }) => at.kind === "number");
  if (site === undefined) return undefined;
  return replaceAt(trial.tree, site.path, trial.draft.add(site.tree.value));
};

/** v → q·v or v + q at one place. */
const shiftInput: Variation = (trial) => {
  const { grammar, draft, tree } = trial;
  const site = pickSite(trial, ({ tree: at }) => at.kind === "variable");
  if (site === undefined) return undefined;
  const parent = site.parent;
  if (grammar.has("*") && grammar.chance.happens(0.5)) {
    const isWave = parent?.kind === "call" && grammar.isWave(parent.name);
    const rate = isWave ? waveRate(trial, site.tree.name) : draft.add(1, [-3, 3]);
    return replaceAt(tree, site.path, call("*", rate, site.tree));
  }
  if (!grammar.has("+")) return undefined;
  const width = grammar.widthOf(site.tree.name);
  return replaceAt(tree, site.path, call("+", site.tree, draft.add(0, [-width, width])));
};

function waveRate({ grammar, draft }: Trial, name: string): Tree {
  const range = grammar.waveRange(name);
  return draft.add(grammar.chance.logUniform(range[0], range[1]), range);
}

/** A wave over an input, of any rate: a term or a factor. */
const addWave: Variation = (trial) => {
  const { grammar, draft, tree } = trial;
  const names = grammar.unary.filter((name) => grammar.isWave(name));
  const { inputs, chance } = grammar;
  const canBuild = grammar.has("+") && grammar.has("*");
  if (names.length === 0 || inputs.length === 0 || !canBuild) return undefined;
  const input = chance.pick(inputs);
  const phase = call("*", waveRate(trial, input), variable(input));
  const isShifted = chance.happens(0.5);
  const angle = isShifted ? call("+", phase, draft.add(3 * chance.uniform(), [-3, 3])) : phase;
  const wave = call(chance.pick(names), angle);
  const site = pickSite(trial, ({ isRoot, tree: at }) => isRoot || at.kind === "param");
  if (site === undefined) return undefined;
  const name = chance.happens(0.5) ? "*" : "+";
  const added = name === "+" ? call("*", draft.add(0, [-2, 2]), wave) : wave;
  return replaceAt(tree, site.path, call(name, site.tree, added));
};

/** e → (if (< v c) e e′), e′ being e with parameters of its own. */
const wrapBranch: Variation = (trial) => {
  const { grammar, draft, tree } = trial;
  if (!grammar.hasIf) return undefined;
  const atRoot = grammar.chance.happens(0.6);
  const site = pickSite(trial, ({ isRoot, tree: at }) => (atRoot ? isRoot : at.kind !== "number"));
  if (site === undefined) return undefined;
  const condition = grammar.condition(site.scope);
  const other = grammar.chance.happens(0.7)
    ? draft.copy(site.tree)
    : grammar.expression(draft, 1 + grammar.chance.below(5), site.scope);
  return replaceAt(tree, site.path, branch(condition, site.tree, other));
};

/** A number in a test moves a little, or to another value of the data. */
const moveThreshold: Variation = ({ grammar, tree }) => {
  const { chance } = grammar;
  const sites = sitesOf(tree).filter(
    ({ tree: at, parent }) => at.kind === "number" && parent?.kind === "test",
  );
  if (sites.length === 0) return undefined;
  const site = chance.pick(sites);
  const other = site.parent?.args.find(({ kind }) => kind === "variable");
  const width = other === undefined ? 1 : grammar.widthOf(other.name);
  const isJump = other !== undefined && chance.happens(0.2);
  const value = isJump
    ? grammar.threshold(other.name)
    : site.tree.value + width * chance.logUniform(1e-3, 0.3) * (chance.happens(0.5) ? 1 : -1);
  return replaceAt(tree, site.path, number(shorten(value)));
};

/** e → a recurrence whose step is e with a variable of it as the state. */
const wrapLoop: Variation = (trial) => {
  const { grammar, draft, tree } = trial;
  if (!grammar.hasLoop) return undefined;
  const site = pickSite(trial, ({ tree: at }) => at.kind === "call" && sizeOf(at) <= 12);
  if (site === undefined) return undefined;
  const names = [...grammar.inputs, ...site.scope].filter((name) => mentions(site.tree, name));
  if (names.length === 0) return undefined;
  const name = grammar.chance.pick(names);
  const state = draft.freshName("s");
  const made = loop({
    turns: grammar.turns(),
    states: [state],
    counter: draft.freshName("k"),
    starts: [grammar.chance.happens(0.75) ? variable(name) : grammar.parameter(draft)],
    nexts: [substitute(site.tree, name, variable(state))],
    result: variable(state),
  });
  return replaceAt(tree, site.path, made);
};

/** Turns of a loop: one or two more or fewer, or any number. */
const changeTurns: Variation = (trial) => {
  const { grammar, tree } = trial;
  const { chance } = grammar;
  const site = pickSite(trial, ({ tree: at }) => at.kind === "loop");
  if (site === undefined) return undefined;
  const step = chance.pick([-2, -1, 1, 2]);
  const turns = chance.happens(0.5) ? site.tree.value + step : grammar.turns();
  if (turns < 2) return undefined;
  return replaceAt(tree, site.path, withValue(site.tree, turns));
};

/** A loop gets a second state that its first step may read. */
const addState: Variation = (trial) => {
  const { grammar, draft, tree } = trial;
  const site = pickSite(trial, ({ tree: at }) => at.kind === "loop" && at.binds.length === 2);
  if (site === undefined) return undefined;
  const parts = loopParts(site.tree);
  const state = draft.freshName("s");
  const inner = [...site.scope, ...parts.states, state, parts.counter];
  const next = parts.nexts[0] as Tree;
  const leaves = sitesOf(next).filter(({ tree: at }) => at.args.length === 0);
  const spot = grammar.chance.pick(leaves);
  const made = loop({
    ...parts,
    states: [...parts.states, state],
    starts: [...parts.starts, grammar.leaf(draft, site.scope)],
    nexts: [
      replaceAt(next, spot.path, variable(state)),
      grammar.next(draft, 3 + grammar.chance.below(4), inner, state),
    ],
  });
  return replaceAt(tree, site.path, made);
};

/** What occurs twice gets a name. */
const shareSubtree: Variation = (trial) => {
  const { grammar, draft, tree } = trial;
  if (!grammar.hasLet) return undefined;
  const counts = new Map<string, Site[]>();
  for (const site of realSites(tree)) {
    if (site.scope.length > 0 || site.tree.args.length === 0 || isFixed(site.tree)) continue;
    const key = keyOf(site.tree);
    counts.set(key, [...(counts.get(key) ?? []), site]);
  }
  const repeated = [...counts.values()].filter((sites) => sites.length > 1);
  if (repeated.length === 0) return undefined;
  const sites = grammar.chance.pick(repeated);
  const name = draft.freshName("u");
  const value = (sites[0] as Site).tree;
  const body = sites.reduce((at, { path }) => replaceAt(at, path, variable(name)), tree);
  return bind(name, value, body);
};

const swap: Variation = (trial) => {
  const { tree } = trial;
  const site = pickSite(
    trial,
    ({ tree: at }) => at.kind === "call" && /^(-|\/|expt|pow)$/.test(at.name),
  );
  if (site === undefined) return undefined;
  return replaceAt(tree, site.path, withArgs(site.tree, [...site.tree.args].reverse()));
};

/** Each variation with how often it is tried. */
export const variations: readonly (readonly [string, Variation, number])[] = [
  ["point", changePoint, 3],
  ["replace", replaceSubtree, 3],
  ["insert", insert, 3],
  ["remove", remove, 2],
  ["hoist", hoist, 0.5],
  ["add-term", addTerm, 3],
  ["add-parameter", addParameter, 1.5],
  ["loosen", loosen, 3],
  ["drop-parameter", dropParameter, 2],
  ["snap", snap, 1],
  ["tie", tie, 0.5],
  ["release", release, 0.5],
  ["shift-input", shiftInput, 1.5],
  ["wave", addWave, 1],
  ["branch", wrapBranch, 1],
  ["threshold", moveThreshold, 2],
  ["loop", wrapLoop, 0.7],
  ["turns", changeTurns, 2],
  ["state", addState, 0.5],
  ["share", shareSubtree, 0.3],
  ["swap", swap, 0.5],
];

/** An expression of the donor at a place of the tree; names it cannot see there are replaced. */
export function cross(trial: Trial, donor: Tree): Tree | undefined {
  const { grammar, tree } = trial;
  const { chance } = grammar;
  const site = pickSite(trial, () => true);
  const source = pickSite({ ...trial, tree: donor }, ({ tree: at }) => at.kind !== "number");
  if (site === undefined || source === undefined) return undefined;
  // Now and then the two whole programs meet instead.
  const isMeeting = chance.happens(0.2) && grammar.has("+") && grammar.has("*");
  const scope = isMeeting ? [] : site.scope;
  let graft = source.tree;
  for (const name of source.scope) {
    if (mentions(graft, name)) graft = substitute(graft, name, grammar.read(scope));
  }
  if (isMeeting) return call(chance.pick(["+", "*"]), tree, graft);
  return replaceAt(tree, site.path, graft);
}
