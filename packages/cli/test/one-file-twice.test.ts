/** All pairs and trios of outputs and inputs under several names: one file is never written for two uses. */

import { spawnSync } from "node:child_process";
import {
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CommandFile, requireOutputs } from "../src/output-files.js";

const folder = mkdtempSync(join(tmpdir(), "ndvm-once-"));
const at = (name: string): string => join(folder, name);

/** Names, and which file each is of. */
const NAMES: Readonly<Record<string, string>> = {
  "there.txt": "there",
  "hard.txt": "there",
  "soft.txt": "there",
  "sub/up/there.txt": "there",
  "new.txt": "new",
  "soft-new.txt": "new",
  "sub/../new.txt": "new",
  "other.txt": "other",
  "sub/new.txt": "sub/new",
};
/** Links from one folder into another, to links and to what is not there yet. */
const LINKS: Readonly<Record<string, readonly [target: string, file: string]>> = {
  "sub/far.txt": ["../there.txt", "there"],
  "sub/far-new.txt": ["../new.txt", "new"],
  "sub/near-new.txt": ["new.txt", "sub/new"],
  "far-sub.txt": ["sub/new.txt", "sub/new"],
  "sub/twice.txt": ["../soft-new.txt", "new"],
  "twice-sub.txt": ["sub/near-new.txt", "sub/new"],
  "sub/nowhere.txt": ["none/new.txt", "no folder"],
};
const names = Object.keys(NAMES);
const fileOf = (name: string): string => NAMES[name] ?? LINKS[name]?.[1] ?? name;

beforeAll(() => {
  mkdirSync(at("sub"));
  symlinkSync("..", at("sub/up"));
  writeFileSync(at("there.txt"), "there");
  writeFileSync(at("other.txt"), "other");
  linkSync(at("there.txt"), at("hard.txt"));
  symlinkSync("there.txt", at("soft.txt"));
  symlinkSync("new.txt", at("soft-new.txt"));
  for (const [name, [target]] of Object.entries(LINKS)) symlinkSync(target, at(name));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What is said of these outputs beside those inputs; undefined where they may be written. */
function refusal(
  outputs: readonly string[],
  inputs: readonly string[] = [],
  more: Partial<CommandFile> = {},
): string | undefined {
  const uses = ["--out", "--report", "--export"];
  try {
    requireOutputs(
      outputs.map((name, i) => ({
        as: uses[i] as string,
        file: at(name),
        ...(i === 0 ? more : {}),
      })),
      inputs.map((name) => ({ as: "--data", file: at(name) })),
    );
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const said = (as: string, name: string, other: string): string =>
  `${as} ${at(name)} is the file of ${other}, which it would overwrite`;

test("two outputs of one file are refused by whatever names, and two of two files are not", () => {
  const all = [...names, ...Object.keys(LINKS).filter((name) => fileOf(name) !== "no folder")];
  for (const out of all)
    for (const report of all) {
      const isOne = fileOf(out) === fileOf(report);
      expect(refusal([out, report])).toBe(isOne ? said("--report", report, "--out") : undefined);
    }
});

test("an output is refused over an input, and a later one over any before it", () => {
  for (const first of names)
    for (const second of names)
      for (const third of names) {
        const [a, b, c] = [NAMES[first], NAMES[second], NAMES[third]];
        const among = refusal([first, second, third]);
        if (a === b) expect(among).toBe(said("--report", second, "--out"));
        else if (a === c) expect(among).toBe(said("--export", third, "--out"));
        else if (b === c) expect(among).toBe(said("--export", third, "--report"));
        else expect(among).toBeUndefined();
        const beside = refusal([first, second], [third]);
        if (a === c) expect(beside).toBe(said("--out", first, "--data"));
        else if (b === c) expect(beside).toBe(said("--report", second, "--data"));
        else if (a === b) expect(beside).toBe(said("--report", second, "--out"));
        else expect(beside).toBeUndefined();
      }
});

test("what an archive keeps beside it is its own, and neither end of a pair may take it", () => {
  for (const ending of ["", "-journal", "-wal", "-shm", "-lock", "-lock-journal"]) {
    const beside = `study.db${ending}`;
    expect(refusal(["study.db", beside], [], { isArchive: true })).toBe(
      said("--report", beside, "--out"),
    );
    expect(refusal(["study.db", "page.html"], [beside], { isArchive: true })).toBe(
      said("--out", "study.db", "--data"),
    );
    if (ending !== "") expect(refusal(["study.db", beside])).toBeUndefined();
  }
});

/** The refusal of a process whose input and output are files. */
function refusalOfProcess(
  streams: { readonly input?: string; readonly output?: string },
  file: string,
): string {
  const place = new URL("../dist/output-files.js", import.meta.url).href;
  const source = `import { requireOutputs } from ${JSON.stringify(place)};
    try { requireOutputs([{ as: "--report", file: process.argv[1] }], []); console.error("taken"); }
    catch (error) { console.error(error.message); }`;
  const open = (name: string | undefined, flags: string) =>
    name === undefined ? ("ignore" as const) : openSync(at(name), flags);
  const stdio = [open(streams.input, "r"), open(streams.output, "a"), "pipe" as const];
  try {
    const args = ["--input-type=module", "-e", source, file];
    return spawnSync(process.execPath, args, { stdio, encoding: "utf8" }).stderr.trim();
  } finally {
    for (const one of stdio) if (typeof one === "number") closeSync(one);
  }
}

test("the files of standard input and output are outputs of nothing else", () => {
  for (const name of ["other.txt", "there.txt"])
    for (const stream of ["input", "output"] as const)
      for (const again of names) {
        const told = refusalOfProcess({ [stream]: name }, at(again));
        const isOne = fileOf(again) === fileOf(name);
        const wanted = isOne ? said("--report", again, `standard ${stream}`) : "taken";
        expect(told, `${stream} ${name}, ${again}`).toBe(wanted);
      }
});
