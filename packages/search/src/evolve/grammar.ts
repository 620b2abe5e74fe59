/**
 * The grammar: what programs of a study are made of, and random ones drawn from it.
 *
 * Sizes are wishes: a drawn tree is about as large as asked. Numbers come from the data's summary:
 * thresholds from the values of a column, starts of parameters from the scales of the columns.
 */

import { own } from "@ndvm/core";
import type { ColumnSummary, StudyBrief } from "../types.js";
import type { Chance } from "./chance.js";
import type { Draft } from "./draft.js";
import { shorten } from "./simplify.js";
import { binary, comparisons, unary } from "./text.js";
import {
  bind,
  branch,
  call,
  isFixed,
  loop,
  mapLeaves,
  mentions,
  number,
  type Tree,
  test,
  variable,
} from "./tree.js";

const waves: ReadonlySet<string> = new Set(["sin", "cos"]);
const turnsMax = 16;

export class Grammar {
  readonly inputs: readonly string[];
  readonly unary: readonly string[];
  readonly binary: readonly string[];
  readonly tests: readonly string[];
  readonly hasIf: boolean;
  readonly hasLoop: boolean;
  readonly hasLet: boolean;
  /** Whether all of + − * / may be used. */
  readonly hasAlgebra: boolean;
  readonly #columns: ReadonlyMap<string, ColumnSummary>;

  constructor(
    private readonly brief: StudyBrief,
    readonly chance: Chance,
  ) {
    const allowed = new Set(brief.operators);
    this.inputs = brief.inputs.map(({ name }) => name);
    this.unary = [...allowed].filter((name) => unary.has(name));
    this.binary = [...allowed].filter((name) => binary.has(name));
    const listed = [...allowed].filter((name) => comparisons.has(name));
    this.tests = listed.length > 0 ? listed : ["<"];
    this.hasIf = allowed.has("if");
    this.hasLoop = allowed.has("loop");
    this.hasLet = allowed.has("let");
    this.hasAlgebra = ["+", "-", "*", "/"].every((name) => allowed.has(name));
    this.#columns = new Map(brief.inputs.map((column) => [column.name, column]));
  }

  has(name: string): boolean {
    return this.binary.includes(name) || this.unary.includes(name);
  }

  /** A whole program, drawn from the grammar alone. */
  program(draft: Draft): Tree {
    const { chance } = this;
    const isAffine = this.has("+") && this.has("*");
    const size = 1 + chance.below(10);
    const shape = chance.weighted([
      ["plain", 5],
      ["affine", isAffine ? 4 : 0],
      ["if", this.hasIf ? 1 : 0],
      ["loop", this.hasLoop ? 2 : 0],
    ] as const);
    if (shape === "if") return this.branch(draft, size + 4, []);
    if (shape === "loop") return this.loop(draft, []);
    if (shape === "plain") return this.moving(draft, size, []);
    const inner = this.moving(draft, size, []);
    return call("+", this.parameter(draft), call("*", this.parameter(draft), inner));
  }

  /** An expression that reads something: an input or one of `scope`. */
  moving(draft: Draft, size: number, scope: readonly string[]): Tree {
    const tree = this.expression(draft, size, scope);
    return isFixed(tree) ? this.read(scope) : tree;
  }

  /** An expression of about this size. */
  expression(draft: Draft, size: number, scope: readonly string[], around = ""): Tree {
    const { chance } = this;
    if (size <= 1) return this.leaf(draft, scope);
    const isInside = this.unary.includes(around);
    const shape = chance.weighted([
      ["unary", this.unary.length === 0 ? 0 : isInside ? 0.08 : size === 2 ? 1 : 0.3],
      ["binary", this.binary.length === 0 ? 0 : 0.7],
      ["if", this.hasIf && size >= 7 ? 0.05 : 0],
      ["let", this.hasLet && size >= 7 ? 0.03 : 0],
      ["loop", this.hasLoop && size >= 14 ? 0.05 : 0],
      ["leaf", 0.001],
    ] as const);
    if (shape === "leaf") return this.leaf(draft, scope);
    if (shape === "if") return this.branch(draft, size, scope);
    if (shape === "loop") return this.loop(draft, scope);
    if (shape === "let") return this.let(draft, size, scope);
    if (shape === "unary") return this.function(draft, size, scope);
    return this.operation(draft, size, scope, around);
  }

