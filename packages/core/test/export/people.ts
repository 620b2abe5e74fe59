/**
 * Readers of the formulas that exports write for people: a line of mathematics, and LaTeX. Both read as a
 * person does, by the usual precedence, and give the value at given numbers.
 */

import { oracles } from "../primitives/oracles.js";

type Value = number | boolean;
type Names = Readonly<Record<string, number>>;

const round = (x: number): number => oracles.round?.value(x, 0) as number;
/** Below a half by reflection; the oracle knows the rest. */
export const lgamma = (x: number): number =>
  x < 0.5
    ? Math.log(Math.PI / Math.abs(Math.sin(Math.PI * (x - Math.round(x))))) - lgamma(1 - x)
    : (oracles.lgamma?.value(x, 0) as number);
export const erf = (x: number): number => oracles.erf?.value(x, 0) as number;
const modulo = (x: number, y: number): number => x - y * Math.floor(x / y);

const functions: Readonly<Record<string, (...operands: number[]) => number>> = {
  ln: Math.log,
  arcsin: Math.asin,
  arccos: Math.acos,
  arctan: Math.atan,
  round,
  truncate: Math.trunc,
  sigmoid: (x) => 1 / (1 + Math.exp(-(x as number))),
  softplus: (x) => Math.max(x as number, 0) + Math.log1p(Math.exp(-Math.abs(x as number))),
  erf: (x) => erf(x as number),
  lgamma: (x) => lgamma(x as number),
  quotient: (x, y) => Math.trunc((x as number) / (y as number)),
  remainder: (x, y) => (x as number) % (y as number),
  modulo: (x, y) => modulo(x as number, y as number),
};

const plain = Math as unknown as Readonly<Record<string, (...operands: number[]) => number>>;

function call(name: string, operands: readonly Value[]): number {
  const f = functions[name] ?? plain[name];
  if (f === undefined) throw new Error(`no function ${name}`);
  return f(...(operands as number[]));
}

/** Tokens that are taken one after the other. */
class Tokens {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string, token: RegExp) {
    const tokens = text.match(token) ?? [];
    const squeezed = (of: string) => of.replaceAll(/\s/g, "");
    if (squeezed(tokens.join("")) !== squeezed(text)) throw new Error(`cannot read ${text}`);
    this.#tokens = tokens.filter((one) => one.trim() !== "");
  }

  get head(): string {
    return this.#tokens[this.#at] ?? "";
  }

  next(): string {
    this.#at += 1;
    return this.#tokens[this.#at - 1] ?? "";
  }

  isTaken(token: string): boolean {
    const isHere = this.head === token;
    if (isHere) this.#at += 1;
    return isHere;
  }

  take(token: string): void {
    if (!this.isTaken(token)) throw new Error(`${token} expected, got ${this.head}`);
  }
}

/** What differs between the two notations. */
interface Notation {
  readonly minus: string;
  readonly products: Readonly<Record<string, (x: number, y: number) => number>>;
  readonly comparisons: Readonly<Record<string, (x: number, y: number) => boolean>>;
  readonly and: string;
  readonly or: string;
  readonly not: string;
  power(tokens: Tokens, whole: () => Value): number;
}

/** Everything from a sum up, and tests; `power` is the notation's own. */
function reading(tokens: Tokens, notation: Notation): { test(): Value; sum(): number } {
  const { minus, products, comparisons } = notation;
  const power = (): number => notation.power(tokens, test);
  const product = (): number => {
    let value = power();
    for (let f = products[tokens.head]; f; f = products[tokens.head]) {
      tokens.next();
      value = f(value, power());
    }
    return value;
  };
  const signed = (): number => (tokens.isTaken(minus) ? -product() : product());
  const sum = (): number => {
    let value = signed();
    for (;;)
      if (tokens.isTaken("+")) value += product();
      else if (tokens.isTaken(minus)) value -= product();
      else return value;
  };
  const compared = (): Value => {
    if (tokens.isTaken(notation.not)) return !compared();
    const left = sum();
    const compare = comparisons[tokens.head];
    if (compare === undefined) return left;
    tokens.next();
    return compare(left, sum());
  };
  const both = (): Value => {
    let value = compared();
    while (tokens.isTaken(notation.and)) {
      const right = compared();
      value = value && right;
    }
    return value;
  };
  const test = (): Value => {
    let value = both();
    while (tokens.isTaken(notation.or)) {
      const right = both();
      value = value || right;
    }
    return value;
  };
  return { test, sum };
}

