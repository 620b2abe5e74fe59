/** `ndvm search`, `report` and `archive`: what they find, print, write and refuse. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SearchDone, SearchEvent } from "@ndvm/search";
import { beforeAll, describe, expect, test } from "vitest";
import { ndvmHere } from "./here.js";
import { folder, ndvm, startNdvm, untilBusy, writeFile } from "./run.js";

const rows = Array.from({ length: 40 }, (_, row) => {
  const x = row / 10;
  return [x, 2 * x + 1, row % 2 ? "a" : "b"];
});

/** A line, a parabola, a program that calls a parameter, and one that never ends. */
const stream = ["(+ a (* b x))", "(* a (square x))", "(a x)", "(loop ((k 0)) (recur (+ k 1)))"];

const search = (...more: string[]): string[] => [
  "search",
  "--data",
  "line.csv",
  "--target",
  "y",
  "--workers",
  "0",
  ...more,
];

const replay = (...more: string[]): string[] =>
  search("--proposer", "replay:stream.jsonl", ...more);

beforeAll(async () => {
  writeFile("line.csv", ["x,y,cell", ...rows.map((row) => row.join(","))].join("\n"));
  writeFile("stream.jsonl", stream.map((source) => JSON.stringify({ source })).join("\n"));
  const { code, stderr } = await ndvmHere(replay("--out", "study.db", "--report", "study.html"));
  expect(stderr).toContain("the study is in study.db: ndvm archive ls study.db");
  expect(code).toBe(0);
});

describe("search", () => {
  test("ends with the front, the model and its constants", async () => {
    const { stdout } = await ndvmHere(replay("--out", "a.db"));
    expect(stdout).toContain("4 candidates in");
    expect(stdout).toContain("2 failed: ");
    expect(stdout).toContain("the proposers have nothing more");
    expect(stdout).toMatch(/^y = (1 \+ 2·x|2·x \+ 1)$/m);
    expect(stdout).toMatch(/^a +1 +0\.98\d* +1\.0\d* +taken as exact$/m);
    expect(stdout).toContain("y over x: data ●, model —");
  });

  test("tells its events as JSON lines, the result last", async () => {
    const { code, stdout, stderr } = await ndvmHere(replay("--out", "b.db", "--json"));
    expect(stderr).toBe("");
    expect(code).toBe(0);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as SearchEvent);
    expect(events[0]?.type).toBe("started");
    expect(events.filter(({ type }) => type === "candidate")).toHaveLength(4);
    const done = events.at(-1) as SearchDone;
    expect(done.type).toBe("done");
    expect(done.best?.source).toBe("(+ a (* b x))");
    expect(done.best?.r2).toBeGreaterThan(0.999999);
    expect(done.counts.failures).toEqual({ "E-ENDLESS": 1, "E-UNBOUND": 1 });
  });

  test("takes the rows asked for, and holds out those asked for", async () => {
    const args = replay("--out", "c.db", "--json", "--where", "cell=a", "--hold-out", "(> x 3)");
    const { stdout } = await ndvmHere(args);
    const [started] = stdout.split("\n").map((line) => JSON.parse(line || "{}"));
    expect(started.rows).toEqual({ train: 15, heldOut: 5 });
  });

  test("says in words and on the page where too few rows are held out", async () => {
    const held = ["--where", "cell=a", "--hold-out", "(> x 3)"];
    const few = await ndvmHere(replay("--out", "few.db", "--report", "few.html", ...held));
    expect(few.stderr).toContain("only 5 rows are held out");
    expect(few.stdout).toContain("To be wary of: only 5 rows are held out");
    expect(readFileSync(join(folder, "few.html"), "utf8")).toContain("only 5 rows are held out");
    const many = await ndvmHere(
      replay("--out", "many.db", "--report", "many.html", "--hold-out", "0.5"),
    );
    expect(many.stderr + many.stdout).not.toContain("rows are held out");
    expect(readFileSync(join(folder, "many.html"), "utf8")).not.toContain("To be wary of");
  });

  test("goes on with a study, and the same bytes come out", async () => {
    // A round is 4 epochs of 16: budgets end with a round, so that a longer one goes on behind it.
    const round = ["--slots", "4", "--seed", "7", "--quiet"];
    await ndvmHere(search("--candidates", "64", "--out", "d.db", ...round));
    await ndvmHere(search("--candidates", "128", "--out", "d.db", "--resume", ...round));
    await ndvmHere(search("--candidates", "128", "--out", "e.db", ...round));
    const [parts, whole] = [
      await ndvmHere(["archive", "export", "d.db"]),
      await ndvmHere(["archive", "export", "e.db"]),
    ];
    expect(whole.stdout.split("\n").length).toBeGreaterThan(128);
    expect(parts.stdout).toBe(whole.stdout);
  });

  test("says that there is nothing to go on with, and begins", async () => {
    const { code, stderr } = await ndvmHere(replay("--out", "new.db", "--resume", "--quiet"));
    expect(stderr).toContain("there is no new.db to go on with: a new study begins");
    expect(code).toBe(0);
  });

  test("a search that scores nothing says why, and exits with 1", async () => {
    writeFile("wrong.jsonl", '{"source": "(foo x)"}\n');
    const wrong = search("--proposer", "replay:wrong.jsonl", "--out", "w.db", "--quiet");
    const { code, stdout } = await ndvmHere(wrong);
    expect(stdout).toContain("1 failed: 1 E-UNBOUND");
    expect(stdout).toContain("No candidate could be scored: see the failures above.");
    expect(code).toBe(1);
  });

  test("Ctrl-C ends it with what was found, and says how to go on", async () => {
    const child = startNdvm(["search", "--data", "line.csv", "--target", "y", "--out", "f.db"]);
    await untilBusy(child);
    child.kill("SIGINT");
    const { code, stdout } = await child.outcome;
    expect(stdout).toContain("interrupted; everything reported is kept");
    expect(code).toBe(130);
    expect(ndvm(["archive", "ls", "f.db"]).stdout).toMatch(/candidates, .* fits in/);
  });
});

