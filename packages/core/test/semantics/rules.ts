/**
 * The rules of the small-step semantics, one object each. `text` is the rule as docs/semantics.md
 * prints it, `applies` its left side and conditions, `step` its right side. The evaluator (run.ts)
 * knows nothing but these: it takes the one rule that applies, until none is left to take.
 */

import type { Core } from "../../src/syntax/core.js";
import type { Datum } from "../../src/syntax/datum.js";
import {
  applyFlat,
  applyNumber,
  applyTest,
  asPlainCall,
  isElementwise,
  isFlat,
  isNumeric,
  isPredicate,
  kindsOf,
} from "./numeric.js";
import { structure } from "./structure.js";
import {
  Closure,
  type Compound,
  type Configuration,
  type Env,
  type Frame,
  itemsOf,
  listOf,
  Name,
  nil,
  Procedure,
  Real,
  type Stack,
  Stuck,
  Tensor,
  unspecified,
  type Value,
  type World,
} from "./values.js";

export interface Rule {
  readonly name: string;
  readonly text: string;
  readonly applies: (at: Configuration, world: World) => boolean;
  readonly step: (at: Configuration, world: World) => Configuration;
}

const push = (frame: Frame, below: Stack): Stack => ({ frame, below });
const evaluate = (core: Core, env: Env, stack: Stack): Configuration => ({
  control: { at: "expression", core },
  env,
  stack,
});
const give = (value: Value, stack: Stack): Configuration => ({
  control: { at: "value", value },
  env: undefined,
  stack,
});

type Node<K extends Core["kind"]> = Extract<Core, { kind: K }>;
type FrameOf<K extends Frame["kind"]> = Extract<Frame, { kind: K }>;

/** A rule for an expression of one kind. */
function expression<K extends Core["kind"]>(
  name: string,
  kind: K,
  text: string,
  step: (node: Node<K>, at: Configuration, world: World) => Configuration,
  condition: (node: Node<K>, at: Configuration, world: World) => boolean = () => true,
): Rule {
  const nodeOf = ({ control }: Configuration): Node<K> | undefined =>
    control.at === "expression" && control.core.kind === kind
      ? (control.core as Node<K>)
      : undefined;
  return {
    name,
    text,
    applies: (at, world) => {
      const node = nodeOf(at);
      return node !== undefined && condition(node, at, world);
    },
    step: (at, world) => step(nodeOf(at) as Node<K>, at, world),
  };
}

/** A rule for a value that a frame of one kind waits for. */
function returned<K extends Frame["kind"]>(
  name: string,
  kind: K,
  text: string,
  step: (value: Value, frame: FrameOf<K>, below: Stack, world: World) => Configuration,
  condition: (value: Value, frame: FrameOf<K>) => boolean = () => true,
): Rule {
  const partsOf = ({ control, stack }: Configuration) =>
    control.at === "value" && stack?.frame.kind === kind
      ? { value: control.value, frame: stack.frame as FrameOf<K>, below: stack.below }
      : undefined;
  return {
    name,
    text,
    applies: (at) => {
      const parts = partsOf(at);
      return parts !== undefined && condition(parts.value, parts.frame);
    },
    step: (at, world) => {
      const { value, frame, below } = partsOf(at) as NonNullable<ReturnType<typeof partsOf>>;
      return step(value, frame, below, world);
    },
  };
}

/** A rule for a form all of whose parts are values. */
function full<K extends Compound["kind"]>(
  name: string,
  kind: K,
  text: string,
  step: (node: Node<K>, values: readonly Value[], at: Configuration, world: World) => Configuration,
  condition: (values: readonly Value[], world: World) => boolean = () => true,
): Rule {
  const partsOf = ({ control }: Configuration) =>
    control.at === "form" && control.node.kind === kind
      ? { node: control.node as Node<K>, values: control.values }
      : undefined;
  return {
    name,
    text,
    applies: (at, world) => {
      const parts = partsOf(at);
      return parts !== undefined && condition(parts.values, world);
    },
    step: (at, world) => {
      const { node, values } = partsOf(at) as NonNullable<ReturnType<typeof partsOf>>;
      return step(node, values, at, world);
    },
  };
}

function valueOfDatum(datum: Datum): Value {
  switch (datum.kind) {
    case "number":
      return new Real(datum.value);
    case "boolean":
      return datum.value;
    case "symbol":
      return new Name(datum.name);
    case "list":
      return listOf(
        datum.items.map(valueOfDatum),
        datum.tail === undefined ? nil : valueOfDatum(datum.tail),
      );
    case "bracket":
      return new Tensor([datum.items.length], datum.items.map(valueOfDatum) as Real[]);
  }
}

