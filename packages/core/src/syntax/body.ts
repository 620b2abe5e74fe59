/**
 * Bodies, definitions and lambdas: sequences of forms that may open with definitions.
 *
 * The definitions of a body become one letrec around its expressions. A `begin` among the forms of a
 * body is spliced into it, so it may hold definitions too.
 */

import type { Span } from "../errors.js";
import type { Datum, ListDatum } from "./datum.js";
import type { Expander } from "./expander.js";
import { bracketError, formError, malformed, printShort } from "./form-errors.js";
import { LocalVariable } from "./scope.js";

/** (define name value), or (define (name . parameters) body …) with its parameters apart. */
export interface Definition {
  readonly form: ListDatum;
  readonly variable: LocalVariable;
  readonly parameters: Datum | undefined;
}

/** One form of a body or of the program: a definition that is now in scope, or an expression. */
export type BodyItem = Definition | Datum;

export function isDefinition(item: BodyItem): item is Definition {
  return "form" in item;
}

/** Whether a datum is a use of the special form with that name. */
function isForm(x: Expander, datum: Datum, name: "define" | "begin"): boolean {
  if (datum.kind !== "list") return false;
  const head = datum.items[0];
  if (head?.kind !== "symbol" || head.name !== name) return false;
  return x.scope.lookup(name)?.kind === "form";
}

/** Whether there is nothing to define or to splice. */
export function isPlain(x: Expander, items: readonly Datum[], first = 0): boolean {
  for (let i = first; i < items.length; i++) {
    const item = items[i] as Datum;
    if (isForm(x, item, "define") || isForm(x, item, "begin")) return false;
  }
  return true;
}

/**
 * Splices begins and enters the variables of definitions into the scope as it meets them, so that
 * every form is expanded with all of them in sight.
 */
export function scanBody(x: Expander, items: readonly Datum[], first: number): BodyItem[] {
  const scanned: BodyItem[] = [];
  const names = new Set<string>();
  const waiting: Datum[] = [];
  for (let i = items.length - 1; i >= first; i--) waiting.push(items[i] as Datum);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isForm(x, next, "define")) {
      const definition = parseDefinition(next as ListDatum);
      const { name } = definition.variable;
      if (names.has(name)) throw malformed(definition.form, `${name} is already defined here`);
      names.add(name);
      x.scope.enter(definition.variable);
      scanned.push(definition);
    } else if (isForm(x, next, "begin")) {
      const { items: spliced, tail } = next as ListDatum;
      if (tail !== undefined) throw malformed(next as ListDatum, "a dot has no place here", tail);
      for (let i = spliced.length - 1; i >= 1; i--) waiting.push(spliced[i] as Datum);
    } else scanned.push(next);
  }
  return scanned;
}

export function parseDefinition(form: ListDatum): Definition {
  const [, target, ...rest] = form.items;
  if (form.tail !== undefined) throw malformed(form, "a dot has no place here", form.tail);
  if (target === undefined) throw malformed(form, "a name is missing");
  if (target.kind === "bracket") throw bracketError(form, target, "the name with its parameters");
  if (target.kind === "symbol") {
    if (rest.length !== 1) throw malformed(form, `needs one value, got ${rest.length}`);
    return { form, variable: new LocalVariable(target.name), parameters: undefined };
  }
  const head = target.kind === "list" ? target.items[0] : undefined;
  if (head?.kind !== "symbol") {
    throw malformed(form, `${printShort(head ?? target)} is not a name`, head ?? target);
  }
  const variable = new LocalVariable(head.name);
  const { items, tail, span } = target as ListDatum;
  const parameters: Datum =
    items.length === 1 && tail !== undefined
      ? tail
      : { kind: "list", items: items.slice(1), tail, span };
  return { form, variable, parameters };
}

/** Schedules the expansion of a definition's value. */
export function visitDefinition(x: Expander, definition: Definition): void {
  const { form, parameters, variable } = definition;
  if (parameters === undefined) x.visit(form.items[2] as Datum, false, variable.name);
  else x.step(() => expandLambdaParts(x, form, parameters, variable.name));
}

/** Schedules a definition of the program itself. */
export function visitTopDefinition(x: Expander, definition: Definition): void {
  const { form, variable } = definition;
  visitDefinition(x, definition);
  x.step(() => x.emit({ kind: "define", variable, init: x.take(), span: form.span }));
}

