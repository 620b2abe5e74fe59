/**
 * What a gradient means (docs/semantics.md): the exact derivative of the trace that ran, and
 * nothing through predicates. At and around every place where a program stops being smooth, and
 * the reference implementation's silent mistakes, each of which must be right here or an error.
 */

import { describe, expect, test } from "vitest";
import { NdvmError } from "../src/errors.js";
import { Machine } from "../src/index.js";
import type { Domain, Inputs, Precision } from "../src/machine/types.js";
import { expectClose, matrix, vector, withProgram } from "./corpus/support.js";

const precisions: readonly Precision[] = ["f64", "f32"];

interface Slope {
  readonly value: number;
  readonly gradients: Readonly<Record<string, readonly number[]>>;
  readonly inactive: readonly string[];
}

async function slopeOf(
  source: string,
  inputs: Inputs,
  { precision = "f64", domain = "ieee" }: { precision?: Precision; domain?: Domain } = {},
): Promise<Slope> {
  return withProgram(precision, source, { domain }, (program) => {
    const result = program.gradient(inputs);
    const gradients = Object.entries(result.gradients).map(([name, all]) => [name, [...all]]);
    return {
      value: result.values[0] ?? Number.NaN,
      gradients: Object.fromEntries(gradients),
      inactive: result.inactive,
    };
  });
}

/** Value and derivative by x of a program in x alone. */
async function at(
  source: string,
  x: number,
  domain: Domain = "ieee",
  precision: Precision = "f64",
): Promise<readonly [number, number]> {
  const { value, gradients } = await slopeOf(source, { x }, { precision, domain });
  return [value, gradients["x"]?.[0] ?? Number.NaN];
}

async function errorOf(source: string, inputs: Inputs = {}): Promise<string> {
  try {
    await withProgram("f64", source, {}, (program) => program.evaluate(inputs));
  } catch (error) {
    if (error instanceof NdvmError) return error.code;
    throw error;
  }
  return "no error";
}

/** The numbers next to x in the precision: the last before and the first after. */
function neighbours(x: number, precision: Precision): readonly [number, number] {
  const relative = precision === "f64" ? 2 ** -52 : 2 ** -23;
  const step = Math.max(Math.abs(x), 2 ** -100) * relative;
  return [x - step, x + step];
}

describe("a branch that flips", () => {
  const source = "(if (< x 2) (* x x) (+ (* 3 x) 10))";

  test.each(precisions)("one number before, at and after the flip in %s", async (precision) => {
    const [before, after] = neighbours(2, precision);
    const [value, slope] = await at(source, before, "ieee", precision);
    expectClose(value, 4, { relative: 1e-6 }, "before");
    expectClose(slope, 4, { relative: 1e-6 }, "slope before");
    expect(await at(source, 2, "ieee", precision)).toEqual([16, 3]);
    const [valueAfter, slopeAfter] = await at(source, after, "ieee", precision);
    expectClose(valueAfter, 16, { relative: 1e-6 }, "after");
    expect(slopeAfter).toBe(3);
  });

  test("at the flip the comparison decides which side is the trace", async () => {
    expect(await at("(if (< x 2) (* x x) (* 5 x))", 2)).toEqual([10, 5]);
    expect(await at("(if (<= x 2) (* x x) (* 5 x))", 2)).toEqual([4, 4]);
    expect(await at("(if (= x 2) (* 7 x) (* 5 x))", 2)).toEqual([14, 7]);
    expect(await at("(if (> x 2) (* x x) (* 5 x))", 2)).toEqual([10, 5]);
    expect(await at("(if (>= x 2) (* x x) (* 5 x))", 2)).toEqual([4, 4]);
  });

  test("a jump in value leaves no trace in the gradient", async () => {
    expect(await at("(if (< x 2) 0 1000)", 1.999999)).toEqual([0, 0]);
    expect(await at("(if (< x 2) 0 1000)", 2)).toEqual([1000, 0]);
  });

  test("a function that is continuous over the flip has each side's own slope", async () => {
    const relu = "(if (> x 0) x 0)";
    expect(await at(relu, 1e-9)).toEqual([1e-9, 1]);
    expect(await at(relu, 0)).toEqual([0, 0]);
    expect(await at(relu, -1e-9)).toEqual([0, 0]);
  });

  test("NaN takes the side that a false comparison takes", async () => {
    const { value } = await slopeOf("(if (< x 2) 1 (if (>= x 2) 2 3))", { x: Number.NaN });
    expect(value).toBe(3);
  });

  test("a loop's trip count is control: the gradient is that of the trips that ran", async () => {
    const source = "(loop ((y 1.0) (k 0)) (if (> y 10) y (recur (* y x) (+ k 1))))";
    // 2⁴ = 16 is the first power above 10; 2.2³ = 10.648 needs one turn less.
    expect(await at(source, 2)).toEqual([16, 32]);
    const [value, slope] = await at(source, 2.2);
    expectClose(value, 2.2 ** 3, { relative: 1e-14 }, "value");
    expectClose(slope, 3 * 2.2 ** 2, { relative: 1e-14 }, "slope");
  });

  test("the gradient agrees with the slope of the values on each side", async () => {
    const step = 1e-6;
    for (const x of [-3, -0.5, 0.5, 1.999, 2.001, 5]) {
      const [, slope] = await at(source, x);
      const [above] = await at(source, x + step);
      const [below] = await at(source, x - step);
      expectClose(slope, (above - below) / (2 * step), { relative: 1e-6, absolute: 1e-6 }, `${x}`);
    }
  });
});

