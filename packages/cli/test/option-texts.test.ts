/**
 * Texts of options: every unit in every spelling is the number that a table says, everything beside it is
 * refused, and what goes over the least and the most is refused at the very next number.
 */

import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { addFitOptions, type FitCommandOptions, parseLoss } from "../src/fit/options.js";
import { splitAssignment } from "../src/inputs.js";
import { parseCount, parseDuration, parseNames, parseSeed, parseSize } from "../src/options.js";
import { addSearchOptions, budgetOf, type SearchCommandOptions } from "../src/search/options.js";
import { tableOptions } from "../src/table-options.js";

/** A unit as somebody may spell it: small, large, mixed, with and without a blank. */
const spellings = (unit: string): string[] => {
  const cases = [unit, unit.toUpperCase(), unit.charAt(0).toUpperCase() + unit.slice(1)];
  return [...new Set(cases.flatMap((one) => [one, ` ${one}`, `  ${one} `]))];
};

describe("a time", () => {
  test.each([
    ["", 1000],
    ["ms", 1],
    ["s", 1000],
    ["m", 60_000],
    ["h", 3_600_000],
  ])("in %j is so many milliseconds, however it is spelt", (unit, factor) => {
    for (const spelt of spellings(unit))
      for (const number of ["1", "5", "0.25", "12.5", "007"])
        expect(parseDuration(number + spelt), number + spelt).toBe(Number(number) * factor);
  });

  test.each([
    "",
    "s",
    "0",
    "0s",
    "0.0h",
    "-1",
    "1d",
    "1 min",
    "5ss",
    "1e3",
    ".5s",
    "5.s",
    "1s2",
    "٣s",
  ])("%j is none", (text) => {
    expect(() => parseDuration(text)).toThrow("It must be a time such as 5s or 250ms.");
  });
});

describe("a size", () => {
  test.each([
    ["k", 2 ** 10, 4096],
    ["m", 2 ** 20, 4],
    ["g", 2 ** 30, 1],
  ])("in %s is so many bytes, however it is spelt", (unit, factor, number) => {
    for (const long of [unit, `${unit}b`, `${unit}ib`])
      for (const spelt of spellings(long))
        for (const one of [number, 1.5 * number, 3 * number])
          expect(parseSize(`${one}${spelt}`), `${one}${spelt}`).toBe(Math.floor(one * factor));
  });

  test("in bytes is a whole number of them", () => {
    expect(parseSize("8388608")).toBe(8388608);
    expect(parseSize("8388608.75")).toBe(8388608);
    expect(parseSize(" 8388608 b ")).toBe(8388608);
  });

  test("reaches from 4M to 4G, of which the last is all that can be addressed", () => {
    expect(parseSize("4M")).toBe(2 ** 22);
    expect(parseSize(String(2 ** 22))).toBe(2 ** 22);
    for (const text of ["4G", "4096M", String(2 ** 32), String(2 ** 32 - 1)])
      expect(parseSize(text)).toBe(2 ** 32 - 2 ** 16);
    expect(parseSize(String(2 ** 32 - 2 ** 16 - 1))).toBe(2 ** 32 - 2 ** 16 - 1);
    for (const text of [
      String(2 ** 22 - 1),
      String(2 ** 32 + 1),
      "4.01G",
      "3.99M",
      "1",
      "0",
      "-4M",
    ])
      expect(() => parseSize(text), text).toThrow("It must be a size from 4M to 4G");
    for (const text of ["", "M", "4T", "4mm", "4 i", "4e6", "NaN"])
      expect(() => parseSize(text), text).toThrow("such as 512M");
  });
});

test("a count is a whole number from 1 on, in any way to write numbers", () => {
  for (const [text, count] of [
    ["1", 1],
    ["1e6", 1e6],
    [" 32 ", 32],
    ["2.0", 2],
  ] as const)
    expect(parseCount(text)).toBe(count);
  for (const text of ["0", "-1", "1.5", "", " ", "x", "Infinity", "1,000", "NaN"])
    expect(() => parseCount(text), text).toThrow("It must be a whole number, 1 or more");
});

