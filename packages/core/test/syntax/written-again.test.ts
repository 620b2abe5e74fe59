/**
 * What the expander understood, read back: the core form of a program computes what the program does,
 * templates yield the data they stand for, and messages do not depend on where a mistake stands.
 */

import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { Machine, NdvmError } from "../../src/index.js";
import { expand } from "../../src/syntax/expand.js";
import { printCore } from "../../src/syntax/print-core.js";
import { read } from "../../src/syntax/read.js";

const machine = await Machine.create();
afterAll(() => machine.dispose());

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
const coreOf = (source: string) => printCore(expand(read(source)));

describe("the core form", () => {
  const given = { x: 2, y: 3, z: 5 };
  const names = Object.keys(given);

  /** Programs in which a few names stand for many things: inputs, primitives and variables. */
  const name = fc.constantFrom("x", "y", "sin", "max", "w");
  const { expression } = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 5, depthSize: "medium" },
      fc.constantFrom("x", "y", "z", "1.5", "2"),
      fc
        .tuple(fc.constantFrom("+", "*"), tie("expression"), tie("expression"))
        .map((p) => `(${p.join(" ")})`),
      tie("expression").map((text) => `(cos ${text})`),
      fc
        .tuple(name, tie("expression"), tie("expression"))
        .map(([to, value, body]) => `(let ((${to} ${value})) (+ ${to} ${body}))`),
      fc
        .tuple(name, tie("expression"), name, tie("expression"), tie("expression"))
        .map(
          ([one, first, two, second, body]) =>
            `(let* ((${one} ${first}) (${two} ${second})) (* ${one} (+ ${two} ${body})))`,
        ),
      fc
        .tuple(name, tie("expression"), tie("expression"))
        .map(([to, body, value]) => `((lambda (${to}) (- ${to} ${body})) ${value})`),
      fc
        .tuple(name, tie("expression"), tie("expression"))
        .map(
          ([to, body, value]) =>
            `(let go ((k 0) (${to} ${value})) (if (= k 2) ${to} (go (+ k 1) (+ 0.5 (* 0.25 ${body})))))`,
        ),
    ),
  }));

  test.each([
    [
      "(+ y (cos x) (let ((x 2) (cos 3)) (* x cos)))",
      "(+ y (cos x) (let ((x.2 2) (cos.2 3)) (* x.2 cos.2)))",
    ],
    [
      "(let ((w (let ((u 1)) (* u y)))) (let ((u 3)) (* u w)))",
      "(let ((w (let ((u 1)) (* u y)))) (let ((u.2 3)) (* u.2 w)))",
    ],
    [
      "(+ (let ((u y)) (* u u)) (let ((u 3)) (* u y)))",
      "(+ (let ((u y)) (* u u)) (let ((u.2 3)) (* u.2 y)))",
    ],
  ])("gives every variable of %s a name of its own", (source, core) => {
    expect(coreOf(source)).toBe(core);
  });

  test(`computes what the program does, SEED=${seed}`, () => {
    fc.assert(
      fc.property(expression, (source) => {
        const computed = (text: string): string => {
          try {
            const program = machine.load(text, { inputs: names });
            const { values, gradients } = program.gradient(given, { wrt: names, replay: false });
            program.dispose();
            return [values[0], ...names.map((each) => gradients[each]?.[0])].join();
          } catch (error) {
            if (error instanceof NdvmError) return error.code;
            throw error;
          }
        };
        const core = coreOf(source);
        expect(computed(core), `${source}\n${core}`).toBe(computed(source));
      }),
      { seed, numRuns: 400 },
    );
  });
});

/** A template's text and the datum that it stands for, as text. */
interface Template {
  readonly text: string;
  /** undefined: several data, in a list of their own. */
  readonly datum: string;
  readonly spliced?: readonly string[];
}

const atom = fc
  .constantFrom("1", "2.5", "a", "#t")
  .map((text): Template => ({ text, datum: text }));
const unquoted = fc.constantFrom(
  { text: ",x", datum: "7" },
  { text: ",(+ x 1)", datum: "8" },
  { text: ",(list x 2)", datum: "(7 2)" },
);
const splices = fc.constantFrom<Template>(
  { text: ",@(list x 2)", datum: "", spliced: ["7", "2"] },
  { text: ",@(list)", datum: "", spliced: [] },
);
const { template } = fc.letrec<{ template: Template }>((tie) => ({
  template: fc.oneof(
    { maxDepth: 3, depthSize: "medium" },
    atom,
    unquoted,
    fc
      .tuple(
        fc.array(fc.oneof(tie("template"), tie("template"), splices), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.option(fc.oneof(atom, unquoted), { nil: undefined }),
      )
      .map(([items, tail]): Template => {
        const texts = items.map(({ text }) => text).join(" ");
        const data = items.flatMap(({ datum, spliced }) => spliced ?? [datum]);
        if (tail === undefined) return { text: `(${texts})`, datum: `(${data.join(" ")})` };
        const text = `(${texts} . ${tail.text})`;
        if (data.length === 0) return { text, datum: tail.datum };
        const inner = /^\((.*)\)$/.exec(tail.datum);
        const end = inner ? ` ${inner[1]}` : ` . ${tail.datum}`;
        return { text, datum: `(${data.join(" ")}${end})` };
      }),
  ),
}));

test(`templates yield the data that they stand for, SEED=${seed}`, () => {
  fc.assert(
    fc.property(template, ({ text, datum }) => {
      const program = machine.load(`\`${text}`, { inputs: ["x"] });
      expect(program.evaluate({ x: 7 }).print(), text).toBe(datum);
      program.dispose();
    }),
    { seed, numRuns: 300 },
  );
});

test.each([
  "(if)",
  "(let ((a 1 2)) a)",
  "(let (5) 1)",
  "(lambda (a 7) a)",
  "(define 3 4)",
  "(case 1 (2 3))",
  "(cond (else 1) (2 3))",
  "(let ((a 1) (a 2)) a)",
  "(f . 3)",
  "'(1 [2])",
  "(set! x 4)",
])("the message about %s is the same far down in the text", (source) => {
  const messageOf = (text: string): string => {
    try {
      expand(read(text));
    } catch (error) {
      if (error instanceof NdvmError) return `${error.code} ${error.message} ${error.help}`;
      throw error;
    }
    return "";
  };
  const message = messageOf(source);
  expect(message).not.toBe("");
  expect(messageOf(`${"; a line\n".repeat(60)}${source}`)).toBe(message);
});
