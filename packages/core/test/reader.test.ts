import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NdvmError } from "../src/errors.js";
import type { Datum } from "../src/syntax/datum.js";
import { print } from "../src/syntax/print.js";
import { read } from "../src/syntax/read.js";

function errorOf(source: string): NdvmError {
  try {
    read(source, "test.scm");
  } catch (error) {
    if (error instanceof NdvmError) return error;
    throw error;
  }
  throw new Error(`${source} should not read`);
}

/** What was read, printed: shows structure without spans. */
const shown = (source: string) => read(source).map(print).join(" ");

describe("numbers", () => {
  test.each([
    ["0", 0, true],
    ["42", 42, true],
    ["+7", 7, true],
    ["-7", -7, true],
    ["-0", 0, true],
    ["-0.0", -0, false],
    [".5", 0.5, false],
    ["-.5", -0.5, false],
    ["5.", 5, false],
    ["1e3", 1000, false],
    ["1.5E-3", 0.0015, false],
    ["1/2", 0.5, false],
    ["4/2", 2, true],
    ["+inf.0", Infinity, false],
    ["-inf.0", -Infinity, false],
    ["+nan.0", NaN, false],
    ["9007199254740993", 9007199254740992, true],
  ])("%s reads as a number", (text, value, exact) => {
    expect(read(text)).toEqual([
      { kind: "number", value, exact, span: { start: 0, end: text.length } },
    ]);
  });

  test.each(["1+", "2pi", "1.2.3", "1e", "1/0.5", "+5x", "0/0", "1e5.0"])(
    "%s is neither a number nor a name",
    (text) => {
      expect(errorOf(text)).toMatchObject({
        code: "E-SYNTAX",
        message: `${text} is neither a number nor a name`,
      });
    },
  );

  test("a number that overflows is refused instead of becoming infinite", () => {
    expect(errorOf("1e400")).toMatchObject({
      code: "E-SYNTAX",
      message: "1e400 is too large for a number",
      help: "the largest number is about 1.8e308; infinity is written +inf.0",
    });
    expect(errorOf("9".repeat(400)).code).toBe("E-SYNTAX");
    expect(errorOf("1/0").code).toBe("E-SYNTAX");
  });
});

