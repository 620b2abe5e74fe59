/**
 * Lanes that few others go with run by themselves, whether there were few from the start or masks
 * became thin later. Every lane gets the bits it gets alone, and its own failure.
 */

import { describe, expect, test } from "vitest";
import { type Inputs, Machine, type Precision, type Program } from "../../src/index.js";
import { checkBatch } from "./support.js";

const tent = `(loop ((z (+ x 0.0)) (k 0))
  (if (= k 12) (* a z)
    (if (< z 0.5) (recur (* a z) (+ k 1)) (recur (* a (- 1 z)) (+ k 1)))))`;
const newton = `(loop ((z (+ 1 x)) (k 0))
  (let ((next (* 0.5 (+ z (/ x z)))))
    (if (< (abs (- next z)) 1e-3) (* a next) (recur next (+ k 1)))))`;
const nested = `(let ((y (if (> x 0.9) (* x x a) (+ x a))))
  (if (> x 0.95) (/ y (- x a)) (sqrt (+ y 1))))`;
const lists = "(let ((p (if (> x 0.9) (list x a 2) (list (* a x))))) (apply + p))";

/** Numbers close to each other, but for every so many. */
const mostlyAlike = (count: number, every: number): number[] =>
  Array.from({ length: count }, (_, i) => {
    const own = (i * 0.618034) % 1;
    return i % every === every - 1 ? own : 0.3 + 1e-6 * own;
  });

describe("a batch with few lanes apart equals its lanes alone", () => {
  const cases = [tent, newton, nested, lists].flatMap((source) =>
    [9, 40].map((every) => [every, source] as const),
  );
  test.each(cases)("one in %i: %s", async (every, source) => {
    const x = mostlyAlike(300, every);
    await checkBatch(source, { inputs: { x, a: x.map((_, i) => 1.5 + 1e-3 * (i % 7)) } });
  });

  test("and reports the failures of those lanes alone", async () => {
    const source = "(if (> x 0.9) (ref [a 2 3] (* 10 x)) (* a x))";
    const x = mostlyAlike(200, 10).map((value, i) => (i % 10 === 9 ? 0.95 : value));
    const { lanes } = await checkBatch(source, { inputs: { x, a: x } });
    lanes.forEach((lane, i) => {
      if (i % 10 === 9) expect(lane).toBe("E-TYPE");
      else expect(typeof lane).toBe("object");
    });
  });
});

