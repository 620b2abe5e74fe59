/**
 * Kernels of 2 × 2 matrices and vectors of two ("tiles") as text, each twice: for chunks of exactly
 * TILE_LANES lanes, where all elements are reached by constant offsets, and for any number of lanes.
 * A kernel serves one record, or several that follow each other on the tape and hand numbers on in
 * registers.
 *
 * Several records in one loop over the lanes compute what their loops would: no lane reads another
 * one's numbers, and in each lane everything happens in the same order. Forward stores all results.
 * Backward the adjoint of a result that one of the records makes and another takes stays in
 * registers, as nobody else asks for it, and what several records add to is loaded and stored once.
 *
 * tiles.ts says what there is, wasm/replay/tiles.ts chooses.
 */
import {
  type Access,
  ANY,
  elements,
  FULL,
  KERNELS,
  type Kernel,
  OPERATIONS,
  operationOf,
  type Step,
  type Tile,
} from "./tiles.js";

const tile =
  (name: string): Tile =>
  (e) =>
    `${name}${e}`;
const indent = (lines: readonly string[], by = 1) =>
  lines.map((line) => `${"  ".repeat(by)}${line}`);

/** Loads the elements of a tile whose first is at `at`. */
const loads = ({ load }: Access, name: string, at: string, count: number) =>
  elements(count).map((e) => `const ${name}${e} = ${load(at, e)};`);

/** Letters of the tiles of a kernel's records. */
const LETTERS = ["a", "b", "c", "d"] as const;
const nameOf = (index: number, role: string) => `${LETTERS[index]}${role}`;

const ROLES = ["x", "y"] as const;
type Role = (typeof ROLES)[number];

/** The block of record `index` of a kernel that is given the block of record `given`. */
function blockOf(index: number, given: number): string {
  const apart = index - given;
  if (apart === 0) return "at";
  const bytes = Math.abs(apart) === 1 ? "BLOCK_BYTES" : `${Math.abs(apart)} * BLOCK_BYTES`;
  return `at ${apart < 0 ? "-" : "+"} ${bytes}`;
}

/** The record and role whose tile an operand is: its own, or an earlier one's. */
function rootOf(steps: readonly Step[], index: number, role: Role): readonly [number, Role | "z"] {
  const source = (steps[index] as Step)[role];
  if (source === undefined || source === "memory" || source === "uniform") return [index, role];
  const [step, of] = source.split(".") as [string, Role | "z"];
  return of === "z" ? [Number(step), "z"] : rootOf(steps, Number(step), of);
}

const operandName = (steps: readonly Step[], index: number, role: Role) => {
  const [step, of] = rootOf(steps, index, role);
  return nameOf(step, of);
};

/** Declares uniform tiles, before the loop. */
function uniforms(steps: readonly Step[], given: number): readonly string[] {
  return steps.flatMap((step, index) =>
    ROLES.flatMap((role) => {
      if (step[role] !== "uniform") return [];
      const at = blockOf(index, given);
      const name = nameOf(index, role);
      return [
        `const ${name} = blockAt(${at}).${role};`,
        `const ${name}Step = blockAt(${at}).${role}Step;`,
        ...elements(operationOf(step)[role]).map(
          (e) => `const ${name}${e} = v128.load(${name} + ${e} * ${name}Step);`,
        ),
      ];
    }),
  );
}

/** Reads the step from one element to the next, where it is not a constant. */
const stepLines = (access: Access) =>
  access === FULL ? [] : ["const E: usize = blockAt(at).zStep;"];

/** A function over all lanes of a chunk. */
const kernelText = (
  doc: string,
  name: string,
  before: readonly string[],
  body: readonly string[],
) => [
  `/** ${doc}. */`,
  `function ${name}(at: usize): void {`,
  ...indent(before),
  "  for (let lane: usize = 0; lane < E; lane += 16) {",
  ...indent(body, 2),
  "  }",
  "}",
  "",
];

