/**
 * `ndvm archive` over an archive that is a list of the test's own: the best visits, one candidate with its
 * visits, what a check finds and its exit code.
 */

import { NdvmError } from "@ndvm/core";
import type { Archive, Outcome } from "@ndvm/search";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { archiveCheck, archiveList, archiveShow } from "../src/commands/archive.js";
import { writeReport } from "../src/commands/report.js";

const world = vi.hoisted(() => ({
  outcomes: [] as unknown[],
  members: new Map<number, object>(),
  front: [] as unknown[],
  lost: undefined as Error | undefined,
  closed: 0,
  check: {} as object,
}));
vi.mock("../src/search/open-study.js", async (original) => ({
  ...(await original<object>()),
  requireFile: () => {},
  openStudy: () =>
    ({
      study: () => ({ inputs: ["x"], domain: "ieee" }),
      outcomes: () => world.outcomes,
      outcome: (id: number) => world.outcomes.find((one) => (one as Outcome).id === id),
      visitsOf: (id: number) => world.outcomes.filter((one) => (one as Outcome).id === id),
      members: () => world.members,
      front: () => {
        if (world.lost !== undefined) throw world.lost;
        return world.front;
      },
      lineage: (id: number) => [
        { id },
        { id: 7, proposer: "p", origin: "o", source: "(a\n  b)" },
        { id: 5, proposer: "q", origin: "r", source: "(c)" },
      ],
      prompt: () => undefined,
      close: () => {
        world.closed += 1;
      },
    }) as unknown as Archive,
}));
vi.mock("@ndvm/search", async (original) => ({
  ...(await original<object>()),
  checkArchive: () => world.check,
}));

const outcome = (visit: number, id: number, r2: number, more: object = {}) => ({
  ...{ visit, id, r2, status: "scored", complexity: 3, proposer: "evolve", origin: "cross" },
  ...{ source: `(* a ${id})`, params: { a: visit + 0.5 }, bic: -visit, loss: 9 - visit, ...more },
});

let written = { stdout: "", stderr: "" };
beforeEach(() => {
  written = { stdout: "", stderr: "" };
  world.closed = 0;
  world.members = new Map();
  world.front = [];
  world.lost = undefined;
  for (const name of ["stdout", "stderr"] as const)
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      written[name] += String(text);
      return true;
    });
  world.outcomes = [
    outcome(0, 0, 0.5),
    outcome(1, 1, 0.7),
    outcome(2, 2, Number.NaN),
    outcome(3, 3, 0.9, { status: "failed", failure: { code: "E-TYPE", stage: "fit" } }),
    outcome(4, 0, 0.8),
    outcome(5, 1, 0.6),
    outcome(6, 4, 0.8),
    outcome(7, 5, Number.NEGATIVE_INFINITY),
  ];
});
afterEach(() => void vi.restoreAllMocks());
const lines = () =>
  written.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Outcome);

