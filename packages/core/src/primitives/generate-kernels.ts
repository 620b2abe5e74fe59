/**
 * Generates the element-wise kernels (wasm/generated/unary.ts, binary.ts, predicates.ts) and the
 * switches that dispatch to kernels by op code (elementwise.ts, structured.ts).
 *
 * A kernel reads its operand block once and loops over elements, then lanes. The steps from one
 * element to the next are read only when there is a next element, which makes scalars the fast path.
 * An adjoint treats one operand after the other: for every target the order of additions is the
 * same as if both were treated at once, since a target that both share has elements of its own.
 */
import type { ElementwiseDeclaration, PredicateDeclaration } from "./define.js";
import { formulaText } from "./formula.js";
import { opConstant } from "./generate-ops.js";
import { type Leaf, leavesOf, type Node, newGraph } from "./graph.js";
import { type Primitive, primitives } from "./index.js";
import { simdText } from "./simd.js";

type Kernel = { readonly text: string; readonly imports: readonly string[] };
type Computed = ElementwiseDeclaration | PredicateDeclaration;

const HEADER = "Generated from src/primitives by `npm run gen`; do not edit.";

/** The forward graph of a declaration. */
export function forwardGraph(declaration: Computed): Node {
  const { k, leaves } = newGraph();
  return declaration.forward(k, leaves);
}

/** The adjoint graphs by operand; undefined where nothing is passed on. */
export function adjointGraphs(
  declaration: ElementwiseDeclaration,
): { readonly x: Node; readonly y?: Node } | undefined {
  const { k, leaves } = newGraph();
  return declaration.adjoint === "none" ? undefined : declaration.adjoint(k, leaves);
}

/** Where each leaf comes from: its block fields, and how a run of lanes is addressed. */
const SOURCES: Readonly<Record<Leaf, { field: string; isPrimal: boolean }>> = {
  g: { field: "GZ", isPrimal: false },
  x: { field: "X", isPrimal: true },
  y: { field: "Y", isPrimal: true },
  z: { field: "Z", isPrimal: true },
};

/** The loop of one kernel: `target[lane] = result`, or `+=`. */
interface Loop {
  readonly leaves: readonly Leaf[];
  readonly target: string;
  readonly targetStep: string;
  readonly run: string;
  readonly body: readonly string[];
}

const load = (field: string) => `load<usize>(at, BLOCK_${field})`;

function loopText({ leaves, target, targetStep, run, body }: Loop): string[] {
  const primals = leaves.filter((leaf) => SOURCES[leaf].isPrimal);
  const address = (leaf: Leaf) =>
    SOURCES[leaf].isPrimal ? `${leaf} + (b & ${leaf}Mask)` : `${leaf} + b`;
  const step = (leaf: Leaf) => (SOURCES[leaf].isPrimal ? load(`${SOURCES[leaf].field}_STEP`) : run);
  return [
    ...leaves.map((leaf) => `let ${leaf} = ${load(SOURCES[leaf].field)};`),
    ...primals.map((leaf) => `const ${leaf}Mask = ${load(`${SOURCES[leaf].field}_MASK`)};`),
    `const run = ${run};`,
    "for (let left = load<u32>(at, BLOCK_COUNT); left != 0;) {",
    "  for (let b: usize = 0; b < run; b += 16) {",
    ...leaves.map((leaf) => `    const ${leaf}v = v128.load(${address(leaf)});`),
    ...body.map((line) => `    ${line}`),
    "  }",
    "  if (--left == 0) break;",
    `  ${target} += ${targetStep};`,
    ...leaves.map((leaf) => `  ${leaf} += ${step(leaf) === run ? "run" : step(leaf)};`),
    "}",
  ];
}

const indent = (lines: readonly string[], by: string) => lines.map((line) => by + line).join("\n");

function forwardKernel(declaration: Computed): Kernel {
  const root = forwardGraph(declaration);
  const { bindings, results, imports } = simdText([root]);
  const lines = [
    `let z = ${load("Z")};`,
    ...loopText({
      leaves: leavesOf([root]),
      target: "z",
      targetStep: load("Z_STEP"),
      run: load("Z_RUN"),
      body: [...bindings, `v128.store(z + b, ${results[0]});`],
    }),
  ];
  const text =
    `/** z = ${formulaText(root)} */\n` +
    `export function ${declaration.name}Forward(at: usize): void {\n${indent(lines, "  ")}\n}\n`;
  return { text, imports };
}

/** The part of an adjoint kernel that adds to one operand's adjoint. */
function adjointPart(operand: "x" | "y", root: Node): Kernel {
  const { bindings, results, imports } = simdText([root]);
  const target = `g${operand}`;
  const field = target.toUpperCase();
  const lines = [
    `let ${target} = ${load(field)};`,
    `if (${target}) {`,
    ...loopText({
      leaves: leavesOf([root]),
      target,
      targetStep: load(`${field}_STEP`),
      run: load("RUN"),
      body: [
        ...bindings,
        `v128.store(${target} + b, v128.add<real>(v128.load(${target} + b), ${results[0]}));`,
      ],
    }).map((line) => `  ${line}`),
    "}",
  ];
  return { text: indent(lines, "  "), imports };
}

