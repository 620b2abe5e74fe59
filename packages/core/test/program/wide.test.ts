/** Programs that are wider than any before them: room is made for all of their words. */

import { expect, test } from "vitest";
import { Machine } from "../../src/index.js";

/** Each is several times the one before, so that no room is left over from it. */
const widths = [700, 4500, 30_000, 200_000];

test.each<[string, (width: number) => string, (width: number) => number]>([
  ["operands", (width) => `(+ ${"x ".repeat(width)})`, (width) => 3 * width],
  [
    "numbers",
    (width) =>
      `(+ ${wholes(width)
        .map((i) => `${i}.5`)
        .join(" ")})`,
    (width) => half(width),
  ],
  ["quoted data", (width) => `(length '(${"a ".repeat(width)}))`, (width) => width],
])("with many %s are read whole", async (_, source, value) => {
  const machine = await Machine.create();
  for (const width of widths) {
    const program = machine.load(source(width));
    expect(program.evaluate(program.inputs.length > 0 ? { x: 3 } : {}).values[0]).toBe(
      value(width),
    );
    program.dispose();
  }
  machine.dispose();
});

const wholes = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const half = (count: number): number => (count * (count - 1)) / 2 + count / 2;

test("with many names captured are read whole", async () => {
  const machine = await Machine.create();
  for (const width of [300, 2000, 9000]) {
    const names = wholes(width).map((i) => `v${i}`);
    const lets = names.map((name, i) => `(${name} (* x ${i}))`).join(" ");
    const program = machine.load(`(let (${lets}) ((lambda (y) (+ y ${names.join(" ")})) 1))`);
    expect(program.evaluate({ x: 2 }).values[0]).toBe(1 + width * (width - 1));
    program.dispose();
  }
  machine.dispose();
});

test("with many names captured again and again are read whole wherever room runs out", async () => {
  const machine = await Machine.create();
  const names = wholes(40).map((i) => `v${i}`);
  const lets = names.map((name, i) => `(${name} (* x ${i + 1}))`).join(" ");
  // Sums of two, so that no call makes room for many; and so many that the program takes room of its own,
  // which is doubled as it runs out. The words before the first lambda decide where within one that is.
  const sum = names.reduce((sums, name) => `(+ ${sums} ${name})`);
  const count = 60;
  const lambdas = `(later (lambda () ${sum})) `.repeat(count);
  for (let padding = 0; padding < 250; padding += 4) {
    const program = machine.load(
      `(define (later p) (p)) (let (${lets}) (+ ${"x ".repeat(padding)} ${lambdas}))`,
    );
    const value = program.evaluate({ x: 2 }).values[0];
    expect(value, `after ${padding} operands`).toBe(2 * padding + count * 40 * 41);
    program.dispose();
  }
  machine.dispose();
});
