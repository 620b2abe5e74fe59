/** `ndvm eval` and `ndvm grad`: where programs and inputs come from, what is printed. */

import { expect, test } from "vitest";
import { ndvm, shell, writeFile } from "./run.js";

const decay = "(* a (exp (* k t)))";
const rows = (text: string): string[][] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split(","));

test("a program from -e prints its value", () => {
  expect(ndvm(["eval", "-e", "(+ 1 2)"])).toEqual({ code: 0, stdout: "3\n", stderr: "" });
});

test("a program comes from a file, from a pipe, or from -", () => {
  const file = writeFile("decay.scm", decay);
  const inputs = ["--set", "a=2", "--set", "k=0", "--set", "t=1"];
  expect(ndvm(["eval", file, ...inputs]).stdout).toBe("2\n");
  expect(ndvm(["eval", ...inputs], decay).stdout).toBe("2\n");
  expect(ndvm(["eval", "-", ...inputs], decay).stdout).toBe("2\n");
});

test("a range includes both ends, one lane per value", () => {
  const { stdout } = ndvm(["eval", "-e", "(* 2 t)", "--set", "t=0:1:0.25", "--format", "csv"]);
  expect(stdout).toBe("t,value\n0,0\n0.25,0.5\n0.5,1\n0.75,1.5\n1,2\n");
});

test("a range with a step that is no binary fraction still reaches its end", () => {
  const { stdout } = ndvm(["eval", "-e", "t", "--set", "t=0:10:0.1", "--format", "csv"]);
  expect(rows(stdout)).toHaveLength(102);
  expect(rows(stdout).at(-1)).toEqual(["10", "10"]);
});

test("a range may run downwards, and its step is 1 when left out", () => {
  const args = ["eval", "-e", "t", "--format", "csv", "--set"];
  expect(ndvm([...args, "t=3:1"]).stdout).toBe("t,value\n3,3\n2,2\n1,1\n");
  expect(ndvm([...args, "t=1:0:-0.5"]).stdout).toBe("t,value\n1,1\n0.5,0.5\n0,0\n");
});

test("a list of numbers is one value per lane", () => {
  const { stdout } = ndvm(["eval", "-e", "(- t)", "--set", "t=1,-2,5e0", "--format", "csv"]);
  expect(stdout).toBe("t,value\n1,-1\n-2,2\n5,-5\n");
});

test("columns of CSV, TSV and JSON tables are one lane per row", () => {
  writeFile("data.csv", '"x, in m",y\r\n1,10\r\n2,20\r\n');
  writeFile("data.tsv", "x\ty\n1\t10\n2\t20\n");
  writeFile("columns.json", '{"x": [1, 2], "y": [10, 20]}');
  writeFile("records.json", '[{"x": 1, "y": 10}, {"x": 2, "y": 20}]');
  for (const column of ["data.csv:x, in m", "data.tsv:x", "columns.json:x", "records.json:x"]) {
    const y = `y=@${column.split(":")[0]}:y`;
    const args = ["-e", "(+ x y)", "--set", `x=@${column}`, "--set", y, "--format", "csv"];
    expect(ndvm(["eval", ...args]).stdout).toBe("x,y,value\n1,10,11\n2,20,22\n");
  }
});

test("brackets and whole files are one vector or matrix, shared by all lanes", () => {
  writeFile("matrix.csv", "1,2\n3,4\n");
  writeFile("named.csv", "p,q\n1,2\n3,4\n");
  writeFile("matrix.json", "[[1, 2], [3, 4]]");
  writeFile("vector.csv", "1\n1\n");
  for (const matrix of ["@matrix.csv", "@named.csv", "@matrix.json", "[[1,2],[3,4]]"]) {
    for (const vector of ["@vector.csv", "[1, 1]"]) {
      const args = ["eval", "-e", "(matvec A v)", "--set", `A=${matrix}`, "--set", `v=${vector}`];
      const { stdout } = ndvm([...args, "--format", "json"]);
      expect(JSON.parse(stdout)).toMatchObject({ lanes: 1, shape: [2], values: [[3, 7]] });
    }
  }
});

test("a matrix result prints as rows", () => {
  const { stdout } = ndvm(["eval", "-e", "(matmul A A)", "--set", "A=[[1,2],[3,4]]"]);
  expect(stdout).toBe(" 7  10\n15  22\n");
});

test("a structural integer drives a loop", () => {
  const text = "(loop ((i 0) (s 0)) (if (= i n) s (recur (+ i 1) (+ s i))))";
  expect(ndvm(["eval", "-e", text, "--int", "n=5"]).stdout).toBe("10\n");
});

test("results that are not numbers print as Scheme", () => {
  expect(ndvm(["eval", "-e", "(list 'a #t 2)"]).stdout).toBe("(a #t 2)\n");
  const { stdout } = ndvm(["eval", "-e", "(list 'a #t 2)", "--format", "json"]);
  expect(JSON.parse(stdout).values).toEqual([["a", true, 2]]);
});

test("an input shadows the primitive of the same name", () => {
  expect(ndvm(["eval", "-e", "(* 2 scale)", "--set", "scale=3"]).stdout).toBe("6\n");
});

