/**
 * Reading: what each rule refuses and in which words, which of several refusals is told, and that nothing of
 * one text is left for the next, however it ended.
 */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { digestOf } from "../../src/digest.js";
import { Reader, type ReadingRules } from "../../src/epoch/reading.js";
import { LIMITS } from "../../src/study.js";

type Rules = Omit<ReadingRules, "limits"> & { readonly limits: Partial<ReadingRules["limits"]> };

const readerOf = ({ limits, ...rules }: Partial<Rules> = {}): Reader =>
  new Reader({
    ...{ inputs: ["x", "z"], target: "y", complexityMax: undefined, ...rules },
    limits: { ...LIMITS, ...limits },
  });
const both = (reader: Reader, source: string) => [reader.read(source), reader.readAgain(source)];

const LOOP = "a loop never ends: every way through it comes to recur";

describe("a program is refused", () => {
  const long = "(+ a (* b x))";
  test.each<[string, Partial<Rules>, readonly [stage: string, code: string, message: string]]>([
    [
      long,
      { limits: { sourceLength: 12 } },
      ["parse", "E-LENGTH", "the program has 13 letters, more than 12"],
    ],
    [long, { complexityMax: 4 }, ["screen", "E-COMPLEXITY", "its complexity is 5, more than 4"]],
    ["(+ y x)", {}, ["screen", "E-TARGET", "the program reads y, which it is to predict"]],
    [
      long,
      { limits: { parameters: 1 } },
      ["screen", "E-PARAMETERS", "the program has 2 parameters, more than 1"],
    ],
    [
      "(+ a b)",
      { limits: { parameters: 1 } },
      ["screen", "E-PARAMETERS", "the program has 2 parameters, more than 1"],
    ],
    ["(loop ((s x)) (recur s))", {}, ["screen", "E-ENDLESS", LOOP]],
    // Of several reasons the first is told.
    [
      "(loop ((y x)) (recur (+ a y)))",
      { complexityMax: 3, limits: { parameters: 1 } },
      ["screen", "E-COMPLEXITY", "its complexity is 6, more than 3"],
    ],
    [
      "(loop ((s y)) (recur (+ a b)))",
      { complexityMax: 6, limits: { parameters: 1 } },
      ["screen", "E-TARGET", "the program reads y, which it is to predict"],
    ],
    [
      "(loop ((s x)) (recur (+ a b)))",
      { complexityMax: 6, limits: { parameters: 1 } },
      ["screen", "E-PARAMETERS", "the program has 2 parameters, more than 1"],
    ],
  ])("%s with %j", (source, rules, [stage, code, message]) => {
    for (const { failure } of both(readerOf(rules), source))
      expect(failure).toEqual({ stage, code, message });
  });

  test.each<[string, Partial<Rules>]>([
    [long, { limits: { sourceLength: 13, parameters: 2 }, complexityMax: 5 }],
    ["(+ a b)", { limits: { parameters: 2 } }],
    ["(+ x z)", { limits: { parameters: 1 } }],
    ["1", { limits: { parameters: 1, sourceLength: 1 }, complexityMax: 1 }],
    ["(let ((y x)) y)", {}],
    ["(+ 'y x)", {}],
  ])("but not %s with %j", (source, rules) => {
    for (const reading of both(readerOf(rules), source)) {
      expect(reading.failure).toBeUndefined();
      expect(reading.source).toBe(source);
    }
  });

  test("as a text if it cannot be read, with the words of the language", () => {
    for (const [source, code] of [
      ["(+ x", "E-SYNTAX"],
      ["", "E-SYNTAX"],
      ["(sin x z)", "E-ARITY"],
      ["(nothing x)", undefined],
    ] as const) {
      const [once, again] = both(readerOf(), source);
      expect(again).toEqual(once);
      expect(once?.failure?.stage).toBe("parse");
      expect(once?.failure?.message).not.toBe("");
      if (code !== undefined) expect(once?.failure?.code).toBe(code);
      expect(once).toMatchObject({
        ...{ source, skeleton: "", complexity: 0, isStraight: false, hasOneWay: false },
        digest: digestOf(`!${source}`),
      });
    }
  });

  test("with its beginning only if it is too long, and known by all of its length", () => {
    const reader = readerOf({ limits: { sourceLength: 250 } });
    const wide = "\u{1f600}".repeat(126);
    for (const [source, shown] of [
      ["x".repeat(251), `${"x".repeat(200)} … (251 letters)`],
      ["x".repeat(252), `${"x".repeat(200)} … (252 letters)`],
      [wide, `${wide.slice(0, 200)} … (252 letters)`],
    ] as const)
      for (const reading of both(reader, source)) {
        expect(reading.source).toBe(shown);
        expect(reading.digest).toEqual(digestOf(`!${shown}`));
        expect(reading.failure?.code).toBe("E-LENGTH");
      }
  });
});

describe("of one text nothing is left for the next:", () => {
  const DEPTH = 17;
  let before = 0;
  beforeEach(() => {
    before = Error.stackTraceLimit;
    Error.stackTraceLimit = DEPTH;
  });
  afterEach(() => {
    Error.stackTraceLimit = before;
  });

  test("all later errors of the process had no stack after a text that could not be read", () => {
    const deep = `${"(".repeat(2000)}x`;
    const texts = ["(* a x)", "(+ x", ")", "(sin)", "#", deep, "(y)", "(loop ((s x)) (recur s))"];
    for (const source of [...texts, "x".repeat(20_000)])
      for (const _ of both(readerOf(), source)) expect(Error.stackTraceLimit, source).toBe(DEPTH);
    expect(new Error("later").stack).toContain("reading.test.ts");
  });

  test("a reader remembers by its own rules, and readings do not change each other", () => {
    const [one, other] = [readerOf({ complexityMax: 3 }), readerOf({ inputs: ["a"], target: "x" })];
    const source = "(* a (+ x b))";
    const first = one.readAgain(source);
    const second = other.readAgain(source);
    expect(first.failure?.code).toBe("E-COMPLEXITY");
    expect(second.failure?.code).toBe("E-TARGET");
    expect(one.readAgain(source)).toBe(first);
    expect(other.readAgain(source)).toBe(second);
    for (const reader of [one, other])
      expect(reader.readAgain(source)).toEqual(reader.read(source));
  });
});
