/** No control character of a program, a name, a file or an archive reaches a stream, in any command. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ndvmHere } from "./here.js";
import { folder, ndvm, shell, writeFile } from "./run.js";

/** Clears the screen, sets the title, rings, goes back, turns the direction, one of C1, what nobody sees. */
const UNSEEN =
  "\u00ad\u034f\u115f\u180e\u200b\u200c\u200d\u2060\u206a\u3164\ufe0f\ufeff\ufff9\u{e0041}";
const EVIL = `\x1b[2J\x1b]0;owned\x07\x08\r\u202e\u2066\x9b31m\x7f${UNSEEN}`;
const UNSAFE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\u034f|\u115f|\u3164|\ufe0f/u;

const name = "ev\x1b[31mil\u202e\u200b\u{e0041}";
const rows = Array.from({ length: 30 }, (_, i) => `${i / 10},${2 * i + 1},${i % 2 ? EVIL : "b"}`);

beforeAll(() => {
  writeFile("evil.csv", `${name},y,"${EVIL.replaceAll("\r", "")}"\n${rows.join("\n")}\n`);
  writeFile(
    "plain.csv",
    `x,y\n${Array.from({ length: 30 }, (_, i) => `${i},${3 * i}`).join("\n")}\n`,
  );
  writeFile("evil.scm", `; ${EVIL}\n(+ x "${EVIL}")\n`);
  writeFile("unbound.scm", `(+ |a${name}| (foo${"\x9b"} 1))`);
  const sources = ["(+ a (* b x))", `; ${EVIL}\n(* a x)`, `(${name} x)`, `(* |${name}| x)`];
  writeFile("evil.jsonl", sources.map((source) => JSON.stringify({ source })).join("\n"));
});

const study = ["search", "--data", "plain.csv", "--target", "y", "--workers", "0"];

test.each<[string, string[]]>([
  ["eval", ["eval", "evil.scm", "--set", "x=1"]],
  ["eval of a text", ["eval", "-e", `(+ 1 ${EVIL})`]],
  ["eval of a name", ["eval", "-e", "(+ 1 x)", "--set", `${name}=1`]],
  ["eval of a file that is not there", ["eval", `${EVIL.replaceAll("\x00", "")}.scm`]],
  ["eval to csv", ["eval", "-e", "(* 2 x)", "--set", `x=@evil.csv:${name}`, "--format", "csv"]],
  ["grad", ["grad", "unbound.scm"]],
  ["explain", ["explain", "evil.scm", "--set", "x=1"]],
  ["fit", ["fit", "-e", "(* a x)", "--data", "evil.csv", "--target", "y"]],
  ["fit of a target", ["fit", "-e", "(* a x)", "--data", "evil.csv", "--target", EVIL]],
  ["fit to JSON", ["fit", "-e", "(* a x)", "--data", "plain.csv", "--target", "y", "--json"]],
  ["search", [...study, "--proposer", "replay:evil.jsonl", "--out", "evil.db"]],
  ["search to JSON", [...study, "--proposer", "replay:evil.jsonl", "--out", "e2.db", "--json"]],
  [
    "a resumed search",
    [...study, "--proposer", "replay:evil.jsonl", "--out", "evil.db", "--resume"],
  ],
  ["report", ["report", "evil.db"]],
  ["archive ls", ["archive", "ls", "evil.db", "--all"]],
  ["archive show", ["archive", "show", "evil.db", "1"]],
  ["archive show to JSON", ["archive", "show", "evil.db", "1", "--json"]],
  ["archive export", ["archive", "export", "evil.db"]],
  ["an option nobody knows", ["eval", `--${EVIL}`]],
  ["a command nobody knows", [EVIL]],
])("%s", async (_, args) => {
  const { stdout, stderr } = await ndvmHere(args);
  expect(stdout + stderr).not.toBe("");
  expect(UNSAFE.exec(stdout)).toBeNull();
  expect(UNSAFE.exec(stderr)).toBeNull();
});

test("pages about such columns and programs have none of these characters", async () => {
  const rows = Array.from({ length: 30 }, (_, i) => `${i / 10},${2 * i + (i % 3)}`);
  writeFile("page.csv", `${name},"y${UNSEEN}"\n${rows.join("\n")}\n`);
  const data = ["--data", "page.csv", "--target", `y${UNSEEN}`];
  const words = ["fit", "-e", `(+ a (* b |${name.replace("\x1b", "\\x1b;")}|))`, ...data];
  expect(await ndvmHere([...words, "--report", "page.html"])).toMatchObject({ code: 0 });
  const study = ["search", ...data, "--candidates", "60", "--workers", "0", "--out", "page.db"];
  expect(await ndvmHere([...study, "--report", "study.html"])).toMatchObject({ code: 0 });
  for (const page of ["page.html", "study.html"]) {
    const text = readFileSync(join(folder, page), "utf8");
    expect(text).toContain("ev\\u001b[31mil\\u202e");
    expect(UNSAFE.exec(text)).toBeNull();
  }
});

test("repl", () => {
  const { stdout, stderr } = ndvm(
    ["repl"],
    `(+ 1 ${name})\n(define |${name}| 2)\n:set ${name}=1\n:inputs\n`,
  );
  expect(UNSAFE.exec(stdout + stderr)).toBeNull();
});

test("JSON with such names is the same JSON", async () => {
  const { stdout } = await ndvmHere(["archive", "show", "evil.db", "1", "--json"]);
  expect(JSON.parse(stdout).source).toContain("\u202e");
});

test("a search whose reader goes away ends quietly, and leaves no lock behind", () => {
  const line =
    "ndvm search --data plain.csv --target y --candidates 3000 --json --out pipe.db | head -1";
  const { stdout, stderr, code } = shell(line);
  expect(stdout.split("\n")).toHaveLength(2);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  expect(readdirSync(folder).filter((file) => file.startsWith("pipe.db"))).toEqual(["pipe.db"]);
});

test.each([
  ["a search", "ndvm search --data plain.csv --target y --candidates 3000 --json --out full.db"],
  ["a result", "ndvm eval -e '(zeros 1000)'"],
  ["help", "ndvm --help"],
])("%s on a disk that is full ends in order: it was an internal error of ours", (_, line) => {
  const { stderr, code } = shell(`${line} > /dev/full`);
  expect(code).toBe(1);
  expect(stderr).toBe(
    "error E-FILE: cannot write standard output: the disk is full\n  help: what was written before is cut off\n",
  );
  expect(readdirSync(folder).filter((file) => file.startsWith("full.db-"))).toEqual([]);
});
