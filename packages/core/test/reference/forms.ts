/**
 * The oracle's special forms. Each is evaluated as it stands; none is rewritten into another.
 */

import { constant, steer } from "./dual.js";
import type { Walker } from "./evaluate.js";
import { eqv } from "./lists.js";
import { Form, Sym, type Syntax } from "./read.js";
import {
  Closure,
  itemsOf,
  listOf,
  nil,
  RefError,
  Scope,
  unspecified,
  type Value,
} from "./values.js";

/** An expression whose value is the value of the whole. */
export class Tail {
  constructor(
    readonly syntax: Syntax,
    readonly scope: Scope,
  ) {}
}

type Run = (operands: readonly Syntax[], scope: Scope, walker: Walker) => Value | Tail;

function malformed(form: string): RefError {
  return new RefError("E-FORM", `malformed ${form}`);
}

function need(syntax: Syntax | undefined, form: string): Syntax {
  if (syntax === undefined) throw malformed(form);
  return syntax;
}

function formFrom(syntax: Syntax | undefined, form: string): Form {
  if (syntax instanceof Form) return syntax;
  throw malformed(form);
}

function nameFrom(syntax: Syntax | undefined, form: string): string {
  if (syntax instanceof Sym) return syntax.name;
  throw malformed(form);
}

/** The names and the other parts of ((name part …) …). */
function bindingsOf(syntax: Syntax | undefined, form: string) {
  return formFrom(syntax, form).items.map((binding) => {
    const [name, ...parts] = formFrom(binding, form).items;
    return { name: nameFrom(name, form), init: need(parts[0], form), step: parts[1] };
  });
}

function bind(names: readonly string[], values: readonly Value[], parent: Scope): Scope {
  const scope = new Scope(parent);
  names.forEach((name, i) => {
    scope.variables.set(name, values[i] as Value);
  });
  return scope;
}

/** A keyword counts only where no variable has its name. */
function isKeyword(syntax: Syntax | undefined, name: string, scope: Scope): boolean {
  return syntax instanceof Sym && syntax.name === name && !scope.find(name);
}

/** Whether a test's value counts as true: anything but #f does. */
function holds(value: Value): boolean {
  steer(value !== false);
  return value !== false;
}

const runIf: Run = ([test, then, otherwise], scope, walker) => {
  if (holds(walker.value(need(test, "if"), scope))) return new Tail(need(then, "if"), scope);
  return otherwise === undefined ? unspecified : new Tail(otherwise, scope);
};

const runCond: Run = (clauses, scope, walker) => {
  for (const clause of clauses) {
    const [test, ...body] = formFrom(clause, "cond").items;
    if (isKeyword(test, "else", scope)) return walker.sequence(body, scope);
    const value = walker.value(need(test, "cond"), scope);
    if (!holds(value)) continue;
    return clauseBody(value, body, scope, walker);
  }
  return unspecified;
};

/** What follows a test that held: nothing, => procedure, or expressions. */
function clauseBody(value: Value, body: readonly Syntax[], scope: Scope, walker: Walker) {
  if (body.length === 0) return value;
  if (!isKeyword(body[0], "=>", scope)) return walker.sequence(body, scope);
  return walker.enter(walker.value(need(body[1], "=>"), scope), [value]);
}

const runCase: Run = ([key, ...clauses], scope, walker) => {
  const value = walker.value(need(key, "case"), scope);
  for (const clause of clauses) {
    const [datums, ...body] = formFrom(clause, "case").items;
    const matches =
      isKeyword(datums, "else", scope) ||
      formFrom(datums, "case").items.some((datum) => eqv(value, quoted(datum)));
    steer(matches);
    if (matches) return clauseBody(value, body, scope, walker);
  }
  return unspecified;
};

const runAnd: Run = (operands, scope, walker) => {
  if (operands.length === 0) return true;
  for (const operand of operands.slice(0, -1)) {
    if (!holds(walker.value(operand, scope))) return false;
  }
  return new Tail(operands[operands.length - 1] as Syntax, scope);
};

const runOr: Run = (operands, scope, walker) => {
  if (operands.length === 0) return false;
  for (const operand of operands.slice(0, -1)) {
    const value = walker.value(operand, scope);
    if (holds(value)) return value;
  }
  return new Tail(operands[operands.length - 1] as Syntax, scope);
};

const runWhen: Run = ([test, ...body], scope, walker) =>
  holds(walker.value(need(test, "when"), scope)) ? walker.sequence(body, scope) : unspecified;

const runUnless: Run = ([test, ...body], scope, walker) =>
  holds(walker.value(need(test, "unless"), scope)) ? unspecified : walker.sequence(body, scope);

const runLambda: Run = ([params, ...body], scope) => {
  if (body.length === 0) throw malformed("lambda");
  if (params instanceof Sym) return new Closure([], params.name, body, scope);
  const { items, tail } = formFrom(params, "lambda");
  const names = items.map((item) => nameFrom(item, "lambda"));
  const rest = tail === undefined ? undefined : nameFrom(tail, "lambda");
  return new Closure(names, rest, body, scope);
};

const runLet: Run = ([first, ...rest], scope, walker) => {
  if (first instanceof Sym) return runNamedLet(first.name, rest, scope, walker);
  const bindings = bindingsOf(first, "let");
  const values = bindings.map(({ init }) => walker.value(init, scope));
  return walker.sequence(
    rest,
    bind(
      bindings.map(({ name }) => name),
      values,
      scope,
    ),
  );
};

