/** R² of several targets together, by every loss: what is left of all, over what there is of all. */
import { expect, test } from "vitest";
import { fitText, noise, steps } from "./support.js";

const t = steps(0, 3, 40);
const mean = (column: readonly number[]) => column.reduce((sum, y) => sum + y, 0) / column.length;

test("counts: deviances of all targets are added on both sides", async () => {
  const drawn = (a: number, seed: number) => {
    const away = noise(40, 1.5 + seed);
    return t.map((time, i) =>
      Math.max(0, Math.round(Math.exp(a + 0.5 * time) + (away[i] as number))),
    );
  };
  const data = { t, few: drawn(0.5, 0), many: drawn(2.5, 2) };
  const result = await fitText("(vec (exp (+ a (* b t))) (exp (+ c (* b t))))", {
    data,
    target: ["few", "many"],
    loss: "poisson",
    params: { a: 0.3, b: 0.4, c: 2 },
  });
  const { a = 0, b = 0, c = 0 } = result.best.params;
  const deviance = (observed: readonly number[], expected: (i: number) => number) =>
    observed.reduce((sum, y, i) => {
      const mu = expected(i);
      return sum + 2 * ((y === 0 ? 0 : y * Math.log(y / mu)) - (y - mu));
    }, 0);
  const left = [
    deviance(data.few, (i) => Math.exp(a + b * (t[i] as number))),
    deviance(data.many, (i) => Math.exp(c + b * (t[i] as number))),
  ] as const;
  const about = [
    deviance(data.few, () => mean(data.few)),
    deviance(data.many, () => mean(data.many)),
  ] as const;
  expect(result.targets[0]?.r2).toBeCloseTo(1 - left[0] / about[0], 8);
  expect(result.targets[1]?.r2).toBeCloseTo(1 - left[1] / about[1], 8);
  expect(result.best.r2).toBeCloseTo(1 - (left[0] + left[1]) / (about[0] + about[1]), 8);
});

const pointLoss = (loss: string, off: number): number => {
  const size = Math.abs(off);
  if (loss === "squares") return size * size;
  if (loss === "absolute") return size;
  return size <= 1 ? (size * size) / 2 : size - 0.5;
};

const between = (column: readonly number[]): number[] =>
  steps(Math.min(...column), Math.max(...column), 20_001);

const lines = async (loss: "squares" | "absolute" | "huber") => {
  const [near, far] = [noise(40, 0.3), noise(40, 400)];
  const data = {
    t,
    x: t.map((time, i) => 1 + 2 * time + (near[i] as number)),
    y: t.map((time, i) => 5 - 3 * time + (far[39 - i] as number) / 100),
  };
  const program = "(vec (+ a (* b t)) (+ c (* d t)))";
  const params = { a: 0, b: 1, c: 0, d: 1 };
  const result = await fitText(program, { data, target: ["x", "y"], loss, params });
  const { a = 0, b = 0, c = 0, d = 0 } = result.best.params;
  const sums = [data.x, data.y].map((column, which) => {
    const line = (time: number) => (which === 0 ? a + b * time : c + d * time);
    const squares = column.reduce((sum, y) => sum + (y - mean(column)) ** 2, 0);
    const lossAt = (constant: number) =>
      column.reduce((sum, y) => sum + pointLoss(loss, y - constant), 0);
    const left = column.reduce((sum, y, i) => sum + pointLoss(loss, y - line(t[i] as number)), 0);
    // No constant is better: not the mean, no row's own, and none between.
    const about = Math.min(...[mean(column), ...column, ...between(column)].map(lossAt));
    return { left, about, spread: Math.sqrt(squares / column.length) };
  });
  return { result, sums };
};

test.each([
  ["squares", 2],
  ["absolute", 1],
  ["huber", 0],
] as const)("%s: each target counts by its spread to the power of -%i", async (loss, power) => {
  const { result, sums } = await lines(loss);
  let [left, about] = [0, 0];
  for (const [which, own] of sums.entries()) {
    expect(result.targets[which]?.r2).toBeCloseTo(1 - own.left / own.about, 6);
    left += own.left / own.spread ** power;
    about += own.about / own.spread ** power;
  }
  expect(result.best.r2).toBeCloseTo(1 - left / about, 6);
  const [x, y] = result.targets;
  expect(Math.abs((x?.r2 as number) - (y?.r2 as number))).toBeGreaterThan(0.001);
});
