/**
 * A second opinion on stack programs: runs one lane of assembled code with plain numbers and their
 * derivatives, as directly as can be. It knows nothing of the machine.
 */

import type { Bytecode, Instruction, Procedure } from "../../src/bytecode/program.js";

/** A number and its derivatives by the inputs. */
export interface Dual {
  readonly v: number;
  readonly d: readonly number[];
}

type List = { readonly items: readonly Value[] };
type Closure = { readonly procedure: Procedure; readonly captured: readonly Value[] };
type Vector = { readonly elements: readonly Dual[] };
type Value = Dual | boolean | List | Closure | Vector;

const STEPS_MAX = 200_000;
/**
 * Numbers on the way beyond this are not judged. A reverse pass adds the slopes of all uses of a number, and
 * large ones that cancel, such as those of x in (x - x) times 1e30, take the digits of the others with them.
 */
const LARGEST_JUDGED = 1e4;

const map2 = (a: Dual, b: Dual, v: number, by: number, to: number): Dual => ({
  v,
  d: a.d.map((da, i) => by * da + to * (b.d[i] as number)),
});
const map1 = (a: Dual, v: number, by: number): Dual => ({ v, d: a.d.map((da) => by * da) });

const binary: Readonly<Record<string, (a: Dual, b: Dual) => Dual>> = {
  add: (a, b) => map2(a, b, a.v + b.v, 1, 1),
  sub: (a, b) => map2(a, b, a.v - b.v, 1, -1),
  mul: (a, b) => map2(a, b, a.v * b.v, b.v, a.v),
  min: (a, b) => (a.v <= b.v ? a : b),
  max: (a, b) => (a.v >= b.v ? a : b),
};

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const even = (x: number): number => {
  const near = Math.round(x);
  return Math.abs(x % 1) === 0.5 && near % 2 !== 0 ? near - 1 : near;
};

const unary: Readonly<Record<string, (a: Dual) => Dual>> = {
  sin: (a) => map1(a, Math.sin(a.v), Math.cos(a.v)),
  cos: (a) => map1(a, Math.cos(a.v), -Math.sin(a.v)),
  tanh: (a) => map1(a, Math.tanh(a.v), 1 - Math.tanh(a.v) ** 2),
  abs: (a) => map1(a, Math.abs(a.v), Math.sign(a.v)),
  square: (a) => map1(a, a.v * a.v, 2 * a.v),
  sigmoid: (a) => map1(a, sigmoid(a.v), sigmoid(a.v) * (1 - sigmoid(a.v))),
  neg: (a) => map1(a, -a.v, -1),
  expm1: (a) => map1(a, Math.expm1(a.v), Math.exp(a.v)),
  round: (a) => map1(a, even(a.v), 0),
};

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  less: (a, b) => a < b,
  greater: (a, b) => a > b,
  lessEqual: (a, b) => a <= b,
  greaterEqual: (a, b) => a >= b,
};

interface Frame {
  readonly procedure: Procedure;
  readonly captured: readonly Value[];
  readonly slots: Value[];
  readonly stack: Value[];
  at: number;
}

/**
 * The program's number for one lane; undefined where it takes too long, where rounding decides a
 * test, or where numbers on the way are so large that a slope can overflow.
 */
export function expectedLane(bytecode: Bytecode, inputs: readonly number[]): Dual | undefined {
  const duals = inputs.map((v, i): Dual => ({ v, d: inputs.map((_, k) => (k === i ? 1 : 0)) }));
  return new Oracle(bytecode, duals).run();
}

class Oracle {
  readonly #bytecode: Bytecode;
  readonly #inputs: readonly Dual[];
  readonly #frames: Frame[] = [];
  /** The closest that two compared numbers came: too close, and rounding decides. */
  closest = Number.POSITIVE_INFINITY;
  /** The largest number on the way: slopes of huge numbers overflow, and what is zero times that? */
  largest = 0;

  constructor(bytecode: Bytecode, inputs: readonly Dual[]) {
    this.#bytecode = bytecode;
    this.#inputs = inputs;
  }

  run(): Dual | undefined {
    this.#enter(this.#bytecode.procedures.at(-1) as Procedure, [], []);
    for (let step = 0; step < STEPS_MAX; step++) {
      const frame = this.#frames.at(-1) as Frame;
      const result = this.#step(frame, frame.procedure.code[frame.at] as Instruction);
      if (result === undefined) continue;
      return this.closest < 1e-9 || !(this.largest < LARGEST_JUDGED) ? undefined : result;
    }
    return undefined;
  }

