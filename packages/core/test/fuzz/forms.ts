/**
 * Generated control: forms whose result has any type that is asked for.
 *
 * Loops and recursion end by construction: a counter falls from a count of at most 5, or a list
 * gets shorter, and the recursive name is not in scope of the generated parts.
 */

import { type Maker, share, times } from "./maker.js";
import type { Tree } from "./program.js";
import {
  bool,
  count,
  int,
  procedure,
  real,
  type Scope,
  type Type,
  type Variable,
} from "./scope.js";

const symbols = ["a", "b", "c"];

export function makeForm(maker: Maker, type: Type, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const part = (parts: number, inner = scope): Tree => maker.make(type, inner, share(fuel, parts));
  const test = (): Tree => maker.make(bool, scope, share(fuel, 3));
  return random.weighted<() => Tree>([
    [5, () => ["if", test(), part(3), part(3)]],
    [3, () => makeCond(maker, type, scope, fuel)],
    [2, () => makeCase(maker, type, scope, fuel)],
    [1, () => ["or", "#f", part(1)]],
    [1, () => ["or", ["and", test(), part(3)], part(3)]],
    [1, () => ["and", "#t", ["quote", "a"], part(1)]],
    [1, () => ["begin", maker.make(real, scope, share(fuel, 2)), part(2)]],
    [1, () => ["begin", ["when", test(), part(3)], ["unless", test(), part(3)], part(3)]],
    [1, () => (random.chance(0.5) ? ["when", "#t", part(1)] : ["unless", "#f", part(1)])],
    [5, () => makeLet(maker, type, scope, fuel)],
    [3, () => makeLetStar(maker, type, scope, fuel)],
    [2, () => makeBody(maker, type, scope, fuel)],
    [2, () => makeImmediate(maker, type, scope, fuel)],
    [4, () => makeLoop(maker, type, scope, fuel)],
    [2, () => makeLetrec(maker, type, scope, fuel)],
  ])();
}

function makeCond(maker: Maker, type: Type, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const clauses = random.between(1, 3);
  const parts = 2 * clauses + 1;
  const part = (): Tree => maker.make(type, scope, share(fuel, parts));
  const test = (): Tree => maker.make(bool, scope, share(fuel, parts));
  const clause = (): Tree => {
    if (!random.chance(0.2)) return [test(), part()];
    const name = scope.fresh(random);
    const key = maker.make(int, scope, 1);
    const inner = scope.with({ name, type: { kind: "stream" } });
    const found: Tree = ["memv", key, ["quote", ["1", "2", "3"]]];
    return [found, "=>", ["lambda", [name], maker.make(type, inner, share(fuel, parts))]];
  };
  return ["cond", ...times(clauses, clause), ["else", part()]];
}

function makeCase(maker: Maker, type: Type, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const part = (): Tree => maker.make(type, scope, share(fuel, 4));
  if (random.chance(0.5)) {
    const key = maker.make(int, scope, share(fuel, 4));
    return ["case", key, [["0", "2", "4"], part()], [["1", "-1", "3"], part()], ["else", part()]];
  }
  const key = maker.make({ kind: "symbol" }, scope, share(fuel, 4));
  return ["case", key, [["a"], part()], [["b", "d"], part()], ["else", part()]];
}

export function makeSymbol(maker: Maker, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const known = scope.of({ kind: "symbol" });
  if (known.length > 0 && random.chance(0.4)) return random.pick(known).name;
  const quoted = (): Tree => ["quote", random.pick(symbols)];
  if (fuel <= 0 || random.chance(0.5)) return quoted();
  return ["if", maker.make(bool, scope, fuel - 1), quoted(), quoted()];
}

/** A type for a local variable. */
export function someType(maker: Maker): Type {
  const { random } = maker;
  const size = (): number => random.size();
  return random.weighted<() => Type>([
    [10, () => real],
    [3, () => int],
    [1, () => count],
    [2, () => bool],
    [1, () => ({ kind: "symbol" })],
    [3, () => ({ kind: "list", length: random.between(1, 4) })],
    [1, () => ({ kind: "stream" })],
    [3, () => ({ kind: "vector", length: size() })],
    [2, () => ({ kind: "matrix", rows: size(), cols: size() })],
    [3, () => someProcedure(maker)],
  ])();
}

function someProcedure({ random }: Maker): Type {
  const params = times(random.between(0, 3), () => random.pick([real, real, real, int]));
  return procedure(params, real);
}

