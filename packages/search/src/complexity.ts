/**
 * Complexity: how large a program is, as users of symbolic regression count.
 *
 * Every operator, constant, parameter and variable counts 1: (* a (exp (* k t))) is 7. The count is
 * taken on core forms, so a derived form costs what it stands for:
 *
 *   (+ a b c)               as (+ (+ a b) c): an operator less than there are operands; so for
 *                           - * / min max and chains of comparisons
 *   (if t a b)              1 and its parts
 *   let, letrec             1 and its values and its body; a name counts where it is used
 *   loop                    1 and its initial values and its body; recur is 1 and its values
 *   lambda, define          1 and the body
 *   begin                   its parts
 *   quoted data             1 for each atom in it, and at least 1
 *
 * Procedures that the language itself defines (map, fold-left) count 1 where they are named.
 */

import { type Core, type Datum, type Expansion, expand, read } from "@ndvm/core";

/** Primitives whose calls with n operands stand for n − 1 operators. */
const folding: ReadonlySet<string> = new Set(
  "+ - * / min max = < > <= >= gcd lcm append".split(" "),
);

/** The complexity of a program. Throws what loading the program throws, if it is none. */
export function complexityOf(source: string, inputs: readonly string[] = []): number {
  return complexityOfCore(expand(read(source), { inputs }));
}

export function complexityOfCore({ nodes }: Expansion): number {
  let count = 0;
  for (const node of nodes) if (node.span.start >= 0) count += ownCount(node);
  return count;
}

/** What a node counts without its parts. */
function ownCount(node: Core): number {
  if (node.kind === "const") return atomsOf(node.value);
  if (node.kind === "seq") return 0;
  if (node.kind !== "call") return 1;
  const { operator, operands } = node;
  const isFolding = operator.kind === "primitive" && folding.has(operator.name);
  return isFolding ? Math.max(0, operands.length - 2) : 0;
}

function atomsOf(datum: Datum): number {
  let count = 0;
  const waiting: Datum[] = [datum];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.kind !== "list" && next.kind !== "bracket") count++;
    else {
      for (const item of next.items) waiting.push(item);
      if (next.kind === "list" && next.tail !== undefined) waiting.push(next.tail);
    }
  }
  return Math.max(1, count);
}
