/**
 * The prelude as core forms. A definition is expanded when a program first needs it and kept for the
 * process: it depends on no program.
 */

import type { Span } from "../errors.js";
import { parseDefinition, visitTopDefinition } from "./body.js";
import { builtins } from "./builtins.js";
import type { Core, Variable } from "./core.js";
import type { ListDatum } from "./datum.js";
import { Expander } from "./expander.js";
import { preludeKeys, preludeText } from "./prelude.js";
import { read } from "./read.js";
import { LocalVariable, type Meaning, Scope } from "./scope.js";

/** The span of prelude nodes: they are in nobody's source. */
export const preludeSpan: Span = { start: -1, end: -1 };

export interface PreludeEntry {
  readonly variable: Variable;
  readonly define: Core;
  /** In post-order, the definition last. */
  readonly nodes: readonly Core[];
  /** The other prelude definitions it refers to. */
  readonly uses: ReadonlySet<string>;
}

const variables: ReadonlyMap<string, LocalVariable> = new Map(
  preludeKeys.map((key) => [key, new LocalVariable(key.replace("%", ""))]),
);
const entries = new Map<string, PreludeEntry>();

export function preludeVariableOf(key: string): LocalVariable {
  const variable = variables.get(key);
  if (variable === undefined) throw new Error(`the prelude has no ${key}`);
  return variable;
}

/** The entries for these keys and for all that they refer to. */
export function collectPrelude(keys: ReadonlySet<string>): PreludeEntry[] {
  const wanted = new Set(keys);
  const collected: PreludeEntry[] = [];
  // A Set visits what is added to it on the way.
  for (const key of wanted) {
    const entry = entries.get(key) ?? expandEntry(key);
    entries.set(key, entry);
    collected.push(entry);
    for (const use of entry.uses) wanted.add(use);
  }
  return collected;
}

function expandEntry(key: string): PreludeEntry {
  const x = new Expander(new Scope(preludeScope()), preludeVariableOf);
  const variable = preludeVariableOf(key);
  const [form] = read(preludeText(key));
  visitTopDefinition(x, { ...parseDefinition(form as ListDatum), variable });
  x.finish();
  const nodes = x.nodes as { span: Span }[];
  for (const node of nodes) node.span = preludeSpan;
  return { variable, define: x.take(), nodes: x.nodes, uses: x.preludeKeys ?? new Set() };
}

/** Prelude definitions see the names that only they may use, those that start with %. */
function preludeScope(): ReadonlyMap<string, Meaning> {
  const scope = new Map(builtins);
  for (const key of preludeKeys) {
    if (key.startsWith("%")) {
      scope.set(key, { kind: "prelude", name: key, key, arity: { min: 0, max: Infinity } });
    }
  }
  return scope;
}
