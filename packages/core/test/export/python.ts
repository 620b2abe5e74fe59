/**
 * A small reader and evaluator of the Python that exports write: arithmetic, calls, comparisons and
 * tuples, with stand-ins for the functions of NumPy and SymPy that they use.
 *
 * Numbers have Python's and NumPy's types, as far as they show in values. Integers stay integers: those
 * of Python alone have no end, an array's wrap around at 64 bits and have no negative powers. Python's own
 * floats raise where an array gives infinity or NaN.
 */

/** An integer is a bigint; `isArray` is what NumPy or SymPy made, or what the function was given. */
interface Num {
  readonly value: number | bigint;
  readonly isArray: boolean;
}
type Item = Num | boolean | Item[];
export type Result = number | boolean | Result[];
/** Numbers that the function is given; a bigint is an array of integers. */
export type Given = Readonly<Record<string, number | bigint>>;
type More = Readonly<Record<string, (x: number) => number>>;

const TOKEN =
  /\s*((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[\p{L}_][\p{L}\p{N}_.]*|\*\*|<=|>=|==|[-+*/()<>,[\]=])/uy;

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const match = TOKEN.exec(text);
    if (match === null) throw new Error(`cannot read ${text}`);
    tokens.push(match[1] as string);
  }
  return tokens;
}

/** Ties go to even numbers. */
function nearest(x: number): number {
  const below = Math.floor(x);
  const isTie = x - below === 0.5;
  return isTie ? below + (below % 2 === 0 ? 0 : 1) : Math.round(x);
}

const arrayOf = (value: number | bigint): Num => ({
  value: typeof value === "bigint" ? BigInt.asIntN(64, value) : value,
  isArray: true,
});
const toNumber = (item: Item): number => Number((item as Num).value);

/** What a function of floats gives, and what those do that leave integers integers. */
const ofFloats =
  (f: (...xs: number[]) => number) =>
  (...items: Item[]): Item =>
    arrayOf(f(...items.map(toNumber)));

function ofBoth(f: (...xs: number[]) => number, whole: (...xs: bigint[]) => bigint) {
  return (...items: Item[]): Item => {
    const values = items.map((item) => (item as Num).value);
    const areWhole = values.every((value): value is bigint => typeof value === "bigint");
    return arrayOf(areWhole ? whole(...values) : f(...values.map(Number)));
  };
}

/** As NumPy and C do: a remainder of the sign of y. */
function floorMod(x: number, y: number): number {
  const rest = x % y;
  return (rest < 0 && y > 0) || (rest > 0 && y < 0) ? rest + y : rest;
}
const wholeMod = (x: bigint, y: bigint): bigint => (y === 0n ? 0n : ((x % y) + y) % y);
const least = (x: bigint, y: bigint): bigint => (x < y ? x : y);
const largest = (x: bigint, y: bigint): bigint => (x > y ? x : y);

const absolute = ofBoth(Math.abs, (x: bigint) => (x < 0n ? -x : x));

function pick(pairs: readonly Item[]): Item {
  const [value] = (pairs as Item[][]).find(([, test]) => test === true) as [Item];
  return arrayOf(toNumber(value));
}

/** One type for both sides, as an array has. */
function where(test: Item, yes: Item, no: Item): Item {
  const areWhole = [yes, no].every((one) => typeof (one as Num).value === "bigint");
  const chosen = test === true ? yes : no;
  return arrayOf(areWhole ? (chosen as Num).value : toNumber(chosen));
}

const functions: Readonly<Record<string, (...operands: Item[]) => Item>> = {
  asarray: ofFloats((x) => x),
  abs: absolute,
  Abs: absolute,
  floor: ofFloats(Math.floor),
  ceil: ofFloats(Math.ceil),
  ceiling: ofFloats(Math.ceil),
  trunc: ofFloats(Math.trunc),
  round: ofFloats(nearest),
  sqrt: ofFloats(Math.sqrt),
  exp: ofFloats(Math.exp),
  log: ofFloats(Math.log),
  sin: ofFloats(Math.sin),
  cos: ofFloats(Math.cos),
  tan: ofFloats(Math.tan),
  arcsin: ofFloats(Math.asin),
  asin: ofFloats(Math.asin),
  arccos: ofFloats(Math.acos),
  acos: ofFloats(Math.acos),
  arctan: ofFloats(Math.atan),
  atan: ofFloats(Math.atan),
  arctan2: ofFloats(Math.atan2),
  atan2: ofFloats(Math.atan2),
  sinh: ofFloats(Math.sinh),
  cosh: ofFloats(Math.cosh),
  tanh: ofFloats(Math.tanh),
  log1p: ofFloats(Math.log1p),
  expm1: ofFloats(Math.expm1),
  minimum: ofBoth(Math.min, least as never),
  Min: ofFloats(Math.min),
  maximum: ofBoth(Math.max, largest as never),
  Max: ofFloats(Math.max),
  logaddexp: ofFloats(
    (x: number, y: number) => Math.max(x, y) + Math.log1p(Math.exp(-Math.abs(x - y))),
  ),
  mod: ofBoth(floorMod as never, wholeMod as never),
  Mod: ofFloats(floorMod as never),
  fmod: ofBoth(
    ((x: number, y: number) => x % y) as never,
    ((x: bigint, y: bigint) => (y === 0n ? 0n : x % y)) as never,
  ),
  re: ofFloats((x) => x),
  where: where as never,
  Piecewise: (...pairs) => pick(pairs),
  logical_and: (x, y) => x === true && y === true,
  And: (...xs) => xs.every((x) => x === true),
  logical_or: (x, y) => x === true || y === true,
  Or: (...xs) => xs.some((x) => x === true),
  logical_not: (x) => x !== true,
  Not: (x) => x !== true,
  Eq: (x, y) => toNumber(x as Item) === toNumber(y as Item),
};

