/**
 * Results are the caller's: they tell the same when they are read for the first time after other runs, after
 * memory has grown, and after the program and its machine are gone; and writing into one changes no other.
 */

import { describe, expect, test } from "vitest";
import {
  type Evaluation,
  type GradientResult,
  type Inputs,
  type JacobianResult,
  Machine,
  NdvmError,
  over,
  type Program,
  troublesOf,
  vec,
} from "../../src/index.js";
import { gradientPart } from "../../src/machine/run/part.js";

const worded = ({ code, message, help, facts, span, source, file }: NdvmError): object => ({
  ...{ code, message, help, facts, span, source, file },
});

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof NdvmError) return worded(error);
    throw error;
  }
}

/** All that can be read of a result. */
function whole(out: Evaluation): object {
  const { gradients, reduced, inactive } = out as Partial<GradientResult>;
  const { jacobians } = out as Partial<JacobianResult>;
  const lanes = Array.from({ length: out.lanes }, (_, lane) => lane);
  const { failed, notFinite } = troublesOf(out);
  const { memoryBytes: _bytes, ...stats } = out.stats;
  return {
    ...{ lanes: out.lanes, axes: out.axes, shape: out.shape, stats },
    printed: [-1, ...lanes, out.lanes, 0.5].map((lane) => attempt(() => out.print(lane))),
    data: [-1, ...lanes, out.lanes, 0.5].map((lane) => attempt(() => out.datum(lane))),
    first: [attempt(() => out.print()), attempt(() => out.datum())],
    places: out.axes.length === 0 ? [out.lane({})] : lanesOf(out),
    values: attempt(() => Array.from(out.values)),
    failures: out.failures.map(({ lane, error }) => [lane, worded(error)]),
    nonFinite: out.nonFinite,
    troubles: [
      [failed.count, [...failed].map(({ lane, error }) => [lane, worded(error)])],
      [notFinite.count, [...notFinite]],
    ],
    ...{ gradients: { ...gradients }, reduced, inactive, jacobians: { ...jacobians } },
  };
}

/** Lanes and values by their indices along the axes, the last place first. */
function lanesOf(out: Evaluation): unknown[] {
  const places = out.axes.reduce<Record<string, number>[]>(
    (all, { name, size }) =>
      all.flatMap((place) => Array.from({ length: size }, (_, i) => ({ ...place, [name]: i }))),
    [{}],
  );
  expect(places.map((place) => out.lane(place))).toEqual(places.map((_, lane) => lane));
  return places.reverse().map((place) => attempt(() => out.at(place)));
}

const x = over("d", [2, 0, -1, 4]);
const a = over("r", [1, 3]);
const cases: readonly (readonly [string, Inputs, boolean])[] = [
  ["(* a (log x))", { a, x }, true],
  ["(if (> x 3) (car x) (/ a x))", { a, x }, true],
  ["(* a x)", { a: 2, x: 3 }, true],
  ["(/ a x)", { a: 2, x: 0 }, true],
  ["(vsum (* a v))", { a, v: vec([1, 2, 3]) }, true],
  ["(vec (* a x) x)", { a, x }, false],
  ["(mat [a x] [x 1])", { a, x }, false],
  ["(list 'word a (lambda (y) y) car (vec x a) (> x a) '(1 . end))", { a, x }, false],
  ["(if (> x 1) (lambda (y) (* y a)) (if (> x 0) 'sign (list x)))", { a, x }, false],
  ["(if (> x 1) (cons a x) (* a x))", { a, x }, false],
  ["(define (f y) y) (if (> x 3) (f 1 2) (list f x))", { x }, false],
  ["(if #f #f)", {}, false],
];

type Way = (program: Program, inputs: Inputs) => Evaluation | Promise<Evaluation>;
const ways: Readonly<Record<string, readonly [way: Way, needsNumbers: boolean]>> = {
  evaluate: [(program, inputs) => program.evaluate(inputs), false],
  "evaluate with pauses": [(program, inputs) => program.evaluateAsync(inputs), false],
  gradient: [(program, inputs) => program.gradient(inputs), true],
  "gradient with sums": [(program, inputs) => program.gradient(inputs, { reduce: true }), true],
  run: [(program, inputs) => program.run(inputs), false],
  jacobian: [(program, inputs) => program.jacobian(inputs), true],
  part: [(program, inputs) => program.runPart(inputs, {}, false).outcome, false],
  "part with gradients": [(program, inputs) => gradientPart(program, inputs, {}), true],
  "the fifth gradient": [
    (program, inputs) => {
      for (let call = 0; call < 4; call++) program.gradient(inputs);
      return program.gradient(inputs);
    },
    true,
  ],
};

describe.each(["f64", "f32"] as const)("in %s", (precision) => {
  test.each(Object.entries(ways))(
    "a result reads the same when all it came from is gone: %s",
    async (_, [way, needsNumbers]) => {
      const [now, later] = [
        await Machine.create({ precision }),
        await Machine.create({ precision }),
      ];
      for (const [source, inputs, isNumber] of cases) {
        if (needsNumbers && !isNumber) continue;
        const wanted = whole(await way(now.load(source), inputs));
        const program = later.load(source);
        const out = await way(program, inputs);
        for (let call = 0; call < 3; call++) await way(program, inputs);
        later.load("(vsum (* k (ones 300 300)))").evaluate({ k: [1, 2, 3] });
        expect(whole(out), `${source} after other runs`).toEqual(wanted);
        const last = await way(later.load(source), inputs);
        program.dispose();
        later.clearMemory();
        expect(whole(last), `${source} once its program is gone`).toEqual(wanted);
      }
      const outs: [object, Evaluation][] = [];
      for (const [source, inputs, isNumber] of cases)
        if (!needsNumbers || isNumber)
          outs.push([
            whole(await way(now.load(source), inputs)),
            await way(later.load(source), inputs),
          ]);
      later.dispose();
      for (const [wanted, out] of outs) expect(whole(out)).toEqual(wanted);
      now.dispose();
    },
  );
});

test("what the caller writes into a result is in no other", async () => {
  const machine = await Machine.create();
  const program = machine.load("(* a x)");
  for (const inputs of [
    { a: 2, x: 3 },
    { a: 2, x: [3, 4] },
  ])
    for (let call = 0; call < 8; call++) {
      const out = program.gradient(inputs);
      const again = program.gradient(inputs);
      for (const own of [out.values, ...Object.values(out.gradients)]) own.fill(99);
      expect(again.values[0]).toBe(6);
      expect([...(again.gradients["a"] ?? [])]).toEqual([inputs.x].flat());
      expect(program.gradient(inputs).values[0]).toBe(6);
    }
  const matrix = machine.load("(mat [a x] [x 1])").evaluate({ a: 1, x: 2 });
  const rows = matrix.datum() as unknown as Float64Array[];
  rows[0]?.fill(7);
  expect(matrix.print()).toBe("(mat [1 2] [2 1])");
  const list = machine.load("(list (vec a x))").evaluate({ a: 1, x: 2 });
  (list.datum() as unknown as Float64Array[])[0]?.fill(7);
  expect(list.print()).toBe("([1 2])");
  machine.dispose();
});
