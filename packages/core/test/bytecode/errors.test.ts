/**
 * Bad stack programs: each is an error with a code, the words it is about, and a way out; the machine
 * stays usable.
 */

import { afterAll, expect, test } from "vitest";
import { Machine, NdvmError } from "../../src/index.js";

const machine = await Machine.create();
afterAll(() => machine.dispose());

function caught(act: () => unknown): NdvmError {
  try {
    act();
  } catch (error) {
    if (error instanceof NdvmError) return error;
    throw error;
  }
  throw new Error("nothing failed");
}

const lineOf = (source: string, offset: number): number =>
  source.slice(0, offset).split("\n").length;

/** Code, line, the words that the span covers, and what message and help must say. */
type Case = readonly [string, string, number, string, RegExp, RegExp];

const atLoad: readonly Case[] = [
  ["ADD", "E-STACK", 1, "ADD", /needs 2 values.* none/, /push what it takes/],
  ["PUSH 1\nADD", "E-STACK", 2, "ADD", /needs 2 values on the stack, there is 1/, /operands/],
  ["PUSH 1\nSTORE a", "E-STACK", 2, "STORE a", /ends without a value/, /push one/],
  ["PUSH 1\nPUSH 2", "E-STACK", 2, "PUSH 2", /leaves 1 value behind/, /DROP/],
  ["PUSH 1\nPUSH 2\nRET", "E-STACK", 3, "RET", /RET leaves 1 value behind/, /exactly one value/],
  ["PUSH 1\nPICK 1", "E-STACK", 2, "PICK 1", /needs 2 values/, /push/],
  [
    "LOAD x\nPUSH 0\nLT\nBRANCH neg\nPUSH 1\nJUMP end\nneg: PUSH 1\nPUSH 2\nend: RET",
    "E-STACK",
    8,
    "PUSH 2",
    /RET is reached with 2 values on the stack here, with 1 after JUMP/,
    /one height/,
  ],
  ["PUSH 1\nJUMP 7", "E-RANGE", 2, "7", /no instruction 7/, /from 0 to 1; 2 is its end/],
  ["PUSH 1\nJUMP -1", "E-RANGE", 2, "-1", /no instruction -1/, /from 0/],
  ["PUSH 1\nJUMP nowhere", "E-UNBOUND", 2, "nowhere", /no label nowhere/, /write nowhere:/],
  ["PUSH 1\nagain: JUMP agian", "E-UNBOUND", 2, "agian", /no label/, /did you mean again/],
  ["PUSH 1\nSQRRT", "E-UNBOUND", 2, "SQRRT", /no instruction SQRRT/, /did you mean SQRT/],
  ["PSUH 1", "E-UNBOUND", 1, "PSUH", /no instruction PSUH/, /did you mean PUSH/],
  ["PROC frobnicate", "E-UNBOUND", 1, "frobnicate", /no primitive/, /primitives/],
  ["a: PUSH 1\na: NEG", "E-FORM", 2, "a:", /label a stands twice/, /rename/],
  ["PUSH", "E-FORM", 1, "PUSH", /needs a literal/, /write PUSH 1.5/],
  ["PUSH 1\nSTORE", "E-FORM", 2, "STORE", /needs a name/, /write STORE x/],
  ["LOOP n", "E-FORM", 1, "LOOP", /needs a label/, /write LOOP x label/],
  ["CALL", "E-FORM", 1, "CALL", /a procedure, or a count/, /write CALL f/],
  ["PUSH 1\nVEC", "E-FORM", 2, "VEC", /needs a count of operands/, /VEC 3/],
  ["PUSH 1\nSIN 2", "E-ARITY", 2, "2", /cannot take 2 operands/, /it takes 1/],
  ["PUSH 1\nPICK x", "E-FORM", 2, "x", /not a depth/, /whole number/],
  ["PUSH 1 2", "E-SYNTAX", 1, "2", /too much after PUSH/, /one instruction a line/],
  ["PUSH banana", "E-SYNTAX", 1, "banana", /can be pushed/, /LOAD pushes a variable/],
  ["PUSH 1\nPUSH 1e309", "E-SYNTAX", 2, "1e309", /1e309 is too large/, /infinity is written inf/],
  ["PUSH 1\nCALL f", "E-UNBOUND", 2, "f", /no procedure f/, /\.proc/],
  [".proc f x\nLOAD x", "E-SYNTAX", 1, ".proc f x", /has no \.end/, /\.end/],
  [
    ".proc f\nPUSH 1\n.end\n.proc f\nPUSH 2\n.end\nPUSH 1",
    "E-FORM",
    4,
    "f",
    /two procedures/,
    /another/,
  ],
  [".proc f a a\nPUSH 1\n.end\nPUSH 1", "E-FORM", 1, "a", /stands twice/, /different names/],
  [".end", "E-SYNTAX", 1, ".end", /out of place/, /no \.proc/],
  [
    ".proc f x\n.captures a\n.captures b\nLOAD a\nRETURN\n.end",
    "E-SYNTAX",
    3,
    ".captures",
    /out of place/,
    /all captures in one line/,
  ],
  [".prok f", "E-SYNTAX", 1, ".prok", /not a directive/, /did you mean \.proc/],
  [
    ".proc g x\n.captures k\nLOAD k\n.end\nPUSH 1\nCALL g",
    "E-FORM",
    6,
    "g",
    /captures values/,
    /CLOSURE g/,
  ],
  [
    ".input mass\nLOAD mas",
    "E-UNBOUND",
    2,
    "mas",
    /neither a local nor an input/,
    /did you mean mass/,
  ],
  [".input x\nPUSH 1\nSTORE x", "E-FORM", 3, "x", /it is an input/, /another name/],
  [
    "LOAD x\nPUSH 0\nLT\nBRANCH on\nPUSH 1\nSTORE y\non: LOAD y",
    "E-UNINITIALISED",
    7,
    "LOAD y",
    /y can be read before it is stored/,
    /STORE y on every way/,
  ],
  ["", "E-SYNTAX", 1, "", /no instructions/, /PUSH 1/],
  ["; only a comment", "E-SYNTAX", 1, ";", /no instructions/, /PUSH 1/],
];

