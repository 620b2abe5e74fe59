/** What `ndvm fit` says about bad input: every message as it stands, and its exit code. */

import { describe, expect, test } from "vitest";
import { ndvmHere } from "./here.js";
import { folder, writeFile } from "./run.js";

const table = "t,y,cell\n0,3,a\n1,2,b\n2,1.3,a\n3,0.9,b\n4,0.6,a\n";

/** The error alone: stdout must be empty, and no stack may show. */
async function failure(args: readonly string[], expected: number): Promise<string> {
  writeFile("data.csv", table);
  const { code, stdout, stderr } = await ndvmHere(["fit", ...args]);
  expect(stderr).not.toMatch(/\n {4}at /);
  expect(stdout).toBe("");
  expect(code).toBe(expected);
  return stderr.trimEnd().replaceAll(folder, "FOLDER");
}

const line = (...more: string[]): string[] => ["-e", "(* a t)", "--data", "data.csv", ...more];
const toY = (...more: string[]): string[] => line("--target", "y", ...more);
const ofFile = (content: string | Uint8Array, source = "(* a t)", ...more: string[]): string[] => {
  writeFile("own.csv", content);
  return ["-e", source, "--data", "own.csv", "--target", "y", ...more];
};

describe("the data", () => {
  test("a column that is not there", async () => {
    expect(await failure(line("--target", "yy"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: data.csv: there is no column yy, which is to be the target
        help: did you mean y? its columns are t, y, cell"
    `);
    expect(await failure(toY("--sigma", "sd"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: data.csv: there is no column sd, which is to hold the sigma
        help: its columns are t, y, cell"
    `);
    expect(await failure(toY("--group", "cel:a"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: data.csv: there is no column cel, which is to name the groups
        help: did you mean cell? its columns are t, y, cell"
    `);
    expect(await failure(toY("--x", "time"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: data.csv: there is no column time, which is to be the axis (--x)
        help: its columns are t, y, cell"
    `);
    expect(await failure(toY("--column", "time=tt"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: data.csv: there is no column tt to call time
        help: did you mean t?"
    `);
  });

  test("text in a column of numbers", async () => {
    const words = "t,y\n0,3\n1,two\n2,1\n3,few\n";
    expect(await failure(ofFile(words), 1)).toMatchInlineSnapshot(`
      "error E-FILE: own.csv: row 2 (line 3), column y: "two" is not a number, nor is 1 more of its cells
        help: correct it, leave the row out with --where, or count it as missing: --na two"
    `);
    const dash = "t,y\n0,3\n1,\u22122.5\n2,1\n";
    expect(await failure(ofFile(dash), 1)).toMatchInlineSnapshot(`
      "error E-FILE: own.csv: row 2 (line 3), column y: "−2.5" is not a number
        help: its minus is a dash: replace it by - in the whole file"
    `);
    expect(await failure(ofFile("t,y\n0,3\n1,inf\n2,1\n"), 1)).toMatchInlineSnapshot(`
      "error E-INPUT: column y holds Infinity in row 2 (line 3)
        help: a fit needs finite numbers: count the cell as missing by --na inf, or leave the row out by --where"
    `);
    const dates = "t,y\n01/02/2020,3\n01/03/2020,2\n";
    expect(await failure(ofFile(dates), 1)).toMatchInlineSnapshot(`
      "error E-FILE: own.csv: row 1 (line 2), column t: "01/02/2020" is not a number, nor is 1 more of its cells
        help: write dates as 2024-03-01, all of them, or add a column that counts days or years"
    `);
    const units = "t,y\n0 s,3\n1 s,2\n";
    expect(await failure(ofFile(units), 1)).toMatchInlineSnapshot(`
      "error E-FILE: own.csv: row 1 (line 2), column t: "0 s" is not a number, nor is 1 more of its cells
        help: leave out units and signs after the number"
    `);
    const thousands = 't,y\n"1,000",3\n"2,000",2\n';
    expect(await failure(ofFile(thousands), 1)).toMatchInlineSnapshot(`
      "error E-FILE: own.csv: row 1 (line 2), column t: "1,000" is not a number, nor is 1 more of its cells
        help: write numbers as 1234.5, without other marks"
    `);
    expect(await failure(line("--target", "cell"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: data.csv: row 1 (line 2), column cell: "a" is not a number, nor are 4 more of its cells
        help: the column holds words: --where cell=a takes rows by them, --group cell:… makes groups of them"
    `);
  });

  test("missing values, with --missing error", async () => {
    const gaps = "t,y\n0,3\n1,NA\n2,\n3,0.9\n";
    const args = ofFile(gaps, "(* a t)", "--missing", "error");
    expect(await failure(args, 1)).toMatchInlineSnapshot(`
      "error E-FILE: own.csv: column y has no value in rows 2, 3 (lines 3, 4)
        help: fill them in, or leave these rows out: --missing omit"
    `);
  });

  test("nothing but missing values", async () => {
    expect(await failure(ofFile("t,y\n0,NA\n1,\n"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: own.csv: no row is left of 2: 2 have missing values
        help: check --where and --na"
    `);
  });

  test("too few points for the parameters", async () => {
    const cubic = "(+ a (* b t) (* c t t) (* d t t t))";
    const few = "t,y\n0,3\n1,2\n2,1\n3,NA\n";
    expect(await failure(ofFile(few, cubic), 1)).toMatchInlineSnapshot(`
      "error E-INPUT: there are 3 points for 4 parameters
        help: 1 of 4 rows are left out; give more rows, or fix some parameters"
    `);
  });

  test("a file that is not a table", async () => {
    const prose = "Dear reader,\nthis is, as you see, prose.\n";
    expect(await failure(ofFile(prose), 1)).toMatchInlineSnapshot(`
      "error E-FILE: own.csv: not a table: line 2 has 3 cells, line 1 has 2
        help: cells that hold the mark between cells stand in quotes"
    `);
    expect(await failure(ofFile(""), 1)).toMatchInlineSnapshot(
      `
      "error E-FILE: own.csv: not a table: the file is empty
        help: a table has a row of names and then rows of numbers"
    `,
    );
    expect(await failure(ofFile("t,y\n"), 1)).toMatchInlineSnapshot(
      `
      "error E-FILE: own.csv: the table has no rows
        help: a table has a row of names and then rows of numbers"
    `,
    );
    expect(await failure(ofFile("1,2\n3,4\n"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: own.csv: not a table: the first row holds numbers, not column names
        help: add a first row that names the columns"
    `);
    expect(await failure(ofFile("t,y\n1,2,3\n"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: own.csv: not a table: line 2 has 3 cells, line 1 has 2
        help: cells that hold the mark between cells stand in quotes"
    `);
    expect(await failure(ofFile("t,t\n1,2\n"), 1)).toMatchInlineSnapshot(
      `
      "error E-FILE: own.csv: two columns are called t
        help: rename one of them in the file's first row"
    `,
    );
    expect(await failure(ofFile('t,y\n"1,2\n'), 1)).toMatchInlineSnapshot(
      `"error E-FILE: own.csv: line 2: a quote is opened and never closed"`,
    );
  });

  test("a workbook, bytes that are no text, a file that is not there, a folder", async () => {
    const workbook = Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0);
    expect(await failure(ofFile(workbook), 1)).toMatchInlineSnapshot(`
      "error E-FILE: own.csv: not a readable XLSX file: invalid zip data
        help: the file may be damaged or cut off; write it again"
    `);
    expect(await failure(ofFile(Uint8Array.of(0x74, 0xff, 0x0a)), 1)).toMatchInlineSnapshot(`
      "error E-FILE: own.csv: not UTF-8 text
        help: save it as UTF-8, or check that it is the file you meant"
    `);
    const at = (file: string): string[] => ["-e", "(* a t)", "--data", file, "--target", "y"];
    expect(await failure(at("none.csv"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: cannot read none.csv: there is no such file
        help: the path is taken relative to FOLDER"
    `);
    expect(await failure(at("."), 1)).toMatchInlineSnapshot(`
      "error E-FILE: cannot read .: it is a folder
        help: the path is taken relative to FOLDER"
    `);
  });

  test("JSON that is no table", async () => {
    const at = (file: string, text: string): string[] => {
      writeFile(file, text);
      return ["-e", "(* a t)", "--data", file, "--target", "y"];
    };
    expect(await failure(at("a.json", "[1, 2]"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: a.json: not a table: row 1 is not an object
        help: a table in JSON is an object of arrays or an array of objects"
    `);
    expect(await failure(at("b.json", '{"t": [1], "y": [1, 2]}'), 1)).toMatchInlineSnapshot(
      `"error E-FILE: b.json: not a table: t has 1 rows, y has 2"`,
    );
    expect(await failure(at("c.json", '{"t": [1], "y": 2}'), 1)).toMatchInlineSnapshot(
      `"error E-FILE: c.json: not a table: y is not an array"`,
    );
    expect(await failure(at("d.json", '[{"t": 1, "y": {}}]'), 1)).toMatchInlineSnapshot(`
      "error E-FILE: d.json: row 1, column y: "{}" is not a number
        help: the column holds words: --where y='{}' takes rows by them, --group y:… makes groups of them"
    `);
    expect(await failure(at("e.json", "{"), 1)).toContain("e.json: not JSON");
    expect(await failure(at("f.jsonl", '{"t": 1}\n3\n'), 1)).toMatchInlineSnapshot(
      `
      "error E-FILE: f.jsonl: not a table: line 2 is not an object
        help: a table in JSON is an object of arrays or an array of objects"
    `,
    );
  });

  test("tests of rows that are none, and rows that are all gone", async () => {
    expect(await failure(toY("--where", "t >= 2"), 2)).toContain(
      `--where needs a test '(>= t 2)', got "t >= 2"`,
    );
    expect(await failure(toY("--where", "t==2"), 2)).toContain("--where has one =: t=2");
    expect(await failure(toY("--where", "(> tt 1)"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: data.csv: there is no column tt, which --where uses
        help: did you mean t? its columns are t, y, cell"
    `);
    expect(await failure(toY("--where", "(> t"), 1)).toMatchInlineSnapshot(`
      "--where:1:1: error E-SYNTAX: this ( is never closed
        1 | (> t
          | ^
        help: ) missing before the end"
    `);
    expect(await failure(toY("--where", "(> t 100)"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: data.csv: no row is left of 5: 5 do not pass --where
        help: check --where and --na"
    `);
    expect(await failure(toY("--where", "(> cell 1)"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: data.csv: row 1 (line 2), column cell: "a" is not a number, nor are 4 more of its cells
        help: the column holds words: --where cell=a takes rows by them, --group cell:… makes groups of them"
    `);
    expect(await failure(toY("--where", "(+ t 1)"), 2)).toMatchInlineSnapshot(`
      "error: --where '(+ t 1)' is not a test: its value is a number, not true or false
      (add --help for all options)"
    `);
    expect(await failure(toY("--where", "t"), 2)).toMatchInlineSnapshot(`
      "error: --where needs a test such as '(> t 2)' or cell=word, got "t"
      (add --help for all options)"
    `);
    expect(await failure(toY("--where", "(> 1 2)"), 2)).toMatchInlineSnapshot(`
      "error: --where '(> 1 2)' uses no column of data.csv
      (add --help for all options)"
    `);
    expect(await failure(toY("--hold-out", "3"), 2)).toMatchInlineSnapshot(`
      "error: --hold-out needs a share between 0 and 1, got 3
      (add --help for all options)"
    `);
    expect(await failure(toY("--hold-out", "1..5"), 2)).toMatchInlineSnapshot(`
      "error: --hold-out 1..5 holds out every row of 5
      (add --help for all options)"
    `);
    expect(await failure(toY("--hold-out", "part"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: data.csv: there is no column part, which is to say what is held out
        help: its columns are t, y, cell"
    `);
  });
});

describe("the parameters", () => {
  test("one that the program never uses", async () => {
    expect(await failure(toY("--param", "k=1"), 1)).toMatchInlineSnapshot(`
      "error E-INPUT: the program never uses the parameter k
        help: its free names are a, t"
    `);
    const slope = ["-e", "(* slope t)", "--data", "data.csv", "--target", "y"];
    expect(await failure([...slope, "--param", "slop=1"], 1)).toMatchInlineSnapshot(`
      "error E-INPUT: the program never uses the parameter slop
        help: did you mean slope, which the program uses?"
    `);
  });

  test("a name that looks like a slip of a column", async () => {
    writeFile("own.csv", "dose,y\n0,3\n1,2\n");
    const args = ["-e", "(* a dosee)", "--data", "own.csv", "--target", "y"];
    expect(await failure(args, 1)).toMatchInlineSnapshot(`
      "error E-INPUT: the program uses dosee, which is neither a column nor a declared parameter
        help: did you mean the column dose? If dosee is a parameter, declare it: --param dosee"
    `);
  });

  test("a start outside its bounds", async () => {
    const args = toY("--param", "a=5", "--bound", "a=0..1");
    expect(await failure(args, 1)).toMatchInlineSnapshot(`
      "error E-INPUT: the start of parameter a is 5, outside its bounds 0 to 1
        help: start inside the bounds"
    `);
  });

  test("bounds that contradict each other", async () => {
    expect(await failure(toY("--bound", "a=5..1"), 1)).toMatchInlineSnapshot(`
      "error E-INPUT: the bounds of parameter a contradict each other: 5 is not below 1
        help: the lower bound comes first"
    `);
    expect(await failure(toY("--bound", "a=1..1"), 1)).toMatchInlineSnapshot(`
      "error E-INPUT: the bounds of parameter a contradict each other: 1 is not below 1
        help: to keep it there: --fix a=1"
    `);
  });

  test("values that are none", async () => {
    expect(await failure(toY("--param", "a="), 2)).toMatchInlineSnapshot(`
      "error: --param needs name=value, got "a="
      (add --help for all options)"
    `);
    expect(await failure(toY("--param", "a=big"), 2)).toMatchInlineSnapshot(`
      "error: --param needs a start (a=0.5) or a range (a=0.01..10), got "a=big"
      (add --help for all options)"
    `);
    expect(await failure(toY("--param", "a=0.."), 2)).toMatchInlineSnapshot(`
      "error: --param a=0.. has one end only; for a limit write --bound a=0..
      (add --help for all options)"
    `);
    expect(await failure(toY("--param", "a=1", "--param", "a=2"), 2)).toMatchInlineSnapshot(`
      "error: --param gives a a start twice
      (add --help for all options)"
    `);
    expect(await failure(toY("--bound", "a=1"), 2)).toMatchInlineSnapshot(`
      "error: --bound needs a=0..1, a=0.. or a=..5, got "a=1"
      (add --help for all options)"
    `);
    expect(await failure(toY("--fix", "a=x"), 2)).toMatchInlineSnapshot(`
      "error: --fix needs a=number, got "a=x"
      (add --help for all options)"
    `);
    expect(await failure(toY("--group", "cell"), 2)).toMatchInlineSnapshot(`
      "error: --group needs column:parameters such as cell:a,b, got "cell"
      (add --help for all options)"
    `);
    expect(await failure(toY("--fix", "a=1"), 1)).toMatchInlineSnapshot(`
      "error E-INPUT: the program has no parameter to fit
        help: all of its names are columns or fixed"
    `);
  });
});

describe("the program", () => {
  const rows = "t,y\n1,1\n-1,1\n4,2\n-9,3\n";

  test("one that fails on some rows", async () => {
    const source = "(* a (car (if (< t 0) (list) (list t))))";
    expect(await failure(ofFile(rows, source), 1)).toMatchInlineSnapshot(`
      "program:1:6: error E-TYPE: the program fails on rows 2, 4 (lines 3, 5) at a = 1: car needs a pair, got the empty list
        1 | (* a (car (if (< t 0) (list) (list t))))
          |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        help: the list is empty here; test with null? first"
    `);
  });

  test("rows are counted as the file has them, also where some are left out", async () => {
    const gap = "t,y\n1,NA\n\n4,2\n-9,3\n";
    expect(await failure(ofFile(gap, "(* a (sqrt t))"), 1)).toMatchInlineSnapshot(`
      "program:1:6: error E-INPUT: the prediction is not finite on row 3 (line 5) at a = 1: it is NaN, first made so by (sqrt t)
        1 | (* a (sqrt t))
          |      ^^^^^^^^
        help: start elsewhere, draw starts from a range, or bound the parameters, or leave these rows out with --where"
    `);
  });

  test("a prediction or loss that is not finite at the start", async () => {
    expect(await failure(ofFile(rows, "(* a (sqrt t))"), 1)).toMatchInlineSnapshot(`
      "program:1:6: error E-INPUT: the prediction is not finite on rows 2, 4 (lines 3, 5) at a = 1: it is NaN, first made so by (sqrt t)
        1 | (* a (sqrt t))
          |      ^^^^^^^^
        help: start elsewhere, draw starts from a range, or bound the parameters, or leave these rows out with --where"
    `);
    expect(await failure(["-e", "(log (- a 5))"], 1)).toMatchInlineSnapshot(`
      "program:1:1: error E-INPUT: the loss is not finite at a = 1: it is NaN, first made so by (log (- a 5))
        1 | (log (- a 5))
          | ^^^^^^^^^^^^^
        help: start elsewhere, draw starts from a range, or bound the parameters"
    `);
  });

  test("predictions without --target", async () => {
    expect(await failure(line(), 1)).toMatchInlineSnapshot(`
      "error E-RESULT: the program's value is a vector of 5
        help: without --target the program's value is the loss, one number; for predictions of a column give --target y"
    `);
  });

  test("one that reads the target", async () => {
    expect(await failure(ofFile(rows, "(* a y)"), 1)).toMatchInlineSnapshot(`
      "error E-INPUT: the program reads the target y itself
        help: a prediction is made without it; leave out --target where the program's value is the loss"
    `);
  });

  test("one without parameters, and one with a mistake", async () => {
    expect(await failure(ofFile(rows, "(* 2 t)"), 1)).toMatchInlineSnapshot(`
      "error E-INPUT: the program has no parameter to fit
        help: all of its names are columns or fixed"
    `);
    expect(await failure(ofFile(rows, "(* a t"), 1)).toMatchInlineSnapshot(`
      "program:1:1: error E-SYNTAX: this ( is never closed
        1 | (* a t
          | ^
        help: ) missing before the end"
    `);
    expect(await failure(["none.scm", "--data", "data.csv"], 1)).toMatchInlineSnapshot(`
      "error E-FILE: cannot read none.scm: there is no such file
        help: the path is taken relative to FOLDER"
    `);
  });
});

describe("the options", () => {
  test("misspelt ones get a suggestion", async () => {
    expect(await failure(toY("--restart", "3"), 2)).toMatchInlineSnapshot(`
      "error: unknown option '--restart'
      (Did you mean --restarts?)
      (add --help for all options)"
    `);
    expect(await failure(toY("--optimizer", "lm"), 2)).toMatchInlineSnapshot(`
      "error: unknown option '--optimizer'
      (Did you mean --optimiser?)
      (add --help for all options)"
    `);
    expect(await failure(toY("--optimiser", "lbgfs"), 2)).toMatchInlineSnapshot(`
      "error: option '--optimiser <name>' argument 'lbgfs' is invalid. Allowed choices are auto, lm, lbfgs, adam.
      (add --help for all options)"
    `);
    expect(await failure(toY("--loss", "hubre"), 2)).toMatchInlineSnapshot(`
      "error: there is no loss hubre; did you mean huber? The losses are squares, absolute, huber, poisson, binomial, or an expression such as '(abs (- pred y))'
      (add --help for all options)"
    `);
    expect(await failure(toY("--export", "pyton"), 2)).toMatchInlineSnapshot(`
      "error: --export has no format pyton. The formats are scheme, json, js, latex, sympy, numpy, math
      (add --help for all options)"
    `);
  });

  test("values that make no sense", async () => {
    expect(await failure(toY("--restarts", "0"), 2)).toMatchInlineSnapshot(`
      "error: option '--restarts <n>' argument '0' is invalid. It must be a whole number, 1 or more, such as 32 or 1e6.
      (add --help for all options)"
    `);
    expect(await failure(toY("--level", "95"), 2)).toMatchInlineSnapshot(`
      "error: option '--level <p>' argument '95' is invalid. It must lie between 0 and 1, such as 0.95, or be 95%.
      (add --help for all options)"
    `);
    expect(await failure(toY("--seed", "one"), 2)).toMatchInlineSnapshot(`
      "error: option '--seed <n>' argument 'one' is invalid. It must be a number.
      (add --help for all options)"
    `);
    expect(await failure(toY("--time", "soon"), 2)).toMatchInlineSnapshot(`
      "error: option '--time <time>' argument 'soon' is invalid. It must be a time such as 5s or 250ms.
      (add --help for all options)"
    `);
    expect(await failure(toY("--huber-width", "-1", "--loss", "huber"), 2)).toMatchInlineSnapshot(`
      "error E-OPTION: --huber-width is -1
        help: it must be above 0"
    `);
    expect(await failure(toY("--loss", "poisson", "--optimiser", "lm"), 2)).toMatchInlineSnapshot(`
      "error E-OPTION: lm is for least squares
        help: take lbfgs for this loss"
    `);
  });

  test("options that need others", async () => {
    expect(await failure(["-e", "(* a t)", "--target", "y"], 2)).toMatchInlineSnapshot(`
      "error: --target needs --data
      (add --help for all options)"
    `);
    expect(await failure(line("--hold-out", "0.2"), 2)).toMatchInlineSnapshot(`
      "error: --hold-out needs --target
      (add --help for all options)"
    `);
    expect(await failure(line("--loss", "huber"), 2)).toMatchInlineSnapshot(`
      "error: --loss needs --target
      (add --help for all options)"
    `);
    expect(await failure(toY("--sigma", "1", "--weights", "t"), 2)).toMatchInlineSnapshot(`
      "error: --sigma and --weights both say how much rows count; give one of them
      (add --help for all options)"
    `);
    expect(await failure(["-", "--data", "-"], 2)).toMatchInlineSnapshot(`
      "error: program and data both come from standard input; name a file for one
      (add --help for all options)"
    `);
    expect(await failure(toY("--group", "cell:a", "--export", "js"), 2)).toMatchInlineSnapshot(`
      "error: a fit with groups exports one of them: name it with --export-group
      (add --help for all options)"
    `);
  });

  test("files that cannot be written are told before the work", async () => {
    expect(await failure(toY("--out", "nowhere/x.json"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: cannot write nowhere/x.json: there is no such folder
        help: the path is taken relative to FOLDER"
    `);
    expect(await failure(toY("--report", "."), 1)).toMatchInlineSnapshot(`
      "error E-FILE: cannot write .: it is a folder
        help: the path is taken relative to FOLDER"
    `);
  });

  test("files that are no result to resume", async () => {
    expect(await failure(toY("--resume", "data.csv"), 1)).toMatchInlineSnapshot(`
      "error E-FILE: data.csv: this is not the result of a fit
        help: give a file that --out wrote"
    `);
    writeFile("other.json", '{"version": 1}');
    expect(await failure(toY("--resume", "other.json"), 2)).toMatchInlineSnapshot(`
      "error E-OPTION: the result to resume is of another fit
        help: resume with the same program, data and options"
    `);
  });
});

test("a constant target is fitted, and said to be one", async () => {
  writeFile("own.csv", "t,y\n0,2\n1,2\n2,2\n");
  const { code, stdout, stderr } = await ndvmHere(["fit", ...ofFile("t,y\n0,2\n1,2\n2,2\n")]);
  expect(stderr).toContain("warning: the target is constant, so R² is not defined");
  expect(stdout).not.toContain("R²");
  expect(code).toBe(0);
});

describe("limits", () => {
  test("the time of a fit is told as --time, and no option that sets its steps is made up", async () => {
    const slow = "(loop ((i 0)) (if (< i 1e12) (recur (+ i 1)) (* a i)))";
    const told = await failure(["-e", slow, "--time", "30ms"], 1);
    expect(told).toContain("the first evaluation took longer than --time");
    expect(told).toContain("help: give more time");
    expect(told).not.toContain("--steps");
    expect(told).not.toContain("stepsMax");
  });
});

describe("rows that are held out", () => {
  const head = "t,y,v,w,s,n,o";
  const rows = [
    "0,2,1,1,1,9,1",
    "1,3,2,2,1,9,1",
    "2,5,2,1,2,9,1",
    "3,6,4,1,1,9,1",
    "4,8,5,1,1,9,1",
  ];
  const last = "5,9,6,1,1,9,1".split(",");
  /** The fit of a table whose last row, which is held out, has another cell in one column. */
  const withCell = (column: string, cell: string, source: string, ...more: string[]) => {
    const cells = last.map((old, at) => (head.split(",")[at] === column ? cell : old));
    const content = [head, ...rows, cells.join(",")].join("\n");
    return failure([...ofFile(`${content}\n`, source), "--hold-out", "6..6", ...more], 1);
  };
  const lineOf = "(* a t)";
  const share = "(sigmoid (* a t))";

  test.each([
    ["y", "inf", lineOf, [], "column y holds Infinity in row 6 (line 7)"],
    // It was told of row 1, the first of the rows that were fitted.
    ["t", "inf", lineOf, [], "column t holds Infinity in row 6 (line 7)"],
    ["w", "inf", lineOf, ["--weights", "w"], "column w holds Infinity in row 6 (line 7)"],
    ["w", "-1", lineOf, ["--weights", "w"], "the weight of row 6 (line 7) is -1"],
    ["w", "0", lineOf, ["--weights", "w"], "of the rows held out, all weights are 0"],
    ["s", "0", lineOf, ["--sigma", "s"], "sigma is 0 in row 6 (line 7)"],
    [
      "n",
      "8",
      share,
      ["--loss", "binomial", "--trials", "n"],
      "the target is 9 in row 6 (line 7), of 8",
    ],
    [
      "n",
      "-3",
      share,
      ["--loss", "binomial", "--trials", "n"],
      "is 9 in row 6 (line 7), of -3 trials",
    ],
    ["y", "-1", "(exp (* a t))", ["--loss", "poisson"], "the target is -1 in row 6 (line 7)"],
    [
      "o",
      "inf",
      lineOf,
      ["--loss", "(* o (abs (- y pred)))"],
      "column o holds Infinity in row 6 (line 7)",
    ],
  ])(
    "are held to what fitted ones are, column %s with %s: their scores were NaN or nonsense",
    async (column, cell, source, more, expected) => {
      expect(await withCell(column, cell, source, ...more)).toContain(expected);
    },
  );

  test("of several targets say which of them is no count, and its row", async () => {
    // Its place among the points of both targets was taken for its row.
    writeFile("own.csv", "t,y,v\n0,1,2\n1,3,4\n2,-2,3\n3,5,6\n");
    const source = "(vec (exp (* a t)) (exp (* b t)))";
    const two = ["-e", source, "--data", "own.csv", "--target", "v,y", "--loss", "poisson"];
    const expected = "the target y is -2 in row 3 (line 4)";
    expect(await failure(two, 1)).toContain(expected);
    expect(await failure([...two, "--hold-out", "3..4"], 1)).toContain(expected);
  });

  test("without a finite prediction are counted in place of a score of NaN", async () => {
    writeFile("own.csv", "t,y\n1,2\n2,3\n3,5\n4,6\n0,4\n-1,9\n");
    const args = [
      "-e",
      "(* a (log t))",
      "--data",
      "own.csv",
      "--target",
      "y",
      "--hold-out",
      "5..6",
    ];
    const { stdout } = await ndvmHere(["fit", ...args]);
    expect(stdout).toContain(
      "2 rows held out: the prediction of 2 is not finite, so that there is no score",
    );
  });
});