describe("lanes that decide differently", () => {
  test.each(precisions)(
    "have the bits of each lane alone, around a flip in %s",
    async (precision) => {
      const source = "(if (< x 2) (* x x) (+ (sin x) (* 3 x)))";
      const [before, after] = neighbours(2, precision);
      const x = [-1, before, 2, after, 7, 1.5, Number.NaN];
      await withProgram(precision, source, {}, (program) => {
        const together = program.gradient({ x });
        x.forEach((point, lane) => {
          const alone = program.gradient({ x: point });
          expect(together.values[lane]).toBe(alone.values[0]);
          expect(together.gradients["x"]?.[lane]).toBe(alone.gradients["x"]?.[0]);
        });
      });
    },
  );

  test("a parameter that decides for some lanes and counts for others", async () => {
    await withProgram("f64", "(if (> x limit) limit x)", {}, (program) => {
      const result = program.gradient({ x: [1, 2, 3, 4], limit: 2.5 });
      expect([...result.values]).toEqual([1, 2, 2.5, 2.5]);
      expect([...(result.gradients["x"] ?? [])]).toEqual([1, 1, 0, 0]);
      expect([...(result.gradients["limit"] ?? [])]).toEqual([0, 0, 1, 1]);
      expect(result.inactive).toEqual([]);
    });
  });
});

describe("a parameter that only decides", () => {
  test("gets a zero gradient and is listed as inactive", async () => {
    const result = await slopeOf("(if (> threshold 1) (* 2 x) (* 3 x))", { threshold: 5, x: 2 });
    expect(result).toEqual({
      value: 4,
      gradients: { threshold: [0], x: [2] },
      inactive: ["threshold"],
    });
  });

  test("an input that the trace did not touch is listed too", async () => {
    const result = await slopeOf("(if (> x 0) x y)", { x: 2, y: 3 });
    expect(result.gradients).toEqual({ x: [1], y: [0] });
    expect(result.inactive).toEqual(["y"]);
  });

  test("an input that is used and happens to have slope 0 is not listed", async () => {
    const result = await slopeOf("(* x (- y y))", { x: 2, y: 3 });
    expect(result.gradients).toEqual({ x: [0], y: [0] });
    expect(result.inactive).toEqual([]);
  });

  test("both a test and a number: the number's gradient only", async () => {
    expect(await at("(if (> x 1) (* x x) 0)", 3)).toEqual([9, 6]);
  });

  test("an index that differs by lane was called active, and one that is alike was not", async () => {
    const machine = await Machine.create();
    const sources = ["(ref (vec a (* a a)) i)", "(if (< a 0) a (ref (vec a (* a a)) i))"];
    for (const source of sources)
      for (const a of [2, [2, 3, -1]])
        for (const i of [0, [0, 1, 0], [0, 0, 0]]) {
          const program = machine.load(source);
          for (const chunk of [undefined, 8])
            for (let call = 0; call < 2; call++) {
              const { inactive, gradients } = program.gradient({ a, i }, chunk ? { chunk } : {});
              expect(inactive).toEqual(["i"]);
              expect(gradients["i"]?.every((slope) => slope === 0)).toBe(true);
            }
        }
    machine.dispose();
  });

  test.each([
    ["cond", "(cond ((> x 1) 5) (else 6))"],
    ["and", "(if (and (> x 1) (< x 9)) 5 6)"],
    ["case", "(case x ((3) 5) (else 6))"],
    ["eqv?", "(if (eqv? x 3) 5 6)"],
    ["a count", "(loop ((k 0)) (if (>= k x) 5 (recur (+ k 1))))"],
    ["a rounded index", "(ref [4 5 6] (- x 2))"],
    ["floor", "(+ 2 (floor x))"],
  ])("through %s nothing is differentiated", async (_, source) => {
    const result = await slopeOf(source, { x: 3 });
    expect(result.value).toBe(5);
    expect(result.gradients["x"]).toEqual([0]);
  });
});

