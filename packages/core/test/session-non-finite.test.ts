/**
 * The search for the operation that made a number infinite takes long on a long tape, and nobody
 * reads its result in a session: fits ran past their time because of it.
 */

import { expect, test, vi } from "vitest";
import { Machine } from "../src/index.js";

test("a session does not look for what made its numbers infinite, as a run does", async () => {
  const machine = await Machine.create();
  const program = machine.load("(if (< x 2) (/ 1 x) (* x x))");
  let looks = 0;
  const own = machine.exports;
  const firstNonFinite = (...of: Parameters<typeof own.firstNonFinite>) => {
    looks += 1;
    return own.firstNonFinite(...of);
  };
  const spy = vi.spyOn(machine, "exports", "get").mockReturnValue({ ...own, firstNonFinite });
  const session = program.session({ x: [0, 1, 2] }, { wrt: ["x"] });
  session.run();
  expect(Array.from(session.values)).toEqual([Number.POSITIVE_INFINITY, 1, 4]);
  expect(looks).toBe(0);
  expect(program.evaluate({ x: [0, 1, 2] }).nonFinite).toHaveLength(1);
  expect(looks).toBeGreaterThan(0);
  spy.mockRestore();
  machine.dispose();
});
