/** Cosines the way people write them: which constants are turned, and that the function stays the same. */

import { Machine } from "@ndvm/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uprightWaves } from "../../src/choice/aliases.js";

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

type Params = Readonly<Record<string, number>>;
const x = Float64Array.from({ length: 20 }, (_, i) => i / 3 - 2);
const z = x.map((at) => 1.7 - 0.3 * at);

test.each<[string, string, Params, Partial<Params>]>([
  ["a rate", "(cos (* a x))", { a: -2 }, { a: 2 }],
  ["a rate and a phase", "(cos (+ (* a x) c))", { a: -2, c: 1 }, { a: 2, c: -1 }],
  ["a rate, where the phase is inside", "(cos (* a (- x c)))", { a: -2, c: 1 }, { a: 2 }],
  ["all rates", "(cos (+ (* a x) (* b z)))", { a: -2, b: 3 }, { a: 2, b: -3 }],
  ["nothing: the first rate is positive", "(cos (+ (* a x) (* b z)))", { a: 2, b: -3 }, {}],
  ["nothing: it is written as a number", "(cos (+ (* -2 x) c))", { c: 1 }, {}],
  ["nothing: the rate stands elsewhere, too", "(+ (* b x) (cos (* b x)))", { b: -2 }, {}],
  ["nothing: two waves share it", "(+ (cos (* a x)) (sin (* a x)))", { a: -2 }, {}],
  [
    "each wave by itself",
    "(+ (cos (+ (* a x) c)) (+ (* b x) (cos (* b x))))",
    { a: -2, b: -3, c: 1 },
    { a: 2, c: -1 },
  ],
  [
    "several waves",
    "(* (cos (+ (* a x) c)) (cos (* b z)))",
    { a: -2, b: -3, c: 1 },
    { a: 2, b: 3, c: -1 },
  ],
  ["what a let names", "(let ((u (* a x))) (cos u))", { a: -2 }, { a: 2 }],
  ["nothing: the rate is 0", "(cos (+ (* a x) c))", { a: 0, c: 1 }, {}],
  ["nothing: there is no rate", "(cos (+ c (* 0 x)))", { c: 1 }, {}],
  ["nothing in a sine", "(sin (* a x))", { a: -2 }, {}],
  ["nothing in what is not linear", "(cos (* a (* x x)))", { a: -2 }, {}],
])("%s is turned: %s", (_, source, params, turned) => {
  const found = uprightWaves(source, params, ["x", "z"]);
  expect(found).toEqual({ ...params, ...turned });
  if (Object.keys(turned).length === 0) expect(found).toBe(params);
  const program = machine.load(source, { inputs: ["x", "z"] });
  const at = (given: Params) => program.evaluate({ ...given, x, z }).values.slice();
  const [before, after] = [at(params), at(found)];
  for (const [i, value] of before.entries()) expect(after[i]).toBeCloseTo(value, 12);
  program.dispose();
});