const comparisons = {
  "<": (x: number, y: number) => x < y,
  ">": (x: number, y: number) => x > y,
  "=": (x: number, y: number) => x === y,
};

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const MATH_TOKEN = /\d+\.?\d*(?:e[+−]?\d+)?|[A-Za-z]\w*|[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\s+|./gu;

/** The value of a line of mathematics. */
export function evaluateMath(text: string, names: Names): Value {
  const tokens = new Tokens(text, MATH_TOKEN);
  const atom = (whole: () => Value): number => {
    const token = tokens.next();
    const closed = (end: string): number => {
      const value = whole() as number;
      tokens.take(end);
      return value;
    };
    if (token === "(") return closed(")");
    if (token === "|") return Math.abs(closed("|"));
    if (token === "⌊") return Math.floor(closed("⌋"));
    if (token === "⌈") return Math.ceil(closed("⌉"));
    if (token === "∞") return Infinity;
    if (/^\d/.test(token)) return Number(token.replace("−", "-"));
    if (token === "NaN") return Number.NaN;
    if (tokens.isTaken("(")) {
      const operands: Value[] = [];
      do operands.push(whole());
      while (tokens.isTaken(","));
      tokens.take(")");
      return call(token, operands);
    }
    const value = names[token];
    if (value === undefined) throw new Error(`no name ${token}`);
    return value;
  };
  const choice = (): Value => {
    const value = rest.test();
    if (!tokens.isTaken("if")) return value;
    const isSo = rest.test();
    tokens.take("else");
    const other = choice();
    return isSo ? value : other;
  };
  const power = (): number => {
    // A root goes as far as the power below it.
    if (tokens.isTaken("√")) return Math.sqrt(power());
    const base = atom(choice);
    if (tokens.isTaken("^")) return base ** atom(choice);
    if (!SUPERSCRIPTS.includes(tokens.head.charAt(0) || " ")) return base;
    const digits = Array.from(tokens.next(), (digit) => SUPERSCRIPTS.indexOf(digit));
    return base ** Number(digits.join(""));
  };
  const rest = reading(tokens, {
    minus: "−",
    products: { "·": (x, y) => x * y, "/": (x, y) => x / y },
    comparisons: { ...comparisons, "≤": (x, y) => x <= y, "≥": (x, y) => x >= y },
    and: "and",
    or: "or",
    not: "not",
    power,
  });
  const value = choice();
  if (tokens.head !== "") throw new Error(`more than a formula: ${tokens.head} in ${text}`);
  return value;
}

const LATEX_TOKEN =
  /\\operatorname\{\w+\}|\\left\\?[a-z]*[(|]?|\\right\\?[a-z]*[)|]?|\\begin\{cases\}|\\end\{cases\}|\\text\{[^}]*\}|\\[a-zA-Z]+|\\\\|\\,|\d+\.?\d*|[A-Za-z]|\s+|./gu;

/** The value of a formula in LaTeX whose names are single letters. */
export function evaluateLatex(text: string, names: Names): Value {
  const tokens = new Tokens(text, LATEX_TOKEN);
  const group = (): number => {
    tokens.take("{");
    const value = rest.test() as number;
    tokens.take("}");
    return value;
  };
  const closed = (end: string): number => {
    const value = rest.test() as number;
    tokens.take(end);
    return value;
  };
  const cases = (): number => {
    let value: number | undefined;
    for (;;) {
      const one = rest.test() as number;
      tokens.take("&");
      if (tokens.next() === "\\text{otherwise}") {
        tokens.take("\\end{cases}");
        return value ?? one;
      }
      if (rest.test() === true) value ??= one;
      tokens.take("\\\\");
    }
  };
  const applied = (name: string): number => {
    if (tokens.isTaken("\\left|")) {
      // The logarithm of Γ.
      tokens.take("\\Gamma");
      tokens.take("\\left(");
      const value = closed("\\right)");
      tokens.take("\\right|");
      return call("lgamma", [value]);
    }
    tokens.take("\\left(");
    const operands: Value[] = [];
    do operands.push(rest.test());
    while (tokens.isTaken(","));
    tokens.take("\\right)");
    return call(name, operands);
  };
  const atom = (): number => {
    const token = tokens.next();
    if (token === "\\left(") return closed("\\right)");
    if (token === "\\left|") return Math.abs(closed("\\right|"));
    if (token === "\\left\\lfloor") return Math.floor(closed("\\right\\rfloor"));
    if (token === "\\left\\lceil") return Math.ceil(closed("\\right\\rceil"));
    if (token === "\\frac") {
      const above = group();
      return above / group();
    }
    if (token === "\\sqrt") return Math.sqrt(group());
    if (token === "\\begin{cases}") return cases();
    if (token === "\\infty") return Infinity;
    if (/^\d/.test(token)) return Number(token);
    const [, name] = /^\\(?:operatorname\{)?(\w+)\}?$/.exec(token) ?? [];
    if (name !== undefined) return applied(name);
    const value = token === "e" ? Math.E : names[token];
    if (value === undefined) throw new Error(`no name ${token} in ${text}`);
    return value;
  };
  const power = (): number => {
    const isExp = tokens.head === "e";
    const base = atom();
    if (!tokens.isTaken("^")) return base;
    const exponent = group();
    if (tokens.head === "^") throw new Error(`two exponents in ${text}`);
    return isExp ? Math.exp(exponent) : base ** exponent;
  };
  const rest = reading(tokens, {
    minus: "-",
    products: { "\\,": (x, y) => x * y, "\\cdot": (x, y) => x * y, "\\bmod": modulo },
    comparisons: { ...comparisons, "\\le": (x, y) => x <= y, "\\ge": (x, y) => x >= y },
    and: "\\land",
    or: "\\lor",
    not: "\\lnot",
    power,
  });
  const value = rest.test();
  if (tokens.head !== "") throw new Error(`more than a formula: ${tokens.head} in ${text}`);
  return value;
}
