/** `npm start`: the tour runs, shows the model, numbers that are right, and two plots. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as ndvmPackage from "../src/index.js";
import { repository } from "./run.js";

const start = fileURLToPath(new URL("../dist/start.js", import.meta.url));

test("the tour shows the model, its gradients, plots and what to try next", () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [start, "examples/damped-oscillator.scm"],
    { cwd: repository, encoding: "utf8" },
  );
  expect(stderr).toBe("");
  expect(stdout).toContain("(exp (- (* k t)))");
  expect(stdout).toMatch(/^ 0 +1 +1 +0 +0$/m);
  expect(stdout).toContain("value over t");
  expect(stdout).toContain("d value / d k over t");
  expect(stdout).toContain("npx ndvm grad");
  expect(status).toBe(0);
});

test("the package ndvm re-exports core", async () => {
  const core = await import("@ndvm/core");
  expect(Object.keys(ndvmPackage).sort()).toEqual(Object.keys(core).sort());
});