function adjointKernel(declaration: ElementwiseDeclaration): Kernel | undefined {
  const graphs = adjointGraphs(declaration);
  if (!graphs) return undefined;
  const parts = (["x", "y"] as const).flatMap((operand) => {
    const root = graphs[operand];
    return root ? [{ operand, root, ...adjointPart(operand, root) }] : [];
  });
  const doc = parts.map(({ operand, root }) => `g${operand} += ${formulaText(root)}`).join("; ");
  return {
    text:
      `/** ${doc} */\nexport function ${declaration.name}Adjoint(at: usize): void {\n` +
      `${parts.map((part) => part.text).join("\n")}\n}\n`,
    imports: parts.flatMap((part) => part.imports),
  };
}

const wrap = (names: readonly string[], from: string) =>
  names.length === 0 ? [] : [`import {\n  ${names.join(",\n  ")},\n} from "${from}";`];

/** A file of kernels with the imports that its text needs. */
function kernelFile(title: string, kernels: readonly Kernel[]): string {
  const body = kernels.map((kernel) => kernel.text).join("\n");
  const fields = [...new Set(body.match(/\bBLOCK_\w+/g))].sort();
  const math = [...new Set(kernels.flatMap((kernel) => kernel.imports))].sort();
  const imports = [
    ...wrap(fields, "../../src/program/layout"),
    ...wrap(math, "../math/index"),
  ].join("\n");
  return `/**\n * ${title}\n * ${HEADER}\n */\n${imports}\n\n${body}`;
}

const computed = primitives.filter(
  (p): p is Primitive & Computed => "forward" in p,
) as readonly Computed[];
const elementwise = computed.filter(
  (p): p is ElementwiseDeclaration => p.kind === "unary" || p.kind === "binary",
);
const predicates = computed.filter(
  (p) => p.kind === "unaryPredicate" || p.kind === "binaryPredicate",
);
const structured = primitives.filter((p) => "kernel" in p);

function elementwiseFile(kind: "unary" | "binary", title: string): string {
  const kernels = elementwise
    .filter((p) => p.kind === kind)
    .flatMap((p) => [forwardKernel(p), adjointKernel(p) ?? []].flat());
  return kernelFile(title, kernels);
}

/** A dispatch function: one case per op, in the order of the codes. */
function dispatch(
  name: string,
  doc: string,
  cases: readonly (readonly [string, string])[],
): string {
  const lines = cases.map(([op, call]) => `    case ${opConstant(op)}: ${call}(at); return;\n`);
  return (
    `/** ${doc} */\nexport function ${name}(op: i32, at: usize): void {\n` +
    `  switch (op) {\n${lines.join("")}  }\n}\n`
  );
}

/** A file of switches with its imports; `homeOf` says where a kernel lives. */
function dispatchFile(
  title: string,
  functions: readonly string[],
  homeOf: (kernel: string) => string,
): string {
  const body = functions.join("\n");
  const ops = [...new Set(body.match(/\bOP_\w+/g))];
  const kernels = [...new Set(body.match(/\w+(?:Forward|Adjoint)(?=\(at\))/g))].sort();
  const homes = [...new Set(kernels.map(homeOf))].sort();
  const imports = [
    ...homes.flatMap((home) =>
      wrap(
        kernels.filter((kernel) => homeOf(kernel) === home),
        home,
      ),
    ),
    ...wrap(ops, "./ops"),
  ].join("\n");
  return `/**\n * ${title}\n * ${HEADER}\n */\n${imports}\n\n${body}`;
}

const isPass = (p: ElementwiseDeclaration) => p.adjoint !== "none";
const kernelHome = new Map<string, string>([
  ...elementwise.map((p) => [p.name, `./${p.kind}`] as const),
  ...predicates.map((p) => [p.name, "./predicates"] as const),
]);
const homeOf = (kernel: string) =>
  kernelHome.get(kernel.replace(/(Forward|Adjoint)$/, "")) ?? "../linalg/index";

function elementwiseDispatch(): string {
  const forward = (p: Computed) => [p.name, `${p.name}Forward`] as const;
  return dispatchFile(
    "Element-wise kernels by op code.",
    [
      dispatch("forwardElementwise", "Unary and binary ops.", elementwise.map(forward)),
      dispatch(
        "adjointElementwise",
        "Ops that are constant almost everywhere have no adjoint and no case here.",
        elementwise.filter(isPass).map((p) => [p.name, `${p.name}Adjoint`] as const),
      ),
      dispatch("forwardPredicate", "Tests: z receives a mask per lane.", predicates.map(forward)),
    ],
    homeOf,
  );
}

function structuredDispatch(): string {
  const cases = (direction: string) =>
    structured.map((p) => [p.name, `${p.kernel}${direction}`] as const);
  return dispatchFile(
    "Structured kernels and movers of elements by op code.",
    [
      dispatch("forwardStructured", "Structured ops, place and pick.", cases("Forward")),
      dispatch("adjointStructured", "Structured ops, place and pick.", cases("Adjoint")),
    ],
    homeOf,
  );
}

/** Generated files by name within wasm/generated. */
export function generateKernels(): Readonly<Record<string, string>> {
  return {
    "unary.ts": elementwiseFile("unary", "Element-wise kernels of one operand."),
    "binary.ts": elementwiseFile("binary", "Element-wise kernels of two operands."),
    "predicates.ts": kernelFile(
      "Numeric tests: a lane of the result is all ones where the test holds, else all zeros.",
      predicates.map(forwardKernel),
    ),
    "elementwise.ts": elementwiseDispatch(),
    "structured.ts": structuredDispatch(),
  };
}
