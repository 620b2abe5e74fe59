/**
 * Lanes: a lane's value and gradients have the same bits whatever the width of the batch and the
 * lane's position, and every lane is its own.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Inputs,
  type Machine,
  mat,
  type Precision,
  type TensorInput,
  vec,
} from "../../src/index.js";
import { bitsOf, machinesOf, precisions } from "./support.js";

let machines: Readonly<Record<Precision, Machine>>;
beforeAll(async () => {
  machines = await machinesOf();
});
afterAll(() => {
  machines.f32.dispose();
  machines.f64.dispose();
});

const WIDEST = 9;

/** Numbers in (0.1, 1.9) that are no round fractions. */
function numbers(count: number, seed: number): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state * 1103 + 12347) % 65521;
    return 0.1 + (1.8 * state) / 65521 + 1e-9 * state;
  });
}

const scalars = (seed: number): number[] => numbers(WIDEST, seed);
const vectors = (size: number): TensorInput[] =>
  Array.from({ length: WIDEST }, (_, lane) => vec(numbers(size, 31 * lane + size)));
const matrices = (size: number): TensorInput[] =>
  Array.from({ length: WIDEST }, (_, lane) => {
    const rows = Array.from({ length: size }, (_, r) => numbers(size, 7 * r + lane + 1));
    return mat(rows.map((row, r) => row.map((x, c) => (r === c ? x + 3 : x))));
  });

/** Lanes `from` to `to` of lane-valued inputs; shared ones as they are. */
const slice = (inputs: Inputs, from: number, to: number): Inputs =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [
      name,
      Array.isArray(input) ? input.slice(from, to) : input,
    ]),
  );

const cases: readonly (readonly [string, Inputs])[] = [
  ["(+ (* a (exp (* k t))) (sin (/ t a)))", { a: scalars(1), k: -0.5, t: scalars(2) }],
  [
    "(+ (tanh a) (log1p a) (expm1 a) (erf a) (lgamma a) (softplus a) (sigmoid a) (atan a t))",
    { a: scalars(3), t: scalars(4) },
  ],
  [
    "(+ (expt a t) (expt a 3) (expt a -2) (sqrt a) (tan a) (sinh t))",
    { a: scalars(5), t: scalars(6) },
  ],
  [
    "(loop ((i 0) (x a)) (if (= i 20) x (recur (+ i 1) (* r x (- 1 x)))))",
    { a: scalars(7), r: 1.7 },
  ],
  ["(+ (min a t 0.7) (max a t) (abs (- a t)) (modulo a 0.3))", { a: scalars(8), t: scalars(9) }],
  ["(+ (vsum (* v a)) (dot v v) (norm v) (ref v 2))", { a: scalars(10), v: vectors(5) }],
  ["(vsum (* (normalize v) (cross v [1 a 2])))", { a: scalars(11), v: vectors(3) }],
  ["(+ (det M) (logdet M) (trace (inv M)))", { M: matrices(2) }],
  ["(+ (det M) (logdet M) (trace (inv M)))", { M: matrices(3) }],
  ["(+ (det M) (logdet M) (trace (inv M)))", { M: matrices(5) }],
  ["(dot v (solve M v))", { M: matrices(4), v: vectors(4) }],
  [
    "(let ((S (matmul M (transpose M)))) (+ (vsum (cholesky S)) (vsum (matvec S v))))",
    { M: matrices(3), v: vec([1, 2, 3]) },
  ],
  ["(vsum (matmul (outer v v) M))", { M: matrices(3), v: vectors(3) }],
  [
    "(fold-left + 0 (map (lambda (x) (* a x x)) (list a t (* a t))))",
    { a: scalars(12), t: scalars(13) },
  ],
];

