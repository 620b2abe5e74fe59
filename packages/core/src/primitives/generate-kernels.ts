/**
 * Generates the element-wise kernels (wasm/generated/unary.ts, binary.ts, others.ts, predicates.ts)
 * and the switches that dispatch to kernels by op code (elementwise.ts, structured.ts).
 *
 * The loops are those of generate-loops.ts. An adjoint adds to x before y, element by element,
 * whichever of them are active.
 */
import type { ElementwiseDeclaration, PredicateDeclaration } from "./define.js";
import { formulaText } from "./formula.js";
import {
  declare,
  generalLoop,
  indent,
  isStraight,
  type Loop,
  load,
  pointersOf,
  straightLoop,
} from "./generate-loops.js";
import { opConstant } from "./generate-ops.js";
import { leavesOf, type Node, newGraph } from "./graph.js";
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

/** Arithmetic alone, without calls: there the shape of the loop counts. */
const isArithmetic = (roots: readonly Node[]) => simdText(roots).imports.length === 0;

/**
 * Ops whose slope is a by-product of their value: the function that stores both, the value first or
 * the slope, and the operation of the adjoint that is then at hand.
 */
const TWINS: ReadonlyMap<
  string,
  { store: (z: string, s: string) => string; slope: "sin" | "cos" }
> = new Map([
  ["sin", { store: (z, s) => `storeSinCosV(v128.load(x + b), ${z}, ${s});`, slope: "cos" }],
  ["cos", { store: (z, s) => `storeSinCosV(v128.load(x + b), ${s}, ${z});`, slope: "sin" }],
]);

/** Where the block has a place for slopes: they are stored with the values, and marked as there. */
function twinLoop(name: string): string[] {
  const twin = TWINS.get(name);
  if (twin === undefined) return [];
  return [
    `const slope = ${load("slope")} & ~1;`,
    "if (slope != 0) {",
    ...indent([
      `const run = ${load("zRun")};`,
      `for (let b: usize = 0; b < run; b += 16) ${twin.store("z + b", "slope + b")}`,
      "blockAt(at).slope = slope;",
      "return;",
    ]),
    "}",
  ];
}

function forwardKernel(declaration: Computed): Kernel {
  const root = forwardGraph(declaration);
  const { bindings, results, imports } = simdText([root]);
  const leaves = leavesOf([root]);
  const loop: Loop = {
    leaves,
    targets: [{ name: "z", step: "zStep" }],
    run: "zRun",
    body: (place) => {
      const [to, offset] = place("z");
      return [...bindings, `v128.store(${to}, ${results[0]}${offset});`];
    },
  };
  const straight = [
    `if (${isStraight(leaves)}) {`,
    ...indent([...straightLoop(loop), "return;"]),
    "}",
  ];
  const lines = [
    `let z = ${load("z")};`,
    ...pointersOf(leaves),
    ...twinLoop(declaration.name),
    ...(isArithmetic([root]) ? straight : []),
    ...generalLoop(loop),
  ];
  const text =
    `/** z = ${formulaText(root)} */\n` +
    `export function ${declaration.name}Forward(at: usize): void {\n${indent(lines).join("\n")}\n}\n`;
  return { text, imports: TWINS.has(declaration.name) ? [...imports, "storeSinCosV"] : imports };
}

interface Part {
  readonly operand: "x" | "y";
  readonly root: Node;
}

const keptField = ({ operand }: Part) => `${operand}Kept`;

/**
 * The loops that add to the adjoints of some operands, one after the other. What a record is the
 * first to add to holds nothing yet: a mask clears it, or zeros take its place.
 */
