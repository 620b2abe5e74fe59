/**
 * The closed form of a program: core nodes are evaluated with names in place of numbers.
 *
 * Procedures are applied, lists taken apart, loops whose turns are known run; a test that the
 * program alone does not decide becomes a choice between both sides. What depends on the inputs in
 * another way (how often a loop turns, how deep a recursion goes) has no closed form and is refused
 * with its place.
 */

import { NdvmError, type Span } from "../errors.js";
import { primitiveByName } from "../primitives/index.js";
import { numbers as algebra } from "../primitives/numbers.js";
import type { CallNode, Core, Expansion, IfNode, LambdaNode, Variable } from "../syntax/core.js";
import type { Datum } from "../syntax/datum.js";
import {
  type ClosedForm,
  type Comparison,
  type Formula,
  numberFormula,
  partsOf,
  sizeOf,
  type Test,
} from "./formula.js";

const STEPS_MAX = 20_000;
const DEPTH_MAX = 600;
const SIZE_MAX = 4000;

interface Closure {
  readonly kind: "closure";
  readonly lambda: LambdaNode;
  readonly scope: Scope;
}
interface Pair {
  readonly kind: "pair";
  readonly car: Value;
  readonly cdr: Value;
}
interface Vector {
  readonly kind: "vector";
  readonly items: readonly Formula[];
}
interface Word {
  readonly kind: "symbol" | "primitive";
  readonly name: string;
}
/** The operands of a loop's next turn. */
interface Again {
  readonly kind: "again";
  readonly loop: object;
  readonly values: readonly Value[];
}
type Value =
  | Formula
  | Test
  | boolean
  | Closure
  | Pair
  | Vector
  | Word
  | Again
  | { readonly kind: "nil" }
  | { readonly kind: "unspecified" };

const nil: Value = { kind: "nil" };
const FORMULAS: ReadonlySet<string> = new Set(["number", "name", "apply", "choice"]);
const TESTS: ReadonlySet<string> = new Set(["compare", "all", "any", "not"]);

const isFormula = (value: Value): value is Formula =>
  typeof value !== "boolean" && FORMULAS.has(value.kind);
const isTest = (value: Value): value is Test => typeof value !== "boolean" && TESTS.has(value.kind);

class Scope {
  readonly #values = new Map<Variable, Value>();
  readonly #parent: Scope | undefined;

  constructor(parent?: Scope) {
    this.#parent = parent;
  }

  get(variable: Variable): Value | undefined {
    return this.#values.get(variable) ?? this.#parent?.get(variable);
  }

  set(variable: Variable, value: Value): void {
    this.#values.set(variable, value);
  }
}

/** The closed form, with the values of `params` in place of their names. */
export function closedForm(
  { nodes, inputs }: Expansion,
  params: Readonly<Record<string, number>>,
  isClamped: boolean,
): ClosedForm {
  const program = nodes.at(-1) as Core & { kind: "seq" };
  const evaluator = new Symbolic(params, isClamped);
  const value = evaluator.value(program, new Scope());
  const last = program.body.at(-1) as Core;
  const formulas =
    typeof value !== "boolean" && value.kind === "vector"
      ? value.items
      : isFormula(value)
        ? [value]
        : undefined;
  if (formulas === undefined)
    throw refusal("its value is no number or vector of numbers", last.span);
  const size = formulas.reduce((sum, formula) => sum + sizeOf(formula), 0);
  if (size > SIZE_MAX)
    throw refusal(`written out it has ${size} parts, more than ${SIZE_MAX}`, last.span);
  const used = new Set<string>();
  for (const formula of formulas) collectNames(formula, used);
  return {
    formulas,
    isVector: !isFormula(value),
    names: inputs.filter((name) => used.has(name)),
  };
}

function collectNames(formula: Formula | Test, into: Set<string>): void {
  if (formula.kind === "name") into.add(formula.name);
  for (const part of partsOf(formula)) collectNames(part, into);
}

export function refusal(why: string, span: Span): NdvmError {
  return new NdvmError("E-REFUSED", `the program has no closed form: ${why}`, {
    span: span.start < 0 ? undefined : span,
    help: "export it as scheme, json or javascript",
  });
}

class Symbolic {
  readonly #params: Readonly<Record<string, number>>;
  readonly #isClamped: boolean;
  /** Lambdas being applied, with how many choices were open when each was entered. */
  readonly #active = new Map<LambdaNode, number>();
  #choices = 0;
  #steps = 0;
  #depth = 0;

  constructor(params: Readonly<Record<string, number>>, isClamped: boolean) {
    this.#params = params;
    this.#isClamped = isClamped;
  }

