/**
 * What commands print, word for word, at their edges: every format with every kind of value, every way
 * to name rows, bounds and ranges, sessions at the prompt, and every way to get it wrong. All of it runs
 * in this process. Renew with `npx vitest run --project cli packages/cli/test/more-outputs -u` after a
 * change that means to change them, and read the difference.
 */

import { Readable } from "node:stream";
import { beforeAll, describe, expect, test } from "vitest";
import { ndvmHere } from "./here.js";
import { writeFile } from "./run.js";
import { said } from "./still.js";

/** The command with a text on its standard input. */
async function piped(args: readonly string[], input: string) {
  const before = Object.getOwnPropertyDescriptor(process, "stdin") as PropertyDescriptor;
  const stream = Readable.from([Buffer.from(input)]);
  Object.defineProperty(process, "stdin", { value: stream, configurable: true });
  try {
    return await ndvmHere(args);
  } finally {
    Object.defineProperty(process, "stdin", before);
  }
}

beforeAll(() => {
  const rows = Array.from({ length: 20 }, (_, i) => [
    i,
    3 + 2 * i + ((i * 7) % 5) / 10,
    i % 2 ? "odd" : "even",
    i % 6 === 5 ? "NA" : i / 2,
    i < 16 ? 1 : 0,
    `2024-03-${String(i + 1).padStart(2, "0")}`,
  ]);
  const text = rows.map((row) => row.join(",")).join("\n");
  writeFile("t.csv", `x,y,kind,gap,use,day\n${text}\n`);
  writeFile("spaced.csv", "Time (s),y value\n1,2\n2,4\n3,6\n4,8.5\n");
  writeFile("m.json", "[[1, 2], [3, 4]]");
  writeFile("v.csv", "1\n2\n3\n");
  writeFile("line.scm", "(+ a (* b x))\n");
  writeFile("defs.scm", "(define (twice q) (* 2 q))\n(define c 5)\n(twice c)\n");
  writeFile("bad.scm", Buffer.from([0x28, 0xff, 0x29]));
});

type Case = readonly [string, readonly string[]];
const set = (...pairs: readonly string[]) => pairs.flatMap((pair) => ["--set", pair]);
const line = ["fit", "line.scm", "--data", "t.csv", "--target", "y", "--quiet"];

const VALUES: readonly (readonly [string, string])[] = [
  ["number", "(* 2 x)"],
  ["vector", "(vec x (* x x))"],
  ["matrix", "(outer (vec 1 x 3) (vec x 2))"],
  ["list", '(list x \'w (list #t "s") (vec x 1))'],
  ["truth", "(< x 2)"],
  ["mixture", "(if (< x 2) x (list x))"],
  ["failure", "(if (< x 2) x (car x))"],
  ["infinity", "(/ (- x 1) (- x 2))"],
  ["procedure", "(lambda (q) (+ q x))"],
];
const LANES: readonly (readonly [string, string])[] = [
  ["one lane", "x=2"],
  ["three lanes", "x=1,2,3"],
];
const values: Case[] = VALUES.flatMap(([what, source]) =>
  LANES.flatMap(([lanes, x]) =>
    ["table", "csv", "json"].map(
      (format): Case => [
        `eval of a ${what} in ${lanes} as ${format}`,
        ["eval", "-e", source, ...set(x), "--format", format],
      ],
    ),
  ),
);

const grads: Case[] = [
  ["grad in one lane", ["grad", "-e", "(* a x x)", ...set("a=3", "x=2")]],
  ["grad by a vector", ["grad", "-e", "(dot v v)", ...set("v=[1, 2]")]],
  ["grad by a matrix", ["grad", "-e", "(vsum (matvec m (vec 1 2)))", ...set("m=@m.json")]],
  ["grad in lanes by a vector", ["grad", "-e", "(* x (dot v v))", ...set("v=[1, 2]", "x=1,2")]],
  [
    "grad in lanes as csv",
    ["grad", "-e", "(* x (dot v v))", ...set("v=[1, 2]", "x=1,2"), "--format", "csv"],
  ],
  [
    "grad in lanes as json",
    ["grad", "-e", "(* x (dot v v))", ...set("v=[1, 2]", "x=1,2"), "--format", "json"],
  ],
  ["grad of one seed", ["grad", "-e", "(* x x)", ...set("x=1,2"), "--seed-adjoint", "3"]],
  ["grad of a seed for each", ["grad", "-e", "(* x x)", ...set("x=1,2"), "--seed-adjoint", "3, 4"]],
  ["grad of a bad seed", ["grad", "-e", "x", ...set("x=1"), "--seed-adjoint", "1,,2"]],
  ["grad of an empty name", ["grad", "-e", "x", ...set("x=1"), "--wrt", "x,"]],
  ["grad by an unknown name", ["grad", "-e", "x", ...set("x=1"), "--wrt", "z"]],
  [
    "grad of two that do not reach",
    ["grad", "-e", "(if (< a b) x x)", ...set("a=1", "b=2", "x=3")],
  ],
  ["grad of no number", ["grad", "-e", "(list x)", ...set("x=1")]],
];

