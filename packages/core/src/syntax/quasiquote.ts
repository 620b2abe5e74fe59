/**
 * Quasiquotation: a template becomes a constant where nothing is unquoted, else calls of list, cons
 * and append (the machine's, whatever the user calls by these names).
 *
 * Level 0 is inside one quasiquote; a nested quasiquote adds one, an unquote takes one away, and an
 * unquote at level 0 is evaluated. As in all Schemes, (a . ,b) is the list (a unquote b), so a
 * template may end in an unquote.
 */

import type { Span } from "../errors.js";
import { emitQuoted } from "./control-forms.js";
import type { Datum, ListDatum } from "./datum.js";
import type { Expander } from "./expander.js";
import { bracketError, formError, malformed } from "./form-errors.js";
import type { FormExpander } from "./scope.js";

type Mark = "quasiquote" | "unquote" | "unquote-splicing";

export const expandQuasiquote: FormExpander = (x, form) => {
  const [, template] = form.items;
  if (form.items.length !== 2 || template === undefined) {
    throw malformed(form, `needs one template, got ${form.items.length - 1}`);
  }
  visitTemplate(x, template, 0, findActive(form, template));
};

export const expandMisplacedUnquote: FormExpander = (_x, form) => {
  throw formError("unquote stands outside a quasiquote", form.span, "write , only inside `( … )");
};

/** The mark of a list of two items that begins with one. */
function markOf(datum: Datum, name: Mark): datum is ListDatum {
  if (datum.kind !== "list" || datum.items.length !== 2 || datum.tail !== undefined) return false;
  return isSymbol(datum.items[0], name);
}

function isSymbol(datum: Datum | undefined, name: string): boolean {
  return datum?.kind === "symbol" && datum.name === name;
}

/** Whether a list ends in `. ,datum`, which reads as two more items. */
function endsInUnquote({ items, tail }: ListDatum): boolean {
  return items.length > 2 && tail === undefined && isSymbol(items.at(-2), "unquote");
}

/** The lists of a template with an unquote at level 0 somewhere inside: they cannot be constants. */
function findActive(form: ListDatum, template: Datum): ReadonlySet<Datum> {
  const active = new Set<Datum>();
  interface Place {
    readonly datum: Datum;
    readonly level: number;
    readonly around: Place | undefined;
  }
  const waiting: Place[] = [{ datum: template, level: 0, around: undefined }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { datum, level } = place;
    if (datum.kind === "bracket") throw bracketError(form, datum, "a template");
    if (datum.kind !== "list") continue;
    const inner = innerLevel(datum, level);
    if (inner < 0) {
      for (let at: Place | undefined = place; at && !active.has(at.datum); at = at.around) {
        active.add(at.datum);
      }
      continue;
    }
    const { items, tail } = datum;
    const last = endsInUnquote(datum) ? items.length - 2 : items.length;
    for (let i = 0; i < last; i++) {
      waiting.push({ datum: items[i] as Datum, level: inner, around: place });
    }
    if (last < items.length) {
      const ending: ListDatum = { kind: "list", items: items.slice(last), span: datum.span };
      waiting.push({ datum: ending, level, around: place });
    }
    if (tail !== undefined) waiting.push({ datum: tail, level, around: place });
  }
  return active;
}

/** The level of what is inside a list; negative for what is evaluated. */
function innerLevel(list: ListDatum, level: number): number {
  if (markOf(list, "quasiquote")) return level + 1;
  if (markOf(list, "unquote") || markOf(list, "unquote-splicing")) return level - 1;
  return level;
}

function visitTemplate(x: Expander, datum: Datum, level: number, active: ReadonlySet<Datum>): void {
  if (datum.kind !== "list" || !active.has(datum)) {
    x.step(() => emitQuoted(x, datum, datum.span));
    return;
  }
  if (level === 0 && markOf(datum, "unquote")) {
    x.visit(datum.items[1] as Datum);
    return;
  }
  if (level === 0 && markOf(datum, "unquote-splicing")) {
    throw formError(",@ stands outside a list of its template", datum.span, "write , instead");
  }
  x.step(() => expandTemplateList(x, datum, innerLevel(datum, level), level, active));
}

/** (list a b …), or nested (cons a …) and (append spliced …) where something is spliced or dotted. */
function expandTemplateList(
  x: Expander,
  list: ListDatum,
  level: number,
  outerLevel: number,
  active: ReadonlySet<Datum>,
): void {
  const { items, tail, span } = list;
  const isDotted = endsInUnquote(list);
  const last = isDotted ? items.length - 2 : items.length;
  const isSplice = (item: Datum) => level === 0 && markOf(item, "unquote-splicing");
  if (!isDotted && tail === undefined && !items.some(isSplice)) {
    x.emitPrimitive("list", span);
    for (const item of items) visitTemplate(x, item, level, active);
    x.step(() => x.emitCall(items.length, span));
    return;
  }
  for (let i = 0; i < last; i++) {
    const item = items[i] as Datum;
    const splices = isSplice(item);
    x.step(() => x.emitPrimitive(splices ? "append" : "cons", span));
    if (splices) x.visit((item as ListDatum).items[1] as Datum);
    else visitTemplate(x, item, level, active);
  }
  if (isDotted) visitEnding(x, list, outerLevel, active);
  else if (tail !== undefined) visitTemplate(x, tail, outerLevel, active);
  else x.step(() => emitEmptyList(x, span));
  x.step(() => {
    for (let i = 0; i < last; i++) x.emitCall(2, span);
  });
}

/** The `. ,datum` at the end of a list. */
function visitEnding(
  x: Expander,
  list: ListDatum,
  level: number,
  active: ReadonlySet<Datum>,
): void {
  const [mark, datum] = list.items.slice(-2) as [Datum, Datum];
  if (level === 0) {
    x.visit(datum);
    return;
  }
  x.step(() => {
    x.emitPrimitive("list", list.span);
    emitQuoted(x, mark, mark.span);
  });
  visitTemplate(x, datum, level - 1, active);
  x.step(() => x.emitCall(2, list.span));
}

function emitEmptyList(x: Expander, span: Span): void {
  x.emit({ kind: "const", value: { kind: "list", items: [], span }, span });
}
