/** `npm start`: the bundled search runs, ends with a front and a formula, and keeps its study. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as ndvmPackage from "../src/index.js";
import { folder, repository } from "./run.js";

const start = fileURLToPath(new URL("../dist/start.js", import.meta.url));

test("the bundled search shows the front, a formula with intervals, a plot and its files", () => {
  const [study, page] = [join(folder, "start.db"), join(folder, "start.html")];
  const budget = ["--candidates", "600", "--out", study, "--report", page];
  const { status, stdout, stderr } = spawnSync(process.execPath, [start, ...budget], {
    cwd: repository,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  expect(stdout).toContain("600 candidates in");
  expect(stdout).toMatch(/^ +size +held-out R² +bits +score +BIC +model$/m);
  expect(stdout).toMatch(/^height = .*t/m);
  expect(stdout).toMatch(/^constant +value +from +to \(95 %\)/m);
  expect(stdout).toContain("height over t: data ●, model —");
  expect(stderr).toContain(`a page about it is in ${page}`);
  expect(existsSync(study) && existsSync(page)).toBe(true);
  expect(readFileSync(page, "utf8")).toContain("ndvm search --data examples/oscillator/data.csv");
  expect(status).toBe(0);
});

/** Rates of the waves in a program: what stands before t inside sin and cos. */
function ratesOf(formula: string): number[] {
  const waves = formula.matchAll(/(?:sin|cos)\(([^()]*|[^()]*\([^()]*\)[^()]*)\)/g);
  return [...waves].flatMap(([, argument = ""]) => {
    const rate = /(−?[\d.]+)·(?:\(?t)/.exec(argument)?.[1];
    return rate === undefined ? [] : [Math.abs(Number(rate.replace("−", "-")))];
  });
}

test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])(
  "with seed %i it chooses a damped wave of rate 3",
  (seed) => {
    const study = join(folder, `start-${seed}.db`);
    const budget = ["--candidates", "6000", "--seed", `${seed}`, "--out", study];
    const page = ["--report", join(folder, `start-${seed}.html`)];
    const { stdout } = spawnSync(process.execPath, [start, ...budget, ...page], {
      cwd: repository,
      encoding: "utf8",
      env: { ...process.env, NO_COLOR: "1" },
    });
    const formula = /^height = (.*)$/m.exec(stdout)?.[1] ?? "";
    const rates = ratesOf(formula);
    expect(formula).toMatch(/exp/);
    expect(rates).toHaveLength(1);
    expect(rates[0]).toBeGreaterThan(2.9);
    expect(rates[0]).toBeLessThan(3.1);
  },
);

test("the package ndvm re-exports core", async () => {
  const core = await import("@ndvm/core");
  expect(Object.keys(ndvmPackage).sort()).toEqual(Object.keys(core).sort());
});
