/**
 * The loops of element-wise kernels over elements and lanes, as text.
 *
 * A kernel reads its operand block once. Two shapes of loop serve it:
 *
 *   general   over elements, then lanes; an operand advances by 16 bytes or, where it is uniform,
 *             not at all. The steps from one element to the next are read only when there is one.
 *   straight  one element, every operand with a number of its own in each lane: two vectors at
 *             once, by constant offsets.
 *
 * Straight loops are written for arithmetic, where the loop costs more than its body. Both compute
 * the same bits.
 */
import type { Leaf } from "./graph.js";

/** Where each leaf comes from: its block field, and whether it may be uniform. */
const SOURCES: Readonly<Record<Leaf, { field: string; isPrimal: boolean }>> = {
  g: { field: "gz", isPrimal: false },
  x: { field: "x", isPrimal: true },
  y: { field: "y", isPrimal: true },
  z: { field: "z", isPrimal: true },
  s: { field: "slope", isPrimal: false },
};

/** What a kernel writes: a pointer, and the block field of its steps. */
export interface Target {
  readonly name: string;
  readonly step: string;
  /** A vector of ones that is zero until the target has been written to once. */
  readonly kept?: string;
}

/** A target's address in one vector, and what follows it: a constant offset or nothing. */
export type Place = (target: string) => readonly [address: string, offset: string];

/** The loop of one kernel over elements and lanes. */
export interface Loop {
  /** The leaves that the body reads, as `gv`, `xv`, `yv`, `zv`, `sv`. */
  readonly leaves: readonly Leaf[];
  readonly targets: readonly Target[];
  /** The block field that says how many bytes of lanes there are. */
  readonly run: "run" | "zRun";
  /** The lines for one vector; `place` gives a target's place, as arguments of load and store. */
  readonly body: (place: Place) => readonly string[];
}

/** A field of the operand block. */
export const load = (field: string) => `blockAt(at).${field}`;

export const indent = (lines: readonly string[]) => lines.map((line) => `  ${line}`);

/** `keyword a = …, b = …;`, as many to a line as fit. */
export function declare(keyword: "let" | "const", entries: readonly string[]): string[] {
  const lines: string[][] = [];
  for (const entry of entries) {
    const line = lines.at(-1);
    if (line && [...line, entry].join(", ").length < 84) line.push(entry);
    else lines.push([entry]);
  }
  return lines.map((line) => `${keyword} ${line.join(", ")};`);
}

/** Vectors that a straight loop takes at once. */
const TOGETHER = 2;

const fieldsOf = (leaves: readonly Leaf[]) => leaves.map((name) => ({ name, ...SOURCES[name] }));

/** The loop over elements, then lanes, whatever is uniform. */
export function generalLoop({ leaves, targets, run, body }: Loop): string[] {
  const fields = fieldsOf(leaves);
  const primals = fields.filter(({ isPrimal }) => isPrimal);
  return [
    ...declare("const", [
      ...primals.map(({ name, field }) => `${name}Next = ${load(`${field}Mask`)} & 16`),
      `run = ${load(run)}`,
    ]),
    "for (let left = blockAt(at).count; left != 0;) {",
    ...indent(
      declare(
        "let",
        primals.map(({ name }) => `${name}At = ${name}`),
      ),
    ),
    "  for (let b: usize = 0; b < run; b += 16) {",
    ...indent(
      indent([
        ...declare(
          "const",
          fields.map(({ name, isPrimal }) =>
            isPrimal ? `${name}v = v128.load(${name}At)` : `${name}v = v128.load(${name} + b)`,
          ),
        ),
        ...body((target) => [`${target} + b`, ""]),
        ...primals.map(({ name }) => `${name}At += ${name}Next;`),
      ]),
    ),
    "  }",
    "  if (--left == 0) break;",
    ...targets.flatMap(({ name, step, kept }) => [
      `  ${name} += ${load(step)};`,
      // A broadcast scalar's adjoint is written again for the next element.
      ...(kept === undefined ? [] : [`  if (${load(step)} == 0) ${kept} = i32x4.splat(-1);`]),
    ]),
    ...fields.map(({ name, field, isPrimal }) =>
      isPrimal ? `  ${name} += ${load(`${field}Step`)};` : `  ${name} += run;`,
    ),
    "}",
  ];
}

/** Whether a straight loop serves the block at `at`. */
export function isStraight(leaves: readonly Leaf[]): string {
  const masks = fieldsOf(leaves)
    .filter(({ isPrimal }) => isPrimal)
    .map(({ field }) => load(`${field}Mask`));
  const isOne = "blockAt(at).count == 1";
  return masks.length === 0 ? isOne : `${isOne} && (${masks.join(" & ")}) != 0`;
}

/** The loop over the lanes of one element, some vectors at once. */
export function straightLoop({ leaves, targets, run, body }: Loop): string[] {
  const pointers = [...targets.map(({ name }) => name), ...leaves];
  const places = declare(
    "const",
    pointers.map((name) => `${name}At = ${name} + b`),
  );
  const vector = (offset: string) => [
    ...declare(
      "const",
      leaves.map((name) => `${name}v = v128.load(${name}At${offset})`),
    ),
    ...body((target) => [`${target}At`, offset]),
  ];
  const offsets = Array.from({ length: TOGETHER }, (_, i) => (i === 0 ? "" : `, ${16 * i}`));
  return [
    `let b: usize = 0;`,
    `const run = ${load(run)};`,
    `for (; b + ${16 * TOGETHER} <= run; b += ${16 * TOGETHER}) {`,
    ...indent([...places, ...offsets.flatMap((offset) => ["{", ...indent(vector(offset)), "}"])]),
    "}",
    "if (b < run) {",
    ...indent([...places, ...vector("")]),
    "}",
  ];
}

/** Declares the pointers that the loops over `leaves` advance. */
export function pointersOf(leaves: readonly Leaf[]): string[] {
  return declare(
    "let",
    fieldsOf(leaves).map(({ name, field }) => `${name} = ${load(field)}`),
  );
}
