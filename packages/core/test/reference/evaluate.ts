/**
 * The reference evaluator: slow, plain, and independent of the machine it judges.
 *
 * It walks syntax trees with an environment. Tail calls loop, other calls recurse on the host
 * stack. A form yields a value or a Tail: the expressions to go on with, and their scope.
 *
 * It finds at run time what the machine refuses at load time (a free operator, a misplaced recur),
 * so a program it accepts may still be refused, but never the other way round.
 */

import { constant, Dual, type Tracer, traced } from "./dual.js";
import { forms, Tail } from "./forms.js";
import { type Domain, makePrimitives } from "./primitives.js";
import { print } from "./print.js";
import { bracketHead, Form, read, Sym, type Syntax } from "./read.js";
import {
  Closure,
  itemsOf,
  listOf,
  Primitive,
  RefError,
  Scope,
  Tensor,
  unspecified,
  type Value,
} from "./values.js";

/** A number, a vector, or a matrix by rows. */
export type RefInput = number | readonly number[] | readonly (readonly number[])[];

export interface RefOptions {
  /** Inputs to differentiate by. Default: all. */
  readonly wrt?: readonly string[];
  readonly domain?: Domain;
  /** Round every intermediate result to f32. */
  readonly single?: boolean;
  /** Most calls and forms. Default 1e7. */
  readonly stepsMax?: number;
}

export interface RefResult {
  readonly value: Value;
  /** As Scheme text. */
  readonly text: string;
  /** [] number, [n] vector, [r, c] matrix; undefined where the result is not numeric. */
  readonly shape: readonly number[] | undefined;
  /** Elements of a numeric result, row-major. */
  readonly numbers: readonly number[];
  /** For each input: output elements × input elements, row-major. */
  readonly gradient: Readonly<Record<string, readonly number[]>>;
  /** Folded outcomes of all decisions, and how close the closest of them was. */
  readonly tracer: Tracer;
}

const tables = { ieee: makePrimitives("ieee"), clamp: makePrimitives("clamp") };

export function evaluate(
  source: string,
  inputs: Readonly<Record<string, RefInput>>,
  options: RefOptions = {},
): RefResult {
  const wrt = options.wrt ?? Object.keys(inputs);
  const program = readAgain(source);
  if (program.length === 0) throw new RefError("E-SYNTAX", "the program is empty");
  const { result, tracer } = traced(options.single ?? false, () => {
    const globals = new Scope(inputScope(inputs, wrt));
    const evaluator = new Evaluator(tables[options.domain ?? "ieee"], options.stepsMax ?? 1e7);
    return evaluator.finish(evaluator.sequence(program, globals));
  });
  const duals = result instanceof Dual ? [result] : result instanceof Tensor ? result.items : [];
  const shape = result instanceof Dual ? [] : result instanceof Tensor ? result.shape : undefined;
  return {
    value: result,
    text: print(result),
    shape,
    numbers: duals.map((dual) => dual.v),
    gradient: gradientOf(duals, inputs, wrt),
    tracer,
  };
}

/** The latest text and its trees: one program is often evaluated many times in a row. */
let latest: { readonly source: string; readonly program: readonly Syntax[] } | undefined;

function readAgain(source: string): readonly Syntax[] {
  if (latest?.source !== source) latest = { source, program: read(source) };
  return latest.program;
}

const flat = (input: RefInput): number[] => (typeof input === "number" ? [input] : input.flat());

/** Binds every input to duals with unit slopes for the elements asked for. */
function inputScope(inputs: Readonly<Record<string, RefInput>>, wrt: readonly string[]): Scope {
  const scope = new Scope(undefined);
  const width = wrt.reduce((total, name) => total + flat(inputs[name] ?? []).length, 0);
  const offsets = offsetsOf(inputs, wrt);
  for (const [name, input] of Object.entries(inputs)) {
    const offset = offsets.get(name);
    const duals = flat(input).map((v, i) => {
      if (offset === undefined) return constant(v);
      const slope = new Float64Array(width);
      slope[offset + i] = 1;
      return new Dual(constant(v).v, slope);
    });
    scope.variables.set(name, shaped(input, duals));
  }
  return scope;
}

function offsetsOf(inputs: Readonly<Record<string, RefInput>>, wrt: readonly string[]) {
  const offsets = new Map<string, number>();
  let next = 0;
  for (const name of wrt) {
    offsets.set(name, next);
    next += flat(inputs[name] ?? []).length;
  }
  return offsets;
}

function shaped(input: RefInput, duals: readonly Dual[]): Value {
  if (typeof input === "number") return duals[0] as Dual;
  const [first] = input;
  if (typeof first === "number") return new Tensor([input.length], duals);
  return new Tensor([input.length, (first as readonly number[]).length], duals);
}

function gradientOf(
  duals: readonly Dual[],
  inputs: Readonly<Record<string, RefInput>>,
  wrt: readonly string[],
): Record<string, number[]> {
  const offsets = offsetsOf(inputs, wrt);
  const gradient: Record<string, number[]> = {};
  for (const name of wrt) {
    const offset = offsets.get(name) as number;
    const count = flat(inputs[name] ?? []).length;
    gradient[name] = duals.flatMap((dual) =>
      Array.from({ length: count }, (_, i) => dual.slope?.[offset + i] ?? 0),
    );
  }
  return gradient;
}