function adjointLoops(parts: readonly Part[]): string[] {
  const roots = parts.map((part) => part.root);
  const { bindings, results } = simdText(roots);
  const names = parts.map(({ operand }) => `g${operand}`);
  const leaves = leavesOf(roots);
  const loopFrom = (before: (name: string, at: string) => string): Loop => ({
    leaves,
    targets: names.map((name) => ({
      name,
      step: `${name}Step`,
      kept: `${name}Kept`,
    })),
    run: "run",
    body: (place) => [
      ...bindings,
      ...names.map((name, i) => {
        const [to, offset] = place(name);
        const sum = `v128.add<real>(${before(name, `${to}${offset}`)}, ${results[i]})`;
        return `v128.store(${to}, ${sum}${offset});`;
      }),
    ],
  });
  const masked = loopFrom((name, at) => `v128.and(v128.load(${at}), ${name}Kept)`);
  const fresh = loopFrom(() => "v128.splat<real>(0)");
  const kept = declare(
    "let",
    parts.map(
      (part) =>
        `g${part.operand}Kept = v128.load32_splat(at, offsetof<OperandBlock>("${keptField(part)}"))`,
    ),
  );
  const straight = [
    `if (${isStraight(leaves)}) {`,
    ...indent([
      `if ((${parts.map((part) => load(keptField(part))).join(" | ")}) == 0) {`,
      ...indent([...straightLoop(fresh), "return;"]),
      "}",
      ...straightLoop(masked),
      "return;",
    ]),
    "}",
  ];
  return [
    ...pointersOf(leaves),
    ...kept,
    ...(isArithmetic(roots) ? straight : []),
    ...generalLoop(masked),
  ];
}

/** The loops of an op whose slope is at hand, where it is. */
function twinAdjoint(declaration: ElementwiseDeclaration): string[] {
  const twin = TWINS.get(declaration.name);
  if (twin === undefined || declaration.adjoint === "none") return [];
  const { k, leaves } = newGraph();
  const { x } = declaration.adjoint({ ...k, [twin.slope]: () => leaves.s }, leaves);
  return [
    `const slope = ${load("slope")};`,
    "if (slope != 0 && (slope & 1) == 0) {",
    ...indent([...adjointLoops([{ operand: "x", root: x }]), "return;"]),
    "}",
  ];
}

/** Both operands in one loop where both are active, else the loop of the active one. */
function adjointKernel(declaration: ElementwiseDeclaration): Kernel | undefined {
  const { x, y } = adjointGraphs(declaration) ?? {};
  if (!x) return undefined;
  const parts: Part[] = [{ operand: "x", root: x }];
  if (y) parts.push({ operand: "y", root: y });
  const targets = parts.map(({ operand }) => `g${operand}`);
  const loops = parts.map((part) => indent(adjointLoops([part])));
  const twin = indent(twinAdjoint(declaration));
  const lines = [
    ...declare(
      "let",
      targets.map((target) => `${target} = ${load(target)}`),
    ),
    ...(y
      ? ["if (gx && gy) {", ...indent(adjointLoops(parts)), "} else if (gx) {"]
      : ["if (gx) {", ...twin]),
    ...loops.flatMap((loop, i) => (i === 0 ? loop : ["} else if (gy) {", ...loop])),
    "}",
  ];
  const doc = parts.map(({ operand, root }) => `g${operand} += ${formulaText(root)}`).join("; ");
  return {
    text:
      `/** ${doc} */\nexport function ${declaration.name}Adjoint(at: usize): void {\n` +
      `${indent(lines).join("\n")}\n}\n`,
    imports: simdText(parts.map((part) => part.root)).imports,
  };
}

const wrap = (names: readonly string[], from: string) =>
  names.length === 0 ? [] : [`import {\n  ${names.join(",\n  ")},\n} from "${from}";`];

/** A file of kernels with the imports that its text needs. */
function kernelFile(title: string, kernels: readonly Kernel[]): string {
  const body = kernels.map((kernel) => kernel.text).join("\n");
  const structures = ["blockAt", "OperandBlock"].filter((name) => body.includes(name));
  const math = [...new Set(kernels.flatMap((kernel) => kernel.imports))].sort();
  const imports = [...wrap(structures, "../memory/layout"), ...wrap(math, "../math/index")].join(
    "\n",
  );
  return `/**\n * ${title}\n * ${HEADER}\n */\n${imports}\n\n${body}`;
}

/**
 * Ops that most programs are made of. Their kernels lie inside of the function that chooses among
 * them, where a call less can be felt. V8 compiles a function when it is first called, so all that
 * lies there is paid for by every process. The kernels of other ops lie in others.ts:
 * scripts/build-wasm.mjs keeps them apart, and the compiler would not keep small ones, so forward
 * they have a switch of their own.
 */
