/** `timeMax` is counted by the machine's clock, in every kind of run, and looked at only where it is given. */
import { expect, test } from "vitest";
import { Machine, type Program } from "../../src/index.js";

const long = "(let loop ((i 0) (v x)) (if (< i 200000) (loop (+ i 1) (* v 0.5)) v))";

/** A machine whose clock stands still, or goes on by so much at each look. */
async function machineOf(perLook: number): Promise<{ machine: Machine; looks: () => number }> {
  let looks = 0;
  const machine = await Machine.create({ clock: () => perLook * looks++ });
  return { machine, looks: () => looks };
}

const runs: readonly [string, (program: Program, timeMax: number) => unknown][] = [
  ["evaluate", (program, timeMax) => program.evaluate({ x: 1 }, { timeMax })],
  ["evaluateAsync", (program, timeMax) => program.evaluateAsync({ x: 1 }, { timeMax })],
  ["gradient", (program, timeMax) => program.gradient({ x: 1 }, { timeMax })],
  ["gradient of lanes", (program, timeMax) => program.gradient({ x: [1, 2, 3] }, { timeMax })],
  ["explain", (program, timeMax) => program.explain({ x: 1 }, { timeMax })],
  ["diagnose", (program, timeMax) => program.diagnose({ x: 1 }, { timeMax })],
];

test.each(runs)("%s ends by the machine's clock, not by that on the wall", async (_name, run) => {
  const fast = await machineOf(1e9);
  await expect((async () => run(fast.machine.load(long), 1000))()).rejects.toMatchObject({
    code: "E-TIME",
    facts: { option: "timeMax", limit: 1000 },
  });
  // A clock that stands still ends nothing, however short the time is.
  const still = await machineOf(0);
  await run(still.machine.load(long), 1e-3);
  expect(still.looks()).toBeGreaterThan(1);
});

test("the clock is not looked at where there is no limit", async () => {
  const { machine, looks } = await machineOf(1);
  const program = machine.load(long);
  program.evaluate({ x: 1 });
  program.gradient({ x: [1, 2] });
  await program.evaluateAsync({ x: 1 });
  expect(looks()).toBe(0);
});

test("a clock that is no function is refused", async () => {
  const clock = 5 as unknown as () => number;
  await expect(Machine.create({ clock })).rejects.toMatchObject({
    code: "E-OPTION",
    message: expect.stringContaining("a function that returns milliseconds"),
  });
});

test("a pool of a machine with a clock of its own counts by that on the wall", async () => {
  const { machine } = await machineOf(1e9);
  const pool = await machine.pool({ workers: 1 });
  const { values } = await pool.evaluate("(* 2 x)", { x: [1, 2, 3] });
  expect([...values]).toEqual([2, 4, 6]);
  await pool.dispose();
});
