/**
 * What a length, a gap, an alias and a choice are, worked out a second time in another way and compared
 * on random studies.
 */

import { Random } from "@ndvm/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldRates } from "../../src/choice/aliases.js";
import { gapsOf, swingsOf } from "../../src/choice/gaps.js";
import { lengthOf } from "../../src/choice/length.js";
import { likelihoodOf } from "../../src/choice/losses.js";
import { literalBits, simpleNear } from "../../src/choice/simple-numbers.js";
import {
  decimalStep,
  latticeOf,
  roughLength,
  totalOf,
  type Yardstick,
  yardstickOf,
} from "../../src/choice/yardstick.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`choice oracles: SEED=${seed}`);

const normal = likelihoodOf("squares");

/** ln Γ of a whole or half number, as a product. */
function lnGamma(x: number): number {
  if (x === 0.5) return 0.5 * Math.log(Math.PI);
  return x === 1 ? 0 : Math.log(x - 1) + lnGamma(x - 1);
}

/** The determinant, by expansion along the first row. */
function determinant(m: readonly (readonly number[])[]): number {
  if (m.length === 0) return 1;
  return m.reduce((sum, _, j) => {
    const rest = m.slice(1).map((row) => row.filter((_, k) => k !== j));
    return (
      sum + (j % 2 === 0 ? 1 : -1) * ((m[0] as readonly number[])[j] as number) * determinant(rest)
    );
  }, 0);
}

const yardstick: Yardstick = {
  ...{ rows: 12, trainRows: 9, symbolBits: 2, resolution: 0.01, leastSquare: 0.01 ** 2 / 12 },
  ...{ resolutionBits: 2 * Math.log2(0.01), roughConstantBits: 0.5 * Math.log2(12) + 1 },
  ...{ inputs: ["x"], lattices: new Map() },
};

describe("lengths", () => {
  const number = fc.double({ min: -3, max: 3, noNaN: true }).filter((x) => Math.abs(x) > 0.1);
  const slopes = fc.array(fc.array(number, { minLength: 12, maxLength: 12 }), { maxLength: 3 });

  test("are the formula of docs/design/0020, by a determinant that is worked out by hand", () => {
    fc.assert(
      fc.property(
        slopes,
        number,
        fc.double({ min: 1e-4, max: 9, noNaN: true }),
        (js, value, loss) => {
          const k = js.length;
          const values = js.map((_, i) => value + i);
          const weighted = {
            ...{ loss, values, slopes: js.map((j) => Float64Array.from(j)) },
            ...{ simpleBits: 1.5, symbols: 7, gaps: 0.25 },
          };
          const { length, parts, errors } = lengthOf(weighted, yardstick, normal);
          const free = 12 - k;
          const variance = loss / free;
          const unit = 2 * Math.PI * Math.E * variance;
          const nats =
            (free / 2) * Math.log(Math.PI * loss) - lnGamma(free / 2) + (k / 2) * Math.log(unit);
          expect(parts.data).toBeCloseTo(nats / Math.LN2 - 12 * Math.log2(0.01), 7);
          const dot = (a: readonly number[], b: readonly number[]): number =>
            a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);
          const info = js.map((a, i) =>
            js.map(
              (b, j) =>
                (dot(a, b) * Math.abs(values[i] as number) * Math.abs(values[j] as number)) / unit +
                (i === j ? 1 : 0),
            ),
          );
          expect(parts.constants).toBeCloseTo(1.5 + k + 0.5 * Math.log2(determinant(info)), 6);
          expect([parts.symbols, parts.gaps]).toEqual([7, 0.25]);
          expect(length).toBeCloseTo(parts.data + parts.constants + 7.25, 9);
          const gram = js.map((a) => js.map((b) => dot(a, b)));
          const whole = determinant(gram);
          for (const [i, error] of errors.entries()) {
            const minor = gram
              .filter((_, a) => a !== i)
              .map((row) => row.filter((_, b) => b !== i));
            const wanted = Math.sqrt((variance * determinant(minor)) / whole);
            if (error < 1e3) expect(error / wanted).toBeCloseTo(1, 4);
          }
        },
      ),
      { seed, numRuns: 60 },
    );
  });

  test("residuals below what a digit shows count as that much", () => {
    const of = (loss: number) =>
      lengthOf(
        { loss, values: [], slopes: [], simpleBits: 0, symbols: 0, gaps: 0 },
        yardstick,
        normal,
      ).length;
    const least = 12 * yardstick.leastSquare;
    expect(of(0)).toBe(of(least));
    expect(of(least * 1.01)).toBeGreaterThan(of(least));
  });

  test("one row more than constants is enough, as many are not", () => {
    expect(normal.dataBits(1, 4, 3, 0.1)).toBeLessThan(Number.POSITIVE_INFINITY);
    expect(normal.dataBits(1, 3, 3, 0.1)).toBe(Number.POSITIVE_INFINITY);
    expect(normal.variance(6, 3, 3)).toBe(6);
    expect(normal.variance(6, 5, 3)).toBe(3);
  });

  test("rough ones are those of normal residuals and digits of half the rows' logarithm", () => {
    const parts = roughLength({ loss: 4.5, params: { a: 1, b: 2 }, complexity: 5 }, yardstick);
    const data = 6 * (Math.log2(0.5) - 2 * Math.log2(0.01) + Math.log2(2 * Math.PI * Math.E));
    expect(parts.data).toBeCloseTo(data, 5);
    expect(parts.constants).toBeCloseTo(2 * (0.5 * Math.log2(12) + 1), 9);
    expect([parts.symbols, parts.gaps]).toEqual([10, 0]);
    expect(totalOf(parts)).toBeCloseTo(data + parts.constants + 10, 5);
    const exact = roughLength({ loss: 0, params: {}, complexity: 1 }, yardstick);
    const least = 6 * (Math.log2(1 / 12) + Math.log2(2 * Math.PI * Math.E));
    expect(exact.data).toBeCloseTo(least, 5);
  });
});