function variablesFor(maker: Maker, scope: Scope, most: number): Variable[] {
  const { random } = maker;
  const names = scope.freshNames(random, random.between(1, most));
  return names.map((name) => ({ name, type: someType(maker) }));
}

function makeLet(maker: Maker, type: Type, scope: Scope, fuel: number): Tree {
  const variables = variablesFor(maker, scope, 3);
  const part = share(fuel, variables.length + 1);
  const bindings = variables.map(({ name, type: own }) => [name, maker.make(own, scope, part)]);
  return ["let", bindings, maker.make(type, scope.with(...variables), part)];
}

function makeLetStar(maker: Maker, type: Type, scope: Scope, fuel: number): Tree {
  const variables = variablesFor(maker, scope, 3);
  const part = share(fuel, variables.length + 1);
  let inner = scope;
  const bindings = variables.map((variable) => {
    const init = maker.make(variable.type, inner, part);
    inner = inner.with(variable);
    return [variable.name, init];
  });
  return ["let*", bindings, maker.make(type, inner, part)];
}

/** (let () (define …) … expression). */
function makeBody(maker: Maker, type: Type, scope: Scope, fuel: number): Tree {
  const variables = variablesFor(maker, scope, 2);
  const part = share(fuel, variables.length + 1);
  const { defines, inner } = makeDefines(maker, variables, scope, part);
  return ["let", [], ...defines, maker.make(type, inner, part)];
}

/** Definitions in order; each sees those before it, none the outer variable it shadows. */
export function makeDefines(
  maker: Maker,
  variables: readonly Variable[],
  scope: Scope,
  fuel: number,
): { defines: Tree[]; inner: Scope } {
  const names = new Set(variables.map(({ name }) => name));
  const hidden = scope.variables.filter(({ name }) => names.has(name));
  let inner = scope.without(hidden);
  const defines = variables.map((variable) => {
    const { name, type } = variable;
    const define = makeDefine(maker, name, type, inner, fuel);
    inner = inner.with(variable);
    return define;
  });
  return { defines, inner };
}

function makeDefine(maker: Maker, name: string, type: Type, scope: Scope, fuel: number): Tree {
  if (type.kind !== "procedure" || maker.random.chance(0.3)) {
    return ["define", name, maker.make(type, scope, fuel)];
  }
  const params = scope.freshNames(maker.random, type.params.length);
  const inner = scope.with(
    ...params.map((own, i) => ({ name: own, type: type.params[i] as Type })),
  );
  return ["define", [name, ...params], maker.make(type.result, inner, fuel - 1)];
}

export function makeLambda(
  maker: Maker,
  params: readonly Type[],
  result: Type,
  scope: Scope,
  fuel: number,
): Tree {
  const names = scope.freshNames(maker.random, params.length);
  const inner = scope.with(...names.map((name, i) => ({ name, type: params[i] as Type })));
  return ["lambda", names, maker.make(result, inner, fuel - 1)];
}

/** ((lambda (x … . rest) …) operand …). */
function makeImmediate(maker: Maker, type: Type, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const variables = variablesFor(maker, scope, 2);
  const part = share(fuel, variables.length + 2);
  const operands = variables.map(({ type: own }) => maker.make(own, scope, part));
  if (random.chance(0.6)) {
    const names = variables.map(({ name }) => name);
    return [["lambda", names, maker.make(type, scope.with(...variables), part)], ...operands];
  }
  const length = random.between(0, 3);
  const rest = scope.fresh(
    random,
    variables.map(({ name }) => name),
  );
  const inner = scope.with(...variables, { name: rest, type: { kind: "list", length } });
  const extra = times(length, () => maker.make(real, scope, Math.floor(part / 3)));
  const names: Tree = [...variables.map(({ name }) => name), ".", rest];
  return [["lambda", names, maker.make(type, inner, part)], ...operands, ...extra];
}

interface LoopParts {
  readonly counter: string;
  readonly limit: Tree;
  /** The first is the state that has the type of the result. */
  readonly states: readonly Variable[];
  readonly inits: readonly Tree[];
  readonly inner: Scope;
  readonly fuel: number;
}