/** Schedules forms from `first` on as a body: its value is the value of the last expression. */
export function visitBody(x: Expander, form: ListDatum, first: number, tail: boolean): void {
  const { items } = form;
  if (items.length > first && isPlain(x, items, first)) {
    visitSequence(x, items, first, tail, form.span);
    return;
  }
  const scanned = scanBody(x, items, first);
  const definitions: Definition[] = [];
  const expressions: Datum[] = [];
  for (const item of scanned) {
    if (!isDefinition(item)) expressions.push(item);
    else if (expressions.length === 0) definitions.push(item);
    else {
      refuseLateDefinition(x, expressions, item);
      return;
    }
  }
  if (expressions.length === 0) throw malformed(form, "the body has no expression");
  for (const definition of definitions) visitDefinition(x, definition);
  visitSequence(x, expressions, 0, tail, form.span);
  if (definitions.length > 0) x.step(() => leaveBody(x, definitions, form.span));
}

function leaveBody(x: Expander, definitions: readonly Definition[], span: Span): void {
  const variables = definitions.map((definition) => definition.variable);
  x.scope.leaveAll(variables);
  const body = x.take();
  x.emit({ kind: "letrec", variables, inits: x.takeMany(variables.length), body, span });
}

/** What comes before may hold the real mistake (a misspelt define), so it is expanded first. */
function refuseLateDefinition(x: Expander, before: readonly Datum[], late: Definition): void {
  for (const expression of before) x.visit(expression);
  x.step(() => {
    const message = `${late.variable.name} is defined after an expression of the same body`;
    throw formError(message, late.form.span, "move the definitions to the start of the body");
  });
}

/** Schedules expressions from `first` on; there is at least one. */
export function visitSequence(
  x: Expander,
  expressions: readonly Datum[],
  first: number,
  tail: boolean,
  span: Span,
): void {
  const last = expressions.length - 1;
  for (let i = first; i < last; i++) x.visit(expressions[i] as Datum);
  x.visit(expressions[last] as Datum, tail);
  const count = expressions.length - first;
  if (count > 1) x.step(() => x.emit({ kind: "seq", body: x.takeMany(count), span }));
}

/** (lambda parameters body …) or (define (name . parameters) body …): the body starts at item 2. */
export function expandLambdaParts(
  x: Expander,
  form: ListDatum,
  parameters: Datum,
  name: string | undefined,
): void {
  const { params, rest } = parseParameters(form, parameters);
  const variables = rest === undefined ? params : [...params, rest];
  const { loop } = x;
  x.loop = undefined;
  x.scope.enterAll(variables);
  visitBody(x, form, 2, true);
  x.step(() => {
    x.scope.leaveAll(variables);
    x.loop = loop;
    x.emit({ kind: "lambda", params, rest, body: x.take(), name, span: form.span });
  });
}

function parseParameters(
  form: ListDatum,
  parameters: Datum,
): { params: LocalVariable[]; rest: LocalVariable | undefined } {
  if (parameters.kind === "symbol") return { params: [], rest: new LocalVariable(parameters.name) };
  if (parameters.kind === "bracket") throw bracketError(form, parameters, "the parameter list");
  if (parameters.kind !== "list")
    throw malformed(form, "the parameters are not a list", parameters);
  const { items, tail } = parameters;
  const all = makeVariables(form, tail === undefined ? items : [...items, tail], "parameter");
  return tail === undefined ? { params: all, rest: undefined } : { params: all, rest: all.pop() };
}

/** Fresh variables for symbols that must all be different. */
export function makeVariables(
  form: ListDatum,
  symbols: readonly Datum[],
  what: string,
): LocalVariable[] {
  const variables = new Array<LocalVariable>(symbols.length);
  for (let i = 0; i < symbols.length; i++)
    variables[i] = makeVariable(form, symbols[i] as Datum, what);
  const repeated = findRepeated(variables);
  if (repeated < 0) return variables;
  const { name } = variables[repeated] as LocalVariable;
  throw malformed(form, `the ${what} ${name} occurs twice`, symbols[repeated]);
}

export function makeVariable(form: ListDatum, symbol: Datum, what: string): LocalVariable {
  return new LocalVariable(expectName(form, symbol, what));
}

/** Up to so many names comparing each with each is faster than a set. */
const NAMES_FEW = 8;

/** The first variable with the name of an earlier one, -1 where all differ. */
function findRepeated(variables: readonly LocalVariable[]): number {
  const seen = variables.length > NAMES_FEW ? new Set<string>() : undefined;
  for (let i = 0; i < variables.length; i++) {
    const { name } = variables[i] as LocalVariable;
    if (seen === undefined) {
      for (let j = 0; j < i; j++) if ((variables[j] as LocalVariable).name === name) return i;
    } else if (seen.has(name)) return i;
    else seen.add(name);
  }
  return -1;
}

function expectName(form: ListDatum, datum: Datum, what: string): string {
  if (datum.kind === "symbol") return datum.name;
  if (datum.kind === "bracket") throw bracketError(form, datum, `a ${what}`);
  throw malformed(form, `${printShort(datum)} is not a name for a ${what}`, datum);
}
