/**
 * The errors of malformed special forms, and the shape that each form should have.
 */

import { NdvmError, type Span } from "../errors.js";
import { own } from "../records.js";
import type { BracketDatum, Datum, ListDatum } from "./datum.js";
import { print } from "./print.js";

const shapes: Readonly<Record<string, string>> = {
  quote: "(quote datum) or 'datum",
  quasiquote: "(quasiquote template) or `template",
  if: "(if test then else)",
  cond: "(cond (test value …) … (else value …))",
  case: "(case key ((datum …) value …) … (else value …))",
  and: "(and test …)",
  or: "(or test …)",
  when: "(when test value …)",
  unless: "(unless test value …)",
  begin: "(begin expression …)",
  let: "(let ((name value) …) body …)",
  "let*": "(let* ((name value) …) body …)",
  letrec: "(letrec ((name value) …) body …)",
  "letrec*": "(letrec* ((name value) …) body …)",
  do: "(do ((name value step) …) (test result …) body …)",
  loop: "(loop ((name value) …) body …), with (recur value …) in tail position",
  recur: "(recur value …), one value for each variable of its loop",
  lambda: "(lambda (name …) body …)",
  define: "(define name value) or (define (name parameter …) body …)",
  else: "else only as the last clause of cond or case",
  "=>": "=> only inside a clause of cond or case",
  unquote: ", only inside a quasiquote",
  "unquote-splicing": ",@ only inside a list of a quasiquote",
};

export function formError(message: string, span: Span, help?: string): NdvmError {
  return new NdvmError("E-FORM", message, { span, help });
}

/** The form is not shaped as it should be; `detail` says what is wrong with it. */
export function malformed(form: ListDatum, detail: string, at: Datum = form): NdvmError {
  const name = formName(form);
  return formError(`${name}: ${detail}`, at.span, `write ${own(shapes, name) ?? name}`);
}

/** (let ([x 1]) …): other Schemes take brackets for parentheses. */
export function bracketError(form: ListDatum, bracket: BracketDatum, what: string): NdvmError {
  const inside = bracket.items.length > 6 ? "…" : bracket.items.map(printShort).join(" ");
  const message = `${formName(form)}: brackets make vectors here; ${what} needs parentheses`;
  return formError(message, bracket.span, `write (${inside}) instead of [${inside}]`);
}

/** A datum that must be a list of this form, or the error that says why it is none. */
export function expectList(form: ListDatum, datum: Datum | undefined, what: string): ListDatum {
  if (datum === undefined) throw malformed(form, `${what} is missing`);
  if (datum.kind === "bracket") throw bracketError(form, datum, what);
  if (datum.kind !== "list") throw malformed(form, `${what} should be a list`, datum);
  if (datum.tail !== undefined) throw malformed(form, `${what} has a dot in it`, datum);
  return datum;
}

export function formName(form: ListDatum): string {
  const [head] = form.items;
  return head?.kind === "symbol" ? head.name : "form";
}

/** A datum in a message: never longer than a few words. */
export function printShort(datum: Datum): string {
  if (datum.span.end - datum.span.start > 200) return "…";
  const text = print(datum);
  return text.length > 30 ? `${text.slice(0, 29)}…` : text;
}