function placeOf(env: Env, wanted: unknown): number {
  for (let each = env; each !== undefined; each = each.outer)
    if ("variable" in each && each.variable === wanted) return each.place;
  throw new Error("the expander left a variable unbound");
}

/** ρ with variables at new places of the store. */
function bind(
  world: World,
  env: Env,
  variables: readonly { readonly name: string; mark: number }[],
  values: readonly (Value | undefined)[],
): Env {
  return variables.reduce<Env>((outer, variable, i) => {
    world.store.push(values[i]);
    return { variable, place: world.store.length - 1, outer };
  }, env);
}

function partsOf(node: Compound): readonly Core[] {
  if (node.kind === "call") return [node.operator, ...node.operands];
  return node.kind === "recur" ? node.operands : node.inits;
}

const compounds = ["call", "let", "loop", "recur"] as const;

const operandRules: readonly Rule[] = [
  {
    name: "First",
    text: "⟨(… e₁ e₂ … eₙ); ρ; κ⟩ → ⟨e₁; ρ; (… □ e₂ … eₙ, ρ)·κ⟩",
    applies: ({ control }) =>
      control.at === "expression" &&
      compounds.some((kind) => kind === control.core.kind) &&
      partsOf(control.core as Compound).length > 0,
    step: ({ control, env, stack }) => {
      const { core } = control as { readonly core: Core };
      const [first, ...rest] = partsOf(core as Compound);
      const frame = { kind: "operands", node: core as Compound, done: [], rest, env } as const;
      return evaluate(first as Core, env, push(frame, stack));
    },
  },
  {
    name: "None",
    text: "⟨(…); ρ; κ⟩ → ⟨[…]; ρ; κ⟩",
    applies: ({ control }) =>
      control.at === "expression" &&
      compounds.some((kind) => kind === control.core.kind) &&
      partsOf(control.core as Compound).length === 0,
    step: ({ control, env, stack }) => ({
      control: { at: "form", node: (control as { core: Core }).core as Compound, values: [] },
      env,
      stack,
    }),
  },
  returned(
    "Next",
    "operands",
    "⟨v; (… v₁ … □ e … , ρ)·κ⟩ → ⟨e; ρ; (… v₁ … v □ … , ρ)·κ⟩",
    (value, frame, below) => {
      const [next, ...rest] = frame.rest;
      const waiting = { ...frame, done: [...frame.done, value], rest };
      return evaluate(next as Core, frame.env, push(waiting, below));
    },
    (_value, { rest }) => rest.length > 0,
  ),
  returned(
    "Last",
    "operands",
    "⟨v; (… v₁ … □, ρ)·κ⟩ → ⟨[… v₁ … v]; ρ; κ⟩",
    (value, { node, done, env }, below) => ({
      control: { at: "form", node, values: [...done, value] },
      env,
      stack: below,
    }),
    (_value, { rest }) => rest.length === 0,
  ),
];

const valueRules: readonly Rule[] = [
  expression("Constant", "const", "⟨c; ρ; κ⟩ → ⟨c; κ⟩", (node, { stack }) =>
    give(valueOfDatum(node.value), stack),
  ),
  expression("Unspecified", "unspecified", "⟨unspecified; ρ; κ⟩ → ⟨unspecified; κ⟩", (_, at) =>
    give(unspecified, at.stack),
  ),
  expression("Input", "input", "⟨input; ρ; κ⟩ → ⟨ι(input); κ⟩", ({ name }, { stack }, world) => {
    const value = world.inputs.get(name);
    if (value === undefined) throw new Stuck("E-UNBOUND", `no value for ${name}`);
    return give(value, stack);
  }),
  expression(
    "Variable",
    "ref",
    "⟨x; ρ; κ⟩ → ⟨σ(ρ(x)); κ⟩   if σ(ρ(x)) is there",
    ({ variable }, { env, stack }, world) =>
      give(world.store[placeOf(env, variable)] as Value, stack),
    ({ variable }, { env }, world) => world.store[placeOf(env, variable)] !== undefined,
  ),
  expression("Primitive", "primitive", "⟨p; ρ; κ⟩ → ⟨p; κ⟩", (node, { stack }, world) => {
    const isClamped = world.clamped.has(node) && (node.name === "sqrt" || node.name === "log");
    return give(new Procedure(isClamped ? `${node.name}Clamp` : node.name), stack);
  }),
  expression("Lambda", "lambda", "⟨(λ xs e); ρ; κ⟩ → ⟨closure(xs, e, ρ); κ⟩", (node, at) =>
    give(new Closure(node, at.env), at.stack),
  ),
];

