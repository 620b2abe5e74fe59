/** Every command reads every format of tables by the same rules. */

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { ndvmHere } from "./here.js";
import { folder, writeFile } from "./run.js";

const fixtures = fileURLToPath(new URL("../../tables/test/fixtures/", import.meta.url));

beforeAll(() => {
  for (const file of ["polars-zstd.parquet", "polars-lz4.arrow", "openpyxl.xlsx"]) {
    copyFileSync(join(fixtures, file), join(folder, file));
  }
  const rows = Array.from({ length: 60 }, (_, row) => `${row / 4};${row - 30}`.replace(".", ","));
  writeFile("comma.csv", `t;small\n${rows.join("\n")}\n`);
  const lines = Array.from({ length: 60 }, (_, row) => ({ t: row / 4, small: row - 30 }));
  writeFile("lines.jsonl", lines.map((line) => JSON.stringify(line)).join("\n"));
});

const TABLES = ["polars-zstd.parquet", "polars-lz4.arrow", "comma.csv", "lines.jsonl"];

interface Fitted {
  readonly best: { readonly params: Readonly<Record<string, number>> };
}

test.each(TABLES)("fit reads %s", async (file) => {
  const args = ["fit", "-e", "(+ a (* b t))", "--data", file, "--target", "small", "--json"];
  const { code, stdout, stderr } = await ndvmHere([...args, "--quiet"]);
  expect([code, stderr]).toEqual([0, ""]);
  const { a, b } = (JSON.parse(stdout) as Fitted).best.params;
  expect(a).toBeCloseTo(-30, 8);
  expect(b).toBeCloseTo(4, 8);
});

test.each(TABLES)("eval reads columns of %s", async (file) => {
  const args = ["eval", "-e", "(* 2 x)", "--set", `x=@${file}:small`, "--format", "csv"];
  const { code, stdout } = await ndvmHere(args);
  expect(code).toBe(0);
  expect(stdout.trim().split("\n").at(-1)).toMatch(/58$/);
});

test.each(["polars-zstd.parquet", "comma.csv"])("search reads %s", async (file) => {
  const args = ["search", "--data", file, "--target", "small", "--inputs", "t", "--json"];
  const { code, stdout, stderr } = await ndvmHere([
    ...args,
    "--candidates",
    "200",
    "--seed",
    "1",
    "--quiet",
  ]);
  expect(code, stderr).toBe(0);
  const last = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as { best: { r2: number } };
  expect(last.best.r2).toBeGreaterThan(0.99);
});

test("workbooks: sheets, dates in a unit, and a sheet that is not there", async () => {
  const book = ["fit", "-e", "(+ a (* b day))", "--data", "openpyxl.xlsx", "--target", "t"];
  const days = await ndvmHere([...book, "--json"]);
  expect((JSON.parse(days.stdout) as Fitted).best.params["b"]).toBeCloseTo(0.25, 6);
  const hours = await ndvmHere([...book, "--json", "--dates", "hours", "--sheet", "Messung"]);
  expect((JSON.parse(hours.stdout) as Fitted).best.params["b"]).toBeCloseTo(0.25 / 24, 6);
  const { code, stderr } = await ndvmHere([...book, "--sheet", "mine"]);
  expect(code).toBe(1);
  expect(stderr.trimEnd()).toBe(
    "error E-FILE: openpyxl.xlsx: there is no sheet mine\n" +
      "  help: its sheets are Messung, other: --sheet Messung",
  );
});

test("a missing value is one in every command", async () => {
  writeFile("gaps.csv", "t,y\n0,1\n1,missing\n2,5\n");
  const evaluated = await ndvmHere(["eval", "-e", "(* 1 y)", "--set", "y=@gaps.csv:y"]);
  expect(evaluated.stdout).toMatch(/NaN/i);
  const args = ["fit", "-e", "(+ a (* b t))", "--data", "gaps.csv", "--target", "y"];
  expect((await ndvmHere(args)).stdout).toContain("2 of 3 rows");
});
