/** Lists of programs, as files hold them: which line is at fault, what is left out, and how a list is gone on with. */

import type { NdvmError } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { readPrograms, replay } from "../src/replay.js";

const FORM = 'a line is {"source": "(* a x)"}, with "params": {"a": 1} if starts are known';

function refusal(make: () => unknown): [code: string, message: string, help: unknown] {
  try {
    make();
  } catch (error) {
    const { code, message, help } = error as NdvmError;
    return [code, message, help];
  }
  throw new Error("it was not refused");
}

describe("a list", () => {
  const good = '{"source": "x"}';

  test.each([
    ['{"text": "x"}', " has no source"],
    ['{"source": 3}', " has no source"],
    ["3", " has no source"],
    ["null", " has no source"],
    ["[]", " has no source"],
    ['{"source": "x", "params": 3}', ": params is 3"],
    ['{"source": "x", "params": null}', ": params is null"],
    ['{"source": "x", "params": "a"}', ': params is "a"'],
  ])("is refused at the line that is wrong, however many blank ones there are: %s", (bad, said) => {
    for (const before of [[], [""], ["", "  ", "\t", good], [good, "\r", good]])
      for (const after of [[], [""], [good, "{"]]) {
        const text = [...before, bad, ...after].join("\n");
        expect(refusal(() => readPrograms(text, "list.jsonl"))).toEqual([
          ...["E-FILE", `list.jsonl, line ${before.length + 1}${said}`, FORM],
        ]);
      }
  });

  test("is refused with what JSON says, at its line", () => {
    const text = `\n${good}\n\n{"source": \n${good}`;
    const [code, message, help] = refusal(() => readPrograms(text));
    let said = "";
    try {
      JSON.parse('{"source": ');
    } catch (error) {
      said = (error as Error).message;
    }
    expect([code, message, help]).toEqual([
      ...["E-FILE", `the list of programs, line 4: ${said}`, FORM],
    ]);
  });

  test("may have blank lines, and lines that end as Windows ends them", () => {
    const text = `  \r\n${good}\r\n\t\r\n{"src": "y", "params": {"a": {"start": 2}}}\r\n \n`;
    expect(readPrograms(text)).toEqual([
      { source: "x" },
      { source: "y", params: { a: { start: 2 } } },
    ]);
    for (const blank of ["", "\n", " \n\t\r\n"])
      expect(refusal(() => readPrograms(blank, "a file"))).toEqual([
        ...["E-FILE", "a file holds no programs", FORM],
      ]);
  });

  test("has its programs under source, else under src, and names of parameters are no starts", () => {
    expect(
      readPrograms(
        [
          '{"src": "(* a x)", "source": "(+ a x)"}',
          '{"source": "", "src": "x"}',
          '{"source": null, "src": "x"}',
          '{"src": "(* a x)", "params": ["a"], "more": 1}',
          '{"src": "(* a x)", "params": []}',
          '{"src": "(* a x)", "params": {}}',
        ].join("\n"),
      ),
    ).toEqual([
      { source: "(+ a x)" },
      { source: "" },
      { source: "x" },
      { source: "(* a x)" },
      { source: "(* a x)" },
      { source: "(* a x)", params: {} },
    ]);
  });
});

describe("what is replayed", () => {
  const { signal } = new AbortController();

  test("is gone on with only where replay has saved a place", () => {
    for (const state of [null, {}, [], 3, "at", { at: -1 }, { at: 1.5 }, { at: "1" }, { at: null }])
      expect(() => replay([{ source: "x" }]).restore(state as never), String(state)).toThrow(
        new TypeError("this is not what replay has saved"),
      );
  });

  test("ends where it ended, however it is asked", async () => {
    const programs = ["x", "(* a x)", "(+ a x)"].map((source) => ({ source }));
    for (const cycles of [1, 1.9, 2, 3]) {
      const wanted = Array.from({ length: 3 * Math.floor(cycles) }, (_, i) => programs[i % 3]);
      for (const count of [1, 2, 3, 4, 5, 100]) {
        const proposer = replay(programs, { cycles });
        const got: unknown[] = [];
        for (let turn = 0; turn < 12; turn++) {
          const { proposals, isExhausted } = await proposer.propose(count, signal);
          got.push(...proposals.map(({ source }) => ({ source })));
          expect(isExhausted).toBe(got.length === wanted.length);
          expect(proposer.save()).toEqual({ at: got.length });
          if (isExhausted) break;
        }
        expect(got).toEqual(wanted);
        expect(await proposer.propose(count, signal)).toEqual({ proposals: [], isExhausted: true });
        const again = replay(programs, { cycles });
        again.restore(proposer.save());
        expect((await again.propose(count, signal)).proposals).toEqual([]);
      }
    }
  });

  test("is refused where there is nothing to replay, or too seldom", () => {
    expect(refusal(() => replay([]))).toEqual([
      ...["E-OPTION", "there are no programs to replay", "give one program at least"],
    ]);
    for (const cycles of [0.999, -1, Number.NaN, "one" as never])
      expect(refusal(() => replay([{ source: "x" }], { cycles }))).toEqual([
        ...["E-OPTION", `the option cycles is ${cycles}`],
        "it must be a number from 1; Infinity for ever",
      ]);
  });
});
