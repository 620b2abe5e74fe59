/**
 * Simplification: the same function with fewer nodes, and no two parameters where one does.
 *
 *   constants     (* 2 3) → 6; (+ a b), (* a b), (exp a) of parameters → one parameter
 *   sums          like terms together: (+ (* a x) (* b x)) → (* c x); x − x → 0; one constant term
 *   products      one constant factor; x / x → 1; (/ x a) → (* b x)
 *   scales        a · (b + c x) → b′ + c′ x;  (a x) / (b + c x) → (a′ x) / (b′ + x)
 *   functions     exp(a + e) → a′ exp(e); log(a e) → a′ + log(e); sqrt(a e) → a′ sqrt(e)
 *   numbers       what is no small integer becomes a parameter, except inside tests
 *   tests         parameters become numbers there, for no gradient reaches a test
 *   forms         branches that agree or are decided; lets used once; loops of no or one turn
 *
 * A parameter that takes the place of others starts at the value they made together, so a fit that
 * starts there starts from the same function. The algebra of sums and products runs only where all
 * of + − * / are allowed.
 */

import { exp, log } from "@ndvm/core";
import { functions } from "./arithmetic.js";
import {
  branch,
  call,
  isConstant,
  isEqual,
  isFixed,
  keyOf,
  loopParts,
  mapArgs,
  mapLeaves,
  mentions,
  number,
  seesBinds,
  substitute,
  type Tree,
  variable,
  withArgs,
} from "./tree.js";

/** The parameters of the tree at work. */
export interface Parameters {
  valueOf(name: string): number;
  /** A new parameter that starts at this value. */
  add(value: number): Tree;
  readonly hasAlgebra: boolean;
}

/** The tree is not worth keeping: a constant of it is not finite. */
export class Dead extends Error {}

const integerMax = 12;
const turnsMax = 1;
/** One pass may make room for the next; what is still not settled then is left as it is. */
const passesMax = 4;

export function simplify(tree: Tree, parameters: Parameters): Tree {
  let simple = tree;
  for (let i = 0; i < passesMax; i++) {
    const next = pass(simple, parameters);
    if (isEqual(next, simple)) return next;
    simple = next;
  }
  return simple;
}

/** From the leaves to the root, once. */
function pass(tree: Tree, parameters: Parameters): Tree {
  if (tree.kind === "number") return constant(tree.value, parameters);
  if (tree.args.length === 0) return tree;
  if (tree.kind === "test") return simplifyTest(tree, parameters);
  const same = mapArgs(tree, (arg) => pass(arg, parameters));
  if (tree.kind === "if") return simplifyIf(same);
  if (tree.kind === "let") return simplifyLet(same, parameters);
  if (tree.kind === "loop") return simplifyLoop(same, parameters);
  return simplifyCall(same, parameters);
}

function constant(value: number, parameters: Parameters): Tree {
  if (!Number.isFinite(value)) throw new Dead();
  const isSmall = Number.isInteger(value) && Math.abs(value) <= integerMax;
  return isSmall ? number(value) : parameters.add(value);
}

/** One constant for a tree of numbers and parameters. */
function fold(tree: Tree, parameters: Parameters): Tree {
  const value = evaluate(tree, parameters);
  if (!hasParams(tree)) return constant(value, parameters);
  return parameters.add(Number.isFinite(value) ? value : 1);
}

function hasParams(tree: Tree): boolean {
  if (tree.kind === "param") return true;
  for (const arg of tree.args) if (hasParams(arg)) return true;
  return false;
}

const NO_NUMBERS: ReadonlyMap<string, number> = new Map();