describe("the yardstick", () => {
  const measured = {
    ...{ target: "y", inputs: ["x", "w"], operators: ["+", "*", "sin"], precision: "f64" as const },
    train: { x: [0, 1, 2, 3], w: [1, 7, 2, 100], y: [1.5, 2.25, 3, 4] },
    heldOut: { x: [4, 5], w: [3.3, 9], y: [5, 6] },
  };

  test("counts rows, symbols, digits and lattices of both parts", () => {
    const found = yardstickOf(measured);
    expect(found).toMatchObject({ rows: 6, trainRows: 4, inputs: ["x", "w"], resolution: 0.01 });
    expect(found.symbolBits).toBeCloseTo(Math.log2(6), 12);
    expect(found.leastSquare).toBeCloseTo(0.01 ** 2 / 12, 12);
    expect([...found.lattices]).toEqual([["x", { origin: 0, step: 1 }]]);
  });

  test("is rounding of the target's size where it has all its digits", () => {
    const train = { ...measured.train, y: [Math.PI, Math.E, Math.SQRT2, Math.LN2] };
    const size = Math.sqrt(([...train.y, 5, 6].reduce((sum, y) => sum + y * y, 0) as number) / 6);
    for (const [precision, share] of [
      ["f64", 2 ** -46],
      ["f32", 2 ** -18],
    ] as const)
      expect(yardstickOf({ ...measured, train, precision }).resolution).toBeCloseTo(
        size * share,
        18,
      );
  });

  test("digits: of the finest number, of either part, at most thirteen", () => {
    expect(decimalStep([[1, 2], [0.5]])).toBe(0.1);
    expect(decimalStep([[0, 0]])).toBe(0);
    expect(decimalStep([[1, Number.POSITIVE_INFINITY]])).toBe(0);
    expect(decimalStep([[123456789012.3]])).toBe(0.1);
    expect(decimalStep([[1234567890123.4]])).toBe(0);
    expect(decimalStep([[-250, 50]])).toBe(10);
  });

  test("lattices need four values, a hundredth of a step at most of jitter, and no fineness", () => {
    expect(latticeOf([[0, 1, 2]])).toBeUndefined();
    expect(
      latticeOf([
        [0, 1],
        [2, 3],
      ]),
    ).toEqual({ origin: 0, step: 1 });
    expect(latticeOf([[0, 1, 2, 3, 3]])).toEqual({ origin: 0, step: 1 });
    expect(latticeOf([[0, 1, 2.005, 3]])?.step).toBeCloseTo(1, 12);
    expect(latticeOf([[0, 1, 2.02, 3]])).toBeUndefined();
    // 16 steps over four values are as fine as can be; 17 are too fine.
    expect(latticeOf([[0, 1, 5, 16]])).toEqual({ origin: 0, step: 1 });
    expect(latticeOf([[0, 1, 5, 17]])).toBeUndefined();
    expect(latticeOf([[0, 0.25, 1.25, 4]])).toEqual({ origin: 0, step: 0.25 });
    expect(latticeOf([[0, 0.25, 1.25, 4.25]])).toBeUndefined();
    expect(latticeOf([[0, 100, 500, 1600]])).toEqual({ origin: 0, step: 100 });
  });
});

