/**
 * The scales: what is known of a member of the front once all rows have been asked.
 *
 * A member's constants are fitted again on all rows, from where the search left them. Rates are tried
 * at their lowest alias, and constants at the simple numbers within their errors; what shortens the
 * description stays. All of it is a function of the study and of the member.
 */

import {
  bic,
  type Expansion,
  emptyRecord,
  expand,
  fit,
  Machine,
  normalLogLikelihood,
  own,
  type ParameterSpec,
  type Program,
  read,
  recordOf,
  rSquared,
  squaresLeft,
  studentReach,
} from "@ndvm/core";
import type { Columns, Study } from "../study.js";
import type { Intervals, MemberScores, Outcome, Weighing } from "../types.js";
import { foldRates, lowestAlias, uprightWaves } from "./aliases.js";
import { log2 } from "./bits.js";
import { type Gaps, gapsOf, type Swings, swingsOf } from "./gaps.js";
import { type Length, lengthOf } from "./length.js";
import { type Likelihood, likelihoodOf } from "./losses.js";
import { withoutIdleSigns } from "./signs.js";
import { literalBits, type SimpleNumber, simpleNear } from "./simple-numbers.js";
import { type Tidied, tidied } from "./tidy.js";
import type { Likeness } from "./twins.js";
import { type Yardstick, yardstickOf } from "./yardstick.js";

/** Steps of a fit that begins where another has ended, on fewer rows. */
const STEPS = 60;
/** How often a program may become simpler. */
const TIDYINGS = 3;
/** Standard errors that a simple number may be away. */
const REACH = 3;
/** Of the intervals. */
const LEVEL = 0.95;

export type Weighable = Pick<Outcome, "visit" | "source" | "params" | "complexity">;

/** A model with its constants: real ones are fitted, simple ones are what they are. */
interface State {
  readonly params: Readonly<Record<string, number>>;
  readonly simple: ReadonlyMap<string, SimpleNumber>;
  readonly loss: number;
  readonly length: Length;
  readonly swings: Swings;
}

export class Scales {
  readonly #study: Study;
  readonly #inputs: readonly string[];
  readonly #machine: Machine;
  readonly #yardstick: Yardstick;
  readonly #likelihood: Likelihood;
  readonly #columns: Columns;
  readonly #gaps: Gaps;

  static async create(study: Study): Promise<Scales> {
    const { precision, limits } = study;
    return new Scales(await Machine.create({ precision, memoryMax: limits.memory }), study);
  }

  private constructor(machine: Machine, study: Study) {
    this.#machine = machine;
    this.#study = study;
    this.#inputs = study.inputs;
    this.#yardstick = yardstickOf(study);
    this.#likelihood = likelihoodOf("squares");
    this.#columns = joined(study);
    this.#gaps = gapsOf(this.#columns, study.inputs, study.target);
  }

  dispose(): void {
    this.#machine.dispose();
  }

