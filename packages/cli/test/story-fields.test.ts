/**
 * What the page of a study is told: every field is the archive's own, under its own name. The archive is one of
 * the test's own, in which no two things are alike.
 */

import { memberFormula } from "@ndvm/report";
import { type Archive, type FrontMember, whyChosen } from "@ndvm/search";
import { expect, test } from "vitest";
import { storyOf } from "../src/search/study-story.js";

const member = (id: number, length: number, more: object = {}): FrontMember =>
  ({
    ...{
      id,
      visit: 10 + id,
      source: `(* a${" x".repeat(id + 1)})`,
      params: { a: 2 },
      intervals: {},
    },
    ...{ complexity: 3 + id, r2: 0.5 + id / 10, trainR2: 0.9, loss: 5 - id, bic: 1, score: 0.25 },
    ...{ length, parts: { data: 1, constants: 2, symbols: 3, gaps: 0 }, isWeighed: true },
    ...{ simple: [], undetermined: [], hidden: 0, ...more },
  }) as unknown as FrontMember;

const failed = (id: number, code: string, message: string) => ({
  ...{ id, source: `(bad ${id})`, failure: { code, message, stage: "fit" } },
});

interface World {
  readonly study?: object;
  readonly front?: readonly FrontMember[];
  readonly failures?: Readonly<Record<string, number>>;
  readonly outcomes?: readonly object[];
}

const y = [1, 2, 3, 4, 5, 6];
const limits = { stepsMax: 1e6, memoryMax: 2 ** 31, tapeBytesMax: 2 ** 28 };
const STUDY = {
  ...{ target: "y", inputs: ["x"], domain: "clamp", limits, operators: ["+", "*"], seed: 7 },
  ...{ precision: "f64", train: { x: [0, 1, 2, 3, 4, 5], y }, heldOut: { x: [6, 7], y: [7, 8.5] } },
};

/** An archive that counts how far its outcomes are read. */
function archiveOf({
  study,
  front = [member(0, 30), member(1, 20)],
  failures = {},
  outcomes = [],
}: World) {
  const read: object[] = [];
  const asked: unknown[] = [];
  const summary = { visits: 11, fits: 12, seconds: 13, duplicates: 14, failed: 15, failures };
  const archive = {
    file: "the.db",
    study: () => ({ ...STUDY, ...study }),
    front: () => front,
    summary: () => summary,
    *outcomes() {
      for (const one of outcomes) {
        read.push(one);
        yield one;
      }
    },
    discoveries: () => [{ seconds: 1, fits: 2, r2: 3 }],
    throughput: () => [{ second: 4, visits: 5 }],
    timings: () => ({ screen: 6, walk: 7, replay: 8, fit: 9, score: 10, fitShare: 11 }),
    lineage: (id: number) => {
      asked.push(id);
      return [{ id, source: "lineage" }];
    },
    runs: () => [{ run: 1 }, { run: 2 }],
  };
  return { archive: archive as unknown as Archive, read, asked, summary };
}

test("every field is what the archive says of it", () => {
  const { archive, asked, summary } = archiveOf({});
  const front = archive.front();
  const story = storyOf(archive);
  const { train, heldOut, options, warnings, why, ...others } = story;
  expect(others).toEqual({
    ...{ file: "the.db", target: "y", inputs: ["x"], domain: "clamp", limits },
    ...{ front, chosen: front[1], counts: summary, failures: [] },
    ...{ discoveries: archive.discoveries(), throughput: archive.throughput() },
    ...{
      timings: archive.timings(),
      lineage: [{ id: 1, source: "lineage" }],
      runs: archive.runs(),
    },
  });
  expect(asked[0]).toBe(1);
  expect(why).toBe(whyChosen(front, (each) => memberFormula(each, story)));
  // Columns are numbers that can be drawn, each part's own.
  expect(train).toEqual({ x: Float64Array.of(0, 1, 2, 3, 4, 5), y: Float64Array.from(y) });
  expect(heldOut).toEqual({ x: Float64Array.of(6, 7), y: Float64Array.of(7, 8.5) });
  // What is told as options is the study without its rows.
  const { train: _, heldOut: __, ...plain } = STUDY;
  expect(options).toEqual(plain);
  expect(warnings[0]).toContain("2");
});

test("a study without a domain is one of IEEE, without limits of the usual ones", () => {
  const story = storyOf(archiveOf({ study: { domain: undefined, limits: undefined } }).archive);
  expect([story.domain, story.limits]).toEqual(["ieee", undefined]);
});

test("a study without a front has no choice, no ancestors and no reason", () => {
  const { archive, asked } = archiveOf({ front: [] });
  const { front, chosen, lineage, why } = storyOf(archive);
  expect([front, chosen, lineage, why, asked]).toEqual([[], undefined, [], undefined, []]);
});

test("warnings are of the rows held out first, then of the choice", () => {
  const warningsOf = (world: World) => storyOf(archiveOf(world).archive).warnings;
  const few = { heldOut: { x: [6], y: [7] } };
  const rows = Array.from({ length: 40 }, (_, i) => i);
  const many = { heldOut: { x: rows, y: rows.map((row) => row + (row % 3)) } };
  const doubtful = [member(1, 20, { undetermined: ["a", "b"], r2: 1 })];
  expect(warningsOf({ study: many, front: [member(1, 20, { r2: 1 })] })).toEqual([]);
  const [alone, ...none] = warningsOf({ study: few, front: [] });
  expect([alone, none]).toEqual([expect.stringContaining("held"), []]);
  const both = warningsOf({ study: few, front: doubtful });
  expect(both[0]).toBe(alone);
  expect(both[1]).toContain("a, b are not determined");
  expect(warningsOf({ study: many, front: doubtful })).toEqual(both.slice(1));
  // A model that misses the rows held out by far more than the others.
  const worse = warningsOf({ study: many, front: [member(1, 20, { loss: 1e-4, r2: 0.5 })] });
  expect(worse[0]).toMatch(/^on the held-out rows the chosen model misses by/);
});

test("failures are counted as the archive counts them, each with its first outcome, and no more is read", () => {
  const outcomes = [
    { id: 0, source: "(fine)" },
    failed(1, "E-TYPE", "first type"),
    failed(2, "E-TYPE", "second type"),
    failed(3, "E-STEPS", "first steps"),
    failed(4, "E-STEPS", "second steps"),
    failed(5, "E-SHAPE", "never read"),
  ];
  const { archive, read } = archiveOf({ failures: { "E-TYPE": 2, "E-STEPS": 9 }, outcomes });
  expect(storyOf(archive).failures).toEqual([
    { code: "E-STEPS", count: 9, source: "(bad 3)", message: "first steps" },
    { code: "E-TYPE", count: 2, source: "(bad 1)", message: "first type" },
  ]);
  expect(read).toHaveLength(4);
  const none = archiveOf({ outcomes });
  expect(storyOf(none.archive).failures).toEqual([]);
  expect(none.read).toHaveLength(0);
  // A failure whose outcomes were not kept is counted all the same.
  const lost = archiveOf({ failures: { "E-MEMORY": 3 }, outcomes });
  expect(storyOf(lost.archive).failures).toEqual([
    { code: "E-MEMORY", count: 3, source: "", message: "" },
  ]);
});
