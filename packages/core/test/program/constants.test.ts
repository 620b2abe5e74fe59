/**
 * Numbers of a program reach the machine as they were written: integers about every power of two and about
 * what an immediate holds, of either sign, in every place where a number may stand, in both precisions.
 */

import { afterAll, describe, expect, test } from "vitest";
import { Machine, type Precision } from "../../src/index.js";

const machines = {
  f32: await Machine.create({ precision: "f32" }),
  f64: await Machine.create({ precision: "f64" }),
};
afterAll(() => {
  for (const machine of Object.values(machines)) machine.dispose();
});

const powers = Array.from({ length: 54 }, (_, exponent) => 2 ** exponent);
const sizes = [...powers, 1e9, 3e9, 1e10, 4294967295, 4294967297, 1e15, 9007199254740991];
const integers = [
  ...new Set(sizes.flatMap((size) => [size - 2, size - 1, size, size + 1, size + 2])),
].filter((size) => Number.isSafeInteger(size) && size > 0);
const numbers = integers.flatMap((size) => [size, -size]);

/** Places of a number in a program that gives the number. */
const PLACES = [
  "#",
  "(+ x #)",
  "(* 1 #)",
  "(car '(#))",
  "(cdr '(1 . #))",
  "(let ((u #)) u)",
  "((lambda (u) u) #)",
  "(if (= x 0) # 1)",
  "(vsum [# 0])",
  "(car `(# ,x))",
  "(car (cdr (list 1 #)))",
  "(cdr (assv # '((# . #))))",
  "(loop ((u #)) u)",
  "(case # ((#) (+ x #)) (else 'other))",
] as const;

const rounded = { f32: Math.fround, f64: (value: number) => value } as const;

describe.each(["f32", "f64"] as const)("in %s", (precision: Precision) => {
  test.each(PLACES)("integers of every size stand for themselves in %s", (place) => {
    for (const number of numbers) {
      const source = place.replaceAll("#", String(number));
      const program = machines[precision].load(source, { inputs: ["x"] });
      const given = program.inputs.includes("x") ? { x: 0 } : {};
      expect(program.evaluate(given).datum(0), source).toBe(rounded[precision](number));
      program.dispose();
    }
  });

  test("integers count exactly as far as they are whole", () => {
    const limit = precision === "f32" ? 2 ** 24 : 2 ** 53;
    for (const size of integers.filter((one) => one <= limit))
      for (const number of [size, -size]) {
        const source = `(list (= ${number} ${number}) (= ${number} (+ ${number} 1)) (- ${number} ${Math.sign(number)}))`;
        const program = machines[precision].load(source);
        const isAtEnd = number === limit;
        expect(program.evaluate().datum(0), source).toEqual([
          true,
          isAtEnd,
          number - Math.sign(number),
        ]);
        program.dispose();
      }
  });
});
