/**
 * Whether two things are the same does not depend on how a program runs: alone or in a batch, with or
 * without gradients and by whichever inputs, replayed or walked, in sessions, without any one mechanism.
 * Vectors and matrices were once compared by the places that hold their numbers, which all of these change.
 * The seed is new in every run and printed; `SEED=… npx vitest run lanes/sameness` runs the same again.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Machine, type Mechanisms, vec } from "../../src/index.js";
import { checkLanes, LaneMachines } from "./run.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);
const programs = 200;

let machines: LaneMachines;
beforeAll(async () => {
  machines = await LaneMachines.create();
});
afterAll(() => machines.dispose());

test(`sameness is the same however a program runs, seed ${seed}`, () => {
  console.info(`sameness: ${programs} programs, SEED=${seed}`);
  const { failure, passed } = checkLanes(machines, { seed, programs, asking: 0.6 });
  expect(failure).toBeUndefined();
  expect(passed).toBeGreaterThan(2.5 * programs);
});

/** Compaction of memory moves what p and f name. */
const compacting = `(let ((p (list a)) (f (lambda () a)))
  (loop ((i 0) (x p) (g f) (l '()))
    (if (= i 30000) (and (eq? x p) (eq? g f)) (recur (+ i 1) x g (list i i i)))))`;
const same = "(vsum v) (* 2 (vsum v))";
/** Questions that are true in lanes where a < 2, and in all others where `elsewhere` says so. */
const questions: readonly [question: string, elsewhere: boolean][] = [
  ["(eqv? (if (< a 2) v w) v)", false],
  ["(eq? (let ((x (if (< a 2) v w))) x) v)", false],
  ["(eqv? ((lambda (x) x) v) v)", true],
  ["(memv v (list w ((lambda (x) x) v)))", true],
  ["(assq (if (< a 2) v [7 7]) (list (cons w 1) (cons v 2)))", false],
  ["(eqv? (loop ((i 0) (x v)) (if (= i 2) x (recur (+ i 1) x))) v)", true],
  ["(eqv? (fold-left (lambda (acc x) x) w (list v)) v)", true],
  ["(eqv? (+ v 0) v)", true],
  ["(eq? (eye 2) (eye 2))", true],
  ["(eq? (eye 9) (eye 9))", true],
  ["(memq (zeros 2) (list 1 (zeros 2)))", true],
  ["(not (eqv? [1 2] (mat [1 2])))", true],
  ["(let ((l (list v))) (equal? (if (< a 2) l '()) l))", false],
  ["(let ((l (list (sqrt (- a))))) (equal? l l))", true],
  ["(let ((f (lambda (x) a))) (eqv? (if (< a 2) f sin) f))", false],
  [compacting, true],
];

describe("vectors are the same by their elements, and lists as objects:", () => {
  const switches: readonly Mechanisms[] = [{}, { integerPool: false }, { replay: false }];
  const inputs = { v: vec([1, 2]), w: vec([3, 5]) };
  test.each(questions)("%s", async (question, elsewhere) => {
    const expected = [3, elsewhere ? 3 : 6];
    for (const mechanisms of switches) {
      const machine = await Machine.create({ mechanisms });
      const program = machine.load(`(if ${question} ${same})`, { inputs: ["a", "v", "w"] });
      for (const replay of [true, false]) {
        const all = { a: [1, 3], ...inputs };
        expect([...program.evaluate(all, { replay }).values]).toEqual(expected);
        for (const wrt of [["a"], ["v"], ["w"], ["a", "v", "w"]])
          expect([...program.gradient(all, { wrt, replay }).values]).toEqual(expected);
        for (const [lane, a] of [1, 3].entries()) {
          const alone = program.gradient({ a, ...inputs }, { replay });
          expect([...alone.values]).toEqual([expected[lane]]);
          expect([...(alone.gradients["v"] ?? [])]).toEqual(expected[lane] === 3 ? [1, 1] : [2, 2]);
        }
      }
      machine.dispose();
    }
  });
});

test("stack code compares vectors by their elements, with gradients and without", async () => {
  const machine = await Machine.create();
  const source = `.input v
LOAD v
CALL itself
LOAD v
EQV?
BRANCH same
LOAD v
VSUM
PUSH 2
MUL
JUMP end
same: LOAD v
VSUM
end:
.proc itself x
LOAD x
RET
.end
`;
  const program = machine.load(source, { language: "bytecode" });
  const v = vec([1, 2]);
  expect([...program.evaluate({ v }).values]).toEqual([3]);
  const { values, gradients } = program.gradient({ v });
  expect([[...values], [...(gradients["v"] ?? [])]]).toEqual([[3], [1, 1]]);
  machine.dispose();
});
