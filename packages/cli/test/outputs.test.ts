/**
 * What commands print, word for word: every command with most of its options on small examples. Times,
 * versions and the scratch folder are taken out. Renew with `npx vitest run --project cli
 * packages/cli/test/outputs -u` after a change that means to change them, and read the difference.
 */

import { beforeAll, expect, test } from "vitest";
import { ndvmHere } from "./here.js";
import { writeFile } from "./run.js";
import { said } from "./still.js";

const rows = Array.from({ length: 24 }, (_, i) => {
  const x = i / 4;
  return [
    x,
    2 * Math.exp(-0.5 * x) + 0.05 * Math.cos(7 * i),
    i % 3 ? "u" : "v",
    i % 5 === 4 ? "" : i,
  ];
});

beforeAll(() => {
  writeFile("o.csv", `x,y,cell,gap\n${rows.map((row) => row.join(",")).join("\n")}\n`);
  const hits = rows.map(([x], i) => `${x},${(i * 3) % 8},8,${1 + (i % 4)}`);
  writeFile("h.csv", `x,k,n,w\n${hits.join("\n")}\n`);
  writeFile("m.scm", "; decay\n(* a\n   (exp (- (* b x))))\n");
  writeFile("f.scm", "(if (< x 1) (sqrt x) (/ a (- x 1)))\n");
  const programs = [
    "(* a (exp (* b x)))",
    "(+ a (* b x))",
    "(car x)",
    "(* b (exp (* c x)))",
    "(+ 1",
  ];
  writeFile("p.jsonl", programs.map((source) => JSON.stringify({ source })).join("\n"));
});

const data = ["--data", "o.csv", "--target", "y"];
const decay = ["fit", "m.scm", ...data];
const study = ["search", "--data", "o.csv", "--target", "y", "--inputs", "x", "--workers", "0"];
const found = [...study, "--proposer", "replay:p.jsonl", "--seed", "3"];

