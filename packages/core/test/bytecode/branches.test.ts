/**
 * Whether a program decides anything: what it says of itself before it runs, against what a diagnosis finds
 * when it has. Stack code, and Scheme beside it; and LOOP, which decides as the test does that it stands for.
 */

import { afterAll, describe, expect, test } from "vitest";
import { type Diagnostics, Machine, type Program } from "../../src/index.js";
import { machineInputs } from "../fuzz/check.js";
import { generateStack } from "./generate.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);

const machine = await Machine.create();
afterAll(() => machine.dispose());

/** Stack code that turns the number on top into another, by what is in it; # makes its names its own. */
const STACK: Readonly<Record<string, string>> = {
  "plain arithmetic": "PUSH 2/MUL",
  "a square root": "SQRT",
  "a logarithm": "LOG",
  "a jump": "JUMP e#/PUSH 5/ADD/e#: PUSH 1/ADD",
  "a branch over numbers": "DUP/PUSH 0.5/GT/BRANCH e#/PUSH 3/ADD/e#: PUSH 1/ADD",
  "a branch that is not taken": "PUSH 1/PUSH 2/GT/BRANCH e#/PUSH 3/ADD/e#: PUSH 1/ADD",
  "a branch over structure": "PUSH nil/NULL?/BRANCHNOT e#/PUSH 3/ADD/e#: PUSH 1/ADD",
  "a branch over a constant": "PUSH true/BRANCH e#/PUSH 3/ADD/e#: PUSH 1/ADD",
  "a loop over a count": "PUSH 3/STORE k#/t#: LOOP k# e#/PUSH 2/MUL/JUMP t#/e#: PUSH 1/ADD",
  "a loop of no turn": "PUSH 0/STORE k#/t#: LOOP k# e#/PUSH 2/MUL/JUMP t#/e#: PUSH 1/ADD",
  "a loop over a number": "DUP/STORE k#/t#: LOOP k# e#/PUSH 2/MUL/JUMP t#/e#: PUSH 1/ADD",
  "a test as a value": "DUP/PUSH 1/LT/DROP",
  "a maximum": "PUSH 1/MAX",
  "an absolute value": "ABS",
};

/** The same of Scheme, as an expression over y. */
const SCHEME: Readonly<Record<string, string>> = {
  "plain arithmetic": "(* 2 y)",
  "a square root": "(sqrt y)",
  "a logarithm": "(log y)",
  "a branch over numbers": "(if (> y 0.5) (+ y 3) y)",
  "a branch that is not taken": "(if (> 1 2) (+ y 3) y)",
  "a branch over structure": "(if (null? '()) (+ y 3) y)",
  "a branch over a constant": "(if #t (+ y 3) y)",
  "a loop over a count": "(loop ((i 3) (s y)) (if (> i 0) (recur (- i 1) (* 2 s)) s))",
  "a do": "(do ((i 0 (+ i 1)) (s y (* s 2))) ((= i 3) s))",
  "a loop over a number": "(loop ((i y) (s y)) (if (> i 0) (recur (- i 1) (* 2 s)) s))",
  "a test as a value": "(begin (< y 1) y)",
  "an and of tests": "(if (and (> y 0) (< y 1)) y (* 2 y))",
  "a case": "(case 3 ((1 2) y) ((3) (* 2 y)) (else 0))",
  "a fold": "(fold-left + y '(1 2 3))",
  "a maximum": "(max y 1)",
  "an absolute value": "(abs y)",
};

const lines = (text: string): string => text.replaceAll("/", "\n");

/** Programs of one piece and of two, the second in the program itself and in a procedure. */
function stackPrograms(): string[] {
  const pieces = Object.values(STACK).map((piece) => (mark: string) => piece.replaceAll("#", mark));
  return pieces.flatMap((one, at) => [
    lines(`LOAD x/${one("1")}`),
    lines(`.proc f y/LOAD y/${one("1")}/.end/LOAD x/CALL f`),
    lines(`.proc f y/LOAD y/${one("1")}/.end/LOAD x/PUSH 2/MUL`),
    ...pieces.slice(at).map((two) => lines(`LOAD x/${one("1")}/${two("2")}`)),
  ]);
}

