/**
 * The assembler and its listing: labels, comments, spellings, literals, and every instruction and
 * primitive there and back.
 */

import { afterAll, expect, test } from "vitest";
import { assemble } from "../../src/bytecode/assemble.js";
import { disassemble } from "../../src/bytecode/disassemble.js";
import { spellingOf, usualCount } from "../../src/bytecode/instructions.js";
import { readLiteral } from "../../src/bytecode/literal.js";
import type { Instruction } from "../../src/bytecode/program.js";
import { Machine } from "../../src/index.js";
import { primitives } from "../../src/primitives/index.js";
import { workloads } from "./workloads.js";

const machine = await Machine.create();
afterAll(() => machine.dispose());

const value = (source: string, inputs = {}): number =>
  machine.loadBytecode(source).evaluate(inputs).values[0] as number;

/** Instructions without their places in the text. */
const bare = (source: string) =>
  assemble(source).procedures.map(({ code, name, params, captures, slots }) => ({
    name,
    params,
    captures,
    slots,
    code: code.map(
      ({ text: _text, span: _span, isImplied: _implied, ...action }: Instruction) => action,
    ),
  }));

const everything = `
.input x y
.proc add3 a b c
        LOAD a
        LOAD b
        LOAD c
        ADD 3
        RET
.end
.proc scaled v
.captures factor
        SELF
        DROP
        LOAD v
        LOAD factor
        MUL
        RET
.end
.proc down n
        LOAD n
        PUSH 0
        LE
        BRANCHNOT more
        PUSH 'done
        DROP
        PUSH nil
        DROP
        PUSH true
        BRANCH zero
zero:   PUSH 0.0
        RET
more:   LOAD n
        PUSH 1
        SUB
        TAILCALL down
.end
        PUSH 3
        STORE n
again:  LOOP n out
        JUMP again
out:    LOAD x
        LOAD y
        SWAP
        PICK 1
        CALL add3
        CLOSURE add3
        PUSH 1
        PUSH 2
        PUSH 3
        CALL 3
        ADD
        LOAD x
        CLOSURE scaled
        LOAD y
        CALL 1
        ADD
        PROC MAX
        PUSH 1.5
        PUSH 2
        LIST 1
        APPLY 2
        ADD
        PUSH 3
        CALL down
        ADD
        DUP
        DROP
`;

test("every kind of instruction comes back from its listing", () => {
  const listed = disassemble(assemble(everything));
  expect(bare(listed)).toEqual(bare(everything));
  expect(disassemble(assemble(listed))).toBe(listed);
  expect(value(listed, { x: 2, y: 5 })).toBe(value(everything, { x: 2, y: 5 }));
  expect(value(everything, { x: 2, y: 5 })).toBe(5 + 2 + 5 + 6 + 10 + 2);
});

test.each(workloads)("$file comes back from its listing", ({ source }) => {
  const listed = disassemble(assemble(source));
  expect(bare(listed)).toEqual(bare(source));
});

test("every primitive is an instruction by its own name, in any case", () => {
  const named = primitives.filter(({ scheme }) => scheme !== undefined && scheme !== "apply");
  expect(named.length).toBeGreaterThan(90);
  for (const primitive of named) {
    for (const name of [primitive.scheme ?? "", ...primitive.aliases, spellingOf(primitive)]) {
      for (const spelled of [name, name.toUpperCase()]) {
        const count = usualCount(primitive) ?? 2;
        const pushes = Array.from({ length: count }, () => "PUSH 1").join("\n");
        const operand = usualCount(primitive) === undefined ? " 2" : "";
        const source = `${pushes}\n${spelled}${operand}`;
        const code = assemble(source).procedures[0]?.code[count];
        expect(code).toMatchObject({ kind: "primitive", count });
        expect((code as { primitive: { op: number } }).primitive.op, spelled).toBe(primitive.op);
        expect(disassemble(assemble(source))).toContain(spellingOf(primitive));
      }
    }
  }
});

test("labels may stand alone, several at a place, and at the end", () => {
  expect(value("JUMP b\na:\nb:\nPUSH 4\nJUMP end\nend:")).toBe(4);
});

test("jumps may name an instruction by its number", () => {
  expect(value("JUMP 2\nPUSH 1\nPUSH 2")).toBe(2);
  expect(value("PUSH 1\nJUMP 2")).toBe(1);
});

test("comments, blank lines, tabs and any line ends are as good as spaces", () => {
  expect(value("; a\r\n\tPUSH 1 ; one\r\r\n  push\t2;two\rAdd")).toBe(3);
});

test.each([
  ["PUSH 7", 7],
  ["PUSH -7", -7],
  ["PUSH +2.5e-3", 0.0025],
  ["PUSH .5", 0.5],
  ["PUSH 1.", 1],
  ["PUSH inf", Number.POSITIVE_INFINITY],
  ["PUSH -inf", Number.NEGATIVE_INFINITY],
  ["PUSH nan", Number.NaN],
  ["PUSH -0.0", -0],
  ["PUSH 123456789012345678901234567890", Number("123456789012345678901234567890")],
])("%s is read and written back", (source, expected) => {
  expect(value(source)).toBe(expected);
  expect(value(disassemble(assemble(source)))).toBe(expected);
});

test("whole numbers stay integers, and come back as such", () => {
  expect(bare("PUSH 3")).toEqual(bare(disassemble(assemble("PUSH 3"))));
  expect(bare("PUSH 3")).not.toEqual(bare("PUSH 3.0"));
  expect(disassemble(assemble("PUSH 3.0"))).toContain("PUSH 3.0");
});

test("structure is a result like any other", () => {
  const list = machine.loadBytecode("PUSH 1\nPUSH 'b\nPUSH true\nPUSH nil\nLIST 4").evaluate();
  expect(list.datum()).toEqual([1, "b", true, []]);
  expect(list.print()).toBe("(1 b #t ())");
  const closure = machine.loadBytecode(".proc f x\nLOAD x\n.end\nCLOSURE f").evaluate();
  expect(closure.datum()).toEqual({ procedure: "f" });
});

test("names without a declaration are inputs in the order they are read", () => {
  const program = machine.loadBytecode("LOAD b\nLOAD a\nADD\nLOAD b\nADD", { inputs: ["z"] });
  expect([...program.inputs].sort()).toEqual(["a", "b", "z"]);
  expect(program.inputs.indexOf("b")).toBeLessThan(program.inputs.indexOf("a"));
});

test("every spelling of a literal is the same literal, in any case", () => {
  const read = (text: string) => readLiteral({ text, span: { start: 0, end: text.length } });
  for (const [first, ...others] of [
    ["inf", "+inf", "INF", "+Inf"],
    ["-inf", "-INF"],
    ["nan", "NaN"],
    ["true", "#t", "TRUE"],
    ["false", "#f", "False"],
    ["nil", "()", "NIL"],
    ["2", "+2", "02"],
    ["2.", "2.0", "2e0", "+2E+0"],
  ] as const)
    for (const other of others) expect(read(other), other).toEqual(read(first));
  expect(read("inf")).toEqual({ kind: "number", value: Number.POSITIVE_INFINITY, exact: false });
});
