/**
 * The expander's engine: a stack of work instead of deep host recursion.
 *
 * A form's expander schedules visits of its parts and steps between them, in the order they should
 * run; whatever one of them schedules runs before what was scheduled earlier. A step takes finished
 * nodes from `done` and emits the node built of them.
 *
 * What nothing waits before is done at once, unless the forms nest deeply: most programs are
 * expanded without anything on the stack, which takes half the time. So a form's expander must not
 * ask for the scope or the loop after it has scheduled something.
 *
 * Invariant: `nodes` is in post-order, because a node is emitted when its last part is done.
 */

import { NdvmError, type Span } from "../errors.js";
import type { Arity } from "../primitives/registry.js";
import type { Core, LoopId, Variable } from "./core.js";
import type { BracketDatum, Datum, ListDatum, SymbolDatum } from "./datum.js";
import { formError, formName } from "./form-errors.js";
import { FreeNames } from "./free-names.js";
import type { FormMeaning, Meaning, PreludeMeaning, RefusedMeaning, Scope } from "./scope.js";
import { isRefusedAsValue, suggest } from "./suggest.js";

/** What `recur` would belong to at this point of the program. */
export interface LoopContext {
  /** Undefined inside a `do`, whose turns are not the user's to take. */
  readonly id: LoopId | undefined;
  readonly names: readonly string[];
}

interface Visit {
  readonly datum: Datum;
  readonly tail: boolean;
  readonly name: string | undefined;
}

type Work = Visit | (() => void);

/** So deep visits and steps are done at once; each takes a few frames of the host's stack. */
const DEPTH_MAX = 64;

export class Expander {
  readonly nodes: Core[] = [];
  /** The nearest loop around the work at hand, unless a lambda is between. */
  loop: LoopContext | undefined;
  /** Prelude definitions the program refers to. */
  preludeKeys: Set<string> | undefined;
  readonly inputs = new FreeNames();

  private readonly done: Core[] = [];
  private readonly work: Work[] = [];
  /** How much work there was before the visit or step that runs. */
  private mark = 0;
  private depth = 0;

  constructor(
    readonly scope: Scope,
    private readonly preludeVariableOf: (key: string) => Variable,
  ) {}

  /** Schedules the expansion of a datum. `name`: what a lambda found there is called. */
  visit(datum: Datum, tail = false, name?: string): void {
    if (!this.isFree()) this.work.push({ datum, tail, name });
    else if (datum.kind === "symbol") this.expandSymbol(datum);
    else {
      this.depth++;
      this.expandDatum(datum, tail, name);
      this.depth--;
    }
  }

  /** Schedules a step after everything scheduled so far by the same step. */
  step(action: () => void): void {
    if (!this.isFree()) this.work.push(action);
    else {
      this.depth++;
      action();
      this.depth--;
    }
  }

  /** Whether what is scheduled now can be done at once. */
  private isFree(): boolean {
    return this.work.length === this.mark && this.depth < DEPTH_MAX;
  }