/** What a form needs of the evaluator. */
export interface Walker {
  value(syntax: Syntax, scope: Scope): Value;
  call(procedure: Value, operands: readonly Value[]): Value;
  sequence(body: readonly Syntax[], scope: Scope): Value | Tail;
  enter(procedure: Value, operands: readonly Value[]): Value | Tail;
}

class Evaluator implements Walker {
  private steps = 0;

  constructor(
    private readonly primitives: ReadonlyMap<string, Primitive>,
    private readonly stepsMax: number,
  ) {}

  value(syntax: Syntax, scope: Scope): Value {
    return this.finish(this.step(syntax, scope));
  }

  readonly call = (procedure: Value, operands: readonly Value[]): Value =>
    this.finish(this.enter(procedure, operands));

  /** Runs pending tail expressions until there is a value. */
  finish(start: Value | Tail): Value {
    let state = start;
    while (state instanceof Tail) state = this.step(state.syntax, state.scope);
    return state;
  }

  private step(syntax: Syntax, scope: Scope): Value | Tail {
    if (typeof syntax === "number") return constant(syntax);
    if (typeof syntax === "boolean") return syntax;
    if (syntax instanceof Sym) return this.lookup(syntax, scope);
    this.steps += 1;
    if (this.steps > this.stepsMax) throw new RefError("E-STEPS", "too many steps");
    const head = syntax.items[0];
    const operands = syntax.items.slice(1);
    if (head === undefined) throw new RefError("E-FORM", "() is not an expression");
    if (syntax.tail !== undefined) throw new RefError("E-FORM", "a call cannot have a dot");
    const form = head instanceof Sym ? forms.get(head.name) : undefined;
    if (form && !scope.find((head as Sym).name)) return form(operands, scope, this);
    const procedure = this.value(head, scope);
    return this.enter(
      procedure,
      operands.map((operand) => this.value(operand, scope)),
    );
  }

  private lookup(name: Sym, scope: Scope): Value {
    if (name === bracketHead) return this.primitives.get("vec") as Primitive;
    const home = scope.find(name.name);
    const value = home ? home.variables.get(name.name) : this.primitives.get(name.name);
    if (value !== undefined) return value;
    if (home) throw new RefError("E-UNINITIALISED", `${name.name} is read before its definition`);
    if (forms.has(name.name)) throw new RefError("E-FORM", `${name.name} is not a variable`);
    throw new RefError("E-UNBOUND", `nothing defines ${name.name}`);
  }

  enter(procedure: Value, operands: readonly Value[]): Value | Tail {
    if (procedure instanceof Primitive) {
      const { least, most, name } = procedure;
      if (operands.length < least || operands.length > most) {
        throw new RefError("E-ARITY", `${name} called with ${operands.length} operands`);
      }
      if (name !== "apply") return procedure.run(operands, this.call);
      const last = itemsOf(operands[operands.length - 1] as Value, name);
      return this.enter(operands[0] as Value, [...operands.slice(1, -1), ...last]);
    }
    if (!(procedure instanceof Closure)) {
      throw new RefError("E-CALL", `${print(procedure)} is not a procedure`);
    }
    return this.sequence(procedure.body, bindOperands(procedure, operands));
  }

  /** Runs all but the last expression; definitions bind in this scope, letrec*-wise. */
  sequence(body: readonly Syntax[], scope: Scope): Value | Tail {
    for (const expression of body) {
      const name = definedName(expression, scope);
      if (name !== undefined) scope.variables.set(name, undefined);
    }
    let last: Value | Tail = unspecified;
    body.forEach((expression, i) => {
      const name = definedName(expression, scope);
      if (name !== undefined) {
        scope.variables.set(name, this.value(definedValue(expression as Form), scope));
        last = unspecified;
      } else if (i < body.length - 1) this.value(expression, scope);
      else last = new Tail(expression, scope);
    });
    return last;
  }
}

function bindOperands(closure: Closure, operands: readonly Value[]): Scope {
  const { params, rest } = closure;
  if (operands.length < params.length || (!rest && operands.length > params.length)) {
    throw new RefError("E-ARITY", `expected ${params.length} operands, got ${operands.length}`);
  }
  const scope = new Scope(closure.scope);
  params.forEach((name, i) => {
    scope.variables.set(name, operands[i] as Value);
  });
  if (rest) scope.variables.set(rest, listOf(operands.slice(params.length)));
  return scope;
}

/** The name that (define name …) or (define (name …) …) defines, if it is a definition. */
function definedName(syntax: Syntax, scope: Scope): string | undefined {
  if (!(syntax instanceof Form)) return undefined;
  const [head, target] = syntax.items;
  if (!(head instanceof Sym) || head.name !== "define") return undefined;
  if (scope.find("define")) return undefined;
  const name = target instanceof Form ? target.items[0] : target;
  if (!(name instanceof Sym)) throw new RefError("E-FORM", "define needs a name");
  return name.name;
}

function definedValue(definition: Form): Syntax {
  const [, target, ...body] = definition.items;
  if (!(target instanceof Form)) {
    if (body.length !== 1) throw new RefError("E-FORM", "define needs one value");
    return body[0] as Syntax;
  }
  const params = new Form(target.items.slice(1), target.tail);
  const flatParams = params.items.length === 0 && params.tail !== undefined ? params.tail : params;
  return new Form([new Sym("lambda"), flatParams, ...body]);
}