const inputs: Case[] = [
  ["a range down", ["eval", "-e", "x", ...set("x=2:0"), "--format", "csv"]],
  ["a range of one", ["eval", "-e", "x", ...set("x=2:2"), "--format", "csv"]],
  [
    "a range by a step that does not land",
    ["eval", "-e", "x", ...set("x=0:1:0.4"), "--format", "csv"],
  ],
  ["a range of four parts", ["eval", "-e", "x", ...set("x=0:1:2:3")]],
  ["a range of nothing", ["eval", "-e", "x", ...set("x=0:1:-1")]],
  ["a range to infinity", ["eval", "-e", "x", ...set("x=0:inf")]],
  ["a range of too many", ["eval", "-e", "x", ...set("x=0:1e8")]],
  ["a range of no step", ["eval", "-e", "x", ...set("x=0:1:0")]],
  ["a value that is a dash", ["eval", "-e", "x", ...set("x=\u22125")]],
  ["a value that is empty", ["eval", "-e", "x", ...set("x= ")]],
  ["a list with a hole", ["eval", "-e", "x", ...set("x=1,,2")]],
  ["a missing value", ["eval", "-e", "x", ...set("x=NA")]],
  ["no name", ["eval", "-e", "x", ...set("=5")]],
  ["twice", ["eval", "-e", "x", ...set("x=1", "x=2")]],
  ["twice as an integer", ["eval", "-e", "x", ...set("x=1"), "--int", "x=2"]],
  [
    "an integer",
    ["eval", "-e", "(loop ((i 0) (s 0)) (if (= i n) s (recur (+ i 1) (+ s i))))", "--int", "n=5"],
  ],
  ["an integer that is none", ["eval", "-e", "n", "--int", "n=1.5"]],
  ["brackets that do not close", ["eval", "-e", "v", ...set("v=[1, 2")]],
  ["a ragged matrix", ["eval", "-e", "v", ...set("v=[[1, 2], [3]]")]],
  ["a list of words", ["eval", "-e", "v", ...set('v=["a"]')]],
  ["a file of a vector", ["eval", "-e", "(vsum v)", ...set("v=@v.csv")]],
  ["a file of a matrix", ["eval", "-e", "m", ...set("m=@m.json")]],
  ["a column", ["eval", "-e", "(* 2 x)", ...set("x=@t.csv:x"), "--format", "csv"]],
  [
    "two columns of one file",
    ["eval", "-e", "(+ x y)", ...set("x=@t.csv:x", "y=@t.csv:y"), "--format", "csv"],
  ],
  ["a column of words", ["eval", "-e", "x", ...set("x=@t.csv:kind")]],
  ["a column that is not there", ["eval", "-e", "x", ...set("x=@t.csv:xx")]],
  ["a column of a file that is not there", ["eval", "-e", "x", ...set("x=@none.csv:xx")]],
  ["a file that is not there", ["eval", "-e", "x", ...set("x=@none.csv")]],
  ["a path that is not there", ["eval", "-e", "x", ...set("x=@a:b/none.csv")]],
  ["lanes that differ", ["eval", "-e", "(+ x y)", ...set("x=1,2", "y=1,2,3")]],
  ["an input that is not used", ["eval", "-e", "x", ...set("x=1", "y=2")]],
  ["a primitive's name as an input", ["eval", "-e", "(* 2 max)", ...set("max=4")]],
  ["a program that is no text", ["eval", "bad.scm"]],
  ["a program that is not there", ["eval", "none.scm"]],
  ["a program twice", ["eval", "line.scm", "-e", "1"]],
];

