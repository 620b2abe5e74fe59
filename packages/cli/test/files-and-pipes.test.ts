/**
 * Files that a command looks at: what is no ordinary file is not opened to be looked into, every descriptor is
 * let go of, a database is left as it is, and what could not be written as a whole is not left behind.
 */

import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NdvmError } from "@ndvm/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requireOutputs } from "../src/output-files.js";
import { openStudy, requireFile } from "../src/search/open-study.js";
import { requireNoDatabase, requireWritable, writeTextFile } from "../src/text-file.js";

const folder = mkdtempSync(join(tmpdir(), "ndvm-files-"));
const at = (name: string): string => join(folder, name);
const HEAD = "SQLite format 3\0";

beforeAll(() => {
  mkdirSync(at("sub"));
  writeFileSync(at("study.db"), `${HEAD}and more`);
  writeFileSync(at("head.db"), HEAD);
  symlinkSync("study.db", at("link.html"));
  symlinkSync("none/later", at("broken.html"));
  execFileSync("mkfifo", [at("pipe")]);
});
afterAll(() => rmSync(folder, { recursive: true }));

const descriptors = (): number => readdirSync("/proc/self/fd").length;
const hasDescriptors = existsSync("/proc/self/fd");

describe("a named pipe as an output", () => {
  /** A pipe with a text in it: who opened it to look would take from it, and nobody waits. */
  function withText(text: string, work: () => void): string {
    const pipe = openSync(at("pipe"), constants.O_RDWR | constants.O_NONBLOCK);
    try {
      writeSync(pipe, text);
      work();
      const left = Buffer.alloc(1000);
      return left.toString("latin1", 0, readSync(pipe, left));
    } finally {
      closeSync(pipe);
    }
  }

  test.each([HEAD, "what somebody else wrote"])("keeps what is in it: %j", (text) => {
    expect(withText(text, () => requireNoDatabase(at("pipe")))).toBe(text);
    const outputs = [{ as: "--out", file: at("pipe") }];
    expect(withText(text, () => requireOutputs(outputs, []))).toBe(text);
    expect(withText(text, () => requireFile(at("pipe")))).toBe(text);
  });

  test("may be named twice, and as input and output: it is no place", () => {
    const pipe = (as: string) => ({ as, file: at("pipe") });
    expect(() => requireOutputs([pipe("--out"), pipe("--report")], [pipe("--data")])).not.toThrow();
  });
});

describe("a database", () => {
  test.each(["study.db", "head.db", "link.html"])("%s is not written over", async (name) => {
    const before = readFileSync(at(name), "latin1");
    await expect(writeTextFile(at(name), "text")).rejects.toThrow(
      "it is an archive or another database",
    );
    expect(() => requireNoDatabase(at(name))).toThrow(`${at(name)}: it is an archive`);
    expect(readFileSync(at(name), "latin1")).toBe(before);
  });

  test.each([
    ["nothing", ""],
    ["a part of its head", HEAD.slice(0, -1)],
    ["another head", `SQLite format 2\0more`],
    ["its head further on", ` ${HEAD}`],
  ])("is not what holds %s", async (_, text) => {
    writeFileSync(at("other"), text);
    await writeTextFile(at("other"), "text");
    expect(readFileSync(at("other"), "utf8")).toBe("text");
  });
});

describe("a text that is written", () => {
  test("takes the place of what was there, through a link too", async () => {
    writeFileSync(at("old.txt"), "something longer than the text");
    symlinkSync("old.txt", at("old-link.txt"));
    await writeTextFile(at("old-link.txt"), "text");
    expect(readFileSync(at("old.txt"), "utf8")).toBe("text");
  });

  test("that cannot be is told with its file and why, and what was there stays", async () => {
    const failure = await writeTextFile(at("none/x"), "text").catch((error: NdvmError) => error);
    expect(failure).toMatchObject({
      ...{ code: "E-FILE", help: `the path is taken relative to ${process.cwd()}` },
    });
    expect(String(failure)).toContain(`cannot write ${at("none/x")}: there is no such`);
    await expect(writeTextFile(at("sub"), "text")).rejects.toThrow(`cannot write ${at("sub")}: `);
    expect(existsSync(at("sub"))).toBe(true);
  });

  test("needs a folder, and may not be one", () => {
    expect(() => requireWritable(at("new.txt"))).not.toThrow();
    expect(() => requireWritable(at("broken.html"))).not.toThrow();
    expect(() => requireWritable(at("old.txt"))).not.toThrow();
    expect(() => requireWritable(at("none/x"))).toThrow("there is no such folder");
    expect(() => requireWritable(at("study.db/x"))).toThrow("there is no such folder");
    expect(() => requireWritable(at("sub"))).toThrow(`cannot write ${at("sub")}: it is a folder`);
  });
});

test.runIf(hasDescriptors)("looking at a file leaves no descriptor open", async () => {
  const before = descriptors();
  for (let turn = 0; turn < 20; turn++) {
    for (const name of ["study.db", "other", "sub", "none", "pipe", "link.html"]) {
      try {
        requireNoDatabase(at(name));
      } catch {
        // It is one.
      }
      try {
        requireFile(at(name));
      } catch {
        // It is a folder.
      }
    }
    expect(() => openStudy(at("study.db"))).toThrow();
  }
  expect(descriptors()).toBe(before);
});

test("a study that is a folder or not there is told by what it is", () => {
  expect(() => requireFile(at("sub"))).toThrow(`cannot read ${at("sub")}: it is a folder`);
  expect(() => requireFile(at("none"))).not.toThrow();
  expect(() => openStudy(at("none"))).toThrow(`there is no archive ${at("none")}`);
  expect(() => openStudy(at("pipe"))).toThrow();
  expect(existsSync(at("none"))).toBe(false);
});

test("outputs without a name, in no folder, or in a folder's place are refused by their option", () => {
  const refused = (file: string, as = "--report") => {
    try {
      requireOutputs(
        [
          { as: "--out", file: undefined },
          { as, file },
        ],
        [{ as: "--data", file: "" }],
      );
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refused("", "--export")).toBe("--export names no file");
  expect(refused(at("none/x"))).toBe(`cannot write ${at("none/x")}: there is no such folder`);
  expect(refused(at("sub"))).toBe(`cannot write ${at("sub")}: it is a folder`);
  expect(refused(at("study.db"))).toContain("it is an archive or another database");
  expect(refused(at("fine.html"))).toBeUndefined();
  // Standard input is no file of that name.
  const file = join(process.cwd(), "-");
  expect(() =>
    requireOutputs([{ as: "--out", file }], [{ as: "--data", file: "-" }]),
  ).not.toThrow();
  // An archive may be gone on with; what it is written beside may not be one.
  expect(() =>
    requireOutputs([{ as: "--out", file: at("study.db"), isArchive: true }], []),
  ).not.toThrow();
});