const COMMON: ReadonlySet<string> = new Set([
  "neg",
  "abs",
  "square",
  "sqrt",
  "exp",
  "log",
  "sin",
  "cos",
  "copy",
  "add",
  "sub",
  "mul",
  "div",
]);

const isCommon = (p: ElementwiseDeclaration) => COMMON.has(p.name);
const homeOfElementwise = (p: ElementwiseDeclaration) => (isCommon(p) ? `./${p.kind}` : "./others");

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

function elementwiseFile(home: string, title: string): string {
  const kernels = elementwise
    .filter((p) => homeOfElementwise(p) === home)
    .flatMap((p) => [forwardKernel(p), adjointKernel(p) ?? []].flat());
  return kernelFile(title, kernels);
}

/** A dispatch function: one case per op, in the order of the codes, and what takes the others. */
function dispatch(
  name: string,
  doc: string,
  cases: readonly (readonly [string, string])[],
  others?: string,
): string {
  const lines = cases.map(([op, call]) => `    case ${opConstant(op)}: ${call}(at); return;\n`);
  if (others !== undefined) lines.push(`    default: ${others}(op, at);\n`);
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
  ...elementwise.map((p) => [p.name, homeOfElementwise(p)] as const),
  ...predicates.map((p) => [p.name, "./predicates"] as const),
]);
const homeOf = (kernel: string) =>
  kernelHome.get(kernel.replace(/(Forward|Adjoint)$/, "")) ?? "../linalg/index";

/** Which adjoints an op's kernel writes: bit 0 for x, bit 1 for y. */
function adjointsWritten(): string {
  const cases = elementwise.flatMap((p) => {
    const { x, y } = adjointGraphs(p) ?? {};
    const written = (x ? 1 : 0) | (y ? 2 : 0);
    return written === (p.kind === "unary" ? 1 : 3)
      ? []
      : [`    case ${opConstant(p.name)}: return ${written};\n`];
  });
  return (
    "/** Which adjoints the kernel of an element-wise op writes: bit 0 for x, bit 1 for y. */\n" +
    `export function adjointsWritten(op: i32): i32 {\n  switch (op) {\n${cases.join("")}` +
    "    default: return 3;\n  }\n}\n"
  );
}

/** Which ops leave their slopes. */
function leavesSlope(): string {
  const ops = elementwise
    .filter((p) => TWINS.has(p.name))
    .map((p) => `op == ${opConstant(p.name)}`);
  return (
    "/** Whether the forward kernel of an op leaves slopes where its block has a place for them. */\n" +
    `export function leavesSlope(op: i32): bool {\n  return ${ops.join(" || ")};\n}\n`
  );
}

function elementwiseDispatch(): string {
  const forward = (p: Computed) => [p.name, `${p.name}Forward`] as const;
  return dispatchFile(
    "Element-wise kernels by op code.",
    [
      dispatch(
        "forwardOther",
        "Ops that few programs have.",
        elementwise.filter((p) => !isCommon(p)).map(forward),
      ),
      dispatch(
        "forwardElementwise",
        "Unary and binary ops.",
        elementwise.filter(isCommon).map(forward),
        "forwardOther",
      ),
      dispatch(
        "adjointElementwise",
        "Ops that are constant almost everywhere have no adjoint and no case here.",
        elementwise.filter(isPass).map((p) => [p.name, `${p.name}Adjoint`] as const),
      ),
      adjointsWritten(),
      leavesSlope(),
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
    "unary.ts": elementwiseFile("./unary", "Element-wise kernels of one operand."),
    "binary.ts": elementwiseFile("./binary", "Element-wise kernels of two operands."),
    "others.ts": elementwiseFile("./others", "Element-wise kernels of ops that few programs have."),
    "predicates.ts": kernelFile(
      "Numeric tests: a lane of the result is all ones where the test holds, else all zeros.",
      predicates.map(forwardKernel),
    ),
    "elementwise.ts": elementwiseDispatch(),
    "structured.ts": structuredDispatch(),
  };
}