const limits: Case[] = ["4M", "4G", "8388608", "1.5g", "64 MiB", "3M", "5G", "lots", "1K"].map(
  (size): Case => [`memory of ${size}`, ["eval", "-e", "1", "--memory", size]],
);
const times: Case[] = ["1", "250ms", "2 s", "1m", "0", "0s", "soon", "-1s"].map(
  (time): Case => [`a time of ${time}`, ["eval", "-e", "1", "--timeout", time]],
);
const counts: Case[] = ["1e6", "32.9", "1", "0", "0.5", "", "many", "Infinity"].map(
  (count): Case => [`steps of ${JSON.stringify(count)}`, ["eval", "-e", "1", "--steps", count]],
);

const plots: Case[] = [
  ["a plot", ["eval", "-e", "(* x x)", ...set("x=0:4"), "--plot"]],
  ["a plot of a gradient", ["grad", "-e", "(* x x)", ...set("x=0:4"), "--plot"]],
  ["a plot of vectors", ["eval", "-e", "(vec x 1)", ...set("x=0:4"), "--plot"]],
  ["a plot of one lane", ["eval", "-e", "(* x x)", ...set("x=3"), "--plot"]],
  ["a plot of a level", ["eval", "-e", "(* 0 x)", ...set("x=0:4"), "--plot"]],
  ["a plot of no numbers", ["eval", "-e", "(list x)", ...set("x=0:4"), "--plot"]],
  ["a plot of gaps", ["eval", "-e", "(log (- x 2))", ...set("x=0:6"), "--plot"]],
  ["a plot of two inputs", ["eval", "-e", "(+ x z)", ...set("x=0:3", "z=4:1"), "--plot"]],
  ["counters", ["eval", "-e", "(* x x)", ...set("x=0:4"), "--stats"]],
  ["counters as json", ["grad", "-e", "(* x x)", ...set("x=0:1"), "--stats", "--format", "json"]],
];

const warnings: Case[] = [
  ["five lanes that fail", ["eval", "-e", "(if (< x 0) x (car x))", ...set("x=-1:4")]],
  ["six lanes that fail", ["eval", "-e", "(if (< x 0) x (car x))", ...set("x=-1:5")]],
  ["six that are not finite", ["eval", "-e", "(log (- x))", ...set("x=0:5")]],
];

const explained: Case[] = [
  ["explain by one", ["explain", "-e", "(* a b)", ...set("a=1", "b=2"), "--wrt", "a"]],
  [
    "explain as json",
    ["explain", "-e", "(if (< a 1) (sin a) a)", ...set("a=0"), "--format", "json"],
  ],
  [
    "explain the way",
    [
      "explain",
      "-e",
      "(if (< a 1) (if (< b 2) 1 2) 3)",
      ...set("a=0", "b=0"),
      "--to",
      "a=2",
      "--to",
      "b=4",
      "--points",
      "5",
    ],
  ],
  [
    "explain a way as json",
    [
      "explain",
      "-e",
      "(if (< a 1) 1 2)",
      ...set("a=0"),
      "--to",
      "a=2",
      "--points",
      "3",
      "--format",
      "json",
    ],
  ],
  [
    "explain a way without turns",
    ["explain", "-e", "(if (< a 9) 1 2)", ...set("a=0"), "--to", "a=2"],
  ],
  ["explain a way from nowhere", ["explain", "-e", "a", ...set("a=0"), "--to", "b=2"]],
  [
    "explain a way of one point",
    ["explain", "-e", "a", ...set("a=0"), "--to", "a=2", "--points", "1"],
  ],
  ["explain lanes", ["explain", "-e", "(* a a)", ...set("a=0,1")]],
];