describe("search refuses", () => {
  const refusals: [string, string[], string][] = [
    ["a target that is not there", search("--target", "z", "--out", "n.db"), "no column z"],
    ["a file that is there", replay("--out", "study.db"), "study.db is there already"],
    [
      "a proposer nobody knows",
      search("--proposer", "magic", "--out", "n.db"),
      'no proposer "magic"',
    ],
    ["one named twice", search("--proposer", "evolve,evolve", "--out", "n.db"), "evolve twice"],
    ["replay without a file", search("--proposer", "replay", "--out", "n.db"), "replay:FILE"],
    ["words as an input", search("--inputs", "cell", "--out", "n.db"), "is not a number"],
    ["resuming nothing", search("--resume"), "--resume needs the study"],
    ["a list that is none", search("--proposer", "replay:line.csv", "--out", "n.db"), "line 1"],
    ["an operator nobody knows", search("--ops", "+,sine", "--out", "n.db"), "did you mean sin?"],
  ];
  test.each(refusals)("%s", async (_, args, words) => {
    const { code, stderr } = await ndvmHere(args);
    expect(stderr).toContain(words);
    expect(code).toBeGreaterThan(0);
  });

  test("a number that is not finite, by the file's own rows", async () => {
    writeFile("infinite.csv", "x,y\n0,1\n1,\n2,inf\n3,4\n4,5\n5,7\n");
    const { code, stderr } = await ndvmHere(["search", "--data", "infinite.csv", "--target", "y"]);
    expect(stderr).toContain("error E-INPUT: column y holds Infinity in row 3 (line 4)");
    expect(stderr).toContain("--where '(finite? y)'");
    expect(code).toBe(1);
  });

  test("a language model without an address", () => {
    const none = { NDVM_LLM_MODEL: "", NDVM_LLM_BASE_URL: "", OPENAI_BASE_URL: "" };
    const { code, stderr } = ndvm(search("--proposer", "llm", "--out", "n.db"), "", none);
    expect(stderr).toContain("the llm proposer has no model");
    expect(stderr).toContain("NDVM_LLM_BASE_URL");
    expect(code).toBe(2);
  });
});

describe("archive", () => {
  test("ls shows the front, all candidates or the best", async () => {
    const front = await ndvmHere(["archive", "ls", "study.db"]);
    expect(front.stdout).toContain("4 candidates");
    const all = await ndvmHere(["archive", "ls", "study.db", "--all"]);
    expect(all.stdout).toContain("E-UNBOUND");
    expect(all.stdout).toContain("E-ENDLESS");
    const best = await ndvmHere(["archive", "ls", "study.db", "--best", "1", "--json"]);
    expect(JSON.parse(best.stdout).source).toBe("(+ a (* b x))");
  });

  test("show tells about a candidate, and exports its model", async () => {
    const { stdout } = await ndvmHere(["archive", "show", "study.db", "0"]);
    expect(stdout).toContain("(+ a (* b x))");
    expect(stdout).toMatch(/^on the front, fitted to all rows: \(.*; -?[\d.]+ bits$/m);
    expect(stdout).toContain("held-out R² 1.000000");
    const failed = await ndvmHere(["archive", "show", "study.db", "2"]);
    expect(failed.stdout).toContain("with E-UNBOUND");
    const python = await ndvmHere(["archive", "show", "study.db", "0", "--export", "numpy"]);
    expect(python.stdout).toContain("def model");
  });

  test.each([
    ["a candidate that is not there", ["archive", "show", "study.db", "99"], "no candidate 99"],
    ["a file that is no archive", ["archive", "ls", "line.csv"], "line.csv is not an archive"],
    ["a folder", ["archive", "ls", "."], "cannot read .: it is a folder"],
    ["a page about a table", ["report", "line.csv"], "line.csv is not an archive"],
    ["a file that is not there", ["archive", "ls", "none.db"], "there is no archive none.db"],
    ["no fit to export", ["archive", "show", "study.db", "2", "--export", "math"], "no fit"],
  ])("refuses %s", async (_, args, words) => {
    const { code, stderr } = await ndvmHere(args);
    expect(stderr).toContain(words);
    expect(code).toBeGreaterThan(0);
  });
});

test("report writes one page that asks the network for nothing", async () => {
  const { code, stderr } = await ndvmHere(["report", "study.db", "-o", "again.html"]);
  expect(stderr).toContain("wrote again.html");
  expect(code).toBe(0);
  const page = readFileSync(join(folder, "again.html"), "utf8");
  for (const title of ["The model", "The front", "Discovery", "Throughput", "Failures"]) {
    expect(page).toContain(`<h2>${title}</h2>`);
  }
  expect(page).toContain("Where it comes from");
  expect(page).not.toMatch(/(src|href)="https?:/);
  expect(page).toContain("<svg");
});
