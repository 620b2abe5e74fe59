/**
 * Chunks: how wide a batch is worked on changes no bit of the results, and the machine's memory
 * does not grow with the number of lanes.
 */

import { describe, expect, test } from "vitest";
import { Machine } from "../../src/index.js";
import { precisions } from "../machine/support.js";
import { spread } from "./support.js";

const programs: readonly (readonly [string, string])[] = [
  ["straight", "(+ (* x (exp (* -0.5 y))) (sin (/ y (+ 2 x))))"],
  ["vectors", "(let ((v [x y 2])) (+ (dot v v) (vsum (inv (mat [3 x] [y 4])))))"],
  ["branches", "(if (> x 0) (if (> y 0) (* x y) (sqrt x)) (+ x (* y y)))"],
  [
    "a convergence loop",
    "(loop ((z x) (k 0)) (if (< (abs z) 0.1) (* k y) (recur (* 0.7 z) (+ k 1))))",
  ],
  ["structure", "(apply + (filter (lambda (e) (> e 0)) (list x y (* x y) 1)))"],
];

const widths = [1, 2, 3, 5, 7, 8, 16, 31, 64, 100, 257, 1000];
const lanes = 300;

describe.each(precisions)("in %s", (precision) => {
  test.each(programs)("results do not depend on the chunk width: %s", async (_, source) => {
    const machine = await Machine.create({ precision });
    const inputs = { x: spread(lanes), y: spread(lanes, 2) };
    const reference = machine.load(source).gradient(inputs, { replay: false });
    for (const replay of [true, false]) {
      const program = machine.load(source);
      for (const chunk of widths) {
        const result = program.gradient(inputs, { chunk, replay });
        expect(result.values, `chunk ${chunk}`).toEqual(reference.values);
        expect(result.gradients, `chunk ${chunk}`).toEqual(reference.gradients);
        expect(result.stats.chunkWidth).toBeLessThanOrEqual(chunk);
      }
      program.dispose();
    }
    machine.dispose();
  });
});

test("memory is flat from ten thousand lanes to a million", async () => {
  const machine = await Machine.create({ precision: "f32" });
  const program = machine.load("(if (> x 0.5) (* x x) (sin x))");
  const bytes = [1e4, 1e5, 1e6].map((count) => {
    const x = Float32Array.from({ length: count }, (_, i) => (i % 1013) / 1013);
    const { stats, values } = program.gradient({ x });
    expect(values[count - 1]).toBe(program.gradient({ x: [x[count - 1] as number] }).values[0]);
    return stats.memoryBytes;
  });
  expect(bytes[1]).toBe(bytes[0]);
  expect(bytes[2]).toBe(bytes[0]);
  machine.dispose();
});

test("1,024 tent-map lanes with recur in both branches take few walks", async () => {
  const source = `
    (loop ((z x) (k 0))
      (if (= k 16) z (if (< z 0.5) (recur (* r z) (+ k 1)) (recur (* r (- 1 z)) (+ k 1)))))`;
  for (const precision of precisions) {
    const machine = await Machine.create({ precision });
    const program = machine.load(source);
    const x = Array.from({ length: 1024 }, (_, i) => (i + 0.5) / 1024);
    for (const options of [{}, { replay: false }]) {
      const { stats, values } = program.gradient({ x, r: 1.9 }, options);
      expect(stats.walks).toBeLessThanOrEqual(8);
      expect(new Set(values).size).toBeGreaterThan(500);
    }
    machine.dispose();
  }
});
