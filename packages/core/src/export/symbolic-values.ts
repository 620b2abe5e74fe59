/**
 * Values of a program whose numbers are formulas, and arithmetic on them.
 *
 * Whole numbers of whole numbers are computed at once, since indices and counts are made of them;
 * other arithmetic stays as it was written.
 */

import { NdvmError, type Span } from "../errors.js";
import { primitiveByName } from "../primitives/index.js";
import { numbers as algebra } from "../primitives/numbers.js";
import type { CallNode, Core, LambdaNode, Variable } from "../syntax/core.js";
import type { Datum } from "../syntax/datum.js";
import { type Comparison, type Formula, numberFormula, type Test } from "./formula.js";

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
export type Value =
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

/** How many parts a closed form may have. */
export const SIZE_MAX = 4000;

export const nil: Value = { kind: "nil" };
const FORMULAS: ReadonlySet<string> = new Set(["number", "name", "apply", "choice"]);
const TESTS: ReadonlySet<string> = new Set(["compare", "all", "any", "not"]);

export const isFormula = (value: Value): value is Formula =>
  typeof value !== "boolean" && FORMULAS.has(value.kind);
export const isTest = (value: Value): value is Test =>
  typeof value !== "boolean" && TESTS.has(value.kind);

export class Scope {
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

/** Without a place where it is known of a formula only, or where that is in the prelude. */
export function refusal(why: string, span?: Span): NdvmError {
  return new NdvmError("E-REFUSED", `the program has no closed form: ${why}`, {
    span: span !== undefined && span.start < 0 ? undefined : span,
    help: "export it as scheme, json or javascript",
  });
}

/** Where numbers are wanted and something else comes: a procedure's name may be meant for an input's. */
export function notNumbers(called: string, operands: readonly Value[], node: CallNode): NdvmError {
  const error = refusal(`${called} gets something that is not a number`, node.span);
  const name = node.operands.map((one, i) => builtinOf(one, operands[i])).find(Boolean);
  if (name === undefined) return error;
  const help = `rename ${name}, or declare it as an input: load: { inputs: [${JSON.stringify(name)}] }`;
  return new NdvmError(error.code, `${error.message}, the procedure ${name}`, { ...error, help });
}

/** The name under which a program passes on a procedure of the language. */
function builtinOf(operand: Core, value: Value | undefined): string | undefined {
  if (operand.kind === "primitive") return operand.name;
  if (operand.kind !== "ref" || typeof value !== "object" || value.kind !== "closure")
    return undefined;
  return value.lambda.span.start < 0 ? operand.variable.name : undefined;
}

export const FUNCTIONS: ReadonlySet<string> = new Set(
  `abs exp sin cos tan asin acos atan sinh cosh tanh log1p expm1 sigmoid softplus erf
  lgamma`.split(/\s+/),
);
export const INTEGER_VALUED: ReadonlySet<string> = new Set(
  "floor ceiling round truncate quotient remainder modulo".split(" "),
);

export const isVector = (value: Value): value is Vector =>
  typeof value !== "boolean" && value.kind === "vector";

export const apply = (op: string, ...operands: Formula[]): Formula => ({
  kind: "apply",
  op,
  operands,
});

/** (op a b c …) from the left. */
export function foldLeft(name: string, operands: readonly Formula[]): Formula {
  const [x, ...rest] = operands;
  if (x === undefined) return numberFormula(name === "+" ? 0 : 1, true);
  if (rest.length === 0) {
    if (name === "-") return foldIntegers(apply("neg", x));
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
  return foldIntegers(apply(name, x, y));
}

export function power(x: Formula, y: Formula): Formula {
  if (isInteger(y, 1)) return x;
  return isInteger(y, 0) ? numberFormula(1, true) : foldIntegers(apply("pow", x, y));
}

/** Whole numbers of whole numbers are computed at once: indices and counts are made of them. */
export function foldIntegers(formula: Formula): Formula {
  if (formula.kind !== "apply") return formula;
  const areIntegers = formula.operands.every((one) => one.kind === "number" && one.exact);
  if (!areIntegers) return formula;
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

function evaluateOp(op: string, operands: readonly number[]): number | undefined {
  const [x, y] = operands as [number, number];
  if (op === "neg") return -x;
  if (op === "atan2") return Math.atan2(x, y);
  if (op === "min" || op === "max") return Math[op](...operands);
  const primitive = primitiveByName.get(op);
  if (primitive?.kind !== "unary" && primitive?.kind !== "binary") return undefined;
  return primitive.forward(algebra, { x, y });
}

/** A test's outcome where it depends on no name. */
export function decide(test: Test): boolean | undefined {
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

export function datumValue(datum: Datum): Value {
  if (datum.kind === "number") return numberFormula(datum.value, datum.exact);
  if (datum.kind === "boolean") return datum.value;
  if (datum.kind === "symbol") return { kind: "symbol", name: datum.name };
  const tail = datum.kind === "list" && datum.tail !== undefined ? datumValue(datum.tail) : nil;
  return listOf(datum.items.map(datumValue), tail);
}

export function listOf(items: readonly Value[], tail: Value = nil): Value {
  return items.reduceRight<Value>((cdr, car) => ({ kind: "pair", car, cdr }), tail);
}

export const isPair = (value: Value): value is Pair =>
  typeof value !== "boolean" && value.kind === "pair";

export function itemsOf(list: Value, node: CallNode): Value[] {
  const items: Value[] = [];
  let rest = list;
  for (; isPair(rest); rest = rest.cdr) items.push(rest.car);
  if (rest !== nil && (typeof rest === "boolean" || rest.kind !== "nil"))
    throw refusal("a proper list was expected", node.span);
  return items;
}

export function pairFrom(value: Value, node: CallNode): Pair {
  if (isPair(value)) return value;
  throw refusal("a pair was expected", node.span);
}

export function vectorFrom(value: Value, node: CallNode): readonly Formula[] {
  if (isVector(value)) return value.items;
  throw refusal("a vector whose elements are known was expected", node.span);
}

export function indexFrom(value: Value, node: CallNode): number {
  const index = isFormula(value) ? constantOf(value) : undefined;
  if (index === undefined || !Number.isInteger(index))
    throw refusal("an index depends on the inputs", node.span);
  return index;
}

export function elementAt<T>(items: readonly T[], index: number, node: CallNode): T {
  const item = items[index];
  if (item === undefined) throw refusal(`there is no element ${index}`, node.span);
  return item;
}
