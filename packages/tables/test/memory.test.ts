/**
 * Reading a long table takes at most twice the bytes of its columns, above what the process had.
 * CI reads few rows, where the heap of JavaScript itself still counts; `npm run long -- tables` reads
 * 10⁷ and allows nothing for it.
 */

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const { TABLE_ROWS = "400000" } = process.env;
const HEAP_BYTES = Number(TABLE_ROWS) >= 10_000_000 ? 0 : 96 * 2 ** 20;
const script = fileURLToPath(new URL("../scripts/memory.mjs", import.meta.url));

test.each([1, 4])("%s columns", (columns) => {
  const text = execFileSync(process.execPath, [script, TABLE_ROWS, String(columns)], {
    encoding: "utf8",
  });
  console.info(text.trimEnd());
  const { rows, bytes, grown } = JSON.parse(text) as Record<string, number>;
  expect(rows).toBe(Number(TABLE_ROWS));
  // Numbers of eight bytes, and the number of each row in four.
  expect(bytes).toBe(Number(TABLE_ROWS) * (8 * columns + 4));
  expect(grown).toBeLessThanOrEqual(2 * (bytes as number) + HEAP_BYTES);
});

test("a column of few rows takes little: each had room for 256 numbers", () => {
  const text = execFileSync(process.execPath, [script, "2", "100000"], { encoding: "utf8" });
  console.info(text.trimEnd());
  const { grown } = JSON.parse(text) as Record<string, number>;
  expect(grown).toBeLessThan(290_000_000);
});
