/**
 * The boxed interpreter of boxed.cpp in AssemblyScript: one managed object for every value,
 * structural and numeric alike, collected by AssemblyScript's own collector. Forward only, f32, one
 * lane.
 *
 * The program comes as words, written by the host: a list is −1 items… −2, a number is 1 and its
 * bits, a name is 2 and its id. Ids below 28 are the words of the language, in the order of
 * boxed.cpp.
 */

enum Tag { Number, Symbol, Pair, Nil, Boolean, Tensor, Recur }

class Box {
  aux: i32 = 0;
  number: f32 = 0;
  car: Box | null = null;
  cdr: Box | null = null;
  rows: i32 = 0;
  cols: i32 = 0;
  data: StaticArray<f32> | null = null;
  constructor(public tag: Tag) {}
}

enum Word { If, Let, Lets, Loop, Again, Add, Sub, Mul, Div, Exp, Log, Sin, Cos, Sqrt, Abs, Eq, Lt, Gt,
  Vec, Mat, Eye, Scale, Ref, Inv, Det, Dot, MatMul, MatVec }

const WORDS_MAX: i32 = 4096;
const words = new StaticArray<i32>(WORDS_MAX);
let at: i32 = 0;
let program: Box = new Box(Tag.Nil);
let base: Box = new Box(Tag.Nil);
const inputs: Box[] = [];
export let constructions: i32 = 0;

export function wordsAt(): usize { return changetype<usize>(words); }

function box(tag: Tag): Box { constructions++; return new Box(tag); }
function number(x: f32): Box { const b = box(Tag.Number); b.number = x; return b; }
function boolean(x: bool): Box { const b = box(Tag.Boolean); b.aux = x ? 1 : 0; return b; }
function cons(a: Box, d: Box): Box { const b = box(Tag.Pair); b.car = a; b.cdr = d; return b; }
function tensor(rows: i32, cols: i32, data: StaticArray<f32>): Box {
  const b = box(Tag.Tensor); b.rows = rows; b.cols = cols; b.data = data; return b;
}
function first(b: Box): Box { return b.car as Box; }
function rest(b: Box): Box { return b.cdr as Box; }
function dataOf(b: Box): StaticArray<f32> { return b.data as StaticArray<f32>; }

/** Reads the program that the host has written. */
export function readProgram(): void { at = 0; program = read(); }

function read(): Box {
  const word = words[at++];
  if (word == 1) return number(reinterpret<f32>(words[at++]));
  if (word == 2) { const b = box(Tag.Symbol); b.aux = words[at++]; return b; }
  const items: Box[] = [];
  while (words[at] != -2) items.push(read());
  at++;
  let made = box(Tag.Nil);
  for (let i = items.length - 1; i >= 0; i--) made = cons(items[i], made);
  return made;
}

/** Binds a name to a number, or to the matrix whose bits lie in the words. */
export function bindNumber(name: i32, x: f32): void {
  const value = number(x);
  inputs.push(value);
  const symbol = box(Tag.Symbol); symbol.aux = name;
  base = cons(cons(symbol, value), base);
}
export function bindMatrix(name: i32, rows: i32, cols: i32): void {
  const data = new StaticArray<f32>(rows * cols);
  for (let i = 0; i < rows * cols; i++) data[i] = reinterpret<f32>(words[i]);
  const symbol = box(Tag.Symbol); symbol.aux = name;
  base = cons(cons(symbol, tensor(rows, cols, data)), base);
}
export function setInput(i: i32, x: f32): void { inputs[i].number = x; }

export function run(): f32 { return evaluate(program, base).number; }

function lookup(name: i32, scope: Box): Box {
  while (scope.tag == Tag.Pair) {
    const entry = first(scope);
    if (first(entry).aux == name) return rest(entry);
    scope = rest(scope);
  }
  return unreachable();
}

function evaluate(formGiven: Box, scopeGiven: Box): Box {
  let form = formGiven, scope = scopeGiven;
  while (true) {
    if (form.tag == Tag.Symbol) return lookup(form.aux, scope);
    if (form.tag != Tag.Pair) return form;
    const word = first(form).aux;
    const operands = rest(form);
    if (word == Word.If) {
      const side = rest(operands);
      form = evaluate(first(operands), scope).aux != 0 ? first(side) : first(rest(side));
    } else if (word == Word.Let || word == Word.Lets) {
      for (let each = first(operands); each.tag == Tag.Pair; each = rest(each)) {
        const binding = first(each);
        scope = cons(cons(first(binding), evaluate(first(rest(binding)), scope)), scope);
      }
      form = first(rest(operands));
    } else if (word == Word.Loop) return loop(operands, scope);
    else {
      const values: Box[] = [];
      for (let each = operands; each.tag == Tag.Pair; each = rest(each))
        values.push(evaluate(first(each), scope));
      if (word != Word.Again) return apply(word, values);
      let made = box(Tag.Nil);
      for (let i = values.length - 1; i >= 0; i--) made = cons(values[i], made);
      const again = box(Tag.Recur); again.car = made;
      return again;
    }
  }
}

