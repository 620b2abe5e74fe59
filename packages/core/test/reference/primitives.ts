/**
 * The oracle's procedures on numbers, vectors and matrices, by name. Structure is in `lists.ts`.
 *
 * `define(name, least, most, run)` states how many operands a procedure takes.
 */

import * as D from "./dual.js";
import { Dual } from "./dual.js";
import { defineLists } from "./lists.js";
import {
  type Define,
  integerFrom,
  matrixFrom,
  needShape,
  numberFrom,
  numericFrom,
  squareFrom,
  tensorFrom,
  vectorFrom,
} from "./operands.js";
import * as T from "./tensor.js";
import { Primitive, RefError, Tensor, type Value } from "./values.js";

export type Domain = "ieee" | "clamp";
type Unary = (x: Dual) => Dual;
type Binary = (x: Dual, y: Dual) => Dual;
const many = Number.POSITIVE_INFINITY;

/** Every procedure of the language under one domain rule. */
export function makePrimitives(domain: Domain): ReadonlyMap<string, Primitive> {
  const table = new Map<string, Primitive>();
  const define: Define = (name, least, most, run) => {
    table.set(name, new Primitive(name, least, most, run));
  };
  defineArithmetic(define);
  defineUnary(define, domain);
  defineComparisons(define);
  defineIntegers(define);
  defineTensors(define);
  defineMatrices(define);
  defineLists(define);
  return table;
}

/** x op y op z …, from the left; one operand alone goes through `alone`. */
function folded(name: string, f: Binary, alone: (x: Dual) => Dual) {
  return (operands: readonly Value[]): Value => {
    const [first, ...rest] = operands.map((operand) => numericFrom(operand, name));
    if (rest.length === 0) return elementwise(alone, first as Dual | Tensor);
    return rest.reduce<Dual | Tensor>((x, y) => T.zip(f, x, y), first as Dual | Tensor);
  };
}

function elementwise(f: Unary, x: Dual | Tensor): Dual | Tensor {
  return x instanceof Dual ? f(x) : new Tensor(x.shape, x.items.map(f));
}

function defineArithmetic(define: Define): void {
  const same: Unary = (x) => x;
  const plus = folded("+", D.add, same);
  const times = folded("*", D.mul, same);
  define("+", 0, many, (xs) => (xs.length === 0 ? D.constant(0) : plus(xs)));
  define("*", 0, many, (xs) => (xs.length === 0 ? D.constant(1) : times(xs)));
  define("-", 1, many, folded("-", D.sub, D.negate));
  define(
    "/",
    1,
    many,
    folded("/", D.div, (x) => D.div(D.constant(1), x)),
  );
  define("min", 1, many, folded("min", D.min, same));
  define("max", 1, many, folded("max", D.max, same));
  for (const name of ["expt", "pow"]) define(name, 2, 2, folded(name, D.power, same));
}

function defineUnary(define: Define, domain: Domain): void {
  const guard = domain === "clamp" ? D.clamped : (f: Unary): Unary => f;
  const log = guard(D.unary.log);
  const rules = { ...D.unary, sqrt: guard(D.unary.sqrt), log };
  for (const [name, f] of Object.entries(rules)) {
    define(name, 1, 1, ([x]) => elementwise(f, numericFrom(x, name)));
  }
  define("log", 1, 2, ([x, base]) => {
    const top = elementwise(log, numericFrom(x, "log"));
    return base === undefined ? top : T.zip(D.div, top, elementwise(log, numericFrom(base, "log")));
  });
  define("atan", 1, 2, ([y, x]) =>
    x === undefined
      ? elementwise(D.unary.atan, numericFrom(y, "atan"))
      : T.zip(D.atan2, numericFrom(y, "atan"), numericFrom(x, "atan")),
  );
  for (const name of ["exact", "inexact"]) define(name, 1, 1, ([x]) => numericFrom(x, name));
}