/** The value of a tree that reads nothing but `bound`; NaN where we do not know a function. */
export function evaluate(
  tree: Tree,
  parameters: Pick<Parameters, "valueOf">,
  bound: ReadonlyMap<string, number> = NO_NUMBERS,
): number {
  if (tree.kind === "number") return tree.value;
  if (tree.kind === "param") return parameters.valueOf(tree.name);
  if (tree.kind === "variable") return bound.get(tree.name) ?? Number.NaN;
  const of = (at: Tree, inner = bound): number => evaluate(at, parameters, inner);
  if (tree.kind === "loop") return evaluateLoop(tree, of, bound);
  const [first, second, third] = tree.args as readonly [Tree, Tree, Tree];
  if (tree.kind === "let") {
    return of(second, new Map(bound).set(tree.binds[0] as string, of(first)));
  }
  if (tree.kind === "if") {
    const [left, right] = first.args.map((arg) => of(arg)) as [number, number];
    const isTrue = first.name.startsWith("<") ? left < right : left > right;
    return of(isTrue || (first.name.endsWith("=") && left === right) ? second : third);
  }
  const apply = functions.get(tree.name);
  if (apply === undefined) return Number.NaN;
  return apply(of(first), second === undefined ? 0 : of(second));
}

function evaluateLoop(
  tree: Tree,
  of: (tree: Tree, bound: ReadonlyMap<string, number>) => number,
  bound: ReadonlyMap<string, number>,
): number {
  const { turns, states, counter, starts, nexts, result } = loopParts(tree);
  let inner = new Map(bound);
  states.forEach((state, i) => {
    inner.set(state, of(starts[i] as Tree, bound));
  });
  inner.set(counter, 0);
  for (let turn = 0; turn < turns; turn++) {
    const next = new Map(inner).set(counter, turn + 1);
    states.forEach((state, i) => {
      next.set(state, of(nexts[i] as Tree, inner));
    });
    inner = next;
  }
  return of(result, inner);
}

function simplifyTest(tree: Tree, parameters: Parameters): Tree {
  return mapArgs(tree, (arg) => {
    const plain = mapLeaves(arg, (leaf) =>
      leaf.kind === "param" ? number(shorten(parameters.valueOf(leaf.name))) : leaf,
    );
    if (!isFixed(plain)) return plain;
    const value = evaluate(plain, parameters);
    if (!Number.isFinite(value)) throw new Dead();
    const short = shorten(value);
    // Zero has two signs, and a test's is written.
    return plain.kind === "number" && Object.is(plain.value, short) ? plain : number(short);
  });
}

/** Four digits: enough for a threshold, and short to read. */
export const shorten = (value: number): number => Number(value.toPrecision(4));

function simplifyIf(tree: Tree): Tree {
  const [condition, then, otherwise] = tree.args as readonly [Tree, Tree, Tree];
  if (isEqual(then, otherwise)) return then;
  const [left, right] = condition.args as readonly [Tree, Tree];
  if (isEqual(left, right)) return condition.name.endsWith("=") ? then : otherwise;
  if (left.kind !== "number" || right.kind !== "number") {
    return branch(condition, then, otherwise);
  }
  const isLess = left.value < right.value;
  return isLess === condition.name.startsWith("<") ? then : otherwise;
}

function simplifyLet(tree: Tree, parameters: Parameters): Tree {
  const [value, body] = tree.args as readonly [Tree, Tree];
  const name = tree.binds[0] as string;
  const uses = countUses(body, name);
  if (uses === 0) return body;
  if (uses === 1 || value.args.length === 0) {
    return pass(substitute(body, name, value), parameters);
  }
  return tree;
}

function countUses(tree: Tree, name: string): number {
  if (tree.kind === "variable") return tree.name === name ? 1 : 0;
  let uses = 0;
  for (const arg of tree.args) uses += countUses(arg, name);
  return uses;
}

function simplifyLoop(tree: Tree, parameters: Parameters): Tree {
  const { turns, states, counter, starts, nexts, result } = loopParts(tree);
  if (!tree.binds.some((name) => mentions(result, name))) return result;
  if (!readsOutside(tree, new Set())) return fold(tree, parameters);
  if (turns > turnsMax) return simplifyRecurrence(tree, parameters);
  let unrolled = result;
  if (turns === 1) {
    unrolled = substitute(unrolled, counter, number(1));
    unrolled = substituteAll(unrolled, states, nexts);
  }
  unrolled = substitute(unrolled, counter, number(0));
  return pass(substituteAll(unrolled, states, starts), parameters);
}

