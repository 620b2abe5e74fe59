/** Test projects: core and cli in Node, and the tooling's own tests. No test has a time limit. */
import { defineConfig } from "vitest/config";

const node = { environment: "node", testTimeout: 0, hookTimeout: 0 } as const;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...node,
          name: "core",
          include: ["packages/core/test/**/*.test.ts"],
          exclude: ["packages/core/test/browser/**"],
        },
      },
      { test: { ...node, name: "cli", include: ["packages/cli/test/**/*.test.ts"] } },
      { test: { ...node, name: "scripts", include: ["scripts/test/**/*.test.ts"] } },
    ],
  },
});
