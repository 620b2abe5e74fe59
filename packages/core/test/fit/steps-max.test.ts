/**
 * The step budget of a fit: what a search relies on to end programs that would not.
 */

import { expect, test } from "vitest";
import { fit, Machine } from "../../src/index.js";
import { machine, refusal } from "./support.js";

const data = { x: [1, 2, 3, 4, 5, 6], y: [2.1, 3.9, 6.2, 8, 9.8, 12.1] };

test("a program that never ends at its start is told apart by its steps", async () => {
  const source = "(loop ((s a)) (if (> s 1e9) (* s x) (recur (* s 1))))";
  const told = await refusal(source, { data, target: "y", stepsMax: 5000 }, "E-STEPS");
  expect(told).toContain("5000");
});

test("a loss that never ends is told apart by its steps too", async () => {
  const loss = "(loop ((i 0)) (if (< i 1e12) (recur (+ i 1)) (abs (- pred y))))";
  const how = { data, target: "y", loss, stepsMax: 5000 };
  expect(await refusal("(* a x)", how, "E-STEPS")).toContain("5000");
});

test("a program whose gradient does not fit into memory is told so", async () => {
  const small = await Machine.create({ memoryMax: 2 ** 22 });
  const long = small.load(
    "(loop ((k 0) (s 0.0)) (if (< k 200000) (recur (+ k 1) (+ (* s 0.5) (* a x))) s))",
  );
  await expect(fit(long, { data, target: "y", params: { a: 0.1 } })).rejects.toMatchObject({
    code: "E-MEMORY",
  });
  small.dispose();
});

test("a limit that is not reached changes no bit", async () => {
  const program = machine.load("(* a x)");
  const plain = await fit(program, { data, target: "y" });
  const limited = await fit(program, { data, target: "y", stepsMax: 5000 });
  expect(limited.best).toEqual(plain.best);
});

test("a limit that is no count is refused", async () => {
  expect(await refusal("(* a x)", { data, target: "y", stepsMax: 0.5 }, "E-OPTION")).toContain(
    "stepsMax",
  );
});

test("a limit holds for predictions of rows that go another way", async () => {
  const program = machine.load("(if (> x 100) (loop ((s x)) (if (< s 0) s (recur s))) (* a x))");
  const detail = "scores";
  const { predict } = await fit(program, { data, target: "y", stepsMax: 5000, detail });
  const { values } = predict({ x: [1, 200] });
  expect(values[0]).toBeGreaterThan(1);
  expect(values[1]).toBeNaN();
  program.dispose();
});

test("a limit holds for looking closer at restarts that began where nothing ends", async () => {
  const program = machine.load(
    "(loop ((i 0)) (if (if (> k 0) (> i 3) #f) (* k x) (recur (+ i 1))))",
  );
  const params = { k: { range: [-1, 1] as const } };
  const how = { data, target: "y", params, restarts: 6, stepsMax: 2000 };
  const { best, diagnostics } = await fit(program, how);
  expect(best.params["k"]).toBeCloseTo(2, 1);
  expect(diagnostics.nonFinite[0]?.message).toContain("2000 steps");
});
