/**
 * Options and commands that messages tell people to type, typed: a shell takes them apart, the option reads
 * what the shell gives it, and that is the name or word that the message was about. The seed is new in every
 * run and printed; `SEED=… npx vitest run typed-hints` runs the same again.
 */

import { execFileSync } from "node:child_process";
import { type ErrorFacts, fileWord, NdvmError, shellWord } from "@ndvm/core";
import { Command } from "commander";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Context, inCommandWords } from "../src/command-words.js";
import {
  addFitOptions,
  type FitCommandOptions,
  parameterOptions,
  parseGroups,
} from "../src/fit/options.js";
import { wordTest } from "../src/fit/word-test.js";
import { splitAssignment } from "../src/inputs.js";
import { ndvmHere } from "./here.js";
import { writeFile } from "./run.js";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
console.info(`typed hints: SEED=${seed}`);

const SIGNS = [..."ab1 '\"\\$`*?!#&;|<>(){}[]~^%=,:.-+@/é"];
/** As cells and headers are read: without blanks at their ends. */
const name = fc
  .string({ unit: fc.constantFrom(...SIGNS), minLength: 1, maxLength: 7 })
  .map((text) => text.trim())
  .filter((text) => text !== "");

/** What a shell makes of texts that are typed, one after the other. */
function shelled(texts: readonly string[]): string[][] {
  const script = texts.map((text) => `printf '%s\\0' ${text}; printf '\\1'`).join("\n");
  const out = execFileSync("sh", { encoding: "utf8", input: script });
  return out
    .split("\x01")
    .slice(0, -1)
    .map((words) => words.split("\0").slice(0, -1));
}

const helpOf = (facts: ErrorFacts, context: Context): string =>
  inCommandWords(new NdvmError("E-INPUT", "MESSAGE", { facts, help: "HELP" }), context).help ?? "";

/** What stands in a text between two others; undefined where the first is not in it. */
function between(text: string, before: string, after = ""): string | undefined {
  const from = text.indexOf(before);
  if (from < 0) return undefined;
  const rest = text.slice(from + before.length);
  return after === "" ? rest : rest.slice(0, rest.lastIndexOf(after));
}

const read = (args: readonly string[]): FitCommandOptions =>
  addFitOptions(new Command("fit"))
    .exitOverride()
    .parse(["p.scm", ...args], { from: "user" })
    .opts();

/** Typed words, what they are to mean, and what they mean to the option. */
interface Hint {
  readonly typed: string;
  readonly meant: unknown;
  meaning(words: readonly string[]): unknown;
}

const fits = { command: "fit" } as const;

/** All hints about a name and a word; those that no option can take are left out by the messages. */
function hintsOf(column: string, word: string): Hint[] {
  const hints: (Omit<Hint, "typed"> & { readonly typed: string | undefined })[] = [];
  const words = helpOf({ reason: "words", column, actual: word }, fits);
  hints.push({
    typed: between(words, "words: --where ", " takes rows by them"),
    meant: [column, "=", word],
    meaning: ([text = ""]) => wordTest(read(["--where", text]).where?.[0] ?? ""),
  });
  hints.push({
    typed: between(words, "--group ", "… makes groups")?.concat("a"),
    meant: { by: column, params: ["a"] },
    meaning: ([text = ""]) => parseGroups(text),
  });
  hints.push({
    typed: between(helpOf({ reason: "word", column, actual: word }, fits), "missing: --na "),
    meant: [word],
    meaning: ([text = ""]) => read(["--na", text]).na,
  });
  hints.push({
    typed: between(helpOf({ reason: "sheet", names: [word] }, fits), ": --sheet "),
    meant: [word],
    meaning: (texts) => texts,
  });
  const facts: ErrorFacts = { names: [column], expected: "a", value: 2, limit: 2 };
  for (const command of ["run", "fit"] as const) {
    hints.push({
      typed: between(
        helpOf({ ...facts, reason: "input" }, { command }),
        "one: --set ",
        "; the program",
      ),
      meant: [column, "1"],
      meaning: ([text = ""]) => splitAssignment(text, "--set"),
    });
  }
  hints.push({
    typed: between(
      helpOf({ ...facts, reason: "builtin" }, { command: "run" }),
      "declare it: --set ",
    ),
    meant: [column, "1"],
    meaning: ([text = ""]) => splitAssignment(text, "--set"),
  });
  for (const reason of ["builtin", "slip"] as const)
    hints.push({
      typed: between(helpOf({ ...facts, reason }, fits), "declare it: --param "),
      meant: [column],
      meaning: ([text = ""]) => Object.keys(parameterOptions(read(["--param", text]))),
    });
  hints.push({
    typed: between(helpOf({ ...facts, reason: "bounds" }, fits), "there: --fix "),
    meant: [[column, { fixed: 2 }]],
    meaning: ([text = ""]) => Object.entries(parameterOptions(read(["--fix", text]))),
  });
  const shape = { ...fits, unusedColumn: column, rowCount: 3 };
  hints.push({
    typed: between(helpOf({ reason: "shape" }, shape), "give --target "),
    meant: [column],
    meaning: ([text = ""]) => read(["--target", text]).target,
  });
  return hints.filter((hint): hint is Hint => hint.typed !== undefined);
}

