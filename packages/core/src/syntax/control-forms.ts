/**
 * Forms that choose or sequence: if, cond, case, and, or, when, unless, begin; and quote.
 *
 * Clauses are expanded one after the other: the step of a clause schedules the step of the next as
 * its else branch.
 */

import type { Span } from "../errors.js";
import { visitSequence } from "./body.js";
import type { Datum, ListDatum } from "./datum.js";
import type { Expander } from "./expander.js";
import { expectList, formError, malformed } from "./form-errors.js";
import { type FormExpander, LocalVariable } from "./scope.js";

export const expandQuote: FormExpander = (x, form) => {
  const [, value] = form.items;
  if (form.items.length !== 2 || value === undefined) {
    throw malformed(form, `needs one datum, got ${form.items.length - 1}`);
  }
  emitQuoted(x, value, form.span);
};

/** Emits a datum as a constant. */
export function emitQuoted(x: Expander, value: Datum, span: Span): void {
  checkQuotable(value);
  x.emit({ kind: "const", value, span });
}

/** Quoted data holds no brackets: a bracket is an expression that makes a vector. */
function checkQuotable(datum: Datum): void {
  const waiting: Datum[] = [datum];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.kind === "bracket") {
      const help = "write (list [1 2] …) to put vectors into a list, or '(1 2) for a list";
      throw formError("brackets make vectors and cannot be quoted", next.span, help);
    }
    if (next.kind !== "list") continue;
    for (const item of next.items) waiting.push(item);
    if (next.tail !== undefined) waiting.push(next.tail);
  }
}

export const expandIf: FormExpander = (x, form, tail) => {
  const { items, span } = form;
  if (items.length < 3 || items.length > 4) {
    throw malformed(form, `needs a test and one or two branches, got ${items.length - 1} parts`);
  }
  x.visit(items[1] as Datum);
  x.visit(items[2] as Datum, tail);
  if (items.length === 4) x.visit(items[3] as Datum, tail);
  else x.step(() => x.emitUnspecified(span));
  x.step(() => x.emitIf(span));
};

export const expandBegin: FormExpander = (x, form, tail) => {
  if (form.items.length < 2) throw malformed(form, "there is no expression in it");
  visitSequence(x, form.items, 1, tail, form.span);
};

function conditional(runsWhenTrue: boolean): FormExpander {
  return (x, form, tail) => {
    const { items, span } = form;
    if (items.length < 2) throw malformed(form, "the test is missing");
    const visitBody = () => {
      if (items.length > 2) visitSequence(x, items, 2, tail, span);
      else x.emitUnspecified(span);
    };
    const skip = () => x.emitUnspecified(span);
    x.visit(items[1] as Datum);
    x.step(runsWhenTrue ? visitBody : skip);
    x.step(runsWhenTrue ? skip : visitBody);
    x.step(() => x.emitIf(span));
  };
}

export const expandWhen = conditional(true);
export const expandUnless = conditional(false);

/** (and a b c) is (if a (if b c #f) #f). */
export const expandAnd: FormExpander = (x, form, tail) => {
  const { items, span } = form;
  if (items.length === 1) {
    x.emitBoolean(true, span);
    return;
  }
  for (let i = 1; i < items.length; i++) x.visit(items[i] as Datum, tail && i === items.length - 1);
  x.step(() => {
    for (let i = 2; i < items.length; i++) {
      x.emitBoolean(false, span);
      x.emitIf(span);
    }
  });
};

/** (or a b) is (let ((t a)) (if t t b)), with a t that nobody else can name. */
export const expandOr: FormExpander = (x, form, tail) => {
  const { items, span } = form;
  if (items.length === 1) {
    x.emitBoolean(false, span);
    return;
  }
  const variables: LocalVariable[] = [];
  for (let i = 1; i < items.length - 1; i++) {
    const variable = new LocalVariable("or-test");
    variables.push(variable);
    x.visit(items[i] as Datum);
    x.step(() => {
      x.emitRef(variable, span);
      x.emitRef(variable, span);
    });
  }
  x.visit(items[items.length - 1] as Datum, tail);
  x.step(() => {
    for (let i = variables.length - 1; i >= 0; i--) {
      x.emitIf(span);
      emitLetOfTwo(x, variables[i] as LocalVariable, span);
    }
  });
};

/** (let ((variable init)) body) of the last two nodes. */
function emitLetOfTwo(x: Expander, variable: LocalVariable, span: Span): void {
  const body = x.take();
  const init = x.take();
  x.emit({ kind: "let", variables: [variable], inits: [init], body, span });
}

function isKeyword(x: Expander, datum: Datum | undefined, name: string): boolean {
  if (datum?.kind !== "symbol" || datum.name !== name) return false;
  return x.scope.lookup(name)?.kind === "form";
}

