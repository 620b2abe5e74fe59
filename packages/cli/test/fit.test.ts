/** `ndvm fit`: what it finds, prints and writes. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type FitJson, fitFromJSON, Machine } from "@ndvm/core";
import { beforeAll, describe, expect, test } from "vitest";
import { ndvmHere } from "./here.js";
import { folder, repository, writeFile } from "./run.js";

/** y = 3 exp(−0.4 t) with small errors that do not depend on chance. */
const decay = Array.from({ length: 24 }, (_, row) => {
  const t = row / 2;
  return {
    t,
    y: 3 * Math.exp(-0.4 * t) + 0.02 * Math.cos(50 * row * row),
    cell: row % 2 ? "b" : "a",
  };
});

const csv = (rows: readonly object[]): string =>
  [Object.keys(rows[0] ?? {}), ...rows.map(Object.values)].map((row) => row.join(",")).join("\n");

const model = "(* a (exp (- (* k t))))";
const basic = ["fit", "-e", model, "--data", "decay.csv", "--target", "y"];

/** What the tests look at. */
interface Printed {
  readonly best: { readonly params: Readonly<Record<string, number>> };
  readonly fixed: unknown;
  readonly identifiability: { readonly atBounds: readonly string[] };
  readonly standardErrors: Readonly<Record<string, number>>;
  readonly covariance: unknown;
  readonly restarts: readonly { readonly start: unknown }[];
  readonly rows: unknown;
  readonly heldOut: readonly { readonly target: string }[];
  readonly stopped: string;
}

async function fitJson(args: readonly string[], ...expected: readonly number[]): Promise<Printed> {
  const { code, stdout, stderr } = await ndvmHere([...args, "--json"]);
  expect(stderr).not.toContain("error");
  expect(expected.length === 0 ? [0] : expected).toContain(code);
  return JSON.parse(stdout) as Printed;
}

const read = (name: string): string => readFileSync(join(folder, name), "utf8");

beforeAll(() => {
  writeFile("decay.csv", csv(decay));
  writeFile("decay.json", JSON.stringify(decay));
  writeFile("decay.scm", model);
});

