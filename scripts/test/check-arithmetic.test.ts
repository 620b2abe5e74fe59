/**
 * The check of arithmetic must refuse what engines round in their own ways, and nothing else.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("../check-arithmetic.mjs", import.meta.url));

function check(file: string, text: string) {
  const root = mkdtempSync(join(tmpdir(), "ndvm-arithmetic-"));
  try {
    const path = join(root, "packages/search/src", file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return spawnSync(process.execPath, [script, root], { encoding: "utf8" });
  } finally {
    rmSync(root, { recursive: true });
  }
}

test.each([
  ["Math.exp(1)", "Math.exp"],
  ["Math.log1p(1)", "Math.log1p"],
  ["[1].map(Math.sin)", "Math.sin"],
  ["2 ** x", "**"],
  ["((y) => (y **= 2))(x)", "**="],
  ["((m) => m.exp(1))(Math)", "another name"],
  ["Math['exp'](1)", "another name"],
  ["Math.random()", "Math.random"],
  ["3 ** 2", "**"],
])("%s is refused", (expression, what) => {
  const { status, stderr } = check(
    "evolve/some.ts",
    `const x = 3;\nexport const y = ${expression};`,
  );
  expect(status).toBe(1);
  expect(stderr).toContain("packages/search/src/evolve/some.ts:2: ");
  expect(stderr).toContain(what);
});

test("what is the same everywhere is let through, and so are words and other rooms", () => {
  const good =
    'export const y = Math.sqrt(Math.abs(2 * 3 / 4)) + Math.PI + 2 ** -46; // Math.exp, 3 ** 3\n"**";';
  expect(check("epoch/some.ts", good).status).toBe(0);
  expect(check("../../cli/some.ts", "export const y = Math.exp(1);").status).toBe(0);
  expect(check("choice/some.ts", "export const y = Math.exp(1);").status).toBe(1);
  expect(check("../../core/src/fit/some.ts", "export const y = Math.log(2);").status).toBe(1);
});

test("the project itself passes", () => {
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
