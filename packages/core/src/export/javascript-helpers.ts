/**
 * Texts of the functions that an exported JavaScript program calls: what `Math` lacks, lists,
 * vectors, matrices and calls. A program's text holds those it needs and no others.
 *
 * Values there: numbers and booleans as they are, symbols are strings, () is null, pairs are
 * { car, cdr }, vectors Float64Array, matrices Matrix, procedures functions, and a value that nobody
 * can use undefined. They are texts, not functions of ours, so that no bundler changes them.
 */

const texts = [
  `const fail = (message) => {
  throw new TypeError(message);
};`,
  `const explained = (error) =>
  /call stack|recursion/.test(error?.message)
    ? new RangeError(
        "calls are nested too deep for JavaScript's stack: turn them into tail calls or a loop, run on a larger stack (node --stack-size=60000), or run the program with NDVM",
        { cause: error },
      )
    : error;`,
  `const number = (x) => (typeof x === "number" ? x : fail("a number was expected"));`,
  `const whole = (x) => (Number.isInteger(x) ? x : fail("an integer was expected"));`,
  `const square = (x) => x * x;`,
  `const nearest = (x) => {
  const below = Math.floor(x);
  const fraction = x - below;
  if (!(fraction > 0)) return x;
  const isBelow = fraction < 0.5 || (fraction === 0.5 && below % 2 === 0);
  const result = isBelow ? below : below + 1;
  return result === 0 && x < 0 ? -0 : result;
};`,
  `const sigmoid = (x) => (x < 0 ? Math.exp(x) / (1 + Math.exp(x)) : 1 / (1 + Math.exp(-x)));`,
  `const softplus = (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));`,
  `const sqrtClamp = (x) => Math.sqrt(Math.max(x, 1e-8));`,
  `const logClamp = (x) => Math.log(Math.max(x, 1e-8));`,
  `const erf = (x) => {
  const a = Math.abs(x);
  if (Number.isNaN(x)) return x;
  if (a > 6) return Math.sign(x);
  if (a < 2.5) {
    let term = x;
    let sum = x;
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
  }
  let tail = a;
  for (let n = 60; n >= 1; n--) tail = a + n / 2 / tail;
  return Math.sign(x) * (1 - Math.exp(-a * a) / (Math.sqrt(Math.PI) * tail));
};`,
  `const lgamma = (x) => {
  if (x === -Infinity) return Infinity;
  if (x <= 0) {
    const sine = Math.abs(Math.sin(Math.PI * (x - Math.round(x))));
    return sine === 0 ? Infinity : Math.log(Math.PI / sine) - lgamma(1 - x);
  }
  if (!Number.isFinite(x)) return x;
  let product = 1;
  let t = x;
  for (; t < 10; t++) product *= t;
  const bernoulli = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6];
  let series = 0;
  bernoulli.forEach((b, i) => {
    const k = 2 * (i + 1);
    series += b / (k * (k - 1) * t ** (k - 1));
  });
  return (t - 0.5) * Math.log(t) - t + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product);
};`,
  `const quotient = (x, y) => Math.trunc(x / y) + 0;`,
  `const remainder = (x, y) => (x % y) + 0;`,
  `const modulo = (x, y) => {
  const rest = (x % y) + 0;
  return (rest < 0 && y > 0) || (rest > 0 && y < 0) ? rest + y : rest;
};`,
  `const gcd = (x, y) => {
  if (!Number.isInteger(x) || !Number.isInteger(y)) return NaN;
  let large = Math.abs(x);
  let small = Math.abs(y);
  while (small > 0) [large, small] = [small, large % small];
  return large;
};`,
  `const lcm = (x, y) => {
  const divisor = gcd(x, y);
  return divisor === 0 ? 0 : Math.abs((x / divisor) * y);
};`,
  `const inOrder = (test, ...xs) => xs.every((x, i) => i === 0 || test(xs[i - 1], x));`,
  `const cons = (first, rest) => ({ car: first, cdr: rest });`,
  `const isPair = (x) => typeof x === "object" && x !== null && "cdr" in x;`,
  `const car = (x) => (isPair(x) ? x.car : fail("car needs a pair"));`,
  `const cdr = (x) => (isPair(x) ? x.cdr : fail("cdr needs a pair"));`,
  `const listOf = (items, tail = null) => {
  let list = tail;
  for (let i = items.length - 1; i >= 0; i--) list = cons(items[i], list);
  return list;
};`,
  `const itemsOf = (list) => {
  const items = [];
  let rest = list;
  for (; isPair(rest); rest = rest.cdr) items.push(rest.car);
  return rest === null ? items : fail("a proper list was expected");
};`,
  `const isList = (x) => {
  let rest = x;
  while (isPair(rest)) rest = rest.cdr;
  return rest === null;
};`,
  `const append = (...lists) =>
  lists.length === 0 ? null : lists.reduceRight((tail, list) => listOf(itemsOf(list), tail));`,
  `const listTail = (list, count) => {
  let rest = list;
  for (let i = whole(count); i > 0; i--) rest = cdr(rest);
  return count < 0 ? fail("an index counts from 0") : rest;
};`,
  `const listCopy = (list) => {
  const items = [];
  let rest = list;
  for (; isPair(rest); rest = rest.cdr) items.push(rest.car);
  return listOf(items, rest);
};`,
  `const isSame = (x, y) => x === y;`,
  `const isEqual = (x, y) => {
  let [a, b] = [x, y];
  for (; isPair(a) && isPair(b); a = a.cdr, b = b.cdr) if (!isEqual(a.car, b.car)) return false;
  if (a instanceof Matrix && b instanceof Matrix)
    return a.cols === b.cols && isEqual(a.items, b.items);
  if (a instanceof Float64Array && b instanceof Float64Array)
    return a.length === b.length && a.every((item, i) => item === b[i]);
  return a === b;
};`,
  `const memberBy = (isMatch, object, list) => {
  let rest = list;
  for (; isPair(rest); rest = rest.cdr) if (isMatch(object, rest.car)) return rest;
  return rest === null ? false : fail("a proper list was expected");
};`,
  `const assocBy = (isMatch, key, list) => {
  for (const entry of itemsOf(list)) if (isMatch(key, car(entry))) return entry;
  return false;
};`,
  `class Bounce {
  constructor(f, operands) {
    this.f = f;
    this.operands = operands;
  }
}`,
  `const procedure = (least, most, f) => Object.assign(f, { least, most });`,
  `const enter = (f, operands) => {
  if (typeof f !== "function") fail("only procedures can be called");
  const count = operands.length;
  if (count < (f.least ?? f.length) || count > (f.most ?? f.length))
    fail(\`a procedure was called with \${count} operands\`);
  return f(...operands);
};`,
  `const land = (result) => {
  let value = result;
  while (value instanceof Bounce) value = enter(value.f, value.operands);
  return value;
};`,
  `const call = (f, ...operands) => land(enter(f, operands));`,
  `const bounce = (f, ...operands) => new Bounce(f, operands);`,
  `class Matrix {
  constructor(rows, cols, items) {
    this.rows = rows;
    this.cols = cols;
    this.items = items;
  }
}`,
  `const map1 = (f, x) => {
  if (typeof x === "number") return f(x);
  if (x instanceof Float64Array) return x.map((item) => f(item));
  if (x instanceof Matrix) return new Matrix(x.rows, x.cols, x.items.map((item) => f(item)));
  return fail("a number, vector or matrix was expected");
};`,
  `const map2 = (f, x, y) => {
  if (typeof x === "number") return map1((item) => f(x, item), y);
  if (typeof y === "number") return map1((item) => f(item, y), x);
  if (x instanceof Float64Array && y instanceof Float64Array && x.length === y.length)
    return x.map((item, i) => f(item, y[i]));
  if (x instanceof Matrix && y instanceof Matrix && x.rows === y.rows && x.cols === y.cols)
    return new Matrix(x.rows, x.cols, x.items.map((item, i) => f(item, y.items[i])));
  return fail("shapes do not fit");
};`,
  `const add = (x, y) => map2((a, b) => a + b, x, y);`,
  `const sub = (x, y) => map2((a, b) => a - b, x, y);`,
  `const mul = (x, y) => map2((a, b) => a * b, x, y);`,
  `const div = (x, y) => map2((a, b) => a / b, x, y);`,
  `const scale = (x, y) => mul(number(x), y instanceof Matrix ? y : vector(y));`,
  `const vector = (x) => (x instanceof Float64Array ? x : fail("a vector was expected"));`,
  `const matrix = (x) => (x instanceof Matrix ? x : fail("a matrix was expected"));`,
  `const squareMatrix = (x) =>
  matrix(x).rows === x.cols ? x : fail("a square matrix was expected");`,
  `const elements = (x) => (x instanceof Matrix ? x.items : vector(x));`,
  `const vec = (...xs) => Float64Array.from(xs, number);`,
  `const mat = (...lines) => {
  const cols = vector(lines[0]).length;
  if (lines.some((line) => vector(line).length !== cols)) fail("rows differ in length");
  return new Matrix(lines.length, cols, Float64Array.from(lines.flatMap((line) => [...line])));
};`,
  `const ref = (x, i, j) => {
  const size = x instanceof Matrix ? x.rows : vector(x).length;
  if (whole(i) < 0 || i >= size) fail(\`there is no element \${i}\`);
  if (!(x instanceof Matrix)) return j === undefined ? x[i] : fail("a vector has one index");
  const row = x.items.slice(i * x.cols, (i + 1) * x.cols);
  return j === undefined ? row : ref(row, j);
};`,
  `const filled = (value, rows, cols) => {
  if (whole(rows) < 0 || (cols !== undefined && whole(cols) < 0)) fail("a size is negative");
  if (cols === undefined) return new Float64Array(rows).fill(value);
  return new Matrix(rows, cols, new Float64Array(rows * cols).fill(value));
};`,
  `const eye = (size) => {
  const result = filled(0, size, size);
  for (let i = 0; i < size; i++) result.items[i * size + i] = 1;
  return result;
};`,
  `const vsum = (x) => elements(x).reduce((sum, item) => sum + item, 0);`,
  `const norm = (x) => Math.sqrt(elements(x).reduce((sum, item) => sum + item * item, 0));`,
  `const normalize = (x) => {
  const size = norm(vector(x));
  return size === 0 ? x : div(x, size);
};`,
  `const dot = (x, y) =>
  vector(x).length === vector(y).length
    ? x.reduce((sum, item, i) => sum + item * y[i], 0)
    : fail("vectors differ in length");`,
  `const cross = (x, y) =>
  vector(x).length === 3 && vector(y).length === 3
    ? vec(x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])
    : fail("cross needs vectors of length 3");`,
  `const transpose = (x) => {
  const result = filled(0, matrix(x).cols, x.rows);
  for (let i = 0; i < x.rows; i++)
    for (let j = 0; j < x.cols; j++) result.items[j * x.rows + i] = x.items[i * x.cols + j];
  return result;
};`,
  `const trace = (x) => {
  let sum = 0;
  for (let i = 0; i < squareMatrix(x).rows; i++) sum += x.items[i * x.cols + i];
  return sum;
};`,
  `const matmul = (x, y) => {
  if (matrix(x).cols !== matrix(y).rows) fail("shapes do not fit");
  const result = filled(0, x.rows, y.cols);
  for (let i = 0; i < x.rows; i++)
    for (let j = 0; j < y.cols; j++) {
      let sum = 0;
      for (let k = 0; k < x.cols; k++) sum += x.items[i * x.cols + k] * y.items[k * y.cols + j];
      result.items[i * y.cols + j] = sum;
    }
  return result;
};`,
  `const matvec = (x, y) => matmul(x, new Matrix(vector(y).length, 1, y)).items;`,
  `const outer = (x, y) =>
  matmul(new Matrix(vector(x).length, 1, x), new Matrix(1, vector(y).length, y));`,
  `const factors = (x) => {
  const size = squareMatrix(x).rows;
  const lu = Array.from({ length: size }, (_, i) => [...x.items.slice(i * size, (i + 1) * size)]);
  const order = lu.map((_, i) => i);
  let sign = 1;
  for (let k = 0; k < size; k++) {
    let best = k;
    for (let i = k + 1; i < size; i++) if (Math.abs(lu[i][k]) > Math.abs(lu[best][k])) best = i;
    if (best !== k) sign = -sign;
    [lu[k], lu[best]] = [lu[best], lu[k]];
    [order[k], order[best]] = [order[best], order[k]];
    for (let i = k + 1; i < size; i++) {
      if (lu[k][k] === 0) continue;
      lu[i][k] /= lu[k][k];
      for (let j = k + 1; j < size; j++) lu[i][j] -= lu[i][k] * lu[k][j];
    }
  }
  return { size, lu, order, sign };
};`,
  `const det = (x) => {
  const { lu, sign } = factors(x);
  return lu.reduce((product, line, i) => product * line[i], sign);
};`,
  `const logdet = (x) => {
  const { lu } = factors(x);
  return lu.reduce((sum, line, i) => sum + Math.log(Math.abs(line[i])), 0);
};`,
  `const solve = (x, y) => {
  const { size, lu, order } = factors(x);
  const isVector = y instanceof Float64Array;
  const cols = isVector ? 1 : matrix(y).cols;
  if ((isVector ? y.length : y.rows) !== size) fail("shapes do not fit");
  const from = elements(y);
  const to = new Float64Array(size * cols);
  const isSingular = lu.some((line, i) => line[i] === 0);
  for (let c = 0; c < cols; c++) {
    for (let i = 0; i < size; i++) {
      let sum = from[order[i] * cols + c];
      for (let k = 0; k < i; k++) sum -= lu[i][k] * to[k * cols + c];
      to[i * cols + c] = sum;
    }
    for (let i = size - 1; i >= 0; i--) {
      let sum = to[i * cols + c];
      for (let k = i + 1; k < size; k++) sum -= lu[i][k] * to[k * cols + c];
      to[i * cols + c] = sum / lu[i][i];
    }
  }
  if (isSingular) to.fill(NaN);
  return isVector ? to : new Matrix(size, cols, to);
};`,
  `const inv = (x) => solve(x, eye(squareMatrix(x).rows));`,
  `const cholesky = (x) => {
  const size = squareMatrix(x).rows;
  const l = filled(0, size, size);
  let isDefinite = true;
  for (let j = 0; j < size; j++)
    for (let i = j; i < size; i++) {
      let rest = x.items[i * size + j];
      for (let k = 0; k < j; k++) rest -= l.items[i * size + k] * l.items[j * size + k];
      if (i === j && !(rest > 0)) isDefinite = false;
      l.items[i * size + j] = i === j ? Math.sqrt(rest) : rest / l.items[j * size + j];
    }
  if (!isDefinite)
    for (let i = 0; i < size; i++) l.items.fill(NaN, i * size, i * size + i + 1);
  return l;
};`,
  `const given = (x) => {
  if (!Array.isArray(x)) return x;
  return Array.isArray(x[0]) || ArrayBuffer.isView(x[0])
    ? mat(...x.map((line) => Float64Array.from(line)))
    : Float64Array.from(x);
};`,
  `const plain = (x) => {
  if (x instanceof Matrix)
    return Array.from({ length: x.rows }, (_, i) => [...ref(x, i)]);
  if (x instanceof Float64Array) return [...x];
  if (x === null) return [];
  if (!isPair(x)) return x;
  const list = [];
  let rest = x;
  for (; isPair(rest); rest = rest.cdr) list.push(plain(rest.car));
  return rest === null ? list : { list, tail: plain(rest) };
};`,
] as const;

const nameOf = (text: string): string => /^(?:const|class) (\w+)/.exec(text)?.[1] as string;

const helpers: ReadonlyMap<string, string> = new Map(texts.map((text) => [nameOf(text), text]));

export const helperNames: readonly string[] = [...helpers.keys()];

/** Names in a text, without those in strings, of properties and of labels. */
const usedWords = (text: string): readonly string[] =>
  text.replaceAll(/"[^"]*"|`[^`]*`/g, "").match(/(?<!\w|[\w)\]]\.)[A-Za-z]\w*\b(?!:)/g) ?? [];

/** The texts of the named helpers and of those they call, in a fixed order. */
export function helperTexts(names: ReadonlySet<string>): string[] {
  const wanted = new Set(names);
  // A Set visits what is added to it on the way.
  for (const name of wanted)
    for (const word of usedWords(helpers.get(name) ?? "")) if (helpers.has(word)) wanted.add(word);
  return [...helpers].filter(([name]) => wanted.has(name)).map(([, text]) => text);
}
