/**
 * How a primitive is written in JavaScript: with operators and `Math` where the operands are surely
 * numbers, with a helper where they may be vectors, lists or anything else.
 */

import { primitiveByName } from "../primitives/index.js";
import { own } from "../records.js";
import { ANYTHING, BOOLEAN, NUMBER } from "./javascript-analysis.js";

/** Text with how tightly it holds together. */
export interface Piece {
  readonly text: string;
  readonly level: number;
}

export const LOOSE = 0;
export const OR = 1;
export const AND = 2;
export const COMPARE = 3;
export const SUM = 4;
export const PRODUCT = 5;
export const UNARY = 6;
export const TIGHT = 9;

export const tight = (text: string): Piece => ({ text, level: TIGHT });

/** The text, in parentheses where its surroundings hold tighter. */
export const inside = ({ text, level }: Piece, least: number): string =>
  level < least ? `(${text})` : text;

export interface Operand extends Piece {
  readonly kind: number;
}

/** What writing needs to know, and where it notes the helpers it uses. */
export interface Context {
  readonly hasTensors: boolean;
  readonly isClamped: boolean;
  use(helper: string): string;
}

const call = (name: string, operands: readonly Piece[]): Piece =>
  tight(`${name}(${operands.map(({ text }) => text).join(", ")})`);

/** Functions of one number; those without a dot are helpers. */
const UNARY_FUNCTIONS: Readonly<Record<string, string>> = {
  abs: "Math.abs",
  floor: "Math.floor",
  ceiling: "Math.ceil",
  round: "nearest",
  truncate: "Math.trunc",
  square: "square",
  sqrt: "Math.sqrt",
  exp: "Math.exp",
  log: "Math.log",
  sin: "Math.sin",
  cos: "Math.cos",
  tan: "Math.tan",
  asin: "Math.asin",
  acos: "Math.acos",
  atan: "Math.atan",
  sinh: "Math.sinh",
  cosh: "Math.cosh",
  tanh: "Math.tanh",
  log1p: "Math.log1p",
  expm1: "Math.expm1",
  sigmoid: "sigmoid",
  softplus: "softplus",
  erf: "erf",
  lgamma: "lgamma",
};

const BINARY_FUNCTIONS: Readonly<Record<string, string>> = {
  min: "Math.min",
  max: "Math.max",
  pow: "pow",
  atan: "Math.atan2",
  quotient: "quotient",
  remainder: "remainder",
  modulo: "modulo",
  gcd: "gcd",
  lcm: "lcm",
};

const INFIX: Readonly<Record<string, { level: number; helper: string }>> = {
  "+": { level: SUM, helper: "add" },
  "-": { level: SUM, helper: "sub" },
  "*": { level: PRODUCT, helper: "mul" },
  "/": { level: PRODUCT, helper: "div" },
};

const COMPARISONS: Readonly<Record<string, string>> = {
  "=": "===",
  "<": "<",
  ">": ">",
  "<=": "<=",
  ">=": ">=",
};

const TESTS: Readonly<Record<string, (x: string) => Piece>> = {
  "zero?": (x) => ({ text: `${x} === 0`, level: COMPARE }),
  "positive?": (x) => ({ text: `${x} > 0`, level: COMPARE }),
  "negative?": (x) => ({ text: `${x} < 0`, level: COMPARE }),
  "finite?": (x) => tight(`Number.isFinite(${x})`),
  "nan?": (x) => tight(`Number.isNaN(${x})`),
  "infinite?": (x) => ({ text: `Math.abs(${x}) === Infinity`, level: COMPARE }),
};

