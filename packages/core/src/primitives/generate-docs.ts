/** Generates docs/primitives.md: one table per group, with the formulas of forward and adjoint. */
import type { Arity, Group } from "./define.js";
import { formulaText } from "./formula.js";
import { adjointGraphs, forwardGraph } from "./generate-kernels.js";
import { documentedElsewhere, type Primitive, primitives } from "./index.js";

const INTRODUCTION = `# Primitives

Generated from \`packages/core/src/primitives\` by \`npm run gen\`; do not edit.

In formulas x and y are the operands, z is the result and g the adjoint of the result. An adjoint is
what the operand's own adjoint receives; "—" means that no gradient passes. Element-wise
primitives work on numbers, vectors and matrices; a number meets a vector or matrix by broadcasting,
and its adjoint is then the sum over the elements. With more than two arguments a primitive of two
operands folds from the left. Comparisons chain.
`;

const TITLES: readonly (readonly [Group, string])[] = [
  ["numbers", "Numbers"],
  ["vectors", "Vectors and matrices"],
  ["structure", "Structure"],
  ["internal", "Internal"],
];

function arityText({ min, max }: Arity): string {
  if (max === min) return `${min}`;
  return Number.isFinite(max) ? `${min}–${max}` : `${min} …`;
}

/** The formulas of forward and adjoint, where there are any. */
function formulasOf(p: Primitive): readonly [string, string] {
  switch (p.kind) {
    case "unary":
    case "binary": {
      const { x, y } = adjointGraphs(p) ?? {};
      const parts = [x && `x: ${formulaText(x)}`, y && `y: ${formulaText(y)}`].filter(Boolean);
      return [formulaText(forwardGraph(p)), parts.join("; ") || "—"];
    }
    case "unaryPredicate":
    case "binaryPredicate":
      return [formulaText(forwardGraph(p)), "—"];
    case "structural":
      return ["", ""];
    default:
      return [p.formula, p.adjointFormula];
  }
}

const code = (text: string) => `\`${text}\``;
const cell = (text: string) => text.replaceAll("|", "\\|");
const row = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");

const namesOf = (p: Primitive) =>
  p.scheme === undefined ? p.name : [p.scheme, ...p.aliases].map(code).join(", ");

function computedTable(list: readonly Primitive[]): string {
  const rows = list.map((p) => {
    const [formula, adjoint] = formulasOf(p);
    const domain = "domain" in p ? (p.domain ?? "") : "";
    return [namesOf(p), arityText(p.arity), p.doc, formula, adjoint, domain];
  });
  return table(["name", "arguments", "meaning", "formula", "adjoint", "domain"], rows);
}

function structuralTable(list: readonly Primitive[], group: Group): string {
  const rows = list.map((p) => [namesOf(p), arityText(p.arity), p.doc]);
  const elsewhere = documentedElsewhere.map(({ scheme, arity: [min, max], doc }) => [
    code(scheme),
    arityText({ min, max }),
    doc,
  ]);
  const all = group === "structure" ? [...rows, ...elsewhere] : rows;
  return table(["name", "arguments", "meaning"], all);
}

export function generateDocs(): string {
  const sections = TITLES.map(([group, title]) => {
    const list = primitives.filter((p) => p.group === group);
    const computed = list.filter((p) => p.kind !== "structural");
    const structural = list.filter((p) => p.kind === "structural");
    const tables = [
      ...(computed.length > 0 ? [computedTable(computed)] : []),
      ...(structural.length > 0 ? [structuralTable(structural, group)] : []),
    ];
    return `## ${title}\n\n${tables.join("\n\n")}\n`;
  });
  return [INTRODUCTION, ...sections].join("\n");
}