const fits: Case[] = [
  ["fit by a share held out", [...line, "--hold-out", "0.2"]],
  ["fit by percents held out", [...line, "--hold-out", "20%"]],
  ["fit by rows held out", [...line, "--hold-out", "18..20"]],
  ["fit by a test held out", [...line, "--hold-out", "(> x 15)"]],
  ["fit by a column held out", [...line, "--hold-out", "use"]],
  ["fit by nothing held out", [...line, "--hold-out", "0"]],
  ["fit by all held out", [...line, "--hold-out", "1"]],
  ["fit by rows that are none", [...line, "--hold-out", "30..40"]],
  ["fit by rows backwards", [...line, "--hold-out", "9..3"]],
  ["fit by an unknown column held out", [...line, "--hold-out", "usee"]],
  ["fit by a word", [...line, "--where", "kind=odd"]],
  ["fit by a word that is none", [...line, "--where", "kind=od"]],
  ["fit by two tests", [...line, "--where", "(> x 3)", "--where", "kind=odd"]],
  ["fit by a test of no row", [...line, "--where", "(> x 300)"]],
  ["fit by a test of an unknown name", [...line, "--where", "(> xx 3)"]],
  ["fit by a broken test", [...line, "--where", "(> x"]],
  [
    "fit with missing cells",
    [
      "fit",
      "-e",
      "(+ a (* b gap))",
      "--data",
      "t.csv",
      "--target",
      "y",
      "--quiet",
      "--hold-out",
      "0.25",
    ],
  ],
  ["fit with more that is missing", [...line, "--na", "4,7"]],
  ["fit from starts", [...line, "--param", "a=1", "--param", "b=0.5"]],
  ["fit from a range", [...line, "--param", "a=-5..5", "--restarts", "3", "--seed", "4"]],
  ["fit within bounds", [...line, "--bound", "a=0..1", "--bound", "b=..1.5"]],
  ["fit above a bound", [...line, "--bound", "a=4.."]],
  ["fit within no bounds", [...line, "--bound", "a=.."]],
  ["fit within bounds that cross", [...line, "--bound", "a=2..1"]],
  ["fit of a bound without a range", [...line, "--bound", "a=2"]],
  ["fit of a start that is not a number", [...line, "--param", "a=x..2"]],
  ["fit of what is fixed", [...line, "--fix", "a=3"]],
  ["fit of all fixed", [...line, "--fix", "a=3", "--fix", "b=2"]],
  ["fit of what is fixed and started", [...line, "--fix", "a=3", "--param", "a=2"]],
  ["fit of an unknown parameter", [...line, "--param", "aa=3"]],
  ["fit by factors", [...line, "--log", "b"]],
  ["fit by factors of an unknown", [...line, "--log", "bb"]],
  ["fit of groups", [...line, "--group", "kind:a"]],
  [
    "fit of two in groups",
    [...line, "--group", "kind:a,b", "--export", "scheme", "--export-group", "odd"],
  ],
  ["fit of groups by an unknown column", [...line, "--group", "kid:a"]],
  ["fit of a group of no names", [...line, "--group", "kind"]],
  ["fit of weights", [...line, "--weights", "use"]],
  ["fit of a sigma", [...line, "--sigma", "0.5"]],
  ["fit of a sigma's column", [...line, "--sigma", "gap", "--missing", "error"]],
  ["fit at a level", [...line, "--level", "0.5"]],
  ["fit at no level", [...line, "--level", "1.5"]],
  ["fit by adam", [...line, "--optimiser", "adam", "--rate", "0.5", "--steps", "50"]],
  ["fit in f32", [...line, "--precision", "f32"]],
  [
    "fit of dates",
    [
      "fit",
      "-e",
      "(+ a (* b day))",
      "--data",
      "t.csv",
      "--target",
      "y",
      "--dates",
      "years",
      "--quiet",
    ],
  ],
  [
    "fit of dates as words",
    [
      "fit",
      "-e",
      "(+ a (* b day))",
      "--data",
      "t.csv",
      "--target",
      "y",
      "--dates",
      "words",
      "--quiet",
    ],
  ],
  [
    "fit of renamed columns",
    [
      "fit",
      "-e",
      "(+ a (* b t))",
      "--data",
      "spaced.csv",
      "--target",
      "v",
      "--column",
      "t=Time (s)",
      "--column",
      "v=y value",
      "--quiet",
    ],
  ],
  ["fit of a column to rename that is none", [...line, "--column", "q=zz"]],
  ["fit of a target that is none", ["fit", "line.scm", "--data", "t.csv", "--target", "yy"]],
  ["fit without data", ["fit", "line.scm", "--target", "y"]],
  [
    "fit of an objective over columns",
    ["fit", "-e", "(vsum (square (- y (+ a (* b x)))))", "--data", "t.csv", "--quiet"],
  ],
  [
    "fit of a likelihood",
    [
      "fit",
      "-e",
      "(+ (* 0.5 (square (- a 2))) (square b))",
      "--likelihood",
      "--param",
      "a=0",
      "--param",
      "b=1",
      "--quiet",
    ],
  ],
  ["fit of exports in many formats", [...line, "--export", "json", "--export", "math"]],
  ["fit of an export that is none", [...line, "--export", "cobol"]],
  [
    "fit of an integer and a constant",
    [
      "fit",
      "-e",
      "(+ a (* b n (vsum v)))",
      "--data",
      "t.csv",
      "--target",
      "y",
      "--int",
      "n=2",
      ...set("v=[1, 2]"),
      "--quiet",
    ],
  ],
];

