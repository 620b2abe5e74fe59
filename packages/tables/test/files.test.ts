/** Files are read whole or in parts, and closed again, however the reading ends. */

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { readTableFile } from "../src/node.js";

/** Files that were opened and closed, in order. */
const handles: string[] = [];
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  return {
    ...real,
    open: async (...given: Parameters<typeof real.open>) => {
      const handle = await real.open(...given);
      handles.push("opened");
      const close = handle.close.bind(handle);
      handle.close = () => {
        handles.push("closed");
        return close();
      };
      return handle;
    },
  };
});

const folder = mkdtempSync(join(tmpdir(), "ndvm-tables-"));
const path = (name: string): string => join(folder, name);
const fixture = (name: string): string => {
  copyFileSync(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)), path(name));
  return path(name);
};
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => void handles.splice(0));

test.each(["polars-groups.parquet", "polars-zstd.arrow", "openpyxl.xlsx"])(
  "%s is closed after it was read",
  async (name) => {
    expect((await readTableFile(fixture(name))).rowCount).toBeGreaterThan(0);
    expect(handles).toEqual(["opened", "closed"]);
  },
);

test("a file that is no table, or a folder, is closed too", async () => {
  writeFileSync(path("t.csv"), "a,b\n1,2\n");
  expect((await readTableFile(path("t.csv"))).rowCount).toBe(1);
  writeFileSync(path("odd.csv"), "a,b\n1,2,3\n");
  await expect(readTableFile(path("odd.csv"))).rejects.toThrow("line 2 has 3 cells");
  writeFileSync(path("odd.parquet"), "PAR1 and no more");
  await expect(readTableFile(path("odd.parquet"))).rejects.toThrow("not a readable Parquet file");
  mkdirSync(path("inner"));
  await expect(readTableFile(path("inner"))).rejects.toThrow("it is a folder");
  expect(handles).toEqual(Array.from({ length: 4 }, () => ["opened", "closed"]).flat());
  await expect(readTableFile(path("none.csv"))).rejects.toThrow("there is no such file");
  expect(handles).toHaveLength(8);
});
