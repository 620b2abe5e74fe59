/**
 * Generates wasm/generated/ops.ts: op codes, ranges and arities. The file holds nothing but integer
 * constants and three functions, so both tsc and asc can read it. And src/primitives/rows.ts, the
 * same for what reads programs.
 */
import { type Kind, kinds, type Primitive, primitives } from "./index.js";

/** `listRef` → `LIST_REF`. */
const constantCase = (name: string): string =>
  name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();

export const opConstant = (name: string): string => `OP_${constantCase(name)}`;

/** Whether a record of the op has anything to do in the backward pass. */
const isDifferentiable = (p: Primitive): boolean => !("adjoint" in p) || p.adjoint !== "none";

/** A switch from op code to a small number; the most frequent answer is the default. */
function opSwitch(name: string, doc: string, answer: (p: Primitive) => number): string {
  const answers = new Map<number, string[]>();
  for (const p of primitives) {
    const list = answers.get(answer(p)) ?? [];
    list.push(opConstant(p.name));
    answers.set(answer(p), list);
  }
  const [most, ...rest] = [...answers].sort((a, b) => b[1].length - a[1].length);
  const cases = rest.map(
    ([value, ops]) => `${ops.map((op) => `    case ${op}:\n`).join("")}      return ${value};\n`,
  );
  return (
    `/** ${doc} */\nexport function ${name}(op: i32): i32 {\n  switch (op) {\n` +
    `${cases.join("")}    default:\n      return ${most?.[0]};\n  }\n}\n`
  );
}

const opsOf = (kind: Kind): number[] => primitives.filter((p) => p.kind === kind).map((p) => p.op);

const mostOperands = ({ arity: { max } }: Primitive) => (Number.isFinite(max) ? max : -1);

export function generateOps(): string {
  const ranges = [
    ...kinds.map((kind) => [constantCase(kind), kind, kind] as const),
    ["ELEMENTWISE", "unary", "binary"] as const,
    ["PREDICATE", "unaryPredicate", "binaryPredicate"] as const,
    ["STRUCTURED", "structuredUnary", "structuredBinary"] as const,
  ].flatMap(([name, from, to]) => [
    `export const OP_${name}_FIRST: i32 = ${Math.min(...opsOf(from))};`,
    `export const OP_${name}_LAST: i32 = ${Math.max(...opsOf(to))};`,
  ]);
  const codes = primitives.map((p) => {
    const comment = p.scheme === undefined ? "internal" : [p.scheme, ...p.aliases].join(", ");
    return `export const ${opConstant(p.name)}: i32 = ${p.op}; // ${comment}`;
  });
  return [
    "/**\n * Op codes, their ranges by kind, and arities.\n" +
      " * Generated from src/primitives by `npm run gen`; do not edit.\n */\n",
    `export const OP_COUNT: i32 = ${primitives.length};\n`,
    `// Ranges, both ends included.\n${ranges.join("\n")}\n`,
    `${codes.join("\n")}\n`,
    opSwitch("opArityMin", "The fewest arguments an op takes.", (p) => p.arity.min),
    opSwitch("opArityMax", "The most arguments an op takes; -1: any number.", mostOperands),
    opSwitch("opDifferentiable", "1: the op passes gradients, 0: it records nothing.", (p) =>
      isDifferentiable(p) ? 1 : 0,
    ),
  ].join("\n");
}

/** Primitives by op code: name, kind, fewest and most operands (-1: any number), surface names. */
export function generateRows(): string {
  const lines = primitives.map((p) => {
    const names = p.scheme === undefined ? [] : [p.scheme, ...p.aliases];
    return `  ${JSON.stringify([p.name, p.kind, p.arity.min, mostOperands(p), ...names]).replaceAll(",", ", ")},\n`;
  });
  return (
    "/**\n * Primitives by op code: name, kind, fewest and most operands (-1: any number), surface names.\n" +
    " * Generated from the declarations by `npm run gen`; do not edit.\n */\n\n" +
    `export const rows = [\n${lines.join("")}] as const;\n`
  );
}
