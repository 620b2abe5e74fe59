/**
 * docs/security.md names a test for every promise and a reason for every dependency. Both must be
 * there.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "docs/security.md"), "utf8");
const script = join(root, "scripts/count-dependencies.mjs");

/** Files of tests that a page names. */
const testsOf = (text: string): string[] =>
  [...text.matchAll(/(?:packages|scripts)\/[\w./-]+\.(?:test|shared)\.ts/g)].map(([path]) => path);

const sections = page.split(/^## /m).slice(1);

test("every test that the page names exists", () => {
  const missing = testsOf(page).filter((file) => !existsSync(join(root, file)));
  expect(missing).toEqual([]);
});

test.each(sections.map((text) => [text.split("\n", 1)[0] as string, text]))(
  "each promise in the table of %s names a test",
  (_, text) => {
    const table = /^\| promise .*\n\| --- .*\n((?:\|.*\n)*)/m.exec(text)?.[1] ?? "";
    const rows = table.split("\n").filter((row) => row !== "");
    expect(rows.filter((row) => testsOf(row).length === 0)).toEqual([]);
  },
);

const check = (folder: string) =>
  spawnSync(process.execPath, [script, "--check", folder], { encoding: "utf8" });

function copied(edit: (text: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), "ndvm-security-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "docs"));
  cpSync(join(root, "package-lock.json"), join(folder, "package-lock.json"));
  writeFileSync(join(folder, "docs/security.md"), edit(page));
  return folder;
}

test("the page counts the dependencies and says why each is there", () => {
  const { status, stderr } = check(root);
  expect(stderr).toBe("");
  expect(status).toBe(0);
});

test("a number that is out of date is refused", () => {
  const { status, stderr } = check(copied((text) => text.replace(/`ndvm` \| \d+/, "`ndvm` | 99")));
  expect(stderr).toContain("docs/security.md lacks the row");
  expect(status).toBe(1);
});

test("a dependency without a reason is refused", () => {
  const { status, stderr } = check(copied((text) => text.replace(/^\| `libsql` .*\n/m, "")));
  expect(stderr).toBe("docs/security.md does not say why libsql is there\n");
  expect(status).toBe(1);
});

test("a package that runs a script when it is installed was not told of", () => {
  const { status, stderr } = check(copied((text) => text.replaceAll("`msgpackr-extract`", "it")));
  const line =
    "docs/security.md does not say that msgpackr-extract runs a script when it is installed";
  // Two of our packages bring it.
  expect(stderr).toBe(`${line}\n${line}\n`);
  expect(status).toBe(1);
});