const controlRules: readonly Rule[] = [
  expression("If", "if", "⟨(if e₁ e₂ e₃); ρ; κ⟩ → ⟨e₁; ρ; (if □ e₂ e₃, ρ)·κ⟩", (node, at) => {
    const { env, stack } = at;
    return evaluate(
      node.test,
      env,
      push({ kind: "if", yes: node.then, no: node.else, env }, stack),
    );
  }),
  returned(
    "If-true",
    "if",
    "⟨v; (if □ e₂ e₃, ρ)·κ⟩ → ⟨e₂; ρ; κ⟩   if v ≠ #f",
    (_value, frame, below) => evaluate(frame.yes, frame.env, below),
    (value) => value !== false,
  ),
  returned(
    "If-false",
    "if",
    "⟨#f; (if □ e₂ e₃, ρ)·κ⟩ → ⟨e₃; ρ; κ⟩",
    (_value, frame, below) => evaluate(frame.no, frame.env, below),
    (value) => value === false,
  ),
  expression("Sequence", "seq", "⟨(seq e₁ e₂ …); ρ; κ⟩ → ⟨e₁; ρ; (seq e₂ …, ρ)·κ⟩", (node, at) => {
    const [first, ...rest] = node.body;
    const { env, stack } = at;
    const below = rest.length === 0 ? stack : push({ kind: "seq", rest, env }, stack);
    return evaluate(first as Core, env, below);
  }),
  returned(
    "Sequence-next",
    "seq",
    "⟨v; (seq e₁ e₂ …, ρ)·κ⟩ → ⟨e₁; ρ; (seq e₂ …, ρ)·κ⟩   (no frame after the last)",
    (_value, { rest: [first, ...rest], env }, below) =>
      evaluate(
        first as Core,
        env,
        rest.length === 0 ? below : push({ kind: "seq", rest, env }, below),
      ),
  ),
];

const bindingRules: readonly Rule[] = [
  full("Let", "let", "⟨[let xs = vs in e]; ρ; κ⟩ → ⟨e; ρ[xs ↦ vs]; κ⟩", (node, values, at, world) =>
    evaluate(node.body, bind(world, at.env, node.variables, values), at.stack),
  ),
  expression(
    "Letrec",
    "letrec",
    "⟨(letrec x₁ = e₁ … in e); ρ; κ⟩ → ⟨e₁; ρ'; (x₁ = □ … in e, ρ')·κ⟩   with ρ' = ρ[xs ↦ nothing yet]",
    (node, { env, stack }, world) => {
      const first = world.store.length;
      const inner = bind(world, env, node.variables, []);
      const [init, ...rest] = node.inits;
      if (init === undefined) return evaluate(node.body, inner, stack);
      const frame = { kind: "letrec", place: first, rest, body: node.body, env: inner } as const;
      return evaluate(init, inner, push(frame, stack));
    },
  ),
  returned(
    "Letrec-next",
    "letrec",
    "⟨v; (x₁ = □, x₂ = e₂ … in e, ρ)·κ⟩ → ⟨e₂; ρ; (x₂ = □ … in e, ρ)·κ⟩   with σ(ρ(x₁)) = v",
    (value, frame, below, world) => {
      world.store[frame.place] = value;
      const [next, ...rest] = frame.rest;
      return evaluate(
        next as Core,
        frame.env,
        push({ ...frame, place: frame.place + 1, rest }, below),
      );
    },
    (_value, { rest }) => rest.length > 0,
  ),
  returned(
    "Letrec-body",
    "letrec",
    "⟨v; (xₙ = □ in e, ρ)·κ⟩ → ⟨e; ρ; κ⟩   with σ(ρ(xₙ)) = v",
    (value, { place, body, env }, below, world) => {
      world.store[place] = value;
      return evaluate(body, env, below);
    },
    (_value, { rest }) => rest.length === 0,
  ),
  expression("Define", "define", "⟨(define x e); ρ; κ⟩ → ⟨e; ρ; (define x □)·κ⟩", (node, at) => {
    const { env, stack } = at;
    return evaluate(
      node.init,
      env,
      push({ kind: "define", place: placeOf(env, node.variable) }, stack),
    );
  }),
  returned(
    "Defined",
    "define",
    "⟨v; (define x □)·κ⟩ → ⟨unspecified; κ⟩   with σ(ρ(x)) = v",
    (value, { place }, below, world) => {
      world.store[place] = value;
      return give(unspecified, below);
    },
  ),
  full(
    "Loop",
    "loop",
    "⟨[loop xs = vs in e]; ρ; κ⟩ → ⟨e; ρ[loop][xs ↦ vs]; κ⟩",
    (node, values, at, world) => {
      const env: Env = { loop: node.loop, node, outer: at.env };
      return evaluate(node.body, bind(world, env, node.variables, values), at.stack);
    },
  ),
  full(
    "Recur",
    "recur",
    "⟨[recur vs]; ρ; κ⟩ → ⟨e; ρ'[xs ↦ vs]; κ⟩   for the loop xs, e of ρ, with its ρ'",
    (node, values, at, world) => {
      let env = at.env;
      while (env !== undefined && !("loop" in env && env.loop === node.loop)) env = env.outer;
      if (env === undefined || !("loop" in env))
        throw new Error("the expander left a recur unbound");
      return evaluate(env.node.body, bind(world, env, env.node.variables, values), at.stack);
    },
  ),
];

