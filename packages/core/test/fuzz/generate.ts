/**
 * The program generator: typed random programs over the whole language, with their inputs.
 *
 * A program sees the inputs p0 … (a number per lane), s0 (a number all lanes share), n0 (an
 * integer), v (a vector) and m (a matrix). One seed and one index make one program, always.
 */

import { makeDiverging } from "./diverge.js";
import { makeDefines, makeForm, makeLambda, makeSymbol, someType } from "./forms.js";
import { makeFromList, makeList, makeStream } from "./lists.js";
import { type Maker, share, times } from "./maker.js";
import { makeBool, makeCount, makeInt, makeReal } from "./numbers.js";
import type { FuzzInput, FuzzProgram, Tree } from "./program.js";
import { Random } from "./random.js";
import { makeSameness } from "./sameness.js";
import { bool, matrixOf, real, Scope, type Type, type Variable, vectorOf } from "./scope.js";
import { makeFromTensor, makeMatrix, makeVector } from "./tensors.js";

export interface GenerateOptions {
  readonly divergence?: boolean;
  /** How often a number is made by control that lanes part on. Default: never. */
  readonly parting?: number;
  /** How often a number depends on whether two things are the same. Default: nothing asks. */
  readonly asking?: number;
  /** Lanes of a batch. Default: 1 to 7, now and then up to 40. */
  readonly lanes?: number;
}

class Generator implements Maker {
  constructor(
    readonly random: Random,
    readonly divergence: boolean,
    readonly wild: boolean,
    readonly parting: number,
    readonly asking: number,
  ) {}

  make(type: Type, scope: Scope, fuel: number): Tree {
    const { random } = this;
    if (type.kind === "real" && fuel > 2 && this.parting > 0 && random.chance(this.parting)) {
      return makeDiverging(this, scope, fuel);
    }
    if (type.kind === "real" && fuel > 4 && this.asking > 0 && random.chance(this.asking)) {
      const number = (): Tree => this.make(real, scope, share(fuel, 3));
      return ["if", makeSameness(this, scope, fuel), number(), number()];
    }
    const isCall = (own: Type): boolean => own.kind === "procedure" && own.result.kind === "real";
    const calls = type.kind === "real" ? scope.where(isCall) : [];
    if (fuel > 3 && random.chance(type.kind === "real" ? 0.3 : 0.15)) {
      return makeForm(this, type, scope, fuel);
    }
    if (fuel > 1 && calls.length > 0 && random.chance(0.25)) {
      return this.call(random.recent(calls), scope, fuel);
    }
    return this.plain(type, scope, fuel);
  }

  call({ name, type }: Variable, scope: Scope, fuel: number): Tree {
    const params = type.kind === "procedure" ? type.params : [];
    const operands = params.map((param) => this.make(param, scope, share(fuel, params.length)));
    return [name, ...operands];
  }

  private plain(type: Type, scope: Scope, fuel: number): Tree {
    switch (type.kind) {
      case "real":
        return this.number(scope, fuel);
      case "int":
        return makeInt(this, scope, fuel);
      case "count":
        return makeCount(this, scope, fuel);
      case "bool":
        return makeBool(this, scope, fuel);
      case "symbol":
        return makeSymbol(this, scope, fuel);
      case "stream":
        return makeStream(this, scope, fuel);
      case "list":
        return makeList(this, type.length, scope, fuel);
      case "vector":
        return makeVector(this, type.length, scope, fuel);
      case "matrix":
        return makeMatrix(this, type.rows, type.cols, scope, fuel);
      case "procedure":
        return this.procedure(type, scope, fuel);
    }
  }

  private number(scope: Scope, fuel: number): Tree {
    const structured = fuel > 2 ? 2 : 0;
    return this.random.weighted<() => Tree>([
      [8, () => makeReal(this, scope, fuel)],
      [structured, () => makeFromList(this, scope, fuel)],
      [structured, () => makeFromTensor(this, scope, fuel)],
    ])();
  }

  private procedure(type: Type & { kind: "procedure" }, scope: Scope, fuel: number): Tree {
    const known = scope.of(type);
    if (known.length > 0 && this.random.chance(0.3)) return this.random.recent(known).name;
    return makeLambda(this, type.params, type.result, scope, fuel);
  }
}