  /**
   * Undefined where the member has no finite length on all rows. Where constants turn out to be 0, 1
   * or −1, the program is weighed again without what they make superfluous.
   */
  async weigh(member: Weighable): Promise<Weighing | undefined> {
    const weighing = await this.#tidied(member, await this.#weighAsWritten(member));
    if (weighing === undefined) return undefined;
    if (weighing.source === member.source) return weighing;
    return { ...weighing, scores: await this.#score(weighing) };
  }

  async #tidied(member: Weighable, first: Weighing | undefined): Promise<Weighing | undefined> {
    let weighing = first;
    for (let i = 0; i < TIDYINGS && weighing !== undefined; i++) {
      const next = this.#withoutTrifles(weighing);
      const tidy = next && (await this.#weighAsWritten({ ...next, visit: member.visit }));
      if (tidy === undefined || tidy.length >= weighing.length) break;
      weighing = tidy;
    }
    return weighing;
  }

  /** A program whose constants are fitted to the training rows, and what it is there and beyond. */
  async #score({ source, params }: Weighing): Promise<MemberScores> {
    const { inputs, domain, target, train, heldOut } = this.#study;
    const program = this.#machine.load(source, { inputs, domain });
    try {
      const free = Object.keys(params);
      const fitted = await this.#fit(program, params, free, train);
      const observed = own(train, target) as Float64Array;
      const held = own(heldOut, target) as Float64Array;
      const rows = observed.length;
      const predicted = this.#valuesAt(program, fitted, train, rows);
      const loss = squaresLeft(observed, predicted);
      return {
        loss,
        trainR2: rSquared(observed, predicted),
        r2: rSquared(held, this.#valuesAt(program, fitted, heldOut, held.length)),
        // The deviation of the noise is a parameter, too.
        bic: bic(normalLogLikelihood(loss, rows), free.length + 1, rows),
      };
    } finally {
      program.dispose();
    }
  }

  /** What a weighed program says on all rows and between them, and the variance of what it leaves. */
  async predict(weighing: Weighing): Promise<Pick<Likeness, "values" | "shown" | "variance">> {
    const { source, params } = weighing;
    const { inputs, domain, target } = this.#study;
    const { rows, leastSquare } = this.#yardstick;
    const program = this.#machine.load(source, { inputs, domain });
    try {
      const free = Object.keys(params);
      const fitted = await this.#fit(program, params, free, this.#columns);
      const values = this.#everywhere(program, fitted);
      const onRows = values.subarray(0, rows);
      const loss = squaresLeft(own(this.#columns, target) as Float64Array, onRows);
      const least = Math.max(loss, rows * leastSquare);
      const variance = this.#likelihood.variance(least, rows, free.length);
      return { values, shown: this.#everywhere(program, params), variance };
    } finally {
      program.dispose();
    }
  }

  /** Values on all rows, and after them those between neighbouring rows. */
  #everywhere(program: Program, params: Weighable["params"]): Float64Array {
    const onRows = this.#valuesAt(program, params, this.#columns, this.#yardstick.rows);
    const between = this.#valuesAt(program, params, this.#gaps.places, this.#gaps.placeCount);
    const values = new Float64Array(onRows.length + between.length);
    values.set(onRows);
    values.set(between, onRows.length);
    return values;
  }

  #withoutTrifles({ source, params, simple }: Weighing): Tidied | undefined {
    const numbers = new Map<string, number>();
    for (const name of simple) {
      const value = own(params, name) as number;
      if (Math.abs(value) <= 1 && Number.isInteger(value)) numbers.set(name, value);
    }
    return tidied(source, params, numbers, this.#study);
  }

  async #weighAsWritten(member: Weighable): Promise<Weighing | undefined> {
    const { inputs, domain } = this.#study;
    const program = this.#machine.load(member.source, { inputs, domain });
    try {
      const first = await this.#settle(program, member, member.params, new Map());
      const folded = await this.#folded(program, member, first ?? member);
      const low = await this.#unwound(program, member, shorter(first, folded));
      if (low === undefined) return undefined;
      const start = this.#upright(program, member, low);
      return this.#describe(program, member, start, await this.#simplified(program, member, start));
    } finally {
      program.dispose();
    }
  }

  async #folded(
    program: Program,
    member: Weighable,
    { params }: Pick<Weighable, "params">,
  ): Promise<State | undefined> {
    const low = foldRates(member.source, params, this.#inputs, this.#yardstick.lattices);
    return low === undefined ? undefined : this.#settle(program, member, low, new Map());
  }

  /**
   * Tries each constant of a program with waves at the lowest number that gives the same rows: also
   * where the wave stands in a loop or is written in a way that `foldRates` does not read.
   */
  async #unwound(
    program: Program,
    member: Weighable,
    start: State | undefined,
  ): Promise<State | undefined> {
    if (start === undefined || !hasWaves(member.source)) return start;
    const { rows, leastSquare, lattices } = this.#yardstick;
    const target = own(this.#columns, this.#study.target) as Float64Array;
    // Turns of loops are counted by ones.
    const steps = new Set([1, ...[...lattices.values()].map(({ step }) => step)]);
    let state = start;
    for (const name of namesOf(program, this.#inputs))
      for (const step of steps) {
        const low = lowestAlias(own(state.params, name) as number, step);
        if (low === undefined) continue;
        const params = recordOf([...Object.entries(state.params), [name, low]]);
        const values = this.#valuesAt(program, params, this.#columns, rows);
        const most = state.loss * ALIAS_LOSS + rows * leastSquare;
        if (!(squaresLeft(target, values) <= most)) continue;
        const next = await this.#settle(program, member, params, new Map());
        if (next !== undefined && next.length.length < state.length.length) state = next;
      }
    return state;
  }

  /** The same function with signs as people write them. */
  #upright(program: Program, { source }: Weighable, state: State): State {
    const { params } = state;
    const isSame = (turned: Weighable["params"]): boolean => this.#agree(program, params, turned);
    const waves = uprightWaves(source, params, this.#inputs);
    const start = waves === params || isSame(waves) ? waves : params;
    return { ...state, params: withoutIdleSigns(start, isSame) };
  }

  /** Whether two sets of constants make one function; a few rows are asked before all of them. */
  #agree(program: Program, a: Weighable["params"], b: Weighable["params"]): boolean {
    const count = Math.min(FEW, this.#yardstick.rows);
    const few = firstRows(this.#columns, count);
    return (
      areSame(this.#valuesAt(program, a, few, count), this.#valuesAt(program, b, few, count)) &&
      areSame(this.#everywhere(program, a), this.#everywhere(program, b))
    );
  }

  /** Tries constants at simple numbers, those next to one first. */
  async #simplified(program: Program, member: Weighable, start: State): Promise<State> {
    let state = start;
    const tried = new Set<string>();
    for (;;) {
      const trial = nextTrial(program, this.#inputs, state, tried);
      if (trial === undefined) return state;
      tried.add(trial.name);
      for (const number of trial.numbers) {
        const simple = new Map(state.simple).set(trial.name, number);
        const params = recordOf([...Object.entries(state.params), [trial.name, number.value]]);
        const next = await this.#settle(program, member, params, simple);
        if (next === undefined || next.length.length >= state.length.length) continue;
        state = next;
        break;
      }
    }
  }

  /** Fits the real constants on all rows and takes the length. Undefined where that is not finite. */
  async #settle(
    program: Program,
    member: Weighable,
    params: Weighable["params"],
    simple: ReadonlyMap<string, SimpleNumber>,
  ): Promise<State | undefined> {
    const free = namesOf(program, this.#inputs).filter((name) => !simple.has(name));
    const fitted = await this.#fit(program, params, free, this.#columns);
    const { values, gradients } = this.#slopes(program, fitted, free);
    const { rows, symbolBits } = this.#yardstick;
    const target = own(this.#columns, this.#study.target) as Float64Array;
    const loss = squaresLeft(target, repeated(values, rows));
    const probe = this.#valuesAt(program, fitted, this.#gaps.places, this.#gaps.placeCount);
    const swings = swingsOf(this.#gaps, probe);
    const weighted = {
      loss,
      values: free.map((name) => own(fitted, name) as number),
      slopes: free.map((name) => repeated(own(gradients, name) as Float64Array, rows)),
      simpleBits: [...simple.values()].reduce((sum, { bits }) => sum + bits, 0),
      symbols: member.complexity * symbolBits + literalsOf(member.source, this.#inputs, rows),
      gaps: swings.bits,
    };
    const length = lengthOf(weighted, this.#yardstick, this.#likelihood);
    if (!Number.isFinite(length.length)) return undefined;
    return { params: fitted, simple, loss, length, swings };
  }

  async #fit(
    program: Program,
    params: Weighable["params"],
    free: readonly string[],
    data: Columns,
  ): Promise<Weighable["params"]> {
    if (free.length === 0) return params;
    const { target, limits } = this.#study;
    const specs = Object.entries(params).map(([name, value]): [string, ParameterSpec] => [
      name,
      free.includes(name) ? { start: value } : { fixed: value },
    ]);
    try {
      const { best } = await fit(program, {
        data,
        target,
        optimiser: "lm",
        params: recordOf(specs),
        steps: STEPS,
        stepsMax: limits.fitSteps,
        detail: "scores",
      });
      return { ...params, ...best.params };
    } catch {
      // It cannot be fitted on these rows, and stays as it was.
      return params;
    }
  }

  #slopes(
    program: Program,
    params: Weighable["params"],
    free: readonly string[],
  ): { readonly values: Float64Array; readonly gradients: Readonly<Record<string, Float64Array>> } {
    const { stepsMax, given } = this.#given(params, this.#columns);
    if (free.length === 0)
      return { values: program.evaluate(given, { stepsMax }).values, gradients: {} };
    return program.gradient(given, { wrt: free, stepsMax });
  }

  #given(params: Weighable["params"], columns: Columns) {
    const given = recordOf<number | Float64Array>(Object.entries(params));
    for (const name of this.#inputs) given[name] = own(columns, name) as Float64Array;
    return { given, stepsMax: this.#study.limits.fitSteps };
  }

  #valuesAt(
    program: Program,
    params: Weighable["params"],
    places: Columns,
    count: number,
  ): Float64Array {
    if (count === 0) return new Float64Array(0);
    const { given, stepsMax } = this.#given(params, places);
    return repeated(program.evaluate(given, { stepsMax }).values, count);
  }

  /**
   * Intervals are those of the model with all constants as real numbers: beside a number that these rows
   * have chosen, the others seem to be better known than they are. Constants that only together with
   * others are open have an interval where these are simple.
   */
  #describe(program: Program, member: Weighable, real: State, state: State): Weighing {
    const { params, simple, length, swings } = state;
    const names = namesOf(program, this.#inputs);
    const free = names.filter((name) => !simple.has(name));
    const intervals: Record<string, readonly [number, number]> = emptyRecord();
    const undetermined: string[] = [];
    for (const name of names) {
      const interval = this.#interval(name, names, real) ?? this.#interval(name, free, state);
      if (interval !== undefined) intervals[name] = interval;
      const [low, high] = interval ?? [0, 0];
      if (interval === undefined || (!simple.has(name) && low <= 0 && high >= 0))
        undetermined.push(name);
    }
    return {
      source: member.source,
      complexity: member.complexity,
      length: length.length,
      parts: length.parts,
      params,
      intervals: intervals as Intervals,
      simple: [...simple.keys()],
      undetermined,
      hidden: swings.share,
    };
  }

  /**
   * Undefined where the constant is none of those that were fitted, or not known at all. The variance of
   * a row is estimated from the same rows: so the interval is Student's, as those of `fit` are.
   */
  #interval(
    name: string,
    fitted: readonly string[],
    { params, length }: State,
  ): readonly [number, number] | undefined {
    const value = own(params, name) as number;
    const reach = studentReach(LEVEL, this.#yardstick.rows - fitted.length);
    const half = reach * (length.errors[fitted.indexOf(name)] ?? Number.NaN);
    return Number.isFinite(half) ? [value - half, value + half] : undefined;
  }
}

/** The real constant that is nearest to a simple number, in standard errors, and those numbers. */
function nextTrial(
  program: Program,
  inputs: readonly string[],
  { params, simple, length }: State,
  tried: ReadonlySet<string>,
): { readonly name: string; readonly numbers: readonly SimpleNumber[] } | undefined {
  const free = namesOf(program, inputs).filter((name) => !simple.has(name));
  let found: { readonly name: string; readonly numbers: readonly SimpleNumber[] } | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [i, name] of free.entries()) {
    const error = length.errors[i] as number;
    const value = own(params, name) as number;
    if (tried.has(name) || !Number.isFinite(value)) continue;
    const reach = Number.isFinite(error) ? REACH * error : Math.abs(value) + 1;
    const numbers = simpleNear(value, reach).slice(0, TRIALS);
    const distance = Math.min(...numbers.map((number) => Math.abs(number.value - value) / reach));
    if (numbers.length === 0 || distance >= least) continue;
    least = distance;
    found = { name, numbers };
  }
  return found;
}

/** How many times the loss may be where a constant is at another alias, for rounding. */
const ALIAS_LOSS = 1 + 1e-6;

/** Rows that are looked at before all of them. */
const FEW = 16;

const firstRows = (columns: Columns, count: number): Columns =>
  recordOf(Object.entries(columns).map(([name, numbers]) => [name, numbers.subarray(0, count)]));

/** Bit by bit, but for the sign of a zero. */
const areSame = (a: Float64Array, b: Float64Array): boolean =>
  a.every((value, i) => value === b[i] || (Number.isNaN(value) && Number.isNaN(b[i])));

const hasWaves = (source: string): boolean => /\((sin|cos|tan)\s/.test(source);

/** Simple numbers that are tried for one constant, the cheapest. */
const TRIALS = 3;

const shorter = (a: State | undefined, b: State | undefined): State | undefined =>
  a === undefined || (b !== undefined && b.length.length < a.length.length) ? b : a;

const namesOf = (program: Program, inputs: readonly string[]): readonly string[] =>
  program.inputs.filter((name) => !inputs.includes(name));

/** Bits of the numbers in a program, each at most what it takes to tell one row from another. */
function literalsOf(source: string, inputs: readonly string[], rows: number): number {
  let bits = 0;
  const { nodes }: Expansion = expand(read(source), { inputs });
  for (const node of nodes)
    if (node.span.start >= 0 && node.kind === "const" && node.value.kind === "number")
      bits += literalBits(node.value.value, 1 + log2(rows));
  return bits;
}

/** A number for every row, where a program that reads no input has one for all. */
const repeated = (values: Float64Array, rows: number): Float64Array =>
  values.length === rows ? values : new Float64Array(rows).fill(values[0] as number);

export function joined({ train, heldOut }: Pick<Study, "train" | "heldOut">): Columns {
  return recordOf(
    Object.entries(train).map(([name, numbers]) => {
      const held = own(heldOut, name) as Float64Array;
      const all = new Float64Array(numbers.length + held.length);
      all.set(numbers);
      all.set(held, numbers.length);
      return [name, all];
    }),
  );
}
