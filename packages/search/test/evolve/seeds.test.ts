/**
 * Seeds: a program of the user's gets starts enough to be fitted, in columns of any unit.
 */

import { describe, expect, test, vi } from "vitest";
import { Chance } from "../../src/evolve/chance.js";
import { firstCount, firstProgram } from "../../src/evolve/first.js";
import { scalesOf } from "../../src/evolve/scales.js";
import { readTree } from "../../src/evolve/text.js";
import type { Tree } from "../../src/evolve/tree.js";
import { evolve } from "../../src/index.js";
import { briefFor, makeStudy } from "../../src/study.js";
import { run } from "../engine/support.js";

const logistic = "(/ K (+ 1 (exp (- (* r (- t middle))))))";

function rows(scale: number, time: number) {
  const t = Array.from({ length: 60 }, (_, i) => (time * i) / 6);
  const y = t.map((at, i) => {
    const noise = 0.01 * Math.sin(12.9898 * i * i);
    return scale * (1 / (1 + Math.exp(-(1.37 / time) * (at - 4.2 * time))) + noise);
  });
  return { t, y };
}

describe("a seed", () => {
  test.each([
    [8.3, 1],
    [8.3e-18, 1e6],
    [8.3e12, 1e-9],
  ])("that is the law is found to be it: y of %s, t of %s", async (scale, time) => {
    const budget = { candidates: 30 };
    const proposers = [evolve({ seeds: [logistic] })];
    const { done } = await run({
      data: rows(scale, time),
      target: "y",
      budget,
      proposers,
      workers: 0,
    });
    const law = done.front.find(({ source }) => source === logistic);
    expect(law?.r2).toBeGreaterThan(0.99);
    expect(law?.params["K"]).toBeGreaterThan(0.9 * scale);
    expect((law?.params["r"] ?? 0) * time).toBeCloseTo(1.37, 1);
  });

  test("comes first, then the constant, then the seed from other starts", () => {
    const study = makeStudy({ data: rows(1, 1), target: "y" });
    const brief = briefFor(study, 0);
    const names = { inputs: new Set(["t"]) };
    const at = (index: number) => firstProgram(index, [logistic], brief, names, new Chance(index));
    expect(at(0)).toEqual({ source: logistic, parents: [], origin: "seed" });
    expect(at(1)?.source).toBe("p0");
    expect(at(2)).toMatchObject({ source: logistic, isRevisit: true });
    expect(at(firstCount([logistic]))).toBeUndefined();
    expect(Object.keys(at(2)?.params ?? {}).sort()).toEqual(["K", "middle", "r"]);
  });
});

test("scales of parameters follow from the columns", () => {
  const column = (name: string, max: number) => ({
    name,
    min: 0,
    max,
    mean: max / 2,
    deviation: max / 4,
  });
  const tree = readTree(logistic, { inputs: new Set(["t"]) }) as Tree;
  const scales = scalesOf(tree, column("y", 5e9), [column("t", 2e-3)]);
  expect(scales.get("K")?.size).toBeCloseTo(5e9, -6);
  expect(scales.get("r")?.size).toBeCloseTo(1500, 6);
  expect(scales.get("middle")?.between).toEqual([0, 2e-3]);
});

test("what has no chance never happens, and what is sure always does", () => {
  const chance = new Chance(1);
  const draw = vi.spyOn(chance, "uniform");
  const at = (value: number, probability: number): boolean => {
    draw.mockReturnValue(value);
    return chance.happens(probability);
  };
  const most = 1 - Number.EPSILON / 2;
  expect([at(0, 0), at(0, Number.MIN_VALUE), at(most, 1), at(most, most)]).toEqual([
    ...[false, true, true, false],
  ]);
  expect([at(0.25, 0.25), at(0.25, 0.5), at(0.5, 0.25)]).toEqual([false, true, false]);
});