function forwardOf({ name, doc, steps }: Kernel, access: Access): readonly string[] {
  const before: string[] = [];
  const body: string[] = [];
  steps.forEach((step, index) => {
    const operation = operationOf(step);
    const at = blockOf(index, 0);
    const x = operandName(steps, index, "x");
    const y = operandName(steps, index, "y");
    const z = nameOf(index, "z");
    for (const role of ROLES) {
      if (step[role] !== "memory") continue;
      const own = nameOf(index, role);
      before.push(`const ${own} = blockAt(${at}).${role};`);
      body.push(...loads(access, own, `${own} + lane`, operation[role]));
    }
    before.push(`const ${z} = blockAt(${at}).z;`);
    if (step.operation === "inv") body.push(...invertible(tile(x)));
    const keyword = operation.after ? "let" : "const";
    body.push(
      ...operation.forward(tile(x), tile(y)).map((text, e) => `${keyword} ${z}${e} = ${text};`),
      ...elements(operation.z).map((e) => access.store(`${z} + lane`, e, `${z}${e}`)),
      ...(operation.after?.(at, `${x} + lane`, `${z} + lane`, tile(z), access) ?? []),
    );
  });
  const lines = [...stepLines(access), ...before, ...uniforms(steps, 0)];
  return kernelText(doc, `${name}Forward`, lines, body);
}

/** Determinant, size and scale of an inverse. */
const invertible = (x: Tile) => [
  `const det = sub(mul(${x(0)}, ${x(3)}), mul(${x(1)}, ${x(2)}));`,
  `const size = mul(add(abs(${x(0)}), abs(${x(1)})), add(abs(${x(2)}), abs(${x(3)})));`,
  "const scale = div(one(), det);",
];

/** Adds to an adjoint in memory, which holds nothing yet where `fresh` says so. */
function addTo(
  { load, store }: Access,
  target: string,
  fresh: string,
  sums: readonly string[],
): readonly string[] {
  const to = `${target} + lane`;
  const plus = (e: number, before: string) => store(to, e, `add(${before}, s${e})`);
  return [
    ...sums.map((text, e) => `const s${e} = ${text};`),
    `if (${fresh}) {`,
    ...indent(sums.map((_, e) => plus(e, "zero()"))),
    "} else {",
    ...indent(sums.map((_, e) => plus(e, load(to, e)))),
    "}",
  ];
}

/** Adds all sums to one number, one after the other. */
function addAll(target: string, fresh: string, sums: readonly string[]): readonly string[] {
  return [
    `let sum = ${fresh} ? zero() : v128.load(${target} + lane);`,
    ...sums.map((text) => `sum = add(sum, ${text});`),
    `v128.store(${target} + lane, sum);`,
  ];
}

/** Begins a sum in registers with what the adjoint in memory holds. */
const begin = ({ load }: Access, name: string, target: string, fresh: string, count: number) => [
  ...elements(count).map((e) => `let ${name}${e} = zero();`),
  `if (!${fresh}) {`,
  ...elements(count).map((e) => `  ${name}${e} = ${load(`${target} + lane`, e)};`),
  "}",
];

/** Operands that a kernel's records add to, by what they add to, in the order of the pass. */
function additionsTo({ steps, passed }: Kernel): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, string[]>();
  for (let index = steps.length - 1; index >= 0; index--) {
    const step = steps[index] as Step;
    const g = tile("");
    const sums = index === passed ? {} : operationOf(step).adjoint(g, g, g, g);
    for (const role of ROLES) {
      if (sums[role] === undefined || step[role] === "uniform") continue;
      const root = rootOf(steps, index, role).join(".");
      all.set(root, [...(all.get(root) ?? []), `${index}.${role}`]);
    }
  }
  return all;
}

/** The pass back through the records of a kernel, the last one first. */
class Pass {
  readonly before: string[] = [];
  readonly body: string[] = [];
  readonly #kernel: Kernel;
  readonly #access: Access;
  readonly #last: number;
  readonly #loaded = new Set<string>();
  readonly #additions: ReadonlyMap<string, readonly string[]>;

