/**
 * Statements forward → statements backward: the adjoint of every statement, last first.
 *
 * Each local has an adjoint local. An adjoint that is known to be zero is set, not added to, and a
 * statement whose result has no adjoint has no backward. Turns of a loop are undone in a loop; what
 * they need of the way forward is pushed after each turn and popped before it is undone.
 */

import { isLocal, type Operand, type OpName, type Statement } from "./ir.js";

interface Region {
  /** Adjoints that may be other than zero at this point. */
  readonly touched: Set<number>;
  readonly out: Statement[];
}

export class Reverse {
  readonly #fresh: () => number;
  readonly #active: ReadonlySet<number>;
  readonly #adjoints = new Map<number, number>();

  constructor(fresh: () => number, active: ReadonlySet<number>) {
    this.#fresh = fresh;
    this.#active = active;
  }

  adjoint(local: number): number {
    const known = this.#adjoints.get(local);
    if (known !== undefined) return known;
    const made = this.#fresh();
    this.#adjoints.set(local, made);
    return made;
  }

  run(statements: readonly Statement[], result: Operand, seed: number): Statement[] {
    const region: Region = { touched: new Set(), out: [] };
    this.#add(region, result, { local: seed });
    this.#block(statements, region);
    return region.out;
  }

  #op(region: Region, op: OpName, ...of: Operand[]): Operand {
    const out = this.#fresh();
    region.out.push({ kind: "op", out, op, of });
    return { local: out };
  }

  #add(region: Region, to: Operand, by: Operand): void {
    if (!isLocal(to) || !this.#active.has(to.local)) return;
    const target = this.adjoint(to.local);
    if (region.touched.has(to.local)) {
      region.out.push({ kind: "op", out: target, op: "+", of: [{ local: target }, by] });
    } else region.out.push(set(target, by));
    region.touched.add(to.local);
  }

  #block(statements: readonly Statement[], region: Region): void {
    for (const statement of statements.toReversed()) this.#statement(statement, region);
  }

  #statement(statement: Statement, region: Region): void {
    if (statement.kind === "if") this.#if(statement, region);
    else if (statement.kind === "loop") this.#loop(statement, region);
    else if (statement.kind === "op" && region.touched.has(statement.out))
      this.#undo(statement, region);
  }

  #undo({ out, op, of }: Statement & { kind: "op" }, region: Region): void {
    const g: Operand = { local: this.adjoint(out) };
    const z: Operand = { local: out };
    const [x, y] = of as [Operand, Operand];
    const emit = (name: OpName, ...args: Operand[]) => this.#op(region, name, ...args);
    const isWanted = (operand: Operand) => isLocal(operand) && this.#active.has(operand.local);
    region.touched.delete(out);
    switch (op) {
      case "set":
        this.#add(region, x, g);
        return;
      case "+":
        this.#add(region, x, g);
        this.#add(region, y, g);
        return;
      case "-":
        this.#add(region, x, g);
        if (isWanted(y)) this.#add(region, y, emit("neg", g));
        return;
      case "*":
        if (isWanted(x)) this.#add(region, x, emit("*", g, y));
        if (isWanted(y)) this.#add(region, y, emit("*", g, x));
        return;
      case "/": {
        const over = emit("/", g, y);
        this.#add(region, x, over);
        if (isWanted(y)) this.#add(region, y, emit("neg", emit("*", over, z)));
        return;
      }
      case "neg":
        this.#add(region, x, emit("neg", g));
        return;
      case "exp":
        this.#add(region, x, emit("*", g, z));
        return;
      case "log":
        this.#add(region, x, emit("/", g, x));
        return;
      case "sin":
        this.#add(region, x, emit("*", g, emit("cos", x)));
        return;
      case "cos":
        this.#add(region, x, emit("neg", emit("*", g, emit("sin", x))));
        return;
      case "sqrt":
        this.#add(region, x, emit("/", emit("*", { value: 0.5 }, g), z));
        return;
      case "abs":
        this.#add(region, x, emit("*", g, emit("sign", x)));
        return;
      case "clamp":
        this.#add(region, x, emit("gate", g, x));
        return;
      case "sign":
      case "gate":
        return;
    }
  }

  /** Adjoints that a nested block may add to must be numbers before it. */
  #prepare(locals: readonly number[], region: Region): void {
    for (const local of locals) {
      if (!this.#active.has(local) || region.touched.has(local)) continue;
      region.out.push(set(this.adjoint(local), { value: 0 }));
      region.touched.add(local);
    }
  }

  #if(statement: Statement & { kind: "if" }, region: Region): void {
    const { flag, yes: then, no: otherwise } = statement;
    const made = [...definedBy(then), ...definedBy(otherwise)];
    if (!made.some((local) => region.touched.has(local))) return;
    const own = new Set(made);
    const read = [...readBy([...then, ...otherwise])].filter((local) => !own.has(local));
    this.#prepare(read, region);
    const sides = [then, otherwise].map((block) => {
      const side: Region = { touched: new Set(region.touched), out: [] };
      this.#block(block, side);
      return side.out;
    });
    region.out.push({
      kind: "if",
      flag,
      test: undefined,
      yes: sides[0] as Statement[],
      no: sides[1] as Statement[],
    });
    for (const local of made) region.touched.delete(local);
  }

  #loop(statement: Statement & { kind: "loop" }, region: Region): void {
    const { head, body, next, turns, saved } = statement;
    const variables = definedBy(next);
    const made = definedBy([...head, ...body]);
    // The head ran once more than the body.
    this.#block(head, region);
    const outer = [...readBy([...head, ...body, ...next])].filter((local) => !made.has(local));
    this.#prepare([...outer, ...variables], region);
    for (const local of made) region.touched.delete(local);
    const turn: Region = { touched: new Set(region.touched), out: [] };
    this.#block([...head, ...body, ...next], turn);
    // A variable that this turn did not read has no adjoint before it.
    for (const local of variables)
      if (this.#active.has(local) && !turn.touched.has(local))
        turn.out.push(set(this.adjoint(local), { value: 0 }));
    const needed = readBy(turn.out);
    saved.push(...[...made, ...variables].filter((local) => needed.has(local)));
    region.out.push({ kind: "back", turns, saved, body: turn.out });
  }
}

