/**
 * Tagged and tuned eager interpreters on TensorFlow.js: the evaluator of eager.py once more, with
 * the same two ways to hold a value.
 *
 *   tagged   every value, structural ones too, a tensor of 14 floats: a one-hot tag and a payload
 *   tuned    a native tag beside a number, and a tensor only for numbers that may carry a gradient
 */

import { createRequire } from "node:module";
import type { Scalar, Tensor } from "@tensorflow/tfjs";
import type { Case } from "../../programs.js";
import { readTree, type Tree } from "../tree.js";

/** The package's ES modules do not load in Node without a bundler. */
const tf = createRequire(import.meta.url)("@tensorflow/tfjs") as typeof import("@tensorflow/tfjs");
tf.enableProdMode();
await tf.setBackend("cpu");

const TAGS = 13;
const [NUMBER, SYMBOL, PAIR, NIL, BOOL, TENSOR, RECUR] = [0, 1, 2, 3, 4, 5, 6] as const;

export interface Counts {
  constructions: number;
  bytes: number;
  boxing: number;
  walks: number;
  arithmetic: number;
}

interface Encoding<V> {
  structural(tag: number, aux: number): V;
  literal(x: number): V;
  number(x: Payload): V;
  tensor(x: Tensor): V;
  tag(value: V): number;
  aux(value: V): number;
  payload(value: V): Payload;
  truth(value: V): boolean;
}

type Payload = number | Tensor;
const asTensor = (x: Payload): Tensor => (typeof x === "number" ? tf.scalar(x) : x);

class Tagged implements Encoding<Tensor> {
  readonly #hot = Array.from({ length: TAGS }, (_, tag) => tf.oneHot(tag, TAGS).toFloat());
  readonly #tensors: Tensor[] = [];

  constructor(readonly counts: Counts) {}

  #box(tag: number, payload: Tensor): Tensor {
    this.counts.boxing += 1;
    this.counts.constructions += 1;
    this.counts.bytes += 4 * (TAGS + 1);
    return tf.concat([this.#hot[tag] as Tensor, payload.reshape([1])]);
  }

  structural(tag: number, aux: number): Tensor {
    return this.#box(tag, tf.scalar(aux));
  }

  literal(x: number): Tensor {
    return this.#box(NUMBER, tf.scalar(x));
  }

  number(x: Payload): Tensor {
    return this.#box(NUMBER, asTensor(x));
  }

  tensor(x: Tensor): Tensor {
    this.#tensors.push(x);
    return this.structural(TENSOR, this.#tensors.length - 1);
  }

  tag(value: Tensor): number {
    this.counts.boxing += 1;
    return value.slice(0, TAGS).argMax().dataSync()[0] as number;
  }

  aux(value: Tensor): number {
    this.counts.boxing += 1;
    return value.slice(TAGS, 1).dataSync()[0] as number;
  }

  payload(value: Tensor): Payload {
    this.counts.boxing += 1;
    if (this.tag(value) === TENSOR) return this.#tensors[this.aux(value)] as Tensor;
    return value.slice(TAGS, 1).reshape([]);
  }

  truth(value: Tensor): boolean {
    return this.aux(value) !== 0;
  }
}

interface Native {
  readonly tag: number;
  readonly of: Payload;
}

class Tuned implements Encoding<Native> {
  constructor(readonly counts: Counts) {}

  structural(tag: number, aux: number): Native {
    return { tag, of: aux };
  }

  literal(x: number): Native {
    return { tag: NUMBER, of: x };
  }

  number(x: Payload): Native {
    if (typeof x !== "number") this.#count(x);
    return { tag: NUMBER, of: x };
  }

  tensor(x: Tensor): Native {
    this.#count(x);
    return { tag: TENSOR, of: x };
  }

  #count(x: Tensor): void {
    this.counts.constructions += 1;
    this.counts.bytes += 4 * x.size;
  }

  tag(value: Native): number {
    return value.tag;
  }

  aux(value: Native): number {
    return value.of as number;
  }

  payload(value: Native): Payload {
    return value.of;
  }

  truth(value: Native): boolean {
    return value.of !== 0;
  }
}

type Unary = { readonly number: (x: number) => number; readonly tensor: (x: Tensor) => Tensor };

const unary: ReadonlyMap<string, Unary> = new Map<string, Unary>([
  ["exp", { number: Math.exp, tensor: (x) => x.exp() }],
  ["sin", { number: Math.sin, tensor: (x) => x.sin() }],
  ["cos", { number: Math.cos, tensor: (x) => x.cos() }],
  ["log", { number: Math.log, tensor: (x) => x.log() }],
  ["sqrt", { number: Math.sqrt, tensor: (x) => x.sqrt() }],
  ["abs", { number: Math.abs, tensor: (x) => x.abs() }],
]);

type Two = (a: Tensor, b: Tensor) => Tensor;
const arithmetic: ReadonlyMap<string, readonly [(a: number, b: number) => number, Two]> = new Map<
  string,
  readonly [(a: number, b: number) => number, Two]
>([
  ["+", [(a, b) => a + b, (a, b) => a.add(b)]],
  ["-", [(a, b) => a - b, (a, b) => a.sub(b)]],
  ["*", [(a, b) => a * b, (a, b) => a.mul(b)]],
  ["/", [(a, b) => a / b, (a, b) => a.div(b)]],
]);

const numberOf = (x: Payload): number => (typeof x === "number" ? x : (x.dataSync()[0] as number));
const tests: ReadonlyMap<string, (a: number, b: number) => boolean> = new Map([
  ["=", (a: number, b: number) => a === b],
  ["<", (a: number, b: number) => a < b],
  [">", (a: number, b: number) => a > b],
]);

/** TensorFlow.js has no inverse and no determinant: those of 2 × 2 matrices, in its operations. */
function elements(m: Tensor): [Tensor, Tensor, Tensor, Tensor] {
  return m.reshape([4]).unstack() as [Tensor, Tensor, Tensor, Tensor];
}
const determinant = (m: Tensor): Tensor => {
  const [a, b, c, d] = elements(m);
  return a.mul(d).sub(b.mul(c));
};
const inverse = (m: Tensor): Tensor => {
  const [a, b, c, d] = elements(m);
  return tf.stack([d, b.neg(), c.neg(), a]).reshape([2, 2]).div(determinant(m));
};

class Evaluator<V> {
  readonly #cells: (readonly [V, V])[] = [];
  readonly #names = new Map<string, number>();
  readonly #words: string[] = [];
  readonly nil: V;