function schemePrograms(): string[] {
  const pieces = Object.values(SCHEME);
  return pieces.flatMap((one, at) => [
    `(let ((y x)) ${one})`,
    `(define (f y) ${one}) (f x)`,
    `(define (f y) ${one}) (* 2 x)`,
    ...pieces.slice(at).map((two) => `(let ((y (let ((y x)) ${one}))) ${two})`),
  ]);
}

const INPUTS = [{ x: 0.7 }, { x: -2 }, { x: [2, 0.1, 1, -3, 0.5] }];

/** Holds a program's own word, before and after each run, to what a diagnosis of the run finds. */
function checkWord(program: Program): "plain" | "branches" | "other" {
  const { hasBranches } = program.parsed;
  for (const inputs of INPUTS) {
    program.gradient(inputs);
    const { isPlain } = program;
    const { branches, predicateOnly, clamped } = program.diagnose(inputs);
    if (branches.length > 0) expect(hasBranches, program.source).toBe(true);
    if (isPlain) expect([...branches, ...predicateOnly, ...clamped], program.source).toEqual([]);
  }
  if (hasBranches) return "branches";
  return program.isPlain ? "plain" : "other";
}

describe.each(["ieee", "clamp"] as const)("in the domain %s", (domain) => {
  test.each(["stack code", "Scheme"] as const)(
    "%s that calls itself plain has nothing to tell of any run",
    (language) => {
      const found = new Map<string, number>();
      for (const source of language === "Scheme" ? schemePrograms() : stackPrograms()) {
        const text = language === "Scheme" ? "scheme" : "bytecode";
        const program = machine.load(source, { language: text, domain });
        const kind = checkWord(program);
        found.set(kind, (found.get(kind) ?? 0) + 1);
        program.dispose();
      }
      for (const kind of ["plain", "branches", "other"])
        expect(found.get(kind), kind).toBeGreaterThan(5);
    },
  );
});

/** What a diagnosis says of branches, whatever they are called and wherever they stand. */
function decisions({ branches, paths, predicateOnly, clamped, nonFinite }: Diagnostics): unknown {
  const ways = Array.from(paths, (path) => [...path]);
  const nodes = [...new Set(ways.flat().map((way) => way >> 1))].sort((a, b) => a - b);
  return {
    counts: branches.map(({ taken, notTaken }) => [taken, notTaken]),
    paths: ways.map((path) => path.map((way) => [nodes.indexOf(way >> 1), way & 1])),
    predicateOnly,
    clamped: clamped.length,
    nonFinite: nonFinite.length,
  };
}

const LOOP = /^(\s*(?:\S+:\s*)?)LOOP (\S+) (\S+)$/gm;

/** A program whose LOOPs are the test and the step that they stand for. */
const withoutLoops = (source: string): string =>
  source.replace(LOOP, (_, label, name, end) =>
    lines(`${label}LOAD ${name}/PUSH 0/GT/BRANCHNOT ${end}/LOAD ${name}/PUSH 1/SUB/STORE ${name}`),
  );

test(`a LOOP decides as the test does that it stands for, SEED=${seed}`, () => {
  let looped = 0;
  for (let index = 0; index < 300; index++) {
    const drawn = generateStack(seed, index);
    const spelled = withoutLoops(drawn.bytecode);
    if (spelled === drawn.bytecode) continue;
    const [one, other] = [drawn.bytecode, spelled].map((source) => {
      const program = machine.loadBytecode(source);
      const all = Array.from({ length: drawn.lanes }, (_, lane) => lane);
      const inputs = machineInputs(program, drawn, all);
      const { values } = program.evaluate(inputs, { lanes: drawn.lanes });
      const found = decisions(program.diagnose(inputs, { lanes: drawn.lanes }));
      const { hasBranches } = program.parsed;
      const { isPlain } = program;
      program.dispose();
      return { values: [...values], found, hasBranches, isPlain };
    });
    expect(one, drawn.bytecode).toEqual(other);
    looped += 1;
  }
  expect(looped).toBeGreaterThan(50);
});