describe("simple numbers", () => {
  test("are all fractions and multiples of π that are near, with their prices", () => {
    const bitsOf = (n: number): number => 0.5 + 1.5 * Math.log2(1 + Math.abs(n));
    const gcd = (a: number, b: number): number => (b === 0 ? Math.abs(a) : gcd(b, a % b));
    const value = fc.double({ min: -40, max: 40, noNaN: true });
    fc.assert(
      fc.property(value, fc.double({ min: 0.001, max: 0.08, noNaN: true }), (at, reach) => {
        const wanted = new Map<number, number>();
        if (Math.abs(at) <= reach) wanted.set(0, 0.5);
        for (const [unit, price] of [
          [1, 0],
          [Math.PI, 2],
        ] as const)
          for (let q = 1; q <= 6; q++)
            for (let p = -300; p <= 300; p++) {
              if (p === 0 || gcd(p, q) !== 1 || Math.abs((p * unit) / q - at) > reach) continue;
              wanted.set((p * unit) / q, bitsOf(p) + 1.5 * Math.log2(q) + price);
            }
        const found = simpleNear(at, reach);
        expect(new Set(found.map((n) => n.value))).toEqual(new Set(wanted.keys()));
        for (const [i, { value: near, bits }] of found.entries()) {
          expect(bits).toBeCloseTo(wanted.get(near) as number, 9);
          if (i > 0) expect(bits).toBeGreaterThanOrEqual((found[i - 1]?.bits ?? 0) - 1e-12);
        }
      }),
      { seed, numRuns: 60 },
    );
    // Of many the cheapest is first.
    for (const at of [0.4, 1.3, 3.1, 7.2, -2.6]) {
      const prices = simpleNear(at, 0.45).map(({ bits }) => bits);
      expect(prices.length).toBeGreaterThan(3);
      expect(prices).toEqual([...prices].sort((a, b) => a - b));
    }
    expect(simpleNear(1000, 0.01).map((n) => n.value)).toEqual([1000]);
    expect(simpleNear(1001, 0.01)).toEqual([]);
  });

  test("literals cost by their digits, at most what was said", () => {
    expect(literalBits(0, 99)).toBe(0.5);
    expect(literalBits(-3, 99)).toBeCloseTo(3.5, 12);
    expect(literalBits(0.125, 99)).toBeCloseTo(1 + 3 * Math.log2(10), 12);
    expect(literalBits(-2.5e-7, 99)).toBeCloseTo(1 + 2 * Math.log2(10), 12);
    expect(literalBits(1e6, 3)).toBe(3);
  });
});

