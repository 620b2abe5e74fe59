/**
 * Lines end with a line feed, a carriage return or both, wherever a line matters: in comments, in stack code
 * and in the places that errors tell. Words of stack code are what a plain reader of lines finds.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readLines } from "../../src/bytecode/lines.js";
import { NdvmError } from "../../src/errors.js";
import type { Datum } from "../../src/syntax/datum.js";
import { read } from "../../src/syntax/read.js";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
console.info(`line ends: SEED=${seed}`);
const ENDS = ["\n", "\r", "\r\n"];

/** A datum without its places. */
const bare = (datum: Datum): unknown => {
  if (datum.kind === "number" || datum.kind === "boolean") return datum.value;
  if (datum.kind === "symbol") return datum.name;
  return [datum.kind, ...datum.items.map(bare)];
};

const told = (text: string): unknown => {
  try {
    return read(text).map(bare);
  } catch (error) {
    return (error as NdvmError).code;
  }
};

const LINES = ["(+ a", "; (", 'b) ; ) "', ";", "'(1 2)", "#| ; |#", "#; x y", "", "[1 2];", "; |"];

test("a comment ends where its line ends, however that is", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...LINES), fc.constantFrom(...ENDS)), { maxLength: 8 }),
      (lines) => {
        const same = lines.map(([line]) => line).join("\n");
        const text = lines.map(([line, end]) => line + end).join("");
        expect(told(text), JSON.stringify(text)).toEqual(told(`${same}\n`));
      },
    ),
    { seed, numRuns: 2000 },
  );
});

test("a carriage return alone ends a comment", () => {
  expect(told("; the sum\r(+ 1 2)")).toEqual([["list", "+", 1, 2]]);
});

describe("lines of stack code", () => {
  const WORDS = ["PUSH", "1", "a:", "JUMP", ":", "7:", "b:", ";", "; x: y", "\u00a0"];

  /** What a line says, in words: labels stand before the first other word. */
  function plain(line: string): unknown {
    const words = line.replace(/;.*/s, "").split(/\s+/).filter(Boolean);
    const first = words.findIndex((word) => !word.endsWith(":"));
    const labels = first < 0 ? words : words.slice(0, first);
    if (labels.some((label) => /^([-+]?\d+)?:$/.test(label))) return "E-SYNTAX";
    return { labels: labels.map((label) => label.slice(0, -1)), words: words.slice(labels.length) };
  }

  function lineOf(text: string): unknown {
    try {
      const [line, ...more] = readLines(text);
      expect(more).toEqual([]);
      const { labels = [], words = [] } = line ?? {};
      return { labels: labels.map((one) => one.text), words: words.map((one) => one.text) };
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
      return error.code;
    }
  }

  test("every line of up to four words is what a plain reader finds", () => {
    let lines = [""];
    for (let count = 1; count <= 4; count++) {
      lines = lines.flatMap((line) => WORDS.map((word) => `${line} ${word}`));
      for (const line of lines) expect(lineOf(line), JSON.stringify(line)).toEqual(plain(line));
    }
  });

  test("what follows a line end is another line, and spans cover their words", () => {
    for (const end of ENDS) {
      const text = `PUSH 1 ; x${end}a: b:${end}${end}JUMP a:`;
      const lines = readLines(text);
      const words = lines.map(({ labels, words }) => [...labels, ...words]);
      expect(words.map((line) => line.map((word) => word.text))).toEqual([
        ["PUSH", "1"],
        ["a", "b"],
        ["JUMP", "a:"],
      ]);
      for (const { text: word, span } of words.flat())
        expect(text.slice(span.start, span.end).replace(/:$/, "")).toBe(word.replace(/:$/, ""));
    }
  });
});
