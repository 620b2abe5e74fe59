/** Every format in Chromium. */

import { expect, test } from "vitest";
import { readTable } from "../../src/index.js";
import { formatTests } from "../formats.shared.js";

formatTests(async (file) => {
  const response = await fetch(new URL(`../fixtures/${file}`, import.meta.url));
  if (!response.ok) throw new Error(`${file} is not served`);
  return new Uint8Array(await response.arrayBuffer());
});

test("a file that a user chose", async () => {
  expect(navigator.userAgent).toContain("Chrome");
  const file = new File(["t;y\n0,5;1\n1,5;\n"], "chosen.csv");
  const table = await readTable(file, { name: file.name });
  expect([...table.numbers("t")]).toEqual([0.5, 1.5]);
  expect([...table.numbers("y")]).toEqual([1, Number.NaN]);
});
