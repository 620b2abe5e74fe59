/**
 * Budgets of a Jacobian: it has a backward pass for each output, and as many numbers as outputs times
 * inputs, so neither time nor memory may be forgotten between them.
 */
import { expect, test } from "vitest";
import { Machine, vec } from "../../src/index.js";

const ramp = (length: number) => vec(Float64Array.from({ length }, (_, i) => 0.1 + i / 1024));

function caught(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** A clock that is a millisecond later at each look. */
function slowClock(): { looks: number; clock: () => number } {
  const slow = { looks: 0, clock: () => slow.looks++ };
  return slow;
}

test("a time limit ends a Jacobian between two of its backward passes", async () => {
  const slow = slowClock();
  const machine = await Machine.create({ clock: slow.clock });
  const program = machine.load("(* x x)");
  const error = caught(() => program.jacobian({ x: ramp(300) }, { timeMax: 200 }));
  expect(error).toMatchObject({ code: "E-TIME", facts: { option: "timeMax", limit: 200 } });
  expect(slow.looks).toBeLessThan(210);
  const { jacobians } = program.jacobian({ x: ramp(3) }, { timeMax: 200 });
  expect([...(jacobians["x"] ?? [])]).toEqual([
    0.2,
    0,
    0,
    0,
    2 * (0.1 + 1 / 1024),
    0,
    0,
    0,
    2 * (0.1 + 2 / 1024),
  ]);
});

test("a Jacobian without a time limit takes as long as it needs", async () => {
  const slow = slowClock();
  const machine = await Machine.create({ clock: slow.clock });
  expect(machine.load("(* x x)").jacobian({ x: ramp(300) }).jacobians["x"]).toHaveLength(90_000);
  expect(slow.looks).toBe(0);
});

test("a Jacobian counts against memoryMax with its values, to the byte", async () => {
  const bytes = (length: number) => 8 * length * (length + 1);
  const machine = await Machine.create({ memoryMax: 2 ** 24 });
  const program = machine.load("(* x 2)");
  expect(bytes(1447)).toBeLessThanOrEqual(2 ** 24);
  expect(program.jacobian({ x: ramp(1447) }).jacobians["x"]).toHaveLength(1447 ** 2);
  // The values alone, or the slopes alone, would still have room.
  expect(bytes(1448)).toBeGreaterThan(2 ** 24);
  expect(8 * 1448 ** 2).toBeLessThan(2 ** 24);
  const error = caught(() => program.jacobian({ x: ramp(1448) }));
  expect(error).toMatchObject({ code: "E-MEMORY", facts: { reason: "result", limit: 2 ** 24 } });
  expect(program.gradient({ x: ramp(1) }, { seed: [1] }).gradients["x"]).toEqual(
    Float64Array.of(2),
  );
});

test("every input that slopes are taken by counts", async () => {
  const machine = await Machine.create({ memoryMax: 2 ** 24 });
  const program = machine.load("(+ x y)");
  const inputs = { x: ramp(1100), y: ramp(1100) };
  expect(program.jacobian(inputs, { wrt: ["y"] }).jacobians["y"]).toHaveLength(1100 ** 2);
  expect(caught(() => program.jacobian(inputs))).toMatchObject({ code: "E-MEMORY" });
});
