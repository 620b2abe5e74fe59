/**
 * A bracket makes a vector, so quoted data holds none: it is refused with its place wherever it stands in
 * data, however deep, and data without one are kept as they are written. What a template evaluates is no data.
 */

import { expect, test } from "vitest";
import { NdvmError } from "../../src/errors.js";
import { expand } from "../../src/syntax/expand.js";
import { print } from "../../src/syntax/print.js";
import { read } from "../../src/syntax/read.js";

/** Places in data. */
const DATA = [
  "#",
  "(#)",
  "(# a)",
  "(1 #)",
  "(1 # a)",
  "(1 . #)",
  "(1 2 . #)",
  "(# . a)",
  "((1 . #) . a)",
  "'#",
  "(quote . #)",
] as const;

const nested: string[] = DATA.flatMap((outer) =>
  DATA.flatMap((middle) => DATA.map((inner) => outer.replace("#", middle).replace("#", inner))),
);

/** Expressions that quote. */
const QUOTED = [
  "'#",
  "(quote #)",
  "(list 1 '#)",
  "(case 1 ((2 #) 3) (else 4))",
  "(case 1 ((2) 3) ((# 5) 6))",
] as const;

/** Templates; in some of them something else is evaluated, so they are built and not kept. */
const TEMPLATES = [
  "`#",
  "`(# ,x)",
  "`(,x . #)",
  "`(,@x #)",
  "`(,@x . #)",
  "`((,x . #) 1)",
] as const;

const BRACKETS = ["[]", "[2 3]", "[[1] [2]]"] as const;

function refusal(source: string): NdvmError | undefined {
  try {
    expand(read(source));
    return undefined;
  } catch (error) {
    if (error instanceof NdvmError) return error;
    throw error;
  }
}

function expectRefused(place: string, message: string): void {
  for (const bracket of BRACKETS) {
    const source = place.replace("#", bracket);
    const error = refusal(source);
    expect(error?.message, source).toBe(message);
    expect(error?.code, source).toBe("E-FORM");
    const start = place.indexOf("#");
    expect(error?.span, source).toEqual({ start, end: start + bracket.length });
  }
}

test.each(QUOTED)("a bracket anywhere in the data of %s is refused where it stands", (quoted) => {
  for (const data of nested)
    expectRefused(quoted.replace("#", data), "brackets make vectors and cannot be quoted");
});

test.each(TEMPLATES)("a bracket anywhere in the template %s is refused", (template) => {
  for (const data of nested)
    expectRefused(
      template.replace("#", data),
      "quasiquote: brackets make vectors here; a template needs parentheses",
    );
});

test("a vector may be made wherever a template evaluates something", () => {
  for (const template of TEMPLATES)
    for (const data of nested) {
      // Two marks in a row, a quote among them, are data of another kind.
      if (data.includes("quote")) continue;
      const source = template.replace("#", data).replace("#", ",[2 3]");
      expect(refusal(source)?.message, source).toBeUndefined();
    }
});

test("data without a bracket are quoted as they are written", () => {
  for (const quoted of QUOTED)
    for (const data of nested) {
      const source = quoted.replace("#", data).replace("#", "(8 . 9)");
      const constants = expand(read(source)).nodes.flatMap((node) =>
        node.kind === "const" ? [print(node.value)] : [],
      );
      const written = data.replace("#", "(8 . 9)");
      expect(constants, source).toContain(print(read(written)[0] as never));
    }
});
