/**
 * Packed formats: values of every type as they were written, and what a file says of its own size is
 * never believed beyond the limit.
 */

import { readFileSync } from "node:fs";
import {
  bool,
  type DataType,
  dateDay,
  dictionary,
  float32,
  float64,
  int8,
  int64,
  TimeUnit,
  tableFromArrays,
  tableToIPC,
  timestamp,
  uint16,
  utf8,
} from "@uwdata/flechette";
import { describe, expect, test } from "vitest";
import { readTable } from "../src/index.js";

const fixture = (file: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`fixtures/${file}`, import.meta.url)));
const arrow = (values: readonly unknown[], type: DataType, format: "file" | "stream" = "file") =>
  tableToIPC(tableFromArrays({ v: [...values] }, { types: { v: type } }), {
    format,
  }) as Uint8Array;

const DAY = 86_400_000;
const days = [19_783, -3, null, 19_783, 0];
const dates = days.map((day) => (day === null ? null : new Date(day * DAY)));
const numbers = [1, -2, null, 1, 7];
const words = ["a", "01", null, "a", ""];

describe.each(["file", "stream"] as const)("an Arrow %s", (format) => {
  test.each<[string, readonly unknown[], DataType]>([
    ["int8", numbers, int8()],
    ["float32", numbers, float32()],
    ["float64", numbers, float64()],
    ["int64", numbers.map((n) => (n === null ? null : BigInt(n))), int64()],
    ["dictionary of uint16", numbers.map((n) => n && Math.abs(n)), dictionary(uint16())],
  ])("of %s has its numbers", async (_, values, type) => {
    const table = await readTable(arrow(values, type, format));
    expect([...table.numbers("v")]).toEqual(
      values.map((value) => (value === null ? Number.NaN : Number(value))),
    );
    expect(table.units.size).toBe(0);
  });

  test.each<[string, DataType]>([
    ["days", dateDay()],
    ["dictionary of days", dictionary(dateDay())],
    ["seconds", timestamp(TimeUnit.SECOND)],
    ["milliseconds", timestamp(TimeUnit.MILLISECOND)],
    ["microseconds", timestamp(TimeUnit.MICROSECOND)],
    ["nanoseconds", timestamp(TimeUnit.NANOSECOND)],
    ["dictionary of microseconds", dictionary(timestamp(TimeUnit.MICROSECOND))],
  ])("of %s has its dates", async (_, type) => {
    const table = await readTable(arrow(dates, type, format));
    expect([...table.numbers("v")]).toEqual(days.map((day) => day ?? Number.NaN));
    expect(table.units.get("v")).toBe("days since 1970-01-01");
    const asWords = await readTable(arrow(dates, type, format), { dates: "words" });
    expect(asWords.texts("v")).toEqual(dates.map((date) => date?.toISOString().slice(0, 10) ?? ""));
  });

  test("of texts, of truth and of integers beyond numbers", async () => {
    for (const type of [utf8(), dictionary(utf8())])
      expect((await readTable(arrow(words, type, format))).texts("v")).toEqual(
        words.map((word) => word ?? ""),
      );
    const truth = await readTable(arrow([true, null, false], bool(), format));
    expect([...truth.numbers("v")]).toEqual([1, Number.NaN, 0]);
    const large = [2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n)];
    const table = await readTable(arrow(large, int64(), format));
    expect(table.texts("v")).toEqual(large.map(String));
    expect(() => table.numbers("v")).toThrow("row 2");
  });
});