/** Whether anything is read that the tree does not bind itself. */
function readsOutside(tree: Tree, bound: ReadonlySet<string>): boolean {
  if (tree.kind === "variable") return !bound.has(tree.name);
  const inner = tree.binds.length === 0 ? bound : new Set([...bound, ...tree.binds]);
  for (const [i, arg] of tree.args.entries())
    if (readsOutside(arg, seesBinds(tree, i) ? inner : bound)) return true;
  return false;
}

/**
 * A recurrence that is none: s ← s has the value s₀, s ← g has the value g, and s ← a s + g with a
 * constant a has the value aⁿ s₀ + (1 + a + … + aⁿ⁻¹) g, which is two parameters for one.
 */
function simplifyRecurrence(tree: Tree, parameters: Parameters): Tree {
  const { turns, states, counter, starts, nexts, result } = loopParts(tree);
  const [state, start, next] = [states[0], starts[0], nexts[0]] as readonly [string, Tree, Tree];
  if (states.length !== 1 || mentions(next, counter)) return tree;
  const isState = ({ rest }: Term): boolean => rest?.kind === "variable" && rest.name === state;
  const terms = termsOf(next);
  const others = terms.filter((term) => !isState(term));
  if (others.some(({ rest }) => rest !== undefined && mentions(rest, state))) return tree;
  let rate = 0;
  for (const each of terms) if (isState(each)) rate += coefficientOf(each, parameters);
  let power = 1;
  let sum = 0;
  for (let i = 0; i < turns; i++) {
    sum += power;
    power *= rate;
  }
  const drift = buildSum(others);
  const isPlain = terms.length === others.length;
  const isStill = next.kind === "variable" && next.name === state;
  if (!isPlain && !isStill && !parameters.hasAlgebra) return tree;
  const last = substitute(result, counter, number(turns));
  if (isStill) return pass(substitute(last, state, start), parameters);
  const kept = call("*", parameters.add(Number.isFinite(power) ? power : 1), start);
  const added = call("*", parameters.add(Number.isFinite(sum) ? sum : 1), drift);
  const value = isPlain ? drift : others.length === 0 ? kept : call("+", kept, added);
  return pass(substitute(last, state, value), parameters);
}

/** Puts trees in the place of names, all at once. */
function substituteAll(tree: Tree, names: readonly string[], by: readonly Tree[]): Tree {
  const marked = names.reduce((at, name, i) => substitute(at, name, variable(`\u0002${i}`)), tree);
  return by.reduce((at, value, i) => substitute(at, `\u0002${i}`, value), marked);
}

function simplifyCall(tree: Tree, parameters: Parameters): Tree {
  if (isFixed(tree)) return fold(tree, parameters);
  const { name, args } = tree;
  const [first, second] = args as readonly [Tree, Tree];
  if (!parameters.hasAlgebra) return tree;
  if (name === "+" || name === "-" || name === "neg") return simplifySum(tree, parameters);
  if (name === "*" || name === "/") return simplifyProduct(tree, parameters);
  if (name === "min" || name === "max") return isEqual(first, second) ? first : tree;
  if (name === "expt" || name === "pow") return simplifyPower(tree);
  return simplifyFunction(tree, first, parameters);
}

function simplifyPower(tree: Tree): Tree {
  const [base, power] = tree.args as readonly [Tree, Tree];
  if (power.kind !== "number") return tree;
  if (power.value === 1) return base;
  return power.value === 0 ? number(1) : tree;
}

