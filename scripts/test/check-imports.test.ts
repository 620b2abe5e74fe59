/**
 * The import check must refuse what STYLE.md forbids. Every case is one file with one import,
 * planted in a tree of its own folder; the check runs once over all the wrong ones and once over
 * all the right ones.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("../check-imports.mjs", import.meta.url));

function check(cases: readonly (readonly [file: string, text: string])[]) {
  const root = mkdtempSync(join(tmpdir(), "ndvm-imports-"));
  try {
    mkdirSync(join(root, "packages/cli"), { recursive: true });
    const manifest = { dependencies: { "@ndvm/core": "0.1.0" } };
    writeFileSync(join(root, "packages/cli/package.json"), JSON.stringify(manifest));
    for (const [file, text] of cases) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), `// First line.\n${text}\n`);
    }
    return spawnSync(process.execPath, [script, root], { encoding: "utf8" });
  } finally {
    rmSync(root, { recursive: true });
  }
}

const against = [
  ["packages/core/src/syntax/a.ts", 'import { b } from "../program/b.js";'],
  ["packages/core/src/syntax/b.ts", 'import type { b } from "../machine/types.js";'],
  ["packages/core/src/program/a.ts", 'export { b } from "../fit/b.js";'],
  ["packages/core/src/program/b.ts", 'import { b } from "../index.js";'],
  ["packages/core/src/primitives/a.ts", 'import { b } from "../syntax/b.js";'],
  ["packages/core/src/errors.ts", 'import { b } from "./syntax/b.js";'],
  ["packages/core/src/machine/a.ts", 'const b = await import("lodash");'],
  ["packages/core/src/syntax/c.ts", 'import { readFileSync } from "node:fs";'],
  ["packages/core/src/helpers/a.ts", 'import { b } from "../errors.js";'],
  ["packages/core/wasm/walk/a.ts", 'import { b } from "../../src/syntax/b";'],
  ["packages/core/wasm/walk/b.ts", 'import { b } from "../clients/scheme/walk";'],
  ["packages/core/wasm/tape/a.ts", 'import { b } from "../replay/replay";'],
  ["packages/core/wasm/c.ts", 'import { b } from "./memory/arena";'],
  ["packages/core/wasm/clients/stack/a.ts", 'import { b } from "../scheme/walk";'],
  ["packages/core/wasm/clients/stack/b.ts", 'import { B } from "../../../src/program/cells";'],
  ["packages/core/src/bytecode/a.ts", 'import { b } from "../syntax/read.js";'],
  ["packages/core/src/bytecode/b.ts", 'import { b } from "../program/encode.js";'],
  ["packages/core/src/program/c.ts", 'import { b } from "../bytecode/assemble.js";'],
  ["packages/core/src/syntax/d.ts", 'import { b } from "../bytecode/assemble.js";'],
  ["packages/core/src/machine/b.ts", 'import { b } from "../syntax/expand.js";'],
  ["packages/core/src/machine/c.ts", 'import { b } from "../bytecode/encode.js";'],
  ["packages/core/src/fit/b.ts", 'import { b } from "../syntax/builtins.js";'],
  ["packages/cli/src/a.ts", 'import { b } from "../../core/src/index.js";'],
  ["packages/report/src/a.ts", 'import { readFile } from "node:fs";'],
  ["packages/tables/src/a.ts", 'import { readFile } from "node:fs";'],
  ["packages/cli/src/b.ts", 'import chart from "undeclared-chart";'],
] as const;

test("every import against the flow is refused, with file and line", () => {
  const { status, stderr } = check(against);
  const named = stderr.split("\n").map((line) => line.split(" ")[0]);
  for (const [file] of against) expect(named).toContain(`${file}:2:`);
  expect(status).toBe(1);
});

test("one import against the flow is enough to fail", () => {
  expect(check(against.slice(0, 1)).status).toBe(1);
});

test("imports along the flow are accepted", () => {
  const { status, stderr } = check([
    ["packages/core/src/program/a.ts", 'import { b } from "../syntax/b.js";'],
    ["packages/core/src/machine/languages.ts", 'import { b } from "../bytecode/assemble.js";'],
    ["packages/core/src/bytecode/a.ts", 'import { B } from "../program/layout.js";'],
    ["packages/core/wasm/index.ts", 'import { b } from "./clients/stack/walk";'],
    ["packages/core/wasm/clients/stack/a.ts", 'import { B } from "../../../src/bytecode/codes";'],
    ["packages/core/src/fit/a.ts", 'import { b } from "../machine/b.js";'],
    ["packages/core/src/syntax/a.ts", 'import { b } from "../primitives/b.js";'],
    ["packages/core/src/syntax/b.ts", 'import { b } from "../errors.js";'],
    ["packages/core/src/machine/a.ts", 'const fs = await import("node:fs/promises");'],
    ["packages/core/wasm/walk/a.ts", 'import { b } from "../../src/program/layout";'],
    ["packages/core/wasm/fit/a.ts", 'import { b } from "../replay/replay";'],
    ["packages/core/wasm/linalg/a.ts", 'import { b } from "../generated/ops";'],
    ["packages/cli/src/a.ts", 'import { b } from "@ndvm/core";'],
    ["packages/tables/src/node.ts", 'import { readFile } from "node:fs";'],
  ]);
  expect(stderr).toBe("");
  expect(status).toBe(0);
});

test("imports that go round are refused, inside a room as well", () => {
  const { status, stderr } = check([
    ["packages/core/src/fit/a.ts", 'import { b } from "./b.js";'],
    ["packages/core/src/fit/b.ts", 'export { c } from "./c.js";'],
    ["packages/core/src/fit/c.ts", 'import { a } from "./a.js";'],
    ["packages/core/src/fit/d.ts", 'import { a } from "./a.js";'],
  ]);
  expect(status).toBe(1);
  const files = ["a", "b", "c"].map((name) => `packages/core/src/fit/${name}.ts`);
  expect(stderr).toBe(`imports go round: ${files.join(", ")}\n`);
});

test("files that know each other by type alone are in no circle", () => {
  const { status } = check([
    ["packages/core/src/fit/a.ts", 'import { b } from "./b.js";'],
    ["packages/core/src/fit/b.ts", 'import type { A } from "./a.js";'],
    ["packages/core/src/fit/c.ts", 'import { type A } from "./c.js";'],
  ]);
  expect(status).toBe(0);
});
