/**
 * `ndvm archive check` and `salvage`, `--keep`, and what the other commands say of archives that are
 * damaged, of another format, or none. What can be damaged and how it is found out is tested with the
 * archive itself; here, what a user reads and the exit codes that a script reads.
 */

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ArchiveCheck } from "@ndvm/search";
import { beforeAll, describe, expect, test } from "vitest";
import { ndvmHere } from "./here.js";
import { folder, ndvm, type Outcome, repository, writeFile } from "./run.js";

const PARABOLA = "(* a (square x))";
const stream = ["(+ a (* b x))", PARABOLA, "(a x)", "(+ (* x b) a)", "(* a x)", "(sin (* a x))"];
const FORMAT_2 = "packages/search/test/archive/fixtures/format-2.db";

const search = (out: string, ...more: string[]): string[] => [
  ...["search", "--data", "line.csv", "--target", "y", "--workers", "0", "--quiet"],
  ...["--proposer", "replay:stream.jsonl", "--out", out, ...more],
];

const bytesOf = (name: string): Buffer => readFileSync(join(folder, name));
const isThere = (name: string): boolean => existsSync(join(folder, name));

/** What a command says of a failure: the message and the help, and nothing on standard output. */
const failure = (message: string, help: string): Outcome => ({
  code: 1,
  stdout: "",
  stderr: `error ${message}\n  help: ${help}\n`,
});

/** Places of the file that hold the text, of which some are rows and others may be left over. */
function placesOf(bytes: Buffer, text: string): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push(at);
  return places;
}

/** Writes a copy of the whole study with the parabola's row in `candidates` changed. */
async function damageParabola(name: string, change: (byte: number) => number): Promise<void> {
  for (const at of placesOf(bytesOf("whole.db"), PARABOLA)) {
    const bytes = bytesOf("whole.db");
    bytes[at + 3] = change(bytes[at + 3] as number);
    writeFile(name, bytes);
    const { stdout } = await ndvmHere(["archive", "check", name, "--json"]);
    const { problems } = JSON.parse(stdout) as ArchiveCheck;
    if (problems.some(({ facts }) => facts.column === "candidates")) return;
  }
  throw new Error(`no row of candidates holds ${PARABOLA}`);
}

const GARBLED = "its checksum is not that of its values";
const flipped = `flipped.db is damaged: in the table candidates, row 1: ${GARBLED}`;
const flippedHelp =
  "ndvm archive check flipped.db says what is intact, ndvm archive salvage keeps it";
let cut = "";

beforeAll(async () => {
  const rows = Array.from({ length: 40 }, (_, row) => `${row / 10},${row / 5 + 1}`);
  writeFile("line.csv", ["x,y", ...rows].join("\n"));
  writeFile("large.csv", "x,y\n".repeat(2 ** 14));
  writeFile("stream.jsonl", stream.map((source) => JSON.stringify({ source })).join("\n"));
  expect((await ndvmHere(search("whole.db"))).code).toBe(0);
  await damageParabola("flipped.db", (byte) => byte ^ 1);
  await damageParabola("not-text.db", () => 0xff);
  const { length } = bytesOf("whole.db");
  writeFile("cut.db", bytesOf("whole.db").subarray(0, length - 8192));
  cut = `cut.db is damaged: it has ${length - 8192} bytes, and its head says ${length}`;
  writeFile("format-2.db", readFileSync(join(repository, FORMAT_2)));
});

