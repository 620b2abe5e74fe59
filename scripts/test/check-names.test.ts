/**
 * The check of names must refuse every way in which a name can meet a prototype, and nothing else.
 * Every case is one file, planted in a tree of its own.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("../check-names.mjs", import.meta.url));

const HEAD = `
declare const record: Record<string, number>;
declare const maybe: { readonly params?: Readonly<Record<string, number>> };
declare const name: string;
declare const kind: "lm" | "adam";
declare const numbers: number[];
declare function emptyRecord<T>(): Record<string, T>;
declare function recordOf<T>(entries: Iterable<readonly [string, T]>): Record<string, T>;
declare function own<T>(record: Record<string, T>, name: string): T | undefined;
`;

function check(cases: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), "ndvm-names-"));
  try {
    for (const [at, text] of cases.entries()) {
      const file = join(root, `packages/some/src/case-${at}.ts`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${text}\n${HEAD}\nexport {};\n`);
    }
    return spawnSync(process.execPath, [script, root], { encoding: "utf8" });
  } finally {
    rmSync(root, { recursive: true });
  }
}

const wrong = [
  "export const a = record[name];",
  "export const a = maybe.params?.[name];",
  "export const a = record[`$" + "{name}`];",
  "record[name] = 1;",
  "const a: Record<string, number> = {}; a[name] = 1;",
  "const a: Record<string, number> = {}; a[name] ??= 1;",
  "export const a = name in record;",
  "export const a = { [name]: 1 };",
  "export const a = Object.fromEntries([[name, 1]]);",
  "export const a = (<N extends string>(n: N) => record[n])(name);",
  "export const a = Object.hasOwn(record, kind) ? record[name] : 0;",
];

const right = [
  "export const a = own(record, name);",
  'export const a = record["constructor"];',
  "export const a = { lm: 1, adam: 2 }[kind];",
  "export const a = numbers[0];",
  "export const a = Object.hasOwn(record, name) ? record[name] : undefined;",
  "const a = emptyRecord<number>(); a[name] = 1;",
  "const a: Record<string, number> = Object.create(null); a[name] = 1;",
  "const a = recordOf([[name, 1]]); a[name] = 2;",
  'export const a = "params" in maybe;',
  "export const a = { [kind]: 1 };",
];

test("every name that may meet a prototype is refused, with file and line", () => {
  const { status, stderr } = check(wrong);
  const named = new Set(stderr.split("\n").map((line) => line.split(" ")[0]));
  for (const at of wrong.keys()) expect(named).toContain(`packages/some/src/case-${at}.ts:1:`);
  expect(status).toBe(1);
});

test("one is enough to fail", () => {
  expect(check(wrong.slice(0, 1)).status).toBe(1);
});

test("names that meet none are accepted", () => {
  const { status, stderr, stdout } = check(right);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^\d+ look-ups in /);
  expect(status).toBe(0);
});