  function(draft: Draft, size: number, scope: readonly string[]): Tree {
    const name = this.chance.pick(this.unary);
    const arg = this.expression(draft, size - 1, scope, name);
    if (isFixed(arg)) return call(name, this.read(scope));
    return call(name, arg);
  }

  operation(draft: Draft, size: number, scope: readonly string[], around: string): Tree {
    const { chance } = this;
    const name = chance.pick(this.binary);
    const left = 1 + chance.below(Math.max(1, size - 2));
    const right = Math.max(1, size - 1 - left);
    if (name === "expt" || name === "pow") {
      const power = chance.happens(0.7) ? number(2 + chance.below(3)) : this.parameter(draft);
      return call(name, this.expression(draft, size - 2, scope, name), power);
    }
    const first = this.expression(draft, left, scope, around);
    const second = this.expression(draft, right, scope, around);
    return isFixed(first) && isFixed(second)
      ? call(name, first, this.read(scope))
      : call(name, first, second);
  }

  leaf(draft: Draft, scope: readonly string[]): Tree {
    const kind = this.chance.weighted([
      ["read", 0.6],
      ["parameter", 0.32],
      ["integer", 0.08],
    ] as const);
    if (kind === "read") return this.read(scope);
    if (kind === "parameter") return this.parameter(draft);
    return number(this.chance.happens(0.6) ? 1 : 2 + this.chance.below(2));
  }

  /** An input or a bound name; bound names are read more often, since they are there to be. */
  read(scope: readonly string[]): Tree {
    const names: (readonly [string, number])[] = this.inputs.map((name) => [name, 1]);
    const weight = Math.max(1, this.inputs.length);
    for (const name of scope) names.push([name, isCounter(name) ? 0.2 : 1.5 * weight]);
    return names.length === 0 ? number(1) : variable(this.chance.weighted(names));
  }

  /** A new parameter; its start is of the size of something in the data. */
  parameter(draft: Draft): Tree {
    const { chance, brief } = this;
    const scale = chance.weighted([
      [1, 6],
      [this.inverseScale(), 2],
      [brief.target.deviation || 1, 1],
    ]);
    const sign = chance.happens(0.3) ? -1 : 1;
    const value = sign * scale * chance.logUniform(0.2, 5);
    return draft.add(Number(value.toPrecision(3)), [-5 * scale, 5 * scale]);
  }

  /** One over the width of some input. */
  inverseScale(): number {
    if (this.brief.inputs.length === 0) return 1;
    const { min, max } = this.chance.pick(this.brief.inputs);
    return max > min ? 4 / (max - min) : 1;
  }

  /** (if (< v c) a b). */
  branch(draft: Draft, size: number, scope: readonly string[]): Tree {
    const half = Math.max(1, Math.floor((size - 4) / 2));
    const side = () => {
      const isLine = this.has("+") && this.has("*") && this.chance.happens(0.5);
      if (!isLine) return this.expression(draft, half, scope);
      return call("+", this.parameter(draft), call("*", this.parameter(draft), this.read(scope)));
    };
    return branch(this.condition(scope), side(), side());
  }

  /** A comparison of an input with one of its values, or of a bound name with a number. */
  condition(scope: readonly string[]): Tree {
    const { chance } = this;
    const name = chance.pick(this.tests);
    const left = this.read(scope);
    if (left.kind !== "variable") return test(name, left, number(0));
    const isPair = this.inputs.length > 1 && chance.happens(0.15);
    return test(name, left, isPair ? this.read(scope) : number(this.threshold(left.name)));
  }

  threshold(name: string): number {
    const { chance, brief } = this;
    const column = this.#columns.get(name);
    if (column === undefined) return shorten(chance.normal());
    const values = brief.sample.flatMap((row) =>
      Object.hasOwn(row, name) ? [own(row, name) as number] : [],
    );
    if (values.length > 0 && chance.happens(0.5)) return shorten(chance.pick(values));
    return shorten(column.min + chance.uniform() * (column.max - column.min));
  }

