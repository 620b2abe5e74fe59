/**
 * Every shape against every kind of value: what fits is written down, and everything else is refused. A
 * shape of an object is tried field by field, with each value in each field's place.
 */

import { describe, expect, test } from "vitest";
import {
  isAmount,
  isCount,
  isCounts,
  isFlag,
  isJson,
  isNames,
  isNumber,
  isNumberMap,
  isProposal,
  isRecord,
  isSpending,
  isStarts,
  isText,
  listOf,
  mapOf,
  maybe,
  objectOf,
  oneOf,
  orNull,
  type Shape,
} from "../src/shapes.js";

const nested = (levels: number, leaf: unknown = 1): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner) => [inner], leaf);
const nestedObjects = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner) => ({ inner }), 1);

/** A value of every kind that JSON, or a field that is not there, may have. */
const values: Readonly<Record<string, unknown>> = {
  nothing: undefined,
  null: null,
  true: true,
  false: false,
  "the text 0": "0",
  "an empty text": "",
  "the text yes": "yes",
  "the text yes and no": "yes and no",
  "0": 0,
  "-0": -0,
  "3": 3,
  "-1": -1,
  "1.5": 1.5,
  "-1.5": -1.5,
  "2^53 - 1": 2 ** 53 - 1,
  "2^53": 2 ** 53,
  "1e999": JSON.parse("1e999"),
  "-1e999": JSON.parse("-1e999"),
  "not a number": Number.NaN,
  "an empty list": [],
  "whole numbers": [2, 0],
  "whole numbers and a half": [2, 0.5],
  "a half and whole numbers": [0.5, 2],
  "a number below 0": [2, -1],
  texts: ["a", ""],
  "texts and a number": ["a", 1],
  "a number and texts": [1, "a"],
  "lists in lists": [[1], [2]],
  "an empty object": {},
  "numbers by name": { a: 1, b: -2.5 },
  "numbers by name, one endless": { a: 1, b: JSON.parse("1e999") },
  "numbers by name, one endless first": { a: JSON.parse("-1e999"), b: 1 },
  "numbers and null by name": { a: 1, b: null },
  "numbers and a text by name": { a: 1, b: "1" },
  "numbers and a list by name": { a: 1, b: [1] },
  "a number and more by name": { a: 1, b: { start: 1, range: [0, 1] } },
  "depth 98 by name": { a: 1, b: nestedObjects(98) },
  "depth 100 by name": { a: 1, b: nestedObjects(100) },
  "depth 101 by name": { a: 1, b: nestedObjects(101) },
  "depth 100": nested(100),
  "depth 101": nested(101),
  "depth 101, beside what is flat": [1, nested(99), nested(100)],
};

const finite = ["0", "-0", "3", "-1", "1.5", "-1.5", "2^53 - 1", "2^53"];
const counts = ["0", "-0", "3", "2^53 - 1"];
const amounts = ["0", "-0", "3", "1.5", "2^53 - 1", "2^53"];
const texts = ["the text 0", "an empty text", "the text yes", "the text yes and no"];
const flags = ["true", "false"];
const records = Object.keys(values).filter(
  (name) => name === "an empty object" || name.includes("by name"),
);
const lists = Object.keys(values).filter((name) => Array.isArray(values[name]));
const tooDeep = ["depth 101", "depth 101, beside what is flat", "depth 101 by name"];
// An object of its own is a level more.
const tooDeepHere = [...tooDeep, "depth 100 by name"];
const countLists = ["an empty list", "whole numbers"];
const textLists = ["an empty list", "texts"];
const numberMaps = ["an empty object", "numbers by name"];
const starts = [
  ...numberMaps,
  "a number and more by name",
  "depth 98 by name",
  "depth 100 by name",
];

/** The names of the values that a shape takes. */
const taken = (shape: Shape<unknown>): string[] =>
  Object.keys(values).filter((name) => shape(values[name]));

const inOrder = (names: readonly string[]): string[] =>
  Object.keys(values).filter((name) => names.includes(name));

const shapes: readonly [string, Shape<unknown>, readonly string[]][] = [
  ["records", isRecord, records],
  ["texts", isText, texts],
  ["flags", isFlag, flags],
  ["numbers", isNumber, finite],
  ["amounts", isAmount, amounts],
  ["counts", isCount, counts],
  ["a text or nothing", maybe(isText), [...texts, "nothing"]],
  ["a text or null", orNull(isText), [...texts, "null"]],
  ["words", oneOf("yes", "0"), ["the text yes", "the text 0"]],
  ["lists of counts", isCounts, countLists],
  ["lists of texts", isNames, textLists],
  ["lists of anything", listOf((value): value is unknown => value !== undefined), lists],
  ["numbers by name", isNumberMap, numberMaps],
  ["anything by name", mapOf((value): value is unknown => value !== undefined), records],
  ["starts", isStarts, starts],
];

describe("of all values the shape takes what it is for, and nothing else:", () => {
  test.each(shapes)("%s", (_, shape, wanted) => {
    expect(taken(shape)).toEqual(inOrder(wanted));
  });

  test("JSON of a hundred levels", () => {
    const shallow = Object.keys(values).filter((name) => !tooDeepHere.includes(name));
    expect(taken(isJson)).toEqual(shallow);
    expect([isJson(nested(1e5)), isJson(nestedObjects(1e5))]).toEqual([false, false]);
    expect(isJson({ a: nested(99), b: nestedObjects(99) })).toBe(true);
  });
});

/** Good objects, and for each field which of the values it takes. */
const spending = { requests: 1, inputTokens: 2, outputTokens: 3, cost: 0.5 };
const proposal = {
  ...{ source: "x", parents: [1], origin: "read", params: { a: 1 } },
  ...{ prompt: "why", isRevisit: true },
};
const objects: readonly [string, Shape<unknown>, object, Readonly<Record<string, string[]>>][] = [
  [
    "spending",
    isSpending,
    spending,
    { requests: amounts, inputTokens: amounts, outputTokens: amounts, cost: amounts },
  ],
  [
    "a proposal",
    isProposal,
    proposal,
    {
      ...{ source: texts, parents: countLists, origin: texts, params: [...starts, "nothing"] },
      ...{ prompt: [...texts, "nothing"], isRevisit: [...flags, "nothing"] },
    },
  ],
];

describe.each(objects)("in the shape of %s", (_, shape, good, fields) => {
  test("each field takes what it is for, and may be left out where it may be undefined", () => {
    expect(shape(good)).toBe(true);
    expect(shape({ ...good, another: null })).toBe(true);
    expect(Object.keys(good)).toEqual(Object.keys(fields));
    for (const [field, wanted] of Object.entries(fields)) {
      const accepted = Object.keys(values).filter((name) =>
        shape({ ...good, [field]: values[name] }),
      );
      expect(accepted, field).toEqual(inOrder(wanted));
      const { [field as never]: _left, ...rest } = good;
      expect(shape(rest), field).toBe(wanted.includes("nothing"));
    }
  });

  test("nothing else is one, and fields that are inherited are not there", () => {
    expect(taken(shape)).toEqual([]);
    expect(shape([good])).toBe(false);
    expect(shape(Object.create(good))).toBe(false);
  });
});

test("a field that every object inherits is not there until it is its own", () => {
  const shape = objectOf<{ constructor: unknown }>({
    constructor: (value): value is unknown => value !== undefined,
  });
  expect([shape({}), shape({ constructor: 1 })]).toEqual([false, true]);
});
