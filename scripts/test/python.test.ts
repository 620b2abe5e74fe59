/**
 * The Python package as people install it: bundle, wheel, a fresh environment that knows the system's
 * packages, `pip install` without an index, and the package's own tests.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { ensurePython } from "../ensure-python.mjs";

const root = resolve(import.meta.dirname, "../..");
const { python, missing } = ensurePython();

describe.skipIf(python === undefined)(
  python === undefined ? `the Python package [not run: ${missing}]` : "the Python package",
  () => {
    test("passes its tests from its wheel in a fresh environment", () => {
      const folder = mkdtempSync(join(tmpdir(), "ndvm-python-"));
      const run = (file: string, ...args: string[]) =>
        execFileSync(file, args, {
          cwd: folder,
          encoding: "utf8",
          stdio: ["ignore", "pipe", "pipe"],
        });
      try {
        execFileSync(process.execPath, [join(root, "python/scripts/bundle.mjs")]);
        const pip = ["-m", "pip", "--disable-pip-version-check", "--quiet"];
        const source = join(root, "python");
        const how = ["--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", folder];
        run(python as string, ...pip, "wheel", ...how, source);
        const [wheel = ""] = readdirSync(folder).filter((name) => name.endsWith(".whl"));
        expect(wheel).toMatch(/^ndvm-.*-py3-none-any\.whl$/);
        run(python as string, "-m", "venv", "--system-site-packages", "env");
        const inside = join(folder, "env/bin/python");
        run(inside, ...pip, "install", "--no-index", "--no-deps", wheel);
        const tests = spawnSync(
          inside,
          ["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", join(root, "python/tests")],
          { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] },
        );
        process.stdout.write(tests.stdout);
        expect(tests.stdout.slice(-4000)).toMatch(/\d+ passed/);
        expect(tests.status).toBe(0);
      } finally {
        rmSync(folder, { recursive: true, force: true });
        rmSync(join(root, "python/build"), { recursive: true, force: true });
      }
    });
  },
);
