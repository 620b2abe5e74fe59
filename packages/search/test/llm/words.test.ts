/** What is read from an endpoint's answer, and what a prompt says: words in, words out, without a network. */

import { describe, expect, test } from "vitest";
import { readAnswer } from "../../src/llm/answer.js";
import { readCompletion } from "../../src/llm/completion.js";
import { Recollection, systemPrompt, userPrompt } from "../../src/llm/prompt.js";
import type { Outcome } from "../../src/types.js";
import { brief } from "./brief.js";

const OK = { status: 200, isError: false, retryAfter: undefined, type: "" } as const;

describe("a completion", () => {
  const of = (content: unknown, usage: unknown, more: object = {}) => {
    const text = JSON.stringify({ choices: [{ message: { content, ...more } }], usage });
    const answer = { ...OK, text, bytes: text.length };
    return readCompletion("it", answer, "12345");
  };
  const counts = (input: unknown, output: unknown) =>
    of("abcde", { prompt_tokens: input, completion_tokens: output });

  test.each([
    [1, 1, "yes"],
    [10_000_000, 10_000_000, "yes"],
    [10_000_001, 1, "absurdly"],
    [1, 10_000_001, "absurdly"],
    [0, 1, "absurdly"],
    [1, 0, "absurdly"],
    [-1, 1, "absurdly"],
    [1.5, 1, "absurdly"],
    ["1", 1, "absurdly"],
    [null, 1, "no"],
    [1, undefined, "no"],
    [null, undefined, "no"],
  ])("that counts %s and %s tokens is believed: %s", (input, output, counted) => {
    const found = counts(input, output);
    expect(found.counted).toBe(counted);
    expect(found.use).toEqual(
      counted === "yes"
        ? { inputTokens: input, outputTokens: output }
        : { inputTokens: 2, outputTokens: 2 },
    );
  });

  test("of nothing may have cost no tokens", () => {
    expect(of("", { prompt_tokens: 3, completion_tokens: 0 }).counted).toBe("yes");
  });

  test("has its text in one piece or in parts, or says why there is none", () => {
    expect(of([{ text: "a" }, { image: 1 }, { text: "b" }], undefined).text).toBe("ab");
    expect(of(null, undefined, { refusal: "no" })).toMatchObject({ text: "no", isRefusal: true });
    expect(of("x", undefined, { refusal: "" })).toMatchObject({ text: "x", isRefusal: false });
    expect(of(7, undefined).text).toBe("");
    expect(() => readCompletion("it", { ...OK, text: '{"choices": []}', bytes: 1 }, "")).toThrow(
      "it answers with JSON that is not a chat completion",
    );
  });
});

describe("an answer", () => {
  const read = (text: string, most = 9) => readAnswer(text, { most, clean: (words) => words });
  const found = (text: string) => (read(text) as { programs: readonly string[] }).programs;

  test.each([
    ['["a"]', ["a"]],
    ['```json\n["a"]\n```', ["a"]],
    ['```\n["a"]\n``` and {later} [words]', ["a"]],
    ['text [not] ```json\n{"programs": ["a"]}\n```', ["a"]],
    ['{"programs": ["a"]} is my guess', ["a"]],
    ['["a"] is my guess', ["a"]],
    ['```json ["a"]```', ["a"]],
    ['``` ["b"]\n["a"]', ["a"]],
    ['I think {"programs": ["a"]} will do', ["a"]],
    ['so: [{"source": "a"}, {"source": "b"}] ok', ["a", "b"]],
    ['{"programs": [{"source": " a ", "idea": "x"}, "  "]}', ["a"]],
    ['{"programs": [null, 5, {}, ["b"], {"source": null}, {"source": "a"}, true]}', ["a"]],
    ['{"programs": [{"__proto__": {"source": "b"}}, {"constructor": "b"}, "a"]}', ["a"]],
  ])("%j holds %j", (text, sources) => {
    expect(found(text)).toEqual(sources);
  });

  test("programs that are left out are counted by their reason, and blanks are none", () => {
    const long = "x".repeat(20_001);
    const programs = ["a", " ", "b", long, "", null, "c", long, "\n"];
    expect(read(JSON.stringify({ programs }), 2)).toEqual({
      ...{ programs: ["a", "b"], surplus: 1, tooLong: 2 },
    });
    expect(read(JSON.stringify([" ", "a"]))).toEqual({ programs: ["a"], surplus: 0, tooLong: 0 });
    expect(read('["", " "]')).toEqual({ problem: "the answer holds no program", isRefusal: false });
  });

  test.each([
    ["", "the answer is empty", false],
    [" \n", "the answer is empty", false],
    ["no", 'the answer is not the JSON asked for: "no"', false],
    ["Sorry, no", 'the model declined: "Sorry, no"', true],
    [`${"x".repeat(3995)} cannot`, undefined, false],
    [`${" ".repeat(3990)} cannot`, undefined, true],
    ["```", 'the answer is not the JSON asked for: "```"', false],
    ['```json\n["a"]', undefined, undefined],
    ["} {", 'the answer is not the JSON asked for: "} {"', false],
    ['{"programs": 3}', "the JSON in the answer has no list of programs", false],
    ["[1]", "the JSON in the answer has no list of programs", false],
    ["[]", "the answer holds no program", false],
    [
      `["${"x".repeat(20_001)}"]`,
      "the answer holds no program of less than 20,000 characters",
      false,
    ],
  ])("%j: %s", (text, problem, isRefusal) => {
    const answer = read(text);
    if (isRefusal === undefined) return expect("programs" in answer).toBe(true);
    expect(answer).toMatchObject({ isRefusal });
    if (problem !== undefined) expect(answer).toMatchObject({ problem });
  });

  test("gives as many as were asked for, and counts what is left out", () => {
    const long = "x".repeat(20_000);
    const text = JSON.stringify(["a", `${long}x`, long, "b"]);
    expect(read(text, 2)).toEqual({ programs: ["a", long], surplus: 1, tooLong: 1 });
    expect(read(text, 3)).toEqual({ programs: ["a", long, "b"], surplus: 0, tooLong: 1 });
  });
});

