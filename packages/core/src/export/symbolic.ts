/**
 * The closed form of a program: core nodes are evaluated with names in place of numbers.
 *
 * Procedures are applied, lists taken apart, loops whose turns are known run; a test that the
 * program alone does not decide becomes a choice between both sides. What depends on the inputs in
 * another way (how often a loop turns, how deep a recursion goes) has no closed form and is refused
 * with its place.
 */

import type { Span } from "../errors.js";
import { primitiveByName } from "../primitives/index.js";
import { own } from "../records.js";
import type { CallNode, Core, Expansion, IfNode, LambdaNode, Variable } from "../syntax/core.js";
import {
  type ClosedForm,
  type Formula,
  numberFormula,
  partsOf,
  sizeOf,
  type Test,
} from "./formula.js";
import { compare, structural } from "./symbolic-primitives.js";
import {
  apply,
  datumValue,
  decide,
  FUNCTIONS,
  foldIntegers,
  foldLeft,
  INTEGER_VALUED,
  isFormula,
  isTest,
  isVector,
  itemsOf,
  listOf,
  notNumbers,
  power,
  refusal,
  Scope,
  SIZE_MAX,
  type Value,
} from "./symbolic-values.js";

const STEPS_MAX = 20_000;
const DEPTH_MAX = 600;

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
    throw refusal("its value is neither a number nor a vector of numbers", last.span);
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

class Symbolic {
  readonly #params: Readonly<Record<string, number>>;
  readonly #isClamped: boolean;
  /** Lambdas being applied, with how many choices were open when each was entered. */
  readonly #active = new Map<LambdaNode, number>();
  readonly #constants = new Map<Core, Value>();
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
        return this.#constant(node);
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

  /** A quoted list is one list, however often it is reached. */
  #constant(node: Core & { kind: "const" }): Value {
    const value = this.#constants.get(node) ?? datumValue(node.value);
    this.#constants.set(node, value);
    return value;
  }

  #lookUp(variable: Variable, scope: Scope, span: Span): Value {
    const value = scope.get(variable);
    if (value === undefined) throw refusal(`${variable.name} is read before it is defined`, span);
    return value;
  }

  #input(name: string): Formula {
    const value = own(this.#params, name);
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
      throw refusal("it calls something that is not a procedure", node.span);
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
      if (!operands.every(isFormula)) throw notNumbers(name, operands, node);
      return this.#scalar(name, operands);
    }
    const length = vectors[0]?.items.length ?? 0;
    if (vectors.some(({ items }) => items.length !== length))
      throw refusal("vectors differ in length", node.span);
    const items: Formula[] = [];
    for (let i = 0; i < length; i++) {
      const row = operands.map((one) => (isVector(one) ? (one.items[i] as Formula) : one));
      if (!row.every(isFormula)) throw notNumbers(name, operands, node);
      const item = this.#scalar(name, row);
      if (item === undefined) return undefined;
      items.push(item);
    }
    return { kind: "vector", items };
  }

  #scalar(name: string, operands: readonly Formula[]): Formula | undefined {
    const [x, y] = operands;
    if (name === "+" || name === "*" || name === "-" || name === "/")
      return foldLeft(name, operands);
    if (x === undefined) return undefined;
    if (name === "exact" || name === "inexact") return x;
    if (name === "square") return apply("pow", x, numberFormula(2, true));
    if (name === "pow" || name === "expt") return power(x, y as Formula);
    if (name === "scale") return foldLeft("*", operands);
    if (name === "min" || name === "max")
      return operands.length === 1 ? x : apply(name, ...operands);
    if (name === "log" || name === "sqrt") {
      const own = (of: Formula) =>
        apply(name, this.#isClamped ? apply("max", of, numberFormula(1e-8)) : of);
      return y === undefined ? own(x) : apply("/", own(x), own(y));
    }
    if (name === "atan" && y !== undefined) return apply("atan2", x, y);
    if (INTEGER_VALUED.has(name)) return foldIntegers(apply(name, ...operands));
    return FUNCTIONS.has(name) ? apply(name, ...operands) : undefined;
  }
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
      : "a test on the inputs decides between things that are not numbers",
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
