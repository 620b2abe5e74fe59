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
  `const pow = (x, y) =>
  x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y;`,
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
  if (Math.abs(x) < 1e-16) return -Math.log(Math.abs(x));
  if (x === 1 || x === 2) return 0;
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
  `const isSame = (x, y) => {
  if (x?.items && y?.items)
    return x.rows === y.rows && x.cols === y.cols && isSame(x.items, y.items);
  if (x instanceof Float64Array && y instanceof Float64Array)
    return x.length === y.length && x.every((item, i) => item === y[i]);
  return x === y;
};`,
  `const isEqual = (x, y) => {
  let [a, b] = [x, y];
  for (; isPair(a) && isPair(b) && a !== b; a = a.cdr, b = b.cdr)
    if (!isEqual(a.car, b.car)) return false;
  return isSame(a, b);
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
  // Begins with the first element, so that a sum of -0 is -0.
  `const total = (items) => (items.length === 0 ? 0 : items.reduce((sum, item) => sum + item));`,
  `const vsum = (x) => total(elements(x));`,
  `const norm = (x) => Math.sqrt(total(elements(x).map(square)));`,
  `const normalize = (x) => {
  const size = norm(vector(x));
  return size === 0 ? filled(0, x.length) : div(x, size);
};`,
  `const dot = (x, y) =>
  vector(x).length === vector(y).length
    ? total(x.map((item, i) => item * y[i]))
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
  `const trace = (x) =>
  total(Array.from({ length: squareMatrix(x).rows }, (_, i) => x.items[i * x.cols + i]));`,
  `const matmul = (x, y) => {
  if (matrix(x).cols !== matrix(y).rows) fail("shapes do not fit");
  const result = filled(0, x.rows, y.cols);
  for (let i = 0; i < x.rows; i++)
    for (let j = 0; j < y.cols; j++) {
      let sum = x.cols === 0 ? 0 : -0;
      for (let k = 0; k < x.cols; k++) sum += x.items[i * x.cols + k] * y.items[k * y.cols + j];
      result.items[i * y.cols + j] = sum;
    }
  return result;
};`,
  `const matvec = (x, y) => matmul(x, new Matrix(vector(y).length, 1, y)).items;`,
  `const outer = (x, y) =>
  matmul(new Matrix(vector(x).length, 1, x), new Matrix(1, vector(y).length, y));`,
  // As in wasm/linalg/elimination.ts: beyond 3 × 3, entries that are nothing but rounding are 0.
  `const factors = (x) => {
  const size = squareMatrix(x).rows;
  const lu = Array.from({ length: size }, (_, i) => [...x.items.slice(i * size, (i + 1) * size)]);
  const most = lu.map((line) => line.map(Math.abs));
  const order = lu.map((_, i) => i);
  const slack = size > 3 ? 2 * size * Number.EPSILON : 0;
  let sign = 1;
  const pivot = (k) => {
    for (let i = k + 1; i < size; i++) {
      if (Math.abs(lu[i][k]) <= Math.abs(lu[k][k]) || Number.isNaN(lu[k][k])) continue;
      for (const lines of [lu, most, order]) [lines[k], lines[i]] = [lines[i], lines[k]];
      sign = -sign;
    }
  };
  const isRounding = (i, k) => lu[i][k] !== 0 && Math.abs(lu[i][k]) <= slack * most[i][k];
  for (let k = 0; k < size; k++) {
    pivot(k);
    if (isRounding(k, k)) {
      for (let i = k; i < size; i++) if (isRounding(i, k)) lu[i][k] = 0;
      pivot(k);
    }
    const divisor = lu[k][k] === 0 ? 1 : lu[k][k];
    for (let i = k + 1; i < size; i++) {
      const factor = lu[i][k] / divisor;
      const times = Math.abs(factor);
      const share = Math.max(most[i][k], times * most[k][k]) / Math.abs(divisor);
      lu[i][k] = factor;
      for (let j = k + 1; j < size; j++) {
        most[i][j] = Math.max(most[i][j], times * most[k][j], share * Math.abs(lu[k][j]));
        lu[i][j] -= factor * lu[k][j];
      }
    }
  }
  return { size, lu, order, sign };
};`,
  `const minor = (x, i, j, k, l) => x.items[i] * x.items[l] - x.items[j] * x.items[k];`,
  `const cofactors = (x) => {
  const [a, b, c, d] = x.items;
  if (x.rows === 1) return [1];
  if (x.rows === 2) return [d, -c, -b, a];
  return [3, 6, 0].flatMap((p, i) => {
    const q = [6, 0, 3][i];
    return [
      minor(x, p + 1, p + 2, q + 1, q + 2),
      minor(x, p + 2, p, q + 2, q),
      minor(x, p, p + 1, q, q + 1),
    ];
  });
};`,
  // Undefined beyond 3 × 3; doubtful where rounding may be much of it, and elimination is better.
  `const closedDet = (x) => {
  const size = squareMatrix(x).rows;
  if (size === 0 || size > 3) return undefined;
  const value = total(cofactors(x).slice(0, size).map((each, i) => x.items[i] * each));
  let most = 1;
  for (let i = 0; i < size; i++) most *= total([...ref(x, i)].map(Math.abs));
  const isInRange = Math.abs(value) > 1e-290 && Math.abs(value) < 1e290;
  const isTrusted = size === 1 || (isInRange && Math.abs(value) > most / 4096);
  return { value, isTrusted, isSingular: value === 0 && (size === 1 || most / 4096 > 1e-290) };
};`,
  `const det = (x) => {
  const closed = closedDet(x);
  if (closed !== undefined) return closed.value;
  const { lu, sign } = factors(x);
  return lu.reduce((product, line, i) => product * line[i], sign) + 0;
};`,
  `const logdet = (x) => {
  const closed = closedDet(x);
  if (closed?.isTrusted || closed?.isSingular) return Math.log(Math.abs(closed.value));
  return factors(x).lu.reduce((sum, line, i) => sum + Math.log(Math.abs(line[i])), 0);
};`,
  `const eliminated = (x, y) => {
  const { size, lu, order } = factors(x);
  const { cols } = y;
  const to = new Float64Array(size * cols);
  const isSingular = lu.some((line, i) => line[i] === 0);
  for (let c = 0; c < cols; c++) {
    for (let i = 0; i < size; i++) {
      let sum = y.items[order[i] * cols + c];
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
  return new Matrix(size, cols, to);
};`,
  `const inv = (x) => {
  const closed = closedDet(x);
  const size = x.rows;
  if (closed?.isSingular) return filled(NaN, size, size);
  if (!closed?.isTrusted) return eliminated(x, eye(size));
  const factor = 1 / closed.value;
  const { items } = transpose(new Matrix(size, size, Float64Array.from(cofactors(x))));
  // Off the diagonal of 2 × 2 the machine subtracts from 0, which is never -0.
  const isNeverNegative = (i) => size === 2 && (i === 1 || i === 2);
  return new Matrix(
    size,
    size,
    items.map((each, i) => (isNeverNegative(i) ? each * factor + 0 : each * factor)),
  );
};`,
  `const solve = (x, y) => {
  const to = y instanceof Float64Array ? new Matrix(y.length, 1, y) : matrix(y);
  if (squareMatrix(x).rows !== to.rows) fail("shapes do not fit");
  const result = x.rows > 3 ? eliminated(x, to) : matmul(inv(x), to);
  return to === y ? result : result.items;
};`,
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
