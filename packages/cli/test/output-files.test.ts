/** Outputs that would destroy what a command reads, or what else it writes, are refused before anything is written. */

import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ndvmHere } from "./here.js";
import { folder, shell, writeFile } from "./run.js";

const at = (name: string): string => join(folder, name);
const search = ["search", "--data", "line.csv", "--target", "y", "--workers", "0", "--quiet"];
const few = ["--proposer", "replay:stream.jsonl"];
const fit = ["fit", "model.scm", "--data", "line.csv", "--target", "y", "--quiet"];

/** All files of the folder with their bytes. */
const contents = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => [name, readFileSync(at(name), "latin1")]),
  );

beforeAll(async () => {
  const rows = Array.from({ length: 20 }, (_, row) => `${row / 10},${row / 5 + 1}`);
  writeFile("line.csv", ["x,y", ...rows].join("\n"));
  writeFile("model.scm", "(+ a (* b x))");
  writeFile("constant.csv", "v\n1\n2\n");
  writeFile("stream.jsonl", JSON.stringify({ source: "(* a x)" }));
  writeFile("start.scm", "(* a x)");
  expect((await ndvmHere([...search, ...few, "--out", "s.db"])).code).toBe(0);
  symlinkSync("s.db", at("link.html"));
  symlinkSync("later.db", at("early.html"));
  linkSync(at("line.csv"), at("hard.html"));
  mkdirSync(at("sub"));
  symlinkSync("..", at("sub/up"));
});

describe("an output that is the file of something else is refused, and nothing changes", () => {
  test.each<[string, readonly string[]]>([
    ["report over its study", ["report", "s.db", "-o", "s.db"]],
    ["report over its study by another way", ["report", "s.db", "-o", "sub/up/s.db"]],
    ["report over its study by a link", ["report", "s.db", "-o", "link.html"]],
    ["report over another name of the log", ["report", "s.db", "-o", "s.db-wal"]],
    ["report that is the new study", [...search, "--out", "q.db", "--report", "q.db"]],
    ["report that is the study's lock", [...search, "--out", "q.db", "--report", "./q.db-lock"]],
    [
      "report by a link to the new study",
      [...search, "--out", "later.db", "--report", "early.html"],
    ],
    ["report of a search over its table", [...search, "--out", "q.db", "--report", "line.csv"]],
    ["report over a table by a hard link", [...search, "--out", "q.db", "--report", "hard.html"]],
    ["report over programs", [...search, ...few, "--out", "q.db", "--report", "stream.jsonl"]],
    [
      "report over programs to start from",
      [...search, "--start", "start.scm", "--out", "q.db", "--report", "start.scm"],
    ],
    ["study over its table", [...search, "--out", "line.csv", "--resume"]],
    ["result over its table", [...fit, "--out", "line.csv"]],
    ["result over its program", [...fit, "--out", "model.scm"]],
    ["result over a constant", [...fit, "--set", "c=@constant.csv:v", "--out", "constant.csv"]],
    ["page over its table", [...fit, "--report", "line.csv"]],
    ["model over its table", [...fit, "--export", "js=line.csv"]],
    ["page that is the result", [...fit, "--out", "r.json", "--report", "r.json"]],
    ["two models in one file", [...fit, "--export", "js=m", "--export", "latex=sub/../m"]],
    ["study salvaged to itself", ["archive", "salvage", "s.db", "s.db"]],
    ["study salvaged to its log", ["archive", "salvage", "s.db", "s.db-wal"]],
    ["search that keeps nothing", [...search, "--out", ""]],
    ["report without a name", ["report", "s.db", "-o", ""]],
    ["result without a name", [...fit, "--out", ""]],
  ])("%s", async (_, args) => {
    const before = contents();
    const { code, stdout, stderr } = await ndvmHere(args);
    expect(stderr).toMatch(/^error E-OPTION: .*(which it would overwrite|names no file)$/m);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(contents()).toEqual(before);
  });

  test.each<[string, readonly string[]]>([
    ["page of a fit", [...fit, "--report", "s.db"]],
    ["result", [...fit, "--out", "s.db"]],
    ["model", [...fit, "--export", "js=s.db"]],
    ["page of another study", [...search, ...few, "--out", "q.db", "--report", "s.db"]],
  ])("%s over an archive", async (_, args) => {
    const before = contents();
    const { code, stderr } = await ndvmHere(args);
    expect(stderr).toMatch(/^error E-FILE: s\.db: it is an archive or another database/m);
    expect(code).toBe(1);
    expect(contents()).toEqual(before);
  });

  test("a table that comes by standard input is not overwritten either", () => {
    const before = contents();
    const { code, stderr } = shell(
      "ndvm fit model.scm --data - --target y --out line.csv < line.csv",
    );
    expect(stderr).toContain("is the file of standard input");
    expect(code).toBe(2);
    expect(contents()).toEqual(before);
  });
});

test("a study whose name means memory or a network to the driver is a file like any other", async () => {
  const { code, stderr } = await ndvmHere([...search, ...few, "--out", ":memory:"]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(existsSync(at(":memory:"))).toBe(true);
});

test("results may be written over earlier ones, and over the one that a fit goes on from", async () => {
  expect(await ndvmHere([...fit, "--out", "again.json", "--report", "again.html"])).toMatchObject({
    code: 0,
  });
  expect(
    (await ndvmHere([...fit, "--resume", "again.json", "--out", "again.json"])).stderr,
  ).not.toContain("E-OPTION");
  expect((await ndvmHere([...fit, "--out", "/dev/null", "--report", "/dev/null"])).code).toBe(0);
  expect((await ndvmHere([...fit, "--report", "again.html"])).code).toBe(0);
});

test("a page that does not fit on the disk is not left behind empty", async () => {
  const { code, stderr } = shell("ulimit -f 1; ndvm report s.db -o large.html");
  expect(stderr).toContain("cannot write large.html");
  expect(code).toBe(1);
  expect(existsSync(at("large.html"))).toBe(false);
});
