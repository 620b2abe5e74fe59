/**
 * Random stack programs that load and end: numbers on the stack, locals that are stored before they
 * are read, branches and loops that lanes take differently, procedures with early returns, recursion,
 * tail calls, closures and lists. The same seed and index give the same text.
 */

import type { FuzzInput, FuzzProgram } from "../fuzz/program.js";
import { Random } from "../fuzz/random.js";

export interface StackProgram extends FuzzProgram {
  readonly bytecode: string;
}

const binary = ["ADD", "SUB", "MUL", "MIN", "MAX"];
const unary = ["SIN", "COS", "TANH", "ABS", "SQUARE", "SIGMOID", "NEG", "EXPM1"];
const comparisons = ["LT", "GT", "LE", "GE"];

interface Callable {
  readonly name: string;
  readonly params: number;
}

export function generateStack(seed: number, index: number): StackProgram {
  const random = new Random(seed, 3 * 2 ** 28 + index);
  const lanes = 2 * random.between(1, random.chance(0.1) ? 20 : 6);
  const count = random.between(1, 4);
  const inputs = Array.from({ length: count }, (_, i): FuzzInput => {
    const draw = () => (random.chance(0.1) ? random.between(-2, 3) : 4 * random.unit() - 2);
    const values = Array.from({ length: lanes }, () => [draw()]);
    return { name: `x${i}`, kind: "scalar", rows: 1, cols: 1, lanes: values };
  });
  const bytecode = new Writer(random, inputs).write();
  return { body: [], inputs, lanes, divergence: true, domain: "ieee", bytecode };
}

/** Names that code can read, and the local that it may give a new value. */
interface Scope {
  readonly names: string[];
  readonly depth: number;
  readonly isProcedure: boolean;
}

class Writer {
  readonly #random: Random;
  readonly #inputs: readonly string[];
  readonly #procedures: Callable[] = [];
  #lines: string[] = [];
  #labels = 0;
  #locals = 0;

  constructor(random: Random, inputs: readonly FuzzInput[]) {
    this.#random = random;
    this.#inputs = inputs.map(({ name }) => name);
  }

  write(): string {
    this.#emit(".proc itself x", "LOAD x", "RET", ".end");
    const procedures = this.#random.between(0, 3);
    for (let i = 0; i < procedures; i++) this.#procedure(i);
    const scope: Scope = { names: [], depth: 0, isProcedure: false };
    this.#block(scope, this.#random.between(1, 4));
    this.#expression(scope);
    this.#combineAll(scope);
    return `${this.#lines.join("\n")}\n`;
  }

  /** Adds every name in reach, so that adjoints are sums whose order shows in their bits. */
  #combineAll(scope: Scope): void {
    for (const name of [...this.#readable(scope), ...this.#readable(scope)]) {
      this.#emit(`LOAD ${name}`, `PUSH ${this.#random.unit().toFixed(5)}`, "MUL");
      this.#emit(this.#random.pick(["ADD", "ADD", "MUL"]));
    }
  }