describe("options of messages mean what the message is about", () => {
  test("whatever a column, a cell, a sheet or a parameter is called", () => {
    const names = fc.sample(fc.tuple(name, name), { seed, numRuns: 400 });
    const hints = [["it's", "a b"], ["x", "a,b"], ["a", "b"] as const, ...names].flatMap(
      ([column = "", word = ""]) => hintsOf(column, word),
    );
    const typed = shelled(hints.map((hint) => hint.typed));
    for (const [i, { typed: text, meant, meaning }] of hints.entries()) {
      expect(typed[i], text).toHaveLength(1);
      expect(meaning(typed[i] ?? []), text).toEqual(meant);
    }
  });

  test("none is left out that can be typed", () => {
    expect(hintsOf("it's", "a b")).toHaveLength(11);
    expect(hintsOf("v $1", "#4")).toHaveLength(11);
    // `--na` splits at commas, `--where` takes no parentheses, and `name=value` has the first =.
    expect(hintsOf("x", "a,b")).toHaveLength(10);
    expect(hintsOf("v (m/s)", "a")).toHaveLength(10);
    expect(hintsOf("a=b", "c")).toHaveLength(4);
  });

  test("in the words that are shown", () => {
    expect(helpOf({ reason: "words", column: "it's", actual: "a b" }, fits)).toBe(
      String.raw`the column holds words: --where 'it'\''s'='a b' takes rows by them, --group 'it'\''s':… makes groups of them`,
    );
    expect(helpOf({ reason: "word", column: "x", actual: "a,b" }, fits)).toBe(
      "correct it, or leave the row out with --where",
    );
    expect(helpOf({ reason: "words", column: "v (m/s)", actual: "a" }, fits)).toBe(
      "the column holds words: --group 'v (m/s)':… makes groups of them",
    );
    const facts = { names: ["="], expected: "=" } as const;
    expect(helpOf({ reason: "builtin", ...facts }, { command: "run" })).toBe("rename it");
    expect(helpOf({ reason: "input", ...facts }, { command: "run" })).toBe(
      "rename it: --set takes what is before the first = for the name; the program's inputs are =",
    );
    expect(helpOf({ reason: "slip", names: ["a=b"], expected: "ab" }, fits)).toBe(
      "did you mean ab?",
    );
  });
});

test("a word in quotes is one word to a shell, and the word", () => {
  const words = fc.sample(name, { seed, numRuns: 300 });
  expect(shelled(words.map(shellWord))).toEqual(words.map((word) => [word]));
  expect(shellWord("")).toBe("''");
  // In one line, as bash, zsh and POSIX of 2024 take it.
  expect(shellWord("it's\n\\a\x1b\u009b")).toBe("$'it\\'s\\n\\\\a\\u001b\\u009b'");
  // What nobody sees would be shown as an escape, which is another word inside of plain quotes.
  expect(shellWord("a\u200bb")).toBe(String.raw`$'a\u200bb'`);
  expect(shellWord("a\u{e0041}\tb")).toBe(String.raw`$'a\U000e0041\tb'`);
  expect(shellWord("می\u200cدما")).toBe("'می\u200cدما'");
  for (const plain of ["a", "x1", "-999", "1.5", "a/b.db", "--out", "k=v"])
    expect(shellWord(plain)).toBe(plain);
});

test("names of files in messages could not be typed", async () => {
  const rows = Array.from({ length: 12 }, (_, i) => `${i},${2 * i + 1}`);
  writeFile("my table.csv", `x,y\n${rows.join("\n")}\n`);
  const words = ["search", "--data", "my table.csv", "--target", "y", "--workers", "0"];
  const found = await ndvmHere([...words, "--candidates", "20", "--out", "my study.db"]);
  expect(found.stderr).toContain("ndvm archive ls 'my study.db'");
  expect(found.stderr).toContain("ndvm report 'my study.db'");
  const [typed = []] = shelled([between(found.stderr, "a page about it: ndvm ", "\n") ?? ""]);
  expect(await ndvmHere([...typed, "-o", "page.html"])).toMatchObject({ code: 0 });
  const missing = await ndvmHere(["archive", "show", "my study.db", "999"]);
  expect(missing.stderr).toContain("ndvm archive ls 'my study.db' --all");
  const loose = await ndvmHere(["search", "my table.csv", "--target", "y"]);
  expect(loose.stderr).toContain("the table is named by --data 'my table.csv'");
  const value = await ndvmHere(["eval", "-e", "x", "--set", "n=1", "v=[1, 2]"]);
  expect(value.stderr).toContain("every value needs its own, --set 'v=[1, 2]'");
  writeFile("cut study.db", "no archive");
  expect((await ndvmHere(["archive", "check", "cut study.db"])).stderr).toContain(
    "ndvm archive salvage 'cut study.db' OUT",
  );
});

test("names of files that begin with - were taken for options when they were typed", async () => {
  expect([fileWord("-q.db"), fileWord("-my q.db"), fileWord("-")]).toEqual([
    ...["./-q.db", "'./-my q.db'", "./-"],
  ]);
  expect([fileWord("q.db"), fileWord("./-q.db"), fileWord("/a/-q.db")]).toEqual([
    ...["q.db", "./-q.db", "/a/-q.db"],
  ]);
  const rows = Array.from({ length: 12 }, (_, i) => `${i},${2 * i + 1}`);
  writeFile("-t.csv", `x,y\n${rows.join("\n")}\n`);
  const words = ["search", "--data=-t.csv", "--target", "y", "--workers", "0"];
  const found = await ndvmHere([...words, "--candidates", "20", "--out=-q.db"]);
  for (const start of ["the study is in -q.db: ndvm ", "a page about it: ndvm "]) {
    const [typed = []] = shelled([between(found.stderr, start, "\n") ?? ""]);
    expect(typed.at(-1)).toBe("./-q.db");
    expect(await ndvmHere(typed)).toMatchObject({ code: 0 });
  }
  writeFile("-cut.db", "no archive");
  expect((await ndvmHere(["archive", "check", "--", "-cut.db"])).stderr).toContain(
    "ndvm archive salvage ./-cut.db OUT",
  );
});
