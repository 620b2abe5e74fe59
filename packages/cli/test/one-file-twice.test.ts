/** All pairs and trios of outputs and inputs under several names: one file is never written for two uses. */

import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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
const names = Object.keys(NAMES);

beforeAll(() => {
  mkdirSync(at("sub"));
  symlinkSync("..", at("sub/up"));
  writeFileSync(at("there.txt"), "there");
  writeFileSync(at("other.txt"), "other");
  linkSync(at("there.txt"), at("hard.txt"));
  symlinkSync("there.txt", at("soft.txt"));
  symlinkSync("new.txt", at("soft-new.txt"));
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
  for (const out of names)
    for (const report of names) {
      const isOne = NAMES[out] === NAMES[report];
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
