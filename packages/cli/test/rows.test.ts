/**
 * Which rows of a table are taken, held out and left out: against a reader of rows that is written a
 * second time, plainly, over random tables with missing cells.
 */

import { readTable, type Table } from "@ndvm/tables";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseRows, type RowsWanted, textColumns } from "../src/fit/rows.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`rows: SEED=${seed}`);

/** A row: NaN and "" are missing. */
interface Row {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly g: string;
  readonly part: string;
}

const number = fc.oneof(fc.integer({ min: -2, max: 3 }), fc.constant(Number.NaN));
const rowOf = fc.record({
  ...{ x: number, y: number, z: number },
  g: fc.constantFrom("a", "b", "2", ""),
  part: fc.constantFrom("train", "Test", "hold-out", "yes", "no", ""),
});

const text = (value: number | string): string =>
  typeof value === "number" ? (Number.isNaN(value) ? "" : String(value)) : value;

async function tableOf(rows: readonly Row[], wanted: Partial<RowsWanted>): Promise<Table> {
  const names = ["x", "y", "z", "g", "part"] as const;
  const lines = rows.map((row) => names.map((name) => text(row[name])).join(","));
  const texts = textColumns(wanted.where ?? [], wanted.holdOut, wanted.groups);
  return readTable(`${names.join(",")}\n${lines.join("\n")}\n`, {
    ...{ name: "t.csv", texts: new Set([...texts, "g", "part"]) },
  });
}

interface Test {
  readonly text: string;
  readonly holds: (row: Row) => boolean;
  /** Columns that the test reads: a row without one of them is left out as missing. */
  readonly reads?: readonly (keyof Row)[];
}
const TESTS: readonly Test[] = [
  { text: "(> x 0)", holds: ({ x }) => x > 0, reads: ["x"] },
  { text: "(not (> x 0))", holds: ({ x }) => !(x > 0), reads: ["x"] },
  {
    text: " (and (<= x y) (< z 3))",
    holds: ({ x, y, z }) => x <= y && z < 3,
    reads: ["x", "y", "z"],
  },
  { text: "g=a", holds: ({ g }) => g === "a", reads: ["g"] },
  { text: "g != a", holds: ({ g }) => g !== "a", reads: ["g"] },
  { text: "g=2.0", holds: ({ g }) => g === "2", reads: ["g"] },
  { text: "x=1", holds: ({ x }) => x === 1, reads: ["x"] },
  { text: "x=0", holds: ({ x }) => x === 0, reads: ["x"] },
  { text: "x != 0.0", holds: ({ x }) => x !== 0, reads: ["x"] },
  { text: "x!=1.0", holds: ({ x }) => x !== 1, reads: ["x"] },
  { text: "g=", holds: ({ g }) => g === "" },
];
const HELD: readonly {
  readonly text: string;
  readonly holds: (row: Row, at: number) => boolean;
  readonly reads?: readonly (keyof Row)[];
}[] = [
  { text: "(< y 1)", holds: ({ y }) => y < 1, reads: ["y"] },
  { text: "z", holds: ({ z }) => z !== 0 && !Number.isNaN(z) },
  { text: "part", holds: ({ part }) => ["Test", "hold-out", "yes"].includes(part) },
  { text: "2..4", holds: (_, at) => at >= 1 && at <= 3 },
  { text: "3..", holds: (_, at) => at >= 2 },
  { text: "..3", holds: (_, at) => at <= 2 },
];

const wantedOf = fc.record({
  numbers: fc.subarray(["x", "y", "z"] as const),
  groups: fc.constantFrom(undefined, "g"),
  tests: fc.subarray([...TESTS], { maxLength: 2 }),
  held: fc.constantFrom(undefined, ...HELD),
});