describe("ties and kinks of primitives", () => {
  test("min and max give the gradient to the first of equal arguments", async () => {
    const tie = { a: 3, b: 3 };
    for (const op of ["min", "max"]) {
      expect((await slopeOf(`(${op} a b)`, tie)).gradients).toEqual({ a: [1], b: [0] });
      expect((await slopeOf(`(${op} b a)`, tie)).gradients).toEqual({ a: [0], b: [1] });
      expect((await slopeOf(`(${op} 3 a b)`, tie)).gradients).toEqual({ a: [0], b: [0] });
    }
  });

  test.each(precisions)("max flips between neighbouring numbers in %s", async (precision) => {
    const [before, after] = neighbours(1, precision);
    expect((await at("(max x 1)", before, "ieee", precision))[1]).toBe(0);
    expect((await at("(max x 1)", 1, "ieee", precision))[1]).toBe(1);
    expect((await at("(max x 1)", after, "ieee", precision))[1]).toBe(1);
  });

  test("abs has slope −1, 0 and 1", async () => {
    expect(await at("(abs x)", -1e-30)).toEqual([1e-30, -1]);
    expect(await at("(abs x)", 0)).toEqual([0, 0]);
    expect(await at("(abs x)", 1e-30)).toEqual([1e-30, 1]);
  });

  test("norm is flat at the zero vector and has slope 1 next to it", async () => {
    expect((await slopeOf("(norm v)", { v: vector([0, 0]) })).gradients["v"]).toEqual([0, 0]);
    expect((await slopeOf("(norm v)", { v: vector([1e-20, 0]) })).gradients["v"]).toEqual([1, 0]);
  });

  test("floor and its kind are flat on both sides of a whole number", async () => {
    for (const op of ["floor", "ceiling", "round", "truncate"]) {
      for (const x of [1.9999, 2, 2.0001]) expect((await at(`(${op} x)`, x))[1]).toBe(0);
    }
  });

  test("a power at zero has the slope of the power, not NaN", async () => {
    expect(await at("(pow x 2)", 0)).toEqual([0, 0]);
    expect(await at("(pow x 1)", 0)).toEqual([0, 1]);
    expect(await at("(pow x 2.5)", 0)).toEqual([0, 0]);
    expect((await slopeOf("(pow 0 e)", { e: 2 })).gradients["e"]).toEqual([0]);
  });
});