test("seeds are one number, or a list where there is a comma", () => {
  expect(parseSeed("2")).toBe(2);
  expect(parseSeed("0")).toBe(0);
  expect(parseSeed(" -1.5 ")).toBe(-1.5);
  expect(parseSeed("0,1")).toEqual([0, 1]);
  expect(parseSeed("3, 4,5")).toEqual([3, 4, 5]);
  for (const text of ["", "x", "1,", ",1", "1,,2", "1,x"])
    expect(() => parseSeed(text), text).toThrow("It must be a number, or numbers");
});

test("names are what stands between commas, without blanks, and none is empty", () => {
  expect(parseNames(" a , b c,d")).toEqual(["a", "b c", "d"]);
  for (const text of ["", "a,", ",a", "a, ,b"])
    expect(() => parseNames(text), text).toThrow("It must be names separated by commas.");
});

test("an assignment is cut at its first =, and has both sides", () => {
  expect(splitAssignment(" a = b=c ", "--set")).toEqual(["a", "b=c"]);
  for (const text of ["a", "a=", "=b", " = ", ""])
    expect(() => splitAssignment(text, "--of"), text).toThrow(
      `--of needs name=value, got "${text}"`,
    );
});

/** The options of a command that are made of these words. */
function read<T>(add: (command: Command) => Command, words: readonly string[]): T {
  const silent = { writeOut: () => {}, writeErr: () => {} };
  const command = add(new Command().exitOverride().configureOutput(silent).allowExcessArguments());
  command.parse(words, { from: "user" });
  return command.opts() as T;
}
const fit = (...words: string[]) => read<FitCommandOptions>(addFitOptions, words);
const search = (...words: string[]) =>
  read<SearchCommandOptions>(addSearchOptions, ["--data", "d", "--target", "y", ...words]);

describe("the numbers of a fit", () => {
  test.each<[string, string, unknown]>([
    ["--level", "0.5", 0.5],
    ["--level", "50%", 0.5],
    ["--level", " 99.5% ", 0.995],
    ["--level", "1e-3", 0.001],
    ["--huber-width", "1.5", 1.5],
    ["--huber-width", "-2", -2],
    ["--rate", "1e-2", 0.01],
    ["--seed", "-3", -3],
    ["--seed", "0", 0],
    ["--time", "2M", 120_000],
    ["--memory", "64m", 2 ** 26],
  ])("%s %s", (option, text, value) => {
    const key = option.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    expect((fit(option, text) as unknown as Record<string, unknown>)[key]).toBe(value);
  });

  test.each<[string, string, string]>([
    ["--level", "0", "between 0 and 1"],
    ["--level", "1", "between 0 and 1"],
    ["--level", "0%", "between 0 and 1"],
    ["--level", "100%", "between 0 and 1"],
    ["--level", "95", "between 0 and 1"],
    ["--level", "%", "It must be a number."],
    ["--level", "", "It must be a number."],
    ["--huber-width", "inf", "It must be a number."],
    ["--rate", "NaN", "It must be a number."],
    ["--rate", " ", "It must be a number."],
    ["--seed", "1.5", "It must be a whole number."],
    ["--seed", "x", "It must be a number."],
  ])("not %s %j", (option, text, words) => {
    expect(() => fit(option, text)).toThrow(words);
  });

  test("names that come several times are all there, in order", () => {
    expect(fit("--target", "a, b", "--target", "c").target).toEqual(["a", "b", "c"]);
    expect(fit("--log", "a", "--log", "b,c").log).toEqual(["a", "b", "c"]);
    expect(fit("--na", "-999,NULL", "--na", "x").na).toEqual(["-999", "NULL", "x"]);
    const texts = {
      param: "p=1",
      bound: "p=0..",
      fix: "q=1",
      where: "a=b",
      set: "s=1",
      int: "n=1",
    };
    for (const [name, text] of Object.entries({ ...texts, column: "t=T", export: "js" })) {
      const found = fit(`--${name}`, text, `--${name}`, `${text}2`) as object;
      expect((found as Record<string, unknown>)[name], name).toEqual([text, `${text}2`]);
    }
  });

  test("a loss is a known word, or an expression; a word near one is told", () => {
    expect(parseLoss(undefined)).toBe("squares");
    for (const loss of ["squares", "absolute", "huber", "poisson", "binomial"])
      expect(parseLoss(` ${loss} `)).toBe(loss);
    expect(parseLoss("(abs pred)")).toEqual({ text: "(abs pred)" });
    expect(() => parseLoss("hubber")).toThrow("there is no loss hubber; did you mean huber?");
    expect(() => parseLoss("nothing near")).toThrow(
      "there is no loss nothing near. The losses are",
    );
  });
});