const searches: Case[] = [
  ["search of no target", ["search", "--data", "t.csv"]],
  ["search of an unknown target", ["search", "--data", "t.csv", "--target", "yy"]],
  ["search of words", ["search", "--data", "t.csv", "--target", "y", "--inputs", "kind"]],
  [
    "search of an unknown operator",
    ["search", "--data", "t.csv", "--target", "y", "--ops", "+,sinn"],
  ],
  [
    "search of an unknown proposer",
    ["search", "--data", "t.csv", "--target", "y", "--proposer", "evolv"],
  ],
  ["search of no model", ["search", "--data", "t.csv", "--target", "y", "--proposer", "llm"]],
  [
    "search of prices that are none",
    ["search", "--data", "t.csv", "--target", "y", "--price", "1"],
  ],
  [
    "search of a price that is missing",
    ["search", "--data", "t.csv", "--target", "y", "--price", "0.5,"],
  ],
  [
    "search of half a candidate",
    ["search", "--data", "t.csv", "--target", "y", "--candidates", "1.5"],
  ],
  [
    "search of a study that exists",
    [
      "search",
      "--data",
      "t.csv",
      "--target",
      "y",
      "--inputs",
      "x",
      "--workers",
      "0",
      "--candidates",
      "20",
      "--epoch",
      "4",
      "--slots",
      "1",
      "--seed",
      "2",
      "--out",
      "more.db",
    ],
  ],
  ["archive of it", ["archive", "ls", "more.db", "--all"]],
  ["export of it", ["archive", "export", "more.db"]],
  [
    "search quietly",
    [
      "search",
      "--data",
      "t.csv",
      "--target",
      "y",
      "--inputs",
      "x",
      "--workers",
      "0",
      "--candidates",
      "20",
      "--epoch",
      "4",
      "--slots",
      "1",
      "--seed",
      "2",
      "--out",
      "quiet.db",
      "--quiet",
      "--hold-out",
      "18..20",
      "--keep",
      "front",
    ],
  ],
];

const slips: Case[] = [
  ["a value without --set", ["eval", "-e", "x", "x=1"]],
  ["a value after another", ["eval", "-e", "(+ x y)", "--set", "x=1", "y=2"]],
  ["a blank in a value", ["eval", "-e", "x", "--set", "x", "1"]],
  ["blanks around the sign", ["eval", "-e", "x", "--set", "x", "=", "1"]],
  ["a blank before the number", ["eval", "-e", "x", "--set", "x=", "1"]],
  ["one dash", ["eval", "-e", "x", "-set", "x=1"]],
  ["an input as an option", ["eval", "-e", "x", "--x=1"]],
  ["a misspelt option with a value", ["eval", "-e", "x", "--stes=1"]],
  ["a unit by itself", ["eval", "-e", "1", "--timeout", "5", "s"]],
  ["a size by itself", ["eval", "-e", "1", "--memory", "64", "M"]],
  ["a table without its option", ["search", "t.csv", "--target", "y"]],
  ["a study behind --resume", ["search", "--data", "t.csv", "--target", "y", "--resume", "s.db"]],
  [
    "a parameter without its option",
    ["fit", "line.scm", "--data", "t.csv", "--target", "y", "a=1"],
  ],
  ["a negative number", ["eval", "-e", "x", "--set", "x=-1"]],
];