describe("the best", () => {
  test("are the best visit of each candidate that was scored, first of equals in front", () => {
    expect(archiveList("s.db", { best: 10, json: true })).toBe(0);
    expect(lines().map(({ id, visit }) => [id, visit])).toEqual([
      [0, 4],
      [4, 6],
      [1, 1],
    ]);
    expect(world.closed).toBe(1);
  });

  test("are as many as are asked for, and all are all, in order", () => {
    archiveList("s.db", { best: 2, json: true });
    expect(lines().map(({ visit }) => visit)).toEqual([4, 6]);
    written.stdout = "";
    archiveList("s.db", { all: true, json: true });
    expect(lines().map(({ visit }) => visit)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    written.stdout = "";
    archiveList("s.db", { all: true });
    const rows = written.stdout.trimEnd().split("\n").slice(-8);
    expect(rows[3]).toMatch(/^ +3 +3 +3 +E-TYPE +evolve: cross +\(\* a 3\)$/);
    expect(rows[4]).toMatch(/^ +4 +0 +3 +0\.800000 +evolve: cross +\(\* a 0\)$/);
  });
});

describe("one candidate", () => {
  test("is shown by its best visit, with all visits and its ancestors", () => {
    expect(archiveShow("s.db", 0, {})).toBe(0);
    expect(written.stdout).toContain("held-out R² 0.800000, BIC -4; a = 4.5");
    expect(written.stdout).toContain("2 visits, 0, 4\n");
    expect(written.stdout).toContain("  from 7 (p: o) (a b)\n  from 5 (q: r) (c)\n");
    written.stdout = "";
    archiveShow("s.db", 1, { json: true });
    expect(lines()[0]).toMatchObject({ visit: 5, r2: 0.6 });
  });

  test("was shown and exported by the visit that the held-out rows like best; the training rows choose", () => {
    archiveShow("s.db", 1, { export: "math" });
    expect(written).toEqual({
      stdout: "5.5\n",
      stderr:
        "the model is that of visit 5, which has the least loss on the training rows of 2 visits\n",
    });
    written = { stdout: "", stderr: "" };
    archiveShow("s.db", 4, { export: "math" });
    expect(written).toEqual({ stdout: "6.5·4\n", stderr: "" });
  });

  test("that is on the front was exported as the training rows alone fit it; it is as the front has it", () => {
    const member = (visit: number, more: object) => ({
      ...{ visit, isWeighed: true, source: "(+ a x)", params: { a: 0.25 }, length: 20, ...more },
    });
    const exported = () => {
      written = { stdout: "", stderr: "" };
      archiveShow("s.db", 1, { export: "math" });
      return [written.stdout.trim(), written.stderr.split(":")[0]];
    };
    const [told, other] = ["the model is that of the front", "the model is that of visit 5, which"];
    world.front = [member(1, {}), member(6, { source: "(+ b x)", params: { b: 9 } })];
    expect(exported()).toEqual(["0.25 + x", told]);
    expect(written.stderr).toBe(`${told}: visit 1, its constants fitted to all rows\n`);
    world.front = [member(1, {}), member(5, { params: { a: 0.75 }, length: 19 })];
    expect(exported()).toEqual(["0.75 + x", told]);
    // What is not weighed is what the visit is, and what cannot be read is told.
    world.front = [member(1, { isWeighed: false })];
    expect(exported()[1]).toMatch(other);
    world.lost = new NdvmError("E-ARCHIVE", "the target is lost");
    expect(exported()[1]).toBe("warning");
    expect(written.stderr).toMatch(/^warning: whether it is on the front is not known: the target/);
    world.lost = new Error("ours");
    expect(() => exported()).toThrow("ours");
  });

  test("that was not scored exports nothing, and one that is not there is told", () => {
    expect(() => archiveShow("s.db", 3, { export: "math" })).toThrow("no fit to export");
    expect(() => archiveShow("s.db", 99, {})).toThrow("s.db has no candidate 99");
    expect(world.closed).toBe(2);
  });

  test("that is on the front is told with its constants, exact or not, and its twin", () => {
    const facts = { length: 12.34, params: { a: 2, b: 3, c: 4, d: 5 }, simple: ["b"] };
    const open = { undetermined: ["c", "d"], intervals: { a: [1, 3], d: [-1, 11] } };
    world.members.set(4, { ...facts, ...open, twinOf: 6, source: "(f a b c d)" });
    archiveShow("s.db", 0, {});
    const said =
      "fitted to all rows: (f a b c d), a = 2, b = 3 (taken as exact), c = 4 (not determined), " +
      "d = 5 (may be 0); 12.3 bits\nthe same function as visit 6, which is shorter\n";
    expect(written.stdout).toContain(`\nweighed, ${said}`);
    written.stdout = "";
    world.front = [{ visit: 4 }];
    archiveShow("s.db", 0, {});
    expect(written.stdout).toContain(`\non the front, ${said}`);
    written.stdout = "";
    archiveShow("s.db", 0, { json: true });
    expect(lines()[0]).toMatchObject({ members: [{ visit: 4, length: 12.34 }] });
  });
});

test("a page that cannot be written leaves no archive open", async () => {
  await expect(writeReport("s.db", "page.html")).rejects.toThrow();
  expect(world.closed).toBe(1);
});

describe("a check", () => {
  const intact = {
    ...{ file: "s.db", format: 3, isIntact: true, canResume: true, problems: [], problemsMore: 0 },
    tables: { a: { intact: 1200, damaged: 0 }, b: { intact: 34, damaged: 5 } },
    epochs: { intact: 6, damaged: 1, visits: 77 },
  };
  const checked = (more: object, json = false) => {
    world.check = { ...intact, ...more };
    written = { stdout: "", stderr: "" };
    return archiveCheck("s.db", { json });
  };

  test("ends with 0 where the archive is intact, and with 1 where it is not", () => {
    expect(checked({})).toBe(0);
    expect(written.stdout).toBe(
      "format 3; rows: 1,234 intact, 5 damaged; epochs: 6 intact, 1 damaged; " +
        "visits of intact epochs: 77\nintact: it can be read and resumed\n",
    );
    expect(checked({ canResume: false })).toBe(0);
    expect(written.stdout).toMatch(/intact: it can be read\n$/);
    expect(checked({}, true)).toBe(0);
    expect(checked({ isIntact: false }, true)).toBe(1);
    expect(JSON.parse(written.stdout)).toEqual({ ...intact, isIntact: false });
  });

  test("tells what is damaged, how much more there is, and a way out", () => {
    const problems = [{ message: "a page is gone", facts: { reason: "page" } }];
    expect(checked({ isIntact: false, problems, problemsMore: 1100 })).toBe(1);
    expect(written.stdout).toMatch(/^a page is gone\nand 1,100 more\nformat 3/);
    expect(written.stderr).toBe("ndvm archive salvage s.db OUT keeps what is intact\n");
    for (const reason of ["foreign", "format"]) {
      checked({
        isIntact: false,
        problems: [{ message: "m", facts: { reason } }],
        format: undefined,
      });
      expect(written.stdout).toBe("m\n");
      expect(written.stderr).toMatch(/^if it is an archive of this version that was damaged, ndvm/);
    }
  });
});
