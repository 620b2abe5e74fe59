/**
 * Endless programs: those of which the text alone shows that they never give a value, since every
 * way through a loop comes to `recur`, or every way through a procedure to a call of one that never
 * returns. Such a program either goes on for ever or fails, so nothing is lost by not running it.
 *
 * What is said here is certain. Procedures are assumed never to return until a way through them is
 * found that does, pass by pass; where that takes too many passes, nothing is said. A program may of
 * course go on for ever without being found here.
 */

import type { Core, Datum, Expansion, Variable } from "@ndvm/core";

/** Passes over a program after which nothing is said. */
const PASSES_MAX = 8;

/** Why a program never gives a value; undefined where it may. */
export function endlessnessOf({ nodes }: Expansion): string | undefined {
  if (!nodes.some(({ kind }) => kind === "recur" || kind === "lambda")) return undefined;
  const names = namesOf(nodes);
  const procedures = new Set(names.values());
  const program = nodes.at(-1) as Core;
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const before = procedures.size;
    const endless = endlessIn(nodes, names, procedures);
    if (!endless.has(program)) return undefined;
    if (procedures.size === before) return wordsFor(program, endless);
  }
  return undefined;
}

/** The variables that stand for a procedure, by its node. Variables are never changed. */
function namesOf(nodes: readonly Core[]): ReadonlyMap<Core, Variable> {
  const names = new Map<Core, Variable>();
  const note = (variable: Variable, init: Core): void => {
    if (init.kind === "lambda") names.set(init, variable);
  };
  for (const node of nodes) {
    if (node.kind === "define") note(node.variable, node.init);
    else if (node.kind === "let" || node.kind === "letrec")
      for (let i = 0; i < node.inits.length; i++)
        note(node.variables[i] as Variable, node.inits[i] as Core);
  }
  return names;
}

/** Nodes that never give a value if `procedures` never return. Those that can are taken away. */
function endlessIn(
  nodes: readonly Core[],
  names: ReadonlyMap<Core, Variable>,
  procedures: Set<Variable>,
): ReadonlySet<Core> {
  const endless = new Set<Core>();
  for (const node of nodes) {
    const called = calledBy(node);
    if (partOf(node, endless) !== undefined || (called && procedures.has(called)))
      endless.add(node);
    const name = node.kind === "lambda" && !endless.has(node.body) ? names.get(node) : undefined;
    if (name !== undefined) procedures.delete(name);
  }
  return endless;
}

/** The variable that a call calls. */
const calledBy = (node: Core): Variable | undefined =>
  node.kind === "call" && node.operator.kind === "ref" ? node.operator.variable : undefined;

/** The part of a node that never gives a value, on every way through it; undefined: there is none. */
function partOf(node: Core, endless: ReadonlySet<Core>): Core | undefined {
  const first = (parts: readonly Core[]) => parts.find((part) => endless.has(part));
  switch (node.kind) {
    case "recur":
      return node;
    case "if": {
      const { test, then, else: otherwise } = node;
      if (test.kind === "const") return first([isFalse(test.value) ? otherwise : then]);
      if (endless.has(test)) return test;
      return endless.has(then) && endless.has(otherwise) ? then : undefined;
    }
    case "let":
    case "letrec":
    case "loop":
      return first(node.inits) ?? first([node.body]);
    case "seq":
      return first(node.body);
    case "define":
      return first([node.init]);
    case "call": {
      const { operator, operands } = node;
      const body = operator.kind === "lambda" ? [operator.body] : [];
      return first(operands) ?? first([operator]) ?? first(body);
    }
    default:
      return undefined;
  }
}

const isFalse = (value: Datum): boolean => value.kind === "boolean" && !value.value;

/** What a program comes to before it would give its value. */
function wordsFor(program: Core, endless: ReadonlySet<Core>): string {
  let at = program;
  for (let part = partOf(at, endless); part !== undefined && part !== at; ) {
    at = part;
    part = partOf(at, endless);
  }
  if (at.kind === "recur") return "a loop never ends: every way through it comes to recur";
  const name = calledBy(at)?.name;
  return `${name} never returns: every way through it calls a procedure that never returns`;
}