/** Program number `index` of a seed. */
export function generate(seed: number, index: number, options: GenerateOptions = {}): FuzzProgram {
  const random = new Random(seed, index);
  const divergence = options.divergence ?? false;
  const lanes = options.lanes ?? random.between(1, random.chance(0.02) ? 40 : 7);
  const inputs = makeInputs(random, lanes);
  const scope = new Scope(inputs.map(inputVariable), { next: 0 });
  const wild = random.chance(0.25);
  const domain = random.chance(wild ? 0.5 : 0.1) ? "clamp" : "ieee";
  const { parting = 0, asking = 0 } = options;
  const maker = new Generator(random, divergence, wild, parting, asking);
  const fuel = random.pick([4, 8, 14, 22, 34, 50]);
  const names = scope.freshNames(random, random.pick([0, 0, 1, 2, 3]));
  const variables = names.map((name) => ({ name, type: someType(maker) }));
  const part = share(fuel, variables.length + 1);
  const { defines, inner } = makeDefines(maker, variables, scope, part);
  const type = resultType(random);
  const value = maker.make(type, inner, Math.max(part, 3));
  const uses = variables.flatMap((variable) => useOf(maker, variable, inner));
  const result: Tree = type.kind === "real" && uses.length > 0 ? ["+", value, ...uses] : value;
  const body = [...defines, result];
  return withUsedInputs({ body, inputs, lanes, divergence, domain });
}

/** A number that depends on a variable, so that few definitions stay without effect. */
function useOf(maker: Generator, variable: Variable, scope: Scope): Tree[] {
  const { name, type } = variable;
  if (type.kind === "real") return [name];
  if (type.kind === "vector" || type.kind === "matrix") return [["vsum", name]];
  if (type.kind === "list" || type.kind === "stream") return [["apply", "+", name]];
  if (type.kind === "procedure") return [maker.call(variable, scope, 4)];
  return [];
}

function resultType(random: Random): Type {
  return random.weighted<Type>([
    [20, real],
    [2, vectorOf(random.size())],
    [1, matrixOf(random.size(), random.size())],
    [1, { kind: "list", length: random.between(0, 3) }],
    [0.5, bool],
  ]);
}

function makeInputs(random: Random, lanes: number): FuzzInput[] {
  const number = (): number => random.decimal(-2, 2) || 0.5;
  const scalars = times(
    random.between(1, 3),
    (i): FuzzInput => ({
      name: `p${i}`,
      kind: "scalar",
      rows: 1,
      cols: 1,
      lanes: times(lanes, () => [number()]),
    }),
  );
  const rows = random.size();
  const cols = random.size();
  const length = random.size();
  const one = { rows: 1, cols: 1 };
  return [
    ...scalars,
    { name: "s0", kind: "shared", ...one, lanes: [[number()]] },
    { name: "n0", kind: "int", ...one, lanes: [[random.between(0, 5)]] },
    {
      name: "v",
      kind: "vector",
      rows: length,
      cols: 1,
      lanes: times(lanes, () => times(length, number)),
    },
    {
      name: "m",
      kind: "matrix",
      rows,
      cols,
      lanes: times(lanes, () => times(rows * cols, number)),
    },
  ];
}

function inputVariable({ name, kind, rows, cols }: FuzzInput): Variable {
  if (kind === "int") return { name, type: { kind: "count" } };
  if (kind === "vector") return { name, type: vectorOf(rows) };
  if (kind === "matrix") return { name, type: matrixOf(rows, cols) };
  return { name, type: real, shared: kind === "shared" };
}

/** Leaves out the inputs whose names do not occur: a caller may pass only what a program reads. */
export function withUsedInputs(program: FuzzProgram): FuzzProgram {
  const atoms = new Set<string>();
  const visit = (tree: Tree): void => {
    if (typeof tree === "string") atoms.add(tree);
    else tree.forEach(visit);
  };
  program.body.forEach(visit);
  return { ...program, inputs: program.inputs.filter(({ name }) => atoms.has(name)) };
}
