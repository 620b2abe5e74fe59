/**
 * Programs of one skeleton are one program: what is spelt alike in them, names, quoted symbols, parameters and
 * numbers, means the same. Every kind of atom beside every other one, judged by what the machine makes of them.
 */

import { Machine } from "@ndvm/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { skeletonOf } from "../../src/skeleton.js";

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

/** Columns of the study, some of them called as a skeleton calls other things. */
const INPUTS = ["x", "y", "P0", "v0", "sin", "odd name"];
/** Their values; every other free name is a parameter, and parameters are told apart by their first use. */
const VALUES: Readonly<Record<string, number>> = {
  ...{ x: 2, y: 3.5, P0: 5, v0: 7, sin: 11, "odd name": 13 },
};

const NAMES = ["x", "y", "P0", "v0", "sin", "|odd name|", "a", "b", "pi", "cos", "v1"];
const NUMBERS = ["0", "-0.0", "2", "-2", "0.5", "1e21", "1e-7", "+inf.0", "-inf.0", "+nan.0"];
const ATOMS = [
  ...NAMES,
  ...NAMES.map((name) => `'${name}`),
  ...NAMES.map((name) => `'(${name})`),
  ...NUMBERS,
  ...NUMBERS.map((number) => `'(${number})`),
  ...[
    "#t",
    "#f",
    "'()",
    "'(())",
    "'(a . b)",
    "'(a b)",
    "'(a (b))",
    "'(1 . 2)",
    "''x",
    "'(quote x)",
  ],
  ...[
    "[2]",
    "(vec 2)",
    "(list 2)",
    "(list 'x)",
    "(list x)",
    "`(,x)",
    "`(x)",
    "'|2|",
    "'|#t|",
    "'|()|",
  ],
];

/** Programs around an atom that show what it is. */
const AROUND = [
  "(list #)",
  "(list # #)",
  "(list x a #)",
  "(let ((u #) (w x)) (list w u))",
  "((lambda (u) (list u 'u #)) 1)",
  "(list (+ x 1) (if (pair? #) 1 #))",
  "(case # ((x) 'symbol) ((2) 'number) (else #))",
  "(list (eqv? # 'x) (eqv? # x) #)",
];

/** What the machine makes of a program, in print. */
function outcomeOf(source: string): string {
  const program = machine.load(source, { inputs: INPUTS });
  try {
    let parameters = 0;
    // The values of parameters follow their order in the text, as a skeleton numbers them by it.
    const given = program.inputs.map((name): [string, number] => [
      name,
      INPUTS.includes(name) ? (VALUES[name] as number) : 100 + parameters++,
    ]);
    return program.evaluate(Object.fromEntries(given)).print(0);
  } catch (error) {
    return `error: ${(error as Error).message.replace(/\b[ab]\b/g, "parameter")}`;
  } finally {
    program.dispose();
  }
}

test.each(AROUND)("%s is another program with every atom that makes another value", (around) => {
  const known = new Map<string, { readonly source: string; readonly outcome: string }>();
  let alike = 0;
  for (const atom of ATOMS) {
    const source = around.replaceAll("#", atom);
    const skeleton = skeletonOf(source, INPUTS);
    const outcome = outcomeOf(source);
    const other = known.get(skeleton);
    expect(outcome, `${source} and ${other?.source} are ${skeleton}`).toBe(
      other?.outcome ?? outcome,
    );
    if (other !== undefined) alike += 1;
    known.set(skeleton, { source, outcome });
  }
  // a and b where nothing stands beside them, and quotes that are written in two ways.
  expect(alike).toBeGreaterThan(1);
  expect(known.size).toBeGreaterThan(ATOMS.length / 2);
});
