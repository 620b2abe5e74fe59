/**
 * Whatever lanes are run together, each is told what it is told alone: its numbers, its failure in words with
 * its own numbers in them, and what made its result infinite, with its place. By arrays and over axes, by
 * every way of calling, the first time and the next ones.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Evaluation,
  type Inputs,
  Machine,
  NdvmError,
  over,
  type Program,
} from "../../src/index.js";
import { primitiveByName } from "../../src/primitives/index.js";

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create({ precision: "f64" });
});
afterAll(() => machine.dispose());

const worded = ({ code, message, help, facts, span }: NdvmError): object => ({
  ...{ code, message, help, facts, span },
});

/** What each lane of a result is told. */
function toldEach(out: Evaluation): object[] {
  const failed = new Map(out.failures.map(({ lane, error }) => [lane, error]));
  const causes = out.nonFinite.map(({ lane }) => lane);
  expect(new Set(causes).size, "a lane is told once").toBe(causes.length);
  return Array.from({ length: out.lanes }, (_, lane) => {
    const error = failed.get(lane);
    if (error !== undefined) return worded(error);
    const cause = out.nonFinite.find((one) => one.lane === lane);
    expect(cause?.message ?? `lane ${lane} is`).toContain(`lane ${lane} is`);
    return { value: out.print(lane), number: cause?.value, why: cause?.cause, span: cause?.span };
  });
}

/** The same of one call; where all of its lanes fail it throws the first of them. */
function told(act: () => Evaluation): object[] {
  try {
    return toldEach(act());
  } catch (error) {
    if (error instanceof NdvmError) return [worded(error)];
    throw error;
  }
}

const lanesOf = (xs: readonly number[], ks: readonly number[]): Inputs => ({
  x: Float64Array.from(ks.flatMap(() => xs)),
  k: Float64Array.from(ks.flatMap((k) => xs.map(() => k))),
});

const withInputs = <T>(
  source: string,
  use: (program: Program, names: readonly string[]) => T,
): T => {
  const program = machine.load(source);
  try {
    return use(program, program.inputs);
  } finally {
    program.dispose();
  }
};

const chosen = (names: readonly string[], given: Inputs): Inputs =>
  Object.fromEntries(names.map((name) => [name, given[name]])) as Inputs;

/** Compares lanes together, by arrays and over axes, with each of them alone. */
function compare(source: string, xs: readonly number[], ks: readonly number[]): void {
  withInputs(source, (_, names) => {
    if (!names.includes("x")) return;
    const hasK = names.includes("k");
    const all = lanesOf(xs, hasK ? ks : [1]);
    const count = (all["x"] as Float64Array).length;
    const wanted = Array.from({ length: count }, (_, lane) => {
      const own = chosen(names, {
        x: [(all["x"] as Float64Array)[lane] as number],
        k: [(all["k"] as Float64Array)[lane] as number],
      });
      return withInputs(source, (alone) => told(() => alone.evaluate(own))[0]);
    });
    const isWhole = wanted.some((one) => "value" in (one as object));
    const axes: Inputs = hasK
      ? { x: over("c", [...xs]), k: over("r", [...ks]) }
      : { x: over("c", [...xs]) };
    const across = Array.from({ length: count }, (_, lane) =>
      hasK ? (lane % ks.length) * xs.length + Math.floor(lane / ks.length) : lane,
    );
    const orders: [Inputs, readonly number[]][] = [
      [chosen(names, all), wanted.map((_, lane) => lane)],
      // The axis that is given first is the slower one.
      [axes, across],
    ];
    for (const [inputs, order] of orders)
      withInputs(source, (program) => {
        for (let turn = 0; turn < 3; turn++) {
          const got = told(() => program.evaluate(inputs));
          const lanes = order.map((lane) => wanted[lane]);
          expect(got, `${source}, turn ${turn}`).toEqual(isWhole ? lanes : [lanes[0]]);
        }
      });
  });
}

describe("lanes together are told what each is told alone", () => {
  const xs = [-1, 0, 3, 4, Number.POSITIVE_INFINITY];
  const ks = [1, 0, Number.NaN];

  test.each([
    "(/ k x)",
    "(/ x k)",
    "(log x)",
    "(+ (* 0 k) (log x))",
    "(+ (log x) (* 0 k))",
    "(sqrt (- x k))",
    "(* (exp (* 800 x)) k)",
    "(let ((u (/ 1 x))) (if (> k 0) (* u 0) (+ u k)))",
    "(if (> x 0) (/ 1 k) (/ k x))",
    "(vec (/ k x) (log k))",
    "(vsum (vec 1 (log x) k))",
    "(loop ((i 0) (s x)) (if (< i 3) (recur (+ i 1) (/ s k)) s))",
    "(list (/ k x))",
    "(if (> x 3) (list (log k)) (log x))",
    "(if (> x 0) (car k) (/ k x))",
  ])("%s", (source) => compare(source, xs, ks));

  const OPERANDS = ["2", "x", "k", "[1 2]", "(list x)", "'a"];
  const names = [...primitiveByName].filter(([, { arity }]) => arity.min <= 2 && arity.max >= 2);

  test.each(names)(
    "of operands that %s refuses, below a test that the first lane fails",
    (name) => {
      for (const a of OPERANDS)
        for (const b of OPERANDS)
          if ([a, b].some((one) => /[xk]/.test(one)))
            compare(`(if (> x 0) (${name} ${a} ${b}) x)`, [-1, 3, 4], [2, 5]);
    },
  );

  const single = [...primitiveByName].filter(([, { arity }]) => arity.min <= 1 && arity.max >= 1);
  test.each(single)("of an operand that %s refuses", (name) => {
    for (const a of ["x", "(vec x 1)", "(list x)", "(- x)"])
      compare(`(if (> x 0) (${name} ${a}) x)`, [-1, 3, 4.5], [1]);
  });
});

test("numbers that are not finite are told by every way of calling, the first time and later", () => {
  const sources = [
    "(/ k x)",
    "(* k (log x))",
    "(sqrt (- x k))",
    "(* x k)",
    "(exp (* x k))",
    "(+ x (/ k k))",
  ];
  const numbers = [0, -1, 2, 800, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];
  for (const source of sources)
    for (const x of numbers)
      for (const k of numbers) {
        const wanted = withInputs(source, (program) =>
          told(() => program.evaluate({ x: [x], k: [k] })),
        );
        const ways: readonly ((program: Program) => Evaluation)[] = [
          (program) => program.evaluate({ x, k }),
          (program) => program.gradient({ x, k }),
          (program) => program.gradient({ x, k }, { wrt: ["x"] }),
          (program) => program.gradient({ x, k: [k] }),
          (program) => program.run({ x, k }),
          (program) => program.jacobian({ x, k }),
        ];
        for (const [i, way] of ways.entries())
          withInputs(source, (program) => {
            for (let turn = 0; turn < 4; turn++)
              expect(
                told(() => way(program)),
                `${source} at ${x}, ${k}, way ${i}, turn ${turn}`,
              ).toEqual(wanted);
          });
      }
});