const closureOf = ([operator]: readonly Value[]): Closure | undefined =>
  operator instanceof Closure ? operator : undefined;

const nameOf = ([operator]: readonly Value[]): string | undefined =>
  operator instanceof Procedure ? operator.name : undefined;

/** The same form with another operator and other operands. */
const again = (node: Compound, values: readonly Value[], at: Configuration): Configuration => ({
  control: { at: "form", node, values },
  env: at.env,
  stack: at.stack,
});

const plainName = (values: readonly Value[], world: World): string | undefined => {
  const name = nameOf(values);
  return name === undefined || asPlainCall(world, name, values.slice(1)) !== undefined
    ? undefined
    : name;
};

/** A numeric primitive on numbers only, on vectors or matrices too, or on something else. */
function numericCall(
  values: readonly Value[],
  world: World,
): { name: string; kinds: string } | undefined {
  const name = plainName(values, world);
  if (name === undefined || !isNumeric(name)) return undefined;
  const kinds = kindsOf(values.slice(1));
  return kinds === undefined ? undefined : { name, kinds };
}

/** An element-wise primitive on numbers only. */
function numberCall(values: readonly Value[], world: World): string | undefined {
  const call = numericCall(values, world);
  const isNumber = call !== undefined && isElementwise(call.name) && /^s*$/.test(call.kinds);
  return isNumber ? call.name : undefined;
}

function checkShapes(values: readonly Value[]): void {
  const shapes = values
    .filter((value) => value instanceof Tensor)
    .map(({ shape }) => String(shape));
  if (new Set(shapes).size > 1) throw new Stuck("E-SHAPE", `shapes ${shapes.join(" and ")} differ`);
}

