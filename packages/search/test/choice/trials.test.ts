/** The order in which constants are tried at simple numbers, seen by the fits that this takes. */

import type { FitOptions } from "@ndvm/core";
import { beforeEach, expect, test, vi } from "vitest";
import { Scales } from "../../src/choice/weigh.js";
import { complexityOf } from "../../src/complexity.js";
import { makeStudy } from "../../src/study.js";

const fits: FitOptions["params"][] = [];
const steps = new Set<unknown>();
vi.mock("@ndvm/core", async (original) => {
  const core = await original<typeof import("@ndvm/core")>();
  const fit: typeof core.fit = (program, options) => {
    fits.push(options.params);
    steps.add(options.steps);
    return core.fit(program, options);
  };
  return { ...core, fit };
});
beforeEach(() => {
  fits.length = 0;
});

/** Constants of a plane through rows whose noise says nothing of them: each has an error of 0.026. */
async function weigh(a: number, b: number, c: number) {
  // 1 or −1 by a bit of the row's number: no two columns have anything in common.
  const column = (bit: number) => Array.from({ length: 64 }, (_, i) => 1 - 2 * ((i >> bit) & 1));
  const [u, v, w] = [column(0), column(1), column(2)] as [number[], number[], number[]];
  const noise = column(3);
  const y = u.map((at, i) => {
    const plane = a * at + b * (v[i] as number) + c * (w[i] as number);
    return plane + 0.2 * (noise[i] as number);
  });
  const study = makeStudy({ data: { u, v, w, y }, target: "y", seed: 3 });
  const source = "(+ (* a u) (+ (* b v) (* c w)))";
  const scales = await Scales.create(study);
  const found = await scales.weigh({
    ...{ visit: 0, source, params: { a, b, c }, complexity: complexityOf(source, study.inputs) },
  });
  scales.dispose();
  const fixed = fits.map((params) =>
    Object.entries(params ?? {})
      .flatMap(([name, spec]) => (typeof spec === "object" && "fixed" in spec ? [name] : []))
      .join(""),
  );
  return { found, trials: [...new Set(fixed)].filter((names) => names !== "") };
}

test.each([
  [2.05, 3.04, 7],
  [2.05, 3, 7.04],
  [2, 3.04, 7.05],
])("the constant nearest to a simple number comes first: %d, %d, %d", async (...given) => {
  const distances = given.map((value) => Math.abs(value - Math.round(value)));
  const nearest = "abc"[distances.indexOf(0)] as string;
  const { trials } = await weigh(...(given as [number, number, number]));
  expect(trials[0]).toBe(nearest);
  // What became simple stays so while the others are tried.
  for (const names of trials.slice(1)) expect(names).toContain(nearest);
  expect(trials.length).toBeGreaterThan(1);
  // Each fit begins where another has ended, and is given that many steps.
  expect([...steps]).toEqual([60]);
});

test("the interval of a simple number is around the real one that it stands for", async () => {
  const { found } = await weigh(2.05, 3.04, 7.314);
  expect([found?.simple.toSorted(), found?.params["a"], found?.params["b"]]).toEqual([
    ...[["a", "b"], 2, 3],
  ]);
  for (const [name, middle] of [
    ["a", 2.05],
    ["b", 3.04],
    ["c", 7.314],
  ] as const) {
    const [low, high] = found?.intervals[name] ?? [Number.NaN, Number.NaN];
    expect((low + high) / 2).toBeCloseTo(middle, 6);
    expect(high - low).toBeGreaterThan(0.09);
  }
});