describe("the edge of the clamp", () => {
  const edge = 1e-8;

  test("sqrt: below no gradient, above 1/(2√x)", async () => {
    expect(await at("(sqrt x)", -1, "clamp")).toEqual([Math.sqrt(edge), 0]);
    expect(await at("(sqrt x)", 0, "clamp")).toEqual([Math.sqrt(edge), 0]);
    expect(await at("(sqrt x)", edge * 0.999, "clamp")).toEqual([Math.sqrt(edge), 0]);
    const [value, slope] = await at("(sqrt x)", edge * 1.001, "clamp");
    expectClose(value, Math.sqrt(edge * 1.001), { relative: 1e-14 }, "value");
    expectClose(slope, 0.5 / Math.sqrt(edge * 1.001), { relative: 1e-14 }, "slope");
  });

  test("log: below no gradient, above 1/x", async () => {
    const [low, flat] = await at("(log x)", -1, "clamp");
    expectClose(low, Math.log(edge), { relative: 1e-14 }, "value");
    expect(flat).toBe(0);
    const [, slope] = await at("(log x)", edge * 1.001, "clamp");
    expectClose(slope, 1 / (edge * 1.001), { relative: 1e-14 }, "slope");
  });

  test("without the clamp the same inputs are NaN or infinite and reported", async () => {
    await withProgram("f64", "(sqrt x)", {}, (program) => {
      const out = program.evaluate({ x: [-1, 4] });
      expect([...out.values]).toEqual([Number.NaN, 2]);
      expect(out.nonFinite.map(({ lane }) => lane)).toEqual([0]);
    });
  });
});

describe("numbers that stay where they are", () => {
  test("a NaN in one lane reaches no other lane's value or gradient", async () => {
    await withProgram("f64", "(* y (log x))", {}, (program) => {
      const result = program.gradient({ x: [-1, 1, Math.E, 0], y: 2 });
      expectClose(result.values[2], 2, { relative: 1e-15 }, "value");
      expect(result.values[1]).toBe(0);
      expect(result.gradients["x"]?.[1]).toBe(2);
      expect([...(result.gradients["y"] ?? [])].slice(1, 3)).toEqual([0, 1]);
      expect(result.values[0]).toBeNaN();
    });
  });

  test("a lane that fails is listed, and the others have their values", async () => {
    await withProgram("f64", "(* x (ref [10 20] n))", {}, (program) => {
      const result = program.gradient({ x: [2, 3, 4], n: [1, 5, 0] }, { wrt: ["x"] });
      expect([...result.values]).toEqual([40, Number.NaN, 40]);
      expect([...(result.gradients["x"] ?? [])]).toEqual([20, Number.NaN, 10]);
      expect(result.failures.map(({ lane, error }) => [lane, error.code])).toEqual([
        [1, "E-RANGE"],
      ]);
    });
    expect(await errorOf("(ref [10 20] n)", { n: [5, 6] })).toBe("E-RANGE");
  });

  test("an infinite slope on the side that did not run does not reach the gradient", async () => {
    expect(await at("(if (> x 0) (sqrt x) (* 4 x))", 0)).toEqual([0, 4]);
    expect(await at("(if (= x 0) 1 (/ (sin x) x))", 0)).toEqual([1, 0]);
  });

  test("an infinite slope of a value nobody uses does not reach the gradient", async () => {
    expect(await at("(let ((unused (sqrt x))) (* 4 x))", 0)).toEqual([0, 4]);
    expect(await at("(begin (log x) (* 4 x))", 0)).toEqual([0, 4]);
    expect(await at("(car (list (* 4 x) (sqrt x)))", 0)).toEqual([0, 4]);
  });

  test("min and max use both arguments; an if computes the side it takes", async () => {
    expect(await at("(min x (exp (* 1000 x)))", 1)).toEqual([1, Number.NaN]);
    expect(await at("(if (< x 5) x (exp (* 1000 x)))", 1)).toEqual([1, 1]);
  });
});