const callRules: readonly Rule[] = [
  full(
    "Call",
    "call",
    "⟨[closure(x₁ … xₙ, e, ρ') v₁ … vₙ]; ρ; κ⟩ → ⟨e; ρ'[xs ↦ vs]; κ⟩",
    (_node, values, { stack }, world) => {
      const { lambda, env } = closureOf(values) as Closure;
      return evaluate(lambda.body, bind(world, env, lambda.params, values.slice(1)), stack);
    },
    (values) => {
      const lambda = closureOf(values)?.lambda;
      return lambda?.rest === undefined && lambda?.params.length === values.length - 1;
    },
  ),
  full(
    "Call-rest",
    "call",
    "⟨[closure(x₁ … xₙ . x, e, ρ') v₁ … vₘ]; ρ; κ⟩ → ⟨e; ρ'[xs ↦ v₁ … vₙ][x ↦ (vₙ₊₁ … vₘ)]; κ⟩   if m ≥ n",
    (_node, values, { stack }, world) => {
      const { lambda, env } = closureOf(values) as Closure;
      const count = lambda.params.length + 1;
      const inner = bind(world, env, lambda.params, values.slice(1, count));
      const rest = listOf(values.slice(count));
      return evaluate(
        lambda.body,
        bind(world, inner, lambda.rest ? [lambda.rest] : [], [rest]),
        stack,
      );
    },
    (values) => {
      const lambda = closureOf(values)?.lambda;
      return lambda?.rest !== undefined && values.length - 1 >= lambda.params.length;
    },
  ),
  full(
    "Apply",
    "call",
    "⟨[apply v v₁ … (vₙ … vₘ)]; ρ; κ⟩ → ⟨[v v₁ … vₙ … vₘ]; ρ; κ⟩",
    (node, values, at) =>
      again(node, [...values.slice(1, -1), ...itemsOf(values.at(-1) as Value)], at),
    (values) => nameOf(values) === "apply" && values.length > 2,
  ),
  full(
    "Variadic",
    "call",
    "⟨[p v₁ … vₙ]; ρ; κ⟩ → ⟨[q …]; ρ; κ⟩   the call of primitives with one or two operands it stands for",
    (node, values, at, world) =>
      again(node, asPlainCall(world, nameOf(values) as string, values.slice(1)) as Value[], at),
    (values, world) => {
      const name = nameOf(values);
      return name !== undefined && asPlainCall(world, name, values.slice(1)) !== undefined;
    },
  ),
  full(
    "Number",
    "call",
    "⟨[p r₁ …]; ρ; κ⟩ → ⟨f_p(r₁ …) in a new cell; κ⟩   τ gains (p, cells of r₁ …, new cell)",
    (_node, values, { stack }, world) =>
      give(applyNumber(world, nameOf(values) as string, values.slice(1) as Real[]), stack),
    (values, world) => {
      const name = numberCall(values, world);
      return name !== undefined && !isFlat(name);
    },
  ),
  full(
    "Flat",
    "call",
    "⟨[p r₁ …]; ρ; κ⟩ → ⟨f_p(r₁ …); κ⟩   δ gains the result if an r has a cell; τ gains nothing",
    (_node, values, { stack }, world) =>
      give(applyFlat(world, nameOf(values) as string, values.slice(1) as Real[]), stack),
    (values, world) => {
      const name = numberCall(values, world);
      return name !== undefined && isFlat(name);
    },
  ),
  full(
    "Element-wise",
    "call",
    "⟨[p a b]; ρ; κ⟩ → ⟨[D_each p a b]; ρ; κ⟩   if a or b is a vector or matrix",
    (node, values, at, world) => {
      const { kinds } = numericCall(values, world) as { kinds: string };
      checkShapes(values.slice(1));
      return again(node, [world.derived(`each-${kinds}`), ...values], at);
    },
    (values, world) => {
      const call = numericCall(values, world);
      return call !== undefined && isElementwise(call.name) && /[vm]/.test(call.kinds);
    },
  ),
  full(
    "Structured",
    "call",
    "⟨[p a …]; ρ; κ⟩ → ⟨[D_p a …]; ρ; κ⟩   D_p is the definition of p in the language",
    (node, values, at, world) => {
      const { name, kinds } = numericCall(values, world) as { name: string; kinds: string };
      return again(node, [world.derived(`${name}-${kinds}`), ...values.slice(1)], at);
    },
    (values, world) => {
      const call = numericCall(values, world);
      return call !== undefined && !isElementwise(call.name);
    },
  ),
  full(
    "Test",
    "call",
    "⟨[t r₁ …]; ρ; κ⟩ → ⟨#t or #f; κ⟩   δ gains the outcome; τ gains nothing",
    (_node, values, { stack }, world) =>
      give(applyTest(world, nameOf(values) as string, values.slice(1) as Real[]), stack),
    (values) =>
      isPredicate(nameOf(values) ?? "") && values.slice(1).every((value) => value instanceof Real),
  ),
  full(
    "Structure",
    "call",
    "⟨[s v₁ …]; ρ; κ⟩ → ⟨v; κ⟩   δ gains the numbers it looked at as index, size or key; τ nothing",
    (_node, values, { stack }, world) => {
      const run = structure.get(nameOf(values) ?? "");
      return give(run === undefined ? false : run(world, values.slice(1)), stack);
    },
    (values) => {
      const name = nameOf(values) ?? "";
      // integer? is asked of anything, and of what is not a number the answer is no.
      return structure.has(name) || (name === "integer?" && !(values[1] instanceof Real));
    },
  ),
];

export const rules: readonly Rule[] = [
  ...valueRules,
  ...controlRules,
  ...operandRules,
  ...bindingRules,
  ...callRules,
];