/** Structural primitives that a helper of the same meaning does. */
const HELPERS: Readonly<Record<string, string>> = {
  cons: "cons",
  car: "car",
  cdr: "cdr",
  append: "append",
  "list-tail": "listTail",
  "list-copy": "listCopy",
  "list?": "isList",
  "pair?": "isPair",
  "eq?": "isSame",
  "eqv?": "isSame",
  "equal?": "isEqual",
  vec: "vec",
  mat: "mat",
  ref: "ref",
  eye: "eye",
  vsum: "vsum",
  scale: "scale",
  norm: "norm",
  normalize: "normalize",
  transpose: "transpose",
  trace: "trace",
  det: "det",
  logdet: "logdet",
  inv: "inv",
  cholesky: "cholesky",
  dot: "dot",
  cross: "cross",
  matvec: "matvec",
  matmul: "matmul",
  solve: "solve",
  outer: "outer",
};

type Writer = (x: string, y: string, use: Context["use"]) => Piece;

/** Structural primitives with a writing of their own; operands as arguments of a call. */
const WRITERS: Readonly<Record<string, Writer>> = {
  length: (x, _y, use) => tight(`${use("itemsOf")}(${x}).length`),
  reverse: (x, _y, use) => tight(`${use("listOf")}(${use("itemsOf")}(${x}).reverse())`),
  "list-ref": (x, y, use) => tight(`${use("car")}(${use("listTail")}(${x}, ${y}))`),
  memq: (x, y, use) => tight(`${use("memberBy")}(${use("isSame")}, ${x}, ${y})`),
  memv: (x, y, use) => tight(`${use("memberBy")}(${use("isSame")}, ${x}, ${y})`),
  member: (x, y, use) => tight(`${use("memberBy")}(${use("isEqual")}, ${x}, ${y})`),
  assq: (x, y, use) => tight(`${use("assocBy")}(${use("isSame")}, ${x}, ${y})`),
  assv: (x, y, use) => tight(`${use("assocBy")}(${use("isSame")}, ${x}, ${y})`),
  assoc: (x, y, use) => tight(`${use("assocBy")}(${use("isEqual")}, ${x}, ${y})`),
  "null?": (x) => ({ text: `(${x}) === null`, level: COMPARE }),
  "symbol?": (x) => ({ text: `typeof (${x}) === "string"`, level: COMPARE }),
  "boolean?": (x) => ({ text: `typeof (${x}) === "boolean"`, level: COMPARE }),
  "procedure?": (x) => ({ text: `typeof (${x}) === "function"`, level: COMPARE }),
  "number?": (x) => ({ text: `typeof (${x}) === "number"`, level: COMPARE }),
  "real?": (x) => ({ text: `typeof (${x}) === "number"`, level: COMPARE }),
  "integer?": (x) => tight(`Number.isInteger(${x})`),
  "even?": (x, _y, use) => ({ text: `${use("whole")}(${x}) % 2 === 0`, level: COMPARE }),
  "odd?": (x, _y, use) => ({ text: `${use("whole")}(${x}) % 2 !== 0`, level: COMPARE }),
  vlen: (x, _y, use) => tight(`${use("vector")}(${x}).length`),
  rows: (x, _y, use) => tight(`${use("matrix")}(${x}).rows`),
  cols: (x, _y, use) => tight(`${use("matrix")}(${x}).cols`),
};

/** A primitive applied to operands; undefined where their number is wrong. */
export function writePrimitive(
  name: string,
  operands: readonly Operand[],
  context: Context,
): Piece | undefined {
  const { arity } = primitiveByName.get(name) ?? { arity: { min: 0, max: -1 } };
  if (operands.length < arity.min || operands.length > arity.max) return undefined;
  const numeric = writeNumeric(name === "expt" ? "pow" : name, operands, context);
  if (numeric !== undefined) return numeric;
  if (name === "not") return negated(operands[0] as Operand);
  if (name === "list") return call(context.use("listOf"), [tight(`[${texts(operands)}]`)]);
  if (name === "zeros" || name === "ones")
    return call(context.use("filled"), [tight(name === "ones" ? "1" : "0"), ...operands]);
  const helper = own(HELPERS, name);
  if (helper !== undefined) return call(context.use(helper), operands);
  const [x, y] = operands;
  return (own(WRITERS, name) as Writer)(x?.text ?? "", y?.text ?? "", context.use);
}

