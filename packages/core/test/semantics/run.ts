/**
 * The evaluator that the rules make: it takes the one rule that applies until the value is there.
 * It is slow on purpose; nothing in it is clever enough to be wrong in its own way.
 */

import type { Core, Expansion } from "../../src/syntax/core.js";
import { expand } from "../../src/syntax/expand.js";
import { read } from "../../src/syntax/read.js";
import { derivedText } from "./derived.js";
import { sweep } from "./numeric.js";
import { type Rule, rules } from "./rules.js";
import {
  Closure,
  type Configuration,
  type Env,
  Name,
  nil,
  Pair,
  Procedure,
  Real,
  type Record,
  Stuck,
  Tensor,
  unspecified,
  type Value,
  type World,
} from "./values.js";

export type RuleInput = number | readonly number[] | readonly (readonly number[])[];

export interface Derivation {
  readonly value: Value;
  readonly tape: readonly Record[];
  readonly decisions: readonly (number | boolean)[];
  /** Names of the rules in the order they were taken. */
  readonly taken: readonly string[];
  /** Cells of the elements of each input. */
  readonly cells: ReadonlyMap<string, readonly number[]>;
}

const derived = expand(read(derivedText));

/** Runs a program by the rules. More steps than `stepsMax` are E-STEPS. */
export function derive(
  source: string,
  inputs: ReadonlyMap<string, RuleInput>,
  options: { readonly domain?: "ieee" | "clamp"; readonly stepsMax?: number } = {},
): Derivation {
  const program = expand(read(source), { inputs: [...inputs.keys()] });
  const world = worldOf(inputs, options.domain === "clamp" ? program.nodes : []);
  const definitions = globalsOf(world, derived);
  run(world, derived, definitions, [], Number.POSITIVE_INFINITY);
  const places = new Map(derived.globals.map(({ name }, i) => [name, i]));
  const complete: World = Object.assign(world, {
    derived: (name: string): Value => {
      const value = world.store[places.get(name) ?? -1];
      if (value === undefined) throw new Stuck("E-TYPE", `there is no ${name}`);
      return value;
    },
  });
  const taken: string[] = [];
  world.decisions.length = 0;
  const value = run(
    complete,
    program,
    globalsOf(complete, program),
    taken,
    options.stepsMax ?? 1e6,
  );
  const cells = new Map([...complete.inputs].map(([name, each]) => [name, cellsOf(each)]));
  return { value, tape: complete.tape, decisions: complete.decisions, taken, cells };
}

/** The one rule that applies; it is a mistake of the rules if there are several. */
export function ruleFor(at: Configuration, world: World): Rule {
  const fitting = rules.filter((rule) => rule.applies(at, world));
  if (fitting.length > 1)
    throw new Error(`several rules apply: ${fitting.map(({ name }) => name)}`);
  const [rule] = fitting;
  if (rule === undefined) throw new Stuck(codeOf(at), "no rule applies");
  return rule;
}

function codeOf({ control }: Configuration): "E-UNINITIALISED" | "E-CALL" | "E-TYPE" {
  if (control.at === "expression") return "E-UNINITIALISED";
  if (control.at === "value") return "E-TYPE";
  const [operator] = control.values;
  return operator instanceof Closure || operator instanceof Procedure ? "E-TYPE" : "E-CALL";
}

function run(
  world: World,
  { nodes }: Expansion,
  env: Env,
  taken: string[],
  stepsMax: number,
): Value {
  const program = nodes.at(-1);
  if (program === undefined) throw new Error("an expansion has a program");
  let at: Configuration = { control: { at: "expression", core: program }, env, stack: undefined };
  for (let steps = 0; ; steps++) {
    if (at.control.at === "value" && at.stack === undefined) return at.control.value;
    if (steps >= stepsMax) throw new Stuck("E-STEPS", "too many steps");
    const rule = ruleFor(at, world);
    taken.push(rule.name);
    at = rule.step(at, world);
  }
}

/** Definitions are in scope everywhere and have no value until they have run. */
function globalsOf(world: World, { globals }: Expansion): Env {
  return globals.reduce<Env>((outer, variable) => {
    world.store.push(undefined);
    return { variable, place: world.store.length - 1, outer };
  }, undefined);
}

function worldOf(inputs: ReadonlyMap<string, RuleInput>, clamped: readonly Core[]): World {
  let cells = 0;
  const values = new Map<string, Value>();
  for (const [name, input] of inputs) {
    const real = (v: number): Real => new Real(v, cells++);
    if (typeof input === "number") values.set(name, real(input));
    else {
      const rows = input.map((line) => (typeof line === "number" ? [line] : line));
      const isMatrix = input.some((line) => typeof line !== "number");
      const shape = isMatrix ? [rows.length, rows[0]?.length ?? 0] : [rows.length];
      values.set(name, new Tensor(shape, rows.flat().map(real)));
    }
  }
  const nothing = (name: string): Value => {
    throw new Error(`${name} is not defined yet`);
  };
  return {
    store: [],
    tape: [],
    decisions: [],
    inputs: values,
    clamped: new Set(clamped),
    derived: nothing,
    cells,
  };
}

const cellsOf = (value: Value): number[] => realsOf(value).map(({ cell }) => cell as number);

/** The numbers of a numeric value. */
export function realsOf(value: Value): readonly Real[] {
  if (value instanceof Real) return [value];
  return value instanceof Tensor ? value.items : [];
}

/** The gradient of the weighted sum of the value's elements, by input. */
export function gradientOf(
  { value, tape, cells }: Derivation,
  weights: readonly number[],
): Map<string, readonly number[]> {
  const seeds = new Map<number, number>();
  for (const [i, { cell }] of realsOf(value).entries())
    if (cell !== undefined) seeds.set(cell, (seeds.get(cell) ?? 0) + (weights[i] ?? 0));
  const adjoints = sweep(tape, seeds);
  return new Map(
    [...cells].map(([name, own]) => [name, own.map((cell) => adjoints.get(cell) ?? 0)]),
  );
}

/** A value as the language writes it. */
export function textOf(value: Value): string {
  if (value instanceof Real) return String(value.v);
  if (typeof value === "boolean") return value ? "#t" : "#f";
  if (value instanceof Name) return value.text;
  if (value === nil) return "()";
  if (value === unspecified) return "#<unspecified>";
  if (value instanceof Tensor) return tensorText(value);
  if (!(value instanceof Pair)) return "#<procedure>";
  const items: string[] = [];
  let rest: Value = value;
  for (; rest instanceof Pair; rest = rest.cdr) items.push(textOf(rest.car));
  return `(${items.join(" ")}${rest === nil ? "" : ` . ${textOf(rest)}`})`;
}

function tensorText({ shape, items }: Tensor): string {
  const [, width] = shape;
  const texts = items.map(textOf);
  if (width === undefined) return `[${texts.join(" ")}]`;
  const lines = Array.from({ length: shape[0] ?? 0 }, (_, i) =>
    texts.slice(i * width, (i + 1) * width).join(" "),
  );
  return `[${lines.map((line) => `[${line}]`).join(" ")}]`;
}
