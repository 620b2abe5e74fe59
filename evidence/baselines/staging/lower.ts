/**
 * Tree → statements. Vectors and matrices become one operand an element; what is known at staging
 * is folded; a loop stays a loop whose exit is the outermost `if` of its body.
 */

import type { Matrix } from "../../programs.js";
import type { Tree } from "../tree.js";
import {
  CLAMP,
  isLocal,
  type Operand,
  type OpName,
  StagingRefused,
  type Statement,
  type Test,
} from "./ir.js";

/** rows × cols operands, row-major; a vector has `cols` 0, a number both. */
export interface Value {
  readonly rows: number;
  readonly cols: number;
  readonly of: readonly Operand[];
}

type Environment = ReadonlyMap<string, Value | InputMatrix>;
interface InputMatrix extends Matrix {
  readonly array: string;
}

const number = (operand: Operand): Value => ({ rows: 0, cols: 0, of: [operand] });
const constant = (value: number): Operand => ({ value });

const TESTS = new Set(["=", "<", ">", "<=", ">="]);
const UNARY = new Set(["exp", "log", "sin", "cos", "sqrt", "abs"]);
const BINARY = new Set(["+", "-", "*", "/"]);

const folds: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  neg: (a) => -a,
  exp: Math.exp,
  log: Math.log,
  sin: Math.sin,
  cos: Math.cos,
  sqrt: Math.sqrt,
  abs: Math.abs,
  clamp: (a) => Math.max(a, CLAMP),
};

/** Where a loop's body ends: with the arguments of the next turn. */
interface Tail {
  readonly next: readonly Operand[];
}

export class Lowering {
  locals = 0;
  readonly inputs = new Map<string, number>();
  readonly #matrices: ReadonlyMap<string, Matrix>;

  constructor(
    matrices: Readonly<Record<string, Matrix>>,
    readonly isClamped: boolean,
  ) {
    this.#matrices = new Map(Object.entries(matrices));
  }

  fresh(): number {
    return this.locals++;
  }

  program(tree: Tree, into: Statement[]): Operand {
    return this.#scalarOf(this.#value(tree, new Map(), into));
  }