const texts = (operands: readonly Piece[]): string => operands.map(({ text }) => text).join(", ");

/** #t only for #f. */
export function negated(x: Operand): Piece {
  if (x.kind === BOOLEAN) return { text: `!${inside(x, UNARY)}`, level: UNARY };
  return { text: `${inside(x, SUM)} === false`, level: COMPARE };
}

function asNumber(x: Operand, { use }: Context): Piece {
  return x.kind === NUMBER ? x : call(use("number"), [x]);
}

/** A number, vector or matrix as it is. */
const checked = (x: Piece, { use }: Context): Piece =>
  call(use("map1"), [{ text: "(x) => x", level: LOOSE }, x]);

function writeNumeric(
  name: string,
  operands: readonly Operand[],
  context: Context,
): Piece | undefined {
  const comparison = own(COMPARISONS, name);
  const numbers = () => operands.map((operand) => asNumber(operand, context));
  if (comparison !== undefined) return compare(comparison, numbers(), context);
  const test = own(TESTS, name);
  if (test !== undefined) return test(inside(numbers()[0] as Piece, SUM));
  if (name === "exact" || name === "inexact") {
    const [x] = operands as [Operand];
    if (x.kind === NUMBER || !context.hasTensors) return asNumber(x, context);
    return checked(x, context);
  }
  const isPlain = !context.hasTensors || operands.every(({ kind }) => kind === NUMBER);
  const infix = own(INFIX, name);
  if (infix !== undefined)
    return isPlain
      ? writeInfix(name, numbers(), infix.level)
      : writeInfixHelper(name, operands, context);
  return writeFunction(name, operands, isPlain, context);
}

function compare(operator: string, [x, ...more]: readonly Piece[], { use }: Context): Piece {
  const [y, ...rest] = more;
  if (x === undefined || y === undefined) return tight(`(${x?.text}, true)`);
  if (rest.length === 0)
    return { text: `${inside(x, SUM)} ${operator} ${inside(y, SUM)}`, level: COMPARE };
  const test: Piece = { text: `(x, y) => x ${operator} y`, level: LOOSE };
  return call(use("inOrder"), [test, x, y, ...rest]);
}

function writeInfix(name: string, operands: readonly Piece[], level: number): Piece {
  const [x, ...rest] = operands;
  if (x === undefined) return tight(name === "+" ? "0" : "1");
  if (rest.length > 0) {
    const right = rest.map((operand) => inside(operand, level + 1));
    return { text: [inside(x, level), ...right].join(` ${name} `), level };
  }
  if (name === "-") return { text: `-${spaced(inside(x, UNARY))}`, level: UNARY };
  return name === "/" ? { text: `1 / ${inside(x, UNARY)}`, level } : x;
}

/** A second minus sign needs parentheses. */
const spaced = (text: string): string => (text.startsWith("-") ? `(${text})` : text);

function writeInfixHelper(name: string, operands: readonly Operand[], context: Context): Piece {
  const { helper } = own(INFIX, name) as { helper: string };
  const [x, ...rest] = operands as readonly [Operand, ...Operand[]];
  if (rest.length === 0) {
    if (name === "-") return call(context.use("map1"), [{ text: "(x) => -x", level: LOOSE }, x]);
    if (name === "/") return call(context.use(helper), [tight("1"), x]);
    return checked(x, context);
  }
  let sum: Operand = x;
  for (const operand of rest) {
    const isPlain = sum.kind === NUMBER && operand.kind === NUMBER;
    sum = isPlain
      ? { ...writeInfix(name, [sum, operand], own(INFIX, name)?.level ?? SUM), kind: NUMBER }
      : { ...call(context.use(helper), [sum, operand]), kind: ANYTHING };
  }
  return sum;
}

