/**
 * Leaks: what is infinite, not a number or an error in one lane, or on the side of a branch a lane
 * does not take, must not touch another lane or side, neither in values nor in gradients.
 */

import { describe, expect, test } from "vitest";
import { checkBatch, spread } from "./support.js";

/** Lanes of one number: the bad one in every position of a vector. */
const around = (bad: number, healthy: readonly number[]): number[] => [
  bad,
  ...healthy,
  bad,
  ...healthy.toReversed(),
  bad,
];

describe("a lane's own infinity or NaN", () => {
  test.each([
    ["(/ 1 x)", 0],
    ["(log x)", 0],
    ["(log x)", -1],
    ["(sqrt x)", 0],
    ["(sqrt (+ x 1))", -2],
    ["(exp x)", 1e4],
    ["(* x (exp x))", Number.NEGATIVE_INFINITY],
    ["(- x x)", Number.POSITIVE_INFINITY],
    ["(tanh (/ (sin x) x))", 0],
    ["(expt x 0.5)", -2],
    ["(norm [x (* 2 x)])", 0],
    ["(vsum (normalize [x (* 2 x) x]))", 0],
    ["(atan x x)", 0],
    ["(lgamma x)", -1],
  ])("stays in its lane: %s at %s", async (source, bad) => {
    const x = around(bad, [1.5, 0.25, 3]);
    const { lanes } = await checkBatch(source, { inputs: { x } });
    for (const [i, lane] of lanes.entries())
      if (x[i] !== bad) expect((lane as number[]).every(Number.isFinite)).toBe(true);
  });

  test.each([
    ["(vsum (inv (mat [x 1] [2 4])))", 0.5],
    ["(logdet (mat [x 1] [2 4]))", 0.5],
    ["(det (mat [x 1] [2 4]))", 0.5],
    ["(vsum (solve (mat [x 1] [2 4]) [1 x]))", 0.5],
    ["(vsum (inv (mat [x 1 0] [2 4 1] [0 1 1])))", 2 / 3],
    ["(vsum (cholesky (mat [x 1] [1 4])))", -1],
    ["(logdet (mat [x 1 2 3] [1 9 1 0] [2 1 8 1] [3 0 1 7]))", 0],
    ["(trace (matmul (inv (mat [x 1] [2 4])) (mat [x 1] [2 4])))", 0.5],
  ])("stays in its lane through a matrix: %s, singular at %s", async (source, bad) => {
    const x = around(bad, [5, 2.25, 3]);
    const { lanes } = await checkBatch(source, { inputs: { x } });
    for (const [i, lane] of lanes.entries())
      if (x[i] !== bad) expect((lane as number[]).every(Number.isFinite)).toBe(true);
  });
});

describe("the side a lane does not take", () => {
  test("divides by zero without a trace in the gradient", async () => {
    const x = [0, 2, -1, 0, 0.5];
    const { lanes } = await checkBatch("(if (= x 0) (* 3 x) (/ 1 x))", { inputs: { x } });
    expect(lanes).toEqual([
      [0, 3],
      [0.5, -0.25],
      [-1, -1],
      [0, 3],
      [2, -4],
    ]);
  });

  test("takes the root of a negative number in nested selects", async () => {
    const source = `
      (if (> x 0)
          (if (> x 1) (log (- x 1)) (sqrt x))
          (if (< x -1) (sqrt (- (- x) 1)) (* x (/ x (+ x 1)))))`;
    const { lanes, stats } = await checkBatch(source, {
      inputs: { x: [-1, -2, -0.5, 0, 0.25, 1, 2, 3, -3] },
    });
    expect(lanes[4]).toEqual([0.5, 1]);
    expect(lanes[6]).toEqual([0, 1]);
    expect(stats?.merges).toBeGreaterThan(0);
  });

  test("has a number that was computed before the branch", async () => {
    const source = "(let ((s (sqrt x))) (if (> x 0) s (* 5 x)))";
    const { lanes } = await checkBatch(source, { inputs: { x: [0, 4, 0, 0.25, 0] } });
    expect(lanes).toEqual([
      [0, 5],
      [2, 0.25],
      [0, 5],
      [0.5, 1],
      [0, 5],
    ]);
  });

  test("uses a number of before the branch on one side, several times", async () => {
    const source = `
      (let* ((s (sqrt x)) (l (log x)) (q (/ s x)))
        (+ (if (> x 0) (* s l) x) (if (> x 0) (+ q l) (* 2 x)) (if (> y 0) y (* y y))))`;
    const { lanes } = await checkBatch(source, {
      inputs: { x: [0, 4, 0, 1, 9], y: [1, -1, 2, 3, -4] },
    });
    expect(lanes[0]).toEqual([1, 3, 1]);
    expect(lanes[2]).toEqual([2, 3, 1]);
  });

  test("has a matrix that is singular there", async () => {
    const source = `
      (let ((m (mat [x 1] [2 4])))
        (if (= (det m) 0) (* x x) (vsum (inv m))))`;
    const { lanes } = await checkBatch(source, { inputs: { x: [0.5, 1, 0.5, 2, 3] } });
    expect(lanes[0]).toEqual([0.25, 1]);
  });

  test("inverts a matrix that the branch keeps from it", async () => {
    const source = `
      (let ((m (mat [x 1] [2 4])))
        (if (> x 0.5) (logdet m) (let ((n (inv (mat [1 x] [x 1])))) (vsum (matvec n [x 1])))))`;
    await checkBatch(source, { inputs: { x: [0.5, 1, 0.5, 2, -1, 3, 0, 0.25] } });
  });

  test("overflows while the others go on", async () => {
    const source = `
      (loop ((z x) (k 0))
        (if (= k 12) z (recur (if (> z 1e3) (* 2 (sqrt z)) (* z z)) (+ k 1))))`;
    await checkBatch(source, { inputs: { x: [0.5, 1e30, 2, -3, 1.01, 1e300, 0, -1e160] } });
  });

  test("has NaN as its test: the comparison is false", async () => {
    const { lanes } = await checkBatch("(if (< (sqrt x) 1) x (* 2 x))", {
      inputs: { x: [-1, 0.25, 4, -9] },
    });
    expect(lanes).toEqual([
      [-2, 2],
      [0.25, 1],
      [8, 2],
      [-18, 2],
    ]);
  });

  test("is minus zero: signs of zero survive a merge", async () => {
    const source = "(/ 1 (if (> x 0) (* 0 (- x)) (if (< x 0) 0 (* -1 x))))";
    await checkBatch(source, { inputs: { x: [1, -1, 0, 2, -0] } });
  });
});