export const expandCond: FormExpander = (x, form, tail) => {
  if (form.items.length < 2) throw malformed(form, "there is no clause in it");
  expandCondClause(x, form, 1, tail);
};

function expandCondClause(x: Expander, form: ListDatum, at: number, tail: boolean): void {
  const { items, span } = form;
  if (at === items.length) {
    x.emitUnspecified(span);
    return;
  }
  const clause = expectList(form, items[at], "a clause");
  const [test, second] = clause.items;
  if (test === undefined) throw malformed(form, "a clause is empty", clause);
  if (isKeyword(x, test, "else")) {
    checkElse(form, clause, at);
    visitSequence(x, clause.items, 1, tail, clause.span);
    return;
  }
  const isArrow = isKeyword(x, second, "=>");
  if (isArrow) checkArrow(form, clause);
  x.visit(test);
  if (isArrow || clause.items.length === 1) {
    expandCondWithValue(x, form, clause, at, { isArrow, tail });
    return;
  }
  visitSequence(x, clause.items, 1, tail, clause.span);
  x.step(() => expandCondClause(x, form, at + 1, tail));
  x.step(() => x.emitIf(clause.span));
}

/** (test) and (test => procedure) use the value of the test, so it gets a variable. */
function expandCondWithValue(
  x: Expander,
  form: ListDatum,
  clause: ListDatum,
  at: number,
  { isArrow, tail }: { isArrow: boolean; tail: boolean },
): void {
  const { items, span } = clause;
  const variable = new LocalVariable("cond-test");
  x.step(() => x.emitRef(variable, span));
  if (isArrow) visitArrow(x, clause, variable);
  else {
    x.step(() => x.emitRef(variable, (items[0] as Datum).span));
  }
  x.step(() => expandCondClause(x, form, at + 1, tail));
  x.step(() => {
    x.emitIf(span);
    emitLetOfTwo(x, variable, span);
  });
}

/** Schedules a call of the procedure after => with the variable. */
function visitArrow(x: Expander, clause: ListDatum, variable: LocalVariable): void {
  const { items, span } = clause;
  x.visit(items[2] as Datum);
  x.step(() => {
    x.emitRef(variable, span);
    x.emitCall(1, span);
  });
}

function checkArrow(form: ListDatum, clause: ListDatum): void {
  if (clause.items.length !== 3) throw malformed(form, "one procedure follows =>", clause);
}

function checkElse(form: ListDatum, clause: ListDatum, at: number): void {
  if (at !== form.items.length - 1) throw malformed(form, "else is not the last clause", clause);
  if (clause.items.length < 2) throw malformed(form, "else has no value", clause);
}

export const expandCase: FormExpander = (x, form, tail) => {
  const { items, span } = form;
  if (items.length < 3) throw malformed(form, "needs a key and a clause");
  const key = new LocalVariable("case-key");
  x.visit(items[1] as Datum);
  x.step(() => expandCaseClause(x, form, 2, key, tail));
  x.step(() => emitLetOfTwo(x, key, span));
};

function expandCaseClause(
  x: Expander,
  form: ListDatum,
  at: number,
  key: LocalVariable,
  tail: boolean,
): void {
  if (at === form.items.length) {
    x.emitUnspecified(form.span);
    return;
  }
  const clause = expectList(form, form.items[at], "a clause");
  const { items, span } = clause;
  const isElse = isKeyword(x, items[0], "else");
  if (isElse) checkElse(form, clause, at);
  else emitCaseTest(x, expectList(form, items[0], "the data of a clause"), key);
  if (items.length < 2) throw malformed(form, "a clause has no value", clause);
  if (isKeyword(x, items[1], "=>")) {
    checkArrow(form, clause);
    visitArrow(x, clause, key);
  } else visitSequence(x, items, 1, tail, span);
  if (isElse) return;
  x.step(() => expandCaseClause(x, form, at + 1, key, tail));
  x.step(() => x.emitIf(span));
}

/** (or (eqv? key 'a) (eqv? key 'b) …) as booleans, so that lanes may differ in a numeric key. */
function emitCaseTest(x: Expander, data: ListDatum, key: LocalVariable): void {
  const { items, span } = data;
  if (items.length === 0) x.emitBoolean(false, span);
  items.forEach((datum, i) => {
    x.emitPrimitive("eqv?", span);
    x.emitRef(key, span);
    emitQuoted(x, datum, datum.span);
    x.emitCall(2, span);
    if (i < items.length - 1) x.emitBoolean(true, span);
  });
  for (let i = 1; i < items.length; i++) x.emitIf(span);
}