function writeFunction(
  name: string,
  operands: readonly Operand[],
  isPlain: boolean,
  context: Context,
): Piece | undefined {
  const functionOf = (text: string) => (text.includes(".") ? text : context.use(text));
  const numbers = isPlain ? operands.map((operand) => asNumber(operand, context)) : operands;
  const [x, ...rest] = numbers;
  const unary =
    context.isClamped && (name === "sqrt" || name === "log")
      ? `${name}Clamp`
      : own(UNARY_FUNCTIONS, name);
  const apply1 = (operand: Piece): Piece => {
    const f = functionOf(unary as string);
    return isPlain ? call(f, [operand]) : call(context.use("map1"), [tight(f), operand]);
  };
  if (unary !== undefined && x !== undefined && rest.length === 0) return apply1(x);
  if (name === "log" && x !== undefined) {
    const [above, below] = [apply1(x), apply1(rest[0] as Piece)];
    if (!isPlain) return call(context.use("div"), [above, below]);
    return writeInfix("/", [above, below], PRODUCT);
  }
  const binary = own(BINARY_FUNCTIONS, name);
  if (binary === undefined) return undefined;
  if (x === undefined) return tight(name === "lcm" ? "1" : "0");
  const isOrdinary = name === "pow" && isPlain && isOrdinaryPower(numbers);
  const f = isOrdinary ? "Math.pow" : functionOf(binary);
  const isDivisor = name === "gcd" || name === "lcm";
  if (rest.length === 0 && !isDivisor) return isPlain ? x : checked(x, context);
  const first = rest.length > 0 ? rest : [tight(name === "gcd" ? "0" : "1")];
  return first.reduce<Piece>(
    (result, operand) =>
      isPlain ? call(f, [result, operand]) : call(context.use("map2"), [tight(f), result, operand]),
    x,
  );
}

/** Whether a literal rules out the powers of 1 and −1 that `Math.pow` takes for NaN. */
function isOrdinaryPower([base, exponent]: readonly Piece[]): boolean {
  const size = Math.abs(Number(base?.text));
  return Number.isFinite(Number(exponent?.text)) || (Number.isFinite(size) && size !== 1);
}

/** A primitive as a procedure that can be passed on. */
export function primitiveValue(name: string, context: Context): string {
  const { arity } = primitiveByName.get(name) as { arity: { min: number; max: number } };
  const wrap = (f: string) => `${context.use("procedure")}(${arity.min}, ${arity.max}, ${f})`;
  const operand = (text: string): Operand => ({ ...tight(text), kind: ANYTHING });
  const write = (...names: string[]) =>
    writePrimitive(name, names.map(operand), context)?.text ?? "undefined";
  if (name === "apply") {
    const operands = `...xs.slice(0, -1), ...${context.use("itemsOf")}(xs.at(-1))`;
    return wrap(`(...xs) => ${context.use("bounce")}(${operands})`);
  }
  if (name === "list") return wrap(`(...xs) => ${context.use("listOf")}(xs)`);
  const helper = own(HELPERS, name);
  if (helper !== undefined && arity.max !== arity.min)
    return wrap(`(...xs) => ${context.use(helper)}(...xs)`);
  if (own(COMPARISONS, name) !== undefined) {
    const test = `(x, y) => x ${own(COMPARISONS, name)} y`;
    return wrap(
      `(...xs) => ${context.use("inOrder")}(${test}, ...xs.map(${context.use("number")}))`,
    );
  }
  if (arity.max === Infinity) {
    const none = arity.min === 0 ? write() : "undefined";
    const rest = `xs.reduce((x, y) => ${write("x", "y")})`;
    const one = `xs.length === 1 ? ${write("xs[0]")} : ${rest}`;
    return wrap(`(...xs) => (xs.length === 0 ? ${none} : ${one})`);
  }
  if (arity.min === arity.max) {
    const names = ["x", "y", "z"].slice(0, arity.min);
    return wrap(`(${names.join(", ")}) => ${write(...names)}`);
  }
  return wrap(`(x, y) => (y === undefined ? ${write("x")} : ${write("x", "y")})`);
}