describe("limits of packed files", () => {
  const refusal = (limit: number, value: number) => ({ facts: { reason: "size", limit, value } });

  test("columns count as the numbers they become, however short they are written", async () => {
    const rows = 5000;
    const bytes = arrow(Array<number>(rows).fill(3), int8());
    expect(bytes.length).toBeLessThan(rows * 8);
    expect((await readTable(bytes, { bytesMax: rows * 8 })).rowCount).toBe(rows);
    await expect(readTable(bytes, { bytesMax: rows * 8 - 1 })).rejects.toMatchObject(
      refusal(rows * 8 - 1, rows * 8),
    );
  });

  test.each([
    ["polars-lz4.arrow", [0x04, 0x22, 0x4d, 0x18]],
    ["polars-zstd.arrow", [0x28, 0xb5, 0x2f, 0xfd]],
  ])(
    "%s: the length before a packed part is held to the limit, and must be true",
    async (file, magic) => {
      const bytes = fixture(file);
      const at = bytes.findIndex((_, index) => magic.every((byte, i) => bytes[index + i] === byte));
      expect(at).toBeGreaterThan(8);
      const view = new DataView(bytes.buffer);
      const length = Number(view.getBigInt64(at - 8, true));
      const limit = bytes.length + length + 100_000;
      const say = (said: number) => {
        view.setBigInt64(at - 8, BigInt(said), true);
        return readTable(bytes, { bytesMax: limit });
      };
      expect((await say(length)).rowCount).toBeGreaterThan(0);
      await expect(say(limit + 1)).rejects.toMatchObject(refusal(limit, limit + 1));
      for (const wrong of [length + 1, length - 1, limit])
        await expect(say(wrong)).rejects.toMatchObject({ facts: { reason: "foreign" } });
    },
  );
});

test.each([
  ["polars-zstd.parquet", 14, "t"],
  ["polars-uncompressed.parquet", 1011, "count"],
  ["polars-groups.parquet", 144, "price"],
])(
  "%s: a page that says another number of values (byte %i) is no table",
  async (file, at, column) => {
    const bytes = fixture(file);
    for (const more of [1, -1]) {
      const damaged = bytes.with(at, (bytes[at] as number) + more);
      await expect(readTable(damaged, { name: file })).rejects.toMatchObject({
        message: `${file}: column ${column} is cut off in the group of rows from row 1`,
        facts: { reason: "foreign", expected: "parquet", column, rows: [0] },
      });
    }
  },
);

/** A source of the caller's own, whose methods need the object that they belong to. */
class OwnSource {
  readonly size: number;
  readonly asked: [number, number][] = [];
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.size = bytes.length;
  }

  async *stream() {
    yield this.#bytes;
  }

  async slice(start: number, end: number): Promise<Uint8Array> {
    this.asked.push([start, end]);
    return this.#bytes.slice(start, end);
  }
}

test.each(["polars-groups.parquet", "polars-lz4.arrow", "openpyxl.xlsx"])(
  "%s is read in parts from an object of the caller's",
  async (file) => {
    const bytes = fixture(file);
    const source = new OwnSource(bytes);
    const table = await readTable(source, { name: file });
    const whole = await readTable(bytes, { name: file });
    expect([...table.columns]).toEqual([...whole.columns]);
    expect(source.asked.length).toBeGreaterThan(0);
    for (const [start, end] of source.asked)
      expect(start >= 0 && start <= end && end <= source.size).toBe(true);
  },
);

test("Parquet keeps parts of a millisecond", async () => {
  const bytes = fixture("polars-groups.parquet");
  const table = await readTable(bytes);
  const view = new DataView(bytes.buffer);
  const columns = [...table.units.keys()];
  const kept = new Set<number>();
  for (const column of columns) {
    const day = table.numbers(column).find((value) => value > 0) as number;
    for (const perMillisecond of [1000, 1_000_000]) {
      const stored = BigInt(Math.round(day * DAY)) * BigInt(perMillisecond);
      for (let at = 0; at + 8 <= bytes.length; at++) {
        if (view.getBigInt64(at, true) !== stored) continue;
        view.setBigInt64(at, stored + 250n, true);
        const moved = (await readTable(bytes, { dates: "milliseconds" })).numbers(column);
        view.setBigInt64(at, stored, true);
        const wanted = Math.round(day * DAY) + 250 / perMillisecond;
        if (moved.some((value) => Math.abs(value - wanted) < 1e-4)) kept.add(perMillisecond);
      }
    }
  }
  expect([...kept].sort()).toEqual([1000, 1_000_000]);
});