describe("clamped domains", () => {
  const load = { domain: "clamp" } as const;

  test("a clamped lane passes no gradient, its neighbours theirs", async () => {
    const { lanes } = await checkBatch("(sqrt x)", { inputs: { x: [-1, 4, 0, 0.25] }, load });
    expect(lanes.map((lane) => lane[1])).toEqual([0, 0.25, 0, 1]);
    await checkBatch("(log x)", { inputs: { x: [-1, 4, 0, 0.25, 1e-8, 1e-9] }, load });
  });

  test("behind and in front of a branch", async () => {
    const source = `
      (let ((s (sqrt (- x 1))) (l (log x)))
        (if (> s 0.5) (* s l) (+ (log (- x)) (/ s l))))`;
    await checkBatch(source, { inputs: { x: [0, 1, 2, -1, 1.25, 5, -0, 1 + 1e-8] }, load });
  });
});

describe("errors in some lanes", () => {
  test("a type error on one side", async () => {
    const { lanes } = await checkBatch("(if (> x 0) (car 5) (* x y))", {
      inputs: { x: [1, -1, 2, -3], y: [5, 6, 7, 8] },
    });
    expect(lanes).toEqual(["E-TYPE", [-6, 6, -1], "E-TYPE", [-24, 8, -3]]);
  });

  test("different errors in different lanes", async () => {
    const source = `
      (cond ((> x 3) (car 5))
            ((> x 2) (ref [1 2] 7))
            ((> x 1) ((lambda (a b) a) x))
            ((> x 0) (+ [1 2] [1 2 3]))
            (else (* x x)))`;
    const { lanes } = await checkBatch(source, { inputs: { x: [3.5, -1, 2.5, 1.5, 0.5, -2] } });
    expect(lanes).toEqual(["E-TYPE", [1, -2], "E-RANGE", "E-ARITY", "E-SHAPE", [4, -4]]);
  });

  test("an error in the middle of a loop", async () => {
    const source = `
      (loop ((z x) (k 0))
        (cond ((= k 5) z) ((> z 2) (ref [1 2] k)) (else (recur (* z 1.5) (+ k 1)))))`;
    await checkBatch(source, { inputs: { x: spread(11).map((x) => 2 * x) } });
  });

  test("an error before the branch ends its lanes only", async () => {
    const source = "(let ((v (ref [x 2 3] (floor (* 4 x))))) (if (> x 0.3) (* v x) (sqrt v)))";
    await checkBatch(source, { inputs: { x: [0, 0.1, 0.3, 0.5, 0.7, 0.9, 1, -0.2] } });
  });

  test("all lanes fail, in different ways", async () => {
    await checkBatch("(if (> x 0) (car 5) (ref [1] 2))", { inputs: { x: [1, -1, 2] } });
  });
});

describe("indices by lane", () => {
  test("valid, out of range, fractional, negative and not a number", async () => {
    const x = [0, 1, 2, 3, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1, -0];
    const { lanes } = await checkBatch("(ref [10 20 (* y y)] x)", {
      inputs: { x, y: x.map((_, i) => i + 1) },
    });
    expect(lanes[2]).toEqual([9, 6, 0]); // y stands first in the program
    expect(lanes[1]).toEqual([20, 0, 0]);
    expect(lanes.filter((lane) => typeof lane === "string")).toHaveLength(5);
  });

  test("of matrices, rows and elements", async () => {
    const matrix = "(mat [x 1 2] [3 y 5] [(* x y) 7 8])";
    const inputs = { x: spread(9), y: spread(9, 2), i: [0, 1, 2, 2, 1, 0, 3, 1.5, 2] };
    await checkBatch(`(vsum (ref ${matrix} i))`, { inputs });
    await checkBatch(`(ref ${matrix} i (- 2 i))`, { inputs });
    await checkBatch(`(ref (ref ${matrix} i) i)`, { inputs });
  });

  test("of lists: structure by lane", async () => {
    const inputs = { x: spread(9), i: [0, 1, 2, 2, 1, 0, 3, 1.5, 2] };
    await checkBatch("(list-ref (list x 2 (* x x)) i)", { inputs });
    await checkBatch("(length (list-tail (list x 2 (* x x)) i))", { inputs });
  });
});
