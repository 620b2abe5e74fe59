/**
 * Names with a meaning of their own: which of them a program's text uses with that meaning. Where it does,
 * a caller's column or parameter of that name is not read. The second opinion declares the name an input:
 * then just those uses become the input. Names that are quoted, or bound by the program, are no use.
 */

import { afterAll, expect, test } from "vitest";
import { Machine, NdvmError } from "../../src/index.js";
import { ParsedScheme } from "../../src/program/parsed-scheme.js";
import { expand } from "../../src/syntax/expand.js";
import { read } from "../../src/syntax/read.js";

const machine = await Machine.create();
afterAll(() => machine.dispose());

/** Expressions with the name #, by what becomes of it. */
const PIECES = [
  "#",
  "(list # 1)",
  "[1 #]",
  "(# 1)",
  "(list # (# 1))",
  "(if x # 2)",
  "`(1 ,#)",
  "`(1 . ,#)",
  "(let ((u #)) u)",
  "(let ((# #)) #)",
  "(let* ((u #) (# 2)) #)",
  "(let # ((u #)) u)",
  "(case # ((1) 2) (else 3))",
  "(case 1 ((1) #) (else 3))",
  "(case 1 ((1) => #) (else 3))",
  "((lambda (u) #) 1)",
  "((lambda (#) #) #)",
  "'#",
  "'(1 # . #)",
  "(quote #)",
  "`#",
  "`(# ,x)",
  "`(,x . #)",
  "(case 1 ((#) 2) (else 3))",
  "(case 1 ((1) 2) ((3 #) 4))",
  "(let ((# 1)) #)",
  "(let* ((# 1) (u #)) u)",
  "(let # ((u 1)) u)",
  "(letrec ((# (lambda () #))) 1)",
  "(let () (define # 2) #)",
  "(let () (define (# u) #) 1)",
  "((lambda (#) #) 1)",
  "((lambda # #) 1)",
  "(loop ((# 1)) #)",
  "(do ((# 0 (+ # 1))) ((> # 2) #))",
] as const;

const PROGRAMS = [
  ...PIECES,
  ...PIECES.flatMap((one) => PIECES.map((two) => `(list ${one} ${two})`)),
  ...PIECES.map((one) => `(define # 1) ${one}`),
  ...PIECES.map((one) => `(define (f #) ${one}) ${one}`),
];

/** Whether the name would be read as a value if it were an input, and whether anything would read it. */
function usesOf(source: string, name: string): { isRead: boolean; isValue: boolean } {
  const { nodes } = expand(read(source), { inputs: [name] });
  const called = new Set(nodes.flatMap((node) => (node.kind === "call" ? [node.operator] : [])));
  const uses = nodes.filter((node) => node.kind === "input" && node.name === name);
  return { isRead: uses.length > 0, isValue: uses.some((use) => !called.has(use)) };
}

test("a constant counts where an input of its name would be read", () => {
  let used = 0;
  for (const program of PROGRAMS) {
    const source = program.replaceAll("#", "pi");
    const { isRead } = usesOf(source, "pi");
    const parsed = new ParsedScheme(source, undefined);
    expect(parsed.constants, source).toEqual(isRead ? ["pi"] : []);
    if (isRead) used += 1;
  }
  expect(used).toBeGreaterThan(PIECES.length);
  expect(PROGRAMS.length - used).toBeGreaterThan(PIECES.length);
});

test.each(["sin", "max", "+", "list"])(
  "the primitive %s counts as a value where an input of its name would be read as one",
  (name) => {
    for (const program of PROGRAMS) {
      const source = program.replaceAll("#", name);
      // The list around two pieces is a call and no value, unless the name is its own.
      if (name === "list" && program.includes("list")) continue;
      const parsed = new ParsedScheme(source, undefined);
      const values = parsed.procedureValues;
      expect(values.includes(name), source).toBe(usesOf(source, name).isValue);
    }
  },
);

test("an input with the name of a constant is refused in other words where the text means the constant", () => {
  for (const piece of PIECES) {
    const source = piece.replaceAll("#", "pi");
    const program = machine.load(source);
    let told: unknown;
    try {
      program.evaluate({ pi: 3, x: 1 });
    } catch (error) {
      told = error instanceof NdvmError && error.code === "E-INPUT" ? error.facts.reason : error;
    }
    expect(told === "builtin", source).toBe(usesOf(source, "pi").isRead);
    program.dispose();
  }
});