describe("the numbers of a search", () => {
  test.each<[string, string, unknown]>([
    ["--seed", "0", 0],
    ["--workers", "0", 0],
    ["--workers", "1e1", 10],
    ["--price", "0,0", [0, 0]],
    ["--price", "0.5, 1.5", [0.5, 1.5]],
    ["--max-cost", "0.01", 0.01],
    ["--requests-per-second", "0.5", 0.5],
    ["--requests-per-minute", "30", 30],
    ["--budget", "1H", 3_600_000],
    ["--inputs", "a, b", ["a", "b"]],
    ["--ops", "+,-", ["+", "-"]],
  ])("%s %s", (option, text, value) => {
    const key = option.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    expect((search(option, text) as unknown as Record<string, unknown>)[key]).toEqual(value);
  });

  test.each<[string, string, string]>([
    ["--seed", "-1", "0 or more"],
    ["--seed", "1.5", "0 or more"],
    ["--seed", String(2 ** 53), "0 or more"],
    ["--workers", "", "0 or more"],
    ["--workers", " ", "0 or more"],
    ["--price", "1", "two prices"],
    ["--price", "1,2,3", "two prices"],
    ["--price", "1,-2", "two prices"],
    ["--price", "-1,2", "two prices"],
    ["--price", ",2", "two prices"],
    ["--price", "1,", "two prices"],
    ["--max-cost", "0", "positive number"],
    ["--max-cost", "-1", "positive number"],
    ["--max-cost", "Infinity", "positive number"],
    ["--max-cost", " ", "positive number"],
    ["--requests-per-second", "0", "positive number"],
    ["--requests-per-minute", "x", "positive number"],
    ["--epoch", "0", "1 or more"],
    ["--cycles", "0", "1 or more"],
  ])("not %s %j", (option, text, words) => {
    expect(() => search(option, text)).toThrow(words);
  });

  test("a budget is a minute only where nothing else would end the search", () => {
    const limits = { candidates: 3, fits: 4, tokens: 5 };
    const keys = ["budget", "candidates", "fits", "tokens", "r2"] as const;
    for (let some = 0; some < 2 ** keys.length; some++) {
      const has = (key: (typeof keys)[number]) => ((some >> keys.indexOf(key)) & 1) === 1;
      const given = { ...limits, budget: 1500, r2: 0.75 };
      const words = keys
        .filter(has)
        .flatMap((key) => [`--${key}`, `${given[key]}${key === "budget" ? "ms" : ""}`]);
      const found = budgetOf(search(...words));
      const isOpen = !has("budget") && !has("candidates") && !has("fits") && !has("tokens");
      expect(found, words.join(" ")).toEqual({
        ...(has("budget") ? { seconds: 1.5 } : isOpen ? { seconds: 60 } : {}),
        ...(has("candidates") ? { candidates: 3 } : {}),
        ...(has("fits") ? { fits: 4 } : {}),
        ...(has("tokens") ? { tokens: 5 } : {}),
        ...(has("r2") ? { r2: 0.75 } : {}),
      });
    }
  });
});

test("a sheet is a number where it is written in digits alone, and a name elsewhere", () => {
  expect(tableOptions({ sheet: "2" })).toEqual({ sheet: 2 });
  for (const sheet of ["2a", "a2", "-1", "1.5", ""])
    expect(tableOptions({ sheet })).toEqual({ sheet });
  expect(tableOptions({ dates: "days" })).toEqual({ dates: "days" });
  expect(tableOptions({})).toEqual({});
});