class PythonError extends Error {}

type Operator = (x: Num, y: Num) => Num;

/** An operator on two integers, or on two floats; integers of arrays wrap around. */
const arithmetic =
  (
    floats: (x: number, y: number) => number,
    integers: (x: bigint, y: bigint) => bigint,
  ): Operator =>
  (x, y) => {
    const isArray = x.isArray || y.isArray;
    if (typeof x.value !== "bigint" || typeof y.value !== "bigint")
      return { value: floats(Number(x.value), Number(y.value)), isArray };
    const value = integers(x.value, y.value);
    return isArray ? arrayOf(value) : { value, isArray };
  };

function quotient(x: Num, y: Num): Num {
  const isArray = x.isArray || y.isArray;
  if (!isArray && Number(y.value) === 0) throw new PythonError("ZeroDivisionError");
  return { value: Number(x.value) / Number(y.value), isArray };
}

function power(x: Num, y: Num): Num {
  const isArray = x.isArray || y.isArray;
  const [base, exponent] = [Number(x.value), Number(y.value)];
  const areWhole = typeof x.value === "bigint" && typeof y.value === "bigint";
  if (areWhole && exponent < 0 && isArray)
    throw new PythonError("ValueError: Integers to negative integer powers are not allowed");
  if (areWhole && exponent >= 0) {
    const value = (x.value as bigint) ** (y.value as bigint);
    return isArray ? arrayOf(value) : { value, isArray };
  }
  const isOne = base === 1 || (base === -1 && Math.abs(exponent) === Infinity);
  const value = isOne ? 1 : base ** exponent;
  const areFinite = Number.isFinite(base) && Number.isFinite(exponent);
  if (!isArray && areFinite && !Number.isFinite(value))
    throw new PythonError("ZeroDivisionError, OverflowError or a complex number");
  return { value, isArray };
}

const SUMS: Readonly<Record<string, Operator>> = {
  "+": arithmetic(
    (x, y) => x + y,
    (x, y) => x + y,
  ),
  "-": arithmetic(
    (x, y) => x - y,
    (x, y) => x - y,
  ),
};
const PRODUCTS: Readonly<Record<string, Operator>> = {
  "*": arithmetic(
    (x, y) => x * y,
    (x, y) => x * y,
  ),
  "/": quotient,
};
const COMPARISONS: Readonly<Record<string, (x: number, y: number) => boolean>> = {
  "<": (x, y) => x < y,
  ">": (x, y) => x > y,
  "<=": (x, y) => x <= y,
  ">=": (x, y) => x >= y,
  "==": (x, y) => x === y,
};

/** A function of the module math, which raises where a finite number has no finite value. */
const ofMath =
  (f: (x: number) => number) =>
  (item: Item): Item => {
    const x = toNumber(item);
    const value = f(x);
    if (Number.isFinite(x) && !Number.isFinite(value))
      throw new PythonError("ValueError: math domain error");
    return { value, isArray: false };
  };

/** Reads and evaluates one expression. */
class Expression {
  readonly #tokens: readonly string[];
  readonly #names: ReadonlyMap<string, Item>;
  readonly #more: More;
  #at = 0;

  constructor(text: string, names: ReadonlyMap<string, Item>, more: More) {
    this.#tokens = tokensOf(text);
    this.#names = names;
    this.#more = more;
  }

  value(): Item {
    const value = this.#comparison();
    const rest = this.#tokens.slice(this.#at);
    if (rest.length > 0) throw new Error(`more than an expression: ${rest.join(" ")}`);
    return value;
  }

