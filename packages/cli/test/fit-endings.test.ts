/**
 * How `ndvm fit` ends: its exit code, what it writes and what it says, for every way that a fit may stop,
 * whichever of its restarts is the best, and whether its model can be exported.
 */

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { FitResult } from "@ndvm/core";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ndvmHere } from "./here.js";
import { folder, writeFile } from "./run.js";

/** What the latest fit is said to have come to. */
const told: { change: (result: FitResult) => object; signals: number[] } = {
  change: () => ({}),
  signals: [],
};
vi.mock("@ndvm/core", async (original) => {
  const real = await original<typeof import("@ndvm/core")>();
  return {
    ...real,
    fit: async (...given: Parameters<typeof real.fit>) => {
      told.signals.push(process.listenerCount("SIGINT"));
      const result = await real.fit(...given);
      for (const [name, value] of Object.entries(told.change(result)))
        Object.defineProperty(result, name, { value });
      return result;
    },
  };
});

beforeAll(() => {
  writeFile("e.csv", `x,y\n${[0, 1, 2, 3, 4, 5].map((x) => `${x},${2 * x + 1}`).join("\n")}\n`);
});
beforeEach(() => {
  told.change = () => ({});
  told.signals = [];
});

const args = ["fit", "-e", "(+ a (* b x))", "--data", "e.csv", "--target", "y"];

/** Restarts of which some have converged, the best being the one of an index. */
const restarts = (converged: readonly boolean[], best: number) => (result: FitResult) => ({
  restarts: converged.map((hasConverged, index) => ({
    ...result.restarts[0],
    ...{ index, hasConverged },
  })),
  best: { ...result.best, restart: best },
});

describe("the exit code of a fit", () => {
  test.each<[string, readonly boolean[], number, number]>([
    ["the best has converged, the others have not", [false, true, false], 1, 0],
    ["the best ran out of steps, a worse one converged", [true, false, true], 1, 3],
    ["the first is the best and has converged", [true, false], 0, 0],
    ["the last is the best and has not", [true, true, false], 2, 3],
    ["none has", [false, false], 1, 3],
    ["the best of those that are told is another one", [true, true], 5, 3],
  ])("where %s", async (_, converged, best, code) => {
    told.change = restarts(converged, best);
    expect((await ndvmHere([...args, "--quiet"])).code).toBe(code);
  });

  test("finds the best restart by its index, in whatever order restarts are told", async () => {
    for (const [best, code] of [
      [0, 3],
      [1, 0],
    ] as const) {
      told.change = (result) => {
        const changed = restarts([false, true], best)(result);
        return { ...changed, restarts: changed.restarts.reverse() };
      };
      expect((await ndvmHere([...args, "--quiet"])).code).toBe(code);
    }
  });

  const LOOP = "(loop ((i 0) (s a)) (if (< i x) (recur (+ i 1) (+ s b)) s))";
  test.each<["done" | "aborted" | "time", boolean, boolean, number]>([
    ["done", true, false, 0],
    ["done", true, true, 1],
    ["done", false, true, 1],
    ["time", false, false, 3],
    ["time", true, false, 0],
    ["time", false, true, 1],
    ["aborted", true, false, 130],
    ["aborted", false, true, 130],
  ])(
    "that stopped as %s, converged: %s, export refused: %s",
    async (stopped, has, refused, code) => {
      told.change = (result) => ({ ...restarts([has], 0)(result), stopped });
      const source = refused ? LOOP : "(+ a (* b x))";
      const fit = ["fit", "-e", source, ...args.slice(3), "--export", "latex=e.tex"];
      rmSync(join(folder, "e.tex"), { force: true });
      const found = await ndvmHere([...fit, "--out", "e.json"]);
      expect(found.code).toBe(code);
      expect(existsSync(join(folder, "e.tex"))).toBe(!refused);
      expect(found.stderr.includes("E-REFUSED")).toBe(refused);
      // What it came to is written and shown, whatever the code is.
      expect(JSON.parse(readFileSync(join(folder, "e.json"), "utf8")).stopped).toBeDefined();
      expect(found.stderr).toContain(`wrote ${refused ? "" : "e.tex, "}e.json\n`);
      expect(found.stderr.includes("go on with --resume e.json")).toBe(stopped !== "done");
      expect(found.stdout).toMatch(/\n *b +2\b/);
    },
  );
});