describe("archive check", () => {
  test("says of a intact archive that it is intact, and exits with 0", async () => {
    const { code, stdout, stderr } = await ndvmHere(["archive", "check", "whole.db"]);
    const [counts, verdict, ...rest] = stdout.split("\n");
    expect(counts).toMatch(
      /^format 3; rows: \d\d+ intact, 0 damaged; epochs: \d+ intact, 0 damaged; visits of intact epochs: 6$/,
    );
    expect([verdict, ...rest]).toEqual(["intact: it can be read and resumed", ""]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("names the table and the row of a flipped bit, counts what is intact, and exits with 1", async () => {
    const { code, stdout, stderr } = await ndvmHere(["archive", "check", "flipped.db"]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toBe(flipped);
    expect(lines.at(-1)).toMatch(
      /^format 3; rows: \d+ intact, 1 damaged; epochs: \d+ intact, 1 damaged; visits of intact epochs: [0-5]$/,
    );
    expect(stderr).toBe("ndvm archive salvage flipped.db OUT keeps what is intact\n");
    expect(code).toBe(1);
  });

  test("--json gives the same as facts, with the same exit code", async () => {
    const { code, stdout, stderr } = await ndvmHere(["archive", "check", "flipped.db", "--json"]);
    const check = JSON.parse(stdout) as ArchiveCheck;
    expect(check).toMatchObject({
      file: "flipped.db",
      format: 3,
      isIntact: false,
      canResume: false,
    });
    expect(check.problems[0]).toEqual({
      message: flipped,
      facts: { reason: "checksum", column: "candidates", rows: [1] },
    });
    expect(check.tables["candidates"]?.damaged).toBe(1);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    const whole = await ndvmHere(["archive", "check", "whole.db", "--json"]);
    expect(JSON.parse(whole.stdout)).toMatchObject({
      isIntact: true,
      canResume: true,
      problems: [],
    });
    expect(whole.code).toBe(0);
  });

  test("says of a file that is cut off how much of it there is", async () => {
    expect(await ndvmHere(["archive", "check", "cut.db"])).toEqual({
      code: 1,
      stdout: `${cut}\n`,
      stderr: "ndvm archive salvage cut.db OUT keeps what is intact\n",
    });
  });

  test("doubts whether a file of something else was ever an archive", async () => {
    expect(await ndvmHere(["archive", "check", "line.csv"])).toEqual({
      code: 1,
      stdout: "line.csv is not an archive\n",
      stderr:
        "if it is an archive of this version that was damaged, " +
        "ndvm archive salvage line.csv OUT keeps what is intact\n",
    });
  });

  test("of format 2 says that it can be read, not that it can be resumed", async () => {
    const { code, stdout, stderr } = await ndvmHere(["archive", "check", "format-2.db"]);
    expect(stdout).toMatch(/^format 2; .* 0 damaged; .* visits of intact epochs: 20\n/);
    expect(stdout.endsWith("\nintact: it can be read\n")).toBe(true);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("changes nothing in the file, and leaves nothing beside it", async () => {
    const before = readdirSync(folder);
    const bytes = bytesOf("flipped.db");
    await ndvmHere(["archive", "check", "flipped.db"]);
    expect(bytesOf("flipped.db").equals(bytes)).toBe(true);
    expect(readdirSync(folder)).toEqual(before);
  });
});

describe("archive salvage", () => {
  test("keeps all of a intact archive, and a search goes on with it", async () => {
    expect(await ndvmHere(["archive", "salvage", "whole.db", "all.db"])).toEqual({
      code: 0,
      stdout:
        "all.db: visits kept: 6; visits lost: 0; other rows lost: 0\nit can be read and resumed\n",
      stderr: "",
    });
    const resumed = await ndvmHere(search("all.db", "--resume"));
    expect(resumed.stderr).not.toContain("error");
    expect(resumed.code).toBe(0);
    expect(await exported("all.db")).toBe(await exported("whole.db"));
  });

  test("counts what is lost, and a search says why it cannot go on", async () => {
    const { code, stdout, stderr } = await ndvmHere([
      "archive",
      "salvage",
      "flipped.db",
      "some.db",
    ]);
    expect(stdout).toMatch(
      /^some\.db: visits kept: [1-5]; visits lost: [1-5]; other rows lost: \d+\nit can be read; a search cannot go on with it\n$/,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const check = await ndvmHere(["archive", "check", "some.db"]);
    expect(check.stdout).toMatch(/ 0 damaged; .*\nintact: it can be read\n$/);
    expect(check.code).toBe(0);
    const listed = await ndvmHere(["archive", "ls", "some.db", "--all"]);
    expect(listed.stdout).toContain("(+ a (* b x))");
    expect(listed.stdout).not.toContain(PARABOLA);
    expect(await ndvmHere(search("some.db", "--resume"))).toMatchObject(
      failure(
        "E-ARCHIVE: some.db was salvaged: it can be read, not resumed",
        "what the search needs to go on was damaged; begin a new study",
      ),
    );
  });

  test("lost the domain of a study in silence, and its models were written in another", async () => {
    expect((await ndvmHere(search("clamped.db", "--domain", "clamp"))).code).toBe(0);
    const whole = await ndvmHere(["archive", "show", "clamped.db", "0", "--export", "json"]);
    const model = /^the model is that of the front: visit 0, its constants fitted to all rows\n/;
    expect(JSON.parse(whole.stdout).domain).toBe("clamp");
    expect(whole.stderr.replace(model, "")).toBe("");
    // The row of the option, wherever else the word stands.
    let salvaged = "";
    for (const at of placesOf(bytesOf("clamped.db"), '"clamp"')) {
      const bytes = bytesOf("clamped.db");
      bytes[at + 1] = 0x43;
      writeFile("lost.db", bytes);
      rmSync(join(folder, "left-over.db"), { force: true });
      salvaged = (await ndvmHere(["archive", "salvage", "lost.db", "left-over.db"])).stdout;
      if (salvaged.includes("options of the study lost: domain")) break;
    }
    expect(salvaged).toContain("options of the study lost: domain");
    const lost = `warning: the study's domain is lost: sqrt and log are written as in the domain "ieee"`;
    for (const command of [
      ["archive", "show", "left-over.db", "0", "--export", "json"],
      ["archive", "ls", "left-over.db"],
    ]) {
      const { code, stderr } = await ndvmHere(command);
      const others = stderr.replace(`${lost}\n`, "").replace(model, "");
      expect({ code, others }, command.join(" ")).toEqual({ code: 0, others: "" });
      expect(stderr, command.join(" ")).toContain(lost);
    }
    expect((await ndvmHere(["report", "left-over.db", "-o", "lost.html"])).code).toBe(0);
    expect(readFileSync(join(folder, "lost.html"), "utf8")).toContain("domain is lost");
  });

  test("keeps what is left of a file that is cut off", async () => {
    const { code, stdout } = await ndvmHere(["archive", "salvage", "cut.db", "left.db"]);
    expect(stdout).toMatch(/^left\.db: visits kept: \d; visits lost: \d; other rows lost: \d+\n/);
    expect(code).toBe(0);
    expect((await ndvmHere(["archive", "check", "left.db"])).code).toBe(0);
    expect((await ndvmHere(["archive", "ls", "left.db", "--all"])).code).toBe(0);
  });

  const relative = () => `the path is taken relative to ${folder}`;
  const SMALL = "it is shorter than the smallest archive";
  const NOTHING = "no visit is intact, and the study's options are not either";
  test.each<[string, string, string, string, string | (() => string)]>([
    [
      "a file that is not there",
      "none.db",
      "out.db",
      "E-ARCHIVE: there is no archive none.db",
      "ndvm search --out FILE writes one",
    ],
    ["a folder", ".", "out.db", "E-FILE: cannot read .: it is a folder", relative],
    [
      "a small file of something else",
      "line.csv",
      "out.db",
      `E-ARCHIVE: there is nothing to keep in line.csv: ${SMALL}`,
      "an archive is a file that ndvm search writes",
    ],
    [
      "a large file of something else",
      "large.csv",
      "out.db",
      `E-ARCHIVE: there is nothing to keep in large.csv: ${NOTHING}`,
      "begin a new study",
    ],
    [
      "an earlier format, which has no checksums",
      "format-2.db",
      "out.db",
      "E-ARCHIVE: format-2.db was written by an earlier version of this program: " +
        "it can be read, not salvaged",
      "its format is 2; only rows of format 3 have checksums",
    ],
    [
      "to write over a file",
      "flipped.db",
      "line.csv",
      "E-ARCHIVE: line.csv exists",
      "name a file that does not exist",
    ],
    ["a folder to write to", "flipped.db", ".", "E-FILE: cannot write .: it is a folder", relative],
    [
      "a place that is not there",
      "flipped.db",
      "no/out.db",
      "E-FILE: cannot write no/out.db: there is no such folder",
      relative,
    ],
  ])("refuses %s, and leaves everything as it was", async (_, file, out, message, help) => {
    const before = readdirSync(folder);
    const bytes = isThere(out) && out !== "." ? bytesOf(out) : undefined;
    const outcome = await ndvmHere(["archive", "salvage", file, out]);
    expect(outcome).toEqual(failure(message, typeof help === "string" ? help : help()));
    expect(readdirSync(folder)).toEqual(before);
    if (bytes !== undefined) expect(bytesOf(out).equals(bytes)).toBe(true);
  });

  test("does not touch a file of the user's that has the name of its own copy", async () => {
    writeFile("mine.db-salvage", "mine");
    expect((await ndvmHere(["archive", "salvage", "whole.db", "mine.db"])).code).toBe(0);
    expect(bytesOf("mine.db-salvage").toString()).toBe("mine");
  });
});

async function exported(name: string): Promise<string> {
  const { code, stdout } = await ndvmHere(["archive", "export", name]);
  expect(code).toBe(0);
  return stdout;
}

describe("a damaged archive", () => {
  const commands: [string, (file: string) => string[]][] = [
    ["archive ls", (file) => ["archive", "ls", file]],
    ["archive ls --all", (file) => ["archive", "ls", file, "--all"]],
    ["archive ls --best", (file) => ["archive", "ls", file, "--best", "2"]],
    ["archive show", (file) => ["archive", "show", file, "1"]],
    ["archive export", (file) => ["archive", "export", file]],
    ["report", (file) => ["report", file, "-o", "page.html"]],
  ];
  const reading = commands.filter(([name]) => name !== "archive ls");

  test.each(reading)("%s names the row, in one message, and exits with 1", async (_, args) => {
    const { code, stdout, stderr } = await ndvmHere(args("flipped.db"));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: failure(`E-ARCHIVE: ${flipped}`, flippedHelp).stderr,
    });
    expect(stdout).not.toContain("visit");
    expect(isThere("page.html")).toBe(false);
  });

  test.each(commands)("%s says of a file that is cut off how much is missing", async (_, args) => {
    const outcome = await ndvmHere(args("cut.db"));
    const help = "ndvm archive salvage cut.db OUT keeps what is intact";
    expect(outcome).toEqual(failure(`E-ARCHIVE: ${cut}`, help));
    expect(isThere("page.html")).toBe(false);
  });

  test.each(commands)("%s says where there is none", async (_, args) => {
    expect(await ndvmHere(args("none.db"))).toEqual(
      failure("E-ARCHIVE: there is no archive none.db", "ndvm search --out FILE writes one"),
    );
    const kind = "an archive is a file that ndvm search writes";
    expect(await ndvmHere(args("line.csv"))).toEqual(
      failure("E-ARCHIVE: line.csv is not an archive", kind),
    );
    expect((await ndvmHere(args("."))).stderr).toContain("cannot read .: it is a folder");
    expect(isThere("none.db")).toBe(false);
  });

  test("with text that is no UTF-8 does not end the process", () => {
    for (const [, args] of reading) {
      const { code, stderr } = ndvm(args("not-text.db"));
      expect(stderr).toContain("not-text.db is damaged: in the table candidates, row 1: ");
      expect(stderr).not.toContain("panic");
      expect(code).toBe(1);
    }
  });

  test("is not gone on with", async () => {
    const bytes = bytesOf("cut.db");
    const { code, stderr } = await ndvmHere(search("cut.db", "--resume"));
    expect(stderr).toContain(`error E-ARCHIVE: ${cut}\n`);
    expect(code).toBe(1);
    expect(bytesOf("cut.db").equals(bytes)).toBe(true);
  });
});

describe("an archive of format 2", () => {
  test.each([
    ["ls", ["archive", "ls", "format-2.db"], /^20 candidates, /],
    ["ls --all", ["archive", "ls", "format-2.db", "--all"], /^visit +candidate/],
    ["show", ["archive", "show", "format-2.db", "0"], /candidate 0, size \d+/],
    ["export", ["archive", "export", "format-2.db"], /^\{/],
  ])("%s reads it", async (_, args, words) => {
    const { code, stdout, stderr } = await ndvmHere(args);
    expect(stdout).toMatch(words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("report writes its page", async () => {
    const { code, stderr } = await ndvmHere(["report", "format-2.db", "-o", "format-2.html"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "wrote format-2.html\n" });
  });

  test("search does not go on with it, and says why", async () => {
    expect(await ndvmHere(search("format-2.db", "--resume"))).toMatchObject(
      failure(
        "E-ARCHIVE: format-2.db was written by an earlier version of this program: " +
          "it can be read, not resumed",
        "its format is 2; studies of format 3 can be resumed, so begin a new one",
      ),
    );
  });
});

interface Told {
  readonly visits: number;
  readonly scored: number;
  readonly failed: number;
  readonly duplicates: number;
  readonly front: readonly { readonly visit: number; readonly r2: number }[];
}

describe("--keep", () => {
  const study = async (keep: string) => {
    const out = `keep-${keep}.db`;
    expect((await ndvmHere(search(out, "--keep", keep))).code).toBe(0);
    const told = JSON.parse((await ndvmHere(["archive", "ls", out, "--json"])).stdout) as Told;
    const listed = (await ndvmHere(["archive", "ls", out, "--all", "--json"])).stdout;
    const kept = listed
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { visit: number; status: string; source: string });
    return { out, told, kept };
  };

  test("all is the default; scored and front keep fewer visits, and all count the same", async () => {
    const [all, scored, front] = [await study("all"), await study("scored"), await study("front")];
    expect(await exported(all.out)).toBe(await exported("whole.db"));
    expect(all.kept.map(({ source }) => source)).toEqual(stream);
    const visits = (of: typeof all, status?: string) =>
      of.kept.filter((o) => status === undefined || o.status === status).map((o) => o.visit);
    expect(visits(all, "failed")).toEqual([2]);
    expect(visits(scored)).toEqual(visits(all, "scored"));
    expect(visits(scored).length).toBeLessThan(stream.length);
    expect(visits(front)).toEqual(expect.arrayContaining(all.told.front.map((m) => m.visit)));
    expect(visits(scored)).toEqual(expect.arrayContaining(visits(front)));
    expect(visits(front).length).toBeLessThan(visits(scored).length);
    for (const { told } of [scored, front]) {
      const { visits: met, failed, duplicates } = all.told;
      expect(told).toMatchObject({ visits: met, scored: all.told.scored, failed, duplicates });
      expect(told.front.map(({ visit, r2 }) => [visit, r2])).toEqual(
        all.told.front.map(({ visit, r2 }) => [visit, r2]),
      );
    }
    for (const { out } of [scored, front]) {
      expect((await ndvmHere(["archive", "check", out])).code).toBe(0);
      expect((await ndvmHere(["report", out, "-o", "kept.html"])).code).toBe(0);
    }
  });

  test("a study goes on only with what it kept before", async () => {
    await ndvmHere(search("kept-scored.db", "--keep", "scored"));
    const { code, stderr } = await ndvmHere(search("kept-scored.db", "--keep", "all", "--resume"));
    expect(stderr).toMatch(/^error E-ARCHIVE: .*keep/m);
    expect(code).toBe(1);
    expect((await ndvmHere(search("kept-scored.db", "--keep", "scored", "--resume"))).code).toBe(0);
  });

  test("refuses a word that it does not know, and says which there are", async () => {
    const { code, stderr } = await ndvmHere(search("never.db", "--keep", "some"));
    expect(stderr).toContain("'--keep <visits>' argument 'some' is invalid");
    expect(stderr).toContain("all, scored, front");
    expect(code).toBe(2);
    expect(isThere("never.db")).toBe(false);
  });
});

test.each([
  [["archive", "check"], "missing required argument 'study'"],
  [["archive", "salvage", "whole.db"], "missing required argument 'out'"],
  [["archive", "check", "whole.db", "more"], "too many arguments"],
])("%j is not understood, and exits with 2", async (args, words) => {
  const { code, stdout, stderr } = await ndvmHere(args);
  expect(stderr).toContain(words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
});
