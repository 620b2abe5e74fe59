/** Limits, names and words of tables at the places where they change. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NdvmError } from "@ndvm/core";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { nearNumber } from "../src/cells.js";
import { dateText, inUnit, parseDate } from "../src/dates.js";
import { delimiterOf } from "../src/delimited.js";
import { readTable } from "../src/index.js";
import { unpackLz4 } from "../src/lz4.js";
import { readTableFile } from "../src/node.js";
import { formatOf } from "../src/read.js";
import { allBytes, openSource } from "../src/source.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`edges: SEED=${seed}`);

const DAY = 86_400_000;
const csv = (text: string, more = {}) => readTable(text, { name: "t.csv", ...more });
const factsOf = (reading: Promise<unknown>) =>
  reading.then(
    () => "it was read",
    ({ facts }: NdvmError) => facts,
  );

describe("dates", () => {
  test("are the days, hours and zones that they say", () => {
    const date = fc.record({
      time: fc.integer({ min: -60_000 * DAY, max: 60_000 * DAY }),
      zone: fc.integer({ min: -14 * 60, max: 14 * 60 }),
      form: fc.constantFrom("date", "dots", "slashes", "minutes", "seconds", "parts"),
    });
    fc.assert(
      fc.property(date, ({ time, zone, form }) => {
        const iso = new Date(time).toISOString();
        const day = Math.floor(time / DAY) * DAY;
        const [y = "", m = "", d = ""] = iso.slice(iso.startsWith("-") ? 1 : 0, 10).split("-");
        if (form === "date") expect(parseDate(`${y}-${m}-${d}`)).toBe(day);
        if (form === "slashes") expect(parseDate(`${y}/${Number(m)}/${Number(d)}`)).toBe(day);
        if (form === "dots") expect(parseDate(`${Number(d)}.${Number(m)}.${y}`)).toBe(day);
        const sign = zone < 0 ? "-" : "+";
        const two = (n: number): string => String(n).padStart(2, "0");
        const offset = `${sign}${two(Math.floor(Math.abs(zone) / 60))}:${two(Math.abs(zone) % 60)}`;
        const away = zone * 60_000;
        const clock = iso.slice(11, 23);
        const whole = (unit: number): number => Math.floor(time / unit) * unit;
        if (form === "minutes")
          expect(parseDate(`${y}-${m}-${d} ${clock.slice(0, 5)}${offset}`)).toBe(
            whole(60_000) - away,
          );
        if (form === "seconds")
          expect(parseDate(`${y}-${m}-${d}T${clock.slice(0, 8)}Z`)).toBe(whole(1000));
        if (form === "parts")
          expect(parseDate(`${y}-${m}-${d}T${clock}${offset.replace(":", "")}`)).toBeCloseTo(
            time - away,
            3,
          );
      }),
      { seed, numRuns: 300 },
    );
  });

  test.each([
    ["2024-02-29", true],
    ["2023-02-29", false],
    ["2024-00-10", false],
    ["2024-1-1", true],
    ["24-01-01", false],
    ["2024-01/01", false],
    ["2024-01-01T24:00", true],
    ["2024-01-01T24:00:00.000", true],
    ["2024-01-01T24:00:00.001", false],
    ["2024-01-01T24:00:01", false],
    ["2024-01-01T24:01", false],
    ["2024-01-01T24:30", false],
    ["2024-01-01T23:59:60", true],
    ["2024-01-01T23:59:60.9", true],
    ["2024-01-01T99:00", false],
    ["2024-01-01T10:00+23:59", true],
    ["2024-01-01T10:00+24:00", false],
    ["2024-01-01T10:00-02:60", false],
    ["2024-01-01T25:00", false],
    ["2024-01-01T10:59", true],
    ["2024-01-01T10:60", false],
    ["2024-01-01T10:00:60", true],
    ["2024-01-01T10:00:61", false],
    ["2024-01-01T10", false],
    ["2024-01-01T10:00+02", true],
    ["2024-01-01T10:00 UTC", true],
    ["2024-01-01x", false],
    ["1.1.2024", true],
    ["x2024-01-01", false],
  ])("%s is one: %s", (text, isDate) => {
    expect(parseDate(text) !== undefined).toBe(isDate);
  });

  test("in every unit come back as their text", () => {
    const time = Date.UTC(2024, 2, 1, 6);
    for (const [unit, value] of [
      ["milliseconds", time],
      ["seconds", time / 1e3],
      ["minutes", time / 6e4],
      ["hours", time / 36e5],
      ["days", time / DAY],
      ["years", time / (365.25 * DAY)],
    ] as const) {
      expect(inUnit(time, unit)).toBe(value);
      expect(dateText(value, unit)).toBe("2024-03-01T06:00:00.000Z");
    }
    expect(dateText(19783, "days")).toBe("2024-03-01");
    expect(dateText(1e300, "days")).toBe("1e+300");
  });
});

describe("cells", () => {
  test.each([
    ["a\tb;c\td", "\t"],
    ["a;b;c,d", ";"],
    ['"a,b,c";d', ";"],
    ["a|b", "|"],
    ["a,b;c", ";"],
    ["alone", ","],
  ])("of %j are parted by %j", (line, mark) => {
    expect(delimiterOf(line)).toBe(mark);
  });

  test("decimal commas count where they are asked for, or semicolons part cells", async () => {
    expect([...(await csv("x\ty\n1,5\t2\n")).texts("x")]).toEqual(["1,5"]);
    const asked = await csv("x\ty\n1,5\t2\n-,5e1\t3\n", { decimal: "," });
    expect([...asked.numbers("x")]).toEqual([1.5, -5]);
    const refused = await csv("x;y\n1,5;2\n", { decimal: "." });
    expect(refused.isNumeric("x")).toBe(false);
    const missing = await csv("x;y\n1,5;2\n3;4\n", { missing: ["1.5"] });
    expect([...missing.numbers("x")]).toEqual([Number.NaN, 3]);
  });

  test("missing numbers are missing however they are written, also in long columns", async () => {
    const text = `x\n${"1\n".repeat(1100)}-999\n-999.0\n-9.99e2\n7\n`;
    const read = await csv(text, { missing: [" -999 "] });
    expect([...read.numbers("x").slice(1100)]).toEqual([
      ...[Number.NaN, Number.NaN, Number.NaN, 7],
    ]);
    const json = await readTable('[{"x": -999}, {"x": 1}]', { missing: ["-999"] });
    expect([...json.numbers("x")]).toEqual([Number.NaN, 1]);
  });

  test.each([
    ["2024.3.1", "write dates as"],
    ["\u22125", "its minus is a dash"],
    ["1'000", "write numbers as 1234.5"],
    ["1 000", "write numbers as 1234.5"],
    ["5 kg", "leave out units"],
    ["5%", "leave out units"],
    ["word", undefined],
    ["x5", undefined],
  ])("%j: help is %j", (text, help) => {
    const found = nearNumber(text);
    if (help === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(help);
  });
});

describe("columns that change their kind", () => {
  const many = (cell: string, count: number): string => `${cell}\n`.repeat(count);

  test.each([1023, 1024, 1025, 2000])(
    "after %s numbers: the texts that are left",
    async (count) => {
      const read = await csv(`x\n${many("01", count)}end\n02\n\n2024-03-01\nx\n`);
      const first = count <= 1024 ? "01" : "1";
      expect(read.texts("x")).toEqual([
        ...Array<string>(count).fill(first),
        ...["end", "02", "", "2024-03-01", "x"],
      ]);
      expect(() => read.numbers("x")).toThrow(`row ${count + 1} (line ${count + 2})`);
      expect(() => read.numbers("x")).toThrow("nor is 1 more");
    },
  );

  test("after many dates: written anew as dates, a missing one as nothing", async () => {
    const read = await csv(`x,y\n${many("2024-03-01T06:00,1", 1030)},2\n2024-03-02,3\n5,4\n`);
    expect(read.texts("x").slice(-3)).toEqual(["", "2024-03-02", "5"]);
    expect(read.texts("x")[0]).toBe("2024-03-01T06:00:00.000Z");
    expect(() => read.numbers("x")).toThrow("is not a date, as the cells above it are");
    const away = await csv("x\n2024-03-01\n", { dates: "words" });
    expect(away.texts("x")).toEqual(["2024-03-01"]);
  });

  test("texts that are asked for are kept to the end, others never", async () => {
    const text = `x,y\n${many("01,02", 1100)}`;
    const read = await csv(text, { texts: new Set(["x"]) });
    expect(read.texts("x").at(-1)).toBe("01");
    expect(read.texts("y").at(-1)).toBe("2");
    expect(read.columns.get("x")?.length).toBe(1100);
  });

  test("words that come again, short, long and many, are themselves", async () => {
    const words = Array.from({ length: 5000 }, (_, row) => `${"w".repeat(row % 17)}${row % 4500}`);
    const read = await csv(`x\n${words.map((word) => `q${word}`).join("\n")}\n`);
    expect(read.texts("x")).toEqual(words.map((word) => `q${word}`));
    expect(() => read.numbers("x")).toThrow("nor are 4999 more of its cells");
    expect(await factsOf(Promise.resolve().then(() => read.numbers("x")))).toMatchObject({
      ...{ reason: "words", rows: [0], rowsMore: 4999 },
    });
  });
});

describe("sizes", () => {
  test("a table may take exactly as many bytes as it may", async () => {
    const rows = 65_536;
    const text = `x,y\n${"1,2\n".repeat(rows)}`;
    expect((await csv(text, { bytesMax: rows * 16 })).rowCount).toBe(rows);
    expect(await factsOf(csv(text, { bytesMax: rows * 16 - 1 }))).toMatchObject({
      ...{ reason: "size", limit: rows * 16 - 1, value: rows * 16 },
    });
  });

  test("a file is read whole where it is exactly as long as it may be", async () => {
    const bytes = new Uint8Array(700).map((_, at) => at);
    async function* pieces() {
      for (let at = 0; at < 700; at += 100) yield bytes.subarray(at, at + 100);
    }
    for (const source of [
      () => bytes,
      () => bytes.buffer,
      () => pieces(),
      () => new Blob([bytes]),
    ]) {
      const opened = await openSource(source());
      expect(opened.head).toEqual(bytes.slice(0, 512));
      expect(await allBytes("t", opened, 700)).toEqual(bytes);
      const again = await openSource(source());
      await expect(allBytes("t", again, 699)).rejects.toMatchObject({
        facts: { reason: "size", limit: 699, value: 700 },
      });
    }
    expect((await openSource(bytes.subarray(0, 511))).head).toHaveLength(511);
  });

  test("formats are told by their first bytes, then by the name, then by how text begins", () => {
    const of = (name: string, text: string) => formatOf(name, new TextEncoder().encode(text));
    expect(of("a.csv", "PAR1....")).toBe("parquet");
    expect(of("a.parquet", "x,y")).toBe("delimited");
    expect(of("A.JSON", "x")).toBe("json");
    expect([of("a.jsonl", "x"), of("a.ndjson", "x")]).toEqual(["json-lines", "json-lines"]);
    expect([of("t", ' [{"x"'), of("t", "[]"), of("t", '{"x": 1}')]).toEqual(Array(3).fill("json"));
    expect(of("t", '{"x": 1}\n {"x"')).toBe("json-lines");
    expect([of("t", "[x"), of("t", "x,y")]).toEqual(["delimited", "delimited"]);
    expect(of("v1.2/t", '[{"x"')).toBe("json");
  });
});

describe("tables", () => {
  test("name rows as people count them, eight at most", async () => {
    const read = await csv(`x\n${"1\n".repeat(20)}`);
    const rows = (count: number) => Array.from({ length: count }, (_, row) => row);
    expect(read.rowsInWords([4])).toBe("row 5 (line 6)");
    expect(read.rowsInWords([4], 1)).toBe("rows 5 and 1 more (lines 6, …)");
    expect(read.rowsInWords(rows(8))).toMatch(/^rows 1, 2, .* 8 \(lines 2, .* 9\)$/);
    expect(read.rowsInWords(rows(9))).toMatch(/^rows 1, .*, 8 and 1 more \(lines 2, .*, 9, …\)$/);
    const json = await readTable('[{"x": 1}, {"x": 2}]');
    expect(json.rowsInWords([1])).toBe("row 2");
  });

  test("name their columns, twelve at most, and the nearest", async () => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`).join(",");
    const of = async (count: number) => csv(`${names(count)}\n${"1,".repeat(count - 1)}1\n`);
    expect((await of(12)).someNames()).toBe(names(12).replaceAll(",", ", "));
    expect((await of(13)).someNames()).toBe(`${names(12).replaceAll(",", ", ")}, …`);
    const read = await csv("height,w\n1,2\n");
    expect(() => read.numbers("heigth", " to predict")).toThrow(
      "t.csv: there is no column heigth to predict",
    );
    expect([read.has("w"), read.has("v")]).toEqual([true, false]);
  });

  test("columns get new names, each once, and all must be there", async () => {
    const renamed = new Map([["a", "x"]]);
    const read = await csv("x,y\n1,2\n", { renamed, texts: new Set(["a"]) });
    expect([...read.names]).toEqual(["a", "y"]);
    expect(read.texts("a")).toEqual(["1"]);
    expect(await factsOf(csv("x,a\n1,2\n", { renamed }))).toMatchObject({ reason: "twice" });
    expect(await factsOf(csv("q\n1\n", { renamed }))).toMatchObject({
      column: "x",
      reason: "column",
    });
  });

  test("integers that a number cannot hold are words, and objects their JSON", async () => {
    const { readTable: read } = await import("../src/index.js");
    const table = await read('[{"x": {"a": [1]}, "y": 9007199254740991, "z": true}]');
    expect(table.texts("x")).toEqual(['{"a":[1]}']);
    expect([table.numbers("y")[0], table.numbers("z")[0]]).toEqual([9007199254740991, 1]);
  });

  test("JSON that is no table says what it is instead", async () => {
    const of = (text: string, format = "json" as const) => factsOf(readTable(text, { format }));
    expect(await of("[1]")).toMatchObject({ reason: "foreign", rows: [0], actual: "1" });
    expect(await of("[]")).toEqual({ reason: "foreign", expected: "json" });
    expect(await of("{}")).toEqual({ reason: "foreign", expected: "json" });
    expect(await of('{"x": [1], "y": 2}')).toEqual({ reason: "foreign", column: "y" });
    expect(await of('{"x": [1], "y": [1, 2]}')).toEqual({
      ...{ reason: "ragged", column: "y", limit: 1, value: 2 },
    });
    expect(await of("{")).toEqual({ reason: "foreign", expected: "json" });
    const lines = await factsOf(readTable('{"x": 1}\n\n[2]', { format: "json-lines" }));
    expect(lines).toMatchObject({ reason: "foreign", rows: [1] });
    const broken = await factsOf(readTable('{"x": 1}\n{', { format: "json-lines" }));
    expect(broken).toMatchObject({ value: 2 });
  });

  test("a head may be optional, in a comment, or have a number among its words", async () => {
    expect((await csv("a,5\n1,2\n")).names).toEqual(["a", "5"]);
    expect((await csv("a,5\n1,2\n", { head: "optional" })).rowCount).toBe(2);
    expect((await csv("# x,y,z\n1,2\n", { head: "optional" })).names).toEqual([
      "column1",
      "column2",
    ]);
    expect(await factsOf(csv("# x\n1\n"))).toEqual({ reason: "head", value: 2 });
    await expect(csv("\n# x,y\n1,2\n3\n")).rejects.toThrow("line 4 has 1 cell, line 2 has 2");
    await expect(csv("\nx,y\n1,2\n3,4,5\n")).rejects.toThrow("line 4 has 3 cells, line 2 has 2");
    const named = await csv("#  x ; y \n1;2\n3;4\n");
    expect(named.names).toEqual(["x", "y"]);
    expect([...named.numbers("y")]).toEqual([2, 4]);
  });

  test("lines of blanks are no rows, except between those of one column", async () => {
    for (const blank of ["", " ", "\t", "   "]) {
      const two = await csv(`${blank}\na,b\n${blank}\n1,2\n${blank}\n 3,4\n${blank}\n${blank}\n`);
      expect([...two.numbers("a")], JSON.stringify(blank)).toEqual([1, 3]);
      expect([...two.rowNumbers]).toEqual([4, 6]);
      const one = await csv(`a\n${blank}\n1\n${blank}\n${blank}\n 3\n${blank}\n${blank}`);
      expect([...one.numbers("a")], JSON.stringify(blank)).toEqual([
        Number.NaN,
        1,
        Number.NaN,
        Number.NaN,
        3,
      ]);
      expect([...one.rowNumbers]).toEqual([2, 3, 4, 5, 6]);
    }
  });
});

describe("LZ4", () => {
  /** Packs by a list of steps, and what they stand for. */
  function packed(
    steps: readonly (readonly [literals: readonly number[], back: number, length: number])[],
  ) {
    const output: number[] = [];
    const block: number[] = [];
    const more = (count: number): number[] => {
      const bytes: number[] = [];
      let left = count - 15;
      for (; left >= 255; left -= 255) bytes.push(255);
      return [...bytes, left];
    };
    for (const [at, [literals, back, length]] of steps.entries()) {
      const isLast = at === steps.length - 1;
      const offset = Math.min(back, output.length + literals.length);
      const match = isLast || offset === 0 ? 0 : length;
      const low = match === 0 ? 0 : Math.min(15, match - 4);
      block.push((Math.min(15, literals.length) << 4) | low);
      if (literals.length >= 15) block.push(...more(literals.length));
      block.push(...literals);
      output.push(...literals);
      if (match === 0) return { block, output };
      block.push(offset & 255, offset >> 8);
      if (match - 4 >= 15) block.push(...more(match - 4));
      for (let i = 0; i < match; i++) output.push(output[output.length - offset] as number);
    }
    return { block, output };
  }
  const word = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255);
  const frame = (
    flags: number,
    blocks: readonly (readonly [bytes: readonly number[], isPacked: boolean])[],
  ) =>
    Uint8Array.from([
      ...word(0x184d2204),
      ...[0x40 | flags, 0x70],
      ...((flags & 8) === 0 ? [] : Array<number>(8).fill(9)),
      7,
      ...blocks.flatMap(([bytes, isPacked]) => [
        ...word(isPacked ? bytes.length : (bytes.length | 0x80000000) >>> 0),
        ...bytes,
        ...((flags & 16) === 0 ? [] : [1, 2, 3, 4]),
      ]),
      ...word(0),
    ]);
  const steps = fc.array(
    fc.tuple(
      fc.oneof(
        fc.array(fc.nat(255), { minLength: 1, maxLength: 20 }),
        fc.array(fc.nat(255), { minLength: 268, maxLength: 290 }),
      ),
      fc.integer({ min: 1, max: 600 }),
      fc.oneof(fc.integer({ min: 4, max: 25 }), fc.integer({ min: 270, max: 560 })),
    ),
    { minLength: 1, maxLength: 5 },
  );

  test("frames unpack to what was packed, with every flag, packed blocks and plain ones", () => {
    fc.assert(
      fc.property(steps, fc.constantFrom(0, 8, 16, 24), (list, flags) => {
        const { block, output } = packed(list);
        const plain = [1, 2, 3];
        const bytes = frame(flags, [
          [plain, false],
          [block, true],
        ]);
        // The second block's matches reach back into the first only as far as they say.
        const whole = [...plain, ...output];
        expect([...unpackLz4(bytes, whole.length)]).toEqual(whole);
        const inside = new Uint8Array(bytes.length + 5);
        inside.set(bytes, 5);
        expect([...unpackLz4(inside.subarray(5), whole.length)]).toEqual(whole);
        expect(() => unpackLz4(bytes, whole.length + 1)).toThrow();
        expect(() => unpackLz4(bytes, whole.length - 1)).toThrow();
        for (const short of [1, 4, 6])
          expect(() => unpackLz4(bytes.subarray(0, bytes.length - short), whole.length)).toThrow(
            (flags & 16) !== 0 && short < 6 ? Error : "an LZ4 block is cut off",
          );
      }),
      { seed },
    );
  });

  test("what cannot be is refused", () => {
    expect(() => unpackLz4(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), 1)).toThrow("not an LZ4 frame");
    expect(() => unpackLz4(frame(1, []), 0)).toThrow("dictionary");
    expect(() => unpackLz4(frame(0, [[[0x10, 65, 0, 0], true]]), 9)).toThrow("out of range");
    expect(() => unpackLz4(frame(0, [[[0x10, 65, 2, 0], true]]), 9)).toThrow("out of range");
    expect(() => unpackLz4(frame(0, [[[0x10, 65, 1, 0], true]]), 4)).toThrow("out of range");
    expect([...unpackLz4(frame(0, [[[0x10, 65, 1, 0], true]]), 5)]).toEqual(Array(5).fill(65));
    expect(() => unpackLz4(frame(0, [[[0x30, 65], true]]), 3)).toThrow("literals are cut off");
  });
});