  constructor(kernel: Kernel, access: Access) {
    this.#kernel = kernel;
    this.#access = access;
    this.#last = kernel.steps.length - 1;
    this.#additions = additionsTo(kernel);
    for (let index = this.#last; index >= 0; index--) if (index !== kernel.passed) this.#run(index);
    this.before.push(...uniforms(kernel.steps, this.#last));
  }

  #block(index: number): string {
    return `blockAt(${blockOf(index, this.#last)})`;
  }

  #load(name: string, field: string, count: number): void {
    if (this.#loaded.has(name)) return;
    this.#loaded.add(name);
    this.before.push(`const ${name} = ${field};`);
    this.body.push(...loads(this.#access, name, `${name} + lane`, count));
  }

  #run(index: number): void {
    const { steps } = this.#kernel;
    const step = steps[index] as Step;
    const operation = operationOf(step);
    const g = nameOf(index, "g");
    if (!this.#additions.has(`${index}.z`)) this.#load(g, `${this.#block(index)}.gz`, operation.z);
    else if (operation.isElementwise) this.#storeBetween(index, operation.z);
    for (const role of operation.reads) {
      const [of, own] = role === "z" ? ([index, "z"] as const) : rootOf(steps, index, role);
      if (own !== "z" && (steps[of] as Step)[own] === "uniform") continue;
      const count = operationOf(steps[of] as Step)[own];
      this.#load(nameOf(of, own), `${this.#block(of)}.${own}`, count);
    }
    const name = (role: Role) => tile(operandName(steps, index, role));
    const sums = operation.adjoint(tile(g), name("x"), name("y"), tile(nameOf(index, "z")));
    this.body.push(...(sums.lines ?? []));
    for (const role of ROLES) {
      const own = sums[role];
      if (own !== undefined && step[role] !== "uniform") this.#add(index, role, own);
    }
  }

  /** The adjoint of a sum, where its operands may read it. */
  #storeBetween(index: number, count: number): void {
    const place = nameOf(index, "gz");
    this.before.push(`const ${place} = ${this.#block(index)}.gz;`);
    this.body.push(
      ...elements(count).map((e) =>
        this.#access.store(`${place} + lane`, e, `${nameOf(index, "g")}${e}`),
      ),
    );
  }

  #add(index: number, role: Role, sums: readonly string[]): void {
    const [of, own] = rootOf(this.#kernel.steps, index, role);
    const all = this.#additions.get(`${of}.${own}`) as readonly string[];
    const isFirst = all[0] === `${index}.${role}`;
    const target = nameOf(index, `g${role}`);
    const fresh = `${target}Fresh`;
    if (isFirst || (own !== "z" && all.length === 1)) {
      this.before.push(
        `const ${target} = ${this.#block(index)}.g${role};`,
        `const ${fresh} = ${this.#block(index)}.${role}Kept == 0;`,
      );
    }
    if (own !== "z" && all.length === 1) {
      const isNumber = operationOf(this.#kernel.steps[index] as Step)[role] < sums.length;
      const lines = isNumber
        ? addAll(target, fresh, sums)
        : addTo(this.#access, target, fresh, sums);
      this.body.push(`if (${target} != 0) {`, ...indent(lines), "}");
      return;
    }
    // Several records add to it, or one makes it: the sum stays in registers.
    const name = own === "z" ? nameOf(of, "g") : nameOf(of, `s${own}`);
    if (isFirst) this.body.push(...begin(this.#access, name, target, fresh, sums.length));
    this.body.push(...sums.map((text, e) => `${name}${e} = add(${name}${e}, ${text});`));
    if (own === "z" || all.at(-1) !== `${index}.${role}`) return;
    const [firstIndex, firstRole] = (all[0] as string).split(".");
    const place = nameOf(Number(firstIndex), `g${firstRole}`);
    this.body.push(...sums.map((_, e) => this.#access.store(`${place} + lane`, e, `${name}${e}`)));
  }
}

function adjointOf(kernel: Kernel, access: Access): readonly string[] {
  if (!hasAdjoint(kernel)) return [];
  const { before, body } = new Pass(kernel, access);
  const lines = [...stepLines(access), ...before];
  return kernelText(`Adjoint of ${kernel.doc}`, `${kernel.name}Adjoint`, lines, body);
}

/** Two records of which one is passed have nothing to do together. */
const hasAdjoint = ({ steps, passed }: Kernel) => passed === undefined || steps.length > 2;

const constantName = (name: string) =>
  `TILE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

interface Codes {
  readonly text: readonly string[];
  /** Cases of the switches. */
  readonly forward: readonly string[];
  readonly adjoint: readonly string[];
}

/**
 * Codes. A kernel of one record has one, and one for records whose result is there already. A
 * kernel of more has one for the first record, whose forward runs all, and one for the last, whose
 * adjoint does.
 */
function codesOf(): Codes {
  const text: string[] = [];
  const forward: string[] = [];
  const adjoint: string[] = [];
  let code = TILE_FIRST;
  const define = (name: string, doc: string) => {
    text.push(`/** ${doc} */`, `export const ${name}: i32 = ${code++};`);
  };
  for (const kernel of KERNELS) {
    const { name, steps } = kernel;
    const constant = constantName(name);
    const first = steps[0] as Step;
    const isOne = steps.length === 1;
    define(constant, isOne ? "One record." : "The first of several records.");
    forward.push(`    case ${constant}: ${name}Forward(at); return;`);
    // By the switch of element-wise kernels: one with two callers would not lie inside of it.
    const alone = operationOf(first).isElementwise
      ? "adjointElementwise(OP_ADD, at)"
      : `${first.operation}Adjoint(at)`;
    adjoint.push(`    case ${constant}: ${alone}; return;`);
    const second = isOne ? `${constant}_DONE` : `${constant}_LAST`;
    define(second, isOne ? "One that has nothing to do forward." : "The last of them.");
    if (hasAdjoint(kernel)) adjoint.push(`    case ${second}: ${name}Adjoint(at); return;`);
  }
  return { text, forward, adjoint };
}

/** Op codes end far below, codes of control begin above. */
const TILE_FIRST = 500;
const TILE_ANY = 100;

/** Whether the records from `at` on are those of a kernel, as conditions. */
function matchOf({ steps }: Kernel): readonly string[] {
  return steps.flatMap((step, index) => {
    const at = blockOf(index, 0);
    const links = ROLES.flatMap((role) => {
      const [of, own] = rootOf(steps, index, role);
      if (of === index) return [];
      return [`blockAt(${at}).${role} == blockAt(${blockOf(of, 0)}).${own}`];
    });
    return [`${LETTERS[index]} == ${kindOf(step)}`, ...links];
  });
}

const kindOf = (step: Step) =>
  operationOf(step).isElementwise
    ? `KIND_${step.operation.toUpperCase()}`
    : constantName(step.operation);

/** Whether the pass back may go through the records of a kernel at once, as conditions. */
function passMatchOf(kernel: Kernel): readonly string[] {
  const { steps, passed } = kernel;
  const active = steps.map((_, index) => {
    const flag = `(blockAt(${blockOf(index, 0)}).op & RECORD_ACTIVE)`;
    return `${flag} ${index === passed ? "==" : "!="} 0`;
  });
  const field = (reference: string) => {
    const [index, role] = reference.split(".");
    return `blockAt(${blockOf(Number(index), 0)}).g${role}`;
  };
  const additions = [...additionsTo(kernel)];
  const targets = additions.flatMap(([root, all], i) => {
    const isBetween = root.endsWith("z");
    if (!isBetween && all.length === 1) return [];
    const first = field(all[0] as string);
    const same = all.slice(1).map((other) => `${field(other)} == ${first}`);
    // What a sum in registers stands for is nobody else's operand.
    const others = additions.filter((_, j) => j !== i).flatMap(([, theirs]) => theirs);
    const apart = others.map((other) => `${field(other)} != ${first}`);
    return [
      `${first} != 0`,
      ...(isBetween ? [`${first} == ${field(root)}`] : []),
      ...same,
      ...apart,
    ];
  });
  return [...active, ...targets];
}

/** The function that finds the kernel of several records from `at` on. */
function chooser(): readonly string[] {
  const several = KERNELS.filter(({ steps }) => steps.length > 1).reverse();
  const all = (conditions: readonly string[]) => conditions.join(" &&\n      ");
  return [
    "/** The kernel that runs the block at `at`, of kind a, and those behind it, of b, c, d; or 0. */",
    "export function severalFrom(at: usize, a: i32, b: i32, c: i32, d: i32): i32 {",
    ...several.flatMap((kernel) => [
      `  if (${all(matchOf(kernel))})`,
      `    return ${constantName(kernel.name)};`,
    ]),
    "  return 0;",
    "}",
    "",
    "/** How many records a kernel runs. */",
    "export function recordsOf(code: i32): i32 {",
    "  switch (code) {",
    ...several.map(({ name, steps }) => `    case ${constantName(name)}: return ${steps.length};`),
    "    default: return 1;",
    "  }",
    "}",
    "",
    "/** Whether the kernel `code` of the blocks from `at` on can also run them back. */",
    "export function runsBack(code: i32, at: usize): bool {",
    "  switch (code) {",
    ...several
      .filter(hasAdjoint)
      .map(
        (kernel) => `    case ${constantName(kernel.name)}: return ${all(passMatchOf(kernel))};`,
      ),
    "    default: return false;",
    "  }",
    "}",
    "",
  ];
}

const GENERATED = " * Generated by src/primitives/generate-tiles.ts (`npm run gen`); do not edit.";

/** Codes, and how linking finds the kernels of a trace. */
function tilesFile({ text }: Codes): string {
  return [
    "/**",
    " * Codes of the kernels for 2 × 2 matrices, and which records they can run together.",
    GENERATED,
    " */",
    'import { BLOCK_BYTES, RECORD_ACTIVE } from "../../src/program/layout";',
    'import { blockAt } from "../memory/layout";',
    "",
    "/** Kinds of records that only kernels for several know. */",
    ...Object.entries(OPERATIONS)
      .filter(([, { isElementwise }]) => isElementwise)
      .map(([name], i) => `export const KIND_${name.toUpperCase()}: i32 = ${i + 1};`),
    "",
    "/** Codes of kernels for full chunks; those for any number of lanes are so many above. */",
    `export const TILE_FIRST: i32 = ${TILE_FIRST};`,
    `export const TILE_ANY: i32 = ${TILE_ANY};`,
    ...text,
    "",
    ...chooser(),
  ].join("\n");
}

/** All kernels with one way to reach elements, and the switches that choose among them. */
function kernelsFile({ forward, adjoint }: Codes, access: Access): string {
  const isFull = access === FULL;
  const body = [
    ...KERNELS.flatMap((kernel) => [...forwardOf(kernel, access), ...adjointOf(kernel, access)]),
    "/** Runs a record forward, or several; nothing where a record before did. */",
    `export function forward${isFull ? "Full" : "Any"}Tile(code: i32, at: usize): void {`,
    "  countFused();",
    "  switch (code) {",
    ...forward,
    "  }",
    "}",
    "",
    "/** Runs a record back, or several. */",
    `export function adjoint${isFull ? "Full" : "Any"}Tile(code: i32, at: usize): void {`,
    "  countFused();",
    "  switch (code) {",
    ...adjoint,
    "  }",
    "}",
  ];
  const codes = [...new Set(body.join("\n").match(/TILE_[A-Z0-9_]+/g))];
  const constants = isFull ? "BLOCK_BYTES, TILE_LANES" : "BLOCK_BYTES";
  const step = [
    "/** Bytes from one element to the next. */",
    "// @ts-ignore: decorator",
    "@inline const E: usize = <usize>TILE_LANES * sizeof<real>();",
    "",
  ];
  return [
    "/**",
    ` * Kernels of 2 × 2 matrices for ${isFull ? "chunks of TILE_LANES" : "any number of"} lanes, for one record or for several.`,
    GENERATED,
    " */",
    `import { ${constants} } from "../../src/program/layout";`,
    'import { doubtfulLanes, repair2 } from "../linalg/closed-form";',
    'import { abs, add, div, mul, neg, one, sub, zero } from "../linalg/simd";',
    'import { mulAdd2 } from "../linalg/small";',
    'import { blockAt } from "../memory/layout";',
    'import { countFused } from "../memory/switches";',
    'import { adjointElementwise } from "./elementwise";',
    'import { OP_ADD } from "./ops";',
    "import {",
    ...codes.map((code) => `  ${code},`),
    '} from "./tiles";',
    "",
    ...(isFull ? step : []),
    ...body,
    "",
  ].join("\n");
}

/** Generated files by name within wasm/generated. */
export function generateTiles(): Readonly<Record<string, string>> {
  const codes = codesOf();
  return {
    "tiles.ts": tilesFile(codes),
    "tiles-full.ts": kernelsFile(codes, FULL),
    "tiles-any.ts": kernelsFile(codes, ANY),
  };
}