function defineComparisons(define: Define): void {
  const tests: Record<string, (x: number, y: number) => boolean> = {
    "=": (x, y) => x === y,
    "<": (x, y) => x < y,
    ">": (x, y) => x > y,
    "<=": (x, y) => x <= y,
    ">=": (x, y) => x >= y,
  };
  for (const [name, test] of Object.entries(tests)) {
    define(name, 1, many, (operands) => {
      const numbers = operands.map((operand) => numberFrom(operand, name));
      let holds = true;
      numbers.slice(1).forEach((y, i) => {
        const x = numbers[i] as Dual;
        const outcome = test(x.v, y.v);
        D.decide(outcome ? 1 : 0, x, y);
        holds = holds && outcome;
      });
      return holds;
    });
  }
  const signs: Record<string, (x: number) => boolean> = {
    "zero?": (x) => x === 0,
    "positive?": (x) => x > 0,
    "negative?": (x) => x < 0,
  };
  for (const [name, test] of Object.entries(signs)) {
    define(name, 1, 1, ([x]) => {
      const number = numberFrom(x, name);
      D.decide(test(number.v) ? 1 : 0, number, D.constant(0));
      return test(number.v);
    });
  }
}

function defineIntegers(define: Define): void {
  define(
    "quotient",
    2,
    2,
    folded("quotient", D.quotient, (x) => x),
  );
  define(
    "remainder",
    2,
    2,
    folded("remainder", D.remainder, (x) => x),
  );
  define(
    "modulo",
    2,
    2,
    folded("modulo", D.modulo, (x) => x),
  );
  const gcd = folded("gcd", integersOnly(greatestDivisor), D.abs);
  const lcm = folded("lcm", integersOnly(leastMultiple), D.abs);
  define("gcd", 0, many, (xs) => gcd([D.constant(0), ...xs]));
  define("lcm", 0, many, (xs) => lcm([D.constant(1), ...xs]));
  define("even?", 1, 1, ([x]) => integerFrom(x, "even?") % 2 === 0);
  define("odd?", 1, 1, ([x]) => integerFrom(x, "odd?") % 2 !== 0);
  for (const name of ["number?", "real?"]) define(name, 1, 1, ([x]) => x instanceof Dual);
  define("integer?", 1, 1, ([x]) => x instanceof Dual && Number.isInteger(x.v));
  define("finite?", 1, 1, ([x]) => Number.isFinite(numberFrom(x, "finite?").v));
  define("nan?", 1, 1, ([x]) => Number.isNaN(numberFrom(x, "nan?").v));
  define("infinite?", 1, 1, ([x]) => Math.abs(numberFrom(x, "infinite?").v) === many);
}

/** A function of integers; of other numbers it is NaN. */
function integersOnly(f: (x: number, y: number) => number): Binary {
  return ({ v: x }, { v: y }) => {
    const whole = Number.isInteger(x) && Number.isInteger(y);
    return D.constant(whole ? f(x, y) : Number.NaN);
  };
}

