/** The parts of the llm proposer that need no endpoint: what it remembers, and how it reads answers. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answerSchema } from "../../src/llm/answer.js";
import { excerpt, readCompletion } from "../../src/llm/completion.js";
import { parseJson } from "../../src/llm/json.js";
import { Recollection } from "../../src/llm/prompt.js";
import type { Outcome } from "../../src/types.js";

const seed = Number(process.env["SEED"] ?? 20261116);

const scored = (visit: number, skeleton: number, r2: number, complexity: number): Outcome =>
  ({
    ...{ visit, skeleton: `s${skeleton}`, source: `(p ${visit})`, r2, complexity, params: {} },
    ...{ status: "scored", proposer: "llm" },
  }) as unknown as Outcome;

const STANDINGS = 8;

describe(`what is remembered (SEED=${seed})`, () => {
  test("is the best of each skeleton, the first of equals, the most accurate in front", () => {
    const score = fc.tuple(
      fc.integer({ min: 1, max: STANDINGS }),
      fc.constantFrom(0, 0.25, 0.5, 1, Number.NaN),
      fc.integer({ min: 1, max: 4 }),
    );
    fc.assert(
      fc.property(fc.array(score, { maxLength: 40, size: "max" }), (scores) => {
        const outcomes = scores.map(([s, r2, size], visit) => scored(visit, s, r2, size));
        const recollection = new Recollection();
        recollection.note(outcomes, "llm");
        const finite = outcomes.filter(({ r2 }) => Number.isFinite(r2));
        const best = [...new Set(finite.map(({ skeleton }) => skeleton))].map((skeleton) => {
          const own = finite.filter((outcome) => outcome.skeleton === skeleton);
          const most = Math.max(...own.map(({ r2 }) => r2));
          return own.find(({ r2 }) => r2 === most) as Outcome;
        });
        const kept = recollection.memory.best;
        for (const { source } of kept) expect(best.map((o) => o.source)).toContain(source);
        expect(kept.length).toBe(best.length);
        const ranks = kept.map(({ r2, complexity }) => [-r2, complexity]);
        expect(ranks).toEqual([...ranks].sort(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d));
      }),
      { seed },
    );
  });

  test("is no more than a prompt should hold, and the least accurate goes", () => {
    const recollection = new Recollection();
    const order = [5, 0, 11, 3, 8, 1, 10, 2, 7, 4, 9, 6];
    const outcomes = order.map((rank, visit) => scored(visit, rank, 1 - rank / 16, 1));
    recollection.note(outcomes, "llm");
    const kept = recollection.memory.best.map(({ r2 }) => 16 * (1 - r2));
    expect(kept).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});

test("the schema of an answer is that of a list of programs with their ideas, and of nothing else", () => {
  expect(answerSchema).toEqual({
    type: "object",
    properties: {
      programs: {
        ...{ type: "array", description: expect.stringContaining("best guess first") },
        items: {
          type: "object",
          properties: {
            source: { type: "string", description: expect.stringContaining("The program") },
            idea: { type: "string", description: expect.stringContaining("what it models") },
          },
          required: ["source", "idea"],
          additionalProperties: false,
        },
      },
    },
    required: ["programs"],
    additionalProperties: false,
  });
});

describe("an answer", () => {
  test.each<[unknown, string]>([
    ["(* a x)", "(* a x)"],
    [[{ text: "(* a " }, { text: "x)" }], "(* a x)"],
    [
      [{ text: "(* a " }, { type: "image" }, { text: 5 }, { text: null }, "y", { text: "x)" }],
      "(* a x)",
    ],
    [[], ""],
    [7, "no"],
    [undefined, "no"],
  ])("whose content is %j reads as %j", (content, wanted) => {
    const body = JSON.stringify({ choices: [{ message: { content, refusal: "no" } }] });
    const given = {
      status: 200,
      isError: false,
      retryAfter: undefined,
      type: "",
      text: body,
      bytes: 9,
    };
    expect(readCompletion("it", given as never, "asked").text).toBe(wanted);
  });

  const text = JSON.stringify({ choices: [{ message: { content: "(* a x)" } }] });
  const answer = (type: string, body = text) => ({
    ...{ status: 200, isError: false, retryAfter: undefined, type },
    ...{ text: body, bytes: body.length },
  });

  test.each(["", "application/json", "application/problem+json"])("of type %j is read", (type) => {
    expect(readCompletion("it", answer(type), "?").text).toBe("(* a x)");
  });

  test.each(["text/html", "text/plain", "application/xml", "json"])(
    "of type %j is none, whatever its body holds",
    (type) => {
      expect(() => readCompletion("it", answer(type), "?")).toThrow(
        `it answers with ${type}, not with JSON`,
      );
    },
  );

  test("is repeated in one line of 120 characters, of its first 240", () => {
    expect(excerpt("  a\n\tb  ")).toBe("a b");
    expect(excerpt("x".repeat(120))).toBe("x".repeat(120));
    expect(excerpt("x".repeat(121))).toBe(`${"x".repeat(120)}…`);
    expect(excerpt(`a${" ".repeat(238)}bc`)).toBe("a b");
  });
});

describe(`levels of JSON (SEED=${seed})`, () => {
  const inner = fc.string({ unit: fc.constantFrom(...'[]{}\\"u a'), maxLength: 12 });
  const nested = (levels: number, text: string): string =>
    `${"[".repeat(levels)}${JSON.stringify(text)}${"]".repeat(levels)}`;

  test("brackets in texts are none, whatever quotes and backslashes stand beside them", () => {
    fc.assert(
      fc.property(fc.array(inner, { maxLength: 4 }), inner, (before, key) => {
        const texts = before.map((one) => `${JSON.stringify(one)},`).join("");
        const withLevels = (levels: number) =>
          `{${JSON.stringify(key)}:[${texts}${nested(levels - 2, key)}]}`;
        const most = withLevels(100);
        expect(parseJson(most)).toEqual({ json: JSON.parse(most) as unknown });
        expect(parseJson(withLevels(101))).toEqual({ problem: "JSON that is nested too deeply" });
      }),
      { seed },
    );
  });
});