  #scalarOf({ rows, of }: Value): Operand {
    if (rows !== 0) throw new StagingRefused("a program's value must be a number");
    return of[0] as Operand;
  }

  #emit(into: Statement[], op: OpName, ...of: Operand[]): Operand {
    if (of.every((each) => !isLocal(each))) {
      const [a, b] = of as { value: number }[];
      const fold = folds[op];
      if (fold !== undefined) return constant(fold(a?.value ?? 0, b?.value ?? 0));
    }
    const out = this.fresh();
    into.push({ kind: "op", out, op, of });
    return { local: out };
  }

  #value(tree: Tree, scope: Environment, into: Statement[]): Value {
    if (typeof tree === "number") return number(constant(tree));
    if (typeof tree === "string") return this.#name(tree, scope);
    const [head, ...rest] = tree;
    switch (head) {
      case "let":
      case "let*":
        return this.#value(rest[1] as Tree, this.#bind(rest, scope, into), into);
      case "if":
        return this.#choose(rest, scope, into);
      case "loop":
        return this.#loop(rest, scope, into);
      default:
        return this.#apply(head as string, rest, scope, into);
    }
  }

  #name(name: string, scope: Environment): Value {
    const found = scope.get(name);
    if (found !== undefined) return found as Value;
    const matrix = this.#matrices.get(name);
    if (matrix !== undefined) return { ...matrix, array: name, of: [] } as unknown as Value;
    const local = this.inputs.get(name) ?? this.fresh();
    this.inputs.set(name, local);
    return number({ local });
  }

  #bind([bindings]: readonly Tree[], scope: Environment, into: Statement[]): Environment {
    let inner = scope;
    for (const [name, tree] of bindings as readonly [string, Tree][])
      inner = new Map([...inner, [name, this.#value(tree, inner, into)]]);
    return inner;
  }

  #test(tree: Tree, scope: Environment, into: Statement[]): Test {
    const [name, left, right] = tree as readonly [string, Tree, Tree];
    if (!TESTS.has(name)) throw new StagingRefused(`the stager has no test ${name}`);
    const of = [left, right].map((each) => this.#scalarOf(this.#value(each, scope, into)));
    return { name: name as Test["name"], left: of[0] as Operand, right: of[1] as Operand };
  }

  #choose([test, yes, no]: readonly Tree[], scope: Environment, into: Statement[]): Value {
    const decided = this.#test(test as Tree, scope, into);
    const then: Statement[] = [];
    const otherwise: Statement[] = [];
    const a = this.#value(yes as Tree, scope, then);
    const b = this.#value(no as Tree, scope, otherwise);
    if (a.rows !== b.rows || a.cols !== b.cols)
      throw new StagingRefused("both sides of an if must have one shape");
    const of = a.of.map((left, i) => this.#join(left, b.of[i] as Operand, then, otherwise));
    into.push({ kind: "if", flag: this.fresh(), test: decided, yes: then, no: otherwise });
    return { ...a, of };
  }

  #join(left: Operand, right: Operand, then: Statement[], otherwise: Statement[]): Operand {
    const out = this.fresh();
    then.push({ kind: "op", out, op: "set", of: [left] });
    otherwise.push({ kind: "op", out, op: "set", of: [right] });
    return { local: out };
  }

  #loop([bindings, body]: readonly Tree[], scope: Environment, into: Statement[]): Value {
    let inner = scope;
    const variables: number[] = [];
    for (const [name, tree] of bindings as readonly [string, Tree][]) {
      const start = this.#value(tree, scope, into);
      const of = start.of.map((operand) => {
        const out = this.fresh();
        variables.push(out);
        into.push({ kind: "op", out, op: "set", of: [operand] });
        return { local: out };
      });
      inner = new Map([...inner, [name, { ...start, of }]]);
    }
    const head: Statement[] = [];
    let tail = body as Tree;
    while (Array.isArray(tail) && (tail[0] === "let*" || tail[0] === "let")) {
      inner = this.#bind(tail.slice(1), inner, head);
      tail = tail[2] as Tree;
    }
    if (!Array.isArray(tail) || tail[0] !== "if")
      throw new StagingRefused("the body of a loop must end in an if that leaves it");
    const [, test, yes, no] = tail as unknown as readonly [string, Tree, Tree, Tree];
    const leavesWhen = !hasRecur(yes);
    if (leavesWhen === !hasRecur(no)) throw new StagingRefused("one side of a loop must leave it");
    const decided = this.#test(test, inner, head);
    const turn: Statement[] = [];
    const { next } = this.#tail(leavesWhen ? no : yes, inner, turn);
    const sets = this.#sets(variables, next, turn);
    const turns = this.fresh();
    into.push({
      kind: "loop",
      turns,
      head,
      test: decided,
      leavesWhen,
      body: turn,
      saved: [],
      next: sets,
    });
    return this.#value(leavesWhen ? yes : no, inner, into);
  }

  /** Sets variables for the next turn; those that another one is set from are held first. */
  #sets(variables: readonly number[], next: readonly Operand[], turn: Statement[]): Statement[] {
    const sets: Statement[] = [];
    next.forEach((operand, i) => {
      const out = variables[i] as number;
      if (isLocal(operand) && operand.local === out) return;
      let from = operand;
      if (isLocal(operand) && variables.includes(operand.local)) {
        from = { local: this.fresh() };
        turn.push({ kind: "op", out: from.local, op: "set", of: [operand] });
      }
      sets.push({ kind: "op", out, op: "set", of: [from] });
    });
    return sets;
  }

  /** The side of a loop that goes on. */
  #tail(tree: Tree, scope: Environment, into: Statement[]): Tail {
    if (!Array.isArray(tree)) throw new StagingRefused("a loop must go on by recur");
    const [head, ...rest] = tree as readonly Tree[];
    if (head === "recur")
      return { next: rest.flatMap((each) => this.#value(each, scope, into).of) };
    if (head === "let" || head === "let*")
      return this.#tail(rest[1] as Tree, this.#bind(rest, scope, into), into);
    if (head !== "if") throw new StagingRefused("a loop must go on by recur");
    const decided = this.#test(rest[0] as Tree, scope, into);
    const then: Statement[] = [];
    const otherwise: Statement[] = [];
    const a = this.#tail(rest[1] as Tree, scope, then).next;
    const b = this.#tail(rest[2] as Tree, scope, otherwise).next;
    const next = a.map((left, i) => this.#join(left, b[i] as Operand, then, otherwise));
    into.push({ kind: "if", flag: this.fresh(), test: decided, yes: then, no: otherwise });
    return { next };
  }

  #apply(head: string, rest: readonly Tree[], scope: Environment, into: Statement[]): Value {
    if (head === "ref") return this.#reference(rest, scope, into);
    const values = rest.map((each) => this.#value(each, scope, into));
    if (BINARY.has(head)) return this.#fold(head as OpName, values, into);
    if (UNARY.has(head)) {
      const isClamped = this.isClamped && (head === "log" || head === "sqrt");
      const operand = values[0] as Value;
      const clamped = isClamped ? this.#map1("clamp", operand, into) : operand;
      return this.#map1(head as OpName, clamped, into);
    }
    const known = matrixForms.get(head);
    if (known === undefined) throw new StagingRefused(`the stager has no ${head}`);
    return known(values, (op, ...of) => this.#emit(into, op, ...of));
  }

  #map1(op: OpName, value: Value, into: Statement[]): Value {
    return { ...value, of: value.of.map((each) => this.#emit(into, op, each)) };
  }

  #fold(op: OpName, values: readonly Value[], into: Statement[]): Value {
    const [first, ...others] = values as [Value, ...Value[]];
    if (others.length === 0) {
      if (op === "-") return this.#map1("neg", first, into);
      if (op === "/") return number(this.#emit(into, "/", constant(1), first.of[0] as Operand));
      return first;
    }
    return others.reduce((left, right) => {
      const size = Math.max(left.of.length, right.of.length);
      const wide = left.of.length === size ? left : right;
      const of = Array.from({ length: size }, (_, i) =>
        this.#emit(
          into,
          op,
          left.of[left.of.length === 1 ? 0 : i] as Operand,
          right.of[right.of.length === 1 ? 0 : i] as Operand,
        ),
      );
      return { ...wide, of };
    }, first);
  }

  /** An element or row of an input matrix, by an index that may be known only when it runs. */
  #reference(rest: readonly Tree[], scope: Environment, into: Statement[]): Value {
    const from = this.#value(rest[0] as Tree, scope, into) as Value & Partial<InputMatrix>;
    const index = this.#scalarOf(this.#value(rest[1] as Tree, scope, into));
    if (from.array === undefined) {
      if (isLocal(index)) throw new StagingRefused("an index into a made vector must be known");
      return number(from.of[index.value] as Operand);
    }
    const array = from.array;
    const of = Array.from({ length: from.cols }, (_, offset) => {
      const out = this.fresh();
      into.push({ kind: "load", out, array, index, scale: from.cols, offset });
      return { local: out };
    });
    return { rows: from.cols, cols: 0, of };
  }
}

function hasRecur(tree: Tree): boolean {
  if (!Array.isArray(tree)) return false;
  if (tree[0] === "recur") return true;
  return tree[0] !== "loop" && (tree as readonly Tree[]).some(hasRecur);
}

type Emit = (op: OpName, ...of: Operand[]) => Operand;
type Form = (values: readonly Value[], emit: Emit) => Value;

const at = ({ of, cols }: Value, row: number, col: number) => of[row * cols + col] as Operand;

function sumOfProducts(pairs: readonly (readonly [Operand, Operand])[], emit: Emit): Operand {
  const [first, ...others] = pairs.map(([a, b]) => emit("*", a, b)) as [Operand, ...Operand[]];
  return others.reduce((sum, each) => emit("+", sum, each), first);
}

function product(a: Value, b: Value, emit: Emit): Value {
  const of: Operand[] = [];
  for (let row = 0; row < a.rows; row++)
    for (let col = 0; col < b.cols; col++) {
      const pairs = Array.from(
        { length: a.cols },
        (_, k) => [at(a, row, k), at(b, k, col)] as const,
      );
      of.push(sumOfProducts(pairs, emit));
    }
  return { rows: a.rows, cols: b.cols, of };
}

const determinant = (m: Value, emit: Emit): Operand =>
  emit("-", emit("*", at(m, 0, 0), at(m, 1, 1)), emit("*", at(m, 0, 1), at(m, 1, 0)));

function only2(m: Value): void {
  if (m.rows !== 2 || m.cols !== 2) throw new StagingRefused("the stager inverts 2 × 2 matrices");
}

const matrixForms: ReadonlyMap<string, Form> = new Map<string, Form>([
  ["vec", (values) => ({ rows: values.length, cols: 0, of: values.flatMap(({ of }) => of) })],
  [
    "mat",
    (values) => ({
      rows: values.length,
      cols: values[0]?.rows as number,
      of: values.flatMap(({ of }) => of),
    }),
  ],
  [
    "eye",
    ([size]) => {
      const n = ((size as Value).of[0] as { value: number }).value;
      const of = Array.from({ length: n * n }, (_, i) => constant(i % (n + 1) === 0 ? 1 : 0));
      return { rows: n, cols: n, of };
    },
  ],
  [
    "scale",
    ([by, m], emit) => ({
      ...(m as Value),
      of: (m as Value).of.map((each) =>
        "value" in each && each.value === 0
          ? each
          : emit("*", (by as Value).of[0] as Operand, each),
      ),
    }),
  ],
  ["matmul", ([a, b], emit) => product(a as Value, b as Value, emit)],
  [
    "matvec",
    ([a, v], emit) => {
      const { rows, of } = product(a as Value, { ...(v as Value), cols: 1 }, emit);
      return { rows, cols: 0, of };
    },
  ],
  [
    "dot",
    ([a, b], emit) =>
      number(
        sumOfProducts(
          (a as Value).of.map((each, i) => [each, (b as Value).of[i] as Operand] as const),
          emit,
        ),
      ),
  ],
  [
    "det",
    ([m], emit) => {
      only2(m as Value);
      return number(determinant(m as Value, emit));
    },
  ],
  [
    "inv",
    ([m], emit) => {
      only2(m as Value);
      const [a, b, c, d] = (m as Value).of as [Operand, Operand, Operand, Operand];
      const over = emit("/", constant(1), determinant(m as Value, emit));
      const of = [d, emit("neg", b), emit("neg", c), a].map((each) => emit("*", over, each));
      return { rows: 2, cols: 2, of };
    },
  ],
]);
