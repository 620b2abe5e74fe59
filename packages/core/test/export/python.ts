/**
 * A small reader and evaluator of the Python that exports write: arithmetic, calls, comparisons and
 * tuples, with stand-ins for the functions of NumPy and SymPy that they use.
 */

type Result = number | boolean | Result[];

const TOKEN = /\s*(\d+\.?\d*(?:e[+-]?\d+)?|[A-Za-z_][\w.]*|\*\*|<=|>=|==|[-+*/()<>,[\]])/y;

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const match = TOKEN.exec(text);
    if (match === null) throw new Error(`cannot read ${text.slice(TOKEN.lastIndex)}`);
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

const pick = (pairs: readonly Result[]): Result =>
  (pairs as Result[][]).find(([, test]) => test === true)?.[0] as Result;

const functions: Readonly<Record<string, (...operands: never[]) => Result>> = {
  abs: Math.abs,
  Abs: Math.abs,
  floor: Math.floor,
  ceil: Math.ceil,
  ceiling: Math.ceil,
  trunc: Math.trunc,
  round: nearest,
  sqrt: Math.sqrt,
  exp: Math.exp,
  log: Math.log,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  arcsin: Math.asin,
  asin: Math.asin,
  arccos: Math.acos,
  acos: Math.acos,
  arctan: Math.atan,
  atan: Math.atan,
  arctan2: Math.atan2,
  atan2: Math.atan2,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  log1p: Math.log1p,
  expm1: Math.expm1,
  minimum: Math.min,
  Min: Math.min,
  maximum: Math.max,
  Max: Math.max,
  logaddexp: (x: number, y: number) => Math.max(x, y) + Math.log1p(Math.exp(-Math.abs(x - y))),
  mod: (x: number, y: number) => x - y * Math.floor(x / y),
  Mod: (x: number, y: number) => x - y * Math.floor(x / y),
  fmod: (x: number, y: number) => x % y,
  where: (test: boolean, yes: number, no: number) => (test ? yes : no),
  Piecewise: (...pairs: Result[]) => pick(pairs),
  logical_and: (x: boolean, y: boolean) => x && y,
  And: (...xs: boolean[]) => xs.every(Boolean),
  logical_or: (x: boolean, y: boolean) => x || y,
  Or: (...xs: boolean[]) => xs.some(Boolean),
  logical_not: (x: boolean) => !x,
  Not: (x: boolean) => !x,
  Eq: (x: number, y: number) => x === y,
};

/** The value of a Python expression; `more` are functions that the text's own libraries have. */
export function evaluatePython(
  text: string,
  names: Readonly<Record<string, number>>,
  more: Readonly<Record<string, (x: number) => number>> = {},
): Result {
  const tokens = tokensOf(text);
  let at = 0;
  const next = () => tokens[at++] as string;
  const take = (token: string) => {
    const isHere = tokens[at] === token;
    if (isHere) at += 1;
    return isHere;
  };
  const binary = (below: () => Result, signs: Record<string, (x: number, y: number) => Result>) => {
    let value = below();
    for (let f = signs[tokens[at] as string]; f; f = signs[tokens[at] as string]) {
      at += 1;
      value = f(value as number, below() as number);
    }
    return value;
  };
  const comparison = (): Result =>
    binary(sum, {
      "<": (x, y) => x < y,
      ">": (x, y) => x > y,
      "<=": (x, y) => x <= y,
      ">=": (x, y) => x >= y,
      "==": (x, y) => x === y,
    });
  const sum = (): Result => binary(product, { "+": (x, y) => x + y, "-": (x, y) => x - y });
  const product = (): Result => binary(signed, { "*": (x, y) => x * y, "/": (x, y) => x / y });
  const signed = (): Result => (take("-") ? -(signed() as number) : power());
  const power = (): Result => {
    const base = atom() as number;
    return take("**") ? base ** (signed() as number) : base;
  };
  const listed = (end: string): Result[] => {
    const items: Result[] = [];
    while (!take(end)) {
      items.push(comparison());
      take(",");
    }
    return items;
  };
  const atom = (): Result => {
    const token = next();
    if (token === "(") {
      const items = listed(")");
      return items.length === 1 ? (items[0] as Result) : items;
    }
    if (token === "[") return listed("]");
    if (/^\d/.test(token)) return Number(token);
    if (take("(")) {
      const name = token.split(".").at(-1) as string;
      const f = functions[name] ?? more[name];
      if (f === undefined) throw new Error(`no function ${token}`);
      return f(...(listed(")") as never[]));
    }
    if (token === "True") return true;
    const value = names[token];
    if (value === undefined) throw new Error(`no name ${token}`);
    return value;
  };
  const value = comparison();
  if (at < tokens.length) throw new Error(`more than an expression: ${tokens.slice(at).join(" ")}`);
  return value;
}