function greatestDivisor(a: number, b: number): number {
  let [x, y] = [Math.abs(a), Math.abs(b)];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

function leastMultiple(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : Math.abs(a * b) / greatestDivisor(a, b);
}

function defineTensors(define: Define): void {
  define("vec", 0, many, (xs) => T.vector(xs.map((x) => numberFrom(x, "vec"))));
  define("mat", 1, many, (xs) => {
    const lines = xs.map((x) => vectorFrom(x, "mat"));
    const width = T.rowsOf(lines[0] as Tensor);
    needShape(
      lines.every((line) => T.rowsOf(line) === width),
      "mat",
    );
    return new Tensor(
      [lines.length, width],
      lines.flatMap((line) => line.items),
    );
  });
  define("ref", 2, 3, ([x, i, j]) => {
    const tensor = tensorFrom(x, "ref");
    const found = element(tensor, i);
    return j === undefined ? found : element(tensorFrom(found, "ref"), j);
  });
  define("vlen", 1, 1, ([x]) => D.constant(T.rowsOf(vectorFrom(x, "vlen"))));
  define("rows", 1, 1, ([x]) => D.constant(T.rowsOf(matrixFrom(x, "rows"))));
  define("cols", 1, 1, ([x]) => D.constant(T.columnsOf(matrixFrom(x, "cols"))));
  define("dot", 2, 2, ([x, y]) => {
    const [a, b] = [vectorFrom(x, "dot"), vectorFrom(y, "dot")];
    needShape(T.sameShape(a, b), "dot");
    return T.dot(a, b);
  });
  define("cross", 2, 2, ([x, y]) => {
    const [a, b] = [vectorFrom(x, "cross"), vectorFrom(y, "cross")];
    needShape(T.rowsOf(a) === 3 && T.rowsOf(b) === 3, "cross");
    return T.cross(a, b);
  });
  define("norm", 1, 1, ([x]) => T.norm(tensorFrom(x, "norm")));
  define("normalize", 1, 1, ([x]) => {
    const tensor = tensorFrom(x, "normalize");
    return T.zip(D.div, tensor, T.norm(tensor));
  });
  define("vsum", 1, 1, ([x]) => T.sum(tensorFrom(x, "vsum").items));
  define("scale", 2, 2, ([s, x]) => T.zip(D.mul, numberFrom(s, "scale"), numericFrom(x, "scale")));
  defineFilled(define);
}

function element(x: Tensor, index: Value | undefined): Dual | Tensor {
  const i = integerFrom(index, "ref");
  if (i < 0 || i >= T.rowsOf(x)) throw new RefError("E-RANGE", `ref has no element ${i}`);
  return T.isVector(x) ? (x.items[i] as Dual) : T.row(x, i);
}

function defineFilled(define: Define): void {
  const size = (value: Value | undefined, who: string): number => {
    const n = integerFrom(value, who);
    if (n < 0) throw new RefError("E-RANGE", `${who} needs a size from 0`);
    return n;
  };
  const fills: Record<string, number> = { zeros: 0, ones: 1 };
  for (const [name, fill] of Object.entries(fills)) {
    define(name, 1, 2, ([r, c]) =>
      c === undefined
        ? T.vector(Array.from({ length: size(r, name) }, () => D.constant(fill)))
        : T.matrix(size(r, name), size(c, name), () => D.constant(fill)),
    );
  }
  define("eye", 1, 1, ([n]) => T.identity(size(n, "eye")));
}

function defineMatrices(define: Define): void {
  define("matvec", 2, 2, ([a, x]) => {
    const [m, v] = [matrixFrom(a, "matvec"), vectorFrom(x, "matvec")];
    needShape(T.columnsOf(m) === T.rowsOf(v), "matvec");
    return T.matvec(m, v);
  });
  define("matmul", 2, 2, ([a, b]) => {
    const [x, y] = [matrixFrom(a, "matmul"), matrixFrom(b, "matmul")];
    needShape(T.columnsOf(x) === T.rowsOf(y), "matmul");
    return T.matmul(x, y);
  });
  define("transpose", 1, 1, ([a]) => T.transpose(matrixFrom(a, "transpose")));
  define("trace", 1, 1, ([a]) => {
    const x = squareFrom(a, "trace");
    return T.sum(x.items.filter((_, i) => i % (T.rowsOf(x) + 1) === 0));
  });
  define("det", 1, 1, ([a]) => T.det(squareFrom(a, "det")));
  define("logdet", 1, 1, ([a]) => D.unary.log(D.abs(T.det(squareFrom(a, "logdet")))));
  define("inv", 1, 1, ([a]) => {
    const x = squareFrom(a, "inv");
    return T.solve(x, T.identity(T.rowsOf(x)));
  });
  define("solve", 2, 2, ([a, b]) => {
    const [x, y] = [squareFrom(a, "solve"), tensorFrom(b, "solve")];
    needShape(T.rowsOf(x) === T.rowsOf(y), "solve");
    if (!T.isVector(y)) return T.solve(x, y);
    return T.vector(T.solve(x, new Tensor([T.rowsOf(y), 1], y.items)).items);
  });
  define("cholesky", 1, 1, ([a]) => T.cholesky(squareFrom(a, "cholesky")));
  define("outer", 2, 2, ([x, y]) => {
    const [a, b] = [vectorFrom(x, "outer"), vectorFrom(y, "outer")];
    return T.matrix(T.rowsOf(a), T.rowsOf(b), (i, j) =>
      D.mul(a.items[i] as Dual, b.items[j] as Dual),
    );
  });
}
