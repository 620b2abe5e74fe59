/**
 * A small evaluator of core forms in plain JavaScript, for the expander's tests: it recurses on the
 * host stack and knows only the primitives these tests use. Lists are Pair chains ending in null.
 */

import type { Core, LoopNode, Variable } from "../../src/syntax/core.js";
import type { Datum } from "../../src/syntax/datum.js";
import { expand } from "../../src/syntax/expand.js";
import { formatNumber } from "../../src/syntax/number-text.js";
import { read } from "../../src/syntax/read.js";

class Pair {
  constructor(
    readonly car: Value,
    readonly cdr: Value,
  ) {}
}
type Procedure = (...operands: Value[]) => Value;
type Value = number | boolean | symbol | null | undefined | Pair | Procedure | Recur;
class Recur {
  constructor(readonly operands: Value[]) {}
}
type Frame = Map<Variable, Value>;

/** Runs a program and writes its value as text. */
export function run(source: string, inputs: Record<string, number> = {}): string {
  const { nodes } = expand(read(source), { inputs: Object.keys(inputs) });
  const program = nodes.at(-1) as Core;
  return show(new Evaluator(inputs).evaluate(program, []));
}

class Evaluator {
  constructor(private readonly inputs: Record<string, number>) {}

  private readonly globals: Frame = new Map();

  evaluate(node: Core, frames: Frame[]): Value {
    switch (node.kind) {
      case "const":
        return quote(node.value);
      case "unspecified":
        return undefined;
      case "ref":
        return this.lookup(node.variable, frames);
      case "input":
        return this.inputs[node.name];
      case "primitive":
        return primitiveOf(node.name);
      case "if":
        return this.evaluate(
          this.evaluate(node.test, frames) !== false ? node.then : node.else,
          frames,
        );
      case "lambda":
        return (...operands) => {
          const frame: Frame = new Map(node.params.map((param, i) => [param, operands[i]]));
          if (node.rest) frame.set(node.rest, list(operands.slice(node.params.length)));
          return this.evaluate(node.body, [...frames, frame]);
        };
      case "call": {
        const [operator, ...operands] = [node.operator, ...node.operands].map((part) =>
          this.evaluate(part, frames),
        );
        if (typeof operator !== "function") throw new Error("not a procedure");
        return operator(...operands);
      }
      case "let": {
        const frame: Frame = new Map(
          node.variables.map((variable, i) => [
            variable,
            this.evaluate(node.inits[i] as Core, frames),
          ]),
        );
        return this.evaluate(node.body, [...frames, frame]);
      }
      case "letrec": {
        const frame: Frame = new Map();
        node.variables.forEach((variable, i) => {
          frame.set(variable, this.evaluate(node.inits[i] as Core, [...frames, frame]));
        });
        return this.evaluate(node.body, [...frames, frame]);
      }
      case "seq":
        return node.body.map((part) => this.evaluate(part, frames)).at(-1);
      case "loop":
        return this.runLoop(node, frames);
      case "recur":
        return new Recur(node.operands.map((operand) => this.evaluate(operand, frames)));
      case "define":
        this.globals.set(node.variable, this.evaluate(node.init, frames));
        return undefined;
    }
  }

  private lookup(variable: Variable, frames: Frame[]): Value {
    for (let i = frames.length - 1; i >= 0; i--) {
      const frame = frames[i] as Frame;
      if (frame.has(variable)) return frame.get(variable);
    }
    if (!this.globals.has(variable)) throw new Error(`${variable.name} is not initialised`);
    return this.globals.get(variable);
  }

  private runLoop(node: LoopNode, frames: Frame[]): Value {
    let values = node.inits.map((init) => this.evaluate(init, frames));
    for (;;) {
      const frame: Frame = new Map(node.variables.map((variable, i) => [variable, values[i]]));
      const result = this.evaluate(node.body, [...frames, frame]);
      if (!(result instanceof Recur)) return result;
      values = result.operands;
    }
  }
}

function list(items: readonly Value[], tail: Value = null): Value {
  return items.reduceRight<Value>((rest, item) => new Pair(item, rest), tail);
}

function items(value: Value): Value[] {
  const out: Value[] = [];
  for (let at = value; at instanceof Pair; at = at.cdr) out.push(at.car);
  return out;
}

