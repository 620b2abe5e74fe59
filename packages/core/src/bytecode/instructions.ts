/**
 * The instructions of the stack machine by name: what they take from the text and what they do to
 * the stack. docs/bytecode.md is checked against this table. Every primitive of the language is an
 * instruction as well, by its own name; a few have short names here.
 */

import { Op, type Primitive, primitiveByName, primitives } from "../primitives/registry.js";

/** What stands after an instruction's name. */
export type OperandKind = "literal" | "name" | "label" | "depth" | "count" | "procedure" | "callee";

export interface InstructionInfo {
  readonly name: string;
  readonly operands: readonly OperandKind[];
  /** Stack before and after, as a reader would write it. */
  readonly effect: string;
  readonly doc: string;
}

export const instructions: readonly InstructionInfo[] = [
  {
    name: "PUSH",
    operands: ["literal"],
    effect: "→ x",
    doc: "Pushes a number, `true`, `false`, `nil` or a symbol `'s`.",
  },
  {
    name: "LOAD",
    operands: ["name"],
    effect: "→ x",
    doc: "Pushes a parameter, a local, a captured value or an input.",
  },
  {
    name: "STORE",
    operands: ["name"],
    effect: "x →",
    doc: "Pops into a local or parameter; the first `STORE` makes the local.",
  },
  { name: "DUP", operands: [], effect: "x → x x", doc: "Pushes the top again; as `PICK 0`." },
  { name: "DROP", operands: [], effect: "x →", doc: "Pops the top." },
  { name: "SWAP", operands: [], effect: "x y → y x", doc: "Exchanges the two values on top." },
  {
    name: "PICK",
    operands: ["depth"],
    effect: "x … → x … x",
    doc: "Pushes the value that lies below so many others.",
  },
  { name: "JUMP", operands: ["label"], effect: "→", doc: "Goes on at the label." },
  {
    name: "BRANCH",
    operands: ["label"],
    effect: "test →",
    doc: "Goes on at the label if the test is true. Lanes may differ.",
  },
  {
    name: "BRANCHNOT",
    operands: ["label"],
    effect: "test →",
    doc: "Goes on at the label if the test is false. Lanes may differ.",
  },
  {
    name: "LOOP",
    operands: ["name", "label"],
    effect: "→",
    doc: "If the local is above 0, takes 1 from it and goes on below; else goes on at the label.",
  },
  {
    name: "CALL",
    operands: ["callee"],
    effect: "a … → result",
    doc: "`CALL f` calls a procedure by name; `CALL 2` the closure below two arguments.",
  },
  {
    name: "TAILCALL",
    operands: ["callee"],
    effect: "a … → (leaves)",
    doc: "As `CALL`, in place of the running procedure.",
  },
  {
    name: "APPLY",
    operands: ["count"],
    effect: "f a … list → result",
    doc: "Calls f; the last of so many arguments is a list of further ones.",
  },
  {
    name: "RET",
    operands: [],
    effect: "x → (leaves)",
    doc: "Leaves the procedure with its value.",
  },
  {
    name: "CLOSURE",
    operands: ["procedure"],
    effect: "captured … → f",
    doc: "A closure of a procedure over the values it captures, the first one deepest.",
  },
  { name: "SELF", operands: [], effect: "→ f", doc: "Pushes the closure that is running." },
  {
    name: "PROC",
    operands: ["name"],
    effect: "→ f",
    doc: "Pushes a primitive as a value that `CALL 2` can call.",
  },
];

/** Short names of primitives, as the paper's machine has them. */
export const shortNames: ReadonlyMap<string, string> = new Map([
  ["ADD", "+"],
  ["SUB", "-"],
  ["MUL", "*"],
  ["DIV", "/"],
  ["EQ", "="],
  ["LT", "<"],
  ["GT", ">"],
  ["LE", "<="],
  ["GE", ">="],
]);

export const instructionByName: ReadonlyMap<string, InstructionInfo> = new Map(
  instructions.map((info) => [info.name, info]),
);

/** The primitive that an instruction names, in any case; NEG is the negative of one number. */
export function primitiveOf(name: string): Primitive | undefined {
  const upper = name.toUpperCase();
  if (upper === "NEG") return primitives[Op.neg];
  const found = primitiveByName.get(shortNames.get(upper) ?? name.toLowerCase());
  return found?.name === "apply" ? undefined : found;
}

/** The name by which a primitive is written out again. */
export function spellingOf(primitive: Primitive): string {
  if (primitive.op === Op.neg) return "NEG";
  const surface = primitive.scheme ?? primitive.name;
  for (const [short, long] of shortNames) if (long === surface) return short;
  return surface.toUpperCase();
}

/** How many operands a primitive takes where the text does not say; undefined: it must. */
export function usualCount({ kind, arity }: Primitive): number | undefined {
  if (kind === "binary" || kind === "binaryPredicate") return Math.max(2, arity.min);
  return Number.isFinite(arity.max) ? arity.min : undefined;
}

/** Every name that can stand where an instruction does, for "did you mean". */
export const knownNames: readonly string[] = [
  ...instructions.map(({ name }) => name),
  ...shortNames.keys(),
  "NEG",
  ...[...primitiveByName.keys()].map((name) => name.toUpperCase()),
];
