/** Names that occur twice, however many there are, and dots in forms that have no place for one. */

import { describe, expect, test } from "vitest";
import { expand } from "../../src/syntax/expand.js";
import { read } from "../../src/syntax/read.js";

const told = (source: string): string => {
  try {
    expand(read(source));
    return "accepted";
  } catch (error) {
    return (error as Error).message;
  }
};

/** Forms that bind so many names. */
const BINDING: Readonly<Record<string, (names: readonly string[]) => string>> = {
  lambda: (names) => `(lambda (${names.join(" ")}) 1)`,
  "lambda with a rest": (names) => `(lambda (${names.slice(0, -1).join(" ")} . ${names.at(-1)}) 1)`,
  define: (names) => `(define (f ${names.join(" ")}) 1) 2`,
  let: (names) => `(let (${names.map((name) => `(${name} 1)`).join(" ")}) 2)`,
  "named let": (names) => `(let go (${names.map((name) => `(${name} 1)`).join(" ")}) 2)`,
  letrec: (names) => `(letrec (${names.map((name) => `(${name} 1)`).join(" ")}) 2)`,
  loop: (names) => `(loop (${names.map((name) => `(${name} 1)`).join(" ")}) 2)`,
};

describe.each(Object.entries(BINDING))("%s", (_, formOf) => {
  test("binds many names, and none of them twice", () => {
    for (const count of [2, 3, 7, 8, 9, 10, 17]) {
      const names = Array.from({ length: count }, (__, i) => `v${i}`);
      expect(told(formOf(names)), `${count} names`).toBe("accepted");
      for (let first = 0; first < count; first++)
        for (let second = first + 1; second < count; second++) {
          const twice = names.with(second, names[first] as string);
          expect(told(formOf(twice)), formOf(twice)).toContain(`${names[first]} occurs twice`);
        }
    }
  });
});

test.each([
  "(define x 1 . 2) x",
  "(define (f a) a . b) (f 1)",
  "(let () (define x 1 . 2) x)",
  "(let () (begin (define x 1) . 2) x)",
  "(lambda () (begin 1 . 2))",
  "(begin 1 . 2)",
  "(if 1 2 . 3)",
  "(let ((a 1)) a . b)",
  "(let ((a 1) . b) a)",
  "(let ((a . 1)) a)",
  "(loop ((a 1)) a . b)",
  "(cond (1 2) . 3)",
  "(and 1 . 2)",
  "(+ 1 . 2)",
])("%s has a dot where none can be", (source) => {
  expect(told(source)).toMatch(/dot|list|binding|pair/);
});

describe("clauses have the shapes of the grammar and no others", () => {
  const KEYWORDS = ["=>", "else"];
  const sequences = (letters: readonly string[], length: number): string[][] =>
    length === 0
      ? [[]]
      : sequences(letters, length - 1).flatMap((some) => letters.map((one) => [...some, one]));
  const items = [0, 1, 2, 3, 4].flatMap((length) => sequences(["f", "x", ...KEYWORDS], length));
  const arePlain = (some: readonly string[]) => !some.some((item) => KEYWORDS.includes(item));

  test("of cond", () => {
    const isGood = (clause: readonly string[], isLast: boolean): boolean => {
      const [test, second, ...others] = clause;
      if (test === "else") return isLast && clause.length > 1 && arePlain(clause.slice(1));
      if (test !== undefined && second === "=>")
        return others.length === 1 && arePlain([test, ...others]);
      return clause.length > 0 && arePlain(clause);
    };
    for (const clause of items) {
      const text = `(${clause.join(" ")})`;
      for (const [before, after] of [
        ["", ""],
        ["(f x) ", ""],
        ["", " (x)"],
        ["(f => x) ", " (else 1)"],
      ] as const) {
        const source = `(cond ${before}${text}${after})`;
        expect(told(source) === "accepted", source).toBe(isGood(clause, after === ""));
      }
    }
  });

  test("of case", () => {
    const isGood = (head: string, clause: readonly string[], isLast: boolean): boolean => {
      if (head === "else" && !isLast) return false;
      if (clause[0] === "=>") return clause.length === 2 && arePlain(clause.slice(1));
      return clause.length > 0 && arePlain(clause);
    };
    for (const head of ["()", "(1 a)", "else"])
      for (const clause of items)
        for (const after of ["", " ((2) x)", " (else => f)"]) {
          const source = `(case x (${[head, ...clause].join(" ")})${after})`;
          expect(told(source) === "accepted", source).toBe(isGood(head, clause, after === ""));
        }
    expect(told("(case x)")).not.toBe("accepted");
    expect(told("(case x ())")).not.toBe("accepted");
  });
});
