import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Random, seedFor } from "../../src/index.js";

const seed = Number(process.env["SEED"] ?? 20261116);

describe(`random numbers (SEED=${seed})`, () => {
  test("of a seed and a stream are always the same", () => {
    const random = new Random(1, 2);
    const first = [random.uniform(), random.uniform(), random.normal()];
    expect(first).toEqual([0.3242469957523183, 0.4408081367877963, 1.421965564523255]);
    random.begin(1, 2);
    expect(random.uniform()).toBe(first[0]);
    expect(new Random(1, 3).uniform()).not.toBe(first[0]);
  });

  test("are uniform and normal: mean, deviation and tails are within what chance leaves", () => {
    const random = new Random(seed);
    const count = 100_000;
    let [mean, squares, far, half] = [0, 0, 0, 0];
    for (let i = 0; i < count; i++) {
      const x = random.normal();
      mean += x / count;
      squares += (x * x) / count;
      if (Math.abs(x) > 1.959963984540054) far += 1 / count;
      half += random.uniform() / count;
    }
    // Five standard errors each.
    expect(Math.abs(mean)).toBeLessThan(5 / Math.sqrt(count));
    expect(Math.abs(squares - 1)).toBeLessThan(5 * Math.sqrt(2 / count));
    expect(Math.abs(far - 0.05)).toBeLessThan(5 * Math.sqrt((0.05 * 0.95) / count));
    expect(Math.abs(half - 0.5)).toBeLessThan(5 / Math.sqrt(12 * count));
  });

  test("put any number of things in a random order", () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(), (count, start) => {
        const order = new Random(start).shuffled(count);
        expect([...order].sort((a, b) => a - b)).toEqual(
          Array.from({ length: count }, (_, i) => i),
        );
      }),
      { seed },
    );
  });

  test("below a count reach every number and none beyond", () => {
    const random = new Random(seed);
    const seen = new Set(Array.from({ length: 500 }, () => random.below(7)));
    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test("have seeds for places, which differ where one part does, in either half of it", () => {
    const seeds = new Set(
      [[1], [2], [1, 0], [0, 1], [1 + 2 ** 40], [1, 2, 3], [3, 2, 1]].map((p) => seedFor(...p)),
    );
    expect(seeds.size).toBe(7);
  });
});