function simplifyFunction(tree: Tree, arg: Tree, parameters: Parameters): Tree {
  const { name } = tree;
  if (name === "exp" && isCall(arg, "log")) return arg.args[0] as Tree;
  if (name === "log" && isCall(arg, "exp")) return arg.args[0] as Tree;
  if (name === "abs" && (isCall(arg, "neg") || isCall(arg, "abs"))) {
    return call("abs", arg.args[0] as Tree);
  }
  if (name === "exp") return splitExponent(tree, arg, parameters);
  if (name !== "log" && name !== "sqrt") return tree;
  const { constants, divisors, over, under, sign } = factorsOf(arg);
  if (sign < 0 || divisors.length > 0) return tree;
  const value = coefficientOf(term(1, constants, undefined), parameters);
  if (constants.length === 0 || !(value > 0)) return tree;
  const rest = call(name, buildQuotient(over, under));
  if (name === "log") return call("+", parameters.add(log(value)), rest);
  return call("*", parameters.add(Math.sqrt(value)), rest);
}

/** exp(a + e) → a′ exp(e). */
function splitExponent(tree: Tree, arg: Tree, parameters: Parameters): Tree {
  const terms = termsOf(arg);
  const fixed = terms.filter(({ rest }) => rest === undefined);
  if (fixed.length === 0) return tree;
  let value = 0;
  for (const each of fixed) value += coefficientOf(each, parameters);
  const factor = exp(value);
  if (!Number.isFinite(factor) || factor === 0) return tree;
  const rest = buildSum(terms.filter((term) => term.rest !== undefined));
  return call("*", parameters.add(factor), call("exp", rest));
}

const isCall = (tree: Tree, name: string): boolean => tree.kind === "call" && tree.name === name;

/** sign · (product of constants) · rest; no rest: a constant. */
interface Term {
  readonly sign: 1 | -1;
  readonly constants: readonly Tree[];
  readonly rest: Tree | undefined;
}

function termsOf(tree: Tree): Term[] {
  const terms: Term[] = [];
  addTerms(tree, 1, terms);
  return terms;
}

function addTerms(tree: Tree, sign: 1 | -1, terms: Term[]): void {
  const [first, second] = tree.args as readonly [Tree, Tree];
  const flipped = sign === 1 ? -1 : 1;
  const name = tree.kind === "call" ? tree.name : "";
  if (name === "+" || name === "-") {
    addTerms(first, sign, terms);
    addTerms(second, name === "+" ? sign : flipped, terms);
  } else if (name === "neg") addTerms(first, flipped, terms);
  else if (isConstant(tree)) terms.push(term(sign, [tree], undefined));
  else if (name !== "*" && name !== "/") terms.push(term(sign, NO_TREES, tree));
  else {
    const { constants, divisors, over, under, sign: own } = factorsOf(tree);
    if (divisors.length > 0) terms.push(term(sign, NO_TREES, tree));
    else terms.push(term((sign * own) as 1 | -1, constants, buildQuotient(over, under)));
  }
}

const term = (sign: 1 | -1, constants: readonly Tree[], rest: Tree | undefined): Term => ({
  sign,
  constants,
  rest,
});

const NO_TREES: readonly Tree[] = [];

/** The product of a term's constants, times its sign. */
function coefficientOf({ sign, constants }: Term, parameters: Parameters): number {
  let product = 1;
  for (const each of constants) product *= evaluate(each, parameters);
  return sign * product;
}

interface Factors {
  readonly sign: 1 | -1;
  /** Those above the line. */
  readonly constants: readonly Tree[];
  /** Those below the line. */
  readonly divisors: readonly Tree[];
  readonly over: readonly Tree[];
  readonly under: readonly Tree[];
}

function factorsOf(tree: Tree): Factors {
  const factors = new Gathered();
  factors.gather(tree, true);
  return factors;
}

class Gathered implements Factors {
  sign: 1 | -1 = 1;
  readonly constants: Tree[] = [];
  readonly divisors: Tree[] = [];
  readonly over: Tree[] = [];
  readonly under: Tree[] = [];

  gather(at: Tree, isOver: boolean): void {
    const [first, second] = at.args as readonly [Tree, Tree];
    const name = at.kind === "call" ? at.name : "";
    if (name === "*" || name === "/") {
      this.gather(first, isOver);
      this.gather(second, name === "*" ? isOver : !isOver);
    } else if (name === "neg") {
      this.sign = this.sign === 1 ? -1 : 1;
      this.gather(first, isOver);
    } else if (isNumber(at, 1)) return;
    else if (isConstant(at)) (isOver ? this.constants : this.divisors).push(at);
    else (isOver ? this.over : this.under).push(at);
  }
}