  value(node: Core, scope: Scope): Value {
    this.#steps += 1;
    this.#depth += 1;
    if (this.#steps > STEPS_MAX || this.#depth > DEPTH_MAX)
      throw refusal("it takes too many steps to write out", node.span);
    const value = this.#step(node, scope);
    this.#depth -= 1;
    return value;
  }

  #step(node: Core, scope: Scope): Value {
    switch (node.kind) {
      case "const":
        return datumValue(node.value);
      case "unspecified":
        return { kind: "unspecified" };
      case "ref":
        return this.#lookUp(node.variable, scope, node.span);
      case "input":
        return this.#input(node.name);
      case "primitive":
        return { kind: "primitive", name: node.name };
      case "lambda":
        return { kind: "closure", lambda: node, scope };
      case "if":
        return this.#choose(node, scope);
      case "let":
      case "letrec": {
        const inner = new Scope(scope);
        for (const [i, init] of node.inits.entries())
          inner.set(
            node.variables[i] as Variable,
            this.value(init, node.kind === "let" ? scope : inner),
          );
        return this.value(node.body, inner);
      }
      case "seq": {
        let last: Value = { kind: "unspecified" };
        for (const part of node.body) last = this.value(part, scope);
        return last;
      }
      case "define":
        scope.set(node.variable, this.value(node.init, scope));
        return { kind: "unspecified" };
      case "recur": {
        const values = node.operands.map((operand) => this.value(operand, scope));
        return { kind: "again", loop: node.loop, values };
      }
      case "loop":
        return this.#loop(node, scope);
      case "call":
        return this.#call(node, scope);
    }
  }

  #lookUp(variable: Variable, scope: Scope, span: Span): Value {
    const value = scope.get(variable);
    if (value === undefined) throw refusal(`${variable.name} is read before it is defined`, span);
    return value;
  }

  #input(name: string): Formula {
    const value = this.#params[name];
    return value === undefined ? { kind: "name", name } : numberFormula(value);
  }

  #loop(node: Core & { kind: "loop" }, scope: Scope): Value {
    let values = node.inits.map((init) => this.value(init, scope));
    for (;;) {
      const inner = new Scope(scope);
      for (const [i, variable] of node.variables.entries()) inner.set(variable, values[i] as Value);
      const value = this.value(node.body, inner);
      const isAgain = typeof value !== "boolean" && value.kind === "again";
      if (!isAgain || value.loop !== node.loop) return value;
      values = [...value.values];
    }
  }

  #choose(node: IfNode, scope: Scope): Value {
    const test = this.value(node.test, scope);
    if (!isTest(test)) return this.value(test === false ? node.else : node.then, scope);
    const known = decide(test);
    if (known !== undefined) return this.value(known ? node.then : node.else, scope);
    this.#choices += 1;
    const [yes, no] = [this.value(node.then, scope), this.value(node.else, scope)];
    this.#choices -= 1;
    return join(test, yes, no, node);
  }

  #call(node: CallNode, scope: Scope): Value {
    const operator = this.value(node.operator, scope);
    const operands = node.operands.map((operand) => this.value(operand, scope));
    return this.#apply(operator, operands, node);
  }

  #apply(operator: Value, operands: readonly Value[], node: CallNode): Value {
    if (typeof operator !== "boolean" && operator.kind === "primitive") {
      if (operator.name !== "apply") return this.#primitive(operator.name, operands, node);
      const list = itemsOf(operands.at(-1) as Value, node);
      return this.#apply(operands[0] as Value, [...operands.slice(1, -1), ...list], node);
    }
    if (typeof operator === "boolean" || operator.kind !== "closure")
      throw refusal("it calls what is no procedure", node.span);
    const { lambda } = operator;
    const count = lambda.params.length;
    if (operands.length < count || (lambda.rest === undefined && operands.length > count))
      throw refusal("a procedure gets a wrong number of operands", node.span);
    const entered = this.#active.get(lambda);
    if (entered !== undefined && entered < this.#choices)
      throw refusal("how deep it recurs depends on the inputs", node.span);
    const inner = new Scope(operator.scope);
    for (const [i, param] of lambda.params.entries()) inner.set(param, operands[i] as Value);
    if (lambda.rest !== undefined) inner.set(lambda.rest, listOf(operands.slice(count)));
    this.#active.set(lambda, this.#choices);
    const value = this.value(lambda.body, inner);
    if (entered === undefined) this.#active.delete(lambda);
    else this.#active.set(lambda, entered);
    return value;
  }

  #primitive(name: string, operands: readonly Value[], node: CallNode): Value {
    const { arity } = primitiveByName.get(name) as { arity: { min: number; max: number } };
    if (operands.length < arity.min || operands.length > arity.max)
      throw refusal(`${name} gets a wrong number of operands`, node.span);
    const value =
      structural(name, operands, node) ??
      compare(name, operands, node) ??
      this.#numeric(name, operands, node);
    if (value === undefined) throw refusal(`it uses ${name}`, node.span);
    return value;
  }

  /** Element-wise where there are vectors. */
  #numeric(name: string, operands: readonly Value[], node: CallNode): Value | undefined {
    const vectors = operands.filter(isVector);
    if (vectors.length === 0) {
      if (!operands.every(isFormula)) throw refusal(`${name} gets what is no number`, node.span);
      return this.#scalar(name, operands);
    }
    const length = vectors[0]?.items.length ?? 0;
    if (vectors.some(({ items }) => items.length !== length))
      throw refusal("vectors differ in length", node.span);
    const items: Formula[] = [];
    for (let i = 0; i < length; i++) {
      const row = operands.map((one) => (isVector(one) ? (one.items[i] as Formula) : one));
      if (!row.every(isFormula)) throw refusal(`${name} gets what is no number`, node.span);
      const item = this.#scalar(name, row);
      if (item === undefined) return undefined;
      items.push(item);
    }
    return { kind: "vector", items };
  }

  #scalar(name: string, operands: readonly Formula[]): Formula | undefined {
    const [x, y] = operands;
    if (name === "+" || name === "*" || name === "-" || name === "/")
      return foldWhole(name, operands);
    if (x === undefined) return undefined;
    if (name === "exact" || name === "inexact") return x;
    if (name === "square") return apply("pow", x, numberFormula(2, true));
    if (name === "pow" || name === "expt") return power(x, y as Formula);
    if (name === "scale") return foldWhole("*", operands);
    if (name === "min" || name === "max")
      return operands.length === 1 ? x : apply(name, ...operands);
    if (name === "log" || name === "sqrt") {
      const own = (of: Formula) =>
        apply(name, this.#isClamped ? apply("max", of, numberFormula(1e-8)) : of);
      return y === undefined ? own(x) : apply("/", own(x), own(y));
    }
    if (name === "atan" && y !== undefined) return apply("atan2", x, y);
    if (WHOLE.has(name)) return whole(apply(name, ...operands));
    return FUNCTIONS.has(name) ? apply(name, ...operands) : undefined;
  }
}

