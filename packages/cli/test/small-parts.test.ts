/** Small parts of the command, each by itself: ranges, inputs, columns beside the data, held-out losses, limits. */

import { join } from "node:path";
import { type FitResult, Machine, NdvmError } from "@ndvm/core";
import { readTable } from "@ndvm/tables";
import { afterEach, describe, expect, test, vi } from "vitest";
import { tensorOfJson } from "../src/data-file.js";
import { scoreHeldOut } from "../src/fit/held-out.js";
import type { FitCommandOptions } from "../src/fit/options.js";
import type { FitProblem } from "../src/fit/problem.js";
import { sideColumns, sideOptions } from "../src/fit/sides.js";
import { expandRange, readInputs, referencedFiles, UsageError } from "../src/inputs.js";
import { withinLimits } from "../src/limits.js";
import { csvText, jsonText, type Report, tableText } from "../src/results.js";
import { complain, note, reportError, warn, write } from "../src/terminal.js";
import { decodeText } from "../src/text-file.js";
import { folder, writeFile } from "./run.js";

/** Files that tables were read from, in order. */
const files: string[] = [];
vi.mock("@ndvm/tables/node", async (original) => {
  const tables = await original<typeof import("@ndvm/tables/node")>();
  return {
    ...tables,
    readTableFile: (...given: Parameters<typeof tables.readTableFile>) => {
      files.push(given[0]);
      return tables.readTableFile(...given);
    },
  };
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("files that inputs name are known whatever blanks stand around them, as the inputs are read", async () => {
  const file = join(folder, writeFile("matrix.csv", "1,2\n3,4\n"));
  for (const text of [`m=@${file}`, `m= @${file}`, `m =\t@${file} `, ` m=@${file}`]) {
    expect(referencedFiles([text]), text).toEqual([file]);
    const inputs = await readInputs([text]);
    expect(Object.keys(inputs), text).toEqual(["m"]);
  }
  expect(referencedFiles(["a=1", `m=@${file}:x`, "b=@none.csv"])).toEqual([file, "none.csv"]);
});

describe("a range", () => {
  test("holds every value that a step lands on, both ends included, up and down", () => {
    for (let tenths = 1; tenths <= 12; tenths++)
      for (let count = 1; count <= 40; count++)
        for (const sign of [1, -1]) {
          const [step, stop] = [sign * tenths, sign * tenths * (count - 1)].map((n) => n / 10);
          const values = [...expandRange("x", `0:${stop}:${step}`)];
          expect(values).toEqual(Array.from({ length: count }, (_, i) => 0 + i * (step as number)));
          // A stop between two steps is not reached.
          const between = (stop as number) + (step as number) / 2;
          expect(expandRange("x", `0:${between}:${step}`)).toHaveLength(count);
        }
  });

  test("goes by ones where no step is given, towards its end", () => {
    expect([...expandRange("x", "1:4")]).toEqual([1, 2, 3, 4]);
    expect([...expandRange("x", "4:1")]).toEqual([4, 3, 2, 1]);
    expect([...expandRange("x", "2:2")]).toEqual([2]);
  });

  test("holds ten million values at most, and at least one", () => {
    expect(expandRange("x", "1:1e7")).toHaveLength(1e7);
    for (const text of ["0:1e7", "1:2:-1", "1:2:0", "1:2:3:4", "0:inf", "nan:1"])
      expect(() => expandRange("x", text), text).toThrow(UsageError);
  });
});

test("no password of an address gets to a stream in a sentence, whoever says it", () => {
  const shown: string[] = [];
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    shown.push(String(text));
    return true;
  });
  const words = "see redis://me:pass-1@host:6379/0 and https://:pass-2@other/v1";
  for (const say of [warn, note, complain]) say(words);
  reportError(new NdvmError("E-OPTION", words));
  spy.mockRestore();
  expect(shown.length).toBe(4);
  for (const text of shown) {
    expect(text).toMatch(/see redis:\/\/.*host:6379\/0 and https:\/\/.*other\/v1/);
    expect(text).not.toContain("pass");
  }
});

test("a result leaves as it is, also where it looks like an address with a password", () => {
  const shown: string[] = [];
  const stream = { write: (text: string) => shown.push(text) > 0 } as never;
  const json = JSON.stringify({ "km://h": 1, "a:b@c": [2], d: "k?pass=1" });
  write(stream, json);
  expect(shown.join("")).toBe(json);
});

