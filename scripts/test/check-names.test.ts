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
declare const table: { readonly lm: number; readonly adam: number };
declare const unknown: ReturnType<typeof JSON.parse>;
declare const prefixed: \`p\${string}\`;
declare const capitals: Uppercase<string>;
declare let other: Record<string, number>;
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
  "export const a = Object.hasOwn(record, name) ? 0 : record[name];",
  "export const a = !Object.hasOwn(record, name) ? record[name] : 0;",
  "export const a = Object.hasOwn(record, name) || record[name];",
  "export const a = !Object.hasOwn(record, name) && record[name];",
  "export const a = (Object.hasOwn(record, name) || numbers) && record[name];",
  "export const a = Object.hasOwn(record, kind) && record[name];",
  "export const { [name]: a } = record;",
  "export const a = { [name]() {} };",
  "export const a = { get [name]() { return 1; } };",
  "export const a = record[prefixed];",
  "export const a = record[capitals];",
  "export const a = record[name as 'lm'];",
  "export const a = table[name as 'lm'];",
  "export const a = table[name as keyof typeof table];",
  "export const a = unknown[name];",
  "export const a = record[unknown];",
  "export const a = (<R extends Record<string, number>>(r: R) => r[name])(record);",
  "export const a = (<R extends Record<string, number>, N extends keyof R>(r: R, n: N & string) => r[n]);",
  "export const a = record[name as string & { readonly brand: 1 }];",
  "export const a = Reflect.get(record, name);",
  "export const a = Reflect.has(record, name);",
  "export const a = Reflect.set(record, name, 1);",
  "export const a = Object.assign({}, record);",
  "export const a = record.hasOwnProperty(name);",
  "export const a = record.propertyIsEnumerable(name);",
  "let a = emptyRecord<number>(); a = record; a[name] = 1;",
  "export class A { made = emptyRecord<number>(); get = () => this.made[name]; }",
  "if (Object.hasOwn(record, name)) other = record; else other[name] = record[name] as number;",
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
  "export const a = !Object.hasOwn(record, name) ? 0 : record[name];",
  "export const a = !Object.hasOwn(record, name) || record[name] === 1;",
  "export const a = kind === 'lm' && Object.hasOwn(record, name) && record[name];",
  "export const a = !(kind === 'lm' || !Object.hasOwn(record, name)) && (record[name] as number);",
  "export const a = Object.hasOwn(table, name) && table[name as 'lm'];",
  "export const a = Object.hasOwn(record, name) ? Reflect.get(record, name) : 0;",
  "if (kind === 'lm' && Object.hasOwn(record, name)) numbers.push(record[name] as number);",
  "export const { [kind]: a } = table;",
  "export const { lm: a } = table;",
  "export const a = Object.assign({}, { lm: 1 });",
  "export const a = Object.assign([...numbers], { count: 1 });",
  "const a = emptyRecord<number>(); export const b = Object.assign(a, record);",
  "export class A { readonly made = emptyRecord<number>(); get = () => this.made[name]; }",
  "export class A { [kind]() { return 1; } }",
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
