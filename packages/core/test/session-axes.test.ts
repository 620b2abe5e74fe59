/**
 * Sessions over named axes: numbers that change between runs give the bits of `program.gradient`, in chunks
 * of any width; and a session waits for no one else's run.
 */

import { expect, test } from "vitest";
import { Machine, over, type Precision } from "../src/index.js";

const source = "(if (> t k) (* a (exp (* k t))) (+ a (sin (* k t))))";
const numbers = (count: number, turn: number) =>
  Float64Array.from({ length: count }, (_, i) => 0.1 + ((i * 7 + turn * 3) % 11) / 5);

test.each<readonly [Precision, number, number, number | undefined]>([
  ["f64", 2, 3, undefined],
  ["f64", 5, 41, undefined],
  ["f64", 5, 41, 16],
  ["f64", 37, 40, 64],
  ["f64", 40, 37, undefined],
  ["f32", 5, 41, 16],
  ["f32", 40, 37, 64],
])("in %s, %d restarts of %d rows in chunks of %s", async (precision, restarts, rows, chunk) => {
  const machine = await Machine.create({ precision });
  const inputsAt = (turn: number) => ({
    a: over("restart", numbers(restarts, turn)),
    k: over("restart", numbers(restarts, turn + 1)),
    t: over("data", numbers(rows, turn + 2)),
  });
  const options = { wrt: ["a", "k"], ...(chunk === undefined ? {} : { chunk }) };
  const session = machine.load(source).session(inputsAt(0), options);
  for (let turn = 0; turn < 6; turn++) {
    const inputs = inputsAt(turn);
    session.set("a", numbers(restarts, turn));
    session.set("k", numbers(restarts, turn + 1));
    session.set("t", numbers(rows, turn + 2));
    session.run();
    const direct = machine.load(source).gradient(inputs, { wrt: ["a", "k"] });
    expect([...session.values]).toEqual([...direct.values]);
    for (const name of ["a", "k"] as const)
      expect([...(session.gradients[name] ?? [])]).toEqual([...(direct.gradients[name] ?? [])]);
  }
  machine.dispose();
});

test("a session does not enter its trace while another run has the machine", async () => {
  const machine = await Machine.create();
  const session = machine.load("(* a x)").session({ a: 2, x: [1, 2, 3] }, { wrt: ["a"] });
  for (let turn = 0; turn < 3; turn++) session.run();
  expect(session.enter()).toBeDefined();
  const loop = "(loop ((k 0) (s x)) (if (= k 300000) s (recur (+ k 1) (+ s 1))))";
  const under = machine.load(loop).evaluateAsync({ x: 1 });
  expect(() => session.enter()).toThrow(/machine/);
  await under;
  expect(session.enter()).toBeDefined();
  machine.dispose();
});

test.each([63, 64, 65, 200])("of %d lanes that are not finite 64 are told why", async (lanes) => {
  const machine = await Machine.create();
  const { nonFinite } = machine.load("(log x)").evaluate({ x: new Float64Array(lanes).fill(-1) });
  expect(nonFinite).toHaveLength(lanes);
  const explained = nonFinite.filter(({ span }) => span !== undefined);
  expect(explained).toHaveLength(Math.min(lanes, 64));
  machine.dispose();
});