const FUNCTIONS: ReadonlySet<string> = new Set(
  `abs exp sin cos tan asin acos atan sinh cosh tanh log1p expm1 sigmoid softplus erf
  lgamma`.split(/\s+/),
);
const WHOLE: ReadonlySet<string> = new Set(
  "floor ceiling round truncate quotient remainder modulo".split(" "),
);

const isVector = (value: Value): value is Vector =>
  typeof value !== "boolean" && value.kind === "vector";

const apply = (op: string, ...operands: Formula[]): Formula => ({ kind: "apply", op, operands });

/** (op a b c …) from the left. */
function foldWhole(name: string, operands: readonly Formula[]): Formula {
  const [x, ...rest] = operands;
  if (x === undefined) return numberFormula(name === "+" ? 0 : 1, true);
  if (rest.length === 0) {
    if (name === "-") return whole(apply("neg", x));
    return name === "/" ? apply("/", numberFormula(1, true), x) : x;
  }
  return rest.reduce((sum, operand) => withoutNeutral(name, sum, operand), x);
}

const isInteger = (formula: Formula, value: number): boolean =>
  formula.kind === "number" && formula.exact && formula.value === value;

/** x op y, where 0 + x, 1·x, x/1 and the like are x. */
function withoutNeutral(name: string, x: Formula, y: Formula): Formula {
  const neutral = name === "+" || name === "-" ? 0 : 1;
  if (isInteger(y, neutral)) return x;
  if ((name === "+" || name === "*") && isInteger(x, neutral)) return y;
  return whole(apply(name, x, y));
}

function power(x: Formula, y: Formula): Formula {
  if (isInteger(y, 1)) return x;
  return isInteger(y, 0) ? numberFormula(1, true) : whole(apply("pow", x, y));
}

/** Whole numbers of whole numbers are computed at once: indices and counts are made of them. */
function whole(formula: Formula): Formula {
  if (formula.kind !== "apply") return formula;
  const isWhole = formula.operands.every((one) => one.kind === "number" && one.exact);
  if (!isWhole) return formula;
  const value = constantOf(formula);
  return value !== undefined && Number.isSafeInteger(value) ? numberFormula(value, true) : formula;
}