  /** Does all that has been scheduled and not done at once, and what it leads to. */
  finish(): void {
    const { work } = this;
    reverseFrom(work, 0);
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      this.mark = work.length;
      if (typeof next === "function") next();
      else this.expandDatum(next.datum, next.tail, next.name);
      reverseFrom(work, this.mark);
    }
  }

  emit(node: Core): void {
    this.nodes.push(node);
    this.done.push(node);
  }

  /** The last finished node. */
  take(): Core {
    const node = this.done.pop();
    if (node === undefined) throw new Error("the expander took a node that nobody made");
    return node;
  }

  /** The last `count` finished nodes, in the order they were made. */
  takeMany(count: number): Core[] {
    const taken = new Array<Core>(count);
    for (let i = count - 1; i >= 0; i--) taken[i] = this.take();
    return taken;
  }

  emitPrimitive(name: string, span: Span): void {
    this.emit({ kind: "primitive", name, span });
  }

  emitRef(variable: Variable, span: Span): void {
    this.emit({ kind: "ref", variable, span });
  }

  emitUnspecified(span: Span): void {
    this.emit({ kind: "unspecified", span });
  }

  emitBoolean(value: boolean, span: Span): void {
    this.emit({ kind: "const", value: { kind: "boolean", value, span }, span });
  }

  /** An `if` of the last three nodes. */
  emitIf(span: Span): void {
    const otherwise = this.take();
    const consequent = this.take();
    const test = this.take();
    // biome-ignore lint/suspicious/noThenProperty: a part of the core form, which nobody awaits
    this.emit({ kind: "if", test, then: consequent, else: otherwise, span });
  }

  /** A call of the last `count` nodes, with the node before them as operator. */
  emitCall(count: number, span: Span): void {
    const operands = this.takeMany(count);
    const operator = this.take();
    this.emit({ kind: "call", operator, operands, span });
  }

  private expandDatum(datum: Datum, tail: boolean, name: string | undefined): void {
    if (datum.kind === "list") this.expandList(datum, tail, name);
    else if (datum.kind === "bracket") this.expandBracket(datum);
    else this.expandAtom(datum);
  }

  private expandAtom(datum: Exclude<Datum, ListDatum | BracketDatum>): void {
    if (datum.kind === "symbol") this.expandSymbol(datum);
    else this.emit({ kind: "const", value: datum, span: datum.span });
  }

  private expandSymbol(symbol: SymbolDatum): void {
    const { name, span } = symbol;
    const meaning = this.scope.lookup(name);
    if (meaning === undefined) this.emitInput(name, span);
    else if (meaning.kind === "variable") this.emitRef(meaning, span);
    else if (meaning.kind === "input") this.emitInput(name, span);
    else if (meaning.kind === "primitive") this.emitPrimitive(meaning.name, span);
    else if (meaning.kind === "prelude") this.emitPrelude(meaning.key, span);
    else if (meaning.kind === "constant") this.emitNumber(meaning.value, span);
    else if (meaning.kind === "form") throw misusedKeyword(name, span);
    else if (isRefusedAsValue(name)) throw refusal(name, meaning, span);
    else this.emitInput(name, span);
  }

  private emitNumber(value: number, span: Span): void {
    this.emit({ kind: "const", value: { kind: "number", value, exact: false, span }, span });
  }

  private emitInput(name: string, span: Span): void {
    this.inputs.note(name, span.start);
    this.emit({ kind: "input", name, span });
  }

  private emitPrelude(key: string, span: Span): void {
    this.preludeKeys ??= new Set();
    this.preludeKeys.add(key);
    this.emitRef(this.preludeVariableOf(key), span);
  }

  private expandBracket(bracket: BracketDatum): void {
    this.emitPrimitive("vec", bracket.span);
    this.expandOperands(bracket.items, 0, bracket.span);
  }

  private expandList(form: ListDatum, tail: boolean, name: string | undefined): void {
    const head = form.items[0];
    if (head === undefined) {
      throw formError("() is not an expression", form.span, "write '() for the empty list");
    }
    if (head.kind === "symbol") {
      const meaning = this.scope.lookup(head.name);
      if (meaning?.kind === "form") {
        checkProper(form);
        meaning.expand(this, form, tail, name);
        return;
      }
      this.expandNamedCall(form, head, meaning);
      return;
    }
    checkProper(form);
    this.visit(head);
    for (let i = 1; i < form.items.length; i++) this.visit(form.items[i] as Datum);
    this.step(() => this.emitCall(form.items.length - 1, form.span));
  }

  private expandNamedCall(
    form: ListDatum,
    head: SymbolDatum,
    meaning: Exclude<Meaning, FormMeaning> | undefined,
  ): void {
    const { name, span } = head;
    if (meaning === undefined) throw unbound(name, span, this.scope);
    if (meaning.kind === "refused") throw refusal(name, meaning, form.span);
    checkProper(form);
    if (meaning.kind === "prelude") {
      this.expandPreludeCall(form, meaning, span);
      return;
    }
    if (meaning.kind === "variable") this.emitRef(meaning, span);
    else if (meaning.kind === "input") this.emitInput(name, span);
    else if (meaning.kind === "constant") this.emitNumber(meaning.value, span);
    else {
      checkArity(form, meaning.arity);
      this.emitPrimitive(meaning.name, span);
    }
    this.expandOperands(form.items, 1, form.span);
  }

  private expandPreludeCall(form: ListDatum, meaning: PreludeMeaning, span: Span): void {
    checkArity(form, meaning.arity);
    const count = form.items.length - 1;
    const shortcut = meaning.shortcut?.count === count ? meaning.shortcut : undefined;
    if (shortcut === undefined || "key" in shortcut) {
      this.emitPrelude(shortcut?.key ?? meaning.key, span);
      this.expandOperands(form.items, 1, form.span);
      return;
    }
    const { primitives } = shortcut;
    for (const name of primitives) this.emitPrimitive(name, span);
    this.expandOperands(form.items, 1, form.span);
    this.step(() => {
      for (let i = 1; i < primitives.length; i++) this.emitCall(1, form.span);
    });
  }

  /** A call of the last emitted node. */
  private expandOperands(items: readonly Datum[], first: number, span: Span): void {
    const count = items.length - first;
    for (let at = first; at < items.length; at++) this.visit(items[at] as Datum);
    // No closure where none is needed.
    if (this.isFree()) this.emitCall(count, span);
    else this.step(() => this.emitCall(count, span));
  }
}

function reverseFrom(work: Work[], first: number): void {
  for (let low = first, high = work.length - 1; low < high; low++, high--) {
    const item = work[low] as Work;
    work[low] = work[high] as Work;
    work[high] = item;
  }
}

function checkProper(form: ListDatum): void {
  if (form.tail !== undefined) {
    throw formError(`a dot has no place in ${formName(form)}`, form.tail.span, "remove the dot");
  }
}

function checkArity(form: ListDatum, arity: Arity): void {
  const count = form.items.length - 1;
  if (count >= arity.min && count <= arity.max) return;
  const message = `${formName(form)} takes ${describeArity(arity)}, got ${count}`;
  throw new NdvmError("E-ARITY", message, {
    span: form.span,
    help: "count the arguments of the call; (apply f list) passes one for each element",
  });
}

function describeArity({ min, max }: Arity): string {
  const noun = (count: number) => (count === 1 ? "1 argument" : `${count} arguments`);
  if (max === Infinity) return `at least ${noun(min)}`;
  if (min === max) return noun(min);
  return max === min + 1 ? `${min} or ${noun(max)}` : `${min} to ${noun(max)}`;
}

function misusedKeyword(name: string, span: Span): NdvmError {
  const help = `${name} is a word of the language; declare it as an input to use it as a name`;
  return formError(`${name} is not a value`, span, help);
}

function refusal(name: string, meaning: RefusedMeaning, span: Span): NdvmError {
  const message = `${name} is left out of this language`;
  return new NdvmError("E-REFUSED", message, { span, help: meaning.help });
}

function unbound(name: string, span: Span, scope: Scope): NdvmError {
  const help = suggest(name, scope.names());
  return new NdvmError("E-UNBOUND", `nothing called ${name} is defined`, { span, help });
}
