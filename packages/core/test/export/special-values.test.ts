/**
 * Special values of every operand of every element-wise primitive, in exported JavaScript: zeros of both
 * signs, ones, halves, large odd and even integers, infinities and NaN, as inputs, as literals, as elements
 * of vectors and as operands of a procedure that is passed on. Bits are the machine's where it gives 0,
 * infinity or NaN, and for other numbers to the rounding of elementary functions.
 */

import { expect, test } from "vitest";
import { exportModel, Machine, NdvmError } from "../../src/index.js";
import { primitiveByName } from "../../src/primitives/index.js";
import { formatNumber } from "../../src/syntax/number-text.js";
import { functionOf } from "./support.js";

const machine = await Machine.create({ precision: "f64" });

const SPECIAL = [
  ...[0, 1, 0.5, 2, 3, 1.5, 2.5, 7, 1024, 1025, 2 ** 53 - 1, 2 ** 53, 1e300, 1e-320],
  Infinity,
].flatMap((size) => [size, -size]);
const VALUES = [...SPECIAL, Number.NaN];

const elementwise = [...primitiveByName].filter(([, { kind }]) => /^(unary|binary)/.test(kind));

function isSameNumber(got: unknown, want: unknown): boolean {
  if (Object.is(got, want)) return true;
  if (typeof got !== "number" || typeof want !== "number") return false;
  return want !== 0 && Math.abs(got - want) <= 1e-12 * Math.abs(want);
}

const textOf = (x: unknown): string => (Object.is(x, -0) ? "-0" : String(x));

/** A procedure's value, or that it refuses these operands. */
function said(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof NdvmError || error instanceof TypeError) return "refused";
    throw error;
  }
}

/** Where a program's JavaScript differs from the machine, of these values of its inputs. */
function differences(source: string, places: readonly Place[]): string[] {
  const program = machine.load(source);
  const run = functionOf(exportModel({ program, numbers: ["a", "b"] }, "javascript"));
  const used = program.inputs as readonly (keyof Place)[];
  const lanes = Object.fromEntries(used.map((input) => [input, places.map((at) => at[input])]));
  const all = program.evaluate(lanes, { lanes: places.length });
  const wrong = places.flatMap((place, lane) => {
    const [got, want] = [said(() => run(place)), said(() => all.datum(lane))];
    if (isSameNumber(got, want)) return [];
    const at = used.map((input) => textOf(place[input])).join(", ");
    return [`${source} at ${at}: ${textOf(got)}, machine ${textOf(want)}`];
  });
  program.dispose();
  return wrong;
}

interface Place {
  readonly a: number;
  readonly b: number;
}
const singles: readonly Place[] = VALUES.map((a) => ({ a, b: 1 }));
const ofB: readonly Place[] = VALUES.map((b) => ({ a: 1, b }));
const pairs: readonly Place[] = VALUES.flatMap((a) => VALUES.map((b) => ({ a, b })));

test.each(elementwise)("JavaScript's %s of special values is the machine's", (name, { arity }) => {
  const wrong: string[] = [];
  if (arity.min <= 1)
    wrong.push(
      ...differences(`(${name} a)`, singles),
      ...differences(`((lambda (f) (f a)) ${name})`, singles),
    );
  if (arity.max >= 2)
    wrong.push(
      ...differences(`(${name} a b)`, pairs),
      ...differences(`((lambda (f) (f a b)) ${name})`, pairs),
    );
  expect(wrong).toEqual([]);
});

test("1 to the power NaN or infinity was NaN in JavaScript, however it was written", () => {
  const wrong = VALUES.flatMap((value) => {
    const literal = formatNumber(value, false);
    return [
      ...differences(`(expt ${literal} b)`, ofB),
      ...differences(`(expt a ${literal})`, singles),
      ...differences(`(ref (expt [a 1] ${literal}) 0)`, singles),
      ...differences(`(ref (expt ${literal} [a 1]) 0)`, singles),
    ];
  });
  expect(wrong).toEqual([]);
  const text = (program: string): string => exportModel({ program }, "javascript");
  expect(functionOf(text("(expt 1 (log (- 0 x)))"))({ x: 2 })).toBe(1);
  // Where a literal rules such powers out, the text has no helper.
  for (const program of ["(expt x 2)", "(expt x -0.5)", "(expt 2 x)", "(expt -2.5 x)"])
    expect(text(program)).toContain("return Math.pow(");
});
