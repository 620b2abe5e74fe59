/**
 * What a branch that lanes take both ways may do to loops and slots around it: tail calls that leave
 * a loop, and copies of list elements and stack slots on either side. Lanes alone take one side and
 * know of no divergence, so they are the oracle: values and gradients agree to the bit.
 */

import { describe, test } from "vitest";
import { Random } from "../fuzz/random.js";
import { checkBatch, spread } from "./support.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);
console.info(`leaving loops: SEED=${seed}`);

const lanes = (count: number, scale: number): Record<string, readonly number[]> => ({
  x: spread(count, seed % 97).map((value) => scale * value),
  y: spread(count, 1 + (seed % 89)),
});

/** A loop in one side of a branch whose last turn calls another procedure in tail position. */
function makeLeaving(random: Random): string {
  const call = random.pick([
    "(g z k)",
    "(f (- z 2.6) (- n 1))",
    "(h (list z x))",
    "((pick z) z k)",
  ]);
  const turn = random.pick(["(+ z 0.7)", "(* z 1.3)", "(+ z (abs x))"]);
  const test = random.pick(["(> z 1.5)", "(> (* z z) 2)", "(= k 3)"]);
  const inner = random.chance(0.4) ? `(if (> y 0) ${call} (* z y))` : call;
  const loop = random.chance(0.5)
    ? `(let go ((z (+ x 0.1)) (k 0)) (if (or ${test} (> k 9)) ${inner} (go ${turn} (+ k 1))))`
    : `(loop ((z (+ x 0.1)) (k 0)) (if (or ${test} (> k 9)) ${inner} (recur ${turn} (+ k 1))))`;
  const other = random.pick(["(* x y)", "(g x 2)", "(f (+ x 1.1) (- n 1))", loop]);
  const sides = random.chance(0.5) ? `${loop} ${other}` : `${other} ${loop}`;
  return `
    (define (g a k) (if (= k 0) (* a y) (+ (* a a) k)))
    (define (h l) (+ (car l) (* 2 (cadr l))))
    (define (pick a) (if (> a 1.8) g (lambda (b c) (* b (+ c y)))))
    (define (f x n) (if (= n 0) (* x y) (if (> x 0) ${sides})))
    (+ (f x 4) ${random.pick(["0", "(f y 2)", "y"])})`;
}

test(`a tail call out of a loop inside a varying branch, seed ${seed}`, async () => {
  const random = new Random(seed, 1);
  for (let i = 0; i < 25; i++)
    await checkBatch(makeLeaving(random), {
      inputs: lanes(random.between(2, 9), 2),
      options: { stepsMax: 20_000 },
    });
});

describe("copies in branches", () => {
  test.each([
    "(let ((l (list x y 3))) (if (> x 0) (car l) (cadr l)))",
    "(let ((l (list x y))) (+ (if (> x 0) (car l) (* 2 (car l))) (car l)))",
    "(let* ((l (list x y)) (a (if (> y 0) (car l) (cadr l))) (b (if (> x 0) a (car l)))) (* a b))",
    "(let ((l (if (> x 0) (list x y) (list y x)))) (* (car l) (+ (cadr l) (car l))))",
    "(apply + (map (lambda (e) (if (> e 0) e (* e e))) (list x y x)))",
    "(let ((v (if (> x 0) x y))) (let ((w (if (> y 0) v x))) (- (* v w) (if (> v w) v w))))",
    "(loop ((i 0) (a x) (b y)) (if (= i 5) (* a b) (if (> a b) (recur (+ i 1) b a) (recur (+ i 1) (+ a 0.3) b))))",
    "(loop ((i 0) (l (list x y))) (if (= i 3) (car l) (if (> (car l) 0) (recur (+ i 1) (list (cadr l) (car l))) (recur (+ i 1) (list (+ (car l) 0.4) (cadr l))))))",
    "(let ((f (lambda (a b) (if (> a b) a b)))) (f (f x y) (f y (* 0.5 x))))",
  ])("of list elements and slots: %s", async (source) => {
    for (const count of [2, 5, 9]) await checkBatch(source, { inputs: lanes(count, 1) });
  });

  const branching = (yes: string, no: string): string =>
    `.input x y\nLOAD x\nPUSH 0\nGT\nBRANCH yes\n${no}\nJUMP end\nyes: ${yes}\nend:`;

  test.each([
    ["the same slot on both sides", branching("LOAD y", "LOAD y\nDUP\nMUL")],
    [
      "a slot below the branch",
      `.input x y\nLOAD x\nLOAD y\nPICK 1\nPUSH 0\nGT\nBRANCH swap\nSUB\nJUMP end\nswap: SWAP\nSUB\nend:`,
    ],
    [
      "a local stored on one side",
      `.input x y\nLOAD x\nSTORE a\nLOAD y\nPUSH 0\nGT\nBRANCHNOT end\nLOAD y\nSTORE a\nend: LOAD a\nLOAD x\nMUL`,
    ],
    [
      "copies of copies",
      branching("LOAD y\nDUP\nDUP\nADD\nMUL", "LOAD x\nDUP\nLOAD y\nSWAP\nSUB\nMUL"),
    ],
    [
      "slots that change in a loop with a branch",
      `.input x y\nPUSH 4\nSTORE n\nLOAD x\nSTORE a\nLOAD y\nSTORE b\nagain: LOOP n done\nLOAD a\nLOAD b\nGT\nBRANCH swap\nLOAD a\nPUSH 0.3\nADD\nSTORE a\nJUMP again\nswap: LOAD a\nLOAD b\nSTORE a\nSTORE b\nJUMP again\ndone: LOAD a\nLOAD b\nMUL`,
    ],
  ])("of stack code: %s", async (_, source) => {
    for (const count of [2, 5, 9])
      await checkBatch(source, { inputs: lanes(count, 1), load: { language: "bytecode" } });
  });
});