describe("what is printed", () => {
  test("parameters with errors and intervals, the formula, scores and where rows went", async () => {
    const { code, stdout, stderr } = await ndvmHere([...basic, "--param", "a=1", "--param", "k=1"]);
    expect(timeless(stdout)).toMatchInlineSnapshot(`
      "parameter  estimate  std. error  95 % interval
      a          3.017525      0.0103  2.9962 to 3.0389
      k          0.401956    0.002144  0.39751 to 0.4064

      y = 3.01752·exp(−0.401956·t)
      loss (squares) 0.004219144, R² 0.9997405
      log-likelihood 69.6996, AIC -133.3992, BIC -129.865, residual s.d. 0.01384844
      24 of 24 rows of decay.csv
      lm, converged, 22 evaluations in TIME
      "
    `);
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  test("parameters that nobody declared are named", async () => {
    const { stderr } = await ndvmHere(basic);
    expect(stderr).toContain("a, k were taken as parameters starting at 1");
  });

  test("a program that reads no column is warned of", async () => {
    writeFile("odd.csv", "Time (s),y\n1,2\n2,4.1\n3,6\n");
    const args = ["fit", "-e", "(* b time)", "--data", "odd.csv", "--target", "y"];
    const without = await ndvmHere([...args, "--param", "time"]);
    expect(without.stderr).toContain(
      "the program reads no column of odd.csv: they are Time (s), y",
    );
    const named = await ndvmHere([...args, "--column", "time=Time (s)"]);
    expect(named.stderr).not.toContain("reads no column");
  });

  test("--quiet leaves the result only", async () => {
    const { stdout, stderr } = await ndvmHere([...basic, "--quiet"]);
    expect(stdout).toContain("parameter");
    expect(stderr).toBe("");
  });

  test("--plot draws data and fit over the column the program reads", async () => {
    const { stdout } = await ndvmHere([...basic, "--plot"]);
    expect(stdout).toContain("y over t: ● data, ━ fit");
    expect(stdout.split("●").length).toBeGreaterThan(12);
    expect(stdout.split("━").length).toBeGreaterThan(20);
  });

  test("with several columns the plot is of data against prediction", async () => {
    writeFile("plane.csv", "x,z,y\n1,2,5\n2,1,4\n3,5,13\n4,2,8.2\n5,7,19\n");
    const plane = ["fit", "-e", "(+ (* a x) (* b z))", "--data", "plane.csv", "--target", "y"];
    expect((await ndvmHere([...plane, "--plot"])).stdout).toContain("y against its prediction");
    expect((await ndvmHere([...plane, "--plot", "--x", "z"])).stdout).toContain("y over z");
  });

  test("no more points than parameters are said to tell nothing about noise", async () => {
    writeFile("two.csv", "t,y\n0,3\n1,2\n");
    const { stderr } = await ndvmHere([...basic.with(4, "two.csv"), "--param", "a"]);
    expect(stderr).toContain("there are no more points than parameters");
  });

  test("words tell what the data do not determine", async () => {
    const args = ["fit", "-e", "(* a b t)", "--data", "decay.csv", "--target", "y"];
    const { stdout, stderr } = await ndvmHere(args);
    expect(stderr).toContain("a and b only enter as a·b");
    expect(stdout).toContain("not determined");
  });
});

/** Output without what differs from run to run. */
const timeless = (text: string): string => text.replace(/in [\d.]+ (ms|s|µs)/, "in TIME");

test("a column may have a name that every object has", async () => {
  writeFile("odd.csv", csvOf([1, 2, 3, 4, 5, 6].map((v) => [v, 7 - v * v, 2 * v + 3])));
  const text = "(+ (* a constructor) (* b __proto__) c)";
  const { best } = await fitJson(["fit", "-e", text, "--data", "odd.csv", "--target", "y"]);
  expect(Object.keys(best.params)).toEqual(["a", "b", "c"]);
  expect(best.params["a"]).toBeCloseTo(2, 8);
});

const csvOf = (rows: readonly (readonly number[])[]): string =>
  [["constructor", "__proto__", "y"], ...rows].map((row) => row.join(",")).join("\n");

test.each(["README.md", "docs/cli.md"])("%s shows what the command prints", async (page) => {
  const text = readFileSync(join(repository, page), "utf8");
  const shown = /( {4}parameter +estimate.*? {4}lm, [^\n]*)/s.exec(text)?.[1] ?? "";
  const at = (name: string): string => join(repository, "examples/enzyme-kinetics", name);
  const parts = ["fit", at("model.scm"), "--data", at("data.csv"), "--target", "rate"];
  const { stdout } = await ndvmHere([...parts, "--param", "Vm=100", "--param", "K=0.5"]);
  const printed = timeless(stdout).replaceAll(`${repository}`, "").trimEnd();
  expect(printed).toBe(timeless(shown.replaceAll(/^ {4}/gm, "")));
});

describe("what is found", () => {
  test.each([["decay.csv"], ["decay.json"]])("the same from %s", async (file) => {
    const args = ["fit", "decay.scm", "--data", file, "--target", "y", "--param", "k=0.01..10"];
    const { best } = await fitJson([...args, "--restarts", "4"]);
    expect(best.params).toEqual({
      a: expect.closeTo(3, 1),
      k: expect.closeTo(0.4, 1),
    });
  });

  test("groups have values of their own", async () => {
    const rows = decay.map((row) => ({ ...row, y: row.cell === "b" ? row.y * 2 : row.y }));
    writeFile("cells.csv", csv(rows));
    const args = ["fit", "-e", model, "--data", "cells.csv", "--target", "y", "--group", "cell:a"];
    const { best } = await fitJson(args);
    const { params } = best;
    expect(params["a[a]"]).toBeCloseTo(3, 1);
    expect(params["a[b]"]).toBeCloseTo(6, 0);
  });

  test("names of columns mean columns only where the program reads them", async () => {
    writeFile("names.csv", "t,max,exp,y\n0,1,5,3\n1,2,6,2\n2,3,7,1.4\n3,4,9,0.9\n");
    const fitOf = (source: string): Promise<Printed> =>
      fitJson(["fit", "-e", source, "--data", "names.csv", "--target", "y", "--param", "a"]);
    const local = "(let ((y (exp (- (* a t))))) (* 3 y))";
    expect((await fitOf(local)).best.params["a"]).toBeCloseTo(0.4, 1);
    expect((await fitOf("(* a (max t 1))")).best.params["a"]).toBeGreaterThan(0);
    const { model } = (await fitOf("(* a max)")) as unknown as { model: { columns: string[] } };
    expect(model.columns).toEqual(["max"]);
  });

  test("several targets of a program whose value is a vector", async () => {
    const rows = decay.map(({ t, y }) => ({ t, y, slope: -0.4 * y }));
    writeFile("both.csv", csv(rows));
    const both = "(let ((y (* a (exp (- (* k t)))))) (vec y (- (* k y))))";
    const args = ["fit", "-e", both, "--data", "both.csv", "--target", "y,slope"];
    const { best, heldOut } = await fitJson([...args, "--hold-out", "0.25"]);
    expect(best.params["k"]).toBeCloseTo(0.4, 2);
    expect(heldOut.map(({ target }) => target)).toEqual(["y", "slope"]);
    const { stdout } = await ndvmHere([...args, "--sigma", "y=0.1,slope=0.2", "--plot"]);
    expect(stdout).toMatch(/^y: R² 0\.99/m);
    expect(stdout).toMatch(/^slope: R² 0\.99/m);
    expect(stdout).toContain("slope over t: ● data, ━ fit");
  });

  test("--fix, --bound and --log reach the fit", async () => {
    const more = ["--fix", "a=3", "--param", "k=0.2", "--bound", "k=0..0.3", "--log", "k"];
    const { best, fixed, identifiability } = await fitJson([...basic, ...more]);
    expect(fixed).toEqual({ a: 3 });
    expect(best.params["k"]).toBeCloseTo(0.3, 4);
    expect(identifiability.atBounds).toEqual(["k"]);
  });

  test.each([["absolute"], ["huber"], ["(abs (- pred y))"]])("--loss %s", async (loss) => {
    const { best } = await fitJson([...basic, "--loss", loss, "--param", "k=0.5"]);
    expect(best.params["k"]).toBeCloseTo(0.4, 1);
  });

  test("--loss binomial with trials, poisson for counts", async () => {
    writeFile("counts.csv", "x,n,hits,seen\n0,10,5,1\n1,10,7,3\n2,10,9,7\n3,20,19,20\n");
    const sigmoid = "(/ 1 (+ 1 (exp (- (+ a (* b x))))))";
    const binomial = ["fit", "-e", sigmoid, "--data", "counts.csv", "--target", "hits"];
    const one = await fitJson([...binomial, "--loss", "binomial", "--trials", "n"]);
    expect(one.best.params["b"]).toBeGreaterThan(0.5);
    const poisson = [
      "fit",
      "-e",
      "(exp (+ a (* b x)))",
      "--data",
      "counts.csv",
      "--target",
      "seen",
    ];
    const two = await fitJson([...poisson, "--loss", "poisson"]);
    expect(two.best.params["b"]).toBeCloseTo(1, 0);
  });

  test("--sigma takes a column or a number, and sets the scale of the errors", async () => {
    writeFile("known.csv", csv(decay.map((row) => ({ ...row, sd: 0.5 }))));
    const args = ["fit", "-e", model, "--data", "known.csv", "--target", "y"];
    const errorOf = async (...more: string[]): Promise<number> =>
      (await fitJson([...args, ...more])).standardErrors["k"] ?? Number.NaN;
    const column = await errorOf("--sigma", "sd");
    expect(column).toBe(await errorOf("--sigma", "0.5"));
    expect(column).toBeGreaterThan(5 * (await errorOf()));
  });

  test("without --target the value is the loss, with errors where it is a likelihood", async () => {
    const source = "(+ (* 10 (log s)) (/ (vsum (* (- y m) (- y m))) (* 2 s s)))";
    writeFile("ten.csv", "y\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    const args = ["fit", "-e", source, "--data", "ten.csv", "--log", "s"];
    const plain = await fitJson(args);
    expect(plain.best.params).toEqual({
      m: expect.closeTo(5.5, 4),
      s: expect.closeTo(Math.sqrt(8.25), 4),
    });
    expect(plain["standardErrors"]).toEqual({ m: "NaN", s: "NaN" });
    const sure = await fitJson([...args, "--likelihood"]);
    expect(sure.standardErrors["m"]).toBeCloseTo(Math.sqrt(8.25 / 10), 3);
  });

  test("--set gives numbers, vectors and matrices to an objective", async () => {
    const source = "(+ (* (- a c) (- a c)) (vsum (* (- v a) (- v a))))";
    const args = ["fit", "-e", source, "--set", "c=4", "--set", "v=[1, 1]", "--param", "a=0"];
    const { best } = await fitJson(args);
    expect(best.params["a"]).toBeCloseTo(2, 6);
  });

  test("one seed gives the same result, another one other restarts", async () => {
    const wide = [...basic, "--param", "k=0.01..10", "--param", "a=0.1..10", "--restarts", "5"];
    const starts = async (seed: string): Promise<unknown> =>
      (await fitJson([...wide, "--seed", seed])).restarts.map(({ start }) => start);
    expect(await starts("3")).toEqual(await starts("3"));
    expect(await starts("3")).not.toEqual(await starts("4"));
  });
});

describe("rows", () => {
  test("--where takes rows by an expression over the columns, or by a word", async () => {
    const rows = async (...more: string[]): Promise<unknown> =>
      (await fitJson([...basic, ...more]))["rows"];
    expect(await rows("--where", "(> t 2)")).toMatchObject({ fitted: 19, leftOutByWhere: 5 });
    expect(await rows("--where", "cell=a")).toMatchObject({ fitted: 12 });
    expect(await rows("--where", "cell!=a", "--where", "(< t 3)")).toMatchObject({ fitted: 3 });
  });

  test.each([
    ["0.25", 6],
    ["25%", 6],
    ["1..4", 4],
    ["20..", 5],
    ["(> t 9)", 5],
    ["part", 8],
    ["odd", 12],
  ])("--hold-out %s scores rows that the fit does not see", async (wanted, count) => {
    const parts = decay.map((row, index) => ({
      ...row,
      part: index % 3 === 0 ? "test" : "train",
      odd: index % 2,
    }));
    writeFile("parts.csv", csv(parts));
    const args = ["fit", "-e", model, "--data", "parts.csv", "--target", "y"];
    const { rows, heldOut } = await fitJson([...args, "--hold-out", wanted]);
    expect(rows).toMatchObject({ fitted: 24 - count, heldOut: count });
    expect(heldOut[0]).toMatchObject({
      rows: count,
      rmse: expect.closeTo(0.015, 1),
    });
    expect((await ndvmHere([...args, "--hold-out", wanted])).stdout).toContain(
      `${count} rows held out: RMSE`,
    );
  });

  test("rows with missing values are left out and counted", async () => {
    const gaps = decay.map((row, index) => ({ ...row, y: index % 6 === 0 ? "NA" : row.y }));
    writeFile("gaps.csv", csv(gaps));
    const args = ["fit", "-e", model, "--data", "gaps.csv", "--target", "y"];
    const { stdout } = await ndvmHere(args);
    expect(stdout).toContain("20 of 24 rows of gaps.csv, 4 with missing values left out");
  });

  test("missing values of columns that are not used leave no row out", async () => {
    writeFile("other.csv", csv(decay.map((row) => ({ ...row, other: "" }))));
    const args = ["fit", "-e", model, "--data", "other.csv", "--target", "y"];
    expect((await ndvmHere(args)).stdout).toContain("24 of 24 rows");
  });

  test("--na names further missing values, --column renames a column", async () => {
    writeFile("odd.csv", "Time (s);y\n0,0;3,0\n1,0;2,0\n2,0;-999\n3,0;0,9\n4,0;0,6\n");
    const args = ["fit", "-e", model, "--data", "odd.csv", "--target", "y", "--na", "-999"];
    const { stdout } = await ndvmHere([...args, "--column", "t=Time (s)"]);
    expect(stdout).toContain("4 of 5 rows of odd.csv, 1 with missing values left out");
  });
});

describe("what is written", () => {
  test("--json is a result that fitFromJSON reads, and --out the same in a file", async () => {
    const args = [...basic, "--param", "a=1", "--param", "k=1", "--out", "result.json"];
    const printed = await fitJson(args);
    const machine = await Machine.create();
    const again = fitFromJSON(machine.load(model), printed as unknown as FitJson);
    const { params } = again.best;
    expect(again.predict({ t: [1] }).values[0]).toBeCloseTo(
      (params["a"] ?? 0) * Math.exp(-(params["k"] ?? 0)),
      12,
    );
    const written = JSON.parse(read("result.json")) as typeof printed;
    expect(written["best"]).toEqual(printed["best"]);
    machine.dispose();
  });

  test("an interrupted fit goes on with --resume as if nothing had happened", async () => {
    // Far more restarts than any machine fits in the time; the best of them may have converged.
    const wide = [...basic, "--param", "k=0.01..10", "--param", "a=0.1..10", "--restarts", "2000"];
    const part = await fitJson([...wide, "--time", "1ms", "--out", "part.json"], 0, 3);
    expect(part["stopped"]).toBe("time");
    const resumed = await fitJson([...wide, "--resume", "part.json"]);
    const whole = await fitJson(wide);
    expect(resumed["best"]).toEqual(whole["best"]);
    expect(resumed["covariance"]).toEqual(whole["covariance"]);
  });

  test("--export to standard output stands alone there", async () => {
    const more = ["--param", "a=1", "--param", "k=1", "--export", "scheme"];
    const { stdout, stderr } = await ndvmHere([...basic, ...more]);
    expect(stdout).toMatch(/^\(\* [\d.]+ \(exp \(- \(\* 0\.\d+ t\)\)\)\)\n$/);
    expect(stderr).toContain("parameter");
  });

  test.each([
    ["js", "model.js", /^export function model/m],
    ["latex", "model.tex", /e\^\{/],
    ["sympy", "model.py", /sympy\.exp/],
    ["numpy", "model-np.py", /np\.exp/],
    ["json", "model.json", /"params"/],
    ["math", "model.txt", /·exp/],
  ])("--export %s=%s", async (format, file, pattern) => {
    const { code, stderr } = await ndvmHere([...basic, "--export", `${format}=${file}`]);
    expect(stderr).toContain(`wrote ${file}`);
    expect(read(file)).toMatch(pattern);
    expect(code).toBe(0);
  });

  test("a program without a closed form is fitted, and its formula refused", async () => {
    const source = "(loop ((i 0) (x a)) (if (< i t) (recur (+ i 1) (* x k)) x))";
    const args = ["fit", "-e", source, "--data", "decay.csv", "--target", "y", "--param", "k=0.5"];
    const { code, stdout, stderr } = await ndvmHere([...args, "--export", "latex=loop.tex"]);
    expect(stdout).toContain("parameter");
    expect(stderr).toContain("error E-REFUSED: the program has no closed form");
    expect(code).toBe(1);
  });

  test("a fit with groups exports the group that is named", async () => {
    writeFile("cells.csv", csv(decay));
    const args = ["fit", "-e", model, "--data", "cells.csv", "--target", "y", "--group", "cell:a"];
    expect((await ndvmHere([...args, "--export", "math"])).stderr).toContain("--export-group");
    const named = await ndvmHere([...args, "--export", "math", "--export-group", "b"]);
    expect(named.stdout).toMatch(/^[\d.]+·exp/);
  });
});

describe("counts", () => {
  const rows = [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2].map((x, i) => {
    const share = 1 / (1 + Math.exp(-(0.4 + 1.5 * x)));
    return `${x},60,${Math.round(60 * share) + (i % 3) - 1}`;
  });
  const logistic = "(/ 1 (+ 1 (exp (- (+ a (* b x))))))";
  const args = ["-e", logistic, "--data", "hits.csv", "--target", "y", "--loss", "binomial"];

  test("a binomial fit is told and shown by shares and deviance, not by R² of the counts", async () => {
    writeFile("hits.csv", `x,n,y\n${rows.join("\n")}\n`);
    const more = ["--trials", "n", "--plot", "--report", "hits.html", "--hold-out", "8..9"];
    const { stdout, stderr, code } = await ndvmHere(["fit", ...args, ...more]);
    expect(code).toBe(0);
    expect(stdout).toContain("y / n = 1/(1 + exp(");
    expect(stdout).toMatch(/share of the deviance 0\.99/);
    expect(stdout).toContain("y / n over x: ● data");
    expect(stdout).toMatch(/2 rows held out: RMSE of the share 0\.0\d+/);
    expect(stdout).not.toContain("R²");
    expect(stderr).not.toContain("worse than");
  });

  test("held-out rows count by their weights: their scores were those of weight 1", async () => {
    const table = [2, 3, 5, 6, 11, 14, 22, 31, 40, 70].map((y, x) => {
      return { x, y, w: [1, 2, 3, 1, 2, 1, 3, 2, 3, 1][x] as number, h: [6, 8, 9].includes(x) };
    });
    const line = ({ x, y, w, h }: (typeof table)[number]) => `${x},${y},${w},${h ? 1 : 0}`;
    writeFile("weighed.csv", `x,y,w,h\n${table.map(line).join("\n")}\n`);
    const often = table.flatMap((row) => Array(row.w).fill(line(row)));
    writeFile("often.csv", `x,y,w,h\n${often.join("\n")}\n`);
    for (const loss of ["poisson", "squares", "(square (- pred y))"]) {
      const scoresOf = async (...more: string[]) => {
        const model = ["-e", "(exp (+ a (* b x)))", "--target", "y", "--loss", loss];
        const start = ["--param", "a=0.7", "--param", "b=0.4", "--hold-out", "h"];
        const { heldOut } = await fitJson(["fit", ...model, ...start, ...more], 0, 3);
        return heldOut[0] as unknown as Record<string, number>;
      };
      const weighed = await scoresOf("--data", "weighed.csv", "--weights", "w");
      const repeated = await scoresOf("--data", "often.csv");
      expect([weighed["rows"], repeated["rows"]]).toEqual([3, 7]);
      for (const name of ["rmse", "mae", "r2", "loss", "deviance"])
        if (typeof repeated[name] === "string") expect(weighed[name]).toBe(repeated[name]);
        else expect(weighed[name] as number).toBeCloseTo(repeated[name] as number, 4);
    }
  });

  test("a row without trials shows nothing, fitted or held out: it made the RMSE NaN and counted in BIC", async () => {
    writeFile("empty.csv", "t,y,n\n0,1,4\n1,0,0\n2,3,5\n3,4,5\n4,3,5\n");
    writeFile("whole.csv", "t,y,n\n0,1,4\n2,3,5\n3,4,5\n4,3,5\n");
    const of = (file: string, ...more: string[]) =>
      fitJson([
        ...["fit", "-e", "(sigmoid (+ a (* b t)))", "--data", file, "--target", "y"],
        ...["--loss", "binomial", "--trials", "n", "--param", "a=0", "--param", "b=0", ...more],
      ]);
    const [empty, whole] = [await of("empty.csv"), await of("whole.csv")];
    const [score, scoreOfWhole] = [empty, whole].map(
      ({ best }) => best as unknown as Record<string, number>,
    ) as [Record<string, number>, Record<string, number>];
    for (const name of ["loss", "deviance", "aic", "bic", "r2"])
      expect(score[name]).toBeCloseTo(scoreOfWhole[name] as number, 10);
    const [one, other] = [
      await of("empty.csv", "--hold-out", "1..2"),
      await of("whole.csv", "--hold-out", "1..1"),
    ];
    const { rows, ...scores } = one.heldOut[0] as unknown as Record<string, unknown>;
    expect(rows).toBe(2);
    for (const [name, value] of Object.entries(scores))
      if (typeof value !== "number") expect(other.heldOut[0]).toMatchObject({ [name]: value });
      else expect(other.heldOut[0]?.[name as "target"]).toBeCloseTo(value, 8);
  });

  test("a fit that does not converge exits with 3, and one that does with 0", async () => {
    writeFile("hits.csv", `x,n,y\n${rows.join("\n")}\n`);
    const few = await ndvmHere(["fit", ...args, "--trials", "n", "--steps", "1", "--no-plot"]);
    expect(few.code).toBe(3);
    expect(few.stdout).toContain("did not converge");
    const enough = await ndvmHere(["fit", ...args, "--trials", "n", "--no-plot"]);
    expect(enough.code).toBe(0);
  });
});
