/** Traces of very many lanes, for fits whose rounds stay inside the machine. */

import { describe, expect, test } from "vitest";
import { Machine } from "../../src/index.js";

describe.each(["f64", "f32"] as const)("a session in %s, of very many lanes", (precision) => {
  test("walks a few of many lanes first, and not the others where they would take four caches", async () => {
    const machine = await Machine.create({ precision });
    const program = machine.load(
      "(loop ((x t) (i 0)) (if (= i 100) x (recur (* a (+ x 1)) (+ i 1))))",
    );
    const session = (lanes: number) =>
      program.session({ a: 0.5, t: new Float64Array(lanes).fill(2) }, { wrt: ["a"] });
    const one = session(600);
    const { counters } = one.enter()?.trace ?? {};
    const perLane = ((counters?.primalBytes ?? 0) + (counters?.adjointBytes ?? 0)) / 600;
    const most = Math.floor((4 * machine.cache.bytes) / perLane);
    const fitting = session(Math.floor(0.95 * most));
    expect(fitting.enter()?.trace.width).toBe(Math.floor(0.95 * most));
    expect(fitting.stats.walks).toBe(2);
    const large = session(Math.ceil(1.1 * most));
    const before = machine.exports.memory.buffer.byteLength;
    expect(large.enter()).toBeUndefined();
    expect(large.stats.walks).toBe(1);
    expect(machine.exports.memory.buffer.byteLength).toBe(before);
    // It is tried once.
    expect(large.enter()).toBeUndefined();
    expect(large.stats.walks).toBe(1);
    machine.dispose();
  });
});