  #next(): string {
    return this.#tokens[this.#at++] as string;
  }

  #take(...tokens: readonly string[]): boolean {
    const isHere = tokens.every((token, i) => this.#tokens[this.#at + i] === token);
    if (isHere) this.#at += tokens.length;
    return isHere;
  }

  #binary<T extends Item>(
    below: () => Item,
    signs: Readonly<Record<string, (x: Num, y: Num) => T>>,
  ): Item {
    let value = below();
    for (let f = signs[this.#sign()]; f; f = signs[this.#sign()]) {
      this.#at += 1;
      value = f(value as Num, below() as Num);
    }
    return value;
  }

  #sign(): string {
    return this.#tokens[this.#at] ?? "";
  }

  #comparison(): Item {
    const left = this.#sum();
    const compare = COMPARISONS[this.#sign()];
    if (compare === undefined) return left;
    this.#at += 1;
    return compare(toNumber(left), toNumber(this.#sum()));
  }

  #sum(): Item {
    return this.#binary(() => this.#product(), SUMS);
  }

  #product(): Item {
    return this.#binary(() => this.#signed(), PRODUCTS);
  }

  #signed(): Item {
    if (!this.#take("-")) return this.#power();
    const { value, isArray } = this.#signed() as Num;
    return { value: -value, isArray };
  }

  #power(): Item {
    const base = this.#indexed() as Num;
    return this.#take("**") ? power(base, this.#signed() as Num) : base;
  }

  /** [()] makes a number of an array without dimensions. */
  #indexed(): Item {
    const value = this.#atom();
    this.#take("[", "(", ")", "]");
    return value;
  }

  #listed(end: string): Item[] {
    const items: Item[] = [];
    while (!this.#take(end)) {
      // dtype=np.float64
      if (this.#tokens[this.#at + 1] === "=") this.#at += 3;
      else items.push(this.#comparison());
      this.#take(",");
    }
    return items;
  }

  #atom(): Item {
    const token = this.#next();
    if (token === "(") {
      const items = this.#listed(")");
      return items.length === 1 ? (items[0] as Item) : items;
    }
    if (token === "[") return this.#listed("]");
    if (/^\d+$/.test(token)) return { value: BigInt(token), isArray: false };
    if (/^[\d.]/.test(token)) return { value: Number(token), isArray: false };
    if (token === "True") return true;
    if (token === "sympy.false") return false;
    if (token === "np.inf" || token === "np.nan")
      return { value: token === "np.inf" ? Infinity : Number.NaN, isArray: false };
    if (token === "sympy.oo" || token === "sympy.nan")
      return arrayOf(token === "sympy.oo" ? Infinity : Number.NaN);
    if (token === "np.vectorize") return this.#vectorized();
    if (this.#take("(")) return this.#function(token)(...this.#listed(")"));
    const value = this.#names.get(token);
    if (value === undefined) throw new Error(`no name ${token}`);
    return value;
  }

  #function(token: string): (...operands: Item[]) => Item {
    const name = token.split(".").at(-1) as string;
    const given = this.#more[name];
    const f = functions[name] ?? (given === undefined ? undefined : ofFloats(given));
    if (f === undefined) throw new Error(`no function ${token}`);
    return f;
  }

  /** np.vectorize(math.erf, otypes=[np.float64])(x) */
  #vectorized(): Item {
    this.#take("(");
    const token = this.#next();
    const given = this.#more[token.split(".").at(-1) as string];
    while (!this.#take(")")) this.#at += 1;
    if (!this.#take("(") || given === undefined) throw new Error(`no function ${token}`);
    const [x] = this.#listed(")") as [Item];
    const f = token.startsWith("math.") ? ofMath(given) : ofFloats(given);
    return arrayOf(toNumber(f(x)));
  }
}

const resultOf = (item: Item): Result => {
  if (Array.isArray(item)) return item.map(resultOf);
  return typeof item === "boolean" ? item : toNumber(item);
};

const itemsOf = (given: Given): Map<string, Item> =>
  new Map(Object.entries(given).map(([name, value]) => [name, arrayOf(value)]));

/** The value of a Python expression; `more` are functions that the text's own libraries have. */
export function evaluatePython(text: string, names: Given, more: More = {}): Result {
  return resultOf(new Expression(text, itemsOf(names), more).value());
}

/** What the function of an exported NumPy text gives: its lines from `def` on, one by one. */
export function callNumpy(text: string, names: Given, more: More = {}): Result {
  const known = itemsOf(names);
  const body = text.slice(text.lastIndexOf("\ndef ")).trim().split("\n").slice(1);
  for (const line of body) {
    const [, name, expression] = /^ {4}(?:return|(\S+) =) (.*)$/u.exec(line) ?? [];
    if (expression === undefined) throw new Error(`cannot read ${line}`);
    const value = new Expression(expression, known, more).value();
    if (name === undefined) return resultOf(value);
    known.set(name, value);
  }
  throw new Error(`nothing is returned: ${text}`);
}
