/**
 * Test projects: core, search and cli in Node, core's API once more in Chromium, workers there with and
 * without shared memory, and the tooling's own tests. No test has a time limit, so all cores may be busy.
 */
import { availableParallelism } from "node:os";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

const unlimited = { testTimeout: 0, hookTimeout: 0 } as const;

const chromium = playwright({
  launchOptions: {
    executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  },
});

/** Pages with these headers are cross-origin isolated: they may share memory with workers. */
const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
} as const;

export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    projects: [
      {
        test: {
          ...unlimited,
          name: "core",
          include: ["packages/core/test/**/*.test.ts"],
          exclude: ["packages/core/test/browser/**"],
        },
      },
      {
        test: {
          ...unlimited,
          name: "browser",
          provide: { isIsolated: false },
          include: ["packages/{core,tables,report,search}/test/browser/**/*.test.ts"],
          globalSetup: ["packages/core/test/browser/node-results.ts"],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: chromium,
            instances: [{ browser: "chromium" }],
          },
        },
      },
      {
        server: { headers: isolation },
        test: {
          ...unlimited,
          name: "isolated",
          provide: { isIsolated: true },
          include: ["packages/{core,search}/test/browser/pool.test.ts"],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: chromium,
            instances: [{ browser: "chromium" }],
          },
        },
      },
      {
        test: {
          ...unlimited,
          name: "report",
          include: ["packages/report/test/**/*.test.ts"],
          exclude: ["packages/report/test/browser/**"],
        },
      },
      {
        test: {
          ...unlimited,
          name: "tables",
          include: ["packages/tables/test/**/*.test.ts"],
          exclude: ["packages/tables/test/browser/**"],
        },
      },
      {
        test: {
          ...unlimited,
          name: "search",
          include: ["packages/search/test/**/*.test.ts"],
          exclude: ["packages/search/test/browser/**"],
        },
      },
      { test: { ...unlimited, name: "tfjs", include: ["packages/tfjs/test/**/*.test.ts"] } },
      {
        test: {
          ...unlimited,
          name: "cluster",
          include: ["packages/cluster/test/**/*.test.ts"],
          globalSetup: ["packages/cluster/test/redis.ts"],
        },
      },
      { test: { ...unlimited, name: "cli", include: ["packages/cli/test/**/*.test.ts"] } },
      { test: { ...unlimited, name: "scripts", include: ["scripts/test/**/*.test.ts"] } },
    ],
  },
});