const helps: Case[] = [
  "eval",
  "grad",
  "explain",
  "fit",
  "search",
  "repl",
  "report",
  "serve",
  "cluster",
  "worker",
].map((command): Case => [`help of ${command}`, [command, "--help"]]);
for (const sub of ["ls", "show", "export", "check", "salvage"])
  helps.push([`help of archive ${sub}`, ["archive", sub, "--help"]]);

const groups: Readonly<Record<string, readonly Case[]>> = {
  ...{ values, grads, inputs, limits, times, counts, plots, warnings, explained },
  ...{ slips, fits, searches, helps },
};
for (const [name, cases] of Object.entries(groups))
  describe(name, () => {
    test.each(cases)("%s", async (_, args) => {
      expect(said(await ndvmHere(args))).toMatchSnapshot();
    });
  });

describe("sessions", () => {
  test.each<[string, readonly string[]]>([
    [
      "values and definitions",
      ["(define (f x) (* x k))", ":set k=3", "(f 2)", "(define k 4)", "(f 2)", ":defs", ":inputs"],
    ],
    [
      "several forms in a line",
      ["(define a 1) (define b 2) (+ a b)", "(define c 3)(define (g) c)", "(g)"],
    ],
    ["lines that go on", ["(+ 1", "", "  (* 2 ; not yet )", "     3)", ")"]],
    ["strings and comments", ['"a (b" ', "; nothing", "#| (not", "|# 5", "'(a . b)"]],
    ["brackets too many", ["(+ 1 2))", "(* 2 3)"]],
    ["an end in the middle", ["(+ 1 2", "3"]],
    [
      "inputs of every kind",
      [
        ":set a=1.5",
        ":set l=1,2,3",
        ":set v=[1, 2]",
        ":set m=@m.json",
        ":inputs",
        "(+ a l)",
        ":unset a",
        ":inputs",
        ":unset a",
      ],
    ],
    [
      "gradients",
      [":set a=2", ":set b=3", "(* a a b)", ":grad", ":grad a", ":grad a, b", ":grad z"],
    ],
    ["what nothing was evaluated for", [":grad", ":tape", ":core", ":time"]],
    ["tape and core", [":set a=2", "(let ((y (* a a))) (if (< y 3) y (sin y)))", ":tape", ":core"]],
    ["files", [":load defs.scm", "(twice 4)", ":load none.scm", ":load"]],
    ["reset", ["(define a 1)", ":set b=2", "(+ a b)", ":reset", ":defs", ":inputs", ":grad"]],
    ["commands that are none", [":hlep", ":xyzzy", ":constructor", ": set a=1", ":set", ":set a"]],
    [
      "errors and what comes after",
      ["(car 1)", "(define (f x)", "  (car x))", "(f 2)", "(+ 1", "(foo)", ")"],
    ],
    ["an end", ["1", ":q", "2"]],
    ["another end", [":exit", "2"]],
    ["help", [":help", ":quit"]],
    ["nothing", ["", "  "]],
    ["a definition that fails", ["(define a (car 1))", "a", "(define a 2)", "a"]],
    ["lanes that fail", [":set x=0,1,2", "(if (< x 1) x (car x))", "(/ 1 x)"]],
  ])("%s", async (_, lines) => {
    expect(said(await piped(["repl"], `${lines.join("\n")}\n`))).toMatchSnapshot();
  });
  test("with a file and options", async () => {
    const args = ["repl", "defs.scm", "--set", "z=7", "--precision", "f32"];
    expect(said(await piped(args, "(/ (twice z) 3)\n:inputs\n"))).toMatchSnapshot();
  });
});

describe("standard input", () => {
  test.each<[string, readonly string[], string]>([
    ["holds the program", ["eval", "--set", "x=2"], "(* x 3)"],
    ["holds the program for -", ["eval", "-", "--set", "x=2"], "(* x 3)"],
    ["holds an error", ["eval"], "(+ 1\n  (car 2))"],
    [
      "holds the table",
      ["fit", "line.scm", "--data", "-", "--target", "y", "--quiet"],
      "x,y\n1,2\n2,4\n3,6.5\n",
    ],
    ["holds nothing", ["eval"], ""],
  ])("%s", async (_, args, input) => {
    expect(said(await piped(args, input))).toMatchSnapshot();
  });
});