/** The value of a formula without names. */
export function constantOf(formula: Formula): number | undefined {
  if (formula.kind === "number") return formula.value;
  if (formula.kind !== "apply") return undefined;
  const operands = formula.operands.map(constantOf);
  if (operands.includes(undefined)) return undefined;
  return evaluateOp(formula.op, operands as number[]);
}

const OPS: Readonly<Record<string, string>> = { neg: "-", atan2: "atan" };

function evaluateOp(op: string, operands: readonly number[]): number | undefined {
  const [x, y] = operands as [number, number];
  if (op === "neg") return -x;
  if (op === "atan2") return Math.atan2(x, y);
  if (op === "min" || op === "max") return Math[op](...operands);
  const primitive = primitiveByName.get(OPS[op] ?? op);
  if (primitive?.kind !== "unary" && primitive?.kind !== "binary") return undefined;
  return primitive.forward(algebra, { x, y });
}

/** A test's outcome where it depends on no name. */
function decide(test: Test): boolean | undefined {
  if (test.kind === "not") {
    const inner = decide(test.test);
    return inner === undefined ? undefined : !inner;
  }
  if (test.kind === "compare") {
    const [x, y] = [constantOf(test.left), constantOf(test.right)];
    return x === undefined || y === undefined ? undefined : holds(test.op, x, y);
  }
  const parts = test.tests.map(decide);
  const ends = test.kind === "any";
  if (parts.includes(ends)) return ends;
  return parts.includes(undefined) ? undefined : !ends;
}

function holds(op: Comparison, x: number, y: number): boolean {
  if (op === "=") return x === y;
  if (op === "<") return x < y;
  if (op === ">") return x > y;
  return op === "<=" ? x <= y : x >= y;
}

/** What a choice between two values is. */
function join(test: Test, yes: Value, no: Value, node: IfNode): Value {
  if (isFormula(yes) && isFormula(no)) return { kind: "choice", test, yes, no };
  if (isVector(yes) && isVector(no) && yes.items.length === no.items.length) {
    const items = yes.items.map(
      (one, i): Formula => ({ kind: "choice", test, yes: one, no: no.items[i] as Formula }),
    );
    return { kind: "vector", items };
  }
  const isTruth = (value: Value): value is Test | boolean =>
    typeof value === "boolean" || isTest(value);
  if (isTruth(yes) && isTruth(no)) return joinTests(test, yes, no);
  const isLoop = [yes, no].some((value) => typeof value !== "boolean" && value.kind === "again");
  throw refusal(
    isLoop
      ? "how often its loop turns depends on the inputs"
      : "a test on the inputs decides between things that are no numbers",
    node.span,
  );
}

function joinTests(test: Test, yes: Test | boolean, no: Test | boolean): Test | boolean {
  if (yes === no) return yes;
  if (yes === test) return joinTests(test, true, no);
  if (yes === true && no === false) return test;
  if (yes === false && no === true) return { kind: "not", test };
  if (no === false) return { kind: "all", tests: [test, yes as Test] };
  if (yes === true) return { kind: "any", tests: [test, no as Test] };
  const isNot: Test = { kind: "not", test };
  if (yes === false) return { kind: "all", tests: [isNot, no as Test] };
  if (no === true) return { kind: "any", tests: [isNot, yes as Test] };
  return {
    kind: "any",
    tests: [
      { kind: "all", tests: [test, yes as Test] },
      { kind: "all", tests: [isNot, no as Test] },
    ],
  };
}

const COMPARISONS: ReadonlySet<string> = new Set(["=", "<", ">", "<=", ">="]);

function compare(name: string, operands: readonly Value[], node: CallNode): Value | undefined {
  const zero = numberFormula(0, true);
  const signs: Readonly<Record<string, Comparison>> = {
    "zero?": "=",
    "positive?": ">",
    "negative?": "<",
  };
  const sign = signs[name];
  if (!COMPARISONS.has(name) && sign === undefined) return undefined;
  if (!operands.every(isFormula)) throw refusal(`${name} gets what is no number`, node.span);
  const sides = sign === undefined ? operands : [operands[0] as Formula, zero];
  const op = sign ?? (name as Comparison);
  const tests = sides
    .slice(1)
    .map((right, i): Test => ({ kind: "compare", op, left: sides[i] as Formula, right }));
  if (tests.length === 0) return true;
  const test: Test = tests.length === 1 ? (tests[0] as Test) : { kind: "all", tests };
  return decide(test) ?? test;
}

