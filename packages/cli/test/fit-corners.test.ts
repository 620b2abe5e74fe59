/**
 * Options of `fit` in combinations that are seldom typed: names that mean several things, options that
 * are given twice, files that are nearly right.
 */

import { describe, expect, test } from "vitest";
import {
  type FitCommandOptions,
  parameterOptions,
  parseEnds,
  parseGroups,
} from "../src/fit/options.js";
import { ndvmHere } from "./here.js";
import { writeFile } from "./run.js";

describe("texts of options", () => {
  const options = (some: Partial<FitCommandOptions>) => parameterOptions(some as FitCommandOptions);

  test("a parameter that is named again keeps what was said of it", () => {
    const start = { k: { start: 2 } };
    expect(options({ param: ["k=2", "k"] })).toEqual(start);
    expect(options({ param: ["k", "k=2"] })).toEqual(start);
    expect(options({ param: ["k"], bound: ["k=0..3"], log: ["k"] })).toEqual({
      k: { bounds: [0, 3], scale: "log" },
    });
    expect(() => options({ param: ["k=2", "k=3"] })).toThrow("--param gives k a start twice");
    // A start and a range are two things.
    expect(options({ param: ["k=2", "k=1..3"] })).toEqual({ k: { start: 2, range: [1, 3] } });
  });

  test.each([
    ["0..1", [0, 1]],
    [" 0 .. 1 ", [0, 1]],
    ["..5", [undefined, 5]],
    ["-2..", [-2, undefined]],
    ["1. .. .5", [1, 0.5]],
    // The third point belongs to the number before it.
    ["1...5", [1, 5]],
    ["1.5...5", undefined],
    ["1e3..inf", [1000, Number.POSITIVE_INFINITY]],
    ["..", undefined],
    ["1", undefined],
    ["a..1", undefined],
    ["1..b", undefined],
    ["nan..1", undefined],
    ["1..2..3", undefined],
  ])("the ends of %s", (text, ends) => {
    expect(parseEnds(text)).toEqual(ends);
  });

  test.each([
    ["cell:a,b", "cell", ["a", "b"]],
    ["time: of day : a", "time: of day", ["a"]],
    ["c:a , b ", "c", ["a", "b"]],
  ])("the groups of %s", (text, by, params) => {
    expect(parseGroups(text)).toEqual({ by, params });
  });

  test.each(["cell", ":a", "cell:", "cell:a,,b"])("%s says nothing of groups", (text) => {
    expect(() => parseGroups(text)).toThrow("--group needs column:parameters");
  });
});

describe("a fit", () => {
  const jsonOf = async (...args: readonly string[]) => {
    const { stdout, stderr } = await ndvmHere(["fit", ...args, "--json"]);
    return stdout === "" ? stderr : JSON.parse(stdout);
  };

  test("takes a vector or an integer by the name of a primitive", async () => {
    const program = "(+ (expt (- a (* count (dot norm norm))) 2) 1)";
    const result = await jsonOf(
      ...["-e", program, "--set", "norm=[1, 2]", "--int", "count=2", "--param", "a=9"],
    );
    expect(result.best.params.a).toBeCloseTo(10, 5);
  });

  const rows = Array.from({ length: 8 }, (_, i) => `${i},${2 * i + 1 + (i % 2)},word`);

  test("with a loss of its own does not read a column pred", async () => {
    writeFile("pred.csv", `x,y,pred\n${rows.join("\n")}\n`);
    const result = await jsonOf(
      ...["-e", "(+ a (* b x))", "--data", "pred.csv", "--target", "y"],
      ...["--loss", "(* (- pred y) (- pred y))"],
    );
    expect(result.rows).toMatchObject({ all: 8, fitted: 8, leftOutAsMissing: 0 });
  });

  test("has errors by a loss of its own where that is a likelihood", async () => {
    writeFile("own.csv", `x,y,pred\n${rows.join("\n")}\n`);
    const args = [
      ...["-e", "(+ a (* b x))", "--data", "own.csv", "--target", "y"],
      ...["--loss", "(* 0.5 (- pred y) (- pred y))"],
    ];
    expect((await jsonOf(...args)).standardErrors).toEqual({ a: "NaN", b: "NaN" });
    // Of a line through x = 0 … 7 with a spread of 1: 1/√Σ(x − 3.5)².
    const { standardErrors } = await jsonOf(...args, "--likelihood");
    expect(standardErrors.b).toBeCloseTo(1 / Math.sqrt(42), 4);
  });

  test.each([
    ["another version", '{"version":2,"best":{}}'],
    ["no version", "{}"],
    ["a list", "[1]"],
    ["nothing", "null"],
    ["no JSON", "version: 1"],
  ])("goes on with no file that holds %s", async (_, text) => {
    writeFile("odd.json", text);
    writeFile("own.csv", `x,y,pred\n${rows.join("\n")}\n`);
    const said = await jsonOf(
      ...["-e", "(* a x)", "--data", "own.csv", "--target", "y", "--resume", "odd.json"],
    );
    expect(said).toContain("odd.json: this is not the result of a fit");
  });
});