describe("gaps", () => {
  test("of one input are neighbours in its order, looked at in nine places each", () => {
    const columns = { x: Float64Array.of(4, 1, 2, 2, 8), y: Float64Array.of(40, 10, 25, 20, 81) };
    const gaps = gapsOf(columns, ["x"], "y");
    expect(gaps).toMatchObject({ count: 3, placeCount: 27, share: 1 });
    expect([...gaps.steps]).toEqual([15, 20, 41]);
    const places = gaps.places["x"] as Float64Array;
    const [first, second] = [places.slice(0, 9), places.slice(9, 18)];
    expect([first[0], first[8], second[0], second[8]]).toEqual([1, 2, 2, 4]);
    for (let j = 1; j < 8; j++) {
      expect(Math.abs((first[j] as number) - (1 + j / 8))).toBeLessThanOrEqual(0.5 / 8);
      expect(Math.abs((second[j] as number) - (2 + j / 4))).toBeLessThanOrEqual(0.5 / 4);
      expect((first[j] as number) - 1).not.toBe(((second[j] as number) - 2) / 2);
    }
    expect(places.at(-1)).toBe(8);
  });

  test("of several inputs are each row and the one nearest in columns of equal width", () => {
    const draws = new Random(5);
    const a = Float64Array.from({ length: 30 }, () => 3 + 1000 * draws.uniform());
    const b = Float64Array.from({ length: 30 }, () => draws.uniform() - 7);
    const y = a.map((at, row) => at + (b[row] as number));
    const gaps = gapsOf({ a, b, y }, ["a", "b"], "y");
    const width = (x: Float64Array): number => Math.max(...x) - Math.min(...x);
    const [wide, high] = [width(a), width(b)];
    expect(gaps.count).toBe(30);
    for (let row = 0; row < 30; row++) {
      const from = (other: number): number =>
        (((a[row] as number) - (a[other] as number)) / wide) ** 2 +
        (((b[row] as number) - (b[other] as number)) / high) ** 2;
      const others = Array.from({ length: 30 }, (_, other) => other).filter((o) => o !== row);
      const nearest = others.reduce((best, other) => (from(other) < from(best) ? other : best));
      expect(gaps.places["a"]?.[9 * row]).toBe(a[row]);
      expect(gaps.places["b"]?.[9 * row + 8]).toBe(b[nearest]);
      expect(gaps.steps[row]).toBe(Math.abs((y[nearest] as number) - (y[row] as number)));
    }
    const flat = gapsOf({ a: a.map(() => 2), b, y }, ["a", "b"], "y");
    expect(flat.count).toBe(30);
    const one = gapsOf({ a: a.map(() => 2), b: b.map(() => 1), y }, ["a", "b"], "y");
    expect(one).toMatchObject({ count: 0, placeCount: 0, share: 1 });
  });

  test("of rows that are equally far lead to the first of them", () => {
    const [a, b] = [Float64Array.of(0, 1, -1, 0), Float64Array.of(0, 0, 0, 1)];
    const gaps = gapsOf({ a, b, y: Float64Array.of(0, 10, 200, 3000) }, ["a", "b"], "y");
    expect([...gaps.steps]).toEqual([10, 10, 200, 3000]);
  });

  test("are 256 at most, evenly taken, and each stands for more", () => {
    const x = Float64Array.from({ length: 513 }, (_, row) => row);
    const gaps = gapsOf({ x, y: x.map((at) => at * at) }, ["x"], "y");
    expect(gaps).toMatchObject({ count: 256, share: 2 });
    const firsts = Array.from({ length: 256 }, (_, i) => gaps.places["x"]?.[9 * i]);
    expect(firsts).toEqual(Array.from({ length: 256 }, (_, i) => 2 * i));
    const whole = gapsOf({ x: x.slice(0, 257), y: x.slice(0, 257) }, ["x"], "y");
    expect(whole).toMatchObject({ count: 256, share: 1 });
  });

  test("of several inputs cost what 256 of them cost, however many rows there were", () => {
    const bitsOf = (side: number): number => {
      const rows = Array.from({ length: side * side }, (_, row) => row);
      const x = Float64Array.from(rows, (row) => row % side);
      const z = Float64Array.from(rows, (row) => Math.floor(row / side));
      const gaps = gapsOf({ x, z, y: x }, ["x", "z"], "y");
      // It goes through every row and turns between any two.
      const at = (name: string) => gaps.places[name] as Float64Array;
      const values = at("x").map(
        (here, i) => here + 50 * Math.sin(Math.PI * (here + (at("z")[i] as number))),
      );
      expect(gaps.count).toBe(Math.min(256, side * side));
      return swingsOf(gaps, values).bits;
    };
    const few = bitsOf(16);
    expect(few).toBeGreaterThan(256);
    for (const side of [8, 32, 64]) {
      const growth = bitsOf(side) / few;
      expect(Math.abs(growth / (side / 16) ** 2 - 1)).toBeLessThan(0.1);
    }
  });

  test("cost the logarithm of what is hidden over an ordinary step, at most 32 bits each", () => {
    const x = Float64Array.of(0, 8, 16);
    const gaps = gapsOf({ x, y: Float64Array.of(0, 4, 0) }, ["x"], "y");
    const values = new Float64Array(18);
    // The first gap rises by 1 and hides a peak of 12; the second is flat.
    values.set([0, 0, 13, 1, 1, 1, 1, 1, 1]);
    const { bits, share } = swingsOf(gaps, values);
    expect(bits).toBeCloseTo(Math.log2(24 / 4), 9);
    expect(share).toBe(0.5);
    const twice = new Float64Array([...values.slice(0, 9), ...values.slice(0, 9)]);
    expect(swingsOf(gaps, twice).share).toBe(1);
    expect(swingsOf(gaps, twice).bits).toBeCloseTo(2 * Math.log2(24 / 4), 9);
    const small = values.map((value) => value / 6);
    expect(swingsOf(gaps, small)).toEqual({ bits: 0, share: 0 });
    const broken = values.slice();
    broken[4] = Number.NaN;
    expect(swingsOf(gaps, broken)).toEqual({ bits: 32, share: 0.5 });
    const far = values.map((value) => value * 1e30);
    // The model's own steps are ordinary where they are larger than the data's.
    expect(swingsOf(gaps, far).bits).toBeCloseTo(Math.log2(24 / 0.5), 9);
    const none = { ...gaps, count: 0, steps: new Float64Array(0) };
    expect(swingsOf(none, new Float64Array(0))).toEqual({ bits: 0, share: 0 });
    expect(swingsOf({ ...gaps, share: 3 }, values).bits).toBeCloseTo(3 * Math.log2(6), 9);
  });
});

