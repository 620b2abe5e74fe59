/**
 * Lines through thousands of rows by least squares: one step of Levenberg and Marquardt from anywhere is at the
 * solution of the normal equations, however many blocks the rows fill.
 */

import { expect, test } from "vitest";
import { fit } from "../../src/index.js";
import { machine } from "./support.js";

test.each([4095, 4096, 4097, 8192, 8193, 9000, 12_500])("of %d rows", async (rows) => {
  const x = Float64Array.from({ length: rows }, (_, i) => ((i * 7919) % 1009) / 100 + i / rows);
  const y = x.map((value, i) => 1.5 - 0.25 * value + Math.sin(i) + 3e-4 * i);
  const sum = (of: (i: number) => number) => x.reduce((all, _, i) => all + of(i), 0);
  const [meanX, meanY] = [sum((i) => x[i] as number) / rows, sum((i) => y[i] as number) / rows];
  const offX = (i: number) => (x[i] as number) - meanX;
  const b = sum((i) => offX(i) * ((y[i] as number) - meanY)) / sum((i) => offX(i) ** 2);
  const program = machine.load("(+ a (* b x))", { inputs: ["x"] });
  const { restarts, best } = await fit(program, {
    ...{ data: { x, y }, target: "y", optimiser: "lm", steps: 3, restarts: 3, seed: 1 },
    params: { a: { start: 1 }, b: { start: 1 } },
  });
  program.dispose();
  expect(best.params["b"]).toBeCloseTo(b, 9);
  expect(best.params["a"]).toBeCloseTo(meanY - b * meanX, 8);
  for (const { loss } of restarts) expect(loss / best.loss).toBeCloseTo(1, 9);
});