function runNamedLet(
  name: string,
  [first, ...body]: readonly Syntax[],
  scope: Scope,
  walker: Walker,
): Value | Tail {
  const bindings = bindingsOf(first, "let");
  const values = bindings.map(({ init }) => walker.value(init, scope));
  const own = new Scope(scope);
  const params = bindings.map((binding) => binding.name);
  const procedure = new Closure(params, undefined, body, own);
  own.variables.set(name, procedure);
  return walker.enter(procedure, values);
}

const runLetStar: Run = ([first, ...body], scope, walker) => {
  let inner = scope;
  for (const { name, init } of bindingsOf(first, "let*")) {
    inner = bind([name], [walker.value(init, inner)], inner);
  }
  return walker.sequence(body, new Scope(inner));
};

const runLetrec: Run = ([first, ...body], scope, walker) => {
  const bindings = bindingsOf(first, "letrec");
  const inner = new Scope(scope);
  for (const { name } of bindings) inner.variables.set(name, undefined);
  for (const { name, init } of bindings) inner.variables.set(name, walker.value(init, inner));
  return walker.sequence(body, new Scope(inner));
};

const runDo: Run = ([specs, exit, ...body], scope, walker) => {
  const bindings = bindingsOf(specs, "do");
  const [test, ...results] = formFrom(exit, "do").items;
  const names = bindings.map(({ name }) => name);
  let inner = bind(
    names,
    bindings.map(({ init }) => walker.value(init, scope)),
    scope,
  );
  while (!holds(walker.value(need(test, "do"), inner))) {
    for (const expression of body) walker.value(expression, inner);
    const values = bindings.map(({ name, step }) => walker.value(step ?? new Sym(name), inner));
    inner = bind(names, values, scope);
  }
  return walker.sequence(results, inner);
};

/** `recur` is a procedure that only this body can see. */
const runLoop: Run = ([first, ...body], scope, walker) =>
  runNamedLet("recur", [need(first, "loop"), ...body], scope, walker);

/** Quoted syntax as a value. */
export function quoted(syntax: Syntax): Value {
  if (typeof syntax === "number") return constant(syntax);
  if (!(syntax instanceof Form)) return syntax;
  return listOf(syntax.items.map(quoted), syntax.tail === undefined ? nil : quoted(syntax.tail));
}

/** Quasiquotation; `depth` counts the quasiquotes around an unquote. */
function quasi(syntax: Syntax, depth: number, scope: Scope, walker: Walker): Value {
  if (!(syntax instanceof Form)) return quoted(syntax);
  const [head, operand] = syntax.items;
  if (operand !== undefined && isKeyword(head, "unquote", scope) && syntax.items.length === 2) {
    if (depth === 1) return walker.value(operand, scope);
    return quasiItems(syntax, depth - 1, scope, walker);
  }
  if (isKeyword(head, "quasiquote", scope)) return quasiItems(syntax, depth + 1, scope, walker);
  return quasiItems(syntax, depth, scope, walker);
}

function quasiItems(form: Form, depth: number, scope: Scope, walker: Walker): Value {
  const { items } = form;
  // (a . ,b) reads as (a unquote b).
  const dotted = items.length - 2;
  if (dotted > 0 && isKeyword(items[dotted], "unquote", scope)) {
    const tail = quasi(new Form(items.slice(dotted)), depth, scope, walker);
    return listOf(
      items.slice(0, dotted).flatMap((item) => quasiItem(item, depth, scope, walker)),
      tail,
    );
  }
  const tail = form.tail === undefined ? nil : quasi(form.tail, depth, scope, walker);
  return listOf(
    items.flatMap((item) => quasiItem(item, depth, scope, walker)),
    tail,
  );
}

function quasiItem(item: Syntax, depth: number, scope: Scope, walker: Walker): Value[] {
  const splices = item instanceof Form && isKeyword(item.items[0], "unquote-splicing", scope);
  if (splices && item.items.length === 2) {
    if (depth > 1) return [quasiItems(item, depth - 1, scope, walker)];
    return itemsOf(
      walker.value(need(item.items[1], "unquote-splicing"), scope),
      "unquote-splicing",
    );
  }
  return [quasi(item, depth, scope, walker)];
}

const refused: Run = () => {
  throw new RefError("E-REFUSED", "the language leaves this form out");
};

const misplacedDefine: Run = () => {
  throw new RefError("E-FORM", "define stands only at the start of a body");
};

export const forms: ReadonlyMap<string, Run> = new Map<string, Run>([
  ["quote", ([datum]) => quoted(need(datum, "quote"))],
  ["quasiquote", ([datum], scope, walker) => quasi(need(datum, "quasiquote"), 1, scope, walker)],
  ["if", runIf],
  ["cond", runCond],
  ["case", runCase],
  ["and", runAnd],
  ["or", runOr],
  ["when", runWhen],
  ["unless", runUnless],
  ["begin", (body, scope, walker) => walker.sequence(body, scope)],
  ["lambda", runLambda],
  ["let", runLet],
  ["let*", runLetStar],
  ["letrec", runLetrec],
  ["letrec*", runLetrec],
  ["do", runDo],
  ["loop", runLoop],
  ["define", misplacedDefine],
  ["set!", refused],
  ["call/cc", refused],
]);