  constructor(
    readonly encoding: Encoding<V>,
    readonly counts: Counts,
  ) {
    this.nil = encoding.structural(NIL, 0);
  }

  symbol(word: string): V {
    let id = this.#names.get(word);
    if (id === undefined) {
      id = this.#words.push(word) - 1;
      this.#names.set(word, id);
    }
    return this.encoding.structural(SYMBOL, id);
  }

  cons(a: V, b: V): V {
    return this.encoding.structural(PAIR, this.#cells.push([a, b]) - 1);
  }

  #car(pair: V): V {
    return (this.#cells[this.encoding.aux(pair)] as readonly [V, V])[0];
  }

  #cdr(pair: V): V {
    return (this.#cells[this.encoding.aux(pair)] as readonly [V, V])[1];
  }

  #list(values: readonly V[]): V {
    return values.reduceRight((made, value) => this.cons(value, made), this.nil);
  }

  #items(pair: V): V[] {
    const found: V[] = [];
    for (let at = pair; this.encoding.tag(at) === PAIR; at = this.#cdr(at))
      found.push(this.#car(at));
    return found;
  }

  load(tree: Tree): V {
    if (typeof tree === "number") return this.encoding.literal(tree);
    if (typeof tree === "string") return this.symbol(tree);
    return this.#list(tree.map((each) => this.load(each)));
  }

  bind(name: V, value: V, scope: V): V {
    return this.cons(this.cons(name, value), scope);
  }

  #lookup(name: V, scope: V): V {
    const wanted = this.encoding.aux(name);
    for (let at = scope; this.encoding.tag(at) === PAIR; at = this.#cdr(at)) {
      const entry = this.#car(at);
      if (this.encoding.aux(this.#car(entry)) === wanted) return this.#cdr(entry);
    }
    throw new Error(`unbound ${this.#words[wanted]}`);
  }

  evaluate(given: V, scopeGiven: V): V {
    const { encoding } = this;
    let [form, scope] = [given, scopeGiven];
    for (;;) {
      this.counts.walks += 1;
      const tag = encoding.tag(form);
      if (tag === SYMBOL) return this.#lookup(form, scope);
      if (tag !== PAIR) return form;
      const word = this.#words[encoding.aux(this.#car(form))] as string;
      const rest = this.#cdr(form);
      if (word === "if") {
        const [test, yes, no] = this.#items(rest) as [V, V, V];
        form = encoding.truth(this.evaluate(test, scope)) ? yes : no;
      } else if (word === "let" || word === "let*") {
        for (const binding of this.#items(this.#car(rest))) {
          const [name, value] = this.#items(binding) as [V, V];
          scope = this.bind(name, this.evaluate(value, scope), scope);
        }
        form = this.#car(this.#cdr(rest));
      } else if (word === "loop") return this.#loop(rest, scope);
      else {
        const values = this.#items(rest).map((each) => this.evaluate(each, scope));
        if (word !== "recur") return this.#apply(word, values);
        return encoding.structural(RECUR, encoding.aux(this.#list(values)));
      }
    }
  }

  #loop(rest: V, scope: V): V {
    const bindings = this.#items(this.#car(rest)).map((each) => this.#items(each) as [V, V]);
    let values = bindings.map(([, value]) => this.evaluate(value, scope));
    const body = this.#car(this.#cdr(rest));
    for (;;) {
      let inner = scope;
      bindings.forEach(([name], i) => {
        inner = this.bind(name, values[i] as V, inner);
      });
      const result = this.evaluate(body, inner);
      if (this.encoding.tag(result) !== RECUR) return result;
      values = this.#items(this.encoding.structural(PAIR, this.encoding.aux(result)));
    }
  }

  #apply(word: string, values: readonly V[]): V {
    const { encoding } = this;
    const payloads = values.map((value) => encoding.payload(value));
    const [a, b] = payloads as [Payload, Payload];
    const test = tests.get(word);
    this.counts.arithmetic += 1;
    if (test !== undefined)
      return encoding.structural(BOOL, test(numberOf(a), numberOf(b)) ? 1 : 0);
    const one = unary.get(word);
    if (one !== undefined)
      return encoding.number(typeof a === "number" ? one.number(a) : one.tensor(a));
    const two = arithmetic.get(word);
    if (two === undefined) return this.#matrix(word, payloads);
    const isPlain = typeof a === "number" && typeof b === "number";
    const result = isPlain ? two[0](a, b) : two[1](asTensor(a), asTensor(b));
    const isTensor = values.some((value) => encoding.tag(value) === TENSOR);
    return isTensor ? encoding.tensor(result as Tensor) : encoding.number(result);
  }

  #matrix(word: string, payloads: readonly Payload[]): V {
    const { encoding } = this;
    const [a, b] = payloads.map(asTensor) as [Tensor, Tensor];
    switch (word) {
      case "vec":
      case "mat":
        return encoding.tensor(tf.stack(payloads.map(asTensor)));
      case "eye":
        return encoding.tensor(tf.eye(numberOf(payloads[0] as Payload)));
      case "scale":
        return encoding.tensor(a.mul(b));
      case "ref":
        return encoding.tensor(a.slice([numberOf(payloads[1] as Payload), 0], [1, 2]).reshape([2]));
      case "inv":
        return encoding.tensor(inverse(a));
      case "det":
        return encoding.number(determinant(a));
      case "dot":
        return encoding.number(a.mul(b).sum());
      case "matmul":
        return encoding.tensor(a.matMul(b));
      case "matvec":
        return encoding.tensor(a.matMul(b.reshape([2, 1])).reshape([2]));
      default:
        throw new Error(`the eager interpreter has no ${word}`);
    }
  }
}

export interface EagerProgram {
  /** Values only. */
  forward(numbers: readonly number[]): number;
  /** Value and gradients, by the order of the parameters. */
  gradient(numbers: readonly number[]): { value: number; gradients: number[] };
  readonly counts: Counts;
}

const noCounts = (): Counts => ({
  constructions: 0,
  bytes: 0,
  boxing: 0,
  walks: 0,
  arithmetic: 0,
});

export function eagerProgram(one: Case, kind: "tagged" | "tuned"): EagerProgram {
  const tree = readTree(one.source);
  const names = Object.keys(one.parameters);
  const counts = noCounts();
  const run = (leaves: readonly Tensor[]): Tensor => {
    const encoding = kind === "tagged" ? new Tagged(counts) : new Tuned(counts);
    const machine = new Evaluator(encoding as Encoding<unknown>, counts);
    const form = machine.load(tree);
    let scope = machine.nil;
    names.forEach((name, i) => {
      const value = (encoding as Encoding<unknown>).number(leaves[i] as Tensor);
      scope = machine.bind(machine.symbol(name), value, scope);
    });
    for (const [name, { data, rows, cols }] of Object.entries(one.matrices)) {
      const value = (encoding as Encoding<unknown>).tensor(tf.tensor2d([...data], [rows, cols]));
      scope = machine.bind(machine.symbol(name), value, scope);
    }
    Object.assign(counts, noCounts());
    return asTensor((encoding as Encoding<unknown>).payload(machine.evaluate(form, scope)));
  };
  return {
    counts,
    forward: (numbers) =>
      tf.tidy(() => run(numbers.map((x) => tf.scalar(x))).dataSync()[0] as number),
    gradient: (numbers) =>
      tf.tidy(() => {
        const of = tf.valueAndGrads((...leaves: Tensor[]) => run(leaves) as Scalar);
        const { value, grads } = of(numbers.map((x) => tf.scalar(x)));
        return {
          value: value.dataSync()[0] as number,
          gradients: grads.map((each) => each.dataSync()[0] as number),
        };
      }),
  };
}