function loop(operands: Box, scope: Box): Box {
  const names: Box[] = [];
  let values: Box[] = [];
  for (let each = first(operands); each.tag == Tag.Pair; each = rest(each)) {
    names.push(first(first(each)));
    values.push(evaluate(first(rest(first(each))), scope));
  }
  const body = first(rest(operands));
  while (true) {
    let inner = scope;
    for (let i = 0; i < names.length; i++) inner = cons(cons(names[i], values[i]), inner);
    const result = evaluate(body, inner);
    if (result.tag != Tag.Recur) return result;
    values = [];
    for (let each = first(result); each.tag == Tag.Pair; each = rest(each)) values.push(first(each));
  }
}

function combine(word: i32, x: f32, y: f32): f32 {
  if (word == Word.Add) return x + y;
  if (word == Word.Sub) return x - y;
  return word == Word.Mul ? x * y : x / y;
}

function elementwise(word: i32, a: Box, b: Box): Box {
  if (a.tag == Tag.Number) return number(combine(word, a.number, b.number));
  const x = dataOf(a), y = dataOf(b);
  const data = new StaticArray<f32>(x.length);
  for (let i = 0; i < x.length; i++) data[i] = combine(word, x[i], y[i]);
  return tensor(a.rows, a.cols, data);
}

function apply(word: i32, v: Box[]): Box {
  const a = v[0];
  if (word >= Word.Add && word <= Word.Div) {
    if (v.length == 1) return number(-a.number);
    let result = a;
    for (let i = 1; i < v.length; i++) result = elementwise(word, result, v[i]);
    return result;
  }
  switch (word) {
    case Word.Exp: return number(Mathf.exp(a.number));
    case Word.Log: return number(Mathf.log(a.number));
    case Word.Sin: return number(Mathf.sin(a.number));
    case Word.Cos: return number(Mathf.cos(a.number));
    case Word.Sqrt: return number(Mathf.sqrt(a.number));
    case Word.Abs: return number(Mathf.abs(a.number));
    case Word.Eq: return boolean(a.number == v[1].number);
    case Word.Lt: return boolean(a.number < v[1].number);
    case Word.Gt: return boolean(a.number > v[1].number);
    default: return matrix(word, v);
  }
}

function matrix(word: i32, v: Box[]): Box {
  const a = v[0];
  if (word == Word.Vec) {
    const data = new StaticArray<f32>(v.length);
    for (let i = 0; i < v.length; i++) data[i] = v[i].number;
    return tensor(v.length, 0, data);
  }
  if (word == Word.Mat) {
    const width = a.rows;
    const data = new StaticArray<f32>(v.length * width);
    for (let i = 0; i < v.length; i++)
      for (let j = 0; j < width; j++) data[i * width + j] = dataOf(v[i])[j];
    return tensor(v.length, width, data);
  }
  if (word == Word.Eye) {
    const n = <i32>a.number;
    const data = new StaticArray<f32>(n * n);
    for (let i = 0; i < n; i++) data[i * n + i] = 1;
    return tensor(n, n, data);
  }
  if (word == Word.Det) {
    const m = dataOf(a);
    return number(m[0] * m[3] - m[1] * m[2]);
  }
  if (word == Word.Inv) {
    const m = dataOf(a);
    const over: f32 = 1 / (m[0] * m[3] - m[1] * m[2]);
    const data = new StaticArray<f32>(4);
    data[0] = over * m[3]; data[1] = -over * m[1]; data[2] = -over * m[2]; data[3] = over * m[0];
    return tensor(2, 2, data);
  }
  return products(word, a, v[1]);
}

function products(word: i32, a: Box, b: Box): Box {
  if (word == Word.Scale) {
    const m = dataOf(b);
    const data = new StaticArray<f32>(m.length);
    for (let i = 0; i < m.length; i++) data[i] = a.number * m[i];
    return tensor(b.rows, b.cols, data);
  }
  if (word == Word.Ref) {
    const row = <i32>b.number * a.cols;
    const data = new StaticArray<f32>(a.cols);
    for (let j = 0; j < a.cols; j++) data[j] = dataOf(a)[row + j];
    return tensor(a.cols, 0, data);
  }
  const x = dataOf(a), y = dataOf(b);
  if (word == Word.Dot) {
    let sum: f32 = 0;
    for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
    return number(sum);
  }
  const cols = word == Word.MatVec ? 1 : b.cols;
  const data = new StaticArray<f32>(a.rows * cols);
  for (let i = 0; i < a.rows; i++)
    for (let j = 0; j < cols; j++) {
      let sum: f32 = 0;
      for (let k = 0; k < a.cols; k++) sum += x[i * a.cols + k] * y[k * cols + j];
      data[i * cols + j] = sum;
    }
  return tensor(a.rows, word == Word.MatVec ? 0 : cols, data);
}