  #emit(...lines: readonly string[]): void {
    for (const line of lines) this.#lines.push(line);
  }

  #label(): string {
    this.#labels += 1;
    return `l${this.#labels}`;
  }

  #local(): string {
    this.#locals += 1;
    return `v${this.#locals}`;
  }

  #procedure(index: number): void {
    const kind = this.#random.pick(["plain", "recursive", "tail", "closure"] as const);
    const name = `p${index}`;
    if (kind === "recursive" || kind === "tail") this.#recursion(name, kind === "tail");
    else if (kind === "closure") this.#closure(name);
    else {
      const params = this.#random.between(1, 3);
      const names = Array.from({ length: params }, (_, k) => `a${k}`);
      this.#emit(`.proc ${name} ${names.join(" ")}`);
      const scope: Scope = { names, depth: 1, isProcedure: true };
      this.#block(scope, this.#random.between(0, 3));
      this.#expression(scope);
      if (this.#random.chance(0.3)) this.#combineAll(scope);
      this.#emit("RET", ".end");
      this.#procedures.push({ name, params });
    }
  }

  /** Counts down from a number that can differ between lanes, calling itself last or not. */
  #recursion(name: string, isTail: boolean): void {
    const base = this.#label();
    this.#emit(`.proc ${name}-loop n acc`);
    const scope: Scope = { names: ["n", "acc"], depth: 2, isProcedure: true };
    this.#emit("LOAD n", "PUSH 0", "LE", `BRANCH ${base}`);
    if (this.#random.chance(0.4)) this.#block(scope, 1);
    if (this.#random.chance(0.3)) this.#earlyReturn(scope);
    this.#emit("LOAD n", "PUSH 1", "SUB");
    this.#expression(scope);
    if (isTail) this.#emit(`TAILCALL ${name}-loop`);
    else {
      this.#emit(`CALL ${name}-loop`);
      this.#expression(scope);
      this.#emit("ADD", "PUSH 0.5", "MUL", "RET");
    }
    this.#emit(`${base}: LOAD acc`, "RET", ".end");
    this.#emit(`.proc ${name} a0 a1`, ...this.#turns("a0"), "LOAD a1", `TAILCALL ${name}-loop`);
    this.#emit(".end");
    this.#procedures.push({ name, params: 2 });
  }

  /** A fold over a short list with a closure that captures a number. */
  #closure(name: string): void {
    const done = this.#label();
    this.#emit(`.proc ${name}-step acc item`, ".captures k");
    const scope: Scope = { names: ["acc", "item", "k"], depth: 1, isProcedure: true };
    this.#expression(scope);
    this.#emit("RET", ".end");
    this.#emit(`.proc ${name}-fold f acc items`, "LOAD items", "NULL?", `BRANCH ${done}`);
    this.#emit("LOAD f", "LOAD f", "LOAD acc", "LOAD items", "CAR", "CALL 2");
    this.#emit("LOAD items", "CDR", `TAILCALL ${name}-fold`);
    this.#emit(`${done}: LOAD acc`, "RET", ".end");
    this.#emit(`.proc ${name} a0 a1`, "LOAD a0", `CLOSURE ${name}-step`, "LOAD a1");
    const items = this.#random.between(0, 3);
    const inner: Scope = { names: ["a0", "a1"], depth: 2, isProcedure: true };
    for (let i = 0; i < items; i++) this.#expression(inner);
    this.#emit(`LIST ${items}`, `CALL ${name}-fold`, "RET", ".end");
    this.#procedures.push({ name, params: 2 });
  }

  /** Leaves a small count of turns, made of a number that can differ between lanes. */
  #turns(name: string): string[] {
    return this.#random.chance(0.3)
      ? [`PUSH ${this.#random.between(0, 4)}`]
      : [`LOAD ${name}`, "ABS", "PUSH 4", "MIN", ...(this.#random.chance(0.5) ? ["ROUND"] : [])];
  }

  #block(scope: Scope, count: number): void {
    for (let i = 0; i < count; i++) this.#statement(scope);
  }

  #statement(scope: Scope): void {
    if (scope.depth >= 3) {
      this.#store(scope);
      return;
    }
    const choice = this.#random.unit();
    if (choice < 0.35) this.#store(scope);
    else if (choice < 0.6) this.#choose(scope);
    else if (choice < 0.75) this.#loop(scope);
    else if (choice < 0.9) this.#while(scope);
    else if (scope.isProcedure) this.#earlyReturn(scope);
    else this.#swapped(scope);
  }

  #store(scope: Scope): void {
    this.#expression(scope);
    const known = scope.names.filter((name) => name.startsWith("v"));
    const name =
      known.length > 0 && this.#random.chance(0.6) ? this.#random.pick(known) : undefined;
    const target = name ?? this.#local();
    this.#emit(`STORE ${target}`);
    if (name === undefined) scope.names.push(target);
  }

  /** Two sides that store different things; sometimes one of them is empty. */
  #choose(scope: Scope): void {
    const [other, end] = [this.#label(), this.#label()];
    this.#test(scope);
    this.#emit(`${this.#random.pick(["BRANCH", "BRANCHNOT"])} ${other}`);
    const inside = (): Scope => ({ ...scope, names: [...scope.names], depth: scope.depth + 1 });
    this.#block(inside(), this.#random.between(0, 2));
    if (this.#random.chance(0.3)) {
      this.#emit(`${other}:`);
      return;
    }
    this.#emit(`JUMP ${end}`, `${other}:`);
    this.#block(inside(), this.#random.between(0, 2));
    this.#emit(`${end}:`);
  }

  #loop(scope: Scope): void {
    const [again, done] = [this.#label(), this.#label()];
    const counter = `n${this.#label()}`;
    this.#emit(...this.#turns(this.#random.pick(this.#readable(scope))), `STORE ${counter}`);
    this.#emit(`${again}: LOOP ${counter} ${done}`);
    const inside: Scope = { ...scope, names: [...scope.names], depth: scope.depth + 1 };
    this.#block(inside, this.#random.between(1, 2));
    if (this.#random.chance(0.3)) {
      // Goes on from the middle, for some lanes.
      this.#test(inside);
      this.#emit(`BRANCH ${again}`);
      this.#block(inside, 1);
    }
    if (this.#random.chance(0.2)) {
      this.#test(inside);
      this.#emit(`BRANCH ${done}`);
    }
    this.#emit(`JUMP ${again}`, `${done}:`);
  }

  /** A loop that each lane leaves when its own number says so, six turns at most. */
  #while(scope: Scope): void {
    const again = this.#label();
    const counter = `n${this.#label()}`;
    const state = this.#local();
    this.#expression(scope);
    this.#emit(`STORE ${state}`, "PUSH 6", `STORE ${counter}`);
    const inside: Scope = { ...scope, names: [...scope.names, state], depth: scope.depth + 1 };
    this.#emit(`${again}:`);
    this.#expression(inside);
    this.#emit(`STORE ${state}`);
    this.#emit(`LOAD ${counter}`, "PUSH 1", "SUB", `STORE ${counter}`);
    const out = this.#label();
    this.#emit(`LOAD ${counter}`, "PUSH 0", "LE", `BRANCH ${out}`);
    this.#emit(`LOAD ${state}`, `PUSH ${this.#number()}`, this.#random.pick(comparisons));
    this.#emit(`BRANCH ${again}`, `${out}:`);
    scope.names.push(state);
  }

  #earlyReturn(scope: Scope): void {
    const on = this.#label();
    this.#test(scope);
    this.#emit(`BRANCHNOT ${on}`);
    this.#expression({ ...scope, depth: scope.depth + 1 });
    this.#emit("RET", `${on}:`);
  }

  /** Values that lie on the stack below a branch and change places in it. */
  #swapped(scope: Scope): void {
    const [end, name] = [this.#label(), this.#local()];
    this.#expression(scope);
    this.#expression(scope);
    this.#test(scope);
    this.#emit(`BRANCH ${end}`, "SWAP");
    if (this.#random.chance(0.5)) this.#emit("DUP", "DROP");
    if (this.#random.chance(0.5)) this.#emit("DROP", "DUP");
    this.#emit(`${end}: ${this.#random.pick(binary)}`, `STORE ${name}`);
    scope.names.push(name);
  }

  #test(scope: Scope): void {
    if (this.#random.chance(0.2)) {
      this.#sameness(scope);
      return;
    }
    const inner = { ...scope, depth: scope.depth + 1 };
    this.#expression(inner);
    if (this.#random.chance(0.6)) this.#emit(`PUSH ${this.#number()}`);
    else this.#expression(inner);
    this.#emit(this.#random.pick(comparisons));
    if (this.#random.chance(0.2)) this.#emit("NOT");
  }

  /** Whether two things of one kind are the same, however they got there. */
  #sameness(scope: Scope): void {
    const things = [this.#local(), this.#local()];
    const kind = this.#random.pick(["VEC 2", "VEC 2", "LIST 2", "LIST 0", ""]);
    const parts = kind === "" ? 1 : Number(kind.at(-1));
    for (const thing of things) {
      for (let i = 0; i < parts; i++)
        if (this.#random.chance(0.5)) this.#emit(`PUSH ${this.#random.between(0, 1)}`);
        else this.#leaf(scope);
      this.#emit(...(kind === "" ? [] : [kind]), `STORE ${thing}`);
    }
    this.#arriving(scope, things);
    this.#arriving(scope, things);
    if (this.#random.chance(0.7)) this.#emit(this.#random.pick(["EQ?", "EQV?", "EQUAL?"]));
    else this.#emit("LIST 1", this.#random.pick(["MEMQ", "MEMV", "MEMBER"]), "NOT");
  }

  /** Leaves one of the things, after a call, a list or a branch. */
  #arriving(scope: Scope, things: readonly string[]): void {
    const load = (): string => `LOAD ${this.#random.pick(things)}`;
    const way = this.#random.between(0, 3);
    if (way === 0) this.#emit(load());
    else if (way === 1) this.#emit(load(), "CALL itself");
    else if (way === 2) this.#emit(load(), load(), "LIST 2", "CAR");
    else {
      const [other, end] = [this.#label(), this.#label()];
      this.#leaf(scope);
      this.#emit(`PUSH ${this.#number()}`, "LT", `BRANCH ${other}`, load(), `JUMP ${end}`);
      this.#emit(`${other}: ${load()}`, `${end}:`);
    }
  }

  #readable(scope: Scope): string[] {
    return [...scope.names, ...this.#inputs];
  }

  #number(): string {
    if (this.#random.chance(0.3)) return String(this.#random.between(-2, 3));
    return (4 * this.#random.unit() - 2).toFixed(3);
  }

  /** Leaves one number. */
  #expression(scope: Scope): void {
    const choice = this.#random.unit();
    const inner = { ...scope, depth: scope.depth + 1 };
    if (scope.depth >= 4 || choice < 0.35) this.#leaf(scope);
    else if (choice < 0.6) {
      this.#expression(inner);
      this.#expression(inner);
      this.#emit(this.#random.pick(binary));
    } else if (choice < 0.72) {
      this.#expression(inner);
      this.#emit(this.#random.pick(unary));
    } else if (choice < 0.8) {
      this.#expression(inner);
      this.#emit("DUP", this.#random.pick(binary));
    } else if (choice < 0.9) this.#either(inner);
    else if (choice < 0.95 && this.#procedures.length > 0) this.#call(inner);
    else this.#vectors(inner);
  }

  #leaf(scope: Scope): void {
    if (this.#random.chance(0.2)) this.#emit(`PUSH ${this.#number()}`);
    else this.#emit(`LOAD ${this.#random.pick(this.#readable(scope))}`);
  }

  /** A branch whose ways each leave a number on the stack. */
  #either(scope: Scope): void {
    const [other, end] = [this.#label(), this.#label()];
    this.#test(scope);
    this.#emit(`BRANCH ${other}`);
    this.#expression(scope);
    this.#emit(`JUMP ${end}`, `${other}:`);
    this.#expression(scope);
    this.#emit(`${end}:`);
  }

  #call(scope: Scope): void {
    const { name, params } = this.#random.pick(this.#procedures);
    for (let i = 0; i < params; i++) this.#expression(scope);
    this.#emit(`CALL ${name}`);
  }

  #vectors(scope: Scope): void {
    this.#expression(scope);
    this.#expression(scope);
    this.#emit("VEC 2", "DUP");
    if (this.#random.chance(0.5)) this.#emit("SIN");
    this.#emit(...(this.#random.chance(0.5) ? ["DOT"] : ["ADD", "VSUM"]));
  }
}