test("Node's buffers share their memory with others, and read as other bytes do", async () => {
  for (const file of ["polars-groups.parquet", "polars-lz4.arrow", "openpyxl.xlsx"]) {
    const bytes = readFileSync(new URL(`fixtures/${file}`, import.meta.url));
    const shared = Buffer.alloc(bytes.length + 24, 7);
    shared.set(bytes, 11);
    const part = shared.subarray(11, 11 + bytes.length);
    const plain = await readTable(new Uint8Array(bytes));
    expect((await readTable(part)).columns).toEqual(plain.columns);
    expect((await readTable(new Blob([part]))).columns).toEqual(plain.columns);
  }
  expect([...(await readTable(Buffer.from("x\n1\n2\n"))).numbers("x")]).toEqual([1, 2]);
});

describe("files", () => {
  const folder = mkdtempSync(join(tmpdir(), "ndvm-tables-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("are read, and what cannot be read says why", async () => {
    const file = join(folder, "a.csv");
    writeFileSync(file, "x\n1\n2\n");
    expect([...(await readTableFile(file)).numbers("x")]).toEqual([1, 2]);
    expect((await readTableFile(file, { name: "mine" })).name).toBe("mine");
    await expect(readTableFile(join(folder, "b.csv"))).rejects.toThrow("there is no such file");
    for (const packed of ["polars-groups.parquet", "openpyxl.xlsx"]) {
      const path = fileURLToPath(new URL(`fixtures/${packed}`, import.meta.url));
      const bytes = new Uint8Array(readFileSync(path));
      expect((await readTableFile(path)).columns).toEqual((await readTable(bytes)).columns);
      await expect(readTableFile(path, { bytesMax: 9 })).rejects.toMatchObject({
        facts: { reason: "size", limit: 9 },
      });
    }
    await expect(readTableFile(folder)).rejects.toThrow("it is a folder");
    await expect(readTableFile(join(file, "c"))).rejects.toThrow("there is no such folder");
  });
});
