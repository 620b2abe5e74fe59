/**
 * `modulo` and `remainder` against exact arithmetic: any two numbers, however far apart, in every
 * lane of both precisions, with their gradients; and in exported JavaScript.
 */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportModel, Machine, type Precision } from "../../src/index.js";
import { evaluatePython } from "../export/python.js";
import { functionOf } from "../export/support.js";
import { exactFloor, exactModulo, exactQuotient, exactRemainder } from "./exact.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`division: SEED=${seed}`);

const machines = new Map<Precision, Machine>();
beforeAll(async () => {
  for (const precision of ["f32", "f64"] as const)
    machines.set(precision, await Machine.create({ precision }));
});
afterAll(() => {
  for (const machine of machines.values()) machine.dispose();
});

const round = { f32: Math.fround, f64: (x: number) => x } as const;

/** Any finite number: from all bit patterns, and near-multiples that round to an integer. */
const numbersIn = (precision: Precision): fc.Arbitrary<number> =>
  precision === "f32"
    ? fc.float({ noNaN: true, noDefaultInfinity: true })
    : fc.double({ noNaN: true, noDefaultInfinity: true });

const pairsIn = (precision: Precision): fc.Arbitrary<readonly [number, number]> => {
  const any = numbersIn(precision);
  const divisor = any.filter((y) => y !== 0);
  const near = fc
    .tuple(
      fc.integer({ min: -1_000_000, max: 1_000_000 }),
      fc.double({ min: 0.01, max: 10, noNaN: true }),
    )
    .map(([k, y]) => [round[precision](k * y), round[precision](y)] as const)
    .filter(([x]) => Number.isFinite(x));
  const infinite = fc.tuple(any, fc.constantFrom(Infinity, -Infinity));
  return fc.oneof(fc.tuple(any, divisor), near, infinite);
};

describe.each(["f32", "f64"] as const)("in %s", (precision) => {
  const check = (
    name: "modulo" | "remainder",
    value: (x: number, y: number) => number,
    slope: (x: number, y: number) => number,
  ): void => {
    const program = (machines.get(precision) as Machine).load(`(${name} x y)`);
    const lanes = fc.array(pairsIn(precision), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(lanes, (pairs) => {
        const x = pairs.map(([own]) => own);
        const y = pairs.map(([, own]) => own);
        const { values, gradients } = program.gradient({ x, y }, { wrt: ["x", "y"] });
        for (const [i, [a, b]] of pairs.entries()) {
          const what = `(${name} ${a} ${b}), lane ${i} of ${pairs.length}`;
          expect(values[i], what).toBe(round[precision](value(a, b)) + 0);
          expect(gradients.x[i], `${what} by x`).toBe(1);
          const want = round[precision](-slope(a, b));
          const got = gradients.y[i] as number;
          const isNear =
            Math.abs(got - want) <= Math.abs(want) * (precision === "f32" ? 3e-7 : 5e-16);
          expect(got === want || isNear, `${what} by y is ${got}, not ${want}`).toBe(true);
        }
      }),
      { seed, numRuns: 400 },
    );
  };

  test("remainder is exact", () => check("remainder", exactRemainder, exactQuotient));
  test("modulo is exact, rounded once", () => check("modulo", exactModulo, exactFloor));

  test("remainder and modulo are exact for divisors of every size, subnormal ones too", () => {
    const machine = machines.get(precision) as Machine;
    const [least, most] = precision === "f32" ? [-149, 127] : [-1074, 1023];
    const sizes = Array.from({ length: most - least + 1 }, (_, i) => 2 ** (least + i));
    const places = sizes.flatMap((size) =>
      [1, 1.25, 1.7].flatMap((part) =>
        [2.6, 1e5 / 3, 1e30 / 7].map((times) => {
          const y = round[precision](size * part);
          return [round[precision](Math.min(y * times, sizes.at(-1) as number)), -y] as const;
        }),
      ),
    );
    const [x, y] = [places.map(([own]) => own), places.map(([, own]) => own)];
    for (const [name, value] of [
      ["remainder", exactRemainder],
      ["modulo", exactModulo],
    ] as const) {
      const { values } = machine.load(`(${name} x y)`).evaluate({ x, y });
      const wrong = places.filter(
        ([a, b], lane) => values[lane] !== round[precision](value(a, b)) + 0,
      );
      expect(wrong, name).toEqual([]);
    }
  });

  test("an infinite dividend or a divisor of zero is NaN", () => {
    const machine = machines.get(precision) as Machine;
    for (const name of ["modulo", "remainder"])
      for (const [x, y] of [
        [Infinity, 3],
        [-Infinity, 3],
        [5, 0],
        [0, 0],
        [Number.NaN, 3],
        [3, Number.NaN],
      ])
        expect(
          machine.load(`(${name} x y)`).evaluate({ x: x as number, y: y as number }).values[0],
        ).toBeNaN();
  });
});

test("a modulo by a quotient that cannot be held was wrong, infinite or NaN", () => {
  const machine = machines.get("f64") as Machine;
  const value = (source: string): number => machine.load(source).evaluate().values[0] as number;
  expect(value("(modulo 1e17 3)")).toBe(1);
  expect(value("(modulo 1.5e308 1e-308)")).toBe(1.5e308 % 1e-308);
  expect(value("(modulo 5 +inf.0)")).toBe(5);
  expect(value("(modulo -5 +inf.0)")).toBe(Infinity);
  expect(value("(modulo 5 -inf.0)")).toBe(-Infinity);
  expect(value("(remainder -5 +inf.0)")).toBe(-5);
});

test("exported JavaScript has the machine's numbers", () => {
  const machine = machines.get("f64") as Machine;
  for (const name of ["modulo", "remainder"] as const) {
    const program = machine.load(`(${name} x y)`);
    const call = functionOf(exportModel({ program }, "javascript"));
    fc.assert(
      fc.property(pairsIn("f64"), ([x, y]) => {
        expect(call({ x, y }), `(${name} ${x} ${y})`).toBe(program.evaluate({ x, y }).values[0]);
      }),
      { seed, numRuns: 200 },
    );
  }
});

test("exported NumPy gives the machine's numbers, which are never -0", () => {
  const halves = Array.from({ length: 17 }, (_, i) => i / 2 - 4);
  const pairs = halves.flatMap((x) => halves.filter((y) => y !== 0).map((y) => [x, y] as const));
  for (const name of ["quotient", "remainder", "modulo"]) {
    const program = (machines.get("f64") as Machine).load(`(${name} x y)`);
    const { values } = program.evaluate({ x: pairs.map(([x]) => x), y: pairs.map(([, y]) => y) });
    const [, text = ""] = /return (.*)/.exec(exportModel({ program }, "numpy")) ?? [];
    for (const [i, [x, y]] of pairs.entries())
      expect(evaluatePython(text, { x, y }), `${name} of ${x} and ${y}: ${text}`).toBe(values[i]);
    expect(values.some((value) => Object.is(value, -0))).toBe(false);
    program.dispose();
  }
});