describe.each(precisions)("in %s", (precision) => {
  test.each(cases)("one to nine lanes have the bits of single lanes: %s", (source, inputs) => {
    const program = machines[precision].load(source);
    const single = Array.from({ length: WIDEST }, (_, lane) => {
      const { values, gradients } = program.gradient(slice(inputs, lane, lane + 1));
      return { values, gradients };
    });
    for (let width = 2; width <= WIDEST; width++) {
      for (const from of [0, WIDEST - width]) {
        const batch = program.gradient(slice(inputs, from, from + width));
        expect(program.evaluate(slice(inputs, from, from + width)).values).toEqual(batch.values);
        for (let lane = 0; lane < width; lane++) {
          const alone = single[from + lane];
          expect(bitsOf([batch.values[lane] ?? 0])).toEqual(bitsOf(alone?.values ?? []));
          for (const name of program.inputs) {
            const own = alone?.gradients[name] ?? new Float64Array(0);
            const at = lane * own.length;
            const found = batch.gradients[name]?.slice(at, at + own.length) ?? [];
            expect(bitsOf(found), `d/d${name}, lane ${lane} of ${width}`).toEqual(bitsOf(own));
          }
        }
      }
    }
    program.dispose();
  });

  test.each(cases)("sharing an input or spreading it gives the same bits: %s", (source, inputs) => {
    const program = machines[precision].load(source);
    const shared = Object.fromEntries(
      Object.entries(inputs).map(([name, input]) => [
        name,
        Array.isArray(input) ? input[0] : input,
      ]),
    );
    const spread = Object.fromEntries(
      Object.entries(shared).map(([name, input]) => [name, [input, input, input, input, input]]),
    );
    const one = program.gradient(shared);
    const many = program.gradient(spread);
    expect(one.stats.uniformPayloads).toBe(one.stats.payloads);
    for (let lane = 0; lane < 5; lane++) {
      expect(bitsOf([many.values[lane] ?? 0])).toEqual(bitsOf(one.values));
      for (const name of program.inputs) {
        const own = one.gradients[name] ?? new Float64Array(0);
        const found = many.gradients[name]?.slice(lane * own.length, (lane + 1) * own.length) ?? [];
        expect(bitsOf(found), `d/d${name}`).toEqual(bitsOf(own));
      }
    }
    program.dispose();
  });

  test("thousands of lanes, each its own", () => {
    const lanes = 5003;
    const program = machines[precision].load("(* a (sin (* k t)))");
    const t = Float64Array.from({ length: lanes }, (_, i) => i / 100);
    const { values, gradients } = program.gradient({ a: 2, k: 0.5, t });
    expect([values.length, gradients["k"]?.length]).toEqual([lanes, lanes]);
    for (const lane of [0, 1, 2, 3, 4, 1000, 5000, 5001, 5002]) {
      const one = program.gradient({ a: 2, k: 0.5, t: t[lane] ?? 0 });
      expect(values[lane]).toBe(one.values[0]);
      expect(gradients["k"]?.[lane]).toBe(one.gradients["k"]?.[0]);
    }
    program.dispose();
  });

  test("padding lanes decide nothing and are never reported", () => {
    for (let lanes = 1; lanes <= WIDEST; lanes++) {
      const program = machines[precision].load("(if (< x 10) (/ 1 x) 0)");
      const result = program.evaluate({ x: new Float64Array(lanes).fill(4) });
      expect(result.values).toEqual(new Float64Array(lanes).fill(0.25));
      expect(result.nonFinite).toEqual([]);
      program.dispose();
    }
  });

  test("NaN in one lane has canonical bits and stays there", () => {
    const program = machines[precision].load("(* x (+ x 1))");
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, 0xfff8_dead_beef_0001n);
    const strange = view.getFloat64(0);
    for (let at = 0; at < 5; at++) {
      const x = new Float64Array([1, 2, 3, 4, 5]);
      x[at] = strange;
      const { values, gradients } = program.gradient({ x });
      expect(bitsOf([values[at] ?? 0])).toEqual(["7ff8000000000000"]);
      expect(bitsOf([gradients["x"]?.[at] ?? 0])).toEqual(["7ff8000000000000"]);
      for (let lane = 0; lane < 5; lane++) {
        if (lane === at) continue;
        expect(values[lane]).toBe((lane + 1) * (lane + 2));
        expect(gradients["x"]?.[lane]).toBe(2 * (lane + 1) + 1);
      }
    }
    program.dispose();
  });
});