describe("names and booleans", () => {
  test.each([
    "...",
    "+",
    "-",
    "->x",
    "a.b",
    "list->vector",
    "<=?",
    "!x",
    "$%&*/:<=>?^_~",
    "λ",
    "x²",
    ".a",
    "+a",
    "-a",
    "..",
    "@x",
  ])("%s is a name", (name) => {
    expect(read(name)).toEqual([{ kind: "symbol", name, span: { start: 0, end: name.length } }]);
  });

  test("a name between bars may hold anything", () => {
    expect(read("|a b|")).toMatchObject([{ kind: "symbol", name: "a b" }]);
    expect(read("||")).toMatchObject([{ kind: "symbol", name: "" }]);
    expect(read("|a\\|b\\x41;\\n|")).toMatchObject([{ kind: "symbol", name: "a|bA\n" }]);
    expect(read("(|(|)")).toMatchObject([{ kind: "list", items: [{ name: "(" }] }]);
  });

  test("booleans have a short and a long spelling", () => {
    expect(read("#t #true #f #false").map((d) => d.kind === "boolean" && d.value)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test("names are case-sensitive", () => {
    expect(shown("Abc aBC")).toBe("Abc aBC");
  });
});

describe("lists", () => {
  test("spans are UTF-16 offsets from the opening to the closing parenthesis", () => {
    const [datum] = read(" (😀 b)");
    expect(datum).toEqual({
      kind: "list",
      items: [
        { kind: "symbol", name: "😀", span: { start: 2, end: 4 } },
        { kind: "symbol", name: "b", span: { start: 5, end: 6 } },
      ],
      span: { start: 1, end: 7 },
    });
  });

  test("a dotted tail that is a list is the rest of the list", () => {
    expect(shown("(a . b)")).toBe("(a . b)");
    expect(shown("(a . (b c))")).toBe("(a b c)");
    expect(shown("(a . (b . (c . d)))")).toBe("(a b c . d)");
    expect(shown("(a . ())")).toBe("(a)");
    expect(shown("(a . 'b)")).toBe("(a quote b)");
    expect(shown("(a . [b c])")).toBe("(a . [b c])");
    expect(shown("(a . #;b (c))")).toBe("(a c)");
  });

  test("quote marks read as lists", () => {
    expect(read("'x")).toMatchObject([
      { kind: "list", items: [{ name: "quote" }, { name: "x" }], span: { start: 0, end: 2 } },
    ]);
    expect(shown("(quote x) (quasiquote (a (unquote b) (unquote-splicing c)))")).toBe(
      "'x `(a ,b ,@c)",
    );
    expect(shown("''() , @x ,@ x")).toBe("''() , @x ,@x");
  });

  test("brackets are a datum of their own", () => {
    expect(read("[1 (2) [3]]")).toMatchObject([
      { kind: "bracket", items: [{}, { kind: "list" }, { kind: "bracket" }] },
    ]);
  });
});

describe("comments and spaces", () => {
  test("comments vanish", () => {
    expect(shown("; line\n1 #| block #| nested |# |# 2 #;(gone 3) 4 ; end")).toBe("1 2 4");
    expect(shown("(a #;b c #;d)")).toBe("(a c)");
    expect(shown("#;#;1 2 3")).toBe("3");
    expect(shown("#;'a b")).toBe("b");
  });

  test("every line ending, the byte order mark and Unicode spaces separate", () => {
    expect(shown("\ufeffa\r\nb\rc\u00a0d\u2003e\t\ff")).toBe("a b c d e f");
  });
});

describe("errors", () => {
  test.each([
    ["", "E-SYNTAX", "the program is empty", [0, 0]],
    [" ; nothing\n", "E-SYNTAX", "the program is empty", [0, 11]],
    ["(+ 1 (* 2 3)", "E-SYNTAX", "this ( is never closed", [0, 1]],
    ["(+ 1 [2", "E-SYNTAX", "this [ is never closed", [5, 6]],
    ["(a))", "E-SYNTAX", "nothing is open that this ) could close", [3, 4]],
    ["(a]", "E-SYNTAX", "the ( at line 1, column 1 is closed by ]", [2, 3]],
    ["[a)", "E-SYNTAX", "the [ at line 1, column 1 is closed by )", [2, 3]],
    ["(a . )", "E-SYNTAX", "nothing follows the dot of this list", [5, 6]],
    ["( . a)", "E-SYNTAX", "a dot needs something before it", [2, 3]],
    ["(a . ( . b))", "E-SYNTAX", "a dot needs something before it", [7, 8]],
    ["(a . b c)", "E-SYNTAX", "only one datum may follow a dot", [7, 8]],
    ["(a . b . c)", "E-SYNTAX", "a list can have only one dot", [7, 8]],
    ["[a . b]", "E-SYNTAX", "a dot stands only inside a list, before its tail", [3, 4]],
    [". a", "E-SYNTAX", "a dot stands only inside a list, before its tail", [0, 1]],
    ["'", "E-SYNTAX", "nothing follows '", [0, 1]],
    ["(')", "E-SYNTAX", "nothing follows '", [1, 2]],
    ["(a #;)", "E-SYNTAX", "nothing follows #;", [3, 5]],
    ["#| open", "E-SYNTAX", "this comment is never closed", [0, 2]],
    ["|open", "E-SYNTAX", "this |name| is never closed", [0, 1]],
    ["x'", "E-SYNTAX", "' cannot be part of a name", [0, 2]],
    ["{a}", "E-SYNTAX", "{ has no meaning here", [0, 1]],
    ["#x10", "E-SYNTAX", "#x10 has no meaning", [0, 4]],
    ["#foo", "E-SYNTAX", "#foo has no meaning", [0, 4]],
    ['(f "a b")', "E-REFUSED", "strings are left out of this language", [3, 8]],
    ["#\\a", "E-REFUSED", "characters are left out of this language", [0, 2]],
    ["#(1 2)", "E-REFUSED", "vector literals #( ) are left out of this language", [0, 2]],
    ["(a \ufffd)", "E-SYNTAX", "the source is not UTF-8 text: it holds U+FFFD", [3, 4]],
    ["a\0b", "E-SYNTAX", "the source is not UTF-8 text: it holds U+0000", [1, 2]],
    ["; \u0007", "E-SYNTAX", "the source is not UTF-8 text: it holds U+0007", [2, 3]],
    ["#| \ufffd |#", "E-SYNTAX", "the source is not UTF-8 text: it holds U+FFFD", [3, 4]],
  ])("%j is refused", (source, code, message, [start, end]) => {
    expect(errorOf(source)).toMatchObject({ code, message, span: { start, end } });
  });

  test("an error knows its source and file, and what is missing", () => {
    expect(errorOf("(a [b (c")).toMatchObject({
      source: "(a [b (c",
      file: "test.scm",
      help: ")]) missing before the end",
    });
    expect(errorOf("(".repeat(50)).help).toBe("50 closing parentheses missing before the end");
  });

  test("whatever the text, reading ends in datums or in an NdvmError", () => {
    const pieces = fc.constantFrom(..."()[]'`,@#;|.\"\\ \n09ae+-", "#|", "|#", "#;", "\ufffd", "λ");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30, size: "max" }), (texts) => {
        const source = texts.join("");
        try {
          for (const datum of read(source))
            expect(datum.span.end).toBeLessThanOrEqual(source.length);
        } catch (error) {
          expect(error).toBeInstanceOf(NdvmError);
          expect((error as NdvmError).span).toBeDefined();
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("size", () => {
  const depth = 100_000;
  test.each([
    ["(", ")"],
    ["[", "]"],
    ["'", ""],
    ["(a . ", ")"],
    ["#;", " 1"],
  ])("%s nested 100,000 deep reads", (open, close) => {
    const [datum] = read(`${open.repeat(depth)}x${close.repeat(depth)} end`);
    expect(datum).toBeDefined();
  });

  test.each([
    ["(", ")"],
    ["[", "]"],
    ["'", ""],
  ])("%s is refused where it is nested deeper than it may be", (open, close) => {
    const text = (depth: number) => `${open.repeat(depth)}x${close.repeat(depth)}`;
    expect(read(text(20), undefined, 20)).toHaveLength(1);
    expect(() => read(text(21), undefined, 20)).toThrow(
      expect.objectContaining({ code: "E-SYNTAX", message: "this is nested deeper than 20" }),
    );
  });

  test("a chain of dotted lists is one flat list", () => {
    const [datum] = read(`${"(a . ".repeat(depth)}()${")".repeat(depth)}`) as [Datum];
    expect(datum.kind === "list" && datum.items.length).toBe(depth);
  });

  test("a program of 1 MB reads", () => {
    const line = "(define (f x) (* x (+ 1.5 y)))\n";
    expect(read(line.repeat(Math.ceil(1e6 / line.length))).length).toBe(32259);
  });
});