const set = (out: number, by: Operand): Statement => ({ kind: "op", out, op: "set", of: [by] });

export function definedBy(statements: readonly Statement[]): Set<number> {
  const found = new Set<number>();
  for (const each of statements) {
    if (each.kind === "op" || each.kind === "load") found.add(each.out);
    if (each.kind === "if") {
      found.add(each.flag);
      for (const local of definedBy([...each.yes, ...each.no])) found.add(local);
    }
    if (each.kind === "loop") {
      found.add(each.turns);
      for (const local of definedBy([...each.head, ...each.body, ...each.next])) found.add(local);
    }
    if (each.kind === "back") for (const local of definedBy(each.body)) found.add(local);
  }
  return found;
}

export function readBy(statements: readonly Statement[]): Set<number> {
  const found = new Set<number>();
  const add = (operand: Operand) => {
    if (isLocal(operand)) found.add(operand.local);
  };
  for (const each of statements) {
    if (each.kind === "op") each.of.forEach(add);
    else if (each.kind === "load") add(each.index);
    else {
      if (each.kind === "if") found.add(each.flag);
      if (each.kind === "loop" || each.kind === "back") found.add(each.turns);
      if ("test" in each && each.test !== undefined) [each.test.left, each.test.right].forEach(add);
      const parts =
        each.kind === "if"
          ? [...each.yes, ...each.no]
          : each.kind === "loop"
            ? [...each.head, ...each.body, ...each.next]
            : each.body;
      for (const local of readBy(parts)) found.add(local);
    }
  }
  return found;
}

/** Locals that a differentiated input reaches. */
export function activeFrom(
  statements: readonly Statement[],
  inputs: Iterable<number>,
): Set<number> {
  const active = new Set(inputs);
  const isActive = (operand: Operand) => isLocal(operand) && active.has(operand.local);
  const visit = (block: readonly Statement[]): void => {
    for (const each of block) {
      if (each.kind === "op" && each.of.some(isActive)) active.add(each.out);
      if (each.kind === "if") visit([...each.yes, ...each.no]);
      if (each.kind === "loop") visit([...each.head, ...each.body, ...each.next]);
    }
  };
  for (let size = -1; size !== active.size; ) {
    size = active.size;
    visit(statements);
  }
  return active;
}
