/** The format check of AssemblyScript, on a tree of one file. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("../format-assemblyscript.mjs", import.meta.url));

function run(text: string, ...options: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), "ndvm-asc-"));
  const folder = join(root, "packages/core/wasm/walk");
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "a.ts"), text);
    const args = [script, root, ...options];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    return { status, stderr, text: readFileSync(join(folder, "a.ts"), "utf8") };
  } finally {
    rmSync(root, { recursive: true });
  }
}

const GOOD = `// @ts-ignore: decorator
@inline export function half(x: f64): f64 {
  return max(1.0 / 3.0, x * 0.50);
}
`;

test("decorators and numbers with a point stay what they are", () => {
  expect(run(GOOD, "--check")).toEqual({ status: 0, stderr: "", text: GOOD });
  const crowded = GOOD.replace("max(1.0 / 3.0, x * 0.50)", "max(1.0/3.0,x*0.50)");
  expect(run(crowded)).toEqual({ status: 0, stderr: "", text: GOOD });
});

test("a check names a file that is not formatted, and leaves it alone", () => {
  const crowded = GOOD.replace("x * 0.50", "x*0.50");
  const { status, stderr, text } = run(crowded, "--check");
  expect(status).toBe(1);
  expect(stderr).toContain("packages/core/wasm/walk/a.ts is not formatted");
  expect(text).toBe(crowded);
});

test("a comment of more than 100 columns is refused with its line", () => {
  const { status, stderr } = run(`/** ${"x".repeat(100)} */\n${GOOD}`, "--check");
  expect(status).toBe(1);
  expect(stderr).toContain("packages/core/wasm/walk/a.ts:1: 107 columns");
});