describe.each(["f32", "f64"] as Precision[])("sorting lanes in %s", (precision) => {
  const bits = (program: Program, inputs: Inputs, chunk?: number) => {
    const options = chunk === undefined ? {} : { chunk };
    const { values, gradients, stats } = program.gradient(inputs, options);
    return { stats, numbers: [...values, ...Object.values(gradients).flatMap((own) => [...own])] };
  };

  test("takes one walk more, and later calls replay", async () => {
    const machine = await Machine.create({ precision });
    const plain = await Machine.create({ precision, mechanisms: { sorting: false } });
    const programs = [machine.load(tent), plain.load(tent)] as const;
    const calls = Array.from({ length: 6 }, (_, turn) => {
      const x = mostlyAlike(256, 32).map((value) => value + 1e-7 * turn);
      return programs.map((program) => bits(program, { x, a: 1.9 }, 128));
    });
    for (const [sorted, masked] of calls) expect(sorted?.numbers).toEqual(masked?.numbers);
    const sum = (side: 0 | 1, name: "sortings" | "walks") =>
      calls.reduce((total, call) => total + (call[side]?.stats[name] ?? 0), 0);
    expect(sum(0, "sortings")).toBe(1);
    expect(sum(1, "sortings")).toBe(0);
    expect(sum(0, "walks")).toBeLessThanOrEqual(4);
    expect(calls.at(-1)?.[0]?.stats.walks).toBe(0);
    machine.dispose();
    plain.dispose();
  });

  test("happens within one call of many chunks", async () => {
    const machine = await Machine.create({ precision });
    const x = mostlyAlike(4000, 50);
    const sorted = bits(machine.load(tent), { x, a: 1.9 });
    expect(sorted.stats.sortings).toBeGreaterThan(0);
    expect(sorted.stats.walks).toBeLessThanOrEqual(6);
    expect(sorted.numbers).toEqual(bits(machine.load(tent), { x, a: 1.9 }, 61).numbers);
    machine.dispose();
  });

  test("leaves out no lane that parts from its walk in another way", async () => {
    const machine = await Machine.create({ precision });
    const plain = await Machine.create({ precision, mechanisms: { sorting: false } });
    // Few lanes go the other way at the branch, and fewer have another element, which no branch joins.
    const source = "(* (list-ref '(1 2 3) t) (if (> x 0) (sin (* a x)) (exp x)))";
    let sortings = 0;
    for (const lanes of [600, 2000])
      for (const every of [50, 13, 500]) {
        const t = Array.from({ length: lanes }, (_, i) => (i % every === 3 ? 1 + (i % 2) : 0));
        const x = Array.from({ length: lanes }, (_, i) => (i % 10 === 0 ? -1 : 1) * (1 + i / 512));
        const inputs = { t, x, a: 0.5 };
        const walked = plain.load(source);
        const wanted = walked.gradient(inputs, { replay: false, wrt: ["x", "a"] });
        for (const chunk of [undefined, 128, 64])
          for (const wrt of [["x", "a"], []]) {
            const program = machine.load(source);
            for (let turn = 0; turn < 3; turn++) {
              const own = { wrt, ...(chunk === undefined ? {} : { chunk }) };
              const result =
                wrt.length > 0 ? program.gradient(inputs, own) : program.evaluate(inputs, own);
              const what = `${lanes} lanes, one in ${every}, chunks of ${chunk}, turn ${turn}`;
              expect(result.failures, what).toEqual([]);
              expect(result.values, what).toEqual(wanted.values);
              if ("gradients" in result && wrt.length > 0)
                expect(result.gradients, what).toEqual(wanted.gradients);
              sortings += result.stats.sortings;
              // Even the first run walks a few chunks, and replays the others on their traces.
              expect(result.stats.walks, what).toBeLessThan(12);
              expect(result.stats.replays, what).toBeGreaterThan(result.stats.walks);
            }
            program.dispose();
          }
        walked.dispose();
      }
    expect(sortings).toBeGreaterThan(5);
    machine.dispose();
    plain.dispose();
  });

  test("follows lanes that come together in a session", async () => {
    const machine = await Machine.create({ precision });
    const program = machine.load(nested);
    const x = mostlyAlike(100, 2);
    const session = program.session({ x, a: 0.5 }, { wrt: ["x", "a"] });
    for (let turn = 0; turn < 120; turn++) {
      // Half the lanes are above 0.9 at first, none is at last.
      const now = x.map((value, i) => (i % 2 === 1 && turn < 20 ? 0.91 + 0.08 * value : value / 2));
      session.set("x", now);
      session.run();
      const alone = machine.load(nested);
      const direct = alone.gradient({ x: now, a: 0.5 }, { replay: false });
      expect(Array.from(session.values)).toEqual(Array.from(direct.values));
      expect(Array.from(session.gradients["x"] ?? [])).toEqual([
        ...(direct.gradients["x"] as Float64Array),
      ]);
      alone.dispose();
    }
    expect(session.stats.sortings).toBe(1);
    expect(session.stats.walks).toBe(2);
    machine.dispose();
  });
});

test.each([
  [10, 3],
  [11, 2],
  [15, 2],
  [16, 1],
  [30, 1],
])(
  "a third of the lanes may leave a walk in all: of three groups of %i %i leave",
  async (apart, left) => {
    const machine = await Machine.create();
    const program = machine.load(
      `(let* ((u (if (< x 0) (* a x) (+ a x))) (v (if (< 100 x 200) (* u 2) (+ u 1))))
       (if (< 200 x) (* v 3) (+ v 2)))`,
    );
    const groups = (size: number) =>
      Array.from({ length: 90 }, (_, i) => [-1, 150, 250][Math.floor(i / size)] ?? i / 2);
    program.gradient({ x: groups(9), a: 2 });
    const { stats } = program.gradient({ x: groups(apart), a: 2 });
    expect(stats).toMatchObject({ sortings: 1, buckets: left });
    machine.dispose();
  },
);
