/**
 * Forms that bind variables: let, let*, letrec, named let, loop with recur, do, lambda, define.
 */

import { NdvmError } from "../errors.js";
import {
  expandLambdaParts,
  makeVariable,
  makeVariables,
  visitBody,
  visitSequence,
} from "./body.js";
import type { LoopId } from "./core.js";
import type { Datum, ListDatum } from "./datum.js";
import type { Expander } from "./expander.js";
import { expectList, formError, malformed } from "./form-errors.js";
import type { FormExpander, LocalVariable } from "./scope.js";

interface Bindings {
  readonly variables: LocalVariable[];
  readonly inits: readonly Datum[];
}

/** ((name value) …) at item `at` of a form. */
function parseBindings(form: ListDatum, at: number): Bindings {
  const list = expectList(form, form.items[at], "the list of bindings");
  const names: Datum[] = [];
  const inits: Datum[] = [];
  for (const datum of list.items) {
    const parts = bindingParts(form, datum);
    names.push(parts[0] as Datum);
    inits.push(parts[1] as Datum);
  }
  if (form.items.length <= at + 1) throw malformed(form, "the body is missing");
  return { variables: makeVariables(form, names, "variable"), inits };
}

/** The name and the value of a binding. */
function bindingParts(form: ListDatum, datum: Datum): readonly Datum[] {
  const { items } = expectList(form, datum, "a binding");
  if (items.length !== 2) throw malformed(form, "a binding is a name and one value", datum);
  return items;
}

function visitInits(x: Expander, { variables, inits }: Bindings): void {
  for (let i = 0; i < inits.length; i++) {
    x.visit(inits[i] as Datum, false, (variables[i] as LocalVariable).name);
  }
}

export const expandLet: FormExpander = (x, form, tail) => {
  const target = form.items[1];
  if (target?.kind === "symbol") {
    expandNamedLet(x, form, target.name);
    return;
  }
  if (target?.kind === "list" && target.items.length === 0) {
    // No binding, no frame: only the scope of the body's definitions remains.
    if (form.items.length < 3) throw malformed(form, "the body is missing");
    visitBody(x, form, 2, tail);
    return;
  }
  const bindings = parseBindings(form, 1);
  visitInits(x, bindings);
  x.step(() => {
    const { variables } = bindings;
    x.scope.enterAll(variables);
    visitBody(x, form, 2, tail);
    x.step(() => {
      x.scope.leaveAll(variables);
      const body = x.take();
      const inits = x.takeMany(variables.length);
      x.emit({ kind: "let", variables, inits, body, span: form.span });
    });
  });
};

/** (let f ((v init) …) body …): a letrec of f around (f init …), the inits outside f's scope. */
function expandNamedLet(x: Expander, form: ListDatum, name: string): void {
  const { variables: params, inits } = parseBindings(form, 2);
  const { span } = form;
  const procedure = makeVariable(form, form.items[1] as Datum, "procedure");
  const variables = [procedure];
  const { loop } = x;
  x.loop = undefined;
  x.scope.enterAll(variables);
  x.scope.enterAll(params);
  visitBody(x, form, 3, true);
  x.step(() => {
    x.scope.leaveAll(params);
    x.scope.leaveAll(variables);
    x.loop = loop;
    x.emit({ kind: "lambda", params, rest: undefined, body: x.take(), name, span });
    x.emitRef(procedure, span);
    for (const init of inits) x.visit(init);
    x.step(() => {
      x.emitCall(inits.length, span);
      const body = x.take();
      x.emit({ kind: "letrec", variables, inits: [x.take()], body, span });
    });
  });
}

export const expandLetStar: FormExpander = (x, form, tail) => {
  const list = expectList(form, form.items[1], "the list of bindings");
  if (form.items.length < 3) throw malformed(form, "the body is missing");
  const variables: LocalVariable[] = [];
  const inits: Datum[] = [];
  // All of them are looked at before the first value is expanded.
  for (const datum of list.items) {
    const parts = bindingParts(form, datum);
    variables.push(makeVariable(form, parts[0] as Datum, "variable"));
    inits.push(parts[1] as Datum);
  }
  for (let i = 0; i < inits.length; i++) {
    const variable = variables[i] as LocalVariable;
    x.visit(inits[i] as Datum, false, variable.name);
    x.step(() => x.scope.enter(variable));
  }
  x.step(() => visitBody(x, form, 2, tail));
  x.step(() => {
    x.scope.leaveAll(variables);
    for (let i = variables.length - 1; i >= 0; i--) {
      const body = x.take();
      const variable = variables[i] as LocalVariable;
      x.emit({ kind: "let", variables: [variable], inits: [x.take()], body, span: form.span });
    }
  });
};

export const expandLetrec: FormExpander = (x, form, tail) => {
  const bindings = parseBindings(form, 1);
  const { variables } = bindings;
  x.scope.enterAll(variables);
  visitInits(x, bindings);
  x.step(() => visitBody(x, form, 2, tail));
  x.step(() => {
    x.scope.leaveAll(variables);
    const body = x.take();
    const inits = x.takeMany(variables.length);
    x.emit({ kind: "letrec", variables, inits, body, span: form.span });
  });
};