const cases: readonly (readonly [string, readonly string[]])[] = [
  ["eval", ["eval", "-e", "(* 2 x)", "--set", "x=1.5"]],
  ["eval of lanes", ["eval", "f.scm", "--set", "x=0:2:0.5", "--set", "a=3"]],
  ["eval of many lanes", ["eval", "-e", "(* x x)", "--set", "x=0:30:1"]],
  ["eval to csv", ["eval", "f.scm", "--set", "x=0:2:0.5", "--set", "a=3", "--format", "csv"]],
  ["eval to json", ["eval", "f.scm", "--set", "x=0:2:0.5", "--set", "a=3", "--format", "json"]],
  ["eval of a vector", ["eval", "-e", "(vec x (* 2 x) 3)", "--set", "x=1,2"]],
  ["eval of a matrix", ["eval", "-e", "(outer (vec 1 x) (vec 3 4))", "--set", "x=2"]],
  [
    "eval of structure",
    ["eval", "-e", "(list 1 'two (vec 3 x) #t (lambda (y) y))", "--set", "x=4"],
  ],
  ["eval of mixed lanes", ["eval", "-e", "(if (< x 2) x (vec x x))", "--set", "x=1,2,3"]],
  ["eval in f32", ["eval", "-e", "(/ x 3)", "--set", "x=1", "--precision", "f32"]],
  ["eval of a column", ["eval", "-e", "(* 2 x)", "--set", "x=@o.csv:x", "--format", "csv"]],
  [
    "eval of too many steps",
    ["eval", "-e", "(loop ((i x)) (recur (+ i 1)))", "--set", "x=0", "--steps", "500"],
  ],
  ["eval of an error", ["eval", "-e", "(+ 1 (car x))", "--set", "x=1"]],
  ["eval of an unbound name", ["eval", "-e", "(+ 1 (foo 2))"]],
  ["eval without an input", ["eval", "-e", "(+ 1 x y)", "--set", "y=1"]],
  ["eval of a name near", ["eval", "-e", "(+ 1 speed)", "--set", "sped=1"]],
  ["eval of a bad option", ["eval", "-e", "1", "--stpes", "3"]],
  ["eval of a bad value", ["eval", "-e", "x", "--set", "x=1:2"]],
  [
    "grad",
    ["grad", "-e", "(* a (sin (* b x)))", "--set", "a=2", "--set", "b=1", "--set", "x=0,1,2"],
  ],
  ["grad to csv", ["grad", "-e", "(* a x)", "--set", "a=2", "--set", "x=0,1", "--format", "csv"]],
  ["grad to json", ["grad", "-e", "(* a x)", "--set", "a=2", "--set", "x=0,1", "--format", "json"]],
  ["grad of some", ["grad", "-e", "(* a x)", "--set", "a=2", "--set", "x=3", "--wrt", "a"]],
  ["grad of a test", ["grad", "-e", "(if (< a 1) x 2)", "--set", "a=2", "--set", "x=3"]],
  [
    "explain",
    ["explain", "-e", "(let ((y (* a x))) (if (< y 2) (sin y) y))", "--set", "a=1", "--set", "x=1"],
  ],
  ["explain on the way", ["explain", "f.scm", "--set", "x=0.5", "--set", "a=3", "--to", "x=2"]],
  ["fit", [...decay]],
  ["fit with restarts", [...decay, "--restarts", "5", "--seed", "2", "--param", "b=0.1..2"]],
  ["fit to json", [...decay, "--json"]],
  ["fit by lbfgs", [...decay, "--optimiser", "lbfgs", "--level", "0.9"]],
  ["fit by absolute errors", [...decay, "--loss", "absolute"]],
  ["fit by huber", [...decay, "--loss", "huber", "--huber-width", "0.1"]],
  ["fit by an expression", [...decay, "--loss", "(square (- pred y))"]],
  [
    "fit of counts",
    ["fit", "-e", "(exp (+ a (* b x)))", "--data", "h.csv", "--target", "k", "--loss", "poisson"],
  ],
  [
    "fit of shares",
    [
      ...["fit", "-e", "(sigmoid (+ a (* b x)))", "--data", "h.csv", "--target", "k"],
      ...["--loss", "binomial", "--trials", "n", "--weights", "w"],
    ],
  ],
  ["fit of groups", [...decay, "--group", "cell:a"]],
  ["fit at a bound", [...decay, "--param", "b=1", "--bound", "b=0.8.."]],
  ["fit of what is fixed", [...decay, "--fix", "b=0.5"]],
  ["fit of some rows", [...decay, "--where", "(< x 4)"]],
  ["fit and hold out", [...decay, "--hold-out", "19..24"]],
  [
    "fit with gaps",
    ["fit", "-e", "(* a gap)", "--data", "o.csv", "--target", "y", "--hold-out", "(> x 4)"],
  ],
  [
    "fit with gaps refused",
    ["fit", "-e", "(* a gap)", "--data", "o.csv", "--target", "y", "--missing", "error"],
  ],
  [
    "fit of an objective",
    ["fit", "-e", "(+ (square (- a 2)) (* b b))", "--param", "a=0", "--param", "b=1"],
  ],
  ["fit that does not converge", [...decay, "--steps", "1"]],
  ["fit of no column", ["fit", "-e", "(* a z)", "--data", "o.csv", "--target", "y"]],
  ["fit of words", ["fit", "-e", "(* a cell)", "--data", "o.csv", "--target", "y"]],
  ["fit exported to math", [...decay, "--export", "math"]],
  ["fit exported to python", [...decay, "--export", "numpy"]],
  ["fit exported to javascript", [...decay, "--export", "js"]],
  ["fit exported to scheme", [...decay, "--export", "scheme"]],
  ["fit exported to latex", [...decay, "--export", "latex"]],
  ["fit exported to sympy", [...decay, "--export", "sympy"]],
  ["fit with a plot", [...decay, "--plot", "--x", "x"]],
  ["fit quietly", [...decay, "--quiet", "--log", "a", "--sigma", "0.1"]],
  [
    "fit of constants",
    ["fit", "-e", "(* a (vsum c))", "--data", "o.csv", "--target", "y", "--set", "c=[1, 2]"],
  ],
  ["search", [...found, "--out", "s.db"]],
  ["search to json", [...found, "--out", "j.db", "--json"]],
  ["search that goes on", [...found, "--out", "s.db", "--resume"]],
  ["archive ls", ["archive", "ls", "s.db", "--all"]],
  ["archive ls of the front", ["archive", "ls", "s.db"]],
  ["archive show", ["archive", "show", "s.db", "0"]],
  ["archive show of a failure", ["archive", "show", "s.db", "2"]],
  ["archive show to json", ["archive", "show", "s.db", "1", "--json"]],
  ["archive show of nothing", ["archive", "show", "s.db", "99"]],
  ["archive export", ["archive", "export", "s.db"]],
  ["archive check", ["archive", "check", "s.db"]],
  ["archive check to json", ["archive", "check", "s.db", "--json"]],
  ["archive salvage", ["archive", "salvage", "s.db", "t.db"]],
  ["no command", []],
  ["a slip", ["evla", "-e", "1"]],
];

test.each(cases)("%s", async (_, args) => {
  expect(said(await ndvmHere(args))).toMatchSnapshot();
});