  #enter(procedure: Procedure, captured: readonly Value[], slots: readonly Value[]): void {
    this.#frames.push({ procedure, captured, slots: [...slots], stack: [], at: 0 });
  }

  #constant(v: number): Dual {
    return { v, d: this.#inputs.map(() => 0) };
  }

  #step(frame: Frame, code: Instruction): Dual | undefined {
    const { stack, slots } = frame;
    frame.at += 1;
    switch (code.kind) {
      case "push":
        if (code.value.kind !== "number") throw new Error("numbers only");
        stack.push(this.#constant(code.value.value));
        return undefined;
      case "local":
        stack.push(slots[code.slot] as Value);
        return undefined;
      case "captured":
        stack.push(frame.captured[code.index] as Value);
        return undefined;
      case "input":
        stack.push(this.#inputs[code.index] as Dual);
        return undefined;
      case "store":
        slots[code.slot] = stack.pop() as Value;
        return undefined;
      case "pick":
        stack.push(stack.at(-1 - code.depth) as Value);
        return undefined;
      case "drop":
        stack.pop();
        return undefined;
      case "swap":
        stack.push(...(stack.splice(-2).reverse() as Value[]));
        return undefined;
      case "jump":
        frame.at = code.target;
        return undefined;
      case "branch":
        if (stack.pop() === code.when) frame.at = code.target;
        return undefined;
      case "loop":
        this.#loop(frame, code.slot, code.target);
        return undefined;
      case "primitive":
        this.#primitive(stack, code.primitive.name, code.count);
        return undefined;
      case "closure": {
        const procedure = this.#bytecode.procedures[code.procedure] as Procedure;
        const captured = stack.splice(stack.length - procedure.captures.length);
        stack.push({ procedure, captured });
        return undefined;
      }
      case "call":
        this.#call(frame, code.procedure, code.count, code.isTail);
        return undefined;
      case "return":
        return this.#leave(stack.pop() as Value);
      default:
        throw new Error(`no ${code.kind} here`);
    }
  }

  #loop(frame: Frame, slot: number, target: number): void {
    const left = frame.slots[slot] as Dual;
    this.closest = Math.min(this.closest, left.v === 0 ? 1 : Math.abs(left.v));
    if (left.v > 0) frame.slots[slot] = { ...left, v: left.v - 1 };
    else frame.at = target;
  }

  #call(frame: Frame, index: number | undefined, count: number, isTail: boolean): void {
    const args = frame.stack.splice(frame.stack.length - count);
    const closure = index === undefined ? (frame.stack.pop() as Closure) : undefined;
    if (isTail) this.#frames.pop();
    const procedure =
      closure?.procedure ?? (this.#bytecode.procedures[index as number] as Procedure);
    this.#enter(procedure, closure?.captured ?? [], args);
  }

  #leave(value: Value): Dual | undefined {
    this.#frames.pop();
    const caller = this.#frames.at(-1);
    if (caller === undefined) return value as Dual;
    caller.stack.push(value);
    return undefined;
  }

  #primitive(stack: Value[], name: string, count: number): void {
    const operands = stack.splice(stack.length - count);
    const [a, b] = operands as [Value, Value];
    if (name === "vec") stack.push({ elements: operands as Dual[] });
    else if (name === "list") stack.push({ items: operands });
    else if (name === "isNull") stack.push((a as List).items.length === 0);
    else if (name === "car") stack.push((a as List).items[0] as Value);
    else if (name === "cdr") stack.push({ items: (a as List).items.slice(1) });
    else if (name === "not") stack.push(a === false);
    else if (name === "isEq" || name === "isEqv") stack.push(this.#isSame(a, b));
    else if (name === "isEqual") stack.push(this.#isEqual(a, b));
    else if (name === "memq" || name === "memv" || name === "member")
      stack.push(this.#found(a, b as List, name === "member"));
    else if (name === "dot") stack.push(this.#dot(a as Vector, b as Vector));
    else if (name === "vsum") stack.push(this.#sum((a as Vector).elements));
    else if (comparisons[name] !== undefined) {
      const [x, y] = [(a as Dual).v, (b as Dual).v];
      if (x !== y) this.closest = Math.min(this.closest, Math.abs(x - y));
      stack.push((comparisons[name] as (x: number, y: number) => boolean)(x, y));
    } else stack.push(elementwise(name, a as Dual | Vector, b as Dual | Vector));
    this.#note(stack.at(-1) as Value);
  }

  /** Numbers and vectors are the same by value, other things as themselves. */
  #isSame(a: Value, b: Value): boolean {
    if (typeof a === "boolean" || typeof b === "boolean") return a === b;
    if ("elements" in a && "elements" in b)
      return a.elements.every((one, i) => this.#isSame(one, b.elements[i] as Dual));
    if ("items" in a && "items" in b) return a === b || a.items.length + b.items.length === 0;
    if (!("v" in a && "v" in b)) return a === b;
    if (a.v !== b.v) this.closest = Math.min(this.closest, Math.abs(a.v - b.v));
    return a.v === b.v;
  }

  #isEqual(a: Value, b: Value): boolean {
    const areLists = typeof a === "object" && typeof b === "object" && "items" in a && "items" in b;
    if (!areLists || a === b) return this.#isSame(a, b);
    if (a.items.length !== b.items.length) return false;
    return a.items.every((one, i) => this.#isEqual(one, b.items[i] as Value));
  }

  #found(key: Value, list: List, isDeep: boolean): List | false {
    const same = (item: Value) => (isDeep ? this.#isEqual(key, item) : this.#isSame(key, item));
    const at = list.items.findIndex(same);
    return at < 0 ? false : { items: list.items.slice(at) };
  }

  #note(value: Value): void {
    if (typeof value !== "object") return;
    if ("elements" in value) for (const each of value.elements) this.#note(each);
    else if ("v" in value) this.largest = Math.max(this.largest, Math.abs(value.v));
  }

  #sum(elements: readonly Dual[]): Dual {
    const add = binary["add"] as (a: Dual, b: Dual) => Dual;
    return elements.reduce(add, this.#constant(0));
  }

  #dot(a: Vector, b: Vector): Dual {
    const mul = binary["mul"] as (a: Dual, b: Dual) => Dual;
    return this.#sum(a.elements.map((one, i) => mul(one, b.elements[i] as Dual)));
  }
}

function elementwise(name: string, a: Dual | Vector, b: Dual | Vector): Dual | Vector {
  const one = unary[name];
  const two = binary[name];
  if (one === undefined && two === undefined) throw new Error(`no ${name} here`);
  const apply = (x: Dual, y: Dual): Dual =>
    one ? one(x) : (two as (a: Dual, b: Dual) => Dual)(x, y);
  if ("elements" in a) {
    const others = one ? a.elements : (b as Vector).elements;
    return { elements: a.elements.map((x, i) => apply(x, others[i] as Dual)) };
  }
  return apply(a, b as Dual);
}