test("every part of an error is told without control characters, one mark for each", () => {
  const shown: string[] = [];
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    shown.push(String(text));
    return true;
  });
  const parts = {
    source: "(+\x1b a)",
    file: "f\x9b.scm",
    help: "do\x07 this",
    span: { start: 4, end: 5 },
  };
  reportError(new NdvmError("E-TYPE", "what\x1b[2J it is\r", parts));
  spy.mockRestore();
  expect(shown.join("")).toBe(
    "f\ufffd.scm:1:5: error E-TYPE: what\ufffd[2J it is \n" +
      "  1 | (+\ufffd a)\n    |     ^\n  help: do\ufffd this\n",
  );
});

test("a long result is written in pieces of some size, none of which holds it all", () => {
  const values = Float64Array.from({ length: 60_000 }, (_, i) => i / 7);
  const result = { lanes: values.length, shape: [], values, failures: [], nonFinite: [] };
  const report = { result, inputs: { x: values }, precision: "f64" } as unknown as Report;
  const numbers = Array.from(values, String);
  for (const [pieces, whole] of [
    [[...csvText(report)], ["x,value", ...numbers.map((one) => `${one},${one}`), ""].join("\n")],
    [
      [...jsonText(report, false)],
      `{"lanes":60000,"shape":[],"values":[${numbers.join(",")}],"failures":[],"nonFinite":[]}\n`,
    ],
  ] as const) {
    expect(pieces.join("")).toBe(whole);
    const lengths = pieces.map(({ length }) => length);
    expect(Math.max(...lengths)).toBeLessThan(2 ** 17);
    expect(Math.min(...lengths.slice(0, -1))).toBeGreaterThanOrEqual(2 ** 16);
  }
});

