/**
 * Runs the test suites and ends with one plain line, `N passed, N failed`. Extra arguments go to
 * vitest: `npm run vitest -- packages/core/test/reader.test.ts`.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureChromium } from "./ensure-chromium.mjs";
import { ensurePython } from "./ensure-python.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const results = join(root, ".vitest", "results.json");
const vitest = join(
  dirname(createRequire(import.meta.url).resolve("vitest/package.json")),
  "vitest.mjs",
);

const asked = process.argv.slice(2);
const chromium = ensureChromium();
// Several suites need Python. If each installed it, those that ran earlier would be skipped, and two at once are refused.
if (asked.length === 0) {
  const { missing } = ensurePython();
  if (missing !== undefined) console.error(`Tests that need Python are skipped: ${missing}`);
}
rmSync(results, { force: true });
const { status } = spawnSync(
  process.execPath,
  [
    vitest,
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${results}`,
    ...asked,
  ],
  { cwd: root, stdio: "inherit", env: { ...process.env, CHROMIUM_PATH: chromium } },
);

process.exitCode = status ?? 1;
try {
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(
    readFileSync(results, "utf8"),
  );
  const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : "";
  console.log(`${numPassedTests} passed, ${numFailedTests} failed${skipped}`);
} catch {
  console.error("vitest left no results: it ended before the tests ran");
  process.exitCode = 1;
}
