/**
 * Stack code against Scheme that says the same: literals, listings, and single elements of a vector.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assemble } from "../../src/bytecode/assemble.js";
import { disassemble } from "../../src/bytecode/disassemble.js";
import { Machine, type NdvmError, type Program } from "../../src/index.js";
import { generateStack } from "./generate.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);

describe.each(["f64", "f32"] as const)("literals in %s", (precision) => {
  let machine: Machine;
  beforeAll(async () => {
    machine = await Machine.create({ precision });
  });
  afterAll(() => machine.dispose());

  const powers = [24, 31, 32, 53].flatMap((bits) => [2 ** bits - 1, 2 ** bits, 2 ** bits + 1]);
  const whole = [0, 1, 7, ...powers].flatMap((value) => [value, -value]).map((n) => n.toFixed(0));
  const texts = [...whole, "7.0", "-0.0", "0.1", "1e300", "1e21", "16777217.0"];

  test.each(texts)("%s is the same number, exact or not, as in Scheme", (text) => {
    const pairs = [
      [text, `PUSH ${text}`],
      [`(exact ${text})`, `PUSH ${text}\nEXACT`],
      [`(/ 1 ${text})`, `PUSH 1\nPUSH ${text}\nDIV`],
      [`(quotient ${text} 5)`, `PUSH ${text}\nPUSH 5\nQUOTIENT`],
      [`(list ${text} (eqv? ${text} 7))`, `PUSH ${text}\nPUSH ${text}\nPUSH 7\nEQV?\nLIST 2`],
    ] as const;
    for (const [scheme, stack] of pairs)
      expect(outcome(machine.loadBytecode(stack)), stack).toBe(outcome(machine.load(scheme)));
  });
});

/** What a program without inputs gives, in print, or the code of its error. */
function outcome(program: Program): string | undefined {
  try {
    return program.evaluate({}).print(0);
  } catch (error) {
    return (error as NdvmError).code;
  } finally {
    program.dispose();
  }
}

describe("one element of a vector", () => {
  let machine: Machine;
  beforeAll(async () => {
    machine = await Machine.create();
  });
  afterAll(() => machine.dispose());

  const stack = `
.proc turned a b
        LOAD a
        PUSH 0
        LT
        BRANCH below
        LOAD b
        LOAD a
        VEC 2
        RET
below:  LOAD b
        LOAD a
        NEG
        TAILCALL turned
.end
        LOAD x
        PUSH 2
        GT
        BRANCH far
        LOAD x
        PUSH 5
        TAILCALL turned
far:    LOAD x
        DUP
        MUL
        PUSH 7
        VEC 2
`;
  const scheme = `
    (define (turned a b) (if (< a 0) (turned b (- a)) (vec b a)))
    (define unused (* x 100))
    (if (> x 2) (vec (* x x) 7) (turned x 5))`;

  test.each(["stack code", "Scheme"])(
    "of %s is that element, wherever the program ends",
    (kind) => {
      const program = kind === "Scheme" ? machine.load(scheme) : machine.loadBytecode(stack);
      const element = program.elementBy("which");
      const x = [-3, -0.5, 0, 1.5, 2, 4];
      const whole = program.evaluate({ x });
      for (const which of [0, 1]) {
        const { values, gradients } = element.gradient({ x, which: { kind: "int", value: which } });
        const wanted = x.map((_, lane) => (whole.datum(lane) as Float64Array)[which]);
        expect([...values]).toEqual(wanted);
        const slope = (at: number) => program.evaluate({ x: at }).datum(0) as Float64Array;
        x.forEach((at, lane) => {
          const rise = (slope(at + 1e-6)[which] as number) - (slope(at)[which] as number);
          if (at !== 0 && at !== 2) expect(gradients["x"]?.[lane]).toBeCloseTo(rise / 1e-6, 4);
        });
      }
      program.dispose();
    },
  );
});

/** Instructions of a text without labels, spaces and the spelling of numbers. */
function wordsOf(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    const [name = "", operand] = line
      .replace(/^\s*\w+:/, "")
      .trim()
      .split(/\s+/);
    if (name === "") return [];
    if (name === "PUSH" && Number.isFinite(Number(operand))) return [`PUSH ${Number(operand)}`];
    const isJump = /^(JUMP|BRANCH|BRANCHNOT)$/.test(name);
    return [
      isJump
        ? name
        : line
            .replace(/^\s*\w+:/, "")
            .trim()
            .replace(/(LOOP \w+) \w+/, "$1"),
    ];
  });
}

test(`a listing has the instructions of its text, and no others, seed ${seed}`, () => {
  for (let index = 0; index < 300; index++) {
    const { bytecode } = generateStack(seed, index);
    expect(wordsOf(disassemble(assemble(bytecode)))).toEqual(wordsOf(bytecode));
  }
});
