/**
 * Names with line ends in them, as spreadsheets have them and as somebody who writes a program for
 * others may choose them. They tore tables and sentences in two, and the second half of a name could pass
 * for a message of ours.
 */

import { beforeAll, expect, test } from "vitest";
import { ndvmHere } from "./here.js";
import { writeFile } from "./run.js";

const FAKE = "FAKED";
const x = `x\nwarning: ${FAKE}`;
const y = `y\nerror: ${FAKE}`;
const group = `g\nnote: ${FAKE}`;
const a = `a\nerror: ${FAKE}`;
const written = (name: string): string => `|${name.replace("\n", "\\xa;")}|`;
const line = `(+ ${written(a)} (* b ${written(x)}))`;

beforeAll(() => {
  const rows = Array.from(
    { length: 24 },
    (_, i) => `${i},${2 + 3 * i + (i % 3) / 10},"${i % 2 ? "u" : `v\nerror: ${FAKE}`}"`,
  );
  writeFile("lines.csv", `"${x}","${y}","${group}"\n${rows.join("\n")}\n`);
  const sources = [line, `(* a ${written(x)})`, `(car ${written(x)})`, `(${written(a)} 1)`];
  writeFile("lines.jsonl", sources.map((source) => JSON.stringify({ source })).join("\n"));
});

const data = ["--data", "lines.csv", "--target", y];
const study = [...data, "--workers", "0", "--out", "lines.db"];
const at = (value: string): string[] => ["--set", `${a}=${value}`];
const branch = `(if (> ${written(a)} 1) (log ${written(a)}) 2)`;

test.each<[string, string[]]>([
  ["fit", ["fit", "-e", line, ...data]],
  ["fit of groups", ["fit", "-e", line, ...data, "--group", `${group}:${a}`]],
  ["fit of other columns", ["fit", "-e", line, "--data", "lines.csv", "--target", "z"]],
  ["fit of a parameter that is none", ["fit", "-e", line, ...data, "--param", `q${a}=1`]],
  ["fit that cannot be told apart", ["fit", "-e", `(+ c ${line})`, ...data]],
  ["search", ["search", ...study, "--proposer", "replay:lines.jsonl"]],
  ["a search that goes on", ["search", ...study, "--proposer", "replay:lines.jsonl", "--resume"]],
  ["archive ls", ["archive", "ls", "lines.db", "--all"]],
  ["archive show", ["archive", "show", "lines.db", "1"]],
  ["archive show of a failure", ["archive", "show", "lines.db", "2"]],
  ["archive show as mathematics", ["archive", "show", "lines.db", "1", "--export", "math"]],
  ["a search's proposer", ["search", ...data, "--proposer", a]],
  ["eval", ["eval", "-e", line, ...at("1,2"), "--set", "b=1", "--set", `${x}=1,2`]],
  ["eval with a plot", ["eval", "-e", `(* 2 ${written(a)})`, ...at("0:1:0.1"), "--plot"]],
  ["eval without values", ["eval", "-e", line]],
  ["eval of no file", ["eval", `${a}.scm`]],
  ["eval of a word", ["eval", "-e", `(list '${written(a)})`]],
  ["eval of no procedure", ["eval", "-e", `(${written(a)} 1)`]],
  ["eval of a failure", ["eval", "-e", `(car ${written(a)})`, ...at("1")]],
  ["eval of what is not finite", ["eval", "-e", `(log ${written(a)})`, ...at("-1")]],
  ["grad", ["grad", "-e", `(* 2 ${written(a)})`, ...at("1")]],
  ["grad by lane", ["grad", "-e", `(* 2 ${written(a)})`, ...at("1,2")]],
  ["explain", ["explain", "-e", branch, ...at("2")]],
  ["explain without values", ["explain", "-e", branch]],
])("%s", async (_, args) => {
  const { stdout, stderr } = await ndvmHere(args);
  expect(stdout + stderr).not.toBe("");
  expect(`${stdout}\n${stderr}`).not.toMatch(
    new RegExp(`^\\s*(?:warning|error|note): ${FAKE}`, "m"),
  );
});