describe("the reference's silent mistakes", () => {
  test("the gradient of a number with a vector sums over the elements", async () => {
    const inputs = { s: 2, v: vector([1, 2, 4]) };
    const expected = {
      "+": { s: [3], v: [1, 1, 1] },
      "-": { s: [3], v: [-1, -1, -1] },
      "*": { s: [7], v: [2, 2, 2] },
      "/": { s: [1.75], v: [-2, -0.5, -0.125] },
    };
    for (const [op, gradients] of Object.entries(expected)) {
      expect((await slopeOf(`(vsum (${op} s v))`, inputs)).gradients).toEqual(gradients);
    }
    const turned = {
      "+": { s: [3], v: [1, 1, 1] },
      "-": { s: [-3], v: [1, 1, 1] },
      "*": { s: [7], v: [2, 2, 2] },
      "/": { s: [-1.75], v: [0.5, 0.5, 0.5] },
    };
    for (const [op, gradients] of Object.entries(turned)) {
      expect((await slopeOf(`(vsum (${op} v s))`, inputs)).gradients).toEqual(gradients);
    }
  });

  test("vsum and norm of a matrix take every row", async () => {
    const A = matrix([
      [1, 2],
      [3, 4],
    ]);
    expect(await slopeOf("(vsum A)", { A })).toMatchObject({
      value: 10,
      gradients: { A: [1, 1, 1, 1] },
    });
    const { value, gradients } = await slopeOf("(norm A)", { A });
    expectClose(value, Math.sqrt(30), { relative: 1e-15 }, "norm");
    expectClose(gradients["A"]?.[3], 4 / Math.sqrt(30), { relative: 1e-15 }, "last element");
  });

  test("shapes that do not fit are an error", async () => {
    for (const source of [
      "(dot [1 2 3] [1 2])",
      "(+ [1 2 3] [1 2])",
      "(matvec (eye 3) [1 2])",
      "(matmul (eye 3) (eye 2))",
      "(+ (eye 2) [1 2])",
    ]) {
      expect(await errorOf(source), source).toBe("E-SHAPE");
    }
    expect(await errorOf("(ref [1 2] 2)")).toBe("E-RANGE");
  });

  test("tanh, and, or have their values", async () => {
    const [value, slope] = await at("(tanh x)", 0.5);
    expectClose(value, Math.tanh(0.5), { relative: 1e-14 }, "tanh");
    expectClose(slope, 1 - Math.tanh(0.5) ** 2, { relative: 1e-14 }, "slope of tanh");
    expect(await at("(and #t x)", 7)).toEqual([7, 1]);
    expect(await at("(or #f x)", 7)).toEqual([7, 1]);
    expect(await at("(if (and (> x 0) (< x 10)) x 0)", 7)).toEqual([7, 1]);
    expect(await at("(if (or (< x 0) (> x 5)) x 0)", 7)).toEqual([7, 1]);
  });

  test("what crashed the reference is an error with a code, and the machine goes on", async () => {
    expect(await errorOf("(car 5)")).toBe("E-TYPE");
    expect(await errorOf("(sin)")).toBe("E-ARITY");
    expect(await errorOf("")).toBe("E-SYNTAX");
    expect(await errorOf("; nothing but a comment")).toBe("E-SYNTAX");
    const { value } = await slopeOf("(* x x)", { x: 3 });
    expect(value).toBe(9);
  });

  test("recursion 100,000 deep evaluates and is differentiated", async () => {
    const source = `
      (define (sum n) (if (= n 0) 0 (+ x (sum (- n 1)))))
      (sum 100000)`;
    expect(await at(source, 0.5)).toEqual([50000, 100000]);
  });

  test("modulo takes the divisor's sign, remainder the dividend's", async () => {
    expect(await at("(modulo x 3)", -7)).toEqual([2, 1]);
    expect(await at("(remainder x 3)", -7)).toEqual([-1, 1]);
    expect(await at("(modulo x -3)", 7)).toEqual([-2, 1]);
    expect(await at("(remainder x -3)", 7)).toEqual([1, 1]);
  });

  test("an unbound operator and calling a number are errors, not 0", async () => {
    expect(await errorOf("(unknown-function 1)")).toBe("E-UNBOUND");
    expect(await errorOf("(3 4)")).toBe("E-CALL");
    expect(await errorOf("(x 4)", { x: 3 })).toBe("E-UNBOUND");
    expect(await errorOf("((* 2 x) 4)", { x: 3 })).toBe("E-CALL");
  });

  test("a let* inside a let* binding has its value", async () => {
    const { value } = await slopeOf("(let* ((a (let* ((b 1.0)) b))) (* a x))", { x: 5 });
    expect(value).toBe(5);
    await withProgram("f64", "(let* ((a (let* ((b 1.0)) b))) a)", {}, (program) => {
      expect([...program.evaluate({}).values]).toEqual([1]);
    });
  });
});
