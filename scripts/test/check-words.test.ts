/** The check of retired words must find them in every kind of name, and leave prose alone. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("../check-words.mjs", import.meta.url));

/** Lines in a file of a package of its own, or of `folder`. */
function check(lines: readonly string[], file = "src/room/file.ts", folder = "packages/some") {
  const root = mkdtempSync(join(tmpdir(), "ndvm-words-"));
  try {
    const path = join(root, folder, file);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, `${lines.join("\n")}\n`);
    return spawnSync(process.execPath, [script, root], { encoding: "utf8" });
  } finally {
    rmSync(root, { recursive: true });
  }
}

const refused = [
  "export class Station {}",
  "const isWhole = true;",
  "const MIX_BYTES = 8;",
  "function openMix() {}",
  "export interface Listing {}",
  "type Inputs = readonly Bound[];",
  "class Queue { readonly #parcels = []; }",
  "const options = { spread: 1 };",
  "const SAID_BOTH = 2;",
];

test("a retired word is refused in every kind of name, with file, line and advice", () => {
  const { status, stderr } = check(refused);
  expect(status).toBe(1);
  const lines = stderr.trim().split("\n");
  expect(lines.map((line) => line.split(": ")[0])).toEqual(
    refused.map((_, i) => `packages/some/src/room/file.ts:${i + 1}`),
  );
  expect(lines[0]).toBe("packages/some/src/room/file.ts:1: Station: say candidate runner");
});

test("files of AssemblyScript and names of files count too", () => {
  const { status, stderr } = check(["const judge: i32 = 1;"], "wasm/walk/mix.ts");
  expect(status).toBe(1);
  expect(stderr.trim().split("\n")).toEqual([
    "packages/some/wasm/walk/mix.ts: mix: say divergence",
    "packages/some/wasm/walk/mix.ts:1: judge: say decide, or verdict",
  ]);
});

test.each([
  ["packages/some", "test/room/file.test.ts"],
  ["evidence", "experiments/file.ts"],
])("in %s/%s too, but for words in their ordinary meaning", (folder, file) => {
  const { status, stderr } = check(
    [
      "const judge = 1;",
      "const whole = 2;",
      "const said = 3;",
      "const spread = 4;",
      "let tally = 5;",
    ],
    file,
    folder,
  );
  expect(status).toBe(1);
  expect(stderr.trim().split("\n")).toEqual([
    `${folder}/${file}:1: judge: say decide, or verdict`,
    `${folder}/${file}:5: tally: say progress`,
  ]);
});

test("prose, and names that merely contain the letters, are fine", () => {
  const { status, stdout, stderr } = check([
    "/** The whole of it, as a judge said of the mix. */",
    'const message = "a whole number";',
    "const fixed = { unbound: 1, bounds: 2, mixture: 3, listing: 4, workstation: 5 };",
    "interface BoundInput { readonly listings: number }",
  ]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/^\d+ names in .*, none of a retired word\n$/);
});