describe("the prompt", () => {
  const scored = (n: number, more: Partial<Outcome> = {}): Outcome =>
    ({
      ...{ visit: n, skeleton: `s${n}`, source: `(p ${n})`, r2: n / 10, complexity: n },
      ...{ params: { a: 1.234567, b: -2 }, status: "scored", proposer: "llm" },
      ...more,
    }) as Outcome;
  const failed = (code: string, source: string, more: Partial<Outcome> = {}): Outcome =>
    scored(1, {
      ...{ status: "failed", source, failure: { stage: "fit", code, message: `of ${code}` } },
      ...more,
    });

  test("says all that was noted, word for word", () => {
    const recollection = new Recollection();
    recollection.note(
      [
        scored(3),
        scored(5, { r2: 0.3, complexity: 2 }),
        failed("E-TYPE", "(car x)"),
        failed("E-STEPS", "(f x)"),
        failed("E-TYPE", "(cdr x)"),
        failed("E-OTHER", "(g x)", { proposer: "evolve" }),
        scored(9, { source: "x".repeat(601) }),
        scored(8, { source: "x".repeat(600), r2: 0.01 }),
        scored(7, { r2: Number.NaN }),
      ],
      "llm",
    );
    expect(userPrompt(brief, recollection.memory, 4)).toMatchSnapshot();
    expect(
      userPrompt({ ...brief, description: "" }, new Recollection().memory, 1),
    ).toMatchSnapshot();
    expect(systemPrompt(brief)).toMatchSnapshot();
  });

  test("has the six latest kinds of failure, the latest first, and a state that is a copy", () => {
    const recollection = new Recollection();
    const codes = ["A", "B", "C", "D", "E", "F", "G"];
    recollection.note(
      codes.map((code) => failed(code, code)),
      "llm",
    );
    expect(recollection.memory.lessons.map(({ code }) => code).join("")).toBe("GFEDCB");
    const saved = recollection.save();
    recollection.note([failed("C", "again"), scored(1)], "llm");
    expect(saved.lessons.map(({ code }) => code).join("")).toBe("GFEDCB");
    expect(saved.best).toEqual([]);
    expect(recollection.memory.lessons[0]).toMatchObject({ code: "C", count: 2, source: "again" });
    const again = new Recollection();
    again.restore(JSON.parse(JSON.stringify(recollection.save())));
    expect(again.memory).toEqual(recollection.memory);
  });

  test("of equal programs the smaller is in front", () => {
    const recollection = new Recollection();
    recollection.note(
      [scored(1, { r2: 0.5, complexity: 7 }), scored(2, { r2: 0.5, complexity: 3 })],
      "llm",
    );
    expect(recollection.memory.best.map(({ complexity }) => complexity)).toEqual([3, 7]);
  });
});
