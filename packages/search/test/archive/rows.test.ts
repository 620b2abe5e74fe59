/** Rows on their way to a file, against the plain way: their checksums, and rows in bundles of any size. */

import { beforeEach, expect, test, vi } from "vitest";
import { crcByTable } from "../../src/archive/checksum.js";
import { addSettled, type Rows } from "../../src/archive/epoch-rows.js";
import { RowPacker, unpackRows } from "../../src/archive/rows.js";
import { BULK_TABLES, COLUMNS } from "../../src/archive/schema.js";
import type { SettledEpoch } from "../../src/engine/journal.js";
import { emptyResult } from "../../src/pipeline/task.js";

type Value = number | string | Uint8Array | null;

function plainSum(table: string, values: readonly Value[]): number {
  const parts = values.map((value) => {
    if (value === null) return Buffer.of(0);
    if (typeof value === "number")
      return Buffer.concat([Buffer.of(1), Buffer.from(Float64Array.of(value).buffer)]);
    const bytes = Buffer.from(value as string);
    return Buffer.concat([Buffer.of(2), Buffer.from(Uint32Array.of(bytes.length).buffer), bytes]);
  });
  return crcByTable(Buffer.concat([Buffer.from(`${table}\0`), ...parts]), 0);
}

beforeEach(() => {
  vi.resetModules();
});

test.each([
  ["a number", 7.5],
  ["nothing", null],
  ["a text", "é"],
  ["an empty text", ""],
  ["a text as bytes", Buffer.from("a")],
] as [string, Value][])(
  "a row whose buffer ends in front of, in or behind %s has its checksum",
  async (_, last) => {
    // A buffer of its own: it has 65,536 bytes and grows with the first row that is larger.
    const { checksumOf } = await import("../../src/archive/checksum.js");
    for (let length = 2 ** 16 - 24; length <= 2 ** 16 + 2; length++) {
      const row = [Buffer.alloc(length, 97), last];
      expect(checksumOf("events", row), `${length}`).toBe(plainSum("events", row));
    }
  },
);

test.each([0, 1, 2, 5, 100, 1024])(
  "%d rows are unpacked as they were, in bundles of any size",
  (count) => {
    const packer = new RowPacker();
    const columns = COLUMNS.failures;
    for (let time = 0; time < 2; time++) {
      const rows = Array.from({ length: count }, (_, row) =>
        columns.map(({ isText }, column) => {
          if ((row + column) % 7 === 0) return null;
          return isText ? `t${time}.${row}.${column}` : row * 100 + column;
        }),
      );
      for (const row of rows)
        for (const [column, value] of row.entries())
          if (columns[column]?.isText) packer.text(value as string | null);
          else packer.number(value === null ? Number.NaN : (value as number));
      const packed = packer.empty();
      for (const atOnce of [1, 3, 64]) {
        const taken: unknown[] = [];
        const total = unpackRows("failures", packed, atOnce, (values, rowCount) => {
          expect(rowCount).toBeGreaterThan(0);
          expect(values).toHaveLength(rowCount * (columns.length + 1));
          for (let at = 0; at < values.length; at += columns.length + 1)
            taken.push(values.slice(at, at + columns.length + 1));
        });
        expect(total).toBe(count);
        expect(taken).toEqual(rows.map((row) => [...row, plainSum("failures", row)]));
      }
    }
  },
);

test("a zero has no sign in a row or in its checksum, and what SQLite does not know is nothing", () => {
  const packer = new RowPacker();
  const given = [-0, Number.NaN, Infinity, -Infinity, -5e-324];
  const kept = [0, null, null, null, -5e-324];
  const numeric = COLUMNS.failures.map(({ isText }) => !isText);
  for (let row = 0; row < given.length; row++)
    for (const [column, isNumber] of numeric.entries())
      if (isNumber) packer.number(given[(row + column) % given.length] as number);
      else packer.text("t");
  const rows = given.map((_, row) =>
    numeric.map((isNumber, column) => (isNumber ? kept[(row + column) % kept.length] : "t")),
  ) as Value[][];
  const taken: Value[] = [];
  unpackRows("failures", packer.empty(), 2, (values) => taken.push(...(values as Value[])));
  expect(taken).toEqual(rows.flatMap((row) => [...row, plainSum("failures", row)]));
});

test("times of an epoch are added up for each rung and worker, every one of them", () => {
  const rows = Object.fromEntries(BULK_TABLES.map((table) => [table, new RowPacker()]));
  const result = (rung: number, worker: number, unit: number) => ({
    ...emptyResult({ visit: 0, rung }),
    worker,
    timing: { screen: unit, walk: 2 * unit, replay: 3 * unit, fit: 4 * unit, score: 5 * unit },
  });
  const visits = [
    [result(0, 2, 1), result(1, 2, 10)],
    [result(0, 2, 100)],
    [result(0, 3, 1000)],
  ].map((results, visit) => ({
    ...{ visit, id: visit, isNews: true },
    arrival: {
      ...{ source: "x", origin: "said", parents: [], starts: null, isRevisit: false },
      ...{ skeleton: "x", high: 1, low: visit, complexity: 1, results },
    },
  }));
  const settled = {
    ...{ round: 7, slot: 8, proposer: "p", firstVisit: 0, fitsMost: 9, seconds: 0.5, visits },
    outcomes: visits.map(({ visit, id }) => ({ visit, id, status: "scored", fits: 1 })),
    ...{ front: { members: [] }, frontBefore: [] },
  };
  addSettled(rows as unknown as Rows, settled as unknown as SettledEpoch, "all", new Map());
  const { numbers } = rows["timings"]?.empty() ?? { numbers: [] };
  const times = (unit: number) => [unit, 2 * unit, 3 * unit, 4 * unit, 5 * unit, 0.5];
  expect([...numbers]).toEqual([
    ...[7, 8, 0, 2, 2, ...times(101)],
    ...[7, 8, 1, 2, 1, ...times(10)],
    ...[7, 8, 0, 3, 1, ...times(1000)],
  ]);
});