function loopParts(maker: Maker, type: Type, scope: Scope, fuel: number): LoopParts {
  const { random } = maker;
  const [counter, first, second] = scope.freshNames(random, 3) as [string, string, string];
  const states: Variable[] = [{ name: first, type }];
  if (random.chance(0.4)) {
    const other: Type = random.pick([real, real, { kind: "vector", length: 2 }]);
    states.push({ name: second, type: other });
  }
  const part = share(fuel, 2 * states.length + 1);
  return {
    counter,
    limit: maker.make(count, scope, 1),
    states,
    inits: states.map((state) => maker.make(state.type, scope, part)),
    inner: scope.with({ name: counter, type: count }, ...states),
    fuel: part,
  };
}

function makeLoop(maker: Maker, type: Type, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const parts = loopParts(maker, type, scope, fuel);
  // The limit is evaluated outside the loop, so that no state can shadow what it names.
  const limit = `n${parts.counter}`;
  const held: LoopParts = { ...parts, limit };
  const body = random.weighted<() => Tree>([
    [3, () => counting(maker, held, "loop")],
    [3, () => counting(maker, held, "named")],
    [3, () => makeDo(maker, held)],
  ])();
  return ["let", [[limit, parts.limit]], body];
}

/** (loop …) with recur, or a named let, counting up to the limit. */
function counting(maker: Maker, parts: LoopParts, style: "loop" | "named"): Tree {
  const { random } = maker;
  const { counter, limit, states, inits, inner, fuel } = parts;
  const again = style === "loop" ? "recur" : `go${counter}`;
  const visible = inner.without([{ name: again, type: real }]);
  const next = (): Tree => [
    again,
    ["+", counter, "1"],
    ...states.map((state) => maker.make(state.type, visible, fuel)),
  ];
  const exit: Tree = ["=", counter, limit];
  const result = (states[0] as Variable).name;
  const step = random.weighted<() => Tree>([
    [3, next],
    [1, () => ["if", maker.make(bool, visible, fuel), next(), next()]],
    [1, () => ["let", [[`t${counter}`, maker.make(real, visible, fuel)]], next()]],
    [1, () => ["cond", [maker.make(bool, visible, fuel), next()], ["else", next()]]],
  ])();
  const stop: Tree =
    maker.divergence && random.chance(0.3) ? ["or", exit, maker.make(bool, visible, fuel)] : exit;
  const body: Tree = ["if", stop, result, step];
  const bindings = [[counter, "0"], ...states.map(({ name }, i) => [name, inits[i] as Tree])];
  return style === "loop" ? ["loop", bindings, body] : ["let", again, bindings, body];
}

function makeDo(maker: Maker, { counter, limit, states, inits, inner, fuel }: LoopParts): Tree {
  const specs = states.map(({ name, type }, i) => [
    name,
    inits[i] as Tree,
    maker.make(type, inner, fuel),
  ]);
  const exit = [[">=", counter, limit], (states[0] as Variable).name];
  return ["do", [[counter, "0", ["+", counter, "1"]], ...specs], exit];
}

/** Recursion: a falling count, two procedures that call each other, or two calls in one. */
function makeLetrec(maker: Maker, type: Type, scope: Scope, fuel: number): Tree {
  const { random } = maker;
  const [n, x] = scope.freshNames(random, 2) as [string, string];
  const inner = scope.with({ name: n, type: count }, { name: x, type: real });
  const part = share(fuel, 5);
  const value = (): Tree => maker.make(type, inner, part);
  const next = (name: string, less: number): Tree => [
    name,
    ["-", n, String(less)],
    maker.make(real, inner, part),
  ];
  const start = (name: string): Tree => [
    name,
    maker.make(count, scope, 1),
    maker.make(real, scope, part),
  ];
  const stop: Tree = ["<", n, "1"];
  // Names no fresh name can have, so that the generated parts cannot capture them.
  const [f, g] = [`f${n}`, `g${n}`];
  const form = random.pick(["letrec", "letrec*"]);
  const lambda = (body: Tree): Tree => ["lambda", [n, x], body];
  if (type.kind !== "real" || random.chance(0.4)) {
    const one = lambda(["if", stop, value(), next(g, 1)]);
    const two = lambda(["if", stop, value(), next(f, 1)]);
    return [
      form,
      [
        [f, one],
        [g, two],
      ],
      start(random.pick([f, g])),
    ];
  }
  const step: Tree = random.pick<() => Tree>([
    () => ["+", ["*", "0.5", next(f, 1)], value()],
    () => ["tanh", ["*", value(), next(f, 1)]],
    () => ["-", ["*", "0.4", next(f, 1)], ["*", "0.3", next(f, 2)]],
  ])();
  return [form, [[f, lambda(["if", stop, value(), step])]], start(f)];
}