test("a fit listens to Ctrl-C while it runs, and not after it, however it ends", async () => {
  const before = process.listenerCount("SIGINT");
  for (const more of [[], ["--param", "c=1"], ["--out", "none/e.json"]])
    await ndvmHere([...args, ...more]);
  expect(told.signals.slice(0, 1)).toEqual([before + 1]);
  expect(process.listenerCount("SIGINT")).toBe(before);
});

describe("standard output of a fit", () => {
  test("holds the model alone where one is printed, and the summary goes to standard error", async () => {
    const { stdout, stderr } = await ndvmHere([...args, "--export", "scheme", "--plot"]);
    expect(stdout).toBe((await ndvmHere([...args, "--quiet", "--export", "scheme"])).stdout);
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(/\n *b +2\b/);
    expect(stderr).toContain("y over x: ● data");
  });

  test("holds the models in the order that they were asked for, less those with a file", async () => {
    const all = [
      ...args,
      "--quiet",
      "--export",
      "math",
      "--export",
      "js=m.mjs",
      "--export",
      "scheme",
    ];
    const one = async (format: string) =>
      (await ndvmHere([...args, "--quiet", "--export", format])).stdout;
    expect((await ndvmHere(all)).stdout).toBe((await one("math")) + (await one("scheme")));
    // A file is a module, what is printed is not.
    expect(readFileSync(join(folder, "m.mjs"), "utf8")).toContain("export ");
    expect(await one("js")).not.toContain("export ");
  });

  test("is JSON alone with --json, which holds the models that are printed", async () => {
    const more = ["--json", "--export", "math", "--export", "scheme=e.scm", "--plot"];
    const { stdout } = await ndvmHere([...args, ...more]);
    const { exports, warnings, rows, ndvm } = JSON.parse(stdout);
    expect(Object.keys(exports)).toEqual(["math"]);
    expect(ndvm).toMatch(/^\d+\.\d+/);
    expect(Array.isArray(warnings)).toBe(true);
    expect(rows).toMatchObject({ file: "e.csv", all: 6, fitted: 6, heldOut: 0 });
    const plain = JSON.parse((await ndvmHere([...args, "--json"])).stdout);
    expect("exports" in plain).toBe(false);
    expect("heldOut" in plain).toBe(false);
  });

  test.each<[string[], boolean, boolean]>([
    [[], false, false],
    [[], true, true],
    [["--quiet"], true, false],
    [["--plot"], false, true],
    [["--plot", "--quiet"], true, true],
    [["--no-plot"], true, false],
  ])("has a plot with %j, on a terminal: %s: %s", async (more, isTerminal, isPlotted) => {
    const { isTTY } = process.stdout;
    process.stdout.isTTY = isTerminal;
    try {
      const { stdout } = await ndvmHere([...args, ...more]);
      expect(stdout.includes("● data")).toBe(isPlotted);
    } finally {
      process.stdout.isTTY = isTTY;
    }
  });
});

test("--quiet takes away warnings and what was written, not the files", async () => {
  told.change = restarts([false], 0);
  // Two parameters that only their sum matters of: a warning.
  const twin = ["fit", "-e", "(+ a c (* b x))", ...args.slice(3), "--out", "q.json"];
  const loud = await ndvmHere(twin);
  expect(loud.stderr).toContain("warning:");
  expect(loud.stderr).toContain("wrote q.json");
  rmSync(join(folder, "q.json"));
  const quiet = await ndvmHere([...twin, "--quiet"]);
  expect([quiet.stderr, existsSync(join(folder, "q.json"))]).toEqual(["", true]);
});