function quote(datum: Datum): Value {
  if (datum.kind === "number" || datum.kind === "boolean") return datum.value;
  if (datum.kind === "symbol") return Symbol.for(datum.name);
  return list(
    datum.items.map(quote),
    datum.kind === "list" && datum.tail ? quote(datum.tail) : null,
  );
}

export function show(value: Value): string {
  if (value === null) return "()";
  if (value === undefined) return "unspecified";
  if (typeof value === "number") return formatNumber(value, Number.isInteger(value));
  if (typeof value === "boolean") return value ? "#t" : "#f";
  if (typeof value === "symbol") return Symbol.keyFor(value) ?? "";
  if (typeof value === "function") return "procedure";
  if (value instanceof Recur) return "recur";
  let tail: Value = value;
  while (tail instanceof Pair) tail = tail.cdr;
  return `(${items(value).map(show).join(" ")}${tail === null ? "" : ` . ${show(tail)}`})`;
}

function equal(a: Value, b: Value): boolean {
  return a === b || (a instanceof Pair && b instanceof Pair && show(a) === show(b));
}

function pair(value: Value): Pair {
  if (value instanceof Pair) return value;
  throw new Error(`${show(value)} is not a pair`);
}

function tails(value: Value): Pair[] {
  const out: Pair[] = [];
  for (let at = value; at instanceof Pair; at = at.cdr) out.push(at);
  return out;
}

const num = (value: Value) => value as number;
const fold =
  (f: (a: number, b: number) => number) =>
  (first: Value, ...more: Value[]) =>
    more.reduce<number>((sum, next) => f(sum, num(next)), num(first));
const compare = (f: (a: number, b: number) => boolean) => (a: Value, b: Value) => f(num(a), num(b));
const find = (same: (a: Value, b: Value) => boolean) => (object: Value, all: Value) =>
  tails(all).find((tail) => same(object, tail.car)) ?? false;
const findKey = (same: (a: Value, b: Value) => boolean) => (key: Value, all: Value) =>
  items(all).find((entry) => same(key, pair(entry).car)) ?? false;
const same = (a: Value, b: Value) => a === b;

const primitives: Record<string, Procedure> = {
  "+": (...all) => all.reduce<number>((sum, next) => sum + num(next), 0),
  "*": (...all) => all.reduce<number>((sum, next) => sum * num(next), 1),
  "-": (first, ...more) => (more.length ? fold((a, b) => a - b)(first, ...more) : -num(first)),
  "/": fold((a, b) => a / b),
  "=": compare((a, b) => a === b),
  "<": compare((a, b) => a < b),
  ">": compare((a, b) => a > b),
  "<=": compare((a, b) => a <= b),
  ">=": compare((a, b) => a >= b),
  max: fold(Math.max),
  abs: (x) => Math.abs(num(x)),
  square: (x) => num(x) * num(x),
  sqrt: (x) => Math.sqrt(num(x)),
  exp: (x) => Math.exp(num(x)),
  expt: (x, y) => num(x) ** num(y),
  remainder: (x, y) => num(x) % num(y),
  "even?": (x) => num(x) % 2 === 0,
  "zero?": (x) => x === 0,
  not: (x) => x === false,
  cons: (a, b) => new Pair(a, b),
  car: (x) => pair(x).car,
  cdr: (x) => pair(x).cdr,
  list: (...all) => list(all),
  vec: (...all) => list([Symbol.for("vec"), ...all]),
  length: (x) => items(x).length,
  append: (...all) =>
    all.length === 0
      ? null
      : all.slice(0, -1).reduceRight<Value>((rest, x) => list(items(x), rest), all.at(-1)),
  reverse: (x) => list(items(x).reverse()),
  "null?": (x) => x === null,
  "pair?": (x) => x instanceof Pair,
  "symbol?": (x) => typeof x === "symbol",
  "procedure?": (x) => typeof x === "function",
  "eq?": same,
  "eqv?": same,
  "equal?": equal,
  memv: find(same),
  memq: find(same),
  member: find(equal),
  assv: findKey(same),
  assq: findKey(same),
  assoc: findKey(equal),
  apply: (f, ...all) => (f as Procedure)(...all.slice(0, -1), ...items(all.at(-1))),
};

function primitiveOf(name: string): Procedure {
  const primitive = primitives[name];
  if (primitive === undefined) throw new Error(`these tests do not know the primitive ${name}`);
  return primitive;
}
