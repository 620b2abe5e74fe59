/**
 * Every calibration example reaches its known answer from its documented start; data that were made
 * by a script are what the script makes.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type FitResult, fit, Machine } from "../../src/index.js";
import { examples } from "./cases.js";
import { examplesFolder, readModel, readTable, readText } from "./support.js";

/** Each on a machine of its own, whose memory has still to grow. */
async function fitExample(name: string, options: object): Promise<FitResult> {
  const machine = await Machine.create({ precision: "f64" });
  try {
    return await fit(machine.load(readModel(name)), { data: readTable(name), ...options });
  } finally {
    machine.dispose();
  }
}

function expectWithin(value: number | undefined, middle: number, error: number, what: string) {
  expect(Math.abs((value ?? Number.NaN) - middle), `${what} is ${value}`).toBeLessThanOrEqual(
    error,
  );
}

describe("the examples", () => {
  test.each(examples)("$name reaches its answer", async (example) => {
    const result = await fitExample(example.name, example.options);
    const { params, loss } = result.best;
    for (const [name, [value, error]] of Object.entries(example.answer))
      expectWithin(params[name], value, error, name);
    for (const [name, error] of Object.entries(example.standardErrors ?? {}))
      expectWithin(result.standardErrors[name], error, 5e-4 * error, `standard error of ${name}`);
    if (example.loss !== undefined) expectWithin(loss, ...example.loss, "loss");
    for (const [name, value] of Object.entries(example.truth ?? {})) {
      const [low, high] = result.intervals[name] as readonly [number, number];
      expect(low, name).toBeLessThan(value);
      expect(high, name).toBeGreaterThan(value);
    }
    expect(result.assumed).toEqual([]);
  });

  test("each has a folder, a command and a line in the index", () => {
    const index = readText("README.md").replace(/ \\\n +/g, " ");
    const folders = readdirSync(examplesFolder).filter((name) =>
      existsSync(join(examplesFolder, name, "data.csv")),
    );
    expect(folders).toEqual(examples.map(({ name }) => name).sort());
    for (const { name } of examples) {
      expect(index).toContain(`ndvm fit examples/${name}/model.scm`);
      expect(index).toContain(`--data examples/${name}/data.csv`);
    }
    for (const file of readdirSync(examplesFolder).filter((each) => each.endsWith(".scm")))
      expect(index).toContain(`[${file}](${file})`);
  });

  const made = examples.filter(({ name }) =>
    existsSync(join(examplesFolder, name, "generate.mjs")),
  );
  test.each(made)("the data of $name are what its script makes", async ({ name }) => {
    const script: string = join(examplesFolder, name, "generate.mjs");
    const { generate } = (await import(script)) as { generate(): string };
    expect(readText(name, "data.csv")).toBe(generate());
  });
});

describe("the dose response", () => {
  const { dose = [], response = [] } = readTable("dose-response");

  /** Least squares of base + slope · clamped dose, in closed form for known corners. */
  function squaresAt(threshold: number, full: number): number {
    const x = dose.map((d) => Math.min(Math.max(d, threshold), full) - threshold);
    const n = x.length;
    const meanX = x.reduce((sum, each) => sum + each, 0) / n;
    const meanY = response.reduce((sum, each) => sum + each, 0) / n;
    let xx = 0;
    let xy = 0;
    let yy = 0;
    for (let i = 0; i < n; i++) {
      const dx = (x[i] as number) - meanX;
      const dy = (response[i] as number) - meanY;
      xx += dx * dx;
      xy += dx * dy;
      yy += dy * dy;
    }
    return yy - (xy * xy) / xx;
  }

  test("no pair of corners on a fine grid is better than the fitted one", async () => {
    const example = examples.find(({ name }) => name === "dose-response");
    const { best, diagnostics } = await fitExample("dose-response", example?.options ?? {});
    const { threshold = 0, full = 0 } = best.params;
    expectWithin(squaresAt(threshold, full), best.loss, 1e-9, "loss");
    let least = Infinity;
    for (let low = 1; low < 6; low += 0.02)
      for (let high = 6; high < 11; high += 0.02) least = Math.min(least, squaresAt(low, high));
    expect(best.loss).toBeLessThanOrEqual(least);
    expect(least - best.loss).toBeLessThan(0.01);
    expect(diagnostics.branches.length).toBe(2);
  });
});