function datumValue(datum: Datum): Value {
  if (datum.kind === "number") return numberFormula(datum.value, datum.exact);
  if (datum.kind === "boolean") return datum.value;
  if (datum.kind === "symbol") return { kind: "symbol", name: datum.name };
  const tail = datum.kind === "list" && datum.tail !== undefined ? datumValue(datum.tail) : nil;
  return listOf(datum.items.map(datumValue), tail);
}

function listOf(items: readonly Value[], tail: Value = nil): Value {
  return items.reduceRight<Value>((cdr, car) => ({ kind: "pair", car, cdr }), tail);
}

const isPair = (value: Value): value is Pair => typeof value !== "boolean" && value.kind === "pair";

function itemsOf(list: Value, node: CallNode): Value[] {
  const items: Value[] = [];
  let rest = list;
  for (; isPair(rest); rest = rest.cdr) items.push(rest.car);
  if (rest !== nil && (typeof rest === "boolean" || rest.kind !== "nil"))
    throw refusal("a proper list was expected", node.span);
  return items;
}

function pairFrom(value: Value, node: CallNode): Pair {
  if (isPair(value)) return value;
  throw refusal("a pair was expected", node.span);
}

function vectorFrom(value: Value, node: CallNode): readonly Formula[] {
  if (isVector(value)) return value.items;
  throw refusal("a vector whose elements are known was expected", node.span);
}

function indexFrom(value: Value, node: CallNode): number {
  const index = isFormula(value) ? constantOf(value) : undefined;
  if (index === undefined || !Number.isInteger(index))
    throw refusal("an index depends on the inputs", node.span);
  return index;
}

function elementAt<T>(items: readonly T[], index: number, node: CallNode): T {
  const item = items[index];
  if (item === undefined) throw refusal(`there is no element ${index}`, node.span);
  return item;
}

const sum = (terms: readonly Formula[]): Formula => foldWhole("+", terms);

/** Lists, tests of kind, and vectors of known length. */
function structural(name: string, operands: readonly Value[], node: CallNode): Value | undefined {
  const [x, y] = operands as [Value, Value];
  switch (name) {
    case "cons":
      return { kind: "pair", car: x, cdr: y };
    case "car":
      return pairFrom(x, node).car;
    case "cdr":
      return pairFrom(x, node).cdr;
    case "list":
      return listOf(operands);
    case "length":
      return numberFormula(itemsOf(x, node).length, true);
    case "reverse":
      return listOf(itemsOf(x, node).reverse());
    case "append": {
      const front = operands.slice(0, -1).flatMap((list) => itemsOf(list, node));
      return listOf(front, operands.at(-1) ?? nil);
    }
    case "list-ref":
      return elementAt(itemsOf(x, node), indexFrom(y, node), node);
    case "list-tail":
      return listOf(itemsOf(x, node).slice(indexFrom(y, node)));
    case "null?":
      return typeof x !== "boolean" && x.kind === "nil";
    case "pair?":
      return isPair(x);
    case "number?":
    case "real?":
      return isFormula(x);
    case "not":
      return isTest(x) ? { kind: "not", test: x } : x === false;
    default:
      return vectorPrimitive(name, operands, node);
  }
}

function vectorPrimitive(
  name: string,
  operands: readonly Value[],
  node: CallNode,
): Value | undefined {
  const [x, y] = operands as [Value, Value];
  const product = (a: Formula, b: Formula) => foldWhole("*", [a, b]);
  switch (name) {
    case "vec":
      if (!operands.every(isFormula)) throw refusal("vec gets what is no number", node.span);
      return { kind: "vector", items: operands };
    case "zeros":
    case "ones": {
      if (operands.length > 1) return undefined;
      const one = numberFormula(name === "ones" ? 1 : 0, true);
      return { kind: "vector", items: Array(indexFrom(x, node)).fill(one) };
    }
    case "ref":
      if (operands.length > 2) return undefined;
      return elementAt(vectorFrom(x, node), indexFrom(y, node), node);
    case "vlen":
      return numberFormula(vectorFrom(x, node).length, true);
    case "vsum":
      return sum(vectorFrom(x, node));
    case "dot": {
      const [a, b] = [vectorFrom(x, node), vectorFrom(y, node)];
      if (a.length !== b.length) throw refusal("vectors differ in length", node.span);
      return sum(a.map((item, i) => product(item, b[i] as Formula)));
    }
    case "norm":
      return apply("sqrt", sum(vectorFrom(x, node).map((item) => product(item, item))));
    default:
      return undefined;
  }
}