describe("rows", () => {
  test("are those that pass every test, miss nothing that is used, and are held out or not", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(rowOf, { minLength: 1, maxLength: 14 }),
        wantedOf,
        async (rows, given) => {
          const { numbers, groups, tests, held } = given;
          // A column must be of numbers for someone, or it is one of nothing.
          const all: Row[] = [...rows, { x: 1, y: 1, z: 1, g: "a", part: "no" }];
          const wanted: RowsWanted = {
            ...{ numbers, groups, where: tests.map((each) => each.text), holdOut: held?.text },
            ...{ missing: "omit", seed: 3 },
          };
          const isMissing = (row: Row, name: keyof Row) =>
            row[name] === "" || Number.isNaN(row[name]);
          const passed = all.map((row) =>
            tests.every(
              ({ holds, reads = [] }) => reads.some((name) => isMissing(row, name)) || holds(row),
            ),
          );
          const used = new Set<keyof Row>([
            ...numbers,
            ...tests.flatMap(({ reads = [] }) => reads),
            ...(held?.reads ?? []),
          ]);
          const isWhole = (row: Row) =>
            [...used].every((name) => !isMissing(row, name)) &&
            (groups === undefined || row.g !== "");
          const kept = all.map((row, at) => passed[at] === true && isWhole(row));
          const isHeld = all.map((row, at) => held?.holds(row, at) === true);
          const pick = (which: (at: number) => boolean) =>
            all.flatMap((_, at) => (which(at) ? [at] : []));
          const wantedHeld = pick((at) => kept[at] === true && isHeld[at] === true);
          const wantedTaken = pick((at) => kept[at] === true && isHeld[at] === false);
          const choosing = chooseRows(await tableOf(all, wanted), wanted);
          if (held !== undefined && (wantedHeld.length === 0 || wantedTaken.length === 0)) {
            const which = wantedHeld.length === 0 ? "no row" : "every row";
            const count = wantedHeld.length + wantedTaken.length;
            await expect(choosing).rejects.toThrow(`holds out ${which} of ${count}`);
            return;
          }
          const found = await choosing;
          expect([...found.taken]).toEqual(wantedTaken);
          expect([...found.heldOut]).toEqual(wantedHeld);
          expect(found.filtered).toBe(passed.filter((is) => !is).length);
          expect(found.missing).toBe(passed.filter((is, at) => is && kept[at] === false).length);
        },
      ),
      { seed, numRuns: 150 },
    );
  });

  test("a word that is missing is neither equal nor unequal: g!=a kept it, g=a called it filtered", async () => {
    const rows: Row[] = ["a", "", "b"].map((g) => ({ x: 1, y: 1, z: 1, g, part: "" }));
    for (const [where, taken] of [
      ["g=a", [0]],
      ["g!=a", [2]],
      ["g=", [1]],
      ["g!=", [0, 2]],
    ] as const) {
      const wanted: RowsWanted = {
        ...{ numbers: ["x"], groups: undefined, where: [where], holdOut: undefined },
        ...{ missing: "omit", seed: 1 },
      };
      const found = await chooseRows(await tableOf(rows, wanted), wanted);
      expect([...found.taken]).toEqual(taken);
      expect(found.missing).toBe(where.endsWith("=") ? 0 : 1);
    }
  });

  test("a share is of the rows that are left, drawn by the seed, one at least", async () => {
    const rows = Array.from({ length: 40 }, (_, at): Row => {
      return { x: at % 4 === 0 ? Number.NaN : at, y: at, z: 0, g: "a", part: "" };
    });
    const of = async (holdOut: string, seedOf = 1) => {
      const wanted: RowsWanted = {
        ...{ numbers: ["x"], groups: undefined, where: ["(< y 32)"], holdOut },
        ...{ missing: "omit", seed: seedOf },
      };
      return chooseRows(await tableOf(rows, wanted), wanted);
    };
    for (const [share, count] of [
      ["0.25", 6],
      ["25%", 6],
      ["0.02", 1],
      ["0.98", 23.52],
    ] as const) {
      const choosing = of(share);
      if (share === "0.98") {
        await expect(choosing).rejects.toThrow("holds out every row of 24");
        continue;
      }
      const { taken, heldOut, missing, filtered } = await choosing;
      expect([heldOut.length, taken.length, missing, filtered]).toEqual([count, 24 - count, 8, 8]);
      expect([...taken, ...heldOut].sort((a, b) => a - b)).toEqual(
        Array.from({ length: 32 }, (_, at) => at).filter((at) => at % 4 !== 0),
      );
    }
    expect((await of("0.25")).heldOut).toEqual((await of("0.25")).heldOut);
    expect((await of("0.25", 2)).heldOut).not.toEqual((await of("0.25")).heldOut);
    for (const share of ["0", "1", "100%", "-0.5"])
      await expect(of(share)).rejects.toThrow("a share between 0 and 1");
  });

  test("with a missing value are named where none may be", async () => {
    const rows: Row[] = [1, 2, 3].map((at) => ({
      x: at,
      y: at,
      z: at === 2 ? NaN : 1,
      g: "a",
      part: "",
    }));
    const of = async (change: Partial<RowsWanted>) => {
      const wanted: RowsWanted = {
        ...{ numbers: ["x", "z"], groups: undefined, where: [], holdOut: undefined },
        ...{ missing: "error", seed: 1 },
        ...change,
      };
      return chooseRows(await tableOf(rows, wanted), wanted);
    };
    await expect(of({})).rejects.toThrow("t.csv: column z has no value in row 2 (line 3)");
    expect((await of({ numbers: ["x"] })).taken).toHaveLength(3);
    expect((await of({ where: ["(> x 2)"] })).taken).toHaveLength(1);
    // Also where only a test reads it.
    for (const test of ["(> z -9)", "(not (> z -9))", "z=1", "z!=7"])
      await expect(of({ where: [test], numbers: ["x"] })).rejects.toThrow("column z has no value");
  });

  test("need texts of the columns that words are compared with, and of no others", () => {
    const of = (where: readonly string[], holdOut?: string, groups?: string) =>
      [...textColumns(where, holdOut, groups)].sort();
    expect(of(["(> x 2)", "cell = a", "other!=b"], "0.25", "g")).toEqual([
      "0.25",
      "cell",
      "g",
      "other",
    ]);
    expect(of(["(= x 2)"], "(> x 2)")).toEqual([]);
    expect(of([], " part ")).toEqual(["part"]);
  });
});
