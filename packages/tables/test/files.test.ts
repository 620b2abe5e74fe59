/** Files are read whole or in parts, and closed again, however the reading ends. */

import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  type ReadStream,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { readTable } from "../src/index.js";
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

/** Streams of files that were opened. */
const streams: ReadStream[] = [];
vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  return {
    ...real,
    createReadStream: (...given: Parameters<typeof real.createReadStream>) => {
      const stream = real.createReadStream(...given);
      streams.push(stream);
      return stream;
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
beforeEach(() => {
  handles.splice(0);
  streams.splice(0);
});

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

const long = (start: string): Uint8Array => {
  const bytes = new Uint8Array(2 ** 20);
  bytes.set(new TextEncoder().encode(start));
  return bytes;
};

test.each([
  ["read in parts", "PAR1", "not a readable Parquet file"],
  ["of a format that is refused", "FEA1", "Feather of version 1"],
])("the stream of a long file %s stayed open", async (_, start, message) => {
  writeFileSync(path("long"), long(start));
  await expect(readTableFile(path("long"))).rejects.toThrow(message);
  expect(streams.map((stream) => stream.destroyed)).toEqual([true]);
});

test("a stream stayed locked where its format is refused", async () => {
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(long("FEA1")),
    cancel: () => {
      isCancelled = true;
    },
  });
  await expect(readTable(stream)).rejects.toMatchObject({ facts: { reason: "foreign" } });
  expect([stream.locked, isCancelled]).toEqual([false, true]);
});

test("a source of the caller's is ended once, whether its format is known or not", async () => {
  for (const [start, isRead] of [
    ["x\n1\n", true],
    ["FEA1", false],
  ] as const) {
    let ends = 0;
    let isGiven = false;
    const iterator = {
      next: async () => {
        const done = isGiven;
        isGiven = true;
        return { done, value: new TextEncoder().encode(start.padEnd(600, "\n")) };
      },
      return: async () => {
        ends += 1;
        return { done: true, value: undefined };
      },
    };
    const reading = readTable({ [Symbol.asyncIterator]: () => iterator as never });
    expect(await reading.then(({ rowCount }) => rowCount === 1).catch(() => false)).toBe(isRead);
    expect(ends).toBe(1);
  }
});