test("gradients are per lane, and --wrt chooses them", () => {
  const args = ["grad", "-e", "(* a t)", "--set", "a=3", "--set", "t=1,2", "--format", "csv"];
  expect(ndvm(args).stdout).toBe("t,value,d/da,d/dt\n1,3,1,3\n2,6,2,3\n");
  expect(ndvm([...args, "--wrt", "a"]).stdout).toBe("t,value,d/da\n1,3,1\n2,6,2\n");
});

test("one lane prints the inputs beside their gradients", () => {
  const { stdout } = ndvm(["grad", "-e", "(* a b)", "--set", "a=3", "--set", "b=4"]);
  expect(stdout).toBe("value  12\n\ninput  at  gradient\na      3   4\nb      4   3\n");
});

test("gradients of vectors and matrices have their shape", () => {
  const args = ["-e", "(dot v (matvec A v))", "--set", "A=[[1,2],[3,4]]", "--set", "v=[1,2]"];
  const { gradients } = JSON.parse(ndvm(["grad", ...args, "--format", "json"]).stdout);
  expect(gradients).toEqual({
    A: [
      [
        [1, 2],
        [2, 4],
      ],
    ],
    v: [[12, 21]],
  });
  const [header] = rows(ndvm(["grad", ...args, "--format", "csv"]).stdout);
  expect(header).toContain('"d/dA[0');
  expect(header).toContain("d/dv[1]");
});

test("a vector result needs a seed and takes one", () => {
  const args = ["grad", "-e", "(scale a v)", "--set", "v=[1,2]", "--set", "a=3", "--wrt", "a"];
  const refused = ndvm(args);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("E-RESULT");
  const { stdout } = ndvm([...args, "--seed-adjoint", "0,1", "--format", "json"]);
  expect(JSON.parse(stdout).gradients.a).toEqual([2]);
});

test("f32 numbers print with the digits they have", () => {
  expect(ndvm(["eval", "-e", "0.1", "--precision", "f32"]).stdout).toBe("0.1\n");
  expect(ndvm(["eval", "-e", "(/ 1 3)", "--precision", "f32"]).stdout).toBe("0.33333334\n");
  expect(ndvm(["eval", "-e", "(/ 1 3)"]).stdout).toBe("0.3333333333333333\n");
});

test("--domain clamp keeps the square root of a negative finite", () => {
  expect(ndvm(["eval", "-e", "(sqrt x)", "--set", "x=-1", "--domain", "clamp"]).stdout).toBe(
    "0.0001\n",
  );
});

test("a NaN is reported with its place, and is no failure", () => {
  const { code, stdout, stderr } = ndvm(["eval", "-e", "(sqrt x)", "--set", "x=1,-1,4"]);
  expect(code).toBe(0);
  expect(stdout).toContain("NaN");
  expect(stderr).toContain("warning: lane 1 is NaN: first made so by (sqrt x)\n");
});

test("json writes numbers that JSON has no name for as strings", () => {
  const args = ["eval", "-e", "(/ 1 x)", "--set", "x=0,2", "--format", "json"];
  expect(JSON.parse(ndvm(args).stdout).values).toEqual(["Infinity", 0.5]);
});

test("an input that only decides a branch is reported as inactive", () => {
  const text = "(if (> x 0) y (* 2 y))";
  const { stdout, stderr } = ndvm(["grad", "-e", text, "--set", "x=1", "--set", "y=2"]);
  expect(stdout).toContain("x      1   0");
  expect(stderr).toContain("warning: x reaches the result through tests only");
});

test("a long table is cut and counted; csv and json are not", () => {
  const args = ["eval", "-e", "(* 2 t)", "--set", "t=1:1000"];
  const table = ndvm(args).stdout.trim().split("\n");
  expect(table).toHaveLength(12);
  expect(table.at(-1)).toBe("… 990 more lanes");
  expect(rows(ndvm([...args, "--format", "csv"]).stdout)).toHaveLength(1001);
  expect(JSON.parse(ndvm([...args, "--format", "json"]).stdout).values).toHaveLength(1000);
});

test("--stats prints counters, and json carries them", () => {
  const args = ["grad", "-e", "(* a a)", "--set", "a=3", "--stats"];
  expect(ndvm(args).stderr).toMatch(/tape records +1 /);
  const { stats } = JSON.parse(ndvm([...args, "--format", "json"]).stdout);
  expect(stats).toMatchObject({ lanes: 1, tapeRecords: 1 });
});

test("--plot draws the value over the lanes", () => {
  const { code, stdout } = ndvm(["eval", "-e", "(sin t)", "--set", "t=0:6:0.1", "--plot"]);
  expect(code).toBe(0);
  expect(stdout).toContain("value over t");
});

test("a reader that goes away ends the command quietly", () => {
  const line = "ndvm eval -e '(* 2 t)' --set t=1:300000 --format csv | head -n 2";
  expect(shell(line)).toEqual({ code: 0, stdout: "t,value\n1,2\n", stderr: "" });
});