  /** How far the values of a name reach. */
  widthOf(name: string): number {
    const column = this.#columns.get(name);
    return column === undefined ? 1 : column.max - column.min || 1;
  }

  let(draft: Draft, size: number, scope: readonly string[]): Tree {
    const name = draft.freshName("u");
    const value = this.moving(draft, Math.max(3, Math.floor(size / 3)), scope);
    const inner = [...scope, name];
    const operators = this.binary.filter((op) => op !== "expt" && op !== "pow");
    if (operators.length === 0) return value;
    const rest = this.expression(draft, Math.max(1, size - 4), inner);
    const body = call(this.chance.pick(operators), variable(name), rest);
    return bind(name, value, body);
  }

  /**
   * A recurrence: one or two states, a fixed number of turns, the first state's last value. Half of
   * them iterate a map from an input; the others read inputs at every turn.
   */
  loop(draft: Draft, scope: readonly string[]): Tree {
    return this.chance.happens(0.5) ? this.#map(draft, scope) : this.#recurrence(draft, scope);
  }

  /**
   * A small function applied again and again, often with a line before and after it: then one
   * function stands for all that differ from it in the scale of the state.
   */
  #map(draft: Draft, scope: readonly string[]): Tree {
    const { chance } = this;
    const state = draft.freshName("s");
    const counter = draft.freshName("k");
    const drawn = this.next(draft, 2 + chance.below(5), [...scope, state], state);
    const next = mapLeaves(drawn, (leaf) => (leaf.kind === "variable" ? variable(state) : leaf));
    const probability = chance.happens(0.7) ? 0.9 : 0.2;
    return loop({
      turns: 2 + Math.min(chance.below(8), chance.below(8)),
      states: [state],
      counter,
      starts: [this.#line(draft, this.read(scope), probability)],
      nexts: [next],
      result: this.#line(draft, variable(state), probability),
    });
  }

  #recurrence(draft: Draft, scope: readonly string[]): Tree {
    const { chance } = this;
    const count = chance.happens(0.3) ? 2 : 1;
    const states = Array.from({ length: count }, () => draft.freshName("s"));
    const counter = draft.freshName("k");
    const inner = [...scope, ...states, counter];
    const starts = states.map(() =>
      chance.happens(0.5) ? this.#line(draft, this.read(scope), 0.3) : this.parameter(draft),
    );
    const nexts = states.map((state, i) => {
      const wanted = count === 1 ? state : (states[1 - i] as string);
      return this.next(draft, 3 + chance.below(5), inner, wanted);
    });
    return loop({
      turns: this.turns(),
      states,
      counter,
      starts,
      nexts,
      result: this.#line(draft, variable(states[0] as string), 0.5),
    });
  }

  /** The tree, or with this probability q·tree, or p + q·tree. */
  #line(draft: Draft, tree: Tree, probability: number): Tree {
    if (!this.has("+") || !this.has("*") || !this.chance.happens(probability)) return tree;
    const scaled = call("*", this.parameter(draft), tree);
    return this.chance.happens(0.7) ? call("+", this.parameter(draft), scaled) : scaled;
  }

  /** Few turns more often than many. */
  turns(): number {
    const { chance } = this;
    return 2 + Math.min(chance.below(turnsMax - 1), chance.below(turnsMax - 1));
  }

  /** An expression that reads the state it makes the next value of. */
  next(draft: Draft, size: number, scope: readonly string[], state: string): Tree {
    for (let i = 0; i < 8; i++) {
      const tree = this.expression(draft, size, scope);
      if (mentions(tree, state)) return tree;
    }
    return this.has("*") ? call("*", draft.add(0.9), variable(state)) : variable(state);
  }

  /** Where the rate of a wave over this input may lie. */
  waveRange(name: string): readonly [number, number] {
    const width = this.widthOf(name);
    return [0.5 / width, Math.min(60, 2 * this.brief.rows) / width];
  }

  isWave(name: string): boolean {
    return waves.has(name);
  }
}

const isCounter = (name: string): boolean => name.startsWith("\u0003k");