describe("aliases", () => {
  type Params = Readonly<Record<string, number>>;
  /** Arguments of a wave, what each is at t, and the constant that gives it a rate. */
  const arguments_: readonly (readonly [
    text: string,
    at: (a: number, w: number, t: number) => number,
    constantFor: (rate: number) => number,
  ])[] = [
    ["(+ a (* w t))", (a, w, t) => a + w * t, (rate) => rate],
    ["(- (* w t) a)", (a, w, t) => w * t - a, (rate) => rate],
    ["(+ (* t w) a)", (a, w, t) => w * t + a, (rate) => rate],
    ["(- a (* w t))", (a, w, t) => a - w * t, (rate) => rate],
    ["(+ (- (* w t)) a)", (a, w, t) => a - w * t, (rate) => rate],
    ["(+ a (/ t w))", (a, w, t) => a + t / w, (rate) => 1 / rate],
    ["(+ (* 2 w t) (* 3 a))", (a, w, t) => 2 * w * t + 3 * a, (rate) => rate],
    ["(+ a (* (- w) t))", (a, w, t) => a - w * t, (rate) => rate],
    ["(let ((u (* w t))) (+ u a))", (a, w, t) => w * t + a, (rate) => rate],
    ["(* w (- t a))", (a, w, t) => w * (t - a), (rate) => rate],
    ["(* (+ a t) w)", (a, w, t) => (a + t) * w, (rate) => rate],
    ["(/ (- a t) w)", (a, w, t) => (a - t) / w, (rate) => 1 / rate],
    ["(- (* (* w 2) (- t 0.5)) (/ 1 a))", (a, w, t) => 2 * w * (t - 0.5) - 1 / a, (rate) => rate],
    ["(let ((u (- t a))) (* w (+ u 1)))", (a, w, t) => w * (t - a + 1), (rate) => rate],
  ];
  const wave = fc.record({
    name: fc.constantFrom("sin", "cos", "tan"),
    argument: fc.constantFrom(...arguments_),
    rate: fc.double({ min: -90, max: 90, noNaN: true }).filter((w) => Math.abs(w) > 0.05),
    phase: fc.double({ min: -2, max: 2, noNaN: true }).filter((a) => Math.abs(a) > 0.01),
    origin: fc.constantFrom(0, 0.1, -3, 7.77),
    step: fc.constantFrom(0.25, 0.5, 1),
  });

  test("have the same values on the lattice, and no rate above half a turn a step", () => {
    let folds = 0;
    fc.assert(
      fc.property(wave, ({ name, argument, rate, phase, origin, step }) => {
        const [text, at, constantFor] = argument;
        const before = { a: phase, w: constantFor(rate) };
        const lattices = new Map([["t", { origin, step }]]);
        const after = foldRates(`(${name} ${text})`, before, ["t"], lattices);
        const argumentAt = (params: Params, t: number): number =>
          at(params["a"] as number, params["w"] as number, t);
        const turn = (name === "tan" ? 1 : 2) * Math.PI;
        const slope = (params: Params): number =>
          Math.abs(argumentAt(params, 1) - argumentAt(params, 0)) * step;
        if (after === undefined) {
          expect(slope(before)).toBeLessThanOrEqual((turn / 2) * 1.0001);
          return;
        }
        folds += 1;
        expect(slope(after)).toBeLessThanOrEqual((turn / 2) * 1.0001);
        const value = Math[name as "sin" | "cos" | "tan"];
        for (let i = 0; i < 6; i++) {
          const t = origin + i * step;
          const [was, is] = [value(argumentAt(before, t)), value(argumentAt(after, t))];
          if (Math.abs(was) < 50) expect(Math.abs(is - was)).toBeLessThan(1e-6 * (1 + was * was));
        }
        if (name === "cos" && /^\(\+ a \(\* w|^\(\* w/.test(text))
          expect(after["w"]).toBeGreaterThanOrEqual(0);
      }),
      { seed, numRuns: 600 },
    );
    expect(folds).toBeGreaterThan(150);
  });

  test.each([
    ["two rates of one input", "(sin (+ (* w t) (* v t)))", { w: 30, v: 40 }, [0.25, 70]],
    ["two parameters in one product", "(sin (* w (* v t)))", { w: 30, v: 2 }, [0.25, 60]],
  ] as const)("are seen in %s", (_, source, params, [step, rate]) => {
    const folded = foldRates(source, params, ["t"], new Map([["t", { origin: 0, step }]]));
    const { w = 0, v = 0 } = folded ?? {};
    const low = source.includes("+") ? w + v : w * v;
    expect(Math.abs(low) * step).toBeLessThanOrEqual(Math.PI);
    for (let i = 0; i < 6; i++)
      expect(Math.sin(low * i * step)).toBeCloseTo(Math.sin(rate * i * step), 9);
  });

  test.each([
    ["a rate that is used twice", "(+ (sin (* w t)) w)", { w: 30 }],
    ["one rate of two inputs", "(sin (* w (+ t s)))", { w: 30 }],
    ["a phase that is a number", "(sin (* w (- t 0.1)))", { w: 30 }],
    ["a square of the input", "(sin (* w t t))", { w: 30 }],
    ["an input below the line", "(sin (/ w t))", { w: 30 }],
    ["no lattice of its input", "(sin (* w s))", { w: 30 }],
  ])("are not seen in %s", (_, source, params) => {
    const lattices = new Map([["t", { origin: 0, step: 0.25 }]]);
    expect(foldRates(source, params, ["t", "s"], lattices)).toBeUndefined();
    expect(foldRates("(sin (* w t))", { w: 30 }, ["t"], new Map())).toBeUndefined();
    expect(foldRates("(sin (* w t))", { w: 30 }, ["t"], lattices)).toBeDefined();
  });

  test("a phase that is used elsewhere does not move, and 1/0 is no rate", () => {
    const away = new Map([["t", { origin: 0.1, step: 0.25 }]]);
    expect(foldRates("(+ a (sin (+ a (* w t))))", { a: 1, w: 30 }, ["t"], away)).toBeUndefined();
    const turn = (2 * Math.PI) / 0.25;
    const here = new Map([["t", { origin: 0, step: 0.25 }]]);
    expect(foldRates("(sin (/ t w))", { w: 1 / turn }, ["t"], here)).toBeUndefined();
  });
});
