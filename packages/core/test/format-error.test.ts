import { describe, expect, test } from "vitest";
import { NdvmError } from "../src/errors.js";
import { expand } from "../src/syntax/expand.js";
import { formatError } from "../src/syntax/format-error.js";
import { read } from "../src/syntax/read.js";

describe("formatError", () => {
  const format = (source: string, file?: string) => {
    try {
      expand(read(source, file));
    } catch (error) {
      return formatError((error as NdvmError).in(source, file));
    }
    return "no error";
  };

  test("shows the place, the line with an underline, and the help", () => {
    expect(format("(define (f x)\n  (let ([y x]) y))\n(f 1)", "filter.scm")).toMatchInlineSnapshot(`
      "filter.scm:2:9: error E-FORM: let: brackets make vectors here; a binding needs parentheses
        2 |   (let ([y x]) y))
          |         ^^^^^
        help: write (y x) instead of [y x]"
    `);
    expect(format("(+ 1 2")).toMatchInlineSnapshot(`
      "program:1:1: error E-SYNTAX: this ( is never closed
        1 | (+ 1 2
          | ^
        help: ) missing before the end"
    `);
  });

  test("underlines only the first line of a span over several", () => {
    expect(format("(if\n 1 2\n 3 4)")).toMatchInlineSnapshot(`
      "program:1:1: error E-FORM: if: needs a test and one or two branches, got 4 parts
        1 | (if
          | ^^^
        help: write (if test then else)"
    `);
  });

  test("cuts long lines around the span", () => {
    const text = format(`${"(+ 1 ".repeat(100)}(sqroot 2)${" 3)".repeat(100)}`);
    expect(text).toMatchInlineSnapshot(`
      "program:1:502: error E-UNBOUND: nothing called sqroot is defined
        1 | …1 (+ 1 (+ 1 (+ 1 (+ 1 (+ 1 (+ 1 (+ 1 (+ 1 (+ 1 (+ 1 (sqroot 2) 3) 3) 3) 3) 3) 3) 3) 3) 3) 3) 3…
          |                                                       ^^^^^^
        help: did you mean sqrt?"
    `);
    expect(format(`(if ${"1 ".repeat(1000)})`).split("\n")[2]?.length).toBeLessThan(110);
  });

  test("keeps the underline in place after tabs and wide characters", () => {
    expect(format("\t(list 温度 '温 (sqroot 1))")).toMatchInlineSnapshot(`
      "program:1:15: error E-UNBOUND: nothing called sqroot is defined
        1 |   (list 温度 '温 (sqroot 1))
          |                   ^^^^^^
        help: did you mean sqrt?"
    `);
  });

  test("counts lines by every kind of line break", () => {
    expect(format("1\r\n2\r3\n  (sqroot 1)").split("\n")[0]).toContain("program:4:4:");
  });

  test("colours on request", () => {
    const error = new NdvmError("E-INPUT", "x is missing", { help: "bind it" });
    expect(formatError(error)).toBe("error E-INPUT: x is missing\n  help: bind it");
    expect(formatError(error, { color: true })).toContain("\x1b[31merror E-INPUT\x1b[39m");
  });

  test("an error in the prelude or without source has no excerpt", () => {
    const error = new NdvmError("E-TYPE", "car needs a pair", { span: { start: -1, end: -1 } });
    expect(formatError(error.in("(map 1 2)", "a.scm"))).toBe(
      "a.scm: error E-TYPE: car needs a pair",
    );
  });
});