/** Trees with an operator between each two, from the left; undefined where there are none. */
function chain(name: string, trees: readonly Tree[], first: Tree | undefined): Tree | undefined {
  let all = first;
  for (const each of trees) all = all === undefined ? each : call(name, all, each);
  return all;
}

function buildQuotient(over: readonly Tree[], under: readonly Tree[]): Tree {
  const top = chain("*", over, undefined) ?? number(1);
  const bottom = chain("*", under, undefined);
  return bottom === undefined ? top : call("/", top, bottom);
}

function simplifySum(tree: Tree, parameters: Parameters): Tree {
  const groups = new Map<string, Term[]>();
  for (const each of termsOf(tree)) {
    const key = each.rest === undefined ? "" : keyOf(each.rest);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  const merged: Term[] = [];
  for (const terms of groups.values()) {
    const one = mergeTerms(terms, parameters);
    if (one !== undefined) merged.push(one);
  }
  return intoLoop(merged, parameters) ?? buildSum(merged);
}

/** a + b · (a loop) → the loop with a + b · (its result). */
function intoLoop(terms: readonly Term[], parameters: Parameters): Tree | undefined {
  const [inside, ...more] = terms.filter(({ rest }) => rest !== undefined);
  if (inside?.rest?.kind !== "loop" || more.length > 0) return undefined;
  const { rest: tree } = inside;
  const result = tree.args.at(-1) as Tree;
  const outside = terms.map((each) =>
    each === inside ? term(each.sign, each.constants, result) : each,
  );
  const moved = pass(buildSum(outside), parameters);
  return withArgs(tree, [...tree.args.slice(0, -1), moved]);
}

/** One term for several with the same rest; undefined for nothing. */
function mergeTerms(terms: readonly Term[], parameters: Parameters): Term | undefined {
  const [only] = terms as readonly [Term, ...Term[]];
  const { rest } = only;
  if (terms.length === 1) {
    const { constants, sign } = only;
    const isPlain = constants.length === 0 || (constants.length === 1 && sign === 1);
    if (isPlain && !constants.some((each) => isNumber(each, 0))) return only;
  }
  let value = 0;
  let hasParam = false;
  for (const each of terms) {
    value += coefficientOf(each, parameters);
    for (const { kind } of each.constants) if (kind === "param") hasParam = true;
  }
  if (hasParam) return term(1, [parameters.add(Number.isFinite(value) ? value : 1)], rest);
  if (value === 0) return undefined;
  if (rest !== undefined && Math.abs(value) === 1) return term(value as 1 | -1, NO_TREES, rest);
  return term(1, [constant(value, parameters)], rest);
}

function buildSum(terms: readonly Term[]): Tree {
  const plus: Tree[] = [];
  const minus: Tree[] = [];
  for (const each of terms) (each.sign === 1 ? plus : minus).push(termTree(each));
  const positive = chain("+", plus, undefined);
  if (positive !== undefined) return chain("-", minus, positive) as Tree;
  const negative = chain("+", minus, undefined);
  return negative === undefined ? number(0) : call("neg", negative);
}

function termTree({ constants, rest }: Term): Tree {
  const product = chain("*", constants, undefined);
  if (rest === undefined) return product as Tree;
  return product === undefined ? rest : call("*", product, rest);
}

function simplifyProduct(tree: Tree, parameters: Parameters): Tree {
  const { sign, constants, divisors, over: above, under: below } = factorsOf(tree);
  const over = [...above];
  const under: Tree[] = [];
  for (const factor of below) {
    const at = over.findIndex((other) => isEqual(other, factor));
    if (at >= 0) over.splice(at, 1);
    else under.push(factor);
  }
  let scale = mergeFactors(sign, constants, divisors, parameters);
  if (scale?.kind === "number" && scale.value === 0) return number(0);
  if (scale !== undefined) scale = absorb(scale, over, parameters);
  scale = normalise(scale, over, under, parameters);
  if (over.length === 0 && under.length === 0) return scale ?? number(1);
  if (scale === undefined || isNumber(scale, 1)) return buildQuotient(over, under);
  const [only] = over;
  if (over.length === 1 && under.length === 0 && only?.kind === "loop") {
    return intoLoop([term(1, [scale], only)], parameters) ?? call("*", scale, only);
  }
  if (isNumber(scale, -1)) return call("neg", buildQuotient(over, under));
  return buildQuotient([scale, ...over], under);
}

const isNumber = (tree: Tree, value: number): boolean =>
  tree.kind === "number" && tree.value === value;

/** The one constant of a product; undefined for 1. */
function mergeFactors(
  sign: 1 | -1,
  constants: readonly Tree[],
  divisors: readonly Tree[],
  parameters: Parameters,
): Tree | undefined {
  const [only] = constants;
  if (constants.length === 1 && divisors.length === 0 && sign === 1) return only;
  if (constants.length === 0 && divisors.length === 0) {
    return sign === 1 ? undefined : number(-1);
  }
  let value: number = sign;
  for (const c of constants) value *= evaluate(c, parameters);
  for (const c of divisors) value /= evaluate(c, parameters);
  const hasParam = [...constants, ...divisors].some(({ kind }) => kind === "param");
  if (hasParam) return parameters.add(Number.isFinite(value) ? value : 1);
  return constant(value, parameters);
}

/** Every term of the sum has a parameter of its own, so it takes any scale. */
function isScalable(tree: Tree): boolean {
  if (!isCall(tree, "+") && !isCall(tree, "-")) return false;
  return termsOf(tree).every(({ constants }) => constants.some(isParam));
}

const isParam = ({ kind }: Tree): boolean => kind === "param";

/** Multiplies every coefficient of a scalable sum. */
function rescale(tree: Tree, by: number, parameters: Parameters): Tree {
  const terms = termsOf(tree).map(({ sign, constants, rest }): Term => {
    const value = constants.reduce((product, c) => product * evaluate(c, parameters), sign * by);
    return term(1, [parameters.add(value)], rest);
  });
  return buildSum(terms);
}

/** a · (b + c x) → b′ + c′ x. */
function absorb(scale: Tree, over: Tree[], parameters: Parameters): Tree | undefined {
  const at = over.findIndex(isScalable);
  const value = evaluate(scale, parameters);
  if (at < 0 || !Number.isFinite(value) || value === 0) return scale;
  over[at] = rescale(over[at] as Tree, value, parameters);
  return undefined;
}

/** A scale above the line and a sum below it that takes any scale: one coefficient below is 1. */
function normalise(
  scale: Tree | undefined,
  over: Tree[],
  under: Tree[],
  parameters: Parameters,
): Tree | undefined {
  const at = under.findIndex(isScalable);
  const into = over.findIndex(isScalable);
  if (at < 0 || (scale?.kind !== "param" && into < 0)) return scale;
  const terms = termsOf(under[at] as Tree);
  const leading = terms.findLast(({ rest }) => rest !== undefined);
  if (leading === undefined) return scale;
  const divisor = leading.constants.reduce(
    (product, c) => product * evaluate(c, parameters),
    leading.sign as number,
  );
  if (!Number.isFinite(1 / divisor)) return scale;
  const scaled = termsOf(rescale(under[at] as Tree, 1 / divisor, parameters));
  const lead = leading.rest as Tree;
  under[at] = buildSum(
    scaled.map((each) =>
      each.rest !== undefined && isEqual(each.rest, lead)
        ? term(each.sign, NO_TREES, each.rest)
        : each,
    ),
  );
  if (into < 0) return parameters.add(evaluate(scale as Tree, parameters) / divisor);
  over[into] = rescale(over[into] as Tree, 1 / divisor, parameters);
  return scale;
}
