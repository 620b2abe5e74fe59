/**
 * The expander's door: the datums of a program → core forms with resolved names.
 *
 * The program becomes one seq: the prelude definitions it needs, then its own definitions and
 * expressions in the order they were written. Definitions are in scope everywhere, so procedures
 * may refer to later ones.
 */

import { checkNames, namesOf } from "../option-names.js";
import { type BodyItem, isDefinition, isPlain, scanBody, visitTopDefinition } from "./body.js";
import { builtins } from "./builtins.js";
import type { Expansion, Variable } from "./core.js";
import type { Datum } from "./datum.js";
import { collectPrelude, preludeVariableOf } from "./expand-prelude.js";
import { Expander } from "./expander.js";
import { formError } from "./form-errors.js";
import { Scope } from "./scope.js";

export interface ExpandOptions {
  /** Names that are inputs even where they would mean a primitive or a special form. */
  readonly inputs?: readonly string[] | undefined;
}

const NAMES = namesOf<ExpandOptions>({ inputs: 1 });

/** Expands a program. The errors it throws have a span and no source: the caller knows that. */
export function expand(datums: readonly Datum[], options: ExpandOptions = {}): Expansion {
  checkNames("expand", options, NAMES);
  const declared = options.inputs ?? [];
  const scope = new Scope(builtins);
  for (const name of declared) scope.declareInput(name);
  const x = new Expander(scope, preludeVariableOf);
  const globals: Variable[] = [];
  const items = isPlain(x, datums) ? datums : scanBody(x, datums, 0);
  checkProgram(items, datums);
  for (const item of items) {
    if (isDefinition(item)) {
      globals.push(item.variable);
      visitTopDefinition(x, item);
    } else x.visit(item);
  }
  x.finish();
  const body = x.takeMany(items.length);
  const span = { start: 0, end: datums.at(-1)?.span.end ?? 0 };
  const inputs = withDeclared(x.inputs.inOrder(), declared);
  if (x.preludeKeys === undefined) {
    x.emit({ kind: "seq", body, span });
    return { nodes: x.nodes, inputs, globals };
  }
  const prelude = collectPrelude(x.preludeKeys);
  const nodes = prelude.flatMap((entry) => entry.nodes);
  for (const node of x.nodes) nodes.push(node);
  nodes.push({ kind: "seq", body: [...prelude.map(({ define }) => define), ...body], span });
  return { nodes, inputs, globals: [...prelude.map(({ variable }) => variable), ...globals] };
}

function checkProgram(items: readonly BodyItem[], datums: readonly Datum[]): void {
  const last = items.at(-1);
  if (last !== undefined && !isDefinition(last)) return;
  const span = datums.at(-1)?.span ?? { start: 0, end: 0 };
  const isEmpty = !items.some((item) => !isDefinition(item));
  const message = isEmpty
    ? "the program only defines things, so it has no value"
    : "the program ends with a definition, so it has no value";
  throw formError(message, span, "end it with the expression whose value you want");
}

/** Used inputs by first appearance, then the declared ones that the text never names. */
function withDeclared(names: string[], declared: readonly string[]): string[] {
  for (const name of declared) if (!names.includes(name)) names.push(name);
  return names;
}