test("a table shows a thousand numbers of a lane, and counts the others", () => {
  const shown = (shape: readonly number[]) => {
    const count = shape.reduce((all, one) => all * one, 1);
    const values = Float64Array.from({ length: 2 * count }, (_, i) => i % count);
    const result = { lanes: 2, shape, values, failures: [], nonFinite: [] };
    const report = { result, inputs: {}, precision: "f64" } as unknown as Report;
    return [...tableText(report)].join("").trimEnd().split("\n").at(-1) ?? "";
  };
  expect(shown([1000])).toMatch(/^ *1 +\[0 1 2 .* 998 999\]$/);
  expect(shown([1003])).toMatch(/^ *1 +\[0 1 2 .* 998 999 … 3 more numbers$/);
  expect(shown([2, 600])).toMatch(/^ *1 +\[\[0 1 2 .* 998 999 … 200 more numbers$/);
});

test("several columns of one file read it once", async () => {
  const file = join(folder, writeFile("once.csv", "x,y\n1,3\n2,4\n"));
  const inputs = await readInputs([`a=@${file}:x`, `b=@${file}:y`, `c=@${file}:x`]);
  expect([...(inputs["b"] as Float64Array)]).toEqual([3, 4]);
  expect(inputs["c"]).toEqual(inputs["a"]);
  expect(files.filter((each) => each === file)).toHaveLength(1);
});

describe("columns beside the data", () => {
  const given = async (sides: Partial<FitCommandOptions>) => {
    const options = sides as FitCommandOptions;
    const table = await readTable("2,sd,y\n7,8,9\n7,8,9\n", { name: "t.csv" });
    return { columns: sideColumns(options, table), sides: sideOptions(options, table, 2) };
  };

  test("are columns first, also where their name is a number, then numbers", async () => {
    for (const key of ["sigma", "weights", "trials"] as const) {
      expect(await given({ [key]: "2" })).toEqual({ columns: ["2"], sides: { [key]: "2" } });
      expect(await given({ [key]: " sd " })).toEqual({ columns: ["sd"], sides: { [key]: "sd" } });
      const filled = { [key]: Float64Array.of(3, 3) };
      expect(await given({ [key]: "3" })).toEqual({ columns: [], sides: filled });
      await expect(given({ [key]: "no" })).rejects.toThrow(`which is to hold the ${key}`);
    }
  });

  test("are given by target, except trials", async () => {
    for (const key of ["sigma", "weights"] as const) {
      const { columns, sides } = await given({ [key]: "y=sd, z = 0.5" });
      expect(columns).toEqual(["sd"]);
      expect(sides[key]).toEqual({ y: "sd", z: Float64Array.of(0.5, 0.5) });
    }
    await expect(given({ trials: "y=sd" })).rejects.toThrow("--trials is a column or a number");
    for (const bad of ["y=", "=sd", "y=sd=2", "y=sd,"])
      await expect(given({ sigma: bad }), bad).rejects.toThrow("--sigma needs");
  });
});

test("a loss that is a program is its mean over the held-out rows, whatever it calls the target", async () => {
  const machine = await Machine.create();
  const heldOut = { y: Float64Array.of(1, 2, 4), w: Float64Array.of(2, 3, 5) };
  const predicted = Float64Array.of(1.5, 2, 1);
  const result = {
    predict: () => ({ targets: { y: { values: predicted } } }),
  } as unknown as FitResult;
  const mean = (of: (row: number) => number) =>
    [0, 1, 2].reduce((sum, row) => sum + of(row), 0) / 3;
  const missed = (row: number) => Math.abs((heldOut.y[row] as number) - (predicted[row] as number));
  for (const [source, wanted] of [
    ["(abs (- target pred))", mean(missed)],
    ["(abs (- y pred))", mean(missed)],
    ["(* w (abs (- y pred)))", mean((row) => (heldOut.w[row] as number) * missed(row))],
  ] as const) {
    const loss = machine.load(source);
    const problem = { heldOut, targets: ["y"], heldOutOptions: { loss } } as unknown as FitProblem;
    const [score] = scoreHeldOut(result, problem);
    expect(score?.loss, source).toBeCloseTo(wanted, 6);
  }
  expect(scoreHeldOut(result, { targets: ["y"] } as unknown as FitProblem)).toEqual([]);
  machine.dispose();
});

describe("the limit of processor time", () => {
  /** Work that ends when its signal does. */
  const endless = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new NdvmError("E-ABORTED", "ended")));
    });
  /** A processor that is busy all the time: two thirds for the program, a third for the system. */
  const begin = (options: { timeout?: number }, outer = new AbortController()) => {
    vi.useFakeTimers();
    vi.spyOn(process, "cpuUsage").mockImplementation(() => ({
      user: (Date.now() * 2000) / 3,
      system: (Date.now() * 1000) / 3,
    }));
    const ending: { error?: NdvmError } = {};
    withinLimits(options, outer.signal, endless).catch((error: NdvmError) => {
      ending.error = error;
    });
    return { ending, outer };
  };

  test("ends work after five seconds of it, and says so", async () => {
    const { ending } = begin({});
    await vi.advanceTimersByTimeAsync(4900);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(150);
    expect(ending.error).toMatchObject({
      code: "E-TIME",
      facts: { option: "timeMax", limit: 5000 },
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  test("is not the reason where somebody else has ended the work", async () => {
    const { ending, outer } = begin({});
    await vi.advanceTimersByTimeAsync(1000);
    outer.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(ending.error).toMatchObject({ code: "E-ABORTED" });
    expect(vi.getTimerCount()).toBe(0);
    const late = withinLimits({}, outer.signal, async (signal) => {
      await vi.advanceTimersByTimeAsync(9000);
      expect(signal.aborted).toBe(true);
      throw new NdvmError("E-ABORTED", "ended");
    });
    await expect(late).rejects.toMatchObject({ code: "E-ABORTED" });
  });

  test("is none where a time is given", async () => {
    const { ending, outer } = begin({ timeout: 60 });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(vi.getTimerCount()).toBe(0);
    outer.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(ending.error).toMatchObject({ code: "E-ABORTED" });
  });
});

test.each([
  ["[]", "the array is empty"],
  ["[[]]", "row 0 is not like row 0"],
  ["[[],[]]", "row 0 is not like row 0"],
  ["[[1],[]]", "row 1 is not like row 0"],
  ["[[1,2],3]", "row 1 is not like row 0"],
  ["[3,[1,2]]", "row 0 is not like row 0"],
  ['["a"]', '[0]: "a" is not a number'],
  ["[[1,true]]", "[0,1]: true is not a number"],
])("%s is neither vector nor matrix", (text, message) => {
  expect(() => tensorOfJson("v", JSON.parse(text))).toThrow(message);
});

test("a file's byte order mark is no part of its text", () => {
  const bytes = new TextEncoder().encode("\ufeff(+ 1 2)\ufeff");
  expect(decodeText(bytes, "f.scm")).toBe("(+ 1 2)\ufeff");
});