test.each(atLoad)("%j does not load", (source, code, line, words, message, help) => {
  const error = caught(() => machine.loadBytecode(source));
  expect(error.code).toBe(code);
  expect(error.message).toMatch(message);
  expect(error.help).toMatch(help);
  const { start, end } = error.span as { start: number; end: number };
  expect(source.slice(start, end)).toBe(words);
  expect(lineOf(source, start)).toBe(line);
  expect(error.source).toBe(source);
});

const atRun: readonly Case[] = [
  ["PUSH 'a\nPUSH 1\nADD", "E-TYPE", 3, "ADD", /ADD needs a number, got the symbol a/, /NUMBER\?/],
  ["PUSH 1\nCAR", "E-TYPE", 2, "CAR", /CAR needs a pair, got 1/, /PAIR\?/],
  ["PUSH nil\nCAR", "E-TYPE", 2, "CAR", /the empty list/, /null\?/],
  ["PUSH 1\nBRANCH a\na: PUSH 2", "E-TYPE", 2, "BRANCH a", /BRANCH needs a boolean, got 1/, /LT/],
  ["PUSH nil\nSTORE n\nt: LOOP n e\nJUMP t\ne: PUSH 1", "E-TYPE", 3, "LOOP n e", /LOOP/, /number/],
  ["PUSH 1\nPUSH 2\nCALL 1", "E-CALL", 3, "CALL 1", /1 is not a procedure/, /CLOSURE f/],
  [
    ".proc f a b\nLOAD a\nLOAD b\nADD\n.end\nCLOSURE f\nPUSH 1\nCALL 1",
    "E-ARITY",
    8,
    "CALL 1",
    /f takes 2 arguments, got 1/,
    /count the values/,
  ],
  ["PROC CAR\nPUSH 1\nPUSH 2\nCALL 2", "E-ARITY", 4, "CALL 2", /car takes 1 argument/, /count/],
  ["PUSH 1\nPUSH 2\nVEC 2\nPUSH 3\nVEC 1\nDOT", "E-SHAPE", 6, "DOT", /equal length/, /VEC 3/],
  ["PUSH 1\nVEC 1\nPUSH 5\nREF", "E-RANGE", 4, "REF", /index 5 is out of range/, /start at 0/],
  ["PROC ADD\nPUSH 1\nPUSH 2\nAPPLY 2", "E-TYPE", 4, "APPLY 2", /a list/, /LIST 3/],
  ["again: JUMP again", "E-STEPS", 1, "JUMP again", /more than 10000 steps/, /every loop ends/],
  [".proc f\nTAILCALL f\n.end\nCALL f", "E-STEPS", 2, "TAILCALL f", /steps/, /every loop ends/],
];

test.each(atRun)("%j fails where it runs", (source, code, line, words, message, help) => {
  const program = machine.loadBytecode(source);
  const error = caught(() => program.evaluate({}, { stepsMax: 10_000 }));
  expect(error.code).toBe(code);
  expect(error.message).toMatch(message);
  expect(error.help).toMatch(help);
  const { start, end } = error.span as { start: number; end: number };
  expect(source.slice(start, end)).toBe(words);
  expect(lineOf(source, start)).toBe(line);
  program.dispose();
  expect(machine.loadBytecode("PUSH 1\nPUSH 2\nADD").evaluate().values[0]).toBe(3);
});

test("endless recursion is told with its call", async () => {
  const small = await Machine.create({ memoryMax: 16 * 2 ** 20 });
  const source = ".proc f n\nLOAD n\nCALL f\nPUSH 1\nADD\n.end\nPUSH 1\nCALL f";
  const error = caught(() => small.loadBytecode(source).evaluate());
  expect(error.code).toBe("E-RECURSION");
  expect(source.slice(error.span?.start, error.span?.end)).toBe("CALL f");
  small.dispose();
});

test("a lane that fails leaves the others their results", () => {
  const source = [
    "LOAD x",
    "PUSH 0",
    "GT",
    "BRANCH fine",
    "PUSH nil",
    "CAR",
    "RET",
    "fine: LOAD x",
    "LOG",
  ].join("\n");
  const { values, failures } = machine.loadBytecode(source).evaluate({ x: [1, -1, Math.E] });
  expect(values[0]).toBe(0);
  expect(values[2]).toBeCloseTo(1, 12);
  expect(failures.map(({ lane, error }) => [lane, error.code])).toEqual([[1, "E-TYPE"]]);
});

test("other texts than strings, and languages that do not exist, are refused", () => {
  expect(caught(() => machine.loadBytecode(5 as unknown as string)).code).toBe("E-SYNTAX");
  const language = "forth" as "bytecode";
  expect(caught(() => machine.load("PUSH 1", { language })).code).toBe("E-OPTION");
});

test("an error names the file", () => {
  const error = caught(() => machine.loadBytecode("ADD", { file: "model.ndasm" }));
  expect(error.file).toBe("model.ndasm");
});
