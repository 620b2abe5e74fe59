/** What the command says when something is wrong, on which stream, and with which exit code. */

import { describe, expect, test } from "vitest";
import { ndvm, startNdvm, untilBusy, writeFile } from "./run.js";

const forever = "(loop ((x 1.0)) (recur (+ x 1.0)))";

describe("usage, exit code 2", () => {
  test.each([
    ["no command", []],
    ["an unknown command", ["evla"]],
    ["an unknown option", ["eval", "--presicion", "f32", "-e", "1"]],
    ["a bad choice", ["eval", "-e", "1", "--precision", "f16"]],
    ["a bad size", ["eval", "-e", "1", "--memory", "lots"]],
    ["too little memory", ["eval", "-e", "1", "--memory", "1K"]],
    ["a bad time", ["eval", "-e", "1", "--timeout", "soon"]],
    ["a bad step count", ["eval", "-e", "1", "--steps", "-3"]],
    ["--set without a value", ["eval", "-e", "a", "--set", "a"]],
    ["--set with a word", ["eval", "-e", "a", "--set", "a=fast"]],
    ["a range that goes the wrong way", ["eval", "-e", "a", "--set", "a=0:1:-1"]],
    ["a range of step 0", ["eval", "-e", "a", "--set", "a=0:1:0"]],
    ["brackets that do not close", ["eval", "-e", "a", "--set", "a=[1,2"]],
    ["a ragged matrix", ["eval", "-e", "a", "--set", "a=[[1,2],[3]]"]],
    ["an integer that is none", ["eval", "-e", "n", "--int", "n=1.5"]],
    ["an input set twice", ["eval", "-e", "a", "--set", "a=1", "--set", "a=2"]],
    ["a program from two places", ["eval", "x.scm", "-e", "1"]],
  ])("%s", (_, args) => {
    const { code, stdout, stderr } = ndvm(args);
    expect(stderr).not.toBe("");
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  test("a misspelt command or option gets a suggestion", () => {
    expect(ndvm(["evla"]).stderr).toContain("Did you mean eval?");
    expect(ndvm(["eval", "--presicion", "f32"]).stderr).toContain("Did you mean --precision?");
  });
});

describe("slips in typing get what was meant, exit code 2", () => {
  const model = ["eval", "-e", "(+ r x)"];
  const table = ["fit", "-e", "(* a t)", "--data", "d.csv", "--target", "y"];
  const study = ["search", "--data", "d.csv", "--target", "y"];
  const slips: [string, string[], string][] = [
    ["one --set for two inputs", [...model, "--set", "r=1", "x=2"], "its own, --set x=2"],
    ["no --set at all", [...model, "r=1"], "its own, --set r=1"],
    ["no --set behind a file", ["eval", "model.scm", "r=1"], "its own, --set r=1"],
    ["a blank for =", [...model, "--set", "r", "1"], "without blanks: --set r=1"],
    ["blanks around =", [...model, "--set", "r", "=", "1"], "without blanks: --set r=1"],
    ["a blank behind =", [...model, "--set", "r=", "-1"], "without blanks: --set r=-1"],
    ["one dash", [...model, "-set", "r=1"], "write --set, not -set"],
    ["an input as an option", [...model, "--r=1"], "an input is set by --set r=1"],
    ["a misspelt option with =", [...model, "--presicion=f32"], "did you mean --precision?"],
    ["a dash for a minus", [...model, "--set", "r=\u22121.5"], "its minus is a dash; type -"],
    ["a range of step 0", [...model, "--set", "r=0:1:0"], "the step of the range r=0:1:0 is 0"],
    ["one --param for two", [...table, "--param", "a=1", "b=2"], "its own, --param b=2"],
    ["a blank in a time", [...table, "--time", "10", "s"], "the blank, --time 10s"],
    ["no restarts", [...table, "--restarts", "0"], "a whole number, 1 or more"],
    ["a blank in a budget", [...study, "--budget", "10", "m"], "the blank, --budget 10m"],
    ["--resume with a file", [...study, "--resume", "s.db"], "by --out s.db --resume"],
    ["a table without --data", ["search", "d.csv", "--target", "y"], "named by --data d.csv"],
  ];
  test.each(slips)("%s", (_, args, words) => {
    const { code, stdout, stderr } = ndvm(args);
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  test("a file whose name has = in it is a file", () => {
    writeFile("a=1.scm", "(+ 1 2)");
    expect(ndvm(["eval", "a=1.scm"])).toMatchObject({ code: 0, stdout: "3\n" });
  });
});

describe("ways out are given in the words of the command line", () => {
  const list = ["grad", "-e", "(list x 2)", "--set", "x=1"];
  const ways: [string, string[], string][] = [
    ["a missing input", ["eval", "-e", "(+ r x)", "--set", "x=1"], "give it one: --set r=1;"],
    [
      "unequal lanes",
      ["eval", "-e", "(+ a b)", "--set", "a=1,2", "--set", "b=1,2,3"],
      "--set v='[",
    ],
    ["time", ["eval", "-e", forever, "--timeout", "50ms"], "raise --timeout"],
    ["steps", ["eval", "-e", forever, "--steps", "500"], "raise --steps"],
    ["recursion", ["eval", "-e", "(define (f n) (+ 1 (f n))) (f 1)"], "raise --memory"],
    ["a list to differentiate", list, "help: only numbers, vectors and matrices have values"],
    ["a vector to differentiate", ["grad", "-e", "[x 2]", "--set", "x=1"], "--seed-adjoint 1,0"],
  ];
  test.each(ways)("%s", (_, args, words) => {
    const { code, stderr } = ndvm(args);
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/Max\b|vec\(|datum/);
    expect(code).toBe(1);
  });
});

describe("help and version, exit code 0", () => {
  test.each([[[]], [["eval"]], [["grad"]], [["explain"]], [["repl"]]])("%j --help", (command) => {
    const { code, stdout, stderr } = ndvm([...command, "--help"]);
    expect(stdout).toContain("Usage: ndvm");
    expect(stdout).toContain("Examples:");
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  test("--version prints a version", () => {
    expect(ndvm(["--version"]).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("programs, exit code 1", () => {
  test("a syntax error shows file, line and caret on stderr", () => {
    writeFile("broken.scm", "(+ 1\n   (* 2 3)\n");
    const { code, stdout, stderr } = ndvm(["eval", "broken.scm"]);
    expect(stderr).toContain("broken.scm:1:1: error E-SYNTAX");
    expect(stderr).toMatch(/\| \^/);
    expect(stdout).toBe("");
    expect(code).toBe(1);
  });

  test.each([
    ["E-SYNTAX", ["-e", ""]],
    ["E-UNBOUND", ["-e", "(sinn 1)"]],
    ["E-TYPE", ["-e", "(car 5)"]],
    ["E-REFUSED", ["-e", "(set! x 1)"]],
    ["E-INPUT", ["-e", "(* a b)", "--set", "a=1"]],
    ["E-INPUT", ["-e", "(* a 2)", "--set", "a=1", "--set", "b=1"]],
    ["E-INPUT", ["-e", "(* a b)", "--set", "a=1,2", "--set", "b=1,2,3"]],
    ["E-STEPS", ["-e", forever, "--steps", "1e5"]],
    ["E-TIME", ["-e", forever, "--timeout", "200ms"]],
  ])("%s for %j", (expected, args) => {
    const { code, stdout, stderr } = ndvm(["eval", ...args]);
    expect(stderr).toContain(`error ${expected}`);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(stdout).toBe("");
    expect(code).toBe(1);
  });

  test("a memory budget ends a program that conses forever", () => {
    const bomb = "(loop ((l '())) (recur (cons 1.5 l)))";
    const { code, stderr } = ndvm(["eval", "-e", bomb, "--memory", "16M"]);
    expect(stderr).toMatch(/error E-MEMORY/);
    expect(code).toBe(1);
  });
});

describe("files, exit code 1", () => {
  const fails = (args: readonly string[]): string => {
    const { code, stdout, stderr } = ndvm(["eval", ...args]);
    expect(stderr).toContain("error E-FILE");
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(stdout).toBe("");
    expect(code).toBe(1);
    return stderr;
  };
  const column = (reference: string): string => fails(["-e", "x", "--set", `x=@${reference}`]);

  test("a program or data file that does not exist", () => {
    expect(fails(["missing.scm"])).toContain("missing.scm");
    expect(column("missing.csv:x")).toContain("missing.csv");
    expect(column("missing.csv")).toContain("missing.csv");
  });

  test("a folder in place of a file", () => {
    expect(fails(["."])).toContain("folder");
  });

  test("text that is not UTF-8", () => {
    writeFile("latin.scm", Uint8Array.of(0x28, 0xe9, 0x29));
    writeFile("latin.csv", Uint8Array.of(0x78, 0x0a, 0xff, 0x0a));
    expect(fails(["latin.scm"])).toContain("not UTF-8");
    expect(column("latin.csv:x")).toContain("not UTF-8");
  });

  test("a column that is not there, with the nearest name", () => {
    writeFile("people.csv", "height,weight\n1,2\n");
    expect(column("people.csv:heigth")).toContain("did you mean height?");
    expect(column("people.csv:zzz")).toContain("its columns are height, weight");
  });

  test.each([
    ["empty.csv", "", "empty"],
    ["head.csv", "x,y\n", "no rows"],
    ["ragged.csv", "x,y\n1,2\n3\n", "line 3 has 1 cell, line 1 has 2"],
    ["last.csv", "x,y\n1,2\n3", "line 3 has 1 cell,"],
    ["word.csv", "x\n1\ntwo\n", 'row 2 (line 3), column x: "two" is not a number'],
    ["quote.csv", 'x\n"1\n', "line 2: a quote is opened and never closed"],
    ["after.csv", 'x\n"1"2\n', "line 2: text follows a closing quote"],
    ["bare.csv", "1,2\n3,4\n", "not column names"],
    ["twice.csv", "x,x\n1,2\n", "two columns are called x"],
    ["bad.json", '{"x": [1,', "not JSON"],
    ["uneven.json", '{"x": [1], "y": [1, 2]}', "x has 1 rows, y has 2"],
    ["word.json", '{"x": [{}]}', 'row 1, column x: "{}" is not a number'],
    ["flat.json", "3", "not a table"],
  ])("%s is not a table", (name, content, message) => {
    writeFile(name, content);
    expect(column(`${name}:x`)).toContain(message);
  });

  test("arrays inside one another are no matrix, however deep: a message wrote them out", () => {
    writeFile("deep.json", `${"[".repeat(100_000)}1${"]".repeat(100_000)}`);
    const { code, stderr } = ndvm(["eval", "-e", "(* A 1)", "--set", "A=@deep.json"]);
    expect([code, stderr]).toEqual([
      1,
      "error E-FILE: deep.json: [0,0]: an array is not a number\n",
    ]);
  });

  test("a missing cell is NaN, also where a line is blank in a table of one column", () => {
    writeFile("gaps.csv", "x,y\n1,\n2,na\n");
    writeFile("gap.csv", "x\n1\n\n3\n\n");
    const values = (reference: string): unknown =>
      JSON.parse(ndvm(["eval", "-e", "x", "--set", `x=@${reference}`, "--format", "json"]).stdout)
        .values;
    expect(values("gaps.csv:y")).toEqual(["NaN", "NaN"]);
    expect(values("gap.csv:x")).toEqual([1, "NaN", 3]);
  });
});

test("Ctrl-C ends an endless loop with exit code 130 and a message", async () => {
  const child = startNdvm(["eval", "-e", forever, "--steps", "1e15", "--stats"]);
  child.stdin?.end();
  await untilBusy(child);
  child.kill("SIGINT");
  const { code, stdout, stderr } = await child.outcome;
  expect(stderr).toContain("error E-ABORTED: the evaluation was interrupted");
  expect(stderr).toContain("help: it was Ctrl-C; --timeout 5s");
  expect(stdout).toBe("");
  expect(code).toBe(130);
});

test("colour appears only on a terminal", () => {
  const { stderr } = ndvm(["eval", "-e", "("], "", { NO_COLOR: "" });
  expect(stderr).not.toContain("\u001b[");
});