export const expandLambda: FormExpander = (x, form, _tail, name) => {
  const parameters = form.items[1];
  if (parameters === undefined) throw malformed(form, "the parameters are missing");
  if (form.items.length < 3) throw malformed(form, "the body is missing");
  expandLambdaParts(x, form, parameters, name);
};

/** Reached only where no body is: bodies and the program take their definitions first. */
export const expandMisplacedDefine: FormExpander = (_x, form) => {
  const help = "definitions stand at the top level or at the start of a body";
  throw formError("define cannot stand where a value is needed", form.span, help);
};

export const expandLoop: FormExpander = (x, form) => {
  const bindings = parseBindings(form, 1);
  const { variables } = bindings;
  const id: LoopId = { arity: variables.length, mark: 0 };
  visitInits(x, bindings);
  x.step(() => {
    const outer = x.loop;
    x.loop = { id, names: variables.map((variable) => variable.name) };
    x.scope.enterAll(variables);
    visitBody(x, form, 2, true);
    x.step(() => {
      x.scope.leaveAll(variables);
      x.loop = outer;
      const body = x.take();
      const inits = x.takeMany(variables.length);
      x.emit({ kind: "loop", loop: id, variables, inits, body, span: form.span });
    });
  });
};

export const expandRecur: FormExpander = (x, form, tail) => {
  const { loop } = x;
  const { span } = form;
  if (loop === undefined) {
    const help = "write (loop ((x x0) …) … (recur next …)); a lambda between them cuts the tie";
    throw formError("recur stands outside a loop", span, help);
  }
  if (loop.id === undefined) {
    throw formError("recur cannot continue a do", span, "write the do as a loop");
  }
  if (!tail) {
    const help = "nothing may be left to do after recur; carry the rest in a loop variable";
    throw formError("recur is not in tail position of its loop", span, help);
  }
  const count = form.items.length - 1;
  if (count !== loop.id.arity) throw recurArity(form, loop.names);
  const { id } = loop;
  for (let i = 1; i <= count; i++) x.visit(form.items[i] as Datum);
  x.step(() => x.emit({ kind: "recur", loop: id, operands: x.takeMany(count), span }));
};

function recurArity(form: ListDatum, names: readonly string[]): NdvmError {
  const wanted = names.length === 1 ? "1 value" : `${names.length} values`;
  const message = `recur takes ${wanted}, got ${form.items.length - 1}`;
  const help = `its loop has the variables (${names.join(" ")})`;
  return new NdvmError("E-ARITY", message, { span: form.span, help });
}

/** (do ((v init step) …) (test result …) body …) is a loop whose recur takes the steps. */
export const expandDo: FormExpander = (x, form) => {
  const { items, span } = form;
  const list = expectList(form, items[1], "the list of bindings");
  const exit = expectList(form, items[2], "the exit clause");
  const bindings = list.items.map((datum) => {
    const { items: parts } = expectList(form, datum, "a binding");
    if (parts.length === 2 || parts.length === 3) return parts;
    throw malformed(form, "a binding is a name, a value and perhaps a step", datum);
  });
  const names = bindings.map((parts) => parts[0] as Datum);
  const variables = makeVariables(form, names, "variable");
  const id: LoopId = { arity: variables.length, mark: 0 };
  for (const parts of bindings) x.visit(parts[1] as Datum);
  x.step(() => {
    const outer = x.loop;
    x.loop = { id: undefined, names: [] };
    x.scope.enterAll(variables);
    const steps = bindings.map((parts) => parts[2]);
    visitDoTurn(x, form, exit, { id, variables, steps });
    x.step(() => {
      x.scope.leaveAll(variables);
      x.loop = outer;
      const body = x.take();
      const inits = x.takeMany(variables.length);
      x.emit({ kind: "loop", loop: id, variables, inits, body, span });
    });
  });
};

interface DoLoop {
  readonly id: LoopId;
  readonly variables: readonly LocalVariable[];
  readonly steps: readonly (Datum | undefined)[];
}

/** Schedules (if test result (begin body … (recur step …))). */
function visitDoTurn(x: Expander, form: ListDatum, exit: ListDatum, loop: DoLoop): void {
  const { items, span } = form;
  const [test] = exit.items;
  if (test === undefined) throw malformed(form, "the exit clause has no test", exit);
  x.visit(test);
  if (exit.items.length > 1) visitSequence(x, exit.items, 1, false, exit.span);
  else x.step(() => x.emitUnspecified(exit.span));
  for (let i = 3; i < items.length; i++) x.visit(items[i] as Datum);
  loop.steps.forEach((step, i) => {
    if (step !== undefined) x.visit(step);
    else x.step(() => x.emitRef(loop.variables[i] as LocalVariable, span));
  });
  x.step(() => {
    const operands = x.takeMany(loop.steps.length);
    x.emit({ kind: "recur", loop: loop.id, operands, span });
    const bodyCount = items.length - 3;
    if (bodyCount > 0) x.emit({ kind: "seq", body: x.takeMany(bodyCount + 1), span });
    x.emitIf(span);
  });
}
